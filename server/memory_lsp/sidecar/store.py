"""One memory directory's sidecar: the only door to the files under `.graph/`."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.errors import SidecarError
from memory_lsp.sidecar import compaction
from memory_lsp.sidecar.disk import Disk
from memory_lsp.sidecar.faults import Busy, sidecar_error
from memory_lsp.sidecar.files import Files
from memory_lsp.sidecar.graph_file import GRAPH, NEW_GRAPH, GraphFile, encode_graph
from memory_lsp.sidecar.journal import JOURNAL, Record, encode_records
from memory_lsp.sidecar.lock import ProcessLock
from memory_lsp.sidecar.rows import Changes, Loaded, Row, Rows
from memory_lsp.sidecar.snapshot_files import MAX_DIMS, META, VECTORS, valid_vector
from memory_lsp.sidecar.view import View
from memory_lsp.sidecar.writing import FOLDER_NAME, SCRATCH, make_folder, remove_all

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memory_lsp.core.graph import Edge, Node

_LOCK = "lock"
_BULK_LOCK = "bulk.lock"
_EMBED_LOCK = "embed.lock"
_SMALL_JOURNAL = 256 * 1024
# What is written anew after every quiet, so that other programs see fresh files: some 2,500 notes.
_SMALL_STORE = 4 * 1024 * 1024
# What a slow disk still takes within a moment: closing must not make an editor wait.
_CLOSE_LIMIT = 32 * 1024 * 1024


class Sidecar:
    """Vectors and graph under `.graph/`, shared with every other process on the directory.

    A folder in `.graph/` may hold rows of its own in the same files. There a note may have several rows: `owner` gives
    the note of a row's id, which must start with the note's.

    Use from any thread. Everything but `load` raises SidecarError, and only that, when the disk or another process is
    in the way; the same call works later. Nothing is created before the first write.
    """

    def __init__(
        self,
        folder: Path,
        model_id: str,
        *,
        owner: Callable[[str], str] = str,
        files: Files | None = None,
        lock_timeout: float = 1.0,
    ) -> None:
        if FOLDER_NAME not in (folder.name, folder.parent.name):
            # Its `.gitignore` hides all beside it: in any other folder that would hide the notes.
            raise ValueError(f"the sidecar's folder must be called {FOLDER_NAME}, not {folder.name}")
        self._owner = owner
        self._folder = folder
        self._files = files or Files()
        self._disk = Disk(folder, model_id, self._files)
        self._graph = GraphFile(folder, self._files)
        self._lock = ProcessLock(folder / _LOCK, lock_timeout)
        # Held for the long writes, so that two processes never share a scratch file; savers do not wait for it.
        self._bulk = ProcessLock(folder / _BULK_LOCK, lock_timeout)
        self._embed = ProcessLock(folder / _EMBED_LOCK, lock_timeout)
        self._mutex = threading.Lock()

    @property
    def on_disk(self) -> Mapping[str, str]:
        """Hashes by note id, as last loaded, refreshed or written here."""
        return MappingProxyType(self._disk.view.known)

    def load(self) -> Loaded:
        """Read all rows; what is damaged is left out and named in `reason`. Never raises, writes nothing."""
        with self._mutex:
            try:
                state = self._disk.read()
            except OSError as error:
                self._disk.view = View()
                return Loaded(Rows.empty(), None, str(sidecar_error("read", self._folder, error)), recovered=False)
            self._disk.view.adopt(state)
        rows, reason = state.rows, self._incomplete(state.reason) if state.reason else ""
        return Loaded(rows, state.dims, reason, recovered=bool(reason and len(rows)))

    def append(self, puts: Sequence[Row], removes: Sequence[str] = ()) -> None:
        """Store rows and removals in one write; the cost does not depend on the number of rows stored.

        When this returns, a crash of this process loses nothing (a power cut may: nothing waits for the disk here).
        """
        put_records, dims = _checked(puts)
        remove_records = [Record(note_id, "", None) for note_id in removes]
        if not put_records and not remove_records:
            return
        with self._mutex, self._reporting("write"):
            if not put_records and not self._disk.anything():
                return
            make_folder(self._folder, self._files)
            with self._lock.hold():
                if not self._disk.attach(dims):
                    return
                view = self._disk.view
                data = encode_records([*remove_records, *put_records], view.head)
                self._disk.extend(data)
                view.wrote(put_records, remove_records, len(data), self._files.stat(self._folder / JOURNAL))

    def refresh(self) -> Changes:
        """Return what others wrote since the last look; a few stats when that is nothing."""
        with self._mutex, self._reporting("read"):
            changes = self._disk.look()
        return replace(changes, reason=self._incomplete(changes.reason)) if changes.reason else changes

    def should_compact(self) -> bool:
        """Tell whether a compaction is worth its cost: the store is small, or the journal outgrew its share of it."""
        snapshot, journal = self._snapshot_bytes(), self._disk.view.end
        return self.has_journal() and (
            snapshot + journal < _SMALL_STORE or journal > max(_SMALL_JOURNAL, snapshot // 4)
        )

    def has_journal(self) -> bool:
        """Tell whether a compaction would bring anything into the snapshot."""
        view = self._disk.view
        return view.end > len(view.head)

    def compact(self, order: Sequence[str] | None = None) -> bool:
        """Write journal and snapshot into a new snapshot, rows in `order` first.

        Appends of this and other processes go on meanwhile. False when there is nothing to do or another is at it.
        """
        with self._reporting("compact"):
            if not self._disk.anything():
                return False
            with ExitStack() as stack:
                try:
                    stack.enter_context(self._bulk.hold(timeout=0))
                except Busy:
                    return False
                return compaction.compact(self._disk, self._exclusive, order)

    def purge(self, ids: Collection[str]) -> bool:
        """Make every byte about these notes vanish from all files but `graph.json`; False when there was none."""
        with self._reporting("clean"):
            if not ids or not self._disk.anything():
                return False
            with self._bulk.hold(), self._mutex, self._lock.hold():
                return compaction.purge(self._disk, frozenset(ids), self._owner)

    def clear(self) -> None:
        """Delete all that is stored, for a rebuild."""
        with self._reporting("clear"):
            if not self._disk.anything() and self._files.stat(self._folder / GRAPH) is None:
                return
            with self._bulk.hold(), self._mutex, self._lock.hold():
                remove_all(self._folder, self._files, (META, VECTORS, JOURNAL, *SCRATCH, GRAPH, NEW_GRAPH))
                self._disk.view = View()

    def has_graph(self) -> bool:
        """Tell whether `graph.json` is still what `write_graph` last left or found there."""
        with self._reporting("read"):
            return self._graph.is_untouched()

    def write_graph(self, nodes: Iterable[Node], edges: Iterable[Edge]) -> bool:
        """Write `graph.json` unless it holds just this already; tell whether it was written."""
        data = encode_graph(nodes, edges)
        with self._reporting("write"):
            if self._graph.same(data):
                return False
            make_folder(self._folder, self._files)
            with self._bulk.hold():
                self._graph.write(data)
            return True

    @contextmanager
    def embedding(self, timeout: float) -> Iterator[None]:
        """Hold the right to embed, so that several processes that see one note do not all embed it.

        Look at `refresh` once inside. Raises SidecarError when the right cannot be had in time, or the disk refuses.
        """
        with self._reporting("write"):
            make_folder(self._folder, self._files)
        with self._embed.hold(timeout):
            yield

    def close(self) -> None:
        """Leave a fresh snapshot behind where that is quick; the journal keeps everything otherwise."""
        if self.has_journal() and max(self._snapshot_bytes(), self._disk.view.end) <= _CLOSE_LIMIT:
            # Nothing is lost without it, and nobody is left to tell.
            with suppress(SidecarError):
                self.compact()

    def _incomplete(self, reason: str) -> str:
        return f"The sidecar in {self._folder} is incomplete: {reason}. What is missing is made anew."

    def _snapshot_bytes(self) -> int:
        stamps = self._disk.view.stamps
        return stamps.vectors.size if stamps is not None and stamps.vectors is not None else 0

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        with self._mutex, self._lock.hold():
            yield

    @contextmanager
    def _reporting(self, doing: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise sidecar_error(doing, self._folder, error) from error


def _checked(puts: Sequence[Row]) -> tuple[list[Record], int | None]:
    """Return the rows as records with their common width, raising SidecarError for one that must not be stored."""
    dims: int | None = None
    records: list[Record] = []
    with np.errstate(all="ignore"):
        for row in puts:
            vector = np.ascontiguousarray(row.vector, dtype=np.float32)
            dims = vector.size if dims is None else dims
            if not row.id or not row.hash or vector.shape != (dims,) or not 0 < dims <= MAX_DIMS:
                raise SidecarError(f"The row of {row.id or 'a note'} has no id, no hash or another width: not stored.")
            if not valid_vector(vector):
                raise SidecarError(f"The vector of {row.id} is not finite or not of length 1: it is not stored.")
            records.append(Record(row.id, row.hash, vector))
    return records, dims
