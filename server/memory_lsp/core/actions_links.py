"""Fixes for links: to a missing note, by another spelling, to one of several notes, to an outdated one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_lsp.core.actions_anchors import anchor_lines
from memory_lsp.core.actions_check import after
from memory_lsp.core.actions_create import frontmatter_text, places_for_link
from memory_lsp.core.actions_index import add_entries, is_complete, listed, remove_entry
from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.actions_near import is_slip, nearest_notes
from memory_lsp.core.actions_spell import retargeted
from memory_lsp.core.actions_text import newline_of, plain, shortened
from memory_lsp.core.edits import FileCreate, TextEdit
from memory_lsp.core.links import LinkForm
from memory_lsp.core.note import INDEX_NAME
from memory_lsp.core.resolve import fold
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_create import NewNote
    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.links import Link
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

_MOST_CANDIDATES = 8


def fix_dangling(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield: did you mean, create the missing note, take the entry out of the index."""
    found = place.link_at(finding)
    if found is None:
        return
    link = found[0]
    yield from _did_you_mean(place, finding, link)
    for new in places_for_link(place.snapshot, place.note, link):
        yield _create(place, finding, link, new)
    if finding.code == "index-dangling-entry":
        for entry in listed(place.snapshot, place.note):
            alone = [other for other in place.note.links if entry.span.covers(other.span)] == [link]
            if entry.link == link and alone:
                title = f"Remove “{link.target}” from {INDEX_NAME}"
                yield Action(title, Kind.QUICKFIX, (remove_entry(place.note, entry),), finding=finding)


def fix_inexact(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the link with the name as its note writes it."""
    found = place.link_at(finding)
    if found is None or not found[1].notes:
        return
    link, path = found[0], found[1].notes[0]
    note = place.snapshot.notes[path]
    said = fold(link.target.removesuffix(".md"))
    names = (note.name, note.stem, *(alias.value for alias in note.aliases))
    preferred = next((name for name in names if fold(name) == said), note.name)
    edits = retargeted(place.snapshot, place.note, link, path, preferred=preferred, drops_anchor=False)
    if edits:
        title = f"Write the link as “{edits[0].new_text}”"
        yield Action(title, Kind.QUICKFIX, edits, is_preferred=True, is_safe=True, finding=finding)


def fix_ambiguous(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the link to each of the notes that it may mean."""
    found = place.link_at(finding)
    if found is None:
        return
    for path in found[1].notes[:_MOST_CANDIDATES]:
        edits = retargeted(place.snapshot, place.note, found[0], path, preferred=place.snapshot.notes[path].base_id,
                           drops_anchor=False)  # fmt: skip
        if edits:
            yield Action(f"Link to {path}", Kind.QUICKFIX, edits, finding=finding)


def fix_superseded(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the link to the note that is in force; its label stays, and prose that named the old note becomes one."""
    found = place.link_at(finding)
    path = _in_force(place.snapshot, finding.subject)
    if found is None or path is None:
        return
    link = found[0]
    edits = retargeted(place.snapshot, place.note, link, path)
    if not edits:
        return
    reads_as_prose = " " in link.target and "/" not in link.target and link.anchor is None
    if link.form is LinkForm.WIKI and link.label is None and reads_as_prose and not link.embed:
        pipe = "\\|" if _in_table_line(place.note, link) else "|"
        edits = tuple(TextEdit(edit.path, edit.span, f"{edit.new_text}{pipe}{link.target}") for edit in edits)
    title = f"Link to its successor “{place.snapshot.notes[path].name}”"
    yield Action(title, Kind.QUICKFIX, edits, is_preferred=True, finding=finding)


def _did_you_mean(place: Place, finding: Finding, link: Link) -> Iterator[Action]:
    near = nearest_notes(place.snapshot, link.target, without=place.note.path)
    wanted = link.target.rsplit("/", 1)[-1].removesuffix(".md")
    slips = [name for _, name in near if is_slip(wanted, name)]
    for path, name in near:
        edits = retargeted(place.snapshot, place.note, link, path, preferred=name)
        if edits:
            shown = edits[0].new_text if link.form is LinkForm.WIKI else path
            sure = slips == [name]
            yield Action(f"Change to “{shown}”", Kind.QUICKFIX, edits, is_preferred=sure, finding=finding)


def _create(place: Place, finding: Finding, link: Link, new: NewNote) -> Action:
    snapshot, source = place.snapshot, place.note
    newline = newline_of(source.text)
    text = frontmatter_text(new.name, _told(snapshot, source, link), new.type, newline)
    text += "".join(f"{newline}{line}{newline}" for line in anchor_lines(_anchors(snapshot, link), link.form))
    file = FileCreate(new.path, text)
    title, edits = f"Create {new.path}", tuple[TextEdit, ...]()
    if not source.is_index and is_complete(snapshot):
        changed, _ = after(snapshot, (), (file,))
        edits = add_entries(changed, changed.notes[INDEX_NAME], (new.path,))
        title += f" and list it in {INDEX_NAME}"
    return Action(title, Kind.QUICKFIX, edits, (file,), finding=finding)


def _told(snapshot: Snapshot, source: Note, link: Link) -> str:
    """Return what an index says of a note behind its link."""
    if not source.is_index:
        return ""
    entry = next((entry for entry in listed(snapshot, source) if entry.link == link), None)
    return shortened(plain(Span(link.span.end, entry.span.end).of(source.text)).lstrip("—–-: ")) if entry else ""


def _anchors(snapshot: Snapshot, link: Link) -> tuple[str, ...]:
    """Return the headings and blocks that links expect in a note that is still missing."""
    wanted: dict[str, None] = {}
    for path in sorted(snapshot.mentioning(fold(link.target))):
        for other, found in zip(snapshot.notes[path].links, snapshot.meanings[path].links, strict=True):
            if found.is_dangling and other.anchor and fold(other.target) == fold(link.target):
                wanted[other.anchor] = None
    return tuple(wanted)


def _in_force(snapshot: Snapshot, path: str) -> str | None:
    """Return the last of the notes that replace one another, None where they do so in a circle."""
    seen = set[str]()
    while path in snapshot.notes and path not in seen:
        seen.add(path)
        newer = snapshot.successors(path)
        if not newer:
            return path
        path = newer[0]
    return None


def _in_table_line(note: Note, link: Link) -> bool:
    line = note.lines.line_span(note.lines.line_of(link.span.start))
    return "|" in note.text[line.start : link.span.start] or "|" in note.text[link.span.end : line.end]
