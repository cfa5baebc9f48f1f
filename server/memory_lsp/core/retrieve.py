"""From a query to the notes that belong to it: seeds, the walk along the graph, the filter, the cap."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from memory_lsp.core.cascade import Step, Via, path_to, trace
from memory_lsp.core.vectors import Seed, vector_seeds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memory_lsp.core.cascade import Hit
    from memory_lsp.core.graph import Graph
    from memory_lsp.core.keyword import KeywordIndex
    from memory_lsp.core.vectors import Vectors

SeedMode = Literal["vector", "keyword", "hybrid"]
Ranker = Literal["cascade", "spread"]

_SEED_STEP = 0.05


@dataclass(frozen=True, slots=True)
class Corpus:
    """What retrieval looks at: the index of one memory directory at one moment.

    `types` gives each note's type by id; `ids_by_hash` the notes of each content hash.
    """

    graph: Graph
    keywords: KeywordIndex
    vectors: Vectors
    ids_by_hash: Mapping[str, Sequence[str]]
    types: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Options:
    """How to retrieve; the defaults are those of the specification."""

    limit: int | None = 8
    types: Collection[str] | None = None
    ranker: Ranker = "cascade"
    seeds: int = 10
    threshold: float = 0.4
    max_depth: int = 2
    decay: float = 0.7


@dataclass(frozen=True, slots=True)
class Result:
    """A note that was found: `path` leads from the seed to it, `parts` sum to the score."""

    id: str
    score: float
    via: Via | None
    path: tuple[Step, ...]
    parts: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Answer:
    """The results, best first, and how they were found."""

    results: tuple[Result, ...]
    seed_mode: SeedMode
    ranker: Ranker


def retrieve(
    corpus: Corpus, query: str, vector: NDArray[np.floating] | None = None, options: Options | None = None
) -> Answer:
    """Return the notes that belong to a query; without its vector, or where none is near, by keywords.

    A blank query gives the first notes of the list.
    """
    options = options or Options()
    keep = _filter(corpus, options.types)
    if not query.strip() and vector is None:
        first = corpus.keywords.first(keep, options.limit)
        return Answer(tuple(_keyword_result(id, 0.0) for id in first), "keyword", options.ranker)
    seeds = _seeds_by_vector(corpus, vector, options)
    mode: SeedMode = "vector" if seeds else "keyword"
    if not seeds:
        seeds = _seeds_by_keyword(corpus, query, options.seeds)
    walked = trace(corpus.graph, seeds, max_depth=options.max_depth, decay=options.decay)
    hits = [hit for hit in walked.hits if keep is None or keep(hit.id)][: options.limit]
    if not hits:
        return Answer(_by_keyword(corpus, query, keep, options.limit), "keyword", options.ranker)
    return Answer(
        tuple(Result(hit.id, hit.score, hit.via, path_to(walked, hit.id), _parts(hit, mode)) for hit in hits),
        mode,
        options.ranker,
    )


def _filter(corpus: Corpus, types: Collection[str] | None) -> Callable[[str], bool] | None:
    if not types:
        return None
    wanted = frozenset(types)
    return lambda id: corpus.types.get(id) in wanted


def _seeds_by_vector(corpus: Corpus, vector: NDArray[np.floating] | None, options: Options) -> tuple[Seed, ...]:
    if vector is None or len(corpus.vectors) == 0:
        return ()
    return vector_seeds(corpus.vectors, corpus.ids_by_hash, vector, count=options.seeds, threshold=options.threshold)


def _seeds_by_keyword(corpus: Corpus, query: str, count: int) -> tuple[Seed, ...]:
    hits = corpus.keywords.search(query, limit=count)
    return tuple(Seed(hit.id, max(0.0, 1.0 - _SEED_STEP * rank)) for rank, hit in enumerate(hits))


def _by_keyword(
    corpus: Corpus, query: str, keep: Callable[[str], bool] | None, limit: int | None
) -> tuple[Result, ...]:
    seeds = corpus.keywords.search(query, keep, limit)
    return tuple(_keyword_result(hit.id, max(0.0, 1.0 - _SEED_STEP * rank)) for rank, hit in enumerate(seeds))


def _keyword_result(id: str, score: float) -> Result:
    return Result(id, score, None, (Step(id, None),), MappingProxyType({"keyword": score}))


def _parts(hit: Hit, mode: SeedMode) -> Mapping[str, float]:
    return MappingProxyType({("graph" if hit.via else mode): hit.score})
