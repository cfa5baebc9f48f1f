"""The rankers that are compared, each a function from a query to ids, best first."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from memory_lsp.core.evidence import Sight, weigh
from memory_lsp.core.retrieve import Corpus, Options, Ranker, Recency, retrieve
from memory_lsp.core.vectors import vector_seeds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32] | None"
Rank: TypeAlias = "Callable[[Corpus, str, Vector], list[str]]"

_POOL = 100


@dataclass(frozen=True, slots=True)
class Product:
    """A ranker of the product, as `memory/retrieve` calls it."""

    options: Options

    def __call__(self, corpus: Corpus, query: str, vector: Vector) -> list[str]:
        return [result.id for result in retrieve(corpus, query, vector, self.options).results]


def cosine(corpus: Corpus, query: str, vector: Vector) -> list[str]:
    """Rank by the vectors alone."""
    if vector is None:
        return []
    seeds = vector_seeds(corpus.vectors, corpus.ids_by_hash, vector, count=_POOL, threshold=-1.0)
    return [seed.id for seed in seeds]


def bm25(corpus: Corpus, query: str, vector: Vector) -> list[str]:
    """Rank by the words alone."""
    return _best(corpus, corpus.lexicon.words(query).scores)


def fusion(corpus: Corpus, query: str, vector: Vector) -> list[str]:
    """Fuse both rankings by the sum of 1 / (60 + rank)."""
    scores: dict[str, float] = {}
    for ranking in (cosine(corpus, query, vector), bm25(corpus, query, vector)):
        for rank, id in enumerate(ranking):
            scores[id] = scores.get(id, 0.0) + 1 / (61 + rank)
    return sorted(scores, key=lambda id: (-scores[id], id))


def evidence(corpus: Corpus, query: str, vector: Vector) -> list[str]:
    """Rank by what speaks for each note by itself: the ranker "spread" without its graph."""
    sight = None
    if vector is not None and len(corpus.vectors):
        sight = Sight(corpus.vectors, corpus.lexicon.vector_rows(corpus.vectors, corpus.ids_by_hash), vector)
    return _best(corpus, weigh(corpus.lexicon, query, sight).total())


def product(ranker: Ranker) -> Product:
    """Return a ranker of the product with its defaults."""
    return Product(replace(Options(), ranker=ranker))


def with_recency(rank: Rank, weight: float) -> Rank:
    """Return a ranker of the product that prefers newer notes, any other as it is."""
    if not isinstance(rank, Product):
        return rank
    return replace(rank, options=replace(rank.options, recency=Recency(weight)))


def ages(corpus: Corpus) -> dict[str, int]:
    """Return a day for each note, drawn from two years by the hash of its id: the labelled sets have no dates."""
    ids = [id for id in corpus.lexicon.ids if id is not None]
    return {id: int.from_bytes(hashlib.sha256(id.encode()).digest()[:4], "big") % 730 for id in ids}


RANKERS: dict[str, Rank] = {
    "cosine": cosine,
    "bm25": bm25,
    "fusion": fusion,
    "evidence": evidence,
    "cascade": product("cascade"),
    "spread": product("spread"),
}


def _best(corpus: Corpus, scores: NDArray[np.float64]) -> list[str]:
    rows = np.flatnonzero(scores > 0).tolist()
    rows.sort(key=lambda row: (-scores[row], corpus.lexicon.ids[row] or ""))
    return [corpus.lexicon.ids[row] or "" for row in rows[:_POOL]]
