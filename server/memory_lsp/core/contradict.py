"""Whether two notes contradict each other: one subject, and opposite polarity or another number, date, tool or owner.

Pure and without a model. Two sentences are compared clause by clause; they contradict each other where all that tells
them apart is the one thing that cannot be both ways. A word more on one side makes a claim narrower, which is let pass;
different words on both sides are two subjects.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from memory_lsp.core import claim_words as lexicon
from memory_lsp.core.alternatives import alternatives
from memory_lsp.core.antecedents import resolved, starts_with_pronoun, subject_of
from memory_lsp.core.assigned import assignments
from memory_lsp.core.claims import Claim, claims, telling, unmatched
from memory_lsp.core.replaced import replaces
from memory_lsp.core.sentences import sentences
from memory_lsp.core.tokens import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memory_lsp.core.note import Note
    from memory_lsp.core.quantities import Quantity
    from memory_lsp.core.sentences import Sentence
    from memory_lsp.core.text import Span

# Grows with each change of what is found: results that were kept under another number are made anew.
RULES = 2
_MOST_EXTRA = 3
_FEWEST = 3
_OPPOSITE = "One says so, the other says the opposite."
_DATES = ("weekday", "date", "month", "clock")
# Rounded and binary units name the same amount.
_CLOSE = 0.05


class Kind(StrEnum):
    """What two notes disagree on."""

    POLARITY = "polarity"
    NUMBER = "number"
    DATE = "date"
    TOOL = "tool"
    OWNER = "owner"
    REPLACED = "replaced"
    JUDGED = "judged"  # a model says that they disagree, not on what


@dataclass(frozen=True, slots=True)
class Contradiction:
    """The two sentences that cannot both hold, as they stand in their notes, and what they disagree on."""

    span: Span
    other_span: Span
    kind: Kind
    message: str

    def turned(self) -> Contradiction:
        """Return it seen from the other note."""
        return Contradiction(self.other_span, self.span, self.kind, self.message)


@dataclass(frozen=True, slots=True)
class Reading:
    """What is compared of a note: its sentences with their claims, and the telling words of its name and description.

    Reading a note costs more than comparing it, so a reading is kept for as long as the note is.
    """

    sentences: tuple[tuple[Sentence, tuple[Claim, ...], frozenset[str]], ...]  # with all roots of the claims
    topic: frozenset[str]


def read(note: Note) -> Reading:
    """Read a note for comparison."""
    read_claims = ((sentence, claims(text)) for sentence, text in _resolved(sentences(note)))
    found = tuple(
        (sentence, stated, frozenset().union(*(claim.roots for claim in stated))) for sentence, stated in read_claims
    )
    return Reading(found, telling(f"{note.name.replace('-', ' ').replace('_', ' ')} {note.description}"))


def _resolved(found: Iterable[Sentence]) -> Iterator[tuple[Sentence, str]]:
    """Yield sentences, each with what it says when its pronouns are replaced."""
    subject = ""
    for sentence in found:
        yield sentence, resolved(sentence.text, subject)
        if not starts_with_pronoun(sentence.text):
            subject = subject_of(sentence.text)


def contradictions(one: Note, other: Note) -> Contradiction | None:
    """Return the first contradiction of two notes, None where they agree or speak of different things."""
    return compare(read(one), read(other))


def compare(one: Reading, other: Reading) -> Contradiction | None:
    """Return the first contradiction of two notes that were read, in the order of the first one's sentences."""
    for sentence, left, roots in one.sentences:
        for another, right, others in other.sentences:
            if roots.isdisjoint(others) or sentence.text == another.text:
                continue
            found = _differ(left, right)
            if found:
                return Contradiction(sentence.span, another.span, *found)
    for newer, older, turned in ((other, one, False), (one, other, True)):
        pair = replaces(newer, older)
        if pair:
            found_pair = Contradiction(pair[1].span, pair[0].span, Kind.REPLACED, pair[2])
            return found_pair.turned() if turned else found_pair
    return None


def _differ(left: tuple[Claim, ...], right: tuple[Claim, ...]) -> tuple[Kind, str] | None:
    for one in left:
        for other in right:
            found = None if one.roots.isdisjoint(other.roots) else _found(one, other)
            if found:
                return found
    return None


