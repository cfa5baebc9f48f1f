"""Settings: what clients send, what is taken, and what is said about the rest."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_lsp.config import Settings, options, read_settings
from memory_lsp.core.lint_codes import CODES, Severity

TAKEN = [
    ({"directories": ["~/notes", "memory"]}, "directories", ("~/notes", "memory")),
    ({"exclude": []}, "exclude", ()),
    ({"embedding": {"backend": "none"}}, "embedding.backend", "none"),
    ({"embedding": {"idleTimeout": 0}}, "embedding.idle_timeout", 0.0),
    ({"embedding.model": "x"}, "embedding.model", "x"),
    ({"retrieval": {"limit": 8.0}}, "retrieval.limit", 8),
    ({"retrieval": {"maxDepth": 0}}, "retrieval.max_depth", 0),
    ({"retrieval.maxDepth": 3}, "retrieval.max_depth", 3),
    ({"retrieval": {"limit": 3}, "retrieval.seeds": 4}, "retrieval.seeds", 4),
    ({"retrieval.seeds": 4, "retrieval": {"limit": 3}}, "retrieval.limit", 3),
    ({"retrieval": {"threshold": -1}}, "retrieval.threshold", -1.0),
    ({"tags": {"inline": True}}, "tags.inline", True),
    ({"diagnostics": {"dangling-link": "error"}}, "diagnostics", {"dangling-link": "error"}),
    ({"diagnostics": {"dangling-link": False}}, "diagnostics", {"dangling-link": "off"}),
    ({"diagnostics.dangling-link": "hint"}, "diagnostics", {"dangling-link": "hint"}),
]


def value_at(settings: Settings, path: str) -> object:
    value: object = settings
    for part in path.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(("raw", "path", "expected"), TAKEN)
def test_value_is_taken(raw: dict[str, object], path: str, expected: object) -> None:
    settings, problems = read_settings(raw)
    found = value_at(settings, path)
    assert (found, type(found), problems) == (expected, type(expected), ())


REFUSED = [
    ({"directories": "notes"}, "memory.directories", "a list of texts"),
    ({"directories": [1]}, "memory.directories", "a list of texts"),
    ({"embedding": {"backend": "cuda"}}, "memory.embedding.backend", "auto, onnx, sentence-transformers, none"),
    ({"embedding": {"backend": []}}, "memory.embedding.backend", "one of"),
    ({"embedding": {"idleTimeout": -1}}, "memory.embedding.idleTimeout", "at least 0"),
    ({"embedding": 5}, "memory.embedding", "an object"),
    ({"retrieval": {"limit": 0}}, "memory.retrieval.limit", "from 1 to 1000"),
    ({"retrieval": {"limit": 2.5}}, "memory.retrieval.limit", "a whole number"),
    ({"retrieval": {"limit": True}}, "memory.retrieval.limit", "a whole number"),
    ({"retrieval": {"limit": "8"}}, "memory.retrieval.limit", "a whole number"),
    ({"retrieval": {"decay": float("nan")}}, "memory.retrieval.decay", "a number"),
    ({"retrieval": {"decay": float("inf")}}, "memory.retrieval.decay", "a number"),
    ({"retrieval": {"limit": float("inf")}}, "memory.retrieval.limit", "a whole number"),
    ({"tags": {"inline": "yes"}}, "memory.tags.inline", "true or false"),
    ({"tags": {"inline": 1}}, "memory.tags.inline", "true or false"),
    ({"diagnostics": {"dangling-link": "loud"}}, "memory.diagnostics.dangling-link", "off, hint"),
    ({"diagnostics": {"dangling-link": []}}, "memory.diagnostics.dangling-link", "off, hint"),
    ({"diagnostics": {"no-such": "off"}}, "memory.diagnostics.no-such", "no such"),
    ({"diagnostics": "off"}, "memory.diagnostics", "an object"),
    ("none", "memory", "an object"),
    ([], "memory", "an object"),
]


@pytest.mark.parametrize(("raw", "key", "said"), REFUSED)
def test_bad_value_falls_back_with_one_message_that_names_it(raw: object, key: str, said: str) -> None:
    settings, problems = read_settings(raw)
    assert settings == Settings()
    (problem,) = problems
    assert problem.startswith(f"{key}:") and said in problem


def test_a_bad_value_costs_no_other() -> None:
    settings, problems = read_settings({"retrieval": {"limit": "x", "seeds": 3}, "exclude": ["a"]})
    assert (settings.retrieval.limit, settings.retrieval.seeds, settings.exclude) == (8, 3, ("a",))
    assert len(problems) == 1


@pytest.mark.parametrize("raw", [None, {}, {"other": {"tool": 1}}, {"retrieval": {"limit": None}}, {"retrieval": None}])
def test_what_is_not_ours_is_ignored(raw: object) -> None:
    assert read_settings(raw) == (Settings(), ())


def test_later_settings_lie_over_earlier_ones() -> None:
    base, _ = read_settings({"retrieval": {"limit": 3, "seeds": 5}, "diagnostics": {"empty-name": "off"}})
    settings, _ = read_settings({"retrieval": {"limit": 4}, "diagnostics": {"dangling-link": "off"}}, base)
    assert (settings.retrieval.limit, settings.retrieval.seeds) == (4, 5)
    assert settings.severity("empty-name") is None and settings.severity("dangling-link") is None
    again, _ = read_settings({"retrieval": {"limit": "bad"}}, base)
    assert again.retrieval.limit == 3


def test_severities_come_from_the_code_unless_they_are_set() -> None:
    settings, _ = read_settings({"diagnostics": {"dangling-link": "error", "empty-name": "off"}})
    assert settings.severity("dangling-link") is Severity.ERROR
    assert settings.severity("empty-name") is None
    assert {code: Settings().severity(code) for code in CODES} == {code: CODES[code].severity for code in CODES}


def test_options_have_camel_case_keys_and_say_what_they_are_for() -> None:
    found = {option.key: option for option in options()}
    assert {"directories", "exclude", "embedding.idleTimeout", "retrieval.maxDepth", "diagnostics"} <= found.keys()
    assert all(option.doc.endswith(".") for option in found.values())
    assert found["retrieval.limit"].default == 8 and found["directories"].default == ()


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().retrieval.limit = 3  # type: ignore[misc]  # that is the test


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["retrieval", "limit", "embedding", "retrieval.limit", "diagnostics", "directories", "x.y", "."]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_gives_settings(raw: object) -> None:
    settings, problems = read_settings(raw)
    assert isinstance(settings, Settings)
    assert all(len(problem) < 300 for problem in problems)
