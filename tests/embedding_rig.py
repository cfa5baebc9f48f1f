"""What the embedder's tests share: a gate to hold a process at, and an embedder whose process is the fake."""

from __future__ import annotations

import asyncio
import math
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.embedding.client import Embedder, EmbedderState
from memory_lsp.embedding.plan import Plan

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

FAKES = Path(__file__).parent / "fakes"
PLAN = Plan("onnx", "fake", "fake-id", "", "")
PATIENCE = 60.0  # seconds; only a failing test waits for them


class Gate:
    """Where the fake waits when a text says so."""

    def __init__(self) -> None:
        self._visits: asyncio.Queue[Visit] = asyncio.Queue()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def arrival(self) -> Visit:
        """Wait for the next one to stand at the gate."""
        async with asyncio.timeout(PATIENCE):
            return await self._visits.get()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = Visit((await reader.readline()).decode().strip(), writer)
        self._visits.put_nowait(visit)
        if await reader.read() == b"":
            visit.gone.set()
        writer.close()


@dataclass
class Visit:
    """A process that stands at the gate; `gone` is set when it is through, or dead."""

    text: str
    _writer: asyncio.StreamWriter
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    def let_through(self) -> None:
        self._writer.write(b"!")


@dataclass
class Rig:
    """An embedder with a fake process, its gate, its journal and the states it told."""

    embedder: Embedder
    gate: Gate
    journal: Path
    states: asyncio.Queue[EmbedderState]

    @property
    def starts(self) -> int:
        return self._lines().count("start")

    @property
    def texts(self) -> list[str]:
        """The texts that reached the model, in order."""
        return [line for line in self._lines() if line != "start"]

    async def until(self, status: str) -> EmbedderState:
        """Wait until the embedder tells this status."""
        async with asyncio.timeout(PATIENCE):
            while (state := await self.states.get()).status != status:
                pass
            return state

    async def query(self, text: str) -> NDArray[np.float32] | None:
        return await self.embedder.embed_query(text, PATIENCE)

    def _lines(self) -> list[str]:
        return self.journal.read_text(encoding="utf-8").splitlines() if self.journal.exists() else []


def command(journal: Path, gate: Gate, load: str = "well", answer: str = "well") -> list[str]:
    script = str(FAKES / "embedder.py")
    how = ["--load", load, "--answer", answer, "--journal", str(journal), "--gate", str(gate.port)]
    return [sys.executable, "-P", script, *how]


@asynccontextmanager
async def rig(
    folder: Path,
    *,
    load: str = "well",
    answer: str = "well",
    idle_timeout: float = 0,
    start_deadline: float = PATIENCE,
    slice_deadline: float = PATIENCE,
) -> AsyncIterator[Rig]:
    """Give an embedder whose process fails as told; pauses between restarts are left out."""
    gate, journal, states = Gate(), folder / "journal", asyncio.Queue[EmbedderState]()
    await gate.open()
    embedder = Embedder(
        PLAN,
        idle_timeout=idle_timeout,
        on_state=states.put_nowait,
        start_deadline=start_deadline,
        slice_deadline=slice_deadline,
        pause=0,
        command=command(journal, gate, load, answer),
    )
    try:
        yield Rig(embedder, gate, journal, states)
    finally:
        await embedder.close()
        await gate.close()


def degrees(rows: Sequence[NDArray[np.float32] | None]) -> list[int | None]:
    """Read the fake's vectors: the directions that they point to."""
    return [None if row is None else round(math.degrees(math.atan2(row[1], row[0]))) % 360 for row in rows]
