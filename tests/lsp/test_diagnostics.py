"""What an editor is shown of a directory, and when."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from peer import put, write

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local


async def test_every_note_is_diagnosed_open_or_not(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]] [[gone]]", b="[[nowhere]]", c="nothing")
    put(tmp_path / "deep/er/d.md", "[[nobody]]")
    await client.initialize(tmp_path)
    await client.shows((tmp_path / "a.md").as_uri(), "dangling-link")
    await client.shows((tmp_path / "b.md").as_uri(), "dangling-link")
    await client.shows((tmp_path / "deep/er/d.md").as_uri(), "dangling-link")
    await client.quiet()
    assert (tmp_path / "c.md").as_uri() not in client.diagnostics


async def test_a_typed_link_to_nothing_is_reported_at_once_with_the_version(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "text")
    await client.initialize(tmp_path)
    await client.opened(tmp_path, "a.md")
    client.change(uri, "text [[nowhere]]", 7)
    last = client.published[-1]
    assert (last["uri"], last["version"]) == (uri, 7)
    assert last["diagnostics"][0] == {
        "range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 16}},
        "severity": 2,
        "code": "dangling-link",
        "source": "memory",
        "message": last["diagnostics"][0]["message"],
    }
    assert "nowhere" in last["diagnostics"][0]["message"]
    client.change(uri, "text", 8)
    assert client.published[-1] == {"uri": uri, "version": 8, "diagnostics": []}


async def test_what_the_client_can_show_of_a_diagnostic(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[twin]] [[old]]", new="---\nname: new\nsupersedes: old\n---\n", old="old")
    for folder in ("x", "y"):
        put(tmp_path / folder / "twin.md", "twin")
    shown = {
        "relatedInformation": True,
        "codeDescriptionSupport": True,
        "dataSupport": True,
        "tagSupport": {"valueSet": [1, 2]},
    }
    await client.initialize(tmp_path, capabilities={"textDocument": {"publishDiagnostics": shown}})
    await client.shows((tmp_path / "a.md").as_uri(), "ambiguous-link", "links-to-superseded")
    ambiguous, superseded = sorted(client.diagnostics[(tmp_path / "a.md").as_uri()], key=lambda item: item["code"])[:2]
    assert {item["location"]["uri"] for item in ambiguous["relatedInformation"]} == {
        (tmp_path / "x/twin.md").as_uri(),
        (tmp_path / "y/twin.md").as_uri(),
    }
    assert ambiguous["codeDescription"]["href"].endswith("#ambiguous-link")
    assert superseded["tags"] == [2]


async def test_only_what_changed_is_published_again(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]", b="[[nowhere]]", c="[[nobody]]")
    await client.initialize(tmp_path)
    uri = await client.opened(tmp_path, "a.md")
    await client.quiet()
    before = len(client.published)
    client.change(uri, "[[b]] more", 2)
    client.change(uri, "[[b]] more words", 3)
    await client.quiet()
    assert client.published[before:] == []
    client.change(uri, "[[b]] more [[words]]", 4)
    await client.quiet()
    assert [item["uri"] for item in client.published[before:]] == [uri]


async def test_a_note_that_is_opened_is_always_published(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[nowhere]]", b="clean")
    await client.initialize(tmp_path)
    await client.quiet()
    for path, count in (("a.md", 1), ("b.md", 0)):
        for _ in range(2):
            uri = await client.opened(tmp_path, path)
            assert client.published[-1]["uri"] == uri
            assert client.published[-1]["version"] == 1
            assert len(client.published[-1]["diagnostics"]) == count
            client.close(uri)


async def test_the_notes_that_link_here_follow_after_a_quiet(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b#Part]]", b="# B\n## Part\n")
    await client.initialize(tmp_path)
    uri = await client.opened(tmp_path, "b.md")
    client.change(uri, "# B\n## Other\n")
    await client.shows((tmp_path / "a.md").as_uri(), "dangling-anchor")
    client.change(uri, "# B\n## Part\n", 3)
    await client.shows((tmp_path / "a.md").as_uri())


async def test_a_file_that_the_editor_saw_created_and_deleted(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[b]]")
    await client.initialize(tmp_path)
    await client.shows(uri, "dangling-link")
    client.server.watcher.stop()
    write(tmp_path, b="here")
    client.saw((tmp_path / "b.md", 1))
    await client.shows(uri)
    (tmp_path / "b.md").unlink()
    client.saw((tmp_path / "b.md", 3))
    await client.shows(uri, "dangling-link")


async def test_a_file_that_only_the_server_saw(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[b]] ![[pic.png]]")
    await client.initialize(tmp_path)
    await client.shows(uri, "dangling-link", "dangling-link")
    write(tmp_path, b="here")
    await client.shows(uri, "dangling-link")
    (tmp_path / "pic.png").write_bytes(b"x")
    await client.shows(uri)
    (tmp_path / "b.md").rename(tmp_path / "c.md")
    await client.shows(uri, "dangling-link")
    (tmp_path / "c.md").rename(tmp_path / "b.md")
    await client.shows(uri)
    (tmp_path / "pic.png").unlink()
    await client.shows(uri, "dangling-link")


async def test_a_deleted_note_shows_nothing_any_more(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[nowhere]]")
    await client.initialize(tmp_path)
    await client.shows(uri, "dangling-link")
    (tmp_path / "a.md").unlink()
    await client.shows(uri)


async def test_a_folder_that_is_renamed_removed_and_back(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[sub/b]] [[sub/c]]")
    for name in ("b", "c"):
        put(tmp_path / f"sub/{name}.md", "[[nowhere]]")
    await client.initialize(tmp_path)
    inside = (tmp_path / "sub/b.md").as_uri()
    await client.shows(inside, "dangling-link")
    (tmp_path / "sub").rename(tmp_path / "other")
    await client.shows(uri, "dangling-link", "dangling-link")
    await client.shows((tmp_path / "other/b.md").as_uri(), "dangling-link")
    await client.shows(inside)
    (tmp_path / "other").rename(tmp_path / "sub")
    await client.shows(uri)
    await client.shows(inside, "dangling-link")
    shutil.rmtree(tmp_path / "sub")
    await client.shows(uri, "dangling-link", "dangling-link")
    put(tmp_path / "sub/b.md", "back")
    await client.shows(uri, "dangling-link")
    # What comes into being below a folder that is new is seen too.
    put(tmp_path / "sub/deep/c.md", "back")
    await client.until(lambda: client.codes(uri) == ["dangling-link"])
    put(tmp_path / "sub/c.md", "back")
    await client.shows(uri)


async def test_the_directory_itself_is_removed_and_back(client: Local, tmp_path: Path) -> None:
    root = tmp_path / "memory"
    uri = put(root / "a.md", "[[nowhere]]")
    await client.initialize(root)
    await client.shows(uri, "dangling-link")
    shutil.rmtree(root)
    await client.shows(uri)
    put(root / "a.md", "[[nowhere]] [[nobody]]")
    await client.shows(uri, "dangling-link", "dangling-link")
    put(root / "a.md", "[[nowhere]]")
    await client.shows(uri, "dangling-link")


async def test_a_burst_of_files_is_one_change(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[n299]]")
    await client.initialize(tmp_path)
    await client.shows(uri, "dangling-link")
    await client.quiet()
    (memory,) = client.server.session.memories
    revision = memory.directory.snapshot.revision
    for number in range(300):
        put(tmp_path / f"n{number}.md", f"[[n{number - 1}]]")
    await client.shows(uri)
    await client.quiet()
    assert (await client.request("memory/stats"))["notes"] == 301
    assert memory.directory.snapshot.revision - revision <= 5


async def test_an_unsaved_buffer_goes_back_to_the_disk(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="on disk", b="[[a#Typed]]")
    await client.initialize(tmp_path)
    uri = await client.opened(tmp_path, "a.md")
    client.change(uri, "# Typed\n[[nowhere]]")
    await client.shows(uri, "dangling-link")
    await client.shows((tmp_path / "b.md").as_uri())
    client.close(uri)
    await client.shows(uri)
    await client.shows((tmp_path / "b.md").as_uri(), "dangling-anchor")


async def test_a_change_on_disk_does_not_touch_an_open_buffer(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="on disk", b="[[nowhere]]")
    await client.initialize(tmp_path)
    uri = await client.opened(tmp_path, "a.md")
    client.change(uri, "[[typed]]")
    put(tmp_path / "a.md", "[[one]] [[two]]")
    client.saw((tmp_path / "a.md", 2))
    write(tmp_path, b="clean")
    await client.shows((tmp_path / "b.md").as_uri())
    assert client.codes(uri) == ["dangling-link"]
    client.close(uri)
    await client.shows(uri, "dangling-link", "dangling-link")


async def test_a_file_that_is_deleted_below_an_open_buffer(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="text", b="[[a]]")
    await client.initialize(tmp_path)
    uri = await client.opened(tmp_path, "a.md")
    (tmp_path / "a.md").unlink()
    client.saw((tmp_path / "a.md", 3))
    await client.quiet()
    assert client.codes((tmp_path / "b.md").as_uri()) == []
    client.close(uri)
    await client.shows((tmp_path / "b.md").as_uri(), "dangling-link")


async def test_a_new_note_counts_from_the_moment_it_is_opened(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[fresh]]")
    await client.initialize(tmp_path)
    await client.shows(uri, "dangling-link")
    fresh = (tmp_path / "fresh.md").as_uri()
    client.open(fresh, "not saved yet")
    await client.shows(uri)
    client.close(fresh)
    await client.shows(uri, "dangling-link")


async def test_a_document_that_is_opened_while_the_client_is_still_asked_for_settings(
    client: Local, tmp_path: Path
) -> None:
    """VS Code opens documents at once and answers `workspace/configuration` later."""
    uri = put(tmp_path / "user/a.md", "on disk")
    write(tmp_path, MEMORY="[a](user/a.md)")
    client.silent.add("workspace/configuration")
    await client.initialize(tmp_path, capabilities={"workspace": {"configuration": True}})
    client.open(uri, "[[nowhere]]")
    client.change(uri, "[[nowhere]] [[nobody]]")
    _, waiting = client.ask("memory/stats")
    await client.until(lambda: client.sent("workspace/configuration"))
    question = next(message for message in client.messages if message.get("method") == "workspace/configuration")
    client.carry({"jsonrpc": "2.0", "id": question["id"], "result": [None]})
    await client.shows(uri, "dangling-link", "dangling-link")
    assert (await waiting)["result"]["danglingLinks"] == 2
    assert [memory.directory.root for memory in client.server.session.memories] == [tmp_path]


async def test_a_client_that_never_says_initialized(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[nowhere]]")
    await client.request("initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
    client.open(uri, "[[nowhere]]")
    await client.shows(uri, "dangling-link")
    assert (await client.request("memory/stats"))["notes"] == 1


@pytest.mark.parametrize(
    "name", ["untitled:Untitled-1", "git:/a.md?x", "vscode-notebook-cell:/a.md#1", "file://[", "", "file:", "a.md"]
)
async def test_documents_that_are_no_files_are_left_alone(client: Local, tmp_path: Path, name: str) -> None:
    write(tmp_path, a="text")
    await client.initialize(tmp_path)
    client.open(name, "[[nowhere]]")
    client.change(name, "[[nowhere]] 2")
    client.save(name)
    assert await client.hover(name, 0, 3) is None
    assert await client.definition(name, 0, 3) is None
    client.close(name)
    await client.quiet()
    assert client.published == []
    assert (await client.request("memory/stats"))["notes"] == 1


async def test_a_file_of_another_language_is_no_note(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="text")
    uri = put(tmp_path / "code.py", "# [[nowhere]]")
    await client.initialize(tmp_path)
    client.open(uri, "# [[nowhere]]")
    client.close(uri)
    assert (await client.request("memory/stats"))["notes"] == 1


async def test_a_flood_of_edits_ends_with_the_right_answer(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="start", b="b")
    await client.initialize(tmp_path)
    uri = await client.opened(tmp_path, "a.md")
    for version in range(2, 1_000):
        client.change(uri, f"word {version} [[{'b' if version % 2 else 'nowhere'}]]", version)
    await client.quiet()
    assert client.codes(uri) == []
    (place,) = await client.definition(uri, 0, 12)
    assert place["uri"] == (tmp_path / "b.md").as_uri()


async def test_a_secret_is_never_repeated(client: Local, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    uri = put(tmp_path / "a.md", f"token: {secret}\n")
    put(tmp_path / "b.md", "[[a]]")
    await client.initialize(tmp_path)
    await client.shows(uri, "contains-secret")
    (found,) = [item for item in client.diagnostics[uri] if item["code"] == "contains-secret"]
    assert found["range"]["start"] == {"line": 0, "character": 7}
    hover = await client.hover((tmp_path / "b.md").as_uri(), 0, 3)
    assert hover is not None
    assert not any(secret in str(message) or secret[8:] in str(message) for message in client.messages)
