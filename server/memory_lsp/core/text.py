"""Positions in a text: offsets to lines and columns in utf-8, utf-16 and utf-32, and back."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]

# LSP knows three line ends; `str.splitlines` knows seven more, which would shift every later line.
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a text, as code-point offsets: `text[start:end]`."""

    start: int
    end: int

    def __contains__(self, offset: int) -> bool:
        """Tell whether a cursor at `offset` touches the span, its end included."""
        return self.start <= offset <= self.end

    def covers(self, other: Span) -> bool:
        """Tell whether `other` lies wholly inside this span."""
        return self.start <= other.start and other.end <= self.end

    def of(self, text: str) -> str:
        """Return the text that the span covers."""
        return text[self.start : self.end]


class LineIndex:
    """Where the lines of one text start; converts offsets to positions and back.

    Lines end at LF, CRLF or CR. Positions past the end of a line clamp to its end, lines past the last clamp to the
    end of the text, and a column inside a character moves back to the character's start.
    """

    __slots__ = ("_ascii", "_last", "_lines", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._ascii = text.isascii()
        # Computed at the first question: most notes of a directory are never asked.
        self._lines: tuple[list[int], list[int]] | None = None
        # The last column computed, as (line start, encoding, offset, units): the next one asked about often follows.
        self._last: tuple[int, str, int, int] = (-1, "", 0, 0)

    def __len__(self) -> int:
        return len(self._bounds()[0])

    def _bounds(self) -> tuple[list[int], list[int]]:
        """Return where the lines start, and where they end without their line ends."""
        lines = self._lines
        if lines is None:
            breaks = [match.span() for match in _LINE_END.finditer(self._text)]
            lines = [0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(self._text)]
            self._lines = lines
        return lines

    def line_of(self, offset: int) -> int:
        """Return the zero-based line that holds `offset`."""
        return bisect_right(self._bounds()[0], offset) - 1

    def line_span(self, line: int) -> Span:
        """Return the span of a line without its line end."""
        starts, ends = self._bounds()
        return Span(starts[line], ends[line])

    def position(self, offset: int, encoding: Encoding) -> tuple[int, int]:
        """Return (line, column) of an offset, the column in units of `encoding`."""
        starts, ends = self._bounds()
        offset = min(max(offset, 0), len(self._text))
        line = self.line_of(offset)
        # An offset between CR and LF belongs to the end of its line.
        return line, self._units(starts[line], min(offset, ends[line]), encoding)

    def offset(self, line: int, column: int, encoding: Encoding) -> int:
        """Return the offset of a position, clamped into the text."""
        starts, ends = self._bounds()
        if line < 0:
            return 0
        if line >= len(starts):
            return len(self._text)
        start, end = starts[line], ends[line]
        if column <= 0:
            return start
        if self._ascii or encoding == "utf-32":
            return min(start + column, end)
        units = 0
        for offset in range(start, end):
            width = _width(self._text[offset], encoding)
            if units + width > column:
                return offset
            units += width
        return end

    def _units(self, start: int, end: int, encoding: Encoding) -> int:
        if self._ascii or encoding == "utf-32":
            return end - start
        line, known, at, units = self._last
        if line != start or known != encoding or at > end:
            at, units = start, 0
        # A long line with many links is converted piece by piece, not from its start for each.
        units += sum(_width(character, encoding) for character in self._text[at:end])
        self._last = start, encoding, end, units
        return units


def _width(character: str, encoding: Encoding) -> int:
    code = ord(character)
    if encoding == "utf-16":
        return 2 if code > 0xFFFF else 1
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4
