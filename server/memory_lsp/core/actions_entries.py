"""Entries of `supersedes`, `superseded_by` and `contradicts`: put right, taken out, added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_lsp.core.actions_frontmatter import block_edit
from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.actions_near import is_slip, nearest_notes
from memory_lsp.core.actions_spell import wiki_target
from memory_lsp.core.actions_yaml import add_entry, remove_entry
from memory_lsp.core.edits import TextEdit
from memory_lsp.core.quoting import scalar
from memory_lsp.core.sites import entry_site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Entry
    from memory_lsp.core.snapshot import Snapshot


def fix_dangling_entry(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield: did you mean, remove the entry."""
    entry = _entry_at(place, finding)
    if entry is None:
        return
    near = nearest_notes(place.snapshot, entry.target, without=place.note.path)
    slips = [name for _, name in near if is_slip(entry.target, name)]
    for path, name in near:
        spelled = wiki_target(place.snapshot, path, place.note.path, name)
        site = entry_site(place.note, entry)
        raw = next(iter(site.written(spelled)), None) if spelled else None
        if raw is not None:
            edits = (TextEdit(place.note.path, site.span, raw),)
            yield Action(f"Change to “{spelled}”", Kind.QUICKFIX, edits, is_preferred=slips == [name], finding=finding)
    yield from remove_this_entry(place, finding)


def remove_this_entry(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the list without the entry that a finding reports."""
    entry = _entry_at(place, finding)
    edit = remove_entry(place.note, entry) if entry else None
    if entry and edit:
        title = f"Remove “{entry.target}” from `{entry.key}`"
        yield Action(title, Kind.QUICKFIX, (edit,), finding=finding)


def mark_superseded(place: Place) -> Iterator[Action]:
    """Yield, at a link, that this note supersedes the linked one, and the other way round."""
    snapshot, note = place.snapshot, place.note
    if note.is_index:
        return
    for link, found in zip(note.links, snapshot.meanings[note.path].links, strict=True):
        other = found.note
        if other is None or not link.span.covers(place.span) or other == note.path or other not in snapshot.ids:
            continue
        for newer, older in ((note.path, other), (other, note.path)):
            edit = supersede(snapshot, newer, older)
            if edit:
                names = [("This note" if path == note.path else f"“{snapshot.notes[path].name}”")
                         for path in (newer, older)]  # fmt: skip
                title = f"{names[0]} supersedes {names[1][:1].lower() + names[1][1:]}"
                yield Action(title, Kind.REWRITE, (edit,))
        return


def supersede(snapshot: Snapshot, newer: str, older: str) -> TextEdit | None:
    """Return the edit by which one note supersedes another, None where it does so, or where a circle would close."""
    note = snapshot.notes[newer]
    name = wiki_target(snapshot, older, newer)
    if name is None or any(problem.code != "comment-in-value" for problem in note.problems):
        return None
    if older in snapshot.predecessors(newer) or snapshot.succession(older, newer):
        return None
    if note.frontmatter is None:
        return block_edit(note, f"supersedes: [{scalar(name, in_list=True)}]")
    return add_entry(note, "supersedes", name)


def _entry_at(place: Place, finding: Finding) -> Entry | None:
    return next((entry for entry in place.note.entries if entry.span == finding.span), None)
