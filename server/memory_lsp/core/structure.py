"""How a note's text nests: what folds, and what encloses a cursor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.blocks import block_spans
from memory_lsp.core.cursor import span_of, symbol_at
from memory_lsp.core.symbols import outline
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.note import Note
    from memory_lsp.core.symbols import Section

_WORD = re.compile(r"[\w'-]+")


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines that fold to the first of them, both zero-based and included."""

    start: int
    end: int
    is_comment: bool = False


def fold_lines(note: Note) -> tuple[Fold, ...]:
    """Return the folds of a note, in order."""
    folds: dict[tuple[int, int], Fold] = {}
    if note.frontmatter:
        _add(folds, note, note.frontmatter.span)
    for section in _sections(outline(note)):
        _add(folds, note, section.span)
    for block in block_spans(note.text, note.body_start):
        _add(folds, note, block.span, is_comment=block.is_comment)
    return tuple(sorted(folds.values(), key=lambda fold: (fold.start, -fold.end)))


def enclosing_spans(note: Note, offset: int) -> tuple[Span, ...]:
    """Return what encloses an offset, the smallest first: word, symbol, line, block, sections, the whole note."""
    line = note.lines.line_span(note.lines.line_of(offset))
    spans = [Span(0, len(note.text)), line]
    spans += [Span(m.start(), m.end()) for m in _WORD.finditer(note.text, line.start, line.end)]
    symbol = symbol_at(note, offset)
    if symbol is not None:
        spans.append(span_of(symbol))
    if note.frontmatter:
        spans += [note.frontmatter.span, note.frontmatter.inner]
    spans += [block.span for block in block_spans(note.text, note.body_start)]
    spans += [section.span for section in _sections(outline(note))]
    around = sorted({span for span in spans if offset in span and span.end > span.start}, key=lambda s: s.end - s.start)
    nested: list[Span] = []
    for span in around:
        # Editors want each range to hold the one before it.
        if not nested or (span.covers(nested[-1]) and span != nested[-1]):
            nested.append(span)
    return tuple(nested)


def _sections(sections: tuple[Section, ...]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from _sections(section.children)


def _add(folds: dict[tuple[int, int], Fold], note: Note, span: Span, *, is_comment: bool = False) -> None:
    end = span.end
    while end > span.start and note.text[end - 1] in " \t\r\n":
        end -= 1
    first, last = note.lines.line_of(span.start), note.lines.line_of(end)
    if last > first:
        folds.setdefault((first, last), Fold(first, last, is_comment))
