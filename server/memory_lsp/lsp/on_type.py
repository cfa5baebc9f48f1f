"""Formatting while typing: `[[` gets its closing brackets, in editors that do not close brackets themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.core.blocks import in_code
from memory_lsp.lsp.convert import to_offset

if TYPE_CHECKING:
    from memory_lsp.core.note import Note
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer


async def on_type_formatting(
    ls: MemoryServer, params: types.DocumentOnTypeFormattingParams
) -> list[types.TextEdit] | None:
    """Answer the brackets that are missing after the cursor."""
    found = await ls.settled(params.text_document.uri)
    if found is None:
        return None
    _, note = found
    if not lacks_closing(note, to_offset(note, params.position, ls.client.encoding)):
        return None
    return [types.TextEdit(types.Range(params.position, params.position), "]]")]


def lacks_closing(note: Note, offset: int) -> bool:
    """Tell whether a `[[` ends at `offset` that nothing on its line closes."""
    text = note.text
    if not text.endswith("[[", 0, offset) or text.endswith("[[[", 0, offset) or in_code(text, note.body_start, offset):
        return False
    rest = text[offset : note.lines.line_span(note.lines.line_of(offset)).end]
    closing, opening = rest.find("]]"), rest.find("[[")
    return closing < 0 or 0 <= opening < closing


HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_ON_TYPE_FORMATTING: (
        on_type_formatting, types.DocumentOnTypeFormattingOptions(first_trigger_character="["),
    ),
}  # fmt: skip
