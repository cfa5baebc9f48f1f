"""Postings: which documents of a fixed list hold a term, and with what weight, as arrays."""

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

    def __init__(
        self,
        size: int,
        terms: Sequence[str],
        numbers: NDArray[np.int32],
        rows: NDArray[np.int32],
        weights: NDArray[np.float32],
    ) -> None:
        """Take one triple of term number, row and weight for each term of each of `size` documents."""
        order = np.argsort(numbers, kind="stable")
        self.size = size
        self.numbers: Mapping[str, int] = {term: number for number, term in enumerate(terms)}
        self._rows, self._weights = rows[order], weights[order]
        self._starts: list[int] = np.searchsorted(numbers[order], np.arange(len(terms) + 1)).tolist()

    @classmethod
    def build(cls, documents: Sequence[Mapping[str, float]]) -> Segment:
        """Return the postings of documents given as the weights of their terms."""
        table: defaultdict[str, int] = defaultdict(count().__next__)
        lengths = [len(document) for document in documents]
        total = sum(lengths)
        numbers = np.fromiter(map(table.__getitem__, chain.from_iterable(documents)), np.int32, total)
        weights = np.fromiter(chain.from_iterable(each.values() for each in documents), np.float32, total)
        rows = np.repeat(np.arange(len(documents), dtype=np.int32), lengths)
        return cls(len(documents), list(table), numbers, rows, weights)

    @classmethod
    def merged(cls, segments: Sequence[tuple[Segment, NDArray[np.bool_]]]) -> Segment:
        """Return the postings of those rows of several segments that are True beside them, in order."""
        table: defaultdict[str, int] = defaultdict(count().__next__)
        parts: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]] = []
        size = 0
        for segment, alive in segments:
            renumbered = np.fromiter(map(table.__getitem__, segment.numbers), np.int32, len(segment.numbers))
            numbers = np.repeat(renumbered, np.diff(segment._starts))
            moved = (np.cumsum(alive, dtype=np.int32) - 1 + size).astype(np.int32)
            kept = alive[segment._rows]
            parts.append((numbers[kept], moved[segment._rows[kept]], segment._weights[kept]))
            size += int(alive.sum())
        numbers, rows, weights = (np.concatenate(each) for each in zip(*parts, strict=True))
        used = np.unique(numbers)
        terms = list(table)
        return cls(
            size,
            [terms[number] for number in used.tolist()],
            np.searchsorted(used, numbers).astype(np.int32),
            rows,
            weights,
        )

    def postings(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
        """Return the rows that hold a term, ascending, and their weights; None where no row does."""
        number = self.numbers.get(term)
        if number is None:
            return None
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
