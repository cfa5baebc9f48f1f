"""The edits that keep every link meaning what it means while names, headings and places of notes change.

A change is given as moves of files and as edits of what names things (`name:` values, headings, block ids). It is tried
on the snapshot; each link that names something changed is spelled anew in its own way, and the result is checked on the
snapshot once more. Only notes that point at what changed, or that use its names, are looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import unquote

from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.edits import TextEdit, apply_edits, by_path
from memory_lsp.core.links import Link, LinkForm, decode
from memory_lsp.core.note import UNTYPED, entry_target, folder_type
from memory_lsp.core.reanchor import anchor_spellings, counterpart
from memory_lsp.core.resolve import Level
from memory_lsp.core.respell import exact_spellings, own_paths, own_spelling, spelled_by, split_md
from memory_lsp.core.sites import anchor_site, entry_site, target_site
from memory_lsp.core.snapshot import Changes, Meaning, Snapshot
from memory_lsp.core.sources import reread
from memory_lsp.core.text import Span
from memory_lsp.core.yaml_values import yaml_items
from memory_lsp.errors import RenameError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memory_lsp.core.note import Entry, Note
    from memory_lsp.core.resolve import Resolution
    from memory_lsp.core.sites import Site


@dataclass(frozen=True, slots=True)
class Change:
    """What is to change: notes, other files and folders that move (old path → new), and edits of names.

    `strict` refuses what would alter the meaning of a link to something else; otherwise such a link is spelled anew.
    """

    moves: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    folders: Mapping[str, str] = field(default_factory=dict)
    edits: tuple[TextEdit, ...] = ()
    strict: bool = True
    inline_tags: bool = False


def relink(before: Snapshot, change: Change) -> list[TextEdit]:
    """Return the change's own edits and those of the links, all at the old paths. Raises RenameError."""
    edits = _Relinker(before, change).run()
    # A link in a heading changes the heading's text, which other links name.
    headed = [edit for edit in edits if edit not in change.edits and _is_in_heading(before.notes[edit.path], edit)]
    return relink(before, replace(change, edits=(*change.edits, *headed))) if headed else edits


def _is_in_heading(note: Note, edit: TextEdit) -> bool:
    return any(heading.span.covers(edit.span) for heading in note.headings)


def relocated(note: Note, path: str) -> Note:
    """Return a note as it reads at another path; equal to parsing its text there, at no cost."""
    named = note.name_span is not None and any(note.name == item for item in _name_values(note))
    name = note.name if named else split_md(path.rsplit("/", 1)[-1])[0]
    return replace(note, path=path, name=name, type=folder_type(path) or note.declared_type or UNTYPED)


def _name_values(note: Note) -> tuple[str, ...]:
    found = note.frontmatter.get("name") if note.frontmatter else None
    return (found.text.strip(),) if found else ()


