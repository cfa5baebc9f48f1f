"""`memory-lsp rebuild`: the index made anew from the notes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from memory_lsp.cli.console import Progress, put, say
from memory_lsp.cli.opening import place_in, report_problems
from memory_lsp.cli.overrides import settings_from
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import make_plan
from memory_lsp.errors import EmbeddingError
from memory_lsp.memory import open_memory

if TYPE_CHECKING:
    import argparse

    from memory_lsp.config import Settings
    from memory_lsp.discovery import Place
    from memory_lsp.memory import Memory

_MODEL_DEADLINE = 300.0  # a first download may take minutes


def run(arguments: argparse.Namespace) -> int:
    """Rebuild; 1 where a note that should have a vector got none, or the disk refused."""
    settings = settings_from(arguments.overrides)
    return asyncio.run(_rebuild(place_in(arguments.directory, settings), settings))


async def _rebuild(place: Place, settings: Settings) -> int:
    plan = make_plan(settings.embedding)
    embedder = Embedder(plan, idle_timeout=0)
    memory = open_memory(place, settings, plan.model_id, embedder, background=plan.background)
    memory.keep_sidecar()
    progress = Progress("embedding")
    try:
        if plan.backend == "none":
            raise EmbeddingError(f"Nothing was rebuilt: {plan.problem or plan.reason}")
        # Only with a model at hand is the old index thrown away.
        if not await embedder.wait_ready(_MODEL_DEADLINE):
            raise EmbeddingError(f"Nothing was rebuilt: {embedder.state.message or 'the model did not load in time.'}")
        memory.load()
        report_problems(memory.directory)
        memory.indexer.on_change = lambda: progress.update(memory.indexer.progress.done, memory.indexer.progress.total)
        memory.contradictions.forget()
        await memory.indexer.rebuild()
        await memory.indexer.finish()
        progress.clear()
        return _report(memory)
    finally:
        progress.clear()
        await memory.indexer.close()
        await embedder.close()


def _report(memory: Memory) -> int:
    problems = [problem for problem in (memory.indexer.problem, memory.index.problem) if problem]
    for problem in problems:
        say(problem)
    dims = memory.index.vectors.dims
    put([f"{memory.directory.sidecar_folder}: {len(memory.index)} vectors of {dims} dimensions for "
         f"{len(memory.directory.snapshot.ids)} notes"])  # fmt: skip
    return 1 if problems else 0
