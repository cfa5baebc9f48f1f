"""The sentences of a note that state something: its description and the prose of its body, with their spans."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyromark

from memory_lsp.core.markdown import _OPTIONS, _offsets
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.note import Note

# A note of one long table or log states nothing that another one could deny.
_MOST = 120
_LONGEST = 400
_END = re.compile(r"[.!?…]+[\"')\]”’»]*(?=\s|\Z)|[。！？；]+|;(?=\s)|\n")
_BREAKS = frozenset(("Paragraph", "Item", "TableCell", "List", "BlockQuote", "Heading"))
# What belongs to a word or a number in spite of its full stop.
_NO_END = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|no|nr|ca|approx|z\.B|d\.h|p\.ej|Sr|Dr)|\b[A-Z])\.\Z|\A\s*\d+\.\Z")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: where it stands in the note's text, and what it says without markup."""

    span: Span
    text: str


def sentences(note: Note) -> tuple[Sentence, ...]:
    """Return the sentences of a note, its description first; headings, code blocks and comments say nothing here."""
    found = [*_described(note), *_prose(note.text, note.body_start)]
    return tuple(found[:_MOST])


def _described(note: Note) -> Iterator[Sentence]:
    field = note.frontmatter.get("description") if note.frontmatter else None
    if field is None or not note.description:
        return
    span = field.items[0].span if len(field.items) == 1 else field.value_span
    if span.of(note.text).strip() == note.description:
        yield from _split(note.text, span)
    else:  # folded lines and escapes: the value as a whole is the place
        for sentence in _split(note.description, Span(0, len(note.description))):
            yield Sentence(field.value_span, sentence.text)


def _prose(text: str, start: int) -> Iterator[Sentence]:
    plain = prose(text, start, bare=False)
    for sentence in _split(plain, Span(0, len(plain))):
        yield Sentence(Span(sentence.span.start + start, sentence.span.end + start), sentence.text)


def prose(text: str, start: int, *, bare: bool) -> str:
    """Return the text from an offset on with all but its prose blanked, so that offsets stay; blocks end in line feeds.

    Headings, code blocks, HTML and the targets of links are none; where it is to be `bare`, neither are links at all,
    and code between ticks.
    """
    source = text[start:]
    to_offset = _offsets(source, start)
    shown, is_code, is_heading, links = [" "] * len(source), False, False, 0
    event: Any
    for event, place in pyromark.events_with_range(source, options=_OPTIONS):
        if not isinstance(event, dict):
            continue
        ((kind, value),) = event.items()
        name = value if isinstance(value, str) else next(iter(value), "") if isinstance(value, dict) else ""
        at, end = to_offset(place["start"]) - start, to_offset(place["end"]) - start
        if kind in ("Start", "End") and name in ("CodeBlock", "Heading"):
            is_code = (kind == "Start") if name == "CodeBlock" else is_code
            is_heading = (kind == "Start") if name == "Heading" else is_heading
        elif bare and kind in ("Start", "End") and name in ("Link", "Image"):
            links += 1 if kind == "Start" else -1
        if ((kind == "Text" and not is_code) or (kind == "Code" and not bare)) and not is_heading and not links:
            shown[at:end] = source[at:end].replace("\n", " ").replace("\r", " ")
        elif kind == "Start" and name in _BREAKS and at:
            shown[at - 1] = "\n"
    return "".join(shown)


def _split(text: str, span: Span) -> Iterator[Sentence]:
    at = span.start
    for match in (*_END.finditer(text, span.start, span.end), None):
        end = match.end() if match else span.end
        if match and match[0] == "." and _NO_END.search(text[at:end]):
            continue
        raw = text[at:end]
        stripped = raw.strip()
        if any(c.isalnum() for c in stripped) and len(stripped) <= _LONGEST:
            first = at + len(raw) - len(raw.lstrip())
            yield Sentence(Span(first, first + len(stripped)), " ".join(stripped.split()))
        at = end
