"""Find the credentials that a text holds, each as the span of its value alone."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from memory_lsp.core.secret_context import CONTEXT_RULES
from memory_lsp.core.secret_phrases import PHRASE_RULES
from memory_lsp.core.secret_random import RANDOM_RULES
from memory_lsp.core.secret_rule import LONG_WORD, LOOK_AHEAD, Rule, Verdict
from memory_lsp.core.secret_tokens import TOKEN_RULES
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Iterable, Iterator

    from memory_lsp.core.secret_rule import Judge

__all__ = ["REDACT_EVERYWHERE", "RULES", "Rule", "Secret", "contains_secret", "find_secrets", "redact"]

# Of two findings that overlap, the one of the earlier rule counts.
RULES: tuple[Rule, ...] = (*TOKEN_RULES, *CONTEXT_RULES, *PHRASE_RULES, *RANDOM_RULES)
REDACT_EVERYWHERE = 8


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential in a text: where it is and what it is, never its value."""

    span: Span
    rule: str
    name: str
    digest: str
    advice: str
    development: bool


def find_secrets(text: str, *, disabled: Collection[str] = (), allowed: Collection[str] = ()) -> tuple[Secret, ...]:
    """Return the secrets of a text, sorted by span, none overlapping another.

    `disabled` holds rule ids and `allowed` SHA-256 digests (hexadecimal) of values; what they name is left out, and no
    other rule reports it instead. Spans are code-point offsets. Time is linear in the text. Never raises.
    """
    taken: list[tuple[Verdict, Rule]] = []
    covered = bytearray(len(text))
    for rule, verdict in _verdicts(text):
        start, end = verdict.span.start, verdict.span.end
        if start < end and covered.find(1, start, end) < 0:
            covered[start:end] = b"\1" * (end - start)
            taken.append((verdict, rule))
    taken.sort(key=lambda found: found[0].span)
    secrets = (_secret(text, verdict, rule) for verdict, rule in taken if rule.id not in disabled)
    return tuple(secret for secret in secrets if secret.digest not in allowed)


def contains_secret(text: str, *, disabled: Collection[str] = (), allowed: Collection[str] = ()) -> bool:
    """Tell whether the text holds a secret that is more than a development default."""
    return any(not secret.development for secret in find_secrets(text, disabled=disabled, allowed=allowed))


def redact(text: str, secrets: Iterable[Secret]) -> str:
    """Return the text with each secret replaced by a reference such as `${REDACTED_GITHUB_TOKEN}`.

    A value of eight or more characters is replaced wherever it occurs again. `secrets` are those of this text.
    """
    parts: list[str] = []
    values: dict[str, str] = {}
    done = 0
    for secret in sorted(secrets, key=lambda secret: secret.span):
        reference = "${REDACTED_" + secret.rule.upper().replace("-", "_") + "}"
        parts += text[done : secret.span.start], reference
        done = secret.span.end
        if len(value := secret.span.of(text)) >= REDACT_EVERYWHERE and not secret.development:
            values[value] = reference
    redacted = "".join([*parts, text[done:]])
    for value in sorted(values, key=len, reverse=True):
        redacted = redacted.replace(value, values[value])
    return redacted


def _secret(text: str, verdict: Verdict, rule: Rule) -> Secret:
    digest = hashlib.sha256(verdict.span.of(text).encode("utf-8", "surrogatepass")).hexdigest()
    return Secret(verdict.span, rule.id, rule.name, digest, rule.advice, verdict.development)


def _verdicts(text: str) -> Iterator[tuple[Rule, Verdict]]:
    """Yield what each rule finds, in the order of the rules."""
    lowered = _lowered(text)
    words = _LongWords(text)
    for rule in RULES:
        if not rule.long_word:
            found = _at_literals(rule, text, lowered if rule.fold else text)
        elif not rule.literals:
            found = _in_words(rule, text, words.spans)
        else:
            found = map(words.place, _at_literals(rule, words.joined, words.joined))
        for verdict in found:
            yield rule, verdict


def _in_words(rule: Rule, text: str, spans: tuple[Span, ...]) -> Iterator[Verdict]:
    for span in spans:
        for match in rule.pattern.finditer(text, span.start, span.end):
            if verdict := rule.judge(match):
                yield verdict


def _at_literals(rule: Rule, text: str, searched: str) -> Iterator[Verdict]:
    tells = _Tells(rule, text)
    for hit in _hits(rule, searched):
        match = (
            rule.pattern.search(text, max(0, hit - rule.lead), hit + LOOK_AHEAD)
            if rule.lead
            else rule.pattern.match(text, hit)
        )
        if match and (verdict := tells.judge(match)(match)):
            yield verdict


class _Tells:
    """Chooses the judge of a match. What tells is searched once for all the matches before it."""

    __slots__ = ("_next", "_rule", "_since", "_text")

    def __init__(self, rule: Rule, text: str) -> None:
        self._rule = rule
        self._text = text
        self._since, self._next = 0, -1  # between these two offsets nothing tells

    def judge(self, match: re.Match[str]) -> Judge:
        rule, end = self._rule, match.end()
        if rule.telling is None or rule.quiet is None:
            return rule.judge
        if not self._since <= end <= self._next:
            found = rule.telling.search(self._text, end)
            self._since, self._next = end, found.start() if found else len(self._text)
        return rule.quiet if self._text[self._next : self._next + 1] in "\r\n" else rule.judge


def _hits(rule: Rule, searched: str) -> Iterator[int]:
    for literal in rule.literals:
        hit = searched.find(literal)
        while hit >= 0:
            yield hit
            hit = searched.find(literal, hit + 1)
    if rule.scan:
        yield from rule.scan.hits(searched)


def _lowered(text: str) -> str:
    # U+0130 is the one character whose small letter is two characters, which would shift all offsets behind it.
    return text.replace("\u0130", "I").lower()


class _LongWords:
    """The words of `LONG_WORD` or more characters: their spans, and their texts joined by line ends.

    Clean text has few of them, so that searching a hundred literals in `joined` costs next to nothing.
    """

    __slots__ = ("_starts", "joined", "spans")

    def __init__(self, text: str) -> None:
        words = [word for word in text.split() if len(word) >= LONG_WORD]
        spans: list[Span] = []
        end = 0
        for word in words:
            start = text.index(word, end)
            end = start + len(word)
            spans.append(Span(start, end))
        self.spans = tuple(spans)
        self.joined = "\n".join(words)
        self._starts = list(accumulate((len(word) + 1 for word in words), initial=0))

    def place(self, verdict: Verdict) -> Verdict:
        """Return a verdict about `joined` as one about the text."""
        word = bisect_right(self._starts, verdict.span.start) - 1
        shift = self.spans[word].start - self._starts[word]
        return Verdict(Span(verdict.span.start + shift, verdict.span.end + shift), verdict.development)
