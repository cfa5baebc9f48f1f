"""Symbols: the outline of a note, and finding notes and headings by name."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from memory_lsp.core.anchors import section_end
from memory_lsp.core.fuzzy import fuzzy_score
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.markdown import Heading
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

MOST_SYMBOLS = 256


class SymbolKind(StrEnum):
    """What a found symbol is."""

    NOTE = "note"
    ALIAS = "alias"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class FoundSymbol:
    """A note, by its name or an alias, or a heading; `container` says where it belongs."""

    name: str
    kind: SymbolKind
    path: str
    span: Span
    container: str


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what stands below it."""

    heading: Heading
    span: Span
    children: tuple[Section, ...] = field(default=())


def outline(note: Note) -> tuple[Section, ...]:
    """Return a note's headings as a tree."""
    roots: list[_Open] = []
    stack: list[_Open] = []
    for heading in note.headings:
        while stack and stack[-1].heading.level >= heading.level:
            stack.pop()
        entry = _Open(heading, [])
        (stack[-1].children if stack else roots).append(entry)
        stack.append(entry)
    return tuple(_close(note, entry) for entry in roots)


@dataclass(slots=True)
class _Open:
    heading: Heading
    children: list[_Open]


def _close(note: Note, entry: _Open) -> Section:
    end = section_end(note, entry.heading)
    while end > entry.heading.span.end and note.text[end - 1] in " \t\r\n":
        end -= 1
    span = Span(entry.heading.span.start, end)
    return Section(entry.heading, span, tuple(_close(note, child) for child in entry.children))


def find_symbols(snapshot: Snapshot, query: str, limit: int = MOST_SYMBOLS) -> list[FoundSymbol]:
    """Return the notes and headings that fit a query, the best first; a blank query gives the notes."""
    wanted = query.strip()
    scored = (
        (-score, found.kind != SymbolKind.NOTE, found.name, found.path, found.span, found)
        for found in _symbols(snapshot, headings=bool(wanted))
        if (score := _score(wanted, found)) is not None
    )
    return [entry[-1] for entry in heapq.nsmallest(limit, scored, key=lambda entry: entry[:-1])]


def _score(wanted: str, found: FoundSymbol) -> float | None:
    score = fuzzy_score(wanted, found.name)
    if found.kind is SymbolKind.NOTE:
        by_path = fuzzy_score(wanted, found.path.removesuffix(".md"))
        stem = fuzzy_score(wanted, found.path.rsplit("/", 1)[-1].removesuffix(".md"))
        return max((value for value in (score, stem, by_path) if value is not None), default=None)
    # A heading is a worse answer than a note that fits as well.
    return score - (10.0 if found.kind is SymbolKind.HEADING else 1.0) if score is not None else None


def _symbols(snapshot: Snapshot, *, headings: bool) -> Iterator[FoundSymbol]:
    for path, note in snapshot.notes.items():
        title = note.name_span or note.title_span or note.lines.line_span(0)
        yield FoundSymbol(note.name, SymbolKind.NOTE, path, title, note.type)
        for alias in note.aliases:
            yield FoundSymbol(alias.value, SymbolKind.ALIAS, path, alias.span, note.name)
        if headings:
            for heading in note.headings:
                if heading.text and heading.text != note.name:
                    yield FoundSymbol(heading.text, SymbolKind.HEADING, path, heading.text_span, note.name)
