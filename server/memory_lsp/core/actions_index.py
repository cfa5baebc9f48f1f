"""The entries of `MEMORY.md`: read, added in its own style, taken away."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.actions_spell import path_written, wiki_target
from memory_lsp.core.actions_text import newline_of, plain, shortened
from memory_lsp.core.edits import TextEdit
from memory_lsp.core.links import LinkForm
from memory_lsp.core.note import INDEX_NAME, TYPES, type_rank
from memory_lsp.core.resolve import fold
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_lsp.core.links import Link
    from memory_lsp.core.markdown import Heading
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

_ITEM = re.compile(r"([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?:\[[ xX]\][ \t]+)?[*_]{0,2}")
_SEPARATOR = re.compile(r"[*_]{0,2}([ \t]*(?:—|–|-{1,2}|:)[ \t]+)(?=\S)")
_NUMBERED = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of a list that stands for a note: `path` is "" where the note is missing. `span` has no line end."""

    link: Link
    path: str
    span: Span
    line: int


@dataclass(frozen=True, slots=True)
class Style:
    """How the entries of an index are written."""

    bullet: str = "- "
    is_wiki: bool = False
    separator: str = " — "


def listed(snapshot: Snapshot, index: Note) -> tuple[Listed, ...]:
    """Return the entries of an index in their order; links in prose are none."""
    entries: dict[int, Listed] = {}
    for link, found in zip(index.links, snapshot.meanings[index.path].links, strict=True):
        line = index.lines.line_of(link.span.start)
        span = index.lines.line_span(line)
        item = _ITEM.match(index.text, span.start, span.end)
        if item and item.end() == link.span.start and not link.embed and not link.in_frontmatter:
            entries.setdefault(line, Listed(link, found.note or "", _with_continuation(index, line), line))
    return tuple(entries[line] for line in sorted(entries))


def is_complete(snapshot: Snapshot) -> bool:
    """Tell whether there is an index that lists every note: then a new note belongs into it too."""
    return INDEX_NAME in snapshot.notes and snapshot.meanings[INDEX_NAME].targets() >= snapshot.ids.keys()


def add_entries(snapshot: Snapshot, index: Note, paths: Iterable[str]) -> tuple[TextEdit, ...]:
    """Return the edits that list notes: each below the last of its type, or its type's heading, else at the end."""
    entries, style = listed(snapshot, index), style_of(snapshot, index)
    by_type: dict[str, list[str]] = {}
    for path in sorted(paths, key=lambda path: (type_rank(snapshot.notes[path].type), path)):
        line = entry_line(snapshot, index, path, style)
        by_type.setdefault(snapshot.notes[path].type, []).append(line)
    newline = newline_of(index.text)
    inserted: dict[int, str] = {}
    for kind, lines in by_type.items():
        offset, before = _spot(snapshot, index, entries, kind, is_first=not inserted)
        inserted[offset] = inserted.get(offset, "") + before + newline.join(lines)
    return tuple(
        TextEdit(index.path, Span(offset, offset), text + (newline if offset == len(index.text) else ""))
        for offset, text in inserted.items()
    )


def entry_line(snapshot: Snapshot, index: Note, path: str, style: Style) -> str:
    """Return the line that lists a note, without a line end."""
    note = snapshot.notes[path]
    name = wiki_target(snapshot, path, index.path) if style.is_wiki else None
    label = re.sub(r"([\[\]\\])", r"\\\1", " ".join(note.name.split()))
    link = f"[[{name}]]" if name else f"[{label}]({path_written(path)})"
    told = shortened(plain(note.description))
    secrets = snapshot.guard.secrets(note)
    if any(secret.span.of(note.text) in told for secret in secrets) or snapshot.guard.label(told) != told:
        told = ""
    return f"{style.bullet}{link}{style.separator}{told}" if told else f"{style.bullet}{link}"


def remove_entry(index: Note, entry: Listed) -> TextEdit:
    """Return the edit that takes an entry's lines away."""
    last = index.lines.line_of(entry.span.end)
    if last + 1 < len(index.lines):
        return TextEdit(index.path, Span(entry.span.start, index.lines.line_span(last + 1).start), "")
    start = index.lines.line_span(entry.line - 1).end if entry.line else 0
    return TextEdit(index.path, Span(start, entry.span.end), "")


def style_of(snapshot: Snapshot, index: Note) -> Style:
    """Return how most entries of an index are written."""
    bullets, forms, separators = Counter[str](), Counter[bool](), Counter[str]()
    for entry in listed(snapshot, index):
        item = _ITEM.match(index.text, index.lines.line_span(entry.line).start)
        if item and not _NUMBERED.search(item[1]):
            bullets[item[1]] += 1
        forms[entry.link.form is LinkForm.WIKI] += 1
        separator = _SEPARATOR.match(index.text, entry.link.span.end, entry.span.end)
        if separator:
            separators[separator[1]] += 1
    plain_ = Style()
    return Style(
        bullets.most_common(1)[0][0] if bullets else plain_.bullet,
        forms.most_common(1)[0][0] if forms else plain_.is_wiki,
        separators.most_common(1)[0][0] if separators else plain_.separator,
    )


def type_of_heading(heading: Heading) -> str:
    """Return the type that a heading of an index groups, "" for another heading."""
    words = fold(heading.text).strip("-")
    return next((kind for kind in TYPES if words in (kind, f"{kind}s")), "")


def _spot(
    snapshot: Snapshot, index: Note, entries: tuple[Listed, ...], kind: str, *, is_first: bool
) -> tuple[int, str]:
    """Return where entries of a type go, and what stands between them and what is there."""
    newline = newline_of(index.text)
    same = [entry for entry in entries if entry.path and snapshot.notes[entry.path].type == kind]
    if same:
        return same[-1].span.end, newline
    groups = {type_of_heading(heading): heading for heading in index.headings}
    if kind in groups:
        span = groups[kind].span
        return span.end, newline + newline
    if any(groups.keys() - {""}):
        gap = _gap(index, newline) if is_first else newline
        return len(index.text), f"{gap}## {kind.capitalize()}{newline}{newline}"
    if entries:
        return entries[-1].span.end, newline
    return len(index.text), _gap(index, newline) if is_first else newline


def _gap(index: Note, newline: str) -> str:
    """Return what sets a new block at the end of the text apart."""
    text = index.text
    if not text.strip():
        return ""
    if not text.endswith(("\n", "\r")):
        return newline * 2
    return "" if text.endswith(newline * 2) else newline


def _with_continuation(index: Note, line: int) -> Span:
    """Return the span of a line of a list and of the indented lines of text that belong to it."""
    span = index.lines.line_span(line)
    end = span.end
    indent = len(span.of(index.text)) - len(span.of(index.text).lstrip())
    for following in range(line + 1, len(index.lines)):
        text = index.lines.line_span(following).of(index.text)
        deeper = len(text) - len(text.lstrip()) > indent
        if not text.strip() or not deeper or _ITEM.match(text):
            break
        end = index.lines.line_span(following).end
    return Span(span.start, end)
