"""The vectors of one directory's notes, and the sidecar that keeps them.

Everything here can be deleted and comes back. Vectors are kept by content hash, so a note that is renamed or moved, or
that another process has embedded already, costs no embedding. The methods named `store_*` write to the disk and are
called from a worker thread, one at a time; all others belong to the thread that owns the directory.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.vectors import VectorTable
from memory_lsp.errors import SidecarError
from memory_lsp.sidecar import Row, Sidecar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from memory_lsp.core.graph import Graph
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.sidecar import Changes, Loaded


# Vectors of texts that were changed or deleted: an undo, a rename seen in two steps, a branch switched back.
_MOST_IDLE = 1_024


@dataclass(frozen=True, slots=True)
class Work:
    """What separates the index from the notes.

    `embed` are notes without a vector, each with the id of the row that is to hold it, `rows` those whose vector is
    known but not stored under their id; `remove` are ids of notes that are gone, `purge` ids of notes that hold a
    secret now.
    """

    embed: tuple[tuple[str, Note], ...] = ()
    rows: tuple[Row, ...] = ()
    remove: tuple[str, ...] = ()
    purge: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.embed or self.rows or self.remove or self.purge)


@dataclass(slots=True)
class Index:
    """See the module's docstring. `sidecar` is None where nothing may be written."""

    sidecar: Sidecar | None
    vectors: VectorTable = field(default_factory=VectorTable)
    version: int = 0  # grows with every row that comes or goes
    problem: str = ""  # why the sidecar cannot be written, "" where it can
    _rows: dict[str, str] = field(default_factory=dict)  # id → hash, as stored
    _uses: Counter[str] = field(default_factory=Counter)  # hash → how many rows have it
    _ids: dict[str, str] = field(default_factory=dict)  # path → id, as last compared
    _drawn: tuple[Graph, tuple[str, ...]] | None = None  # what `graph.json` was last made of: the graph, and the mask
    _idle: dict[str, None] = field(default_factory=dict)  # hashes that no row has any more, the longest idle first
    _unstored: set[str] = field(default_factory=set)  # ids whose rows, or whose removal, the disk refused

    def __len__(self) -> int:
        """Return how many notes have a vector."""
        return len(self._rows)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._rows

    @property
    def refused(self) -> bool:
        """Tell whether the disk does not hold what it should."""
        return bool(self._unstored)

    def has_strays(self, saved: Snapshot) -> bool:
        """Tell whether there is a row without its note; any thread may ask."""
        return any(self.owner(row_id) not in saved.paths for row_id in tuple(self._rows))

    def owner(self, row_id: str) -> str:
        """Return the id of the note that a row belongs to."""
        return row_id

    def embedded(self, row_id: str, note: Note) -> tuple[str, str]:
        """Return the hash and the text that a row of a note stands for."""
        return note.hash, embedding_text(note)

    def take(self, ids: Sequence[str], hashes: Sequence[str], matrix: NDArray[np.float32]) -> None:
        """Take vectors (n, dims), one for each id and content hash."""
        for id_, hash_, vector in zip(ids, hashes, matrix, strict=True):
            if hash_ not in self.vectors:
                self.vectors.put(hash_, vector)
            self._set(id_, hash_)

    def load(self) -> str:
        """Take what the sidecar holds; return what was wrong with it, or "".

        For a worker thread, before anyone else uses the index.
        """
        if self.sidecar is None:
            return ""
        loaded = self.sidecar.load()
        self.take_loaded(loaded)
        return loaded.reason

    def take_loaded(self, loaded: Loaded) -> None:
        """Take what the sidecar held."""
        self.take(loaded.rows.ids, loaded.rows.hashes, loaded.rows.matrix)
        self._keep(loaded.rows.spare)

    def take_changes(self, changes: Changes) -> None:
        """Take over what other processes wrote; rows that were lost count as missing again."""
        if changes.puts:
            matrix = np.stack([row.vector for row in changes.puts])
            self.take([row.id for row in changes.puts], [row.hash for row in changes.puts], matrix)
        self.release((*changes.removes, *changes.lost))
        self._keep(changes.spare)

    def compare(self, saved: Snapshot, paths: Iterable[str] | None = None) -> Work:
        """Return what must be done for some notes, or for all."""
        embed: list[tuple[str, Note]] = []
        rows: list[Row] = []
        remove, purge = set[str](), set[str]()
        everything = paths is None
        if paths is None:
            remove.update(id_ for id_ in self._rows if id_ not in saved.paths)
            paths = {*saved.notes, *self._ids}
        for path in paths:
            before, id_ = self._ids.pop(path, None), saved.ids.get(path)
            if before is not None and before not in saved.paths and before in self._rows:
                remove.add(before)
            if id_ is None:
                continue
            self._ids[path] = id_
            note = saved.notes[path]
            stored = self._rows.get(id_)
            if everything and stored == note.hash and stored in self.vectors:
                # The text was clean when it was embedded; looking again at each start would cost more than the load.
                continue
            if saved.guard.holds_secret(note):
                # The edit that brought the secret may have changed the name, and with it the id.
                purge.update(old for old in (id_, before) if old in self._rows and (old == id_ or old in remove))
            elif stored == note.hash and stored in self.vectors:
                continue
            elif note.hash in self.vectors:
                vector = self.vectors.get(note.hash)
                rows += [Row(id_, note.hash, vector)] if vector is not None else []
            else:
                embed.append((id_, note))
        return Work(tuple(embed), tuple(rows), tuple(sorted(remove - purge)), tuple(sorted(purge)))

    def release(self, ids: Iterable[str]) -> None:
        """Drop the rows of some ids; their vectors wait for a while, since a text often comes back elsewhere."""
        for id_ in ids:
            self._unset(id_)

    def forget(self, ids: Collection[str]) -> None:
        """Drop the rows of some ids, and each vector that no other row uses."""
        for id_ in ids:
            self._unset(id_, drop=True)

    def clear(self) -> None:
        """Forget every vector, as for a rebuild."""
        self.vectors = VectorTable(self.vectors.prior)
        self._rows.clear()
        self._uses.clear()
        self._ids.clear()
        self._idle.clear()
        self._unstored = set()

    def note_rows(self, rows: Iterable[Row]) -> None:
        """Record rows whose vector is in the table already."""
        for row in rows:
            self._set(row.id, row.hash)

    def store_rows(self, rows: Sequence[Row], removes: Sequence[str] = ()) -> None:
        """Append to the sidecar, with what it would not take before."""
        again = self._unstored - {row.id for row in rows} - set(removes)
        gone = [*removes, *(id_ for id_ in again if id_ not in self._rows)]
        rows = [*rows, *(row for id_ in again if (row := self._row(id_)) is not None)]
        if self._guard(lambda sidecar: sidecar.append(rows, gone)):
            self._unstored = set()
        else:
            self._unstored = {*gone, *(row.id for row in rows)}

    def store_purge(self, ids: Collection[str]) -> None:
        """Remove every byte of some notes' vectors from the disk."""
        self._guard(lambda sidecar: sidecar.purge(ids))

    def store_graph(self, saved: Snapshot) -> None:
        """Write `graph.json` where it changed; an edit that leaves nodes and edges alone costs a look at the file."""
        shown = saved.graph, saved.guard.masked()

        def write(sidecar: Sidecar) -> None:
            if (
                self._drawn is None
                or self._drawn[0] is not shown[0]
                or self._drawn[1] != shown[1]
                or not sidecar.has_graph()
            ):
                public = saved.public_graph()
                sidecar.write_graph(public.nodes, public.edges)
                self._drawn = shown

        self._guard(write)

    def store_compacted(self) -> None:
        """Bring the sidecar's snapshot files up to date where that is due."""
        if self._unstored:
            self.store_rows(())
        if self.sidecar is not None and self.sidecar.should_compact():
            self._guard(lambda sidecar: sidecar.compact())

    def store_nothing(self) -> None:
        """Empty the sidecar, as for a rebuild."""
        self._guard(lambda sidecar: sidecar.clear())

    def close(self) -> None:
        """Let go of the sidecar."""
        self._guard(lambda sidecar: sidecar.close())

    def _row(self, id_: str) -> Row | None:
        hash_ = self._rows.get(id_)
        vector = self.vectors.get(hash_) if hash_ is not None else None
        return None if hash_ is None or vector is None else Row(id_, hash_, vector)

    def _set(self, id_: str, hash_: str) -> None:
        self._unset(id_)
        self._rows[id_] = hash_
        self.version += 1
        self._uses[hash_] += 1
        self._idle.pop(hash_, None)

    def _unset(self, id_: str, *, drop: bool = False) -> None:
        hash_ = self._rows.pop(id_, None)
        if hash_ is None:
            return
        self.version += 1
        self._uses[hash_] -= 1
        if self._uses[hash_] <= 0:
            del self._uses[hash_]
            if drop:
                self.vectors.drop(hash_)
            else:
                self._rest(hash_)

    def _keep(self, spare: Mapping[str, NDArray[np.float32]]) -> None:
        """Take vectors that no row has."""
        for hash_, vector in spare.items():
            if hash_ not in self.vectors:
                self.vectors.put(hash_, vector)
                self._rest(hash_)

    def _rest(self, hash_: str) -> None:
        self._idle[hash_] = None
        while len(self._idle) > _MOST_IDLE:
            longest = next(iter(self._idle))
            del self._idle[longest]
            self.vectors.drop(longest)

    def _guard(self, act: Callable[[Sidecar], object]) -> bool:
        """Do something with the sidecar; where the disk refuses, go on in memory and keep the reason."""
        if self.sidecar is None:
            return True
        try:
            act(self.sidecar)
        except SidecarError as error:
            self.problem = str(error)
            return False
        self.problem = ""
        return True


def embedding_text(note: Note) -> str:
    """Return the text that a note's vector stands for, the same that its hash is made of."""
    return f"{note.name}\n{note.description}\n{note.content}"
