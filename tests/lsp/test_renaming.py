"""Rename, references and file operations over the protocol, for clients of different means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fixtures import Vault, parse_vault
from peer import Refused, write

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local

FULL = {
    "workspace": {
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": ["create", "rename", "delete"],
            "changeAnnotationSupport": {},
        },
        # A folder that moves below another makes watchdog warn; this client watches itself.
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "fileOperations": {"willRename": True, "didRename": True, "didCreate": True, "didDelete": True},
    },
    "textDocument": {"rename": {"prepareSupport": True, "honorsChangeAnnotations": True}},
}
VERSIONED = {"workspace": {"workspaceEdit": {"documentChanges": True}}}
SOURCE = """
    /old.md
    ---
    name: old
    ---
    # Old
    [[old]]
    /a.md
    🦊 [[ol$0d|🦊]] [x](old.md)
"""


async def begun(client: Local, folder: Path, source: str, capabilities: dict[str, Any]) -> dict[str, Any]:
    """Write a vault and start on it; return the params of a request at the mark."""
    vault = parse_vault(source)
    vault.write(folder)
    await client.initialize(folder, capabilities=capabilities)
    path, offset = vault.cursor
    before = vault.texts[path][:offset]
    column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    position = {"line": before.count("\n"), "character": column}
    return {"textDocument": {"uri": (folder / path).as_uri()}, "position": position}


async def test_a_client_that_can_gets_annotated_versioned_changes_and_the_file_rename(
    client: Local, tmp_path: Path
) -> None:
    params = await begun(client, tmp_path, SOURCE, FULL)
    client.open((tmp_path / "a.md").as_uri(), (tmp_path / "a.md").read_text(), 4)
    edit = await client.request("textDocument/rename", params | {"newName": "new"})
    (annotation,) = edit["changeAnnotations"]
    assert edit["changeAnnotations"][annotation]["label"] == "Rename “old” to “new”"
    assert "changes" not in edit
    in_a, renamed, in_new = edit["documentChanges"]
    new_uri = (tmp_path / "new.md").as_uri()
    assert renamed == {
        "kind": "rename", "oldUri": (tmp_path / "old.md").as_uri(), "newUri": new_uri, "annotationId": annotation,
    }  # fmt: skip
    assert in_a["textDocument"] == {"uri": params["textDocument"]["uri"], "version": 4}
    assert in_a["edits"] == [
        {"range": _range(0, 5, 8), "newText": "new", "annotationId": annotation},
        {"range": _range(0, 18, 21), "newText": "new", "annotationId": annotation},
    ]
    assert in_new["textDocument"] == {"uri": new_uri, "version": None}
    assert [item["newText"] for item in in_new["edits"]] == ["new", "new"]


async def test_lsp_mode_edits_the_renamed_note_before_its_file_moves(client: Local, tmp_path: Path) -> None:
    vault = parse_vault(SOURCE)
    vault.write(tmp_path)
    await client.initialize(tmp_path, capabilities=FULL, clientInfo={"name": "emacs", "version": "GNU Emacs 28.2"})
    position = {"line": 1, "character": 7}
    params = {"textDocument": {"uri": (tmp_path / "old.md").as_uri()}, "position": position, "newName": "new"}
    edit = await client.request("textDocument/rename", params)
    kinds = [change.get("kind", "edit") for change in edit["documentChanges"]]
    assert kinds == ["edit", "edit", "rename"]
    edited = [change["textDocument"]["uri"].rpartition("/")[2] for change in edit["documentChanges"][:2]]
    assert edited == ["a.md", "old.md"]


async def test_a_client_without_file_renames_gets_text_changes_alone(client: Local, tmp_path: Path) -> None:
    params = await begun(client, tmp_path, SOURCE, VERSIONED)
    edit = await client.request("textDocument/rename", params | {"newName": "new"})
    assert "changeAnnotations" not in edit
    assert {change["textDocument"]["uri"].rpartition("/")[2] for change in edit["documentChanges"]} == {
        "a.md",
        "old.md",
    }
    assert all("annotationId" not in item for change in edit["documentChanges"] for item in change["edits"])


async def test_a_client_without_document_changes_gets_changes(client: Local, tmp_path: Path) -> None:
    params = await begun(client, tmp_path, SOURCE, {})
    edit = await client.request("textDocument/rename", params | {"newName": "new"})
    assert set(edit) == {"changes"}
    assert edit["changes"][(tmp_path / "a.md").as_uri()] == [{"range": _range(0, 5, 8), "newText": "new"}]


async def test_prepare_rename_shows_the_text_and_the_name(client: Local, tmp_path: Path) -> None:
    params = await begun(client, tmp_path, SOURCE, FULL)
    found = await client.request("textDocument/prepareRename", params)
    assert found == {"range": _range(0, 5, 8), "placeholder": "old"}
    assert client.capabilities["renameProvider"] == {"prepareProvider": True}
    nowhere = params | {"position": {"line": 0, "character": 0}}
    assert await client.request("textDocument/prepareRename", nowhere) is None


async def test_prepare_rename_is_offered_to_those_who_ask_for_it_only(client: Local, tmp_path: Path) -> None:
    await begun(client, tmp_path, SOURCE, {})
    assert client.capabilities["renameProvider"] is True


@pytest.mark.parametrize(
    ("source", "new", "reason"),
    [
        (SOURCE, "a[b", "cannot hold"),
        (SOURCE, "a", "already"),
        ("/a.md\npla$0in\n", "x", "nothing to rename"),
        ("/a.md\n![[p$0.png]]\n/p.png\n\n", "x", "no note"),
        ("/a.md\n[[b$0]]\n/b.md\nx\n", "c", "cannot rename files"),
    ],
)
async def test_a_refused_rename_says_why(client: Local, tmp_path: Path, source: str, new: str, reason: str) -> None:
    params = await begun(client, tmp_path, source, VERSIONED)
    with pytest.raises(Refused, match=reason) as refused:
        await client.request("textDocument/rename", params | {"newName": new})
    assert refused.value.code == -32803
    assert refused.value.data is None


async def test_unsaved_text_counts_in_a_rename(client: Local, tmp_path: Path) -> None:
    params = await begun(client, tmp_path, "/b.md\n# B$0\n/a.md\nx\n", FULL)
    client.open((tmp_path / "a.md").as_uri(), "\n\n[[b]]", 9)
    edit = await client.request("textDocument/rename", params | {"newName": "C"})
    change = next(change for change in edit["documentChanges"] if change.get("textDocument", {}).get("version") == 9)
    assert change["edits"][0]["range"] == {"start": {"line": 2, "character": 2}, "end": {"line": 2, "character": 3}}


async def test_references_and_highlights(client: Local, tmp_path: Path) -> None:
    params = await begun(client, tmp_path, SOURCE, {})
    asked = params | {"context": {"includeDeclaration": False}}
    found = await client.request("textDocument/references", asked)
    places = [(item["uri"].rpartition("/")[2], item["range"]["start"]["line"]) for item in found]
    assert places == [("a.md", 0), ("a.md", 0), ("old.md", 4)]
    asked = params | {"context": {"includeDeclaration": True}}
    assert len(await client.request("textDocument/references", asked)) == 4
    found = await client.request("textDocument/documentHighlight", params)
    assert found == [{"range": _range(0, 3, 13), "kind": 2}, {"range": _range(0, 18, 24), "kind": 2}]


async def test_files_that_will_be_renamed_and_were(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[topic/b]] [x](topic/b.md) ![](topic/p.png)")
    Vault({"topic/b.md": "[a](../a.md)", "topic/p.png": ""}).write(tmp_path)
    await client.initialize(tmp_path, capabilities=FULL)
    operations = client.capabilities["workspace"]["fileOperations"]
    assert set(operations) == {"willRename", "didRename", "didCreate", "didDelete"}
    uri = (tmp_path / "a.md").as_uri()
    client.open(uri, (tmp_path / "a.md").read_text(), 2)
    files = {"files": [{"oldUri": (tmp_path / "topic").as_uri(), "newUri": (tmp_path / "x/y").as_uri()}]}
    edit = await client.request("workspace/willRenameFiles", files)
    texts = {
        change["textDocument"]["uri"]: [e["newText"] for e in change["edits"]] for change in edit["documentChanges"]
    }
    assert texts == {
        uri: ["x/y/b", "x/y/b", "x/y/p.png"],
        (tmp_path / "topic/b.md").as_uri(): ["../a"],
    }
    client.change(uri, "[[x/y/b]] [x](x/y/b.md) ![](x/y/p.png)", 3)
    (tmp_path / "x").mkdir()
    (tmp_path / "topic").rename(tmp_path / "x/y")
    client.notify("workspace/didRenameFiles", files)
    await client.shows(uri)
    (memory,) = client.server.session.memories
    assert set(memory.directory.snapshot.notes) == {"a.md", "x/y/b.md"}
    assert memory.directory.snapshot.names.files == {"x/y/p.png"}


async def test_a_rename_that_is_being_applied_is_not_answered_twice(client: Local, tmp_path: Path) -> None:
    params = await begun(client, tmp_path, SOURCE, FULL)
    moves = {"files": [{"oldUri": (tmp_path / "old.md").as_uri(), "newUri": (tmp_path / "new.md").as_uri()}]}
    await client.request("textDocument/rename", params | {"newName": "new"})
    # Nothing is applied: somebody moves the file in the file list, and `[x](old.md)` has to follow.
    edit = await client.request("workspace/willRenameFiles", moves)
    assert [change["textDocument"]["uri"].rpartition("/")[2] for change in edit["documentChanges"]] == ["a.md"]
    # The other notes are edited, so this is the edit that is being applied; the renamed note's own text comes last.
    client.open((tmp_path / "a.md").as_uri(), "🦊 [[new|🦊]] [x](new.md)\n")
    assert await client.request("workspace/willRenameFiles", moves) is None


async def test_a_rename_of_a_note_that_nothing_links_is_not_answered_twice(client: Local, tmp_path: Path) -> None:
    params = await begun(client, tmp_path, "/old.md\n# Old$0\n[[old]]\n", FULL)
    moves = {"files": [{"oldUri": (tmp_path / "old.md").as_uri(), "newUri": (tmp_path / "new.md").as_uri()}]}
    assert await client.request("workspace/willRenameFiles", moves) is not None
    await client.request("textDocument/rename", params | {"newName": "New"})
    assert await client.request("workspace/willRenameFiles", moves) is None
    assert await client.request("workspace/willRenameFiles", moves) is not None


async def test_a_file_that_nothing_names_moves_without_edits(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="x", b="y")
    await client.initialize(tmp_path, capabilities=FULL)
    moves = [{"oldUri": (tmp_path / "a.md").as_uri(), "newUri": (tmp_path / "c.md").as_uri()}]
    assert await client.request("workspace/willRenameFiles", {"files": moves}) is None
    outside = [{"oldUri": (tmp_path / "a.md").as_uri(), "newUri": "untitled:x"}]
    assert await client.request("workspace/willRenameFiles", {"files": outside}) is None


async def test_files_that_were_created_and_deleted(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]")
    await client.initialize(tmp_path, capabilities=FULL)
    uri = (tmp_path / "a.md").as_uri()
    await client.shows(uri, "dangling-link")
    write(tmp_path, b="x")
    client.notify("workspace/didCreateFiles", {"files": [{"uri": (tmp_path / "b.md").as_uri()}]})
    await client.shows(uri)
    (tmp_path / "b.md").unlink()
    client.notify("workspace/didDeleteFiles", {"files": [{"uri": (tmp_path / "b.md").as_uri()}]})
    await client.shows(uri, "dangling-link")


def _range(line: int, start: int, end: int) -> dict[str, Any]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
