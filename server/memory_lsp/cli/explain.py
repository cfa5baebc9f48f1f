"""Retrieved notes as text: plainly, or with how each was reached and what made its score.

Both read the JSON that `memory/retrieve` answers, so that any client's answer can be shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from memory_lsp.cli.console import can_show, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_INDENT = "       "
_SEED_BY = {"vector": "by meaning", "keyword": "by keywords", "hybrid": "by meaning and keywords"}
_PARTS = {"vector": "meaning", "keyword": "keywords", "hybrid": "meaning and keywords"}


def plain(answer: Mapping[str, object]) -> Iterator[str]:
    """Yield one line a result: score, id, description."""
    results = _objects(answer["results"])
    width = min(48, max((len(str(result["id"])) for result in results), default=0))
    for result in results:
        yield f"{_score(result)}  {one_line(str(result['id'])):<{width}}  {_description(result)}".rstrip()


def explain(answer: Mapping[str, object]) -> Iterator[str]:
    """Yield, for each result, its score and name, its description, the way to it, and the parts of the score."""
    mode = str(answer["seedMode"])
    for result in _objects(answer["results"]):
        seed = "" if result["via"] else f"  (seed, {_SEED_BY.get(mode, mode)})"
        yield f"{_score(result)}  {one_line(str(result['name']))}{seed}"
        if description := _description(result):
            yield f"{_INDENT}{description}"
        if result["via"]:
            yield f"{_INDENT}{way(_objects(result['path']))}"
        if "range" in result:
            yield f"{_INDENT}{_lines(cast('Mapping[str, Mapping[str, int]]', result['range']))}"
        yield f"{_INDENT}{_sum(cast('Mapping[str, float]', result['parts']))}"


def way(path: Sequence[Mapping[str, object]]) -> str:
    """Return the walked path in one line: `plan ─HasTag→ #travel ─HasTag→ packing-list`."""
    line, arrow = ("─", "→") if can_show("─→") else ("-", "->")
    steps = []
    for step in path:
        edge = f"{line}{step['edgeKind']}{arrow} " if step["edgeKind"] else ""
        steps.append(edge + _node(step))
    return " ".join(steps)


def _lines(place: Mapping[str, Mapping[str, int]]) -> str:
    first, last = place["start"]["line"] + 1, place["end"]["line"] + 1
    return f"nearest passage: line {first}" if first == last else f"nearest passage: lines {first} to {last}"


def _node(step: Mapping[str, object]) -> str:
    label = one_line(str(step["label"]))
    return f"#{label}" if step["kind"] == "Tag" else f"({label})" if step["kind"] == "Cluster" else label


def _sum(parts: Mapping[str, float]) -> str:
    summands = (
        f"{'-' if value < 0 else '+'} {_PARTS.get(name, name)} {abs(value):.3f}" for name, value in parts.items()
    )
    return " ".join(summands).removeprefix("+ ")


def _score(result: Mapping[str, object]) -> str:
    return f"{cast('float', result['score']):.3f}"


def _description(result: Mapping[str, object]) -> str:
    return one_line(str(result["description"]))


def _objects(value: object) -> Sequence[Mapping[str, object]]:
    return cast("Sequence[Mapping[str, object]]", value)
