"""The numbers, times and dates of a clause, in units in which they can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_lsp.core import claim_words as lexicon
from memory_lsp.core.stop_words import STOP_WORDS
from memory_lsp.core.tokens import stem

_HAN_DIGITS = {**{digit: n for n, digit in enumerate("零一二三四五六七八九")}, "〇": 0, "两": 2}
_HAN_TENS = {"十": 10, "百": 100, "千": 1000, "万": 10000}
_HAN_NUMBER = re.compile(r"(\d+(?:\.\d+)?|[零〇一二两三四五六七八九十百千万]+)\s*(个月|小时|分钟|毫秒|[^\W\d_a-z]?)")
_HAN_WEEKDAY = re.compile(r"(?:周|星期|礼拜)([一二三四五六日天])")
_HAN_MONTH = re.compile(r"(\d{1,2}|十[一二]?|[一二三四五六七八九])月(?:(\d{1,2}|[一二三四五六七八九十]+)[日号])?")
_HAN_CLOCK = re.compile(r"(上午|下午|晚上|早上|中午)?(\d{1,2}|[一二两三四五六七八九十]+)点(半)?")
_HAN_WEEKDAYS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "日": 7, "天": 7}
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_CLOCK = re.compile(r"\b([01]?\d|2[0-4])(?:[:h]([0-5]\d)(?:\s*(am|pm|uhr))?|\.([0-5]\d)\s*uhr)\b|"
                    r"\b(1[0-2]|[1-9])\s*(am|pm|uhr)\b")  # fmt: skip
_HALF = re.compile(r"\bhal(?:f|be[rsn]?) (?:an? |der )?([^\W\d_]+)")
_WORD = re.compile(r"\d+(?:\.\d+)*(?![\w-])|[^\W_]+(?:[-_./+#'’][^\W_]+)*[+#]*|%|€|\$")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)\b")
_TO = frozenset(("to", "through", "until", "bis", "a", "al"))


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it counts or measures: `kind` is a dimension, `unit` what is counted, "" where that is open.

    Times are in seconds, sizes in bytes, times of day in minutes; a weekday is 1 to 7.
    """

    kind: str
    value: float
    unit: str = ""
    label: str = ""  # as written


def take_quantities(text: str) -> tuple[tuple[Quantity, ...], str]:
    """Return the quantities of a folded clause, and the clause without them; counted things stay in it."""
    found: list[Quantity] = []
    text = _take_dates(text, found)
    text = _take_han(text, found)
    text = _HALF.sub(r"0.5 \1", text)
    found += _numbers(text)
    return tuple(found), _without_numbers(text)


def _take_dates(text: str, found: list[Quantity]) -> str:
    for match in _ISO.finditer(text):
        month, day = int(match[2]), int(match[3])
        found += [Quantity("month", month, "", match[0]), Quantity("date", month * 100 + day, "", match[0])]
    text = _ISO.sub(" ", text)
    for match in _CLOCK.finditer(text):
        hour, minute = int(match[1] or match[5]), int(match[2] or match[4] or 0)
        half = match[3] or match[6]
        hour = hour % 12 + (12 if half == "pm" else 0) if half in ("am", "pm") else hour
        found.append(Quantity("clock", hour * 60 + minute, "", match[0].strip()))
    return _CLOCK.sub(" ", text)


def _take_han(text: str, found: list[Quantity]) -> str:
    if text.isascii():
        return text

    def weekday(match: re.Match[str]) -> str:
        found.append(Quantity("weekday", _HAN_WEEKDAYS[match[1]], "", match[0]))
        return " "

    def month(match: re.Match[str]) -> str:
        found.append(Quantity("month", han_number(match[1]), "", match[0]))
        if match[2]:
            found.append(Quantity("date", han_number(match[1]) * 100 + han_number(match[2]), "", match[0]))
        return " "

    def clock(match: re.Match[str]) -> str:
        hour = han_number(match[2]) + (12 if match[1] in ("下午", "晚上") and han_number(match[2]) < 12 else 0)
        found.append(Quantity("clock", hour * 60 + (30 if match[3] else 0), "", match[0]))
        return " "

    def number(match: re.Match[str]) -> str:
        if match[1] in ("一", "万", "千", "百") and not match[2]:
            return match[0]
        value, unit = han_number(match[1]), match[2] or ""
        if not unit and match[1].isdigit():
            return match[0]
        kind, size = ("time", lexicon.TIME[unit]) if unit in lexicon.TIME else ("count", 1.0)
        found.append(Quantity(kind, value * size, "" if kind == "time" else unit, match[0]))
        return " "

    text = _HAN_WEEKDAY.sub(weekday, text)
    text = _HAN_MONTH.sub(month, text)
    text = _HAN_CLOCK.sub(clock, text)
    return _HAN_NUMBER.sub(number, text)


