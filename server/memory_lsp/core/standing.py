"""What the notes say of each other's truth: a successor comes before what it replaces, contradictions come together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from memory_lsp.core.cascade import Step
from memory_lsp.core.graph import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from memory_lsp.core.graph import Graph
    from memory_lsp.core.spread import Ranked

Superseded = Literal["demote", "hide", "show"]

_DEMOTED = 0.5
_BELOW = 0.98


def successors(graph: Graph, id: str) -> tuple[str, ...]:
    """Return the notes that supersede a note directly."""
    return _related(graph, id, EdgeKind.SUPERSEDES, "in")


def contradicting(graph: Graph, id: str) -> tuple[str, ...]:
    """Return the notes that contradict a note, whichever of the two says so."""
    return tuple(dict.fromkeys(each.id for each in graph.neighbours(id) if each.kind is EdgeKind.CONTRADICTS))


def newest(graph: Graph, id: str) -> tuple[str, ...]:
    """Return the ends of a note's supersede chain, itself excluded; none where the chain is a circle."""
    seen, todo, ends = {id}, list(successors(graph, id)), list[str]()
    while todo:
        at = todo.pop(0)
        if at not in seen:
            seen.add(at)
            after = successors(graph, at)
            todo += after
            if not after:
                ends.append(at)
    return tuple(ends)


def settle(
    graph: Graph,
    ranked: Mapping[str, Ranked],
    rank: Callable[[str], Ranked | None],
    mode: Superseded,
    fade: Callable[[str, Ranked], Ranked],
) -> list[tuple[str, Ranked]]:
    """Let the newest note of each chain have the best score of the chain, and take the others down or out.

    `rank` ranks a note that is not among `ranked` by its own evidence. `fade` takes from a note what age takes: from
    what a successor has by then, so that it does not inherit its predecessor's age. The scores of superseded notes are
    halved, and stay below those of their successors. In the mode "show" nothing but that fading changes.
    """
    settled = dict(ranked)
    if mode == "show":
        return sorted(((id, fade(id, each)) for id, each in settled.items()), key=_order)
    heirs = {id: newest(graph, id) for id in ranked}
    for id, ends in heirs.items():
        for end in ends:
            heir = settled.get(end) or rank(end)
            if heir is not None:
                settled[end] = _risen(heir, end, id, ranked[id])
    settled = {id: fade(id, each) for id, each in settled.items()}
    old = [id for id, ends in heirs.items() if any(end in settled for end in ends)]
    if mode == "hide":
        for id in old:
            del settled[id]
    else:
        _take_down(graph, settled, old)
    return sorted(settled.items(), key=_order)


def together(graph: Graph, chosen: Sequence[str], limit: int | None) -> dict[str, str]:
    """Return the notes to show because they contradict one of the first chosen notes, each with that note.

    They take the last places of the answer, with the scores they have themselves: no note lifts one that contradicts
    it. A note that something supersedes is settled, and stays out.
    """
    partners: dict[str, str] = {}
    for place, id in enumerate(chosen):
        for other in contradicting(graph, id):
            if other in chosen or other in partners or successors(graph, other):
                continue
            if limit is None or place + 1 + len(partners) < limit:
                partners[other] = id
    return partners


def _risen(heir: Ranked, end: str, id: str, old: Ranked) -> Ranked:
    if heir.score >= old.score:
        return heir
    path = old.path or (Step(id, None),)
    return replace(heir, score=old.score, path=(*path, Step(end, EdgeKind.SUPERSEDES)))


def _take_down(graph: Graph, settled: dict[str, Ranked], old: Collection[str]) -> None:
    """Halve the scores of superseded notes, newest first, so that a chain comes in its order."""
    done: set[str] = set()

    def lower(id: str, above: frozenset[str]) -> None:
        if id in done or id not in settled or id in above:
            return
        after = successors(graph, id)
        for other in after:
            lower(other, above | {id})
        done.add(id)
        if id in old:
            limits = [settled[other].score * _BELOW for other in after if other in settled]
            score = round(min([settled[id].score * _DEMOTED, *limits]), 9)
            settled[id] = replace(settled[id], score=score, standing=round(score - settled[id].score, 9))

    for id in old:
        lower(id, frozenset())


def _related(graph: Graph, id: str, kind: EdgeKind, direction: str) -> tuple[str, ...]:
    return tuple(each.id for each in graph.neighbours(id) if each.kind is kind and each.direction == direction)


def _order(item: tuple[str, Ranked]) -> tuple[float, str]:
    return -item[1].score, item[0]
