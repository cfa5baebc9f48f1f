"""What the `memory/*` requests answer, as JSON objects; the command line prints the same.

Shapes: `docs/protocol.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from memory_lsp.attention import needs_attention
from memory_lsp.core.graph import NodeKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memory_lsp.core.cascade import Step
    from memory_lsp.core.note import Note
    from memory_lsp.core.retrieve import Answer, Result
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.text import Encoding
    from memory_lsp.embedding.client import EmbedderState
    from memory_lsp.memory import Memory

# What spreading passes through although it is no node of the graph: names that notes share, and their sessions.
_HUBS = {"entity": "Entity", "session": "Session"}

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
JsonObject: TypeAlias = "dict[str, Json]"

_DANGLING = ("dangling-link", "index-dangling-entry")


def retrieval(
    memory: Memory,
    answer: Answer,
    uri: Callable[[str], str],
    *,
    incomplete: bool,
    took: float,
    content: bool = False,
    encoding: Encoding = "utf-16",
) -> JsonObject:
    """Return the result of `memory/retrieve`; `took` in seconds, `uri` gives a path's URI, ranges in `encoding`."""
    snapshot = memory.directory.snapshot
    results = [_result(snapshot, result, uri, content=content) for result in answer.results]
    for found, result in zip(results, answer.results, strict=True):
        passage = _range(memory, result, encoding) if result.passage else None
        if passage is not None:
            found["range"] = passage
    return {
        "results": list[Json](results),
        "seedMode": answer.seed_mode,
        "ranker": answer.ranker,
        "isIncomplete": incomplete,
        "needsAttention": needs_attention(memory),
        "revision": snapshot.revision,
        "tookMs": round(took * 1000, 3),
    }


def graph(memory: Memory, state: EmbedderState) -> JsonObject:
    """Return the result of `memory/graph`."""
    whole = memory.directory.snapshot.public_graph()
    nodes: list[Json] = [{"id": node.id, "kind": node.kind, "label": node.label} for node in whole.nodes]
    edges: list[Json] = [
        {"from": edge.source, "to": edge.target, "kind": edge.kind, "weight": edge.weight} for edge in whole.edges
    ]
    return {"nodes": nodes, "edges": edges, "embedderAvailable": state.status not in ("failed", "off")}


def node(memory: Memory, id_: str, uri: Callable[[str], str]) -> JsonObject | None:
    """Return the result of `memory/node`, None for an id that the graph does not know."""
    snapshot = memory.directory.snapshot
    found = snapshot.graph.node(id_)
    if found is None:
        return None
    mask = snapshot.guard.mask
    note = _public(snapshot, id_)
    entry: Json = None
    if note is not None:
        entry = {
            "id": mask(id_), "type": note.type, "name": note.name, "description": note.description,
            "uri": uri(note.path), "tags": [tag.name for tag in note.tags], "content": note.content,
        }  # fmt: skip
    neighbours: list[Json] = [
        {
            "id": mask(other.id), "kind": other_node.kind, "label": mask(other_node.label), "edge": other.kind,
            "direction": other.direction,
        }
        for other in snapshot.graph.neighbours(id_)
        if (other_node := snapshot.graph.node(other.id)) is not None
    ]  # fmt: skip
    return {
        "node": {"id": mask(found.id), "kind": found.kind, "label": mask(found.label)},
        "entry": entry,
        "neighbors": neighbours,
    }


def stats(memory: Memory, state: EmbedderState) -> JsonObject:
    """Return the result of `memory/stats`."""
    snapshot = memory.directory.snapshot
    nodes = snapshot.graph.nodes()
    return {
        "notes": len(snapshot.ids),
        "vectors": len(memory.index),
        "dims": memory.index.vectors.dims or None,
        "nodes": len(nodes),
        "edges": len(snapshot.graph.edges()),
        "clusters": sum(node.kind is NodeKind.CLUSTER for node in nodes),
        "danglingLinks": sum(found.is_dangling for meaning in snapshot.meanings.values() for found in meaning.links),
        "embedder": embedder(state),
    }


def embedder(state: EmbedderState) -> JsonObject:
    """Return what is known of the embedder."""
    return {
        "available": state.status not in ("failed", "off"), "backend": state.backend, "modelId": state.model_id,
        "state": state.status, "message": state.message,
    }  # fmt: skip


def _result(snapshot: Snapshot, result: Result, uri: Callable[[str], str], *, content: bool) -> JsonObject:
    note = _public(snapshot, result.id)
    mask = snapshot.guard.mask
    shown: JsonObject = {
        "id": mask(result.id),
        "type": note.type if note else "",
        "name": note.name if note else mask(result.id),
        "description": note.description if note else "",
        "uri": uri(note.path) if note else "",
        "score": result.score,
        "parts": dict(result.parts),
        "via": {"from": mask(result.via.source), "edgeKind": result.via.kind} if result.via else None,
        "path": _path(snapshot, result.path),
    }
    successors = snapshot.successors(note.path) if note else ()
    if successors:
        shown["supersededBy"] = [mask(snapshot.ids[path]) for path in successors]
    if content and note:
        shown["content"] = note.content
    return shown


def _range(memory: Memory, result: Result, encoding: Encoding) -> JsonObject | None:
    """Return where the passage stands that matched; None where an unsaved edit changed it."""
    snapshot = memory.directory.snapshot
    path = snapshot.paths.get(result.id)
    if path is None:
        return None
    note = snapshot.notes[path]
    span = next((each.span for each in memory.directory.chunker.of(note) if each.hash == result.passage), None)
    if span is None:
        return None
    ends: JsonObject = {}
    for name, offset in (("start", span.start), ("end", span.end)):
        line, character = note.lines.position(offset, encoding)
        ends[name] = {"line": line, "character": character}
    return ends


def _public(snapshot: Snapshot, id_: str) -> Note | None:
    """Return a note without its secrets: what is answered here may end in a prompt."""
    path = snapshot.paths.get(id_)
    return snapshot.public(path) if path is not None else None


def _path(snapshot: Snapshot, steps: Sequence[Step]) -> list[Json]:
    mask = snapshot.guard.mask
    path: list[Json] = []
    for step in steps:
        found = snapshot.graph.node(step.id)
        prefix, _, rest = step.id.partition(":")
        kind, label = (found.kind, found.label) if found else (_HUBS.get(prefix, NodeKind.MEMORY), rest or step.id)
        path.append({"id": mask(step.id), "kind": kind, "label": mask(label), "edgeKind": step.kind})
    return path