class _Relinker:
    def __init__(self, before: Snapshot, change: Change) -> None:
        self.before = before
        self.change = change
        self.own = by_path(change.edits)
        self.arrived = frozenset(change.files.values())
        self.after, affected = self._after(
            {path: apply_edits(before.notes[path].text, edits) for path, edits in self.own.items()}
        )
        self.touched = change.moves.keys() | self.own.keys()
        self.affected = affected
        # By note and number of its link or entry: the note, the file and the anchor that it has to mean.
        self.wanted: dict[str, dict[int, tuple[str, str, str | None]]] = {}

        self.anchors: dict[tuple[str, str, LinkForm], tuple[str, ...] | None] = {}

    def run(self) -> list[TextEdit]:
        edits = list(self.change.edits)
        for path in self._sources():
            edits += self._relinked(path)
        if self.change.strict:
            self._verify(edits)
        return sorted(set(edits))

    def _after(self, texts: Mapping[str, str]) -> tuple[Snapshot, frozenset[str]]:
        """Return the snapshot with some notes' texts changed and everything moved, and whose links it may affect."""
        change, before = self.change, self.before
        notes: dict[str, Note | None] = dict.fromkeys(change.moves)
        for path in {*change.moves, *texts}:
            new = change.moves.get(path, path)
            notes[new] = (
                reread(before.notes[path], texts[path], path=new, inline_tags=change.inline_tags)
                if path in texts
                else relocated(before.notes[path], new)
            )
        names = replace(before.names, exists=self._exists)
        removed = frozenset((*change.files, *change.folders))
        changes = Changes(notes, self.arrived, removed - self.arrived)
        return replace(before, names=names).updated(changes)

    def _exists(self, path: str) -> bool:
        """Tell whether a path will be there once everything has moved."""
        if path in self.arrived:
            return True
        for old, new in self.change.folders.items():
            if path == new or path.startswith(f"{new}/"):
                return self.before.names.exists(old + path[len(new) :])
        return self._place(path) == path and self.before.names.exists(path)

    def _place(self, file: str) -> str:
        """Return where a file that is no note, or a folder, will be."""
        if file in self.change.files:
            return self.change.files[file]
        for old, new in self.change.folders.items():
            if file == old or file.startswith(f"{old}/"):
                return new + file[len(old) :]
        return file

    def _sources(self) -> Iterator[str]:
        """Yield the old paths of the notes whose links may need a look."""
        olds = {new: old for old, new in self.change.moves.items()}
        pointing = {path for target in self.touched for path in self.before.backlinks.get(target, ())}
        for new in sorted(self.affected):
            path = olds.get(new, new)
            if path not in self.before.notes or (path == new and new in self.change.moves):
                continue
            if self.change.moves.get(path, path) not in self.after.notes:
                continue
            same = self.before.meanings[path] is self.after.meanings.get(new)
            if path in self.touched or not same or path in pointing:
                yield path

    def _relinked(self, path: str) -> Iterator[TextEdit]:
        note, meaning = self.before.notes[path], self.before.meanings[path]
        source, own = self.change.moves.get(path, path), [edit.span for edit in self.own.get(path, ())]
        # What the trial read of a note whose own text stays needs no second look.
        after = self.after.meanings[source] if not own else None
        tried = (*after.links, *after.entries) if after is not None else ()
        for n, (use, found) in enumerate(_uses(note, meaning)):
            if found.is_dangling or any(use.span.start < span.end and span.start < use.span.end for span in own):
                continue
            if found.note is not None and self.change.moves.get(found.note, found.note) not in self.after.notes:
                continue
            expected = self._expected(found)
            anchor = found.anchor
            if found.level is not Level.SELF:
                now = tried[n] if tried else self._now(use, source)
                yield from self._target_edit(path, use, found, expected, now)
            if isinstance(use, Link) and found.anchor and found.note in self.own:
                anchor, edits = self._anchor_edit(path, use, found)
                yield from edits
            self.wanted.setdefault(path, {})[n] = (*expected, anchor)

    def _expected(self, found: Resolution) -> tuple[str, str]:
        if found.note is None:
            return "", self._place(found.file)
        return self.change.moves.get(found.note, found.note), ""

    def _target_edit(
        self, path: str, use: Link | Entry, found: Resolution, expected: tuple[str, str], now: Resolution
    ) -> Iterator[TextEdit]:
        source = self.change.moves.get(path, path)
        stays = found.note not in self.touched and source == path and self._place(found.file) == found.file
        if stays:
            if (now.note or "", now.file) == expected:
                return
            if self.change.strict:
                other = now.note or now.file or "nothing"
                was = found.note or found.file
                raise RenameError(f"“{use.target}” in {path} means {was} and would then mean {other}.")
        note = self.before.notes[path]
        text, encoded = self._text(use, found)
        whole = isinstance(use, Link) and found.anchor is None and use.anchor is not None
        site = target_site(note, use, whole=whole, encoded=encoded) if isinstance(use, Link) else entry_site(note, use)
        for spelling, exact in self._spellings(text, use, found, expected, (path, source)):
            for raw in (site.raw,) if spelling == text else site.written(spelling):
                if self._means(_respelled(use, site, raw, whole=whole), source, found, expected, exact=exact):
                    if raw != site.raw:
                        yield _narrow(path, site, raw)
                    return
        if self.change.strict:
            raise RenameError(f"“{use.target}” in {path} cannot spell the new name; change that link first.")

    def _text(self, use: Link | Entry, found: Resolution) -> tuple[str, bool]:
        """Return what a link names, decoded, and whether a wikilink writes it percent-encoded."""
        whole = isinstance(use, Link) and found.anchor is None and use.anchor is not None
        text = use.whole if isinstance(use, Link) and whole and use.form is LinkForm.WIKI else use.target
        decoded = unquote(text, errors="replace")
        if decoded == text or found.note is None:
            return text, False
        assert found.level is not None
        spells = spelled_by(text, found.level, self.before.notes[found.note])
        return (text, False) if spells else (decoded, True)

    def _spellings(
        self, text: str, use: Link | Entry, found: Resolution, expected: tuple[str, str], source: tuple[str, str]
    ) -> Iterator[tuple[str, bool]]:
        """Yield ways to name what a link means, the link's own first, and whether each must be an exact one."""
        is_markdown = isinstance(use, Link) and use.form is LinkForm.MARKDOWN
        if found.note is None:
            bare = text.rstrip("/")
            for path in own_paths(bare, (found.file, expected[1]), source, is_markdown=is_markdown):
                yield path + text[len(bare) :], False
            yield text, False
            yield f"/{expected[1]}", False
            return
        old, new = self.before.notes[found.note], self.after.notes[expected[0]]
        if found.level is Level.PATH:
            bare, extension = split_md(text)
            places = split_md(old.path)[0], split_md(new.path)[0]
            spelled = [path + extension for path in own_paths(bare, places, source, is_markdown=is_markdown)]
            if text == old.base_id and not is_markdown:
                spelled.insert(1 if bare == places[0] else 0, new.base_id)
        else:
            assert found.level is not None
            extension = split_md(text)[1]
            spelled = [own_spelling(text, found.level, old, new)]
        yield from ((each, False) for each in (*spelled, text))
        yield from ((each, True) for each in exact_spellings(new, source[1], extension, is_markdown=is_markdown))

    def _now(self, use: Link | Entry, source: str) -> Resolution:
        names = self.after.names
        return names.resolve(use, source) if isinstance(use, Link) else names.find(use.target, source)

    def _means(
        self, use: Link | Entry, source: str, found: Resolution, expected: tuple[str, str], *, exact: bool = False
    ) -> bool:
        """Tell whether a link would mean what it should: of several notes the first, if it meant several before."""
        now = self._now(use, source)
        if (now.note or "", now.file) != expected or (isinstance(use, Link) and now.anchor != found.anchor):
            return False
        if exact and (now.level is None or not now.level.is_exact):
            return False
        return len(now.notes) <= max(1, len(found.notes))

    def _anchor_edit(self, path: str, use: Link, found: Resolution) -> tuple[str | None, list[TextEdit]]:
        """Return the anchor that a link has to have, and the edit that makes it so."""
        anchor, site = found.anchor or "", anchor_site(self.before.notes[path], use)
        key = (found.notes[0], anchor, use.form)
        if key not in self.anchors:
            self.anchors[key] = self._anchor_spellings(*key, self._expected(found)[0])
        spellings = self.anchors[key]
        if spellings is None or site is None:
            return anchor, []
        for spelling in spellings:
            if spelling == anchor:
                return anchor, []
            for raw in site.written(spelling):
                if (decode(raw) if use.form is LinkForm.MARKDOWN else raw) == spelling:
                    return spelling, [TextEdit(path, site.span, raw)]
        raise RenameError(f"“#{anchor}” in {path} cannot name that place any more.")

    def _anchor_spellings(self, target: str, anchor: str, form: LinkForm, now: str) -> tuple[str, ...] | None:
        """Return how an anchor of the note at `target`, afterwards at `now`, may be written; None where it is none."""
        old, new = self.before.notes[target], self.after.notes[now]
        place = find_anchor(old, anchor, form)
        counter = counterpart(old, new, place) if place is not None else None
        return tuple(anchor_spellings(anchor, form, old, new, place, counter)) if place and counter else None

    def _verify(self, edits: list[TextEdit]) -> None:
        """Read every edited note anew; raises where a link would mean something else, or would not be read any more.

        Names do not come from links, so those of the first trial hold, and so do links whose text stays.
        """
        for path, group in by_path(edits).items():
            source, old = self.change.moves.get(path, path), self.before.notes[path]
            new = reread(old, apply_edits(old.text, group), path=source, inline_tags=self.change.inline_tags)
            if _names(new) != _names(self.after.notes[source]):
                raise RenameError(f"The links in {path} cannot be written anew without changing its name.")
            shift, links = _shifter(group), {link.span.start: link for link in new.links}
            for n, expected in self.wanted.get(path, {}).items():
                entry = n - len(old.links)
                use: Link | Entry = old.links[n] if entry < 0 else old.entries[entry]
                now = links.get(shift(use.span.start)) if entry < 0 else _at(new.entries, entry, len(old.entries))
                if now is None or (not _reads_alike(now, use) and self._found(now, source) != expected):
                    raise RenameError(f"“{use.target}” in {path} would not mean {expected[0] or expected[1]} any more.")

    def _found(self, use: Link | Entry, source: str) -> tuple[str, str, str | None]:
        found = self._now(use, source)
        return found.note or "", found.file, found.anchor


