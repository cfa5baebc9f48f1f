"""Put snapshot and journal together: what the folder holds right now, whatever state a crash left it in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.sidecar.journal import JOURNAL, NEW_JOURNAL, decode_records, read_journal
from memory_lsp.sidecar.rows import Rows
from memory_lsp.sidecar.snapshot_files import META, VECTORS, Snapshot, read_snapshot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memory_lsp.sidecar.files import Files, Stamp
    from memory_lsp.sidecar.journal import Journal, Record


@dataclass(frozen=True, slots=True)
class Stamps:
    """The files whose stat says whether anything happened."""

    vectors: Stamp | None
    meta: Stamp | None
    journal: Stamp | None
    new_journal: Stamp | None


@dataclass(frozen=True, slots=True, eq=False)
class DiskState:
    """The rows on disk and how they are stored.

    `base` is the digest of the usable snapshot, "" when there is none or it is `damaged`. `journal` is the one that
    extends it (`attached`), or a stray one whose puts were salvaged, or None. A compaction that died in between may
    still owe the rename of `meta.json.new` (`meta_pending`) and of `journal.new` (`rolled`; then `journal` is that
    one). `loose` are records that count but that no attached journal holds: those salvaged, or those the old journal
    got after a compaction had copied its tail.
    """

    rows: Rows
    dims: int | None
    base: str
    journal: Journal | None
    damaged: bool
    attached: bool
    meta_pending: bool
    rolled: bool
    loose: tuple[Record, ...]
    stamps: Stamps
    reason: str

    @property
    def doubtful(self) -> bool:
        """Tell whether this may be a glimpse of another process's renames, so that a second look is due."""
        return self.damaged or not self.attached or self.meta_pending or self.rolled


def read_stamps(folder: Path, files: Files) -> Stamps:
    """Stat the files; raises OSError."""
    return Stamps(*(files.stat(folder / name) for name in (VECTORS, META, JOURNAL, NEW_JOURNAL)))


def read_disk(folder: Path, model_id: str, files: Files) -> DiskState:
    """Read everything; never raises on bad content, OSError when the system refuses."""
    stamps = read_stamps(folder, files)
    found = [read_journal(folder / name, files) for name in (JOURNAL, NEW_JOURNAL)]
    room = sum(len(each.records) for each in found if each is not None)
    snapshot = read_snapshot(folder, model_id, files, room)
    journal, follower = (_fitting(each, model_id, snapshot.dims) for each in found)
    attached = journal is None or journal.header.base == snapshot.digest
    loose: tuple[Record, ...] = ()
    chosen: Journal | None = journal
    records: tuple[Record, ...] = () if journal is None else journal.records
    if follower is not None and follower.header.base == snapshot.digest and (journal is None or not attached):
        loose = _late(follower, journal, folder, files)
        chosen, attached, records = follower, True, (*follower.records, *loose)
    elif not attached:
        records = loose = _salvage(records, snapshot.ids)
    rolled = chosen is not None and chosen is follower
    dims = snapshot.dims or (chosen.header.dims if chosen is not None else 0) or None
    return DiskState(
        rows=merge(snapshot, records, dims or 0),
        dims=dims,
        base=snapshot.digest,
        journal=chosen,
        damaged=bool(snapshot.reason),
        attached=attached,
        meta_pending=snapshot.pending,
        rolled=rolled,
        loose=loose,
        stamps=stamps,
        reason=_reason(snapshot, chosen, stamps, attached=attached),
    )


def _fitting(journal: Journal | None, model_id: str, dims: int | None) -> Journal | None:
    if journal is None or journal.header.model != model_id:
        return None
    return journal if dims in (None, journal.header.dims) else None


def _late(follower: Journal, journal: Journal | None, folder: Path, files: Files) -> tuple[Record, ...]:
    # Records that reached the old journal after the compaction copied its tail: possible where locks do not work.
    if journal is None or journal.header.generation != follower.header.parent:
        return ()
    data = files.read(folder / JOURNAL)
    records, _ = decode_records(data, journal.head, journal.header.dims, follower.header.carried)
    return tuple(records)


def _salvage(records: Sequence[Record], present: Sequence[str]) -> tuple[Record, ...]:
    # The snapshot is someone else's newer word on its own rows; only what it does not have is added.
    known = set(present)
    return tuple(record for record in last_words(records) if record.vector is not None and record.id not in known)


def last_words(records: Sequence[Record]) -> list[Record]:
    """Return the last record of each id."""
    return list({record.id: record for record in records}.values())


def merge(snapshot: Snapshot, records: Sequence[Record], dims: int) -> Rows:
    """Return the snapshot's rows with the records applied; the snapshot's matrix is used up."""
    final = last_words(records)
    ids, hashes = list(snapshot.ids), list(snapshot.hashes)
    matrix = snapshot.matrix
    if matrix.shape[1] != dims or len(matrix) < len(ids) + len(final):
        matrix = np.empty((len(ids) + len(final), dims), dtype=np.float32)
        if ids:
            matrix[: len(ids)] = snapshot.matrix[: len(ids)]
    index = dict(zip(ids, range(len(ids)), strict=True)) if final else {}
    gone: set[int] = set()
    for record in final:
        i = index.get(record.id)
        if record.vector is None:
            if i is not None:
                gone.add(i)
            continue
        if i is None:
            i = len(ids)
            ids.append(record.id)
            hashes.append(record.hash)
        hashes[i] = record.hash
        matrix[i] = record.vector
    matrix = matrix[: len(ids)]
    if gone:
        kept = [i for i in range(len(ids)) if i not in gone]
        ids, hashes, matrix = [ids[i] for i in kept], [hashes[i] for i in kept], matrix[kept]
    spare = {record.hash: record.vector for record in records if record.vector is not None}
    return Rows(ids, hashes, matrix, spare)


def _reason(snapshot: Snapshot, journal: Journal | None, stamps: Stamps, *, attached: bool) -> str:
    reasons = [snapshot.reason] if snapshot.reason else []
    if stamps.journal is not None and journal is None:
        reasons.append("the journal is damaged or of another model")
    if not attached and not snapshot.reason:
        reasons.append("the journal extends another snapshot")
    if journal is not None and journal.end < journal.size:
        reasons.append(f"the journal is good up to byte {journal.end} of {journal.size} only")
    return "; ".join(reasons)
