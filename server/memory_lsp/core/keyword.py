"""The keyword scorer of the specification, with an index instead of every query token against every text.

A note scores 10 if its name contains the query, 5 for each pair of a query token and a description token of which one
contains the other, and 1 for each such pair with a content token. It sees ASCII only; `bm25.py` is the better scorer.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.layers import Layers
from memory_lsp.core.postings import Haystack, Segment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from memory_lsp.core.graph import SortKey
    from memory_lsp.core.layers import Layer

_TOKEN = re.compile(r"[a-z0-9]{3,}")
_NAME, _DESCRIPTION, _CONTENT = 10, 5, 1


@dataclass(frozen=True, slots=True)
class Doc:
    """The text of a note, as the scorers see it; `order` places it in the list, `session` says where it came from."""

    id: str
    name: str
    description: str
    content: str
    order: SortKey
    tags: tuple[str, ...] = ()
    session: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A note found by keywords."""

    id: str
    score: float


def tokens(text: str) -> list[str]:
    """Split into the scorer's tokens: runs of a-z and 0-9, longer than two, repeats included."""
    return _TOKEN.findall(text.lower())


@dataclass(frozen=True, slots=True)
class _Part:
    """Some notes compiled for the scorer."""

    names: tuple[str, ...]
    segment: Segment
    haystack: Haystack

    @classmethod
    def of(cls, names: tuple[str, ...], segment: Segment) -> _Part:
        return cls(names, segment, Haystack(names))

    @classmethod
    def build(cls, docs: Sequence[Doc]) -> _Part:
        return cls.of(tuple(doc.name.lower() for doc in docs), Segment.build([_weights(doc) for doc in docs]))

    @classmethod
    def merged(cls, parts: Sequence[tuple[_Part, NDArray[np.bool_]]]) -> _Part:
        names = tuple(name for part, alive in parts for name in compress(part.names, alive.tolist()))
        return cls.of(names, Segment.merged([(part.segment, alive) for part, alive in parts]))

    def scores(self, query: str, words: Counter[str]) -> NDArray[np.float64]:
        factors: Counter[int] = Counter()
        for word, times in words.items():
            for number in self._touching(word):
                factors[number] += times
        scores = self.segment.gather(factors)
        scores[self.haystack.holding(query)] += _NAME
        return scores

    def _touching(self, word: str) -> set[int]:
        """Return the terms that contain the word or lie in it."""
        touching = set(self.segment.haystack.holding(word))
        longest = min(len(word), self.segment.longest)
        for start in range(len(word) - 2):
            for end in range(start + 3, min(start + longest, len(word)) + 1):
                number = self.segment.numbers.get(word[start:end])
                if number is not None:
                    touching.add(number)
        return touching


def _weights(doc: Doc) -> Counter[str]:
    weights = Counter(tokens(doc.content))
    for token in tokens(doc.description):
        weights[token] += _DESCRIPTION
    return weights


class KeywordIndex:
    """Finds notes by the specification's keyword scorer; immutable to its users."""

    __slots__ = ("_layers",)

    def __init__(self, layers: Layers[Doc, _Part] | None = None) -> None:
        self._layers: Layers[Doc, _Part] = Layers(_Part) if layers is None else layers

    @classmethod
    def build(cls, docs: Iterable[Doc]) -> KeywordIndex:
        """Return the index of the notes given."""
        return cls().updated(docs, ())

    def updated(self, changed: Iterable[Doc], removed: Iterable[str]) -> KeywordIndex:
        """Return the index after some notes came, changed or went; the next search compiles them."""
        return KeywordIndex(self._layers.updated(changed, removed))

    def __len__(self) -> int:
        """Return the number of notes."""
        return len(self._layers.documents)

    def compile(self) -> None:
        """Do now what the first search would do."""
        self._layers.layers()

    def first(self, keep: Callable[[str], bool] | None = None, limit: int | None = None) -> tuple[str, ...]:
        """Return the ids of the first notes of the list, those that `keep` accepts."""
        docs = [doc for doc in self._layers.documents.values() if keep is None or keep(doc.id)]
        return tuple(doc.id for doc in heapq.nsmallest(len(docs) if limit is None else limit, docs, key=_place))

    def search(
        self, query: str, keep: Callable[[str], bool] | None = None, limit: int | None = None
    ) -> tuple[Hit, ...]:
        """Return the notes that match, best first, ties in list order; a blank query gives the first notes at 0."""
        if not query.strip():
            return tuple(Hit(id, 0.0) for id in self.first(keep, limit))
        lowered, words = query.lower(), Counter(tokens(query))
        found: list[tuple[float, Doc]] = []
        for layer in self._layers.layers():
            found.extend(_matches(layer, layer.part.scores(lowered, words), keep, limit))
        found.sort(key=lambda each: (-each[0], each[1].order, each[1].id))
        return tuple(Hit(doc.id, score) for score, doc in found[:limit])


def _matches(
    layer: Layer[Doc, _Part],
    scores: NDArray[np.float64],
    keep: Callable[[str], bool] | None,
    limit: int | None,
) -> Iterable[tuple[float, Doc]]:
    """Return the scored notes of one layer that can be among the best `limit` of all, ties included."""
    rows = np.flatnonzero((scores > 0) & layer.alive)
    if keep is not None:
        rows = np.array([row for row in rows.tolist() if keep(layer.documents[row].id)], dtype=np.intp)
    if limit is not None and len(rows) > limit > 0:
        least = np.partition(scores[rows], len(rows) - limit)[len(rows) - limit]
        rows = rows[scores[rows] >= least]
    return [(float(scores[row]), layer.documents[row]) for row in rows.tolist()]


def _place(doc: Doc) -> tuple[SortKey, str]:
    return doc.order, doc.id
