"""Contradictions that were found between saved notes, as they stand in the notes of a snapshot now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.graph import EdgeKind
from memory_lsp.core.secret_guard import allowed_lines
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.contradict import Kind
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

CODE = "possible-contradiction"
_LINKED = (EdgeKind.SUPERSEDES, EdgeKind.CONTRADICTS)


@dataclass(frozen=True, slots=True)
class Rival:
    """Another note that a note seems to contradict, and the sentence of each as it was when they were compared.

    Sentences are found again by their text, so that edits around them leave a contradiction where it is, and an edit of
    one of them ends it at once.
    """

    path: str
    quote: str
    other_quote: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Standing:
    """A contradiction that holds in a snapshot, and where both sentences are."""

    rival: Rival
    span: Span
    other_span: Span


def standing(snapshot: Snapshot, note: Note) -> Iterator[Standing]:
    """Yield the contradictions of a note that hold now.

    None with a note that is linked to it by `supersedes` or `contradicts`, or where one of the two is superseded
    anyway, and none that a comment on either side allows.
    """
    for rival in snapshot.rivals.get(note.path, ()):
        other = snapshot.notes.get(rival.path)
        if other is None or _is_settled(snapshot, note.path, rival.path):
            continue
        span, other_span = _find(note, rival.quote), _find(other, rival.other_quote)
        if span and other_span and not _is_allowed(other, other_span) and not _is_allowed(note, span):
            yield Standing(rival, span, other_span)


def _is_settled(snapshot: Snapshot, path: str, other: str) -> bool:
    if snapshot.successors(path) or snapshot.successors(other):
        return True
    id_, other_id = snapshot.ids.get(path), snapshot.ids.get(other)
    if id_ is None or other_id is None:
        return True
    return any(edge.id == other_id and edge.kind in _LINKED for edge in snapshot.graph.neighbours(id_))


def _find(note: Note, quote: str) -> Span | None:
    at = note.text.find(quote)
    return Span(at, at + len(quote)) if at >= 0 else None


def _is_allowed(note: Note, span: Span) -> bool:
    """Tell whether a comment on a sentence's line allows it; for one in the frontmatter, anywhere in there."""
    lines = allowed_lines(note)
    if not lines:
        return False
    if note.frontmatter and note.frontmatter.span.covers(span):
        last = note.lines.line_of(note.frontmatter.span.end)
        return any(CODE in codes for line, codes in lines.items() if line < max(last, 1))
    return CODE in lines.get(note.lines.line_of(span.start), ())
