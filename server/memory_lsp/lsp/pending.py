"""The rename that was answered last: an editor that applies it asks `willRenameFiles` about the very same file.

VS Code and Helix do so for each file rename inside an edit. Our edit holds all text changes already, and a second
answer would write them into each other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_lsp.core.edits import apply_edits, by_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_lsp.core.rename import Plan
    from memory_lsp.core.snapshot import Snapshot
    from memory_lsp.memory import Memory

# Only where no other note is edited, which would show that the edit is being applied.
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class PendingRename:
    """What an answered rename makes of files, and of the texts of the notes that stay where they are."""

    memory: Memory
    moves: Mapping[str, str]
    texts: Mapping[str, str]
    answered: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, memory: Memory, snapshot: Snapshot, plan: Plan) -> PendingRename | None:
        """Return what is to be expected of a plan, None where it renames no file."""
        moves = {each.old: each.new for each in plan.renames}
        if not moves:
            return None
        grouped = by_path(plan.edits)
        texts = {
            path: apply_edits(snapshot.notes[path].text, edits)
            for path, edits in grouped.items()
            if path not in moves and snapshot.notes[path].source is None
        }
        return cls(memory, moves, texts)

    def explains(self, memory: Memory, moves: Mapping[str, str]) -> bool:
        """Tell whether files are about to move because this rename is being applied."""
        if memory is not self.memory or dict(moves) != dict(self.moves):
            return False
        if not self.texts:
            return time.monotonic() - self.answered < _PATIENCE
        notes = memory.directory.snapshot.notes
        return all(path in notes and _plain(notes[path].text) == _plain(text) for path, text in self.texts.items())


def _plain(text: str) -> str:
    """Return a text with one kind of line ends, since editors make mixed ones equal."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
