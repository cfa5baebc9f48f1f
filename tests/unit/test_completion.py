"""Completion: what is offered at a cursor, in which order, and what the text is afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fixtures import parse_vault
from memory_lsp.core.completion import (
    MOST_ITEMS,
    Candidates,
    Closeness,
    Item,
    MissingNames,
    Proposals,
    Ranking,
    complete,
)
from memory_lsp.core.completion_context import Context, context_at

if TYPE_CHECKING:
    from memory_lsp.core.snapshot import Snapshot

NOTES = """
/project/router-limits.md
---
name: router-limits
description: How much the router takes
type: project
aliases: [RL, quota]
---

# Router limits

## Known limits

Sixty a minute. ^rate
/feedback/no_mocks.md
---
name: No mocks, ever
description: Tests use the real thing
tags: [testing, style]
---
/reference/déjà 漢字.md
text
/assets/map.svg
x
"""


def propose(source: str, recency: dict[str, float] | None = None) -> tuple[Snapshot, str, Context | None, Proposals]:
    """Complete at the one mark of the note `/project/here.md` beside NOTES."""
    vault = parse_vault(NOTES.lstrip("\n") + "/project/here.md\n" + source)
    snapshot, (path, offset) = vault.snapshot(), vault.cursor
    note = snapshot.notes[path]
    context = context_at(note, offset)
    if context is None:
        return snapshot, path, None, Proposals((), True)
    ranking = Ranking(Closeness().of(snapshot, path), recency or {})
    missing = MissingNames().of(snapshot)
    return snapshot, path, context, complete(snapshot, note, context, Candidates.of(snapshot), ranking, missing)


def labels(source: str) -> list[str]:
    return [item.label for item in propose(source)[3].items]


def accept(source: str, label: str) -> str:
    """Return the note's text after the item with this label was taken."""
    snapshot, path, context, proposals = propose(source)
    item = next((item for item in proposals.items if item.label == label), None)
    assert item is not None, f"{label} is not among {[item.label for item in proposals.items]}"
    assert context is not None
    text = snapshot.notes[path].text
    return text[: context.span.start] + context.before + item.insert + context.after + text[context.span.end :]


@pytest.mark.parametrize(
    ("source", "label", "result"),
    [
        pytest.param("see [[rou$0 now", "router-limits", "see [[router-limits]] now", id="closes an open link"),
        pytest.param("see [[rou$0]] now", "router-limits", "see [[router-limits]] now", id="keeps closing brackets"),
        pytest.param("see [[rou$0ter]] now", "router-limits", "see [[router-limits]] now",
                     id="replaces to the brackets"),
        pytest.param("see [[rou$0|limits]]", "router-limits", "see [[router-limits|limits]]", id="keeps the label"),
        pytest.param("| [[rou$0\\|limits]] |", "router-limits", "| [[router-limits\\|limits]] |",
                     id="keeps the escape"),
        pytest.param("[[rou$0#Known limits]]", "router-limits", "[[router-limits#Known limits]]",
                     id="keeps the anchor"),
        pytest.param("![[rou$0", "router-limits", "![[router-limits]]", id="embed"),
        pytest.param("🗺 漢 [[rou$0 🗺", "router-limits", "🗺 漢 [[router-limits]] 🗺", id="after an emoji"),
        pytest.param("[[déj$0", "déjà 漢字", "[[déjà 漢字]]", id="a name beyond ASCII"),
        pytest.param("[[漢$0", "déjà 漢字", "[[déjà 漢字]]", id="typed in another script"),
        pytest.param("[[quo$0", "quota", "[[quota]]", id="by alias"),
        pytest.param("[[no_m$0", "no_mocks", "[[no_mocks]]", id="by file name"),
        pytest.param("[[a]] and [[rou$0", "router-limits", "[[a]] and [[router-limits]]",
                     id="the second link of a line"),
        pytest.param("[[rou$0 and [[b]]", "router-limits", "[[router-limits]] and [[b]]",
                     id="an open link before another"),
        pytest.param("[[router-limits#kno$0", "Known limits", "[[router-limits#Known limits]]", id="heading"),
        pytest.param("[[router-limits#$0]]", "Known limits", "[[router-limits#Known limits]]",
                     id="heading of a closed link"),
        pytest.param("# Mine\n\n[[#mi$0", "Mine", "# Mine\n\n[[#Mine]]", id="own heading"),
        pytest.param("[[router-limits#^ra$0", "rate", "[[router-limits#^rate]]", id="block"),
        pytest.param("[[router-limits^ra$0", "rate", "[[router-limits#^rate]]", id="block without the hash"),
        pytest.param("[x](rou$0)", "router-limits.md", "[x](router-limits.md)", id="markdown path"),
        pytest.param("[x](../ref$0)", "../reference/déjà 漢字.md",
                     "[x](../reference/d%C3%A9j%C3%A0%20%E6%BC%A2%E5%AD%97.md)", id="markdown path, encoded"),
        pytest.param("[x](<../ref$0>)", "../reference/déjà 漢字.md", "[x](<../reference/déjà 漢字.md>)",
                     id="in angles"),
        pytest.param("![m](../assets/m$0)", "../assets/map.svg", "![m](../assets/map.svg)", id="picture"),
        pytest.param("[x](router-limits.md#kno$0)", "Known limits", "[x](router-limits.md#known-limits)", id="slug"),
        pytest.param("---\ndesc$0\n---\n", "description", "---\ndescription: \n---\n", id="frontmatter key"),
        pytest.param("---\ndesc$0: x\n---\n", "description", "---\ndescription: x\n---\n", id="key before a colon"),
        pytest.param("---\ntype: fe$0\n---\n", "feedback", "---\ntype: feedback\n---\n", id="type"),
        pytest.param("---\ntype:$0\n---\n", "user", "---\ntype: user\n---\n", id="type right after the colon"),
        pytest.param("---\ntags: [sty$0]\n---\n", "style", "---\ntags: [style]\n---\n", id="tag in a list"),
        pytest.param("---\ntags: [testing, sty$0]\n---\n", "style", "---\ntags: [testing, style]\n---\n",
                     id="second tag"),
        pytest.param("---\ntags:\n  - sty$0\n---\n", "style", "---\ntags:\n  - style\n---\n",
                     id="tag in a block list"),
        pytest.param("---\nsupersedes: rou$0\n---\n", "router-limits", "---\nsupersedes: router-limits\n---\n",
                     id="entry"),
        pytest.param('---\nsupersedes: ["no mocks, e$0"]\n---\n', "No mocks, ever",
                     '---\nsupersedes: ["No mocks, ever"]\n---\n', id="a quoted entry"),
        pytest.param("---\nsupersedes: ever$0\n---\n", "No mocks, ever",
                     '---\nsupersedes: "No mocks, ever"\n---\n', id="an entry that YAML would cut is quoted"),
        pytest.param("---\ncontradicts: \"[[rou$0]]\"\n---\n", "router-limits",
                     '---\ncontradicts: "[[router-limits]]"\n---\n', id="wikilink in frontmatter"),
    ],
)  # fmt: skip
def test_accepting_an_item_gives_this_text(source: str, label: str, result: str) -> None:
    assert accept(source, label) == result


