"""Publishing diagnostics: the edited note at once, every other one that may differ after a short quiet.

A note is published again only when what it shows changed, except when it is opened: an editor may have dropped what it
was sent before. Notes are checked in slices, so that a directory of ten thousand never holds up the event loop.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.core.lint import lint
from memory_lsp.discovery import Kind
from memory_lsp.lsp.convert import to_diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.directory import Delta
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory

QUIET = 0.3
_SLICE = 0.006
# While requests come in: less at a time, and a pause after it.
_SMALL_SLICE, _PAUSE = 0.001, 0.02

# What cannot be known of a lone file: the note may stand in a folder that is not served.
_NEEDS_DIRECTORY = frozenset(("dangling-link", "dangling-supersedes", "dangling-contradicts"))

_Shown = tuple[str, str]  # what a note was published with: its URI and the diagnostics as text


class Publisher:
    """Knows what each document shows, and what is to be checked next."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server
        self._shown: dict[Path, dict[str, _Shown]] = {}  # root → path → what the editor was sent
        self._waiting: dict[Path, tuple[Memory, set[str]]] = {}
        self._task: asyncio.Task[None] | None = None

    def follow(self, memory: Memory, delta: Delta, cause: str) -> None:
        """Publish what a change concerns."""
        if self._server.pull.active:
            return
        now = delta.changed if cause in ("open", "edit", "close", "save") else frozenset()
        for path in now:
            self._publish(memory, path, force=cause == "open" and memory.directory.is_open(path))
        self._later(memory, delta.affected - now, QUIET if cause != "load" else 0.0)

    def publish_all(self) -> None:
        """Check every note again, as after a change of settings."""
        for memory in self._server.session.memories:
            if memory.directory.loaded and not self._server.pull.active:
                self._later(memory, memory.directory.snapshot.notes, 0.0)

    def retire(self) -> None:
        """Clear everything that was published, for a client that asks from now on."""
        self._waiting.clear()
        for memory in self._server.session.memories:
            self.forget(memory)
        self._server.sources.retire()

    def forget(self, memory: Memory) -> None:
        """Clear what was published for a directory that is served no longer."""
        root = memory.directory.root
        self._waiting.pop(root, None)
        for uri, shown in self._shown.pop(root, {}).values():
            if shown:
                self.send(uri, [], None)

    def _later(self, memory: Memory, paths: Iterable[str], delay: float) -> None:
        waiting = self._waiting.setdefault(memory.directory.root, (memory, set()))[1]
        waiting.update(paths)
        if self._task is not None:
            self._task.cancel()
        self._task = self._server.spawn(self._run(delay))

    async def _run(self, delay: float) -> None:
        await asyncio.sleep(delay)
        while self._waiting:
            root = next(iter(self._waiting))
            memory, paths = self._waiting[root]
            wanted = self._server.courtesy.is_due
            until = time.perf_counter() + (_SMALL_SLICE if wanted else _SLICE)
            while paths and time.perf_counter() < until:
                self._publish(memory, paths.pop())
            if not paths:
                self._waiting.pop(root, None)
            await asyncio.sleep(_PAUSE if wanted else 0)

    def _publish(self, memory: Memory, path: str, *, force: bool = False) -> None:
        shown = self._shown.setdefault(memory.directory.root, {})
        uri, before = self._server.uri(memory, path), shown.get(path)
        diagnostics = self.diagnose(memory, path)
        text = repr(diagnostics) if diagnostics else ""
        if before is not None and before[0] != uri and before[1]:
            # The editor opened or closed the file under another spelling of its URI.
            self.send(before[0], [], None)
        if before == (uri, text) and not force:
            return
        if before is None and not diagnostics and not force and not memory.directory.is_open(path):
            return
        buffer = memory.directory.buffer(path)
        self.send(uri, diagnostics, buffer.version if buffer else None)
        if path in memory.directory.snapshot.notes:
            shown[path] = (uri, text)
        else:
            shown.pop(path, None)

    def diagnose(self, memory: Memory, path: str, snapshot: Snapshot | None = None) -> list[types.Diagnostic]:
        """Return a note's diagnostics as the client shows them; none for one that is gone."""
        snapshot = snapshot or memory.directory.snapshot
        note = snapshot.notes.get(path)
        if note is None:
            return []
        server = self._server
        found = (
            to_diagnostic(
                note, finding, server.settings, server.client, lambda other, span: server.location(memory, other, span)
            )
            for finding in lint(snapshot, path)
            if memory.directory.place.kind is not Kind.SINGLE or finding.code not in _NEEDS_DIRECTORY
        )
        return [diagnostic for diagnostic in found if diagnostic is not None]

    def send(self, uri: str, diagnostics: list[types.Diagnostic], version: int | None) -> None:
        """Publish a document's diagnostics."""
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=diagnostics, version=version)
        )
