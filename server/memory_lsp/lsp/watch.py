"""Watching memory directories, since not every editor tells what changes beside it.

One thread (watchdog's) collects paths; the event loop takes them in one go after a short quiet, so that a
`git checkout` of 500 files is one change.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from memory_lsp.allow_list import ALLOW_NAME
from memory_lsp.discovery import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from watchdog.observers.api import BaseObserver, ObservedWatch

    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory

_T = TypeVar("_T")
_Identity: TypeAlias = "tuple[int, int]"  # device and inode of a folder
_log = logging.getLogger(__name__)

_QUIET = 0.1
_LONGEST_WAIT = 1.0
_POLL = 10.0
_POLL_MISSING = 2.0
# Each folder costs a kernel watch. Past this many, a directory is compared with the disk now and then instead.
_MOST_FOLDERS = 4_000
# Not those of files that are read: the first look at a directory opens every note.
_EVENTS = (
    DirCreatedEvent, DirDeletedEvent, DirMovedEvent, FileClosedEvent, FileCreatedEvent, FileDeletedEvent,
    FileModifiedEvent, FileMovedEvent,
)  # fmt: skip


class Watcher:
    """Watches the directories in use, and hands what changed to the session."""

    def __init__(self, server: MemoryServer) -> None:
        self._server = server
        self._observer: BaseObserver | None = None
        self._watches: dict[Path, tuple[ObservedWatch, _Identity | None]] = {}
        self._wanted: set[Path] = set()
        self._tended: dict[Path, asyncio.Task[None]] = {}
        self._changed: set[Path] = set()
        self._due: asyncio.TimerHandle | None = None
        self._first = 0.0

    async def watch(self, memory: Memory) -> None:
        """Begin to watch a directory; when this returns, no later change is missed."""
        if memory.directory.place.kind is Kind.SINGLE:
            return
        if self._observer is None:
            self._observer = Observer()
            self._observer.daemon = True
            self._observer.start()
        root = memory.directory.root
        self._wanted.add(root)
        problem = await self._begin(memory)
        if problem:
            _log.warning("%s is compared with the disk every %.0f s: %s", root, _POLL, problem)
        if problem or root in self._watches:
            self._tended[root] = self._server.spawn(self._tend(memory))

    def unwatch(self, memory: Memory) -> None:
        """Stop watching a directory."""
        root = memory.directory.root
        self._wanted.discard(root)
        self._unschedule(root)
        tended = self._tended.pop(root, None)
        if tended is not None:
            tended.cancel()

    def stop(self) -> None:
        """Stop watching everything."""
        if self._due is not None:
            self._due.cancel()
        for tended in self._tended.values():
            tended.cancel()
        if self._observer is not None:
            self._observer.stop()

    async def _begin(self, memory: Memory) -> str:
        """Start the kernel's watch; return why it cannot be had, or "".

        A directory may be let go while the thread is at it; then the watch ends once it has begun.
        """
        root = memory.directory.root
        work = asyncio.ensure_future(asyncio.to_thread(self._schedule, memory, asyncio.get_running_loop()))

        def end(_: asyncio.Future[str]) -> None:
            if root not in self._wanted:
                self._unschedule(root)

        work.add_done_callback(end)
        return await asyncio.shield(work)

    def _schedule(self, memory: Memory, loop: asyncio.AbstractEventLoop) -> str:
        """Start the kernel's watch; for a worker thread."""
        root = memory.directory.root
        if self._server.client.watches_files and memory.directory.place.kind is Kind.VAULT:
            # The editor watches its own workspace; only memory directories may lie outside it.
            return ""
        if not root.is_dir():
            return "it does not exist yet"
        if _has_more_folders(root, _MOST_FOLDERS):
            return f"it has more than {_MOST_FOLDERS:,} folders"
        assert self._observer is not None
        try:
            handler = _Handler(self, memory, loop)
            identity = _identity(root)
            watch = self._observer.schedule(handler, str(handler.root), recursive=True, event_filter=list(_EVENTS))
            self._watches[root] = watch, identity
        except OSError as error:
            return f"{error.strerror or error}"
        return ""

    def _unschedule(self, root: Path) -> None:
        watch, _ = self._watches.pop(root, (None, None))
        if watch is not None and self._observer is not None:
            self._observer.unschedule(watch)

    async def _tend(self, memory: Memory) -> None:
        """Compare a directory with the disk while it cannot be watched, and notice when it is moved away or back.

        The kernel goes on watching the folder that had the name, wherever it is moved.
        """
        root = memory.directory.root
        while True:
            await asyncio.sleep(_POLL if root not in self._watches and root.is_dir() else _POLL_MISSING)
            watched = self._watches.get(root)
            if watched is not None:
                is_same = await asyncio.to_thread(_identity, root) == watched[1]
                # `lose` may have ended it meanwhile.
                if is_same and self._watches.get(root) is watched:
                    continue
                self._unschedule(root)
            await self._begin(memory)
            await self._server.session.rescan(memory, "poll")
            self._server.status.update()

    def lose(self, memory: Memory) -> None:
        """Go on after the directory itself is gone: it may come back."""
        self._unschedule(memory.directory.root)
        self._server.spawn(self._server.session.rescan(memory, "watch"))
        self._server.status.update()

    def collect(self, paths: set[Path]) -> None:
        """Take changed paths, on the event loop."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._due is not None:
            self._due.cancel()
        else:
            self._first = now
        self._changed |= paths
        wait = min(_QUIET, max(0.0, self._first + _LONGEST_WAIT - now))
        self._due = loop.call_later(wait, self._flush)

    def _flush(self) -> None:
        changed, self._changed, self._due = self._changed, set(), None
        self._server.session.refresh(changed, "watch")


class _Handler(FileSystemEventHandler):
    def __init__(self, watcher: Watcher, memory: Memory, loop: asyncio.AbstractEventLoop) -> None:
        self._watcher = watcher
        self._memory = memory
        # The kernel does not follow a link to the directory, and tells of the paths behind it.
        self.root = Path(os.path.realpath(memory.directory.root))
        self._selection = memory.directory.selection
        self._loop = loop

    def on_any_event(self, event: FileSystemEvent) -> None:
        if not isinstance(event, _EVENTS):
            return
        if event.event_type == "deleted" and os.fsdecode(event.src_path) == str(self.root):
            self._tell(self._watcher.lose, self._memory)
            return
        paths = {Path(os.fsdecode(path)) for path in (event.src_path, event.dest_path) if path}
        wanted = {path for path in paths if self._is_served(path)}
        if wanted:
            self._tell(self._watcher.collect, wanted)

    def _tell(self, hear: Callable[[_T], None], news: _T) -> None:
        with contextlib.suppress(RuntimeError):
            # Raised where the loop is closed: the server is on its way out.
            self._loop.call_soon_threadsafe(hear, news)

    def _is_served(self, path: Path) -> bool:
        return (
            path.is_relative_to(self.root)
            and path != self.root
            and (path == self.root / ALLOW_NAME or self._selection.includes(path.relative_to(self.root).as_posix()))
        )


def _identity(root: Path) -> _Identity | None:
    try:
        found = root.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _has_more_folders(root: Path, most: int) -> bool:
    count = 0
    for _, folders, _ in os.walk(root):
        count += len(folders)
        if count > most:
            return True
    return False
