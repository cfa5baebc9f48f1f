"""The messages of the embedder's process: what is written is read, and nothing else is taken for a message."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_lsp.embedding import wire

numbers = st.integers(1, 1_000)
texts = st.lists(st.text(), max_size=8).map(tuple)
replies = st.one_of(
    st.builds(wire.Ready, numbers),
    st.builds(wire.LoadFailure, st.text(), st.booleans()),
    st.builds(wire.Answer, numbers, numbers, numbers, st.lists(st.integers(0, 8)).map(tuple)),
)
json_values = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists, max_leaves=4)
near_misses = st.dictionaries(st.sampled_from(["id", "rows", "dims", "failed", "ready", "error", "texts"]), json_values)


@given(replies)
def test_a_reply_is_read_as_it_was_written(reply: wire.Reply) -> None:
    line = wire.encode(reply)
    assert line.count(b"\n") == 1
    assert wire.decode_reply(line) == reply


@given(numbers, texts)
def test_a_request_is_one_line_whatever_its_texts_hold(number: int, contents: tuple[str, ...]) -> None:
    request = wire.Request(number, contents)
    line = wire.encode(request)
    assert line.count(b"\n") == 1
    assert wire.decode_request(line) == request


@given(st.binary() | near_misses.map(lambda record: json.dumps(record).encode()))
def test_anything_else_is_refused_with_one_error(line: bytes) -> None:
    for decode in (wire.decode_reply, wire.decode_request):
        with contextlib.suppress(wire.WireError):
            decode(line)


@pytest.mark.parametrize("key", ["id", "rows", "dims"])
@pytest.mark.parametrize("value", [0, -1, True, 1.0, "1", None, 10**30])
def test_a_number_out_of_bounds_is_refused(key: str, value: object) -> None:
    record = {"id": 1, "rows": 1, "dims": 1, "failed": [], key: value}
    with pytest.raises(wire.WireError, match=key):
        wire.decode_reply(json.dumps(record).encode())


def test_an_error_quotes_nothing_of_what_was_read() -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.decode_reply(b"a note's text")
    assert "note" not in str(caught.value)


def test_the_size_of_an_answer_is_that_of_its_vectors() -> None:
    assert wire.Answer(1, 3, 384, ()).size == 3 * 384 * 4
