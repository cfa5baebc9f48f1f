from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.keyword import Doc, KeywordIndex

WORDS = [
    "table",
    "tables",
    "tab",
    "stable",
    "ci",
    "css",
    "Deploy",
    "deployment",
    "é",
    "naïve",
    "x" * 12,
    "\x00",
    "2024",
]


def doc(id: str, name: str = "", description: str = "", content: str = "") -> Doc:
    return Doc(id, name or id, description, content, (name or id,))


def naive(docs: list[Doc], query: str) -> list[tuple[str, float]]:
    """Score as the specification says it, word for word."""

    def split(text: str) -> list[str]:
        return [t for t in re.sub(r"[^a-z0-9\s]", " ", text.lower()).split() if len(t) > 2]

    scored = []
    for each in docs:
        score = 10 if query.lower() in each.name.lower() else 0
        for q in split(query):
            score += 5 * sum(q in t or t in q for t in split(each.description))
            score += sum(q in t or t in q for t in split(each.content))
        if score:
            scored.append((each, score))
    scored.sort(key=lambda pair: (-pair[1], pair[0].order, pair[0].id))
    return [(each.id, float(score)) for each, score in scored]


texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
documents = st.builds(
    Doc,
    st.sampled_from([f"u/{n}" for n in range(8)]),
    texts,
    texts,
    texts,
    st.tuples(st.sampled_from(["a", "b"])),
)


@given(
    st.lists(st.tuples(st.lists(documents, max_size=4), st.lists(st.sampled_from(["u/0", "u/3"]))), max_size=5), texts
)
@settings(max_examples=120, deadline=None)
def test_the_index_scores_as_the_specification_through_any_updates(
    steps: list[tuple[list[Doc], list[str]]], query: str
) -> None:
    index, kept = KeywordIndex.build([]), dict[str, Doc]()
    for changed, removed in steps:
        index = index.updated(changed, removed)
        for id in removed:
            kept.pop(id, None)
        kept.update({each.id: each for each in changed})
        if query.strip():
            found = index.search(query)
            assert [(hit.id, hit.score) for hit in found] == naive(list(kept.values()), query)
            assert index.search(query, limit=2) == found[:2]
            assert index.search(query, lambda id: id > "u/3") == tuple(hit for hit in found if hit.id > "u/3")
        assert len(index) == len(kept)


def test_a_blank_query_gives_the_first_notes_of_the_list() -> None:
    index = KeywordIndex.build([doc("u/c"), doc("p/a"), doc("u/b")])
    assert [hit.id for hit in index.search(" \t", limit=2)] == ["p/a", "u/b"]
    assert index.first(lambda id: id.startswith("u/")) == ("u/b", "u/c")


def test_a_match_never_lies_across_two_names() -> None:
    index = KeywordIndex.build([doc("u/1", "left"), doc("u/2", "right")])
    assert [hit.id for hit in index.search("left\x00right")] == []
    assert [hit.id for hit in index.search("IGH")] == ["u/2"]


def test_an_old_index_still_answers_for_its_own_time() -> None:
    old = KeywordIndex.build([doc("u/1", content="tables")])
    new = old.updated([doc("u/1", content="rows")], ())
    assert [hit.id for hit in new.search("tables")] == []
    assert [hit.id for hit in old.search("tables")] == ["u/1"]
