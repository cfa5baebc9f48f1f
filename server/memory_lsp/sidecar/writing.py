"""Change what is on disk, in an order that a crash at any point leaves readable. Every call needs the lock."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from memory_lsp.sidecar.journal import (
    DRAFT_JOURNAL,
    JOURNAL,
    NEW_JOURNAL,
    encode_header,
    encode_records,
    new_header,
)
from memory_lsp.sidecar.snapshot_files import META, NEW_META, NEW_VECTORS, VECTORS, bytes_of, checksum_of, encode_meta

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from memory_lsp.sidecar.files import Files
    from memory_lsp.sidecar.journal import Header, Record
    from memory_lsp.sidecar.reading import DiskState
    from memory_lsp.sidecar.rows import Rows

FOLDER_NAME = ".graph"
IGNORE = ".gitignore"
SCRATCH = (NEW_VECTORS, NEW_META, DRAFT_JOURNAL, NEW_JOURNAL)
LASTING = (VECTORS, META, JOURNAL)


def make_folder(folder: Path, files: Files) -> None:
    """Create the folder with its `.gitignore`; the memory directory itself must be there."""
    stamp = files.stat(folder / IGNORE)
    if stamp is not None and stamp.size:
        return
    if folder.name != FOLDER_NAME:
        make_folder(folder.parent, files)
    files.make_folder(folder)
    files.write(folder / IGNORE, [b"*\n"], sync=False)


def repair(folder: Path, model_id: str, files: Files, state: DiskState, dims: int) -> tuple[Header, bytes, int]:
    """Finish what a crash left and see that a journal extends the snapshot; return its header, header bytes, end."""
    journal, end = state.journal, _roll_forward(folder, files, state)
    if journal is None or not state.attached:
        # What a stray journal holds beyond the snapshot moves to one that extends it.
        header = new_header(model_id, dims, state.base)
        head = encode_header(header)
        data = encode_records(state.loose, head)
        files.write(folder / DRAFT_JOURNAL, [head, data], sync=False)
        files.replace(folder / DRAFT_JOURNAL, folder / JOURNAL)
        end = len(head) + len(data)
    else:
        header, head = journal.header, journal.head
    # One of a compaction that never came to its first rename.
    files.remove(folder / NEW_JOURNAL)
    return header, head, end


def _roll_forward(folder: Path, files: Files, state: DiskState) -> int:
    """Do the renames that a dead compaction still owed; return the end of the journal."""
    if state.meta_pending:
        files.replace(folder / NEW_META, folder / META)
    if state.journal is None:
        return 0
    end = state.journal.end
    if state.rolled:
        loose = encode_records(state.loose, state.journal.head)
        files.write_at(folder / NEW_JOURNAL, end, loose)
        files.replace(folder / NEW_JOURNAL, folder / JOURNAL)
        end += len(loose)
    return end


def draft_snapshot(folder: Path, model_id: str, files: Files, rows: Rows, dims: int) -> str:
    """Write a whole new snapshot beside the one in use, on disk when this returns; return its digest."""
    files.write(folder / NEW_VECTORS, [bytes_of(rows.matrix)], sync=True)
    meta = encode_meta(model_id, dims, rows.ids, rows.hashes, checksum_of(rows.matrix))
    files.write(folder / NEW_META, [meta], sync=True)
    return hashlib.sha256(meta).hexdigest()


def commit(folder: Path, files: Files, header: Header, tail: Sequence[Record]) -> tuple[bytes, int]:
    """Put the drafted snapshot in place with its journal; return the journal's header bytes and end.

    `journal.new` appears whole, before the first rename: from then on a reader can tell which records the new
    snapshot lacks, wherever the four renames stop.
    """
    head = encode_header(header)
    data = encode_records(tail, head)
    files.write(folder / DRAFT_JOURNAL, [head, data], sync=False)
    files.replace(folder / DRAFT_JOURNAL, folder / NEW_JOURNAL)
    files.replace(folder / NEW_VECTORS, folder / VECTORS)
    files.replace(folder / NEW_META, folder / META)
    files.replace(folder / NEW_JOURNAL, folder / JOURNAL)
    return head, len(head) + len(data)


def remove_all(folder: Path, files: Files, names: Iterable[str]) -> None:
    """Delete files of the sidecar."""
    for name in names:
        files.remove(folder / name)
