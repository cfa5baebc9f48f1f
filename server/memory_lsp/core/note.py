"""A note: what one markdown file says, read once and never changed."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.frontmatter import Field, Frontmatter, Problem, split_frontmatter
from memory_lsp.core.links import Link, Tag, markdown_link, wiki_link
from memory_lsp.core.markdown import Block, Heading, read_body
from memory_lsp.core.text import LineIndex, Span
from memory_lsp.core.yaml_values import Item

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.comments import Comment

TYPES: tuple[str, ...] = ("user", "feedback", "project", "reference")
"""The types of the typed layout, in the order of every tie."""

INDEX_NAME = "MEMORY.md"
UNTYPED = "note"

# A line of comment, which is nothing, or a link.
_WIKILINK = re.compile(r"(?<=[\r\n])[ \t]*#[^\r\n]*|(!?\[\[[^\[\]\r\n]*\]\])")
_MARKDOWN_LINK = re.compile(r"\[[^\[\]\r\n]*\]\(<?([^\s()<>]+\.md(?:#[^\s()<>]*)?)>?\)", re.IGNORECASE)
# Lone surrogates reach us through JSON; nothing that encodes text can take them.
_SURROGATE = re.compile("[\ud800-\udfff]")
_ENTRY_KEYS = ("supersedes", "superseded_by", "contradicts")
_LINKLESS_KEYS = frozenset((*_ENTRY_KEYS, "aliases", "tags", "name", "type"))
_BARE_LIST = re.compile(r"[^\s,]+(?:\s*,\s*[^\s,]+)+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A note named in `supersedes`, `superseded_by` or `contradicts`: the name to resolve, and its span."""

    key: str
    target: str
    span: Span


