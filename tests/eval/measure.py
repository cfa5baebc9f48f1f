"""How good a ranking is, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_DEPTH = 8
_RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Score:
    """Recall at 5 and at 8, nDCG at 8 and reciprocal rank at 8, each from 0 to 1."""

    recall5: float
    recall8: float
    ndcg: float
    reciprocal: float


def score(ranking: Sequence[str], relevant: Collection[str]) -> Score:
    """Score a ranking against the ids that should be in it, at least one."""
    hits = [rank for rank, id in enumerate(ranking[:_DEPTH]) if id in relevant]
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(_DEPTH, len(relevant))))
    return Score(
        sum(rank < 5 for rank in hits) / len(relevant),
        len(hits) / len(relevant),
        sum(1 / math.log2(rank + 2) for rank in hits) / ideal,
        1 / (hits[0] + 1) if hits else 0.0,
    )


def mean(scores: Sequence[Score]) -> Score:
    """Return the mean of each measure."""
    count = len(scores)
    return Score(
        sum(each.recall5 for each in scores) / count,
        sum(each.recall8 for each in scores) / count,
        sum(each.ndcg for each in scores) / count,
        sum(each.reciprocal for each in scores) / count,
    )


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the mean of paired differences, from 2,000 bootstrap samples of a fixed seed."""
    values = np.asarray(differences)
    draws = np.random.default_rng(0).integers(0, len(values), (_RESAMPLES, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), [2.5, 97.5])
    return float(low), float(high)
