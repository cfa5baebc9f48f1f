"""The values that code actions deal in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_lsp.core.edits import FileCreate, TextEdit
    from memory_lsp.core.links import Link
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Resolution
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.text import Span


class Kind(StrEnum):
    """The kinds of actions; the values are LSP's."""

    QUICKFIX = "quickfix"
    EXTRACT = "refactor.extract"
    REWRITE = "refactor.rewrite"
    FIX_ALL = "source.fixAll.memory"


@dataclass(frozen=True, slots=True)
class Action:
    """A change that can be made at a place, and what it is called.

    `finding` is what it fixes. `is_safe` says that no meaning changes and no word is invented, so that it may be made
    with others and without a look at it.
    """

    title: str
    kind: Kind
    edits: tuple[TextEdit, ...]
    creates: tuple[FileCreate, ...] = ()
    is_preferred: bool = False
    is_safe: bool = False
    finding: Finding | None = None

    @property
    def code(self) -> str:
        """Return the code of what it fixes, "" for an action that fixes nothing."""
        return self.finding.code if self.finding else ""


@dataclass(frozen=True, slots=True)
class Place:
    """The note and the span that actions are asked for; an empty span is a cursor."""

    snapshot: Snapshot
    note: Note
    span: Span

    def link_at(self, finding: Finding) -> tuple[Link, Resolution] | None:
        """Return the link that a finding reports, and what it means."""
        meaning = self.snapshot.meanings[self.note.path]
        for link, found in zip(self.note.links, meaning.links, strict=True):
            if finding.span in (link.report_span, link.target_span):
                return link, found
        return None

    @property
    def is_at_top(self) -> bool:
        """Tell whether the span is in the frontmatter, the first line or the title: what stands for the note."""
        title = self.note.title_span
        return (
            self.span.start < self.note.body_start
            or self.note.lines.line_of(self.span.start) == 0
            or (title is not None and self.span.start in title)
        )


def touches(first: Span, second: Span) -> bool:
    """Tell whether two spans overlap or meet."""
    return first.start <= second.end and second.start <= first.end
