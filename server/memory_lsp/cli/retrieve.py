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
    answer, problem = asyncio.run(_answer(place, settings, arguments))
    results = answer["results"]
    if arguments.json:
        put_json(answer)
    else:
        put(explain(answer) if arguments.explain else plain(answer))
        if arguments.query.strip() and answer["needsAttention"]:
            say(str(answer["needsAttention"]))
            problem = "" if problem in str(answer["needsAttention"]) else problem
    if problem:
        say(problem)
    if not results:
        say("Nothing found.")
    return 0 if results else 1


async def _answer(place: Place, settings: Settings, arguments: argparse.Namespace) -> tuple[JsonObject, str]:
    """Return the answer, and why the query has no vector, "" where it has one or needs none."""
    embedder = Embedder(make_plan(settings.embedding), idle_timeout=0)
    try:
        return await _ask(place, settings, embedder, arguments)
    finally:
        await embedder.close()


async def _ask(
    place: Place, settings: Settings, embedder: Embedder, arguments: argparse.Namespace
) -> tuple[JsonObject, str]:
    query: str = arguments.query
    plan = make_plan(settings.embedding)
    if query.strip():
        embedder.start()
    # In a thread, so that the model loads while the notes are read.
    stored = await asyncio.to_thread(open_stored, place, settings, plan, embedder)
    memory = stored.memory
    try:
        if query.strip():
            await _catch_up(stored)
        await memory.indexer.upkeep.cluster()
        started = time.perf_counter()
        vector, problem = await _vector(memory, embedder, query)
        limit = arguments.limit or settings.retrieval.limit
        answer = memory.retrieve(query, vector, limit=limit, types=arguments.types or None)
        waiting, _ = memory.indexer.lacking()
        unasked = vector is None and (bool(problem) or embedder.state.status == "off")
        return answers.retrieval(
            memory, answer, lambda path: (memory.directory.root / path).as_uri(),
            incomplete=bool(query.strip()) and (unasked or bool(waiting)), took=time.perf_counter() - started,
        ), problem  # fmt: skip
    finally:
        await memory.indexer.close()


async def _catch_up(stored: Stored) -> None:
    """Embed the notes that have no vector where they are few."""
    memory, missing = stored.memory, stored.missing
    embedder = memory.indexer.embedder
    if not missing or embedder is None or embedder.state.status in ("failed", "off"):
        return
    if missing > _EMBEDDED_AT_ONCE:
        say("`memory-lsp rebuild` gives every note its vector.")
        return
    progress = Progress("embedding")
    memory.indexer.on_change = lambda: progress.update(memory.indexer.progress.done, memory.indexer.progress.total)
    memory.indexer.request(None)
    await memory.indexer.settled()
    progress.clear()


async def _vector(memory: Memory, embedder: Embedder, query: str) -> tuple[Row | None, str]:
    """Return the query's vector where one is of use; None, and what to do, where the model cannot give it."""
    if not query.strip() or embedder.state.status == "off":
        return None, ""
    if not len(memory.index.vectors) and embedder.state.status != "failed":
        return None, ""
    vector = await embedder.embed_query(query, _MODEL_DEADLINE)
    if vector is None:
        return None, embedder.state.message or "The model gave no vector for the query, so keywords answer. Try again."
    return vector, ""
