"""Fixes for the frontmatter as a whole: quote a value, close the block, merge two, say what is missing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_lsp.core.actions_check import improves
from memory_lsp.core.actions_create import frontmatter_text
from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.actions_text import first_sentence, newline_of
from memory_lsp.core.actions_yaml import insert_line, keeps_values, quotings, set_value
from memory_lsp.core.edits import TextEdit
from memory_lsp.core.frontmatter import split_frontmatter
from memory_lsp.core.note import TYPES, folder_type
from memory_lsp.core.quoting import scalar
from memory_lsp.core.resolve import fold
from memory_lsp.core.secrets import find_secrets
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.frontmatter import Field
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note

# A fence that somebody mistyped.
_NEARLY_FENCE = re.compile(r"[-–—.=_]{1,8}[ \t]*(?=\r\n|\n|\r|\Z)")


def fix_value(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the value in quotes, so that YAML reads what we read; a line without a key becomes a comment."""
    note = place.note
    for edits in quotings(note, finding.span):
        if keeps_values(note, edits) and _solves(place, finding, edits):
            title = "Add the space behind the colon" if [e.new_text for e in edits] == [" "] else "Quote the value"
            yield Action(title, Kind.QUICKFIX, edits, is_preferred=True, is_safe=True, finding=finding)
            return
    if finding.code == "invalid-frontmatter":
        edits = (TextEdit(note.path, Span(finding.span.start, finding.span.start), "# "),)
        if keeps_values(note, edits):
            yield Action("Make the line a comment", Kind.QUICKFIX, edits, finding=finding)


def fix_unclosed(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the block closed behind its last key; a mistyped fence there becomes one."""
    note = place.note
    if note.frontmatter is None:
        return
    end, newline = note.frontmatter.span.end, newline_of(note.text)
    nearly = _NEARLY_FENCE.match(note.text, end)
    if nearly:
        edit = TextEdit(note.path, Span(end, nearly.end()), "---")
    else:
        before = "" if note.text[end - 1 : end] in ("\n", "\r") else newline
        edit = TextEdit(note.path, Span(end, end), f"{before}---{newline}")
    yield Action("Close the frontmatter", Kind.QUICKFIX, (edit,), is_preferred=True, is_safe=True, finding=finding)


def fix_stacked(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield both blocks as one, where both are clean; of a key in both, the first block's value counts."""
    note, first = place.note, place.note.frontmatter
    if first is None or first.problems:
        return
    start = finding.span.start
    second, _, problems = split_frontmatter(note.text[start:])
    if second is None or second.problems or problems:
        return
    lines, lost = [], []
    for n, field in enumerate(second.fields):
        last = n + 1 == len(second.fields)
        end = second.inner.end if last else second.fields[n + 1].line.start
        known = first.get(field.key)
        if known is None:
            lines.append(note.text[start + field.line.start : start + end])
        elif _says(known) != _says(field):
            lost.append(field.key)
    edits = (
        TextEdit(note.path, Span(first.inner.end, first.inner.end), "".join(lines)),
        TextEdit(note.path, Span(first.span.end, start + second.span.end), ""),
    )
    whole = not lost
    title = "Merge the two blocks" if whole else f"Merge the two blocks; {_named(lost)} of the second is dropped"
    yield Action(title, Kind.QUICKFIX, edits, is_preferred=whole, is_safe=whole, finding=finding)


def fix_description(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the first sentence of the note as its description."""
    note, told = place.note, describe(place.note)
    edit = _description(note, told) if told else None
    if edit:
        title = f"Describe the note as “{told}”"
        yield Action(title, Kind.QUICKFIX, (edit,), is_preferred=True, finding=finding)


def add_frontmatter(place: Place) -> Iterator[Action]:
    """Yield the note with what its frontmatter lacks: name, description, type."""
    note = place.note
    if note.is_index or note.problems or not place.is_at_top:
        return
    edits: tuple[TextEdit, ...]
    if note.frontmatter is None:
        edits = (block_edit(note),)
    else:
        lines = _missing(note)
        found = insert_line(note, newline_of(note.text).join(lines)) if lines else None
        edits = (found,) if found else ()
    if edits:
        yield Action("Add the missing frontmatter", Kind.REWRITE, edits)


def block_edit(note: Note, *more: str, name: str = "") -> TextEdit:
    """Return the edit that gives a note without frontmatter a block; `more` are lines of their own."""
    start = 1 if note.text.startswith("\ufeff") else 0
    newline = newline_of(note.text)
    text = frontmatter_text(name or note.stem, describe(note), note_type(note), newline, *more)
    gap = newline if note.text[start:].strip() and note.text[start : start + 1] not in ("\r", "\n") else ""
    return TextEdit(note.path, Span(start, start), text + gap)


def note_type(note: Note) -> str:
    """Return the type that a note should declare: its own, its folder's, or that its file's name begins with."""
    stem = fold(note.stem)
    by_name = next((kind for kind in TYPES if stem.startswith(f"{kind}-")), "")
    return note.declared_type or folder_type(note.path) or by_name


def describe(note: Note) -> str:
    """Return what a note says of itself: its first sentence, else its title; "" where it has neither."""
    title = note.headings[0].text if note.headings else ""
    return first_sentence(note.text, note.body_start) or ("" if find_secrets(title) else title)


def _missing(note: Note) -> list[str]:
    keys = {"name": note.stem, "description": describe(note), "type": note_type(note)}
    assert note.frontmatter is not None
    return [f"{key}: {scalar(value)}" for key, value in keys.items() if value and note.frontmatter.get(key) is None]


def _description(note: Note, sentence: str) -> TextEdit | None:
    field = note.frontmatter.get("description") if note.frontmatter else None
    if field is not None:
        return set_value(note, field, sentence)
    return insert_line(note, f"description: {scalar(sentence)}", behind="name")


def _solves(place: Place, finding: Finding, edits: tuple[TextEdit, ...]) -> bool:
    return improves(place.snapshot, place.note.path, finding, edits)


def _says(field: Field) -> tuple[object, ...]:
    return (*(item.value for item in field.items), *((child.key, _says(child)) for child in field.children))


def _named(keys: list[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)
