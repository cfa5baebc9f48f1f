"""Which directories are served: folders that come and go, links to folders, homes, files outside them all."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from memory_lsp.lsp import watch
from memory_lsp.lsp.watch import Watcher
from memory_lsp.session import MOST_LOADED
from peer import Refused, put, write

if TYPE_CHECKING:
    from local import Local
    from memory_lsp.memory import Memory
    from peer import Wire


def folders(client: Local, added: tuple[Path, ...] = (), removed: tuple[Path, ...] = ()) -> None:
    event = {
        "added": [{"uri": path.as_uri(), "name": path.name} for path in added],
        "removed": [{"uri": path.as_uri(), "name": path.name} for path in removed],
    }
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})


async def names(client: Local, **params: Wire) -> set[str]:
    answer = await client.request("memory/search", {"query": " "} | params)
    return {item["name"] for item in answer["results"]}


async def test_several_folders_each_with_its_own_index(client: Local, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    a, b = put(one / "a.md", "[[b]]"), put(two / "b.md", "[[a]]")
    await client.initialize(one, two)
    await client.shows(a, "dangling-link")
    await client.shows(b, "dangling-link")
    assert await names(client, memoryDirectory=str(one)) == {"a"}
    assert await names(client, memoryDirectory=two.as_uri()) == {"b"}
    assert await names(client, textDocument={"uri": b}) == {"b"}
    assert await names(client) == {"a"}


async def test_a_memory_directory_is_meant_before_a_vault(client: Local, tmp_path: Path) -> None:
    write(tmp_path / "vault", a="x")
    put(tmp_path / "memory/MEMORY.md", "")
    put(tmp_path / "memory/b.md", "x")
    await client.initialize(tmp_path / "vault", tmp_path / "memory")
    assert await names(client) == {"b"}


async def test_folders_that_are_added_and_removed(client: Local, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    a, b = put(one / "a.md", "[[gone]]"), put(two / "b.md", "[[gone]]")
    await client.initialize(one)
    await client.shows(a, "dangling-link")
    assert b not in client.diagnostics
    folders(client, added=(two,))
    await client.shows(b, "dangling-link")
    folders(client, removed=(one,))
    await client.shows(a)
    assert await names(client) == {"b"}
    with pytest.raises(Refused):
        await names(client, memoryDirectory=str(one))
    put(one / "a.md", "[[gone]] [[other]]")
    folders(client, added=(one,), removed=(two,))
    await client.shows(a, "dangling-link", "dangling-link")
    await client.shows(b)


async def test_open_documents_follow_the_folders(client: Local, tmp_path: Path) -> None:
    one = tmp_path / "one"
    uri = put(one / "a.md", "[[b]]")
    put(one / "b.md", "text")
    (tmp_path / "none").mkdir()
    await client.initialize(tmp_path / "none")
    client.open(uri, "[[b]] [[gone]]")
    await client.until(lambda: uri in client.diagnostics)
    folders(client, added=(one,))
    await client.until(lambda: len(client.server.session.memories) == 2)
    await client.shows(uri, "dangling-link")
    client.change(uri, "[[b]] [[gone]] [[more]]", 2)
    await client.shows(uri, "dangling-link", "dangling-link")
    # Without its folder the document is served alone, with the text that was typed.
    folders(client, removed=(one,))
    client.change(uri, "[[#Part]]", 3)
    await client.shows(uri, "dangling-anchor")
    client.close(uri)
    await client.shows(uri)


async def test_typing_goes_on_while_folders_change(client: Local, tmp_path: Path) -> None:
    one = tmp_path / "one"
    uri = put(one / "a.md", "text")
    await client.initialize(one)
    await client.opened(one, "a.md")
    folders(client, added=(tmp_path,), removed=(one,))
    client.change(uri, "[[typed]]", 2)
    client.change(uri, "[[typed]] [[twice]]", 3)
    # What the old folder showed goes away with it; the new one shows it again.
    await client.until(lambda: client.codes(uri) == [] and client.published[-1]["uri"] == uri)
    await client.shows(uri, "dangling-link", "dangling-link")
    await client.quiet()
    assert len(client.codes(uri)) == 2


async def test_a_note_outside_every_folder_is_served_alone(client: Local, tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    write(inside, a="x")
    uri = put(outside / "b.md", "---\nname: b\n---\n[[c]] [[#Part]]\n")
    put(outside / "c.md", "text")
    put(outside / "d.md", "[[nowhere]]")
    await client.initialize(inside)
    await client.opened(outside, "b.md")
    # The note behind `[[c]]` may stand in a folder that is not served.
    assert client.codes(uri) == ["dangling-anchor"]
    await client.quiet()
    assert (outside / "d.md").as_uri() not in client.diagnostics
    assert not (outside / ".graph").exists()
    client.close(uri)
    await client.shows(uri)


async def test_without_any_folder(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[#Part]]")
    await client.initialize()
    await client.opened(tmp_path, "a.md")
    assert client.codes(uri) == ["dangling-anchor"]


@pytest.mark.parametrize("key", ["rootUri", "rootPath"])
async def test_clients_that_know_one_root(client: Local, tmp_path: Path, key: str) -> None:
    uri = put(tmp_path / "a.md", "[[gone]]")
    root = tmp_path.as_uri() if key == "rootUri" else str(tmp_path)
    await client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}} | {key: root})
    client.notify("initialized", {})
    await client.shows(uri, "dangling-link")


async def test_a_home_folder_is_never_walked(client: Local, home: Path) -> None:
    write(home, a="[[nowhere]]")
    put(home / "work/b.md", "[[nowhere]]")
    await client.initialize(home, capabilities={"experimental": {"memoryStatus": True}})
    uri = await client.opened(home, "a.md")
    await client.quiet()
    assert (home / "work/b.md").as_uri() not in client.diagnostics
    assert (await client.request("memory/stats"))["notes"] == 1
    assert "home folder" in client.sent("memory/status")[-1]["message"]
    client.close(uri)


async def test_the_root_of_the_file_system_is_never_walked(client: Local, tmp_path: Path) -> None:
    await client.initialize(Path("/"), capabilities={"experimental": {"memoryStatus": True}})
    assert (await client.request("memory/stats"))["notes"] == 0
    assert "file-system root" in client.sent("memory/status")[-1]["message"]


async def test_a_folder_that_is_a_link(client: Local, tmp_path: Path) -> None:
    real, linked = tmp_path / "real", tmp_path / "linked"
    write(real, a="[[b]] [[gone]] ![[p.png]]", b="# B")
    put(real / "p.png", "x")
    linked.symlink_to(real)
    await client.initialize(linked)
    uri = (linked / "a.md").as_uri()
    await client.shows(uri, "dangling-link")
    assert all(known.startswith(linked.as_uri()) for known in client.diagnostics)
    (found,) = await client.definition(uri, 0, 3)
    assert found["uri"] == (linked / "b.md").as_uri()
    (picture,) = await client.definition(uri, 0, 19)
    assert picture["uri"] == (linked / "p.png").as_uri()
    answer = await client.request("memory/retrieve", {"query": "b", "textDocument": {"uri": (real / "a.md").as_uri()}})
    assert answer["results"][0]["uri"].startswith(linked.as_uri())
    # What changes under either name is seen.
    put(real / "gone.md", "here")
    await client.shows(uri)
    (linked / "gone.md").unlink()
    await client.shows(uri, "dangling-link")
    client.open((real / "a.md").as_uri(), "[[one]] [[two]]")
    await client.until(lambda: len(client.codes((real / "a.md").as_uri())) == 2)


@pytest.mark.parametrize(
    "name", ["with space", "größe", "日本", "per%cent", "a#b", "q?m", "(x)", "😀", "a&b;c=d", "[b]"]
)
async def test_any_name_in_a_uri(client: Local, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    uri = put(folder / f"{name}.md", "[[ziel]] [[gone]]")
    put(folder / "ziel.md", "# Ziel")
    await client.initialize(folder)
    await client.shows(uri, "dangling-link")
    (found,) = await client.definition(uri, 0, 3)
    assert found["uri"] == (folder / "ziel.md").as_uri()


async def test_the_editors_own_spelling_of_a_uri_is_kept(client: Local, tmp_path: Path) -> None:
    put(tmp_path / "a(b).md", "[[gone]]")
    await client.initialize(tmp_path)
    spelled = f"{tmp_path.as_uri()}/a%28b%29.md"
    client.open(spelled, "[[gone]]")
    await client.shows(spelled, "dangling-link")
    assert await client.hover(spelled, 0, 3)


@pytest.mark.parametrize(
    "uri", ["file:///c%3A/x/a.md", "file:///C:/x/a.md", "file://host/share/a.md", "file:///a%00b.md", "file:///%ff.md"]
)
async def test_uris_of_other_systems_do_no_harm(client: Local, tmp_path: Path, uri: str) -> None:
    write(tmp_path, a="text")
    await client.initialize(tmp_path)
    client.open(uri, "[[#Part]]")
    client.change(uri, "[[#Part]] x")
    await client.hover(uri, 0, 3)
    client.close(uri)
    assert (await client.request("memory/stats", {"memoryDirectory": str(tmp_path)}))["notes"] == 1


async def test_a_folder_that_does_not_exist(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path / "missing", tmp_path)
    write(tmp_path, a="[[gone]]")
    await client.shows((tmp_path / "a.md").as_uri(), "dangling-link")


async def test_a_directory_that_is_let_go_while_its_watch_begins_is_not_watched(
    client: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [tmp_path / f"m{number:02}" for number in range(MOST_LOADED + 1)]
    for place in places:
        put(place / "a.md", "text")
    may_begin, has_begun, begin = threading.Event(), threading.Event(), Watcher._schedule

    def late(watcher: Watcher, memory: Memory, loop: asyncio.AbstractEventLoop) -> str:
        if memory.directory.root != places[1]:
            return begin(watcher, memory, loop)
        may_begin.wait(10)
        problem = begin(watcher, memory, loop)
        has_begun.set()
        return problem

    monkeypatch.setattr(Watcher, "_schedule", late)
    await client.initialize(*places)
    assert await names(client, memoryDirectory=str(places[0])) == {"a"}
    assert await names(client, memoryDirectory=str(places[-1])) == {"a"}
    assert places[1] not in {memory.directory.root for memory in client.server.session.memories}
    may_begin.set()
    assert await asyncio.to_thread(has_begun.wait, 10)
    assert await names(client, memoryDirectory=str(places[0])) == {"a"}
    assert places[1] not in client.server.watcher._watches


async def test_a_directory_that_is_lost_while_it_is_looked_at_is_watched_again(
    client: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answer, identify, loop = asyncio.Event(), threading.Event(), watch._identity, asyncio.get_running_loop()

    def late(root: Path) -> tuple[int, int] | None:
        loop.call_soon_threadsafe(asked.set)
        answer.wait(10)
        return identify(root)

    put(tmp_path / "a.md", "text")
    await client.initialize(tmp_path)
    assert await names(client) == {"a"}
    # The next look comes within two seconds.
    monkeypatch.setattr(watch, "_identity", late)
    await asyncio.wait_for(asked.wait(), 10)
    client.server.watcher.lose(client.server.session.memories[0])
    answer.set()
    await client.quiet()
    async with asyncio.timeout(10):
        while tmp_path not in client.server.watcher._watches:  # noqa: ASYNC110  nothing tells of it
            await asyncio.sleep(0)
    await client.shows(put(tmp_path / "b.md", "[[gone]]"), "dangling-link")


async def test_the_least_recently_used_index_goes_first(client: Local, tmp_path: Path) -> None:
    places = [tmp_path / f"m{number:02}" for number in range(MOST_LOADED + 2)]
    for place in places:
        put(place / "a.md", "text")
    await client.initialize(*places)
    assert await names(client, memoryDirectory=str(places[0])) == {"a"}
    for place in places[MOST_LOADED:]:
        assert await names(client, memoryDirectory=str(place)) == {"a"}
    loaded = {memory.directory.root for memory in client.server.session.memories}
    assert len(loaded) == MOST_LOADED
    assert places[0] in loaded
    assert loaded >= set(places[MOST_LOADED:])
    assert not loaded & {places[1], places[2]}
    async with asyncio.timeout(5):
        # A watch that was about to begin ends a moment later.
        while len(client.server.watcher._watches) > MOST_LOADED:  # noqa: ASYNC110  nothing tells of it
            await asyncio.sleep(0)
    # What went comes back when it is asked for.
    put(places[1] / "b.md", "text")
    assert await names(client, memoryDirectory=str(places[1])) == {"a", "b"}


async def test_an_index_with_open_documents_stays(client: Local, tmp_path: Path) -> None:
    places = [tmp_path / f"m{number:02}" for number in range(MOST_LOADED + 2)]
    for place in places:
        put(place / "a.md", "text")
    await client.initialize(*places)
    for place in places:
        client.open((place / "a.md").as_uri(), "[[gone]]")
    for place in places:
        await client.shows((place / "a.md").as_uri(), "dangling-link")


async def test_the_directory_below_a_workspace_folder(client: Local, tmp_path: Path) -> None:
    put(tmp_path / "README.md", "[[nowhere]]")
    uri = put(tmp_path / ".claude/memory/a.md", "[[nowhere]]")
    await client.initialize(tmp_path)
    await client.shows(uri, "dangling-link")
    await client.quiet()
    assert (tmp_path / "README.md").as_uri() not in client.diagnostics
    assert await names(client, memoryDirectory=str(tmp_path)) == {"a"}


async def test_what_is_left_out(client: Local, tmp_path: Path) -> None:
    for path in (".git/a.md", "node_modules/b.md", ".hidden/c.md", "drafts/d.md", ".e.md", "f.md"):
        put(tmp_path / path, "[[nowhere]]")
    await client.initialize(tmp_path, options={"embedding": {"backend": "none"}, "exclude": ["drafts"]})
    await client.shows((tmp_path / "f.md").as_uri(), "dangling-link")
    put(tmp_path / "drafts/g.md", "[[nowhere]]")
    put(tmp_path / "node_modules/h.md", "[[nowhere]]")
    put(tmp_path / "last.md", "[[nowhere]]")
    await client.shows((tmp_path / "last.md").as_uri(), "dangling-link")
    assert set(client.diagnostics) == {(tmp_path / "f.md").as_uri(), (tmp_path / "last.md").as_uri()}
