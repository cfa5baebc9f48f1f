"""Source files: files of other languages whose comments link to notes.

To whatever follows links, such a file is a note with nothing but links, at its path relative to the directory. It is
laid over a snapshot for one question (`with_sources`) and is never part of the directory's own, so that the graph, the
index and every list of notes do without it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_lsp.core.comment_syntax import ALIASES
from memory_lsp.core.comments import find_comments
from memory_lsp.core.links import wiki_link
from memory_lsp.core.note import Note, Source, parse, without_surrogates
from memory_lsp.core.snapshot import Changes
from memory_lsp.core.text import LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory_lsp.core.comments import Comment
    from memory_lsp.core.links import Link
    from memory_lsp.core.snapshot import Snapshot

LARGEST = 500_000
"""The most characters of a text that is searched, for it is read again at each key; more are mostly generated."""

_ALLOWANCE = "memory-lsp:"
# What stands between backticks is code, as in a note.
_LINK = re.compile(r"`+[^`\r\n]*`+|\[\[([^\[\]\r\n]+)\]\]")
# Code that was made a comment: a test of a shell, an index, an array.
_CODE = re.compile(r"""\s|.*\s\Z|["'$]|-?\d[\d.]*(?:\s*,\s*-?\d[\d.]*)*\Z""")
_INDEXED = re.compile(r"[A-Za-z0-9_)\]]")
_ATTRIBUTE = re.compile(
    r"(?:assume|carries_dependency|deprecated|fallthrough|likely|maybe_unused|nodiscard|noreturn|no_unique_address"
    r"|unlikely)\b|\w+::"
)
_WITH_ATTRIBUTES = frozenset(("c", "cpp", "objective-c"))


def parse_source(path: str, text: str, language: str) -> Note:
    """Read the links in the comments of a source text; never fails. `path` is relative to the directory."""
    clean = without_surrogates(text)
    comments = tuple(_telling_comments(clean, language)) if len(clean) <= LARGEST else ()
    return Note(
        path=path, text=clean, lines=LineIndex(clean), name=path.rsplit("/", 1)[-1], name_span=None, type="",
        type_span=None, declared_type="", description="", tags=(), aliases=(), entries=(), created="", updated="",
        session="", frontmatter=None, body_start=0, content="", headings=(), blocks=(),
        links=tuple(link for comment in comments for link in _links(clean, comment, language)), problems=(), hash="",
        source=Source(language, comments),
    )  # fmt: skip


def reread(note: Note, text: str, *, path: str | None = None, inline_tags: bool = False) -> Note:
    """Read another text as what a note is, at another path where that is given."""
    path = note.path if path is None else path
    if note.source is not None:
        return parse_source(path, text, note.source.language)
    return parse(path, text, inline_tags=inline_tags)


def with_sources(snapshot: Snapshot, sources: Iterable[Note]) -> Snapshot:
    """Return a snapshot in which some source files link to notes, for references, renames and findings of their own."""
    return snapshot.updated(Changes({source.path: source for source in sources}))[0]


def comment_at(text: str, language: str, offset: int) -> Comment | None:
    """Return the comment that holds an offset; one of a line holds the line's end too."""
    if len(text) <= LARGEST:
        for comment in find_comments(text, language):
            if comment.inner.start > offset:
                break
            if offset in comment.inner:
                return comment
    return None


def _telling_comments(text: str, language: str) -> Iterator[Comment]:
    """Yield the comments with something for us; text behind the last such place is not read."""
    last = max(text.rfind("[["), text.rfind(_ALLOWANCE))
    if "[[" not in text:
        return
    for comment in find_comments(text, language):
        if comment.span.start > last:
            break
        start, end = comment.inner.start, comment.span.end
        if text.find("[[", start, end) >= 0 or text.find(_ALLOWANCE, start, end) >= 0:
            yield comment


def _links(text: str, comment: Comment, language: str) -> Iterator[Link]:
    # To the end of the closing mark: Lua's `]]` closes a comment and the link at its end.
    for match in _LINK.finditer(text, comment.inner.start, comment.span.end):
        if match[1] is None or _is_code(text, match, language):
            continue
        link = wiki_link(text, match.start(), match.end(), False)
        if link is not None and link.target:
            yield link


def _is_code(text: str, match: re.Match[str], language: str) -> bool:
    if _INDEXED.match(text, match.start() - 1, match.start()) or _CODE.match(match[1]):
        return True
    return ALIASES.get(language, language) in _WITH_ATTRIBUTES and _ATTRIBUTE.match(match[1]) is not None
