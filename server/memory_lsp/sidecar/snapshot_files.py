"""The snapshot: `embeddings.bin` with `meta.json`, as the protocol has them and other programs read them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from memory_lsp.sidecar.files import Files

VECTORS = "embeddings.bin"
META = "meta.json"
NEW_VECTORS = "embeddings.bin.new"
NEW_META = "meta.json.new"

SCHEMA_VERSION = 1
MAX_DIMS = 65_536
# Far above any real directory; keeps a hostile file from filling the memory.
MAX_META_BYTES = 512 * 1024 * 1024
_NORM_TOLERANCE = 0.01


class Unusable(Exception):
    """A file is not what it should be; the message is a reason to show."""


@dataclass(frozen=True, slots=True)
class Meta:
    """A checked `meta.json`; `digest` is the SHA-256 of its bytes and names the snapshot."""

    ids: list[str]
    hashes: list[str]
    dims: int
    checksum: str
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """What the two files hold.

    `digest` is "" when they are unusable (`reason` says why) or absent (`reason` is ""). `matrix` has `len(ids)` rows
    in use and the room that was asked for after them. `pending` says that a compaction died between its two renames,
    and that `meta.json.new` is the one that belongs to the vectors.
    """

    ids: list[str]
    hashes: list[str]
    matrix: NDArray[np.float32]
    dims: int | None
    digest: str
    reason: str
    pending: bool = False


def encode_meta(model_id: str, dims: int, ids: Sequence[str], hashes: Sequence[str], checksum: str) -> bytes:
    """Return the bytes of a `meta.json`."""
    entries = [{"id": note_id, "hash": digest} for note_id, digest in zip(ids, hashes, strict=True)]
    record = {
        "schemaVersion": SCHEMA_VERSION,
        "modelId": model_id,
        "dims": dims,
        "entries": entries,
        "checksum": checksum,
    }
    return json.dumps(record, separators=(",", ":")).encode("ascii")


def parse_meta(data: bytes, model_id: str) -> Meta:
    """Check a `meta.json` in every field, raising Unusable with the first that is wrong."""
    try:
        record = json.loads(data)
    except (ValueError, RecursionError, MemoryError):
        raise Unusable("meta.json is no JSON") from None
    if not isinstance(record, dict):
        raise Unusable("meta.json is no JSON object")
    version, model, dims = record.get("schemaVersion"), record.get("modelId"), record.get("dims")
    if type(version) is not int or version != SCHEMA_VERSION:
        raise Unusable("meta.json has another schema version")
    if type(model) is not str or model != model_id:
        raise Unusable("its vectors come from another model")
    if type(dims) is not int or not 0 <= dims <= MAX_DIMS:
        raise Unusable("meta.json has no valid dims")
    checksum = record.get("checksum")
    if type(checksum) is not str:
        raise Unusable("meta.json has no checksum")
    ids, hashes = _entries(record.get("entries"))
    if ids and not dims:
        raise Unusable("meta.json has no valid dims")
    return Meta(ids, hashes, dims, checksum.lower(), hashlib.sha256(data).hexdigest())


def _entries(entries: object) -> tuple[list[str], list[str]]:
    if not isinstance(entries, list) or not all(type(entry) is dict for entry in entries):
        raise Unusable("meta.json has no valid entries")
    ids = [entry.get("id") for entry in entries]
    hashes = [entry.get("hash") for entry in entries]
    if not all(type(value) is str and value for value in (*ids, *hashes)):
        raise Unusable("meta.json has an entry without id or hash")
    if len(set(ids)) != len(ids):
        raise Unusable("meta.json names a note twice")
    return ids, hashes


def read_snapshot(folder: Path, model_id: str, files: Files, room: int = 0) -> Snapshot:
    """Read and check both files; never raises on bad content, OSError when they cannot be read at all."""
    vectors = files.stat(folder / VECTORS)
    if vectors is None and files.stat(folder / META) is None and files.stat(folder / NEW_META) is None:
        return _nothing("")
    checked: list[tuple[Meta, NDArray[np.float32]]] = []
    reason = ""
    for name in (META, NEW_META):
        try:
            meta = _read_meta(folder / name, model_id, files)
            if vectors is None:
                raise Unusable("embeddings.bin is missing")
            if vectors.size != len(meta.ids) * meta.dims * 4:
                raise Unusable("embeddings.bin has another length than meta.json says")
            matrix = _read_vectors(folder / VECTORS, meta, files, room)
        except Unusable as error:
            # The second file is only a fallback: what is wrong with the first is what to say.
            reason = reason or str(error)
        else:
            checked.append((meta, matrix))
            break
    if not checked:
        return _nothing(reason)
    meta, matrix = checked[0]
    return Snapshot(
        meta.ids, meta.hashes, matrix, meta.dims if meta.ids else None, meta.digest, "", pending=bool(reason)
    )


def _read_meta(path: Path, model_id: str, files: Files) -> Meta:
    stamp = files.stat(path)
    if stamp is None:
        raise Unusable("meta.json is missing")
    if stamp.size > MAX_META_BYTES:
        raise Unusable("meta.json is far too large")
    try:
        return parse_meta(files.read(path), model_id)
    except FileNotFoundError:
        raise Unusable("meta.json is missing") from None


def _read_vectors(path: Path, meta: Meta, files: Files, room: int) -> NDArray[np.float32]:
    count = len(meta.ids)
    try:
        matrix = np.empty((count + room, meta.dims), dtype="<f4")
        used = matrix[:count]
        got = files.read_into(path, used)
    except MemoryError:
        raise Unusable("embeddings.bin does not fit into memory") from None
    except FileNotFoundError:
        raise Unusable("embeddings.bin is missing") from None
    if got != used.nbytes or checksum_of(used) != meta.checksum:
        raise Unusable("embeddings.bin does not match the checksum in meta.json")
    if not valid_vectors(used):
        raise Unusable("embeddings.bin holds vectors that are not finite or not of length 1")
    return matrix


def bytes_of(matrix: NDArray[np.float32]) -> memoryview:
    """Return the matrix as `embeddings.bin` holds it."""
    return np.ascontiguousarray(matrix, dtype="<f4").data.cast("B") if matrix.size else memoryview(b"")


def checksum_of(matrix: NDArray[np.float32]) -> str:
    """Return the SHA-256 of the matrix as `embeddings.bin` holds it."""
    return hashlib.sha256(bytes_of(matrix)).hexdigest()


def digest_of(path: Path, files: Files) -> str:
    """Return the digest that names the snapshot whose `meta.json` is at `path`, "" when it cannot be read."""
    try:
        return hashlib.sha256(files.read(path)).hexdigest()
    except OSError:
        return ""


def valid_vectors(matrix: NDArray[np.float32]) -> bool:
    """Tell whether all rows are finite with L2 norm 1; an all-zero row (no text) passes."""
    with np.errstate(all="ignore"):
        squares = np.einsum("ij,ij->i", matrix, matrix)
        # A NaN fails both comparisons.
        return bool(np.all((np.abs(squares - 1) <= 2 * _NORM_TOLERANCE) | (squares == 0)))


def valid_vector(vector: NDArray[np.float32]) -> bool:
    """Tell of one vector what `valid_vectors` tells of many, faster; call it under `np.errstate(all="ignore")`."""
    square = vector.dot(vector)
    return bool(abs(square - 1) <= 2 * _NORM_TOLERANCE or square == 0)


def _nothing(reason: str) -> Snapshot:
    return Snapshot([], [], np.empty((0, 0), dtype=np.float32), None, "", reason)
