"""Which names are near a misspelled one."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from memory_lsp.core.resolve import fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_lsp.core.snapshot import Snapshot

MOST = 3
_SHORTEST_PART = 4


def edit_distance(first: str, second: str, limit: int) -> int:
    """Return how many letters must be changed, added, dropped or swapped with the next; `limit` + 1 for more."""
    if abs(len(first) - len(second)) > limit:
        return limit + 1
    first, second = _unshared(first, second)
    before, row = list[int](), list(range(len(second) + 1))
    for n, letter in enumerate(first, 1):
        older, before, row = before, row, [n]
        for m, other in enumerate(second, 1):
            cost = min(before[m] + 1, row[m - 1] + 1, before[m - 1] + (letter != other))
            if n > 1 and m > 1 and letter == second[m - 2] and first[n - 2] == other:
                cost = min(cost, older[m - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def closeness(wanted: str, name: str, least: float = 0.0) -> float:
    """Return how near two folded names are, from 0 (not at all) to 1 (equal); 0 also for less than `least`."""
    if wanted == name:
        return 1.0
    limit = min(_slips(wanted), int((1.0 - least) * (max(len(wanted), len(name)) + 1) + 1e-6))
    # Letters alone tell of most names that they are too far off, and cost little.
    if abs(len(wanted) - len(name)) <= limit and len(set(wanted) ^ set(name)) <= 2 * limit:
        distance = edit_distance(wanted, name, limit)
        if distance <= limit:
            return 1.0 - distance / (max(len(wanted), len(name)) + 1)
    shorter, longer = sorted((wanted, name), key=len)
    if len(shorter) >= _SHORTEST_PART and shorter in longer and 3 * len(shorter) >= len(longer):
        return 0.5 * len(shorter) / len(longer)
    shared = len(set(wanted.split("-")) & set(name.split("-")))
    most = max(wanted.count("-"), name.count("-")) + 1
    return 0.5 * shared / most if shared > 1 and shared * 2 >= most else 0.0


def is_slip(wanted: str, name: str) -> bool:
    """Tell whether a name is so near that the other is a slip of the pen."""
    limit = max(1, len(wanted) // 8)
    return edit_distance(fold(wanted), fold(name), limit) <= limit and len(wanted) > 2


def nearest(wanted: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return up to MOST of the names, the nearest first; none that is far off."""
    folded = fold(wanted)
    scored = ((closeness(folded, fold(name)), name) for name in dict.fromkeys(names))
    return tuple(name for score, name in heapq.nsmallest(
        MOST, (pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1])
    ))  # fmt: skip


def nearest_notes(snapshot: Snapshot, wanted: str, *, without: str) -> tuple[tuple[str, str], ...]:
    """Return up to MOST notes as (path, the name that is near), the nearest first; `without` is left out."""
    folded = fold(wanted.rsplit("/", 1)[-1].removesuffix(".md"))
    if not folded:
        return ()
    best: list[tuple[float, str, str]] = []
    for path in snapshot.ids:
        note = snapshot.notes[path]
        least = best[-1][0] if len(best) == MOST else 0.0
        names = dict.fromkeys((note.name, note.stem, *(alias.value for alias in note.aliases)))
        score, name = max(((closeness(folded, fold(name), least), name) for name in names), key=lambda pair: pair[0])
        if score > 0 and path != without and not snapshot.successors(path):
            best = heapq.nsmallest(MOST, [*best, (score, path, name)], key=lambda entry: (-entry[0], entry[1]))
    return tuple((path, name) for _, path, name in best)


def _unshared(first: str, second: str) -> tuple[str, str]:
    """Return two texts without what they begin and end with alike, which changes no distance."""
    shortest = min(len(first), len(second))
    head = next((n for n in range(shortest) if first[n] != second[n]), shortest)
    rest = shortest - head
    tail = next((n for n in range(rest) if first[-1 - n] != second[-1 - n]), rest)
    return first[head : len(first) - tail], second[head : len(second) - tail]


def _slips(wanted: str) -> int:
    return min(4, len(wanted) // 3)
