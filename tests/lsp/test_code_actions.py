"""Code actions over the protocol: for whom, of which kinds, when their edits are made, and what they look like."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
from peer import Refused, put

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local
    from peer import Json

LITERALS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
LAZY = {**LITERALS, "isPreferredSupport": True, "dataSupport": True, "resolveSupport": {"properties": ["edit"]}}
EDITS = {"documentChanges": True, "resourceOperations": ["create"], "changeAnnotationSupport": {}}
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
NOTES = {
    "a.md": "---\nname: a\ndescription: d: e\n---\n\n🗺 [[B c]] and [[gone]] text\n",
    "b-c.md": "---\nname: b-c\ndescription: d\n---\n# B\n",
    "MEMORY.md": "# Index\n\n- [a](a.md)\n- [b-c](b-c.md)\n",
}


def able(action: Json, edit: Json | None = None) -> Json:
    return {"textDocument": {"codeAction": action}, "workspace": {"workspaceEdit": edit or {}}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in NOTES.items():
        put(tmp_path / path, text)
    return tmp_path


async def ask(
    client: Local,
    folder: Path,
    path: str,
    start: tuple[int, int],
    end: tuple[int, int] | None = None,
    **context: object,
) -> list[Json] | None:
    places = [{"line": line, "character": character} for line, character in (start, end or start)]
    answer: list[Json] | None = await client.request(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": (folder / path).as_uri()},
            "range": {"start": places[0], "end": places[1]},
            "context": {"diagnostics": [], **context},
        },
    )
    return answer


async def titled(client: Local, folder: Path, title: str, *where: object, **context: object) -> Json:
    offered = await ask(client, folder, *where, **context)  # type: ignore[arg-type]  # a shorthand of tests
    assert offered is not None
    (action,) = [action for action in offered if action["title"] == title]
    return action


async def test_a_client_that_knows_no_code_actions_is_offered_none(client: Local, folder: Path) -> None:
    result = await client.initialize(folder, capabilities={"textDocument": {"codeAction": {}}})
    assert "codeActionProvider" not in result["capabilities"]


async def test_what_is_advertised_follows_what_the_client_can(client: Local, folder: Path) -> None:
    result = await client.initialize(folder, capabilities=able(LAZY))
    assert result["capabilities"]["codeActionProvider"] == {
        "codeActionKinds": ["quickfix", "refactor.extract", "refactor.rewrite", "source.fixAll.memory"],
        "resolveProvider": True,
    }


async def test_edits_are_inline_for_a_client_that_does_not_resolve(client: Local, folder: Path) -> None:
    result = await client.initialize(folder, capabilities=able(LITERALS))
    assert "resolveProvider" not in result["capabilities"]["codeActionProvider"]
    action = await titled(client, folder, "Write the link as “b-c”", "a.md", (5, 6))
    (edits,) = action["edit"]["changes"].values()
    assert edits == [
        {"range": {"start": {"line": 5, "character": 5}, "end": {"line": 5, "character": 8}}, "newText": "b-c"}
    ]
    assert "isPreferred" not in action and "data" not in action


async def test_edits_are_made_when_they_are_wanted(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    client.open((folder / "a.md").as_uri(), NOTES["a.md"], 7)
    action = await titled(client, folder, "Write the link as “b-c”", "a.md", (5, 6))
    assert action["isPreferred"] is True and "edit" not in action
    resolved = await client.request("codeAction/resolve", action)
    (change,) = resolved["edit"]["documentChanges"]
    assert change["textDocument"]["version"] == 7
    assert [edit["newText"] for edit in change["edits"]] == ["b-c"]
    assert {**resolved, "edit": None} == {**action, "edit": None}


async def test_an_action_of_an_older_text_is_refused(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    uri = (folder / "a.md").as_uri()
    client.open(uri, NOTES["a.md"])
    action = await titled(client, folder, "Write the link as “b-c”", "a.md", (5, 6))
    client.change(uri, "\n" + NOTES["a.md"])
    with pytest.raises(Refused) as refused:
        await client.request("codeAction/resolve", action)
    assert refused.value.code == -32801 and "Ask again" in refused.value.message


async def test_an_action_that_another_note_made_pointless_is_refused(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    action = await titled(client, folder, "Create gone.md and list it in MEMORY.md", "a.md", (5, 16))
    put(folder / "gone.md", "x")
    client.saw((folder / "gone.md", 1))
    with pytest.raises(Refused, match="-32801"):
        await client.request("codeAction/resolve", action)


@pytest.mark.parametrize("data", [None, {}, {"uri": 1}, {"uri": "file:///x.md", "text": "", "start": "0"}])
async def test_data_that_is_not_ours_is_a_bad_value(client: Local, folder: Path, data: object) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    with pytest.raises(Refused, match="-32602"):
        await client.request("codeAction/resolve", {"title": "x", "kind": "quickfix", "data": data})


async def test_a_file_is_created_only_where_the_client_can(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, {"documentChanges": True}))
    offered = await ask(client, folder, "a.md", (5, 16))
    assert offered is not None and not any("Create" in action["title"] for action in offered)


@pytest.mark.parametrize("honors", [True, False])
async def test_a_created_note_comes_with_its_text_and_its_entry(client: Local, folder: Path, honors: bool) -> None:
    await client.initialize(folder, capabilities=able({**LAZY, "honorsChangeAnnotations": honors}, EDITS))
    action = await titled(client, folder, "Create gone.md and list it in MEMORY.md", "a.md", (5, 16))
    edit = (await client.request("codeAction/resolve", action))["edit"]
    create, text, entry = edit["documentChanges"]
    assert (create["kind"], create["uri"]) == ("create", (folder / "gone.md").as_uri())
    assert text["edits"][0]["newText"] == "---\nname: gone\ndescription:\n---\n"
    assert entry["edits"][0]["newText"] == "\n- [gone](gone.md)"
    assert ("changeAnnotations" in edit) == honors
    assert not (folder / "gone.md").exists()


async def test_neovim_names_the_operations_alone(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, {"resourceOperations": ["rename", "create", "delete"]}))
    action = await titled(client, folder, "Create gone.md and list it in MEMORY.md", "a.md", (5, 16))
    assert "documentChanges" in (await client.request("codeAction/resolve", action))["edit"]


async def kinds(
    client: Local, folder: Path, start: tuple[int, int], end: tuple[int, int], **context: object
) -> set[str]:
    offered = await ask(client, folder, "a.md", start, end, **context)
    return {action["kind"] for action in offered or []}


async def test_only_the_kinds_that_are_asked_for(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    start, end = (5, 3), (5, 30)
    everything = {"quickfix", "refactor.extract"}
    assert await kinds(client, folder, start, end) == everything
    assert await kinds(client, folder, start, end, only=["refactor"]) == {"refactor.extract"}
    assert await kinds(client, folder, start, end, only=["refactor.extract"]) == {"refactor.extract"}
    assert await kinds(client, folder, start, end, only=["refactor.ext"]) == set()
    assert await kinds(client, folder, start, end, only=["source.fixAll"]) == {"source.fixAll.memory"}
    assert await kinds(client, folder, start, end, only=["source"]) == {"source.fixAll.memory"}
    assert await kinds(client, folder, start, end, only=["source.organizeImports"]) == set()
    assert await kinds(client, folder, start, end, only=[""]) == everything


async def test_what_the_editor_asks_by_itself_is_answered_with_fixes(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    cursor = (5, 6)
    assert await kinds(client, folder, cursor, cursor, triggerKind=2) == {"quickfix"}
    assert await kinds(client, folder, cursor, cursor, triggerKind=1) == {"quickfix", "refactor.rewrite"}


async def test_fix_all_is_one_edit_of_the_document(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    (action,) = await ask(client, folder, "a.md", (0, 0), only=["source.fixAll.memory"]) or []
    resolved = await client.request("codeAction/resolve", action)
    (change,) = resolved["edit"]["documentChanges"]
    assert [edit["newText"] for edit in change["edits"]] == ['"d: e"', "b-"]
    assert await ask(client, folder, "b-c.md", (0, 0), only=["source.fixAll"]) == []


async def test_a_fix_names_its_diagnostic_also_from_elsewhere_on_the_line(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    uri = await client.opened(folder, "a.md")
    shown = [item for item in client.diagnostics[uri] if item["code"] == "dangling-link"]
    action = await titled(
        client, folder, "Allow dangling-link on this line", "a.md", (5, 27), diagnostics=copy.deepcopy(shown)
    )
    assert action["diagnostics"] == shown
    beside = await ask(client, folder, "a.md", (5, 27))
    assert beside == []


async def test_a_code_that_is_off_is_not_fixed(client: Local, folder: Path) -> None:
    options = {"embedding": {"backend": "none"}, "diagnostics": {"inexact-link": "off"}}
    await client.initialize(folder, capabilities=able(LAZY, EDITS), options=options)
    offered = await ask(client, folder, "a.md", (5, 6), only=["quickfix"])
    assert offered == []
    (action,) = await ask(client, folder, "a.md", (0, 0), only=["source.fixAll"]) or []
    (change,) = (await client.request("codeAction/resolve", action))["edit"]["documentChanges"]
    assert [edit["newText"] for edit in change["edits"]] == ['"d: e"']


async def test_a_secret_is_in_no_answer(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    put(folder / "s.md", f"key {TOKEN} [[{TOKEN}]]\n")
    client.saw((folder / "s.md", 1))
    offered = await ask(client, folder, "s.md", (0, 0), (0, 40))
    assert offered and TOKEN not in repr(offered)
    action = next(action for action in offered if "REDACTED" in action["title"])
    resolved = await client.request("codeAction/resolve", action)
    assert TOKEN not in repr(resolved) and "${REDACTED_GITHUB_TOKEN}" in repr(resolved["edit"])


async def test_a_document_that_is_no_note_has_none(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=able(LAZY, EDITS))
    assert await ask(client, folder, "absent.txt", (0, 0)) is None
