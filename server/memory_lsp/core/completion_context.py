"""What is being typed at the cursor, and which stretch a completion replaces.

The text is broken while somebody types, so this looks at the line rather than at the parsed note; only whether the
cursor stands in code is asked of the parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memory_lsp.core.blocks import in_code
from memory_lsp.core.sources import comment_at
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from memory_lsp.core.note import Note

ENTRY_KEYS = ("supersedes", "superseded_by", "contradicts")

_BLOCK = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\n|\r)((?:[\w-]*(?:\r\n|\n|\r))*?)---[ \t]*(?:[\r\n]|\Z)")
_MARKDOWN_LINK = re.compile(r"\]\((<?)([^()\s<>]*|<[^<>]*)\Z")
_KEY_LINE = re.compile(r"([A-Za-z_][\w-]*):[ \t]*(.*)\Z", re.DOTALL)
# A quoted value may hold what separates plain ones.
_VALUE_START = re.compile(r"""(?:^|[\[,]|-[ \t]|[ \t])[ \t]*(?:(["'])([^"']*)|()([^\[\],"']*))\Z""")


class Wanted(StrEnum):
    """What kind of thing is being typed."""

    NOTE = "note"  # a wikilink's target
    HEADING = "heading"  # a wikilink's anchor
    BLOCK = "block"  # a wikilink's block id
    PATH = "path"  # a markdown link's path
    SLUG = "slug"  # a markdown link's anchor
    KEY = "key"  # a frontmatter key
    TYPE = "type"
    TAG = "tag"
    ENTRY = "entry"  # a note's name in supersedes, superseded_by, contradicts


@dataclass(frozen=True, slots=True)
class Context:
    """What is wanted, what is typed of it, and where it goes.

    `target` is the note part of a link whose anchor is typed. `before` and `after` are what must stand around an
    inserted text: closing brackets, the space after a key's colon, a quote.
    """

    wanted: Wanted
    typed: str
    span: Span
    target: str = ""
    before: str = ""
    after: str = ""
    quoted: bool = False


def context_at(note: Note, offset: int) -> Context | None:
    """Return what is typed at an offset, None where nothing of ours is."""
    line = note.lines.line_span(note.lines.line_of(offset))
    before, after = note.text[line.start : offset], note.text[offset : line.end]
    if note.source is not None:
        # What a source file's comments are is asked only where a link may be typed.
        wiki = _wikilink(before, after, offset)
        comment = comment_at(note.text, note.source.language, offset) if wiki is not None else None
        return wiki if comment is not None and line.start + before.rfind("[[") >= comment.inner.start else None
    inside = _in_frontmatter(note, offset)
    if not inside and in_code(note.text, note.body_start, offset):
        return None
    wiki = _wikilink(before, after, offset)
    if wiki is not None:
        return wiki
    if inside:
        return _frontmatter(note, line, before, after, offset)
    return _markdown(before, after, offset)


def _in_frontmatter(note: Note, offset: int) -> bool:
    """Tell whether an offset is between the fences; while its first key is typed, the parser knows no block yet."""
    if note.frontmatter is not None:
        return offset in note.frontmatter.inner
    block = _BLOCK.match(note.text)
    return block is not None and block.start(1) <= offset <= block.end(1)


def _wikilink(before: str, after: str, offset: int) -> Context | None:
    opening = before.rfind("[[")
    if opening < 0 or "]]" in before[opening:]:
        return None
    typed = before[opening + 2 :]
    if "|" in typed or "[" in typed:
        return None
    closing = after.find("]]")
    closed = closing >= 0 and "[[" not in after[:closing]
    rest = after[:closing] if closed else ""
    close = "" if closed else "]]"
    mark = typed.find("#")
    caret = typed.find("^")
    if mark < 0 and caret < 0:
        # Only the name goes; an anchor or a label that stands there already stays.
        end = offset + len(re.split(r"\\?\||#", rest, maxsplit=1)[0])
        return Context(Wanted.NOTE, typed, Span(offset - len(typed), end), after=close)
    end = offset + len(re.split(r"\\?\|", rest, maxsplit=1)[0])
    at = mark if mark >= 0 else caret
    target, anchor = typed[:at].strip(), typed[at:].lstrip("#")
    if anchor.startswith("^"):
        # `[[note^` is what fingers type; `[[note#^id]]` is what links mean.
        before_id = "#^" if mark < 0 else "^"
        return Context(Wanted.BLOCK, anchor[1:], Span(offset - len(anchor), end), target, before_id, close)
    return Context(Wanted.HEADING, anchor, Span(offset - len(anchor), end), target, after=close)


def _markdown(before: str, after: str, offset: int) -> Context | None:
    match = _MARKDOWN_LINK.search(before)
    if match is None:
        return None
    typed = match[2].removeprefix("<")
    if re.match(r"[a-z][a-z0-9+.-]+:", typed, re.IGNORECASE):
        return None
    rest = re.match(r"[^()\s<>]*(?=[)>])", after)
    end = offset + (len(rest[0]) if rest else 0)
    path, mark, anchor = typed.partition("#")
    if mark:
        return Context(Wanted.SLUG, anchor, Span(offset - len(anchor), end), path)
    return Context(Wanted.PATH, typed, Span(offset - len(typed), end), quoted=bool(match[1]))


def _frontmatter(note: Note, line: Span, before: str, after: str, offset: int) -> Context | None:
    match = _KEY_LINE.match(before)
    if match is None and not before.strip().startswith("-") and not before.startswith((" ", "\t")):
        tail = re.match(r"[\w-]*", after)
        end = offset + (len(tail[0]) if tail else 0)
        colon = "" if note.text[end : end + 1] == ":" else ": "
        return Context(Wanted.KEY, before, Span(offset - len(before), end), after=colon)
    key = match[1] if match else _key_above(note, line)
    value = match[2] if match else before
    if key == "type":
        typed = value.lstrip("\"'")
        return Context(Wanted.TYPE, typed, _value_span(typed, after, offset), before=_gap(before))
    wanted = Wanted.TAG if key == "tags" else Wanted.ENTRY if key in ENTRY_KEYS else None
    if wanted is None:
        return None
    found = _VALUE_START.search(value)
    typed = (found[2] or found[4] or "") if found else value
    # A name may hold spaces, so an entry is typed from its separator on; a tag never does.
    if wanted is Wanted.TAG and not value.lstrip().startswith("["):
        typed = typed.rsplit(" ", 1)[-1]
    return Context(
        wanted, typed, _value_span(typed, after, offset), before=_gap(before), quoted=bool(found and found[1])
    )


def _gap(before: str) -> str:
    return " " if before.endswith(":") else ""


def _value_span(typed: str, after: str, offset: int) -> Span:
    tail = re.match(r"""[^,\]"'\s]*""", after)
    return Span(offset - len(typed), offset + (len(tail[0]) if tail else 0))


def _key_above(note: Note, line: Span) -> str:
    number = note.lines.line_of(line.start)
    while number > 0:
        number -= 1
        match = _KEY_LINE.match(note.lines.line_span(number).of(note.text))
        if match:
            return match[1]
    return ""
