"""The messages between the embedder's process and its client.

A message is one line of JSON in ASCII. An answer's line is followed by its vectors: rows × dims little-endian float32.
A cross-encoder's texts are pairs of sentences, and its vectors have three numbers (`embedding.judge`).

    child  → {"ready": {"dims": 384}}
    child  → {"error": {"message": "...", "retry": true}}            in place of ready, then the child ends
    client → {"id": 7, "texts": ["...", "..."]}
    child  → {"id": 7, "rows": 2, "dims": 384, "failed": [1]} + 3072 bytes; a failed text's row is zeros
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from memory_lsp.errors import EmbeddingError

SEPARATOR = "\x1f"  # between the two sentences of a text for a cross-encoder; joined words never hold it
HEADER_LIMIT = 65_536  # bytes; an answer's header is some sixty
ROWS_LIMIT = 1_024
DIMS_LIMIT = 65_536


class WireError(EmbeddingError):
    """The other side wrote something that is no message."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The model is loaded and has embedded a first text; `dims` is its width."""

    dims: int


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """The model cannot be loaded; `retry` says whether another try may help."""

    message: str
    retry: bool


@dataclass(frozen=True, slots=True)
class Request:
    """Texts to embed."""

    id: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The header of `rows` vectors; `failed` holds the indices of texts the model could not embed."""

    id: int
    rows: int
    dims: int
    failed: tuple[int, ...]

    @property
    def size(self) -> int:
        """Bytes that follow the header."""
        return self.rows * self.dims * 4


Reply = Ready | LoadFailure | Answer


def encode(message: Reply | Request) -> bytes:
    """Return a message as its line."""
    match message:
        case Ready(dims):
            record: dict[str, object] = {"ready": {"dims": dims}}
        case LoadFailure(text, retry):
            record = {"error": {"message": text, "retry": retry}}
        case Request(number, texts):
            record = {"id": number, "texts": texts}
        case Answer(number, rows, dims, failed):
            record = {"id": number, "rows": rows, "dims": dims, "failed": failed}
    return json.dumps(record).encode("ascii") + b"\n"


def decode_request(line: bytes) -> Request:
    """Read a request's line; raises WireError."""
    record = _parse(line)
    texts = record.get("texts")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise WireError("The embedder was sent a request without texts.")
    return Request(_number(record, "id", 2**63), tuple(texts))


def decode_reply(line: bytes) -> Reply:
    """Read a line that the child wrote; raises WireError, whose message quotes nothing of the line."""
    record = _parse(line)
    ready, error = record.get("ready"), record.get("error")
    if isinstance(ready, dict):
        return Ready(_number(ready, "dims", DIMS_LIMIT))
    if isinstance(error, dict):
        return LoadFailure(str(error.get("message", "")), error.get("retry") is True)
    failed = record.get("failed")
    if not isinstance(failed, list) or not all(type(index) is int for index in failed):
        raise WireError("The embedder's process wrote an answer that is not understood.")
    rows, dims = _number(record, "rows", ROWS_LIMIT), _number(record, "dims", DIMS_LIMIT)
    return Answer(_number(record, "id", 2**63), rows, dims, tuple(failed))


def _parse(line: bytes) -> dict[str, object]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise WireError("The embedder's process wrote something that is no message.")
    return record


def _number(record: dict[str, object], key: str, limit: int) -> int:
    value = record.get(key)
    if type(value) is not int or not 0 < value <= limit:
        raise WireError(f"The embedder's process wrote a message with a wrong {key}.")
    return value
