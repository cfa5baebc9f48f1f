"""Rename a note, a heading, a block, a tag or a missing name: what may be renamed, and the edits that do it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.cursor import Name, symbol_at
from memory_lsp.core.edits import FileRename, TextEdit, apply_edits
from memory_lsp.core.links import Link, LinkForm, Tag
from memory_lsp.core.markdown import Block, Heading
from memory_lsp.core.note import Entry, parse
from memory_lsp.core.relink import Change, relink
from memory_lsp.core.rename_tag import rename_missing, rename_tag, tag_name_span
from memory_lsp.core.resolve import Level, fold
from memory_lsp.core.respell import restyle, split_md, type_prefix
from memory_lsp.core.sites import entry_site, value_site
from memory_lsp.core.targets import ToAnchor, ToFile, ToMissing, ToNote, ToTag, meaning_of, target_of
from memory_lsp.core.text import Span
from memory_lsp.errors import RenameError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.core.targets import Target

_BLOCK_ID = re.compile(r"[A-Za-z0-9_-]+")
_FORBIDDEN = re.compile(r"[\[\]|#^/\\\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Renamable:
    """What a rename at the cursor changes: the span the editor shows, the text it starts from, and the thing itself.

    `base` is the name that the cursor's text spells; other spellings of the note follow it in their own style.
    """

    span: Span
    base: str
    target: Target
    is_stem: bool = False  # whether the file's whole name is what the cursor's text spells
    title: Span | None = None  # the note's title, where the rename starts at it


@dataclass(frozen=True, slots=True)
class Plan:
    """The edits of a rename, all at the old paths, and the file that gets another name."""

    edits: tuple[TextEdit, ...]
    renames: tuple[FileRename, ...] = ()


def renamable_at(snapshot: Snapshot, note: Note, offset: int) -> Renamable | None:
    """Return what can be renamed at an offset, None in plain text. Raises RenameError with the reason it cannot."""
    symbol = symbol_at(note, offset)
    target = target_of(snapshot, note, symbol)
    if isinstance(symbol, Tag):
        return Renamable(tag_name_span(note, symbol), symbol.name, target)
    if isinstance(symbol, Block):
        return Renamable(Span(symbol.span.start + 1, symbol.span.end), symbol.id, target)
    if isinstance(symbol, Heading):
        return Renamable(symbol.text_span, symbol.text_span.of(note.text), target)
    if isinstance(symbol, Name):
        return _title_or_name(note, symbol)
    if isinstance(symbol, Link):
        return _link(snapshot, note, symbol, target, offset)
    if isinstance(symbol, Entry):
        return _entry(snapshot, note, symbol, target)
    return None


def rename(
    snapshot: Snapshot, found: Renamable, new: str, *, renames_files: bool = True, inline_tags: bool = False
) -> Plan:
    """Return the edits that give `found` another name; RenameError where that cannot be, with the reason."""
    if any(c in new for c in "\r\n"):
        raise RenameError("A name is one line; the new one holds a line end.")
    new = new.strip()
    if not new:
        raise RenameError("The new name is empty.")
    target = found.target
    if isinstance(target, ToTag):
        return Plan(rename_tag(snapshot, target.name, new))
    if isinstance(target, ToMissing):
        return Plan(rename_missing(snapshot, target.target, _checked(new)))
    if isinstance(target, ToAnchor):
        return Plan(_rename_anchor(snapshot, target, new, inline_tags=inline_tags))
    if isinstance(target, ToNote):
        return _NoteRename(snapshot, found, target.path, renames_files, inline_tags).run(_checked(new))
    raise RenameError(f"“{target.path}” is no note: rename the file in the editor's file list, its links follow.")


def _title_or_name(note: Note, symbol: Name) -> Renamable:
    heading = next((each for each in note.headings[:1] if each.text_span == symbol.span), None)
    if heading is None:
        if note.is_index:
            raise RenameError("The index keeps its name.")
        return Renamable(symbol.span, note.name, ToNote(note.path))
    names = {fold(note.name), fold(note.stem), fold(note.stem[len(type_prefix(note)) :])}
    if note.is_index or fold(heading.text) not in names:
        # A title in other words than the note's name is a heading like any other.
        return Renamable(symbol.span, symbol.span.of(note.text), ToAnchor(note.path, heading))
    return Renamable(symbol.span, heading.text, ToNote(note.path), title=symbol.span)


def _link(snapshot: Snapshot, note: Note, link: Link, target: Target, offset: int) -> Renamable | None:
    found = meaning_of(snapshot, note, link)
    if link.anchor_span is not None and found.anchor and (offset in link.anchor_span or found.level is Level.SELF):
        if not isinstance(target, ToAnchor):
            raise RenameError(f"There is no heading or block “{link.anchor}” to rename.")
        text = target.place.id if isinstance(target.place, Block) else _raw_heading(snapshot, target)
        start = link.anchor_span.start + (1 if isinstance(target.place, Block) else 0)
        return Renamable(Span(start, link.anchor_span.end), text, target)
    if isinstance(target, ToFile):
        raise RenameError(f"“{target.path}” is no note: rename the file in the editor's file list, its links follow.")
    whole = found.anchor is None and link.anchor is not None and bool(found.notes) and link.form is LinkForm.WIKI
    span = Span(link.target_span.start, link.anchor_span.end) if whole and link.anchor_span else link.target_span
    span = _last_part(note.text, span)
    if isinstance(target, ToMissing):
        return Renamable(span, split_md(link.target.rsplit("/", 1)[-1])[0], target)
    return _note_at(snapshot, span, link.whole if whole else link.target, found.level, found.notes[0])


def _entry(snapshot: Snapshot, note: Note, entry: Entry, target: Target) -> Renamable:
    found = meaning_of(snapshot, note, entry)
    span = _last_part(note.text, entry_site(note, entry).span)
    if isinstance(target, ToMissing):
        return Renamable(span, split_md(entry.target.rsplit("/", 1)[-1])[0], target)
    if not found.notes:
        raise RenameError(f"“{entry.target}” is no note.")
    return _note_at(snapshot, span, entry.target, found.level, found.notes[0])


def _note_at(snapshot: Snapshot, span: Span, text: str, level: Level | None, path: str) -> Renamable:
    """Return the note that a link opens, with the name of it that the link spells."""
    note = snapshot.notes[path]
    if note.is_index:
        raise RenameError("The index keeps its name.")
    bare = split_md(text)[0].rsplit("/", 1)[-1]
    if level is Level.PATH and text != note.base_id:
        return Renamable(span, note.stem, ToNote(path), is_stem=True)
    if level is Level.STEM or (level is Level.FOLDED and fold(bare) == fold(note.stem) != fold(note.name)):
        return Renamable(span, note.stem, ToNote(path), is_stem=True)
    if level is Level.PREFIX and fold(bare) != fold(note.name):
        return Renamable(span, note.stem[len(type_prefix(note)) :], ToNote(path))
    return Renamable(span, note.name, ToNote(path))


def _last_part(text: str, span: Span) -> Span:
    """Return the part of a target that is a name: behind its folders, without its extension."""
    raw = span.of(text)
    start = span.start + raw.rfind("/") + 1
    return Span(start, start + len(split_md(text[start : span.end])[0]))


def _raw_heading(snapshot: Snapshot, target: ToAnchor) -> str:
    place = target.place
    return place.text_span.of(snapshot.notes[target.path].text) if isinstance(place, Heading) else ""


def _checked(new: str) -> str:
    """Return a note's new name without an extension. Raises RenameError for what no link could hold."""
    new = split_md(new)[0].strip()
    bad = _FORBIDDEN.search(new)
    if bad:
        shown = bad[0] if bad[0].isprintable() else f"U+{ord(bad[0]):04X}"
        raise RenameError(f"A note's name cannot hold “{shown}”: links could not spell it.")
    if not new or new.startswith(".") or new.endswith("."):
        raise RenameError("A note's name is not empty and neither begins nor ends with a dot.")
    return new


