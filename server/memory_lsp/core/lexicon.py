"""BM25 over the notes, and what each note names; follows the notes without being built anew.

Scores use k1 = 1.2 and b = 0.75 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009) with the idf of
Lucene, ln(1 + (N - df + 0.5) / (df + 0.5)). Name, description, body and tags are one field; the name counts twice.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.entities import entities
from memory_lsp.core.graph import tag_id
from memory_lsp.core.layers import Layers
from memory_lsp.core.postings import Segment
from memory_lsp.core.tokens import fold, terms, words
from memory_lsp.core.vectors import Bearers

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from memory_lsp.core.keyword import Doc
    from memory_lsp.core.layers import Layer
    from memory_lsp.core.vectors import Vectors

_K1, _B = 1.2, 0.75
_NAME_WEIGHT = 2
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*\Z")
# One bit each in a mask; of a longer query the rarest words have one.
_MOST_TERMS = 62
SESSION = "session:"


@dataclass(frozen=True, slots=True)
class _Part:
    """Some notes compiled: their terms, how long they are, what they name, and which groups they are in."""

    terms: Segment
    lengths: NDArray[np.float64]
    names: Segment
    named: tuple[tuple[str, ...], ...]
    groups: Segment
    grouped: tuple[tuple[str, ...], ...]
    titles: Segment

    @classmethod
    def build(cls, docs: Sequence[Doc]) -> _Part:
        counts = [_counts(doc) for doc in docs]
        named = tuple(tuple(sorted(_named(doc))) for doc in docs)
        lengths = np.array([sum(each.values()) for each in counts], dtype=np.float64)
        names = Segment.build([dict.fromkeys(each, 1.0) for each in named])
        grouped = tuple(_groups(doc) for doc in docs)
        groups = Segment.build([dict.fromkeys(each, 1.0) for each in grouped])
        titles = Segment.build([{title_key(doc.name): 1.0} for doc in docs])
        return cls(Segment.build(counts), lengths, names, named, groups, grouped, titles)

    @classmethod
    def merged(cls, parts: Sequence[tuple[_Part, NDArray[np.bool_]]]) -> _Part:
        return cls(
            Segment.merged([(part.terms, alive) for part, alive in parts]),
            np.concatenate([part.lengths[alive] for part, alive in parts]),
            Segment.merged([(part.names, alive) for part, alive in parts]),
            tuple(named for part, alive in parts for named in compress(part.named, alive.tolist())),
            Segment.merged([(part.groups, alive) for part, alive in parts]),
            tuple(grouped for part, alive in parts for grouped in compress(part.grouped, alive.tolist())),
            Segment.merged([(part.titles, alive) for part, alive in parts]),
        )


@dataclass(frozen=True, slots=True)
class Words:
    """What the words of a query say about each row of a lexicon.

    `scores` (rows,) is BM25, 0 for a row that is gone; bit i of `masks` (rows,) tells whether the row holds the i-th
    term, whose share of the query's idf is `shares[i]`. A word that no note knows counts half. `most` is the BM25 that
    no text could exceed.
    """

    scores: NDArray[np.float64]
    masks: NDArray[np.int64]
    shares: NDArray[np.float64]
    most: float

    def covered(self, masks: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share of the query's idf that the terms of some masks make up."""
        bits = (masks[:, None] >> np.arange(len(self.shares), dtype=np.int64)) & 1
        # Term by term, so that the order of the sum, and with it the last bit, is the same on every machine.
        total = np.zeros(len(masks))
        for number, share in enumerate(self.shares.tolist()):
            total += bits[:, number] * share
        return total


@dataclass(frozen=True, slots=True)
class _Measures:
    """The length of each layer's notes as BM25 sees it, an array (rows,) each, and the rows that are gone."""

    norms: tuple[NDArray[np.float64], ...]
    dead: NDArray[np.intp]


