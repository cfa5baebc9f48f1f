"""The table of vectors, keyed by content hash, and the seeds that are nearest to a query."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.chunks import is_chunk
from memory_lsp.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

_FIRST_BLOCK = 64
_FEWEST_DEAD = 256
# Float32 sums differ in the last bits between machines. Scores that matter are computed again in float64, where the
# difference is far below this, and rounded, so that ties are ties everywhere.
_PLACES = 9
MINILM_BACKGROUND = 0.1
"""The median cosine of two notes of a memory to all-MiniLM-L6-v2, whose cosines are the scale of all scores."""
_SAMPLE = 256
_PRIOR_NOTES = 8
_MOST_BACKGROUND = 0.95


@dataclass(frozen=True, slots=True)
class Seed:
    """A note to start from, with its score."""

    id: str
    score: float


def normalise(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """Scale a vector, or each row of a matrix, to length 1, as float32; what has no direction becomes zeros."""
    exact = np.asarray(vectors, dtype=np.float64)
    length = np.sqrt((exact * exact).sum(axis=-1, keepdims=True))
    usable = np.isfinite(length) & (length > 0)
    scaled = np.zeros_like(exact)
    np.divide(exact, length, out=scaled, where=usable)
    return scaled.astype(np.float32)


class Vectors:
    """A view of a `VectorTable` at one moment; later puts do not change it, a drop empties the row.

    The cosines c of a model that needs calibration are put on the scale of all-MiniLM-L6-v2, as c', by the background
    m, the cosine of two unrelated notes, which that model sees as n:
    (1 - c') / (1 - n) = ((1 - c) / (1 - m)) ** (1 + (m - n) / 2), and below m on a line down to -1.
    So m becomes n, 1 stays 1, and nothing changes where m = n. The exponent was fitted to multilingual-e5-small.
    """

    __slots__ = ("_blocks", "_measured", "_prior", "_rows", "dims", "hashes")

    def __init__(
        self,
        dims: int,
        blocks: tuple[NDArray[np.float32], ...],
        hashes: tuple[str | None, ...],
        rows: Mapping[str, int],
        prior: float | None = None,
    ) -> None:
        """Take the blocks of rows, and the hash of each row (None: the row is dead); `prior` as in `VectorTable`."""
        self.dims = dims
        self.hashes = hashes
        self._blocks = blocks
        self._rows = rows
        self._prior = prior
        self._measured: float | None = None

    def __contains__(self, hash: object) -> bool:
        return hash in self._rows

    def __len__(self) -> int:
        """Return the number of vectors."""
        return len(self._rows)

    def row_of(self, hash: str) -> int | None:
        """Return the position of a vector in what `cosine` returns."""
        return self._rows.get(hash)

    def get(self, hash: str) -> NDArray[np.float32] | None:
        """Return a vector (dims,), or None where there is none, or none any more."""
        row = self._rows.get(hash)
        vector = None if row is None else self._at(row)
        return vector if vector is not None and vector.any() else None

    def cosine(self, query: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return the cosine of each row with a query (dims,) of any length, dead rows included, as (rows,)."""
        unit = normalise(query)
        parts, left = [], len(self.hashes)
        for block in self._blocks:
            parts.append(block[: min(left, len(block))] @ unit)
            left -= len(block)
        cosines = np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)
        return cosines if self._prior is None else self._scaled(cosines).astype(np.float32)

    def cosines(self, queries: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return the cosine of each row with several queries (n, dims), as (n, rows): one pass for all of them."""
        units = normalise(queries).T
        parts, left = [], len(self.hashes)
        for block in self._blocks:
            parts.append(block[: min(left, len(block))] @ units)
            left -= len(block)
        return np.concatenate(parts).T if parts else np.zeros((len(queries), 0), dtype=np.float32)

    def exact(self, rows: NDArray[np.intp], query: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the cosines of some rows with a query, as (len(rows),), the same on every machine."""
        if not len(rows):
            return np.zeros(0)
        cosines = self._gathered(rows) @ normalise(query).astype(np.float64)
        products: NDArray[np.float64] = np.round(cosines if self._prior is None else self._scaled(cosines), _PLACES)
        return products

    def background(self) -> float:
        """Return the median cosine of two notes, drawn towards the model's usual one where notes are few."""
        if self._measured is None:
            notes = heapq.nsmallest(_SAMPLE, (hash for hash in self._rows if not is_chunk(hash)))
            matrix = self._gathered(np.asarray([self._rows[hash] for hash in notes], dtype=np.intp))
            pairs = (matrix @ matrix.T)[np.triu_indices(len(notes), 1)]
            prior = MINILM_BACKGROUND if self._prior is None else self._prior
            found = float(np.median(pairs)) if len(pairs) else prior
            mixed = (len(notes) * found + _PRIOR_NOTES * prior) / (len(notes) + _PRIOR_NOTES)
            self._measured = round(min(max(mixed, 0.0), _MOST_BACKGROUND), 6)
        return self._measured

    def _scaled(self, cosines: NDArray[np.floating]) -> NDArray[np.float64]:
        common = self.background()
        power = 1 + max(common - MINILM_BACKGROUND, 0.0) / 2
        distance = np.minimum(np.maximum(1 - cosines, 0.0) / (1 - common), 1.0)
        above = 1 - (1 - MINILM_BACKGROUND) * distance**power
        below = (1 + cosines) * ((1 + MINILM_BACKGROUND) / (1 + common)) - 1
        scaled: NDArray[np.float64] = np.where(cosines > common, above, below)
        return scaled

    def _gathered(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return some rows as (len(rows), dims)."""
        gathered = np.zeros((len(rows), self.dims))
        start = 0
        for block in self._blocks:
            inside = (rows >= start) & (rows < start + len(block))
            gathered[inside] = block[rows[inside] - start]
            start += len(block)
        return gathered

    def _at(self, row: int) -> NDArray[np.float32]:
        number, offset = _locate(row)
        vector: NDArray[np.float32] = self._blocks[number][offset]
        return vector


class VectorTable:
    """Normalised vectors by content hash, append-only, in blocks that double: a put never moves an earlier row.

    One writer at a time; any number of readers, through `freeze`.
    """

    __slots__ = ("_blocks", "_hashes", "_rows", "_view", "dims", "prior")

    def __init__(self, prior: float | None = None) -> None:
        """Make an empty table; the first vector sets the width.

        `prior` is the usual cosine of two unrelated texts to the model, None where its cosines need no calibration.
        """
        self.dims = 0
        self.prior = prior
        self._blocks: list[NDArray[np.float32]] = []
        self._hashes: list[str | None] = []
        self._rows: dict[str, int] = {}
        self._view: Vectors | None = None

    def __contains__(self, hash: object) -> bool:
        return hash in self._rows

    def __len__(self) -> int:
        """Return the number of vectors."""
        return len(self._rows)

    def get(self, hash: str) -> NDArray[np.float32] | None:
        """Return a vector (dims,), or None; costs no view, so that a save does not pay for the whole table."""
        row = self._rows.get(hash)
        if row is None:
            return None
        number, offset = _locate(row)
        vector: NDArray[np.float32] = self._blocks[number][offset]
        return vector if vector.any() else None

    def put(self, hash: str, vector: NDArray[np.float32]) -> None:
        """Add a normalised vector (dims,); raises EmbeddingError where its width is not the table's."""
        if self.dims == 0:
            self.dims = len(vector)
        if vector.shape != (self.dims,):
            raise EmbeddingError(
                f"A vector has the shape {vector.shape}, and the index holds vectors of width {self.dims}. "
                "The model has changed: rebuild the index."
            )
        self._retire(hash)
        row = len(self._hashes)
        number, offset = _locate(row)
        if number == len(self._blocks):
            self._blocks.append(np.zeros((_FIRST_BLOCK << number, self.dims), dtype=np.float32))
        self._blocks[number][offset] = vector
        self._hashes.append(hash)
        self._rows[hash] = row
        self._view = None

    def put_many(self, hashes: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Add normalised vectors (n, dims), one for each hash."""
        for hash, vector in zip(hashes, vectors, strict=True):
            self.put(hash, vector)

    def drop(self, hash: str) -> None:
        """Forget a vector and overwrite it, in views too: it may be a secret's."""
        row = self._rows.get(hash)
        if row is not None:
            number, offset = _locate(row)
            self._blocks[number][offset] = 0.0
            self._retire(hash)
            self._compact()

    def freeze(self) -> Vectors:
        """Return a view of the table as it is now."""
        if self._view is None:
            self._view = Vectors(self.dims, tuple(self._blocks), tuple(self._hashes), dict(self._rows), self.prior)
        return self._view

    def _retire(self, hash: str) -> None:
        row = self._rows.pop(hash, None)
        if row is not None:
            self._hashes[row] = None
            self._view = None

    def _compact(self) -> None:
        """Move the live rows to new blocks once most are dead; views keep the old ones."""
        dead = len(self._hashes) - len(self._rows)
        if dead < _FEWEST_DEAD or dead < len(self._rows):
            return
        old = self.freeze()
        self._blocks, self._hashes, self._rows = [], [], {}
        for hash in old.hashes:
            vector = None if hash is None else old.get(hash)
            if hash is not None and vector is not None:
                self.put(hash, vector)
        self._view = None


class Bearers:
    """Which rows of vectors stand for which of some notes: the whole text's, and one for each passage of a long note.

    A note is as near to a query as the nearest of its rows.
    """

    __slots__ = ("_first", "_more_notes", "_more_rows")

    def __init__(self, count: int, pairs: Iterable[tuple[int, int]]) -> None:
        """Take the number of notes, and a pair (note, row) for each row that stands for one."""
        self._first = np.full(count, -1, dtype=np.intp)
        more: list[tuple[int, int]] = []
        for note, row in pairs:
            if self._first[note] < 0:
                self._first[note] = row
            else:
                more.append((note, row))
        more.sort()
        self._more_notes = np.array([note for note, _ in more], dtype=np.intp)
        self._more_rows = np.array([row for _, row in more], dtype=np.intp)

    def nearest(self, cosines: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the cosine of each note, given that of each row; 0 where it has no vector or points away."""
        nearest = np.maximum(np.append(cosines, np.float32(0))[self._first].astype(np.float64), 0.0)
        if len(self._more_rows):
            np.maximum.at(nearest, self._more_notes, cosines[self._more_rows].astype(np.float64))
        return nearest

    def exact(
        self, notes: Iterable[int], vectors: Vectors, query: NDArray[np.floating]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return those of some notes that have a vector, and their cosines, the same on every machine."""
        asked = np.fromiter(notes, np.intp)
        chosen = asked[self._first[asked] >= 0]
        if not len(self._more_rows):
            return chosen, np.maximum(vectors.exact(self._first[chosen], query), 0.0)
        lows, highs = (np.searchsorted(self._more_notes, chosen, side) for side in ("left", "right"))
        extra = [self._more_rows[low:high] for low, high in zip(lows.tolist(), highs.tolist(), strict=True)]
        cosines = np.maximum(vectors.exact(np.concatenate([self._first[chosen], *extra]), query), 0.0)
        nearest, at = cosines[: len(chosen)].copy(), len(chosen)
        for number in np.flatnonzero(highs > lows).tolist():
            end = at + len(extra[number])
            nearest[number] = max(nearest[number], cosines[at:end].max())
            at = end
        return chosen, nearest


def vector_seeds(
    vectors: Vectors,
    ids_by_hash: Mapping[str, Sequence[str]],
    query: NDArray[np.floating],
    *,
    count: int = 10,
    threshold: float = 0.4,
) -> tuple[Seed, ...]:
    """Return the `count` notes nearest to a query, those with a cosine of at least `threshold`, best first.

    A note with several vectors counts by the nearest.
    """
    rough = vectors.cosine(query)
    rows = np.flatnonzero(rough >= threshold - 1e-5)
    rows = rows[[vectors.hashes[row] in ids_by_hash for row in rows.tolist()]] if len(rows) else rows
    rows = _nearest_rows(vectors, ids_by_hash, rough, rows, count)
    scores: dict[str, float] = {}
    for row, score in zip(rows.tolist(), vectors.exact(rows, query).tolist(), strict=True):
        if score >= threshold:
            for id in ids_by_hash[vectors.hashes[row] or ""]:
                scores[id] = max(score, scores.get(id, score))
    seeds = [Seed(id, score) for id, score in scores.items()]
    return tuple(sorted(seeds, key=lambda seed: (-seed.score, seed.id))[:count])


def _nearest_rows(
    vectors: Vectors,
    ids_by_hash: Mapping[str, Sequence[str]],
    rough: NDArray[np.float32],
    rows: NDArray[np.intp],
    count: int,
) -> NDArray[np.intp]:
    """Return those of some rows that may decide which `count` notes are nearest."""
    wanted = count
    while len(rows) > wanted > 0:
        least = np.partition(rough[rows], len(rows) - wanted)[len(rows) - wanted]
        best: NDArray[np.intp] = rows[rough[rows] >= least - 1e-5]
        if len({id for row in best.tolist() for id in ids_by_hash[vectors.hashes[row] or ""]}) >= count:
            return best
        wanted *= 2  # several rows of one note
    return rows


def _locate(row: int) -> tuple[int, int]:
    """Return the block of a row and its place there; block n holds `_FIRST_BLOCK << n` rows."""
    number = (row // _FIRST_BLOCK + 1).bit_length() - 1
    return number, row - _FIRST_BLOCK * ((1 << number) - 1)
