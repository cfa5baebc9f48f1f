"""`MEMORY.md` written anew: every note listed by type, whatever is no entry kept."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_lsp.core.actions_index import add_entries, entry_line, listed, style_of, type_of_heading
from memory_lsp.core.actions_text import narrow_edits, newline_of
from memory_lsp.core.note import INDEX_NAME, TYPES, type_rank

if TYPE_CHECKING:
    from memory_lsp.core.actions_index import Listed
    from memory_lsp.core.edits import TextEdit
    from memory_lsp.core.markdown import Heading
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

BANNER = "<!-- memory-lsp: generated -->"
"""A line of `MEMORY.md` that says the list is ours: it may be written anew whatever else the file holds."""

_BANNER = re.compile(r"<!--[ \t]*memory-lsp:[ \t]*generated\b[^\r\n]*?-->")


@dataclass(slots=True)
class _Parts:
    """What stands before the groups, the headings and the text of each group, and what stands behind them."""

    head: list[str] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    tail: list[str] = field(default_factory=list)


def has_banner(index: Note) -> bool:
    """Tell whether an index says that it is generated."""
    return bool(_BANNER.search(index.text))


def may_regenerate(snapshot: Snapshot, index: Note) -> bool:
    """Tell whether an index is nothing but a list, or says that it is generated."""
    if has_banner(index):
        return True
    entries = {line for entry in listed(snapshot, index) for line in _lines(index, entry)}
    headings = _heading_lines(index)
    known = [heading for n, heading in enumerate(index.headings) if n or heading.level > 1]
    if index.frontmatter or any(not type_of_heading(heading) for heading in known):
        return False
    return all(
        line in entries or line in headings or not index.lines.line_span(line).of(index.text).strip()
        for line in range(len(index.lines))
    )


def regenerate(snapshot: Snapshot, index: Note) -> tuple[TextEdit, ...]:
    """Return the edits that bring an index up to date: written anew where it may be, else only added to."""
    if not may_regenerate(snapshot, index):
        listed_now = snapshot.meanings[index.path].targets()
        return add_entries(snapshot, index, [path for path in snapshot.ids if path not in listed_now])
    return narrow_edits(INDEX_NAME, index.text, _written(snapshot, index))


def _written(snapshot: Snapshot, index: Note) -> str:
    parts, style, newline = _parts(snapshot, index), style_of(snapshot, index), newline_of(index.text)
    kept = {entry.path: entry.span.of(index.text) for entry in reversed(listed(snapshot, index))}
    blocks = [_block(parts.head)]
    kinds = sorted({*(snapshot.notes[path].type for path in snapshot.ids), *parts.titles}, key=type_rank)
    for kind in kinds:
        paths = sorted(path for path in snapshot.ids if snapshot.notes[path].type == kind)
        text = _block(parts.notes.get(kind, []))
        if not paths and not text:
            continue
        lines = [
            # What an index says of a note that says nothing of itself is worth keeping.
            kept[path] if path in kept and not snapshot.notes[path].description
            else entry_line(snapshot, index, path, style)
            for path in paths
        ]  # fmt: skip
        blocks += [[parts.titles.get(kind, f"## {kind.capitalize()}")], text, lines]
    blocks.append(_block(parts.tail))
    return (newline * 2).join(newline.join(block) for block in blocks if block) + newline


def _parts(snapshot: Snapshot, index: Note) -> _Parts:
    """Sort the lines of an index; entries are left out, since every note is listed anew."""
    parts, headings = _Parts(), _heading_lines(index)
    entries = {line for entry in listed(snapshot, index) for line in _lines(index, entry)}
    current = parts.head
    for line in range(len(index.lines)):
        text = index.lines.line_span(line).of(index.text)
        heading = headings.get(line)
        kind = type_of_heading(heading) if heading else ""
        if kind in TYPES:
            parts.titles.setdefault(kind, text)
            current = parts.notes.setdefault(kind, [])
            continue
        if (heading and current is not parts.head) or (heading and heading is not index.headings[0]):
            current = parts.tail
        if line not in entries:
            current.append(text)
    return parts


def _heading_lines(index: Note) -> dict[int, Heading]:
    """Return each line of a heading with it, the underline of one that has none of `#` included."""
    return {
        line: heading
        for heading in index.headings
        for line in range(index.lines.line_of(heading.span.start), index.lines.line_of(heading.span.end) + 1)
    }


def _lines(index: Note, entry: Listed) -> range:
    return range(entry.line, index.lines.line_of(entry.span.end) + 1)


def _block(lines: list[str]) -> list[str]:
    """Return lines without the empty ones around them."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]
