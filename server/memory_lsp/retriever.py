"""What retrieval looks at, kept in step with a directory: keyword index, note types, and who bears which vector."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_lsp.core.keyword import Doc, KeywordIndex
from memory_lsp.core.lexicon import Lexicon
from memory_lsp.core.recency import day_of
from memory_lsp.core.retrieve import Corpus
from memory_lsp.core.snapshot import list_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from memory_lsp.core.note import Note
    from memory_lsp.core.secret_guard import SecretGuard
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.vectors import VectorTable
    from memory_lsp.directory import MemoryDirectory, Scan


@dataclass(slots=True)
class Retriever:
    """Follows a directory lazily: `touch` marks notes, `corpus` catches up with what was marked.

    A corpus is for use at once, on the thread that asked for it: the next change may alter what it refers to.
    """

    directory: MemoryDirectory
    _stale: set[str] = field(default_factory=set)
    _keywords: KeywordIndex = field(default_factory=lambda: KeywordIndex.build(()))
    _lexicon: Lexicon = field(default_factory=Lexicon)
    _ids: dict[str, str] = field(default_factory=dict)  # path → id
    _hashes: dict[str, tuple[str, ...]] = field(default_factory=dict)  # id → hashes of the saved text and its chunks
    _by_hash: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _passages: dict[str, tuple[str, ...]] = field(default_factory=dict)  # id → hashes of its chunks, where it has any
    _types: dict[str, str] = field(default_factory=dict)
    _days: dict[str, int] = field(default_factory=dict)  # id → the day of its last change, where one is known

    def touch(self, paths: Iterable[str]) -> None:
        """Mark notes that changed, came, went, or were given another id."""
        self._stale.update(paths)

    def prepare(self, scan: Scan, *, keywords: bool) -> None:
        """Take all notes of a scan and compile their words; `keywords` for the cascade's scorer too.

        This is what the first question would wait for.
        """
        self._take(scan.snapshot.notes, scan.snapshot, scan.snapshot, scan.modified)
        self._lexicon.compile()
        if keywords:
            self._keywords.compile()

    def corpus(self, vectors: VectorTable) -> Corpus:
        """Return the corpus of this moment."""
        stale, self._stale = self._stale, set()
        if stale:
            self._take(stale, self.directory.snapshot, self.directory.saved(), self.directory.modified)
        graph = self.directory.snapshot.graph
        return Corpus(
            graph, self._keywords, vectors.freeze(), self._by_hash, self._types, self._lexicon, self._passages,
            self._days,
        )  # fmt: skip

    def _take(self, stale: Collection[str], snapshot: Snapshot, saved: Snapshot, modified: Mapping[str, float]) -> None:
        gone = {self._ids.pop(path) for path in stale if path in self._ids}
        docs: list[Doc] = []
        for path in stale:
            id_ = snapshot.ids.get(path)
            if id_ is not None:
                self._ids[path] = id_
                docs.append(_doc(id_, snapshot.notes[path], snapshot.guard))
                self._types[id_] = snapshot.notes[path].type
                self._date(id_, day_of(snapshot.notes[path], modified.get(path)))
        kept = {doc.id for doc in docs}
        for id_ in gone | kept:
            self._unhash(id_)
        for path in stale:
            id_ = saved.ids.get(path)
            if id_ is not None and id_ in kept:
                self._hash(id_, saved.notes[path])
        for id_ in gone - kept:
            self._types.pop(id_, None)
            self._days.pop(id_, None)
        self._keywords = self._keywords.updated(docs, gone - kept)
        self._lexicon = self._lexicon.updated(docs, gone - kept)

    def _date(self, id_: str, day: int | None) -> None:
        if day is None:
            self._days.pop(id_, None)
        else:
            self._days[id_] = day

    def _hash(self, id_: str, note: Note) -> None:
        passages = tuple(dict.fromkeys(chunk.hash for chunk in self.directory.chunker.of(note)))
        if passages:
            self._passages[id_] = passages
        self._hashes[id_] = (note.hash, *passages)
        for hash_ in self._hashes[id_]:
            self._by_hash[hash_] = (*self._by_hash.get(hash_, ()), id_)

    def _unhash(self, id_: str) -> None:
        self._passages.pop(id_, None)
        for hash_ in self._hashes.pop(id_, ()):
            left = tuple(other for other in self._by_hash[hash_] if other != id_)
            if left:
                self._by_hash[hash_] = left
            else:
                del self._by_hash[hash_]


def _doc(id_: str, note: Note, guard: SecretGuard) -> Doc:
    # Tags as the graph has them: they stand on paths.
    tags = tuple(guard.label(tag.name) for tag in note.tags)
    return Doc(id_, note.name, note.description, note.content, list_order(note), tags, note.session)
