"""How a link that an action writes or changes names a note: exactly, and of several notes just this one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.edits import TextEdit
from memory_lsp.core.links import LinkForm
from memory_lsp.core.respell import exact_spellings, relative, split_md
from memory_lsp.core.sites import target_site
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.links import Link
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

_NEVER_IN_WIKI = re.compile(r"[\[\]|#^\r\n]|\\\Z")
_SPECIAL_IN_PATH = frozenset('<>()[]#?%\\|`&"')


def wiki_target(snapshot: Snapshot, path: str, source: str, preferred: str = "") -> str | None:
    """Return the shortest text by which `[[...]]` in the note at `source` means just the note at `path`.

    `preferred` is taken where it will do. None where no text will.
    """
    note = snapshot.notes[path]
    for text in (preferred, note.name, note.stem, *exact_spellings(note, source, "", is_markdown=False)):
        if text and text == text.strip() and not _NEVER_IN_WIKI.search(text):
            found = snapshot.names.find(text, source)
            if found.notes == (path,) and found.level is not None and found.level.is_exact:
                return text
    return None


def path_targets(path: str, source: str, like: str) -> Iterator[str]:
    """Yield the decoded paths by which a markdown link in `source` names a note, that in the style of `like` first."""
    bare, extension = split_md(path)
    ending = "" if like and not split_md(like)[1] else extension
    absolute, beside = f"/{bare}{ending}", relative(bare, source) + ending
    yield from (absolute, beside) if like.startswith("/") else (beside, absolute)


def path_written(path: str) -> str:
    """Return a path as the destination of a markdown link: percent-encoded only where it must be."""
    encoded = "".join(quote(c, safe="") if c in _SPECIAL_IN_PATH or c.isspace() or ord(c) < 0x20 else c for c in path)
    # What stands before a colon would be a scheme.
    return encoded.replace(":", "%3A")


def retargeted(
    snapshot: Snapshot, note: Note, link: Link, path: str, *, preferred: str = "", drops_anchor: bool = True
) -> tuple[TextEdit, ...] | None:
    """Return the edit that makes a link mean the note at `path`, written as the link is; None where it cannot be.

    An anchor that the note does not have is dropped.
    """
    if link.form is LinkForm.WIKI:
        name = wiki_target(snapshot, path, note.path, preferred)
        texts: Iterator[str] = iter(() if name is None else (name,))
    else:
        texts = path_targets(path, note.path, link.target)
    site = target_site(note, link, whole=False, encoded=_is_encoded(link))
    for text in texts:
        if link.form is LinkForm.MARKDOWN:
            found = snapshot.names.find(text, note.path, is_path=True)
            if found.notes != (path,):
                continue
        for raw in site.written(text):
            return _edits(snapshot, note, link, path, raw, drops_anchor=drops_anchor)
    return None


def _edits(
    snapshot: Snapshot, note: Note, link: Link, path: str, raw: str, *, drops_anchor: bool
) -> tuple[TextEdit, ...]:
    span = link.target_span
    target = snapshot.notes[path]
    is_lost = bool(link.anchor) and find_anchor(target, link.anchor or "", link.form) is None
    if link.anchor_span and (link.anchor == "" or (is_lost and drops_anchor)):
        span = Span(span.start, link.anchor_span.end)
    return (TextEdit(note.path, span, raw),)


def _is_encoded(link: Link) -> bool:
    return link.form is LinkForm.WIKI and unquote(link.target, errors="replace") != link.target
