"""Links in the comments of source files: what an editor shows of them, and what nobody else sees."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from memory_lsp.directory import MemoryDirectory, Scan
from peer import Refused, put, write

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local
    from peer import Wire

NOTE = "---\nname: no-mocks\ndescription: Tests run against the real thing\n---\n# No mocks\n\n## Why\n\nFakes lie.\n"
OPTIONS = {"embedding": {"backend": "none"}, "links": {"languages": ["python"]}}


def place(folder: Path) -> Path:
    """Write a workspace folder with a memory directory and return it."""
    write(folder / "memory", **{"no-mocks": NOTE, "MEMORY": "- [No mocks](no-mocks.md)\n"})
    return folder


async def opened(client: Local, folder: Path, text: str, *, options: Wire = OPTIONS, **more: Wire) -> str:
    """Start with a Python file that is open, and return its URI."""
    uri = put(place(folder) / "src" / "code.py", text)
    await client.initialize(folder, options=options, **more)
    client.open(uri, text, language="python")
    await client.quiet()
    return uri


def at(uri: str, line: int, character: int, **more: Wire) -> Wire:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}


def span(line: int, start: int, end: int) -> Wire:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


async def test_a_link_in_a_comment_leads_to_its_note(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "import os  # see [[no-mocks]] and [[no-mocks#Why]]\n")
    note = (tmp_path / "memory" / "no-mocks.md").as_uri()
    assert await client.definition(uri, 0, 20) == [{"uri": note, "range": span(4, 2, 10)}]
    assert [found["range"]["start"]["line"] for found in await client.definition(uri, 0, 36)] == [6]
    hover = await client.hover(uri, 0, 20)
    assert hover is not None
    assert "Tests run against the real thing" in hover["contents"]["value"]
    assert hover["range"] == span(0, 17, 29)
    links = await client.request("textDocument/documentLink", {"textDocument": {"uri": uri}})
    assert [(link["target"], link["range"]["start"]["character"]) for link in links] == [(note, 17), (note, 34)]


async def test_code_is_no_comment(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, 'x = "# [[no-mocks]]"\ny = [[nowhere]]\nz = 1  # [[no-mocks]]\n')
    assert await client.definition(uri, 0, 10) is None
    assert await client.hover(uri, 0, 10) is None
    assert await client.request("textDocument/references", at(uri, 0, 2, context={"includeDeclaration": True})) is None
    assert await client.definition(uri, 2, 12)
    assert client.codes(uri) == []


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
async def test_columns_behind_wide_characters(client: Local, tmp_path: Path, line_end: str) -> None:
    uri = await opened(
        client, tmp_path, line_end.join(('"""Module."""', "x = '😀'  # 😀 [[nowhere]] [[no-mocks]]", ""))
    )
    await client.shows(uri, "dangling-link")
    (found,) = client.diagnostics[uri]
    assert found["range"] == span(1, 15, 26)
    assert await client.definition(uri, 1, 30)
    hover = await client.hover(uri, 1, 30)
    assert hover is not None
    assert hover["range"] == span(1, 27, 39)


async def test_docstrings_count(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, 'def f():\n    """Does it, see [[no-mocks]]."""\n')
    assert await client.definition(uri, 1, 25)


async def test_what_is_wrong_with_a_link(client: Local, tmp_path: Path) -> None:
    write(tmp_path / "memory" / "a", twin="x")
    write(tmp_path / "memory" / "b", twin="y")
    write(tmp_path / "memory", newer="---\nname: newer\nsupersedes: no-mocks\n---\n")
    uri = await opened(client, tmp_path, "# [[nowhere]]\n# [[no-mocks#Gone]]\n# [[twin]]\n# [[No Mocks]]\n")
    await client.until(lambda: len(client.diagnostics.get(uri, ())) == 6)
    assert [(item["range"]["start"]["line"], item["code"]) for item in client.diagnostics[uri]] == [
        (0, "dangling-link"), (1, "dangling-anchor"), (1, "links-to-superseded"), (2, "ambiguous-link"),
        (3, "inexact-link"), (3, "links-to-superseded"),
    ]  # fmt: skip


async def test_diagnostics_follow_typing_and_notes(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[nowhere]]\n")
    await client.shows(uri, "dangling-link")
    assert client.published[-1]["version"] == 1
    client.change(uri, "# [[no-mocks]]\n", 2)
    await client.shows(uri)
    client.change(uri, "# [[planned]]\n", 3)
    await client.shows(uri, "dangling-link")
    planned = tmp_path / "memory" / "planned.md"
    put(planned, "# Planned\n")
    client.saw((planned, 1))
    await client.shows(uri)
    planned.unlink()
    client.saw((planned, 3))
    await client.shows(uri, "dangling-link")
    client.close(uri)
    assert client.diagnostics[uri] == []


async def test_nothing_happens_by_default(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[nowhere]] [[no-mocks]]\n", options={"embedding": {"backend": "none"}})
    assert uri not in client.diagnostics
    assert await client.definition(uri, 0, 20) is None
    assert await client.hover(uri, 0, 20) is None
    assert await client.request("textDocument/documentLink", {"textDocument": {"uri": uri}}) is None
    note = (tmp_path / "memory" / "no-mocks.md").as_uri()
    found = await client.request("textDocument/references", at(note, 4, 3, context={"includeDeclaration": False}))
    assert [item["uri"].rpartition("/")[2] for item in found] == ["MEMORY.md"]


async def test_switched_on_and_off_at_run_time(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[nowhere]] [[no-mocks]]\n", options={"embedding": {"backend": "none"}})
    for languages, codes in ((["python"], ["dangling-link"]), ([], []), (["*"], ["dangling-link"]), (["go"], [])):
        settings = {"memory": {"links": {"languages": languages}}}
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
        await client.shows(uri, *codes)
        assert bool(await client.definition(uri, 0, 20)) == bool(codes)


async def test_a_language_that_is_not_known_is_named(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path, options=OPTIONS | {"links": {"languages": ["python", "markdown"]}})
    await client.until(lambda: client.sent("window/showMessage"))
    assert "'markdown' has no comments we know" in client.sent("window/showMessage")[0]["message"]


async def test_a_comment_allows_a_finding(client: Local, tmp_path: Path) -> None:
    lines = ("# [[a]] memory-lsp: allow dangling-link", "# [[b]]", "x = 'memory-lsp: allow dangling-link'  # [[c]]")
    uri = await opened(client, tmp_path, "\n".join(lines))
    await client.shows(uri, "dangling-link", "dangling-link")
    assert [item["range"]["start"]["line"] for item in client.diagnostics[uri]] == [1, 2]


async def test_backlinks_list_open_source_files(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[no-mocks]]\n")
    note = (tmp_path / "memory" / "no-mocks.md").as_uri()
    question = at(note, 4, 3, context={"includeDeclaration": False})
    found = await client.request("textDocument/references", question)
    assert {"uri": uri, "range": span(0, 2, 14)} in found
    hover = await client.hover(note, 4, 3)
    assert hover is not None
    assert "code.py" in hover["contents"]["value"]
    lenses = await client.request("textDocument/codeLens", {"textDocument": {"uri": note}})
    resolved = [(await client.request("codeLens/resolve", lens))["command"]["title"] for lens in lenses]
    assert "2 backlinks" in resolved
    client.close(uri)
    assert [item["uri"] for item in await client.request("textDocument/references", question)] == [
        (tmp_path / "memory" / "MEMORY.md").as_uri()
    ]


CAPABLE = {
    "workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]}},
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
}


async def test_renaming_a_note_edits_open_source_files(client: Local, tmp_path: Path) -> None:
    text = "# 😀 [[no-mocks#Why|here]], [[nowhere]]\n"
    uri = await opened(client, tmp_path, text, capabilities=CAPABLE)
    note = (tmp_path / "memory" / "no-mocks.md").as_uri()
    edit = await client.request("textDocument/rename", at(note, 4, 3, newName="real things"))
    changes = [change for change in edit["documentChanges"] if change.get("textDocument", {}).get("uri") == uri]
    assert changes == [
        {
            "textDocument": {"uri": uri, "version": 1},
            "edits": [{"range": span(0, 7, 15), "newText": "real-things"}],
        }
    ]
    # An editor asks about the move that is part of the edit; what it said already is not said twice.
    client.change(uri, text.replace("no-mocks", "real-things"))
    moved = {"oldUri": note, "newUri": (tmp_path / "memory" / "real-things.md").as_uri()}
    index = (tmp_path / "memory" / "MEMORY.md").as_uri()
    client.open(index, "- [No mocks](real-things.md)\n")
    client.open((tmp_path / "memory" / "other.md").as_uri(), "[x](no-mocks.md)\n")
    assert await client.request("workspace/willRenameFiles", {"files": [moved]}) is None


async def test_moving_a_note_edits_open_source_files(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[no-mocks]]\n", capabilities=CAPABLE)
    folder = tmp_path / "memory"
    moved = {"oldUri": (folder / "no-mocks.md").as_uri(), "newUri": (folder / "real.md").as_uri()}
    put(folder / "no-mocks.md", "# No mocks\n")
    client.saw((folder / "no-mocks.md", 2))
    edit = await client.request("workspace/willRenameFiles", {"files": [moved]})
    texts = {change["textDocument"]["uri"]: change["edits"][0]["newText"] for change in edit["documentChanges"]}
    assert texts[uri] == "real"


async def test_renaming_a_heading_and_a_missing_name_edit_open_source_files(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[no-mocks#Why]] [[later]]\n", capabilities=CAPABLE)
    note = (tmp_path / "memory" / "no-mocks.md").as_uri()
    for question, start, end, text in (
        (at(note, 6, 5, newName="Reasons"), 13, 16, "Reasons"),
        (at(uri, 0, 23, newName="soon"), 21, 26, "soon"),
    ):
        edit = await client.request("textDocument/rename", question)
        (found,) = [change for change in edit["documentChanges"] if change["textDocument"]["uri"] == uri]
        assert found["edits"] == [{"range": span(0, start, end), "newText": text}]


async def test_a_name_that_a_comment_could_not_spell_is_refused(client: Local, tmp_path: Path) -> None:
    await opened(client, tmp_path, "# [[no-mocks]]\n", capabilities=CAPABLE)
    note = (tmp_path / "memory" / "no-mocks.md").as_uri()
    with pytest.raises(Refused, match="no-mocks"):
        await client.request("textDocument/rename", at(note, 4, 3, newName="42"))


async def test_renaming_starts_at_a_link_in_a_comment(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "x = 1  # [[no-mocks]]\n", capabilities=CAPABLE)
    assert await client.request("textDocument/prepareRename", at(uri, 0, 2)) is None
    assert (await client.request("textDocument/prepareRename", at(uri, 0, 13)))["placeholder"] == "no-mocks"
    edit = await client.request("textDocument/rename", at(uri, 0, 13, newName="real"))
    assert any(change.get("kind") == "rename" for change in edit["documentChanges"])


async def test_a_missing_note_is_created(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "/* [[no]] */ # [[nowhere]]\n", capabilities=CAPABLE)
    await client.shows(uri, "dangling-link")
    context = {"diagnostics": client.diagnostics[uri]}
    params = {"textDocument": {"uri": uri}, "range": client.diagnostics[uri][0]["range"], "context": context}
    actions = {action["title"]: action for action in await client.request("textDocument/codeAction", params)}
    create = next(action for title, action in actions.items() if title.startswith("Create nowhere.md"))
    made = create["edit"]["documentChanges"][0]
    assert (made["kind"], made["uri"]) == ("create", (tmp_path / "memory" / "nowhere.md").as_uri())
    (allowed,) = actions["Allow dangling-link on this line"]["edit"]["documentChanges"]
    assert allowed["edits"][0]["newText"] == " (memory-lsp: allow dangling-link)"
    assert {action["kind"] for action in actions.values()} == {"quickfix"}


async def test_each_link_is_repaired_by_itself(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[No Mocks]]\n# [[no_mocks]]\n", capabilities=CAPABLE)
    params = {"textDocument": {"uri": uri}, "range": span(0, 2, 14), "context": {"diagnostics": []}}
    titles = [action["title"] for action in await client.request("textDocument/codeAction", params)]
    assert titles == ["Write the link as “no-mocks”", "Allow inexact-link on this line"]
    everything = {"diagnostics": [], "only": ["source.fixAll"]}
    assert await client.request("textDocument/codeAction", params | {"context": everything}) == []


async def test_completion_in_a_comment(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "x = a[[no\ny = 1  # [[no\nz = 1  # [[no-mocks#\n")
    assert await client.request("textDocument/completion", at(uri, 0, 9)) is None
    found = await client.request("textDocument/completion", at(uri, 1, 13))
    assert [(item["label"], item["textEdit"]["newText"]) for item in found["items"]] == [("no-mocks", "no-mocks]]")]
    headings = await client.request("textDocument/completion", at(uri, 2, 20))
    assert [item["label"] for item in headings["items"]] == ["No mocks", "Why"]


async def test_a_secret_of_a_note_is_not_told(client: Local, tmp_path: Path) -> None:
    token = "ghp_" + "Zq8Rk2Vw5T" * 3 + "nB3xYd"
    write(tmp_path / "memory", leak=f"# Leak\n\nThe token is {token}.\n")
    uri = await opened(client, tmp_path, f"# [[leak]]\n# [[{token}]]\n")
    hover = await client.hover(uri, 0, 4)
    assert hover is not None
    assert "The token is" in hover["contents"]["value"]
    assert token not in hover["contents"]["value"]
    await client.shows(uri, "dangling-link")
    assert token not in client.diagnostics[uri][0]["message"]


async def test_they_are_no_notes(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[no-mocks]]\n")
    assert await client.definition(uri, 0, 5)
    graph = await client.request("memory/graph", {})
    assert [node["id"] for node in graph["nodes"] if node["kind"] == "Memory"] == ["note/no-mocks"]
    assert graph["edges"] == []
    stats = await client.request("memory/stats", {})
    assert (stats["notes"], stats["edges"]) == (1, 0)
    assert await client.request("workspace/symbol", {"query": "code"}) == []
    assert (
        not (tmp_path / "memory" / ".graph" / "graph.json").exists()
        or "code.py" not in (tmp_path / "memory" / ".graph" / "graph.json").read_text()
    )


async def test_which_directory_a_link_means(client: Local, tmp_path: Path) -> None:
    write(tmp_path / "one" / "memory", shared="# In one\n", first="# First\n")
    write(tmp_path / "two" / "memory", shared="# In two\n", second="# Second\n")
    write(tmp_path / "one" / ".claude" / "memory", own="# Own\n")
    text = "# [[shared]] [[first]] [[second]] [[own]] [[nowhere]]\n"
    uri = put(tmp_path / "one" / "code.py", text)
    await client.initialize(tmp_path / "two", tmp_path / "one", options=OPTIONS)
    client.open(uri, text, language="python")
    await client.shows(uri, "dangling-link")
    leads = [(await client.definition(uri, 0, column))[0]["uri"] for column in (5, 16, 26, 36)]
    assert [lead.removeprefix(tmp_path.as_uri()) for lead in leads] == [
        "/one/memory/shared.md", "/one/memory/first.md", "/two/memory/second.md", "/one/.claude/memory/own.md",
    ]  # fmt: skip
    outside = put(tmp_path / "elsewhere" / "code.py", text)
    client.open(outside, text, language="python")
    assert await client.definition(outside, 0, 5) is None
    assert not client.codes(outside)


async def test_a_folder_that_leaves_takes_its_findings_along(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[nowhere]]\n")
    await client.shows(uri, "dangling-link")
    folder = {"uri": tmp_path.as_uri(), "name": "x"}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
    await client.shows(uri)


async def test_nothing_dangles_while_a_directory_is_read(
    client: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / ".claude" / "memory", own="# Own\n")
    read, scan = threading.Event(), MemoryDirectory.scan

    def slow(directory: MemoryDirectory) -> Scan:
        if ".claude" in directory.root.parts:
            read.wait(20)
        return scan(directory)

    monkeypatch.setattr(MemoryDirectory, "scan", slow)
    text = "# [[own]] [[no-mocks]] [[nowhere]]\n"
    uri = put(place(tmp_path) / "code.py", text)
    await client.initialize(tmp_path, options=OPTIONS)
    client.open(uri, text, language="python")
    index = (tmp_path / "memory" / "MEMORY.md").as_uri()
    client.open(index, "[[other-dangling]]\n")
    await client.shows(index, "index-dangling-entry", "index-missing-entry")
    read.set()
    await client.shows(uri, "dangling-link")
    assert all(len(item["diagnostics"]) == 1 for item in client.published if item["uri"] == uri)


async def test_source_files_in_a_vault(client: Local, tmp_path: Path) -> None:
    write(tmp_path, note="# Note\n")
    text = "# [[note]] [[./code.py]] [[gone]]\n"
    uri = put(tmp_path / "src" / "code.py", text)
    await client.initialize(tmp_path, options=OPTIONS)
    client.open(uri, text, language="python")
    await client.shows(uri, "dangling-link")
    assert (await client.definition(uri, 0, 5))[0]["uri"] == (tmp_path / "note.md").as_uri()
    assert (await client.definition(uri, 0, 16))[0]["uri"] == uri
    assert await client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}) is None


PULLING: Wire = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}


async def test_pulled_diagnostics(client: Local, tmp_path: Path) -> None:
    uri = await opened(client, tmp_path, "# [[nowhere]]\n", capabilities=PULLING)
    question = {"textDocument": {"uri": uri}}
    first = await client.request("textDocument/diagnostic", question)
    assert [item["code"] for item in first["items"]] == ["dangling-link"]
    assert client.diagnostics.get(uri, []) == []
    again = await client.request("textDocument/diagnostic", question | {"previousResultId": first["resultId"]})
    assert again["kind"] == "unchanged"
    everything = await client.request("workspace/diagnostic", {"previousResultIds": []})
    assert [item["code"] for report in everything["items"] if report["uri"] == uri for item in report["items"]] == [
        "dangling-link"
    ]
    put(tmp_path / "memory" / "nowhere.md", "# Here\n")
    client.saw((tmp_path / "memory" / "nowhere.md", 1))
    await client.until(lambda: client.sent("workspace/diagnostic/refresh"))
    assert (await client.request("textDocument/diagnostic", question))["items"] == []


async def test_moving_a_source_file_keeps_the_links_to_it(client: Local, tmp_path: Path) -> None:
    write(tmp_path, note="The code is [[src/code.py]].\n")
    text = "# [[note]]\n"
    uri = put(tmp_path / "src" / "code.py", text)
    await client.initialize(tmp_path, options=OPTIONS, capabilities=CAPABLE)
    client.open(uri, text, language="python")
    await client.quiet()
    moved = {"oldUri": uri, "newUri": (tmp_path / "src" / "main.py").as_uri()}
    edit = await client.request("workspace/willRenameFiles", {"files": [moved]})
    (change,) = edit["documentChanges"]
    assert change["textDocument"]["uri"] == (tmp_path / "note.md").as_uri()
    assert change["edits"][0]["newText"] == "main.py"
