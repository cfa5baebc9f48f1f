"""Which memory directories a workspace folder has."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.core.note import INDEX_NAME, TYPES
from memory_lsp.files import is_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIDECAR_NAME = ".graph"
_BELOW = ("memory", ".claude/memory")


class Kind(StrEnum):
    """What a directory is to us."""

    MEMORY = "memory"  # a memory directory: the sidecar is kept in it
    VAULT = "vault"  # any other folder of notes: nothing is written until the user asks
    SINGLE = "single"  # a folder that is never walked: only the files that are open


@dataclass(frozen=True, slots=True)
class Place:
    """A directory to serve, and a sentence where something about it should be known."""

    root: Path
    kind: Kind
    notice: str = ""


def find_places(folder: Path, directories: Sequence[str] = ()) -> tuple[Place, ...]:
    """Return the memory directories of a workspace folder; `directories` is the setting that overrides the search."""
    if directories:
        return tuple(dict.fromkeys(_configured(folder, directories)))
    if is_unwalkable(folder):
        notice = f"{folder} is a home folder or a file-system root and is not searched; open the folder of your notes."
        return (Place(folder, Kind.SINGLE, notice),)
    if is_memory_directory(folder):
        return (Place(folder, Kind.MEMORY),)
    below = [folder / name for name in _BELOW if (folder / name).is_dir()]
    if below:
        return tuple(Place(path, Kind.MEMORY) for path in below)
    return (Place(folder, Kind.VAULT),)


def is_memory_directory(folder: Path) -> bool:
    """Tell whether a folder holds `MEMORY.md`, a sidecar, or a type folder with notes."""
    if (folder / INDEX_NAME).is_file() or (folder / SIDECAR_NAME).is_dir():
        return True
    return any(_holds_notes(folder / kind) for kind in TYPES)


def is_unwalkable(folder: Path) -> bool:
    """Tell whether a folder is one that nobody means as a whole: the home folder, or a file-system root."""
    folder = _real(folder)
    homes = {_real(_home())}
    return folder == folder.parent or folder in homes


def _configured(folder: Path, directories: Sequence[str]) -> Iterator[Place]:
    for name in directories:
        if name in ("claude", "freecode"):
            root = _claude(folder) if name == "claude" else _home() / ".freecode" / "projects" / folder.name / "memory"
        else:
            root = folder / expanded(name)
        if not root.is_dir():
            yield Place(root, Kind.MEMORY, f"The memory directory {root} does not exist yet.")
        elif is_unwalkable(root):
            yield Place(root, Kind.SINGLE, f"{root} is a home folder or a file-system root and is not searched.")
        else:
            yield Place(root, Kind.MEMORY)


def _claude(folder: Path) -> Path:
    """Return the folder that Claude keeps for a project: its path with separators as dashes."""
    tree = str(_main_work_tree(folder))
    projects = _home() / ".claude" / "projects"
    plain = projects / re.sub(r"[/\\:]", "-", tree) / "memory"
    # Newer versions write a dash for every character that is no letter and no digit.
    strict = projects / re.sub(r"[^A-Za-z0-9]", "-", tree) / "memory"
    return strict if strict.is_dir() and not plain.is_dir() else plain


def _main_work_tree(folder: Path) -> Path:
    """Return the main work tree of a git worktree, any other folder as it is."""
    marker = folder / ".git"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if marker.is_file():
            pointer = marker.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
            git = _real(folder / pointer)
            if git.parent.name == "worktrees":
                return git.parent.parent.parent
    return _real(folder)


def _holds_notes(folder: Path) -> bool:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return any(is_note(entry.name) for entry in entries)
    return False


def expanded(name: str) -> Path:
    """Return a path with a leading `~` as the home folder, whatever it names; never raises."""
    return Path(os.path.expanduser(name))  # noqa: PTH111  Path.expanduser raises for an unknown user, or no home


def _home() -> Path:
    return expanded("~")


def _real(path: Path) -> Path:
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        return path.resolve()
    return path
