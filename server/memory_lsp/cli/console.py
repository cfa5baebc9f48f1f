"""Write to the terminal: data to standard output, the rest to standard error, colour only where somebody sees it."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING, Literal, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memory_lsp.answers import Json

Colour = Literal["red", "yellow", "blue", "green", "dim", "bold"]

_CODES: dict[Colour, str] = {"red": "31", "yellow": "33", "blue": "34", "green": "32", "dim": "2", "bold": "1"}
# A note's text could move the cursor, or more, on the terminal that shows it.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether somebody sees what is written to a stream."""
    return stream is not None and stream.isatty()


def has_colour(stream: TextIO | None) -> bool:
    """Tell whether to write colours: on a terminal, unless NO_COLOR is set (https://no-color.org)."""
    return is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: Colour, stream: TextIO | None) -> str:
    """Return the text in a colour where the stream shows colours."""
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if has_colour(stream) else text


def visible(text: str) -> str:
    """Return a text with a space for each line end and control character."""
    return _CONTROL.sub(" ", text)


def one_line(text: str) -> str:
    """Return a text in one line, without control characters, for a list."""
    return " ".join(visible(text).split())


def say(message: str) -> None:
    """Write one line to standard error."""
    print(one_line(message), file=sys.stderr)


def put(lines: Iterable[str]) -> None:
    """Write lines of data."""
    for line in lines:
        print(line)


def put_json(value: Json) -> None:
    """Write a JSON document."""
    print(json.dumps(value, ensure_ascii=not can_show("→😀"), indent=2))


def can_show(characters: str) -> bool:
    """Tell whether standard output's encoding has some characters."""
    try:
        characters.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


class Progress:
    """A bar on standard error, on a terminal only; `update` may be called as often as one likes."""

    _WIDTH = 24

    def __init__(self, label: str) -> None:
        self._label = label
        self._shown = ""

    def update(self, done: int, total: int) -> None:
        """Show how many notes are done; nothing is shown where there is nothing to do."""
        if total and is_terminal(sys.stderr):
            filled = self._WIDTH * done // total
            self._draw(f"{self._label} [{'#' * filled}{' ' * (self._WIDTH - filled)}] {done}/{total} notes")

    def clear(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._draw("")

    def _draw(self, line: str) -> None:
        if line != self._shown:
            sys.stderr.write("\r" + line.ljust(len(self._shown)) + ("" if line else "\r"))
            sys.stderr.flush()
            self._shown = line
