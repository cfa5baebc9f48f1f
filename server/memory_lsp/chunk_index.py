"""The vectors of the chunks of one directory's long notes, kept beside those of the whole notes.

They lie in the same table, so that one product scores both, and in a folder of their own inside the sidecar, whose row
ids are the note's id and a part of the chunk's hash. Switched off, it wants no rows and empties that folder.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_lsp.core.chunks import Chunker, embedded_text, note_of, row_id
from memory_lsp.index import Index, Work
from memory_lsp.sidecar import Row, Sidecar

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from memory_lsp.core.chunks import Chunk
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

FOLDER = "chunks"


def chunk_sidecar(folder: Path, model_id: str) -> Sidecar:
    """Return the store of the chunks inside a sidecar's folder."""
    return Sidecar(folder / FOLDER, model_id, owner=note_of)


@dataclass(slots=True)
class ChunkIndex(Index):
    """See the module's docstring; `vectors` is the table of the notes' index."""

    chunker: Chunker = field(default_factory=Chunker)
    _cut: dict[str, frozenset[str]] = field(default_factory=dict)  # path → ids of its rows, as last compared

    def owner(self, row_id: str) -> str:
        """Return the id of the note that a row belongs to."""
        return note_of(row_id)

    def embedded(self, row_id: str, note: Note) -> tuple[str, str]:
        """Return the hash and the text that a row of a note stands for."""
        chunk = self._wanted(note_of(row_id), note)[row_id]
        return chunk.hash, embedded_text(note, chunk.span)

    def load(self) -> str:
        """Take what the sidecar holds; return what was wrong with it, or ""."""
        if self.chunker.enabled:
            return Index.load(self)
        self.store_nothing()
        return ""

    def follow(self, index: Index) -> None:
        """Start empty on the table of the notes' index."""
        self.clear()
        self._cut.clear()
        self.vectors = index.vectors

    def compare(self, saved: Snapshot, paths: Iterable[str] | None = None) -> Work:
        """Return what must be done for some notes, or for all; `purge` are ids of notes, all others of rows."""
        missing: dict[str, tuple[Note, Chunk]] = {}
        everything, stored = paths is None, self._stored() if paths is None else {}
        surplus = {row for id_, rows in stored.items() if id_ not in saved.paths for row in rows}
        tainted = set[str]()
        for path in {*saved.notes, *self._cut} if paths is None else paths:
            id_, before = saved.ids.get(path), self._cut.pop(path, frozenset())
            wanted = self._wanted(id_, saved.notes[path]) if id_ is not None else {}
            there = {row for row in (*before, *stored.get(id_ or "", ()), *wanted) if row in self._rows}
            surplus |= there - wanted.keys()
            if id_ is None or (everything and there == wanted.keys()):
                # The text was clean when it was embedded; looking again at each start would cost more than the load.
                pass
            elif (there or wanted) and saved.guard.holds_secret(saved.notes[path]):
                # The edit that brought the secret may have changed the name, and with it the id.
                tainted |= there
                continue
            else:
                missing.update((row, (saved.notes[path], wanted[row])) for row in wanted if row not in there)
            if wanted:
                self._cut[path] = frozenset(wanted)
        purge = {id_ for id_ in map(note_of, tainted) if id_ not in saved.paths or self._is_tainted(saved, id_)}
        surplus = {row for row in surplus | tainted if note_of(row) not in purge and not self._is_wanted(saved, row)}
        known = {row: self.vectors.get(chunk.hash) for row, (_, chunk) in missing.items()}
        return Work(
            tuple((row, note) for row, (note, _) in missing.items() if known[row] is None),
            tuple(Row(row, missing[row][1].hash, vector) for row, vector in known.items() if vector is not None),
            tuple(sorted(surplus)),
            tuple(sorted(purge)),
        )

    def _stored(self) -> dict[str, set[str]]:
        """Return the rows of each note."""
        stored: dict[str, set[str]] = defaultdict(set)
        for row in self._rows:
            stored[note_of(row)].add(row)
        return stored

    def _wanted(self, id_: str, note: Note) -> dict[str, Chunk]:
        return {row_id(id_, chunk.hash): chunk for chunk in self.chunker.of(note)}

    def _is_wanted(self, saved: Snapshot, row: str) -> bool:
        """Tell whether a row belongs to a note as it is now, which another path may have borne before."""
        path = saved.paths.get(note_of(row))
        return path is not None and row in self._cut.get(path, ())

    def _is_tainted(self, saved: Snapshot, id_: str) -> bool:
        return saved.guard.holds_secret(saved.notes[saved.paths[id_]])

    def forget(self, ids: Collection[str]) -> None:
        """Drop some rows, or all of some notes, and each vector that no other row uses."""
        notes = {id_ for id_ in ids if id_ not in self._rows}
        owned = [row for row in self._rows if note_of(row) in notes] if notes else []
        Index.forget(self, [*(id_ for id_ in ids if id_ not in notes), *owned])