def _names(note: Note) -> tuple[object, ...]:
    return note.name, note.type, [alias.value for alias in note.aliases]


def _at(entries: tuple[Entry, ...], index: int, count: int) -> Entry | None:
    return entries[index] if len(entries) == count else None


def _reads_alike(one: Link | Entry, other: Link | Entry) -> bool:
    if isinstance(one, Link) and isinstance(other, Link):
        return (one.form, one.target, one.whole, one.anchor) == (other.form, other.target, other.whole, other.anchor)
    return one.target == other.target


def _uses(note: Note, meaning: Meaning) -> Iterator[tuple[Link | Entry, Resolution]]:
    yield from zip(note.links, meaning.links, strict=True)
    yield from zip(note.entries, meaning.entries, strict=True)


def _narrow(path: str, site: Site, raw: str) -> TextEdit:
    """Return the edit that writes `raw` at a site without touching the folders and the extension that stay."""
    old, (bare, extension) = site.raw, split_md(raw)
    end = len(extension) if extension and old.endswith(extension) else 0
    bare = raw[: len(raw) - end]
    same = 0
    while same < min(len(bare), len(old) - end) and bare[same] == old[same]:
        same += 1
    start = bare.rfind("/", 0, same) + 1
    return TextEdit(path, Span(site.span.start + start, site.span.end - end), bare[start:])


