"""The structure of a note's body: links, headings, block ids, tags.

The markdown itself is read by pyromark (pulldown-cmark), so that code, comments and escapes are what CommonMark says
they are. This module only turns its events into our own types, with spans in the original text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyromark
from pyromark import Options

from memory_lsp.core.html_blocks import visible_html
from memory_lsp.core.links import Link, Tag, markdown_link, raw_destination, wiki_link
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyromark.event import Range

_OPTIONS = (
    Options.ENABLE_WIKILINKS
    | Options.ENABLE_TABLES
    | Options.ENABLE_TASKLISTS
    | Options.ENABLE_STRIKETHROUGH
    | Options.ENABLE_FOOTNOTES
)
_BLOCK_ID = re.compile(r"\^([A-Za-z0-9_-]+)[ \t]*(?=[\r\n]|\Z)")
_TAG = re.compile(r"(?<![^\s(\[,;])#([^\W_][\w/-]*|_+[^\W_][\w/-]*)")
_COLOUR = re.compile(r"(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})\Z", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z0-9_ -]*")
_ATX = re.compile(r"#{1,6}[ \t]*")
_ATX_CLOSE = re.compile(r"(?<=[ \t])#+[ \t]*\Z")


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
    text = text.strip().lower()
    if _PLAIN.fullmatch(text):
        return text.replace(" ", "-")
    return "".join(
        c if c.isalnum() or c in "-_" or unicodedata.category(c)[0] == "M" else "-" if c.isspace() else "" for c in text
    )


def read_body(text: str, start: int = 0, *, inline_tags: bool = False) -> Body:
    """Read `text`, which holds no lone surrogates, from offset `start` on; never raises."""
    scanner = _Scanner(text, text[start:], start, inline_tags)
    scanner.scan()
    return scanner.body


@dataclass(slots=True)
class _OpenLink:
    """A link or picture whose end is still to come; `content_end` is where what its text holds ends so far."""

    detail: Mapping[str, object]
    start: int
    end: int
    is_image: bool
    content_end: int


class _Scanner:
    """Walks the parser's events once; what is open at the moment is its state. Places are bytes until they are kept."""

    def __init__(self, text: str, source: str, start: int, inline_tags: bool) -> None:
        self.text = text
        self.source = source
        self.start = start
        self.inline_tags = inline_tags
        self.body = Body()
        self._offset = _offsets(source, start)
        self._slugs: dict[str, int] = {}
        self._definitions: dict[str, Span] | None = None
        self._pieces: list[str] | None = None  # the texts of the open heading
        self._links: list[_OpenLink] = []

    def scan(self) -> None:
        """Read the whole source into `body`."""
        pieces: list[str] | None = None
        is_code = False
        # The parser's events are loose dicts and strings; they go no further than this loop and the `_on` methods.
        event: Any
        for event, place in pyromark.events_with_range(self.source, options=_OPTIONS, merge_text=True):
            if event.__class__ is str:
                if pieces is not None and event in ("SoftBreak", "HardBreak"):
                    pieces.append(" ")
                continue
            ((kind, value),) = event.items()
            if kind == "Text":
                if is_code:
                    continue
                if pieces is not None:
                    pieces.append(value)
                if self._links:
                    self._links[-1].content_end = place["end"]
                elif pieces is None and ("^" in value or (self.inline_tags and "#" in value)):
                    self._read_text(self._offset(place["start"]), self._offset(place["end"]))
            elif kind == "Start":
                if value == "HtmlBlock":
                    self._read_html(place)
                elif value.__class__ is not str:
                    is_code = "CodeBlock" in value
                    pieces = self._on_start(value, place, pieces)
            elif kind == "End":
                if value == "CodeBlock":
                    is_code = False
                elif value in ("Link", "Image"):
                    self._on_link_end()
                elif pieces is not None and value.__class__ is not str and "Heading" in value:
                    self._read_heading("".join(pieces), value["Heading"], place)
                    pieces = None
            elif kind in ("Code", "InlineHtml"):
                if pieces is not None and kind == "Code":
                    pieces.append(value)
                if self._links:
                    self._links[-1].content_end = place["end"]
        self.body.links.sort(key=_start_of)

    def _on_start(self, value: Mapping[str, Any], place: Range, pieces: list[str] | None) -> list[str] | None:
        """Take the start of a link or heading; return the list that collects the open heading's text."""
        ((tag, detail),) = value.items()
        if tag in ("Link", "Image"):
            self._links.append(_OpenLink(detail, place["start"], place["end"], tag == "Image", place["start"] + 1))
        elif tag == "Heading":
            return []
        return pieces

    def _on_link_end(self) -> None:
        link = self._links.pop()
        if self._links:
            self._links[-1].content_end = link.end
        found = self._link(link)
        if found:
            self.body.links.append(found)

    def _link(self, link: _OpenLink) -> Link | None:
        kind, destination = link.detail["link_type"], str(link.detail["dest_url"])
        start, end = self._offset(link.start), self._offset(link.end)
        # The parser misplaces a picture in the label of some wikilinks; such a span must not reach an edit.
        if not self.text.startswith(("[", "!["), start):
            return None
        if isinstance(kind, dict):
            return wiki_link(self.text, start, end, link.is_image)
        if kind == "Inline":
            place = self._destination(self._offset(link.content_end), end)
        elif kind in ("Reference", "Collapsed", "Shortcut"):
            place = self._definition(str(link.detail["id"]))
        else:
            return None
        if kind == "Collapsed" and self.text.startswith("[]", end):
            end += 2
        return markdown_link(self.text, Span(start, end), place, destination, link.is_image)

    def _read_heading(self, text: str, level: str, place: Range) -> None:
        start, end = self._offset(place["start"]), self._offset(place["end"])
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        text = text.strip()
        slug = self._unique(slugify(text))
        span, inner = Span(start, end), self._heading_text_span(start, end)
        self.body.headings.append(Heading(text, int(level[1]), slug, span, inner))

    def _unique(self, slug: str) -> str:
        """Return the slug with a number where it is taken, as renderers count them."""
        taken, unique = self._slugs, slug
        while unique in taken:
            taken[slug] += 1
            unique = f"{slug}-{taken[slug]}"
        taken[unique] = 0
        return unique

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

    def _read_text(self, start: int, end: int) -> None:
        # An id ends its line, so only the last caret of the line can start one.
        caret = self.text.rfind("^", start, end)
        if caret >= 0 and (caret == self.start or self.text[caret - 1].isspace()):
            match = _BLOCK_ID.match(self.text, caret)
            if match:
                self.body.blocks.append(Block(match[1], Span(caret, match.end(1))))
        if self.inline_tags:
            for match in _TAG.finditer(self.text, start, end):
                name = match[1].rstrip("/-")
                colour = _COLOUR.match(name) and any(c.isdigit() for c in name)
                if not colour and any(c.isalpha() for c in name):
                    self.body.tags.append(Tag(name, Span(match.start(), match.start() + 1 + len(name))))

    def _destination(self, text_end: int, end: int) -> Span | None:
        """Find the raw destination of `[text](destination "title")` in the source."""
        at = self.text.find("](", text_end, end)
        return raw_destination(self.text, at + 2, end - 1) if at >= 0 else None

    def _definition(self, label: str) -> Span | None:
        """Find the raw destination of a reference: it stands where the label is defined."""
        if self._definitions is None:
            self._definitions = {}
            for name, definition in pyromark.reference_definitions(self.source, options=_OPTIONS).items():
                start, end = self._offset(definition["span"]["start"]), self._offset(definition["span"]["end"])
                at = self.text.find("]:", start, end)
                while at > 0 and self.text[at - 1] == "\\":
                    at = self.text.find("]:", at + 2, end)
                if at >= 0:
                    self._definitions[_label(name)] = raw_destination(self.text, at + 2, end)
        return self._definitions.get(_label(label))

    def _read_html(self, place: Range) -> None:
        start, end = self._offset(place["start"]), self._offset(place["end"])
        if self.text.find("[[", start, end) >= 0 or self.text.find("](", start, end) >= 0:
            inner = _Scanner(self.text, visible_html(self.text[start:end]), start, False)
            inner.scan()
            self.body.links += inner.body.links


def _start_of(link: Link) -> int:
    return link.span.start


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def _offsets(source: str, base: int) -> Callable[[int], int]:
    """Return a function from byte offsets in `source` to code-point offsets in the whole text."""
    if source.isascii():
        return base.__add__
    raw = np.frombuffer(source.encode("utf-8", "replace"), dtype=np.uint8)
    # A byte lies in the character whose number is that of the characters that start at or before it, less one.
    table = np.append(np.cumsum((raw & 0xC0) != 0x80, dtype=np.int64) - 1, len(source)) + base
    return table.item
