"""What follows once a directory's vectors are at rest: secrets found late, strays, clusters, and files on disk."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.clusters import find_clusters
from memory_lsp.courtesy import Courtesy

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from memory_lsp.core.clusters import Cluster
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.vectors import Vectors
    from memory_lsp.directory import MemoryDirectory
    from memory_lsp.index import Index

_log = logging.getLogger(__name__)

# It begins after this many seconds without a change, or after this many times as long as it took the last time: what
# grows with the directory takes a tenth of one core at most.
QUIET = 1.0
_REST = 9.0
# What the disk or a lock refused is tried again after so many seconds.
_RETRY = 5.0


@dataclass(slots=True)
class Upkeep:
    """See the module's docstring. The first index is that of whole notes.

    `request` asks for notes, or for all, to be brought up to date; `on_change` is called on the loop after each step.
    """

    directory: MemoryDirectory
    indexes: Sequence[Index]
    request: Callable[[Iterable[str] | None], None]
    on_change: Callable[[], None]
    after: Callable[[], Awaitable[None]] | None = None  # what else follows
    courtesy: Courtesy = field(default_factory=Courtesy)
    clustered: frozenset[tuple[str, str]] = frozenset()  # ids and hashes of what the clusters were made of
    _task: asyncio.Task[None] | None = None
    _closed: bool = False
    _swept: bool = False
    _took: float = 0.0  # seconds, the last time

    def schedule(self) -> None:
        """Begin after a quiet; what waits or runs begins anew."""
        if self._task is not None:
            self._task.cancel()
        if not self._closed:
            refused = any(index.refused for index in self.indexes)
            delay = QUIET if refused else max(QUIET, _REST * self._took)
            self._task = asyncio.get_running_loop().create_task(self._run(delay))

    async def now(self) -> None:
        """Do all of it at once."""
        if self._task is not None:
            self._task.cancel()
        await self._run(delay=0)

    async def close(self) -> None:
        """Stop at once."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait((self._task,))

    async def cluster(self) -> None:
        """Find clusters again where any vector changed, in a thread, and put them into the graph; writes nothing."""
        saved, vectors = self.directory.saved(), self.indexes[0].vectors.freeze()
        found = await asyncio.to_thread(_clusters, saved, vectors, self.clustered)
        if found is not None:
            self.clustered, clusters = found
            self.directory.set_graph(lambda graph: graph.with_clusters(clusters))

    async def _run(self, delay: float) -> None:
        await asyncio.sleep(delay)
        began = time.monotonic()
        try:
            await self._sweep()
            await self._find_strays()
            await self.cluster()
            if self.indexes[0].sidecar is not None:
                await asyncio.to_thread(self.indexes[0].store_graph, self.directory.saved())
                for index in self.indexes:
                    await asyncio.to_thread(index.store_compacted)
            self._took = time.monotonic() - began
            self.on_change()
            if self.after is not None:
                await self.after()
        except Exception:
            _log.exception("tidying the index of %s failed", self.directory.root)
        if any(index.refused for index in self.indexes) and not self._closed:
            self._task = asyncio.get_running_loop().create_task(self._run(_RETRY))
        self.on_change()

    async def _find_strays(self) -> None:
        """Have rows removed that another process stored for a note it did not know to be gone."""
        saved = self.directory.saved()
        for index in self.indexes:
            if await asyncio.to_thread(index.has_strays, saved):
                self.request(None)

    async def _sweep(self) -> None:
        """Purge, once, vectors of notes that hold a secret after all: its rule may be newer than the vector."""
        if self._swept:
            return
        self._swept = True
        saved = self.directory.saved()
        found = await asyncio.to_thread(_secret_paths, saved, self.courtesy)
        if found and any(saved.ids.get(path) in self.indexes[0] for path in found):
            self.request(found)


def _clusters(
    saved: Snapshot, vectors: Vectors, before: frozenset[tuple[str, str]]
) -> tuple[frozenset[tuple[str, str]], tuple[Cluster, ...]] | None:
    """Return the ids and hashes of the notes with a vector, and their clusters; None where nothing differs."""
    rows = [(id_, saved.notes[path]) for path, id_ in saved.ids.items()]
    rows = [(id_, note) for id_, note in rows if note.hash in vectors]
    fingerprint = frozenset((id_, note.hash) for id_, note in rows)
    matrix = [vector for _, note in rows if (vector := vectors.get(note.hash)) is not None]
    if fingerprint == before or len(matrix) != len(rows):
        return None
    ids, texts = [id_ for id_, _ in rows], [f"{note.name} {note.description}" for _, note in rows]
    stacked = np.stack(matrix) if matrix else np.zeros((0, 1), dtype=np.float32)
    return fingerprint, find_clusters(ids, stacked, texts)


def _secret_paths(saved: Snapshot, courtesy: Courtesy) -> set[str]:
    found = set[str]()
    for path in saved.ids:
        courtesy.step_aside()
        if saved.guard.holds_secret(saved.notes[path]):
            found.add(path)
    return found
