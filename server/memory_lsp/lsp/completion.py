"""Completion and the documentation of its items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.core.completion import Candidates, Closeness, MissingNames, Ranking, complete
from memory_lsp.core.completion_context import Wanted, context_at
from memory_lsp.lsp.convert import to_offset, to_range
from memory_lsp.lsp.hover import KEYS, preview

if TYPE_CHECKING:
    from memory_lsp.core.completion import Item, Proposals
    from memory_lsp.core.completion_context import Context
    from memory_lsp.core.note import Note
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory

_KINDS = {
    Wanted.NOTE: types.CompletionItemKind.Reference,
    Wanted.ENTRY: types.CompletionItemKind.Reference,
    Wanted.HEADING: types.CompletionItemKind.Text,
    Wanted.SLUG: types.CompletionItemKind.Text,
    Wanted.BLOCK: types.CompletionItemKind.Text,
    Wanted.PATH: types.CompletionItemKind.File,
    Wanted.KEY: types.CompletionItemKind.Property,
    Wanted.TYPE: types.CompletionItemKind.EnumMember,
    Wanted.TAG: types.CompletionItemKind.Keyword,
}
TRIGGERS = ["[", "#", "^", "(", "/", ":", ","]


class CompletionCache:
    """What completion needs of one directory, made again only when what it is made of changes."""

    def __init__(self) -> None:
        self._candidates: Candidates | None = None
        self._closeness = Closeness()
        self._missing = MissingNames()

    def complete(self, memory: Memory, note: Note, context: Context) -> Proposals:
        """Return the proposals for a context."""
        snapshot = memory.directory.snapshot
        if self._candidates is None or self._candidates.names is not snapshot.names:
            self._candidates = Candidates.of(snapshot)
        ranking = Ranking(self._closeness.of(snapshot, note.path), memory.directory.modified)
        return complete(snapshot, note, context, self._candidates, ranking, self._missing.of(snapshot))


async def completion(ls: MemoryServer, params: types.CompletionParams) -> types.CompletionList | None:
    """Answer what may be typed here."""
    seen = await ls.seen(params.text_document.uri)
    if not seen:
        return None
    memory, note = seen[0].memory, seen[0].note
    context = context_at(note, to_offset(note, params.position, ls.client.encoding))
    if context is None:
        return None
    cache = ls.completion_caches.setdefault(memory.directory.root, CompletionCache())
    proposals = cache.complete(memory, note, context)
    range_ = to_range(note, context.span, ls.client.encoding)
    shown = [item for item in proposals.items if not _is_secret(memory, item)]
    items = [_item(ls, memory, context, item, range_, number) for number, item in enumerate(shown)]
    return types.CompletionList(is_incomplete=not proposals.is_complete, items=items)


async def resolve(ls: MemoryServer, item: types.CompletionItem) -> types.CompletionItem:
    """Fill in what a note says, when the editor shows it."""
    data = item.data if isinstance(item.data, dict) else {}
    root, path = data.get("root"), data.get("path")
    memory = next((m for m in ls.session.memories if str(m.directory.root) == root), None)
    if memory is not None and isinstance(path, str) and path in memory.directory.snapshot.notes:
        text = preview(memory.directory.snapshot, memory.directory.snapshot.notes[path], lambda p: ls.uri(memory, p))
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, text)
    elif item.kind is types.CompletionItemKind.Property and item.label in KEYS:
        item.documentation = types.MarkupContent(types.MarkupKind.Markdown, KEYS[item.label])
    return item


def _is_secret(memory: Memory, item: Item) -> bool:
    """Tell whether a proposal would put another note's secret into this one."""
    hide = memory.directory.snapshot.guard.hide
    return hide(item.label) != item.label or hide(item.insert) != item.insert


def _item(
    ls: MemoryServer, memory: Memory, context: Context, item: Item, range_: types.Range, number: int
) -> types.CompletionItem:
    details = None
    snapshot = memory.directory.snapshot
    if item.path in snapshot.notes:
        shown = snapshot.public(item.path).description if item.description else ""
        item = replace(item, description=shown, detail=snapshot.guard.hide(item.detail))
    if ls.client.shows_label_details and (item.detail or item.description):
        details = types.CompletionItemLabelDetails(f" {item.detail}" if item.detail else None, item.description or None)
    plain = " · ".join(part for part in (item.detail, item.description) if part)
    return types.CompletionItem(
        label=item.label,
        label_details=details,
        detail=plain if plain and details is None else None,
        kind=_KINDS[item.kind],
        # The server's order is the ranking; editors sort by this text.
        sort_text=f"{number:04}",
        filter_text=f"{context.before}{item.filter or item.label}" if context.before else item.filter or None,
        text_edit=types.TextEdit(range_, f"{context.before}{item.insert}{context.after}"),
        data={"root": str(memory.directory.root), "path": item.path} if item.path else None,
    )


HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_COMPLETION: (
        completion,
        types.CompletionOptions(trigger_characters=TRIGGERS, resolve_provider=True),
    ),
    types.COMPLETION_ITEM_RESOLVE: resolve,
}
