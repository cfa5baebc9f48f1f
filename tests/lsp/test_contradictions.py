"""Contradictions over the protocol: reported on both notes once there are vectors, and gone with their cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from local import Local
from peer import put

if TYPE_CHECKING:
    from pathlib import Path

    from peer import Json

CODE = "possible-contradiction"
FIFTY = "---\nname: page-size\ndescription: How long lists are\n---\n\nList endpoints return 50 items a page. Fixed.\n"
MANY = "---\nname: paging\ndescription: About lists\n---\n\nIntro.\n\nList endpoints return 200 items a page.\n"
RELATED = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(tmp_path / "project" / "a.md", FIFTY)
    put(tmp_path / "project" / "b.md", MANY)
    return tmp_path


async def embed(client: Local) -> None:
    """Give every saved note a vector, all near each other, as the model would; wait until all is compared."""
    await client.quiet()
    (memory,) = client.server.session.memories
    saved = memory.directory.saved()
    pairs = [(id_, saved.notes[path].hash) for path, id_ in saved.ids.items()]
    matrix = np.tile(np.array([0.6, 0.8], dtype=np.float32), (len(pairs), 1))
    memory.index.take([id_ for id_, _ in pairs], [hash_ for _, hash_ in pairs], matrix)
    memory.indexer.request(())
    await client.quiet()


def reported(client: Local, folder: Path, path: str) -> list[Json]:
    shown = client.diagnostics.get((folder / path).as_uri(), [])
    return [item for item in shown if item["code"] == CODE]


async def test_both_notes_show_the_sentence_and_lead_to_the_other(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=RELATED)
    await client.quiet()
    assert not reported(client, folder, "project/a.md")  # nothing is near without vectors
    await embed(client)
    (one,), (other,) = (reported(client, folder, path) for path in ("project/a.md", "project/b.md"))
    assert one["severity"] == 3
    assert one["range"] == {"start": {"line": 5, "character": 0}, "end": {"line": 5, "character": 38}}
    assert "“paging”" in one["message"]
    assert "200 items" in one["message"]
    (there,) = one["relatedInformation"]
    assert there["location"] == {"uri": (folder / "project/b.md").as_uri(), "range": other["range"]}
    assert other["relatedInformation"][0]["location"]["range"] == one["range"]


async def test_it_goes_as_the_sentence_is_typed_over_and_follows_it_when_moved(client: Local, folder: Path) -> None:
    await client.initialize(folder)
    uri = await client.opened(folder, "project/a.md")
    await embed(client)
    client.change(uri, FIFTY.replace("Fixed", "Fixed by hand").replace("\n\nList", "\n\nA line.\n\nList"), 2)
    await client.quiet()
    assert reported(client, folder, "project/a.md")[0]["range"]["start"] == {"line": 7, "character": 0}
    client.change(uri, FIFTY.replace("50", "200"), 3)
    await client.quiet()
    assert not reported(client, folder, "project/a.md")
    assert not reported(client, folder, "project/b.md")


async def test_a_saved_note_is_compared_again(client: Local, folder: Path) -> None:
    put(folder / "project" / "a.md", FIFTY.replace("50", "200"))
    await client.initialize(folder)
    await embed(client)
    assert not reported(client, folder, "project/b.md")
    put(folder / "project" / "a.md", FIFTY)
    client.saw((folder / "project" / "a.md", 2))
    await embed(client)
    assert reported(client, folder, "project/b.md")


@pytest.mark.parametrize("key", ["supersedes", "superseded_by", "contradicts"])
async def test_a_pair_that_says_how_it_stands_is_not_reported(client: Local, folder: Path, key: str) -> None:
    await client.initialize(folder)
    uri = await client.opened(folder, "project/a.md")
    await embed(client)
    client.change(uri, FIFTY.replace("---\n\n", f"{key}: [paging]\n---\n\n"), 2)
    await client.quiet()
    assert not reported(client, folder, "project/a.md")
    assert not reported(client, folder, "project/b.md")


async def test_the_setting_switches_it_off(client: Local, folder: Path) -> None:
    await client.initialize(folder, options={"embedding": {"backend": "none"}, "contradictions": {"detect": False}})
    await embed(client)
    assert not reported(client, folder, "project/a.md")


async def test_clients_that_ask_are_told_to_ask_again(client: Local, folder: Path) -> None:
    capabilities = {
        "textDocument": {"diagnostic": {}},
        "workspace": {"diagnostics": {"refreshSupport": True}},
    }
    await client.initialize(folder, capabilities=capabilities)
    await client.quiet()
    params = {"textDocument": {"uri": (folder / "project/b.md").as_uri()}}
    before = await client.request("textDocument/diagnostic", params)
    await embed(client)
    await client.until(lambda: client.sent("workspace/diagnostic/refresh"))
    after = await client.request("textDocument/diagnostic", params)
    assert [item["code"] for item in before["items"]] == []
    assert [item["code"] for item in after["items"]] == [CODE]


async def test_the_fixes_over_the_protocol(client: Local, folder: Path) -> None:
    able = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
    await client.initialize(folder, capabilities={"textDocument": {"codeAction": able}})
    uri = await client.opened(folder, "project/a.md")
    await embed(client)
    place = reported(client, folder, "project/a.md")[0]
    offered = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": uri},
            "range": {"start": place["range"]["start"], "end": place["range"]["start"]},
            "context": {"diagnostics": [place], "only": ["quickfix"]},
        },
    )
    assert [action["title"] for action in offered] == [
        "This note supersedes “paging”",
        "“paging” supersedes this note",
        "Mark as contradicting “paging”",
        "Both are right",
    ]
    (edits,) = offered[2]["edit"]["changes"].values()
    assert edits[0]["newText"] == "contradicts: [paging]\n"


async def test_a_restart_shows_them_before_anything_is_compared(
    client: Local, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / ".graph").mkdir()
    await client.initialize(folder)
    await embed(client)
    before = reported(client, folder, "project/a.md")
    await client.server.stop()
    assert (folder / ".graph" / "contradictions").is_file()
    monkeypatch.setattr("memory_lsp.contradictions.compare", None)
    again = Local()
    await again.initialize(folder)
    await again.quiet()
    assert reported(again, folder, "project/a.md") == before != []
    await again.server.stop()
