"""What a link says: its target, its anchor, its label, and where each of them stands."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from memory_lsp.core.text import Span

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{0,40});")


class LinkForm(StrEnum):
    """How a link is written."""

    WIKI = "wiki"  # [[target#anchor|label]]
    MARKDOWN = "markdown"  # [label](target#anchor)


_ANGLE = re.compile(r"<(?:\\.|[^<>\\\r\n])*")
_BARE = re.compile(r"(?:\\.|[^\s\\])*")
_PARENTHESIS = re.compile(r"\\.|[()]")


@dataclass(frozen=True, slots=True)
class Link:
    """A link as written. `target` is decoded and empty for a link into its own note."""

    form: LinkForm
    target: str
    anchor: str | None
    label: str | None
    embed: bool
    whole: str  # target and anchor as one text, since a note's name may hold a `#`
    span: Span  # [[...]] or [...](...), without an embed's `!`
    target_span: Span  # the raw target alone
    anchor_span: Span | None  # the raw anchor alone, without its `#`
    label_span: Span | None
    in_frontmatter: bool = False

    @property
    def report_span(self) -> Span:
        """Return what a finding about the link marks: all of a wikilink, the path of a markdown link."""
        if self.form is LinkForm.WIKI:
            return self.span
        return Span(self.target_span.start, (self.anchor_span or self.target_span).end)


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag as written, without its `#`, and its span."""

    name: str
    span: Span


def wiki_link(text: str, start: int, end: int, embed: bool, *, in_frontmatter: bool = False) -> Link | None:
    """Read `[[...]]` at `text[start:end]` (an embed's `!` included); None for one with nothing in it.

    A bracket in the target or a line end makes it no link: names of files cannot hold them in any of the tools that
    write wikilinks, while arrays such as `[[1, 2], [3, 4]]` do.
    """
    if embed and text.startswith("!", start):
        start += 1
    inner = start + 2
    raw = text[inner : end - 2]
    pipe = raw.find("|")
    # In a table the pipe is escaped; the backslash belongs to the escape, not to the name.
    body = raw if pipe < 0 else raw[:pipe].rstrip("\\")
    whole = body.strip()
    if not whole or "[" in body or "]" in body or "\n" in raw or "\r" in raw:
        return None
    begin = inner + body.index(whole)
    target, anchor, anchor_span = whole, None, None
    mark = whole.find("#")
    if mark >= 0:
        target, behind = whole[:mark].rstrip(), whole[mark + 1 :]
        anchor = behind.strip()
        if not target and not anchor:
            return None
        at = begin + mark + 1 + len(behind) - len(behind.lstrip())
        anchor_span = Span(at, at + len(anchor))
    label, label_span = (None, None) if pipe < 0 else (raw[pipe + 1 :].strip(), Span(inner + pipe + 1, end - 2))
    return Link(
        LinkForm.WIKI, target, anchor, label, embed, whole, Span(start, end), Span(begin, begin + len(target)),
        anchor_span, label_span, in_frontmatter,
    )  # fmt: skip


def markdown_link(
    text: str, span: Span, place: Span | None, destination: str, embed: bool, *, in_frontmatter: bool = False
) -> Link | None:
    """Return the link of a markdown link or picture, None where it leads to a URL or nowhere.

    `destination` is what the markdown parser made of it; `place` is where it stands in the source.
    """
    if place is None or not destination or is_url(destination):
        return None
    raw = text[place.start : place.end]
    mark, query = raw.find("#"), raw.find("?")
    path = raw if mark < 0 else raw[:mark]
    if 0 <= query < len(path):
        path = raw[:query]
    target, anchor, anchor_span = decode(path), None, None
    if mark >= 0:
        anchor, anchor_span = decode(raw[mark + 1 :]), Span(place.start + mark + 1, place.end)
    if not target and not anchor:
        return None
    start = Span(span.start + 1, span.end) if embed and text.startswith("!", span.start) else span
    return Link(
        LinkForm.MARKDOWN, target, anchor, None, embed, target, start, Span(place.start, place.start + len(path)),
        anchor_span, None, in_frontmatter,
    )  # fmt: skip


def is_url(destination: str) -> bool:
    """Tell whether a destination leads out of the directory: a scheme, or `//host`."""
    if ":" not in destination:
        return destination.startswith("//")
    match = _SCHEME.match(destination)
    # `C:/notes/a.md` is a path: a scheme of one letter is a drive.
    return destination.startswith("//") or bool(match and len(match[0]) > 2)


def decode(raw: str) -> str:
    """Return a markdown destination as a path: escapes, character references and percent-encoding undone."""
    if "\\" in raw or "&" in raw:
        raw = _ESCAPE.sub(lambda match: match[1] or html.unescape(match[0]), raw)
    return unquote(raw, errors="replace") if "%" in raw else raw


def raw_destination(text: str, at: int, limit: int) -> Span:
    """Return where the destination that starts at `at`, behind white space, stands; it ends at `limit` at the latest.

    Angle brackets around it are no part. Both forms of CommonMark's link destinations are read.
    """
    while at < limit and text[at] in " \t\r\n":
        at += 1
    angle = text.startswith("<", at)
    match = (_ANGLE if angle else _BARE).match(text, at, limit)
    end, depth = match.end() if match else at, 0
    if angle:
        return Span(at + 1, max(at + 1, end))
    if text.find("(", at, end) < 0 > text.find("\\", at, end):
        close = text.find(")", at, end)
        return Span(at, end if close < 0 else close)
    for parenthesis in _PARENTHESIS.finditer(text, at, end):
        if parenthesis[0] == "(":
            depth += 1
        elif parenthesis[0] == ")":
            depth -= 1
            if depth < 0:
                return Span(at, parenthesis.start())
    return Span(at, end)
