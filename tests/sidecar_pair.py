"""The sidecar's two files, written as a program without a journal does."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memory_lsp.sidecar import Row


def write_pair(folder: Path, rows: Sequence[Row], dims: int, **more: int) -> None:
    """Write `embeddings.bin` and `meta.json` for the model "m"; `more` makes one rewrite unlike the other."""
    folder.mkdir(exist_ok=True)
    data = b"".join(each.vector.astype("<f4").tobytes() for each in rows)
    meta = {
        "schemaVersion": 1,
        "modelId": "m",
        "dims": dims,
        "entries": [{"id": each.id, "hash": each.hash} for each in rows],
        "checksum": hashlib.sha256(data).hexdigest(),
        **more,
    }
    (folder / "embeddings.bin").write_bytes(data)
    (folder / "meta.json").write_text(json.dumps(meta))
