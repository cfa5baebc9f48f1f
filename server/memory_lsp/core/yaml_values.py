"""One YAML value as a flat list of texts with their places."""

from __future__ import annotations

from dataclasses import dataclass

import yaml

from memory_lsp.core.text import Span

# PyYAML's C loader recurses on the C stack, so nesting is bounded before it sees the text.
_MOST_BRACKETS = 64
_MOST_ITEMS = 1000

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Item:
    """One value and the span of its text, without quotes."""

    value: str
    span: Span


def yaml_items(text: str, start: int | None) -> tuple[Item, ...] | None:
    """Return the texts of a YAML value in order, None where it is no valid YAML.

    `start` is the offset of `text` in the note. None stands for a text that was put together as `k: value` from several
    lines: its offsets mean nothing, and only the value below `k` counts. Lists are flattened, since `[[x]]` without
    quotes is a list in a list; a mapping inside a list keeps its own text.
    """
    if text.count("[") + text.count("{") > _MOST_BRACKETS:
        return None
    try:
        node = yaml.compose(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError):
        return None
    if start is None and isinstance(node, yaml.MappingNode) and node.value:
        node = node.value[0][1]
    items: list[Item] = []
    _collect(node, text, start or 0, items)
    return tuple(items)


def _collect(node: yaml.Node | None, text: str, base: int, items: list[Item]) -> None:
    if node is None or len(items) >= _MOST_ITEMS:
        return
    if isinstance(node, yaml.SequenceNode):
        for child in node.value:
            _collect(child, text, base, items)
        return
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.ScalarNode):
        if node.style in ("'", '"'):
            start, end = start + 1, end - 1
        value = node.value
    else:
        value = text[start:end].strip("{} ")
    if value:
        items.append(Item(value, Span(base + start, base + max(start, end))))
