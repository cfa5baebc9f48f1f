"""Locks between processes: held by the operating system, so a dead holder holds nobody up."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from memory_lsp.sidecar.faults import busy_error, sidecar_error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ATTEMPTS = 4


class ProcessLock:
    """One lock file in the sidecar's folder; not re-entrant."""

    def __init__(self, path: Path, timeout: float) -> None:
        self._path = path
        self._timeout = timeout

    @contextmanager
    def hold(self, timeout: float | None = None) -> Iterator[None]:
        """Hold the lock, raising SidecarError when it cannot be had within the timeout or not at all."""
        lock = self._acquire(self._timeout if timeout is None else timeout)
        try:
            yield
        finally:
            lock.release()

    def _acquire(self, timeout: float) -> FileLock:
        # Taken and given back by whichever worker thread is free.
        lock = FileLock(self._path, thread_local=False)
        for _ in range(_ATTEMPTS):
            before = self._inode()
            try:
                lock.acquire(timeout=timeout, poll_interval=0.005)
            except Timeout:
                raise busy_error(self._path.parent, timeout) from None
            except NotImplementedError as error:
                raise sidecar_error("lock", self._path.parent, OSError(str(error))) from error
            except OSError as error:
                raise sidecar_error("lock", self._path.parent, error) from error
            # When the folder was deleted in between, we hold a file that nobody else can find any more.
            if before is not None and before == self._inode():
                return lock
            lock.release()
        raise busy_error(self._path.parent, timeout)

    def _inode(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