class Lexicon:
    """The words and names of the notes; immutable to its users.

    Notes have rows, which hold for this lexicon only; `ids[row]` is the note, None where the row is gone.
    """

    __slots__ = ("_aligned", "_ids", "_layers", "_measures", "_starts")

    def __init__(self, layers: Layers[Doc, _Part] | None = None) -> None:
        self._layers: Layers[Doc, _Part] = Layers(_Part) if layers is None else layers
        self._ids: list[str | None] | None = None
        self._starts: list[tuple[int, bool]] = []
        self._aligned: tuple[Vectors, Bearers] | None = None
        self._measures: _Measures | None = None

    @classmethod
    def build(cls, docs: Iterable[Doc]) -> Lexicon:
        """Return the lexicon of the notes given."""
        return cls().updated(docs, ())

    def updated(self, changed: Iterable[Doc], removed: Iterable[str]) -> Lexicon:
        """Return the lexicon after some notes came, changed or went; the next look-up compiles them."""
        return Lexicon(self._layers.updated(changed, removed))

    def __len__(self) -> int:
        """Return the number of notes."""
        return len(self._layers.documents)

    @property
    def ids(self) -> list[str | None]:
        """Return the id of each row; not to be changed."""
        if self._ids is None:
            starts, ids = list[tuple[int, bool]](), list[str | None]()
            for layer in self._layers.layers():
                gone = np.flatnonzero(~layer.alive).tolist()
                starts.append((len(ids), not gone))
                found: list[str | None] = [doc.id for doc in layer.documents]
                for row in gone:
                    found[row] = None
                ids += found
            self._starts, self._ids = starts, ids
        return self._ids

    def compile(self) -> None:
        """Do now what the first look-up would do."""
        self._measured()

    def doc(self, id: str) -> Doc:
        """Return the text of a note."""
        return self._layers.documents[id]

    def row_of(self, id: str) -> int | None:
        """Return the row of a note, None for an unknown id."""
        place = self._layers.place(id)
        return self._places()[place[0]][0] + place[1] if place else None

    def vector_rows(self, vectors: Vectors, ids_by_hash: Mapping[str, Sequence[str]]) -> Bearers:
        """Return which rows of `vectors` stand for which row.

        Kept for the next query: who bears which hash may only change together with the lexicon or the vectors.
        """
        if self._aligned is None or self._aligned[0] is not vectors:
            row_of = {id: row for row, id in enumerate(self.ids) if id is not None}
            bearers = map(ids_by_hash.get, (hash or "" for hash in vectors.hashes))
            pairs = [(row_of[id], place) for place, ids in enumerate(bearers) if ids for id in ids if id in row_of]
            self._aligned = vectors, Bearers(len(self.ids), pairs)
        return self._aligned[1]

    def words(self, query: str) -> Words:
        """Score every row by the words of a query."""
        rows = len(self.ids)
        scores, masks = np.zeros(rows), np.zeros(rows, dtype=np.int64)
        idfs = {term: self._idf(term) for term in terms(query)}
        known = sorted(
            (term for term, (_, holders) in idfs.items() if holders), key=lambda term: (-idfs[term][0], term)
        )
        measures = self._measured()
        for number, layer in enumerate(self._layers.layers()):
            at, norms = self._places()[number][0], measures.norms[number]
            for bit, term in enumerate(known):
                found = layer.part.terms.postings(term)
                if found is not None:
                    held, often = found[0], found[1].astype(np.float64)
                    scores[at + held] += idfs[term][0] * often * (_K1 + 1) / (often + norms[held])
                    if bit < _MOST_TERMS:
                        masks[at + held] |= 1 << bit
        scores[measures.dead], masks[measures.dead] = 0.0, 0
        total = math.fsum(idf if holders else idf / 2 for idf, holders in idfs.values())
        shares = np.array([idfs[term][0] / total for term in known[:_MOST_TERMS]])
        return Words(scores, masks, shares, math.fsum(idf * (_K1 + 1) for idf, _ in idfs.values()))

    def names_of(self, row: int) -> tuple[str, ...]:
        """Return what a note names."""
        part, place = self._part_of(row)
        return part.named[place]

    def naming(self, name: str) -> NDArray[np.intp]:
        """Return the rows of the notes that name something."""
        return self._holding(name, lambda part: part.names)

    def groups_of(self, row: int) -> tuple[str, ...]:
        """Return the groups that a note is in: its tags, by the ids of their nodes, and its session."""
        part, place = self._part_of(row)
        return part.grouped[place]

    def grouped(self, group: str) -> NDArray[np.intp]:
        """Return the rows of the notes in a group."""
        return self._holding(group, lambda part: part.groups)

    def titled(self, key: str) -> NDArray[np.intp]:
        """Return the rows of the notes whose name, as `title_key` gives it, is `key`."""
        return self._holding(key, lambda part: part.titles)

    def _part_of(self, row: int) -> tuple[_Part, int]:
        number, start = max((number, start) for number, (start, _) in enumerate(self._places()) if start <= row)
        return self._layers.layers()[number].part, row - start

    def _holding(self, term: str, segment: Callable[[_Part], Segment]) -> NDArray[np.intp]:
        found: list[NDArray[np.intp]] = []
        for number, layer in enumerate(self._layers.layers()):
            held = segment(layer.part).postings(term)
            if held is not None:
                start, whole = self._places()[number]
                rows = held[0] if whole else held[0][layer.alive[held[0]]]
                found.append(rows.astype(np.intp) + start)
        if len(found) == 1:
            return found[0]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.intp)

    def _places(self) -> list[tuple[int, bool]]:
        """Return for each layer its first row, and whether all its rows are alive."""
        if self._ids is None:
            _ = self.ids
        return self._starts

    def _measured(self) -> _Measures:
        """Return what every query needs of the layers; kept, since it costs as much as the query itself."""
        if self._measures is None:
            layers = self._layers.layers()
            total = sum(float(layer.part.lengths[layer.alive].sum()) for layer in layers)
            average = max(total / max(len(self), 1), 1.0)
            dead = np.flatnonzero(np.concatenate([~layer.alive for layer in layers] or [np.zeros(0, dtype=np.bool_)]))
            norms = tuple(_K1 * (1 - _B + _B * layer.part.lengths / average) for layer in layers)
            self._measures = _Measures(norms, dead)
        return self._measures

    def _idf(self, term: str) -> tuple[float, int]:
        """Return the idf of a term, and how many notes hold it."""
        layers = zip(self._layers.layers(), self._places(), strict=True)
        count = sum(_holders(layer, term, whole=whole) for layer, (_, whole) in layers)
        return math.log(1 + (len(self) - count + 0.5) / (count + 0.5)), count


def title_key(name: str) -> str:
    """Return a name as the words that a query would hold, without a "(…)" at its end."""
    return " ".join(words(_BRACKETS.sub("", name)))


def _holders(layer: Layer[Doc, _Part], term: str, *, whole: bool) -> int:
    found = layer.part.terms.postings(term)
    if found is None:
        return 0
    return len(found[0]) if whole else int(layer.alive[found[0]].sum())


def _counts(doc: Doc) -> Counter[str]:
    counts = terms("\n".join((doc.description, doc.content, *doc.tags)))
    for term, times in terms(doc.name).items():
        counts[term] += _NAME_WEIGHT * times
    return counts


def _named(doc: Doc) -> frozenset[str]:
    """Return what a note names, itself included, as other notes may write it."""
    own = fold(doc.name)
    return entities("\n".join((doc.description, doc.content))) | {own, own.replace("-", " ").replace("_", " ")}


def _groups(doc: Doc) -> tuple[str, ...]:
    tags = sorted({tag_id(tag) for tag in doc.tags})
    return (*tags, f"{SESSION}{doc.session}") if doc.session else tuple(tags)
