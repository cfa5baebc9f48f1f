"""The files of a memory directory: which ones are notes, and their text."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_NOTE = 4 * 1024 * 1024
"""Bytes above which a file is not read as a note: nothing a person or an agent wrote is that long."""

MOST_FILES = 200_000
"""Files after which a walk stops; the directory is then no memory directory but somebody's disk."""

_SKIPPED = frozenset((".git", ".graph", "node_modules"))


@dataclass(frozen=True, slots=True)
class Listing:
    """What a walk found: notes and other files by relative path, and what stopped it."""

    notes: frozenset[str]
    others: frozenset[str]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files of a directory belong to it: `exclude` holds globs relative to it."""

    root: Path
    exclude: tuple[str, ...] = ()

    def includes(self, path: str) -> bool:
        """Tell whether a relative path is served: no hidden part, none of the skipped folders, no excluding glob."""
        parts = path.split("/")
        if any(part in _SKIPPED or part.startswith(".") for part in parts):
            return False
        ancestors = ("/".join(parts[: n + 1]) for n in range(len(parts)))
        return not any(excluded(ancestor, self.exclude) for ancestor in ancestors)

    def walk(self, start: str = "") -> Listing:
        """Return every file below the root, or below one of its folders.

        Links to folders outside are followed, each folder once, so that a loop ends; one that leads to a folder inside
        is not: its files are there already, under their own names.
        """
        notes, others, problem = set[str](), set[str](), ""
        seen: set[tuple[int, int]] = set()
        inside = os.path.realpath(self.root)
        todo = [] if start and _leads_back(self.root / start, start, inside) else [start]
        with contextlib.suppress(OSError):
            stat = self.root.stat()
            seen.add((stat.st_dev, stat.st_ino))
        while todo and not problem:
            folder = todo.pop()
            try:
                entries = list(os.scandir(self.root / folder))
            except OSError:
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if not _decodable(path) or not self._includes_entry(path, entry.name):
                    continue
                try:
                    if entry.is_dir():
                        key = _identity(entry)
                        if key not in seen and not (entry.is_symlink() and _leads_back(entry.path, path, inside)):
                            seen.add(key)
                            todo.append(path)
                    elif entry.is_file():
                        (notes if is_note(path) else others).add(path)
                except OSError:
                    continue
            if len(notes) + len(others) > MOST_FILES:
                problem = f"{self.root} holds more than {MOST_FILES:,} files; the rest is not served."
        return Listing(frozenset(notes), frozenset(others), problem)

    def _includes_entry(self, path: str, name: str) -> bool:
        return name not in _SKIPPED and not name.startswith(".") and not excluded(path, self.exclude)


def is_note(path: str) -> bool:
    """Tell whether a path names a markdown file."""
    return path.lower().endswith(".md")


def excluded(path: str, globs: Sequence[str]) -> bool:
    """Tell whether a relative path matches one of the globs; `**/` spans folders, a bare name matches at any depth."""
    return any(_glob(glob).fullmatch(path) for glob in globs)


def read_note(path: Path) -> tuple[str, str]:
    """Return a file's text with its line ends as they are, and a sentence on what is wrong with it, or "".

    Bytes that are no UTF-8 become U+FFFD: a note in another encoding is still found by what can be read of it.
    Raises OSError where the file cannot be read.
    """
    with path.open("rb") as file:
        raw = file.read(LARGEST_NOTE + 1)
    if len(raw) > LARGEST_NOTE:
        return "", f"{path} is larger than {LARGEST_NOTE // 1024 // 1024} MB and is not read as a note."
    try:
        return raw.decode("utf-8"), ""
    except UnicodeDecodeError as error:
        return raw.decode("utf-8", "replace"), f"{path} is not UTF-8 at byte {error.start}; save it as UTF-8."


@functools.lru_cache(maxsize=256)
def _glob(glob: str) -> re.Pattern[str]:
    cleaned = glob.strip().removeprefix("./").rstrip("/")
    anywhere = cleaned if "/" in cleaned else f"**/{cleaned}"
    pieces = re.split(r"(\*\*/?|\*|\?|\[[^\]]*\])", anywhere.removeprefix("/"))
    pattern = "".join(
        "(?:.*/)?" if piece == "**/" else ".*" if piece == "**" else "[^/]*" if piece == "*" else "[^/]" if piece == "?"
        else fnmatch.translate(piece)[4:-3] if piece.startswith("[") else re.escape(piece)
        for piece in pieces
    )  # fmt: skip
    return re.compile(f"{pattern}(?:/.*)?", re.DOTALL)


def _leads_back(full: str | Path, path: str, root: str) -> bool:
    """Tell whether a path leads into the real root by a link, so that what lies there has another path already."""
    real = os.path.realpath(full)
    return real != str(Path(root, path)) and (real == root or real.startswith(root + os.sep))


def _identity(entry: os.DirEntry[str]) -> tuple[int, int]:
    stat = entry.stat()
    return stat.st_dev, stat.st_ino


def _decodable(path: str) -> bool:
    """Tell whether a name is text; one that is not UTF-8 on disk cannot be put into a URI or an id."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
