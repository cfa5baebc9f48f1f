from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.clusters import Cluster
from memory_lsp.core.graph import WEIGHTS, Contribution, Edge, EdgeKind, Graph, Neighbour, Node, NodeKind

RELATES, SUPERSEDES, CONTRADICTS = EdgeKind.RELATES_TO, EdgeKind.SUPERSEDES, EdgeKind.CONTRADICTS


def note(id: str, *, tags: tuple[str, ...] = (), edges: tuple[Edge, ...] = (), order: str = "") -> Contribution:
    return Contribution(Node(id, NodeKind.MEMORY, id.partition("/")[2]), (order or id,), tags, edges)


def link(source: str, target: str, kind: EdgeKind = RELATES) -> Edge:
    return Edge(source, target, kind)


def test_a_note_brings_its_tags_and_its_edges_in_a_fixed_order() -> None:
    edges = (link("u/a", "u/b", CONTRADICTS), link("u/a", "u/c", SUPERSEDES), link("u/a", "u/c"), link("u/a", "u/b"))
    graph = Graph.build([note("u/c"), note("u/a", tags=("CI", "db"), edges=edges), note("u/b", tags=("ci",))])
    assert [(each.id, each.kind, each.label) for each in graph.nodes()] == [
        ("u/a", "Memory", "a"),
        ("tag:ci", "Tag", "CI"),
        ("tag:db", "Tag", "db"),
        ("u/b", "Memory", "b"),
        ("u/c", "Memory", "c"),
    ]
    assert [(each.target, each.kind) for each in graph.edges()] == [
        ("tag:ci", "HasTag"),
        ("tag:db", "HasTag"),
        ("u/c", "RelatesTo"),
        ("u/b", "RelatesTo"),
        ("u/c", "Supersedes"),
        ("u/b", "Contradicts"),
        ("tag:ci", "HasTag"),
    ]


def test_self_edges_and_repeats_are_dropped_even_when_two_notes_say_the_same() -> None:
    replaced = link("u/b", "u/a", SUPERSEDES)
    graph = Graph.build(
        [
            note("u/a", tags=("x", "X"), edges=(link("u/a", "u/a"), link("u/a", "u/b"), link("u/a", "u/b"), replaced)),
            note("u/b", edges=(replaced,)),
        ]
    )
    assert graph.edges() == (Edge("u/a", "tag:x", EdgeKind.HAS_TAG), link("u/a", "u/b"), replaced)
    assert graph.neighbours("u/b") == (Neighbour("u/a", RELATES, "in"), Neighbour("u/a", SUPERSEDES, "out"))


def test_the_label_of_a_tag_is_the_first_spelling_in_the_list_as_notes_come_and_go() -> None:
    graph = Graph.build([note("u/b", tags=("Ci",)), note("u/c", tags=("CI",))])
    assert graph.node("tag:ci") == Node("tag:ci", NodeKind.TAG, "Ci")
    earlier = graph.updated([note("u/a", tags=("cI",))], ())
    assert earlier.node("tag:ci") == Node("tag:ci", NodeKind.TAG, "cI")
    assert earlier.updated((), ["u/a", "u/b"]).node("tag:ci") == Node("tag:ci", NodeKind.TAG, "CI")
    assert graph.updated((), ["u/b", "u/c"]).node("tag:ci") is None


def test_neighbours_come_by_id_then_kind_from_both_directions() -> None:
    graph = Graph.build(
        [
            note("u/z", edges=(link("u/z", "u/m"), link("u/z", "u/m", SUPERSEDES))),
            note("u/m", tags=("t",), edges=(link("u/m", "u/z"),)),
            note("u/B", edges=(link("u/B", "u/m", CONTRADICTS),)),
        ]
    ).with_clusters([Cluster("cluster:1", "x", ("u/m", "u/z"))])
    assert graph.neighbours("u/m") == (
        Neighbour("cluster:1", EdgeKind.IN_CLUSTER, "out"),
        Neighbour("tag:t", EdgeKind.HAS_TAG, "out"),
        Neighbour("u/B", CONTRADICTS, "in"),
        Neighbour("u/z", RELATES, "in"),
        Neighbour("u/z", RELATES, "out"),
        Neighbour("u/z", SUPERSEDES, "in"),
    )
    assert graph.neighbours("tag:t") == (Neighbour("u/m", EdgeKind.HAS_TAG, "in"),)
    assert graph.neighbours("nobody") == ()


def test_an_edge_to_a_missing_note_waits_for_it() -> None:
    graph = Graph.build([note("u/a", edges=(link("u/a", "u/b"),))])
    assert graph.edges() == () == graph.neighbours("u/a")
    assert "u/b" not in graph
    whole = graph.updated([note("u/b")], ())
    assert whole.neighbours("u/a") == (Neighbour("u/b", RELATES, "out"),)
    assert whole.updated((), ["u/b"]).neighbours("u/a") == ()


