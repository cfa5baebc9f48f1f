"""The disk refuses, or loses the sidecar, while a server runs: it says so, goes on, and makes up for it later."""

from __future__ import annotations

import errno
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from memory_lsp.sidecar import Row, Sidecar
from peer import write

if TYPE_CHECKING:
    from conftest import Start
    from piped import Piped

FAKES = Path(__file__).resolve().parents[1] / "fakes"
SERVER = """
import os, sys
from pathlib import Path

fakes, journal, refusal = sys.argv[1:]
sys.path.insert(0, fakes)
import counted
from memory_lsp.sidecar.files import Files

def refusing(act):
    def refused(*args, **more):
        if Path(refusal).exists():
            code = int(Path(refusal).read_text())
            raise OSError(code, os.strerror(code))
        return act(*args, **more)
    return refused

for name in ("write", "write_at"):
    setattr(Files, name, refusing(getattr(Files, name)))
counted.be_the_server(Path(journal))
"""


class Bench:
    """A server with a counting embedder, and what makes its disk refuse."""

    def __init__(self, server: Piped, root: Path, journal: Path, refusal: Path) -> None:
        self.server, self.root, self.journal, self.refusal = server, root, journal, refusal

    @classmethod
    async def begin(cls, start: Start, root: Path) -> Bench:
        write(root, MEMORY="# Memory", a="about the ferry", b="about the tide")
        journal, refusal = root.parent / "embedded", root.parent / "refusal"
        journal.touch()
        server = await start((sys.executable, "-c", SERVER, str(FAKES), str(journal), str(refusal)))
        await server.initialize(root, options={}, capabilities={"experimental": {"memoryStatus": True}})
        bench = cls(server, root, journal, refusal)
        await bench.holds(2)
        return bench

    async def holds(self, rows: int) -> None:
        """Wait until the sidecar has so many rows."""
        await self.server.until(lambda: self.said["quiescent"] and self.said["directories"])
        while len(Sidecar(self.root / ".graph", "counted/8").load().rows) != rows:
            await self.server.request("memory/retrieve", {"query": "ferry"})

    @property
    def said(self) -> dict[str, object]:
        """Return the last status."""
        return (self.server.sent("memory/status") or [{"quiescent": False}])[-1]

    def save(self, name: str, text: str) -> None:
        write(self.root, **{name: text})
        self.server.save((self.root / f"{name}.md").as_uri())

    def embedded_once(self) -> bool:
        """Tell whether no text, of a note or a question, was embedded twice."""
        texts = self.journal.read_text(encoding="ascii").splitlines()
        return len(texts) == len(set(texts))


@pytest.mark.parametrize(
    ("code", "advice"), [(errno.ENOSPC, "The disk is full"), (errno.EROFS, "make the folder writ")]
)
async def test_a_disk_that_takes_nothing(start: Start, vault: Path, code: int, advice: str) -> None:
    bench = await Bench.begin(start, vault)
    bench.refusal.write_text(str(code))
    bench.save("c", "about the lantern")
    await bench.server.until(lambda: advice in str(bench.said["message"]))
    assert str(vault / ".graph") in str(bench.said["message"])
    found = await bench.server.request("memory/retrieve", {"query": "lantern"})
    assert found["results"][0]["name"] == "c"
    bench.refusal.unlink()
    await bench.holds(3)
    await bench.server.until(lambda: bench.said["health"] == "ok")
    assert bench.embedded_once()


async def test_the_sidecar_is_deleted_while_in_use(start: Start, vault: Path) -> None:
    bench = await Bench.begin(start, vault)
    shutil.rmtree(vault / ".graph")
    await bench.holds(2)
    await bench.server.until(lambda: "the sidecar were deleted" in str(bench.said["directories"]))
    assert bench.embedded_once()


async def test_a_row_without_a_note_goes(start: Start, vault: Path) -> None:
    """Another process may store a note's vector after the note was deleted, and end before it sees that."""
    bench = await Bench.begin(start, vault)
    other = Sidecar(vault / ".graph", "counted/8")
    other.load()
    other.append([Row("note/gone", "a hash", np.eye(1, 8, dtype=np.float32)[0])])
    await bench.holds(2)
    assert set(Sidecar(vault / ".graph", "counted/8").load().rows) == {"note/a", "note/b"}
