"""The places in a note where a name is written, and how another name is written there.

A site is the raw target of a link, a link's raw anchor, or a frontmatter entry. `written` keeps what the place needs:
percent-encoding, angle brackets, quotes, the backslash before a table's pipe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from memory_lsp.core.links import Link, LinkForm, decode, is_url
from memory_lsp.core.note import entry_target
from memory_lsp.core.quoting import inside_quotes, is_plain, quoted
from memory_lsp.core.respell import split_md
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.frontmatter import Field
    from memory_lsp.core.note import Entry, Note

_NEVER_IN_WIKI = re.compile(r"[\[\]|\r\n]")
_ENTITY = re.compile(r"&#?\w+;")
_ENCODED_SIGN = re.compile(r"%([2-7][0-9A-Fa-f])")
_ENCODED_LETTER = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")


@dataclass(frozen=True, slots=True)
class Site:
    """Where a name stands in a note: `raw` is what is written at `span`."""

    note: Note
    span: Span
    form: LinkForm | None  # None for a frontmatter entry
    encoded: bool = False  # whether a wikilink's target is percent-encoded
    is_angle: bool = False  # whether a markdown link's destination stands in angle brackets
    yaml_quote: str = ""  # the quotes around the frontmatter value that holds it
    is_wrapped: bool = True  # False for an entry that is a plain name, not `[[name]]`
    list_kind: str = ""  # of a plain entry: "flow" between brackets, "commas" in `a, b`

    @property
    def raw(self) -> str:
        """Return what is written now."""
        return self.span.of(self.note.text)

    def written(self, text: str) -> Iterator[str]:
        """Yield the ways to write a name here, the closest to what stands here first; none where it cannot be."""
        if self.form is LinkForm.MARKDOWN:
            yield self._markdown(text)
        elif self.form is LinkForm.WIKI or self.is_wrapped:
            yield from self._wiki(text)
        else:
            yield from self._plain(text)

    def _wiki(self, text: str) -> Iterator[str]:
        raw = _reuse(text, self.raw, wiki=True) if self.encoded else text
        if _NEVER_IN_WIKI.search(raw) or raw != raw.strip() or raw.endswith("\\") or not raw:
            return
        if self.yaml_quote and (self.yaml_quote in raw or (self.yaml_quote == '"' and "\\" in raw)):
            return
        yield raw

    def _plain(self, text: str) -> Iterator[str]:
        if not text or "\n" in text or "\r" in text:
            return
        if self.list_kind == "commas" and re.search(r"[\s,]", text):
            return  # `a, b` is read as two names only where neither holds a space
        if self.yaml_quote:
            yield inside_quotes(text, self.yaml_quote)
            return
        if is_plain(text, in_list=self.list_kind == "flow"):
            yield text
        if self.list_kind != "commas":
            yield quoted(text)
            if not _NEVER_IN_WIKI.search(text):
                yield quoted(f"[[{text}]]")

    def _markdown(self, text: str) -> str:
        raw = self.raw
        result = _reuse(text, raw, is_angle=self.is_angle)
        return result.replace(":", "%3A", 1) if is_url(result) else result


def target_site(note: Note, link: Link, *, whole: bool, encoded: bool) -> Site:
    """Return where a link names its note; `whole` where what follows a `#` belongs to the name."""
    span = Span(link.target_span.start, link.anchor_span.end) if whole and link.anchor_span else link.target_span
    yaml_quote = _yaml_quote(note, span) if link.in_frontmatter else ""
    return Site(note, span, link.form, encoded and link.form is LinkForm.WIKI, _is_angle(note, link), yaml_quote)


def anchor_site(note: Note, link: Link) -> Site | None:
    """Return where a link names a heading or block."""
    if link.anchor_span is None:
        return None
    yaml_quote = _yaml_quote(note, link.anchor_span) if link.in_frontmatter else ""
    return Site(note, link.anchor_span, link.form, False, _is_angle(note, link), yaml_quote)


def entry_site(note: Note, entry: Entry) -> Site:
    """Return where a frontmatter entry names its note."""
    raw, start = entry.span.of(note.text), entry.span.start
    yaml_quote = _yaml_quote(note, entry.span)
    wrapped = "[[" in raw
    body = raw[raw.index("[[") + 2 : raw.rindex("]]")] if wrapped and "]]" in raw else raw
    begin = start + (raw.index("[[") + 2 if body is not raw else 0)
    name = body.split("|", 1)[0].rstrip("\\") if "|" in body else body
    stripped = name.strip()
    begin += len(name) - len(name.lstrip())
    if stripped != entry.target or entry_target(raw.lstrip("!")) != entry.target:
        # Escapes in a quoted value: the text in the file is not the name, so the whole value is written anew.
        return Site(note, entry.span, None, yaml_quote=yaml_quote, is_wrapped=False, list_kind=_list_kind(note, entry))
    span = Span(begin, begin + len(stripped))
    is_wrapped = body is not raw
    return Site(note, span, None, yaml_quote=yaml_quote, is_wrapped=is_wrapped, list_kind=_list_kind(note, entry))


def value_site(note: Note, span: Span, *, in_list: bool = False) -> Site:
    """Return the place of a plain or quoted frontmatter value, such as that of `name:`."""
    list_kind = "flow" if in_list else ""
    return Site(note, span, None, yaml_quote=_yaml_quote(note, span), is_wrapped=False, list_kind=list_kind)


def fields_of(note: Note) -> Iterator[Field]:
    """Yield every frontmatter field, nested ones included."""
    todo = list(note.frontmatter.fields) if note.frontmatter else []
    while todo:
        field = todo.pop()
        yield field
        todo += field.children


def _is_angle(note: Note, link: Link) -> bool:
    return link.form is LinkForm.MARKDOWN and note.text[link.target_span.start - 1 : link.target_span.start] == "<"


def _yaml_quote(note: Note, span: Span) -> str:
    for field in fields_of(note):
        if not field.value_span.covers(span):
            continue
        for item in field.items:
            if item.span.covers(span):
                before = note.text[item.span.start - 1 : item.span.start]
                return before if before in ('"', "'") and note.text[item.span.end : item.span.end + 1] == before else ""
    return ""


def _list_kind(note: Note, entry: Entry) -> str:
    for field in fields_of(note):
        if field.value_span.covers(entry.span):
            if field.value_span.of(note.text).startswith("["):
                return "flow"
            is_part = not field.is_list and all(item.span != entry.span for item in field.items)
            return "commas" if is_part else ""
    return ""


def _reuse(text: str, raw: str, *, is_angle: bool = False, wiki: bool = False) -> str:
    """Return a path encoded as `raw` is: its parts that stay are taken as they are written, the others encoded."""
    decoded, written = decode(raw), raw
    old, parts = decoded.split("/"), written.split("/")
    known = dict(zip(old, parts, strict=True)) if len(old) == len(parts) else {}
    bare, extension = split_md(old[-1])
    if extension and parts[-1].lower().endswith(".md"):
        known.setdefault(bare, split_md(parts[-1])[0])
    letters = bool(_ENCODED_LETTER.search(raw))
    also = "".join(chr(int(code, 16)) for code in _ENCODED_SIGN.findall(raw))
    spaces = (not is_angle) or "%20" in raw
    result = []
    for part in text.split("/"):
        base, ending = split_md(part)
        if part in known:
            result.append(known[part])
        elif ending and base in known:
            result.append(known[base] + ending)
        else:
            result.append(
                _encoded(part, letters=letters, spaces=spaces, parentheses=not is_angle, wiki=wiki, also=also)
            )
    return "/".join(result)


def _encoded(part: str, *, letters: bool, spaces: bool, parentheses: bool, wiki: bool, also: str) -> str:
    unbalanced = parentheses and not _is_balanced(part)
    special = ("%#[]|" if wiki else "<>#?%\\|`") + also

    def encode(c: str) -> str:
        must = c in special or ord(c) < 0x20 or ord(c) == 0x7F or (letters and ord(c) > 0x7F)
        must = must or (spaces and c.isspace()) or (unbalanced and c in "()")
        return quote(c, safe="") if must else c

    result = "".join(map(encode, part))
    return result.replace("&", "%26") if _ENTITY.search(result) and not wiki else result


def _is_balanced(text: str) -> bool:
    depth = 0
    for c in text:
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return False
    return depth == 0
