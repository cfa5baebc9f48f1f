"""Looks for contradictions between a directory's notes: those that changed, each with its nearest neighbours.

Vectors choose the neighbours, `core.contradict` compares; without vectors there is nothing to compare. A changed note
costs as much as it has neighbours. Everything here may run in a worker thread.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.contradict import compare, read
from memory_lsp.core.rivals import Rival

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from memory_lsp.core.contradict import Kind, Reading
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.vectors import Vectors

# Of the labelled pairs that contradict each other 95 % are nearer than this, and each is among the nearest eight.
NEAR = 0.45
NEIGHBOURS = 8
# Readings that are kept: neighbours are compared one after the other, and a reading costs more than a comparison.
_READINGS = 512
# How many notes are compared with their neighbours at a stretch.
COMPARED = 16
_PIVOTS = 64


@dataclass(frozen=True, slots=True)
class _Pair:
    """What two notes say against each other, the one with the lesser path first."""

    quotes: tuple[str, str]
    kind: Kind


@dataclass(slots=True)
class Contradictions:
    """What was compared so far, and what was found."""

    _checked: dict[str, str] = field(default_factory=dict)  # path → the content hash it was compared with
    _found: dict[tuple[str, str], _Pair] = field(default_factory=dict)  # by paths, the lesser first
    _readings: OrderedDict[str, tuple[Note, Reading]] = field(default_factory=OrderedDict)  # by path, the latest last
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def due(self, saved: Snapshot, vectors: Vectors) -> tuple[str, ...]:
        """Return the notes with a vector whose text was not compared yet, near ones together; forgets those gone."""
        with self._lock:
            gone = {path for path in self._checked if path not in saved.ids}
            for path in gone:
                del self._checked[path]
            self._drop(gone)
            due = [
                path
                for path in saved.ids
                if (hash_ := saved.notes[path].hash) in vectors and self._checked.get(path) != hash_
            ]
        return _by_pivot(due, saved, vectors)

    def check(self, saved: Snapshot, vectors: Vectors, paths: Sequence[str]) -> None:
        """Compare some notes with their neighbours, and with those that they contradicted before."""
        paths_by_hash: dict[str, list[str]] = {}
        for path in saved.ids:
            paths_by_hash.setdefault(saved.notes[path].hash, []).append(path)
        done = set[tuple[str, str]]()
        with self._lock:
            fresh = set(paths)
            before = [pair for pair in self._found if not fresh.isdisjoint(pair) and saved.ids.keys() >= set(pair)]
            self._drop(fresh)
            for path, near in _nearest([saved.notes[path] for path in paths], vectors, paths_by_hash):
                rivals = (other for pair in before if path in pair for other in pair)
                for other in dict.fromkeys((*near, *rivals)):
                    key = (min(path, other), max(path, other))
                    if path != other and key not in done:
                        done.add(key)
                        self._compare(saved, key)
                self._checked[path] = saved.notes[path].hash

    def rivals(self) -> Mapping[str, tuple[Rival, ...]]:
        """Return by path what each note seems to contradict; both notes of a pair are named."""
        found: dict[str, list[Rival]] = {}
        with self._lock:
            for (first, second), pair in sorted(self._found.items()):
                one, other = pair.quotes
                found.setdefault(first, []).append(Rival(second, one, other, pair.kind))
                found.setdefault(second, []).append(Rival(first, other, one, pair.kind))
        return {path: tuple(rivals) for path, rivals in found.items()}

    def _compare(self, saved: Snapshot, key: tuple[str, str]) -> None:
        first, second = (saved.notes[path] for path in key)
        found = compare(self._read(first), self._read(second))
        if found is not None:
            quotes = found.span.of(first.text), found.other_span.of(second.text)
            self._found[key] = _Pair(quotes, found.kind)

    def _read(self, note: Note) -> Reading:
        known = self._readings.pop(note.path, None)
        if known is None or known[0] is not note:
            known = note, read(note)
        self._readings[note.path] = known
        if len(self._readings) > _READINGS:
            self._readings.popitem(last=False)
        return known[1]

    def _drop(self, paths: set[str]) -> None:
        if paths:
            self._found = {key: pair for key, pair in self._found.items() if paths.isdisjoint(key)}


def find_contradictions(saved: Snapshot, vectors: Vectors) -> Mapping[str, tuple[Rival, ...]]:
    """Return the contradictions of a whole directory by path, as for the command line."""
    contradictions = Contradictions()
    due = contradictions.due(saved, vectors)
    for start in range(0, len(due), COMPARED):
        contradictions.check(saved, vectors, due[start : start + COMPARED])
    return contradictions.rivals()


def _by_pivot(paths: Sequence[str], saved: Snapshot, vectors: Vectors) -> tuple[str, ...]:
    """Return paths in an order in which near notes follow each other: by which of some of them is nearest."""
    if len(paths) <= COMPARED:
        return tuple(paths)
    pivots = _stacked([saved.notes[path] for path in paths[:: max(1, len(paths) // _PIVOTS)]], vectors)
    nearest = vectors.cosines(pivots).argmax(axis=0)
    row_of = {path: vectors.row_of(saved.notes[path].hash) for path in paths}
    return tuple(sorted(paths, key=lambda path: (int(nearest[row_of[path] or 0]), path)))


def _nearest(
    notes: Sequence[Note], vectors: Vectors, paths_by_hash: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the path of each note and of those nearest to it, best first; its copies say the same and are left out."""
    if not notes:
        return
    for note, cosines in zip(notes, vectors.cosines(_stacked(notes, vectors)), strict=True):
        rows = np.flatnonzero(cosines >= NEAR)
        ordered = rows[np.argsort(-cosines[rows], kind="stable")].tolist()
        hashes = (vectors.hashes[row] for row in ordered)
        near = (path for hash_ in hashes if hash_ and hash_ != note.hash for path in paths_by_hash.get(hash_, ()))
        yield note.path, list(islice(near, NEIGHBOURS))


def _stacked(notes: Sequence[Note], vectors: Vectors) -> NDArray[np.float32]:
    """Return the vectors of some notes (n, dims), zeros where one has gone meanwhile."""
    found = [vectors.get(note.hash) for note in notes]
    return np.stack([np.zeros(vectors.dims, np.float32) if vector is None else vector for vector in found])
