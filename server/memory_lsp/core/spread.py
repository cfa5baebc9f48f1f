"""The spread ranker: energy flows from the best direct hits to their neighbours, and each note keeps its best path.

A note with evidence b has the energy b⁴. The five best notes pass theirs on: along a link e/√deg(source)/deg(target)^¼,
through a tag or a session of m notes e/√m, at most e/2, through a name that m notes share e/m. What arrives counts more
where it adds what the seed lacks: ×(1 + 2·g), g the share of the query's idf that the note covers and the seed does
not. score = b + the larger of the note's own energy and the best that arrived. So a hit that covers the whole query
stays first, and where no note does, those that complete each other rise together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from memory_lsp.core.cascade import Step
from memory_lsp.core.graph import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from memory_lsp.core.evidence import Evidence
    from memory_lsp.core.graph import Graph
    from memory_lsp.core.lexicon import Lexicon

_SEEDS = 5
_POWER = 4
_GAIN = 2.0
_GROUP_MOST = 0.5
_RARE, _RARE_SHARE = 10, 0.05
# A path that carries less changes no order worth having, and a hub would have thousands of them.
_LEAST = 0.05
_LEAST_FURTHER = 0.3
_PLACES = 9
_WALKED = (EdgeKind.RELATES_TO, EdgeKind.SUPERSEDES)
ENTITY, SESSION = "entity:", "session:"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row with its score: `direct` from its own evidence, the rest along `path` (empty where nothing better came).

    `standing` is what being superseded costs it.
    """

    row: int
    score: float
    direct: float
    path: tuple[Step, ...]
    standing: float = 0.0


_Hop: TypeAlias = "tuple[str, float, tuple[Step, ...]]"


@dataclass(frozen=True, slots=True)
class _Way:
    energy: float
    path: tuple[Step, ...]


