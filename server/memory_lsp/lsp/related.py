"""`memory/related`: what the memory knows about a place in any file.

For a note it is what a cascade seeded with the note reaches. Elsewhere it is what the lines around the cursor ask for.
The request follows typing: texts that were asked before answer from a cache, one text is embedded at a time, and a
newer request replaces the one that waits.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from pygls.exceptions import JsonRpcException

from memory_lsp import answers
from memory_lsp.attention import needs_attention
from memory_lsp.core.place import query_at
from memory_lsp.core.text import LineIndex
from memory_lsp.errors import UsageError
from memory_lsp.lsp import protocol
from memory_lsp.lsp.convert import to_path
from memory_lsp.lsp.params import Params
from memory_lsp.lsp.requests import is_incomplete

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.answers import JsonObject
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer
    from memory_lsp.memory import Memory

LIMIT = 5
SERVER_CANCELLED = -32802
_DEADLINE = 1.0
_REMEMBERED = 256
_LARGEST_FILE = 1_000_000
_MOST_TEXT = 100_000


class RelatedRequests:
    """Which answers are known, and which request is the newest."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], JsonObject] = OrderedDict()
        self._newest = 0
        self._gate = asyncio.Lock()

    def known(self, key: tuple[object, ...]) -> JsonObject | None:
        """Return the answer to a question that was asked before."""
        return self._known.get(key)

    def remember(self, key: tuple[object, ...], answer: JsonObject) -> None:
        """Keep an answer."""
        self._known[key] = answer
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)

    async def turn(self) -> asyncio.Lock:
        """Wait for this request's turn; raises where a newer one came meanwhile."""
        self._newest += 1
        mine = self._newest
        await self._gate.acquire()
        if mine != self._newest:
            self._gate.release()
            raise JsonRpcException("A newer request replaced this one.", SERVER_CANCELLED)
        return self._gate


async def related(ls: MemoryServer, raw: object) -> JsonObject:
    """Answer what the memory knows about a place; quiet where nothing fits."""
    began, params = time.perf_counter(), Params(raw)
    uri = params.document()
    if uri is None:
        raise UsageError("textDocument: expected an object with a uri.")
    limit = params.whole("limit", LIMIT, 1, 100) or LIMIT
    types = params.texts("types")
    first, last = params.lines()
    text, offset = params.optional_text("text"), params.whole("firstLine", 0, 0, 10_000_000) or 0
    note = await ls.settled(uri)
    if note is not None and not note[1].is_index:
        memory, path = note[0], note[1].path
        answer = memory.related(path, limit=limit, types=types)
        return answers.retrieval(
            # Clusters are among what it walks along, and they are made of the vectors.
            memory, answer, lambda other: ls.uri(memory, other), incomplete=_is_behind(ls, memory),
            took=time.perf_counter() - began,
        )  # fmt: skip
    memory = await ls.memory_near(uri)
    shift = offset if text is not None else 0
    query = await _query(ls, uri, text, first - shift, last - shift)
    key = (memory.directory.root, memory.directory.snapshot.revision, memory.index_version, query, limit, types)
    known = ls.related_requests.known(key)
    if known is not None:
        took = round((time.perf_counter() - began) * 1000, 3)
        return known | {"needsAttention": needs_attention(memory), "tookMs": took}
    answer_ = await _ask(ls, memory, query, limit, types, began)
    if not answer_["isIncomplete"]:
        ls.related_requests.remember(key, answer_)
    return answer_


async def _ask(
    ls: MemoryServer, memory: Memory, query: str, limit: int, types: tuple[str, ...] | None, began: float
) -> JsonObject:
    vector = None
    if query and ls.plan.backend != "none":
        gate = await ls.related_requests.turn()
        try:
            vector = await ls.embedder.embed_query(query, _DEADLINE)
        finally:
            gate.release()
    answer = memory.about(query, vector, limit=limit, types=types)
    return answers.retrieval(
        memory, answer, lambda path: ls.uri(memory, path), incomplete=is_incomplete(memory, query, vector),
        took=time.perf_counter() - began, encoding=ls.client.encoding,
    )  # fmt: skip


def _is_behind(ls: MemoryServer, memory: Memory) -> bool:
    return ls.plan.backend != "none" and memory.indexer.behind


async def _query(ls: MemoryServer, uri: str, text: str | None, first: int, last: int) -> str:
    path = to_path(uri)
    if text is None:
        open_document = ls.workspace.text_documents.get(uri)
        if open_document is not None and open_document.source is not None:
            text = open_document.source
        elif path is not None:
            text = await asyncio.to_thread(_read, path)
    if not text:
        return ""
    lines = LineIndex(text[:_MOST_TEXT] if len(text) > _LARGEST_FILE else text)
    window = [lines.line_span(number).of(text) for number in range(len(lines))]
    shown = path.as_posix() if path is not None else ""
    return query_at(shown, window, first, last)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return ""
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


HANDLERS: Handlers = {protocol.RELATED: related}
