"""What a markdown destination says, and which destinations lead out of the directory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_lsp.core.links import decode, is_url, raw_destination

URLS = ["https://a.b", "http:x", "mailto:a@b.c", "file:///a.md", "//host/a", "vscode://x", "data:,x", "a+b.c-1:x"]
PATHS = ["a.md", "/a", "./a", "../a b.md", "C:/a.md", "c:\\a", "#h", "", "2024:plan.md", "a/b:c", "é:x", ":x", "/a//b"]


@pytest.mark.parametrize("destination", URLS)
def test_a_scheme_or_a_host_leads_out(destination: str) -> None:
    assert is_url(destination)


@pytest.mark.parametrize("destination", PATHS)
def test_all_else_is_a_path(destination: str) -> None:
    assert not is_url(destination)


DECODED = [
    ("a%20b", "a b"), ("%C3%B8", "ø"), ("%ff", "\ufffd"), ("100%", "100%"), ("%zz", "%zz"), ("a\\_b", "a_b"),
    ("a\\b", "a\\b"), ("&amp;", "&"), ("\\&amp;", "&amp;"), ("&#233;&#xE9;", "éé"), ("&nope;", "&nope;"),
    ("&amp", "&amp"), ("%2525", "%25"), ("a+b", "a+b"), ("a|b", "a|b"), ("a\\|b", "a|b"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "path"), DECODED)
def test_a_destination_is_decoded_once(raw: str, path: str) -> None:
    assert decode(raw) == path


@given(st.text())
def test_any_destination_is_decoded(raw: str) -> None:
    assert isinstance(decode(raw), str)


PLACES = [
    ("(a.md)", "a.md"), ("(a.md 'x')", "a.md"), ("( \n a.md )", "a.md"), ("(<a b.md>)", "a b.md"), ("(a(b)c)", "a(b)c"),
    ("(a\\)b)", "a\\)b"), ("(<a\\>b>)", "a\\>b"), ("()", ""), ("(<>)", ""), ("(a", "a"), ("(<a", "a"), ("(a))", "a"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "raw"), PLACES)
def test_the_raw_destination_is_found(source: str, raw: str) -> None:
    assert raw_destination(source, 1, len(source)).of(source) == raw
