"""Retrieval as the specification has it: seeds, the cascade, the filter, the cap."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from memory_lsp.core.cascade import Step, path_to, trace
from memory_lsp.core.corpus import Answer, Result, type_filter
from memory_lsp.core.standing import newest
from memory_lsp.core.vectors import Seed, vector_seeds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from memory_lsp.core.cascade import Hit
    from memory_lsp.core.corpus import Corpus, Options, SeedMode

_SEED_STEP = 0.05


def by_cascade(corpus: Corpus, query: str, vector: NDArray[np.floating] | None, options: Options) -> Answer:
    """Return what the cascade finds from the nearest vectors, or, where none is near, from the best keywords."""
    keep = shown(corpus, options)
    seeds = _seeds_by_vector(corpus, vector, options)
    mode: SeedMode = "vector" if seeds else "keyword"
    if options.near and not any(seed.score >= options.near for seed in seeds):
        return Answer((), "keyword" if vector is None else "vector", "cascade")
    if not seeds:
        hits = corpus.keywords.search(query, limit=options.seeds)
        seeds = tuple(Seed(hit.id, _rank_score(rank)) for rank, hit in enumerate(hits))
    walked = trace(corpus.graph, seeds, max_depth=options.max_depth, decay=options.decay)
    fades = options.recency.weight > 0
    limit = None if fades else options.limit  # any note may rise
    found = walked.best(keep, limit)
    if found:
        results = tuple(Result(hit.id, hit.score, hit.via, path_to(walked, hit.id), _parts(hit, mode)) for hit in found)
    else:
        results, mode = _by_keyword(corpus, query, keep, limit), "keyword"
    return Answer(_faded(corpus, results, options) if fades else results, mode, "cascade")


def keyword_result(id: str, score: float) -> Result:
    """Return a result that only words speak for."""
    return Result(id, score, None, (Step(id, None),), MappingProxyType({"keyword": score}))


def shown(corpus: Corpus, options: Options) -> Callable[[str], bool] | None:
    """Return what tells whether a note may be in the answer; None where all may."""
    keep = type_filter(corpus, options.types)
    if options.superseded != "hide":
        return keep
    return lambda id: not newest(corpus.graph, id) and (keep is None or keep(id))


def _faded(corpus: Corpus, results: tuple[Result, ...], options: Options) -> tuple[Result, ...]:
    """Return the results with what age takes from their scores, best first."""
    loss = options.recency.loss(corpus.days)
    faded = list[Result]()
    for result in results:
        lost = loss(result.id, result.score)
        parts = MappingProxyType({**result.parts, "recency": lost}) if lost else result.parts
        faded.append(replace(result, score=result.score + lost, parts=parts))
    return tuple(sorted(faded, key=lambda each: (-each.score, each.id))[: options.limit])


def _seeds_by_vector(corpus: Corpus, vector: NDArray[np.floating] | None, options: Options) -> tuple[Seed, ...]:
    if vector is None or len(corpus.vectors) == 0:
        return ()
    return vector_seeds(corpus.vectors, corpus.ids_by_hash, vector, count=options.seeds, threshold=options.threshold)


def _by_keyword(
    corpus: Corpus, query: str, keep: Callable[[str], bool] | None, limit: int | None
) -> tuple[Result, ...]:
    hits = corpus.keywords.search(query, keep, limit)
    return tuple(keyword_result(hit.id, _rank_score(rank)) for rank, hit in enumerate(hits))


def _rank_score(rank: int) -> float:
    return max(0.0, 1.0 - _SEED_STEP * rank)


def _parts(hit: Hit, mode: SeedMode) -> Mapping[str, float]:
    return MappingProxyType({("graph" if hit.via else mode): hit.score})
