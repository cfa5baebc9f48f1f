"""Reading frontmatter key by key, so that one odd value never costs the others.

Real notes break YAML all the time: `description: port: 8080 is taken`, a ` #` in a sentence, `name: 2024-06-01`. So the
block is split into its top-level keys first. A plain value on one line is taken whole, as text; only quoted, flow,
block and multi-line values go to PyYAML, one key at a time, and where it refuses, the raw text is kept and the line is
reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_lsp.core.text import Span
from memory_lsp.core.yaml_values import Item, yaml_items

_FENCE = re.compile(r"---[ \t]*(?=\r\n|\n|\r|\Z)")
_CLOSE = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_KEY = re.compile(r"""([^\s#:'"\[\]{}\-,&*!|>%@`][^:]*?|"[^"]*"|'[^']*')[ \t]*:(?=[ \t]|\Z)""")
_TIGHT_KEY = re.compile(r"([A-Za-z_][\w-]*):(?!//)\S")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+|\Z)")
_WIKILINKS = re.compile(r"\[\[([^\[\]\r\n]*)\]\]")
# A value that starts like this means something to YAML; everything else on one line is plain text to us.
_STRUCTURE = tuple("\"'[{|>")
_RESERVED = tuple("@`%*&!")


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
class Frontmatter:
    """The block at the start of a note: `span` with its fences, `inner` without, and its keys."""

    span: Span
    inner: Span
    fields: tuple[Field, ...]
    problems: tuple[Problem, ...]

    def get(self, key: str) -> Field | None:
        """Return the key's field, at the top or below `metadata:`, which some agents write."""
        nested = next((field.children for field in self.fields if field.key == "metadata"), ())
        return next((field for field in (*self.fields, *nested) if field.key == key), None)


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str
    next: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text))


def split_frontmatter(text: str) -> tuple[Frontmatter | None, int, tuple[Problem, ...]]:
    """Return the frontmatter, the offset at which the body starts, and the problems of the fences themselves.

    A block whose closing fence is missing ends before its first line that is no `key: value`; three dashes that no key
    follows are a thematic break, not frontmatter.
    """
    start = 1 if text.startswith("\ufeff") else 0
    fence = _FENCE.match(text, start)
    if not fence:
        return None, start, ()
    lines, close = _block_lines(text, fence.end())
    first = Span(start, fence.end())
    if close is None:
        keys = _leading_keys(lines)
        if not keys:
            return None, start, ()
        end = keys[-1].next
        message = "The frontmatter is not closed: add a line of three dashes after its last key."
        problem = Problem("unclosed-frontmatter", first, message)
        return _read_block(Span(start, end), keys, end), end, (problem,)
    if any(line.text.strip() for line in lines) and not any(_key_of(line) for line in lines):
        return None, start, ()
    end = close.next
    block = _read_block(Span(start, end), lines, close.start)
    stacked, body = _stacked(text, end)
    return block, body, stacked


def _stacked(text: str, start: int) -> tuple[tuple[Problem, ...], int]:
    """Find a second block right after the first; it is reported, and the body is read after it."""
    at = start
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    fence = _FENCE.match(text, at)
    if not fence or (at > start and text[at - 1] not in "\r\n"):
        return (), start
    lines, close = _block_lines(text, fence.end())
    if close is None or not lines or not _key_of(lines[0]):
        return (), start
    message = "A second frontmatter block follows the first and is not read: merge the two."
    return (Problem("stacked-frontmatter", Span(at, fence.end()), message),), close.next


def _leading_keys(lines: list[_Line]) -> list[_Line]:
    keys: list[_Line] = []
    for line in lines:
        if not (_key_of(line) or (keys and _continues(line) and line.text.strip())):
            break
        keys.append(line)
    return keys


def _read_block(span: Span, lines: list[_Line], inner_end: int) -> Frontmatter:
    problems: list[Problem] = []
    fields = _read_fields(lines, problems)
    inner_start = lines[0].start if lines else inner_end
    return Frontmatter(span, Span(inner_start, inner_end), fields, tuple(problems))


def _read_fields(lines: list[_Line], problems: list[Problem]) -> tuple[Field, ...]:
    fields: list[Field] = []
    n = 0
    while n < len(lines):
        line, n = lines[n], n + 1
        key = _key_of(line)
        if not key:
            stripped = line.text.strip()
            if stripped and not stripped.startswith("#"):
                problems.append(Problem("invalid-frontmatter", line.span, "This line is no `key: value`."))
            continue
        rest = n
        while rest < len(lines) and (_continues(lines[rest]) or not lines[rest].text.strip()):
            rest += 1
        while rest > n and not lines[rest - 1].text.strip():
            rest -= 1
        name, key_span = key
        if not _KEY.match(line.text):
            problems.append(Problem("invalid-frontmatter", line.span, "A space is missing after the colon."))
        if any(field.key == name for field in fields):
            message = f"The key `{name}` stands here twice; the first counts."
            problems.append(Problem("invalid-frontmatter", line.span, message))
        fields.append(_read_field(name, key_span, line, lines[n:rest], problems))
        n = rest
    return tuple(fields)


