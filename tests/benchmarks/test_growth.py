"""What a question and a save cost must not grow with the directory as fast as the directory does."""

from __future__ import annotations

import asyncio
import gc
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from memory_lsp.config import Settings
from memory_lsp.core.completion_context import context_at
from memory_lsp.core.note import parse
from memory_lsp.discovery import Kind, Place
from memory_lsp.lsp.completion import CompletionCache
from memory_lsp.memory import Memory, open_memory
from notes import MODEL, make, warm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SMALL, LARGE = 500, 4_000

pytestmark = pytest.mark.slow


class Loaded:
    """A memory with everything in place, and its notes' paths."""

    def __init__(self, root: Path, count: int) -> None:
        self.paths = make(root, count)
        self.matrix = warm(root, self.paths)
        self.memory: Memory = open_memory(Place(root, Kind.MEMORY), Settings(), MODEL, None)
        self.memory.load()
        asyncio.run(self.memory.indexer.load())
        assert not self.memory.index.compare(self.memory.directory.saved())
        self._texts = [path.read_bytes() for path in (self.paths[0], self.paths[-1])]
        self._saves = 0
        self._completion = CompletionCache()

    def retrieve(self, number: int) -> None:
        vector = self.matrix[number % 20].astype(np.float64)
        assert self.memory.retrieve("x", vector, limit=8).seed_mode == "vector"

    def save(self, number: int) -> None:
        """Save a note with a text whose vector is known, down to the journal."""
        self._saves += 1
        path = self.paths[0]
        path.write_bytes(self._texts[self._saves % 2])
        memory = self.memory
        delta = memory.directory.refresh((path.relative_to(memory.directory.root).as_posix(),))
        memory.retriever.touch(delta.affected)
        work = memory.index.compare(memory.directory.saved(), delta.affected)
        assert len(work.rows) == 1
        memory.index.note_rows(work.rows)
        memory.index.store_rows(work.rows, work.remove)
        memory.retriever.corpus(memory.index.vectors)

    def complete(self, number: int) -> None:
        """Ask what may follow `[[` and some letters."""
        directory = self.memory.directory
        note = directory.snapshot.notes[self.paths[3].relative_to(directory.root).as_posix()]
        letters = self.paths[(number * 37) % len(self.paths)].stem[:5]
        typed = parse(note.path, f"{note.text}[[{letters}")
        context = context_at(typed, len(typed.text))
        assert context is not None
        assert self._completion.complete(self.memory, typed, context).items


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Loaded, Loaded]]:
    folder = tmp_path_factory.mktemp("growth")
    small, large = Loaded(folder / "small", SMALL), Loaded(folder / "large", LARGE)
    yield small, large
    small.memory.index.close()
    large.memory.index.close()


def ratio(small: Callable[[int], None], large: Callable[[int], None], rounds: int) -> float:
    """Return how many times longer a round takes in the large one: the least of several tries, in turns."""

    def least(action: Callable[[int], None]) -> float:
        times = []
        for number in range(rounds):
            began = time.process_time()
            action(number)
            times.append(time.process_time() - began)
        return min(times)

    for number in range(3):
        small(number)
        large(number)
    gc.collect()
    gc.disable()
    try:
        return min(least(large) / max(least(small), 1e-5) for _ in range(3))
    finally:
        gc.enable()


def test_a_save_does_not_grow_with_the_directory(pair: tuple[Loaded, Loaded]) -> None:
    small, large = pair
    assert ratio(small.save, large.save, 12) < LARGE / SMALL * 0.75


def test_a_question_grows_no_faster_than_the_directory(pair: tuple[Loaded, Loaded]) -> None:
    small, large = pair
    assert ratio(small.retrieve, large.retrieve, 20) < LARGE / SMALL * 1.25


def test_completion_does_not_grow_as_the_directory_does(pair: tuple[Loaded, Loaded]) -> None:
    small, large = pair
    assert ratio(small.complete, large.complete, 12) < LARGE / SMALL * 0.75
