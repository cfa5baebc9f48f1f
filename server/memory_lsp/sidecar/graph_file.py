"""`graph.json`: the whole graph for other programs, written only when it changed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from memory_lsp.core.graph import Edge, Node
    from memory_lsp.sidecar.files import Files, Stamp

GRAPH = "graph.json"
NEW_GRAPH = "graph.json.new"


class GraphFile:
    """Remembers what `graph.json` holds, so that an unchanged graph costs no write."""

    def __init__(self, folder: Path, files: Files) -> None:
        self._folder = folder
        self._files = files
        self._digest = b""
        self._stamp: Stamp | None = None

    def same(self, data: bytes) -> bool:
        """Tell whether the file holds exactly `data`; raises OSError."""
        path = self._folder / GRAPH
        stamp = self._files.stat(path)
        if stamp is None or stamp.size != len(data):
            return False
        if stamp != self._stamp:
            self._stamp, self._digest = stamp, hashlib.sha256(self._files.read(path)).digest()
        return hashlib.sha256(data).digest() == self._digest

    def is_untouched(self) -> bool:
        """Tell whether the file is still what was last compared or written here; raises OSError."""
        return self._stamp is not None and self._files.stat(self._folder / GRAPH) == self._stamp

    def write(self, data: bytes) -> None:
        """Write beside, then rename; raises OSError. Needs the bulk lock, for the scratch file has one name."""
        self._files.write(self._folder / NEW_GRAPH, [data], sync=True)
        self._files.replace(self._folder / NEW_GRAPH, self._folder / GRAPH)
        self._stamp, self._digest = self._files.stat(self._folder / GRAPH), hashlib.sha256(data).digest()


def encode_graph(nodes: Iterable[Node], edges: Iterable[Edge]) -> bytes:
    """Return the bytes of `graph.json`, in the order given."""
    record = {
        "schemaVersion": 1,
        "nodes": [{"id": node.id, "kind": str(node.kind), "label": node.label} for node in nodes],
        "edges": [
            {"from": edge.source, "to": edge.target, "kind": str(edge.kind), "weight": edge.weight} for edge in edges
        ],
    }
    return json.dumps(record, separators=(",", ":")).encode("ascii")
