"""The file-system calls the sidecar makes, in one object, so that tests can cut and fail every one of them."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    Content = bytes | memoryview


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a stat tells of one state of a file."""

    inode: int
    size: int
    modified_ns: int
    changed_ns: int


class Files:
    """Plain file-system calls; each raises OSError."""

    def stat(self, path: Path) -> Stamp | None:
        """Return the stamp of a file, None when it is not there."""
        try:
            found = path.stat()
        except FileNotFoundError:
            return None
        return Stamp(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    def read(self, path: Path, start: int = 0, length: int = -1) -> bytes:
        """Return `length` bytes from `start`, fewer at the end of the file, all that follow when negative."""
        with path.open("rb") as file:
            if start:
                file.seek(start)
            return file.read(length)

    def read_into(self, path: Path, matrix: NDArray[np.float32]) -> int:
        """Fill `matrix` (contiguous) from the start of a file; return the number of bytes read."""
        if not matrix.size:
            return 0
        view = matrix.data.cast("B")
        done = 0
        with path.open("rb", buffering=0) as file:
            while done < len(view):
                got = file.readinto(view[done:])
                if not got:
                    break
                done += got
        return done

    def make_folder(self, path: Path) -> None:
        """Create a folder unless it is there; its parent must exist."""
        path.mkdir(exist_ok=True)

    def write(self, path: Path, chunks: Sequence[Content], *, sync: bool) -> None:
        """Write a whole file; with `sync`, return only when the disk has it."""
        with path.open("wb", buffering=0) as file:
            for chunk in chunks:
                _write_all(file.fileno(), chunk)
            if sync:
                os.fsync(file.fileno())

    def write_at(self, path: Path, offset: int, data: bytes) -> None:
        """Write `data` at `offset` of a file that is there."""
        with path.open("r+b", buffering=0) as file:
            file.seek(offset)
            _write_all(file.fileno(), data)

    def truncate(self, path: Path, size: int) -> None:
        """Cut a file that is there to `size` bytes."""
        os.truncate(path, size)

    def replace(self, source: Path, target: Path) -> None:
        """Rename over `target` in one step."""
        for _ in range(20 if sys.platform == "win32" else 0):
            # Windows refuses while anyone has the target open; readers here hold a file for milliseconds.
            try:
                source.replace(target)
            except PermissionError:
                time.sleep(0.01)
            else:
                return
        source.replace(target)

    def remove(self, path: Path) -> None:
        """Delete a file; one that is not there is fine."""
        path.unlink(missing_ok=True)

    def sync_folder(self, path: Path) -> None:
        """Make renames in a folder durable where the system can."""
        if sys.platform == "win32":
            return
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_all(descriptor: int, data: Content) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
