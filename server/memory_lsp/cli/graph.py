"""`memory-lsp graph`: the graph of notes, tags and clusters."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from memory_lsp.cli.console import put, put_json
from memory_lsp.cli.opening import place_in
from memory_lsp.cli.overrides import settings_from
from memory_lsp.cli.stored import open_stored
from memory_lsp.core.graph import EdgeKind, NodeKind
from memory_lsp.embedding.plan import make_plan

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from memory_lsp.answers import JsonObject
    from memory_lsp.config import Settings
    from memory_lsp.core.graph import Node
    from memory_lsp.core.snapshot import PublicGraph
    from memory_lsp.discovery import Place

_SHAPES = {NodeKind.MEMORY: "box", NodeKind.TAG: "ellipse", NodeKind.CLUSTER: "hexagon"}
_BRACKETS = {NodeKind.MEMORY: ("[", "]"), NodeKind.TAG: ("([", "])"), NodeKind.CLUSTER: ("{{", "}}")}
# Mermaid reads these inside a quoted label: as its end, an entity, markup, markdown or a line end.
_MERMAID = str.maketrans({character: f"#{ord(character)};" for character in '"#&<>`\\'})


def run(arguments: argparse.Namespace) -> int:
    """Print the graph."""
    settings = settings_from(arguments.overrides)
    graph = asyncio.run(_graph(place_in(arguments.directory, settings), settings))
    if arguments.format == "json":
        put_json(as_json(graph))
    else:
        form: Callable[[PublicGraph], Iterator[str]] = as_dot if arguments.format == "dot" else as_mermaid
        put(form(graph))
    return 0


async def _graph(place: Place, settings: Settings) -> PublicGraph:
    memory = open_stored(place, settings, make_plan(settings.embedding)).memory
    await memory.indexer.upkeep.cluster()
    snapshot = memory.directory.snapshot
    for note in snapshot.notes.values():
        snapshot.guard.secrets(note)  # so that it knows what to leave out
    return snapshot.public_graph()


def as_json(graph: PublicGraph) -> JsonObject:
    """Return nodes and edges as `graph.json` has them."""
    return {
        "nodes": [{"id": node.id, "kind": node.kind, "label": node.label} for node in graph.nodes],
        "edges": [
            {"from": edge.source, "to": edge.target, "kind": edge.kind, "weight": edge.weight} for edge in graph.edges
        ],
    }


def as_dot(graph: PublicGraph) -> Iterator[str]:
    """Yield the graph in the language of Graphviz."""
    yield "digraph memory {"
    yield "  rankdir=LR;"
    for node in graph.nodes:
        yield f"  {_quote(node.id)} [label={_quote(_label(node))}, shape={_SHAPES[node.kind]}];"
    for edge in graph.edges:
        style = ", style=dashed, dir=none" if edge.kind is EdgeKind.CONTRADICTS else ""
        yield f"  {_quote(edge.source)} -> {_quote(edge.target)} [label={_quote(edge.kind)}{style}];"
    yield "}"


def as_mermaid(graph: PublicGraph) -> Iterator[str]:
    """Yield the graph as a Mermaid flowchart."""
    yield "flowchart LR"
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    for node in graph.nodes:
        opening, closing = _BRACKETS[node.kind]
        yield f'  {names[node.id]}{opening}"{_label(node).translate(_MERMAID)}"{closing}'
    for edge in graph.edges:
        arrow = "-.-" if edge.kind is EdgeKind.CONTRADICTS else "-->"
        yield f"  {names[edge.source]} {arrow}|{edge.kind}| {names[edge.target]}"


def _label(node: Node) -> str:
    label = " ".join(node.label.split())
    return f"#{label}" if node.kind is NodeKind.TAG else label


def _quote(text: str) -> str:
    # In a label a backslash starts an escape of Graphviz, so it is doubled; in an id that does no harm.
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
