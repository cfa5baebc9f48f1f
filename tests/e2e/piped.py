"""A server in a process of its own, spoken to over its pipes; every byte it writes must be a frame."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from peer import PATIENCE, Peer, framed

if TYPE_CHECKING:
    from collections.abc import Sequence

SERVE = (sys.executable, "-m", "memory_lsp", "--stdio")
REAL: dict[str, object] = {}
"""Initialization options that leave the real model on."""


class Piped(Peer):
    """A client and the process it talks to."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        super().__init__()
        self.process = process
        self.stray = b""  # what it wrote outside of frames
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, log: Path, command: Sequence[str] = SERVE, **env: str) -> Piped:
        """Start a server whose log goes to a file."""
        with log.open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=errors,
                env=os.environ | env, limit=64 * 1024 * 1024,
            )  # fmt: skip
        return cls(process)

    def carry(self, message: object) -> None:
        self.send(framed(message))

    def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def hang_up(self) -> None:
        """Close the server's input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def ended(self, seconds: float = PATIENCE) -> int:
        """Wait for the end of the process and of its output; return its status."""
        async with asyncio.timeout(seconds):
            code = await self.process.wait()
            await self._reading
        return code

    async def stop(self) -> None:
        """End the process, whatever it does."""
        if self.process.returncode is None:
            self.process.kill()
        with contextlib.suppress(ConnectionError):
            self.hang_up()
        await self.ended()

    async def leave(self) -> int:
        """Say good-bye as the protocol wants it."""
        await self.request("shutdown")
        self.notify("exit")
        return await self.ended()

    def memory(self) -> int:
        """Return the process's resident memory in bytes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    async def _read(self) -> None:
        assert self.process.stdout is not None
        output = self.process.stdout
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                header = await output.readuntil(b"\r\n\r\n")
                lines = header.decode("ascii", "replace").split("\r\n")
                if not all(line == "" or line.startswith(("Content-Length: ", "Content-Type: ")) for line in lines):
                    self.stray += header
                    continue
                length = next(int(line[16:]) for line in lines if line.startswith("Content-Length: "))
                self.feed(json.loads(await output.readexactly(length)))
        self._news.set()


def children(pid: int) -> list[int]:
    """Return the processes that a process started and that still run."""
    with contextlib.suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    return []


async def gone(pid: int, seconds: float) -> None:
    """Wait until a process has ended, whoever's child it is."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(handle, ended.set)
    try:
        await asyncio.wait_for(ended.wait(), seconds)
    finally:
        loop.remove_reader(handle)
        os.close(handle)
