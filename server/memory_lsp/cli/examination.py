"""What `doctor` looks at: the installation, the embedder, the memory directory and its sidecar."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from memory_lsp.cli.checks import Check, installation, watching
from memory_lsp.cli.stored import model_on_disk
from memory_lsp.directory import MemoryDirectory
from memory_lsp.discovery import Kind, find_places
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import make_plan
from memory_lsp.errors import EmbeddingError
from memory_lsp.sidecar import Sidecar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memory_lsp.config import Settings
    from memory_lsp.discovery import Place
    from memory_lsp.embedding.plan import Plan

_MODEL_DEADLINE = 120.0
_PROBE = tuple(
    f"The packing list of trip number {number} names what to take along to the coast." for number in range(8)
)
_REBUILD = "Run `memory-lsp rebuild`."


async def examine(folder: Path, settings: Settings) -> tuple[Check, ...]:
    """Return all checks of a folder; loads the model, writes nothing."""
    plan = make_plan(settings.embedding)
    checks = [*installation(), _chosen(plan)]
    if plan.backend != "none":
        checks.append(await _loads(plan))
    for place in find_places(folder, settings.directories):
        checks += _directory(place, settings, plan)
    return tuple(checks)


def _chosen(plan: Plan) -> Check:
    value = plan.reason if plan.backend == "none" else f"{plan.reason} Vectors are marked {plan.model_id}."
    return Check("embedder", not plan.problem, value, plan.problem)


async def _loads(plan: Plan) -> Check:
    """Load the model as the server would, and time it."""
    embedder = Embedder(plan, idle_timeout=0)
    began = time.perf_counter()
    try:
        if not await embedder.wait_ready(_MODEL_DEADLINE):
            fix = embedder.state.message or "Try again; a first download takes long. Else set memory.embedding.model."
            return Check("model", False, f"not loaded within {time.perf_counter() - began:.0f} s", fix)
        loaded = time.perf_counter()
        rows = await embedder.embed(_PROBE)
        pace = (time.perf_counter() - loaded) / len(_PROBE) * 1000
        if any(row is None for row in rows):
            return Check("model", False, "it gives no vectors", "Set memory.embedding.model to another model.")
        value = f"loads in {loaded - began:.1f} s, {pace:.0f} ms a text, {embedder.state.dims} dimensions"
        return Check("model", True, value)
    except EmbeddingError as error:
        return Check("model", False, "it cannot embed", str(error))
    finally:
        await embedder.close()


def _directory(place: Place, settings: Settings, plan: Plan) -> Iterator[Check]:
    if place.kind is Kind.SINGLE or not place.root.is_dir():
        yield Check("directory", False, place.notice, "Name the folder of your notes with -d DIR.")
        return
    memory = MemoryDirectory(place, settings.exclude, settings.tags.inline, settings.secrets.disabled)
    memory.adopt(memory.scan())
    count = len(memory.snapshot.ids)
    kind = "a memory directory" if place.kind is Kind.MEMORY else "a vault: nothing is written to it until you ask"
    yield Check("directory", count > 0, f"{place.root}, {kind}, {count} notes", "Name the folder of notes with -d DIR.")
    if memory.problems:
        first = next(iter(memory.problems.values()))
        yield Check("files", False, f"{len(memory.problems)} cannot be read as they are", first)
    yield _sidecar(memory, plan)
    yield watching(1 + len({path.rpartition("/")[0] for path in memory.snapshot.notes} - {""}))


def _sidecar(memory: MemoryDirectory, plan: Plan) -> Check:
    folder = memory.sidecar_folder
    writable = os.access(folder if folder.is_dir() else memory.root, os.W_OK)
    unwritable = f"Allow writing to {folder if folder.is_dir() else memory.root}."
    if not folder.is_dir():
        value = "none yet; the server and `memory-lsp rebuild` make it"
        return Check("sidecar", writable, value if writable else f"none, and {memory.root} is read-only", unwritable)
    if plan.backend == "none":
        return Check("sidecar", True, f"{folder}, not read without an embedder")
    loaded = Sidecar(folder, plan.model_id).load()
    owner = model_on_disk(folder)
    value = f"{folder}, {len(loaded.rows)} vectors of model {owner or 'unknown'}"
    if owner and owner != plan.model_id:
        return Check("sidecar", False, f"{value}, which is not the one chosen", _REBUILD)
    if loaded.reason:
        return Check("sidecar", False, loaded.reason, _REBUILD)
    return Check("sidecar", writable, value if writable else f"{value}, read-only", unwritable)
