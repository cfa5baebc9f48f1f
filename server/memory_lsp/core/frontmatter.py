"""The frontmatter of a note: where its block begins and ends, also where a fence is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_lsp.core.fields import Field, FieldReader, Line, Problem
from memory_lsp.core.text import Span

__all__ = ["Field", "Frontmatter", "Problem", "split_frontmatter"]

_FENCE = re.compile(r"---[ \t]*(?=\r\n|\n|\r|\Z)")
_CLOSE = re.compile(r"(?:---|\.\.\.)[ \t]*")
_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_WORD_KEY = re.compile(r"[A-Za-z_][\w-]*:(?=[ \t]|\Z)")


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The block at the start of a note: `span` with its fences, `inner` without, and its keys."""

    span: Span
    inner: Span
    fields: tuple[Field, ...]
    problems: tuple[Problem, ...]

    def get(self, key: str) -> Field | None:
        """Return the key's field, at the top or below `metadata:`, which some agents write."""
        nested: tuple[Field, ...] = ()
        for field in self.fields:
            if field.key == key:
                return field
            if field.key == "metadata":
                nested = field.children
        for field in nested:
            if field.key == key:
                return field
        return None


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
    if close is None or (any(line.is_blank for line in lines) and _runs_into_body(lines)):
        keys = _leading_keys(lines)
        if not keys:
            return None, start, ()
        end = keys[-1].next
        message = "The frontmatter is not closed: add a line of three dashes after its last key."
        problem = Problem("unclosed-frontmatter", Span(start, fence.end()), message)
        return _read_block(text, Span(start, end), keys, end), end, (problem,)
    if any(not line.is_blank for line in lines) and not any(line.key for line in lines):
        return None, start, ()
    block = _read_block(text, Span(start, close.next), lines, close.start)
    stacked, body = _stacked(text, close.next)
    return block, body, stacked


def _runs_into_body(lines: list[Line]) -> bool:
    """Tell whether a later rule of the body was taken for the closing fence.

    So it is where, after a blank line, text stands that is no `key: value`, and no key follows it.
    """
    after_blank = False
    for n, line in enumerate(lines):
        if line.is_blank:
            after_blank = True
        elif line.key or line.continues or line.is_comment:
            after_blank = after_blank and line.is_comment
        elif after_blank:
            return bool(_leading_keys(lines)) and not any(_WORD_KEY.match(later.text) for later in lines[n:])
    return False


def _leading_keys(lines: list[Line]) -> list[Line]:
    keys: list[Line] = []
    for line in lines:
        if not (line.key or (keys and line.continues and not line.is_blank)):
            break
        keys.append(line)
    return keys


def _stacked(text: str, start: int) -> tuple[tuple[Problem, ...], int]:
    """Find a second block right after the first; it is reported, and the body is read after it."""
    at = start
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    fence = _FENCE.match(text, at)
    if not fence or (at > start and text[at - 1] not in "\r\n"):
        return (), start
    lines, close = _block_lines(text, fence.end())
    if close is None or not lines or not lines[0].key:
        return (), start
    message = "A second frontmatter block follows the first and is not read: merge the two."
    return (Problem("stacked-frontmatter", Span(at, fence.end()), message),), close.next


def _read_block(text: str, span: Span, lines: list[Line], inner_end: int) -> Frontmatter:
    reader = FieldReader(text)
    fields = reader.read(lines)
    inner_start = lines[0].start if lines else inner_end
    return Frontmatter(span, Span(inner_start, inner_end), fields, tuple(reader.problems))


def _block_lines(text: str, fence_end: int) -> tuple[list[Line], Line | None]:
    """Return the lines after an opening fence up to the closing one, and the closing line where there is one."""
    lines: list[Line] = []
    at = fence_end + 2 if text.startswith("\r\n", fence_end) else fence_end + 1
    while at < len(text):
        match = _LINE.match(text, at)
        if not match:
            break
        line = Line(at, match[1], match.end())
        if line.text[:1] in "-." and _CLOSE.fullmatch(line.text):
            return lines, line
        lines.append(line)
        at = match.end()
    return lines, None
