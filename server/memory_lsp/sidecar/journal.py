"""The journal: one checksummed record a change, appended after the snapshot it extends."""

from __future__ import annotations

import json
import secrets
import struct
import zlib
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.sidecar.snapshot_files import MAX_DIMS, valid_vector

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from memory_lsp.sidecar.files import Files, Stamp

JOURNAL = "journal"
NEW_JOURNAL = "journal.new"
DRAFT_JOURNAL = "journal.draft"

_MAGIC = b"MLSPJRN1"
_FRAME = struct.Struct("<II")  # payload length, crc
_LENGTHS = struct.Struct("<BII")  # kind, bytes of id, bytes of hash
_PUT, _REMOVE = 1, 2
_MAX_HEADER = 65_536


@dataclass(frozen=True, slots=True)
class Header:
    """What a journal extends.

    `base` is the digest of the snapshot it starts from, "" for none. `generation` is its own random name, `lineage`
    that of the first journal of an unbroken line of compactions: within one, rows go only by being removed. `parent` is
    the generation that the compaction read: its bytes up to `compacted` went into the snapshot, those from there to
    `carried` were copied behind this header. `purged` says that rows were left out of that snapshot on purpose.
    """

    model: str
    dims: int
    base: str
    generation: str
    lineage: str
    parent: str = ""
    compacted: int = 0
    carried: int = 0
    purged: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One change: a put, or a remove when `vector` is None (its hash is "")."""

    id: str
    hash: str
    vector: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True, eq=False)
class Journal:
    """A journal as read: its records up to `end`, the offset behind the last good one; `size` is the file's."""

    header: Header
    head: bytes
    records: tuple[Record, ...]
    end: int
    size: int
    stamp: Stamp


def new_header(model: str, dims: int, base: str) -> Header:
    """Return the header of a fresh journal."""
    generation = secrets.token_hex(8)
    return Header(model, dims, base, generation, lineage=generation)


def successor(parent: Header, base: str, compacted: int, carried: int, *, purged: bool = False) -> Header:
    """Return the header of the journal that follows `parent` after a compaction."""
    return replace(
        parent,
        base=base,
        generation=secrets.token_hex(8),
        parent=parent.generation,
        compacted=compacted,
        carried=carried,
        purged=purged,
    )


def encode_header(header: Header) -> bytes:
    """Return the bytes a journal starts with: magic, length and crc of a JSON object, the object."""
    body = json.dumps(asdict(header)).encode("ascii")
    return _MAGIC + _FRAME.pack(len(body), zlib.crc32(body)) + body


def decode_header(data: bytes) -> tuple[Header, bytes] | None:
    """Return the header and its bytes, None when they are not whole and valid."""
    prefix = len(_MAGIC) + _FRAME.size
    if len(data) < prefix or not data.startswith(_MAGIC):
        return None
    length, crc = _FRAME.unpack_from(data, len(_MAGIC))
    body = data[prefix : prefix + length]
    if length > _MAX_HEADER or len(body) != length or zlib.crc32(body) != crc:
        return None
    try:
        header = Header(**json.loads(body))
    except (ValueError, TypeError, RecursionError):
        return None
    return (header, data[: prefix + length]) if _sound(header) else None


def _sound(header: Header) -> bool:
    texts = (header.model, header.base, header.generation, header.lineage, header.parent)
    numbers = (header.dims, header.compacted, header.carried)
    return (
        all(type(text) is str for text in texts)
        and all(type(number) is int for number in numbers)
        and type(header.purged) is bool
        and 0 < header.dims <= MAX_DIMS
        and 0 <= header.compacted <= header.carried
    )


def encode_records(records: Iterable[Record], head: bytes) -> bytes:
    """Return the bytes of records behind the header `head`, whose crc seeds theirs."""
    seed = zlib.crc32(head)
    frames: list[bytes] = []
    for record in records:
        note_id, digest = _bytes(record.id), _bytes(record.hash)
        kind = _REMOVE if record.vector is None else _PUT
        vector = b"" if record.vector is None else record.vector.astype("<f4", copy=False).tobytes()
        payload = b"".join((_LENGTHS.pack(kind, len(note_id), len(digest)), note_id, digest, vector))
        frames += (_FRAME.pack(len(payload), _crc(payload, seed)), payload)
    return b"".join(frames)


def decode_records(data: bytes, head: bytes, dims: int, start: int = 0) -> tuple[list[Record], int]:
    """Return the records from `start` of `data` up to the first that is cut or wrong, and the offset of that one."""
    seed = zlib.crc32(head)
    records: list[Record] = []
    with np.errstate(all="ignore"):
        while len(data) - start >= _FRAME.size:
            length, crc = _FRAME.unpack_from(data, start)
            payload = data[start + _FRAME.size : start + _FRAME.size + length]
            if len(payload) != length or _crc(payload, seed) != crc:
                break
            record = _decode(payload, dims)
            if record is None:
                break
            records.append(record)
            start += _FRAME.size + length
    return records, start


def _decode(payload: bytes, dims: int) -> Record | None:
    if len(payload) < _LENGTHS.size:
        return None
    kind, id_length, hash_length = _LENGTHS.unpack_from(payload)
    vector_at = _LENGTHS.size + id_length + hash_length
    if len(payload) != vector_at + (dims * 4 if kind == _PUT else 0) or kind not in (_PUT, _REMOVE):
        return None
    note_id = _text(payload[_LENGTHS.size : _LENGTHS.size + id_length])
    digest = _text(payload[_LENGTHS.size + id_length : vector_at])
    if not note_id or digest is None or (kind == _PUT) != bool(digest):
        return None
    if kind == _REMOVE:
        return Record(note_id, "", None)
    # Copied: the bytes are not aligned, and a view would keep the whole journal in memory.
    vector = np.frombuffer(payload, dtype="<f4", offset=vector_at).astype(np.float32, copy=True)
    return Record(note_id, digest, vector) if valid_vector(vector) else None


def read_journal(path: Path, files: Files) -> Journal | None:
    """Read a journal; None when it is not there or its header is not valid. Raises OSError."""
    stamp = files.stat(path)
    if stamp is None:
        return None
    try:
        data = files.read(path)
    except FileNotFoundError:
        return None
    found = decode_header(data)
    if found is None:
        return None
    header, head = found
    records, end = decode_records(data, head, header.dims, len(head))
    return Journal(header, head, tuple(records), end, len(data), stamp)


def _crc(payload: bytes, seed: int) -> int:
    # The length takes part, so that a frame cannot pass for a shorter or longer one.
    return zlib.crc32(payload, zlib.crc32(len(payload).to_bytes(4, "little"), seed))


def _bytes(text: str) -> bytes:
    # A file name that is no UTF-8 reaches an id as lone surrogates.
    return text.encode("utf-8", "surrogatepass")


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None
