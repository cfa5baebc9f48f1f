"""A memory as its notes and its sidecar have it, without embedding anything."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.cli.console import say
from memory_lsp.cli.opening import report_problems
from memory_lsp.memory import open_memory

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.config import Settings
    from memory_lsp.discovery import Place
    from memory_lsp.embedding.client import Embedder
    from memory_lsp.embedding.plan import Plan
    from memory_lsp.memory import Memory


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory, and how many of its notes should have a vector and have none."""

    memory: Memory
    missing: int


def open_stored(place: Place, settings: Settings, plan: Plan, embedder: Embedder | None = None) -> Stored:
    """Read the notes and the sidecar; writes nothing, and says what cannot be read."""
    memory = open_memory(place, settings, plan.model_id, embedder, background=plan.background)
    memory.load()
    report_problems(memory.directory)
    index, chunks = memory.index, memory.indexer.chunks
    folder = memory.directory.sidecar_folder
    owner = model_on_disk(folder)
    if plan.backend == "none":
        index.sidecar = chunks.sidecar = None
    elif owner and owner != plan.model_id:
        # Asking once with another model must not cost the vectors of the one in use.
        index.sidecar = chunks.sidecar = None
        say(f"{folder} holds vectors of {owner} and is left alone; `memory-lsp rebuild` makes it anew.")
    elif index.sidecar is not None:
        loaded = index.sidecar.load()
        index.take_loaded(loaded)
        if loaded.reason:
            say(f"{loaded.reason} `memory-lsp doctor` says more.")
        if chunks.sidecar is not None and settings.retrieval.chunks:
            chunks.take_loaded(chunks.sidecar.load())
    work = [each.compare(memory.directory.saved()) for each in (index, chunks)]
    for each, found in zip((index, chunks), work, strict=True):
        each.forget((*found.remove, *found.purge))
        each.note_rows(found.rows)
    return Stored(memory, len(work[0].embed))


def model_on_disk(folder: Path) -> str:
    """Return which model the vectors of a sidecar are of, "" where that is unknown."""
    try:
        meta = json.loads((folder / "meta.json").read_bytes())
    except (OSError, ValueError):
        return ""
    return str(meta.get("modelId", "")) if isinstance(meta, dict) else ""
