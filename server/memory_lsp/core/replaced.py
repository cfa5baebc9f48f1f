"""Whether a note says that it takes the place of what another one states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product, takewhile
from typing import TYPE_CHECKING, Literal

from memory_lsp.core import change_words as words
from memory_lsp.core.alternatives import said_of, stemmed_tools
from memory_lsp.core.claim_words import TOOL_WORDS
from memory_lsp.core.claims import alike, telling, unmatched
from memory_lsp.core.quantities import take_quantities
from memory_lsp.core.tokens import UNSPACED_RUN, fold, stem

if TYPE_CHECKING:
    from memory_lsp.core.claims import Claim
    from memory_lsp.core.contradict import Reading
    from memory_lsp.core.sentences import Sentence

_MOST_OLD = 5
_MOST_BESIDE = 2
_FEWEST_ALIKE = 2
_WORD = re.compile(r"[^\W_]+(?:[-_./+#'’][^\W_]+)*[+#]*")
_MOVING = frozenset(map(stem, words.MOVING))
# What leads from a verb to a value.
_LEADS_TO = TOOL_WORDS | {"from", "von", "aus", "de", "desde"}
_PATTERNS: tuple[tuple[Literal["left", "ended", "over"], re.Pattern[str]], ...] = (
    *(("left", pattern) for pattern in words.LEFT), *(("ended", pattern) for pattern in words.ENDED),
    *(("over", pattern) for pattern in words.OVER),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Old:
    words: frozenset[str]
    quantities: frozenset[tuple[str, float]]
    is_preference: bool
    how: Literal["left", "ended", "over"] = "over"
    rest: frozenset[str] = frozenset()  # what the text says beside that


def replaces(newer: Reading, older: Reading) -> tuple[Sentence, Sentence, str] | None:
    """Return the sentence that replaces, the one that is replaced, and why; None where nothing is."""
    for sentence, said, _ in newer.sentences:
        plain, olds, moved, changed = _over(sentence.text)
        if not (olds or moved or changed):
            continue
        for another, stated, _ in older.sentences:
            if another.text == sentence.text:
                continue
            gone = any(_meets(old, plain, claim, newer, older) for old in olds for claim in stated)
            pairs = [(one, claim) for one, claim in product(said, stated) if not one.roots.isdisjoint(claim.roots)]
            moves = moved and any(_moves(one, claim, newer, older) for one, claim in pairs)
            if gone or moves or (changed and any(_turns(one, claim) for one, claim in pairs)):
                return sentence, another, "One says that it takes the place of the other."
    return None


def _meets(old: _Old, plain: str, claim: Claim, newer: Reading, older: Reading) -> bool:
    """Tell whether what is said to be over is what a claim states of the same subject."""
    if not claim.holds:
        return False
    values = {(each.kind, each.value) for each in claim.quantities}
    plain_values = {("count", each.value) for each in claim.quantities}  # `65 was the first step`, of 65 percent
    if unmatched(old.words, claim.words) if not old.quantities else not old.quantities & (values | plain_values):
        return False
    said = telling(plain) - old.words
    shared, topics = _shared(said, claim.words - old.words), _shared(newer.topic, older.topic | claim.words)
    if old.how == "left" and not said_of(old.rest) and old.words <= stemmed_tools(claim):
        return True  # a move between tools, of nothing in particular
    if old.how == "ended" and _is_ended(old, claim):
        return True
    weak = old.is_preference and not words.CHANGED.search(plain)
    return (shared >= 1 or bool(old.quantities)) and shared + topics >= (5 if weak else 2)


def _is_ended(old: _Old, claim: Claim) -> bool:
    """Tell whether a claim states little but what is over."""
    beside = len(unmatched(claim.words, old.words))
    alone = len(old.words) == 1 and not UNSPACED_RUN.search(claim.text)
    leads = alone and claim.words and alike(next(iter(old.words)), stem(_first(claim)))
    return beside <= (_MOST_BESIDE if leads or not alone else 0)


def _first(claim: Claim) -> str:
    """Return the first word of a clause that is no article."""
    return next((word for word in _WORD.findall(claim.text) if word not in words.MARKERS), "")


def _turns(one: Claim, claim: Claim) -> bool:
    """Tell whether a clause that speaks of a change begins as a claim does and ends with another value."""
    if one.holds != claim.holds or one.quantities or claim.quantities:
        return False
    mine, theirs = _in_order(one.text), _in_order(claim.text)
    if mine[:1] != theirs[:1]:
        return False
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(mine, theirs, strict=False)))
    if not same or mine[same - 1] not in _LEADS_TO or len(telling(" ".join(mine[:same]))) < _FEWEST_ALIKE:
        return False
    left, right = telling(" ".join(mine[same:])), telling(" ".join(theirs[same:]))
    return bool(unmatched(left, right) and unmatched(right, left))


@lru_cache(maxsize=4096)
def _in_order(text: str) -> tuple[str, ...]:
    """Return the words of a clause but for articles and what says that it is so now."""
    return tuple(word for word in _WORD.findall(text) if word not in words.MARKERS or word in ("from", "on"))


def _moves(one: Claim, claim: Claim, newer: Reading, older: Reading) -> bool:
    """Tell whether a clause gives another value for the one number or date that a claim states."""
    pairs = [
        (a, b) for a in one.quantities for b in claim.quantities if a.kind == b.kind != "clock" and a.unit == b.unit
    ]
    if not pairs or any(a.value == b.value for a, b in pairs if a.kind != "month") or one.holds != claim.holds:
        return False
    shared = _shared(one.words, claim.words)
    beside = unmatched(one.words, claim.words) - _MOVING
    if shared >= 1 and words.MOVED.search(one.text) and not beside and not unmatched(claim.words, one.words):
        return True  # of one subject, word for word
    return shared >= 1 and shared + _shared(newer.topic, older.topic) >= 3


def _shared(words: frozenset[str], others: frozenset[str]) -> int:
    return len(words) - len(unmatched(words, others))


@lru_cache(maxsize=4096)
def _over(text: str) -> tuple[str, tuple[_Old, ...], bool, bool]:
    """Return a sentence folded, what it says to be over, whether it moves a number, whether it speaks of a change."""
    plain, found = fold(text), list[_Old]()
    for clause, (how, pattern) in product(words.CLAUSE.split(plain), _PATTERNS):
        match = pattern.search(clause.strip())
        if match:
            end = words.STOP if how == "ended" else words.END
            part = end.split(match[1].strip(), maxsplit=1)[0]
            quantities, _ = take_quantities(part)
            named = telling(part)
            if how == "ended" and words.POINTING.match(match[1]):
                continue
            if len(named) <= _MOST_OLD and (named or quantities):
                numbers = frozenset((each.kind, each.value) for each in quantities)
                rest = telling(plain.replace(match[0], " ")) - named
                found.append(_Old(named, numbers, bool(words.PREFERENCE.search(match[0])), how, rest))
    return plain, tuple(found), words.MOVED.search(plain) is not None, words.CHANGED.search(plain) is not None