def han_number(text: str) -> float:
    """Return the value of a number in digits or in Chinese."""
    if text[0].isdigit():
        return float(text)
    total, current = 0.0, 0.0
    for character in text:
        if character in _HAN_DIGITS:
            current = float(_HAN_DIGITS[character])
        else:
            total += (current or 1.0) * _HAN_TENS[character]
            current = 0.0
    return total + current


def _numbers(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    tokens = _WORD.findall(_ORDINAL.sub(r"\1", text))
    at = 0
    while at < len(tokens):
        start, value = at, _value(tokens[at])
        at += 1
        word = tokens[start]
        before, behind = tokens[start - 1] if start else "", tokens[at] if at < len(tokens) else ""
        if word in lexicon.WEEKDAYS:
            first = lexicon.WEEKDAYS[word]
            last = lexicon.WEEKDAYS.get(tokens[at + 1], first) if behind in _TO and at + 1 < len(tokens) else first
            found += [Quantity("weekday", day, "", word) for day in range(first, max(first, last) + 1)]
        elif word in lexicon.MONTHS:
            found += _month(word, before, behind)
        elif word in lexicon.CLOCK:
            found.append(Quantity("clock", lexicon.CLOCK[word], "", word))
        elif value is not None:
            while at < len(tokens) and tokens[at] in lexicon.MULTIPLIERS:
                value, at = value * lexicon.NUMBERS[tokens[at]], at + 1
            behind = tokens[at] if at < len(tokens) else ""
            found += _number(value, word, before, behind)
    return found


def _month(word: str, before: str, behind: str) -> list[Quantity]:
    month = lexicon.MONTHS[word]
    day = next((number for number in (before, behind) if number.isdigit() and 1 <= int(number) <= 31), "")
    dates = [Quantity("date", month * 100 + int(day), "", f"{day} {word}")] if day else []
    return [Quantity("month", month, "", word), *dates]


def _number(value: float, word: str, before: str, behind: str) -> list[Quantity]:
    label = f"{word} {behind}".strip()
    if before in lexicon.MONTHS or behind in lexicon.MONTHS:
        return []
    exact = float(word) if word.count(".") == 1 else value
    if behind in lexicon.TIME:
        return [Quantity("time", exact * lexicon.TIME[behind], "", label)]
    if behind in lexicon.SIZE:
        return [Quantity("size", exact * lexicon.SIZE[behind], "", label)]
    if behind in lexicon.PERCENT:
        return [Quantity("percent", value, "", label)]
    if before == "at" and value <= 24 and not behind:
        return [Quantity("clock", value * 60, "", word)]
    if word in lexicon.ARTICLES and (not behind or behind in lexicon.WEAK):
        return []
    is_unit = behind.isalpha() and behind not in lexicon.TOOL_WORDS and behind not in STOP_WORDS
    unit = behind if is_unit else ""
    return [Quantity("count", value, stem(unit), label if unit else word)]


def _value(token: str) -> float | None:
    if token[0].isdigit():
        if not token.replace(".", "").isdigit():
            return None
        major, *rest = token.split(".")
        # 3.12 is above 3.9 where it is a version, and no number is told from a version that equals it.
        return float(f"{major}.{rest[0]:0>4}" if rest and len(rest[0]) > 1 else ".".join((major, *rest[:1])))
    return lexicon.NUMBERS.get(token)


def _without_numbers(text: str) -> str:
    kept = []
    for word in _WORD.findall(_ORDINAL.sub(r"\1", text)):
        counted = _value(word) is not None or word in lexicon.WEEKDAYS or word in lexicon.MONTHS
        measured = word in lexicon.TIME or word in lexicon.SIZE or word in lexicon.PERCENT or word in lexicon.CLOCK
        if not (counted or measured):
            kept.append(word)
    return " ".join(kept)
