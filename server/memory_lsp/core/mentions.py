"""Where a note names another note without a link to it.

The words of the text are looked up in the table that links are resolved by, so there is nothing to build or keep, and
the cost is that of the note's length, however many notes there are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.resolve import fold
from memory_lsp.core.sentences import prose
from memory_lsp.core.stop_words import STOP_WORDS
from memory_lsp.core.text import Span
from memory_lsp.core.tokens import UNSPACED_RUN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Names
    from memory_lsp.core.snapshot import Snapshot

_MOST_WORDS = 10
# Of a script without spaces each character is a word, and a short name may be part of any.
_MOST_CHARACTERS = 24
_FEWEST_CHARACTERS = 4
# A single word this long is rarely said by chance.
_LONG_WORD = 8
_WORD = re.compile(r"\w+")
_WRAPPED = re.compile(r"[\r\n]")
_GAP = re.compile(r"[^\S\n]+|[-_]")
# What stands next to a part of an address, of a path or of a longer word.
_JOINED_BEFORE = re.compile(r"[/\\@#^.:_-]\Z")
_JOINED_AFTER = re.compile(r"[/\\@_-]|[.:]\w")


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that names a note: the span of its name in the text, and the note's path."""

    span: Span
    path: str


def mentions(snapshot: Snapshot, note: Note) -> tuple[Mention, ...]:
    """Return the places that name another note, in order; the longest name at a place counts.

    A name is two words or more, or one of eight letters. What the note links to anyway is left out, and so is a name
    that several notes bear.
    """
    text = note.text[: note.body_start] + prose(note.text, note.body_start, bare=True)
    linked = snapshot.meanings[note.path].targets()
    return tuple(
        mention
        for mention in _named(text, note.body_start, snapshot.names)
        if mention.path != note.path
        and mention.path not in linked
        and mention.path in snapshot.ids
        and not _WRAPPED.search(note.text, mention.span.start, mention.span.end)
    )


def _named(text: str, start: int, names: Names) -> Iterator[Mention]:
    words = list(_words(text, start))
    at = 0
    while at < len(words):
        found = None if _JOINED_BEFORE.search(text, max(start, words[at].start - 1), words[at].start) else (
            _longest(text, words, at, names)
        )  # fmt: skip
        if found:
            last, path = found
            yield Mention(Span(words[at].start, words[last].end), path)
            at = last
        at += 1


def _words(text: str, start: int) -> Iterator[Span]:
    for match in _WORD.finditer(text, start):
        at = match.start()
        if text.isascii() or not UNSPACED_RUN.search(match[0]):
            # An underscore joins words of a name as a hyphen does.
            for part in re.finditer(r"[^_]+", match[0]):
                yield Span(at + part.start(), at + part.end())
            continue
        for run in re.finditer(rf"{UNSPACED_RUN.pattern[:-1]}|{UNSPACED_RUN.pattern.replace('[', '[^', 1)}", match[0]):
            yield Span(at + run.start(), at + run.end())


def _longest(text: str, words: list[Span], first: int, names: Names) -> tuple[int, str] | None:
    """Return the last word of the longest name that starts at a word, and the path of the note that bears it."""
    key, found, before = "", None, words[first].start
    is_unspaced = UNSPACED_RUN.match(text, before) is not None
    for last in range(first, min(len(words), first + (_MOST_CHARACTERS if is_unspaced else _MOST_WORDS))):
        word = words[last]
        gap = text[before : word.start]
        if "\n" in gap or len(gap) > _LONG_WORD:
            break
        key += "-" if _GAP.fullmatch(gap) else gap
        key += fold(word.of(text))
        before = word.end
        paths = names.bearing(key)
        if len(paths) == 1 and _tells(key, last - first + 1) and not _JOINED_AFTER.match(text, word.end):
            found = last, paths[0]
    return found


def _tells(key: str, count: int) -> bool:
    """Tell whether a name is said on purpose: long enough, and not made of common words alone."""
    if UNSPACED_RUN.search(key):
        return len(key) >= _FEWEST_CHARACTERS
    if count == 1:
        return len(key) >= _LONG_WORD and not key.isdigit()
    return any(part not in STOP_WORDS and not part.isdigit() for part in key.split("-"))
