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
    settled = await ls.settled(params.text_document.uri)
    if settled is None:
        return None
    memory, note = settled
    snapshot, encoding = memory.directory.snapshot, ls.client.encoding
    offset = to_offset(note, params.position, encoding)

    def find() -> list[types.Location]:
        return [
            types.Location(ls.uri(memory, each.path), to_range(snapshot.notes[each.path], each.span, encoding))
            for each in references_at(snapshot, note, offset)
            if params.context.include_declaration or not each.is_declaration
        ]

    return await asyncio.to_thread(find)


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
