from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.cascade import Step, Via
from memory_lsp.core.graph import Contribution, Edge, EdgeKind, Graph, Node, NodeKind
from memory_lsp.core.keyword import Doc, KeywordIndex
from memory_lsp.core.lexicon import Lexicon
from memory_lsp.core.retrieve import Answer, Corpus, Options, retrieve
from memory_lsp.core.standing import newest
from memory_lsp.core.vectors import VectorTable, normalise

RELATES, SUPERSEDES, CONTRADICTS = EdgeKind.RELATES_TO, EdgeKind.SUPERSEDES, EdgeKind.CONTRADICTS
SPREAD = Options(ranker="spread")


def corpus(
    texts: dict[str, str],
    edges: tuple[tuple[str, str, EdgeKind], ...] = (),
    tags: dict[str, tuple[str, ...]] | None = None,
    vectors: dict[str, np.ndarray] | None = None,
    sessions: dict[str, str] | None = None,
) -> Corpus:
    tags, sessions = tags or {}, sessions or {}
    docs = [
        Doc(id, id.partition("/")[2], text, text, (id,), tags.get(id, ()), sessions.get(id, ""))
        for id, text in texts.items()
    ]
    notes = [
        Contribution(
            Node(d.id, NodeKind.MEMORY, d.name),
            d.order,
            d.tags,
            tuple(Edge(*edge) for edge in edges if edge[0] == d.id),
        )
        for d in docs
    ]
    table = VectorTable()
    for id, vector in (vectors or {}).items():
        table.put(f"hash of {id}", normalise(vector))
    return Corpus(
        Graph.build(notes),
        KeywordIndex.build(docs),
        table.freeze(),
        {f"hash of {id}": [id] for id in texts},
        {id: id.partition("/")[0] for id in texts},
        Lexicon.build(docs),
    )


def ids(answer: Answer) -> list[str]:
    return [result.id for result in answer.results]


def test_a_note_that_covers_the_query_stays_before_its_neighbours() -> None:
    answer = retrieve(
        corpus(
            {"u/a": "nightly backup of postgres", "u/b": "backup disks", "u/c": "nothing"}, (("u/a", "u/c", RELATES),)
        ),
        "nightly backup postgres",
        None,
        SPREAD,
    )
    assert answer.seed_mode == "keyword"
    assert ids(answer)[0] == "u/a"
    linked = next(result for result in answer.results if result.id == "u/c")
    assert linked.via == Via("u/a", RELATES)
    assert linked.path == (Step("u/a", None), Step("u/c", RELATES))
    assert dict(linked.parts) == {"graph": linked.score}


def test_of_two_neighbours_the_one_that_adds_what_the_seed_lacks_gains_more() -> None:
    texts = {
        "u/racing": "racing game with a driver on its cover",
        "u/other": "a label",
        "u/irvine": "runner-up of 1999",
    }
    edges = (("u/racing", "u/other", RELATES), ("u/racing", "u/irvine", RELATES))
    answer = retrieve(corpus(texts, edges), "racing game cover driver runner-up 1999", None, SPREAD)
    assert ids(answer) == ["u/racing", "u/irvine", "u/other"]


def test_tags_names_and_sessions_tie_notes_together_and_are_shown_on_the_path() -> None:
    texts = {
        "u/a": "frost alarm rule",
        "u/b": "unrelated",
        "u/c": "says Oswinne Mar runs it",
        "u/d": "we ask Oswinne Mar",
    }
    by_tag = retrieve(corpus(texts, tags={"u/a": ("frost",), "u/b": ("frost",)}), "frost alarm rule", None, SPREAD)
    assert by_tag.results[1].path == (
        Step("u/a", None),
        Step("tag:frost", EdgeKind.HAS_TAG),
        Step("u/b", EdgeKind.HAS_TAG),
    )
    by_name = retrieve(corpus(texts), "who says it runs", None, SPREAD)
    assert by_name.results[1].id == "u/d"
    assert by_name.results[1].path[1] == Step("entity:oswinne mar", EdgeKind.MENTIONS)
    by_session = retrieve(corpus(texts, sessions={"u/a": "s", "u/b": "s"}), "frost alarm rule", None, SPREAD)
    assert by_session.results[1].path[1] == Step("session:s", EdgeKind.SAME_SESSION)


def test_vectors_and_words_count_together() -> None:
    east, north = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    given = corpus({"u/a": "alpha", "u/b": "beta", "u/c": "gamma"}, vectors={"u/a": east, "u/b": north, "u/c": north})
    answer = retrieve(given, "beta", east, SPREAD)
    assert answer.seed_mode == "hybrid"
    assert set(ids(answer)) == {"u/a", "u/b"}
    parts = {result.id: set(result.parts) for result in answer.results}
    assert parts == {"u/a": {"vector"}, "u/b": {"keyword", "title"}} or parts["u/b"] == {"keyword"}
    assert retrieve(given, "unheard", east, SPREAD).seed_mode == "vector"
    assert retrieve(given, "unheard", None, SPREAD).results == ()


