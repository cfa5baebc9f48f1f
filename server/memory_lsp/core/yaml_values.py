"""One YAML value as a flat list of texts with their places."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from memory_lsp.core.text import Span

# A parser's memory of open brackets costs it time at every token.
_DEEPEST = 64

_BRACKET = re.compile(r"[\[\]{}]")
# The two shapes that nearly every list and quoted value has are read here, ten times faster than by PyYAML.
_SIMPLE_QUOTED = re.compile(r"'[^'\r\n\x85\u2028\u2029]*'|\"[^\"\\\r\n\x85\u2028\u2029]*\"")
_SIMPLE_LIST = re.compile(r"\[[\w ,./+-]*\]")
_NO_YAML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Item:
    """One value and the span of its text, without quotes."""

    value: str
    span: Span


def yaml_items(text: str, start: int) -> tuple[Item, ...] | None:
    """Return the texts of the YAML value `text`, which stands at offset `start`; None where it is no valid YAML.

    Lists are flattened, since `[[x]]` without quotes is a list in a list; a mapping keeps its own text, and so does an
    alias, which is more often a pattern such as `*.md`. The span of a block value is that of its lines.
    """
    if _SIMPLE_QUOTED.fullmatch(text):
        return (Item(text[1:-1], Span(start + 1, start + len(text) - 1)),) if len(text) > 2 else ()
    if _SIMPLE_LIST.fullmatch(text):
        items = _simple_list(text, start)
        if items is not None:
            return items
    if _depth(text) > _DEEPEST or _NO_YAML.search(text):
        return None
    try:
        return _from_events(text, start)
    except (yaml.YAMLError, ValueError):
        return None


def _simple_list(text: str, start: int) -> tuple[Item, ...] | None:
    """Return the items of `[a, b, c]`, None where its commas or dashes mean more than that."""
    items, at = [], start + 1
    pieces = text[1:-1].split(",")
    if not pieces[-1].strip():
        pieces.pop()
    for piece in pieces:
        value = piece.strip()
        if not value or value[0] == "-":
            return None
        begin = at + piece.index(value)
        items.append(Item(value, Span(begin, begin + len(value))))
        at += len(piece) + 1
    return tuple(items)


def _from_events(text: str, start: int) -> tuple[Item, ...] | None:
    items: list[Item] = []
    mappings: list[int] = []  # where each open mapping began
    documents = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
        elif isinstance(event, yaml.MappingStartEvent):
            mappings.append(_place(event.start_mark))
        elif isinstance(event, yaml.MappingEndEvent):
            begin = mappings.pop()
            if not mappings:
                _add(items, text, start, None, begin, _place(event.end_mark))
        elif isinstance(event, yaml.ScalarEvent) and not mappings:
            begin, end = _place(event.start_mark), _place(event.end_mark)
            _add(items, text, start, event.value, *_inside(text, begin, end, event.style or "", event.value))
        elif isinstance(event, yaml.AliasEvent) and not mappings:
            _add(items, text, start, None, _place(event.start_mark), _place(event.end_mark))
    return tuple(items) if documents <= 1 else None


def _place(mark: object) -> int:
    return int(getattr(mark, "index", 0))


def _inside(text: str, start: int, end: int, style: str, value: str) -> tuple[int, int]:
    """Return where a scalar's own text stands: without quotes, anchor, tag, or a block's header line."""
    if style in ("|", ">"):
        breaks = [at for at in (text.find("\n", start, end), text.find("\r", start, end)) if at >= 0]
        return min(breaks, default=start), end
    if style:
        # Marks include an anchor or a tag before the value, whose end is always its own.
        return text.index(style, start, end) + 1, end - 1
    return (end - len(value), end) if text.endswith(value, start, end) else (start, end)


def _add(items: list[Item], text: str, base: int, value: str | None, start: int, end: int) -> None:
    """Append a value; None stands for the source between `start` and `end`, whose white space is no part of it."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end = max(start, end - (len(piece) - len(piece.rstrip())))
    value = text[start:end] if value is None else value
    if value:
        items.append(Item(value, Span(base + start, base + end)))


def _depth(text: str) -> int:
    if text.count("[") + text.count("{") <= _DEEPEST:
        return 0
    depth = deepest = 0
    for match in _BRACKET.finditer(text):
        depth = depth + 1 if match[0] in "[{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest
