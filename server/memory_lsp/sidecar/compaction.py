"""Bring journal and snapshot together in a new snapshot, and wipe notes from both."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from memory_lsp.sidecar.journal import JOURNAL, NEW_JOURNAL, decode_records, successor
from memory_lsp.sidecar.snapshot_files import META, NEW_META, NEW_VECTORS, VECTORS
from memory_lsp.sidecar.writing import SCRATCH, commit, draft_snapshot, remove_all

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from contextlib import AbstractContextManager

    from memory_lsp.sidecar.disk import Disk
    from memory_lsp.sidecar.reading import DiskState
    from memory_lsp.sidecar.rows import Rows


def compact(disk: Disk, exclusive: Callable[[], AbstractContextManager[None]], order: Sequence[str] | None) -> bool:
    """Write a new snapshot; needs the bulk lock, and takes `exclusive` (all others) only for the moments that need it.

    The long part, reading and writing everything, runs while appends go on; their records follow into the new journal.
    """
    state = _settled(disk, exclusive)
    if state is None or state.journal is None or not state.dims:
        return False
    rows = state.rows if order is None else _ordered(state.rows, order)
    if state.base and state.journal.end == len(state.journal.head) and rows.ids == state.rows.ids:
        return False
    try:
        digest = draft_snapshot(disk.folder, disk.model_id, disk.files, rows, state.dims)
        with exclusive():
            done = disk.attach(None) and _commit(disk, state, digest)
        if done:
            disk.files.sync_folder(disk.folder)
        return done
    finally:
        # Once `journal.new` is there, the drafts belong to the commit, and whoever comes next finishes it.
        if disk.files.stat(disk.folder / NEW_JOURNAL) is None:
            remove_all(disk.folder, disk.files, (NEW_VECTORS, NEW_META))


def _settled(disk: Disk, exclusive: Callable[[], AbstractContextManager[None]]) -> DiskState | None:
    for anew in (False, True):
        with exclusive():
            if not disk.attach(None, anew=anew):
                return None
        state = disk.read()
        if state.journal is not None and state.attached and not state.rolled:
            return state
    return None


def _commit(disk: Disk, state: DiskState, digest: str) -> bool:
    view, journal = disk.view, state.journal
    if journal is None or view.header is None or view.header.generation != journal.header.generation:
        # Someone rewrote the store meanwhile; theirs stands.
        return False
    data = disk.files.read(disk.folder / JOURNAL, journal.end, view.end - journal.end)
    tail, _ = decode_records(data, view.head, view.width)
    header = successor(journal.header, digest, journal.end, view.end)
    head, end = commit(disk.folder, disk.files, header, tail)
    view.attach(header, head, end, disk.stamps())
    return True


def _ordered(rows: Rows, order: Sequence[str]) -> Rows:
    wanted = dict.fromkeys(note_id for note_id in order if note_id in rows)
    return rows.pick([*wanted, *(note_id for note_id in rows.ids if note_id not in wanted)])


def purge(disk: Disk, ids: frozenset[str], owner: Callable[[str], str]) -> bool:
    """Rewrite all files without these notes; needs every lock. False when no file knew of them.

    `owner` gives the note of a row's id.
    """
    attached = disk.attach(None)
    # Under the bulk lock a draft belongs to no living process, and may hold what is to go.
    remove_all(disk.folder, disk.files, SCRATCH)
    if not _traces(disk, ids):
        return False
    state = disk.read()
    if not attached or state.journal is None or not state.dims:
        remove_all(disk.folder, disk.files, (META, VECTORS, JOURNAL))
        disk.view.forget([row_id for row_id in disk.view.known if owner(row_id) in ids])
        return True
    rows = state.rows.pick([row_id for row_id in state.rows.ids if owner(row_id) not in ids])
    digest = draft_snapshot(disk.folder, disk.model_id, disk.files, rows, state.dims)
    header = successor(state.journal.header, digest, state.journal.end, state.journal.end, purged=True)
    head, end = commit(disk.folder, disk.files, header, ())
    disk.view.attach(header, head, end, disk.stamps())
    disk.view.forget([row_id for row_id in disk.view.known if owner(row_id) in ids])
    disk.files.sync_folder(disk.folder)
    return True


def _traces(disk: Disk, ids: Collection[str]) -> bool:
    vectors = disk.files.stat(disk.folder / VECTORS)
    texts = [disk.files.read(disk.folder / name) for name in (META, JOURNAL) if disk.files.stat(disk.folder / name)]
    if vectors is not None and vectors.size and not _is_json(texts[0] if texts else b""):
        # Nobody can tell whose vectors these are.
        return True
    needles = {form for note_id in ids for form in _forms(note_id)}
    return any(needle in text for text in texts for needle in needles)


def _forms(note_id: str) -> tuple[bytes, ...]:
    raw = note_id.encode("utf-8", "surrogatepass")
    quoted = (json.dumps(note_id, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False))
    return raw, *(text.encode("utf-8", "surrogatepass") for text in quoted)


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
