"""Every error that memory-lsp raises on purpose.

MemoryLspError
├── SidecarError        the derived files under `.graph/`
├── EmbeddingError      the model or its process
└── UsageError          what the caller asked for
"""

from __future__ import annotations


class MemoryLspError(Exception):
    """Base of all errors; the message says what happened, where, and what to do."""


class SidecarError(MemoryLspError):
    """A file of the sidecar cannot be read or written."""


class EmbeddingError(MemoryLspError):
    """The embedder cannot give vectors."""


class UsageError(MemoryLspError):
    """The caller asked for something that cannot be answered."""
