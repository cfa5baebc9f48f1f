"""Which stretches of a note an editor may colour: links by what they lead to, tags."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memory_lsp.core.resolve import Level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Resolution
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.text import Span


class TokenKind(StrEnum):
    """What a coloured stretch is."""

    LINK = "link"
    TAG = "tag"


class TokenState(StrEnum):
    """What is to be known about a link."""

    RESOLVED = "resolved"
    DANGLING = "dangling"
    SUPERSEDED = "superseded"
    NONE = ""


@dataclass(frozen=True, slots=True)
class Token:
    """A coloured stretch; it never spans lines and never overlaps another."""

    span: Span
    kind: TokenKind
    state: TokenState


def tokens(snapshot: Snapshot, path: str) -> tuple[Token, ...]:
    """Return the tokens of a note in order."""
    note = snapshot.notes[path]
    found = sorted(_tokens(snapshot, note), key=lambda token: token.span)
    kept: list[Token] = []
    for token in found:
        one_line = note.lines.line_of(token.span.start) == note.lines.line_of(token.span.end)
        if one_line and token.span.end > token.span.start and (not kept or kept[-1].span.end <= token.span.start):
            kept.append(token)
    return tuple(kept)


def _tokens(snapshot: Snapshot, note: Note) -> Iterator[Token]:
    meaning = snapshot.meanings[note.path]
    for link, found in zip(note.links, meaning.links, strict=True):
        yield Token(link.report_span, TokenKind.LINK, _state(snapshot, note, found))
    for entry, found in zip(note.entries, meaning.entries, strict=True):
        state = TokenState.DANGLING if not found.notes else TokenState.RESOLVED
        yield Token(entry.span, TokenKind.LINK, state)
    for tag in note.tags:
        yield Token(tag.span, TokenKind.TAG, TokenState.NONE)


def _state(snapshot: Snapshot, note: Note, found: Resolution) -> TokenState:
    if found.is_dangling:
        return TokenState.DANGLING
    target = found.note
    if target is not None and found.level is not Level.SELF:
        newer = snapshot.successors(target)
        if newer and note.path not in newer:
            return TokenState.SUPERSEDED
    return TokenState.RESOLVED
