"""Rows whose vectors follow from their hashes, and file systems that record, fail and stop."""

from __future__ import annotations

import errno
import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from memory_lsp.sidecar import Row, Sidecar
from memory_lsp.sidecar.files import Files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

DIMS = 2
MODEL = "m"


def vector_of(digest: str, dims: int = DIMS) -> NDArray[np.float32]:
    """Return the one right vector of a hash."""
    drawn = np.random.default_rng(int(digest[:16], 16)).normal(size=dims).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def row(note_id: str, text: str = "") -> Row:
    digest = hash_of(text or note_id)
    return Row(note_id, digest, vector_of(digest))


def is_right(each: Row) -> bool:
    return np.array_equal(each.vector, vector_of(each.hash, each.vector.size))


def stored(folder: Path) -> dict[str, str]:
    """Return hashes by id as a fresh process sees them, every vector checked."""
    rows = Sidecar(folder, MODEL).load().rows
    assert all(is_right(each) for each in rows.values())
    return {note_id: rows[note_id].hash for note_id in rows}


@dataclass(frozen=True, slots=True)
class Call:
    """One call that changes the disk: what it does to names and contents."""

    kind: str
    name: str
    data: bytes = b""
    offset: int = 0
    target: str = ""
    sync: bool = False

    def cuts(self) -> Iterable[int]:
        """Return how many bytes of the call may have happened when the process died."""
        if self.kind not in ("write", "write_at"):
            return (0, 1)
        # A scratch file is looked at only when it is whole: every byte of it would be the same case again.
        stride = 16 if self.name.endswith((".new", ".draft")) else 1
        return sorted({*range(0, len(self.data), stride), max(len(self.data) - 1, 0), len(self.data)})


@dataclass(slots=True)
class Content:
    """A file: what the system holds, and what the disk surely holds."""

    data: bytes = b""
    durable: bytes = b""


@dataclass(slots=True)
class Drive:
    """Names and contents, changed by calls; plain renames are taken to be durable, contents only when synced."""

    names: dict[str, Content] = field(default_factory=dict)

    def do(self, call: Call, cut: int | None = None) -> None:
        """Do a call, or only its first `cut` bytes (for the others: 0 not at all, 1 wholly)."""
        data = call.data if cut is None else call.data[:cut]
        whole = cut is None or cut == (len(call.data) if call.kind in ("write", "write_at") else 1)
        if call.kind == "write":
            self.names[call.name] = Content(data, data if call.sync and whole else b"")
        elif call.kind == "write_at":
            content = self.names[call.name]
            end = call.offset + len(data)
            content.data = content.data[: call.offset] + data + content.data[end:]
        elif not whole:
            return
        elif call.kind == "truncate":
            self.names[call.name].data = self.names[call.name].data[: call.offset]
        elif call.kind == "replace":
            self.names[call.target] = self.names.pop(call.name)
        elif call.kind == "remove":
            self.names.pop(call.name, None)

    def unpack(self, folder: Path, *, durable_only: bool = False) -> None:
        """Make `folder` hold just these files."""
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        for name, content in self.names.items():
            (folder / name).write_bytes(content.durable if durable_only else content.data)

    def copy(self) -> Drive:
        return Drive({name: Content(content.data, content.durable) for name, content in self.names.items()})


class RecordingFiles(Files):
    """Do every call for real and keep a list of those that change the disk."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.before: Callable[[Call], None] = lambda call: None

    def _note(self, call: Call) -> None:
        self.before(call)
        self.calls.append(call)

    def write(self, path: Path, chunks: Sequence[bytes | memoryview], *, sync: bool) -> None:
        data = b"".join(bytes(chunk) for chunk in chunks)
        self._note(Call("write", path.name, data, sync=sync))
        super().write(path, [data], sync=False)

    def write_at(self, path: Path, offset: int, data: bytes) -> None:
        self._note(Call("write_at", path.name, data, offset))
        super().write_at(path, offset, data)

    def truncate(self, path: Path, size: int) -> None:
        self._note(Call("truncate", path.name, offset=size))
        super().truncate(path, size)

    def replace(self, source: Path, target: Path) -> None:
        self._note(Call("replace", source.name, target=target.name))
        super().replace(source, target)

    def remove(self, path: Path) -> None:
        self._note(Call("remove", path.name))
        super().remove(path)

    def sync_folder(self, path: Path) -> None:
        self.before(Call("sync_folder", path.name))


class Stopped(BaseException):
    """Stands for the end of the process: nothing of ours may catch it and clean up."""


class FaultyFiles(RecordingFiles):
    """Fail the call number `fail_at` (counted from now on) and, with `dead`, all after it.

    A failing write leaves half of its bytes behind. `code` is an errno; None kills: `Stopped` instead of OSError.
    """

    def __init__(self) -> None:
        super().__init__()
        self.countdown: int | None = None
        self.code: int | None = errno.ENOSPC
        self.lasting = False

    def arm(self, fail_at: int, code: int | None = errno.ENOSPC, *, lasting: bool = False) -> None:
        self.countdown, self.code, self.lasting = fail_at, code, lasting

    def disarm(self) -> None:
        self.countdown = None

    def _fails(self) -> bool:
        if self.countdown is None:
            return False
        self.countdown -= 1
        return self.countdown < 0 if self.lasting or self.code is None else self.countdown == -1

    def _fail(self) -> None:
        if self.code is None:
            raise Stopped
        raise OSError(self.code, os.strerror(self.code))

    def make_folder(self, path: Path) -> None:
        if self._fails():
            self._fail()
        super().make_folder(path)

    def write(self, path: Path, chunks: Sequence[bytes | memoryview], *, sync: bool) -> None:
        if self._fails():
            data = b"".join(bytes(chunk) for chunk in chunks)
            Files.write(self, path, [data[: len(data) // 2]], sync=False)
            self._fail()
        super().write(path, chunks, sync=sync)

    def write_at(self, path: Path, offset: int, data: bytes) -> None:
        if self._fails():
            Files.write_at(self, path, offset, data[: len(data) // 2])
            self._fail()
        super().write_at(path, offset, data)

    def _note(self, call: Call) -> None:
        if call.kind in ("truncate", "replace", "remove") and self._fails():
            self._fail()
        super()._note(call)


def told(sidecar: Sidecar, mirror: dict[str, str]) -> None:
    """Bring a caller's own picture up to date, as an indexer does, checking every vector."""
    changes = sidecar.refresh()
    assert all(is_right(each) for each in changes.puts)
    for note_id in (*changes.removes, *changes.lost):
        mirror.pop(note_id, None)
    mirror.update({each.id: each.hash for each in changes.puts})


def applied(state: Mapping[str, str], puts: Sequence[Row], removes: Sequence[str]) -> dict[str, str]:
    """Return the state that an append leads to."""
    after = {note_id: digest for note_id, digest in state.items() if note_id not in removes}
    return after | {each.id: each.hash for each in puts}
