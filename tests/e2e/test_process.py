"""The process: how it ends, what it writes, what it survives."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

import pytest
from peer import Refused, put, write
from piped import REAL, SERVE, Piped, children, gone

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Start

# What users see is under a second; the rest is for a machine that does ten things at once.
SOON = 5.0


async def begun(start: Start, vault: Path, *, model: bool = False, **more: object) -> Piped:
    piped = await start()
    await piped.initialize(vault, **({"options": REAL} if model else {}), **more)
    return piped


async def embedding(piped: Piped) -> list[int]:
    """Wait until the embedder's process runs; return the server's children."""
    assert piped.process.pid
    async with asyncio.timeout(20):
        while not children(piped.process.pid):
            await piped.request("memory/stats")
    return children(piped.process.pid)


async def test_exit_after_shutdown(start: Start, vault: Path) -> None:
    piped = await begun(start, vault)
    assert await piped.leave() == 0


async def test_exit_without_shutdown(start: Start, vault: Path) -> None:
    piped = await begun(start, vault)
    piped.notify("exit")
    assert await piped.ended(SOON) == 1


async def test_exit_before_initialize(start: Start) -> None:
    piped = await start()
    piped.notify("exit")
    assert await piped.ended() == 1


@pytest.mark.model
@pytest.mark.parametrize("how", ["exit", "end of input", "SIGTERM"])
async def test_the_end_while_the_model_loads_and_notes_are_indexed(start: Start, vault: Path, how: str) -> None:
    write(vault, MEMORY="", **{f"n{number}": f"note {number} " + "words " * 300 for number in range(200)})
    piped = await begun(start, vault, model=True)
    below = await embedding(piped)
    began = time.monotonic()
    if how == "exit":
        piped.ask("shutdown")
        piped.notify("exit")
    elif how == "SIGTERM":
        piped.process.send_signal(signal.SIGTERM)
    else:
        piped.hang_up()
    await piped.ended(SOON)
    assert time.monotonic() - began < SOON
    for pid in below:
        await gone(pid, SOON)


PARENT = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdin=0, stdout=1)
print(server.pid, file=sys.stderr, flush=True)
server.wait()
"""


async def test_the_end_when_the_parent_dies_and_the_pipes_stay_open(vault: Path) -> None:
    """Something else may hold the server's input open after the editor is gone."""
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, *SERVE, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert parent.stderr is not None
    pid = int(await parent.stderr.readline())
    piped = Piped(parent)
    await piped.initialize(vault, process=parent.pid)
    await piped.request("memory/stats")
    parent.kill()
    await gone(pid, 10)
    await piped.stop()


async def test_a_parent_that_is_gone_before_initialize(start: Start, vault: Path) -> None:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await process.wait()
    piped = await start()
    piped.ask("initialize", {"processId": process.pid, "rootUri": vault.as_uri(), "capabilities": {}})
    await piped.ended(10)


async def test_a_client_that_never_reads_does_not_hold_up_the_end(vault: Path, tmp_path: Path) -> None:
    write(vault, **{f"n{number}": "[[nowhere]] " * 200 for number in range(50)})
    with (tmp_path / "stderr").open("wb") as errors:
        read, wrote = os.pipe()
        process = await asyncio.create_subprocess_exec(
            *SERVE, stdin=asyncio.subprocess.PIPE, stdout=wrote, stderr=errors
        )
        os.close(wrote)
    assert process.stdin is not None
    talker = _Talker(process.stdin)
    talker.carry_initialize(vault)
    for number in range(200):
        talker.ask("memory/graph", {"number": number})
    talker.ask("shutdown")
    talker.notify("exit")
    async with asyncio.timeout(15):
        await process.wait()
    os.close(read)


class _Talker(Piped):
    def __init__(self, stdin: asyncio.StreamWriter) -> None:
        super(Piped, self).__init__()
        self._stdin = stdin

    def send(self, data: bytes) -> None:
        self._stdin.write(data)

    def carry_initialize(self, vault: Path) -> None:
        options = {"embedding": {"backend": "none"}}
        params = {"processId": None, "rootUri": vault.as_uri(), "capabilities": {}, "initializationOptions": options}
        self.ask("initialize", params)
        self.notify("initialized", {})


