"""Whether a note says that it takes the place of what another one states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from memory_lsp.core.claims import telling, unmatched
from memory_lsp.core.quantities import take_quantities
from memory_lsp.core.tokens import fold

if TYPE_CHECKING:
    from memory_lsp.core.claims import Claim
    from memory_lsp.core.contradict import Reading
    from memory_lsp.core.sentences import Sentence

# How a text names what is over: each pattern's group holds the name of the old thing.
_OVER = tuple(re.compile(pattern) for pattern in (
    r"\b(?:has|have) (?:replaced|superseded|succeeded) (.+)",
    r"\b(?:replaces|supersedes|succeeds|replacing) (.+)",
    r"\b(?:no longer|not any ?more|nicht mehr|ya no) (.+)",
    r"\b(?:instead of|rather than|in place of|statt|anstatt|en vez de|en lugar de) (.+)",
    r"\b(?:switched|moved|migrated|changed|raised|lowered|reduced|extended|shortened|put off|postponed) from (.+?) to ",
    r"\bwurden? .*?\bvon (.+?) auf ", r"\bpas[oa]n? de (.+?) a ",
    r"\b(?:up|down) from (.+)",
    r"\btaken over .+ from (.+)",
    r"\b(?:before it was|previously|formerly|until then|it used to be|fruher|vorher|antes era) (.+)",
    r"\bforget (.+)",
    r"\A(.+?) (?:was|were|has been|have been) (?:removed|abandoned|retired|dropped|converted|put off|replaced|"
    r"superseded)\b",
    r"\A(.+?) (?:is|are) (?:history|gone|void|retired|abandoned|superseded)\b",
    r"\A(.+?) (?:used to be|was the first|has left|moved to another|has ended)\b",
    r"\bvon (?:der |dem |den )?(.+?) ubernommen\b",
    r"\by no (.+)",
    r"从(.+?)改为", r"(.+?)不再", r"不再(.+)",
))  # fmt: skip
_PREFERENCE = re.compile(r"\b(?:instead of|rather than|in place of|statt|anstatt|en vez de|en lugar de|y no)\b")
# What says that something is different now; without it, "instead of" is a matter of taste.
_CHANGED = re.compile(
    r"\b(?:since|as of|now|from now on|switched|new|any ?more|seit|ab sofort|nur noch|jetzt|ahora|desde)\b|改为|现在|起"
)
# What says that a number or a date is another one now.
_MOVED = re.compile(
    r"\b(?:extended|raised|lowered|enlarged|reduced|shortened|lengthened|increased|decreased|put off|postponed|moved)"
    r"(?: \w+){0,3} to\b|\b(?:is|are) now\b|\bauf .+(?:verlangert|verkurzt|erhoht|gesenkt)\b|"
    r"\b(?:ampli|reduci)(?:ado|ada|do|da) a\b|改为|现在"
)
_CLAUSE = re.compile(r"[,;:.](?!\d)|[，；。：]|\s-\s")
# Where the name of the old thing ends.
_END = re.compile(r"[,;:.。，；(]|\b(?:for|in|to|as|since|by|sino|sondern)\b")
_MOST_OLD = 5


@dataclass(frozen=True, slots=True)
class _Old:
    words: frozenset[str]
    quantities: frozenset[tuple[str, float]]
    is_preference: bool


def replaces(newer: Reading, older: Reading) -> tuple[Sentence, Sentence, str] | None:
    """Return the sentence that replaces, the one that is replaced, and why; None where nothing is."""
    for sentence, said, _ in newer.sentences:
        plain, olds, moved = _over(sentence.text)
        if not (olds or moved):
            continue
        for another, stated, _ in older.sentences:
            if another.text == sentence.text:
                continue
            gone = any(_meets(old, plain, claim, newer, older) for old in olds for claim in stated)
            if gone or (moved and any(_moves(one, claim, newer, older) for one in said for claim in stated)):
                return sentence, another, "One says that it takes the place of the other."
    return None


def _meets(old: _Old, plain: str, claim: Claim, newer: Reading, older: Reading) -> bool:
    """Tell whether what is said to be over is what a claim states of the same subject."""
    if not claim.holds:
        return False
    values = {(each.kind, each.value) for each in claim.quantities}
    if unmatched(old.words, claim.words) if not old.quantities else not old.quantities & values:
        return False
    said = telling(plain) - old.words
    shared, topics = _shared(said, claim.words - old.words), _shared(newer.topic, older.topic | claim.words)
    weak = old.is_preference and not _CHANGED.search(plain)
    return (shared >= 1 or bool(old.quantities)) and shared + topics >= (5 if weak else 2)


def _moves(one: Claim, claim: Claim, newer: Reading, older: Reading) -> bool:
    """Tell whether a clause gives another value for the one number or date that a claim states."""
    pairs = [
        (a, b) for a in one.quantities for b in claim.quantities if a.kind == b.kind != "clock" and a.unit == b.unit
    ]
    if not pairs or any(a.value == b.value for a, b in pairs if a.kind != "month") or one.holds != claim.holds:
        return False
    shared = _shared(one.words, claim.words)
    return shared >= 1 and shared + _shared(newer.topic, older.topic) >= 3


def _shared(words: frozenset[str], others: frozenset[str]) -> int:
    return len(words) - len(unmatched(words, others))


@lru_cache(maxsize=4096)
def _over(text: str) -> tuple[str, tuple[_Old, ...], bool]:
    """Return a sentence folded, what it says to be over, and whether it gives something another value."""
    plain, found = fold(text), list[_Old]()
    for clause, pattern in product(_CLAUSE.split(plain), _OVER):
        match = pattern.search(clause.strip())
        if match:
            part = _END.split(match[1].strip(), maxsplit=1)[0]
            quantities, _ = take_quantities(part)
            words = telling(part)
            if len(words) <= _MOST_OLD and (words or quantities):
                numbers = frozenset((each.kind, each.value) for each in quantities)
                found.append(_Old(words, numbers, bool(_PREFERENCE.search(match[0]))))
    return plain, tuple(found), _MOVED.search(plain) is not None
