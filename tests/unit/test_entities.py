from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_lsp.core.entities import entities


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("We met Ada Lovelace there.", {"ada lovelace"}),
        ("It is at the University of Chicago's lab.", {"university of chicago"}),
        ("With Ada Lovelace and Grace Hopper.", {"ada lovelace and grace hopper", "ada lovelace", "grace hopper"}),
        ("ask Ximena, or Élan Vital", {"ximena", "élan vital"}),
        ("in January 2009 only", {"january 2009"}),
        ("see SPORE_BUFFER_DIR and foo_bar", {"spore_buffer_dir", "foo_bar"}),
        ("call formatTable in TableView", {"formattable", "tableview"}),
        ("fixed in #1482", {"#1482"}),
        ("run tests/fixtures/night.parquet now", {"tests/fixtures/night.parquet"}),
    ],
)
def test_a_text_names(text: str, named: set[str]) -> None:
    assert entities(text) == named


@pytest.mark.parametrize("text", ["Tables are best.", "- Tables are best.", "One. Two\n\nThree four", "the I of it"])
def test_a_capital_at_the_start_of_a_sentence_names_nothing(text: str) -> None:
    assert entities(text) == frozenset()


def test_a_name_at_the_start_counts_where_it_has_two_words() -> None:
    assert entities("Grace Hopper wrote it.") == {"grace hopper"}


def test_a_run_ends_with_the_sentence_and_the_line() -> None:
    assert entities("from New York. The Hague\nRome Express") == {"new york", "hague", "rome express"}


@given(st.text(max_size=300))
def test_nothing_raises_and_names_are_lower_case(text: str) -> None:
    assert all(name == name.lower() for name in entities(text))