PRINTS = """
import sys
from memory_lsp.lsp import server, stdio
from memory_lsp.lsp.handlers import register

def loud(ls, params):
    print("a stray line")
    sys.stdout.write("another\\n")
    sys.stdout.flush()
    import os, subprocess
    os.write(1, b"Content-Length: 5\\r\\n\\r\\n")
    subprocess.run([sys.executable, "-c", "print('from a child')"], check=True)
    return {"heard": True}

make = server.create_server
def create_server():
    made = make()
    register(made, {"test/loud": loud})
    return made

stdio.create_server = create_server
stdio.serve_stdio()
"""


async def test_a_print_in_a_handler_does_not_break_the_session(start: Start, vault: Path) -> None:
    piped = await start((sys.executable, "-c", PRINTS))
    await piped.initialize(vault)
    for _ in range(3):
        assert await piped.request("test/loud", {}) == {"heard": True}
    assert (await piped.request("memory/stats"))["notes"] == 0
    assert piped.stray == b""
    assert await piped.leave() == 0


STUCK = """
import threading
from memory_lsp import directory
from memory_lsp.lsp import stdio

directory.read_note = lambda path: threading.Event().wait()
stdio.serve_stdio()
"""


async def test_the_end_while_a_disk_does_not_answer(start: Start, vault: Path) -> None:
    write(vault, a="text")
    piped = await start((sys.executable, "-c", STUCK))
    await piped.initialize(vault, capabilities={"experimental": {"memoryStatus": True}})
    await piped.until(lambda: any(each["directories"] for each in piped.sent("memory/status")))
    await piped.request("shutdown")
    piped.notify("exit")
    assert await piped.ended(SOON) == 0


async def test_damage_on_the_wire(start: Start, vault: Path) -> None:
    piped = await begun(start, vault)
    for damage in (
        b"garbage\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: 99999999999999\r\n\r\n",
        b"Content-Length: 7\r\n\r\nno json",
        b"Content-Length: 2\r\n\r\n[]",
        b"Content-Length: 100000\r\n\r\n" + b"[" * 100_000,
    ):
        piped.send(damage)
        assert (await piped.request("memory/stats"))["notes"] == 0
    codes = [message["error"]["code"] for message in piped.messages if message.get("id", 0) is None]
    assert codes == [-32700, -32700, -32600, -32700]
    assert await piped.leave() == 0


async def test_a_flood_of_edits_keeps_memory_flat(start: Start, vault: Path) -> None:
    uri = put(vault / "a.md", "start")
    write(vault, b="# B")
    piped = await begun(start, vault)
    piped.open(uri, "start")
    await piped.until(lambda: uri in piped.diagnostics)

    async def flood(first: int, count: int) -> None:
        for version in range(first, first + count):
            piped.change(uri, f"{'word ' * 200} {version}\n[[b]] [[gone {version}]]", version)
        found = await piped.definition(uri, 1, 3)
        assert found[0]["uri"] == (vault / "b.md").as_uri()
        assert piped.published[-1]["version"] == first + count - 1
        assert str(first + count - 1) in piped.published[-1]["diagnostics"][-1]["message"]

    await flood(2, 500)
    before = piped.memory()
    await flood(502, 2_000)
    assert piped.memory() - before < 4 * 1024 * 1024


async def test_the_log_holds_no_text_of_notes(
    start: Start, vault: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    put(vault / "a.md", "plain")
    piped = await begun(start, vault)
    uri = (vault / "a.md").as_uri()
    piped.open(uri, "the word hunter2 stands here [[gone]]")
    piped.notify("textDocument/didChange", {"textDocument": {"uri": uri}, "contentChanges": "hunter2"})
    with pytest.raises(Refused):
        await piped.request("memory/retrieve", {"query": {"hunter2": 1}})
    with pytest.raises(Refused):
        await piped.request("textDocument/hover", {"textDocument": "hunter2"})
    assert await piped.leave() == 0
    logs = list(tmp_path_factory.getbasetemp().glob("log*/stderr"))
    assert logs
    assert not any("hunter2" in log.read_text(encoding="utf-8") for log in logs)
