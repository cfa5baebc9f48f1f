from __future__ import annotations

import numpy as np
from memory_lsp.core.cascade import Step, Via
from memory_lsp.core.graph import Contribution, EdgeKind, Graph, Node, NodeKind
from memory_lsp.core.keyword import Doc, KeywordIndex
from memory_lsp.core.retrieve import Corpus, Options, retrieve
from memory_lsp.core.vectors import VectorTable

EAST, NORTH, SOUTH = np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([0.0, -1.0])

TEXTS = {
    "feedback/tables": "render comparisons as tables",
    "project/tool": "comparison tool",
    "project/release": "the release checklist",
    "user/style": "short answers",
}
ABOUT_TABLES = {"feedback/tables", "project/tool"}
TAGS = {"feedback/tables": ("style",), "user/style": ("style",)}


def corpus(*, vectors: bool = True) -> Corpus:
    docs = [Doc(id, id.partition("/")[2], text, text, (id.partition("/")[2],)) for id, text in TEXTS.items()]
    notes = [Contribution(Node(d.id, NodeKind.MEMORY, d.name), d.order, TAGS.get(d.id, ())) for d in docs]
    table = VectorTable()
    if vectors:
        for id in TEXTS:
            table.put(
                f"hash of {id}", (EAST if id in {"feedback/tables", "project/tool"} else NORTH).astype(np.float32)
            )
    return Corpus(
        Graph.build(notes),
        KeywordIndex.build(docs),
        table.freeze(),
        {f"hash of {id}": [id] for id in TEXTS},
        {id: id.partition("/")[0] for id in TEXTS},
    )


def test_a_near_note_brings_its_neighbours_and_says_how() -> None:
    answer = retrieve(corpus(), "anything", EAST, Options(ranker="cascade"))
    assert answer.seed_mode == "vector"
    assert [result.id for result in answer.results] == ["feedback/tables", "project/tool", "user/style"]
    first, _, last = answer.results
    assert (first.score, first.via, dict(first.parts)) == (1.0, None, {"vector": 1.0})
    assert last.via == Via("tag:style", EdgeKind.HAS_TAG)
    assert last.path == (
        Step("feedback/tables", None),
        Step("tag:style", EdgeKind.HAS_TAG),
        Step("user/style", EdgeKind.HAS_TAG),
    )
    assert dict(last.parts) == {"graph": last.score}


def test_where_nothing_is_near_keywords_seed_and_the_answer_says_so() -> None:
    for given in (corpus(), corpus(vectors=False)):
        answer = retrieve(given, "release", SOUTH, Options(ranker="cascade"))
        assert answer.seed_mode == "keyword"
        assert [(result.id, dict(result.parts)) for result in answer.results] == [("project/release", {"keyword": 1.0})]
    assert retrieve(corpus(), "release", None, Options(ranker="cascade")).seed_mode == "keyword"


def test_a_filter_that_leaves_nothing_falls_back_to_keywords_under_the_same_filter() -> None:
    answer = retrieve(corpus(), "checklist tables", EAST, Options(ranker="cascade", types=["project"], seeds=1))
    assert answer.seed_mode == "keyword"
    assert [result.id for result in answer.results] == ["project/release"]
    assert retrieve(corpus(), "tables", EAST, Options(ranker="cascade", types=["unheard-of"])).results == ()


def test_a_blank_query_gives_the_first_notes_of_the_list() -> None:
    answer = retrieve(corpus(), " \n", None, Options(ranker="cascade", limit=2))
    assert [result.id for result in answer.results] == ["project/release", "user/style"]
    answer = retrieve(corpus(), "", None, Options(ranker="cascade", types=["project"]))
    assert [result.id for result in answer.results] == ["project/release", "project/tool"]


def test_the_limit_cuts_after_the_filter() -> None:
    answer = retrieve(corpus(), "x", EAST, Options(ranker="cascade", limit=1, types=["user"]))
    assert [result.id for result in answer.results] == ["user/style"]
