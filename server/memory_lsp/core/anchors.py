"""From the part of a link behind its `#` to a heading or a block of the note it opens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_lsp.core.links import LinkForm
from memory_lsp.core.markdown import slugify
from memory_lsp.core.resolve import fold

if TYPE_CHECKING:
    from memory_lsp.core.markdown import Block, Heading
    from memory_lsp.core.note import Note


def find_anchor(note: Note, anchor: str, form: LinkForm = LinkForm.WIKI) -> Heading | Block | None:
    """Return what `anchor` names in `note`: `^id` a block, anything else a heading by its text or its slug.

    `a#b` names heading b below heading a, as wikilinks may say.
    """
    if anchor.startswith("^"):
        wanted = anchor[1:].casefold()
        return next((block for block in note.blocks if block.id.casefold() == wanted), None)
    found = _heading(note.headings, anchor, form)
    if found is None and "#" in anchor:
        rest, heading = note.headings, None
        for part in anchor.split("#"):
            heading = _heading(rest, part.strip(), form)
            if heading is None:
                return None
            rest = _below(rest, heading)
        return heading
    return found


def _heading(headings: tuple[Heading, ...], anchor: str, form: LinkForm) -> Heading | None:
    slug = slugify(anchor)
    by_text = (heading for heading in headings if heading.text == anchor)
    by_folded = (heading for heading in headings if fold(heading.text) == fold(anchor))
    # Headings that differ only in punctuation share a slug, so the exact text goes first.
    by_slug = (heading for heading in headings if heading.slug == anchor or (slug and slugify(heading.text) == slug))
    unique = (heading for heading in headings if heading.slug == anchor)
    order = (
        (unique, by_text, by_folded, by_slug) if form is LinkForm.MARKDOWN else (by_text, by_folded, unique, by_slug)
    )
    return next((heading for group in order for heading in group), None)


def _below(headings: tuple[Heading, ...], parent: Heading) -> tuple[Heading, ...]:
    start = headings.index(parent) + 1
    end = next((n for n in range(start, len(headings)) if headings[n].level <= parent.level), len(headings))
    return headings[start:end]


def section_end(note: Note, heading: Heading) -> int:
    """Return the offset at which a heading's section ends: the next heading of its level or above."""
    at = note.headings.index(heading) + 1
    following = (other.span.start for other in note.headings[at:] if other.level <= heading.level)
    return next(following, len(note.text))
