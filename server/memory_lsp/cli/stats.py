"""`memory-lsp stats`: how much there is of everything."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from memory_lsp import answers
from memory_lsp.cli.console import put, put_json
from memory_lsp.cli.opening import place_in
from memory_lsp.cli.overrides import settings_from
from memory_lsp.cli.stored import open_stored
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import make_plan

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from memory_lsp.answers import JsonObject
    from memory_lsp.config import Settings
    from memory_lsp.discovery import Place


def run(arguments: argparse.Namespace) -> int:
    """Print the counts."""
    settings = settings_from(arguments.overrides)
    counts = asyncio.run(_count(place_in(arguments.directory, settings), settings))
    if arguments.json:
        put_json(counts)
    else:
        put(_lines(counts))
    return 0


async def _count(place: Place, settings: Settings) -> JsonObject:
    plan = make_plan(settings.embedding)
    memory = open_stored(place, settings, plan).memory
    await memory.indexer.upkeep.cluster()
    return answers.stats(memory, Embedder(plan, idle_timeout=0).state)


def _lines(counts: JsonObject) -> Iterator[str]:
    names = {"danglingLinks": "dangling links"}
    for key, value in counts.items():
        if key == "embedder":
            embedder = cast("JsonObject", value)
            shown = embedder["modelId"] or "none"
        else:
            shown = "-" if value is None else value
        yield f"{names.get(key, key):<16}{shown}"
