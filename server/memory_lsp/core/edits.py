"""What to change in which file: texts, names of files, files to create."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_lsp.core.text import Span


@dataclass(frozen=True, slots=True, order=True)
class TextEdit:
    """Put `new_text` in the place of a span of the note at `path`."""

    path: str
    span: Span
    new_text: str


@dataclass(frozen=True, slots=True, order=True)
class FileRename:
    """Move a file; both paths are relative to the directory, with slashes."""

    old: str
    new: str


@dataclass(frozen=True, slots=True, order=True)
class FileCreate:
    """Make a file that does not exist yet, with this text."""

    path: str
    text: str


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return `text` after edits of one note, whose spans must not overlap."""
    pieces, at = [], 0
    for edit in sorted(set(edits)):
        if edit.span.start < at:
            raise ValueError(f"two edits overlap at offset {edit.span.start} of {edit.path}")
        pieces += [text[at : edit.span.start], edit.new_text]
        at = edit.span.end
    return "".join([*pieces, text[at:]])


def by_path(edits: Iterable[TextEdit]) -> dict[str, list[TextEdit]]:
    """Return the edits of each note in the order of their places, equal ones once."""
    grouped: dict[str, list[TextEdit]] = {}
    for edit in sorted(set(edits)):
        grouped.setdefault(edit.path, []).append(edit)
    return grouped
