"""The `memory/*` requests."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from memory_lsp import answers
from memory_lsp.errors import UsageError
from memory_lsp.lsp import protocol
from memory_lsp.lsp.params import Params

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory_lsp.answers import JsonObject
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory

# Seconds that a request waits for its query's vector: once the model is loaded, and before. Loading takes a second or
# more, so a longer wait before would mostly be in vain.
WARM_DEADLINE = 2.0
COLD_DEADLINE = 0.02
# While a process that had answered before is started again: one slow answer is better than one without vectors.
RESTART_DEADLINE = 5.0


async def retrieve(ls: MemoryServer, raw: object) -> JsonObject:
    """Answer which notes belong to a query."""
    began, params = time.perf_counter(), Params(raw)
    query = params.text("query")
    limit = params.whole("limit", None, 1, 1000)
    types, depth = params.texts("types"), params.whole("maxDepth", None, 0, 6)
    ranker = params.ranker()
    content = params.flag("includeContent")
    vector = params.vector("vector")
    memory = await ls.memory_of(params)
    if vector is None:
        vector = await _query_vector(ls, query)
    if limit is None:
        limit = ls.settings.retrieval.limit
    answer = memory.retrieve(query, vector, limit=limit, types=types, max_depth=depth, ranker=ranker)
    incomplete = is_incomplete(memory, query, vector)
    return answers.retrieval(
        memory, answer, lambda path: ls.uri(memory, path), incomplete=incomplete,
        took=time.perf_counter() - began, content=content, encoding=ls.client.encoding,
    )  # fmt: skip


async def search(ls: MemoryServer, raw: object) -> JsonObject:
    """Answer every note that a query reaches, for explorers."""
    began, params = time.perf_counter(), Params(raw)
    query = params.text("query")
    memory = await ls.memory_of(params)
    vector = await _query_vector(ls, query)
    answer = memory.retrieve(query, vector)
    return answers.retrieval(
        memory,
        answer,
        lambda path: ls.uri(memory, path),
        incomplete=is_incomplete(memory, query, vector),
        took=time.perf_counter() - began,
        encoding=ls.client.encoding,
    )


async def graph(ls: MemoryServer, raw: object) -> JsonObject:
    """Answer the whole graph."""
    memory = await ls.memory_of(Params(raw))
    return answers.graph(memory, ls.embedder.state)


async def node(ls: MemoryServer, raw: object) -> JsonObject:
    """Answer one node and its neighbours."""
    params = Params(raw)
    id_ = params.text("id")
    memory = await ls.memory_of(params)
    found = answers.node(memory, id_, lambda path: ls.uri(memory, path))
    if found is None:
        raise UsageError(f"id: there is no node “{id_}” in {memory.directory.root}.")
    return found


async def stats(ls: MemoryServer, raw: object) -> JsonObject:
    """Answer how much there is, and how the embedder does."""
    memory = await ls.memory_of(Params(raw))
    return answers.stats(memory, ls.embedder.state)


async def rebuild(ls: MemoryServer, raw: object) -> JsonObject:
    """Throw the index away and make it again; a vault that kept nothing on disk keeps its sidecar from now on."""
    memory = await ls.memory_of(Params(raw))
    memory.keep_sidecar()
    await ls.session.rescan(memory, "rebuild")
    await asyncio.to_thread(memory.contradictions.forget)
    # Cancelled between throwing away and making anew, there would be nothing left.
    work = ls.spawn(memory.indexer.rebuild())
    try:
        await asyncio.shield(work)
    except asyncio.CancelledError:
        memory.indexer.cancel()
        raise
    await memory.indexer.finish()
    return answers.stats(memory, ls.embedder.state)


def is_incomplete(memory: Memory, query: str, vector: NDArray[np.float32] | None) -> bool:
    """Tell whether the same query may be answered better later. A blank one asks for no vector."""
    if vector is None:
        return bool(query.strip())
    return memory.indexer.behind


async def _query_vector(ls: MemoryServer, query: str) -> NDArray[np.float32] | None:
    if ls.plan.backend == "none" or not query.strip():
        return None
    state = ls.embedder.state
    deadline = COLD_DEADLINE
    if state.status == "ready":
        deadline = WARM_DEADLINE
    elif state.status == "starting" and state.dims is not None:
        deadline = RESTART_DEADLINE
    return await ls.embedder.embed_query(query, deadline)


HANDLERS: Handlers = {
    protocol.RETRIEVE: retrieve,
    protocol.SEARCH: search,
    protocol.GRAPH: graph,
    protocol.NODE: node,
    protocol.STATS: stats,
    protocol.REBUILD: rebuild,
}
