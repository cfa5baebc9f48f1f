"""What the file system does to a directory in use: the status says what happened, and the rest goes on being served."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from memory_lsp import files
from memory_lsp.directory import MemoryDirectory
from memory_lsp.discovery import Kind, Place
from memory_lsp.indexer import Indexer
from memory_lsp.lsp import watch
from peer import put, write

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local

ASKED = {"experimental": {"memoryStatus": True}}
CREATED, CHANGED, DELETED = 1, 2, 3


async def begin(client: Local, folder: Path) -> None:
    await client.initialize(folder, capabilities=ASKED)
    await client.quiet()


async def says(client: Local, text: str) -> None:
    """Wait until the status has a message."""
    await client.until(lambda: client.sent("memory/status") and text in client.sent("memory/status")[-1]["message"])


async def well(client: Local) -> None:
    """Wait until the status is as if nothing had been."""
    await client.until(lambda: client.sent("memory/status") and client.sent("memory/status")[-1]["health"] == "ok")


async def notes(client: Local) -> set[str]:
    graph = await client.request("memory/graph", {})
    return {node["id"] for node in graph["nodes"] if node["kind"] == "Memory"}


async def leads_to(client: Local, folder: Path, path: str) -> None:
    """Check that the link at the start of a.md opens a note."""
    found = await client.definition((folder / "a.md").as_uri(), 0, 3)
    locations = found if isinstance(found, list) else [found]
    assert [each.get("targetUri", each.get("uri")) for each in locations] == [(folder / path).as_uri()]


async def test_a_loop_of_links_to_folders(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]", b="")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.md").symlink_to(tmp_path / "self.md")
    await begin(client, tmp_path)
    assert await notes(client) == {"note/a", "note/b"}
    await well(client)
    client.saw((tmp_path / "loop", CHANGED), (tmp_path / "self.md", CHANGED))
    await says(client, f"{tmp_path / 'self.md'} cannot be read: Too many levels of symbolic links.")
    assert await notes(client) == {"note/a", "note/b"}
    (tmp_path / "self.md").unlink()
    client.saw((tmp_path / "self.md", DELETED))
    await well(client)


async def test_names_that_differ_in_case_only(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[Plan]]", plan="low", Plan="high")
    if (tmp_path / "plan.md").samefile(tmp_path / "Plan.md"):
        pytest.skip("this file system knows no such names")
    await begin(client, tmp_path)
    assert await notes(client) == {"note/a", "note/plan", "note/Plan"}
    await leads_to(client, tmp_path, "Plan.md")
    (tmp_path / "Plan.md").unlink()
    client.saw((tmp_path / "Plan.md", DELETED))
    await client.until(lambda: len(client.server.session.memories[0].directory.snapshot.notes) == 2)
    await leads_to(client, tmp_path, "plan.md")
    await well(client)


async def test_a_note_that_a_folder_replaces_and_back(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]", b="")
    await begin(client, tmp_path)
    (tmp_path / "b.md").unlink()
    put(tmp_path / "b.md" / "inside.md", "[[a]]")
    client.saw((tmp_path / "b.md", CHANGED))
    assert await notes(client) == {"note/a", "note/inside"}
    await client.shows((tmp_path / "a.md").as_uri(), "dangling-link")
    shutil.rmtree(tmp_path / "b.md")
    write(tmp_path, b="")
    client.saw((tmp_path / "b.md", CREATED))
    assert await notes(client) == {"note/a", "note/b"}
    await leads_to(client, tmp_path, "b.md")
    await well(client)


async def test_a_directory_that_goes_and_comes_back(
    client: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_POLL_MISSING", 0.05)
    folder = tmp_path / "notes"
    write(folder, a="[[b]]", b="")
    await begin(client, folder)
    folder.rename(tmp_path / "elsewhere")
    await says(client, f"{folder} is not there; its notes are served again once it is back.")
    await client.until(lambda: not client.sent("memory/status")[-1]["directories"][0]["notes"])
    (tmp_path / "elsewhere").rename(folder)
    await client.until(lambda: client.sent("memory/status")[-1]["directories"][0]["notes"] == 2)
    await leads_to(client, folder, "b.md")
    await well(client)


async def test_a_note_of_50_mb(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]", b="")
    with (tmp_path / "log.md").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    await begin(client, tmp_path)
    await says(client, f"{tmp_path / 'log.md'} is larger than 4 MB and is not read as a note.")
    assert "note/b" in await notes(client)
    put(tmp_path / "log.md", "short")
    client.saw((tmp_path / "log.md", CHANGED))
    await well(client)
    assert "note/log" in await notes(client)


async def test_a_note_that_may_not_be_read(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]", b="", c="")
    (tmp_path / "c.md").chmod(0)
    if os.access(tmp_path / "c.md", os.R_OK):
        # Root reads everything; a link to itself refuses it too, and the message is made in the same place.
        (tmp_path / "c.md").unlink()
        (tmp_path / "c.md").symlink_to("c.md")
    await begin(client, tmp_path)
    client.saw((tmp_path / "c.md", CHANGED))
    await says(client, f"{tmp_path / 'c.md'} cannot be read: ")
    await leads_to(client, tmp_path, "b.md")


async def test_a_switch_between_branches_is_one_job(
    client: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=n@localhost", *arguments],
            cwd=tmp_path, check=True, capture_output=True,
        )  # fmt: skip

    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    git("init", "-q", "-b", "one")
    write(tmp_path, a="[[n1]]", **{f"n{number}": f"[[n{number + 1}]]" for number in range(500)})
    git("add", ".")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "two")
    (tmp_path / "moved").mkdir()
    for number in range(500):
        (tmp_path / f"n{number}.md").rename(tmp_path / "moved" / f"n{number}.md")
    git("add", ".")
    git("commit", "-qm", "two")
    git("checkout", "-q", "one")
    await begin(client, tmp_path)
    memory, jobs, bring_up = client.server.session.memories[0], list[int](), Indexer._bring_up

    async def counted(indexer: Indexer, paths: set[str] | None) -> None:
        jobs.append(len(paths or ()))
        await bring_up(indexer, paths)

    monkeypatch.setattr(Indexer, "_bring_up", counted)
    git("checkout", "-q", "two")
    moved = [(tmp_path / f"n{number}.md", DELETED) for number in range(500)]
    moved += [(tmp_path / "moved" / f"n{number}.md", CREATED) for number in range(500)]
    client.saw(*moved)
    await client.quiet()
    assert jobs == [1_001]
    scratch = MemoryDirectory(Place(tmp_path, Kind.VAULT)).scan().snapshot
    assert memory.directory.snapshot.ids == scratch.ids
    assert memory.directory.snapshot.meanings == scratch.meanings
    assert memory.directory.snapshot.graph == scratch.graph
    await leads_to(client, tmp_path, "moved/n1.md")
    await well(client)


async def test_more_files_than_a_memory_has(client: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_FILES", 3)
    write(tmp_path, **{f"n{number}": "text" for number in range(3)})
    write(tmp_path / "deep", **{f"m{number}": "text" for number in range(3)})
    write(tmp_path / "deep" / "er", **{f"o{number}": "text" for number in range(3)})
    await begin(client, tmp_path)
    await says(client, f"{tmp_path} holds more than 3 files; the rest is not served.")
    assert "note/n0" in await notes(client)
    assert "note/o0" not in await notes(client)


async def test_times_that_jump(client: Local, tmp_path: Path) -> None:
    """Text decides, never a time: not a day back, as after `git checkout`, not the future, not the same as before."""
    write(tmp_path, a="[[b]]", b="", c="")
    await begin(client, tmp_path)
    now = time.time()
    for shift, target in ((-86_400, "c"), (86_400, "b"), (86_400, "c"), (0, "b")):
        put(tmp_path / "a.md", f"[[{target}]]")
        os.utime(tmp_path / "a.md", (now + shift, now + shift))
        client.saw((tmp_path / "a.md", CHANGED))
        await leads_to(client, tmp_path, f"{target}.md")


async def test_a_clock_that_is_set_back(client: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, a="[[b]]", b="")
    await begin(client, tmp_path)
    really = time.time
    monkeypatch.setattr(time, "time", lambda: really() - 86_400)
    monkeypatch.setattr(time, "time_ns", lambda: int((really() - 86_400) * 1e9))
    put(tmp_path / "a.md", "[[missing]]")
    client.saw((tmp_path / "a.md", CHANGED))
    await client.shows((tmp_path / "a.md").as_uri(), "dangling-link")
    put(tmp_path / "a.md", "[[b]]")
    await client.shows((tmp_path / "a.md").as_uri())  # as our own watcher saw it
    await client.quiet()
    await well(client)
