"""Code actions: every change that is offered at a place, checked before it is offered.

A fix of a finding is tried on the snapshot; it is offered only if the finding is gone and no other has come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from memory_lsp.core import (
    actions_allow,
    actions_anchors,
    actions_contradictions,
    actions_entries,
    actions_extract,
    actions_frontmatter,
    actions_links,
    actions_listing,
    actions_mentions,
    actions_names,
    actions_secrets,
    actions_select,
)
from memory_lsp.core.actions_check import after, improves
from memory_lsp.core.actions_model import Action, Kind, Place, touches
from memory_lsp.core.actions_text import narrow_edits
from memory_lsp.core.lint import lint
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from memory_lsp.core.lint import Finding

__all__ = ["Action", "Kind", "Place", "findings_at", "fix_all", "fixes", "refactorings"]

Fix: TypeAlias = "Callable[[Place, Finding], Iterator[Action]]"

FIXES: dict[str, Fix] = {
    "dangling-link": actions_links.fix_dangling,
    "index-dangling-entry": actions_links.fix_dangling,
    "dangling-anchor": actions_anchors.fix_anchor,
    "ambiguous-link": actions_links.fix_ambiguous,
    "inexact-link": actions_links.fix_inexact,
    "links-to-superseded": actions_links.fix_superseded,
    "contains-secret": actions_secrets.fix_secret,
    "invalid-frontmatter": actions_frontmatter.fix_value,
    "comment-in-value": actions_frontmatter.fix_value,
    "unclosed-frontmatter": actions_frontmatter.fix_unclosed,
    "stacked-frontmatter": actions_frontmatter.fix_stacked,
    "missing-description": actions_frontmatter.fix_description,
    "empty-name": actions_names.fix_empty_name,
    "unknown-type": actions_names.fix_unknown_type,
    "type-folder-mismatch": actions_names.fix_type_mismatch,
    "duplicate-name": actions_names.fix_duplicate_name,
    "dangling-supersedes": actions_entries.fix_dangling_entry,
    "dangling-contradicts": actions_entries.fix_dangling_entry,
    "supersedes-cycle": actions_entries.remove_this_entry,
    "possible-contradiction": actions_contradictions.fix_contradiction,
    "index-missing-entry": actions_listing.fix_missing_entry,
}
_REFACTORINGS = (
    actions_entries.mark_superseded, actions_select.link_selection, actions_mentions.link_mentions,
    actions_extract.extract_selection,
    actions_frontmatter.add_frontmatter, actions_listing.list_this_note, actions_listing.regenerate_index,
)  # fmt: skip
_MOST_ROUNDS = 20
# The codes among whose fixes is the comment that allows them, under a name that says why.
_NAMED_ALLOWANCES = frozenset(("possible-contradiction",))
# The codes with a fix that is safe; the others' fixes would be made and thrown away.
_SAFE = frozenset((
    "inexact-link", "invalid-frontmatter", "comment-in-value", "unclosed-frontmatter", "stacked-frontmatter",
    "empty-name", "type-folder-mismatch",
))  # fmt: skip


def findings_at(place: Place, also: Collection[tuple[str, Span]] = ()) -> tuple[Finding, ...]:
    """Return the findings that the span touches, and those that `also` names by code and span."""
    found = lint(place.snapshot, place.note.path)
    return tuple(item for item in found if touches(item.span, place.span) or (item.code, item.span) in also)


def fixes(place: Place, findings: Iterable[Finding], *, creates: bool = True) -> tuple[Action, ...]:
    """Return the fixes of findings, the likeliest first; `creates` False leaves out what makes a file."""
    actions: list[Action] = []
    allowances: list[Action] = []
    for finding in findings:
        offered = FIXES[finding.code](place, finding) if finding.code in FIXES else iter(())
        actions += _sound(place, offered, creates=creates)
        if finding.code not in _NAMED_ALLOWANCES:
            allowances += _sound(place, actions_allow.allow(place, finding), creates=creates)
    if place.note.source is None:
        actions += _fix_all_of_a_kind(place, actions)
    ordered = sorted(actions, key=lambda action: not action.is_preferred)
    return _distinct(place, [*ordered, *allowances])


def refactorings(place: Place, *, creates: bool = True) -> tuple[Action, ...]:
    """Return what can be done with a selection, or with the link or the note at a cursor."""
    offered = (action for refactoring in _REFACTORINGS for action in refactoring(place))
    return _distinct(place, [action for action in offered if creates or not action.creates])


def fix_all(place: Place, codes: Collection[str] = ()) -> tuple[Action, ...]:
    """Return the one action that makes every safe fix of the note, none where there is nothing to fix.

    `codes` leaves it at these. After it nothing is left to fix, so that a second one would change nothing.
    """
    note, snapshot = place.note, place.snapshot
    for _ in range(_MOST_ROUNDS):
        now = Place(snapshot, snapshot.notes[note.path], Span(0, 0))
        edits = tuple(edit for action in _safe_fixes(now, codes) for edit in action.edits)
        if not edits:
            break
        snapshot, _ = after(snapshot, edits)
    changed = snapshot.notes[note.path].text
    if changed == note.text:
        return ()
    return (Action("Fix all that is safe to fix", Kind.FIX_ALL, narrow_edits(note.path, note.text, changed)),)


def _safe_fixes(place: Place, codes: Collection[str]) -> Iterator[Action]:
    """Yield safe fixes of the note itself that do not overlap."""
    done: list[Span] = []
    for finding in lint(place.snapshot, place.note.path):
        if finding.code not in _SAFE or (codes and finding.code not in codes):
            continue
        for action in FIXES[finding.code](place, finding):
            own = all(edit.path == place.note.path for edit in action.edits)
            spans = [edit.span for edit in action.edits]
            apart = not any(touches(one, other) for one in spans for other in done)
            if action.is_safe and own and apart and _is_sound(place, action):
                done += spans
                yield action
                break


def _fix_all_of_a_kind(place: Place, actions: Iterable[Action]) -> Iterator[Action]:
    for code in dict.fromkeys(action.code for action in actions if action.is_safe):
        finding = next(action.finding for action in actions if action.code == code)
        if sum(item.code == code for item in lint(place.snapshot, place.note.path)) > 1:
            for action in fix_all(place, (code,)):
                yield Action(f"Fix every {code} of this note", Kind.QUICKFIX, action.edits, finding=finding)


def _sound(place: Place, offered: Iterable[Action], *, creates: bool) -> Iterator[Action]:
    return (action for action in offered if (creates or not action.creates) and _is_sound(place, action))


def _is_sound(place: Place, action: Action) -> bool:
    finding = action.finding
    return finding is None or improves(place.snapshot, place.note.path, finding, action.edits, action.creates)


def _distinct(place: Place, actions: Iterable[Action]) -> tuple[Action, ...]:
    """Return the actions, equal ones once, and none whose title would tell a secret."""
    guard, text = place.snapshot.guard, place.note.text
    secrets = {found.span.of(text) for found in guard.secrets(place.note) if not found.development}
    kept: dict[tuple[object, ...], Action] = {}
    for action in actions:
        if guard.hide(action.title) == action.title and not any(secret in action.title for secret in secrets):
            kept.setdefault((action.title, action.edits, action.creates), action)
    return tuple(kept.values())
