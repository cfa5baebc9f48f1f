"""Fixes for two notes that seem to contradict each other: one is over, both stand against each other, or both hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memory_lsp.core.actions_allow import allow
from memory_lsp.core.actions_entries import supersede
from memory_lsp.core.actions_frontmatter import block_edit
from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.actions_spell import wiki_target
from memory_lsp.core.actions_yaml import add_entry, insert_line
from memory_lsp.core.quoting import scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.edits import TextEdit
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.snapshot import Snapshot

_BOTH = "Both are right"


def fix_contradiction(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield: this note supersedes that one, that one this, mark as contradicting, both are right."""
    snapshot, note, other = place.snapshot, place.note, finding.subject
    if other not in snapshot.ids:
        return
    name = snapshot.public(other).name
    edit = supersede(snapshot, note.path, other)
    if edit:
        yield Action(f"This note supersedes “{name}”", Kind.QUICKFIX, (edit,), finding=finding)
    edit = supersede(snapshot, other, note.path)
    if edit:
        yield Action(f"“{name}” supersedes this note", Kind.QUICKFIX, (edit,), finding=finding)
    edit = _contradict(snapshot, note.path, other)
    if edit:
        yield Action(f"Mark as contradicting “{name}”", Kind.QUICKFIX, (edit,), finding=finding)
    yield from _both_right(place, finding)


def _contradict(snapshot: Snapshot, path: str, other: str) -> TextEdit | None:
    """Return the edit by which a note says that it contradicts another, None where it cannot be written."""
    note = snapshot.notes[path]
    name = wiki_target(snapshot, other, path)
    if name is None or any(problem.code != "comment-in-value" for problem in note.problems):
        return None
    if note.frontmatter is None:
        return block_edit(note, f"contradicts: [{scalar(name, in_list=True)}]")
    return add_entry(note, "contradicts", name)


def _both_right(place: Place, finding: Finding) -> Iterator[Action]:
    note = place.note
    if note.frontmatter and note.frontmatter.span.covers(finding.span):
        # A value takes no comment beside it: ` #` would end it.
        edit = insert_line(note, f"# <!-- memory-lsp: allow {finding.code} -->", behind="description")
        if edit:
            yield Action(_BOTH, Kind.QUICKFIX, (edit,), finding=finding)
        return
    for action in allow(place, finding):
        yield replace(action, title=_BOTH)
