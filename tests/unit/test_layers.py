from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Self

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.layers import Layers
from memory_lsp.core.postings import Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Word:
    id: str
    text: str


@dataclass(frozen=True)
class Texts:
    """A part that remembers what it holds, and how many documents were compiled for it."""

    texts: tuple[str, ...]

    @classmethod
    def build(cls, documents: Sequence[Word]) -> Self:
        return cls(tuple(each.text for each in documents))

    @classmethod
    def merged(cls, parts: Sequence[tuple[Self, NDArray[np.bool_]]]) -> Self:
        return cls(tuple(text for part, alive in parts for text in compress(part.texts, alive.tolist())))


def found(index: Layers[Word, Texts]) -> dict[str, str]:
    """Read the index back from its layers."""
    result: dict[str, str] = {}
    for number, layer in enumerate(index.layers()):
        assert len(layer.documents) == len(layer.part.texts) == len(layer.alive)
        for row, (document, text, alive) in enumerate(zip(layer.documents, layer.part.texts, layer.alive, strict=True)):
            if alive:
                assert document.id not in result
                assert index.place(document.id) == (number, row)
                result[document.id] = text
    return result


words = st.builds(Word, st.sampled_from([str(n) for n in range(30)]), st.text("abc", max_size=2))
changes = st.tuples(st.lists(words, max_size=12), st.lists(st.sampled_from([str(n) for n in range(30)]), max_size=4))


@given(st.lists(st.tuples(changes, st.booleans()), max_size=25))
@settings(max_examples=80, deadline=None)
def test_layers_hold_what_a_dictionary_holds(steps: list[tuple[tuple[list[Word], list[str]], bool]]) -> None:
    index, kept = Layers[Word, Texts](Texts), dict[str, str]()
    for (changed, removed), look in steps:
        before, was = index, dict(kept)
        index = index.updated(changed, removed)
        for id in removed:
            kept.pop(id, None)
        kept.update({each.id: each.text for each in changed})
        if look:
            assert found(index) == kept
            assert found(before) == was
    assert found(index) == kept
    assert index.place("unknown") is None


def test_many_small_changes_leave_few_layers_and_the_large_one_alone() -> None:
    index = Layers[Word, Texts](Texts).updated([Word(str(n), "a") for n in range(5000)], ())
    base = index.layers()[0].part
    for n in range(600):
        index = index.updated([Word(str(n), "b")], ())
        assert len(index.layers()) <= 8
    assert index.layers()[0].part is base


def test_a_document_edited_again_and_again_makes_no_more_layers() -> None:
    index = Layers[Word, Texts](Texts).updated([Word(str(n), "a") for n in range(100)], ())
    assert len(index.layers()) == 1
    for n in range(50):
        index = index.updated([Word("7", str(n))], ())
        assert len(index.layers()) == 2


weights = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 3).map(float), max_size=4)


@given(st.lists(st.lists(st.tuples(weights, st.booleans()), min_size=1, max_size=5), min_size=1, max_size=4))
@settings(deadline=None)
def test_merged_postings_equal_postings_built_at_once(groups: list[list[tuple[dict[str, float], bool]]]) -> None:
    parts = [(Segment.build([each for each, _ in group]), np.array([alive for _, alive in group])) for group in groups]
    merged, whole = Segment.merged(parts), Segment.build([each for group in groups for each, alive in group if alive])
    assert merged.size == whole.size
    assert merged.numbers.keys() == whole.numbers.keys()
    for term in "abcdef":
        left, right = merged.postings(term), whole.postings(term)
        assert (left is None) == (right is None)
        if left is not None and right is not None:
            assert np.array_equal(left[0], right[0])
            assert np.array_equal(left[1], right[1])
