"""The labelled memory of `make eval` is sound: every label, link and count means what it says."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).resolve().parents[1] / "eval" / "data"
LINK = re.compile(r"\[\[([^\]|#]+)[^\]]*\]\]")
FENCE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
QUERIES_PER_KIND = {
    "known-item": 25,
    "paraphrase": 39,
    "multi-hop": 36,
    "superseded": 14,
    "negative": 20,
    "lower-case": 16,
    "identifier": 18,
    "chinese": 9,
    "german": 9,
    "spanish": 9,
    "cross": 5,
}


@pytest.fixture(scope="module")
def memory() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DATA / "memory.json").read_text(encoding="utf-8"))
    return loaded


def test_every_note_is_named_by_an_id_and_a_name_of_its_own(memory: dict[str, Any]) -> None:
    notes = memory["notes"]
    assert len(notes) == 120
    assert len({note["id"] for note in notes}) == 120
    assert len({note["name"].casefold() for note in notes}) == 120
    assert all(note["id"].startswith(f"{note['type']}/") for note in notes)
    assert all(note["description"].strip() and note["content"].strip() for note in notes)


def test_every_link_and_every_supersedes_entry_names_a_note(memory: dict[str, Any]) -> None:
    names = {note["name"] for note in memory["notes"]}
    for note in memory["notes"]:
        linked = set(LINK.findall(FENCE.sub("", note["content"])))
        assert linked | set(note.get("supersedes", [])) <= names, note["id"]
        assert note["name"] not in linked, note["id"]


def test_every_kind_of_query_has_its_number_of_queries(memory: dict[str, Any]) -> None:
    queries = memory["queries"]
    assert Counter(query["kind"] for query in queries) == QUERIES_PER_KIND
    assert len({query["text"] for query in queries}) == 200


def test_every_label_names_a_note_and_no_label_names_a_superseded_one(memory: dict[str, Any]) -> None:
    old = {name for note in memory["notes"] for name in note.get("supersedes", [])}
    current = {note["id"] for note in memory["notes"] if note["name"] not in old}
    for query in memory["queries"]:
        relevant = query["relevant"]
        assert set(relevant) <= current, query["text"]
        assert len(set(relevant)) == len(relevant), query["text"]


def test_only_a_negative_query_has_no_relevant_note_and_a_multi_hop_one_has_several(memory: dict[str, Any]) -> None:
    for query in memory["queries"]:
        assert (query["kind"] == "negative") == (not query["relevant"]), query["text"]
        if query["kind"] == "multi-hop":
            assert 2 <= len(query["relevant"]) <= 4, query["text"]
    negatives = Counter(query["domain"] for query in memory["queries"] if query["kind"] == "negative")
    assert negatives == {"in-domain": 10, "foreign": 10}


def test_the_memory_holds_long_notes_and_notes_in_four_languages(memory: dict[str, Any]) -> None:
    lengths = [len(note["content"]) for note in memory["notes"]]
    assert sum(1500 <= length <= 3000 for length in lengths) >= 5
    texts = [note["content"] for note in memory["notes"]]
    assert sum(bool(re.search(r"[\u4e00-\u9fff]{4}", text)) for text in texts) >= 5
    assert sum(bool(re.search(r"\b(der|die|das|und|nicht)\b", text)) for text in texts) >= 5
    assert sum(bool(re.search(r"\b(los|las|el|cada)\b", text)) for text in texts) >= 5


@pytest.fixture(scope="module")
def pairs() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((DATA / "pairs.json").read_text(encoding="utf-8"))
    return loaded


def test_every_pair_is_two_different_complete_notes_met_once(pairs: list[dict[str, Any]]) -> None:
    seen: set[tuple[str, ...]] = set()
    for pair in pairs:
        sides = [tuple(pair[side][field].strip() for field in ("name", "description", "content")) for side in "ab"]
        assert all(all(side) for side in sides), pair
        assert sides[0] != sides[1], pair
        seen.add(tuple(sorted(field for side in sides for field in side)))
    assert len(seen) == len(pairs)


def test_labels_are_balanced_in_both_halves(pairs: list[dict[str, Any]]) -> None:
    counts = Counter((pair["label"], pair["split"]) for pair in pairs)
    labels = ("contradicting", "agreeing", "unrelated", "superseding")
    assert set(counts) == {(label, split) for label in labels for split in ("dev", "test")}
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len(pairs) >= 240


def test_contradictions_of_every_kind_are_in_both_halves(pairs: list[dict[str, Any]]) -> None:
    kinds = {(pair["kind"], pair["split"]) for pair in pairs if pair["label"] == "contradicting"}
    assert kinds == {
        (kind, split) for kind in ("polarity", "number", "date", "tool", "owner") for split in ("dev", "test")
    }
    assert {pair["language"] for pair in pairs if pair["label"] == "contradicting"} == {"en", "de", "es", "zh"}
