"""Changes of a frontmatter block that leave all other keys as they are: quote, set, insert, remove, append."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from memory_lsp.core.actions_text import newline_of
from memory_lsp.core.edits import TextEdit, apply_edits
from memory_lsp.core.note import parse
from memory_lsp.core.quoting import is_plain, quoted
from memory_lsp.core.sites import fields_of
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.frontmatter import Field
    from memory_lsp.core.note import Entry, Note

Values: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]

_BLOCK_ITEM = re.compile(r"([ \t]*-[ \t]+)\S")
_COMMA = re.compile(r"[ \t]*,[ \t]*")
# Line ends to YAML, though not to an editor, and what it refuses as it is.
_ESCAPES = {"\x7f": "\\x7f", "\x85": "\\N", "\u2028": "\\L", "\u2029": "\\P"}


def values(note: Note) -> Values:
    """Return the keys of the frontmatter with their values, in order, those of nested mappings behind the mapping."""

    def walk(fields: tuple[Field, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for field in fields:
            yield field.key, tuple(item.value for item in field.items)
            yield from walk(field.children)

    return tuple(walk(note.frontmatter.fields)) if note.frontmatter else ()


def keeps_values(note: Note, edits: tuple[TextEdit, ...]) -> bool:
    """Tell whether the frontmatter says the same after edits, and the body is the same."""
    new = parse(note.path, apply_edits(note.text, edits))
    return values(new) == values(note) and new.content == note.content


def quotings(note: Note, place: Span) -> Iterator[tuple[TextEdit, ...]]:
    """Yield the ways to put values that touch a line of the frontmatter into quotes; not each keeps the value."""
    line = note.lines.line_span(note.lines.line_of(place.start))
    for field in fields_of(note):
        if field.children or not (field.value_span.start <= line.end and line.start <= field.value_span.end):
            continue
        space = _missing_space(note, field) if field.line == line else ()
        if space:
            yield space
        for item in field.items:
            if item.span.start <= line.end and line.start <= item.span.end:
                yield (*space, TextEdit(note.path, _with_spaces(note.text, item.span), _in_quotes(item.value)))
        if line.covers(field.value_span) and field.items:
            is_list = field.is_list or field.value_span.of(note.text).startswith("[")
            listed = ", ".join(_scalar(item.value, in_list=True) for item in field.items)
            yield (*space, TextEdit(note.path, field.value_span, f"[{listed}]" if is_list else _in_quotes(field.text)))


def set_value(note: Note, field: Field, value: str) -> TextEdit:
    """Return the edit that gives a key one value."""
    span = field.value_span
    apart = " " if span.start == span.end and note.text[span.start - 1 : span.start] == ":" else ""
    return TextEdit(note.path, span, apart + _scalar(value))


def insert_line(note: Note, line: str, *, behind: str = "") -> TextEdit | None:
    """Return the edit that adds a line to the frontmatter: behind a key where that is there, else at its end."""
    if note.frontmatter is None:
        return None
    field = next((each for each in note.frontmatter.fields if each.key == behind), None)
    offset = lines_of(note, field).end if field else note.frontmatter.inner.end
    newline = newline_of(note.text)
    at_end = offset > 0 and note.text[offset - 1] not in "\r\n"
    return TextEdit(note.path, Span(offset, offset), f"{newline}{line}" if at_end else f"{line}{newline}")


def lines_of(note: Note, field: Field) -> Span:
    """Return the span of all lines of a key, with the last one's line end."""
    last = note.lines.line_of(max(field.line.end, field.value_span.end))
    end = note.lines.line_span(last + 1).start if last + 1 < len(note.lines) else len(note.text)
    return Span(field.line.start, end)


def remove_entry(note: Note, entry: Entry) -> TextEdit | None:
    """Return the edit that takes one name out of a list, and the key with it where it is the only one."""
    field = _field_of(note, entry)
    if field is None:
        return None
    others = [each for each in note.entries if each.key == entry.key and each != entry]
    if not any(field.value_span.covers(each.span) for each in others):
        return TextEdit(note.path, lines_of(note, field), "")
    line = note.lines.line_of(entry.span.start)
    whole = note.lines.line_span(line)
    alone = not any(whole.covers(each.span) for each in others)
    if alone and _BLOCK_ITEM.match(whole.of(note.text)):
        return TextEdit(note.path, Span(whole.start, note.lines.line_span(line + 1).start), "")
    return TextEdit(note.path, _with_comma(note.text, _with_quotes(note.text, entry.span), field.value_span), "")


