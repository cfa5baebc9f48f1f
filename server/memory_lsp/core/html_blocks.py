"""What of an HTML block is text: everything but its tags, comments and code."""

from __future__ import annotations

import re

_OPAQUE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|pre|textarea|code)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>|<", re.IGNORECASE | re.DOTALL
)
_INDENT = re.compile(r"(?:\A|(?<=[\r\n]))[ \t]+")
_NO_LINE_END = re.compile(r"[^\r\n]")


def visible_html(source: str) -> str:
    """Return an HTML block as markdown of the same length in which only its text is left.

    Links between tags count for the people who wrote them, while CommonMark sees one opaque block. Tags, comments,
    code and indentation become letters, so that all else keeps its place and nothing turns into a block of code.
    """
    return _INDENT.sub(_letters, _OPAQUE.sub(_letters, source))


def _letters(match: re.Match[str]) -> str:
    return _NO_LINE_END.sub("x", match[0])
