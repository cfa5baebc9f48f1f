"""Results of the reference implementation, reproduced; `MEMORY_LSP_PARITY` names another folder of the same format."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from memory_lsp.core.cascade import Hit, trace
from memory_lsp.core.clusters import Cluster, find_clusters
from memory_lsp.core.graph import Contribution, Edge, EdgeKind, Graph, Node, NodeKind
from memory_lsp.core.keyword import Doc, KeywordIndex
from memory_lsp.core.retrieve import Corpus, Options, Result, retrieve
from memory_lsp.core.vectors import Seed, VectorTable, normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA = Path(os.environ.get("MEMORY_LSP_PARITY") or Path(__file__).with_name("data"))
TYPES = ("user", "feedback", "project", "reference")
LINK = re.compile(r"\[\[\s*([^\[\]|#]+?)\s*\]\]")

Record = dict[str, Any]


def cases(name: str) -> list[Any]:
    found = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return [pytest.param(case, id=f"{name}-{number}") for number, case in enumerate(found)]


def note_id(entry: Record) -> str:
    return f"{entry['type']}/{entry['name']}"


def contributions(entries: list[Record]) -> list[Contribution]:
    """Resolve plain names as the files of the reference need it: by name, then type order."""
    by_name: dict[str, str] = {}
    for entry in sorted(entries, key=lambda entry: TYPES.index(entry["type"])):
        by_name.setdefault(entry["name"], note_id(entry))
    by_name.update({note_id(entry): note_id(entry) for entry in entries})
    return [
        Contribution(
            Node(note_id(entry), NodeKind.MEMORY, entry["name"]),
            (entry["name"], place),
            tuple(entry["tags"]),
            tuple(
                Edge(note_id(entry), by_name[name], kind)
                for kind, names in (
                    (EdgeKind.RELATES_TO, LINK.findall(entry["content"])),
                    (EdgeKind.SUPERSEDES, entry["supersedes"]),
                )
                for name in names
                if name in by_name
            ),
        )
        for place, entry in enumerate(entries)
    ]


def docs(entries: list[Record]) -> list[Doc]:
    return [
        Doc(note_id(e), e["name"], e["description"], e["content"], (e["name"], place))
        for place, e in enumerate(entries)
    ]


@pytest.mark.parametrize("case", cases("derive"))
def test_nodes_and_edges_in_order(case: Record) -> None:
    graph = Graph.build(reversed(contributions(case["entries"])))
    assert [{"id": n.id, "kind": n.kind, "label": n.label} for n in graph.nodes()] == case["nodes"]
    assert [{"from": e.source, "to": e.target, "kind": e.kind, "weight": e.weight} for e in graph.edges()] == case[
        "edges"
    ]


@pytest.mark.parametrize("case", cases("cascade"))
def test_cascade(case: Record) -> None:
    walked = trace(drawn(case), [Seed(s["id"], s["score"]) for s in case["seeds"]], max_depth=case["maxDepth"])
    assert_same(list(walked.hits[: case["limit"]]), case["results"], 1e-9)


def drawn(case: Record) -> Graph:
    """Build the graph of a case from its nodes and edges."""
    labels = {node["id"]: node["label"] for node in case["nodes"]}
    tags: dict[str, list[str]] = {}
    edges: dict[str, list[Edge]] = {}
    members: dict[str, list[str]] = {node["id"]: [] for node in case["nodes"] if node["kind"] == "Cluster"}
    for edge in case["edges"]:
        if edge["kind"] == "HasTag":
            tags.setdefault(edge["from"], []).append(labels[edge["to"]])
        elif edge["kind"] == "InCluster":
            members[edge["to"]].append(edge["from"])
        else:
            edges.setdefault(edge["from"], []).append(Edge(edge["from"], edge["to"], EdgeKind(edge["kind"])))
    notes = [node for node in case["nodes"] if node["kind"] == "Memory"]
    graph = Graph.build(
        Contribution(
            Node(node["id"], NodeKind.MEMORY, node["label"]),
            (place,),
            tuple(tags.get(node["id"], ())),
            tuple(edges.get(node["id"], ())),
        )
        for place, node in enumerate(notes)
    )
    return graph.with_clusters([Cluster(id, labels[id], tuple(sorted(each))) for id, each in members.items()])


@pytest.mark.parametrize("case", cases("clusters"))
def test_clusters(case: Record) -> None:
    matrix = np.array([point["vec"] for point in case["points"]], dtype=np.float32)
    found = find_clusters([point["id"] for point in case["points"]], matrix, seeding="reference")
    assert sorted(cluster.members for cluster in found) == sorted(tuple(sorted(part)) for part in case["partition"])
    assert len(found) == case["count"]


@pytest.mark.parametrize("case", cases("keyword"))
def test_keyword_scorer(case: Record) -> None:
    index = KeywordIndex.build(docs(case["entries"]))
    for query in case["queries"]:
        assert [hit.id for hit in index.search(query["query"], limit=query["limit"])] == query["ids"], query["query"]


@pytest.mark.parametrize("case", cases("retrieve"))
def test_the_whole_pipeline(case: Record) -> None:
    corpus, clustered = stored(case)
    assert sorted(cluster.members for cluster in clustered) == sorted(tuple(sorted(p)) for p in case["partition"])
    for query in case["queries"]:
        vector = np.array(query["queryVec"])
        answers = [
            retrieve(corpus, query["query"], vector, options)
            for options in (Options(limit=None), Options(), Options(limit=5, types=["project"]))
        ]
        assert_same(answers[0].results, query["results"], 1e-5)
        assert_ids([r.id for r in answers[1].results], query["retrieved"], query["results"])
        assert_ids([r.id for r in answers[2].results], query["projectOnlyLimit5"], query["results"])
        near = any(float(np.dot(normalise(vector), normalise(np.array(v)))) >= 0.4 for v in case["vectors"].values())
        assert answers[0].seed_mode == ("vector" if near else "keyword")


def stored(case: Record) -> tuple[Corpus, tuple[Cluster, ...]]:
    """Index a case as the sidecar does: float32 rows, normalised, found by content hash."""
    table, ids_by_hash = VectorTable(), dict[str, list[str]]()
    for entry in case["entries"]:
        text = "\n".join((entry["name"], entry["description"], entry["content"]))
        digest = hashlib.sha256(text.encode()).hexdigest()
        ids_by_hash.setdefault(digest, []).append(note_id(entry))
        table.put(digest, normalise(np.array(case["vectors"][note_id(entry)])))
    vectors = table.freeze()
    ids = [(id, digest) for digest, each in ids_by_hash.items() for id in each]
    matrix = np.array([vectors.get(digest) for _, digest in ids])
    clusters = find_clusters([id for id, _ in ids], matrix, seeding="reference")
    graph = Graph.build(contributions(case["entries"])).with_clusters(clusters)
    types = {note_id(entry): entry["type"] for entry in case["entries"]}
    return Corpus(graph, KeywordIndex.build(docs(case["entries"])), vectors, ids_by_hash, types), clusters


def assert_same(got: Sequence[Hit | Result], want: list[Record], tolerance: float) -> None:
    """Compare scores in rank order, and ids and paths wherever no neighbouring score is equal."""
    assert len(got) == len(want)
    assert {hit.id for hit in got} == {hit["id"] for hit in want}
    scores = [hit["score"] for hit in want]
    for rank, (hit, expected) in enumerate(zip(got, want, strict=True)):
        assert hit.score == pytest.approx(expected["score"], abs=tolerance)
        if _stands_alone(scores, rank):
            assert hit.id == expected["id"]
            via = {"from": hit.via.source, "edgeKind": hit.via.kind} if hit.via else None
            if via and via["edgeKind"] == "InCluster" and via["from"].startswith("cluster:"):
                via = {**via, "from": expected["via"]["from"]}  # ids of clusters are ours
            assert via == expected["via"]


def assert_ids(got: list[str], want: list[str], uncapped: list[Record]) -> None:
    scores = {hit["id"]: hit["score"] for hit in uncapped}
    assert len(got) == len(want)
    for mine, theirs in zip(got, want, strict=True):
        assert mine == theirs or abs(scores[mine] - scores[theirs]) <= 1e-6


def _stands_alone(scores: list[float], rank: int) -> bool:
    around = scores[max(rank - 1, 0) : rank + 2]
    return sum(abs(score - scores[rank]) <= 1e-6 for score in around) == 1


def test_hits_have_no_extra_reason() -> None:
    """A seed carries no way in: nothing led to it."""
    graph = Graph.build([Contribution(Node("user/a", NodeKind.MEMORY, "a"), ("a",))])
    assert trace(graph, [Seed("user/a", 0.5)]).hits == (Hit("user/a", 0.5, None),)
