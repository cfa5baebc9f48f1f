"""`memory/status`: how the server is, sent when it changes, to clients that asked for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp import answers
from memory_lsp.discovery import Kind
from memory_lsp.lsp import protocol

if TYPE_CHECKING:
    from memory_lsp.answers import JsonObject
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory


class StatusReporter:
    """Sends the status when it differs from the last one; others see problems as log messages."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server
        self._sent: JsonObject | None = None
        self._logged: set[str] = set()

    def update(self) -> None:
        """Send the status where it changed."""
        if not self._server.started:
            return
        status = self.current()
        if status == self._sent:
            return
        self._sent = status
        if self._server.client.wants_status:
            self._server.protocol.notify(protocol.STATUS, status)
        message = str(status["message"])
        if status["health"] != "ok" and message not in self._logged:
            self._logged.add(message)
            level = types.MessageType.Error if status["health"] == "error" else types.MessageType.Warning
            self._server.window_log_message(types.LogMessageParams(level, message))

    def current(self) -> JsonObject:
        """Return the status as it is now."""
        server = self._server
        memories = server.session.memories
        problems = [problem for memory in memories for problem in _problems(memory)]
        state = server.embedder.state
        if server.plan.problem:
            problems.append(server.plan.problem)
        elif state.status == "failed":
            problems.append(state.message)
        if server.judge.problem:
            problems.append(server.judge.problem)
        busy = not server.session.is_placed or any(
            memory.indexer.busy or not memory.directory.loaded for memory in memories
        )
        message = " ".join(dict.fromkeys(problems)) or ("Indexing." if busy else "Ready.")
        return {
            "health": "warning" if problems else "ok",
            "quiescent": not busy,
            "message": message,
            "embedder": answers.embedder(state),
            "directories": [_directory(memory) for memory in memories],
        }


def _problems(memory: Memory) -> list[str]:
    directory = memory.directory
    found = [memory.indexer.problem, memory.index.problem]
    if directory.place.kind is Kind.SINGLE:
        found.append(directory.place.notice)
    elif directory.loaded and not directory.root.is_dir():
        found.append(f"{directory.root} is not there; its notes are served again once it is back.")
    unread = sorted(directory.problems.items())
    found += [problem for _, problem in unread[:3]]
    if len(unread) > 3:
        found.append(f"{len(unread) - 3} more files of {directory.root} could not be read as they are.")
    # A file's name may be a secret.
    return [directory.snapshot.guard.hide(problem) for problem in found if problem]


def _directory(memory: Memory) -> JsonObject:
    progress = memory.indexer.progress
    return {
        "path": str(memory.directory.root),
        "kind": memory.directory.place.kind,
        "loaded": memory.directory.loaded,
        "notes": len(memory.directory.snapshot.ids),
        "vectors": len(memory.index),
        "indexing": {"done": progress.done, "total": progress.total} if progress.total else None,
        "message": memory.directory.snapshot.guard.hide(
            memory.indexer.problem or memory.index.problem or memory.indexer.notice or memory.directory.place.notice
        ),
    }
