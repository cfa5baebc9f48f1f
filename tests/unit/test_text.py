"""Offsets and positions: the same place in utf-8, utf-16 and utf-32, on any text."""

from __future__ import annotations

import pytest
from fixtures import LINEAR, growth
from hypothesis import given
from hypothesis import strategies as st
from memory_lsp.core.text import Encoding, LineIndex, Span

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
# Lone surrogates reach us in JSON; all else that has a width of its own is in here too.
TEXTS = st.text(st.sampled_from("ab\n\r\t \0é\u0301ß\u2028\u0085開🗺\U0010ffff\ud800\udc00"), max_size=40)

# text, offset → line, and the column in utf-8, utf-16, utf-32
PLACES = [
    ("", 0, 0, (0, 0, 0)),
    ("ab", 2, 0, (2, 2, 2)),
    ("a\nb", 2, 1, (0, 0, 0)),
    ("a\r\nb", 3, 1, (0, 0, 0)),
    ("a\r\nb", 2, 0, (1, 1, 1)),
    ("a\rb", 2, 1, (0, 0, 0)),
    ("a\n", 2, 1, (0, 0, 0)),
    ("a\u2028b\x0bc\x85d", 6, 0, (9, 6, 6)),
    ("🗺[[x]]", 1, 0, (4, 2, 1)),
    ("é🗺\n開🗺x", 5, 1, (7, 3, 2)),
    ("e\u0301x", 2, 0, (3, 2, 2)),
    ("ab", 99, 0, (2, 2, 2)),
    ("ab", -1, 0, (0, 0, 0)),
]


@pytest.mark.parametrize(("text", "offset", "line", "columns"), PLACES)
def test_position(text: str, offset: int, line: int, columns: tuple[int, int, int]) -> None:
    lines = LineIndex(text)
    for encoding, column in zip(ENCODINGS, columns, strict=True):
        assert lines.position(offset, encoding) == (line, column)


# text, line, utf-16 column → offset
CLAMPED = [
    ("ab\ncd", 0, 99, 2),
    ("ab\r\ncd", 0, 99, 2),
    ("ab\ncd", 99, 0, 5),
    ("ab\ncd", -1, 5, 0),
    ("ab\ncd", 1, -1, 3),
    ("🗺x", 0, 1, 0),
    ("🗺x", 0, 2, 1),
    ("", 0, 0, 0),
    ("a\n", 1, 0, 2),
]


@pytest.mark.parametrize(("text", "line", "column", "offset"), CLAMPED)
def test_positions_clamp_into_the_text(text: str, line: int, column: int, offset: int) -> None:
    assert LineIndex(text).offset(line, column, "utf-16") == offset


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_offsets_and_positions_round_trip(text: str, encoding: Encoding) -> None:
    lines = LineIndex(text)
    for offset in range(len(text) + 1):
        line, column = lines.position(offset, encoding)
        inside_crlf = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
        assert lines.offset(line, column, encoding) == (offset - 1 if inside_crlf else offset)


@given(TEXTS, st.sampled_from(ENCODINGS), st.lists(st.integers(0, 40), max_size=12))
def test_columns_are_the_encoded_length_in_any_order_of_questions(
    text: str, encoding: Encoding, offsets: list[int]
) -> None:
    lines, (codec, width) = LineIndex(text), CODECS[encoding]
    for offset in offsets:
        offset = min(offset, len(text))
        line, column = lines.position(offset, encoding)
        before = text[lines.line_span(line).start : min(offset, lines.line_span(line).end)]
        # Two lone surrogates in a row are one character in utf-16, so each is encoded alone.
        assert column == sum(len(c.encode(codec, "surrogatepass")) // width for c in before)


@given(TEXTS)
def test_lines_are_those_of_lf_crlf_and_cr(text: str) -> None:
    lines = LineIndex(text)
    expected = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert [lines.line_span(n).of(text) for n in range(len(lines))] == expected


@given(TEXTS, st.integers(-3, 50), st.integers(-3, 90), st.sampled_from(ENCODINGS))
def test_any_position_is_an_offset_in_the_text(text: str, line: int, column: int, encoding: Encoding) -> None:
    assert 0 <= LineIndex(text).offset(line, column, encoding) <= len(text)


def test_many_places_on_one_long_line_cost_linear_time() -> None:
    def ask(count: int) -> None:
        lines = LineIndex("é" * count * 10)
        for offset in range(0, count * 10, 10):
            lines.position(offset, "utf-16")

    assert growth(ask, 1000) < LINEAR


def test_a_span_holds_its_end_and_covers_spans_inside() -> None:
    span = Span(2, 5)
    assert 2 in span and 5 in span and 6 not in span and 1 not in span
    assert span.covers(Span(2, 5)) and span.covers(Span(3, 3)) and not span.covers(Span(4, 6))
    assert span.of("abcdefg") == "cde"
