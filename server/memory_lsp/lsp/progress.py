"""Work-done progress while notes are embedded, with a button to cancel where the client shows one."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory

_EVERY = 0.25
_ANSWER_DEADLINE = 5.0


class ProgressReporter:
    """One progress bar for each directory that is being indexed."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server
        self._running: set[Path] = set()

    def update(self, memory: Memory) -> None:
        """Show progress where an indexing job runs."""
        root = memory.directory.root
        if not self._server.client.shows_progress or root in self._running or not memory.indexer.progress.total:
            return
        self._running.add(root)
        self._server.spawn(self._show(memory))

    async def _show(self, memory: Memory) -> None:
        progress, token = self._server.work_done_progress, f"memory-index-{uuid.uuid4()}"
        try:
            await asyncio.wait_for(progress.create_async(token), _ANSWER_DEADLINE)
            title = f"Indexing {memory.directory.root.name}"
            progress.begin(token, types.WorkDoneProgressBegin(title=title, percentage=0, cancellable=True))
            shown = None
            while memory.indexer.busy:
                now = memory.indexer.progress
                if now.total and now != shown:
                    shown = now
                    message, share = f"{now.done}/{now.total} notes", now.done * 100 // now.total
                    progress.report(token, types.WorkDoneProgressReport(message=message, percentage=share))
                if progress.tokens[token].cancelled():
                    memory.indexer.cancel()
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(memory.indexer.settled(), _EVERY)
            progress.end(token, types.WorkDoneProgressEnd(message=f"{len(memory.index)} notes indexed"))
        finally:
            # pygls keeps tokens for ever.
            progress.tokens.pop(token, None)
            self._running.discard(memory.directory.root)
