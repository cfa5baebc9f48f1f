"""Documents that the editor opens, edits, saves and closes, and files that change beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.directory import Buffer
from memory_lsp.lsp.convert import to_path

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer


def did_open(ls: MemoryServer, params: types.DidOpenTextDocumentParams) -> None:
    """Lay a document over the file on disk."""
    document = params.text_document
    _take(ls, Buffer(document.uri, document.version, document.text), "open")
    ls.sources.changed(document.uri, is_new=True)


def did_change(ls: MemoryServer, params: types.DidChangeTextDocumentParams) -> None:
    """Take the document's new text; the sync kind is Full, so the last change holds all of it."""
    if params.content_changes:
        document = params.text_document
        _take(ls, Buffer(document.uri, document.version, params.content_changes[-1].text), "edit")
        ls.sources.changed(document.uri)


def did_save(ls: MemoryServer, params: types.DidSaveTextDocumentParams) -> None:
    """Look at the file again: what was saved may be embedded now."""
    _refresh(ls, [params.text_document.uri], "save")


def did_close(ls: MemoryServer, params: types.DidCloseTextDocumentParams) -> None:
    """Give the document back to the disk."""
    path = to_path(params.text_document.uri)
    if path is not None:
        ls.session.close(path)
    ls.sources.closed(params.text_document.uri)


def did_change_watched_files(ls: MemoryServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Look at files that the editor saw changing."""
    _refresh(ls, [change.uri for change in params.changes], "watched files")


def _take(ls: MemoryServer, buffer: Buffer, cause: str) -> None:
    ls.begin()
    path = to_path(buffer.uri)
    if path is not None:
        ls.session.open(path, buffer, cause)


def _refresh(ls: MemoryServer, uris: list[str], cause: str) -> None:
    paths: list[Path] = [path for uri in uris if (path := to_path(uri)) is not None]
    ls.session.refresh(paths, cause)


HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_DID_OPEN: did_open,
    types.TEXT_DOCUMENT_DID_CHANGE: did_change,
    types.TEXT_DOCUMENT_DID_SAVE: (did_save, types.SaveOptions(include_text=False)),
    types.TEXT_DOCUMENT_DID_CLOSE: did_close,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: did_change_watched_files,
}
