"""Files and folders that the editor is about to rename, and those that it renamed, created or deleted."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.core.moves import move_edits
from memory_lsp.lsp.convert import to_path
from memory_lsp.lsp.edits import merged, require_unchanged, workspace_edit

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory

_EVERYTHING = types.FileOperationRegistrationOptions(
    [types.FileOperationFilter(types.FileOperationPattern("**/*"), scheme="file")]
)


async def will_rename_files(ls: MemoryServer, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    """Answer the edits that keep every link, to be made before the files move."""
    await ls.session.placed()
    answers = []
    for memory, moves in _moves(ls, params):
        await ls.session.ready(memory)
        if ls.pending_rename is not None and ls.pending_rename.explains(memory, moves):
            ls.pending_rename = None
            continue
        snapshot = ls.sources.view(memory)
        edits = await asyncio.to_thread(move_edits, snapshot, moves, inline_tags=memory.directory.inline_tags)
        require_unchanged(ls, memory, snapshot, edits)
        if edits:
            answers.append(workspace_edit(ls, memory, edits, label="Update links", snapshot=snapshot))
    return merged(answers)


def did_rename_files(ls: MemoryServer, params: types.RenameFilesParams) -> None:
    """Look at the old and the new places."""
    _refresh(ls, [uri for file in params.files for uri in (file.old_uri, file.new_uri)])


def did_create_files(ls: MemoryServer, params: types.CreateFilesParams) -> None:
    """Look at files that the editor created."""
    _refresh(ls, [file.uri for file in params.files])


def did_delete_files(ls: MemoryServer, params: types.DeleteFilesParams) -> None:
    """Look at the places of files that the editor deleted."""
    _refresh(ls, [file.uri for file in params.files])


def _moves(ls: MemoryServer, params: types.RenameFilesParams) -> list[tuple[Memory, dict[str, str]]]:
    """Return what moves within each memory; what leaves one is no target there any more, and nothing can be kept."""
    found: list[tuple[Memory, dict[str, str]]] = []
    for file in params.files:
        old, new = to_path(file.old_uri), to_path(file.new_uri)
        here = ls.session.locate(old) if old is not None else None
        there = ls.session.locate(new) if new is not None else None
        if here is None or there is None or here[0] is not there[0]:
            continue
        moves = next((moves for memory, moves in found if memory is here[0]), None)
        if moves is None:
            moves = {}
            found.append((here[0], moves))
        moves[here[1]] = there[1]
    return found


def _refresh(ls: MemoryServer, uris: Iterable[str]) -> None:
    paths: list[Path] = [path for uri in uris if (path := to_path(uri)) is not None]
    for path in tuple(paths):
        # A folder that is gone takes its pictures and other files along.
        found = ls.session.locate(path)
        if found is not None and not path.exists():
            memory, inside = found
            files = memory.directory.snapshot.names.files
            paths += [memory.directory.root / file for file in files if file.startswith(f"{inside}/")]
    ls.session.refresh(paths, "file operation")


HANDLERS: Handlers = {
    types.WORKSPACE_WILL_RENAME_FILES: (will_rename_files, _EVERYTHING),
    types.WORKSPACE_DID_RENAME_FILES: (did_rename_files, _EVERYTHING),
    types.WORKSPACE_DID_CREATE_FILES: (did_create_files, _EVERYTHING),
    types.WORKSPACE_DID_DELETE_FILES: (did_delete_files, _EVERYTHING),
}
