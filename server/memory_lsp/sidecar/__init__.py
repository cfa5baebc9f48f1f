"""The sidecar: vectors and the graph of one memory directory, kept on disk under `.graph/`.

Everything here is derived from the notes and may be deleted at any time. `docs/sidecar.md` holds the file formats.
"""

from __future__ import annotations

from memory_lsp.sidecar.rows import Changes, Loaded, Row, Rows
from memory_lsp.sidecar.store import Sidecar
from memory_lsp.sidecar.writing import FOLDER_NAME

__all__ = ["FOLDER_NAME", "Changes", "Loaded", "Row", "Rows", "Sidecar"]
