"""What a secret rule is, and how the rules of providers' tokens are built."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from memory_lsp.core.secret_advice import ADVICE
from memory_lsp.core.secret_values import is_placeholder, naturalness
from memory_lsp.core.text import Span

# Text without a word of this length holds no provider's token, and most text has few such words.
LONG_WORD = 20
# How far behind a literal a match of a rule with a lead may reach.
LOOK_AHEAD = 160
# A token whose letters read like words this much is a name: `hf_model_name_of_the_encoder`.
_WORDS = 0.68


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a rule found: the span of the value alone, and whether it is a development default."""

    span: Span
    development: bool = False


Judge = Callable[[re.Match[str]], Verdict | None]


@dataclass(frozen=True, slots=True)
class Scan:
    """Many literals that begin outside ASCII: a pattern of their first characters, rare in most text, and theirs."""

    first: re.Pattern[str]
    words: re.Pattern[str]

    def hits(self, text: str) -> Iterator[int]:
        """Yield where the literals begin."""
        if not text.isascii() and (rare := self.first.search(text)):
            for match in self.words.finditer(text, rare.start()):
                yield match.start()


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: literals that are searched first, a pattern tried at each of them, a judge of the match.

    The pattern is matched at the literal, or searched from `lead` characters before it to `LOOK_AHEAD` after it.
    `long_word` rules see only the words of `LONG_WORD` or more characters between white space; without literals their
    pattern is searched in each of those. `fold` literals are lower-case and meet every case. `scan` finds further
    literals, those that begin outside ASCII. Where `telling` finds nothing between a match and the end of its line (it
    must find line ends too), `quiet` judges instead of `judge`. Every repetition in a pattern is bounded, so the time
    is linear in the text.
    """

    id: str
    name: str
    literals: tuple[str, ...]
    pattern: re.Pattern[str]
    judge: Judge
    advice: str = ""
    fold: bool = False
    scan: Scan | None = None
    lead: int = 0
    long_word: bool = False
    telling: re.Pattern[str] | None = None
    quiet: Judge | None = None


def is_cut_short(text: str, end: int) -> bool:
    """Tell whether an ellipsis follows: then only the beginning of a token is shown."""
    return text.startswith(("...", "…", "***", "[…", "[..."), end) or text.startswith("...", end - 3)


def judge_token(match: re.Match[str]) -> Verdict | None:
    """Accept a token unless the part behind its prefix is a placeholder or made of words."""
    groups = match.groupdict()
    whole: str | int = "value" if groups.get("value") is not None else 0
    body = groups.get("tail") or groups.get("body") or match.group(whole)
    if is_placeholder(body) or naturalness(body) > _WORDS or is_cut_short(match.string, match.end(whole)):
        return None
    return Verdict(Span(*match.span(whole)))


def words_pattern(words: Iterable[str]) -> str:
    """Return the pattern that finds the longest of the words at a place."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def scan_for(words: Collection[str]) -> Scan:
    """Return the scan that finds the words, which begin outside ASCII."""
    first = "".join(sorted({word[0] for word in words}))
    return Scan(re.compile(f"[{first}]"), re.compile(words_pattern(words)))


def token_rule(rule: str, name: str, prefixes: str, body: str) -> Rule:
    """Return the rule of a token that begins with one of the prefixes, which spaces separate."""
    literals = tuple(prefixes.split())
    start = "|".join(re.escape(literal) for literal in literals)
    # A prefix begins the token, or follows an escaped line end (`\\n`) in a quoted string.
    pattern = rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))(?:{start})(?P<body>{body})(?![A-Za-z0-9])"
    return Rule(rule, name, literals, re.compile(pattern), judge_token, ADVICE.get(rule, ""), long_word=True)


def inner_rule(rule: str, name: str, literals: str, pattern: str, lead: int) -> Rule:
    """Return the rule of a token with a literal inside it, at most `lead` characters from its start."""
    compiled = re.compile(rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])")
    words = tuple(literals.split())
    return Rule(rule, name, words, compiled, judge_token, ADVICE.get(rule, ""), lead=lead, long_word=True)


def word_rule(rule: str, name: str, pattern: str) -> Rule:
    """Return the rule of a token known by its structure alone."""
    compiled = re.compile(rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])")
    return Rule(rule, name, (), compiled, judge_token, ADVICE.get(rule, ""), long_word=True)