def _read_field(name: str, key_span: Span, line: _Line, more: list[_Line], problems: list[Problem]) -> Field:
    colon = line.text.index(":", key_span.end - line.start)
    raw = line.text[colon + 1 :]
    value = raw.strip()
    start = line.start + colon + 1 + (len(raw) - len(raw.lstrip()))
    value_span = Span(start, start + len(value))
    content = [entry for entry in more if not entry.text.lstrip().startswith("#") and entry.text.strip()]
    items: tuple[Item, ...] = ()
    children: tuple[Field, ...] = ()
    is_list = value.startswith("[")
    if not content:
        items = _read_value(value, value_span, line, raw, problems)
    elif not value and all(_ITEM.match(entry.text) for entry in content):
        is_list = True
        items = tuple(item for entry in content for item in _read_entry(entry, problems))
    elif not value and _key_of(_dedent(content[0], content[0])):
        children = _read_fields([_dedent(entry, content[0]) for entry in content], problems)
    else:
        chunk = "\n".join(["k: " + value, *(entry.text for entry in more)])
        found = yaml_items(chunk, None)
        if found is None:
            problems.append(Problem("invalid-frontmatter", line.span, f"The value of `{name}` is no valid YAML."))
            joined = " ".join([value, *(entry.text.strip() for entry in content)]).strip()
            items = (Item(joined, value_span),)
        else:
            items = tuple(Item(item.value, value_span) for item in found)
    if more:
        value_span = Span(value_span.start, more[-1].span.end)
    return Field(name, key_span, line.span, value_span, items, is_list, children)


def _read_entry(entry: _Line, problems: list[Problem]) -> tuple[Item, ...]:
    dash = _ITEM.match(entry.text)
    at = dash.end() if dash else 0
    value = entry.text[at:].strip()
    start = entry.start + at
    return _read_value(value, Span(start, start + len(value)), entry, " " + entry.text[at:], problems)


def _read_value(value: str, span: Span, line: _Line, raw: str, problems: list[Problem]) -> tuple[Item, ...]:
    """Read a value that stands on one line; `raw` is the line from its colon on."""
    if not value:
        return ()
    if value.startswith(_STRUCTURE) and not (value[0] in "|>" and len(value) > 2):
        items = yaml_items(value, span.start)
        if items is not None:
            return items
        problems.append(Problem("invalid-frontmatter", line.span, _yaml_complaint(value)))
        links = tuple(
            Item(match[1], Span(span.start + match.start(1), span.start + match.end(1)))
            for match in _WIKILINKS.finditer(value)
        )
        return links or (Item(value.strip("\"'[]{} "), span),)
    comment = re.search(r"[ \t]#", raw)
    if comment:
        message = "YAML cuts the value here, since ` #` starts a comment: put the value in quotes."
        at = line.span.end - len(raw) + comment.start() + 1
        problems.append(Problem("comment-in-value", Span(at, span.end), message))
    if re.search(r":(?=[ \t]|\Z)", value):
        message = "A plain value must not hold `: `: put the value in quotes."
        problems.append(Problem("invalid-frontmatter", line.span, message))
    elif value.startswith(_RESERVED):
        message = f"A plain value must not start with `{value[0]}`: put the value in quotes."
        problems.append(Problem("invalid-frontmatter", line.span, message))
    return (Item(value, span),)


def _yaml_complaint(value: str) -> str:
    if value[0] in "\"'":
        return "The quoted value is not closed, or something follows its closing quote."
    return "The list or mapping is no valid YAML: close its brackets and quote values with special characters."


def _key_of(line: _Line) -> tuple[str, Span] | None:
    match = _KEY.match(line.text) or _TIGHT_KEY.match(line.text)
    if not match:
        return None
    return match[1].strip("\"'"), Span(line.start + match.start(1), line.start + match.end(1))


def _continues(line: _Line) -> bool:
    return line.text.startswith((" ", "\t", "- ")) or line.text == "-"


def _dedent(line: _Line, first: _Line) -> _Line:
    width = len(first.text) - len(first.text.lstrip())
    cut = min(width, len(line.text) - len(line.text.lstrip()))
    return _Line(line.start + cut, line.text[cut:], line.next)


def _block_lines(text: str, fence_end: int) -> tuple[list[_Line], _Line | None]:
    """Return the lines after an opening fence up to the closing one, and the closing line where there is one."""
    lines: list[_Line] = []
    at = _after_line_end(text, fence_end)
    while at < len(text):
        match = _LINE.match(text, at)
        if not match:
            break
        line = _Line(at, match[1], match.end())
        if _CLOSE.match(line.text):
            return lines, line
        lines.append(line)
        at = match.end()
    return lines, None


def _after_line_end(text: str, at: int) -> int:
    return at + 2 if text.startswith("\r\n", at) else min(at + 1, len(text))
