"""Rename a tag in every note, and a name that links use although no note bears it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_lsp.core.edits import TextEdit
from memory_lsp.core.links import Link
from memory_lsp.core.markdown import read_body
from memory_lsp.core.references import linked, tag_places
from memory_lsp.core.resolve import fold
from memory_lsp.core.respell import restyle, split_md
from memory_lsp.core.sites import entry_site, fields_of, target_site, value_site
from memory_lsp.core.text import Span
from memory_lsp.errors import RenameError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.links import Tag
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

_NEVER_IN_TAG = re.compile(r"[\[\]{},\"'#\\|]|\s{2}|/$|^/")


def tag_name_span(note: Note, tag: Tag) -> Span:
    """Return where the name of a tag stands, without its `#`."""
    raw = tag.span.of(note.text)
    lead = len(raw) - len(raw.lstrip("# \t"))
    return Span(tag.span.start + lead, tag.span.start + max(lead, len(raw.rstrip())))


def rename_tag(snapshot: Snapshot, old: str, new: str) -> tuple[TextEdit, ...]:
    """Return the edits that rename a tag and those below it (`a/b` for `a`) wherever they are written.

    Raises RenameError for what is no tag. Where the new tag exists, the two become one.
    """
    new = new.lstrip("#").strip()
    if not new or _NEVER_IN_TAG.search(new):
        raise RenameError(
            "A tag is one word or a few, without quotes, brackets, commas, `#`, `|` and a `/` at its end."
        )
    edits = []
    for note, tag in tag_places(snapshot, old):
        whole = new + tag.name[len(old) :]
        span = tag_name_span(note, tag)
        if tag.span.start >= note.body_start:
            if not _is_inline_tag(whole):
                raise RenameError(f"“#{whole}” would not be read as a tag in the text of {note.path}.")
            edits.append(TextEdit(note.path, span, whole))
        else:
            edits += _frontmatter_edit(note, tag, span, whole)
    return tuple(sorted(set(edits)))


def _frontmatter_edit(note: Note, tag: Tag, span: Span, new: str) -> Iterator[TextEdit]:
    if span.of(note.text) != tag.name:
        # Escapes in a quoted value: the whole value is written anew.
        span = tag.span
    field = next((each for each in fields_of(note) if each.value_span.covers(span)), None)
    in_list = field is not None and field.value_span.of(note.text).startswith("[")
    is_part = field is not None and not field.is_list and all(item.span != tag.span for item in field.items)
    raw = next(value_site(note, tag.span, in_list=in_list).written(new), new)
    yield TextEdit(note.path, span, new if is_part or span != tag.span else raw)


def _is_inline_tag(name: str) -> bool:
    return [tag.name for tag in read_body(f"#{name} x", inline_tags=True).tags] == [name]


def rename_missing(snapshot: Snapshot, old: str, new: str) -> tuple[TextEdit, ...]:
    """Return the edits that let every dangling link and entry with one name, however spelled, use another name."""
    return tuple(sorted(set(_missing_edits(snapshot, old, new))))


def _missing_edits(snapshot: Snapshot, old: str, new: str) -> Iterator[TextEdit]:
    wanted = split_md(old)[0]
    for note, use, found in linked(snapshot, snapshot.mentioning(fold(wanted).rstrip("/"))):
        if not found.is_dangling or fold(split_md(use.target)[0]) != fold(wanted):
            continue
        folder, slash, last = use.target.rpartition("/")
        bare, extension = split_md(last)
        text = folder + slash + restyle(bare, wanted.rpartition("/")[2], new) + extension
        encoded = "%" in use.target
        site = target_site(note, use, whole=False, encoded=encoded) if isinstance(use, Link) else entry_site(note, use)
        raw = next(site.written(text), None)
        if raw is None:
            raise RenameError(f"“{use.target}” in {note.path} cannot spell the new name; change that link first.")
        yield TextEdit(note.path, site.span, raw)
