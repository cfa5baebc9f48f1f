from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.cascade import Step, Via, cascade, path_to, trace
from memory_lsp.core.graph import WEIGHTS, Contribution, Edge, EdgeKind, Graph, Node, NodeKind
from memory_lsp.core.vectors import Seed


def note(id: str, tags: tuple[str, ...] = (), edges: tuple[tuple[str, EdgeKind], ...] = ()) -> Contribution:
    return Contribution(
        Node(id, NodeKind.MEMORY, id), (id,), tags, tuple(Edge(id, target, kind) for target, kind in edges)
    )


def test_the_worked_example() -> None:
    graph = Graph.build([note("u/a", ("style",)), note("u/b", ("style",))])
    walked = trace(graph, [Seed("u/a", 0.71)])
    assert [(hit.id, round(hit.score, 2), hit.via) for hit in walked.hits] == [
        ("u/a", 0.71, None),
        ("u/b", 0.22, Via("tag:style", EdgeKind.HAS_TAG)),
    ]
    assert path_to(walked, "u/b") == (
        Step("u/a", None),
        Step("tag:style", EdgeKind.HAS_TAG),
        Step("u/b", EdgeKind.HAS_TAG),
    )
    assert path_to(walked, "u/a") == (Step("u/a", None),)
    assert path_to(walked, "u/none") == ()


def test_nothing_crosses_a_contradiction() -> None:
    graph = Graph.build([note("u/a", (), (("u/b", EdgeKind.CONTRADICTS),)), note("u/b")])
    assert [hit.id for hit in cascade(graph, [Seed("u/a", 1.0)])] == ["u/a"]


def test_an_unknown_seed_is_a_hit_and_a_tag_never_is() -> None:
    graph = Graph.build([note("u/a", ("t",))])
    assert [hit.id for hit in cascade(graph, [Seed("u/gone", 0.5), Seed("tag:t", 0.4)])] == ["u/gone", "u/a"]


def test_depth_and_decay_are_settings() -> None:
    graph = Graph.build(
        [
            note("u/a", (), (("u/b", EdgeKind.RELATES_TO),)),
            note("u/b", (), (("u/c", EdgeKind.RELATES_TO),)),
            note("u/c"),
        ]
    )
    assert [hit.id for hit in cascade(graph, [Seed("u/a", 1.0)], max_depth=1)] == ["u/a", "u/b"]
    assert [hit.id for hit in cascade(graph, [Seed("u/a", 1.0)], max_depth=0)] == ["u/a"]
    assert cascade(graph, [Seed("u/a", 1.0)], decay=1.0)[2].score == 0.7 * 0.7


IDS = [f"u/{n}" for n in range(7)]
KINDS = [EdgeKind.RELATES_TO, EdgeKind.SUPERSEDES, EdgeKind.CONTRADICTS]
notes = st.lists(
    st.builds(
        note,
        st.sampled_from(IDS),
        st.lists(st.sampled_from(["x", "y"]), max_size=2).map(tuple),
        st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(KINDS)), max_size=3).map(tuple),
    ),
    max_size=7,
    unique_by=lambda each: each.node.id,
)
seeds = st.lists(st.builds(Seed, st.sampled_from([*IDS, "u/gone"]), st.floats(0.1, 1)), max_size=4)


@given(notes, seeds, st.integers(0, 3))
@settings(max_examples=200, deadline=None)
def test_the_walk_is_that_of_the_specification(each: list[Contribution], start: list[Seed], depth: int) -> None:
    graph = Graph.build(each)
    scores = naive(graph, start, depth)
    walked = trace(graph, start, max_depth=depth)
    assert [(hit.id, hit.score) for hit in walked.hits] == sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    for hit in walked.hits:
        path = path_to(walked, hit.id)
        assert path[0].id in {seed.id for seed in start}
        assert path[0].kind is None
        assert path[-1].id == hit.id
        assert len(path) <= depth + 1
        assert hit.via == (Via(path[-2].id, path[-1].kind or EdgeKind.RELATES_TO) if len(path) > 1 else None)


def naive(graph: Graph, start: list[Seed], max_depth: int) -> dict[str, float]:
    """Walk the edge list level by level, with no adjacency at all."""
    kinds = {node.id: node.kind for node in graph.nodes()}
    scores: dict[str, float] = {}
    for seed in start:
        scores[seed.id] = max(seed.score, scores.get(seed.id, 0.0))
    seen, level = set(scores), [(seed.id, seed.score) for seed in start]
    for _ in range(max_depth):
        following: list[tuple[str, float]] = []
        for id, score in level:
            ends = {(e.target, e.kind) for e in graph.edges() if e.source == id}
            ends |= {(e.source, e.kind) for e in graph.edges() if e.target == id}
            for end, kind in sorted(ends):
                if kind is not EdgeKind.CONTRADICTS and end not in seen:
                    seen.add(end)
                    passed = score * WEIGHTS[kind] * 0.7
                    following.append((end, passed))
                    if kinds[end] is NodeKind.MEMORY:
                        scores[end] = passed
        level = following
    return scores