def _rename_anchor(snapshot: Snapshot, target: ToAnchor, new: str, *, inline_tags: bool) -> tuple[TextEdit, ...]:
    note, place = snapshot.notes[target.path], target.place
    if isinstance(place, Block):
        new = new.removeprefix("^")
        if not _BLOCK_ID.fullmatch(new):
            raise RenameError("A block id is made of the letters a to z, digits, `-` and `_`.")
        if any(each.id.casefold() == new.casefold() for each in note.blocks if each != place):
            raise RenameError(f"{note.path} has a block “^{new}” already.")
        edit = TextEdit(note.path, Span(place.span.start + 1, place.span.end), new)
    else:
        edit = TextEdit(note.path, place.text_span, new)
    return _relinked(snapshot, edit, place, inline_tags=inline_tags)


def _relinked(snapshot: Snapshot, edit: TextEdit, place: Heading | Block, *, inline_tags: bool) -> tuple[TextEdit, ...]:
    note = snapshot.notes[edit.path]
    after = parse(note.path, apply_edits(note.text, [edit]), inline_tags=inline_tags)
    if isinstance(place, Heading):
        levels = [each.level for each in note.headings], [each.level for each in after.headings]
        now = after.headings[note.headings.index(place)] if levels[0] == levels[1] else None
        if now is None or now.text_span.of(after.text) != edit.new_text:
            raise RenameError(f"“{edit.new_text}” would not be read as a heading there.")
    elif len(after.blocks) != len(note.blocks):
        raise RenameError(f"“{edit.new_text}” would not be read as a block id there.")
    return tuple(relink(snapshot, Change(edits=(edit,), inline_tags=inline_tags)))


