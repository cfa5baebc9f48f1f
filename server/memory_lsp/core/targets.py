"""What the thing under the cursor stands for: a note, a heading, a block, a tag, a file, or a name nobody bears yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.links import Link, Tag
from memory_lsp.core.markdown import Block, Heading
from memory_lsp.core.note import Entry

if TYPE_CHECKING:
    from memory_lsp.core.cursor import Symbol
    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Resolution
    from memory_lsp.core.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class ToNote:
    """A note as a whole."""

    path: str


@dataclass(frozen=True, slots=True)
class ToAnchor:
    """A heading or a block of the note at `path`."""

    path: str
    place: Heading | Block


@dataclass(frozen=True, slots=True)
class ToTag:
    """A tag, by its name as written at the cursor."""

    name: str


@dataclass(frozen=True, slots=True)
class ToFile:
    """A file that is no note."""

    path: str


@dataclass(frozen=True, slots=True)
class ToMissing:
    """What a dangling link or entry names."""

    target: str


Target: TypeAlias = "ToNote | ToAnchor | ToTag | ToFile | ToMissing"


def target_of(snapshot: Snapshot, note: Note, symbol: Symbol | None) -> Target:
    """Return what a symbol of `note` stands for; the note itself where it is none of its own."""
    if isinstance(symbol, Link):
        return _link_target(snapshot, symbol, meaning_of(snapshot, note, symbol))
    if isinstance(symbol, Entry):
        found = meaning_of(snapshot, note, symbol)
        return ToNote(found.notes[0]) if found.notes else ToFile(found.file) if found.file else ToMissing(symbol.target)
    if isinstance(symbol, Tag):
        return ToTag(symbol.name)
    if isinstance(symbol, Heading | Block):
        return ToAnchor(note.path, symbol)
    return ToNote(note.path)


def meaning_of(snapshot: Snapshot, note: Note, symbol: Link | Entry) -> Resolution:
    """Return what a link or an entry of a note resolves to."""
    meaning = snapshot.meanings[note.path]
    if isinstance(symbol, Link):
        return meaning.links[note.links.index(symbol)]
    return meaning.entries[note.entries.index(symbol)]


def _link_target(snapshot: Snapshot, link: Link, found: Resolution) -> Target:
    if found.file:
        return ToFile(found.file)
    if not found.notes:
        return ToMissing(link.target)
    path = found.notes[0]
    place = find_anchor(snapshot.notes[path], found.anchor, link.form) if found.anchor else None
    return ToAnchor(path, place) if place is not None else ToNote(path)
