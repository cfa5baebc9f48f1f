"""What a vault looks like after a code action; `$0` marks the cursor or encloses a selection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fixtures import parse_vault
from memory_lsp.core.actions import Kind, Place, findings_at, fix_all, fixes, refactorings
from memory_lsp.core.edits import apply_edits, by_path
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from fixtures import Vault
    from memory_lsp.core.actions import Action


def place_of(vault: Vault) -> Place:
    """Return the place of the marks; the start of the first note without one."""
    snapshot = vault.snapshot()
    path, start = vault.marks[0] if vault.marks else (next(iter(vault.texts)), 0)
    end = vault.marks[1][1] if len(vault.marks) > 1 else start
    return Place(snapshot, snapshot.notes[path], Span(start, end))


def offered(source: str) -> dict[str, Action]:
    """Return the quick fixes and refactorings at the marks by their titles; allowances are left out."""
    place = place_of(parse_vault(source))
    actions = (*fixes(place, findings_at(place)), *refactorings(place))
    return {action.title: action for action in actions if not action.title.startswith("Allow ")}


def allowed(source: str) -> dict[str, str]:
    """Return the text of the marked note after each allowance, by title."""
    vault = parse_vault(source)
    place = place_of(vault)
    actions = [action for action in fixes(place, findings_at(place)) if action.title.startswith("Allow ")]
    return {action.title: after(vault, action)[place.note.path] for action in actions}


def after(vault: Vault, action: Action) -> dict[str, str]:
    """Return the vault's files after an action."""
    texts = dict(vault.texts)
    for path, edits in by_path(action.edits).items():
        texts[path] = apply_edits(texts[path], edits)
    for file in action.creates:
        assert file.path not in texts
        texts[file.path] = file.text
    return texts


def check(source: str, title: str, expected: str, *, preferred: bool = False, kind: Kind = Kind.QUICKFIX) -> None:
    """Make the action with a title and compare every file that it changes or creates."""
    vault, actions = parse_vault(source), offered(source)
    assert title in actions, list(actions)
    action = actions[title]
    assert (action.is_preferred, action.kind) == (preferred, kind)
    texts = after(vault, action)
    changed = {path: text for path, text in texts.items() if vault.texts.get(path) != text}
    assert changed == parse_vault(expected).texts


def check_all_fixed(source: str, expected: str) -> None:
    """Make every safe fix of the first note, and see that a second time changes nothing."""
    vault = parse_vault(source)
    place = place_of(vault)
    (action,) = fix_all(place)
    texts = after(vault, action)
    assert texts[place.note.path] == parse_vault(expected).texts[place.note.path]
    assert fix_all(place_of(type(vault)(texts))) == ()
