"""Fixes for links to a heading or block that is missing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.actions_near import is_slip, nearest
from memory_lsp.core.actions_text import newline_of
from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.edits import TextEdit
from memory_lsp.core.links import LinkForm
from memory_lsp.core.markdown import slugify
from memory_lsp.core.sites import anchor_site
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.links import Link
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note

_NEVER_IN_ANCHOR = re.compile(r"[\[\]|#^\r\n]")


def fix_anchor(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield: did you mean, create the heading."""
    found = place.link_at(finding)
    if found is None or found[1].note is None or not found[1].anchor:
        return
    link, anchor = found[0], found[1].anchor
    target = place.snapshot.notes[found[1].note]
    yield from _did_you_mean(place, finding, link, anchor, target)
    edit = _new_heading(target, anchor, link.form)
    if edit:
        where = "this note" if target is place.note else target.path
        title = f"Create the heading “{_title(anchor, link.form)}” in {where}"
        yield Action(title, Kind.QUICKFIX, (edit,), finding=finding)


def anchor_lines(anchors: Iterable[str], form: LinkForm) -> Iterator[str]:
    """Yield the headings and block ids that links expect, as lines of a new note."""
    for anchor in anchors:
        yield anchor if anchor.startswith("^") else f"## {_title(anchor.rsplit('#', 1)[-1].strip(), form)}"


def _did_you_mean(place: Place, finding: Finding, link: Link, anchor: str, target: Note) -> Iterator[Action]:
    site = anchor_site(place.note, link)
    if site is None:
        return
    is_block, wanted = anchor.startswith("^"), anchor.rsplit("#", 1)[-1].strip().lstrip("^")
    texts = [f"^{block.id}" for block in target.blocks] if is_block else [each.text for each in target.headings]
    by_name = {text.lstrip("^"): text for text in texts if text}
    by_slug = {heading.slug: heading.text for heading in target.headings if heading.text} if not is_block else {}
    near = list(dict.fromkeys(by_name.get(name) or by_slug[name] for name in nearest(wanted, {**by_name, **by_slug})))
    slips = [text for text in near if is_slip(wanted, text.lstrip("^")) or is_slip(slugify(wanted), slugify(text))]
    for text in near[:3]:
        spelled = _spelled(target, text, link.form)
        raw = next(iter(site.written(spelled)), None) if spelled else None
        if raw is not None:
            edit = TextEdit(place.note.path, site.span, raw)
            yield Action(f"Change to “#{text}”", Kind.QUICKFIX, (edit,), is_preferred=slips == [text], finding=finding)


def _spelled(target: Note, text: str, form: LinkForm) -> str | None:
    """Return the anchor that names a heading or `^block` of a note."""
    if text.startswith("^"):
        return text
    heading = next(each for each in target.headings if each.text == text)
    options = (heading.slug,) if form is LinkForm.MARKDOWN else (heading.text, heading.slug)
    for option in options:
        if option and not _NEVER_IN_ANCHOR.search(option) and find_anchor(target, option, form) == heading:
            return option
    return None


def _new_heading(target: Note, anchor: str, form: LinkForm) -> TextEdit | None:
    if anchor.startswith("^") or "#" in anchor:
        return None
    text, newline = target.text, newline_of(target.text)
    body = text.rstrip("\r\n")
    gap = "" if not body else newline * 2
    new = f"{gap}## {_title(anchor, form)}{newline}"
    return TextEdit(target.path, Span(len(body), len(text)), new)


def _title(anchor: str, form: LinkForm) -> str:
    """Return the text of a heading that an anchor names: a slug is turned into words again."""
    if form is LinkForm.MARKDOWN and anchor == slugify(anchor) and "_" not in anchor:
        words = anchor.replace("-", " ").strip()
        return words[:1].upper() + words[1:]
    return anchor
