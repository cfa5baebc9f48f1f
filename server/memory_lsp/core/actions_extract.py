"""Extract a selection to a note of its own, which a link stands for."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from memory_lsp.core.actions_check import after
from memory_lsp.core.actions_create import frontmatter_text, places_for_name, unused
from memory_lsp.core.actions_index import add_entries, is_complete
from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.actions_select import selected
from memory_lsp.core.actions_spell import path_written, wiki_target
from memory_lsp.core.actions_text import first_sentence, newline_of, plain, shortened
from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.edits import FileCreate, TextEdit, apply_edits
from memory_lsp.core.links import LinkForm
from memory_lsp.core.markdown import Heading, slugify
from memory_lsp.core.note import INDEX_NAME, parse
from memory_lsp.core.resolve import Level
from memory_lsp.core.respell import relative
from memory_lsp.core.secrets import find_secrets
from memory_lsp.core.sites import target_site
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_create import NewNote
    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.links import Link
    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Resolution
    from memory_lsp.core.snapshot import Snapshot

_MOST_WORDS = 6
_LEAST = 3  # letters that are worth a note
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


def extract_selection(place: Place) -> Iterator[Action]:
    """Yield the selection as a new note beside this one, with `[[name]]` left in its place."""
    note, span = place.note, selected(place.note, place.span)
    if span is None or note.is_index or not _is_whole(note, span):
        return
    name = _name(place.snapshot, note, span)
    new = next(places_for_name(place.snapshot, note, name), None) if name else None
    if new is not None:
        action = _Extraction(place.snapshot, note, span, new).action()
        if action:
            yield action


class _Extraction:
    def __init__(self, snapshot: Snapshot, note: Note, span: Span, new: NewNote) -> None:
        self.snapshot, self.note, self.span, self.new = snapshot, note, span, new

    def action(self) -> Action | None:
        note, new = self.note, self.new
        newline = newline_of(note.text)
        body = apply_edits(note.text, self._adapted())[: self._end()][self.span.start :]
        said = self.span.of(note.text)
        told = first_sentence(said) or shortened(plain(said.lstrip("#").strip().splitlines()[0]))
        told = "" if find_secrets(told) else told
        text = frontmatter_text(new.name, told, new.type, newline) + newline + body + newline
        file = FileCreate(new.path, text)
        changed, _ = after(self.snapshot, (), (file,))
        target = wiki_target(changed, new.path, note.path, new.name)
        edit = TextEdit(note.path, self.span, f"[[{target}]]")
        left = parse(note.path, apply_edits(note.text, (edit,)))
        whole = Span(self.span.start, self.span.start + len(edit.new_text))
        # In code, or where markup is cut in two, the link would be none.
        if target is None or not any(link.span == whole for link in left.links):
            return None
        edits = (edit, *self._followers(target))
        if is_complete(self.snapshot):
            edits += add_entries(changed, changed.notes[INDEX_NAME], (new.path,))
        return Action(f"Extract to {new.path}", Kind.EXTRACT, edits, (file,))

    def _end(self) -> int:
        grown = sum(len(edit.new_text) - (edit.span.end - edit.span.start) for edit in self._adapted())
        return self.span.end + grown

    def _adapted(self) -> list[TextEdit]:
        """Return the edits that let the selection's links mean from the new place what they mean here."""
        note, edits = self.note, []
        for link, found in zip(note.links, self.snapshot.meanings[note.path].links, strict=True):
            if self.span.covers(link.span) and (text := self._respelled(link, found)) is not None:
                site = target_site(note, link, whole=False, encoded=False)
                raw = next(iter(site.written(text)), None) if link.target else text
                if raw is not None and raw != site.raw:
                    edits.append(TextEdit(note.path, site.span, raw))
        return edits

    def _respelled(self, link: Link, found: Resolution) -> str | None:
        """Return the target that a link of the selection needs in the new note, None where it may stay."""
        if found.level is Level.SELF:
            place = find_anchor(self.note, found.anchor or "", link.form)
            if place is None or self.span.covers(place.span):
                return None
            if link.form is LinkForm.MARKDOWN:
                return path_written(relative(self.note.path, self.new.path))
            return wiki_target(self.snapshot, self.note.path, self.new.path)
        is_path = link.form is LinkForm.MARKDOWN
        explicit = is_path or link.target.startswith(("./", "../"))
        if not explicit or link.target.startswith("/") or not (found.note or found.file):
            return None
        if posixpath.dirname(self.new.path) == posixpath.dirname(self.note.path):
            return None
        moved = relative(found.note or found.file, self.new.path)
        return moved if not found.note or link.target.lower().endswith(".md") else moved.removesuffix(".md")

    def _followers(self, target: str) -> Iterator[TextEdit]:
        """Yield the edits of links elsewhere that lead to a heading or block of the selection."""
        snapshot, note = self.snapshot, self.note
        for path in sorted({*snapshot.backlinks.get(note.path, ()), note.path}):
            source = snapshot.notes[path]
            for link, found in zip(source.links, snapshot.meanings[path].links, strict=True):
                if found.note != note.path or not found.anchor or (source is note and self.span.covers(link.span)):
                    continue
                place = find_anchor(note, found.anchor, link.form)
                if place is None or not self.span.covers(place.span):
                    continue
                site = target_site(source, link, whole=False, encoded=False)
                text = relative(self.new.path, path) if link.form is LinkForm.MARKDOWN else target
                raw = next(iter(site.written(text)), None) if link.target else path_written(text)
                if raw is not None:
                    yield TextEdit(path, site.span, raw if link.form is LinkForm.MARKDOWN else text)


def _is_whole(note: Note, span: Span) -> bool:
    """Tell whether a selection cuts no link in two, and leaves definitions with the links that use them."""
    for link in note.links:
        inside = span.covers(link.span)
        if not inside and link.span.start < span.end and span.start < link.span.end:
            return False
        if inside != span.covers(link.target_span):
            return False
    return not any(not span.covers(heading.span) and heading.span.start < span.end and span.start < heading.span.end
                   for heading in note.headings)  # fmt: skip


def _name(snapshot: Snapshot, note: Note, span: Span) -> str:
    """Return a name that is free: of the selection's first heading, else of its first words."""
    heading = next((each for each in note.headings if isinstance(each, Heading) and span.covers(each.span)), None)
    said = heading.text if heading and heading.text else plain(span.of(note.text).lstrip("#>-*+ \t"))
    words = _WORD.findall(said)[:_MOST_WORDS]
    name = slugify(" ".join(words))[:60].strip("-")
    secrets = [found.span.of(note.text).lower() for found in find_secrets(note.text)]
    if sum(map(len, words)) < _LEAST or any(secret in said.lower() or secret in name for secret in secrets):
        return ""
    return unused(snapshot, note.path, name)
