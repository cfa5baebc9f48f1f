"""A memory directory of the benchmarks with everything in place, and the steps of a save and of an edit in it."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import numpy as np
from memory_lsp.config import Settings
from memory_lsp.core.lint import lint
from memory_lsp.directory import Buffer
from memory_lsp.discovery import Kind, Place
from memory_lsp.memory import Memory, open_memory
from memory_lsp.sidecar import Row
from notes import MODEL, make, vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from memory_lsp.directory import Delta


class Loaded:
    """A memory with a vector for each note, and its notes' paths."""

    def __init__(self, root: Path, count: int) -> None:
        self.root = root
        self.paths = make(root, count)
        self.memory: Memory = open_memory(Place(root, Kind.MEMORY), Settings(), MODEL, None)
        self.memory.load()
        asyncio.run(self.memory.indexer.load())
        self.matrix = vectors(len(self.paths))
        self._rows = {path.relative_to(root).as_posix(): row for row, path in enumerate(self.paths)}
        self._embed(self.memory.directory.saved().notes)
        self.memory.index.store_compacted()
        assert not self.memory.index.compare(self.memory.directory.saved())

    def inside(self, number: int) -> str:
        """Return the path of a note within the directory."""
        return self.paths[number % len(self.paths)].relative_to(self.root).as_posix()

    def retrieve(self, number: int) -> None:
        """Ask a question with a vector."""
        vector = self.matrix[number % 20].astype(np.float64)
        assert self.memory.retrieve("x", vector, limit=8).seed_mode == "vector"

    def save(self, number: int) -> None:
        """Save a note with a new sentence and a link: read, parse, relink, check, compare, append to the journal."""
        path = self.paths[number * 37 % len(self.paths)]
        target = self.paths[number * 91 % len(self.paths)].stem
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\nChanged for the {number}. time; see [[{target}]].\n")
        self._follow(self.memory.directory.refresh((path.relative_to(self.root).as_posix(),)))

    def edit(self, number: int) -> None:
        """Type into an open note."""
        path = self.inside(5)
        text = self.memory.directory.saved().notes[path].text
        buffer = Buffer((self.root / path).as_uri(), number + 2, f"{text}\nTyped for the {number}. time.\n")
        self._follow(self.memory.directory.open(path, buffer))

    def journal_bytes(self) -> int:
        """Return how long the journal is."""
        return (self.root / ".graph" / "journal").stat().st_size

    def _follow(self, delta: Delta) -> None:
        self.memory.retriever.touch(delta.affected)
        for path in delta.affected:
            lint(self.memory.directory.snapshot, path)
        if delta.saved:
            assert self._embed(delta.affected) == 1

    def _embed(self, paths: Iterable[str]) -> int:
        """Store a vector for each of some notes that lack theirs, as the indexer does; the model is left out."""
        index = self.memory.index
        work = index.compare(self.memory.directory.saved(), paths)
        matrix = self.matrix[[self._rows[note.path] for _, note in work.embed]]
        rows = [Row(id_, note.hash, vector) for (id_, note), vector in zip(work.embed, matrix, strict=True)]
        index.take([row.id for row in rows], [row.hash for row in rows], matrix)
        index.store_rows(rows, work.remove)
        return len(rows)


def seconds(action: Callable[[int], None], numbers: range) -> list[float]:
    """Return the processor time of each of several rounds."""
    spent = []
    for number in numbers:
        began = time.process_time()
        action(number)
        spent.append(time.process_time() - began)
    return spent
