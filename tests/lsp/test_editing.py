"""The editing features over the protocol: what they answer to clients of different ability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from peer import put

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local
    from peer import Json, Wire

NOTES = {
    "here.md": "# Here\n\n🗺 [[the]] and [[nowhere]]\n\n## Part\n\ntext\n",
    "project/there.md": "---\nname: there\ndescription: Another note\ntags: [x]\n---\n\n# There\n\nBack to [[here]].\n",
    "user/newer.md": "---\nname: newer\nsupersedes: [there]\n---\n\nReplaces it.\n",
}
COMPLETION = {"textDocument": {"completion": {"completionItem": {"labelDetailsSupport": True}}}}
PULL = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        put(tmp_path / path, text)
    return tmp_path


def at(folder: Path, path: str, line: int, character: int) -> Json:
    return {"textDocument": {"uri": (folder / path).as_uri()}, "position": {"line": line, "character": character}}


def document(folder: Path, path: str) -> Json:
    return {"textDocument": {"uri": (folder / path).as_uri()}}


async def test_completion_replaces_what_is_in_the_brackets(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=COMPLETION)
    found = await client.request("textDocument/completion", at(folder, "here.md", 2, 8))
    (item,) = [item for item in found["items"] if item["label"] == "there"]
    assert item["textEdit"]["newText"] == "there"
    assert item["textEdit"]["range"] == {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 8}}
    assert item["labelDetails"] == {"detail": " project", "description": "Another note"}
    assert "documentation" not in item
    resolved = await client.request("completionItem/resolve", item)
    assert "Back to" in resolved["documentation"]["value"]


async def test_clients_without_label_details_see_the_detail(client: Local, folder: Path) -> None:
    await client.initialize(folder)
    found = await client.request("textDocument/completion", at(folder, "here.md", 2, 8))
    (item,) = [item for item in found["items"] if item["label"] == "there"]
    assert "labelDetails" not in item
    assert item["detail"] == "project · Another note"


async def test_completion_outside_links_is_nothing(client: Local, folder: Path) -> None:
    await client.initialize(folder)
    assert await client.request("textDocument/completion", at(folder, "here.md", 6, 2)) is None


async def test_a_completion_is_for_the_text_of_its_moment(client: Local, folder: Path) -> None:
    await client.initialize(folder)
    uri = await client.opened(folder, "here.md")
    client.change(uri, "See [[]]", 2)
    _, answer = client.ask("textDocument/completion", at(folder, "here.md", 0, 6))
    # Typing goes on before the answer is there.
    client.change(uri, "See [[th]]", 3)
    (item,) = [item for item in (await answer)["result"]["items"] if item["label"] == "there"]
    place = {"line": 0, "character": 6}
    assert item["textEdit"]["range"] == {"start": place, "end": place}


async def test_nothing_goes_wrong_unseen_while_typing(
    client: Local, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await client.initialize(folder)
    uri = await client.opened(folder, "here.md")
    client.change(uri, "See [[the]]", 2)
    client.save(uri)
    client.close(uri)
    assert [record.getMessage() for record in caplog.records if record.levelname in ("ERROR", "WARNING")] == []


async def test_document_symbols_are_a_tree_where_the_client_shows_one(client: Local, folder: Path) -> None:
    capability = {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}}
    await client.initialize(folder, capabilities=capability)
    (root,) = await client.request("textDocument/documentSymbol", document(folder, "here.md"))
    assert (root["name"], [child["name"] for child in root["children"]]) == ("Here", ["Part"])
    assert root["selectionRange"]["end"] == {"line": 0, "character": 6}


async def test_document_symbols_are_flat_otherwise(client: Local, folder: Path) -> None:
    await client.initialize(folder)
    found = await client.request("textDocument/documentSymbol", document(folder, "here.md"))
    assert [(item["name"], item["location"]["range"]["start"]["line"]) for item in found] == [("Here", 0), ("Part", 4)]


async def test_workspace_symbols_name_their_note(client: Local, folder: Path) -> None:
    await client.initialize(folder)
    (first, *_) = await client.request("workspace/symbol", {"query": "there"})
    assert (first["name"], first["location"]["uri"]) == ("there", (folder / "project/there.md").as_uri())


async def test_folds_and_selections(client: Local, folder: Path) -> None:
    await client.initialize(folder)
    folds = await client.request("textDocument/foldingRange", document(folder, "here.md"))
    assert [(fold["startLine"], fold["endLine"]) for fold in folds] == [(0, 6), (4, 6)]
    params = document(folder, "here.md") | {"positions": [{"line": 2, "character": 6}]}
    (grown,) = await client.request("textDocument/selectionRange", params)
    assert grown["range"] == {"start": {"line": 2, "character": 5}, "end": {"line": 2, "character": 8}}
    assert grown["parent"]["range"] == {"start": {"line": 2, "character": 3}, "end": {"line": 2, "character": 10}}


async def test_document_links_lead_to_notes_with_a_tooltip_where_shown(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities={"textDocument": {"documentLink": {"tooltipSupport": True}}})
    (link,) = await client.request("textDocument/documentLink", document(folder, "project/there.md"))
    assert link["target"] == (folder / "here.md").as_uri()
    assert link["tooltip"] == "here"
    assert link["range"]["start"] == {"line": 8, "character": 8}


async def test_code_lenses_get_their_text_when_resolved(client: Local, folder: Path) -> None:
    offered = {"experimental": {"commands": {"commands": ["memory.showLocations"]}}}
    await client.initialize(folder, capabilities=offered)
    lenses = await client.request("textDocument/codeLens", document(folder, "project/there.md"))
    assert all("command" not in lens for lens in lenses)
    resolved = [await client.request("codeLens/resolve", lens) for lens in lenses]
    titles = [lens["command"]["title"] for lens in resolved]
    assert titles == ["superseded by newer", "1 backlink", "2 related notes"]
    assert resolved[0]["command"]["command"] == "memory.showLocations"
    assert resolved[0]["command"]["arguments"][2][0]["uri"] == (folder / "user/newer.md").as_uri()


async def test_a_lens_is_text_for_clients_without_the_command(client: Local, folder: Path) -> None:
    await client.initialize(folder)
    lens, *_ = await client.request("textDocument/codeLens", document(folder, "project/there.md"))
    assert (await client.request("codeLens/resolve", lens))["command"]["command"] == ""


@pytest.mark.parametrize("wanted", [False, True])
async def test_inlay_hints_show_the_note_behind_a_link_where_wanted(client: Local, folder: Path, wanted: bool) -> None:
    put(folder / "linker.md", "See [[there]] and [[there|labelled]].\n")
    options: Wire = {"embedding": {"backend": "none"}, "inlayHints": {"links": wanted}}
    await client.initialize(folder, options=options)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    hints = await client.request("textDocument/inlayHint", document(folder, "linker.md") | {"range": whole})
    expected = [("project: Another note", {"line": 0, "character": 13})] if wanted else []
    assert [(hint["label"], hint["position"]) for hint in hints or ()] == expected


async def test_semantic_tokens_in_full_in_part_and_as_a_difference(client: Local, folder: Path) -> None:
    await client.initialize(folder)
    uri = (folder / "here.md").as_uri()
    client.open(uri, NOTES["here.md"])
    full = await client.request("textDocument/semanticTokens/full", document(folder, "here.md"))
    # Both links dangle: the one is only being typed.
    assert full["data"] == [2, 3, 7, 0, 2, 0, 12, 11, 0, 2]
    client.change(uri, NOTES["here.md"].replace("[[the]]", "[[newer]]"))
    params = document(folder, "here.md") | {"previousResultId": full["resultId"]}
    delta = await client.request("textDocument/semanticTokens/full/delta", params)
    data = list(full["data"])
    for edit in delta["edits"]:
        data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
    assert data == [2, 3, 9, 0, 0, 0, 14, 11, 0, 2]
    part = {"start": {"line": 2, "character": 16}, "end": {"line": 3, "character": 0}}
    some = await client.request("textDocument/semanticTokens/range", document(folder, "here.md") | {"range": part})
    assert some["data"] == [2, 17, 11, 0, 2]


async def test_a_client_that_asks_for_diagnostics_is_not_sent_any(client: Local, folder: Path) -> None:
    result = await client.initialize(folder, capabilities=PULL)
    assert result["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"] is True
    first = await client.request("textDocument/diagnostic", document(folder, "here.md"))
    assert {item["code"] for item in first["items"]} == {"dangling-link"}
    await client.quiet()
    assert all(params["diagnostics"] == [] for params in client.published)
    again = await client.request(
        "textDocument/diagnostic", document(folder, "here.md") | {"previousResultId": first["resultId"]}
    )
    assert (again["kind"], again["resultId"]) == ("unchanged", first["resultId"])


async def test_workspace_diagnostics_name_what_did_not_change(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=PULL)
    first = await client.request("workspace/diagnostic", {"previousResultIds": []})
    assert {item["kind"] for item in first["items"]} == {"full"}
    assert len(first["items"]) == len(NOTES)
    before = [{"uri": item["uri"], "value": item["resultId"]} for item in first["items"]]
    client.open((folder / "here.md").as_uri(), "no links\n", 5)
    second = await client.request("workspace/diagnostic", {"previousResultIds": before})
    changed = [item for item in second["items"] if item["kind"] == "full"]
    assert [(item["uri"], item["items"], item["version"]) for item in changed] == [
        ((folder / "here.md").as_uri(), [], 5)
    ]


async def test_the_client_is_told_to_ask_again_when_another_note_changes(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=PULL)
    first = await client.request("textDocument/diagnostic", document(folder, "here.md"))
    put(folder / "nowhere.md", "# Now it is\n")
    client.saw((folder / "nowhere.md", 1))
    await client.until(lambda: client.sent("workspace/diagnostic/refresh"))
    again = await client.request(
        "textDocument/diagnostic", document(folder, "here.md") | {"previousResultId": first["resultId"]}
    )
    assert len(again["items"]) == len(first["items"]) - 1


async def test_pull_is_not_advertised_to_clients_that_cannot_ask_again(client: Local, folder: Path) -> None:
    result = await client.initialize(folder, capabilities={"textDocument": {"diagnostic": {}}})
    assert "diagnosticProvider" not in result["capabilities"]


@pytest.mark.parametrize(
    ("text", "column", "closes"),
    [
        ("see [[", 6, True),
        ("see [[ and more", 6, True),
        ("see [[]]", 6, False),
        ("see [[name]]", 6, False),
        ("see [[ then [[x]]", 6, True),
        ("see [", 5, False),
        ("`[[", 3, True),
        ("`[[`", 3, False),
        ("    [[", 6, False),
    ],
)
async def test_an_opened_link_is_closed_while_typing(
    client: Local, folder: Path, text: str, column: int, closes: bool
) -> None:
    await client.initialize(folder)
    uri = (folder / "here.md").as_uri()
    client.open(uri, f"{text}\n")
    params = at(folder, "here.md", 0, column) | {"ch": "[", "options": {"tabSize": 4, "insertSpaces": True}}
    edits = await client.request("textDocument/onTypeFormatting", params)
    place = {"line": 0, "character": column}
    assert edits == ([{"range": {"start": place, "end": place}, "newText": "]]"}] if closes else None)