def _found(one: Claim, other: Claim) -> tuple[Kind, str] | None:
    return (
        _opposite(one, other)
        or _unequal(one, other)
        or _assigned(one, other)
        or _alternative(one, other)
        or _reversed(one, other)
        or _qualified(one, other)
        or _preferred(one, other)
    )


@lru_cache(maxsize=1 << 14)
def _apart(one: frozenset[str], other: frozenset[str]) -> tuple[int, frozenset[str], frozenset[str]]:
    """Return how many words two claims share, and the words that only one of them has."""
    left, right = unmatched(one, other), unmatched(other, one)
    return min(len(one) - len(left), len(other) - len(right)), left, right


def _opposite(one: Claim, other: Claim) -> tuple[Kind, str] | None:
    if one.holds == other.holds or one.guarded or other.guarded:
        return None
    positive, negative = (one, other) if one.holds else (other, one)
    if (
        (positive.restricted and negative.negated)
        or unmatched(one.condition, other.condition)
        or unmatched(other.condition, one.condition)
    ):
        return None
    numbers = _numbers(one)
    if numbers != _numbers(other):
        return None
    shared, left, right = _apart(one.words, other.words)
    shared += len(numbers)
    if (left or right) and len(positive.words | positive.weak) < _FEWEST and positive.text.isascii():
        return None  # a word or two assert nothing
    extra = len(left) + len(right)
    if (left and right) or extra > _MOST_EXTRA or shared < max(2, extra):
        return None
    return Kind.POLARITY, _OPPOSITE


def _reversed(one: Claim, other: Claim) -> tuple[Kind, str] | None:
    """Find two ways of doing one thing of which only one can be had: by hand here, automatically there."""
    pairs = [n for n, side in one.poles if (n, not side) in other.poles]
    if not pairs or one.holds != other.holds or one.guarded or other.guarded or _numbers(one) != _numbers(other):
        return None
    mine, theirs = _all(one), _all(other)
    left, right = unmatched(mine, theirs), unmatched(theirs, mine)
    if not (left and right) or len(mine) - len(left) < 2 or one.condition != other.condition:
        return None
    for some, opposite in (lexicon.OPPOSITES[n] for n in pairs):
        if (left <= some and right <= opposite) or (left <= opposite and right <= some):
            return Kind.POLARITY, _OPPOSITE
    return None


def _qualified(one: Claim, other: Claim) -> tuple[Kind, str] | None:
    """Find two qualities said of one thing that it cannot have at once: public here, private there."""
    if one.holds != other.holds or one.guarded or other.guarded or one.condition != other.condition:
        return None
    for n, side in _qualities(one.text):
        if (n, 1 - side) in _qualities(other.text):
            mine, theirs = (_stemmed(lexicon.QUALITIES[n][each][0]) for each in (side, 1 - side))
            rest, others = one.words - mine, other.words - theirs
            if rest and not unmatched(rest, others) and not unmatched(others, rest):
                return Kind.POLARITY, _OPPOSITE
    return None


@lru_cache(maxsize=1 << 12)
def _qualities(text: str) -> frozenset[tuple[int, int]]:
    """Return which of `QUALITIES` a clause says of its subject, and of which side."""
    return frozenset(
        (n, side)
        for n, pair in enumerate(lexicon.QUALITIES)
        for side, (words, said) in enumerate(pair)
        if any(word in text for word in words) and said.search(text)
    )