@dataclass(frozen=True, slots=True)
class Source:
    """What a source file is read as: its language, and those of its comments that say something to us."""

    language: str
    comments: tuple[Comment, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """One file as read. Offsets are positions in `text`; `path` is relative to the directory, with slashes."""

    path: str
    text: str
    lines: LineIndex
    name: str
    name_span: Span | None
    type: str
    type_span: Span | None
    declared_type: str
    description: str
    tags: tuple[Tag, ...]
    aliases: tuple[Item, ...]
    entries: tuple[Entry, ...]
    created: str
    updated: str
    session: str
    frontmatter: Frontmatter | None
    body_start: int
    content: str
    headings: tuple[Heading, ...]
    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    problems: tuple[Problem, ...]
    hash: str
    source: Source | None = None  # of a file that is no note, but links to notes; see core/sources.py

    @property
    def stem(self) -> str:
        """Return the file's name without `.md`."""
        return stem_of(self.path)

    @property
    def base_id(self) -> str:
        """Return `type/name`, the id that the note bears unless another has it already."""
        return f"{self.type}/{self.name}"

    @property
    def is_index(self) -> bool:
        """Tell whether this is the directory's index, whose links count but which is no note."""
        return self.path == INDEX_NAME

    @property
    def is_node(self) -> bool:
        """Tell whether the graph has it: neither the index nor a source file."""
        return self.source is None and not self.is_index

    @property
    def title_span(self) -> Span | None:
        """Return where the note's title stands: its first heading's text."""
        return self.headings[0].text_span if self.headings else None


def title_of(note: Note) -> Span:
    """Return the place to show for a note as a whole: its first heading, else its first line."""
    return note.title_span or note.lines.line_span(0)


def stem_of(path: str) -> str:
    """Return the last component of a path without a markdown extension; other dots belong to the name."""
    name = path.rsplit("/", 1)[-1]
    return name[:-3] if name.lower().endswith(".md") else name


def without_surrogates(text: str) -> str:
    """Return a text that can be encoded, of the same length."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def parse(path: str, text: str, *, inline_tags: bool = False) -> Note:
    """Read a note; never fails, and what is wrong with it is in `problems`."""
    clean = without_surrogates(text)
    frontmatter, body_start, problems = split_frontmatter(clean)
    body = read_body(clean, body_start, inline_tags=inline_tags)
    if frontmatter:
        problems = (*frontmatter.problems, *problems)
    name_field, type_field = _field(frontmatter, "name"), _field(frontmatter, "type")
    declared_type = type_field.text.strip() if type_field else ""
    # A name is one line wherever it is shown; only an escape or a block value can hold another.
    name = " ".join(name_field.text.splitlines()).strip() if name_field else ""
    if name_field and not name:
        span = name_field.key_span
        problems = (*problems, Problem("empty-name", span, "The name is empty, so the file's name is used."))
    name = name or stem_of(path)
    description = _text(frontmatter, "description")
    content = clean[(frontmatter.span.end if frontmatter else body_start) :].strip()
    links = (*_frontmatter_links(clean, frontmatter), *body.links)
    return Note(
        path=path, text=clean, lines=LineIndex(clean), name=name, name_span=_span(name_field),
        type=folder_type(path) or declared_type or UNTYPED, type_span=_span(type_field), declared_type=declared_type,
        description=description, tags=_tags(frontmatter, body.tags), aliases=_items(frontmatter, "aliases"),
        entries=tuple(entry for key in _ENTRY_KEYS for entry in _entries(clean, frontmatter, key)),
        created=_text(frontmatter, "created"), updated=_text(frontmatter, "updated"),
        session=_text(frontmatter, "originSessionId"), frontmatter=frontmatter, body_start=body_start, content=content,
        headings=tuple(body.headings), blocks=tuple(body.blocks), links=links, problems=problems,
        hash=content_hash(name, description, content),
    )  # fmt: skip


def content_hash(name: str, description: str, content: str) -> str:
    """Return the key of a note's vector: sha256 of name, description and content, a line feed between them."""
    return hashlib.sha256(f"{name}\n{description}\n{content}".encode()).hexdigest()


def folder_type(path: str) -> str:
    """Return the type that a note's folder gives it, "" where the folder is none of the typed layout."""
    first = path.split("/", 1)[0] if "/" in path else ""
    return first if first in TYPES else ""


def type_rank(kind: str) -> tuple[int, str]:
    """Return the sort key of a type: the four of the layout in their order, then others by name."""
    return (TYPES.index(kind), "") if kind in TYPES else (len(TYPES), kind)


def entry_target(text: str) -> str:
    """Return the name in an entry: `x`, `x.md`, `[[x]]` and `[[x|label]]` all say `x`."""
    text = text.strip()
    if text.startswith("[[") and text.endswith("]]"):
        text = text[2:-2]
    return text.split("|", 1)[0].rstrip("\\").strip()


def _field(frontmatter: Frontmatter | None, key: str) -> Field | None:
    return frontmatter.get(key) if frontmatter else None


def _text(frontmatter: Frontmatter | None, key: str) -> str:
    field = _field(frontmatter, key)
    return field.text.strip() if field else ""


def _span(field: Field | None) -> Span | None:
    if not field:
        return None
    return field.items[0].span if field.items else field.value_span


def _items(frontmatter: Frontmatter | None, key: str) -> tuple[Item, ...]:
    """Return a list's values; a plain `a, b` is two values where no part holds a space, since names may hold commas."""
    field = _field(frontmatter, key)
    if not field:
        return ()
    if field.is_list or len(field.items) != 1 or not _BARE_LIST.fullmatch(field.items[0].value):
        return field.items
    return _split(field.items[0])


def _split(item: Item) -> tuple[Item, ...]:
    parts, at = [], item.span.start
    for piece in item.value.split(","):
        lead = len(piece) - len(piece.lstrip())
        stripped = piece.strip()
        if stripped:
            parts.append(Item(stripped, Span(at + lead, at + lead + len(stripped))))
        at += len(piece) + 1
    return tuple(parts)


def _tags(frontmatter: Frontmatter | None, inline: list[Tag]) -> tuple[Tag, ...]:
    field = _field(frontmatter, "tags")
    items = field.items if field else ()
    if field and not field.is_list and len(items) == 1:
        items = _split(items[0])
    tags = [_tag(item) for item in items]
    return tuple(tag for tag in (*tags, *inline) if tag.name)


def _tag(item: Item) -> Tag:
    name = item.value.strip().lstrip("#").strip()
    return Tag(name, item.span)


def _entries(text: str, frontmatter: Frontmatter | None, key: str) -> list[Entry]:
    field = _field(frontmatter, key)
    if not field:
        return []
    # `[[a]], [[b]]` is no YAML list and `[[a]]` is a list in a list: the links themselves say what is meant.
    links = _wikilinks(text, field)
    pairs = [(entry_target(span.of(text).lstrip("!")), span) for span in links]
    items = field.items if links else _items(frontmatter, key)
    ends = [span.end for span in links]
    for item in items:
        following = bisect_right(ends, item.span.start)
        if following == len(links) or item.span.end <= links[following].start:
            pairs.append((entry_target(item.value), item.span))
    return [Entry(key, target, span) for target, span in sorted(pairs, key=lambda pair: pair[1]) if target]


def _wikilinks(text: str, field: Field) -> list[Span]:
    """Return where `[[...]]` stands in a value of the frontmatter, comments left out."""
    start, end = field.value_span.start, field.value_span.end
    if text.find("[[", start, end) < 0:
        return []
    return [Span(*match.span(1)) for match in _WIKILINK.finditer(text, start, end) if match[1]]


def _frontmatter_links(text: str, frontmatter: Frontmatter | None) -> list[Link]:
    if frontmatter is None:
        return []
    links: list[Link | None] = []
    for field in _linked_fields(frontmatter.fields):
        for span in _wikilinks(text, field):
            links.append(wiki_link(text, span.start, span.end, text.startswith("!", span.start), in_frontmatter=True))
        if text.find("](", field.value_span.start, field.value_span.end) >= 0:
            # Brackets are common in prose, so only paths of notes count here.
            for match in _MARKDOWN_LINK.finditer(text, field.value_span.start, field.value_span.end):
                place, whole = Span(*match.span(1)), Span(*match.span())
                links.append(markdown_link(text, whole, place, match[1], False, in_frontmatter=True))
    return sorted((link for link in links if link), key=lambda link: link.span)


def _linked_fields(fields: tuple[Field, ...]) -> Iterator[Field]:
    """Yield the fields whose values may hold links, those of nested mappings instead of the mapping."""
    for field in fields:
        if field.children:
            yield from _linked_fields(field.children)
        elif field.key not in _LINKLESS_KEYS:
            yield field
