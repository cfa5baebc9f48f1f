"""Renames and moves on vaults held in memory: what the tests of both share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fixtures import Vault, parse_vault
from memory_lsp.core.edits import apply_edits, by_path
from memory_lsp.core.moves import move_edits
from memory_lsp.core.rename import Plan, renamable_at, rename

if TYPE_CHECKING:
    from memory_lsp.core.edits import TextEdit
    from memory_lsp.core.snapshot import Snapshot


def applied(
    texts: dict[str, str], edits: list[TextEdit] | tuple[TextEdit, ...], moves: dict[str, str]
) -> dict[str, str]:
    """Return the files of a vault after edits (at the old paths) and moves of files."""
    grouped = by_path(edits)
    return {moves.get(path, path): apply_edits(text, grouped.get(path, [])) for path, text in texts.items()}


def renamed(
    texts: dict[str, str], path: str, offset: int, new: str, *, renames_files: bool = True, inline_tags: bool = True
) -> dict[str, str]:
    """Return the files after a rename at an offset."""
    snapshot = Vault(texts).snapshot(inline_tags=inline_tags)
    plan = planned(snapshot, path, offset, new, renames_files=renames_files, inline_tags=inline_tags)
    return applied(texts, plan.edits, {each.old: each.new for each in plan.renames})


def planned(
    snapshot: Snapshot, path: str, offset: int, new: str, *, renames_files: bool = True, inline_tags: bool = True
) -> Plan:
    """Return the plan of a rename at an offset."""
    found = renamable_at(snapshot, snapshot.notes[path], offset)
    assert found is not None, "nothing to rename there"
    return rename(snapshot, found, new, renames_files=renames_files, inline_tags=inline_tags)


def moved(texts: dict[str, str], moves: dict[str, str]) -> dict[str, str]:
    """Return the files after files or folders moved (old path → new path), with the edits that keep links."""
    edits = move_edits(Vault(texts).snapshot(), moves)
    places = {path: new + path[len(old) :] for old, new in moves.items() for path in texts if _is_in(path, old)}
    return applied(texts, edits, places)


def _is_in(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def check_rename(source: str, new: str, expected: str, *, renames_files: bool = True) -> None:
    """Rename at the mark in `source` and compare every file with `expected`."""
    vault = parse_vault(source)
    result = renamed(vault.texts, *vault.cursor, new, renames_files=renames_files)
    assert result == parse_vault(expected).texts


def check_move(source: str, moves: dict[str, str], expected: str) -> None:
    """Move files or folders and compare every file with `expected`."""
    assert moved(parse_vault(source).texts, moves) == parse_vault(expected).texts
