"""`memory/status`: to those who asked, when it changed, and with what to do."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from peer import put, write

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local

ASKED = {"experimental": {"memoryStatus": True}}
MISSING = {"embedding": {"model": "/does/not/exist"}}


async def test_the_status_ends_quiescent_and_comes_on_change_only(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="text", b="text")
    await client.initialize(tmp_path, capabilities=ASKED)
    await client.until(lambda: client.sent("memory/status") and client.sent("memory/status")[-1]["quiescent"])
    await client.quiet()
    said = client.sent("memory/status")
    assert said[0]["quiescent"] is False
    assert said[-1]["health"] == "ok"
    assert said[-1]["directories"][0]["path"] == str(tmp_path)
    assert (said[-1]["directories"][0]["notes"], said[-1]["directories"][0]["kind"]) == (2, "vault")
    assert all(one != other for one, other in itertools.pairwise(said))
    for _ in range(5):
        await client.request("memory/retrieve", {"query": "text"})
    assert client.sent("memory/status") == said


async def test_nobody_is_told_who_did_not_ask(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="text")
    await client.initialize(tmp_path)
    await client.quiet()
    assert client.sent("memory/status") == []
    assert client.sent("window/logMessage") == []


async def test_a_model_that_cannot_be_had(client: Local, tmp_path: Path) -> None:
    write(tmp_path, tables="comparisons as tables", other="something else")
    await client.initialize(tmp_path, capabilities=ASKED, options=MISSING)
    answer = await client.request("memory/retrieve", {"query": "tables"})
    assert answer["results"][0]["id"] == "note/tables"
    assert (answer["seedMode"], answer["isIncomplete"]) == ("keyword", True)
    await client.quiet()
    last = client.sent("memory/status")[-1]
    assert (last["health"], last["quiescent"]) == ("warning", True)
    assert "/does/not/exist" in last["message"]
    assert "memory.embedding.model" in last["message"]
    assert (await client.request("memory/stats"))["embedder"]["state"] == "failed"
    # Once, also for those who read the log only.
    write(tmp_path, more="text")
    await client.until(lambda: client.sent("memory/status")[-1]["directories"][0]["notes"] == 3)
    (logged,) = client.sent("window/logMessage")
    assert logged["message"] == last["message"]


async def test_a_model_that_is_put_right(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="text")
    await client.initialize(tmp_path, capabilities=ASKED, options=MISSING)
    await client.until(lambda: client.sent("memory/status") and client.sent("memory/status")[-1]["health"] == "warning")
    client.notify(
        "workspace/didChangeConfiguration", {"settings": {"memory": {"embedding": {"backend": "none", "model": ""}}}}
    )
    await client.until(lambda: client.sent("memory/status")[-1]["health"] == "ok")


async def test_files_that_cannot_be_read_as_they_are(client: Local, tmp_path: Path) -> None:
    put(tmp_path / "a.md", "text")
    (tmp_path / "b.md").write_bytes(b"caf\xe9 [[a]]")
    await client.initialize(tmp_path, capabilities=ASKED)
    await client.until(lambda: client.sent("memory/status") and client.sent("memory/status")[-1]["health"] == "warning")
    assert "b.md is not UTF-8" in client.sent("memory/status")[-1]["message"]
    (tmp_path / "b.md").write_text("café", encoding="utf-8")
    await client.until(lambda: client.sent("memory/status")[-1]["health"] == "ok")


async def test_a_sidecar_that_cannot_be_written(client: Local, tmp_path: Path) -> None:
    put(tmp_path / "MEMORY.md", "")
    put(tmp_path / "a.md", "text")
    # A file where the folder should be refuses even root.
    put(tmp_path / ".graph", "in the way")
    await client.initialize(tmp_path, capabilities=ASKED)
    await client.quiet()
    last = client.sent("memory/status")[-1]
    assert last["health"] == "warning"
    assert str(tmp_path / ".graph") in last["message"]
    assert (await client.request("memory/retrieve", {"query": "text"}))["results"]
    (tmp_path / ".graph").unlink()
    put(tmp_path / "a.md", "other text")
    await client.until(lambda: client.sent("memory/status")[-1]["health"] == "ok")
    assert (tmp_path / ".graph/graph.json").is_file()


async def test_no_progress_is_begun_without_being_asked_for(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="text")
    await client.initialize(tmp_path)
    await client.quiet()
    assert client.sent("window/workDoneProgress/create") == []
    assert client.sent("$/progress") == []


async def test_quiet_is_said_once_and_at_the_end(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]", b="text")
    await client.initialize(tmp_path, capabilities=ASKED)
    await client.until(lambda: client.sent("memory/status") and client.sent("memory/status")[-1]["quiescent"])
    said = [status["quiescent"] for status in client.sent("memory/status")]
    assert said == sorted(said)
    assert client.sent("memory/status")[-1]["directories"][0]["notes"] == 2