def test_clusters_are_replaced_whole_and_let_go_of_removed_notes() -> None:
    graph = Graph.build([note("u/a"), note("u/b")])
    first = graph.with_clusters([Cluster("cluster:1", "tables", ("u/a", "u/b"))])
    assert first.node("cluster:1") == Node("cluster:1", NodeKind.CLUSTER, "tables")
    assert [(e.source, e.target, e.weight) for e in first.edges()] == [
        ("u/a", "cluster:1", 0.6),
        ("u/b", "cluster:1", 0.6),
    ]
    assert [n.id for n in first.neighbours("cluster:1")] == ["u/a", "u/b"]
    assert [n.id for n in first.updated((), ["u/a"]).neighbours("cluster:1")] == ["u/b"]
    second = first.with_clusters([Cluster("cluster:2", "rows", ("u/a",))])
    assert "cluster:1" not in second
    assert [n.id for n in second.neighbours("u/a")] == ["cluster:2"]
    assert second.neighbours("u/b") == ()


def test_weights_are_those_of_the_protocol() -> None:
    assert {kind.value: weight for kind, weight in WEIGHTS.items()} == {
        "Supersedes": 0.9,
        "HasTag": 0.8,
        "RelatesTo": 0.7,
        "InCluster": 0.6,
        "Contradicts": 0,
    }


def test_an_update_leaves_the_old_graph_as_it_was() -> None:
    graph = Graph.build([note("u/a", tags=("t",)), note("u/b", tags=("t",))])
    before = graph.nodes(), graph.edges(), graph.neighbours("tag:t")
    graph.updated([note("u/a", edges=(link("u/a", "u/b"),)), note("u/c", tags=("t",))], ["u/b"])
    assert (graph.nodes(), graph.edges(), graph.neighbours("tag:t")) == before


IDS = [f"{type}/{name}" for type in ("user", "project") for name in "abcde"]
KINDS = [RELATES, SUPERSEDES, CONTRADICTS]


@st.composite
def contribution(draw: st.DrawFn) -> Contribution:
    id = draw(st.sampled_from(IDS))
    ends = st.tuples(st.sampled_from(IDS), st.sampled_from(KINDS), st.booleans())
    edges = tuple(
        Edge(id, end, kind) if kind is not SUPERSEDES or forward else Edge(end, id, kind)
        for end, kind, forward in draw(st.lists(ends, max_size=4))
    )
    tags = tuple(draw(st.lists(st.sampled_from(["ci", "CI", "Db", "db"]), max_size=3)))
    return note(id, tags=tags, edges=edges, order=draw(st.sampled_from("xyz")))


@given(
    st.lists(st.tuples(st.lists(contribution(), max_size=4), st.lists(st.sampled_from(IDS), max_size=2)), max_size=8)
)
@settings(max_examples=150, deadline=None)
def test_any_row_of_updates_equals_a_build_from_scratch(steps: list[tuple[list[Contribution], list[str]]]) -> None:
    graph, notes = Graph.build([]), dict[str, Contribution]()
    clusters = [
        Cluster("cluster:1", "one", tuple(sorted(IDS[:4]))),
        Cluster("cluster:2", "two", tuple(sorted(IDS[4:]))),
    ]
    for number, (changed, removed) in enumerate(steps):
        for id in [*IDS, "tag:ci", "tag:db", "cluster:1"]:
            graph.neighbours(id)  # fill what later graphs carry over
            graph.node(id)
        if number == 2:
            graph = graph.with_clusters(clusters)
        graph = graph.updated(changed, removed)
        for id in removed:
            notes.pop(id, None)
        notes.update({each.node.id: each for each in changed})
        scratch = Graph.build(notes.values()).with_clusters(clusters if number >= 2 else [])
        assert graph == scratch
        for id in [*IDS, "tag:ci", "tag:db", "cluster:1", "cluster:2"]:
            assert graph.neighbours(id) == scratch.neighbours(id)
            assert graph.node(id) == scratch.node(id)


def test_many_updates_at_once_equal_a_build_from_scratch() -> None:
    chance = random.Random(1)
    notes = [note(f"u/{n:03}", tags=(f"t{n % 7}",), order=str(chance.random())) for n in range(300)]
    half = Graph.build(notes[:200]).updated(notes[100:], [f"u/{n:03}" for n in range(40)])
    assert half == Graph.build(notes[40:])
    assert half != Graph.build(notes[41:])


@pytest.mark.parametrize("id", ["u/a", "tag:t", "cluster:1"])
def test_every_node_is_contained(id: str) -> None:
    graph = Graph.build([note("u/a", tags=("t",))]).with_clusters([Cluster("cluster:1", "x", ("u/a",))])
    assert id in graph
    assert len(graph) == 3
