from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.keyword import Doc
from memory_lsp.core.lexicon import Lexicon, title_key
from memory_lsp.core.tokens import terms
from memory_lsp.core.vectors import VectorTable


def doc(id: str, content: str = "", *, name: str = "", description: str = "", session: str = "") -> Doc:
    return Doc(id, name or id, description, content, (id,), (), session)


def scores(lexicon: Lexicon, query: str) -> dict[str, float]:
    found = lexicon.words(query)
    return {id: score for id, score in zip(lexicon.ids, found.scores.tolist(), strict=True) if id is not None and score}


def naive(docs: list[Doc], query: str) -> dict[str, float]:
    """Compute BM25 from its formula, note by note."""
    counts = {d.id: terms("\n".join((d.description, d.content, *d.tags))) for d in docs}
    for d in docs:
        for term, times in terms(d.name).items():
            counts[d.id][term] += 2 * times
    lengths = {id: sum(each.values()) for id, each in counts.items()}
    average = max(sum(lengths.values()) / max(len(docs), 1), 1.0)
    result = Counter[str]()
    for term in terms(query):
        holders = [id for id, each in counts.items() if term in each]
        idf = math.log(1 + (len(docs) - len(holders) + 0.5) / (len(holders) + 0.5))
        for id in holders:
            times = counts[id][term]
            result[id] += idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * lengths[id] / average))  # type: ignore[assignment]
    return dict(result)


texts = st.lists(st.sampled_from(["table", "tables", "CI", "naïve", "表格", "foo_bar", "Ada Lovelace"]), max_size=6)
documents = st.builds(doc, st.sampled_from([f"u/{n}" for n in range(8)]), texts.map(" ".join))
changes = st.tuples(st.lists(documents, max_size=4), st.lists(st.sampled_from(["u/0", "u/3"]), max_size=2))


@given(st.lists(changes, max_size=6), texts.map(" ".join))
@settings(max_examples=120, deadline=None)
def test_scores_are_bm25_through_any_updates(steps: list[tuple[list[Doc], list[str]]], query: str) -> None:
    lexicon, kept = Lexicon.build([]), dict[str, Doc]()
    for changed, removed in steps:
        lexicon = lexicon.updated(changed, removed)
        for id in removed:
            kept.pop(id, None)
        kept.update({each.id: each for each in changed})
        assert scores(lexicon, query) == pytest.approx(naive(list(kept.values()), query))
        assert sorted(id for id in lexicon.ids if id is not None) == sorted(kept)
        for id in kept:
            row = lexicon.row_of(id)
            assert row is not None
            assert lexicon.ids[row] == id
    scratch = Lexicon.build(kept.values())
    named = {
        name: sorted(scratch.ids[row] or "" for row in scratch.naming(name)) for name in ("ada lovelace", "foo_bar")
    }
    assert named == {name: sorted(lexicon.ids[row] or "" for row in lexicon.naming(name)) for name in named}


def test_the_masks_tell_which_terms_a_note_holds() -> None:
    lexicon = Lexicon.build([doc("u/1", "tables rows"), doc("u/2", "tables"), doc("u/3", "rest")])
    found = lexicon.words("tables rows unheard")
    covered = dict(zip(lexicon.ids, found.covered(found.masks).tolist(), strict=True))
    assert covered["u/3"] == 0
    assert 0 < covered["u/2"] < covered["u/1"] < 1
    assert lexicon.words("tables rows").shares.sum() == pytest.approx(1.0)


def test_a_query_of_a_thousand_words_is_scored_by_all_that_are_known() -> None:
    common = " ".join(f"w{n}" for n in range(99))
    lexicon = Lexicon.build([doc("u/1", "needle"), *(doc(f"u/{n}", common) for n in range(2, 9))])
    query = " ".join([*(f"w{n}" for n in range(999)), "needle"])
    assert set(scores(lexicon, query)) == {f"u/{n}" for n in range(1, 9)}
    found = lexicon.words(query)
    row = lexicon.row_of("u/1")
    assert row is not None
    assert found.covered(found.masks[[row]])[0] == pytest.approx(found.shares[0])


def test_a_note_names_what_it_writes_and_its_title_and_is_in_the_groups_of_its_tags_and_session() -> None:
    own = replace(doc("p/flaky-tests", "by Ada Lovelace", name="flaky-tests", session="s1"), tags=("CI",))
    lexicon = Lexicon.build([own, doc("p/b", session="s1")])
    row = lexicon.row_of("p/flaky-tests")
    assert row is not None
    assert {"ada lovelace", "flaky tests", "flaky-tests"} == set(lexicon.names_of(row))
    assert lexicon.groups_of(row) == ("tag:ci", "session:s1")
    assert len(lexicon.grouped("session:s1")) == 2


def test_a_title_is_found_by_its_words() -> None:
    assert title_key("Lothair II (King)") == "lothair ii" == title_key("Lothair-II")
    lexicon = Lexicon.build([doc("u/1", name="flaky_tests"), doc("u/2", name="Flaky tests (old)"), doc("u/3")])
    assert sorted(lexicon.ids[row] or "" for row in lexicon.titled("flaky tests")) == ["u/1", "u/2"]


def test_vector_rows_follow_the_hashes_and_notes_without_a_vector_have_none() -> None:
    table = VectorTable()
    table.put("h2", np.ones(4, dtype=np.float32))
    table.put("h1", np.ones(4, dtype=np.float32))
    lexicon = Lexicon.build([doc("u/1"), doc("u/2"), doc("u/3"), doc("u/4")])
    rows = lexicon.vector_rows(table.freeze(), {"h1": ["u/1", "u/4"], "h2": ["u/2"]})
    near = np.array([0.25, 0.75], dtype=np.float32)
    assert dict(zip(lexicon.ids, rows.nearest(near).tolist(), strict=True)) == {
        "u/1": 0.75, "u/2": 0.25, "u/3": 0.0, "u/4": 0.75,
    }  # fmt: skip
    table.drop("h1")
    again = lexicon.vector_rows(table.freeze(), {"h1": ["u/1", "u/4"], "h2": ["u/2"]})
    assert sorted(again.nearest(near[:1] * 4).tolist()) == [0.0, 0.0, 0.0, 1.0]
