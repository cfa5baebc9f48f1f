"""Document symbols, workspace symbols, folding and selection ranges: what a note is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.core.structure import enclosing_spans, fold_lines
from memory_lsp.core.symbols import MOST_SYMBOLS, SymbolKind, find_symbols, outline
from memory_lsp.lsp.convert import to_offset, to_range

if TYPE_CHECKING:
    from memory_lsp.core.note import Note
    from memory_lsp.core.symbols import Section
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer

_KINDS = {
    SymbolKind.NOTE: types.SymbolKind.File,
    SymbolKind.ALIAS: types.SymbolKind.File,
    SymbolKind.HEADING: types.SymbolKind.String,
}


async def document_symbol(
    ls: MemoryServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
    """Answer the headings, as a tree where the client shows one."""
    found = await ls.settled(params.text_document.uri)
    if found is None:
        return None
    memory, note = found
    sections = outline(note)
    if ls.client.shows_symbol_tree:
        return [_tree(ls, note, section) for section in sections]
    flat: list[types.SymbolInformation] = []
    todo = list(reversed(sections))
    while todo:
        section = todo.pop()
        place = ls.location(memory, note.path, section.span)
        flat.append(types.SymbolInformation(location=place, name=_name(section), kind=types.SymbolKind.String))
        todo += reversed(section.children)
    return flat


async def workspace_symbol(
    ls: MemoryServer, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation] | None:
    """Answer notes by name, file name and alias, and headings, of every directory that is served."""
    await ls.session.placed()
    symbols: list[types.SymbolInformation] = []
    for memory in ls.session.memories:
        await ls.session.ready(memory)
        for found in find_symbols(memory.directory.snapshot, params.query):
            place = ls.location(memory, found.path, found.span)
            hide = memory.directory.snapshot.guard.hide
            symbols.append(
                types.SymbolInformation(
                    place, hide(found.name), _KINDS[found.kind], container_name=hide(found.container)
                )
            )
    return symbols[:MOST_SYMBOLS]


async def folding_range(ls: MemoryServer, params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
    """Answer what can be folded: frontmatter, sections, code blocks, comments, lists and quotes of several lines."""
    found = await ls.settled(params.text_document.uri)
    if found is None:
        return None
    _, note = found
    return [
        types.FoldingRange(fold.start, fold.end, kind=types.FoldingRangeKind.Comment if fold.is_comment else None)
        for fold in fold_lines(note)
    ]


async def selection_range(ls: MemoryServer, params: types.SelectionRangeParams) -> list[types.SelectionRange] | None:
    """Answer, for each cursor, what a growing selection takes: the symbol, the line, the paragraph, the sections."""
    found = await ls.settled(params.text_document.uri)
    if found is None:
        return None
    _, note = found
    answer = []
    for position in params.positions:
        spans = enclosing_spans(note, to_offset(note, position, ls.client.encoding))
        grown: types.SelectionRange | None = None
        for span in reversed(spans):
            grown = types.SelectionRange(to_range(note, span, ls.client.encoding), grown)
        answer.append(grown or types.SelectionRange(types.Range(position, position)))
    return answer


def _tree(ls: MemoryServer, note: Note, section: Section) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=_name(section), kind=types.SymbolKind.String, range=to_range(note, section.span, ls.client.encoding),
        selection_range=to_range(note, section.heading.span, ls.client.encoding),
        children=[_tree(ls, note, child) for child in section.children],
    )  # fmt: skip


def _name(section: Section) -> str:
    # Editors refuse a symbol without a name.
    return section.heading.text or "#" * section.heading.level


HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: document_symbol,
    types.WORKSPACE_SYMBOL: workspace_symbol,
    types.TEXT_DOCUMENT_FOLDING_RANGE: folding_range,
    types.TEXT_DOCUMENT_SELECTION_RANGE: selection_range,
}
