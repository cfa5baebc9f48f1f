"""Comments of every language: what is one, what only looks like one, and that hostile text costs no more than other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_rig import REPOSITORY
from fixtures import LINEAR, growth
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.comment_syntax import ALIASES, LANGUAGES, SYNTAXES
from memory_lsp.core.comments import find_comments
from memory_lsp.core.sources import LARGEST, comment_at, parse_source
from memory_lsp.core.text import Span

_PARTS = re.split(r"(?m)^@@ (\S+)\n", (Path(__file__).parent / "comment_cases.txt").read_text(encoding="utf-8"))
CASES = dict(zip(_PARTS[1::2], _PARTS[2::2], strict=True))


@pytest.mark.parametrize("language", CASES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_links_count_in_comments_only(language: str, line_end: str) -> None:
    text = CASES[language].replace("\n", line_end)
    found = [link.span for link in parse_source("f", text, language).links]
    assert found == [Span(*match.span()) for match in re.finditer(r"\[\[yes\]\]", text)]
    assert found


def test_every_language_has_a_case() -> None:
    assert list(CASES) == sorted(SYNTAXES.keys() & LANGUAGES)
    assert all(name in SYNTAXES for name in ALIASES.values())
    assert not ALIASES.keys() & SYNTAXES.keys()


@pytest.mark.parametrize(
    ("language", "text"),
    [("sh", "# [[a]]"), ("bash", "# [[a]]"), ("typescriptreact", "// [[a]]"), ("cs", "// [[a]]"), ("tex", "% [[a]]")],
)
def test_other_names_of_a_language(language: str, text: str) -> None:
    assert parse_source("f", text, language).links


def test_the_docs_list_every_language() -> None:
    section = (REPOSITORY / "docs" / "editors.md").read_text(encoding="utf-8").partition("\nKnown are")[2]
    assert re.findall(r"`([\w-]+)`", section.partition("): ")[2]) == list(CASES)


def test_notes_have_no_comments() -> None:
    assert not parse_source("f", "# [[a]]", "markdown").links


@pytest.mark.parametrize(
    ("comment", "targets"),
    [
        ("[[a]] [[b|label]] [[c#heading]] ![[d]]", ["a", "b", "c", "d"]),
        ("(see [[a]], [[[b]]].)", ["a", "b"]),
        ("见[[a]]", ["a"]),
        ("[[2024-06-01]] [[a note]] [[user/a]]", ["2024-06-01", "a note", "user/a"]),
        ("`[[a]]` and ``[[b]]`` but [[c]]", ["c"]),
        ("[[1, 2]] [[0.5]] [[-1,2]] [[]]", []),
        ("if [[ -f a ]] [[ b]] [[c ]]", []),
        ('x[[a]] f(x)[[b]] l["k"][[c]] l[["d"]]', []),
        ("[[]] [[#heading]] [[a\n# ]]", []),
    ],
)
def test_what_in_a_comment_is_a_link(comment: str, targets: list[str]) -> None:
    assert [link.target for link in parse_source("f.py", f"# {comment}", "python").links] == targets


def test_attributes_are_no_links_where_a_language_has_them() -> None:
    text = "// [[nodiscard]] int f(); [[gnu::pure]] [[note]]"
    assert [link.target for link in parse_source("f", text, "cpp").links] == ["note"]
    assert len(parse_source("f", text, "typescript").links) == 3


def test_docstrings_are_statements() -> None:
    def inner(text: str) -> list[str]:
        return [comment.inner.of(text) for comment in find_comments(text, "python")]

    assert inner('"""a"""\n') == ["a"]
    assert inner('# c\n\n"""a"""') == [" c", "a"]
    assert inner('x = 1\n"""a"""') == ["a"]
    assert inner('def f():  # why (\n    """a\n    b"""') == [" why (", "a\n    b"]
    assert inner('x = """a"""\ny = (\n"""b""")\nz = 1; """c"""\nf"""d"""\nb"""e"""') == []
    assert inner('"""never closed') == ["never closed"]


def test_a_comment_that_is_being_typed() -> None:
    text = 'x = 1 # see [[\ny = "# [['
    comment = comment_at(text, "python", 14)
    assert comment is not None
    assert comment.span == Span(6, 14)
    assert comment_at(text, "python", len(text)) is None
    assert comment_at(text, "python", 3) is None


def test_a_file_beyond_the_limit_has_no_links() -> None:
    text = "# [[a]]\n"
    assert parse_source("f", text.ljust(LARGEST), "python").links
    assert not parse_source("f", text.ljust(LARGEST + 1), "python").links
    assert comment_at(text.ljust(LARGEST + 1), "python", 4) is None


def test_a_lone_surrogate_does_no_harm() -> None:
    (link,) = parse_source("f", "# \ud800 [[a]]", "python").links
    assert link.span == Span(4, 9)


PIECES = [
    "/*", "*/", "//", "\n", "\r\n", "`", "${", "}", "{", "/", "[", "[[", "]]", "=", "'", '"', '"""', "'''", "<<A\n",
    "A\n", "#", "--", "(*", "*)", "{-", "-}", "\\", 'r#"', 'R"a(', "<script>", "</script>", "<?php ", "?>", "<!--",
    "--[[", "%", "x ", " ", ";", "[[a]]", "😀",
]  # fmt: skip


@given(st.sampled_from(sorted(LANGUAGES)), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@settings(max_examples=400)
def test_comments_are_in_the_text_and_in_order(language: str, text: str) -> None:
    at = 0
    for comment in find_comments(text, language):
        assert at <= comment.span.start <= comment.inner.start <= comment.inner.end <= comment.span.end <= len(text)
        assert comment.span.start < comment.span.end
        at = comment.span.end
    for link in parse_source("f", text, language).links:
        assert link.span.of(text).startswith("[[")
        assert link.span.of(text).endswith("]]")


@given(st.sampled_from(sorted(LANGUAGES)), st.text(max_size=200))
def test_no_text_fails(language: str, text: str) -> None:
    parse_source("f", text, language)


@pytest.mark.parametrize("language", sorted(SYNTAXES))
def test_hostile_texts_cost_what_they_are_long(language: str) -> None:
    pairs = [first + second for first in PIECES[:-1] for second in ("", "[", "\n", first[::-1])]

    def read(size: int) -> None:
        for pair in pairs:
            list(find_comments(pair * (size // len(pair)), language))

    assert growth(read, 200) < LINEAR


@pytest.mark.parametrize("language", ["javascript", "python", "rust", "shellscript", "html"])
@pytest.mark.parametrize("piece", [*PIECES[:-2], "=/[=", "// [[", "[[a", '"""x"""', "# [[a]] ", "a=/[", "{" * 9])
def test_links_of_hostile_texts(language: str, piece: str) -> None:
    assert growth(lambda size: parse_source("f", piece * (size // len(piece)) + "\n# [[a]]", language), 10_000) < LINEAR
