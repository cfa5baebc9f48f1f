"""With the real model: what is embedded, what reaches the disk, and what happens without the process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from typing import TYPE_CHECKING

import pytest
from peer import put, write
from piped import REAL, Piped, children

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Start
    from peer import Wire

pytestmark = pytest.mark.model

ASKED = {"experimental": {"memoryStatus": True}, "window": {"workDoneProgress": True}}
QUERY = {"query": "use markdown tables when comparing options"}


async def begun(start: Start, vault: Path) -> Piped:
    piped = await start()
    await piped.initialize(vault, capabilities=ASKED, options=REAL)
    return piped


def status(piped: Piped) -> Wire:
    return (piped.sent("memory/status") or [{"quiescent": False, "directories": []}])[-1]


async def settled(piped: Piped, vectors: int) -> None:
    """Wait until nothing is left to do and every note has its vector."""

    def done() -> bool:
        now = status(piped)
        return now["quiescent"] and now["directories"] and now["directories"][0]["vectors"] == vectors

    await piped.until(done, 60)


def embedded(piped: Piped) -> list[int]:
    """Return how many notes each indexing job of this session embedded, as its progress told."""
    jobs = [params["value"] for params in piped.sent("$/progress") if params["value"]["kind"] == "report"]
    return [int(job["message"].partition("/")[2].split()[0]) for job in jobs if job["message"].startswith("0/")]


def rows(vault: Path) -> dict[str, str]:
    meta = json.loads((vault / ".graph/meta.json").read_text(encoding="utf-8"))
    return {entry["id"]: entry["hash"] for entry in meta["entries"]}


async def stored(piped: Piped, vault: Path, unlike: dict[str, str]) -> dict[str, str]:
    """Return the rows of the snapshot once they are new: it is written when the index has been at rest for a while."""
    async with asyncio.timeout(60):
        while not (vault / ".graph/meta.json").exists() or rows(vault) == unlike:
            await piped.request("memory/stats")
    return rows(vault)


@pytest.fixture
def vault(vault: Path) -> Path:
    write(
        vault,
        MEMORY="- [tables](tables.md)\n",
        tables="---\nname: tables\ndescription: how to compare\n---\nRender comparisons as tables.\n",
        weather="---\nname: weather\ndescription: rain\n---\nIt rained on the harbour all day.\n",
        bread="---\nname: bread\ndescription: sourdough\n---\nLet the dough rest overnight.\n",
    )
    return vault


async def test_a_save_embeds_one_note_and_a_restart_none(start: Start, vault: Path) -> None:
    piped = await begun(start, vault)
    await settled(piped, 3)
    assert embedded(piped) == [3]
    answer = await piped.request("memory/retrieve", QUERY)
    assert (answer["results"][0]["id"], answer["seedMode"], answer["isIncomplete"]) == ("note/tables", "hybrid", False)
    first = await stored(piped, vault, {})
    vectors = (vault / ".graph/embeddings.bin").read_bytes()
    assert len(vectors) == 3 * 384 * 4

    uri = (vault / "bread.md").as_uri()
    piped.open(uri, (vault / "bread.md").read_text(encoding="utf-8"))
    piped.change(uri, "---\nname: bread\n---\nThe unsavedsecretword of the baker.\n")
    await piped.request("memory/retrieve", {"query": "unsavedsecretword"})
    text = "---\nname: bread\n---\nBake it hot.\n"
    piped.change(uri, text, 3)
    put(vault / "bread.md", text)
    piped.save(uri)
    await piped.until(lambda: len(embedded(piped)) == 2, 30)
    await settled(piped, 3)
    assert embedded(piped) == [3, 1]
    second = await stored(piped, vault, first)
    assert {id_ for id_ in second if second[id_] != first[id_]} == {"note/bread"}
    assert not any(b"unsavedsecretword" in file.read_bytes() for file in (vault / ".graph").iterdir())
    assert await piped.leave() == 0
    assert not any(b"unsavedsecretword" in file.read_bytes() for file in (vault / ".graph").iterdir())

    again = await begun(start, vault)
    stats = await again.request("memory/stats")
    assert (stats["vectors"], stats["dims"]) == (3, 384)
    await settled(again, 3)
    assert embedded(again) == []
    assert children(again.process.pid) == []
    assert rows(vault) == second


async def test_the_process_of_the_model_is_killed(start: Start, vault: Path) -> None:
    piped = await begun(start, vault)
    await settled(piped, 3)
    assert (await piped.request("memory/retrieve", QUERY))["seedMode"] == "hybrid"
    (pid,) = children(piped.process.pid)
    # Stopped, it has taken the request when it is killed.
    os.kill(pid, signal.SIGSTOP)
    _, answer = piped.ask("memory/retrieve", {"query": "rain at the harbour"})
    await piped.request("memory/stats")
    os.kill(pid, signal.SIGKILL)
    first = (await answer)["result"]
    assert (first["seedMode"], first["isIncomplete"]) == ("keyword", True)
    assert first["results"][0]["id"] == "note/weather"
    second = await piped.request("memory/retrieve", {"query": "rain at the harbour"})
    assert (second["seedMode"], second["isIncomplete"]) == ("hybrid", False)
    assert second["results"][0]["id"] == "note/weather"
    assert children(piped.process.pid) != [pid]


async def test_progress_is_shown_and_can_be_cancelled(start: Start, vault: Path) -> None:
    write(vault, **{f"n{number}": f"note {number} on " + "many words " * 60 for number in range(120)})
    piped = await begun(start, vault)
    await piped.until(lambda: piped.sent("$/progress"), 30)
    token = piped.sent("$/progress")[0]["token"]
    assert piped.sent("window/workDoneProgress/create") == [{"token": token}]
    assert piped.sent("$/progress")[0]["value"]["cancellable"] is True
    await piped.until(
        lambda: any("/123 notes" in str(item) and "0/123" not in str(item) for item in piped.sent("$/progress")), 60
    )
    piped.notify("window/workDoneProgress/cancel", {"token": token})
    await piped.until(lambda: piped.sent("$/progress")[-1]["value"]["kind"] == "end", 30)
    assert piped.sent("$/progress")[0]["value"]["kind"] == "begin"
    stopped = await piped.request("memory/stats")
    assert 0 < stopped["vectors"] < 123
    # What is left waits for the next change.
    assert (await piped.request("memory/retrieve", QUERY))["isIncomplete"] is True
    put(vault / "bread.md", "something new")
    await settled(piped, 123)
    assert (await piped.request("memory/retrieve", QUERY))["isIncomplete"] is False


async def test_a_note_with_a_secret_has_no_vector(start: Start, vault: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    piped = await begun(start, vault)
    await settled(piped, 3)
    put(vault / "bread.md", f"token: {secret}\n")
    await piped.shows(
        (vault / "bread.md").as_uri(),
        "contains-secret",
    )
    await settled(piped, 2)
    assert set(await stored(piped, vault, {})) == {"note/tables", "note/weather"}
    assert not any(secret.encode() in file.read_bytes() for file in (vault / ".graph").iterdir())
    assert (await piped.request("memory/node", {"id": "note/bread"}))["node"]["kind"] == "Memory"


async def test_a_vector_of_another_width(start: Start, vault: Path) -> None:
    piped = await begun(start, vault)
    await settled(piped, 3)
    _, answer = piped.ask("memory/retrieve", {"query": "x", "vector": [0.1, 0.2]})
    error = (await answer)["error"]
    assert error["code"] == -32602
    assert error["message"] == "vector: expected 384 numbers, got 2."
    vector = [1.0] + [0.0] * 383
    assert (await piped.request("memory/retrieve", {"query": "x", "vector": vector}))["results"] is not None
