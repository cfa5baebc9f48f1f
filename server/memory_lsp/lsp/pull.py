"""Diagnostics for clients that ask for them: a document's, or the whole workspace's, with result ids.

A client that asks once is not sent any more (`Publisher` stops), since it would show both. The provider is advertised
only to clients that can also be told to ask again: without that, a note's diagnostics would go stale when another note
changes.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.directory import Delta
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory

_QUIET = 0.3
_SLICE = 0.006

_Result = tuple[str, list[types.Diagnostic]]


class PullDiagnostics:
    """What was answered for each note, kept until a change may alter it."""

    def __init__(self, server: MemoryServer) -> None:
        self.active = False
        self._server = server
        self._results: dict[tuple[Path, str], _Result] = {}
        self._refresh: asyncio.Task[None] | None = None

    def activate(self) -> None:
        """Take over from publishing, at the client's first question."""
        if not self.active:
            self.active = True
            self._server.publisher.retire()

    def follow(self, memory: Memory, delta: Delta) -> None:
        """Forget what a change may have altered; the client asks again where that is more than what it edits."""
        root = memory.directory.root
        known = [path for path in delta.affected if self._results.pop((root, path), None) is not None]
        others = [path for path in known if path not in delta.changed or not memory.directory.is_open(path)]
        if self.active and (others or delta.affected - delta.changed):
            self.ask_again()

    def forget_all(self) -> None:
        """Forget everything, as after a change of settings."""
        self._results.clear()
        if self.active:
            self.ask_again()

    def ask_again(self) -> None:
        """Tell the client to ask again, once after a short quiet."""
        if self._refresh is not None:
            self._refresh.cancel()
        self._refresh = self._server.spawn(self._tell())

    def result(self, memory: Memory, path: str) -> _Result:
        """Return a note's diagnostics and the id of just these."""
        key = (memory.directory.root, path)
        known = self._results.get(key)
        if known is None:
            known = self._results[key] = _identified(self._server.publisher.diagnose(memory, path))
        return known

    def source_result(self, uri: str) -> _Result:
        """Return a source file's diagnostics and the id of just these; it has few, so none are kept."""
        return _identified(self._server.sources.diagnose(uri))

    async def _tell(self) -> None:
        await asyncio.sleep(_QUIET)
        await asyncio.wait_for(self._server.workspace_diagnostic_refresh_async(None), 5.0)


def _identified(diagnostics: list[types.Diagnostic]) -> _Result:
    return hashlib.sha256(repr(diagnostics).encode("utf-8", "replace")).hexdigest()[:16], diagnostics


async def document_diagnostic(
    ls: MemoryServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    """Answer one note's diagnostics."""
    uri = params.text_document.uri
    found = await ls.settled(uri)
    ls.pull.activate()
    if found is None and not await ls.sources.seen(uri):
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    result_id, diagnostics = ls.pull.result(found[0], found[1].path) if found else ls.pull.source_result(uri)
    if result_id == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    return types.RelatedFullDocumentDiagnosticReport(items=diagnostics, result_id=result_id)


async def workspace_diagnostic(
    ls: MemoryServer, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    """Answer every note's diagnostics; those whose result id the client still has are only named."""
    ls.pull.activate()
    await ls.session.placed()
    before = {previous.uri: previous.value for previous in params.previous_result_ids}
    items: list[types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport] = []
    pause = time.perf_counter() + _SLICE
    for memory in ls.session.memories:
        await ls.session.ready(memory)
        for path in list(memory.directory.snapshot.notes):
            if time.perf_counter() > pause:
                await asyncio.sleep(0)
                pause = time.perf_counter() + _SLICE
            if path in memory.directory.snapshot.notes:
                uri, buffer = ls.uri(memory, path), memory.directory.buffer(path)
                result = ls.pull.result(memory, path)
                items.append(_report(uri, buffer.version if buffer else None, result, before))
    sources = ls.sources.buffers()
    items += [_report(each.uri, each.version, ls.pull.source_result(each.uri), before) for each in sources]
    gone = before.keys() - {item.uri for item in items}
    items += [types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=[], version=None) for uri in sorted(gone)]
    return types.WorkspaceDiagnosticReport(items)


def _report(
    uri: str, version: int | None, result: _Result, before: dict[str, str]
) -> types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport:
    result_id, diagnostics = result
    if before.get(uri) == result_id:
        return types.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, result_id=result_id, version=version)
    return types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=diagnostics, version=version, result_id=result_id)


OPTIONS = types.DiagnosticOptions(identifier="memory", inter_file_dependencies=True, workspace_diagnostics=True)

HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_DIAGNOSTIC: (document_diagnostic, OPTIONS),
    types.WORKSPACE_DIAGNOSTIC: workspace_diagnostic,
}
