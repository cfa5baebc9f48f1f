"""Everything one client has open: its folders, the memory directories in them, and the changes that reach them.

`locate` finds the directory of a file; `open`, `edit`, `close` and `refresh` are the one way for a change to get in.
Directories are loaded at first use, and the least recently used goes when more than `MOST_LOADED` are.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.allow_list import ALLOW_NAME
from memory_lsp.discovery import Kind, Place, find_places, is_unwalkable
from memory_lsp.files import Selection, is_note

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

    from memory_lsp.config import Settings
    from memory_lsp.directory import Buffer, Delta
    from memory_lsp.memory import Memory

_log = logging.getLogger(__name__)

MOST_LOADED = 16


@dataclass(slots=True)
class Session:
    """See the module's docstring. `make` builds the memory of a place; the hooks are called on the event loop.

    `before_load` is awaited before a directory is read, so that a watcher misses nothing that changes meanwhile.
    """

    make: Callable[[Place], Memory]
    before_load: Callable[[Memory], Awaitable[None]]
    on_delta: Callable[[Memory, Delta, str], None]
    on_loaded: Callable[[Memory], None]
    on_unloaded: Callable[[Memory], None]
    settings: Settings
    folders: list[Path] = field(default_factory=list)
    _places: dict[Path, Place] = field(default_factory=dict)  # by real root
    _by_folder: dict[Path, tuple[Path, ...]] = field(default_factory=dict)  # workspace folder → real roots
    _memories: OrderedDict[Path, Memory] = field(default_factory=OrderedDict)
    _loading: dict[Path, asyncio.Task[None]] = field(default_factory=dict)
    _late: dict[Path, set[str]] = field(default_factory=dict)  # what changed on disk during a load
    # Until the folders are known nobody can tell which directory a document belongs to.
    _placed: asyncio.Event = field(default_factory=asyncio.Event)
    _early: dict[Path, Buffer] = field(default_factory=dict)
    _moving: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def memories(self) -> tuple[Memory, ...]:
        """Return the memories in use, the least recently used first."""
        return tuple(self._memories.values())

    def places(self) -> tuple[Place, ...]:
        """Return every directory that is served."""
        return tuple(self._places.values())

    @property
    def is_placed(self) -> bool:
        """Tell whether the folders are known."""
        return self._placed.is_set()

    async def placed(self) -> None:
        """Wait until the folders are known."""
        await self._placed.wait()

    async def set_folders(self, folders: Iterable[Path], *, afresh: bool = False) -> None:
        """Serve these workspace folders and no others; open documents go to the directory they belong to now.

        `afresh` makes every memory anew.
        """
        # At once: a request that comes before the folders are found must wait for them.
        self._placed.clear()
        async with self._moving:
            self.folders = list(dict.fromkeys(folders))
            found = await asyncio.to_thread(_find, self.folders, self.settings.directories)
            wanted = {_real(place.root): place for places in found.values() for place in places}
            self._by_folder = {folder: tuple(_real(each.root) for each in places) for folder, places in found.items()}
            self._placed.clear()
            self._early = {**self._buffers(), **self._early}
            for root in [root for root, place in self._places.items() if afresh or wanted.get(root) != place]:
                await self._drop(root)
            self._places.update({root: place for root, place in wanted.items() if root not in self._places})
            self._placed.set()
            for root in list(self._places)[:MOST_LOADED]:
                self.use(root)
            self._hand_over()

    async def reload(self, settings: Settings) -> None:
        """Take other settings; everything that depends on them is built again, buffers are kept."""
        self.settings = settings
        await self.set_folders(self.folders, afresh=True)

    def locate(self, path: Path) -> tuple[Memory, str] | None:
        """Return the memory that a file belongs to and its path there, None for a file of no directory."""
        for candidate in (path, _real(path)):
            for root in sorted(self._places, key=lambda root: len(root.parts), reverse=True):
                inside = _relative(candidate, (self._places[root].root, root))
                if inside is not None and self._includes(root, inside):
                    return self.use(root), inside
        return None

    def named(self, path: Path) -> Memory | None:
        """Return the memory whose directory is at `path`, or whose workspace folder is."""
        root = _real(path)
        if root in self._places:
            return self.use(root)
        inside = next((place for place in self._places if place.is_relative_to(root)), None)
        return self.use(inside) if inside is not None and root in map(_real, self.folders) else None

    def default(self) -> Memory | None:
        """Return the memory that is meant where none is named: a memory directory before a vault."""
        order = sorted(self._places, key=lambda root: list(Kind).index(self._places[root].kind))
        return self.use(order[0]) if order else None

    def near(self, path: Path) -> Memory | None:
        """Return the memory that knows about a file: the one it lies in, else one of its workspace folder, else any."""
        found = self.locate(path)
        if found is not None:
            return found[0]
        return next((self.use(root) for root in self._of_folders(path)), None) or self.default()

    def beside(self, path: Path) -> tuple[Memory, ...]:
        """Return the memories whose notes a source file may name, those of its own workspace folder first.

        The others are those in use; none for a file of no workspace folder.
        """
        own = dict.fromkeys(self._of_folders(path))
        if not own:
            return ()
        others = (root for root, place in self._places.items() if place.kind is not Kind.SINGLE)
        return tuple(self.use(root) for root in own) + tuple(
            self._memories[root] for root in others if root in self._memories and root not in own
        )

    def is_loading(self, memory: Memory) -> bool:
        """Tell whether a memory is still being loaded."""
        return _real(memory.directory.root) in self._loading

    def _of_folders(self, path: Path) -> Iterator[Path]:
        """Yield the roots of the directories of the workspace folders that hold a file, the innermost first."""
        for folder in sorted(self._by_folder, key=lambda folder: len(folder.parts), reverse=True):
            if path.is_relative_to(folder) or path.is_relative_to(_real(folder)):
                yield from (root for root in self._by_folder[folder] if root in self._places)

    def open(self, path: Path, buffer: Buffer, cause: str = "open") -> None:
        """Take a document that an editor opened or edited; a note outside every directory gets one of its own."""
        if not is_note(path.name):
            return
        if not self._placed.is_set():
            self._early[path] = buffer
            return
        found = self.locate(path)
        if found is None:
            folder = path.parent
            notice = f"{folder} is no folder of this workspace; only its open notes are served."
            if is_unwalkable(folder):
                notice = f"{folder} is a home folder or a file-system root and is not searched."
            self._places[_real(folder)] = Place(folder, Kind.SINGLE, notice)
            found = self.locate(path)
        if found is not None:
            memory, inside = found
            self._apply(memory, memory.directory.open(inside, buffer), cause)

    def close(self, path: Path) -> None:
        """Give a document back to the disk."""
        self._early.pop(path, None)
        found = self.locate(path)
        if found is not None and found[0].directory.is_open(found[1]):
            memory, inside = found
            self._apply(memory, memory.directory.close(inside), "close")

    def refresh(self, paths: Iterable[Path], cause: str) -> None:
        """Look again at files that were saved, or changed outside; one job a directory, however many they are."""
        by_root: dict[Path, set[str]] = {}
        for path in paths:
            for root in self._memories:
                inside = _relative(path, (self._places[root].root, root))
                if inside is not None:
                    by_root.setdefault(root, set()).add(inside)
        for root, inside_paths in by_root.items():
            memory = self._memories[root]
            if memory.directory.loaded:
                self._apply(memory, memory.directory.refresh(inside_paths), cause)
            else:
                self._late.setdefault(root, set()).update(inside_paths)

    async def rescan(self, memory: Memory, cause: str) -> None:
        """Compare a whole directory with the disk; it is read in a thread, and only what differs is taken."""
        await self.ready(memory)
        scan = await asyncio.to_thread(memory.directory.scan)
        if self._memories.get(_real(memory.directory.root)) is not memory:
            return
        before, now = memory.directory.saved(), scan.snapshot
        differing = {
            path
            for path in {*before.notes, *now.notes}
            if path not in before.notes or path not in now.notes or before.notes[path].text != now.notes[path].text
        }
        differing |= before.names.files ^ now.names.files
        if before.guard.policy != now.guard.policy:
            differing.add(ALLOW_NAME)
        if differing:
            self._apply(memory, memory.directory.refresh(differing), cause)

    def use(self, root: Path) -> Memory:
        """Return a memory, loading it in the background where it is not loaded; it becomes the most recently used."""
        memory = self._memories.get(root)
        if memory is None:
            memory = self._memories[root] = self.make(self._places[root])
            self._loading[root] = asyncio.get_running_loop().create_task(self._load(root, memory))
            self._evict(root)
        self._memories.move_to_end(root)
        return memory

    async def ready(self, memory: Memory) -> None:
        """Wait until a memory is loaded."""
        task = self._loading.get(_real(memory.directory.root))
        if task is not None:
            await asyncio.wait((task,))

    async def close_all(self) -> None:
        """Let everything go."""
        await asyncio.gather(*(self._drop(root) for root in list(self._memories)))

    async def _load(self, root: Path, memory: Memory) -> None:
        try:
            await self.before_load(memory)
            scan, _ = await asyncio.gather(asyncio.to_thread(memory.scan), memory.indexer.load())
            delta = memory.adopt(*scan)
        except Exception:
            # Only this directory is lost to the session, and what the editor holds open of it is still known.
            _log.exception("%s could not be read", root)
            return
        finally:
            self._loading.pop(root, None)
        # First of all the job, so that nobody takes the moment before it for the end.
        memory.indexer.request(None)
        self.on_loaded(memory)
        self.on_delta(memory, delta, "load")
        self._apply(memory, memory.directory.refresh(self._late.pop(root, ())), "watch")

    def _apply(self, memory: Memory, delta: Delta, cause: str) -> None:
        if memory.directory.loaded:
            memory.follow(delta)
            self.on_delta(memory, delta, cause)

    def _evict(self, wanted: Path) -> None:
        idle = [root for root, memory in self._memories.items() if root != wanted and not memory.directory.buffers()]
        for root in idle[: max(0, len(self._memories) - MOST_LOADED)]:
            memory = self._memories.pop(root)
            self._cancel_load(root)
            self.on_unloaded(memory)
            task = asyncio.get_running_loop().create_task(memory.indexer.close())
            self._loading[root] = task
            task.add_done_callback(functools.partial(self._forget_task, root))

    async def _drop(self, root: Path) -> None:
        self._cancel_load(root)
        self._places.pop(root, None)
        memory = self._memories.pop(root, None)
        if memory is not None:
            self.on_unloaded(memory)
            await memory.indexer.close()

    def _cancel_load(self, root: Path) -> None:
        task = self._loading.pop(root, None)
        if task is not None:
            task.cancel()

    def _forget_task(self, root: Path, task: asyncio.Task[None]) -> None:
        if self._loading.get(root) is task:
            del self._loading[root]

    def _includes(self, root: Path, inside: str) -> bool:
        place = self._places[root]
        return place.kind is Kind.SINGLE or Selection(place.root, self.settings.exclude).includes(inside)

    def _buffers(self) -> dict[Path, Buffer]:
        return {
            memory.directory.root / inside: buffer
            for memory in self._memories.values()
            for inside, buffer in memory.directory.buffers().items()
        }

    def _hand_over(self) -> None:
        """Give every open document to the directory it belongs to now."""
        early, self._early = self._early, {}
        for memory in self.memories:
            for inside in list(memory.directory.buffers()):
                found = self.locate(memory.directory.root / inside)
                if found is None or found[0] is not memory:
                    self._apply(memory, memory.directory.close(inside), "close")
        for path, buffer in early.items():
            found = self.locate(path)
            if found is None or found[0].directory.buffer(found[1]) is not buffer:
                self.open(path, buffer)


def _find(folders: Iterable[Path], directories: tuple[str, ...]) -> dict[Path, tuple[Place, ...]]:
    return {folder: find_places(folder, directories) for folder in folders}


def _relative(path: Path, roots: tuple[Path, ...]) -> str | None:
    for root in roots:
        if path.is_relative_to(root) and path != root:
            return path.relative_to(root).as_posix()
    return None


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
