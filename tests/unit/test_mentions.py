"""Where a note names another one without a link, and how it becomes one."""

from __future__ import annotations

import pytest
from actions_rig import check, offered
from fixtures import LINEAR, growth, parse_vault
from memory_lsp.core.actions import Kind
from memory_lsp.core.mentions import mentions
from memory_lsp.core.note import parse
from memory_lsp.core.snapshot import Changes, Snapshot

OTHERS = """
/squash-on-landing.md
---
name: squash-on-landing
description: d
aliases: [one commit a change, "C# style", 合并提交规则]
---
/postgres.md
Eight letters.
/cache.md
Five letters.
/v1.2 plan.md
A dot.
/to be.md
Common words.
/p/twin-name.md
One.
/q/twin-name.md
Two.
"""

# What is enclosed by marks is found, and nothing else.
FOUND = {
    "words for hyphens": "/a.md\nWe $0squash on landing$0 now.",
    "any case": "/a.md\n$0Squash On Landing$0.",
    "spelled as it is": "/a.md\nas $0squash-on-landing$0 says, and $0squash_on_landing$0 too",
    "alias": "/a.md\nIt is $0one commit a change$0, always.",
    "one long word": "/a.md\nStored in $0Postgres$0, in $0postgres$0's tables.",
    "short word": "/a.md\nThe cache is cold.",
    "part of a longer word": "/a.md\npostgresql, xpostgres, postgres_url, pre-postgres, postgres-old",
    "part of an address": "/a.md\nhttps://postgres.example/postgres a@postgres.example ./postgres postgres.conf",
    "dot in the name": "/a.md\nthe $0v1.2 plan$0. Next.",
    "common words": "/a.md\nwe have to be there",
    "borne by two": "/a.md\nthe twin name",
    "across a line": "/a.md\nsquash on\nlanding",
    "across a block": "/a.md\n- squash on\n- landing",
    "code": "/a.md\n`squash on landing` and\n\n```\npostgres\n```\n\n    postgres\n",
    "heading": "/a.md\n# Squash on landing\n\nPostgres\n---\n",
    "comment": "/a.md\n<!-- postgres -->\n\ntext <!-- squash on landing -->",
    "frontmatter": "/a.md\n---\ndescription: postgres\n---\n$0postgres$0",
    "link": "/a.md\n[postgres](https://x.example) [[x|squash on landing]] ![postgres](p.png)",
    "linked anyway": "/a.md\n[[postgres]] and postgres, $0squash on landing$0",
    "itself": "/postgres.md\npostgres is $0squash on landing$0",
    "emphasis": "/a.md\n**$0postgres$0** and *$0squash on landing$0*",
    "table": "/a.md\n| a | b |\n|---|---|\n| $0postgres$0 | x |",
    "after an emoji": "/a.md\n🗺 $0postgres$0",
    "no spaces": "/a.md\n请看$0合并提交规则$0这一条。",
    "the index": "/MEMORY.md\n- $0squash on landing$0",
}


@pytest.mark.parametrize("source", FOUND.values(), ids=FOUND)
def test_names_of_other_notes_are_found_in_prose(source: str) -> None:
    vault = parse_vault("\n" + source)
    path = next(iter(vault.texts))
    rest = parse_vault(OTHERS).notes()
    rest.update(vault.notes())
    snapshot = Snapshot().updated(Changes(dict(rest)))[0]
    found = mentions(snapshot, snapshot.notes[path])
    assert [item.span for item in found] == [span for _, span in vault.spans]


def test_the_longest_name_counts() -> None:
    snapshot = parse_vault(
        "\n/a.md\nsee squash on landing day\n/squash on landing.md\nx\n/squash-on-landing-day.md\ny\n"
    ).snapshot()
    (found,) = mentions(snapshot, snapshot.notes["a.md"])
    assert found.path == "squash-on-landing-day.md"


def test_the_cost_grows_with_the_note_and_not_with_the_memory() -> None:
    def directory(size: int) -> Snapshot:
        notes = {
            f"n{number}.md": parse(f"n{number}.md", f"---\nname: note number {number}\n---\n") for number in range(size)
        }
        return Snapshot().updated(Changes(dict(notes)))[0]

    snapshot = directory(200)
    text = "see note number 7 and note number note number, " * 20
    assert growth(lambda size: mentions(snapshot, parse("n1.md", text * size)), 5) < LINEAR
    large, note = directory(4000), parse("n1.md", text * 10)
    found = [mentions(each, note) for each in (snapshot, large)]
    assert found[0] == found[1] != ()


def test_a_name_becomes_a_link_where_the_cursor_is() -> None:
    check(
        "\n/a.md\nStored in Post$0gres, or postgres.\n/postgres.md\nx",
        "Link to “postgres”",
        "\n/a.md\nStored in [[postgres|Postgres]], or postgres.\n",
        kind=Kind.REWRITE,
    )


def test_all_names_become_links_from_one_of_them_and_from_the_title() -> None:
    others = "/postgres.md\nx\n/squash-on-landing.md\ny"
    expected = "\n/a.md\n# Title\n\n[[postgres]] | [[squash-on-landing|squash on landing]], [[postgres]].\n"
    source = "\n/a.md\n# {}Title\n\npostgres | squash on {}landing, postgres.\n"
    expected = expected.replace("landing|", "landing\\|")
    for marks in (("$0", ""), ("", "$0")):
        check(source.format(*marks) + others, "Link all mentions of other notes", expected, kind=Kind.REWRITE)


def test_where_nothing_is_named_nothing_is_offered() -> None:
    titles = offered("\n/a.md\n# $0Title\n\ntext\n/postgres.md\nx")
    assert not [title for title in titles if title.startswith("Link")]