def test_a_name_in_the_query_speaks_for_its_note_but_not_inside_a_longer_name() -> None:
    texts = {"u/action": "x action", "u/direct-action": "x action", "u/act-of-war": "x action"}
    answer = retrieve(corpus(texts), "the game Direct Action", None, SPREAD)
    assert ids(answer)[0] == "u/direct-action"
    assert "title" in answer.results[0].parts
    assert all("title" not in result.parts for result in answer.results[1:])


def test_a_chinese_name_in_the_query_speaks_for_its_note() -> None:
    answer = retrieve(corpus({"u/传感器": "甲", "u/指示灯": "乙"}), "传感器多久校准一次", None, SPREAD)
    assert "title" in answer.results[0].parts


OLD = {"p/new": "read every fifteen seconds", "p/old": "probes are read once a minute", "p/else": "probes"}


def test_a_superseded_note_comes_below_its_successor() -> None:
    given = corpus(OLD, (("p/new", "p/old", SUPERSEDES),))
    answer = retrieve(given, "probes read once a minute", None, SPREAD)
    assert ids(answer)[0] == "p/new"
    assert answer.results[0].path == (Step("p/old", None), Step("p/new", SUPERSEDES))
    old = next(result for result in answer.results if result.id == "p/old")
    assert old.parts["superseded"] < 0
    hidden = retrieve(given, "probes read once a minute", None, Options(ranker="spread", superseded="hide"))
    assert ids(hidden)[0] == "p/new"
    assert "p/old" not in ids(hidden)
    shown = retrieve(given, "probes read once a minute", None, Options(ranker="spread", superseded="show"))
    assert ids(shown)[0] == "p/old"


def test_a_chain_comes_newest_first_and_a_circle_changes_nothing() -> None:
    texts = {"p/1": "probes minute", "p/2": "probes", "p/3": "fifteen"}
    chain = corpus(texts, (("p/2", "p/1", SUPERSEDES), ("p/3", "p/2", SUPERSEDES)))
    assert ids(retrieve(chain, "probes minute", None, SPREAD)) == ["p/3", "p/2", "p/1"]
    assert newest(chain.graph, "p/1") == ("p/3",)
    circle = corpus(texts, (("p/2", "p/1", SUPERSEDES), ("p/1", "p/2", SUPERSEDES)))
    assert ids(retrieve(circle, "probes minute", None, SPREAD))[0] == "p/1"


def test_contradicting_notes_come_together_and_lift_nobody() -> None:
    texts = {f"p/{n}": f"squash commits {'squash ' * n}" for n in range(5)} | {"p/never": "keep history"}
    given = corpus(texts, (("p/never", "p/1", CONTRADICTS),))
    answer = retrieve(given, "squash commits", None, Options(ranker="spread", limit=3))
    assert len(answer.results) == 3
    assert "p/1" in ids(answer)
    last = answer.results[-1]
    assert (last.id, last.via, last.score) == ("p/never", Via("p/1", CONTRADICTS), 0.0)
    assert ids(retrieve(given, "squash commits", None, Options(ranker="spread", limit=1))) == ["p/1"]
    settled = corpus(texts, (("p/never", "p/1", CONTRADICTS), ("p/1", "p/never", SUPERSEDES)))
    assert "p/never" not in ids(retrieve(settled, "squash commits", None, Options(ranker="spread", limit=3)))


def test_where_nothing_fits_the_answer_can_be_empty() -> None:
    given = corpus({"u/a": "postgres backup at night with one disk", "u/b": "release checklist"})
    close = retrieve(given, "postgres backup", None, Options(ranker="spread", min_fit=0.2))
    far = retrieve(given, "birthday waltz at night", None, Options(ranker="spread", min_fit=0.2))
    assert ids(close)[0] == "u/a"
    assert far.results == ()
    assert close.fit is not None
    assert far.fit is not None
    assert close.fit > 0.2 > far.fit


def test_a_gap_leaves_out_what_is_far_below_the_first() -> None:
    given = corpus({"u/a": "postgres backup", "u/b": "backup of everything else that runs here"})
    assert len(retrieve(given, "postgres backup", None, SPREAD).results) == 2
    assert ids(retrieve(given, "postgres backup", None, Options(ranker="spread", gap=0.9))) == ["u/a"]


