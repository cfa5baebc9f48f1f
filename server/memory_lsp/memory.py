"""One memory directory with everything derived from it: what the server, the command line and the tests work with."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_lsp.chunk_index import ChunkIndex, chunk_sidecar
from memory_lsp.contradiction_records import contradiction_file
from memory_lsp.contradictions import COMPARED, Contradictions
from memory_lsp.core.cascade import Via
from memory_lsp.core.chunks import Chunker
from memory_lsp.core.related import related_notes
from memory_lsp.core.retrieve import Answer, Options, Recency, Result, retrieve
from memory_lsp.core.vectors import VectorTable
from memory_lsp.directory import MemoryDirectory
from memory_lsp.discovery import Kind
from memory_lsp.embedding.judge import judge_name
from memory_lsp.errors import EmbeddingError, UsageError
from memory_lsp.index import Index
from memory_lsp.indexer import Indexer
from memory_lsp.retriever import Retriever
from memory_lsp.sidecar import Sidecar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memory_lsp.config import Ranker, Settings
    from memory_lsp.contradictions import Question
    from memory_lsp.directory import Delta, Scan
    from memory_lsp.discovery import Place
    from memory_lsp.embedding.client import Embedder
    from memory_lsp.embedding.judge import Judge


# Notes that are compared at a stretch when all of them are due, and how many times as long the pause after it is.
_STEP = 4
_REST = 9.0


@dataclass(slots=True)
class Memory:
    """A directory, its index and its job; one thread owns it. Built by `open_memory`."""

    directory: MemoryDirectory
    index: Index
    indexer: Indexer
    retriever: Retriever
    settings: Settings
    model_id: str
    no_model: str = ""  # why there is no embedder although the settings want one
    contradictions: Contradictions = field(default_factory=Contradictions)
    judge: Judge | None = None

    @property
    def index_version(self) -> int:
        """Return a number that grows with every vector that comes or goes."""
        return self.index.version + self.indexer.chunks.version

    def load(self) -> None:
        """Read the notes, on the calling thread."""
        self.retriever.touch(self.directory.adopt(self.directory.scan()).affected)

    def scan(self) -> tuple[Scan, Retriever]:
        """Read the notes and compile their words; changes nothing, so any thread may call it."""
        scan, retriever = self.directory.scan(), Retriever(self.directory)
        retriever.prepare(scan, keywords=self.settings.retrieval.ranker == "cascade")
        return scan, retriever

    def adopt(self, scan: Scan, retriever: Retriever) -> Delta:
        """Start from what `scan` found."""
        delta, self.retriever = self.directory.adopt(scan), retriever
        now, before = self.directory.snapshot, scan.snapshot
        if now is not before:
            retriever.touch(path for path in now.notes if now.notes[path] is not before.notes.get(path))
            retriever.touch(path for path, _ in now.ids.items() ^ before.ids.items())
        return delta

    def follow(self, delta: Delta) -> None:
        """Let everything derived follow a change of the directory."""
        self.retriever.touch(delta.affected)
        if delta.saved and delta.affected:
            self.indexer.request(delta.affected)

    def retrieve(
        self,
        query: str,
        vector: NDArray[np.floating] | None,
        *,
        limit: int | None = None,
        types: Collection[str] | None = None,
        max_depth: int | None = None,
        ranker: Ranker | None = None,
        threshold: float | None = None,
        near: float = 0.0,
    ) -> Answer:
        """Return the notes that belong to a query; what is not given comes from the settings.

        `near` as in `Options`.

        Raises UsageError where `vector` has another width than the index.
        """
        chosen = self.settings.retrieval
        if vector is not None and self.index.vectors.dims and vector.shape != (self.index.vectors.dims,):
            raise UsageError(f"vector: expected {self.index.vectors.dims} numbers, got {vector.size}.")
        options = Options(
            limit=limit, types=types, ranker=ranker or chosen.ranker, seeds=chosen.seeds,
            threshold=chosen.threshold if threshold is None else threshold,
            max_depth=chosen.max_depth if max_depth is None else max_depth, decay=chosen.decay,
            superseded=chosen.superseded, gap=chosen.gap, near=near,
            recency=Recency(chosen.recency, chosen.recency_half_life),
            # Without a vector the fit is on another scale, which nobody has calibrated.
            min_fit=chosen.min_score if vector is not None else 0.0,
        )  # fmt: skip
        return retrieve(self.retriever.corpus(self.index.vectors), query, vector, options)

    def related(self, path: str, *, limit: int, types: Collection[str] | None = None) -> Answer:
        """Return what a cascade seeded with the note at `path` reaches, the note itself left out."""
        snapshot = self.directory.snapshot
        found = related_notes(snapshot, snapshot.ids.get(path, ""), limit, types)
        results = tuple(
            Result(item.id, item.score, Via(item.path[-2].id, item.path[-1].kind), item.path, {"graph": item.score})
            for item in found
            if item.path[-1].kind is not None
        )
        return Answer(results, "vector", "cascade")

    def about(
        self, query: str, vector: NDArray[np.floating] | None, *, limit: int, types: Collection[str] | None = None
    ) -> Answer:
        """Return the notes about a passage of any text, none where no note is near: silence beats noise here."""
        # Code around a sentence dilutes it: what is near reaches less than a plain question would.
        near = 0.8 * self.settings.retrieval.threshold
        return self.retrieve(query, vector, limit=limit, types=types, threshold=near, near=near)

    async def detect_contradictions(self, on_delta: Callable[[Delta], None]) -> None:
        """Compare the notes that changed with their neighbours, a few at a time; tell what that changed.

        What is kept from before is told first.
        """
        if not self.settings.contradictions.detect:
            return
        saved, vectors = self.directory.saved(), self.index.vectors.freeze()
        await asyncio.to_thread(self.contradictions.recall, saved)
        due = await asyncio.to_thread(self.contradictions.due, saved, vectors)
        self._show_rivals(on_delta)
        # After the load of a large directory requests come first: small steps, and long pauses between them.
        step = COMPARED if len(due) <= COMPARED else _STEP
        for start in range(0, len(due), step):
            began = time.perf_counter()
            some = due[start : start + step]
            questions = await asyncio.to_thread(self.contradictions.check, saved, vectors, some)
            self._show_rivals(on_delta)
            if await self._judge(questions):
                await asyncio.to_thread(self.contradictions.keep, saved, some)
                self._show_rivals(on_delta)
            if len(due) > COMPARED:
                await asyncio.sleep(_REST * (time.perf_counter() - began))
        await asyncio.to_thread(self.contradictions.keep, saved, ())

    async def _judge(self, questions: Sequence[Question]) -> bool:
        """Let the model that the user has read some pairs; False where it fails, and the rules stand alone."""
        if self.judge is None or not questions:
            return True
        try:
            chances = await self.judge.contradicting([question.pair.quotes for question in questions])
        except EmbeddingError:
            return False
        self.contradictions.settle(questions, chances, self.settings.contradictions.threshold)
        return True

    def _show_rivals(self, on_delta: Callable[[Delta], None]) -> None:
        delta = self.directory.set_rivals(self.contradictions.rivals())
        if delta.affected:
            on_delta(delta)

    def keep_sidecar(self) -> None:
        """Keep the index on disk from now on, also in a vault, because the user asked for it."""
        if self.index.sidecar is None and self.directory.place.kind is not Kind.SINGLE:
            self.attach_sidecar()

    def attach_sidecar(self) -> None:
        """Read from the directory's sidecar, and write to it; creates nothing yet."""
        folder, judge = self.directory.sidecar_folder, judge_name(self.settings.contradictions)
        self.index.sidecar = Sidecar(folder, self.model_id)
        self.indexer.chunks.sidecar = chunk_sidecar(folder, self.model_id)
        self.contradictions.kept = contradiction_file(folder, self.model_id, judge)


def open_memory(
    place: Place,
    settings: Settings,
    model_id: str,
    embedder: Embedder | None,
    *,
    write: bool = True,
    background: float | None = None,
    judge: Judge | None = None,
) -> Memory:
    """Return a memory whose notes are not read yet; nothing is created on disk before the first vector is stored.

    `write` False keeps everything in memory, as for a vault that nobody asked to index. `background` as in `Plan`.
    """
    directory = MemoryDirectory(place, settings.exclude, settings.tags.inline, settings.secrets.disabled)
    directory.chunker = Chunker(enabled=settings.retrieval.chunks)
    keeps = write and place.kind is not Kind.SINGLE and (place.kind is Kind.MEMORY or settings.index.vaults)
    index, chunks = Index(None, VectorTable(background)), ChunkIndex(None, chunker=directory.chunker)
    chunks.follow(index)
    indexer = Indexer(directory, index, chunks, embedder)
    memory = Memory(directory, index, indexer, Retriever(directory), settings, model_id, judge=judge)
    if keeps or directory.sidecar_folder.is_dir():
        memory.attach_sidecar()
    return memory
