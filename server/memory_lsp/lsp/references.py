"""Find references, and document highlight."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.core.references import highlights_at, references_at
from memory_lsp.lsp.convert import to_offset, to_range

if TYPE_CHECKING:
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer


async def references(ls: MemoryServer, params: types.ReferenceParams) -> list[types.Location] | None:
    """Answer every place that points at what stands under the cursor; outside any symbol, at the note."""
    seen = await ls.seen_at(params.text_document.uri, params.position)
    if seen is None:
        return None
    offset = to_offset(seen.note, params.position, ls.client.encoding)
    found = await asyncio.to_thread(references_at, seen.snapshot, seen.note, offset)
    return [
        types.Location(
            ls.uri(seen.memory, each.path), to_range(seen.snapshot.notes[each.path], each.span, ls.client.encoding)
        )
        for each in found
        if params.context.include_declaration or not each.is_declaration
    ]


async def document_highlight(
    ls: MemoryServer, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight] | None:
    """Answer where else in the document the symbol under the cursor stands."""
    settled = await ls.settled(params.text_document.uri)
    if settled is None:
        return None
    memory, note = settled
    offset = to_offset(note, params.position, ls.client.encoding)
    found = highlights_at(memory.directory.snapshot, note, offset)
    read, write = types.DocumentHighlightKind.Read, types.DocumentHighlightKind.Write
    return [
        types.DocumentHighlight(to_range(note, each.span, ls.client.encoding), write if each.is_declaration else read)
        for each in found
    ] or None


HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_REFERENCES: references,
    types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: document_highlight,
}
