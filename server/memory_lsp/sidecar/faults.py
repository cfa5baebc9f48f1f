"""Plain messages for what a file system can refuse."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from memory_lsp.errors import SidecarError

if TYPE_CHECKING:
    from pathlib import Path

_FULL = "The disk is full: free some space."
_DENIED = "It cannot be written: make the folder writable."
_BLOCKED = "Something else has that name: move it away, so that the folder `.graph` can be there."
_ADVICE = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.EROFS: _DENIED,
    errno.ENOTDIR: _BLOCKED,
    errno.EISDIR: _BLOCKED,
    errno.EEXIST: _BLOCKED,
    errno.ENOENT: "The folder is gone: bring the memory directory back.",
}
_LATER = "Memory goes on without it, and the next save tries again."


class Busy(SidecarError):
    """Another process held a lock for too long."""


def sidecar_error(doing: str, folder: Path, error: OSError) -> SidecarError:
    """Return the error to raise: what failed, where, and what to do."""
    said = error.strerror or str(error) or type(error).__name__
    advice = _ADVICE.get(error.errno or 0, "Check the disk.")
    return SidecarError(f"Cannot {doing} the sidecar in {folder} ({said}). {advice} {_LATER}")


def busy_error(folder: Path, seconds: float) -> Busy:
    """Return the error for a lock that another process holds."""
    return Busy(f"Another process has held the sidecar in {folder} for over {seconds:g} s. {_LATER}")
