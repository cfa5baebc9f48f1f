"""`memory-lsp retrieve`: the notes that belong to a query, answered from the sidecar."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from memory_lsp import answers
from memory_lsp.cli.console import Progress, put, put_json, say
from memory_lsp.cli.explain import explain, plain
from memory_lsp.cli.opening import place_in
from memory_lsp.cli.overrides import settings_from
from memory_lsp.cli.stored import Stored, open_stored
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import make_plan

if TYPE_CHECKING:
    import argparse

    from memory_lsp.answers import JsonObject
    from memory_lsp.config import Settings
    from memory_lsp.discovery import Place
    from memory_lsp.embedding.process import Row
    from memory_lsp.memory import Memory

# Some two seconds of embedding: what somebody who asked a question will wait for.
_EMBEDDED_AT_ONCE = 64
# Loading a model of another kind than the packaged one takes ten seconds, on a slow disk more.
_MODEL_DEADLINE = 120.0


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 1 when nothing was found."""
    settings = settings_from(arguments.overrides)
    place = place_in(arguments.directory, settings)
    answer = asyncio.run(_answer(place, settings, arguments))
    results = answer["results"]
    if arguments.json:
        put_json(answer)
    else:
        put(explain(answer) if arguments.explain else plain(answer))
    if not results:
        say("Nothing found.")
    return 0 if results else 1


async def _answer(place: Place, settings: Settings, arguments: argparse.Namespace) -> JsonObject:
    embedder = Embedder(make_plan(settings.embedding), idle_timeout=0)
    try:
        return await _ask(place, settings, embedder, arguments)
    finally:
        await embedder.close()


async def _ask(place: Place, settings: Settings, embedder: Embedder, arguments: argparse.Namespace) -> JsonObject:
    query: str = arguments.query
    plan = make_plan(settings.embedding)
    if query.strip():
        embedder.start()
    # In a thread, so that the model loads while the notes are read.
    stored = await asyncio.to_thread(open_stored, place, settings, plan, embedder)
    memory = stored.memory
    try:
        missing = await _catch_up(stored) if query.strip() else stored.missing
        await memory.indexer.cluster()
        started = time.perf_counter()
        vector = await _vector(memory, embedder, query)
        limit = arguments.limit or settings.retrieval.limit
        answer = memory.retrieve(query, vector, limit=limit, types=arguments.types or None)
        incomplete = bool(query.strip()) and (vector is None or missing > 0)
        return answers.retrieval(
            memory, answer, lambda path: (memory.directory.root / path).as_uri(),
            incomplete=incomplete, took=time.perf_counter() - started,
        )  # fmt: skip
    finally:
        await memory.indexer.close()


async def _catch_up(stored: Stored) -> int:
    """Embed the notes that have no vector where they are few; return how many are left without one."""
    memory, missing = stored.memory, stored.missing
    embedder = memory.indexer.embedder
    if not missing or embedder is None or embedder.state.status in ("failed", "off"):
        return missing
    if missing > _EMBEDDED_AT_ONCE:
        total = len(memory.directory.snapshot.ids)
        say(f"{missing} of {total} notes are not indexed yet and are found by keywords only; run `memory-lsp rebuild`.")
        return missing
    progress = Progress("embedding")
    memory.indexer.on_change = lambda: progress.update(memory.indexer.progress.done, memory.indexer.progress.total)
    memory.indexer.request(None)
    await memory.indexer.settled()
    progress.clear()
    for problem in (memory.indexer.problem, memory.index.problem):
        if problem and problem != embedder.state.message:
            say(problem)
    return len(memory.index.compare(memory.directory.saved()).embed)


async def _vector(memory: Memory, embedder: Embedder, query: str) -> Row | None:
    """Return the query's vector; None, with a line on what to do, where the model cannot give it."""
    if not query.strip() or embedder.state.status == "off":
        return None
    if not len(memory.index.vectors) and embedder.state.status != "failed":
        return None
    vector = await embedder.embed_query(query, _MODEL_DEADLINE)
    if vector is None:
        say(embedder.state.message or "The model gave no vector for the query, so keywords answer. Try again.")
    return vector