@dataclass(frozen=True, slots=True)
class _NoteRename:
    snapshot: Snapshot
    found: Renamable
    path: str
    renames_files: bool
    inline_tags: bool

    def run(self, new: str) -> Plan:
        note = self.snapshot.notes[self.path]
        has_name = note.name_span is not None and self._named(note)
        name, stem = self._names(note, new)
        if stem != note.stem and not self.renames_files:
            if not has_name or name == note.name:
                reason = f"This editor cannot rename files, and “{note.stem}” is a file's name"
                raise RenameError(f"{reason}: rename {note.path} itself.")
            stem = note.stem
        place = posixpath.join(posixpath.dirname(note.path), stem + split_md(note.path)[1])
        self._check(note, {*([name] if has_name and name != note.name else []), *([stem] if stem != note.stem else [])})
        self._check_place(note, place)
        edits = [*self._name_edit(note, name)] if has_name and name != note.name else []
        if self.found.title is not None and self.found.title.of(note.text) != new:
            edits.append(TextEdit(note.path, self.found.title, new))
        moves = {note.path: place} if place != note.path else {}
        change = Change(moves=moves, edits=tuple(edits), inline_tags=self.inline_tags)
        return Plan(tuple(relink(self.snapshot, change)), tuple(FileRename(*pair) for pair in moves.items()))

    def _named(self, note: Note) -> bool:
        field = note.frontmatter.get("name") if note.frontmatter else None
        return bool(field and field.text.strip())

    def _names(self, note: Note, new: str) -> tuple[str, str]:
        """Return the new name and the new stem: each follows what was renamed where it spelled the same."""
        base, prefix = self.found.base, type_prefix(note)
        rest = note.stem[len(prefix) :]
        if self.found.is_stem:
            if fold(note.name) == fold(note.stem):
                return restyle(note.name, note.stem, new), new
            if prefix and fold(note.name) == fold(rest):
                kept = new[len(prefix) :] if fold(new).startswith(fold(prefix)) else new
                return restyle(note.name, rest, kept), new
            return note.name, new
        name = restyle(note.name, base, new) if fold(note.name) == fold(base) else note.name
        if fold(note.stem) == fold(base):
            return name, restyle(note.stem, base, new)
        if prefix and fold(rest) == fold(base):
            return name, prefix + restyle(rest, base, new)
        return name, note.stem

    def _name_edit(self, note: Note, name: str) -> Iterator[TextEdit]:
        assert note.name_span is not None
        field = note.frontmatter.get("name") if note.frontmatter else None
        if field is None or len(field.items) != 1 or field.value_span.of(note.text)[:1] in "|>[{&!":
            raise RenameError(f"The `name:` of {note.path} is no plain text; change it by hand.")
        raw = next(value_site(note, note.name_span).written(name), None)
        if raw is None:
            raise RenameError(f"The `name:` of {note.path} cannot hold “{name}”.")
        yield TextEdit(note.path, note.name_span, raw)

    def _check(self, note: Note, names: set[str]) -> None:
        for name in sorted(names):
            taken = self.snapshot.names.find(name, note.path)
            others = [path for path in taken.notes if path != note.path]
            if others and taken.level is not None and taken.level.is_exact:
                raise RenameError(f"“{name}” is already a name of {others[0]}; choose another.")

    def _check_place(self, note: Note, place: str) -> None:
        if place == note.path:
            return
        wanted = place.casefold()
        known = next((path for path in self.snapshot.notes if path != note.path and path.casefold() == wanted), None)
        if known is None and wanted != note.path.casefold() and self.snapshot.names.exists(place):
            known = place
        if known is not None:
            raise RenameError(f"There is a file {known} already; choose another name.")
