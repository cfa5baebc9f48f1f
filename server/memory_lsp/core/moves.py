"""The edits that keep links meaning what they mean when files and folders are moved or renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_lsp.core.relink import Change, relink

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory_lsp.core.edits import TextEdit
    from memory_lsp.core.snapshot import Snapshot


def move_edits(snapshot: Snapshot, moves: Mapping[str, str], *, inline_tags: bool = False) -> list[TextEdit]:
    """Return the edits, all at the old paths, for files and folders that are about to move (old path → new path).

    Links into, out of and between what moves are kept, whether they name notes, other files or folders. What a link
    cannot spell any more is left as it is. A note that stops being a markdown file is no target afterwards.
    """
    change = _expanded(snapshot, moves, inline_tags=inline_tags)
    return relink(snapshot, change)


def _expanded(snapshot: Snapshot, moves: Mapping[str, str], *, inline_tags: bool) -> Change:
    notes: dict[str, str] = {}
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    known_files = snapshot.names.files
    for old, new in moves.items():
        if old in snapshot.notes and snapshot.notes[old].source is None:
            notes[old] = new
        elif old in known_files:
            files[old] = new
        else:
            folders[old] = new
            notes |= {path: new + path[len(old) :] for path in snapshot.notes if path.startswith(f"{old}/")}
            files |= {path: new + path[len(old) :] for path in known_files if path.startswith(f"{old}/")}
    notes = {old: new for old, new in notes.items() if old != new and new.lower().endswith(".md")}
    return Change(notes, files, folders, strict=False, inline_tags=inline_tags)
