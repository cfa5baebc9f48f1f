"""Another model in the settings: everything is embedded anew, told as progress, while keywords answer."""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import Plan
from memory_lsp.embedding.prompts import Prompts
from memory_lsp.lsp import server
from peer import write

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from local import Local
    from memory_lsp.config import EmbeddingConfig

FAKE = Path(__file__).parents[1] / "fakes" / "embedder.py"
PATIENCE = 20.0


class Held:
    """Holds the process at each text of the second model until it is let through."""

    def __init__(self) -> None:
        self.arrived = asyncio.Event()
        self._writers: list[asyncio.StreamWriter] = []
        self._opened = False

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        if self._opened:
            writer.write(b"!")
        self.arrived.set()
        await reader.read()
        writer.close()

    def open(self) -> None:
        self._opened = True
        for writer in self._writers:
            writer.write(b"!")


@pytest.fixture
async def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Held]:
    held = Held()
    gate = await asyncio.start_server(held.meet, "127.0.0.1", 0)
    port = gate.sockets[0].getsockname()[1]

    def plan(config: EmbeddingConfig) -> Plan:
        prompts = Prompts("", "gate ") if config.model == "second" else Prompts()
        return Plan("onnx", config.model, f"fake/{config.model or 'first'}", "", "", prompts, 0.7)

    command = [sys.executable, "-P", str(FAKE), "--journal", str(tmp_path / "journal"), "--gate", str(port)]
    monkeypatch.setattr(server, "make_plan", plan)
    monkeypatch.setattr(server, "Embedder", functools.partial(Embedder, command=command))
    yield held
    gate.close()


async def test_keywords_serve_while_another_model_embeds_everything(client: Local, held: Held, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "project").mkdir(parents=True)
    write(
        folder / "project",
        ferry="---\nname: ferry\n---\nThe ferry leaves at 9",
        bread="---\nname: bread\n---\nBake the bread at 210",
    )
    await client.initialize(folder, capabilities={"window": {"workDoneProgress": True}}, options={"embedding": {}})
    await client.quiet()
    stats = await client.request("memory/stats", {})
    assert (stats["vectors"], stats["embedder"]["modelId"]) == (2, "fake/first")

    client.notify("workspace/didChangeConfiguration", {"settings": {"memory": {"embedding": {"model": "second"}}}})
    await asyncio.wait_for(held.arrived.wait(), PATIENCE)
    answer = await client.request("memory/retrieve", {"query": "when does the ferry leave"})
    assert (answer["results"][0]["id"], answer["seedMode"], answer["isIncomplete"]) == (
        "project/ferry",
        "keyword",
        True,
    )
    await client.until(lambda: any("0/2" in str(item) for item in client.sent("$/progress")))

    held.open()
    await client.quiet()
    stats = await client.request("memory/stats", {})
    assert (stats["vectors"], stats["embedder"]["modelId"]) == (2, "fake/second")
    meta = json.loads((folder / ".graph/meta.json").read_text())
    assert meta["modelId"] == "fake/second"
    assert len(meta["entries"]) == 2
    asked = (tmp_path / "journal").read_text().splitlines()
    assert "gate ferry" in asked
    assert "ferry" in asked
