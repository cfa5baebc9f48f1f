"""Looks for contradictions between a directory's notes: those that changed, each with its nearest neighbours.

Vectors choose the neighbours, `core.contradict` compares; without vectors there is nothing to compare. A changed note
costs as much as it has neighbours. Everything here may run in a worker thread.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.contradict import compare, read
from memory_lsp.core.rivals import Rival

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from memory_lsp.core.contradict import Kind, Reading
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.vectors import Vectors

# Of the labelled pairs that contradict each other 95 % are nearer than this, and each is among the nearest eight.
NEAR = 0.45
NEIGHBOURS = 8


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
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def due(self, saved: Snapshot, vectors: Vectors) -> tuple[str, ...]:
        """Return the notes with a vector whose text was not compared yet; forgets those that are gone."""
        with self._lock:
            gone = {path for path in self._checked if path not in saved.ids}
            for path in gone:
                del self._checked[path]
            self._drop(gone)
            return tuple(
                path
                for path in saved.ids
                if (hash_ := saved.notes[path].hash) in vectors and self._checked.get(path) != hash_
            )

    def check(self, saved: Snapshot, vectors: Vectors, paths: Iterable[str]) -> None:
        """Compare some notes with their neighbours, and with those that they contradicted before."""
        paths_by_hash: dict[str, list[str]] = {}
        for path in saved.ids:
            paths_by_hash.setdefault(saved.notes[path].hash, []).append(path)
        readings: dict[str, Reading] = {}
        done = set[tuple[str, str]]()
        with self._lock:
            fresh = set(paths)
            before = [pair for pair in self._found if not fresh.isdisjoint(pair) and saved.ids.keys() >= set(pair)]
            self._drop(fresh)
            for path in sorted(fresh):
                note = saved.notes[path]
                rivals = (other for pair in before if path in pair for other in pair)
                for other in dict.fromkeys((*_nearest(note, vectors, paths_by_hash), *rivals)):
                    key = (min(path, other), max(path, other))
                    if path != other and key not in done:
                        done.add(key)
                        self._compare(saved, key, readings)
                self._checked[path] = note.hash

    def rivals(self) -> Mapping[str, tuple[Rival, ...]]:
        """Return by path what each note seems to contradict; both notes of a pair are named."""
        found: dict[str, list[Rival]] = {}
        with self._lock:
            for (first, second), pair in sorted(self._found.items()):
                one, other = pair.quotes
                found.setdefault(first, []).append(Rival(second, one, other, pair.kind))
                found.setdefault(second, []).append(Rival(first, other, one, pair.kind))
        return {path: tuple(rivals) for path, rivals in found.items()}

    def _compare(self, saved: Snapshot, key: tuple[str, str], readings: dict[str, Reading]) -> None:
        first, second = (saved.notes[path] for path in key)
        for each in (first, second):
            if each.path not in readings:
                readings[each.path] = read(each)
        found = compare(readings[first.path], readings[second.path])
        if found is not None:
            quotes = found.span.of(first.text), found.other_span.of(second.text)
            self._found[key] = _Pair(quotes, found.kind)

    def _drop(self, paths: set[str]) -> None:
        if paths:
            self._found = {key: pair for key, pair in self._found.items() if paths.isdisjoint(key)}


def find_contradictions(saved: Snapshot, vectors: Vectors) -> Mapping[str, tuple[Rival, ...]]:
    """Return the contradictions of a whole directory by path, as for the command line."""
    contradictions = Contradictions()
    contradictions.check(saved, vectors, contradictions.due(saved, vectors))
    return contradictions.rivals()


def _nearest(note: Note, vectors: Vectors, paths_by_hash: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the paths of the notes nearest to one, best first; copies of it say the same and are left out."""
    vector = vectors.get(note.hash)
    if vector is None:
        return []
    cosines = vectors.cosine(vector)
    rows = np.flatnonzero(cosines >= NEAR)
    ordered = rows[np.argsort(-cosines[rows], kind="stable")].tolist()
    hashes = (vectors.hashes[row] for row in ordered)
    near = (path for hash_ in hashes if hash_ and hash_ != note.hash for path in paths_by_hash.get(hash_, ()))
    return list(islice(near, NEIGHBOURS))
