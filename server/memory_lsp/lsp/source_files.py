"""The source files that the editor holds open and in whose comments links count (`memory.links.languages`).

Their texts are pygls's, which keeps every open document; what is read from them is kept while text and notes stay. A
file is shared out among the directories it may name notes of: each gets the links that lead to its notes, the first
also those that lead nowhere.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_lsp.core.actions_model import touches
from memory_lsp.core.sources import parse_source, with_sources
from memory_lsp.directory import Buffer
from memory_lsp.files import is_note
from memory_lsp.lsp import diagnostics
from memory_lsp.lsp.convert import to_path

if TYPE_CHECKING:
    from pathlib import Path

    from lsprotocol import types

    from memory_lsp.core.links import Link
    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Names
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.text import Span
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory


@dataclass(frozen=True, slots=True)
class Seen:
    """A document as one directory sees it: its note, and the snapshot in which the note's links have a meaning.

    In the snapshot the open source files link to notes as well.
    """

    memory: Memory
    snapshot: Snapshot
    note: Note

    def has_something(self, span: Span) -> bool:
        """Tell whether a span is anything to us: of a source file only the links are."""
        return self.note.source is None or any(touches(link.span, span) for link in self.note.links)


@dataclass(slots=True)
class _File:
    """An open source file: as read at its own path, and as the directories see it that it was shared out among."""

    buffer: Buffer
    path: Path
    note: Note
    shares: tuple[tuple[Memory, Note], ...] = ()
    made_of: tuple[Names, ...] | None = None


class SourceFiles:
    """Answers what the open source files are, and shows their diagnostics."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server
        self._files: dict[str, _File] = {}
        self._views: dict[Path, tuple[Snapshot, tuple[Note, ...], Snapshot]] = {}
        self._shown: dict[str, str] = {}  # URI → the diagnostics that the editor was given, as text
        self._task: asyncio.Task[None] | None = None

    async def seen(self, uri: str) -> tuple[Seen, ...]:
        """Return a source file as each of its directories sees it, once loaded; nothing for any other document."""
        file = self._open().get(uri)
        if file is None:
            return ()
        session = self._server.session
        await session.placed()
        for memory in session.beside(file.path):
            await session.ready(memory)
        file = self._open().get(uri)
        shares = self._shares(file) if file is not None else None
        return tuple(Seen(memory, self.view(memory), note) for memory, note in shares or ())

    def view(self, memory: Memory) -> Snapshot:
        """Return the current snapshot of a directory with the open source files that link to its notes."""
        snapshot, root = memory.directory.snapshot, memory.directory.root
        shares = [share for file in self._open().values() for share in self._shares(file) or ()]
        notes = tuple(note for owner, note in shares if owner is memory and note.links)
        if not notes:
            self._views.pop(root, None)
            return snapshot
        known = self._views.get(root)
        if known is None or known[0] is not snapshot or not _are_same(known[1], notes):
            known = self._views[root] = snapshot, notes, with_sources(snapshot, notes)
        return known[2]

    def buffer(self, memory: Memory, path: str) -> Buffer | None:
        """Return the editor's document of a source file, by its path in a directory."""
        for file in self._open().values():
            if any(owner is memory and note.path == path for owner, note in self._shares(file) or ()):
                return file.buffer
        return None

    def diagnose(self, uri: str) -> list[types.Diagnostic]:
        """Return the diagnostics of a document; none where it is no source file, or its directories are not loaded."""
        file = self._open().get(uri)
        shares = self._shares(file) if file is not None else None
        found = [
            diagnostic
            for memory, note in shares or ()
            if note.links
            for diagnostic in self._server.publisher.diagnose(memory, note.path, self.view(memory))
        ]
        self._shown[uri] = repr(found) if found else ""
        return found

    def buffers(self) -> list[Buffer]:
        """Return the editor's documents of all open source files."""
        return [file.buffer for file in self._open().values()]

    def changed(self, uri: str, *, is_new: bool = False) -> None:
        """Show the diagnostics of a document that was opened or edited."""
        if uri in self._open():
            self._publish(uri, force=is_new)

    def closed(self, uri: str) -> None:
        """Clear the diagnostics of a document that is open no longer."""
        self._publish(uri)

    def follow(self) -> None:
        """Check every source file again, after a short quiet: notes have changed."""
        self._later(diagnostics.QUIET)

    def refresh(self) -> None:
        """Check every source file again, as after a change of settings or folders."""
        self._later(0.0)

    def forget(self, memory: Memory) -> None:
        """Let go of a directory that is served no longer."""
        self._views.pop(memory.directory.root, None)
        self.refresh()

    def retire(self) -> None:
        """Clear what was published, for a client that asks from now on."""
        for uri, shown in self._shown.items():
            if shown:
                self._server.publisher.send(uri, [], None)
        self._shown.clear()

    def _later(self, delay: float) -> None:
        if self._shown or self._open():
            if self._task is not None:
                self._task.cancel()
            self._task = self._server.spawn(self._run(delay))

    async def _run(self, delay: float) -> None:
        await asyncio.sleep(delay)
        for uri in {*self._open(), *self._shown}:
            self._publish(uri)
            await asyncio.sleep(0)

    def _publish(self, uri: str, *, force: bool = False) -> None:
        file, before = self._open().get(uri), self._shown.get(uri)
        if file is not None and self._shares(file) is None:
            return
        found = self.diagnose(uri)
        now = self._shown[uri]
        if file is None:
            del self._shown[uri]
        if self._server.pull.active:
            # The client asks by itself for what it edits, so only what others did is news.
            if now != before and not force and file is not None:
                self._server.pull.ask_again()
        elif force or now != (before or ""):
            self._server.publisher.send(uri, found, file.buffer.version if file else None)

    def _open(self) -> dict[str, _File]:
        """Return the open source files, those whose text changed read again."""
        links = self._server.settings.links
        if not links.languages:
            self._files = {}
            return self._files
        files: dict[str, _File] = {}
        for uri, document in self._server.workspace.text_documents.items():
            language, known = document.language_id or "", self._files.get(uri)
            path = to_path(uri)
            if path is None or is_note(path.name) or not links.include(language):
                continue
            if known is None or known.buffer.text is not document.source or known.buffer.version != document.version:
                buffer = Buffer(uri, document.version or 0, document.source)
                known = _File(buffer, path, parse_source(path.name, document.source, language))
            files[uri] = known
        self._files = files
        return files

    def _shares(self, file: _File) -> tuple[tuple[Memory, Note], ...] | None:
        """Return a file as its directories see it; None while any of them is being loaded."""
        session = self._server.session
        if not session.is_placed:
            return None
        memories = session.beside(file.path)
        if any(session.is_loading(memory) for memory in memories):
            return None
        memories = tuple(memory for memory in memories if memory.directory.loaded)
        names = tuple(memory.directory.snapshot.names for memory in memories)
        if file.made_of is None or not _are_same(file.made_of, names):
            file.made_of, file.shares = names, _shared_out(file, memories)
        return file.shares


def _shared_out(file: _File, memories: tuple[Memory, ...]) -> tuple[tuple[Memory, Note], ...]:
    left, shares = file.note.links, []
    for memory in memories:
        path, names = _inside(file.path, memory.directory.root), memory.directory.snapshot.names
        here: list[Link] = []
        elsewhere: list[Link] = []
        for link in left:
            (elsewhere if names.resolve(link, path).is_dangling else here).append(link)
        left = tuple(elsewhere)
        shares.append((memory, path, here))
    if shares:
        shares[0][2].extend(left)
    return tuple(
        (memory, replace(file.note, path=path, links=tuple(sorted(links, key=lambda link: link.span))))
        for memory, path, links in shares
    )


def _inside(path: Path, root: Path) -> str:
    """Return a file's path relative to a directory, which it may lie beside; on another drive it stays as it is."""
    try:
        return os.path.relpath(path, root).replace(os.sep, "/")
    except ValueError:
        return path.as_posix()


def _are_same(first: tuple[object, ...], second: tuple[object, ...]) -> bool:
    return len(first) == len(second) and all(one is other for one, other in zip(first, second, strict=True))
