"""The structure of a note's body: links, headings, block ids, tags.

The markdown itself is read by pyromark (pulldown-cmark), so that code, comments and escapes are what CommonMark says
they are. This module only turns its events into our own types, with spans in the original text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyromark
from pyromark import Options

from memory_lsp.core.links import Link, Tag, markdown_link, wiki_link
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_OPTIONS = (
    Options.ENABLE_WIKILINKS
    | Options.ENABLE_TABLES
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_FOOTNOTES
)
_BLOCK_ID = re.compile(r"(?:^|(?<=[ \t\n\r]))\^([A-Za-z0-9_-]+)[ \t]*(?=[\r\n]|\Z)")
_TAG = re.compile(r"(?<![^\s(\[,;])#([^\W_][\w/-]*|_+[^\W_][\w/-]*)")
_COLOUR = re.compile(r"(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\Z", re.IGNORECASE)
_HTML_OPAQUE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|pre|textarea)\b.*?(?:</\1\s*>|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL
)
_CLOSING = frozenset(("Link", "Image", "CodeBlock", "HtmlBlock"))
_ATX = re.compile(r"#{1,6}[ \t]*")
_ATX_CLOSE = re.compile(r"(?<=[ \t])#+[ \t]*\Z")
_DEFINITION = re.compile(r"[ \t]{0,3}(?:>[ \t]?)*\[([^\]\r\n]+)\]:[ \t]*(?:\r\n|\n|\r)?[ \t]*(<[^<>\r\n]*>|\S+)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its rendered text, its level, the whole line, and the raw text inside it."""

    text: str
    level: int
    slug: str
    span: Span
    text_span: Span


@dataclass(frozen=True, slots=True)
class Block:
    """A `^id` at the end of a paragraph or list item."""

    id: str
    span: Span  # the id with its caret


@dataclass(slots=True)
class Body:
    """What one pass over a body found, in order of appearance."""

    headings: list[Heading] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)


def slugify(text: str) -> str:
    """Return the anchor that renderers make of a heading: lower case, punctuation dropped, spaces as dashes."""
    kept = (c if c.isalnum() or c in "-_" else "-" if c.isspace() else "" for c in text.strip().lower())
    return "".join(kept)


def read_body(text: str, start: int = 0, *, inline_tags: bool = False) -> Body:
    """Read `text` from offset `start` on; never raises."""
    return _Scanner(text, start, inline_tags, Body()).scan(text[start:])


@dataclass(frozen=True, slots=True)
class _OpenLink:
    detail: Mapping[str, object]
    span: Span
    is_image: bool


