"""Reading the params of our requests: each value checked, each complaint a plain sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from memory_lsp.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONGEST_QUERY = 20_000
_MOST_TYPES = 100
_LAST_LINE = 2**31 - 1
_MOST_DIMS = 16_384


class Params:
    """The params of one request; unknown keys are ignored, a null counts as missing."""

    def __init__(self, raw: object) -> None:
        if raw is not None and not isinstance(raw, dict):
            raise UsageError("params: expected an object.")
        self._raw: dict[str, object] = raw or {}

    def text(self, key: str) -> str:
        """Return a text that must be there; one that no person could have meant is cut."""
        value = self._raw.get(key)
        if not isinstance(value, str):
            raise UsageError(f"{key}: expected a text, got {_kind(value)}.")
        return value[:_LONGEST_QUERY]

    def optional_text(self, key: str) -> str | None:
        """Return a text that may be missing."""
        return None if self._raw.get(key) is None else self.text(key)

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return a list of texts that may be missing; an empty one counts as missing."""
        value = self._raw.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise UsageError(f"{key}: expected a list of texts, got {_kind(value)}.")
        return tuple(value[:_MOST_TYPES]) or None

    def whole(self, key: str, default: int | None, least: int, most: int) -> int | None:
        """Return a whole number within bounds."""
        value = self._raw.get(key)
        if value is None:
            return default
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or value != int(value)
        ):
            raise UsageError(f"{key}: expected a whole number, got {_kind(value)}.")
        if not least <= value <= most:
            raise UsageError(f"{key}: expected a number from {least} to {most}, got {int(value)}.")
        return int(value)

    def flag(self, key: str) -> bool:
        """Return true or false, false where it is missing."""
        value = self._raw.get(key)
        if value is not None and not isinstance(value, bool):
            raise UsageError(f"{key}: expected true or false, got {_kind(value)}.")
        return bool(value)

    def ranker(self, key: str = "ranker") -> Literal["cascade", "spread"] | None:
        """Return the name of a ranker, None where it is missing."""
        value = self._raw.get(key)
        if value is None or value == "cascade" or value == "spread":
            return value
        raise UsageError(f"{key}: expected cascade or spread, got {_kind(value)}.")

    def vector(self, key: str) -> NDArray[np.float32] | None:
        """Return a vector (dims,) of finite numbers, None where it is missing."""
        value = self._raw.get(key)
        if value is None:
            return None
        numbers = isinstance(value, list) and all(
            isinstance(entry, int | float) and not isinstance(entry, bool) for entry in value
        )
        if not isinstance(value, list) or not numbers or not 0 < len(value) <= _MOST_DIMS:
            raise UsageError(f"{key}: expected a list of numbers, got {_kind(value)}.")
        try:
            vector = np.asarray(value, dtype=np.float64)
        except OverflowError:
            raise UsageError(f"{key}: a number is too large.") from None
        length = float(np.linalg.norm(vector))
        if not math.isfinite(length) or length == 0.0:
            raise UsageError(f"{key}: expected finite numbers that are not all zero.")
        return (vector / length).astype(np.float32)

    def lines(self) -> tuple[int, int]:
        """Return the first and last line of `range`, or of `position`, or the first line where neither is given."""
        place = self._raw.get("range")
        if place is None:
            position = self._raw.get("position")
            line = 0 if position is None else _line(position, "position")
            return line, line
        if not isinstance(place, dict):
            raise UsageError(f"range: expected an object with start and end, got {_kind(place)}.")
        first, last = _line(place.get("start"), "range.start"), _line(place.get("end"), "range.end")
        return min(first, last), max(first, last)

    def document(self, key: str = "textDocument") -> str | None:
        """Return the URI of a document that may be missing, given as an object or as the URI itself."""
        value = self._raw.get(key)
        if value is None or isinstance(value, str):
            return value
        uri = value.get("uri") if isinstance(value, dict) else None
        if not isinstance(uri, str):
            raise UsageError(f"{key}: expected an object with a uri, got {_kind(value)}.")
        return uri


def _line(position: object, key: str) -> int:
    line = position.get("line") if isinstance(position, dict) else None
    if not isinstance(line, int) or isinstance(line, bool) or not 0 <= line <= _LAST_LINE:
        raise UsageError(f"{key}: expected an object with a line of at least 0.")
    return line


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), type(value).__name__)
