"""`memory/retrieve` and its kin: what they answer, and what they say to values that do not fit."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from memory_lsp.config import RetrievalConfig
from peer import NOTHING, Refused, write

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local
    from peer import Wire


@pytest.fixture
async def memory(client: Local, tmp_path: Path) -> Path:
    """A memory directory that the client has open."""
    for kind in ("user", "feedback", "project", "reference"):
        (tmp_path / kind).mkdir()
    write(
        tmp_path / "feedback",
        tables="---\nname: tables\ndescription: comparisons as tables\ntags: [Format]\n---\nComparisons as tables.",
        prose="---\nname: prose\ndescription: short prose\ntags: [format]\nsupersedes: old\n---\nShort. [[tables]]",
        old="---\nname: old\n---\nWrite it long.",
    )
    write(tmp_path / "user", me="---\nname: me\ndescription: who I am\n---\nI like comparisons. [[gone]]")
    await client.initialize(tmp_path)
    return tmp_path


def ids(answer: Wire) -> list[str]:
    return [item["id"] for item in answer["results"]]


async def refusal(client: Local, method: str, params: Wire) -> Refused:
    with pytest.raises(Refused) as caught:
        await client.request(method, params)
    return caught.value


async def test_the_answer_has_every_field(client: Local, memory: Path) -> None:
    answer = await client.request("memory/retrieve", {"query": "comparisons as tables", "ranker": "cascade"})
    assert (answer["seedMode"], answer["ranker"], answer["isIncomplete"]) == ("keyword", "cascade", True)
    assert answer["revision"] >= 1
    assert answer["tookMs"] > 0
    first = answer["results"][0]
    assert first == {
        "id": "feedback/tables",
        "type": "feedback",
        "name": "tables",
        "description": "comparisons as tables",
        "uri": (memory / "feedback/tables.md").as_uri(),
        "score": 1.0,
        "parts": {"keyword": 1.0},
        "via": None,
        "path": [{"id": "feedback/tables", "kind": "Memory", "label": "tables", "edgeKind": None}],
    }


async def test_spread_is_the_default_and_a_replaced_note_ranks_below_its_successor(client: Local, memory: Path) -> None:
    answer = await client.request("memory/retrieve", {"query": "long"})
    assert (answer["seedMode"], answer["ranker"]) == ("keyword", "spread")
    assert ids(answer).index("feedback/prose") < ids(answer).index("feedback/old")


@pytest.mark.parametrize("ranker", ["cascade", "spread"])
async def test_a_replaced_note_says_so_and_can_be_left_out(client: Local, memory: Path, ranker: str) -> None:
    asked = {"query": "long", "ranker": ranker}
    shown = {item["id"]: item for item in (await client.request("memory/retrieve", asked))["results"]}
    assert shown["feedback/old"]["supersededBy"] == ["feedback/prose"]
    assert "supersededBy" not in shown["feedback/prose"]
    settings = replace(client.server.settings, retrieval=RetrievalConfig(superseded="hide"))
    await client.server.change_settings(settings)
    left = await client.request("memory/retrieve", asked)
    assert ids(left) == [id_ for id_ in ids(left) if id_ != "feedback/old"]
    assert "feedback/prose" in ids(left)


async def test_a_path_walks_from_the_seed_to_the_result(client: Local, memory: Path) -> None:
    answer = await client.request("memory/retrieve", {"query": "long", "ranker": "cascade"})
    found = next(item for item in answer["results"] if item["id"] == "feedback/tables")
    assert [step["id"] for step in found["path"]] == ["feedback/old", "feedback/prose", "feedback/tables"]
    assert [step["edgeKind"] for step in found["path"]] == [None, "Supersedes", "RelatesTo"]
    assert found["via"] == {"from": "feedback/prose", "edgeKind": "RelatesTo"}
    assert sum(found["parts"].values()) == pytest.approx(found["score"])


async def test_limit_types_depth_and_content(client: Local, memory: Path) -> None:
    assert len(ids(await client.request("memory/retrieve", {"query": "comparisons", "limit": 1}))) == 1
    assert ids(await client.request("memory/retrieve", {"query": "comparisons", "types": ["user"]})) == ["user/me"]
    walk = {"query": "long", "ranker": "cascade"}
    assert "feedback/tables" not in ids(await client.request("memory/retrieve", walk | {"maxDepth": 1}))
    assert "feedback/tables" not in ids(await client.request("memory/retrieve", walk | {"maxDepth": 0}))
    answer = await client.request("memory/retrieve", walk | {"includeContent": True})
    assert answer["results"][0]["content"] == "Write it long."


async def test_null_counts_as_missing(client: Local, memory: Path) -> None:
    for key in {key for key, _ in BAD} - {"query"}:
        assert ids(await client.request("memory/retrieve", {"query": "comparisons", key: None})), key


async def test_numbers_that_are_whole_and_keys_that_are_unknown(client: Local, memory: Path) -> None:
    params = {"query": "comparisons", "limit": 1.0, "a-b": 1, "class": 2, "_x": {"y": [1]}, "type_name": "T"}
    assert len(ids(await client.request("memory/retrieve", params))) == 1


async def test_a_blank_query_lists_the_first_notes(client: Local, memory: Path) -> None:
    answer = await client.request("memory/retrieve", {"query": " ", "limit": 2})
    assert ids(answer) == ["user/me", "feedback/old"]
    assert answer["isIncomplete"] is False


async def test_a_query_in_any_script(client: Local, memory: Path) -> None:
    for query in ("😀", "日本語", "\u0000", "\ud800", "a\u0301" * 1000, "x" * 100_000, "[[", "\n\r\t"):
        assert isinstance((await client.request("memory/retrieve", {"query": query}))["results"], list)


async def test_a_vector_is_kept_to_the_width_of_the_index(client: Local, memory: Path) -> None:
    assert ids(await client.request("memory/retrieve", {"query": "comparisons", "vector": [0.5] * 384}))


BAD = [
    *[("query", value) for value in (NOTHING, None, 5, True, [], {}, ["x"])],
    *[("limit", value) for value in (0, -1, 1001, 1.5, "8", True, [], {}, 10**30)],
    *[("types", value) for value in ("user", 5, [5], [None], {}, True)],
    *[("maxDepth", value) for value in (-1, 7, 1.5, "2", False, [])],
    *[("ranker", value) for value in ("best", 5, [], {}, True)],
    *[("includeContent", value) for value in (1, 0, "true", [], {})],
    *[("vector", value) for value in ("x", 5, {}, [], ["a"], [True], [None], [[1]], [0, 0], [1e400], [10**400])],
    *[("vector", value) for value in ([math.nan], [math.inf], [1.0] * 20_000)],
    *[("memoryDirectory", value) for value in (5, [], {}, True)],
    *[("textDocument", value) for value in (5, [], {}, True, {"uri": 5}, {"uri": None})],
]  # fmt: skip


async def test_a_bad_value_is_named_in_a_plain_sentence(client: Local, memory: Path) -> None:
    for key, value in BAD:
        params = {"query": "x"} | ({} if value is NOTHING else {key: value})
        if value is NOTHING:
            del params[key]
        error = await refusal(client, "memory/retrieve", params)
        assert error.code == -32602, (key, value)
        assert error.message.startswith(f"{key}: "), (key, value)
        assert error.message.endswith(".")
        assert len(error.message) < 120
        assert error.data is None


NOWHERE: list[dict[str, Wire]] = [
    {"memoryDirectory": "/nowhere"}, {"memoryDirectory": ""}, {"textDocument": {"uri": "file:///nowhere/a.md"}},
    {"textDocument": {"uri": "untitled:x"}},
]  # fmt: skip


async def test_no_directory_matches(client: Local, memory: Path) -> None:
    for method in ("retrieve", "search", "graph", "node", "stats", "rebuild"):
        for params in NOWHERE:
            error = await refusal(client, f"memory/{method}", {"query": "x", "id": "x"} | params)
            assert error.code == -32803, (method, params)
            assert str(memory) in error.message


async def test_no_directory_at_all(client: Local) -> None:
    await client.initialize()
    error = await refusal(client, "memory/retrieve", {"query": "x"})
    assert error.code == -32803
    assert error.message


async def test_search_has_no_limit(client: Local, tmp_path: Path) -> None:
    write(tmp_path, **{f"n{number}": "apples" for number in range(30)})
    await client.initialize(tmp_path)
    answer = await client.request("memory/search", {"query": "apples"})
    assert len(answer["results"]) == 30
    assert answer["seedMode"] == "keyword"
    assert (await refusal(client, "memory/search", {"query": 5})).code == -32602


async def test_the_graph(client: Local, memory: Path) -> None:
    answer = await client.request("memory/graph", {})
    nodes = {node["id"]: node for node in answer["nodes"]}
    assert (
        nodes["tag:format"] == {"id": "tag:format", "kind": "Tag", "label": "format"}
        or nodes["tag:format"]["label"] == "Format"
    )
    assert nodes["user/me"] == {"id": "user/me", "kind": "Memory", "label": "me"}
    edges = {(edge["from"], edge["to"], edge["kind"], edge["weight"]) for edge in answer["edges"]}
    assert ("feedback/prose", "feedback/old", "Supersedes", 0.9) in edges
    assert ("feedback/prose", "feedback/tables", "RelatesTo", 0.7) in edges
    assert ("feedback/prose", "tag:format", "HasTag", 0.8) in edges
    assert answer["embedderAvailable"] is False


async def test_a_node_and_its_neighbours(client: Local, memory: Path) -> None:
    answer = await client.request("memory/node", {"id": "feedback/prose"})
    assert answer["node"] == {"id": "feedback/prose", "kind": "Memory", "label": "prose"}
    assert answer["entry"]["description"] == "short prose"
    assert answer["entry"]["uri"] == (memory / "feedback/prose.md").as_uri()
    assert {(item["id"], item["edge"], item["direction"]) for item in answer["neighbors"]} == {
        ("feedback/old", "Supersedes", "out"), ("feedback/tables", "RelatesTo", "out"), ("tag:format", "HasTag", "out"),
    }  # fmt: skip
    tag = await client.request("memory/node", {"id": "tag:format"})
    assert tag["entry"] is None
    assert {(item["id"], item["direction"]) for item in tag["neighbors"]} == {
        ("feedback/prose", "in"),
        ("feedback/tables", "in"),
    }


@pytest.mark.parametrize("id_", ["user/nobody", "", 5, None, NOTHING, ["user/me"]])
async def test_a_node_that_is_none(client: Local, memory: Path, id_: Wire) -> None:
    error = await refusal(client, "memory/node", {} if id_ is NOTHING else {"id": id_})
    assert error.code == -32602
    assert error.message.startswith("id: ")


async def test_stats(client: Local, memory: Path) -> None:
    answer = await client.request("memory/stats")
    assert (answer["notes"], answer["vectors"], answer["dims"], answer["danglingLinks"]) == (4, 0, None, 1)
    assert answer["nodes"] == 5
    assert answer["embedder"]["available"] is False
    assert answer["embedder"]["state"] == "off"


async def test_a_rebuild_takes_what_changed_unseen(client: Local, memory: Path) -> None:
    assert (await client.request("memory/stats"))["notes"] == 4
    client.server.watcher.stop()
    write(memory / "user", other="new")
    assert (await client.request("memory/rebuild"))["notes"] == 5


async def test_a_vault_gets_its_sidecar_only_on_request(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="text [[b]]", b="text")
    await client.initialize(tmp_path)
    await client.request("memory/retrieve", {"query": "text"})
    await client.quiet()
    assert not (tmp_path / ".graph").exists()
    await client.request("memory/rebuild")
    assert (tmp_path / ".graph/graph.json").is_file()
    assert (tmp_path / ".graph/.gitignore").read_text(encoding="utf-8").strip() == "*"


async def test_what_is_typed_is_found_before_it_is_saved(client: Local, memory: Path) -> None:
    uri = await client.opened(memory, "user/me.md")
    client.change(uri, "---\nname: me\n---\nzebras")
    assert ids(await client.request("memory/retrieve", {"query": "zebras"})) == ["user/me"]
    client.close(uri)
    answer = await client.request("memory/retrieve", {"query": "zebras"})
    assert answer["results"] == []
