"""Looks for contradictions between a directory's notes: those that changed, each with its nearest neighbours.

Vectors choose the neighbours, `core.contradict` compares; without vectors there is nothing to compare. A changed note
costs as much as it has neighbours. What was found is kept in the sidecar, by the content hashes of both notes, so that
a restart shows it at once and compares only what changed. Everything here may run in a worker thread.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from memory_lsp.contradiction_records import Pair, restored, stored
from memory_lsp.core.candidates import candidates
from memory_lsp.core.contradict import Kind, compare, read
from memory_lsp.core.rivals import Rival
from memory_lsp.courtesy import Courtesy
from memory_lsp.errors import SidecarError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from memory_lsp.core.contradict import Reading
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.text import Span
    from memory_lsp.core.vectors import Vectors
    from memory_lsp.sidecar.contradiction_file import Conflict, ContradictionFile

# Of the labelled pairs that contradict each other 95 % are nearer than this, and each is among the nearest eight.
NEAR = 0.45
NEIGHBOURS = 8
# Notes that contradicted a changed note before and are no neighbours of it: so many of them are compared again.
FORMER = 8
# Readings that are kept: neighbours are compared one after the other, and a reading costs more than a comparison.
_READINGS = 512
# How many notes are compared with their neighbours at a stretch.
COMPARED = 16
_PIVOTS = 64
# What a model is asked: so many pairs of sentences of two notes, and of one changed note with all its neighbours.
_ASKED_A_PAIR, _ASKED_A_NOTE = 3, 24


@dataclass(frozen=True, slots=True)
class Question:
    """Two sentences to be judged by a model; `proposed` where rules say already that they contradict each other."""

    key: tuple[str, str]
    pair: Pair
    proposed: bool


@dataclass(slots=True)
class Contradictions:
    """What was compared so far, and what was found; `kept` is None where nothing may be written."""

    kept: ContradictionFile | None = None
    courtesy: Courtesy = field(default_factory=Courtesy)
    _recalled: bool = False
    _gone: set[str] = field(default_factory=set)  # hashes that were compared and are of no note any more
    _anew: bool = False  # whether one of them is of a note that holds a secret
    _checked: dict[str, str] = field(default_factory=dict)  # path → the content hash it was compared with
    _found: dict[tuple[str, str], Pair] = field(default_factory=dict)  # by paths, the lesser first
    _hashed: tuple[Snapshot, dict[str, list[str]]] | None = None  # the snapshot last asked about: its paths by hash
    _readings: OrderedDict[str, tuple[Note, Reading]] = field(default_factory=OrderedDict)  # by path, the latest last
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def recall(self, saved: Snapshot) -> None:
        """Take over, once, what is kept of the notes as they are."""
        if self._recalled or self.kept is None:
            return
        paths_by_hash, kept = self._by_hash(saved), self.kept.load()
        with self._lock:
            self._recalled = True
            for hash_, conflicts in kept.items():
                paths = paths_by_hash.get(hash_, ())
                self._gone |= set() if paths else {hash_}
                for path in paths:
                    pairs = {
                        _key(path, other): restored(saved, path, other, each)
                        for each in conflicts
                        for other in paths_by_hash.get(each.other, ())
                    }
                    if None not in pairs.values():
                        self._found |= {key: pair for key, pair in pairs.items() if pair is not None}
                        self._checked[path] = hash_

    def forget(self) -> None:
        """Forget everything, on disk too, as for a rebuild."""
        with self._lock, suppress(SidecarError):
            self._checked.clear()
            self._found.clear()
            self._gone.clear()
            if self.kept is not None:
                self.kept.clear()

    def keep(self, saved: Snapshot, paths: Sequence[str]) -> None:
        """Store what was found for some notes that were compared, and let go of those that are gone.

        A disk that refuses costs a comparison after the next start.
        """
        if self.kept is None or not (paths or self._gone):
            return
        with self._lock, suppress(SidecarError):
            conflicts: dict[str, list[Conflict]] = {path: [] for path in paths}
            for key, pair in self._found.items():
                for path in key:
                    if path in conflicts:
                        conflicts[path].append(stored(saved, key, pair, turned=path == key[1]))
            found = {saved.notes[path].hash: tuple(rows) for path, rows in conflicts.items()}
            self.kept.save(found, self._gone, anew=self._anew)
            self._gone, self._anew = set(), False

    def due(self, saved: Snapshot, vectors: Vectors) -> tuple[str, ...]:
        """Return the notes with a vector whose text was not compared yet, near ones together; forgets those gone."""
        with self._lock:
            self._forget_gone(saved, vectors)
            due = [
                path
                for path in saved.ids
                if (hash_ := saved.notes[path].hash) in vectors and self._checked.get(path) != hash_
            ]
        return _by_pivot(due, saved, vectors)

    def check(self, saved: Snapshot, vectors: Vectors, paths: Sequence[str]) -> tuple[Question, ...]:
        """Compare some notes with their neighbours, and with those that they contradicted before, by rule.

        Return what a model may be asked about them.
        """
        questions = list[Question]()
        paths_by_hash = self._by_hash(saved)
        done = set[tuple[str, str]]()
        with self._lock:
            before = self._before(saved, paths)
            self._drop(set(paths))
            for path, cosines in _cosines(saved, paths, vectors):
                near = _nearest(saved.notes[path], cosines, vectors, paths_by_hash)
                former = _closest(before[path], saved, cosines, vectors)
                left = _ASKED_A_NOTE
                for other in dict.fromkeys((*near, *former)):
                    key = _key(path, other)
                    if path != other and key not in done:
                        self.courtesy.step_aside()
                        done.add(key)
                        asked = self._compare(saved, key)[:left]
                        left -= len(asked)
                        questions += asked
                self._checked[path] = saved.notes[path].hash
        return tuple(questions)

    def settle(self, questions: Sequence[Question], chances: Sequence[float | None], threshold: float) -> None:
        """Add what a model is sure of, and take back what rules proposed where it is as sure of the opposite.

        `chances` tell of each question how likely its sentences contradict each other, None where that is not known.
        """
        with self._lock:
            for question, chance in zip(questions, chances, strict=True):
                known = self._found.get(question.key)
                if chance is None:
                    continue
                if question.proposed and known == question.pair and chance <= 1 - threshold:
                    del self._found[question.key]
                elif not question.proposed and known is None and chance >= threshold:
                    self._found[question.key] = question.pair

    def rivals(self) -> Mapping[str, tuple[Rival, ...]]:
        """Return by path what each note seems to contradict; both notes of a pair are named."""
        found: dict[str, list[Rival]] = {}
        with self._lock:
            for (first, second), pair in sorted(self._found.items()):
                one, other = pair.quotes
                found.setdefault(first, []).append(Rival(second, one, other, pair.kind))
                found.setdefault(second, []).append(Rival(first, other, one, pair.kind))
        return {path: tuple(rivals) for path, rivals in found.items()}

    def _compare(self, saved: Snapshot, key: tuple[str, str]) -> list[Question]:
        first, second = (saved.notes[path] for path in key)
        one, other = self._read(first), self._read(second)

        def pair(span: Span, other_span: Span, kind: Kind) -> Pair:
            return Pair((span, other_span), (span.of(first.text), other_span.of(second.text)), kind)

        found = compare(one, other)
        if found is not None:
            self._found[key] = pair(found.span, found.other_span, found.kind)
            # That one note takes the other's place is no matter of inference.
            return [] if found.kind is Kind.REPLACED else [Question(key, self._found[key], proposed=True)]
        pairs = candidates(one, other, _ASKED_A_PAIR)
        return [Question(key, pair(left.span, right.span, Kind.JUDGED), proposed=False) for left, right in pairs]

    def _by_hash(self, saved: Snapshot) -> Mapping[str, Sequence[str]]:
        """Return the paths of the notes of each content hash; a first pass asks for it at each of its many steps."""
        if self._hashed is None or self._hashed[0] is not saved:
            paths: dict[str, list[str]] = {}
            for path in saved.ids:
                paths.setdefault(saved.notes[path].hash, []).append(path)
            self._hashed = saved, paths
        return self._hashed[1]

    def _read(self, note: Note) -> Reading:
        known = self._readings.pop(note.path, None)
        if known is None or known[0] is not note:
            known = note, read(note)
        self._readings[note.path] = known
        if len(self._readings) > _READINGS:
            self._readings.popitem(last=False)
        return known[1]

    def _before(self, saved: Snapshot, paths: Sequence[str]) -> Mapping[str, list[str]]:
        """Return by path which notes that are still there some notes contradicted before."""
        before: dict[str, list[str]] = {path: [] for path in paths}
        for one, other in self._found:
            if one in saved.ids and other in saved.ids:
                for path, rival in ((one, other), (other, one)):
                    if path in before:
                        before[path].append(rival)
        return before

    def _forget_gone(self, saved: Snapshot, vectors: Vectors) -> None:
        """Forget notes that are gone or hold a secret now, and remember the hashes of texts that no note has."""
        gone, hashes, alive = set[str](), set[str](), set[str]()
        for path, hash_ in self._checked.items():
            note = saved.notes[path] if path in saved.ids else None
            secret = note is not None and note.hash not in vectors and saved.guard.holds_secret(note)
            self._anew = self._anew or secret
            if note is None or secret:
                gone.add(path)
            (alive if path not in gone and note is not None and note.hash == hash_ else hashes).add(hash_)
        for path in gone:
            del self._checked[path]
        self._drop(gone)
        self._gone |= hashes - alive

    def _drop(self, paths: set[str]) -> None:
        if paths:
            self._found = {key: pair for key, pair in self._found.items() if paths.isdisjoint(key)}


def find_contradictions(
    saved: Snapshot, vectors: Vectors, kept: ContradictionFile | None = None
) -> Mapping[str, tuple[Rival, ...]]:
    """Return the contradictions of a whole directory by path, as for the command line; what is kept is only read."""
    contradictions = Contradictions(kept)
    contradictions.recall(saved)
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


def _cosines(
    saved: Snapshot, paths: Sequence[str], vectors: Vectors
) -> Iterator[tuple[str, NDArray[np.floating[Any]]]]:
    """Yield some paths, each with the cosines of its note to all rows."""
    if paths:
        yield from zip(paths, vectors.cosines(_stacked([saved.notes[path] for path in paths], vectors)), strict=True)


def _nearest(
    note: Note, cosines: NDArray[np.floating[Any]], vectors: Vectors, paths_by_hash: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the paths of the notes nearest to one, best first; its copies say the same and are left out."""
    rows = np.flatnonzero(cosines >= NEAR)
    ordered = rows[np.argsort(-cosines[rows], kind="stable")].tolist()
    hashes = (vectors.hashes[row] for row in ordered)
    near = (path for hash_ in hashes if hash_ and hash_ != note.hash for path in paths_by_hash.get(hash_, ()))
    return list(islice(near, NEIGHBOURS))


def _closest(paths: Sequence[str], saved: Snapshot, cosines: NDArray[np.floating[Any]], vectors: Vectors) -> list[str]:
    """Return those of some notes that are nearest, FORMER at most."""
    rows = {path: row for path in paths if (row := vectors.row_of(saved.notes[path].hash)) is not None}
    return sorted(rows, key=lambda path: (-float(cosines[rows[path]]), path))[:FORMER]


def _key(path: str, other: str) -> tuple[str, str]:
    return min(path, other), max(path, other)


def _stacked(notes: Sequence[Note], vectors: Vectors) -> NDArray[np.float32]:
    """Return the vectors of some notes (n, dims), zeros where one has gone meanwhile."""
    found = [vectors.get(note.hash) for note in notes]
    return np.stack([np.zeros(vectors.dims, np.float32) if vector is None else vector for vector in found])
