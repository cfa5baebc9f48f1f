"""The memories around one note, and how they are connected to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.cascade import path_to, trace
from memory_lsp.core.vectors import Seed

if TYPE_CHECKING:
    from collections.abc import Collection

    from memory_lsp.core.cascade import Step
    from memory_lsp.core.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class RelatedNote:
    """A note near another one: its id, its score, and the steps that lead there."""

    id: str
    score: float
    path: tuple[Step, ...]


def related_notes(
    snapshot: Snapshot, id_: str, limit: int, types: Collection[str] | None = None
) -> tuple[RelatedNote, ...]:
    """Return what a cascade seeded with one note reaches, of some types or of all, the note itself left out."""
    if id_ not in snapshot.graph:
        return ()
    walked = trace(snapshot.graph, (Seed(id_, 1.0),))

    def is_wanted(found: str) -> bool:
        return found != id_ and (not types or snapshot.notes[snapshot.paths[found]].type in types)

    # A tag leads to thousands of notes; the way is told of those that are shown.
    hits = walked.best(is_wanted, limit)
    return tuple(RelatedNote(hit.id, hit.score, path_to(walked, hit.id)) for hit in hits)
