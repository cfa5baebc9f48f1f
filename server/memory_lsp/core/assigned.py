"""What a clause assigns to its subject: the tool a thing is made with, kept in or run on, the one who owns it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from memory_lsp.core import claim_words as lexicon
from memory_lsp.core.claims import telling, unmatched
from memory_lsp.core.tool_kinds import go_together

_WORD = re.compile(r"[^\W_]+(?:[-_./+#'’][^\W_]+)*[+#]*")
_OWNERS = tuple((name, re.compile(rf"\b(?:{pattern})\b")) for name, pattern in lexicon.OWNER_VERBS)
# Where a value ends: what follows says when, where or for whom.
_TAIL = re.compile(r"\s(?:since|for|from|under|per|after|before|and|or|when|in|on|at|with|to|seit|fur|ab|und|oder|"
                   r"desde|para|y)\s")  # fmt: skip
_USE = re.compile(r"\A(?:we )?(?:use|uses) (.{2,40}?) (?:for|as) (.+)")
_KEEPS = re.compile(r"\b(stores?|keeps?|saves?|writes?|sends?|posts?)((?: [\w-]+){1,3}?) "
                    r"(?:in|to|into|with|as|on|via)\b")  # fmt: skip
_ORDERED = re.compile(r"(write|build|deploy|format|test|lint|run|draw|package|release|store|keep)((?: [\w-]+){1,4}?) "
                      r"(with|using|on|via|in)\b")  # fmt: skip
_LATIN = re.compile(r"[a-z][\w.+#-]*")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_ARTICLES = frozenset((
    "the", "a", "an", "der", "die", "das", "den", "dem", "ein", "eine", "el", "la", "los", "las", "un", "una", "our",
    "your", "their", "its",
))  # fmt: skip
_PRONOUNS = frozenset((
    "it", "he", "she", "they", "we", "you", "i", "this", "that", "there", "who", "which", "es", "er", "sie", "wir",
    "man", "nobody", "everybody",
))  # fmt: skip
# When, how or where in life something is done: no tool and no place.
_NO_VALUES = frozenset((
    "night", "morning", "evening", "afternoon", "weekend", "midnight", "noon", "day", "week", "month", "year",
    "background", "parallel", "advance", "person", "batches", "batch", "order", "general", "detail", "care", "ci",
    "production", "staging", "demand", "request", "purpose", "parts", "turn", "full", "hand", "once", "nacht", "morgen",
    "hintergrund", "noche", "manana", "paralelo",
))  # fmt: skip
_RATE = re.compile(r"(?<=\w) (?:a|an|per|each|every) \w+\Z")
# Prepositions that lead to the same kind of value.
_HOW = {
    "using": "with", "mit": "with", "con": "with", "mediante": "with", "as": "with", "through": "via", "por": "via",
    "uber": "via", "into": "in", "en": "in",
}  # fmt: skip
_ANY = "any"  # owning a thing in whichever way
_LONGEST = 6


@dataclass(frozen=True, slots=True)
class Assignment:
    """A value that a subject has one of at a time; `verb` names the relation."""

    kind: Literal["tool", "owner"]
    verb: str
    subject: frozenset[str]
    tail: frozenset[str]
    value: str
    how: str = ""  # the preposition that leads to the value

    def disagrees(self, other: Assignment) -> bool:
        """Tell whether another clause assigns something else to the same subject."""
        if self.kind != other.kind or not (self.subject and other.subject):
            return False
        if self.verb != other.verb and _ANY not in (self.verb, other.verb):
            return False
        if unmatched(self.subject, other.subject) or unmatched(other.subject, self.subject):
            return False
        if unmatched(self.tail, other.tail) and unmatched(other.tail, self.tail):
            return False
        if _HOW.get(self.how, self.how) != _HOW.get(other.how, other.how):
            return False  # `sent to` and `sent by` are two things to say of one
        return not _same(self.value, other.value)


@lru_cache(maxsize=4096)
def assignments(text: str) -> tuple[Assignment, ...]:
    """Return what a folded clause assigns."""
    found = (_owner(text), _tool(text), _used(text), _han(text))
    return tuple(item for item in found if item is not None and _is_value(item.value))


def _is_value(value: str) -> bool:
    words = _WORD.findall(value)
    if any((word in lexicon.NUMBERS and word not in lexicon.ARTICLES) or word.isdigit() for word in words):
        return False  # numbers are compared as such
    if not 0 < len(words) <= _LONGEST or any(word in _PRONOUNS for word in words):
        return False
    return _RATE.sub("", value).split()[-1] not in _NO_VALUES and words != ["time"]


def _same(one: str, other: str) -> bool:
    """Tell whether two values may name the same: one holds the other, or is another name for it."""
    left, right = set(_WORD.findall(one)) - _ARTICLES, set(_WORD.findall(other)) - _ARTICLES
    if not left or not right or left <= right or right <= left:
        return True
    if any({a, b} <= names for names in lexicon.OTHER_NAMES for a in left for b in right):
        return True
    if any(go_together(a, b) for a in left for b in right):
        return True
    return not (unmatched(left, right) and unmatched(right, left))


def _owner(text: str) -> Assignment | None:
    noun = lexicon.OWNER_NOUN.match(text)
    if noun:
        return _made("owner", "own", noun[1], noun[2])
    for pattern in (lexicon.TAKEOVER, lexicon.HANDED, lexicon.BELONGS):
        taken = pattern.search(text)
        if taken:
            value, subject = (taken[1], taken[2]) if pattern is lexicon.TAKEOVER else (taken[2], taken[1])
            return _made("owner", "belong" if pattern is lexicon.BELONGS else _ANY, subject, value)
    asked = lexicon.ASK.match(text)
    if asked:
        return _made("owner", "contact", asked[2], asked[1])
    passive = lexicon.OWNED_BY.search(text)
    if passive:
        verb = lexicon.OWNED[passive[1]]
        return _made("owner", verb, text[: passive.start()], text[passive.end() :])
    last = lexicon.OWNER_LAST.search(text)
    if last:
        return _made("owner", last[1], text[: last.start()], text[last.end() :])
    for verb, pattern in _OWNERS:
        match = pattern.search(text)
        if match and match.start():
            return _made("owner", verb, text[match.end() :], text[: match.start()], cut=False)
    return None


def _made(
    kind: Literal["tool", "owner"], verb: str, subject: str, value: str, *, cut: bool = True, how: str = ""
) -> Assignment | None:
    value, tail = value.strip(), ""
    end = _TAIL.search(f"{value} ") if cut else None
    if end and end.start() > 0:
        value, tail = value[: end.start()], value[end.end() :]
    words = telling(subject)
    return Assignment(kind, verb, words, telling(tail), value, how) if words and value else None


def _tool(text: str) -> Assignment | None:
    words = list(_WORD.finditer(text))
    for n, word in enumerate(words[1:-1], start=1):
        if word[0] not in lexicon.TOOL_VERBS:
            continue
        at = n + 1
        if words[at][0] in ("up", "out") and at + 1 < len(words):
            at += 1
        if words[at][0] in lexicon.TOOL_WORDS and at + 1 < len(words):
            return _made("tool", word[0], text[: word.start()], text[words[at + 1].start() :], how=words[at][0])
    ordered = _ORDERED.match(text)
    if ordered:
        return _made("tool", f"{ordered[1]} {ordered[3]}", ordered[2], text[ordered.end() :])
    default = lexicon.DEFAULT.match(text) or lexicon.ROLE.match(text)
    if default:
        return _made("tool", "default", default[1], default[2])
    match = _KEEPS.search(text)
    if match and match.start():
        subject = f"{text[: match.start()]} {match[2]}"
        return _made("tool", match[1], subject, text[match.end() :])
    return _german_tool(text)


def _german_tool(text: str) -> Assignment | None:
    match = re.search(r"\b(?:wird|werden) (mit|in|auf|uber) (.{2,40}) (\w+)\Z", text)
    if match and match[3] in lexicon.TOOL_VERBS:
        return _made("tool", match[3], text[: match.start()], match[2], cut=False)
    return None


def _used(text: str) -> Assignment | None:
    match = _USE.match(text)
    return _made("tool", "use", match[2], match[1], cut=False) if match else None


def _han(text: str) -> Assignment | None:
    if not _HAN.search(text):
        return None
    owner = lexicon.HAN_OWNER.search(text)
    if owner:
        words = telling(owner[1])
        return Assignment("owner", owner[3], words, frozenset(), " ".join(owner[2])) if words else None
    latin = _LATIN.findall(text)
    if len(latin) == 1:
        rest = telling(text.replace(latin[0], " "))
        return Assignment("tool", "han", rest, frozenset(), latin[0]) if len(rest) > 2 else None
    return None
