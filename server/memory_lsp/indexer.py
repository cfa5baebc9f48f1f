"""Keeps one directory's index in step with its notes: what is missing is embedded and stored, what is gone removed.

One job runs at a time and at most one waits; a `git checkout` of 500 files is one job. Only saved text is embedded.
Everything that takes long happens in the embedder's process or in a worker thread; the event loop only compares.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.errors import MemoryLspError, SidecarError
from memory_lsp.sidecar import Row
from memory_lsp.upkeep import Upkeep

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from memory_lsp.chunk_index import ChunkIndex
    from memory_lsp.core.note import Note
    from memory_lsp.directory import MemoryDirectory
    from memory_lsp.embedding.client import Embedder
    from memory_lsp.index import Index
    from memory_lsp.sidecar import Changes

_log = logging.getLogger(__name__)

BATCH = 32
# As many notes are compared on the event loop without a request noticing.
_FEW = 16
# Seconds to wait for another process that is embedding.
_TURN = 30.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an indexing job is, in notes; `total` is 0 when nothing is to be embedded.

    A long note is embedded in several texts, and counts by the share of them that is done.
    """

    done: int
    total: int


@dataclass(slots=True)
class Indexer:
    """See the module's docstring. `on_change` is called on the loop after each step; `embedder` None means none.

    Whole notes come before the chunks of long ones, so that every note can be found by meaning early.
    """

    directory: MemoryDirectory
    index: Index
    chunks: ChunkIndex
    embedder: Embedder | None
    on_change: Callable[[], None] = lambda: None
    upkeep: Upkeep = field(init=False)
    progress: Progress = Progress(0, 0)
    problem: str = ""  # why notes have no vector although they should, "" where all is well
    notice: str = ""  # what was wrong with the sidecar when it was last read
    _pending: set[str] | None = field(default_factory=set)  # paths to compare; None stands for all of them
    _suspects: set[str] | None = None  # the paths of all notes that may lack a vector; None stands for all of them
    _refused: set[str] = field(default_factory=set)  # hashes of texts for which the model gave no vector
    _task: asyncio.Task[None] | None = None
    _loaded: bool = False
    _cancelled: bool = False
    _closed: bool = False

    def __post_init__(self) -> None:
        self.upkeep = Upkeep(self.directory, self._indexes, self.request, lambda: self.on_change())

    @property
    def _indexes(self) -> tuple[Index, ...]:
        return self.index, self.chunks

    @property
    def busy(self) -> bool:
        """Tell whether a job runs or waits."""
        return self._task is not None and not self._task.done()

    @property
    def behind(self) -> bool:
        """Tell whether notes wait for their vector; those that the model refused do not."""
        return self.busy or self._pending is None or bool(self._pending)

    def lacking(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the paths of saved notes without a vector: those that wait for one, and those the model refused.

        Costs as much as notes were changed since the last look.
        """
        saved, vectors = self.directory.saved(), self.index.vectors
        suspects = saved.ids if self._suspects is None else self._suspects & saved.ids.keys()
        found = [
            path
            for path in suspects
            if (note := saved.notes[path]).hash not in vectors and not saved.guard.holds_secret(note)
        ]
        self._suspects = set(found)
        refused = {path for path in found if saved.notes[path].hash in self._refused}
        return tuple(path for path in found if path not in refused), tuple(sorted(refused))

    async def load(self) -> None:
        """Read the sidecar, once; its vectors serve from then on."""
        if not self._loaded:
            self._loaded = True
            self.notice = await asyncio.to_thread(self.index.load)
            notice = await asyncio.to_thread(self.chunks.load)
            self.notice = self.notice or notice
            self._pending = None

    def request(self, paths: Iterable[str] | None) -> None:
        """Ask for some paths, or for all, to be brought up to date; returns at once."""
        if self._closed:
            return
        if paths is None or self._pending is None:
            self._pending = None
        else:
            self._pending |= set(paths)
        self._suspects = None if paths is None or self._suspects is None else self._suspects | set(paths)
        self._cancelled = False
        if not self.busy:
            self._task = asyncio.get_running_loop().create_task(self._run())
            # Inside the task the job would still count as running.
            self._task.add_done_callback(lambda _: self.on_change())

    def cancel(self) -> None:
        """Stop embedding after the batch under way; what is stored stays, the rest waits for the next request."""
        self._cancelled = True

    async def settled(self) -> None:
        """Wait until no job is left; clusters and files may still follow."""
        while self.busy and self._task is not None:
            await asyncio.wait((self._task,))

    async def finish(self) -> None:
        """Wait until everything is done: vectors, clusters, graph.json, snapshot files."""
        await self.settled()
        await self.upkeep.now()
        await self.settled()  # it may have found a vector that must go

    async def catch_up(self) -> None:
        """Take over what other processes stored since the last look; a few file stats where that is nothing."""
        if self._loaded and not self.busy:
            await self._refresh(*self._indexes)
            if self._pending is None or self._pending:
                self.request(())

    async def rebuild(self) -> None:
        """Throw the index away and make it again."""
        self.cancel()
        await self.settled()
        self.index.clear()
        self.chunks.follow(self.index)
        self.upkeep.clustered = frozenset()
        for index in self._indexes:
            await asyncio.to_thread(index.store_nothing)
        self._loaded = True
        self.request(None)
        await self.settled()

    async def close(self) -> None:
        """Stop at once; the journal keeps what is stored."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))
        await self.upkeep.close()
        for index in self._indexes:
            await asyncio.to_thread(index.close)

    async def _run(self) -> None:
        try:
            await self.load()
            while self._pending is None or self._pending:
                paths, self._pending = self._pending, set()
                try:
                    await self._refresh(*self._indexes)
                    await self._bring_up(paths)
                except MemoryLspError:
                    # What could not be done now belongs to the next request.
                    self._pending = None if paths is None or self._pending is None else self._pending | paths
                    raise
                if self._cancelled:
                    break
            if not self.upkeep.clustered and len(self.index.vectors):
                # Answers without clusters would differ from those a moment later.
                await self.upkeep.cluster()
        except MemoryLspError as error:
            self.problem = str(error)
        except Exception:
            # A fault here must not end the server: retrieval goes on with the vectors there are.
            self._pending = None
            _log.exception("indexing %s failed", self.directory.root)
            self.problem = f"Indexing {self.directory.root} failed; the log says why. `memory/rebuild` tries again."
        finally:
            self.progress = Progress(0, 0)
        self.index.problem = self.index.problem or self.chunks.problem
        self.upkeep.schedule()

    async def _refresh(self, *indexes: Index) -> None:
        """Take over what other processes stored in some indexes since the last look."""
        found = await asyncio.to_thread(lambda: [_looked(index) for index in indexes])
        for index, changes in zip(indexes, found, strict=True):
            if changes is not None:
                self._take_over(index, changes)

    def _take_over(self, index: Index, changes: Changes) -> None:
        index.take_changes(changes)
        self.notice = changes.reason or self.notice
        if changes.lost:
            self._pending = None
        # Another process did not know a note yet, and took its row for a leftover.
        saved = self.directory.saved()
        wrongly = {saved.paths[id_] for id_ in map(index.owner, changes.removes) if id_ in saved.paths}
        if wrongly and self._pending is not None:
            self._pending |= wrongly
        if any(index.owner(row.id) not in saved.paths for row in changes.puts):
            # A note that we have not seen yet, or one that the other did not know to be gone: time will tell.
            self.upkeep.schedule()

    async def _bring_up(self, paths: set[str] | None) -> None:
        missing: list[tuple[Index, tuple[tuple[str, Note], ...]]] = []
        saved = self.directory.saved()
        for index in self._indexes:
            if paths is None or len(paths) > _FEW:
                # All secrets are looked for, and chunks cut: nobody else changes an index while its job runs.
                work = await asyncio.to_thread(index.compare, saved, paths)
            else:
                work = index.compare(saved, paths)
            index.release(work.remove)
            index.forget(work.purge)
            index.note_rows(work.rows)
            if work.rows or work.remove:
                await asyncio.to_thread(index.store_rows, work.rows, work.remove)
            if work.purge:
                await asyncio.to_thread(index.store_purge, work.purge)
            missing.append((index, work.embed))
        if self.embedder is not None and any(texts for _, texts in missing):
            await self._embed(missing)

    async def _embed(self, missing: Sequence[tuple[Index, Sequence[tuple[str, Note]]]]) -> None:
        self.problem = ""
        refused: dict[str, None] = {}
        batches = [
            (index, texts[start : start + BATCH]) for index, texts in missing for start in range(0, len(texts), BATCH)
        ]
        texts_of = Counter(note.path for _, batch in batches for _, note in batch)
        done, total = Fraction(), len(texts_of)
        for number, (index, batch) in enumerate(batches):
            self.progress = Progress(int(done), total)
            self.on_change()
            if self._cancelled:
                left = {note.path for _, rest in batches[number:] for _, note in rest}
                self._pending = None if self._pending is None else self._pending | left
                return
            refused |= dict.fromkeys(await self._embed_batch(index, batch))
            done += sum(Fraction(1, texts_of[note.path]) for _, note in batch)
        if refused:
            names = ", ".join(list(refused)[:3])
            self.problem = f"The model gave no vector for {len(refused)} notes, among them {names}; keywords find them."

    async def _embed_batch(self, index: Index, batch: Sequence[tuple[str, Note]]) -> list[str]:
        """Embed and store one batch; return the paths of the notes that got no vector."""
        async with self._turn():
            # Another process may have embedded some of it while this one waited.
            await self._refresh(index)
            wanted = {id_ for id_, _ in batch}
            work = index.compare(self.directory.saved(), dict.fromkeys(note.path for _, note in batch))
            index.note_rows(work.rows)
            if work.rows:
                await asyncio.to_thread(index.store_rows, work.rows)
            left = [(id_, note) for id_, note in work.embed if id_ in wanted]
            if index.sidecar is not None:
                # Another process may have changed the file and embedded that; our watcher will tell.
                left = await asyncio.to_thread(lambda: [each for each in left if self.directory.is_current(each[1])])
            return await self._embed_now(index, left) if left else []

    async def _embed_now(self, index: Index, batch: Sequence[tuple[str, Note]]) -> list[str]:
        assert self.embedder is not None
        texts = [index.embedded(id_, note) for id_, note in batch]
        vectors = await self.embedder.embed([text for _, text in texts])
        rows = [
            Row(id_, hash_, vector)
            for (id_, _), (hash_, _), vector in zip(batch, texts, vectors, strict=True)
            if vector is not None
        ]
        if rows:
            index.take([row.id for row in rows], [row.hash for row in rows], np.stack([row.vector for row in rows]))
            await asyncio.to_thread(index.store_rows, rows)
        self._refused |= {hash_ for (hash_, _), vector in zip(texts, vectors, strict=True) if vector is None}
        return [note.path for (_, note), vector in zip(batch, vectors, strict=True) if vector is None]

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Hold the right to embed among the processes on this directory; go on without it after a while."""
        sidecar = self.index.sidecar
        if sidecar is None:
            yield
            return
        turn, abandoned = sidecar.embedding(_TURN), threading.Event()

        def take() -> bool:
            try:
                turn.__enter__()
            except SidecarError:
                return False
            if abandoned.is_set():
                turn.__exit__(None, None, None)
            return True

        try:
            taken = await asyncio.to_thread(take)
        except asyncio.CancelledError:
            abandoned.set()
            raise
        try:
            yield
        finally:
            if taken:
                turn.__exit__(None, None, None)


def _looked(index: Index) -> Changes | None:
    """Return what other processes changed in an index's sidecar; None without one, or where it cannot be read."""
    if index.sidecar is None:
        return None
    try:
        return index.sidecar.refresh()
    except SidecarError as error:
        index.problem = str(error)
        return None
