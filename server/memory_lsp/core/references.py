"""Every place that points at a note, a heading, a block, a tag, a file or a missing name.

Costs what points there: backlinks and the users of a name are looked up, no note is searched that has none.
"""

from __future__ import annotations

import functools
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.cursor import symbol_at
from memory_lsp.core.frontmatter import Field
from memory_lsp.core.graph import EdgeKind, tag_id
from memory_lsp.core.links import Link
from memory_lsp.core.lint import title_of
from memory_lsp.core.note import INDEX_NAME
from memory_lsp.core.resolve import Level, fold
from memory_lsp.core.respell import split_md
from memory_lsp.core.targets import ToAnchor, ToFile, ToMissing, ToNote, ToTag, target_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory_lsp.core.links import Tag
    from memory_lsp.core.note import Entry, Note
    from memory_lsp.core.resolve import Resolution
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.targets import Target
    from memory_lsp.core.text import Span


@dataclass(frozen=True, slots=True, order=True)
class Reference:
    """A place that points at something, or, as a declaration, is where the thing itself stands."""

    path: str
    span: Span
    is_declaration: bool = False


def references_at(snapshot: Snapshot, note: Note, offset: int) -> list[Reference]:
    """Return all references to what stands at an offset, its declarations among them, by path and place."""
    return references(snapshot, target_of(snapshot, note, symbol_at(note, offset)))


def references(snapshot: Snapshot, target: Target) -> list[Reference]:
    """Return all references to a target, its declarations among them, by path and place."""
    return sorted({*_declarations(snapshot, target), *_uses(snapshot, target)})


def highlights_at(snapshot: Snapshot, note: Note, offset: int) -> list[Reference]:
    """Return what in this note stands for the same thing as the symbol at an offset; nothing for plain text."""
    symbol = symbol_at(note, offset)
    target = target_of(snapshot, note, symbol)
    if symbol is None or isinstance(symbol, Field):
        return []
    found = set(_uses(snapshot, target, (note.path,)))
    if target == ToNote(note.path):
        spans = (note.name_span, note.title_span)
        found.update(Reference(note.path, span, is_declaration=True) for span in spans if span is not None)
    else:
        found.update(each for each in _declarations(snapshot, target) if each.path == note.path)
    return sorted(found)


def tag_members(snapshot: Snapshot, tag: str) -> Iterator[str]:
    """Yield the paths of the notes with exactly this tag, whatever its case; the index, which is no node, included."""
    id_ = tag_id(snapshot.guard.label(tag))
    for edge in snapshot.graph.neighbours(id_):
        if edge.kind is EdgeKind.HAS_TAG and edge.direction == "in":
            yield snapshot.paths[edge.id]
    index = snapshot.notes.get(INDEX_NAME)
    if index is not None and any(tag_id(each.name) == id_ for each in index.tags):
        yield INDEX_NAME


def nested_tags(snapshot: Snapshot, tag: str) -> list[str]:
    """Return the tag and those below it (`a/b` for `a`), lower case, sorted."""
    wanted = tag.lower()
    index = snapshot.notes.get(INDEX_NAME)
    names = {id_.removeprefix("tag:") for id_ in snapshot.graph.tags()}
    names.update(each.name.lower() for each in (index.tags if index is not None else ()))
    return sorted(name for name in names if name == wanted or name.startswith(f"{wanted}/"))


def tag_places(snapshot: Snapshot, tag: str, within: Iterable[str] | None = None) -> Iterator[tuple[Note, Tag]]:
    """Yield every place where a tag, or one below it, is written; only in the notes `within`, where that is given."""
    names = nested_tags(snapshot, tag)
    wanted = set(names)
    paths = within if within is not None else {path for name in names for path in tag_members(snapshot, name)}
    for path in paths:
        note = snapshot.notes[path]
        for each in note.tags:
            if each.name.lower() in wanted:
                yield note, each


def linked(snapshot: Snapshot, paths: Iterable[str]) -> Iterator[tuple[Note, Link | Entry, Resolution]]:
    """Yield every link and entry of some notes with what it means."""
    for path in paths:
        note, meaning = snapshot.notes[path], snapshot.meanings[path]
        yield from ((note, link, found) for link, found in zip(note.links, meaning.links, strict=True))
        yield from ((note, entry, found) for entry, found in zip(note.entries, meaning.entries, strict=True))


def _declarations(snapshot: Snapshot, target: Target) -> Iterator[Reference]:
    if isinstance(target, ToNote):
        yield Reference(target.path, title_of(snapshot.notes[target.path]), is_declaration=True)
    elif isinstance(target, ToAnchor):
        yield Reference(target.path, target.place.span, is_declaration=True)


def _uses(snapshot: Snapshot, target: Target, within: tuple[str, ...] | None = None) -> Iterator[Reference]:
    backlinks: Iterable[str] = within or ()
    if within is None and isinstance(target, ToNote | ToAnchor):
        backlinks = snapshot.backlinks.get(target.path, ())
    if isinstance(target, ToTag):
        yield from (Reference(note.path, tag.span) for note, tag in tag_places(snapshot, target.name, within))
    elif isinstance(target, ToNote):
        for note, use, found in linked(snapshot, backlinks):
            if found.note == target.path and found.level is not Level.SELF:
                yield Reference(note.path, _span(use))
    elif isinstance(target, ToAnchor):
        yield from _anchor_uses(snapshot, target, backlinks)
    elif isinstance(target, ToFile):
        key = fold(posixpath.basename(target.path.rstrip("/")))
        for note, use, found in linked(snapshot, within or snapshot.mentioning(key)):
            if found.file == target.path:
                yield Reference(note.path, _span(use))
    else:
        yield from _missing_uses(snapshot, target, within)


def _anchor_uses(snapshot: Snapshot, target: ToAnchor, paths: Iterable[str]) -> Iterator[Reference]:
    owner = snapshot.notes[target.path]
    find = functools.cache(functools.partial(find_anchor, owner))
    for note, use, found in linked(snapshot, paths):
        if not isinstance(use, Link) or found.note != target.path or not found.anchor:
            continue
        if find(found.anchor, use.form) == target.place:
            yield Reference(note.path, _span(use))


def _missing_uses(snapshot: Snapshot, target: ToMissing, within: tuple[str, ...] | None) -> Iterator[Reference]:
    key = fold(split_md(target.target)[0])
    for note, use, found in linked(snapshot, within or snapshot.mentioning(key.rstrip("/"))):
        if found.is_dangling and fold(split_md(use.target)[0]) == key:
            yield Reference(note.path, _span(use))


def _span(use: Link | Entry) -> Span:
    return use.report_span if isinstance(use, Link) else use.span
