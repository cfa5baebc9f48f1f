"""Retrieval by evidence and spreading: all notes are weighed, the best pass on to their neighbours."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.cascade import Step, Via
from memory_lsp.core.corpus import Answer, Result, type_filter
from memory_lsp.core.evidence import Sight, weigh
from memory_lsp.core.graph import EdgeKind
from memory_lsp.core.spread import Spreader
from memory_lsp.core.standing import settle, together

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from memory_lsp.core.corpus import Corpus, Options, SeedMode
    from memory_lsp.core.evidence import Evidence
    from memory_lsp.core.spread import Ranked

# How many notes are ranked for an answer without a limit, and at least.
_RANKED = 32
# How many times as many where age changes their order.
_FADING = 4


def by_spread(corpus: Corpus, query: str, vector: NDArray[np.floating] | None, options: Options) -> Answer:
    """Return the notes that evidence and graph speak for."""
    lexicon, keep = corpus.lexicon, type_filter(corpus, options.types)
    sight = None
    if vector is not None and len(corpus.vectors):
        sight = Sight(corpus.vectors, lexicon.vector_rows(corpus.vectors, corpus.ids_by_hash), vector)
    evidence = weigh(lexicon, query, sight)
    mode, fit = _mode(evidence), evidence.fit()
    if fit < options.min_fit or evidence.cosines.max(initial=0.0) < options.near:
        return Answer((), mode, "spread", fit)
    spreader = Spreader(corpus.graph, lexicon, hops=options.max_depth, decay=options.decay)
    wanted = None if keep is None else np.array([id is not None and keep(id) for id in lexicon.ids], dtype=np.bool_)
    pool = max(_RANKED, 2 * (options.limit or 0)) * (_FADING if options.recency.weight else 1)
    ranks = spreader.rank(evidence, pool, wanted)
    ranked = {lexicon.ids[each.row] or "": each for each in ranks}

    def rank(id: str) -> Ranked | None:
        row = lexicon.row_of(id)
        return None if row is None else spreader.alone(evidence, row)

    fade = _fade(corpus, options)
    settled = settle(corpus.graph, ranked, rank, options.superseded, fade)
    found = [(id, each) for id, each in settled if keep is None or keep(id)]
    found = [(id, each) for id, each in found if each.score >= options.gap * found[0][1].score]
    chosen = dict(found[: options.limit])
    partners = together(corpus.graph, tuple(chosen), options.limit)
    others = {id: fade(id, each) for id in partners if (keep is None or keep(id)) and (each := rank(id)) is not None}
    results = _results(evidence, chosen, others, partners, options.limit)
    return Answer(results, mode, "spread", fit)


def _fade(corpus: Corpus, options: Options) -> Callable[[str, Ranked], Ranked]:
    """Return what takes from a ranked note what its age costs."""
    if not options.recency.weight:
        return lambda id, ranked: ranked
    loss = options.recency.loss(corpus.days)

    def fade(id: str, ranked: Ranked) -> Ranked:
        lost = loss(id, ranked.score)
        return replace(ranked, score=round(ranked.score + lost, 9), aged=lost)

    return fade


def _results(
    evidence: Evidence,
    chosen: Mapping[str, Ranked],
    others: Mapping[str, Ranked],
    partners: Mapping[str, str],
    limit: int | None,
) -> tuple[Result, ...]:
    """Return the answer, in which the notes of `others` take the last places, each beside its partner."""
    kept = list(chosen)[: None if limit is None else limit - len(others)]
    results = [_result(evidence, id, chosen[id]) for id in kept]
    for id, each in others.items():
        path = (Step(partners[id], None), Step(id, EdgeKind.CONTRADICTS))
        results.append(_result(evidence, id, each, path))
    return tuple(sorted(results, key=lambda result: (-result.score, result.id)))


def _mode(evidence: Evidence) -> SeedMode:
    if evidence.sight is None:
        return "keyword"
    return "hybrid" if evidence.keyword.any() else "vector"


def _result(evidence: Evidence, id: str, ranked: Ranked, path: tuple[Step, ...] = ()) -> Result:
    path = path or ranked.path or (Step(id, None),)
    via = Via(path[-2].id, path[-1].kind) if len(path) > 1 and path[-1].kind is not None else None
    return Result(id, ranked.score, via, path, _parts(evidence, ranked))


def _parts(evidence: Evidence, ranked: Ranked) -> Mapping[str, float]:
    """Return the summands of a score: evidence and own energy share theirs, the graph has the rest."""
    row = ranked.row
    parts = {
        "vector": float(evidence.cosines[row]) * evidence.per_cosine,
        "keyword": float(evidence.keyword[row]),
        "title": float(evidence.title[row]),
    }
    whole = sum(parts.values())
    stretch = ranked.direct / whole if whole else 0.0
    parts = {name: part * stretch for name, part in parts.items()}
    parts["graph"] = ranked.score - ranked.standing - ranked.aged - ranked.direct
    parts["superseded"] = ranked.standing
    parts["recency"] = ranked.aged
    return MappingProxyType({name: part for name, part in parts.items() if abs(part) > 1e-9})
