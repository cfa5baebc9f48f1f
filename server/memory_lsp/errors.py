"""Every error that memory-lsp raises on purpose.

MemoryLspError
├── SidecarError        the derived files under `.graph/`
├── EmbeddingError      the model or its process
├── UsageError          a value that the caller gave
├── NoMemoryError       a directory that is not served
├── UnsupportedEditError  a change of files that the editor cannot make
└── RenameError         a name that cannot be changed, or not to what was asked for
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class MemoryLspError(Exception):
    """Base of all errors; the message says what happened, where, and what to do."""


class SidecarError(MemoryLspError):
    """A file of the sidecar cannot be read or written."""


class EmbeddingError(MemoryLspError):
    """The embedder cannot give vectors."""


class UsageError(MemoryLspError):
    """The caller asked for something that cannot be answered."""


class NoMemoryError(MemoryLspError):
    """No memory directory belongs to what was asked about."""

    def __init__(self, what: str, served: Sequence[Path]) -> None:
        known = f"Served are {', '.join(map(str, served))}." if served else "No directory is served."
        super().__init__(f"No memory directory belongs to {what}. {known} Open its folder, or set memory.directories.")


class UnsupportedEditError(MemoryLspError):
    """The editor cannot make a change of files as part of an edit."""

    def __init__(self, operation: str) -> None:
        super().__init__(
            f"This editor cannot {operation} files as part of an edit: {operation} the file there yourself."
        )


class RenameError(MemoryLspError):
    """A name cannot be changed, or not to what was asked for; nothing was changed."""
