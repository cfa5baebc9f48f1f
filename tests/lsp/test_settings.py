"""Settings: where they come from, what a bad one does, and how they change while the server runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from peer import put, write

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local
    from peer import Wire

ASKED = {"workspace": {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}}}
OFF = {"embedding": {"backend": "none"}}


async def count(client: Local) -> int:
    return len((await client.request("memory/retrieve", {"query": " "}))["results"])


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    write(tmp_path, **{f"n{number}": "[[nowhere]]" for number in range(12)})
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        OFF | {"retrieval": {"limit": 3}},
        OFF | {"retrieval.limit": 3},
        {"memory": OFF | {"retrieval": {"limit": 3.0}}},
        OFF | {"retrieval": {"limit": 3}, "somebody": {"else's": [1, None]}},
    ],
)
async def test_settings_come_with_initialize(client: Local, notes: Path, options: Wire) -> None:
    await client.initialize(notes, options=options)
    assert await count(client) == 3
    assert client.sent("window/showMessage") == []


@pytest.mark.parametrize("options", [None, [], "x", 5, {"memory": None}, {"retrieval": None}])
async def test_initialization_options_of_another_shape(client: Local, notes: Path, options: Wire) -> None:
    await client.initialize(notes, options=options)
    assert await count(client) == 8


async def test_settings_are_asked_for(client: Local, notes: Path) -> None:
    client.configuration = {"retrieval": {"limit": 2}}
    await client.initialize(notes, capabilities=ASKED, options=OFF | {"retrieval": {"limit": 5, "maxDepth": 1}})
    assert client.sent("workspace/configuration") == []
    assert await count(client) == 2
    assert client.server.settings.retrieval.max_depth == 1
    registered = [
        item["method"] for params in client.sent("client/registerCapability") for item in params["registrations"]
    ]
    assert "workspace/didChangeConfiguration" in registered


@pytest.mark.parametrize("answer", [None, {}, [], "x", 5, {"memory": {}}])
async def test_answers_without_settings(client: Local, notes: Path, answer: Wire) -> None:
    client.configuration = answer
    await client.initialize(notes, capabilities=ASKED, options=OFF | {"retrieval": {"limit": 5}})
    assert await count(client) == 5


async def test_a_client_that_refuses_to_answer(client: Local, notes: Path) -> None:
    client.silent.add("workspace/configuration")
    await client.initialize(notes, capabilities=ASKED, options=OFF | {"retrieval": {"limit": 5}})
    await client.until(lambda: client.sent("workspace/configuration"))
    question = next(message for message in client.messages if message.get("method") == "workspace/configuration")
    client.carry({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32601, "message": "no"}})
    assert await count(client) == 5


async def test_a_bad_value_is_named_once_and_its_default_used(client: Local, notes: Path) -> None:
    client.configuration = bad = {"retrieval": {"limit": "many", "seeds": 4}, "diagnostics": {"dangling-link": "loud"}}
    await client.initialize(notes, capabilities=ASKED, options=OFF | bad)
    assert await count(client) == 8
    assert client.server.settings.retrieval.seeds == 4
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    await client.until(lambda: len(client.sent("workspace/configuration")) == 2)
    await client.request("memory/stats")
    (message,) = client.sent("window/showMessage")
    assert message["type"] == 2
    assert "memory.retrieval.limit" in message["message"]
    assert "memory.diagnostics.dangling-link" in message["message"]


async def test_settings_that_are_pushed(client: Local, notes: Path) -> None:
    await client.initialize(notes)
    assert await count(client) == 8
    client.notify("workspace/didChangeConfiguration", {"settings": {"memory": {"retrieval": {"limit": 4}}}})
    assert await count(client) == 4
    client.notify("workspace/didChangeConfiguration", {"settings": {"memory": {}}})
    assert await count(client) == 8


async def test_a_setting_that_is_taken_back(client: Local, notes: Path) -> None:
    client.configuration = {"retrieval": {"limit": 2}}
    await client.initialize(notes, capabilities=ASKED)
    assert await count(client) == 2
    client.configuration = {}
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    async with asyncio.timeout(10):
        while await count(client) != 8:
            await client.request("memory/stats")


async def test_the_severity_of_a_diagnostic_changes_at_once(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[gone]]")
    await client.initialize(tmp_path)
    await client.shows(uri, "dangling-link")
    await client.opened(tmp_path, "a.md")
    (memory,) = client.server.session.memories
    client.notify(
        "workspace/didChangeConfiguration", {"settings": {"memory": {"diagnostics": {"dangling-link": "error"}}}}
    )
    await client.until(lambda: client.diagnostics[uri][0]["severity"] == 1)
    client.notify(
        "workspace/didChangeConfiguration", {"settings": {"memory": {"diagnostics": {"dangling-link": "off"}}}}
    )
    await client.shows(uri)
    # Nothing else was made anew for that.
    assert client.server.session.memories == (memory,)


async def test_other_directories_while_documents_are_open(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[gone]]")
    b = put(tmp_path / "deep/b.md", "text")
    await client.initialize(tmp_path)
    await client.opened(tmp_path, "deep/b.md")
    client.change(b, "[[typed]]")
    await client.shows(b, "dangling-link")
    client.notify("workspace/didChangeConfiguration", {"settings": {"memory": OFF | {"directories": ["deep"]}}})
    await client.shows((tmp_path / "a.md").as_uri())
    await client.shows(b, "dangling-link")
    assert {place.root for place in client.server.session.places()} == {tmp_path / "deep"}
    client.change(b, "[[typed]] [[twice]]", 3)
    await client.shows(b, "dangling-link", "dangling-link")


async def test_other_globs(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]", b="text")
    await client.initialize(tmp_path)
    uri = await client.opened(tmp_path, "a.md")
    client.notify("workspace/didChangeConfiguration", {"settings": {"memory": OFF | {"exclude": ["b.md"]}}})
    await client.shows(uri, "dangling-link")
    client.notify("workspace/didChangeConfiguration", {"settings": {"memory": OFF}})
    await client.shows(uri)


@pytest.mark.parametrize("kind", ["claude", "freecode"])
async def test_the_directories_of_other_tools(client: Local, tmp_path: Path, home: Path, kind: str) -> None:
    project = tmp_path / "my.project"
    project.mkdir()
    dashed = str(project.resolve()).replace("/", "-")
    place = home / (f".claude/projects/{dashed}" if kind == "claude" else ".freecode/projects/my.project") / "memory"
    uri = put(place / "a.md", "[[gone]]")
    await client.initialize(project, options=OFF | {"directories": [kind]})
    await client.shows(uri, "dangling-link")
