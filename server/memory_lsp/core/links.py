"""What a link says: its target, its anchor, its label, and where each of them stands."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from memory_lsp.core.text import Span

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


class LinkForm(StrEnum):
    """How a link is written."""

    WIKI = "wiki"  # [[target#anchor|label]]
    MARKDOWN = "markdown"  # [label](target#anchor)


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

    A bracket or a line end inside makes it no link: names of files cannot hold them in any of the tools that write
    wikilinks, while arrays such as `[[1, 2], [3, 4]]` do.
    """
    span = Span(start + 1 if embed and text.startswith("!", start) else start, end)
    inner = Span(span.start + 2, span.end - 2)
    raw = inner.of(text)
    if any(c in raw for c in "[]\r\n"):
        return None
    pipe = raw.find("|")
    label_span = Span(inner.start + pipe + 1, inner.end) if pipe >= 0 else None
    # In a table the pipe is escaped; the backslash belongs to the escape, not to the name.
    body_end = inner.end if pipe < 0 else inner.start + len(raw[:pipe].rstrip("\\"))
    body = _trim(text, Span(inner.start, body_end))
    mark = text.find("#", body.start, body.end)
    target_span = _trim(text, Span(body.start, mark if mark >= 0 else body.end))
    anchor_span = _trim(text, Span(mark + 1, body.end)) if mark >= 0 else None
    if body.start == body.end:
        return None
    return Link(
        LinkForm.WIKI, target_span.of(text), anchor_span.of(text) if anchor_span else None,
        label_span.of(text).strip() if label_span else None, embed, body.of(text),
        span, target_span, anchor_span, label_span, in_frontmatter,
    )  # fmt: skip


def markdown_link(text: str, span: Span, place: Span | None, destination: str, embed: bool) -> Link | None:
    """Return the link of a markdown link or picture, None where it leads to a URL or nowhere.

    `destination` is what the markdown parser made of it; `place` is where it stands in the source.
    """
    if place is None or not destination or is_url(destination):
        return None
    raw = place.of(text)
    mark, query = raw.find("#"), raw.find("?")
    path_end = min(at for at in (mark, query, len(raw)) if at >= 0)
    target_span = Span(place.start, place.start + path_end)
    anchor_span = Span(place.start + mark + 1, place.end) if mark >= 0 else None
    target = decode(target_span.of(text))
    anchor = decode(anchor_span.of(text)) if anchor_span else None
    if not target and not anchor:
        return None
    start = Span(span.start + 1, span.end) if embed and text.startswith("!", span.start) else span
    return Link(LinkForm.MARKDOWN, target, anchor, None, embed, target, start, target_span, anchor_span, None)


def is_url(destination: str) -> bool:
    """Tell whether a destination leads out of the directory: a scheme, or `//host`."""
    match = _SCHEME.match(destination)
    # `C:/notes/a.md` is a path: a scheme of one letter is a drive.
    return destination.startswith("//") or bool(match and len(match[0]) > 2)


def decode(raw: str) -> str:
    """Return a markdown destination as a path: escapes, character references and percent-encoding undone."""
    return unquote(html.unescape(_ESCAPE.sub(r"\1", raw)), errors="replace")


def _trim(text: str, span: Span) -> Span:
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(start, end)
