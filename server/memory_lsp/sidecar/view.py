"""What one process knows of the disk: which rows its caller has, and how far it has read."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memory_lsp.sidecar.reading import last_words
from memory_lsp.sidecar.rows import Changes, Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memory_lsp.sidecar.files import Stamp
    from memory_lsp.sidecar.journal import Header, Record
    from memory_lsp.sidecar.reading import DiskState, Stamps

# A file changed again within the clock's tick (two seconds on some file systems) keeps its stamp.
_TICK_NS = 2_000_000_000
_LOST = "files of the sidecar were deleted or rewritten by another program"


@dataclass(slots=True)
class View:
    """Position in the journal and the rows told so far.

    `known` maps the ids the caller has been told of to their hashes. `seen` is the offset behind the last record the
    caller knows, -1 when the files must be read anew; `end` is the offset behind the last good record. `trusted` says
    that `known` comes from the lineage of `header`. `quiet` says that `stamps` holds nothing untold.
    """

    known: dict[str, str] = field(default_factory=dict)
    base: str = ""
    header: Header | None = None
    head: bytes = b""
    seen: int = -1
    end: int = 0
    trusted: bool = True
    quiet: bool = False
    stamps: Stamps | None = None

    def adopt(self, state: DiskState) -> None:
        """Take a whole reading as told to the caller."""
        rows, journal = state.rows, state.journal
        self.known = dict(zip(rows.ids, rows.hashes, strict=True))
        self.base, self.stamps = state.base, state.stamps
        regular = state.attached and not state.rolled and not state.meta_pending
        if journal is not None and regular:
            self.header, self.head, self.seen, self.end = journal.header, journal.head, journal.end, journal.end
        else:
            self.header, self.head, self.seen, self.end = None, b"", 0 if regular else -1, 0
        self.trusted = self.quiet = True

    def attach(self, header: Header, head: bytes, end: int, stamps: Stamps, read: Stamps | None = None) -> None:
        """Take note of the journal to append to; rows that the caller does not know yet stay untold.

        `read` is what the files looked like when the rows of that journal were read anew.
        """
        ours = self.header
        if self.quiet and read is not None and read == self.stamps:
            self.seen = end
        elif ours is None:
            fresh = self.seen == 0 and header.base == self.base
            self.seen, self.trusted = (len(head), True) if fresh else (-1, not self.known)
        elif header.parent == ours.generation:
            self.follow(header, head)
        elif header.generation != ours.generation:
            self.seen, self.trusted = -1, header.lineage == ours.lineage or not self.known
        self.base, self.header, self.head, self.end, self.stamps = header.base, header, head, end, stamps
        self.quiet = self.quiet and self.seen == end

    @property
    def width(self) -> int:
        """Return the width of the vectors in the journal."""
        return self.header.dims if self.header is not None else 0

    def begin(self, header: Header, head: bytes) -> None:
        """Move to the first journal of a snapshot whose rows are all told."""
        self.header, self.head, self.seen, self.end = header, head, len(head), len(head)

    def forget(self, ids: Iterable[str]) -> None:
        """Take note that our caller had these rows removed."""
        for note_id in ids:
            self.known.pop(note_id, None)

    def follow(self, header: Header, head: bytes) -> bool:
        """Move to the journal that replaced ours in a compaction; False when the snapshot has anything yet untold."""
        told = not header.purged and header.compacted <= self.seen <= header.carried
        self.seen = self.seen - header.compacted + len(head) if told else -1
        self.base, self.header, self.head, self.end = header.base, header, head, max(self.seen, len(head))
        return told

    def wrote(self, puts: Sequence[Record], removes: Sequence[Record], length: int, stamp: Stamp | None) -> None:
        """Take note of our own append of `length` bytes."""
        for record in (*removes, *puts):
            if record.vector is None:
                self.known.pop(record.id, None)
            else:
                self.known[record.id] = record.hash
        self.quiet = told = self.seen == self.end
        self.end += length
        if told:
            self.seen = self.end
        if self.stamps is not None:
            self.stamps = replace(self.stamps, journal=stamp)

    def grown(self, records: Sequence[Record], seen: int, stamps: Stamps) -> Changes:
        """Take records that others appended; return what they change for the caller."""
        puts: list[Row] = []
        removes: list[str] = []
        for record in last_words(records):
            if record.vector is None:
                if self.known.pop(record.id, None) is not None:
                    removes.append(record.id)
            elif self.known.get(record.id) != record.hash:
                self.known[record.id] = record.hash
                puts.append(Row(record.id, record.hash, record.vector))
        self.seen, self.end, self.stamps, self.quiet = seen, max(seen, self.end), stamps, True
        spare = {record.hash: record.vector for record in records if record.vector is not None}
        return Changes(tuple(puts), tuple(removes), spare=spare)

    def reread(self, state: DiskState) -> Changes:
        """Take a whole new reading; return how it differs from what the caller knows."""
        known, rows = self.known, state.rows
        ours = self._descends(state)
        # Another program's rows replace all of ours, so that vectors of two makers never mix.
        pairs = zip(rows.ids, rows.hashes, strict=True)
        puts = tuple(rows[note_id] for note_id, digest in pairs if not ours or known.get(note_id) != digest)
        gone = tuple(note_id for note_id in known if note_id not in rows)
        self.adopt(state)
        if ours:
            return Changes(puts, removes=gone, spare=rows.spare)
        return Changes(puts, lost=gone, reason=(state.reason or _LOST) if gone else "")

    def _descends(self, state: DiskState) -> bool:
        if not self.trusted or not state.attached or state.journal is None:
            return False
        if self.header is None:
            return state.base == self.base
        return self.header.lineage == state.journal.header.lineage

    def young(self) -> bool:
        """Tell whether the snapshot may have changed again without its stamp telling."""
        meta = self.stamps.meta if self.stamps is not None else None
        # Where the clock was set back, the file comes from the future, and would stay young for as long.
        return meta is not None and abs(time.time_ns() - meta.modified_ns) < _TICK_NS
