"""`needsAttention` and `isIncomplete` are true to what is behind in the index, at each moment of its life."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from embedding_rig import Gate
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import Plan
from memory_lsp.embedding.prompts import Prompts
from memory_lsp.lsp import server
from peer import put, write

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from local import Local
    from memory_lsp.config import EmbeddingConfig
    from peer import Wire

FAKE = Path(__file__).parents[1] / "fakes" / "embedder.py"


@pytest.fixture
async def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Gate]:
    """Let the server have the fake embedder, whose process waits at the gate for each note under the model "held"."""
    gate = Gate()
    await gate.open()

    def plan(config: EmbeddingConfig) -> Plan:
        prompts = Prompts("", "gate ") if config.model == "held" else Prompts()
        return Plan("onnx", "fake", "fake/2", "", "", prompts)

    command = (sys.executable, str(FAKE), "--journal", str(tmp_path / "journal"), "--gate", str(gate.port))
    monkeypatch.setattr(server, "make_plan", plan)
    monkeypatch.setattr(server, "Embedder", functools.partial(Embedder, command=command))
    yield gate
    await gate.close()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes" / "user"
    folder.mkdir(parents=True)
    write(folder, apples="Apples are red.", pears="Pears are green.")
    return folder.parent


REAL = {"embedding": {"backend": "auto"}}
HELD = {"embedding": {"backend": "auto", "model": "held"}}


async def asked(client: Local) -> tuple[Wire, Wire, Wire]:
    answer = await client.request("memory/retrieve", {"query": "apples"})
    return answer["seedMode"], answer["isIncomplete"], answer["needsAttention"]


async def test_notes_that_wait_are_counted_until_they_are_embedded(client: Local, gate: Gate, notes: Path) -> None:
    await client.initialize(notes, options=HELD)
    first = await gate.arrival()
    mode, incomplete, attention = await asked(client)
    assert (mode, incomplete) == ("keyword", True)
    assert attention == "2 of 2 notes have no vector yet; keywords find them."
    first.let_through()
    (await gate.arrival()).let_through()
    await client.quiet()
    assert await asked(client) == ("hybrid", False, None)
    put(notes / "user" / "plums.md", "Plums are blue.")
    client.saw((notes / "user" / "plums.md", 1))
    third = await gate.arrival()
    assert await asked(client) == ("hybrid", True, "1 of 3 notes has no vector yet; keywords find it.")
    related = {"textDocument": {"uri": (notes / "user" / "apples.md").as_uri()}}
    about = await client.request("memory/related", related)
    assert (about["isIncomplete"], about["needsAttention"][:6]) == (True, "1 of 3")
    third.let_through()
    await client.quiet()
    assert await asked(client) == ("hybrid", False, None)


async def test_passages_that_wait_are_told_by_the_notes_they_are_of(client: Local, gate: Gate, notes: Path) -> None:
    put(
        notes / "user" / "plums.md", "# Plums\n\n" + "\n\n".join(f"Plum {number} is blue. " * 20 for number in range(6))
    )
    await client.initialize(notes, options=HELD)
    for _ in range(3):
        (await gate.arrival()).let_through()
    passage = await gate.arrival()
    _, incomplete, attention = await asked(client)
    assert (incomplete, attention) == (True, "Passages of 1 long note have no vector yet.")
    passage.let_through()


async def test_a_note_that_the_model_refuses_stays_named_and_is_not_waited_for(
    client: Local, gate: Gate, notes: Path
) -> None:
    put(notes / "user" / "raise x.md", "Of the model's own.")
    await client.initialize(notes, options=REAL)
    await client.quiet()
    said = "The model gives no vector for 1 note (user/raise x.md); keywords find it."
    assert await asked(client) == ("hybrid", False, said)
    put(notes / "user" / "plums.md", "Plums are blue.")
    client.saw((notes / "user" / "plums.md", 1))
    await client.quiet()
    assert await asked(client) == ("hybrid", False, said)
    (notes / "user" / "raise x.md").unlink()
    client.saw((notes / "user" / "raise x.md", 3))
    await client.quiet()
    assert await asked(client) == ("hybrid", False, None)


async def test_a_sidecar_that_cannot_be_written(client: Local, gate: Gate, notes: Path) -> None:
    put(notes / ".graph", "in the way")
    await client.initialize(notes, options=REAL)
    await client.quiet()
    mode, incomplete, attention = await asked(client)
    assert (mode, incomplete) == ("hybrid", False)
    assert str(notes / ".graph") in attention


async def test_a_model_that_cannot_be_had(client: Local, notes: Path) -> None:
    await client.initialize(notes, options={"embedding": {"model": "/does/not/exist"}})
    mode, incomplete, attention = await asked(client)
    assert (mode, incomplete) == ("keyword", True)
    assert attention.startswith("2 of 2 notes have no vector; keywords find them. The model folder /does/not/exist ")


async def test_a_model_that_does_not_start(
    client: Local, gate: Gate, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (sys.executable, str(FAKE), "--journal", str(tmp_path / "journal"), "--load", "missing")
    monkeypatch.setattr(server, "Embedder", functools.partial(Embedder, command=command))
    await client.initialize(notes, options=REAL)
    await client.quiet()
    mode, incomplete, attention = await asked(client)
    assert (mode, incomplete) == ("keyword", True)
    assert attention.startswith("2 of 2 notes have no vector; keywords find them. A library of the embedder cannot")


async def test_nothing_is_behind_where_vectors_are_switched_off(client: Local, notes: Path) -> None:
    await client.initialize(notes)
    await client.quiet()
    assert await asked(client) == ("keyword", True, None)


async def test_a_note_with_a_secret_lacks_nothing(client: Local, gate: Gate, notes: Path) -> None:
    put(notes / "user" / "key.md", "The key is ghp_" + "Zq8Rk2Vw5T" * 3 + "nB3xYd.")
    await client.initialize(notes, options=REAL)
    await client.quiet()
    assert (await client.request("memory/stats"))["vectors"] == 2
    assert await asked(client) == ("hybrid", False, None)
