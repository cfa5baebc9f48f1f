"""The blocks of a note's body: paragraphs, lists, quotes, code, tables, HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyromark

from memory_lsp.core.markdown import _OPTIONS, _offsets
from memory_lsp.core.text import Span

_BLOCKS = frozenset(("Paragraph", "List", "Item", "BlockQuote", "CodeBlock", "HtmlBlock", "Table"))


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A block, whether it is an HTML comment, and what the parser calls it."""

    span: Span
    is_comment: bool = False
    kind: str = ""


def block_spans(text: str, start: int) -> tuple[TextBlock, ...]:
    """Return the blocks of `text` from offset `start` on, outer ones before the inner; never raises."""
    source = text[start:]
    to_offset = _offsets(source, start)
    blocks: list[TextBlock] = []
    event: Any
    for event, place in pyromark.events_with_range(source, options=_OPTIONS):
        if not isinstance(event, dict) or "Start" not in event:
            continue
        kind = event["Start"]
        name = kind if isinstance(kind, str) else next(iter(kind))
        if name in _BLOCKS:
            span = Span(to_offset(place["start"]), to_offset(place["end"]))
            blocks.append(TextBlock(span, text.startswith("<!--", span.start), name))
    return tuple(blocks)


def in_code(text: str, start: int, offset: int) -> bool:
    """Tell whether an offset lies inside code: between the ticks of a span, in a fence, in an indented block."""
    source = text[start:]
    to_offset = _offsets(source, start)
    event: Any
    for event, place in pyromark.events_with_range(source, options=_OPTIONS):
        if not isinstance(event, dict):
            continue
        kind = event.get("Start")
        if "Code" in event or (isinstance(kind, dict) and "CodeBlock" in kind):
            at, end = to_offset(place["start"]), to_offset(place["end"])
            if at < offset < end or (
                offset == end and "Code" not in event and not text.endswith(("```", "~~~"), at, end)
            ):
                return True
    return False
