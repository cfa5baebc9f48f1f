"""Whether a change of notes is for the better: the snapshot as it would be, checked by the same rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_lsp.core.edits import apply_edits, by_path
from memory_lsp.core.lint import lint
from memory_lsp.core.note import parse
from memory_lsp.core.secret_guard import SecretGuard
from memory_lsp.core.snapshot import Changes
from memory_lsp.core.sources import reread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_lsp.core.edits import FileCreate, TextEdit
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

# A note that everybody links to affects everybody; what it does to these stands for the others.
_MOST_CHECKED = 64


def after(snapshot: Snapshot, edits: Iterable[TextEdit], creates: Iterable[FileCreate] = ()) -> tuple[
    Snapshot, frozenset[str]
]:  # fmt: skip
    """Return the snapshot after a change, and the paths of the notes whose findings may differ."""
    notes: dict[str, Note | None] = {
        path: reread(snapshot.notes[path], apply_edits(snapshot.notes[path].text, group))
        for path, group in by_path(edits).items()
    }
    notes.update({file.path: parse(file.path, file.text) for file in creates})
    # The guard remembers the last text of each note, which must stay the real one.
    trial = replace(snapshot, guard=SecretGuard(snapshot.guard.policy))
    return trial.updated(Changes(notes))


def improves(
    snapshot: Snapshot, path: str, finding: Finding, edits: tuple[TextEdit, ...], creates: tuple[FileCreate, ...] = ()
) -> bool:
    """Tell whether a change removes a finding of the note at `path` and brings no other, to no note.

    A note that is created may lack its description, which is for its author to write, and its entry in an index that
    lacks others too.
    """
    changed, affected = after(snapshot, edits, creates)
    created = {file.path for file in creates}
    old, new = _codes(snapshot, path), _codes(changed, path)
    # Its place and its words may change with the text around it, so what counts is how many are left.
    if new[finding.code] >= old[finding.code] or new - old:
        return False
    for other in sorted((affected - {path}), key=lambda each: (each not in created, each))[:_MOST_CHECKED]:
        old, new = _codes(snapshot, other), _codes(changed, other)
        if other in created:
            del new["missing-description"]
        elif created and old["index-missing-entry"]:
            del new["index-missing-entry"]
        if new - old:
            return False
    return True


def _codes(snapshot: Snapshot, path: str) -> Counter[str]:
    return Counter(item.code for item in lint(snapshot, path)) if path in snapshot.notes else Counter()
