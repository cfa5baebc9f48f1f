"""Newer before older, where that is wanted: a share of each score fades with the age of its note.

An age is counted in whole days from the newest note of the directory, never from the clock, so that one revision has
one answer.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memory_lsp.core.note import Note

_KEYS = ("updated", "created", "date")
_DATE = re.compile(r"\s*(\d{4})([-/.]?)(\d{1,2})\2(\d{1,2})(?!\d)")
_EPOCH = date(1970, 1, 1).toordinal()
_DAY = 86_400
_PLACES = 9


@dataclass(frozen=True, slots=True)
class Recency:
    """How much newer notes are preferred: `weight` is the share of a score that age can take, 0 to 1, 0 for none.

    Half of that share is gone after `half_life` days, three quarters after two of them.
    """

    weight: float = 0.0
    half_life: float = 90.0

    def loss(self, days: Mapping[str, int]) -> Callable[[str, float], float]:
        """Return a function that tells what a note's score loses by its age, 0 or less.

        `days` gives the day of each note by id; a note without one counts as new.
        """
        newest = max(days.values(), default=0)

        def lost(id: str, score: float) -> float:
            age = newest - days.get(id, newest)
            return -round(score * self.weight * (1 - math.exp2(-age / self.half_life)), _PLACES)

        return lost


def day_of(note: Note, modified: float | None) -> int | None:
    """Return the day on which a note was last changed, as a proleptic ordinal; None where nothing tells it.

    The frontmatter's `updated`, `created` or `date` counts, since a checkout gives every file the time of the checkout;
    else `modified`, the file's own time in seconds since 1970. No note is newer than its file: a date beyond that is a
    slip or a plan.
    """
    file = None if modified is None else _EPOCH + int(modified // _DAY)
    for key in _KEYS:
        field = note.frontmatter.get(key) if note.frontmatter else None
        written = _day(field.text) if field else None
        if written is not None:
            return written if file is None else min(written, file)
    return file


def _day(text: str) -> int | None:
    match = _DATE.match(text)
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[3]), int(match[4])).toordinal()
    except ValueError:
        return None
