"""Every error that memory-lsp raises on purpose.

MemoryLspError
├── SidecarError        the derived files under `.graph/`
├── EmbeddingError      the model or its process
├── UsageError          a value that the caller gave
└── NoMemoryError       a directory that is not served
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
