"""What a sentence that begins with a pronoun speaks of: the subject of the sentence before it."""

from __future__ import annotations

import re

_PRONOUN = re.compile(r"\A(?:it|they|this|these|es|sie)\b(?!['’-])", re.IGNORECASE)
_OBJECT = re.compile(r"\b(?:it|them)(?=[.!]?\Z)", re.IGNORECASE)
_SUBJECT = re.compile(
    r"\A((?:[\w'’`./-]+ ){1,5}?)(?:(?:is|are|was|were|has|have|had|can|cannot|may|must|should|will|does|do|goes|go|"
    r"runs?|uses?|needs?|gets?|takes?|makes?|lives?|comes?|breaks?|works?|fails?|starts?|stores?|holds?|reads?|writes?|sends?|"
    r"keeps?|serves?|shows?|belongs?|ist|sind|war|hat|haben|wird|werden|lauft|laufen|lauft|muss|mussen|kann|konnen|soll|"
    r"sollen)\b|\w+ed\b)",
    re.IGNORECASE,
)  # fmt: skip
_NO_SUBJECT = re.compile(r"\A(?:it|they|this|these|that|there|he|she|we|you|i|nobody|somebody|everybody|es|sie|er|wir|"
                         r"man|if|when|while|since|for|in|on|at|after|before|by|with)\b", re.IGNORECASE)  # fmt: skip


def subject_of(sentence: str) -> str:
    """Return how a sentence names what it speaks of, "" where that cannot be told."""
    match = _SUBJECT.match(sentence)
    return "" if match is None or _NO_SUBJECT.match(sentence) else match[1].strip()


def starts_with_pronoun(sentence: str) -> bool:
    """Tell whether a sentence speaks of what the one before it named."""
    return _PRONOUN.match(sentence) is not None


def resolved(sentence: str, subject: str) -> str:
    """Return a sentence with the subject of the one before it where a pronoun stands for it."""
    if not subject:
        return sentence
    if starts_with_pronoun(sentence):
        return _PRONOUN.sub(lambda _: subject, sentence, count=1)
    return _OBJECT.sub(lambda _: subject, sentence, count=1)