def test_types_filter_what_is_shown_not_what_leads_there() -> None:
    given = corpus({"u/a": "postgres backup", "p/b": "disks"}, (("u/a", "p/b", RELATES),))
    assert ids(retrieve(given, "postgres backup", None, Options(ranker="spread", types=["p"]))) == ["p/b"]


def test_an_empty_memory_answers() -> None:
    answer = retrieve(corpus({}), "anything", np.array([1.0, 0.0]), SPREAD)
    assert (answer.results, answer.seed_mode, answer.fit) == ((), "keyword", 0.0)


WORDS = ["alpha", "beta", "Gamma Delta", "epsilon", "zeta_eta", "theta"]


@st.composite
def stores(draw: st.DrawFn) -> tuple[dict[str, str], tuple[tuple[str, str, EdgeKind], ...], dict[str, tuple[str, ...]]]:
    names = [f"u/{n}" for n in range(draw(st.integers(1, 9)))]
    text = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
    kinds = st.sampled_from([RELATES, SUPERSEDES, CONTRADICTS])
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names), kinds)
    tags = st.lists(st.sampled_from(["x", "y"]), max_size=2).map(tuple)
    return {n: draw(text) for n in names}, tuple(draw(st.lists(ends, max_size=8))), {n: draw(tags) for n in names}


@given(
    stores(), st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), st.booleans(), st.integers(1, 5)
)
@settings(max_examples=100, deadline=None)
def test_scores_explain_themselves(
    store: tuple[dict[str, str], tuple[tuple[str, str, EdgeKind], ...], dict[str, tuple[str, ...]]],
    query: str,
    with_vectors: bool,
    limit: int,
) -> None:
    texts, edges, tags = store
    vectors = {id: np.random.default_rng(n).standard_normal(4) for n, id in enumerate(texts)} if with_vectors else None
    given = corpus(texts, edges, tags, vectors)
    vector = np.random.default_rng(99).standard_normal(4) if with_vectors else None
    answer = retrieve(given, query, vector, Options(ranker="spread", limit=limit))
    assert len(answer.results) <= limit
    assert len(set(ids(answer))) == len(answer.results)
    keys = [(-result.score, result.id) for result in answer.results]
    assert keys == sorted(keys)
    for result in answer.results:
        assert sum(result.parts.values()) == pytest.approx(result.score, abs=1e-6)
        assert result.path[-1].id == result.id
        assert result.path[0].kind is None
        assert (result.via is None) == (len(result.path) == 1)
        heirs = [id for id in newest(given.graph, result.id) if id in ids(answer)]
        assert all(ids(answer).index(id) < ids(answer).index(result.id) for id in heirs)


def test_the_same_notes_answer_the_same_however_the_index_came_about() -> None:
    chance = random.Random(5)
    texts = {f"p/{n}": " ".join(chance.choices(WORDS, k=6)) for n in range(120)}
    docs = [Doc(id, id[2:], text, text, (id,)) for id, text in texts.items()]
    vectors = {id: np.random.default_rng(n % 40).standard_normal(16) for n, id in enumerate(texts)}
    whole = corpus(texts, vectors=vectors)
    grown, table = Lexicon.build(docs[:50]), VectorTable()
    for at in range(0, 120, 7):
        stale = [Doc(d.id, "old", "old", "old", ()) for d in docs[at : at + 9]]
        grown = grown.updated(stale, [f"p/{at}"])
        assert len(grown.ids)
        grown = grown.updated(docs[at : at + 9], ())
        assert len(grown.ids)
    for id in sorted(texts, key=lambda id: id[::-1]):
        table.put(f"hash of {id}", normalise(vectors[id]))
    other = Corpus(whole.graph, whole.keywords, table.freeze(), whole.ids_by_hash, whole.types, grown.updated(docs, ()))
    for n in range(30):
        query, vector = " ".join(chance.choices(WORDS, k=2)), np.random.default_rng(n).standard_normal(16)
        left, right = retrieve(whole, query, vector, SPREAD), retrieve(other, query, vector, SPREAD)
        assert [(r.id, r.score, r.path) for r in left.results] == [(r.id, r.score, r.path) for r in right.results]


def test_a_tag_lets_no_note_lift_one_that_it_contradicts() -> None:
    texts = {"u/a": "apple pie with cream", "u/b": "nothing of that", "u/c": "nothing of that either"}
    tags = dict.fromkeys(texts, ("dessert",))
    found = retrieve(corpus(texts, (("u/a", "u/b", CONTRADICTS),), tags), "apple pie with cream", None, SPREAD)
    scores = {result.id: result.score for result in found.results}
    assert scores["u/c"] > 0
    assert scores["u/b"] == 0
    assert next(result.via for result in found.results if result.id == "u/b") == Via("u/a", CONTRADICTS)
