"""A note: what one markdown file says, read once and never changed."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from memory_lsp.core.frontmatter import Field, Frontmatter, Problem, split_frontmatter
from memory_lsp.core.links import Link, Tag, wiki_link
from memory_lsp.core.markdown import Block, Heading, read_body
from memory_lsp.core.text import LineIndex, Span
from memory_lsp.core.yaml_values import Item

TYPES: tuple[str, ...] = ("user", "feedback", "project", "reference")
"""The types of the typed layout, in the order of every tie."""

INDEX_NAME = "MEMORY.md"
UNTYPED = "note"

_WIKILINK = re.compile(r"!?\[\[[^\[\]\r\n]*\]\]")
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
    def title_span(self) -> Span | None:
        """Return where the note's title stands: its first heading's text."""
        return self.headings[0].text_span if self.headings else None


def stem_of(path: str) -> str:
    """Return the last component of a path without a markdown extension; other dots belong to the name."""
    name = path.rsplit("/", 1)[-1]
    return name[:-3] if name.lower().endswith(".md") else name


def parse(path: str, text: str, *, inline_tags: bool = False) -> Note:
    """Read a note; never fails, and what is wrong with it is in `problems`."""
    clean = _SURROGATE.sub("\ufffd", text)
    frontmatter, body_start, problems = split_frontmatter(clean)
    body = read_body(clean, body_start, inline_tags=inline_tags)
    if frontmatter:
        problems = (*frontmatter.problems, *problems)
    name_field, type_field = _field(frontmatter, "name"), _field(frontmatter, "type")
    declared_type = type_field.text.strip() if type_field else ""
    name = name_field.text.strip() if name_field else ""
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
    first = PurePosixPath(path).parts[0] if "/" in path else ""
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
    raw = field.value_span.of(text)
    wikilinks = list(_WIKILINK.finditer(raw))
    if wikilinks:
        # `[[a]], [[b]]` is no YAML list and `[[a]]` is a list in a list: the links themselves say what is meant.
        base = field.value_span.start
        found = [
            (entry_target(match[0].lstrip("!")), Span(base + match.start(), base + match.end())) for match in wikilinks
        ]
        rest = [item for item in field.items if not any(_touches(item.span, span) for _, span in found)]
        pairs = [*found, *((entry_target(item.value), item.span) for item in rest)]
    else:
        pairs = [(entry_target(item.value), item.span) for item in _items(frontmatter, key)]
    return [Entry(key, target, span) for target, span in sorted(pairs, key=lambda pair: pair[1]) if target]


def _touches(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _frontmatter_links(text: str, frontmatter: Frontmatter | None) -> list[Link]:
    links = []
    for field in frontmatter.fields if frontmatter else ():
        if field.key in _LINKLESS_KEYS:
            continue
        for match in _WIKILINK.finditer(text, field.value_span.start, field.value_span.end):
            link = wiki_link(text, match.start(), match.end(), match[0].startswith("!"), in_frontmatter=True)
            if link:
                links.append(link)
    return links