class Spreader:
    """Walks one graph with the names of one lexicon; keeps nothing between queries."""

    def __init__(self, graph: Graph, lexicon: Lexicon, *, hops: int = 2, decay: float = 0.7) -> None:
        """Walk at most so many links from a seed; each after the first multiplies by `decay`."""
        self._graph = graph
        self._lexicon = lexicon
        self._hops = hops
        self._decay = decay
        self._links: dict[str, Mapping[str, EdgeKind]] = {}
        self._rare = max(_RARE, math.floor(_RARE_SHARE * len(lexicon)))

    def rank(self, evidence: Evidence, count: int, wanted: NDArray[np.bool_] | None = None) -> list[Ranked]:
        """Return the best `count` rows with evidence or energy, best first, and as many `wanted` ones."""
        total = evidence.total()
        arrived = self._arrived(evidence, total)
        energy = np.zeros(len(total))
        energy[list(arrived)] = [way.energy for way in arrived.values()]
        scores = total + np.maximum(total**_POWER, energy)
        rows = {*self._top(scores, count)}
        if wanted is not None:
            rows.update(self._top(np.where(wanted, scores, 0.0), count))
        evidence.refine(rows)
        total = evidence.total()
        ranked = [self._ranked(row, float(total[row]), arrived.get(row)) for row in rows]
        return sorted(ranked, key=lambda each: (-each.score, self._lexicon.ids[each.row] or ""))

    def alone(self, evidence: Evidence, row: int) -> Ranked:
        """Return a row ranked by nothing but its own evidence."""
        evidence.refine([row])
        return self._ranked(row, float(evidence.total()[row]), None)

    def _arrived(self, evidence: Evidence, total: NDArray[np.float64]) -> dict[int, _Way]:
        """Return the best way to each row that energy reaches."""
        arrived: dict[int, _Way] = {}
        masks = evidence.words.masks
        for seed in self._top(total, _SEEDS):
            ways = self._ways(seed, float(total[seed]) ** _POWER)
            rows = np.fromiter(ways, np.intp, len(ways))
            gains = evidence.words.covered(masks[rows] & ~masks[seed])
            for (row, way), gain in zip(ways.items(), gains.tolist(), strict=True):
                energy = way.energy * (1 + _GAIN * gain)
                if row not in arrived or energy > arrived[row].energy:
                    arrived[row] = _Way(energy, way.path)
        return arrived

    def _ranked(self, row: int, evidence: float, way: _Way | None) -> Ranked:
        own = evidence**_POWER
        if way is None or way.energy <= own:
            return Ranked(row, round(evidence + own, _PLACES), evidence + own, ())
        return Ranked(row, round(evidence + way.energy, _PLACES), evidence + own, way.path)

    def _top(self, total: NDArray[np.float64], count: int) -> list[int]:
        """Return the rows with the most evidence, ties by id."""
        rows = np.flatnonzero(total > 0)
        if len(rows) > count:
            least = np.partition(total[rows], len(rows) - count)[len(rows) - count]
            rows = rows[total[rows] >= least]
        ids = self._lexicon.ids
        return sorted(rows.tolist(), key=lambda row: (-total[row], ids[row] or ""))[:count]

    def _ways(self, seed: int, energy: float) -> dict[int, _Way]:
        """Return the best way from a seed to each row that it reaches, starting with some energy."""
        start = self._lexicon.ids[seed] or ""
        found: dict[str, _Way] = {start: _Way(math.inf, (Step(start, None),))}
        front = {start: _Way(energy, (Step(start, None),))}
        for hop in range(self._hops):
            following: dict[str, _Way] = {}
            for id, way in front.items():
                passed = way.energy * self._decay if hop else way.energy
                if passed < (_LEAST_FURTHER if hop else _LEAST):
                    continue
                for target, arriving, steps in self._paths(id, passed, grouped=hop == 0):
                    if arriving >= _LEAST and (target not in found or arriving > found[target].energy):
                        found[target] = following[target] = _Way(arriving, way.path + steps)
            front = following
        del found[start]
        return {row: way for id, way in found.items() if (row := self._lexicon.row_of(id)) is not None}

    def _paths(self, id: str, energy: float, *, grouped: bool) -> Iterator[_Hop]:
        """Yield the notes one hop away, with the energy that arrives there and the steps."""
        links = self._linked(id)
        share = energy / math.sqrt(len(links)) if links else 0.0
        if share >= _LEAST:
            for target, kind in links.items():
                yield target, share / len(self._linked(target)) ** 0.25, (Step(target, kind),)
        if grouped:
            yield from self._through_tags(id, energy)
            yield from self._through_names(id, energy)

    def _linked(self, id: str) -> Mapping[str, EdgeKind]:
        """Return the notes that links or supersedes tie to a note, with the first kind of edge."""
        if id not in self._links:
            kinds: dict[str, EdgeKind] = {}
            for each in self._graph.neighbours(id):
                if each.kind in _WALKED:
                    kinds.setdefault(each.id, each.kind)
            self._links[id] = kinds
        return self._links[id]

    def _through_tags(self, id: str, energy: float) -> Iterator[_Hop]:
        for tag in self._graph.neighbours(id):
            if tag.kind is EdgeKind.HAS_TAG:
                members = self._graph.neighbours(tag.id)
                share = energy * _group_share(len(members))
                if share >= _LEAST:
                    for member in members:
                        yield member.id, share, (Step(tag.id, tag.kind), Step(member.id, tag.kind))

    def _through_names(self, id: str, energy: float) -> Iterator[_Hop]:
        row = self._lexicon.row_of(id)
        for name in self._lexicon.names_of(row) if row is not None else ():
            rows = self._lexicon.naming(name)
            session = name.startswith(SESSION)
            if len(rows) < 2 or (len(rows) > self._rare and not session):
                continue
            share = energy * (_group_share(len(rows)) if session else 1 / len(rows))
            hub, kind = (name, EdgeKind.SAME_SESSION) if session else (ENTITY + name, EdgeKind.MENTIONS)
            if share >= _LEAST:
                for other in rows.tolist():
                    target = self._lexicon.ids[other] or ""
                    yield target, share, (Step(hub, kind), Step(target, kind))


def _group_share(size: int) -> float:
    return min(_GROUP_MOST, 1 / math.sqrt(size)) if size > 1 else 0.0
