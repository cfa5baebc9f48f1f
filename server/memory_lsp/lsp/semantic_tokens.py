"""Semantic tokens: full, as a difference to the last answer, and for a range."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import TYPE_CHECKING

from lsprotocol import types

from memory_lsp.core.highlighting import TokenKind, TokenState, tokens
from memory_lsp.lsp.convert import to_span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_lsp.core.highlighting import Token
    from memory_lsp.core.note import Note
    from memory_lsp.core.text import Encoding
    from memory_lsp.lsp.handlers import Handlers
    from memory_lsp.lsp.server import MemoryServer

# Standard token types, which every theme colours; the modifiers say what a link leads to.
_TYPES = {TokenKind.LINK: 0, TokenKind.TAG: 1}
_MODIFIERS = {TokenState.NONE: 0, TokenState.RESOLVED: 0, TokenState.SUPERSEDED: 1, TokenState.DANGLING: 2}
LEGEND = types.SemanticTokensLegend(token_types=["class", "decorator"], token_modifiers=["deprecated", "dangling"])
_REMEMBERED = 64


class TokenMemory:
    """The last answer for each document, so that the next one can be a difference."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, tuple[str, list[int]]] = OrderedDict()
        self._numbers = itertools.count(1)

    def remember(self, uri: str, data: list[int]) -> str:
        """Keep an answer and return its result id."""
        result_id = str(next(self._numbers))
        self._last[uri] = (result_id, data)
        self._last.move_to_end(uri)
        while len(self._last) > _REMEMBERED:
            self._last.popitem(last=False)
        return result_id

    def recall(self, uri: str, result_id: str) -> list[int] | None:
        """Return the answer with a result id, None where it is forgotten."""
        known = self._last.get(uri)
        return known[1] if known is not None and known[0] == result_id else None


async def full(ls: MemoryServer, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    """Answer all tokens of a note."""
    data = await _data(ls, params.text_document.uri)
    return (
        None if data is None else types.SemanticTokens(data, ls.token_memory.remember(params.text_document.uri, data))
    )


async def delta(
    ls: MemoryServer, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta | None:
    """Answer what differs from an earlier answer, everything where that is forgotten."""
    uri = params.text_document.uri
    data = await _data(ls, uri)
    if data is None:
        return None
    before = ls.token_memory.recall(uri, params.previous_result_id)
    result_id = ls.token_memory.remember(uri, data)
    if before is None:
        return types.SemanticTokens(data, result_id)
    return types.SemanticTokensDelta(_difference(before, data), result_id)


async def in_range(ls: MemoryServer, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
    """Answer the tokens of a part of a note."""
    found = await ls.settled(params.text_document.uri)
    if found is None:
        return None
    memory, note = found
    wanted = to_span(note, params.range, ls.client.encoding)
    inside = [
        token
        for token in tokens(memory.directory.snapshot, note.path)
        if token.span.end >= wanted.start and token.span.start <= wanted.end
    ]
    return types.SemanticTokens(_encode(note, inside, ls.client.encoding))


async def _data(ls: MemoryServer, uri: str) -> list[int] | None:
    found = await ls.settled(uri)
    if found is None:
        return None
    memory, note = found
    return _encode(note, tokens(memory.directory.snapshot, note.path), ls.client.encoding)


def _encode(note: Note, found: Iterable[Token], encoding: Encoding) -> list[int]:
    data: list[int] = []
    last_line, last_column = 0, 0
    for token in found:
        line, column = note.lines.position(token.span.start, encoding)
        _, end = note.lines.position(token.span.end, encoding)
        data += [
            line - last_line, column - (last_column if line == last_line else 0), end - column,
            _TYPES[token.kind], _MODIFIERS[token.state],
        ]  # fmt: skip
        last_line, last_column = line, column
    return data


def _difference(before: list[int], after: list[int]) -> list[types.SemanticTokensEdit]:
    """Return one edit that covers everything between the common start and the common end."""
    if before == after:
        return []
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    tail = 0
    while tail < min(len(before), len(after)) - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return [types.SemanticTokensEdit(start, len(before) - start - tail, after[start : len(after) - tail])]


HANDLERS: Handlers = {
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: (full, LEGEND),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: delta,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: in_range,
}
