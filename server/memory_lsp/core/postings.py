"""Postings: which documents of a fixed list hold a term, with what weight, as arrays."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_GAP = "\x00"


class Haystack:
    """Short strings laid end to end, so that one scan in C finds those that contain another string."""

    def __init__(self, strings: Sequence[str]) -> None:
        self._ends = np.cumsum([len(string) + 1 for string in strings]) - 1
        self._blob = _GAP.join(strings)

    def holding(self, needle: str) -> list[int]:
        """Return the positions in the sequence of the strings that contain `needle`, ascending."""
        found: list[int] = []
        at = self._blob.find(needle)
        while at >= 0:
            number = int(np.searchsorted(self._ends, at))
            end = int(self._ends[number])
            inside = at + len(needle) <= end  # else the needle holds the gap itself and lies across two strings
            if inside:
                found.append(number)
            at = self._blob.find(needle, end + 1 if inside else at + 1)
        return found


class Segment:
    """Immutable postings of a fixed list of documents; rows are positions in that list."""

    def __init__(self, documents: Sequence[Mapping[str, float]]) -> None:
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        lengths = [len(document) for document in documents]
        total = sum(lengths)
        terms = np.fromiter(map(numbers.__getitem__, chain.from_iterable(documents)), np.int32, total)
        weights = np.fromiter(chain.from_iterable(each.values() for each in documents), np.float64, total)
        rows = np.repeat(np.arange(len(documents), dtype=np.int32), lengths)
        order = np.argsort(terms, kind="stable")
        self.size = len(documents)
        self.numbers: Mapping[str, int] = dict(numbers)
        self._rows, self._weights = rows[order], weights[order]
        self._starts = np.searchsorted(terms[order], np.arange(len(numbers) + 1))

    def postings(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the rows that hold a term, ascending, and their weights."""
        start, end = self._starts[number], self._starts[number + 1]
        return self._rows[start:end], self._weights[start:end]

    def gather(self, factors: Mapping[int, float]) -> NDArray[np.float64]:
        """Return for each row the sum of factor times weight over the terms given by number."""
        if not factors:
            return np.zeros(self.size)
        slices = [slice(self._starts[number], self._starts[number + 1]) for number in factors]
        rows = np.concatenate([self._rows[each] for each in slices])
        weights = np.concatenate(
            [self._weights[each] * factor for each, factor in zip(slices, factors.values(), strict=True)]
        )
        return np.bincount(rows, weights, minlength=self.size).astype(np.float64, copy=False)

    @cached_property
    def longest(self) -> int:
        """Return the length of the longest term."""
        return max(map(len, self.numbers), default=0)

    @cached_property
    def haystack(self) -> Haystack:
        """Return the vocabulary for a substring scan; positions in it are term numbers."""
        return Haystack(list(self.numbers))
