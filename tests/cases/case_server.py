"""A real server process spoken to over its own stdin and stdout."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Self

from peer import Peer, framed


class StdioPeer(Peer):
    """`async with StdioPeer() as peer:` starts a server and ends it by the protocol's rules."""

    process: asyncio.subprocess.Process

    async def __aenter__(self) -> Self:
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "memory_lsp", "--stdio", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *failure: object) -> None:
        if failure[0] is None:
            await self.request("shutdown")
            self.notify("exit")
        else:
            self.process.kill()
        await asyncio.wait_for(self.process.wait(), 20)
        await self._reading

    def carry(self, message: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(framed(message))

    async def _read(self) -> None:
        stream = self.process.stdout
        assert stream
        length = 0
        while header := await stream.readline():
            name, colon, value = header.partition(b":")
            if name == b"Content-Length":
                length = int(value)
            elif not colon:
                assert header == b"\r\n", header
                self.feed(json.loads(await stream.readexactly(length)))
