"""From a place in any file, notes and code alike, to a query that says what the place is about."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

# Lines read around a cursor; a window that follows typing must stay small, and change little from key to key.
_AROUND = 3
_ABOVE = 120
_LONGEST = 1_500

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+\S")
_DEFINITION = re.compile(
    r"\s*(?:(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|abstract|final|async|override|"
    r"virtual|inline|unsafe|extern)\s+)*"
    r"(?:def|class|function|fn|func|fun|interface|trait|impl|struct|enum|type|module|namespace|object|protocol|CREATE|"
    r"resource|job|describe|it|test)\b"
)
_COMMENT = re.compile(r"\s*(?://+|#+|--+|;+|%+|/?\*+|\"\"\"|''')\s*(?P<text>\S.*)")
_TELLING = re.compile(r"[^\W_]+")
_DULL = frozenset(
    (
        "src", "lib", "app", "apps", "main", "index", "test", "tests", "spec", "init", "mod", "package", "packages",
        "server", "client", "common", "util", "utils", "helpers", "core", "home", "users", "user", "work", "repo",
        "repos", "code", "projects", "dev", "py", "ts", "js", "go", "rs", "java", "md",
    )
)  # fmt: skip


def query_at(path: str, lines: list[str], first: int, last: int) -> str:
    """Return a query for the lines `first` to `last` (zero-based, included) of a file.

    It holds what is nearest above them (a heading, a definition, a comment), the lines themselves or a few around a
    bare cursor, and the telling parts of the path.
    """
    first, last = max(0, min(first, len(lines) - 1)), max(0, min(last, len(lines) - 1))
    around = _AROUND if first == last else 0
    window = lines[max(0, first - around) : last + around + 1]
    parts = [telling_parts(path), *_context_above(lines, first), *(line.strip() for line in window)]
    text = " ".join(dict.fromkeys(part for part in parts if part))
    return text[:_LONGEST]


def telling_parts(path: str) -> str:
    """Return the words of a path that say something: of the file's name and its nearest folders."""
    pure = PurePosixPath(path)
    pieces = [*pure.parts[-3:-1], pure.stem]
    words = [word for piece in pieces for word in _TELLING.findall(_split_case(piece))]
    return " ".join(dict.fromkeys(word.lower() for word in words if word.lower() not in _DULL and len(word) > 1))


def _context_above(lines: list[str], at: int) -> list[str]:
    """Return the nearest definition, heading and comment at or above a line, each at most once."""
    found: dict[str, str] = {}
    for number in range(at, max(-1, at - _ABOVE), -1):
        line = lines[number]
        if "definition" not in found and _DEFINITION.match(line):
            found["definition"] = line.strip()
        elif "heading" not in found and _HEADING.match(line):
            found["heading"] = line.strip("# \t")
        elif "comment" not in found and (match := _COMMENT.match(line)) and len(match["text"]) > 8:
            found["comment"] = match["text"].rstrip("*/ \t")
        if len(found) == 3:
            break
    return list(found.values())


def _split_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")
