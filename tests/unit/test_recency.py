"""Newer before older where it is asked for: by the frontmatter's dates, the same whenever it is asked."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest
from cli_rig import NO_MODEL, Shell, write
from memory_lsp.config import Settings
from memory_lsp.core.cascade import Step
from memory_lsp.core.graph import EdgeKind
from memory_lsp.core.note import parse
from memory_lsp.core.recency import Recency, day_of
from memory_lsp.core.retrieve import Options, retrieve
from memory_lsp.discovery import find_places
from memory_lsp.memory import open_memory
from test_spread import corpus, ids

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.core.retrieve import Answer, Corpus, Ranker

TEXTS = {"u/old": "apple pie with cream", "u/new": "apple pie with sugar", "u/other": "a bridge"}
DAYS = {"u/old": 0, "u/new": 90, "u/other": 90}
RANKERS: tuple[Ranker, ...] = ("spread", "cascade")


def dated(days: dict[str, int], **texts: str) -> Corpus:
    return replace(corpus(texts or TEXTS), days=days)


def asked(notes: Corpus, ranker: Ranker, weight: float, **more: object) -> Answer:
    return retrieve(notes, "apple pie", None, replace(Options(ranker=ranker, recency=Recency(weight, 90)), **more))


@pytest.mark.parametrize("ranker", RANKERS)
def test_of_two_equals_the_newer_comes_first_where_it_is_wanted(ranker: Ranker) -> None:
    older_first = {"u/a": "apple pie", "u/b": "apple pie"}
    notes = replace(corpus(older_first), days={"u/a": 0, "u/b": 90})
    assert ids(asked(notes, ranker, 0.0))[:2] == ["u/a", "u/b"]
    assert ids(asked(notes, ranker, 0.5))[:2] == ["u/b", "u/a"]


@pytest.mark.parametrize("ranker", RANKERS)
def test_half_of_the_share_is_lost_after_the_half_life_and_the_parts_still_sum_up(ranker: Ranker) -> None:
    plain = {result.id: result for result in asked(dated(DAYS), ranker, 0.0).results}
    aged = {result.id: result for result in asked(dated(DAYS), ranker, 0.4).results}
    assert aged["u/old"].score == pytest.approx(0.8 * plain["u/old"].score)
    assert aged["u/old"].parts["recency"] == pytest.approx(-0.2 * plain["u/old"].score)
    assert sum(aged["u/old"].parts.values()) == pytest.approx(aged["u/old"].score)
    assert dict(aged["u/new"].parts) == dict(plain["u/new"].parts)


@pytest.mark.parametrize("ranker", RANKERS)
def test_age_can_bring_in_what_was_beyond_the_limit(ranker: Ranker) -> None:
    texts = {f"u/{number:02}": "apple pie" for number in range(20)}
    notes = replace(corpus(texts), days={id: 400 if id == "u/19" else 0 for id in texts})
    found = asked(notes, ranker, 1.0, limit=3, seeds=20)
    assert ids(found)[0] == "u/19"
    assert len(found.results) == 3


def test_a_successor_does_not_inherit_the_age_of_what_it_replaces() -> None:
    notes = corpus(
        {"u/old": "apple pie with cream", "u/new": "another dessert", "u/third": "apple pie"},
        (("u/new", "u/old", EdgeKind.SUPERSEDES),),
    )
    notes = replace(notes, days={"u/old": 0, "u/new": 900, "u/third": 900})
    found = {result.id: result for result in asked(notes, "spread", 1.0).results}
    before = {result.id: result for result in asked(notes, "spread", 0.0).results}
    assert found["u/new"].score == before["u/new"].score
    assert found["u/old"].score < found["u/new"].score
    assert sum(found["u/old"].parts.values()) == pytest.approx(found["u/old"].score)


def test_a_contradicting_note_that_is_shown_too_loses_by_its_age() -> None:
    notes = corpus({"u/a": "apple pie", "u/b": "apple"}, (("u/a", "u/b", EdgeKind.CONTRADICTS),))
    notes = replace(notes, days={"u/a": 90, "u/b": 0})
    found = asked(notes, "spread", 0.5, gap=0.9)
    assert [step for result in found.results for step in result.path if step.kind] == [
        Step("u/b", EdgeKind.CONTRADICTS)
    ]
    assert found.results[1].parts["recency"] < 0


MTIME = datetime(2025, 6, 15, 12, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("updated: 2025-03-02\ncreated: 2024-01-01", date(2025, 3, 2)),
        ("created: 2024-01-01T10:00:00Z", date(2024, 1, 1)),
        ("date: 20240229", date(2024, 2, 29)),
        ("date: 2024/2/9", date(2024, 2, 9)),
        ("metadata:\n  updated: 2025-03-02", date(2025, 3, 2)),
        ("updated: soon\ncreated: 2024-01-01", date(2024, 1, 1)),
        ("updated: 2023-02-30", date(2025, 6, 15)),
        ("updated: 2999-01-01", date(2025, 6, 15)),
        ("name: x", date(2025, 6, 15)),
    ],
)
def test_the_frontmatter_tells_the_day_else_the_file_and_never_a_later_one(head: str, expected: date) -> None:
    assert day_of(parse("a.md", f"---\n{head}\n---\n\nText.\n"), MTIME) == expected.toordinal()


def test_nothing_tells_the_day_of_a_note_without_a_file() -> None:
    assert day_of(parse("a.md", "Text."), None) is None


def test_dates_come_from_the_notes_and_follow_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "user/one.md": "---\nupdated: 2024-01-01\n---\napple pie\n",
            "user/two.md": "---\nupdated: 2024-06-01\n---\napple pie\n",
        },
    )
    settings = Settings(retrieval=replace(Settings().retrieval, recency=0.5))
    memory = open_memory(find_places(tmp_path)[0], settings, "", None, write=False)
    memory.load()
    assert ids(memory.retrieve("apple", None)) == ["user/two", "user/one"]
    (tmp_path / "user" / "one.md").write_text("---\nupdated: 2025-01-01\n---\napple pie\n", "utf-8")
    memory.retriever.touch(memory.directory.refresh(["user/one.md"]).affected)
    assert ids(memory.retrieve("apple", None)) == ["user/one", "user/two"]


def test_the_command_line_explains_what_age_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, {"user/a.md": "apple pie\n", "user/b.md": "a bridge\n"})
    for name, year in (("a", 2020), ("b", 2025)):
        moment = datetime(year, 1, 1, tzinfo=UTC).timestamp()
        os.utime(tmp_path / "user" / f"{name}.md", (moment, moment))
    outcome = Shell(capsys)(
        "retrieve", "-d", tmp_path, "apple", "--explain", *NO_MODEL, "--set", "retrieval.ranker=cascade",
        "--set", "retrieval.recency=0.5",
    )  # fmt: skip
    assert outcome.lines == ["0.500  a  (seed, by keywords)", "       keywords 1.000 - recency 0.500"]
