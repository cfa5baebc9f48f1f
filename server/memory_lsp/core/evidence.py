"""What speaks for each note by itself: how near its vector is, its words, its name in the query.

evidence = v·cosine/max + k·BM25/max + t·[the name stands in the query], scaled to at most 1. v = 0.65 and k = 0.35; the
better one note covers the query's words, the more the words count, up to k = 0.65: such a query quotes what it looks
for. Without vectors k = 1. The constants are from grid searches on four labelled sets (`docs/retrieval.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.stop_words import STOP_WORDS
from memory_lsp.core.tokens import UNSPACED_RUN, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from memory_lsp.core.lexicon import Lexicon, Words
    from memory_lsp.core.vectors import Bearers, Vectors

_VECTOR, _KEYWORD, _TITLE = 0.65, 0.35, 0.4
_SHIFT, _COVERED = 0.3, 0.8
_LONGEST_TITLE = 12
_LONGEST_QUERY = 200
_REFINED = 32
_PLACES = 9


@dataclass(frozen=True, slots=True)
class Sight:
    """The vectors of a lexicon's rows as a query sees them."""

    vectors: Vectors
    bearers: Bearers
    query: NDArray[np.floating]

    def rough(self) -> NDArray[np.float64]:
        """Return the cosine of each row, 0 where it has no vector or points away."""
        return self.bearers.nearest(self.vectors.cosine(self.query))

    def exactly(self, rows: Iterable[int]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return those of some rows that have a vector, and their cosines, the same on every machine."""
        return self.bearers.exact(rows, self.vectors, self.query)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for every row of a lexicon, as the three arrays (rows,) that it is the sum of."""

    words: Words
    cosines: NDArray[np.float64]
    per_cosine: float
    keyword: NDArray[np.float64]
    title: NDArray[np.float64]
    sight: Sight | None

    @property
    def vector(self) -> NDArray[np.float64]:
        """Return the part that the vectors give."""
        return self.cosines * self.per_cosine

    def total(self) -> NDArray[np.float64]:
        """Return the evidence."""
        total: NDArray[np.float64] = np.round(self.vector + self.keyword + self.title, _PLACES)
        return total

    def fit(self) -> float:
        """Return how well the best row fits the query, about 0 to 1, on one scale for all queries.

        0.5·cosine + 0.5·BM25 over the most that any text could have; without vectors the second alone.
        """
        if not len(self.cosines):
            return 0.0
        words = self.words.scores / (self.words.most or 1.0)
        fits = words if self.sight is None else (self.cosines + words) / 2
        return round(float(fits.max()), _PLACES)

    def refine(self, rows: Iterable[int]) -> None:
        """Make the cosines of some rows the same on every machine; they change by less than a millionth."""
        if self.sight is not None:
            chosen, cosines = self.sight.exactly(rows)
            self.cosines[chosen] = cosines


def weigh(lexicon: Lexicon, query: str, sight: Sight | None) -> Evidence:
    """Return the evidence for each row; the best 32 rows have cosines that are the same on every machine."""
    found = lexicon.words(query)
    named = np.zeros(len(found.scores))
    named[titled(lexicon, query)] = 1.0
    if sight is None or not (cosines := sight.rough()).any():
        return _combined(found, np.zeros(len(named)), named, (0.0, 1.0), None)
    weights = _weights(found)
    rough = _combined(found, cosines, named, weights, None).total()
    chosen, exact = sight.exactly({*best(rough, _REFINED).tolist(), *best(cosines, _REFINED).tolist()})
    cosines[chosen] = exact
    return _combined(found, cosines, named, weights, sight)


def titled(lexicon: Lexicon, query: str) -> NDArray[np.intp]:
    """Return the rows of the notes whose name stands in a query; a name inside a longer one does not count."""
    spoken = words(query)[:_LONGEST_QUERY]
    found: list[NDArray[np.intp]] = []
    taken = [False] * len(spoken)
    for length in range(min(len(spoken), _LONGEST_TITLE), 0, -1):
        for start in range(len(spoken) - length + 1):
            key = " ".join(spoken[start : start + length])
            if len(key) > 1 and key not in STOP_WORDS and not all(taken[start : start + length]):
                rows = lexicon.titled(key)
                if len(rows):
                    found.append(rows)
                    taken[start : start + length] = [True] * length
    for run in filter(UNSPACED_RUN.fullmatch, spoken):
        pieces = {run[at : at + size] for size in range(2, _LONGEST_TITLE + 1) for at in range(len(run) - size + 1)}
        found += [lexicon.titled(piece) for piece in pieces]
    return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.intp)


def best(values: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return the positions of the `count` largest values, in no order."""
    if len(values) <= count:
        return np.arange(len(values))
    return np.argpartition(-values, count)[:count]


def _weights(found: Words) -> tuple[float, float]:
    """Return how much vectors and words count, by the share of the query that one of the best notes covers."""
    top = best(found.scores, 3)
    covered = float(found.covered(found.masks[top]).max(initial=0.0))
    shift = _SHIFT * min(max((covered - _COVERED) / (1 - _COVERED), 0.0), 1.0)
    return _VECTOR - shift, _KEYWORD + shift


def _combined(
    found: Words,
    cosines: NDArray[np.float64],
    named: NDArray[np.float64],
    weights: tuple[float, float],
    sight: Sight | None,
) -> Evidence:
    per_cosine = weights[0] / _most(cosines)
    keyword, title = found.scores * (weights[1] / _most(found.scores)), _TITLE * named
    scale = _most(cosines * per_cosine + keyword + title)
    return Evidence(found, cosines, per_cosine / scale, keyword / scale, title / scale, sight)


def _most(values: NDArray[np.float64]) -> float:
    return float(values.max(initial=0.0)) or 1.0