@pytest.mark.parametrize(
    "source",
    [
        "plain te$0xt",
        "`[[rou$0`",
        "```\n[[rou$0\n```",
        "    [[rou$0",
        "[[router-limits|lab$0",
        "[x](https://exa$0)",
        "[[a]]$0",
        "---\nname: rou$0\n---\n",
    ],
)
def test_nothing_is_offered_where_nothing_of_ours_is_typed(source: str) -> None:
    assert propose(source)[3].items == ()


def test_a_note_is_not_offered_to_itself() -> None:
    assert "here" not in labels("[[$0")


def test_near_notes_come_first() -> None:
    assert labels("[[déjà 漢字]] [[$0")[0] == "déjà 漢字"


def test_among_equals_the_newest_comes_first() -> None:
    _, _, _, proposals = propose("[[$0", {"reference/déjà 漢字.md": 300.0, "feedback/no_mocks.md": 100.0})
    assert proposals.items[0].path == "reference/déjà 漢字.md"


def test_letters_in_order_are_enough() -> None:
    assert "router-limits" in labels("[[rtlm$0") or "router-limits" in labels("[[roli$0")


def test_names_without_a_note_are_offered() -> None:
    found = propose("[[to-come]] and [[to-come]], [[to$0")[3].items
    assert [item.label for item in found if item.is_missing] == ["to-come"]


def test_the_link_being_typed_is_no_missing_name() -> None:
    assert not any(item.is_missing for item in propose("[[nowhere$0]]")[3].items)


def test_a_name_that_two_notes_bear_is_spelled_so_that_it_means_the_right_one() -> None:
    vault = parse_vault("/user/x.md\na\n/project/x.md\nb\n/n.md\n[[x$0")
    snapshot, (path, offset) = vault.snapshot(), vault.cursor
    note = snapshot.notes[path]
    context = context_at(note, offset)
    assert context is not None
    ranking = Ranking({}, {})
    items = complete(snapshot, note, context, Candidates.of(snapshot), ranking, {}).items
    assert {(item.path, item.insert) for item in items} == {("user/x.md", "user/x"), ("project/x.md", "project/x")}


def test_present_keys_are_not_offered_again() -> None:
    assert "name" not in labels("---\nname: a\n$0\n---\n")


def test_many_notes_are_capped_and_said_to_be_incomplete() -> None:
    count = 3 * MOST_ITEMS
    files = "".join(f"/n{number:04}.md\ntext\n" for number in range(count))
    vault = parse_vault(files + "/here.md\n[[n0$0")
    snapshot, (path, offset) = vault.snapshot(), vault.cursor
    note = snapshot.notes[path]
    context = context_at(note, offset)
    assert context is not None
    proposals = complete(snapshot, note, context, Candidates.of(snapshot), Ranking({}, {}), {})
    assert len(proposals.items) == MOST_ITEMS
    assert not proposals.is_complete


def test_items_say_type_and_description() -> None:
    (item,) = [item for item in propose("[[router$0")[3].items if item.label == "router-limits"]
    assert (item.detail, item.description) == ("project", "How much the router takes")
    assert isinstance(item, Item)
