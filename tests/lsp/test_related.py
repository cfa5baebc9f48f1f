"""`memory/related`: what the memory knows about a place in a note, in code, in nothing that it knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from memory_lsp.core.place import query_at, telling_parts
from peer import Refused, put

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local
    from peer import Json

CODE = '''"""Reports."""


def render_comparison(options):
    # draw a table that compares the options
    lines = []
    return lines
'''


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    put(tmp_path / "memory/MEMORY.md", "# Memory\n")
    put(
        tmp_path / "memory/feedback/tables.md",
        "---\nname: tables\ndescription: Compare options in a markdown table\ntags: [style]\n---\n\nNot in prose.\n",
    )
    put(tmp_path / "memory/user/brevity.md", "---\nname: brevity\ndescription: Short answers\ntags: [style]\n---\n")
    put(
        tmp_path / "memory/project/ferry.md",
        "---\nname: ferry\ndescription: Boats leave at noon\n---\n\nSee [[tables]].\n",
    )
    put(tmp_path / "src/report.py", CODE)
    put(tmp_path / "src/noise.c", "int main(void) { return 0; }\n")
    return tmp_path


def at(path: Path, line: int, **more: object) -> Json:
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": 0}} | more


async def test_a_note_is_related_to_what_it_is_linked_and_tagged_with(client: Local, workspace: Path) -> None:
    await client.initialize(workspace)
    answer = await client.request("memory/related", at(workspace / "memory/feedback/tables.md", 0))
    assert [(item["name"], [step["id"] for step in item["path"]]) for item in answer["results"]] == [
        ("ferry", ["feedback/tables", "project/ferry"]),
        ("brevity", ["feedback/tables", "tag:style", "user/brevity"]),
    ]
    assert answer["results"][1]["via"] == {"from": "tag:style", "edgeKind": "HasTag"}


async def test_types_and_limit_hold(client: Local, workspace: Path) -> None:
    await client.initialize(workspace)
    note = workspace / "memory/feedback/tables.md"
    answer = await client.request("memory/related", at(note, 0, types=["user"]))
    assert [item["name"] for item in answer["results"]] == ["brevity"]
    assert len((await client.request("memory/related", at(note, 0, limit=1)))["results"]) == 1


async def test_without_a_model_code_is_met_with_silence(client: Local, workspace: Path) -> None:
    await client.initialize(workspace)
    answer = await client.request("memory/related", at(workspace / "src/report.py", 4))
    assert (answer["results"], answer["isIncomplete"]) == ([], True)


@pytest.mark.model
async def test_code_finds_the_note_it_is_about_and_noise_finds_none(client: Local, workspace: Path) -> None:
    await client.initialize(workspace, options={})
    await client.quiet()
    answer = await client.request("memory/related", at(workspace / "src/report.py", 4))
    assert answer["results"][0]["name"] == "tables"
    assert (await client.request("memory/related", at(workspace / "src/noise.c", 0)))["results"] == []
    # The editor's text counts where it is sent: only what it holds is read.
    sent = at(workspace / "src/noise.c", 41, text="// boats that leave at noon", firstLine=41)
    assert (await client.request("memory/related", sent))["results"][0]["name"] == "ferry"


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({}, "textDocument"),
        ({"textDocument": {"uri": 4}}, "textDocument"),
        ({"textDocument": {"uri": "file:///x.py"}, "position": {"line": -1}}, "position"),
        ({"textDocument": {"uri": "file:///x.py"}, "range": []}, "range"),
        ({"textDocument": {"uri": "file:///x.py"}, "range": {"start": {"line": 0}}}, "range.end"),
        ({"textDocument": {"uri": "file:///x.py"}, "limit": 0}, "limit"),
        ({"textDocument": {"uri": "file:///x.py"}, "text": 4}, "text"),
    ],
)
async def test_a_bad_value_is_named(client: Local, workspace: Path, params: Json, named: str) -> None:
    await client.initialize(workspace)
    with pytest.raises(Refused) as refused:
        await client.request("memory/related", params)
    assert refused.value.code == -32602
    assert refused.value.message.startswith(f"{named}:")


def test_a_place_in_code_is_described_by_what_stands_above_it() -> None:
    lines = [
        "# noise",
        "def migrate(db):",
        "    # change the departures table",
        "    x = 1",
        *["    y = 2"] * 9,
        "    z = 3",
    ]
    query = query_at("/home/me/src/db_tools/harbourCodes.py", lines, 13, 13)
    assert query.startswith("db tools harbour codes change the departures table def migrate(db):")


def test_a_selection_is_taken_alone() -> None:
    assert query_at("a.md", ["one", "two", "three", "four"], 1, 2) == "two three"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/home/me/repo/src/main.py", ""),
        ("/x/billing/InvoiceTotals.ts", "billing invoice totals"),
        ("/x/y/rate-limits.go", "rate limits"),
    ],
)
def test_only_telling_parts_of_a_path_count(path: str, words: str) -> None:
    assert telling_parts(path).removeprefix("me ") == words
