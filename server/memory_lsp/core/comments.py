"""The comments of a source text, found by what its language says begins and ends them.

One pass, in time linear in the text whatever it holds: a literal or a comment that never ends takes the rest.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.comment_syntax import ALIASES, SYNTAXES, Kind
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.comment_syntax import Rule

_LINE_END = re.compile(r"[\r\n]")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*+(`|\$\{)?", re.DOTALL)
_REGEX = re.compile(r"/(?:\\[^\r\n]|\[(?:\\[^\r\n]|[^\]\\\r\n])*+\]|[^/\\\[\r\n])++/")
_BEFORE_VALUE = re.compile(
    r"(?:[(,=:\[!&|?{};+*%>~^-]|\b(?:return|typeof|case|in|of|delete|void|throw|new|do|else|yield|await|instanceof"
    r"|when|if|elsif|unless|and|or|not|split|grep))\Z"
)
_WORD_LINE = re.compile(r"(?<![^\r\n])[ \t]*(\w+)(?!\w)")
_INDENT = re.compile(r"([\r\n]|\A)[ \t]*[rRuU]?\Z")
_CONTINUED = frozenset("([{,=+-*/%&|^<>\\")  # code behind which a string is no statement
_LONGEST_WORD = 12


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its marks, and what is between them."""

    span: Span
    inner: Span


def find_comments(text: str, language: str) -> Iterator[Comment]:
    """Yield the comments of a text in order; none for a language whose comments are not known.

    A string that is a statement of its own, such as a docstring, counts as one in Python and Julia.
    """
    name = ALIASES.get(language, language)
    if name in SYNTAXES:
        yield from _Scanner(text).scan(name, 0, len(text))


@functools.cache
def _tokens(language: str, *, braces: bool) -> re.Pattern[str]:
    parts = [f"(?P<r{number}>{rule.opening})" for number, rule in enumerate(SYNTAXES[language])]
    return re.compile("|".join([*parts, "(?P<brace>[{}])"] if braces else parts), re.DOTALL)


@functools.cache
def _either(rule: Rule) -> re.Pattern[str]:
    return re.compile(f"{rule.opening}|({re.escape(rule.closing)})")


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.word_lines: dict[str, list[int]] | None = None  # the first word of each line → where it ends
        self.no_regex = 0  # up to here no regular expression begins

    def scan(self, language: str, at: int, end: int) -> Iterator[Comment]:
        """Yield the comments between two offsets."""
        text, rules = self.text, SYNTAXES[language]
        depths: list[int] = []  # of braces, in each template that is open
        code = ""  # the end of the code before the present token
        while match := _tokens(language, braces=bool(depths)).search(text, at, end):
            start, stop = match.span()
            gap, before = text[at:start], code
            code = gap.rstrip()[-_LONGEST_WORD:] or before
            name = match.lastgroup or ""
            if name == "brace":
                at, code = self._brace(depths, match[0], stop, end), match[0]
                continue
            rule = rules[int(name[1:])]
            kind = rule.kind
            if kind is Kind.LINE:
                at = self._line_end(stop, end)
                yield Comment(Span(start, at), Span(stop, at))
            elif kind in (Kind.BLOCK, Kind.NESTED):
                close, at = self._closing(rule, start, stop, end)
                yield Comment(Span(start, at), Span(stop, close))
            elif kind is Kind.INSIDE:
                close = self._find(rule.closing, stop, end)
                yield from self.scan(rule.language, stop, close)
                at = close
            else:
                if kind is Kind.DOC and _is_statement(gap, before, is_first=at == 0):
                    yield Comment(Span(start, stop), _between(match[0], start))
                at = self._literal(rule, start, stop, end, code, depths)
                code = text[at - 1]

    def _literal(self, rule: Rule, start: int, stop: int, end: int, code: str, depths: list[int]) -> int:
        """Return where a literal ends."""
        if rule.kind is Kind.RAW:
            return self._closing(rule, start, stop, end)[1]
        if rule.kind is Kind.HEREDOC:
            return self._heredoc(rule, start, stop, end)
        if rule.kind is Kind.TEMPLATE:
            return self._template(depths, stop, end)
        if rule.kind is Kind.REGEX and (not code or _BEFORE_VALUE.search(code)):
            return self._regex(start, stop, end)
        return stop

    def _closing(self, rule: Rule, start: int, stop: int, end: int) -> tuple[int, int]:
        """Return where what a rule opens is closed: the start and the end of its closing mark."""
        if rule.kind is Kind.NESTED:
            depth = 1
            for match in _either(rule).finditer(self.text, stop, end):
                depth += -1 if match[1] else 1
                if not depth:
                    return match.span()
            return end, end
        closing = rule.closing
        if "{0}" in closing:
            opened = re.compile(rule.opening).match(self.text, start, end)
            closing = closing.replace("{0}", opened[1] if opened else "")
        close = self._find(closing, stop, end)
        return close, min(close + len(closing), end)

    def _find(self, closing: str, at: int, end: int) -> int:
        found = self.text.find(closing, at, end)
        return end if found < 0 else found

    def _line_end(self, at: int, end: int) -> int:
        match = _LINE_END.search(self.text, at, end)
        return match.start() if match else end

    def _heredoc(self, rule: Rule, start: int, stop: int, end: int) -> int:
        """Return the end of a heredoc's last line; where no line ends it, it was something else, such as a shift."""
        opened = re.compile(rule.opening).match(self.text, start, end)
        if self.word_lines is None:
            self.word_lines = {}
            for match in _WORD_LINE.finditer(self.text):
                self.word_lines.setdefault(match[1], []).append(match.end())
        ends = self.word_lines.get(opened[1], []) if opened else []
        if not ends or ends[-1] <= stop:
            return stop
        number = bisect_left(ends, self._line_end(stop, end) + 1)
        return ends[number] if number < len(ends) and ends[number] <= end else stop

    def _regex(self, start: int, stop: int, end: int) -> int:
        if start < self.no_regex:
            return stop
        match = _REGEX.match(self.text, start, end)
        if match is None:
            # One that never closes says enough of its line, which is not read again from each slash in it.
            self.no_regex = self._line_end(stop, end)
        return match.end() if match else stop

    def _template(self, depths: list[int], at: int, end: int) -> int:
        """Return where the text of a template stops: behind it, or behind the `${` of a value in it."""
        match = _TEMPLATE.match(self.text, at, end)
        if match is None:
            return end
        if match[1] == "${":
            depths.append(0)
        return match.end()

    def _brace(self, depths: list[int], brace: str, at: int, end: int) -> int:
        if brace == "{":
            depths[-1] += 1
        elif depths[-1]:
            depths[-1] -= 1
        else:
            depths.pop()
            return self._template(depths, at, end)
        return at


def _is_statement(gap: str, code: str, *, is_first: bool) -> bool:
    """Tell whether a string is alone: first in its line, and behind code that does not go on.

    `gap` is what stands between it and the token before, `code` the end of the code before that.
    """
    indent = _INDENT.search(gap)
    if indent is None or (not indent[1] and not is_first):
        return False
    return (gap[: indent.start()].rstrip() or code)[-1:] not in _CONTINUED


def _between(literal: str, start: int) -> Span:
    """Return what is between the three quotes of a literal, of which the last may be missing."""
    closed = len(literal) >= 6 and literal.endswith(literal[:3])
    return Span(start + 3, start + len(literal) - (3 if closed else 0))