def add_entry(note: Note, key: str, name: str) -> TextEdit | None:
    """Return the edit that adds a name to a list such as `supersedes`, in the form the list has; None without one."""
    field = note.frontmatter.get(key) if note.frontmatter else None
    if field is None:
        return insert_line(note, f"{key}: [{_scalar(name, in_list=True)}]")
    raw, span = field.value_span.of(note.text), field.value_span
    there = [entry for entry in note.entries if entry.key == key]
    if not there:
        apart = " " if not raw and note.text[span.start - 1 : span.start] == ":" else ""
        return TextEdit(note.path, span, f"{apart}[{_scalar(name, in_list=True)}]")
    last = _with_quotes(note.text, there[-1].span)
    if there[-1].span.of(note.text).lstrip("!").startswith("[[") and not raw.startswith(("[ ", "['", '["')):
        return TextEdit(note.path, Span(last.end, last.end), _linked(note, last, name))
    if raw.startswith("["):
        return TextEdit(note.path, Span(last.end, last.end), f", {_scalar(name, in_list=True)}")
    item = _BLOCK_ITEM.match(note.text, note.lines.line_span(note.lines.line_of(last.start)).start)
    if item and item.end() - 1 == last.start:
        return TextEdit(note.path, Span(last.end, last.end), f"{newline_of(note.text)}{item[1]}{_scalar(name)}")
    listed = ", ".join(_scalar(entry.target, in_list=True) for entry in there)
    return TextEdit(note.path, span, f"[{listed}, {_scalar(name, in_list=True)}]")


def _linked(note: Note, last: Span, name: str) -> str:
    """Return how another `[[name]]` follows the last one of a list: on its own line or behind a comma."""
    line = note.lines.line_span(note.lines.line_of(last.start))
    item = _BLOCK_ITEM.match(note.text, line.start)
    quote = note.text[last.start] if note.text[last.start] in "\"'" else ""
    link = f"{quote}[[{name}]]{quote}"
    return f"{newline_of(note.text)}{item[1]}{link}" if item and item.end() - 1 == last.start else f", {link}"


def _field_of(note: Note, entry: Entry) -> Field | None:
    return next((field for field in fields_of(note) if field.key == entry.key
                 and field.value_span.covers(entry.span)), None)  # fmt: skip


def _missing_space(note: Note, field: Field) -> tuple[TextEdit, ...]:
    colon = note.text.find(":", field.key_span.end, field.line.end)
    behind = note.text[colon + 1 : colon + 2]
    if colon < 0 or not behind or behind in " \t\r\n":
        return ()
    return (TextEdit(note.path, Span(colon + 1, colon + 1), " "),)


def _with_spaces(text: str, span: Span) -> Span:
    """Return a span with the white space around it that is none to YAML, such as a no-break space."""
    start, end = span.start, span.end
    while start > 0 and text[start - 1].isspace() and text[start - 1] not in " \t\r\n":
        start -= 1
    while end < len(text) and text[end].isspace() and text[end] not in "\r\n":
        end += 1
    return Span(start, end if text[span.end : end].strip(" \t") else span.end)


def _with_quotes(text: str, span: Span) -> Span:
    quote = text[span.start - 1 : span.start]
    if quote in ("'", '"') and text[span.end : span.end + 1] == quote:
        return Span(span.start - 1, span.end + 1)
    return span


def _with_comma(text: str, span: Span, value: Span) -> Span:
    """Return a span with the comma behind it, or where there is none with that before it."""
    behind = _COMMA.match(text, span.end, value.end)
    if behind:
        return Span(span.start, behind.end())
    before = text[value.start : span.start].rstrip(" \t\r\n")
    return Span(value.start + len(before) - 1, span.end) if before.endswith(",") else span


def _in_quotes(value: str) -> str:
    return "".join(_ESCAPES.get(c, c) for c in quoted(value))


def _scalar(value: str, *, in_list: bool = False) -> str:
    return value if is_plain(value, in_list=in_list) else _in_quotes(value)
