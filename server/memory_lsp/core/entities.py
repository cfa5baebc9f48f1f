"""What a text names: people, places and products as runs of capitalised words, and identifiers of code. No model.

Two notes that name the same thing are related even where neither links to the other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_lsp.core.stop_words import ENGLISH_STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

_UPPER = "".join(chr(code) for code in range(0x530) if chr(code).isupper())  # Latin, Greek, Cyrillic
_CAPITALISED = rf"[{_UPPER}](?:[\w'’&]|[.-](?=\w))*"
_JOINER = r"(?:of|the|and|for|de|la|le|von|van|der|den|du|da|di|del|al|bin|ibn|y|e|&)"
_RUN = re.compile(rf"{_CAPITALISED}(?:[ -](?:{_JOINER} ){{0,2}}(?:{_CAPITALISED}|\d+\b))*")
# Each pattern of code with a piece of text that it cannot do without: a search for that is much cheaper.
_CODE = (
    (re.compile("_"), re.compile(r"\b[A-Za-z]\w*_\w*[A-Za-z0-9]\b")),  # foo_bar, FOO_BAR
    (re.compile("[a-z][A-Z]"), re.compile(r"\b(?=\w*[a-z][A-Z])[A-Za-z][A-Za-z0-9]+\b")),  # fooBar, FooBar
    (re.compile(r"#\d"), re.compile(r"#(?<![\w&/]#)\d+\b")),  # #1234
    (re.compile("/"), re.compile(r"(?<![\w/.:-])(?:[\w.-]+/)+[\w-]+(?:\.\w+)*")),  # a/path.py
)
_SENTENCE_START = re.compile(r"(?:\A|[.!?:]\s+|\n\s*)(?:[-*+>#|]+\s*|\d+[.)]\s+)*\Z")
_POSSESSIVE = re.compile(r"['’]s?\Z")
_SHORTEST = 3
_REACH = 24


def entities(text: str) -> frozenset[str]:
    """Return what a text names, in lower case.

    A single capitalised word at the start of a sentence names nothing: most are there by grammar.
    """
    found = set(_runs(text))
    for hint, pattern in _CODE:
        if hint.search(text):
            found.update(map(str.lower, pattern.findall(text)))
    return frozenset(found)


def _runs(text: str) -> Iterator[str]:
    for match in _RUN.finditer(text):
        if match.start() and text[match.start() - 1].isalnum():
            continue  # in the middle of a word
        words = match.group().split(" ")
        first = words[0]
        if len(words) == 1 and first.lower() in ENGLISH_STOP_WORDS:
            continue  # most are, so this comes before all that costs more
        while words and words[0].lower() in ENGLISH_STOP_WORDS:
            del words[0]
        while words and words[-1].lower() in ENGLISH_STOP_WORDS:
            del words[-1]
        name = _POSSESSIVE.sub("", " ".join(words)).lower()
        if len(name) < _SHORTEST or name.isdigit():
            continue
        if words == [first] and _SENTENCE_START.search(text, max(0, match.start() - _REACH), match.start()):
            continue
        yield name
        if " and " in name:  # "Ada and Grace" may be two names or one
            yield from (part for part in name.split(" and ") if len(part) >= _SHORTEST)
