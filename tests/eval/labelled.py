"""A labelled memory: notes, written to a directory and read back as the server reads them, and queries with answers.

The file: `{"notes": [{id, type, name, description, content, tags, supersedes?, contradicts?, vault?}], "queries":
[{text, relevant: [ids], kind?, category?, vault?}]}`; each vault is a directory of its own.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from memory_lsp.config import EmbeddingConfig, Settings
from memory_lsp.core.chunks import Chunker, embedded_text
from memory_lsp.core.keyword import Doc, KeywordIndex
from memory_lsp.core.lexicon import Lexicon
from memory_lsp.core.retrieve import Corpus
from memory_lsp.core.snapshot import list_order
from memory_lsp.core.vectors import VectorTable
from memory_lsp.discovery import find_places
from memory_lsp.embedding import backends
from memory_lsp.embedding.plan import make_plan
from memory_lsp.index import embedding_text
from memory_lsp.memory import open_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory_lsp.core.snapshot import Snapshot
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Query:
    """A question and the ids of the notes that answer it."""

    text: str
    relevant: frozenset[str]
    kind: str
    vector: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True)
class Vault:
    """One directory with its queries."""

    corpus: Corpus
    queries: tuple[Query, ...]


class Encoder:
    """The default model; `cache` is a folder that keeps vectors by the hash of their text."""

    def __init__(self, cache: Path | None) -> None:
        self._cache = cache
        plan = make_plan(EmbeddingConfig())
        self._load = (plan.backend, plan.model)
        self._backend: backends.Backend | None = None

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Return one normalised row a text."""
        key = hashlib.sha256("\x00".join((*self._load, *texts)).encode("utf-8", "surrogatepass")).hexdigest()
        file = self._cache / f"{key}.npy" if self._cache else None
        if file is not None and file.is_file():
            kept: Matrix = np.load(file)
            return kept
        if self._backend is None:
            self._backend = backends.load(*self._load)
        vectors = self._backend.encode(texts)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            np.save(file, vectors)
        return vectors


def read(path: Path, encoder: Encoder | None, *, chunks: bool = True) -> Iterator[Vault]:
    """Yield the vaults of a file; without an encoder there are no vectors, without `chunks` one a note."""
    data: Record = json.loads(path.read_text(encoding="utf-8"))
    for name in sorted({query.get("vault", "") for query in data["queries"]}):
        notes = [note for note in data["notes"] if note.get("vault", "") == name]
        queries = [query for query in data["queries"] if query.get("vault", "") == name]
        with tempfile.TemporaryDirectory(prefix="eval-") as folder:
            root = Path(folder).resolve()
            labels = write(root, notes)
            snapshot = _snapshot(root)
            yield Vault(_corpus(snapshot, encoder, Chunker(enabled=chunks)), tuple(_queries(queries, labels, encoder)))


def write(root: Path, notes: Sequence[Record]) -> dict[str, str]:
    """Write one file a note; return the id in the file → the id in the server."""
    (root / "MEMORY.md").write_text("# Memory\n", encoding="utf-8")
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for number, note in enumerate(notes):
        path = root / note["type"] / f"n{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [f"{key}: {json.dumps(note[key], ensure_ascii=False)}" for key in ("name", "description", "type")]
        for key in ("tags", "supersedes", "contradicts"):
            if note.get(key):
                lines.append(f"{key}: {json.dumps(note[key], ensure_ascii=False)}")
        path.write_text("\n".join(("---", *lines, "---", "", note["content"], "")), encoding="utf-8")
        id = f"{note['type']}/{note['name']}"
        ids[note["id"]] = f"{id}@{note['type']}/{path.name}" if id in taken else id
        taken.add(id)
    return ids


def _snapshot(root: Path) -> Snapshot:
    memory = open_memory(find_places(root)[0], Settings(), "", None, write=False)
    memory.load()
    return memory.directory.snapshot


def _corpus(snapshot: Snapshot, encoder: Encoder | None, chunker: Chunker) -> Corpus:
    notes = {id: snapshot.notes[path] for id, path in sorted(snapshot.paths.items())}
    docs = [
        Doc(id, note.name, note.description, note.content, list_order(note), tuple(tag.name for tag in note.tags))
        for id, note in notes.items()
    ]
    table, ids_by_hash = VectorTable(), dict[str, list[str]]()
    for id, note in notes.items():
        ids_by_hash.setdefault(note.hash, []).append(id)
    passages = {id: [chunk.hash for chunk in found] for id, note in notes.items() if (found := chunker.of(note))}
    for id, hashes in passages.items():
        for hash in dict.fromkeys(hashes):
            ids_by_hash.setdefault(hash, []).append(id)
    if encoder is not None:
        texts = {note.hash: embedding_text(note) for note in notes.values()}
        table.put_many(list(texts), encoder(list(texts.values())))
        cut = {chunk.hash: embedded_text(note, chunk.span) for note in notes.values() for chunk in chunker.of(note)}
        if cut:
            table.put_many(list(cut), encoder(list(cut.values())))
    types = {id: note.type for id, note in notes.items()}
    lexicon = Lexicon.build(docs)
    return Corpus(snapshot.graph, KeywordIndex.build(docs), table.freeze(), ids_by_hash, types, lexicon, passages)


def _queries(queries: Sequence[Record], labels: dict[str, str], encoder: Encoder | None) -> Iterator[Query]:
    vectors = encoder([query["text"] for query in queries]) if encoder is not None else [None] * len(queries)
    for query, vector in zip(queries, vectors, strict=True):
        kind = query.get("kind") or query.get("category") or ""
        yield Query(query["text"], frozenset(labels[id] for id in query["relevant"]), kind, vector)