def _respelled(use: Link | Entry, site: Site, raw: str, *, whole: bool) -> Link | Entry:
    """Return a link or an entry as it would be read with other raw text at its site."""
    if not isinstance(use, Link):
        return replace(use, target=_entry_name(site, raw))
    if use.form is LinkForm.MARKDOWN:
        target = decode(raw)
        return replace(use, target=target, whole=target)
    target, mark, rest = raw.partition("#")
    if whole:
        return replace(use, target=target.rstrip(), anchor=rest.strip() if mark else None, whole=raw)
    if mark:
        return replace(use, target="\0", whole="\0")
    behind = site.note.text[site.span.end : use.anchor_span.end] if use.anchor_span else ""
    return replace(use, target=raw, whole=raw + behind)


def _entry_name(site: Site, raw: str) -> str:
    """Return the name that an entry with other raw text would be read as."""
    if site.is_wrapped:
        return raw
    if site.yaml_quote == "'":
        return entry_target(raw.replace("''", "'"))
    source = f"{site.yaml_quote}{raw}{site.yaml_quote}"
    items = yaml_items(source, 0) if source[:1] in "\"'" else None
    return entry_target(items[0].value if items else raw)


def _shifter(edits: list[TextEdit]) -> Callable[[int], int]:
    """Return a function from offsets before some edits, given in order, to those after them."""
    ends = [edit.span.end for edit in edits]
    grown = [0, *accumulate(len(edit.new_text) - (edit.span.end - edit.span.start) for edit in edits)]
    return lambda offset: offset + grown[bisect_right(ends, offset)]
