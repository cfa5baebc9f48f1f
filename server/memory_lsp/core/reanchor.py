"""How the part of a link behind its `#` names a heading or block after headings of its note changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_lsp.core.anchors import find_anchor
from memory_lsp.core.links import LinkForm
from memory_lsp.core.markdown import Block, Heading, slugify
from memory_lsp.core.resolve import fold
from memory_lsp.core.respell import restyle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.note import Note


def counterpart(old: Note, new: Note, place: Heading | Block) -> Heading | Block | None:
    """Return the heading or block of `new` that was `place` in `old`, where both have as many."""
    if isinstance(place, Heading):
        return new.headings[old.headings.index(place)] if len(old.headings) == len(new.headings) else None
    return new.blocks[old.blocks.index(place)] if len(old.blocks) == len(new.blocks) else None


def anchor_spellings(
    anchor: str, form: LinkForm, old: Note, new: Note, place: Heading | Block, now: Heading | Block
) -> Iterator[str]:
    """Yield how `anchor`, which named `place` in `old`, names its counterpart `now` in `new`; its own way first."""
    if isinstance(now, Block) or isinstance(place, Block):
        if isinstance(now, Block):
            yield f"^{now.id}"
        return
    own = _own(anchor, form, place, now)
    if own is None:
        own = _chain(anchor, form, old, new)
    texts = [own, anchor, now.slug, now.text] if form is LinkForm.MARKDOWN else [own, anchor, now.text, now.slug]
    parents = _parents(new, now)
    texts += [f"{parent.text}#{now.text}" for parent in parents] if form is LinkForm.WIKI else []
    for text in dict.fromkeys(text for text in texts if text):
        if (not text.startswith("^")) and find_anchor(new, text, form) == now:
            yield text


def _own(anchor: str, form: LinkForm, old: Heading, new: Heading) -> str | None:
    """Return the anchor in the way it names the heading now; None where it names it by way of another one."""
    is_markdown = form is LinkForm.MARKDOWN
    if is_markdown and anchor == old.slug:
        return new.slug
    if anchor == old.text:
        return new.text
    if fold(anchor) == fold(old.text) and (anchor != old.slug or "-" in old.text):
        return restyle(anchor, old.text, new.text)
    if anchor == old.slug:
        return new.slug
    if fold(anchor) == fold(old.text):
        return restyle(anchor, old.text, new.text)
    if slugify(anchor) == slugify(old.text):
        return new.text if " " in anchor else slugify(new.text)
    return None


def _chain(anchor: str, form: LinkForm, old: Note, new: Note) -> str | None:
    """Return `parent#child` with each part in the way it names its heading now."""
    parts, done, names = anchor.split("#"), [], []
    for part in parts:
        done.append(part)
        place = find_anchor(old, "#".join(done), form)
        now = counterpart(old, new, place) if place is not None else None
        own = _own(part.strip(), form, place, now) if isinstance(place, Heading) and isinstance(now, Heading) else None
        if own is None:
            return None
        names.append(own)
    return "#".join(names)


def _parents(note: Note, heading: Heading) -> list[Heading]:
    """Return the headings above one, the nearest first."""
    found, level = [], heading.level
    for other in reversed(note.headings[: note.headings.index(heading)]):
        if other.level < level:
            found.append(other)
            level = other.level
    return found
