"""Chunks of long notes from the disk to the answer: what is embedded, what is kept, what goes."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from memory_lsp import answers
from memory_lsp.chunk_index import chunk_sidecar
from memory_lsp.config import read_settings
from memory_lsp.core.chunks import chunks_of, is_chunk, note_of, row_id
from memory_lsp.directory import Buffer
from memory_lsp.discovery import find_places
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import Plan
from memory_lsp.memory import open_memory
from memory_lsp.sidecar import Row, Sidecar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memory_lsp.config import Ranker
    from memory_lsp.memory import Memory
    from numpy.typing import NDArray

DIMS = 256
TOPICS = (
    "harbour",
    "bakery",
    "railway",
    "orchard",
    "library",
    "glacier",
    "theatre",
    "quarry",
    "lighthouse",
    "vineyard",
)


class Words(Embedder):
    """Vectors that are near where texts share words, computed here, and what was asked for."""

    def __init__(self) -> None:
        super().__init__(Plan("onnx", "words", "words", "", ""), idle_timeout=0)
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[NDArray[np.float32] | None]:
        self.texts += texts
        return [vector(text) for text in texts]


def vector(text: str) -> NDArray[np.float32]:
    counts = np.zeros(DIMS)
    for word in text.lower().split():
        counts[int(hashlib.md5(word.strip(".:*").encode(), usedforsecurity=False).hexdigest(), 16) % DIMS] += 1
    return (counts / np.linalg.norm(counts)).astype(np.float32)


def part(topic: str, detail: str = "") -> str:
    return f"## {topic}\n\n" + " ".join(f"The {topic} keeps {topic} ledger {number}." for number in range(14)) + detail


def long_note(name: str = "log", **details: str) -> str:
    body = "\n\n".join(part(topic, details.get(topic, "")) for topic in TOPICS)
    return f"---\nname: {name}\ndescription: what we saw\n---\n\n{body}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "project/log.md").write_text(long_note(), encoding="utf-8")
    (tmp_path / "project/short.md").write_text("---\nname: short\n---\nA short note.\n")
    return tmp_path


@pytest.fixture
def embedder() -> Words:
    return Words()


def opened(folder: Path, embedder: Words, **retrieval: object) -> Memory:
    settings, problems = read_settings({"retrieval": retrieval})
    assert not problems
    memory = open_memory(find_places(folder)[0], settings, "words", embedder)
    memory.load()
    return memory


def index(folder: Path, embedder: Words, **retrieval: object) -> Memory:
    """Open a directory, bring everything up to date, and write it down."""

    async def run() -> Memory:
        memory = opened(folder, embedder, **retrieval)
        memory.indexer.request(None)
        await memory.indexer.finish()
        assert not memory.indexer.problem
        assert not memory.index.problem
        await memory.indexer.close()
        return memory

    return asyncio.run(run())


def stored(folder: Path) -> dict[str, str]:
    rows = Sidecar(folder / ".graph/chunks", "words", owner=note_of).load().rows
    return {id_: row.hash for id_, row in rows.items()}


def files(folder: Path) -> Iterator[bytes]:
    return (path.read_bytes() for path in (folder / ".graph").rglob("*") if path.is_file())


def test_whole_notes_come_first_and_keep_one_row_each(folder: Path, embedder: Words) -> None:
    index(folder, embedder)
    assert sorted(text.split("\n")[0] for text in embedder.texts[:2]) == ["log", "short"]
    assert len(embedder.texts) == 2 + len(TOPICS)
    assert all(text.startswith("log\nwhat we saw\n## ") for text in embedder.texts[2:])
    meta = json.loads((folder / ".graph/meta.json").read_text())
    assert sorted(entry["id"] for entry in meta["entries"]) == ["project/log", "project/short"]
    assert (folder / ".graph/embeddings.bin").stat().st_size == 2 * DIMS * 4
    assert {note_of(row) for row in stored(folder)} == {"project/log"}
    assert len(stored(folder)) == len(TOPICS)


def progress_of(folder: Path, embedder: Words) -> list[tuple[int, int]]:
    """Return what a first indexing tells of its progress."""

    async def run() -> list[tuple[int, int]]:
        memory = opened(folder, embedder)
        seen: list[tuple[int, int]] = []
        memory.indexer.on_change = lambda: seen.append((memory.indexer.progress.done, memory.indexer.progress.total))
        memory.indexer.request(None)
        await memory.indexer.finish()
        await memory.indexer.close()
        return [each for each in seen if each[1]]

    return asyncio.run(run())


def test_progress_counts_notes_and_not_their_passages(folder: Path, embedder: Words) -> None:
    assert progress_of(folder, embedder) == [(0, 2), (1, 2)]


def test_progress_of_long_notes_moves_with_every_batch(folder: Path, embedder: Words) -> None:
    for number in range(39):
        (folder / f"project/log{number}.md").write_text(long_note(f"log{number}"), encoding="utf-8")
    seen = progress_of(folder, embedder)
    done = [each for each, _ in seen]
    assert {total for _, total in seen} == {41}
    assert done == sorted(set(done))
    assert len(done) > 10


def test_another_start_embeds_nothing(folder: Path, embedder: Words) -> None:
    index(folder, embedder)
    embedder.texts.clear()
    memory = index(folder, embedder)
    assert embedder.texts == []
    assert len(memory.indexer.chunks) == len(TOPICS)


def test_an_edit_embeds_the_note_and_the_chunk_it_touches(folder: Path, embedder: Words) -> None:
    index(folder, embedder)
    embedder.texts.clear()
    (folder / "project/log.md").write_text(long_note(theatre=" The curtain is red."), encoding="utf-8")
    index(folder, embedder)
    assert len(embedder.texts) == 2
    assert embedder.texts[1].startswith("log\nwhat we saw\n## theatre")
    assert "curtain" in embedder.texts[1]
    assert len(stored(folder)) == len(TOPICS), "the chunk that was replaced is gone"


def test_a_renamed_file_costs_nothing(folder: Path, embedder: Words) -> None:
    index(folder, embedder)
    embedder.texts.clear()

    async def run() -> None:
        memory = opened(folder, embedder)
        memory.indexer.request(None)
        await memory.indexer.settled()
        (folder / "project/log.md").rename(folder / "project/journal.md")
        memory.follow(memory.directory.refresh(("project/log.md", "project/journal.md")))
        await memory.indexer.finish()
        await memory.indexer.close()

    asyncio.run(run())
    assert embedder.texts == []
    assert len(stored(folder)) == len(TOPICS)


@pytest.mark.parametrize("change", ["delete", "shorten", "switch off"])
def test_chunks_that_nothing_wants_are_gone(folder: Path, embedder: Words, change: str) -> None:
    index(folder, embedder)
    if change == "delete":
        (folder / "project/log.md").unlink()
    elif change == "shorten":
        (folder / "project/log.md").write_text("---\nname: log\n---\nShort now.\n")
    index(folder, embedder, chunks=change != "switch off")
    assert stored(folder) == {}


def test_switched_on_again_they_come_back(folder: Path, embedder: Words) -> None:
    index(folder, embedder, chunks=False)
    assert len(embedder.texts) == 2
    index(folder, embedder)
    assert len(embedder.texts) == 2 + len(TOPICS)


def test_a_folder_that_was_deleted_is_made_again(folder: Path, embedder: Words) -> None:
    index(folder, embedder)
    shutil.rmtree(folder / ".graph/chunks")
    embedder.texts.clear()
    index(folder, embedder)
    assert len(embedder.texts) == len(TOPICS)
    assert len(stored(folder)) == len(TOPICS)


def test_damage_costs_no_more_than_the_chunks(folder: Path, embedder: Words) -> None:
    index(folder, embedder)
    vectors = folder / ".graph/chunks/embeddings.bin"
    vectors.write_bytes(vectors.read_bytes()[:-4] + b"\xff\xff\xff\xff")
    embedder.texts.clear()
    memory = index(folder, embedder)
    assert len(embedder.texts) == len(TOPICS)
    assert "chunks" in memory.indexer.notice


def test_rebuild_makes_them_anew(folder: Path, embedder: Words) -> None:
    async def run() -> Memory:
        memory = opened(folder, embedder)
        memory.indexer.request(None)
        await memory.indexer.finish()
        await memory.indexer.rebuild()
        await memory.indexer.finish()
        await memory.indexer.close()
        return memory

    memory = asyncio.run(run())
    assert len(embedder.texts) == 2 * (2 + len(TOPICS))
    assert len(stored(folder)) == len(TOPICS)
    found = memory.retrieve("glacier ledger", vector("The glacier keeps glacier ledger"), limit=1).results
    assert found[0].passage


def test_a_secret_takes_every_byte_of_the_chunks_with_it(folder: Path, embedder: Words) -> None:
    (folder / "project/other.md").write_text(long_note("other"), encoding="utf-8")
    memory = index(folder, embedder)
    note = memory.directory.snapshot.notes["project/log.md"]
    # The table forgets, so the bytes to look for are computed anew.
    vectors = [
        vector(text).tobytes()
        for text in embedder.texts
        if text.startswith("log\nwhat we saw\n## ") and len(text) < 900
    ]
    assert len(vectors) == len(chunks_of(note)) == len(TOPICS)
    assert any(vectors[3] in data for data in files(folder))
    token = "ghp_" + "a8F3kQ9sZ2xW7vB4nM1cR6tY5uI0oP3eL2jH"
    (folder / "project/log.md").write_text(long_note(quarry=f" The token is {token}."), encoding="utf-8")
    memory = index(folder, embedder)
    for data in files(folder):
        assert not any(each in data for each in vectors)
        assert b"project/log#" not in data
    assert {note_of(row) for row in stored(folder)} == {"project/other"}
    assert sum(is_chunk(hash_) for hash_ in memory.index.vectors.freeze().hashes if hash_) == len(TOPICS)
    assert token not in " ".join(embedder.texts)


def test_the_answer_names_the_passage_in_the_clients_units(folder: Path, embedder: Words) -> None:
    detail = " 🗝️ Spare keys hang behind the ticket window."
    (folder / "project/log.md").write_text(long_note(theatre=detail), encoding="utf-8")
    memory = index(folder, embedder)
    query = "spare keys hang behind the ticket window theatre"
    answer = memory.retrieve(query, vector(query), limit=2)
    assert answer.results[0].id == "project/log"

    def shown(encoding: str) -> answers.JsonObject:
        result = answers.retrieval(memory, answer, str, incomplete=False, took=0, encoding=encoding)["results"]  # type: ignore[arg-type]  # a literal
        return result[0]["range"]  # type: ignore[index, call-overload, return-value]  # JSON

    text = (folder / "project/log.md").read_text(encoding="utf-8")
    lines = text.splitlines()
    place = json.loads(json.dumps(shown("utf-16")))
    assert lines[place["start"]["line"]] == "## theatre"
    assert place["start"]["character"] == 0
    last = lines[place["end"]["line"]]
    assert last.endswith("ticket window.")
    assert place["end"]["character"] == len(last.encode("utf-16-le")) // 2
    assert json.loads(json.dumps(shown("utf-8")))["end"]["character"] == len(last.encode())


def test_a_passage_that_an_unsaved_edit_moved_is_where_it_is_now_and_a_changed_one_nowhere(
    folder: Path, embedder: Words
) -> None:
    memory = index(folder, embedder)
    query = "The glacier keeps glacier ledger"
    answer = memory.retrieve(query, vector(query), limit=1)

    def line() -> object:
        found = json.loads(json.dumps(answers.retrieval(memory, answer, str, incomplete=False, took=0)))["results"][0]
        return found.get("range", {}).get("start", {}).get("line")

    before = line()
    assert isinstance(before, int)
    text = long_note().replace("## harbour", "One line more.\n\n## harbour")
    memory.directory.open("project/log.md", Buffer("file:///log.md", 1, text))
    assert line() == before + 2
    memory.directory.open("project/log.md", Buffer("file:///log.md", 2, text.replace("glacier", "iceberg")))
    assert line() is None


@pytest.mark.parametrize("ranker", ["cascade", "spread"])
def test_the_best_chunk_counts_in_both_rankers(folder: Path, embedder: Words, ranker: Ranker) -> None:
    (folder / "project/log.md").write_text(long_note(vineyard=" Spare keys hang behind the ticket window. " * 12))
    query = "spare keys hang behind ticket window"
    for number in range(3):
        (folder / f"project/{number}.md").write_text(f"---\nname: '{number}'\n---\nThe keys are {number} ticket old.\n")
    first = {}
    for chunks in (True, False):
        memory = index(folder, embedder, chunks=chunks, threshold=0.1)
        first[chunks] = memory.retrieve(query, vector(query), limit=1, ranker=ranker).results[0]
    assert (first[True].id, bool(first[True].passage)) == ("project/log", True)
    assert first[True].parts["vector"] > first[False].parts["vector"]


def test_the_folder_of_the_chunks_lies_in_one_that_git_leaves_alone(tmp_path: Path) -> None:
    store = chunk_sidecar(tmp_path / ".graph", "words")
    store.append([Row(row_id("note/a", "chunk-0123"), "chunk-0123", vector("a"))])
    assert (tmp_path / ".graph/.gitignore").read_text() == "*\n"
    assert store.purge({"note/b"}) is False
    assert store.purge({"note/a"}) is True
    assert stored(tmp_path) == {}
    with pytest.raises(ValueError, match="graph"):
        Sidecar(tmp_path / "chunks", "words")