class _Scanner:
    """Walks the parser's events once; what is open at the moment is its state."""

    def __init__(self, text: str, start: int, inline_tags: bool, body: Body) -> None:
        self.text = text
        self.start = start
        self.inline_tags = inline_tags
        self.body = body
        self._slugs: dict[str, int] = {}
        self._definitions: dict[str, Span] | None = None
        self._heading: tuple[Span, int] | None = None
        self._pieces: list[str] = []
        self._links: list[_OpenLink] = []
        self._content_end: list[int] = []  # for each open link, where what its text holds ends so far
        self._opaque = 0  # how many code or HTML blocks are open

    def scan(self, source: str) -> Body:
        to_offset = _offsets(source, self.start)
        # The parser's events are loose dicts and strings; they go no further than this loop and the `_on` methods.
        event: Any
        for event, place in pyromark.events_with_range(source, options=_OPTIONS):
            if isinstance(event, str):
                if self._heading and event in ("SoftBreak", "HardBreak"):
                    self._pieces.append(" ")
                continue
            ((kind, value),) = event.items()
            if kind == "End":
                if not isinstance(value, str) or value in _CLOSING:
                    self._on_end(value)
                continue
            if kind == "Start" and isinstance(value, str) and value != "HtmlBlock":
                continue
            span = Span(to_offset(place["start"]), to_offset(place["end"]))
            if kind == "Text":
                self._on_text(value, span)
            elif kind == "Start":
                self._on_start(value, span)
            elif kind in ("Code", "InlineHtml"):
                self._on_code(kind, value, span)
            elif kind == "Html":
                self._read_html(span)
        return self.body

    def _on_text(self, value: str, span: Span) -> None:
        if self._opaque:
            return
        if self._heading:
            self._pieces.append(value)
        elif not self._links:
            self._read_text(span)
        self._extend(span.end)

    def _on_code(self, kind: str, value: str, span: Span) -> None:
        if self._heading and kind == "Code":
            self._pieces.append(value)
        self._extend(span.end)

    def _on_start(self, value: str | Mapping[str, Mapping[str, object]], span: Span) -> None:
        if value == "HtmlBlock":
            self._opaque += 1
        if isinstance(value, str):
            return
        ((tag, detail),) = value.items()
        if tag in ("Link", "Image"):
            self._links.append(_OpenLink(detail, span, tag == "Image"))
            self._content_end.append(span.start + 1)
        elif tag == "Heading":
            self._heading, self._pieces = (span, int(str(detail["level"])[1])), []
        elif tag == "CodeBlock":
            self._opaque += 1

    def _on_end(self, value: str | Mapping[str, object]) -> None:
        if value in ("CodeBlock", "HtmlBlock"):
            self._opaque -= 1
        elif value in ("Link", "Image"):
            link = self._links.pop()
            self._read_link(link, self._content_end.pop())
            self._extend(link.span.end)
        elif self._heading and not isinstance(value, str) and "Heading" in value:
            self._read_heading(*self._heading)
            self._heading = None

    def _extend(self, end: int) -> None:
        if self._content_end:
            self._content_end[-1] = end

    def _read_heading(self, span: Span, level: int) -> None:
        text = "".join(self._pieces).strip()
        end = span.end
        while end > span.start and self.text[end - 1] in "\r\n":
            end -= 1
        slug = slugify(text)
        seen = self._slugs.get(slug, 0)
        self._slugs[slug] = seen + 1
        unique = f"{slug}-{seen}" if seen else slug
        inner = self._heading_text_span(span.start, end)
        self.body.headings.append(Heading(text, level, unique, Span(span.start, end), inner))

    def _heading_text_span(self, start: int, end: int) -> Span:
        match = _ATX.match(self.text, start, end)
        if match:
            closing = _ATX_CLOSE.search(self.text, match.end(), end)
            at, to = match.end(), closing.start() if closing else end
        else:
            # A setext heading: all but its underline.
            at, to = start, max(self.text.rfind("\n", start, end), self.text.rfind("\r", start, end), start)
        while to > at and self.text[to - 1] in " \t\r\n":
            to -= 1
        return Span(at, max(at, to))

    def _read_text(self, span: Span) -> None:
        start, end, text = span.start, span.end, span.of(self.text)
        if "^" in text:
            # An id ends its line, and the parser may split the text before the line ends.
            for match in _BLOCK_ID.finditer(self.text, start, end):
                follows = self.text[match.end() : match.end() + 1]
                if follows in ("", "\n", "\r") and self._starts_word(match.start()):
                    self.body.blocks.append(Block(match[1], Span(match.start(), match.end(1))))
        if self.inline_tags and "#" in text:
            for match in _TAG.finditer(self.text, start, end):
                name = match[1].rstrip("/-")
                colour = _COLOUR.match(name) and any(c.isdigit() for c in name)
                if not colour and not name.isdigit() and any(c.isalpha() for c in name):
                    self.body.tags.append(Tag(name, Span(match.start(), match.start() + 1 + len(name))))

    def _starts_word(self, at: int) -> bool:
        return at == 0 or self.text[at - 1].isspace()

    def _read_link(self, link: _OpenLink, content_end: int) -> None:
        kind, destination, span = link.detail["link_type"], str(link.detail["dest_url"]), link.span
        found: Link | None = None
        if isinstance(kind, dict):
            found = wiki_link(self.text, span.start, span.end, link.is_image)
        elif kind == "Inline":
            place = self._destination(content_end, span.end)
            found = markdown_link(self.text, span, place, destination, link.is_image)
        elif kind in ("Reference", "Collapsed", "Shortcut"):
            found = markdown_link(self.text, span, self._definition(str(link.detail["id"])), destination, link.is_image)
        if found:
            self.body.links.append(found)

    def _destination(self, text_end: int, end: int) -> Span | None:
        """Find the raw destination of `[text](destination "title")` in the source."""
        at = self.text.find("](", text_end, end)
        if at < 0:
            return None
        at += 2
        while at < end and self.text[at] in " \t\r\n":
            at += 1
        return _raw_destination(self.text, at, end - 1)

    def _definition(self, label: str) -> Span | None:
        if self._definitions is None:
            self._definitions = {}
            for line in re.finditer(r"(?m)^", self.text[self.start :]):
                match = _DEFINITION.match(self.text, self.start + line.start())
                if match:
                    place = Span(match.start(2), match.end(2))
                    if match[2].startswith("<") and match[2].endswith(">"):
                        place = Span(place.start + 1, place.end - 1)
                    self._definitions.setdefault(_label(match[1]), place)
        return self._definitions.get(_label(label))

    def _read_html(self, span: Span) -> None:
        """Read the links between the tags of an HTML block: only comments and code keep links from counting."""
        source = span.of(self.text)
        if "[[" not in source:
            return
        # Tags, comments and leading white space become letters, so that the rest keeps its place and is plain text.
        hidden = _HTML_OPAQUE.sub(lambda match: re.sub(r"[^\r\n]", "x", match[0]), source)
        hidden = re.sub(r"(?m)^[ \t]+", lambda match: "x" * len(match[0]), hidden)
        _Scanner(self.text, span.start, False, self.body).scan(hidden)


def _raw_destination(text: str, at: int, limit: int) -> Span:
    if text.startswith("<", at):
        close = at + 1
        while close < limit and text[close] != ">":
            close += 2 if text[close] == "\\" else 1
        return Span(at + 1, min(close, limit))
    end, depth = at, 0
    while end < limit:
        character = text[end]
        if character == "\\":
            end += 1
        elif character == "(":
            depth += 1
        elif character == ")":
            if depth == 0:
                break
            depth -= 1
        elif character in " \t\r\n":
            break
        end += 1
    return Span(at, min(end, limit))


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _offsets(source: str, base: int) -> Callable[[int], int]:
    """Return a function from byte offsets in `source` to code-point offsets in the whole text."""
    if source.isascii():
        return base.__add__
    raw = np.frombuffer(source.encode("utf-8", "replace"), dtype=np.uint8)
    starts = np.concatenate([np.cumsum((raw & 0xC0) != 0x80), [len(source)]])
    table = starts.tolist()
    # The character that holds byte `at` is the number of characters that start at or before it, less one; a byte at a
    # character's start is that character's own offset, and the end of the text is its length.
    return lambda at: base + (table[at] - 1 if at < len(raw) else len(source))
