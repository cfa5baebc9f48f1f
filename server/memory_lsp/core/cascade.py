"""The cascade of the specification: scores flow from the seeds along the edges, breadth first, the first path wins."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from memory_lsp.core.graph import WEIGHTS, EdgeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from memory_lsp.core.graph import Graph
    from memory_lsp.core.vectors import Seed


@dataclass(frozen=True, slots=True)
class Via:
    """The node a score came from, and along which kind of edge."""

    source: str
    kind: EdgeKind


@dataclass(frozen=True, slots=True)
class Step:
    """One node of a path; `kind` is the edge that leads to it, None at the seed."""

    id: str
    kind: EdgeKind | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A note with its score; a seed has no `via`."""

    id: str
    score: float
    via: Via | None


@dataclass(frozen=True, slots=True)
class Trace:
    """The hits of a cascade, best first, and how each node was reached, tags and clusters included.

    `ranked` holds them as plain tuples (score below zero, id), of which a cascade makes thousands to give eight.
    """

    ranked: Sequence[tuple[float, str]]
    reached: Mapping[str, Via | None]

    @property
    def hits(self) -> tuple[Hit, ...]:
        """Return all hits."""
        return self.best(None, None)

    def best(self, keep: Callable[[str], bool] | None, limit: int | None) -> tuple[Hit, ...]:
        """Return the best hits among those whose ids are to be kept."""
        kept = (pair for pair in self.ranked if keep is None or keep(pair[1]))
        return tuple(Hit(id, -score, self.reached[id]) for score, id in islice(kept, limit))


def trace(graph: Graph, seeds: Iterable[Seed], *, max_depth: int = 2, decay: float = 0.7) -> Trace:
    """Walk from the seeds; hits are uncapped, by score descending, then id.

    Crossing an edge multiplies a score by the edge's weight and by `decay`. A seed that the graph does not know is a
    hit without neighbours; a tag or a cluster is never one. Of a seed given twice the higher score counts, and the
    first spreads.
    """
    seeds = tuple(seeds)
    scores: dict[str, float] = {}
    for seed in seeds:
        scores[seed.id] = max(seed.score, scores.get(seed.id, seed.score))
    reached: dict[str, Via | None] = dict.fromkeys(scores)
    ranked = [(-score, id) for id, score in scores.items() if graph.has_note(id) or id not in graph]
    queue = deque((seed.id, seed.score, 0) for seed in seeds if max_depth > 0)
    while queue:
        id, score, depth = queue.popleft()
        # A tag may lead to every note there is, by one kind of edge: what all of them share is made once.
        crossed: dict[EdgeKind, tuple[Via, float]] = {}
        deeper = depth + 1 < max_depth
        for neighbour in graph.neighbours(id):
            at, kind = neighbour.id, neighbour.kind
            if at in reached or kind is EdgeKind.CONTRADICTS:
                continue
            if kind not in crossed:
                crossed[kind] = Via(id, kind), score * WEIGHTS[kind] * decay
            via, passed = crossed[kind]
            reached[at] = via
            if graph.has_note(at):
                ranked.append((-passed, at))
            if deeper:
                queue.append((at, passed, depth + 1))
    ranked.sort()
    return Trace(ranked, reached)


def cascade(graph: Graph, seeds: Iterable[Seed], *, max_depth: int = 2, decay: float = 0.7) -> tuple[Hit, ...]:
    """Return the hits of `trace`."""
    return trace(graph, seeds, max_depth=max_depth, decay=decay).hits


def path_to(walked: Trace, id: str) -> tuple[Step, ...]:
    """Return the way from the seed to a node that was reached, both included; empty for any other."""
    steps: list[Step] = []
    at: str | None = id if id in walked.reached else None
    while at is not None:
        via = walked.reached[at]
        steps.append(Step(at, via.kind if via else None))
        at = via.source if via else None
    return tuple(reversed(steps))
