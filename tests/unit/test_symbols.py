"""Outline, symbol search, folding, growing selections, colours."""

from __future__ import annotations

import pytest
from fixtures import note_of, parse_vault
from memory_lsp.core.fuzzy import fuzzy_score
from memory_lsp.core.highlighting import tokens
from memory_lsp.core.structure import enclosing_spans, fold_lines
from memory_lsp.core.symbols import Section, find_symbols, outline

VAULT = parse_vault(
    """
    /project/error-budget.md
    ---
    name: Error budget
    aliases: [EB, budget for errors]
    ---
    # Error budget
    ## How it is spent
    /feedback/tables.md
    # Tables
    ## How to draw one
    """
).snapshot()


def tree(sections: tuple[Section, ...]) -> list[object]:
    return [[section.heading.text, *tree(section.children)] for section in sections]


def test_the_outline_nests_headings_by_level() -> None:
    note = note_of("# A\n## B\n### C\n## D\n# E\n### F\n")
    assert tree(outline(note)) == [["A", ["B", ["C"]], ["D"]], ["E", ["F"]]]


def test_a_section_ends_where_the_next_of_its_level_begins() -> None:
    text = "# A\n\none\n\n## B\n\ntwo\n\n# C\n"
    first = outline(note_of(text))[0]
    assert first.span.of(text) == "# A\n\none\n\n## B\n\ntwo"
    assert first.children[0].span.of(text) == "## B\n\ntwo"


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("Error budget", "project/error-budget.md"),
        ("error-budget", "project/error-budget.md"),
        ("budget for", "project/error-budget.md"),
        ("EB", "project/error-budget.md"),
        ("erbu", "project/error-budget.md"),
        ("feedback/tab", "feedback/tables.md"),
        ("draw one", "feedback/tables.md"),
    ],
)
def test_a_symbol_is_found_by_name_file_alias_path_and_heading(query: str, path: str) -> None:
    assert find_symbols(VAULT, query)[0].path == path


def test_a_blank_query_gives_the_notes() -> None:
    assert {symbol.name for symbol in find_symbols(VAULT, " ")} == {"Error budget", "EB", "budget for errors", "tables"}


def test_what_does_not_fit_is_not_found() -> None:
    assert find_symbols(VAULT, "zzz") == []


def test_better_matches_score_higher() -> None:
    names = ["plan", "plan-b", "the-plan", "explanation", "p-l-a-n"]
    scores = [fuzzy_score("plan", name) for name in names]
    assert all(score is not None for score in scores)
    assert scores == sorted(scores, key=lambda score: -(score or 0.0))


@pytest.mark.parametrize(
    ("text", "folds"),
    [
        ("---\nname: a\n---\ntext\n", [(0, 2)]),
        ("# A\n\none\n\n# B\n", [(0, 2)]),
        ("# A\n\n```\ncode\n```\n", [(0, 4), (2, 4)]),
        ("- a\n- b\n- c\n", [(0, 2)]),
        ("one\ntwo\n", [(0, 1)]),
        ("one\n", []),
    ],
)
def test_blocks_of_several_lines_fold(text: str, folds: list[tuple[int, int]]) -> None:
    assert [(fold.start, fold.end) for fold in fold_lines(note_of(text))] == folds


def test_a_growing_selection_takes_more_each_time() -> None:
    text = "# A\n\nSee [[some-note]] here.\nMore.\n\n# B\n"
    spans = [span.of(text) for span in enclosing_spans(note_of(text), text.index("note") + 1)]
    assert spans[:4] == ["some-note", "[[some-note]]", "See [[some-note]] here.", "See [[some-note]] here.\nMore.\n"]
    assert spans[-1] == text


def test_tokens_tell_what_links_lead_to() -> None:
    snapshot = parse_vault(
        """
        /a.md
        ---
        tags: [x]
        ---
        [[old]] [[new]] [[none]] [t](new.md)
        /old.md
        # Old
        /new.md
        ---
        supersedes: old
        ---
        """
    ).snapshot()
    text = snapshot.notes["a.md"].text
    found = [(token.span.of(text), str(token.kind), str(token.state)) for token in tokens(snapshot, "a.md")]
    assert found == [
        ("x", "tag", ""), ("[[old]]", "link", "superseded"), ("[[new]]", "link", "resolved"),
        ("[[none]]", "link", "dangling"), ("new.md", "link", "resolved"),
    ]  # fmt: skip
