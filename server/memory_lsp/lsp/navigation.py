"""Go to definition, and hover."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.cursor import span_of, symbol_at
from memory_lsp.core.links import Link
from memory_lsp.core.lint import title_of
from memory_lsp.core.note import Entry
from memory_lsp.core.targets import meaning_of
from memory_lsp.core.text import Span
from memory_lsp.lsp.convert import to_offset, to_range, to_uri
from memory_lsp.lsp.hover import describe, plain

if TYPE_CHECKING:
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.lsp.source_files import Seen


async def definition(
    ls: MemoryServer, params: types.DefinitionParams
) -> list[types.Location] | list[types.LocationLink] | None:
    """Answer where a link or an entry leads; of an ambiguous one every candidate, the best first."""
    seen = await ls.seen_at(params.text_document.uri, params.position)
    if seen is None:
        return None
    note = seen.note
    symbol = symbol_at(note, to_offset(note, params.position, ls.client.encoding))
    if not isinstance(symbol, Link | Entry):
        return None
    places = _targets(ls, seen, symbol)
    if not places:
        return None
    if not ls.client.takes_definition_links:
        return places
    origin = to_range(note, symbol.span, ls.client.encoding)
    return [types.LocationLink(place.uri, place.range, place.range, origin) for place in places]


async def hover(ls: MemoryServer, params: types.HoverParams) -> types.Hover | None:
    """Answer what stands under the cursor."""
    seen = await ls.seen_at(params.text_document.uri, params.position)
    if seen is None:
        return None
    note = seen.note
    symbol = symbol_at(note, to_offset(note, params.position, ls.client.encoding))
    text = describe(seen.snapshot, note, symbol, lambda path: ls.uri(seen.memory, path)) if symbol else ""
    if not text or symbol is None:
        return None
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    if not ls.client.reads_markdown:
        content = types.MarkupContent(types.MarkupKind.PlainText, plain(text))
    return types.Hover(content, to_range(note, span_of(symbol), ls.client.encoding))


def _targets(ls: MemoryServer, seen: Seen, symbol: Link | Entry) -> list[types.Location]:
    """Return the places that a link or an entry leads to: a heading, a block, a note's title, or a file."""
    memory, found = seen.memory, meaning_of(seen.snapshot, seen.note, symbol)
    if found.file:
        start = types.Position(0, 0)
        # Not `resolve`: below a linked folder the editor knows the file by the link's path.
        return [
            types.Location(
                to_uri(Path(os.path.normpath(memory.directory.root / found.file))), types.Range(start, start)
            )
        ]
    places = []
    for path in found.notes:
        target = seen.snapshot.notes[path]
        anchor = find_anchor(target, found.anchor, symbol.form) if isinstance(symbol, Link) and found.anchor else None
        if anchor is not None:
            places.append(ls.location(memory, path, anchor.span))
        else:
            places.append(ls.location(memory, path, title_of(target) if found.anchor is None else Span(0, 0)))
    return places


HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_DEFINITION: definition,
    types.TEXT_DOCUMENT_HOVER: hover,
}
