"""The terms that a text is indexed by: folded words of any script, stemmed where they are English."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from memory_lsp.core.stop_words import STOP_WORDS

# Scripts that put no space between words: Han, kana, Hangul; Thai, Lao, Burmese, Khmer.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = re.compile(rf"[^\W_{_UNSPACED}]+")
UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+")
_ANY_WORD = re.compile(rf"{_WORD.pattern}|{UNSPACED_RUN.pattern}")
_MARKS = re.compile(r"[\u0300-\u036f]+")
_SNAKE = re.compile(r"[^\W_]+(?:_[^\W_]+)+")
_CAMEL = re.compile(r"\b(?=[A-Za-z0-9]*[a-z][A-Z])[A-Za-z0-9]+\b")
_CAMEL_HINT = re.compile(r"[a-z][A-Z]")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VOWEL = re.compile(r"[aeiouy]")


def fold(text: str) -> str:
    """Return a text without case and without the accents of letters; its length may differ."""
    if text.isascii():
        return text.lower()
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", plain)


def terms(text: str) -> Counter[str]:
    """Count the terms of a text.

    Words lose case, accents and common English endings; stop words are left out. Runs of a script without spaces give
    their pairs of neighbouring characters. Of `foo_bar` the parts and the whole count, and so they do of `FooBar`.
    """
    folded = fold(text)
    if folded.isascii():
        counts = Counter(map(_term, _ASCII_WORD.findall(folded)))
    else:
        counts = Counter(map(_term, _WORD.findall(folded)))
        for run in UNSPACED_RUN.findall(folded):
            counts.update([run[at : at + 2] for at in range(len(run) - 1)] or [run])
    if "_" in text:
        counts.update(map(fold, _SNAKE.findall(text)))
    if _CAMEL_HINT.search(text):
        for word in _CAMEL.findall(text):
            counts.update(_term(part.lower()) for part in _HUMP.findall(word) if len(part) > 1)
    del counts[""]
    return counts


def words(text: str) -> list[str]:
    """Return the folded words of a text in order, stop words included, runs without spaces whole."""
    return _ANY_WORD.findall(fold(text))


@lru_cache(maxsize=1 << 16)
def _term(word: str) -> str:
    """Return what a folded word is indexed as, "" for a stop word."""
    return "" if word in STOP_WORDS else stem(word)


def stem(word: str) -> str:
    """Cut the commonest English endings off a lower-case word: plurals, -ed, -ing, a last -e.

    Light on purpose: it never has to give a word of the language, only the same for most forms of one.
    """
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("sses"):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) > 2 and _VOWEL.search(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] not in "lsz"
            word = rest[:-1] if doubled else rest
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word
