"""A server in this process: real routing, conversion and error paths, about a millisecond a request."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from memory_lsp.lsp.server import create_server
from peer import Peer

if TYPE_CHECKING:
    from pathlib import Path


class Local(Peer):
    """A client and the server it talks to."""

    def __init__(self) -> None:
        super().__init__()
        self.server = create_server()
        self.exits: list[int] = []
        self.server.protocol.set_writer(self)
        self.server.protocol.on_exit = self.exits.append

    def write(self, data: bytes) -> None:
        """Take what the server writes."""
        _, _, body = data.partition(b"\r\n\r\n")
        self.feed(json.loads(body))

    def carry(self, message: object) -> None:
        self.server.protocol.receive(message, "")

    async def quiet(self) -> None:
        """Wait until the diagnostics of every note are published and no job is left."""
        await self.server.session.placed()
        await self.server.session.placed()
        for memory in self.server.session.memories:
            await self.server.session.ready(memory)
            await memory.indexer.finish()
        while (task := self.server.publisher._task) is not None and not task.done():
            await asyncio.wait((task,))

    async def opened(self, folder: Path, path: str) -> str:
        """Open a note as it is on disk, wait until it shows something, return its URI."""
        uri = (folder / path).as_uri()
        before = len(self.published)
        self.open(uri, (folder / path).read_bytes().decode())
        await self.until(lambda: any(item["uri"] == uri for item in self.published[before:]))
        return uri
