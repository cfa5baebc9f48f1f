"""Which sentences of two notes speak of one subject, so that it is worth asking a model whether they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_lsp.core.contradict import Reading
    from memory_lsp.core.sentences import Sentence

_FEWEST_SHARED = 2
_LEAST_SHARE = 0.4


def candidates(one: Reading, other: Reading, most: int) -> list[tuple[Sentence, Sentence]]:
    """Return pairs of sentences that share telling words, those that share most of theirs first."""
    found: list[tuple[float, int, int, tuple[Sentence, Sentence]]] = []
    for left, _, roots in one.sentences:
        for right, _, others in other.sentences:
            shared = len(roots & others)
            if shared < _FEWEST_SHARED or left.text == right.text:
                continue
            share = shared / min(len(roots), len(others))
            if share >= _LEAST_SHARE:
                found.append((-share, left.span.start, right.span.start, (left, right)))
    return [pair for *_, pair in sorted(found, key=lambda each: each[:3])[:most]]
