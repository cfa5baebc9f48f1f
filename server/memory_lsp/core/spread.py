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
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.cascade import Step
from memory_lsp.core.graph import EdgeKind
from memory_lsp.core.lexicon import SESSION
from memory_lsp.core.standing import contradicting

if TYPE_CHECKING:
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
_ENTITY = "entity:"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A row with its score: `direct` from its own evidence, the rest along `path` (empty where nothing better came).

    `standing` is what being superseded costs it, `aged` what its age does.
    """

    row: int
    score: float
    direct: float
    path: tuple[Step, ...]
    standing: float = 0.0
    aged: float = 0.0


class _Ways:
    """The best ways from one seed: the energy that arrives at each row, and what it came through.

    A hub may have hundreds of members, so those who came through one are kept in arrays (rows,).
    """

    __slots__ = ("_came", "_hub_of", "_hubs", "_ids", "energy", "seed")

    def __init__(self, seed: int, ids: list[str | None]) -> None:
        self.seed = seed
        self.energy = np.zeros(len(ids))
        self._ids = ids
        self._came: dict[int, tuple[tuple[Step, ...], EdgeKind]] = {}
        self._hubs: list[tuple[str, EdgeKind]] = []
        self._hub_of = np.full(len(ids), -1, dtype=np.int32)

    def through(self, hub: str, kind: EdgeKind, rows: NDArray[np.intp], share: float) -> None:
        """Let a share arrive at the members of a hub, where nothing better did."""
        better = rows[(self.energy[rows] < share) & (rows != self.seed)]
        self.energy[better] = share
        self._hub_of[better] = len(self._hubs)
        self._hubs.append((hub, kind))

    def along(self, path: tuple[Step, ...], kind: EdgeKind, row: int, share: float) -> bool:
        """Let a share arrive along a link from the end of a path; tell whether it is the best so far."""
        if row == self.seed or share <= self.energy[row]:
            return False
        self.energy[row] = share
        self._came[row] = path, kind
        self._hub_of[row] = -1
        return True

    def path(self, row: int) -> tuple[Step, ...]:
        """Return the steps of the best way to a row."""
        id = self._ids[row] or ""
        if self._hub_of[row] >= 0:
            hub, kind = self._hubs[self._hub_of[row]]
            return Step(self._ids[self.seed] or "", None), Step(hub, kind), Step(id, kind)
        if row == self.seed:
            return (Step(id, None),)
        before, kind = self._came[row]
        return (*before, Step(id, kind))


@dataclass(frozen=True, slots=True)
class _Reach:
    """What the seeds pass on: the best energy that arrives at each row (rows,), and which of `ways` it took."""

    energy: NDArray[np.float64]
    taken: NDArray[np.int8]
    ways: list[_Ways]


class Spreader:
    """Walks one graph with the names of one lexicon; keeps nothing between queries."""

    def __init__(self, graph: Graph, lexicon: Lexicon, *, hops: int = 2, decay: float = 0.7) -> None:
        """Walk at most so many links from a seed; each after the first multiplies by `decay`."""
        self._graph = graph
        self._lexicon = lexicon
        self._hops = hops
        self._decay = decay
        self._rare = max(_RARE, math.floor(_RARE_SHARE * len(lexicon)))

    def rank(self, evidence: Evidence, count: int, wanted: NDArray[np.bool_] | None = None) -> list[Ranked]:
        """Return the best `count` rows with evidence or energy, best first, and as many `wanted` ones."""
        total = evidence.total()
        reach = self._reach(evidence, total)
        scores = total + np.maximum(total**_POWER, reach.energy)
        rows = {*self._top(scores, count)}
        if wanted is not None:
            rows.update(self._top(np.where(wanted, scores, 0.0), count))
        evidence.refine(rows)
        total = evidence.total()
        ranked = [self._ranked(row, float(total[row]), reach) for row in rows]
        return sorted(ranked, key=lambda each: (-each.score, self._lexicon.ids[each.row] or ""))

    def alone(self, evidence: Evidence, row: int) -> Ranked:
        """Return a row ranked by nothing but its own evidence."""
        evidence.refine([row])
        return self._ranked(row, float(evidence.total()[row]), None)

    def _reach(self, evidence: Evidence, total: NDArray[np.float64]) -> _Reach:
        """Return what the best rows pass on to all others."""
        reach = _Reach(np.zeros(len(total)), np.zeros(len(total), dtype=np.int8), [])
        masks = evidence.words.masks
        for number, seed in enumerate(self._top(total, _SEEDS)):
            ways = self._ways(seed, float(total[seed]) ** _POWER)
            rows = np.flatnonzero(ways.energy)
            gains = evidence.words.covered(masks[rows] & ~masks[seed])
            energy = ways.energy[rows] * (1 + _GAIN * gains)
            better = energy > reach.energy[rows]
            reach.energy[rows[better]] = energy[better]
            reach.taken[rows[better]] = number
            reach.ways.append(ways)
        return reach

    def _ranked(self, row: int, evidence: float, reach: _Reach | None) -> Ranked:
        own = evidence**_POWER
        arrived = 0.0 if reach is None else float(reach.energy[row])
        if reach is None or arrived <= own:
            return Ranked(row, round(evidence + own, _PLACES), evidence + own, ())
        path = reach.ways[reach.taken[row]].path(row)
        return Ranked(row, round(evidence + arrived, _PLACES), evidence + own, path)

    def _top(self, total: NDArray[np.float64], count: int) -> list[int]:
        """Return the rows with the most evidence, ties by id."""
        rows = np.flatnonzero(total > 0)
        if len(rows) > count:
            least = np.partition(total[rows], len(rows) - count)[len(rows) - count]
            rows = rows[total[rows] >= least]
        ids = self._lexicon.ids
        return sorted(rows.tolist(), key=lambda row: (-total[row], ids[row] or ""))[:count]

    def _ways(self, seed: int, energy: float) -> _Ways:
        """Return the best ways from a seed that starts with some energy."""
        ways = _Ways(seed, self._lexicon.ids)
        if self._hops < 1 or energy < _LEAST:
            return ways
        self._pass_on(ways, seed, energy)
        self._through_groups(ways, energy)
        self._through_names(ways, energy)
        least = _LEAST_FURTHER / self._decay if self._decay else math.inf
        front = np.flatnonzero(ways.energy >= least).tolist()
        for _ in range(1, self._hops):
            # The order decides between ways of equal energy; rows differ from one lexicon of the same notes to another.
            front = sorted(front, key=lambda row: (-ways.energy[row], self._lexicon.ids[row]))
            passed = [(row, float(ways.energy[row]) * self._decay) for row in front]
            reached = [other for row, share in passed for other in self._pass_on(ways, row, share)]
            front = [row for row in dict.fromkeys(reached) if ways.energy[row] >= least]
        # Neither does a tag that both bear, or a name, let a note lift one that it contradicts.
        for id in contradicting(self._graph, self._lexicon.ids[seed] or ""):
            if (row := self._lexicon.row_of(id)) is not None:
                ways.energy[row] = 0.0
        return ways

    def _pass_on(self, ways: _Ways, row: int, energy: float) -> list[int]:
        """Pass energy along the links of a row; return the rows where it is the best that arrived so far."""
        links = self._graph.links(self._lexicon.ids[row] or "")
        share = energy / math.sqrt(len(links)) if links else 0.0
        if share < _LEAST:
            return []
        path, reached = ways.path(row), list[int]()
        for id, kind in links.items():
            target = self._lexicon.row_of(id)
            arriving = share / len(self._graph.links(id)) ** 0.25
            if target is not None and arriving >= _LEAST and ways.along(path, kind, target, arriving):
                reached.append(target)
        return reached

    def _through_groups(self, ways: _Ways, energy: float) -> None:
        for group in self._lexicon.groups_of(ways.seed):
            rows = self._lexicon.grouped(group)
            share = energy * _group_share(len(rows))
            if share >= _LEAST:
                kind = EdgeKind.SAME_SESSION if group.startswith(SESSION) else EdgeKind.HAS_TAG
                ways.through(group, kind, rows, share)

    def _through_names(self, ways: _Ways, energy: float) -> None:
        for name in self._lexicon.names_of(ways.seed):
            rows = self._lexicon.naming(name)
            if 2 <= len(rows) <= self._rare and energy / len(rows) >= _LEAST:
                ways.through(_ENTITY + name, EdgeKind.MENTIONS, rows, energy / len(rows))


def _group_share(size: int) -> float:
    return min(_GROUP_MOST, 1 / math.sqrt(size)) if size > 1 else 0.0
