"""`contradictions`: which notes were compared with their neighbours and what was found, so that a restart knows it.

Lines of text, appended under the sidecar's lock. The first names what all results depend on beside the notes; each
other line has a checksum that starts from the first one's, so that it counts only behind it. No text of a note is in
here: notes are named by their content hash, sentences by their place and a digest.
"""

from __future__ import annotations

import json
import secrets
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.sidecar.faults import sidecar_error
from memory_lsp.sidecar.files import Files
from memory_lsp.sidecar.lock import ProcessLock
from memory_lsp.sidecar.writing import make_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

NAME = "contradictions"
_NEW_NAME = "contradictions.new"
_SCHEMA = 1
_HEAD_BYTES = 1024
# Lines that say nothing any more and are let be before the file is written anew.
_SPARE = 64


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence: its offsets in the note's text, and what to know it by, a digest of it."""

    start: int
    end: int
    digest: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """What a note says against another, which is named by its content hash."""

    other: str
    kind: str
    quote: Quote
    other_quote: Quote


Conflicts = tuple[Conflict, ...]


class ContradictionFile:
    """The file of one directory. Use from one thread at a time; other processes may read and write meanwhile."""

    def __init__(self, folder: Path, key: str, files: Files | None = None, lock_timeout: float = 1.0) -> None:
        """Prepare; nothing is read. `key` names all that results depend on beside the two notes."""
        self._folder, self._key = folder, key
        self._files = files or Files()
        self._lock = ProcessLock(folder / "lock", lock_timeout)
        self._known: dict[str, Conflicts] = {}
        self._head = b""
        self._end = 0  # up to here the file is known
        self._lines = 0
        self._spoilt = False

    def load(self) -> Mapping[str, Conflicts]:
        """Return what was found for each note that was compared, by content hash. Never raises, writes nothing."""
        try:
            self._follow()
        except OSError:
            self._known.clear()
        return dict(self._known)

    def save(self, found: Mapping[str, Conflicts], gone: Collection[str] = (), *, anew: bool = False) -> None:
        """Store what was found for some notes and drop others; with `anew` no byte of those stays in the file.

        Raises SidecarError; the same call works later.
        """
        try:
            make_folder(self._folder, self._files)
            with self._lock.hold():
                self._follow()
                gone = [note for note in gone if note in self._known and note not in found]
                for note in gone:
                    del self._known[note]
                self._known.update(found)
                if anew:
                    self._known = {note: _without(gone, conflicts) for note, conflicts in self._known.items()}
                wasteful = self._lines + len(found) + len(gone) > 2 * len(self._known) + _SPARE
                if anew or wasteful or self._spoilt or not self._end:
                    self._rewrite()
                else:
                    self._append([*map(_gone, gone), *(_found(*each) for each in found.items())])
        except OSError as error:
            raise sidecar_error("write", self._folder, error) from error

    def clear(self) -> None:
        """Forget everything and delete the file, as for a rebuild; raises SidecarError."""
        self._forget()
        self._known.clear()
        try:
            if self._files.stat(self._folder / NAME) is not None:
                with self._lock.hold():
                    self._files.remove(self._folder / NAME)
        except OSError as error:
            raise sidecar_error("clear", self._folder, error) from error

    def _follow(self) -> None:
        """Take over what is in the file behind the place that is known; from the start where it is another file."""
        path = self._folder / NAME
        try:
            head = self._files.read(path, 0, _HEAD_BYTES).partition(b"\n")[0] + b"\n"
            if head != self._head or self._files.read(path, max(0, self._end - 1), 1) != b"\n":
                self._forget()
                self._head, self._end = head, len(head)
                self._spoilt = not _is_head(head, self._key)
                if not self._spoilt:
                    # Whoever wrote it anew knew all that was in it, and may have left something out on purpose.
                    self._known.clear()
            data = b"" if self._spoilt else self._files.read(path, self._end)
        except FileNotFoundError:
            self._forget()
            return
        whole = data[: data.rfind(b"\n") + 1]
        self._end += len(whole)
        # What stands behind the last line end is another process's write under way, or what a crash left of one.
        self._spoilt = self._spoilt or len(whole) < len(data)
        for line in whole.splitlines():
            self._lines += 1
            self._spoilt = not self._take(line) or self._spoilt

    def _take(self, line: bytes) -> bool:
        checksum, _, body = line.partition(b" ")
        record = _parse(body) if checksum == _checksum(self._head, body) else None
        if record is None:
            return False
        gone, note = record.get("gone"), record.get("note")
        if isinstance(gone, str):
            self._known.pop(gone, None)
            return True
        conflicts = _conflicts(record.get("found"))
        if not isinstance(note, str) or conflicts is None:
            return False
        self._known[note] = conflicts
        return True

    def _append(self, bodies: Iterable[bytes]) -> None:
        lines = [_line(self._head, body) for body in bodies]
        data = b"".join(lines)
        if data:
            self._files.write_at(self._folder / NAME, self._end, data)
        self._end += len(data)
        self._lines += len(lines)

    def _rewrite(self) -> None:
        head = json.dumps({"contradictions": _SCHEMA, "key": self._key, "generation": secrets.token_hex(8)})
        self._head = head.encode("ascii") + b"\n"
        lines = [_line(self._head, _found(*each)) for each in self._known.items()]
        self._files.write(self._folder / _NEW_NAME, [self._head, *lines], sync=False)
        self._files.replace(self._folder / _NEW_NAME, self._folder / NAME)
        self._end = len(self._head) + sum(map(len, lines))
        self._lines, self._spoilt = len(lines), False

    def _forget(self) -> None:
        """Know nothing of the file; what was found stays known."""
        self._head, self._end, self._lines, self._spoilt = b"", 0, 0, False


def _without(gone: Collection[str], conflicts: Conflicts) -> Conflicts:
    return tuple(each for each in conflicts if each.other not in gone)


def _is_head(line: bytes, key: str) -> bool:
    record = _parse(line)
    return record is not None and (record.get("contradictions"), record.get("key")) == (_SCHEMA, key)


def _line(head: bytes, body: bytes) -> bytes:
    return _checksum(head, body) + b" " + body + b"\n"


def _checksum(head: bytes, body: bytes) -> bytes:
    return b"%08x" % zlib.crc32(body, zlib.crc32(head))


def _gone(note: str) -> bytes:
    return json.dumps({"gone": note}).encode("ascii")


def _found(note: str, conflicts: Conflicts) -> bytes:
    rows = [[each.other, each.kind, *_numbers(each.quote), *_numbers(each.other_quote)] for each in conflicts]
    return json.dumps({"note": note, "found": rows}, separators=(",", ":")).encode("ascii")


def _numbers(quote: Quote) -> Iterator[int | str]:
    yield from (quote.start, quote.end, quote.digest)


def _parse(body: bytes) -> dict[str, object] | None:
    try:
        record = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _conflicts(rows: object) -> Conflicts | None:
    """Return the conflicts of a record, None where one is not as it should be."""
    found = [_conflict(row) for row in rows] if isinstance(rows, list) else [None]
    return None if None in found else tuple(each for each in found if each is not None)


def _conflict(row: object) -> Conflict | None:
    if not isinstance(row, list) or len(row) != 8:
        return None
    other, kind, start, end, digest, other_start, other_end, other_digest = row
    texts, numbers = (other, kind, digest, other_digest), (start, end, other_start, other_end)
    if not all(isinstance(text, str) for text in texts) or not all(type(n) is int and n >= 0 for n in numbers):
        return None
    return Conflict(other, kind, Quote(start, end, digest), Quote(other_start, other_end, other_digest))
