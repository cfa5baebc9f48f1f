from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_lsp.core.tokens import fold, stem, terms, words


@pytest.mark.parametrize(
    "forms",
    [
        ("table", "tables"),
        ("deploy", "deploys", "deployed", "deploying"),
        ("cache", "caches", "cached", "caching"),
        ("policy", "policies"),
        ("plan", "plans", "planned", "planning"),
        ("class", "classes"),
    ],
)
def test_the_forms_of_a_word_share_a_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["status", "analysis", "bus", "css", "ring", "red", "12345", "größe"])
def test_a_word_that_only_looks_like_a_form_stays(word: str) -> None:
    assert stem(word) == word


def test_case_accents_and_stop_words_do_not_count() -> None:
    assert terms("The CAFÉ and the Naïve") == terms("cafe naive")
    assert terms("Straße") == terms("STRASSE")
    assert terms("wie und der las") == Counter()


def test_scripts_without_spaces_give_pairs() -> None:
    assert set(terms("传感器校准")) == {"传感", "感器", "器校", "校准"}
    assert set(terms("表")) == {"表"}
    assert set(terms("ガード")) & set(terms("かーと")) == set()
    assert "한국" in terms("한국어")


def test_identifiers_count_whole_and_in_parts() -> None:
    assert {"spore_buffer_dir", "spor", "buffer", "dir"} <= set(terms("SPORE_BUFFER_DIR"))
    assert {"formattabl", "format", "tabl"} <= set(terms("formatTable"))
    assert {"httpserver", "http", "server"} <= set(terms("HTTPserver HttpServer"))
    assert terms("#1482")["1482"] == 1


def test_words_keep_order_and_stop_words() -> None:
    assert words("The release-checklist, v2: 校准 ok") == ["the", "release", "checklist", "v2", "校准", "ok"]


@given(st.text(max_size=200))
def test_folding_twice_is_folding_once_and_nothing_raises(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert all(count > 0 for count in terms(text).values())
    assert "" not in terms(text)
