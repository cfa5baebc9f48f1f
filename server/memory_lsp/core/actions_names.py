"""Fixes for a note's identity: its name, its type."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from memory_lsp.core.actions_create import unused
from memory_lsp.core.actions_frontmatter import block_edit
from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.actions_near import is_slip, nearest
from memory_lsp.core.actions_yaml import insert_line, set_value
from memory_lsp.core.edits import TextEdit
from memory_lsp.core.note import TYPES
from memory_lsp.core.quoting import scalar
from memory_lsp.core.relink import Change, relink
from memory_lsp.core.resolve import fold
from memory_lsp.errors import RenameError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note


def fix_empty_name(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the file's name as the name, which is what counts already."""
    field = place.note.frontmatter.get("name") if place.note.frontmatter else None
    if field is not None:
        edits = (set_value(place.note, field, place.note.stem),)
        title = f"Name it “{place.note.stem}” as its file"
        yield Action(title, Kind.QUICKFIX, edits, is_preferred=True, is_safe=True, finding=finding)


def fix_unknown_type(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield each known type, that which was probably meant first."""
    span, said = place.note.type_span, place.note.declared_type
    if span is None:
        return
    near = next(iter(nearest(said.casefold().rstrip("s"), TYPES)), "")
    sure = near if near and (is_slip(said, near) or fold(said).rstrip("s") == near) else ""
    for kind in sorted(TYPES, key=lambda kind: (kind != near, TYPES.index(kind))):
        edits = (TextEdit(place.note.path, span, kind),)
        title = f"Set the type to “{kind}”"
        yield Action(title, Kind.QUICKFIX, edits, is_preferred=kind == sure, finding=finding)


def fix_type_mismatch(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the folder's type, which is what counts already."""
    if place.note.type_span is not None:
        edits = (TextEdit(place.note.path, place.note.type_span, finding.subject),)
        title = f"Set the type to the folder's, “{finding.subject}”"
        yield Action(title, Kind.QUICKFIX, edits, is_preferred=True, is_safe=True, finding=finding)


def fix_duplicate_name(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield another name for this note, with every link that means it spelled anew."""
    note, snapshot = place.note, place.snapshot
    folder = posixpath.basename(posixpath.dirname(note.path))
    own_stem = note.stem if snapshot.names.find(note.stem, note.path).notes == (note.path,) else ""
    by_folder = unused(snapshot, note.path, f"{folder}-{note.name}") if folder else ""
    for name in dict.fromkeys((own_stem or by_folder, unused(snapshot, note.path, note.name))):
        edit = _named(note, name) if name and fold(name) != fold(note.name) else None
        if edit is None:
            continue
        try:
            edits = tuple(relink(snapshot, Change(edits=(edit,), strict=False)))
        except RenameError:
            continue
        yield Action(f"Rename this note to “{name}”", Kind.QUICKFIX, edits, finding=finding)


def _named(note: Note, name: str) -> TextEdit | None:
    if note.frontmatter is None:
        return block_edit(note, name=name)
    field = note.frontmatter.get("name")
    return set_value(note, field, name) if field else insert_line(note, f"name: {scalar(name)}")
