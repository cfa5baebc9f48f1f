"""The comment that allows a finding on its line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.blocks import in_code
from memory_lsp.core.edits import TextEdit, apply_edits
from memory_lsp.core.note import parse
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note

_ALLOWED = re.compile(r"(<!--[^\r\n]{0,200}?memory-lsp:[ \t]*allow[ \t]+[a-z][a-z ,\t-]{0,150}?)[ \t]*-->")


def allow(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the line with a comment that allows the finding, where a comment can stand and changes nothing else."""
    note = place.note
    if note.source is not None:
        yield from _allow_in_comment(place, finding)
        return
    line = note.lines.line_span(note.lines.line_of(finding.span.start))
    if line.start < note.body_start or in_code(note.text, note.body_start, line.end):
        return
    edit = _comment(note, line, finding.code)
    if _shape(parse(note.path, apply_edits(note.text, (edit,)))) == _shape(note):
        yield Action(f"Allow {finding.code} on this line", Kind.QUICKFIX, (edit,), finding=finding)


def _allow_in_comment(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the words in the comment itself, at the end of its part of the line."""
    note, start = place.note, finding.span.start
    comments = note.source.comments if note.source else ()
    inner = next((comment.inner for comment in comments if start in comment.span), None)
    if inner is not None:
        line = note.lines.line_span(note.lines.line_of(start))
        end = start + len(note.text[start : min(inner.end, line.end)].rstrip())
        edit = TextEdit(note.path, Span(end, end), f" (memory-lsp: allow {finding.code})")
        yield Action(f"Allow {finding.code} on this line", Kind.QUICKFIX, (edit,), finding=finding)


def _comment(note: Note, line: Span, code: str) -> TextEdit:
    there = _ALLOWED.search(note.text, line.start, line.end)
    if there:
        return TextEdit(note.path, Span(there.end(1), there.end(1)), f", {code}")
    end = line.end
    # An id ends its line, and so does what closes a heading.
    block = next((block.span for block in note.blocks if line.covers(block.span)), None)
    heading = next((each.text_span for each in note.headings if line.covers(each.text_span)), None)
    end = heading.end if heading else block.start if block else end
    text = note.text[line.start : end]
    end = line.start + len(text.rstrip())
    return TextEdit(note.path, Span(end, end), f" <!-- memory-lsp: allow {code} -->")


def _shape(note: Note) -> tuple[object, ...]:
    """Return what of a note's structure a comment must not change."""
    links = tuple((link.form, link.target, link.anchor, link.label) for link in note.links)
    return links, tuple((each.text, each.level) for each in note.headings), tuple(block.id for block in note.blocks)
