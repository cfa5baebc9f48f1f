"""A save and an edit cost the same in every directory; a question and a completion grow no faster than it does."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

import pytest
from loaded import Loaded, seconds
from memory_lsp.core.completion_context import context_at
from memory_lsp.core.note import parse
from memory_lsp.lsp.completion import CompletionCache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SMALL, LARGE = 500, 8_000

pytestmark = pytest.mark.slow


def complete(loaded: Loaded, cache: CompletionCache) -> Callable[[int], None]:
    """Return what asks what may follow `[[` and some letters."""
    directory = loaded.memory.directory
    note = directory.snapshot.notes[loaded.inside(3)]

    def ask(number: int) -> None:
        letters = loaded.paths[(number * 37) % len(loaded.paths)].stem[:5]
        typed = parse(note.path, f"{note.text}[[{letters}")
        context = context_at(typed, len(typed.text))
        assert context is not None
        assert cache.complete(loaded.memory, typed, context).items

    return ask


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


def mean_ratio(small: Callable[[int], None], large: Callable[[int], None], rounds: int) -> float:
    """Return how many times the processor time of many rounds in the large one is that in the small one.

    What is done now and then, such as the merging of tables, counts, as it does for the user.
    """
    seconds(small, range(10))
    seconds(large, range(10))
    gc.collect()
    gc.freeze()
    try:
        ratios = []
        for start in range(10, 10 + 3 * rounds, rounds):
            numbers = range(start, start + rounds)
            ratios.append(sum(seconds(large, numbers)) / sum(seconds(small, numbers)))
        return sorted(ratios)[1]
    finally:
        gc.unfreeze()


def test_a_save_costs_the_same_in_a_large_directory(pair: tuple[Loaded, Loaded]) -> None:
    small, large = pair
    assert mean_ratio(small.save, large.save, 150) < 1.6


def test_an_edit_costs_the_same_in_a_large_directory(pair: tuple[Loaded, Loaded]) -> None:
    small, large = pair
    assert mean_ratio(small.edit, large.edit, 150) < 1.6


def test_a_question_grows_no_faster_than_the_directory(pair: tuple[Loaded, Loaded]) -> None:
    small, large = pair
    assert ratio(small.retrieve, large.retrieve, 20) < LARGE / SMALL * 1.25


def test_completion_does_not_grow_as_the_directory_does(pair: tuple[Loaded, Loaded]) -> None:
    small, large = (complete(loaded, CompletionCache()) for loaded in pair)
    assert ratio(small, large, 12) < LARGE / SMALL * 0.75