@cache
def _stemmed(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


def _all(claim: Claim) -> frozenset[str]:
    return frozenset(word for word in claim.text.split() if word not in lexicon.AFFIRMATIVE and len(word) > 2)


def _preferred(one: Claim, other: Claim) -> tuple[Kind, str] | None:
    """Find two that each prefer what the other does not."""
    if one.prefers is None or other.prefers is None or one.holds != other.holds:
        return None
    (liked, left), (also_liked, also_left) = one.prefers, other.prefers
    crossed = _within_words(also_left, liked) and _within_words(left, also_liked) and not _within_words(left, liked)
    return (Kind.POLARITY, "Each prefers what the other does not.") if crossed else None


def _within_words(few: frozenset[str], many: frozenset[str]) -> bool:
    return bool(few) and not unmatched(few, many)


def _numbers(claim: Claim) -> frozenset[tuple[str, float]]:
    return frozenset((each.kind, each.value) for each in claim.quantities)


def _unequal(one: Claim, other: Claim) -> tuple[Kind, str] | None:
    if one.holds != other.holds or not (one.quantities and other.quantities):
        return None
    if _is_measured(one.text) != _is_measured(other.text):
        return None
    shared, left, right = _apart(one.words, other.words)
    left, right = left - _units(one), right - _units(other)
    if (left and right) or len(left) + len(right) > 2 or shared < 1:
        return None
    known = shared + (len(one.weak & other.weak) > 0)
    telling = shared > 2 or (known > 1 and one.leads and other.leads) or _skeleton(one) == _skeleton(other)
    same = not left and not right and one.leads and other.leads
    bounds = (one.upper and other.upper) or (one.lower and other.lower)
    for pair in _disagreeing(one, other):
        is_date = pair[0].kind in _DATES
        # Of one subject, word for word, a time or a bound needs nothing more in common.
        if telling or (same and (is_date or bounds)):
            return Kind.DATE if is_date else Kind.NUMBER, f"{pair[0].label} here, {pair[1].label} there."
    return None


@lru_cache(maxsize=1 << 12)
def _is_measured(text: str) -> bool:
    return lexicon.MEASURED.search(text) is not None


@lru_cache(maxsize=1 << 12)
def _is_beside(text: str) -> bool:
    return lexicon.BESIDE.search(text) is not None


def _units(claim: Claim) -> frozenset[str]:
    return frozenset(each.unit for each in claim.quantities if each.unit)


def _skeleton(claim: Claim) -> str:
    """Return a clause without its numbers."""
    text = claim.text
    for each in claim.quantities:
        text = text.replace(each.label, " ")
    return " ".join(text.split())


def _disagreeing(one: Claim, other: Claim) -> Iterator[tuple[Quantity, Quantity]]:
    """Yield a pair of quantities of one kind and unit of which the two claims have no value in common."""
    kinds = list(dict.fromkeys(each.kind for each in one.quantities))
    if "date" in kinds and any(each.kind == "date" for each in other.quantities):
        kinds = [kind for kind in kinds if kind != "month"]
    for kind in kinds:
        left = [each for each in one.quantities if each.kind == kind]
        right = [each for each in other.quantities if each.kind == kind]
        for a in left:
            for b in right:
                rivals = [each for each in right if _comparable(a, each)]
                met = any(_equal(x, y) for x in left if _comparable(x, b) for y in rivals)
                if b in rivals and not met and not _within(one, a, other, b):
                    yield a, b


def _equal(a: Quantity, b: Quantity) -> bool:
    slack = _CLOSE if a.kind in ("size", "time") else 1e-9
    return abs(a.value - b.value) <= slack * max(abs(a.value), abs(b.value))


def _comparable(a: Quantity, b: Quantity) -> bool:
    return a.kind != "count" or a.unit == b.unit or not (a.unit and b.unit)


def _within(one: Claim, a: Quantity, other: Claim, b: Quantity) -> bool:
    """Tell whether one number keeps to the bound that the other sets."""
    return (
        (one.upper and not other.upper and b.value <= a.value)
        or (other.upper and not one.upper and a.value <= b.value)
        or (one.lower and not other.lower and b.value >= a.value)
        or (other.lower and not one.lower and a.value >= b.value)
    )


def _assigned(one: Claim, other: Claim) -> tuple[Kind, str] | None:
    if one.holds != other.holds or _is_beside(one.text) or _is_beside(other.text):
        return None
    for a in assignments(one.text):
        for b in assignments(other.text):
            if a.disagrees(b):
                return Kind(a.kind), f"“{a.value}” here, “{b.value}” there."
    return None


def _alternative(one: Claim, other: Claim) -> tuple[Kind, str] | None:
    tools = None if _is_beside(one.text) or _is_beside(other.text) else alternatives(one, other)
    return (Kind.TOOL, f"“{tools[0]}” here, “{tools[1]}” there.") if tools else None
