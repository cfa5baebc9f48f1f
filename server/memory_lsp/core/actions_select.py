"""Actions on selected text: make it a link to the note it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_lsp.core.actions_model import Action, Kind, touches
from memory_lsp.core.actions_spell import wiki_target
from memory_lsp.core.edits import TextEdit, apply_edits
from memory_lsp.core.note import parse
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

_LONGEST_NAME = 200
_MOST_CANDIDATES = 8


def selected(note: Note, span: Span) -> Span | None:
    """Return a selection without the white space around it, None where it is empty or touches the frontmatter."""
    text = span.of(note.text)
    start = span.start + len(text) - len(text.lstrip())
    end = start + len(text.strip())
    return Span(start, end) if end > start and start >= note.body_start else None


def link_selection(place: Place) -> Iterator[Action]:
    """Yield the selected text as a link to each note that it names: by name, file name or alias, folded or not."""
    note, span = place.note, selected(place.note, place.span)
    if span is None or span.end - span.start > _LONGEST_NAME:
        return
    text = span.of(note.text)
    if any(c in "[]|#\r\n\\" for c in text) or "/" in text or any(touches(link.span, span) for link in note.links):
        return
    found = place.snapshot.names.find(text, note.path)
    for path in found.notes[:_MOST_CANDIDATES]:
        action = link_to(place.snapshot, note, span, path)
        if action:
            yield action


def link_to(snapshot: Snapshot, note: Note, span: Span, path: str) -> Action | None:
    """Return the action that makes a span of a note a link to the note at `path`, None where it cannot be one."""
    text = span.of(note.text)
    name = wiki_target(snapshot, path, note.path, text) if path != note.path else None
    if name is None or path not in snapshot.ids:
        return None
    pipe = "\\|" if "|" in note.lines.line_span(note.lines.line_of(span.start)).of(note.text) else "|"
    edit = TextEdit(note.path, span, f"[[{name}]]" if name == text else f"[[{name}{pipe}{text}]]")
    return Action(f"Link to “{name}”", Kind.REWRITE, (edit,)) if _is_link(note, edit) else None


def _is_link(note: Note, edit: TextEdit) -> bool:
    """Tell whether what an edit writes is read as one more link, and not as code or part of something else."""
    new = parse(note.path, apply_edits(note.text, (edit,)))
    whole = Span(edit.span.start, edit.span.start + len(edit.new_text))
    return len(new.links) == len(note.links) + 1 and any(link.span == whole for link in new.links)
