"""Rename, and whether there is something to rename."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.core.rename import renamable_at
from memory_lsp.core.rename import rename as plan_rename
from memory_lsp.errors import RenameError
from memory_lsp.lsp.convert import to_offset, to_range
from memory_lsp.lsp.edits import require_unchanged, workspace_edit
from memory_lsp.lsp.pending import PendingRename

if TYPE_CHECKING:
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer


async def prepare_rename(ls: MemoryServer, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    """Answer which text a rename replaces and what to start from; null where there is nothing to rename."""
    seen = await ls.seen_at(params.text_document.uri, params.position)
    if seen is None:
        return None
    note = seen.note
    offset = to_offset(note, params.position, ls.client.encoding)
    found = renamable_at(seen.snapshot, note, offset)
    if found is None:
        return None
    return types.PrepareRenamePlaceholder(to_range(note, found.span, ls.client.encoding), found.base)


async def rename(ls: MemoryServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """Answer the edits that rename what stands under the cursor, in every note and every open source file."""
    seen = await ls.seen_at(params.text_document.uri, params.position)
    if seen is None:
        return None
    memory, snapshot, note = seen.memory, seen.snapshot, seen.note
    found = renamable_at(snapshot, note, to_offset(note, params.position, ls.client.encoding))
    if found is None:
        raise RenameError("There is nothing to rename here: no link, heading, tag, block id or name.")
    plan = await asyncio.to_thread(
        plan_rename, snapshot, found, params.new_name,
        renames_files=ls.client.renames_files, inline_tags=memory.directory.inline_tags,
    )  # fmt: skip
    require_unchanged(ls, memory, snapshot, plan.edits)
    ls.pending_rename = PendingRename.of(memory, snapshot, plan)
    label = f"Rename “{found.base}” to “{params.new_name.strip()}”" if ls.client.honors_rename_annotations else ""
    return workspace_edit(ls, memory, plan.edits, renames=plan.renames, label=label, snapshot=snapshot)


HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_PREPARE_RENAME: prepare_rename,
    types.TEXT_DOCUMENT_RENAME: rename,
}
