"""`retrieve` where no model is the point: keywords, JSON, the explained form."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from cli_rig import NO_MODEL, Shell, example, tree, write
from memory_lsp.cli.explain import explain, plain, way

QUESTION = "how should I format this comparison?"
CASCADE = (*NO_MODEL, "--set", "retrieval.ranker=cascade")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return example(tmp_path)


def test_json_is_what_memory_retrieve_answers(shell: Shell, memory: Path) -> None:
    outcome = shell("retrieve", "-d", memory, QUESTION, "--json", *NO_MODEL)
    assert outcome.status == 0
    answer = outcome.json
    assert set(answer) == {
        "results", "seedMode", "ranker", "isIncomplete", "needsAttention", "revision", "tookMs"
    }  # fmt: skip
    assert (answer["seedMode"], answer["ranker"], answer["isIncomplete"]) == ("keyword", "spread", True)
    assert len(answer["results"]) == 8
    best = next(result for result in answer["results"] if result["name"] == "comparisons-as-tables")
    assert set(best) == {"id", "type", "name", "description", "uri", "score", "parts", "via", "path"}
    assert Path(unquote(urlsplit(best["uri"]).path)) == memory / "feedback" / "comparisons-as-tables.md"


def test_the_plain_form_is_score_id_and_description(shell: Shell, memory: Path) -> None:
    outcome = shell("retrieve", "-d", memory, "markdown table", "--limit", "1", *CASCADE)
    assert outcome.lines == ["1.000  feedback/comparisons-as-tables  Format a comparison as a markdown table"]


def test_limit_comes_from_the_argument_else_from_the_settings(shell: Shell, memory: Path) -> None:
    few = shell("retrieve", "-d", memory, QUESTION, "--set", "retrieval.limit=3", *NO_MODEL)
    fewer = shell("retrieve", "-d", memory, QUESTION, "--set", "retrieval.limit=3", "--limit", "2", *NO_MODEL)
    assert (len(few.lines), len(fewer.lines)) == (3, 2)


def test_types_choose_notes(shell: Shell, memory: Path) -> None:
    outcome = shell("retrieve", "-d", memory, QUESTION, "--type", "user", "--type", "reference", "--json", *NO_MODEL)
    assert {result["type"] for result in outcome.json["results"]} == {"user", "reference"}


def test_nothing_found_is_status_1(shell: Shell, memory: Path) -> None:
    outcome = shell("retrieve", "-d", memory, "zzyzx qqxqq", "--json", *NO_MODEL)
    assert (outcome.status, outcome.json["results"], outcome.err) == (1, [], "Nothing found.\n")


def test_a_blank_query_lists_the_first_notes(shell: Shell, memory: Path) -> None:
    outcome = shell("retrieve", "-d", memory, " ", "--limit", "2")
    assert (outcome.status, outcome.err) == (0, "")
    assert [line.split("  ")[1] for line in outcome.lines] == [
        "reference/Boards and logs",
        "project/accessibility-goal",
    ]


def test_without_a_model_keywords_answer_and_one_line_says_what_to_do(shell: Shell, memory: Path) -> None:
    gone = memory / "no-model"
    outcome = shell("retrieve", "-d", memory, QUESTION, "--json", "--set", f"embedding.model={gone}")
    assert outcome.status == 0
    assert (outcome.json["seedMode"], outcome.json["isIncomplete"]) == ("keyword", True)
    assert outcome.err.count("\n") == 1
    assert f"The model folder {gone} does not exist. Correct memory.embedding.model." in outcome.err


def test_what_the_index_lacks_is_said_beside_the_answer(shell: Shell, memory: Path) -> None:
    gone = ("--set", f"embedding.model={memory / 'no-model'}")
    outcome = shell("retrieve", "-d", memory, QUESTION, *gone)
    assert outcome.err.startswith("32 of 32 notes have no vector; keywords find them. The model folder ")
    assert outcome.err.count("\n") == 1
    assert shell("retrieve", "-d", memory, QUESTION, "--json", *gone).json["needsAttention"] == outcome.err.strip()
    assert shell("retrieve", "-d", memory, QUESTION, "--json", *NO_MODEL).json["needsAttention"] is None


def test_a_vault_stays_as_it_was(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"apples.md": "Apples grow on trees, see [[pears]].\n", "pears.md": "Pears too.\n"})
    before = tree(tmp_path)
    for command in (["retrieve", "apples"], ["check"], ["stats"], ["graph"], ["redact"]):
        shell(*command, "-d", tmp_path, *NO_MODEL)
        assert tree(tmp_path) == before, command


ANSWER = {
    "seedMode": "vector",
    "results": [
        {
            "id": "feedback/tables", "name": "tables", "description": "Use tables", "score": 0.71,
            "via": None, "parts": {"vector": 0.71},
            "path": [{"id": "feedback/tables", "kind": "Memory", "label": "tables", "edgeKind": None}],
        },
        {
            "id": "user/brief", "name": "brief", "description": "", "score": 0.2227,
            "via": {"from": "tag:style", "edgeKind": "HasTag"}, "parts": {"graph": 0.1, "keyword": 0.1227},
            "path": [
                {"id": "feedback/tables", "kind": "Memory", "label": "tables", "edgeKind": None},
                {"id": "tag:style", "kind": "Tag", "label": "Style", "edgeKind": "HasTag"},
                {"id": "user/brief", "kind": "Memory", "label": "brief", "edgeKind": "HasTag"},
            ],
        },
    ],
}  # fmt: skip


def test_explain_shows_the_way_and_the_parts_of_the_score() -> None:
    assert list(explain(ANSWER)) == [
        "0.710  tables  (seed, by meaning)",
        "       Use tables",
        "       meaning 0.710",
        "0.223  brief",
        "       tables ─HasTag→ #Style ─HasTag→ brief",
        "       graph 0.100 + keywords 0.123",
    ]


def test_plain_aligns_and_leaves_no_trailing_space() -> None:
    assert list(plain(ANSWER)) == ["0.710  feedback/tables  Use tables", "0.223  user/brief"]


def test_a_cluster_is_shown_by_its_label() -> None:
    path: list[dict[str, object]] = [
        {"id": "user/a", "kind": "Memory", "label": "a", "edgeKind": None},
        {"id": "cluster:1", "kind": "Cluster", "label": "output, style", "edgeKind": "InCluster"},
    ]
    assert way(path) == "a ─InCluster→ (output, style)"


def test_explain_on_the_command_line_walks_links(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"user/apples.md": "---\ndescription: fruit\n---\nSee [[pears]].\n", "user/pears.md": "Sweet.\n"})
    outcome = shell("retrieve", "-d", tmp_path, "apples", "--explain", *CASCADE)
    assert outcome.lines == [
        "1.000  apples  (seed, by keywords)",
        "       fruit",
        "       keywords 1.000",
        "0.490  pears",
        "       apples ─RelatesTo→ pears",
        "       graph 0.490",
    ]
