"""Fuzzy matching of what somebody types against names."""

from __future__ import annotations

from memory_lsp.core.resolve import fold

_BOUNDARY = "-/. #"


def fuzzy_score(query: str, candidate: str) -> float | None:
    """Return how well a query fits a name, None where its characters do not stand there in order.

    Exact beats a prefix, a prefix the start of a word, that a substring, and a substring scattered characters; among
    scattered ones, those at starts of words and in runs are better. Case, accents' composition, and `_`, `-`, space do
    not count.
    """
    return score_folded(fold(query), fold(candidate))


def score_folded(wanted: str, name: str) -> float | None:
    """Return the score of two texts that are folded already; see `fuzzy_score`."""
    if not wanted:
        return 0.0
    shortness = 1.0 / (1.0 + len(name))
    if wanted == name:
        return 100.0
    at = name.find(wanted)
    if at == 0:
        return 80.0 + shortness
    if at > 0:
        start = any(name[n - 1] in _BOUNDARY for n in _places(name, wanted, at))
        return (60.0 if start else 40.0) + shortness
    return _scattered(wanted, name, shortness)


def _places(name: str, wanted: str, at: int) -> list[int]:
    places = []
    while at >= 0:
        places.append(at)
        at = name.find(wanted, at + 1)
    return [place for place in places if place > 0]


def _scattered(wanted: str, name: str, shortness: float) -> float | None:
    score, at, last = 0.0, -1, -2
    for character in wanted:
        at = name.find(character, at + 1)
        if at < 0:
            return None
        if at == last + 1:
            score += 2.0
        elif at == 0 or name[at - 1] in _BOUNDARY:
            score += 1.5
        last = at
    # Letters strewn over a long name mean nothing: half of them must stand in runs or at starts of words.
    return 20.0 * score / (2.0 * len(wanted)) + shortness if score >= len(wanted) * 0.75 else None
