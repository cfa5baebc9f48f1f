"""What stands under the cursor in a note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memory_lsp.core.frontmatter import Field

if TYPE_CHECKING:
    from memory_lsp.core.links import Link, Tag
    from memory_lsp.core.markdown import Block, Heading
    from memory_lsp.core.note import Entry, Note
    from memory_lsp.core.text import Span


@dataclass(frozen=True, slots=True)
class Name:
    """The note itself, by its `name:` value or its first heading."""

    span: Span


Symbol: TypeAlias = "Link | Tag | Entry | Name | Heading | Block | Field"


def symbol_at(note: Note, offset: int) -> Symbol | None:
    """Return the narrowest thing at an offset, None in plain text.

    A note's first heading, and the value of its `name:`, stand for the note itself.
    """
    for link in note.links:
        if offset in link.span:
            return link
    for entry in note.entries:
        if offset in entry.span:
            return entry
    for tag in note.tags:
        if offset in tag.span:
            return tag
    if note.name_span is not None and offset in note.name_span:
        return Name(note.name_span)
    for block in note.blocks:
        if offset in block.span:
            return block
    for heading in note.headings:
        if offset in heading.span:
            return Name(heading.text_span) if heading is note.headings[0] and heading.level == 1 else heading
    return _key_at(note.frontmatter.fields if note.frontmatter else (), offset)


def _key_at(fields: tuple[Field, ...], offset: int) -> Field | None:
    for field in fields:
        if offset in field.key_span:
            return field
        found = _key_at(field.children, offset)
        if found is not None:
            return found
    return None


def span_of(symbol: Symbol) -> Span:
    """Return what an editor marks as the symbol."""
    return symbol.key_span if isinstance(symbol, Field) else symbol.span
