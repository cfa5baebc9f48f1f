"""Extract a selection to a note of its own, which a link stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_lsp.core.actions_check import after
from memory_lsp.core.actions_create import frontmatter_text, places_for_name, unused
from memory_lsp.core.actions_index import add_entries, is_complete
from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.actions_select import selected
from memory_lsp.core.actions_spell import path_written, retargeted, wiki_target
from memory_lsp.core.actions_text import first_sentence, newline_of, plain, shortened
from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.edits import FileCreate, TextEdit, apply_edits
from memory_lsp.core.links import LinkForm
from memory_lsp.core.lint import lint
from memory_lsp.core.markdown import Heading, slugify
from memory_lsp.core.note import INDEX_NAME, parse
from memory_lsp.core.respell import join, relative, split_md
from memory_lsp.core.secrets import find_secrets
from memory_lsp.core.sites import target_site
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory_lsp.core.actions_create import NewNote
    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.links import Link
    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Resolution
    from memory_lsp.core.snapshot import Snapshot

_LOST = ("dangling-link", "dangling-anchor", "index-dangling-entry", "dangling-supersedes", "dangling-contradicts")
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
        """Return the action, None where a link would be lost or would mean something else."""
        note, new = self.note, self.new
        file = self._adapted(FileCreate(new.path, self._text()))
        if file is None:
            return None
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
        if self._loses_links(edits, file):
            return None
        return Action(f"Extract to {new.path}", Kind.EXTRACT, edits, (file,))

    def _text(self) -> str:
        """Return the new note with the selection as it is."""
        newline, body = newline_of(self.note.text), self.span.of(self.note.text)
        told = first_sentence(body) or shortened(plain(body.lstrip("#").strip().splitlines()[0]))
        told = "" if find_secrets(told) else told
        return frontmatter_text(self.new.name, told, self.new.type, newline) + newline + body + newline

    def _adapted(self, file: FileCreate) -> FileCreate | None:
        """Return the new note with links that mean what they meant, None where that cannot be."""
        changed, _ = after(self.snapshot, (), (file,))
        note, meanings = changed.notes[file.path], self.snapshot.meanings[self.note.path].links
        here = zip(note.links, changed.meanings[file.path].links, strict=True)
        now = [pair for pair in here if not pair[0].in_frontmatter]
        old = [pair for pair in zip(self.note.links, meanings, strict=True) if self.span.covers(pair[0].span)]
        if [link.whole for link, _ in now] != [link.whole for link, _ in old]:
            return None
        edits: list[TextEdit] = []
        for (link, found), (_, before) in zip(now, old, strict=True):
            wanted = self._wanted(link, before)
            if wanted == (found.note or found.file) and not self._is_left_behind(link, wanted):
                continue
            made = self._file_edit(note, link, wanted) if before.file else retargeted(
                changed, note, link, wanted, drops_anchor=False
            )  # fmt: skip
            if made is None:
                return None
            edits += made
        return FileCreate(file.path, apply_edits(file.text, edits))

    def _is_left_behind(self, link: Link, wanted: str) -> bool:
        """Tell whether a path led to `wanted` from the note's folder and does not from the new one's.

        We might still find it, by its end; other programs would not.
        """
        is_relative = link.form is LinkForm.MARKDOWN or link.target.startswith(("./", "../"))
        if not is_relative or not link.target or link.target.startswith("/"):
            return False
        was, now = (split_md(join(path, link.target))[0] for path in (self.note.path, self.new.path))
        return was == split_md(wanted)[0] != now

    def _file_edit(self, note: Note, link: Link, wanted: str) -> tuple[TextEdit, ...] | None:
        site = target_site(note, link, whole=False, encoded=False)
        raw = next(iter(site.written(relative(wanted, note.path))), None)
        return (TextEdit(note.path, site.span, raw),) if raw is not None else None

    def _wanted(self, link: Link, before: Resolution) -> str:
        """Return what a link of the selection has to mean: of its own headings those that come along, else the same."""
        if before.note == self.note.path and before.anchor:
            place = find_anchor(self.note, before.anchor, link.form)
            if place is not None and self.span.covers(place.span):
                return self.new.path
        return before.note or before.file

    def _loses_links(self, edits: tuple[TextEdit, ...], file: FileCreate) -> bool:
        """Tell whether more links lead nowhere than before, in any note."""
        changed, affected = after(self.snapshot, edits, (file,))
        paths = affected | {self.note.path}
        return _dangling(changed, paths) > _dangling(self.snapshot, paths)

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


def _dangling(snapshot: Snapshot, paths: Iterable[str]) -> int:
    there = [path for path in paths if path in snapshot.notes]
    return sum(item.code in _LOST for path in there for item in lint(snapshot, path))


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
