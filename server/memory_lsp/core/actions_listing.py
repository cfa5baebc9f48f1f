"""Actions that keep `MEMORY.md` complete: list a note, list all, write the file anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_lsp.core.actions_index import add_entries
from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.actions_regenerate import may_regenerate, regenerate
from memory_lsp.core.edits import apply_edits
from memory_lsp.core.note import INDEX_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.lint import Finding


def fix_missing_entry(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the index with the missing note listed, and with all that are missing."""
    snapshot, index = place.snapshot, place.note
    missing = _missing(place)
    if finding.subject:
        edits = add_entries(snapshot, index, (finding.subject,))
        title = f"List {finding.subject} in {INDEX_NAME}"
        yield Action(title, Kind.QUICKFIX, edits, is_preferred=len(missing) == 1, finding=finding)
    if len(missing) > 1:
        edits = add_entries(snapshot, index, missing)
        title = f"List all {len(missing)} missing notes"
        yield Action(title, Kind.QUICKFIX, edits, is_preferred=True, finding=finding)


def list_this_note(place: Place) -> Iterator[Action]:
    """Yield, from a note that is not listed, the index with it."""
    snapshot, index = place.snapshot, place.snapshot.notes.get(INDEX_NAME)
    if index is None or not place.is_at_top or place.note.path not in snapshot.ids:
        return
    if place.note.path not in snapshot.meanings[INDEX_NAME].targets():
        edits = add_entries(snapshot, index, (place.note.path,))
        yield Action(f"Add this note to {INDEX_NAME}", Kind.REWRITE, edits)


def regenerate_index(place: Place) -> Iterator[Action]:
    """Yield, from the index itself, the index brought up to date."""
    snapshot, index = place.snapshot, place.note
    if not index.is_index:
        return
    edits = regenerate(snapshot, index)
    if edits and apply_edits(index.text, edits) != index.text:
        anew = may_regenerate(snapshot, index)
        yield Action(f"Regenerate {INDEX_NAME}" if anew else "Add all missing notes", Kind.REWRITE, edits)


def _missing(place: Place) -> list[str]:
    targets = place.snapshot.meanings[place.note.path].targets()
    return [path for path in place.snapshot.ids if path not in targets]
