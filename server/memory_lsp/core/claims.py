"""What a sentence claims, clause by clause: of what, whether it holds or not, with which numbers and dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from memory_lsp.core import claim_words as lexicon
from memory_lsp.core.quantities import Quantity, take_quantities
from memory_lsp.core.stop_words import STOP_WORDS
from memory_lsp.core.tokens import UNSPACED_RUN, fold, stem
from memory_lsp.core.tool_kinds import KINDS, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD = re.compile(r"[^\W_]+(?:[-_./+#][^\W_]+)*[+#]*")
# A clause ends at these; what follows gives a reason, or says another thing.
_CLAUSE = re.compile(r"[,;:()（），、：—–]+|\s-\s|\b(?:because|since|so that|so|which|whose|while|although|but|"
                     r"whatever|weil|denn|damit|obwohl|sondern|aber|porque|pero|aunque|sino)\b")  # fmt: skip
_CODE = re.compile(r"`([^`]*)`")
# What a description such as "How reports are sent" names is a topic.
_QUESTION = re.compile(r"(?:what|who|whom|whose|how|why|where|which|was|wer|wen|wie|warum|wo|"
                       r"welche[rsnm]?|que|quien|como|donde|cual|cuando|por que)\b|"
                       r"(?:谁|什么|怎么|如何|为什么|哪)")  # fmt: skip
_DIGIT_COMMA = re.compile(r"(?<=\d),(?=\d{3}\b)")
_FEWEST_ALIKE = 4
# Points of the compass to a Spaniard.
_STOP = STOP_WORDS - {"sur", "este"}
_LISTED = lexicon.NEGATIVE | lexicon.AFFIRMATIVE | lexicon.WEAK


def _quoted(code: re.Match[str]) -> str:
    """Return code as words that no list of common words holds: `any` is a type there, and `for` a keyword."""
    words = code[1].split()
    common = (word for word in words if word.lower() in _STOP or word.lower() in _LISTED)
    marked = {word: f"{word}_code" for word in common}
    return " ".join(marked.get(word, word) for word in words)


@dataclass(frozen=True, slots=True)
class Claim:
    """A clause. `words` are its telling words, stemmed; `text` is it folded, for the patterns that read order."""

    text: str
    words: frozenset[str]
    weak: frozenset[str]
    holds: bool
    negated: bool  # whether a word says so, rather than the lack of one
    quantities: tuple[Quantity, ...]
    upper: bool
    lower: bool
    condition: frozenset[str]
    guarded: bool  # holds an exception
    restricted: bool  # holds an "only"
    leads: bool  # whether it is the first clause of its sentence, or all of it
    roots: frozenset[
        str
    ]  # how its words begin, and what its tools are for: of two claims that share none no rule speaks
    poles: frozenset[tuple[int, bool]]  # which of `OPPOSITES` it holds, and of which side
    prefers: tuple[frozenset[str], frozenset[str]] | None  # of "a over b", both


@lru_cache(maxsize=4096)
def claims(text: str) -> tuple[Claim, ...]:
    """Return the claims of a sentence: each clause, and the whole where only its first clause may deny something."""
    plain = fold(_DIGIT_COMMA.sub("", _CODE.sub(_quoted, text)))
    if plain.rstrip(" \"')”").endswith(("?", "？")) or _QUESTION.match(plain):
        return ()
    parts = [part.strip(" .!…。！\"'”’)") for part in _CLAUSE.split(plain)]
    parts = [part for part in parts if part]
    guarded = any(word in lexicon.EXCEPTION for word in _WORD.findall(plain)) or bool(
        lexicon.HAN_EXCEPTION.search(plain)
    )
    condition = frozenset(_stems(word for part in parts if _is_condition(part) for word in _WORD.findall(part)))
    parts = [part for part in parts if not _is_condition(part)]
    found = [_claim(part, guarded, condition, leads=n == 0) for n, part in enumerate(parts)]
    if len(found) > 1 and not any(claim.negated for claim in found[1:]):
        found.insert(0, _claim(" ".join(parts), guarded, condition, leads=True))
    return tuple(claim for claim in found if claim.words or claim.quantities)


def alike(first: str, second: str) -> bool:
    """Tell whether two stems are forms of one word."""
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    if len(shorter) < _FEWEST_ALIKE or len(longer) - len(shorter) > 4 or not longer.isalpha():
        return False
    return longer.startswith(shorter) or (len(shorter) >= 5 and longer.startswith(shorter[:-1]))


def unmatched(words: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """Return the words of which no form is among the others."""
    others = tuple(others)
    return frozenset(word for word in words if word not in others and not any(alike(word, other) for other in others))


def telling(text: str) -> frozenset[str]:
    """Return the telling words of any text, stemmed."""
    words, _ = _words(fold(text))
    return words


def _is_condition(part: str) -> bool:
    first = _WORD.match(part)
    return bool(first and first[0] in lexicon.CONDITIONAL)


def _claim(part: str, guarded: bool, condition: frozenset[str], *, leads: bool) -> Claim:
    upper, lower = bool(lexicon.UPPER.search(part)), bool(lexicon.LOWER.search(part))
    text = part
    for pattern, put in lexicon.REWRITES:
        text = pattern.sub(put, text)
    whole = text
    text, _, _ = text.partition(_instead(text))
    head, inner = _split_condition(text)
    quantities, rest = take_quantities(head)
    negatives, rest = _polarity(rest)
    words, weak = _words(rest)
    raw = frozenset(_WORD.findall(text))
    poles = frozenset(
        (n, side == 1) for n, pair in enumerate(lexicon.OPPOSITES) for side in (0, 1) if not pair[side].isdisjoint(raw)
    )
    prefers = lexicon.PREFERS.search(whole)
    roots = frozenset(word[:_FEWEST_ALIKE] for word in words) | _kinds(text)
    restricted = any(word in lexicon.RESTRICTION for word in _WORD.findall(part)) or "只" in part
    return Claim(
        " ".join(text.split()), words, weak, negatives % 2 == 0, negatives > 0, quantities, upper, lower,
        condition | inner, guarded, restricted, leads,
        roots, poles, (telling(prefers[1]), telling(prefers[2])) if prefers else None,
    )  # fmt: skip


def _kinds(text: str) -> frozenset[str]:
    return frozenset(kind for word in _WORD.findall(joined(text)) for kind in KINDS.get(word, ()))


def _instead(text: str) -> str:
    match = lexicon.INSTEAD.search(text)
    return match[0] if match else "\0"


def _split_condition(text: str) -> tuple[str, frozenset[str]]:
    """Return a clause without a condition behind it, and the words of the condition."""
    for match in _WORD.finditer(text):
        if match[0] in lexicon.CONDITIONAL and match.start() > 0:
            return text[: match.start()], frozenset(_stems(_WORD.findall(text[match.end() :])))
    return text, frozenset()


def _polarity(text: str) -> tuple[int, str]:
    """Return how often a clause is turned around, and the clause without the words that do it."""
    count, kept, before = 0, list[str](), ""
    for word in _WORD.findall(text):
        if word in lexicon.NEGATIVE:
            count += 1
        elif before in ("no", "kein", "keine", "sin", "without", "ohne") and word in lexicon.WEAK:
            kept.append(f"{word}_denied")  # what is denied counts, however weak its word
        elif word not in lexicon.AFFIRMATIVE:
            kept.append(word)
        before = word
    rest = " ".join(kept)
    if UNSPACED_RUN.search(rest):
        count += len(lexicon.HAN_NEGATIVE.findall(rest))
        rest = lexicon.HAN_AFFIRMATIVE.sub(" ", lexicon.HAN_NEGATIVE.sub(" ", rest))
    return count, rest


def _words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    strong, weak = set[str](), set[str]()
    for word in _WORD.findall(text):
        if UNSPACED_RUN.search(word):
            for run in UNSPACED_RUN.findall(lexicon.HAN_STOP.sub(" ", word)):
                strong.update([run[at : at + 2] for at in range(len(run) - 1)] or [run])
            strong.update(part for part in UNSPACED_RUN.split(word) if len(part) > 1)
        elif word in lexicon.WEAK:
            weak.add(stem(word))
        elif word not in _STOP:
            strong.update(_stems((word,)))
    return frozenset(strong), frozenset(weak)


def _stems(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        if word in _STOP or word in lexicon.AFFIRMATIVE or word in lexicon.CONDITIONAL:
            continue
        # `two-factor` and `log.info` are compared as they are, so are forms of a plain word by their stem.
        yield stem(word.removesuffix("'s").removesuffix("’s"))
