"""Small vaults written as one string: `/path` lines start files, `$0` marks places.

    vault = parse_vault('''
    /a.md
    See [[b$0]].
    /b.md
    # B
    ''')
    vault.cursor == ("a.md", 7)

Two marks enclose a span. Common indentation and the first line end are dropped.
"""

from __future__ import annotations

import gc
import re
import textwrap
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_lsp.core.note import Note, parse
from memory_lsp.core.resolve import Names
from memory_lsp.core.snapshot import Changes, Snapshot
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MARK = "$0"
LINEAR = 7.0  # the most that `growth` may be
_FILE = re.compile(r"(?m)^/(\S[^\n]*\.\w+)\n")


@dataclass(frozen=True)
class Vault:
    """The files of a vault without marks, and where the marks were: (path, offset), in order."""

    texts: dict[str, str]
    marks: tuple[tuple[str, int], ...] = field(default=())

    @property
    def cursor(self) -> tuple[str, int]:
        """Return the one mark."""
        (mark,) = self.marks
        return mark

    @property
    def spans(self) -> tuple[tuple[str, Span], ...]:
        """Return what each pair of marks encloses."""
        pairs = zip(self.marks[::2], self.marks[1::2], strict=True)
        return tuple((path, Span(start, end)) for (path, start), (_, end) in pairs)

    def notes(self, *, inline_tags: bool = False) -> dict[str, Note]:
        """Parse every markdown file."""
        return {p: parse(p, t, inline_tags=inline_tags) for p, t in self.texts.items() if p.endswith(".md")}

    def snapshot(self, *, inline_tags: bool = False) -> Snapshot:
        """Return the snapshot of all files; nothing beside them exists."""
        others = frozenset(path for path in self.texts if not path.endswith(".md"))
        start = Snapshot(names=Names(exists=self.exists))
        changes = Changes(dict(self.notes(inline_tags=inline_tags)), added_files=others)
        return start.updated(changes)[0]

    def exists(self, path: str) -> bool:
        """Tell whether a file or folder of the vault has this path."""
        return path == "." or any(known == path or known.startswith(f"{path}/") for known in self.texts)

    def write(self, folder: Path) -> None:
        """Write all files below a folder."""
        for path, text in self.texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode())


def unmark(text: str) -> tuple[str, list[int]]:
    """Return a text without its marks, and where they were."""
    pieces = text.split(MARK)
    offsets, at = [], 0
    for piece in pieces[:-1]:
        at += len(piece)
        offsets.append(at)
    return "".join(pieces), offsets


def parse_vault(source: str) -> Vault:
    """Read a vault from a string; see the module's docstring."""
    source = textwrap.dedent(source.removeprefix("\n"))
    parts = _FILE.split(source)
    texts: dict[str, str] = {}
    marks: list[tuple[str, int]] = []
    for path, marked in zip(parts[1::2], parts[2::2], strict=True):
        texts[path], offsets = unmark(marked)
        marks += [(path, offset) for offset in offsets]
    return Vault(texts, tuple(marks))


def note_of(text: str, path: str = "n.md", *, inline_tags: bool = False) -> Note:
    """Parse one note."""
    return parse(path, text, inline_tags=inline_tags)


def vault_of(**texts: str) -> Snapshot:
    """Return the snapshot of notes given as keywords: `a="[[b]]"` is `a.md`."""
    return Vault({f"{name}.md": text for name, text in texts.items()}).snapshot()


def growth(work: Callable[[int], object], size: int) -> float:
    """Return how many times longer `work` takes on four times `size`: about 4 where it is linear, 16 where quadratic.

    Processor time is measured, without garbage collection, and the least of some runs counts: a shared machine
    stutters. Times too short to compare count as linear.
    """

    gc.disable()
    try:
        ratios = []
        for _ in range(3):
            large = seconds(lambda: work(size * 4))
            ratios.append(1.0 if large < 0.004 else large / max(seconds(lambda: work(size)), 1e-4))
            if ratios[-1] < LINEAR:
                break
        return min(ratios)
    finally:
        gc.enable()


def seconds(work: Callable[[], object]) -> float:
    """Return the least processor time that some runs of `work` took."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
