"""Links where a note names another one: at one place, or wherever it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_lsp.core.actions_model import Action, Kind, touches
from memory_lsp.core.actions_select import link_to
from memory_lsp.core.edits import apply_edits
from memory_lsp.core.mentions import mentions
from memory_lsp.core.note import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_model import Place


def link_mentions(place: Place) -> Iterator[Action]:
    """Yield the name at a place as a link, and there or at the note's title, all names as links."""
    note = place.note
    found = mentions(place.snapshot, note)
    at_place = [each for each in found if touches(each.span, place.span)]
    for mention in at_place:
        action = link_to(place.snapshot, note, mention.span, mention.path)
        if action:
            yield action
    if len(found) > 1 and (at_place or place.is_at_top):
        links = [link_to(place.snapshot, note, mention.span, mention.path) for mention in found]
        edits = tuple(edit for action in links if action for edit in action.edits)
        after = parse(note.path, apply_edits(note.text, edits))
        if len(edits) > 1 and len(after.links) == len(note.links) + len(edits):
            yield Action("Link all mentions of other notes", Kind.REWRITE, edits)
