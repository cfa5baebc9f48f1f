"""The keys of a frontmatter block and their values, read key by key, so that one odd value never costs the others.

Real notes break YAML all the time: `description: port: 8080 is taken`, a ` #` in a sentence, `name: 2024-06-01`. So a
plain value is taken whole, as text; only quoted, flow and block values go to PyYAML, one key at a time, and where it
refuses, the raw text is kept and the line is reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_lsp.core.text import Span
from memory_lsp.core.yaml_values import Item, yaml_items

_KEY = re.compile(r"""([^\s#:'"\[\]{}\-,&*!|>%@`][^:]*|"[^"]*"[ \t]*|'[^']*'[ \t]*):(?=[ \t]|\Z)""")
_TIGHT_KEY = re.compile(r"([A-Za-z_][\w-]*):(?!//)\S")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+|\Z)")
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]{0,2}[ \t]*(?:#.*)?")
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#")
_COLON = re.compile(r":(?=[ \t]|\Z)")
# A value that starts like this means something to YAML; everything else is plain text to us.
_STRUCTURE = tuple("\"'[{")
_RESERVED = tuple("@`%*&!|>")
# Metadata is one level deep where anybody writes it; what lies deeper than this is kept as text.
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a note's frontmatter: a diagnostic code, where, and a sentence."""

    code: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Field:
    """One key with its values; `children` are the keys of a nested mapping."""

    key: str
    key_span: Span
    line: Span  # the key's own line, without its line end
    value_span: Span
    items: tuple[Item, ...]
    is_list: bool
    children: tuple[Field, ...] = ()

    @property
    def text(self) -> str:
        """Return the value as one text; a list is joined by commas."""
        return ", ".join(item.value for item in self.items)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the block: where it starts, its text, and where the next one starts."""

    start: int
    text: str
    next: int

    @property
    def span(self) -> Span:
        """Return the line's span, without its line end."""
        return Span(self.start, self.start + len(self.text))

    @property
    def is_blank(self) -> bool:
        """Tell whether the line holds white space at most."""
        return not self.text.strip()

    @property
    def is_comment(self) -> bool:
        """Tell whether YAML skips the whole line."""
        return self.text.lstrip().startswith("#")

    @property
    def key(self) -> tuple[str, Span] | None:
        """Return the key that stands at the start of the line, and its span without quotes."""
        match = _KEY.match(self.text) or _TIGHT_KEY.match(self.text)
        if not match:
            return None
        name = match[1].rstrip()
        start = self.start + match.start(1)
        if name[0] in "\"'":
            return name[1:-1], Span(start + 1, start + len(name) - 1)
        return name, Span(start, start + len(name))

    @property
    def continues(self) -> bool:
        """Tell whether the line belongs to the key above it."""
        return self.text.startswith((" ", "\t", "- ")) or self.text == "-"

    def dedented(self, width: int) -> Line:
        """Return the line without up to `width` characters of its indentation."""
        cut = min(width, self.indent)
        return Line(self.start + cut, self.text[cut:], self.next)

    @property
    def indent(self) -> int:
        """Return how many characters of white space the line starts with."""
        return len(self.text) - len(self.text.lstrip())


class FieldReader:
    """Reads the fields of a block of lines; what is wrong with them gathers in `problems`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[Problem] = []

    def read(self, lines: list[Line], depth: int = 0) -> tuple[Field, ...]:
        """Return the fields of the lines, in order; of a key that stands there twice, both."""
        fields: list[Field] = []
        seen: set[str] = set()
        n = 0
        while n < len(lines):
            line, n = lines[n], n + 1
            key = line.key
            if not key:
                if not line.is_blank and not line.is_comment:
                    self._invalid(line, "This line is no `key: value`.")
                continue
            name, key_span = key
            if not _KEY.match(line.text):
                self._invalid(line, "A space is missing after the colon.")
            if name in seen:
                self._invalid(line, f"The key `{name}` stands here twice; the first counts.")
            seen.add(name)
            value = _value_span(line, key_span)
            end = _end_of_value(lines, n, is_open=value.start == value.end)
            fields.append(self._field(name, key_span, line, value, lines[n:end], depth))
            n = end
        return tuple(fields)

    def _field(self, name: str, key_span: Span, line: Line, span: Span, more: list[Line], depth: int) -> Field:
        value = span.of(self.text)
        is_block = bool(_BLOCK_SCALAR.fullmatch(value))
        content = [entry for entry in more if not entry.is_blank and (is_block or not entry.is_comment)]
        is_list = value.startswith("[") or (not value and bool(content and _ITEM.match(content[0].text)))
        items: tuple[Item, ...] = ()
        children: tuple[Field, ...] = ()
        if not content:
            items = () if is_block else self._one_line(value, span, line)
        elif is_list and not value and all(_ITEM.match(entry.text) for entry in content):
            items = tuple(item for entry in content for item in self._entry(entry))
        elif not value and not is_list and content[0].dedented(content[0].indent).key and depth < _DEEPEST:
            children = self.read([entry.dedented(content[0].indent) for entry in content], depth + 1)
        else:
            whole = Span(span.start, content[-1].span.end)
            first = value or content[0].text.lstrip()
            if is_block or is_list or first.startswith(_STRUCTURE):
                items = self._several_lines(name, line, whole, content)
            else:
                items = self._plain_lines(value, span, line, content)
        if content:
            span = Span(span.start, content[-1].span.end)
        return Field(name, key_span, line.span, span, items, is_list, children)

    def _several_lines(self, name: str, line: Line, whole: Span, content: list[Line]) -> tuple[Item, ...]:
        items = yaml_items(whole.of(self.text), whole.start)
        if items is not None:
            return items
        self._invalid(line, f"The value of `{name}` is no valid YAML.")
        first = Span(whole.start, line.span.end).of(self.text)
        return (Item(" ".join([first, *(entry.text.strip() for entry in content)]).strip(), whole),)

    def _plain_lines(self, value: str, span: Span, line: Line, content: list[Line]) -> tuple[Item, ...]:
        """Read plain text that runs over several lines: folded, and taken whole like that of one line."""
        texts = [value] if value else []
        if value:
            self._check_plain(value, span, line)
        for entry in content:
            stripped = entry.text.strip()
            start = entry.start + entry.indent
            self._check_plain(stripped, Span(start, start + len(stripped)), entry)
            texts.append(stripped)
        start = span.start if value else content[0].start + content[0].indent
        return (Item(" ".join(texts), Span(start, start + len(self.text[start : content[-1].span.end].rstrip()))),)

    def _entry(self, entry: Line) -> tuple[Item, ...]:
        dash = _ITEM.match(entry.text)
        at = dash.end() if dash else 0
        value = entry.text[at:].strip()
        if value.startswith("#") and not value[1:2].strip():
            return ()
        span = Span(entry.start + at, entry.start + at + len(value))
        if _COLON.search(value) and not value.startswith(_STRUCTURE) and yaml_items(value, 0) is not None:
            return (Item(value, span),)  # a mapping in a list
        return self._one_line(value, span, entry)

    def _one_line(self, value: str, span: Span, line: Line) -> tuple[Item, ...]:
        if not value:
            return ()
        if not value.startswith(_STRUCTURE):
            self._check_plain(value, span, line)
            return (Item(value, span),)
        items = yaml_items(value, span.start)
        if items is None:
            self._invalid(line, _complaint(value))
            items = _torn(value, span.start)
        return items

    def _check_plain(self, value: str, span: Span, line: Line) -> None:
        comment = _COMMENT.search(value) if "#" in value else None
        if comment:
            message = "YAML cuts the value here, since ` #` starts a comment: put the value in quotes."
            self.problems.append(Problem("comment-in-value", Span(span.start + comment.start(), span.end), message))
        if ":" in value and _COLON.search(value):
            self._invalid(line, "A plain value must not hold `: `: put the value in quotes.")
        elif value.startswith(_RESERVED):
            self._invalid(line, f"A plain value must not start with `{value[0]}`: put the value in quotes.")

    def _invalid(self, line: Line, message: str) -> None:
        self.problems.append(Problem("invalid-frontmatter", line.span, message))


def _value_span(line: Line, key_span: Span) -> Span:
    """Return where the value behind a key's colon stands; a comment is no value, `#word` is one that YAML drops."""
    at = line.text.index(":", key_span.end - line.start) + 1
    raw = line.text[at:]
    value = raw.strip()
    start = line.start + at + (len(raw) - len(raw.lstrip()))
    if value.startswith("#") and not value[1:2].strip():
        return Span(start, start)
    return Span(start, start + len(value))


def _end_of_value(lines: list[Line], start: int, *, is_open: bool) -> int:
    """Return the line at which the value of a key ends; an open one may be a list that is not indented."""
    end = start
    for at in range(start, len(lines)):
        line = lines[at]
        if line.is_blank or (line.is_comment and not line.text.startswith((" ", "\t"))):
            continue
        if not line.text.startswith((" ", "\t")) and not (is_open and line.continues):
            break
        end = at + 1
    return end


def _complaint(value: str) -> str:
    if value[0] in "\"'":
        return "The quoted value is not closed, or something follows its closing quote."
    return "The list or mapping is no valid YAML: close its brackets and quote values with special characters."


def _torn(value: str, start: int) -> tuple[Item, ...]:
    """Return what a value that YAML refuses most likely says: mostly itself, but it may just not be closed yet."""
    first = value[0]
    if first in "\"'" and value.count(first) == 1:
        return _trimmed(value[1:], start + 1)
    if first == "[" and ("]" not in value or value.endswith("]")):
        inner = value[1:].removesuffix("]") if not value.startswith("[[") else value
        items: list[Item] = []
        at = start + (0 if inner is value else 1)
        for piece in inner.split(","):
            items += _trimmed(piece, at)
            at += len(piece) + 1
        return tuple(items)
    return (Item(value, Span(start, start + len(value))),)


def _trimmed(piece: str, start: int) -> tuple[Item, ...]:
    value = piece.strip()
    start += len(piece) - len(piece.lstrip())
    if value[:1] in "\"'" and value[:1]:
        start += 1
        value = value[1:-1] if value.endswith(value[0]) and len(value) > 1 else value[1:]
    return (Item(value, Span(start, start + len(value))),) if value else ()
