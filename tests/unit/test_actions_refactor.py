"""Refactorings: supersede, link a selection, extract one, and secrets moved out; whole texts throughout."""

from __future__ import annotations

import pytest
from actions_rig import after, check, offered
from fixtures import Vault, parse_vault
from memory_lsp.core.actions import Kind
from memory_lsp.core.lint import lint

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
OTHER = "ghp_" + "B1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"

SUPERSEDES = [
    ("name: a", "name: a\nsupersedes: [b]"),
    ("supersedes:", "supersedes: [b]"),
    ("supersedes: []", "supersedes: [b]"),
    ("supersedes: c", "supersedes: [c, b]"),
    ("supersedes: [c]", "supersedes: [c, b]"),
    ('supersedes: ["c"]', 'supersedes: ["c", b]'),
    ("supersedes: c, d", "supersedes: [c, d, b]"),
    ("supersedes:\n  - c", "supersedes:\n  - c\n  - b"),
    ("supersedes:\n- c\nx: y", "supersedes:\n- c\n- b\nx: y"),
    ("supersedes: [[c]]", "supersedes: [[c]], [[b]]"),
    ('supersedes:\n  - "[[c]]"', 'supersedes:\n  - "[[c]]"\n  - "[[b]]"'),
    ("metadata:\n  supersedes: [c]", "metadata:\n  supersedes: [c, b]"),
]


@pytest.mark.parametrize(("before", "expected"), SUPERSEDES)
def test_this_note_supersedes_the_linked_one(before: str, expected: str) -> None:
    others = "/b.md\nx\n/c.md\nx\n/d.md\nx\n"
    check(f"/a.md\n---\n{before}\n---\n[[b$0]]\n{others}", "This note supersedes “b”",
          f"/a.md\n---\n{expected}\n---\n[[b]]\n", kind=Kind.REWRITE)  # fmt: skip


def test_without_frontmatter_it_gets_some() -> None:
    check("/a.md\nIt replaces [[b$0]].\n/b.md\nx\n", "This note supersedes “b”",
          "/a.md\n---\nname: a\ndescription: It replaces b.\nsupersedes: [b]\n---\n\nIt replaces [[b]].\n",
          kind=Kind.REWRITE)  # fmt: skip


def test_the_linked_note_supersedes_this_one() -> None:
    check("/a.md\n[[b$0]]\n/b.md\n---\nname: b\n---\n", "“b” supersedes this note",
          "/b.md\n---\nname: b\nsupersedes: [a]\n---\n", kind=Kind.REWRITE)  # fmt: skip


def test_no_circle_and_nothing_twice() -> None:
    chain = "/a.md\n[[c$0]]\n/b.md\n---\nsupersedes: a\n---\n/c.md\n---\nsupersedes: b\n---\n"
    titles = offered(chain)
    assert "This note supersedes “c”" not in titles
    known = offered("/a.md\n---\nsupersedes: b\n---\n[[b$0]]\n/b.md\nx")
    assert not any("supersedes" in title for title in known)


SELECTED = [
    ("See $0release-steps$0.", "See [[release-steps]].", "release-steps"),
    ("See $0Release Steps$0.", "See [[release-steps|Release Steps]].", "release-steps"),
    ("See$0 EB $0now", "See [[EB]] now", "EB"),
    ("| $0Release steps$0 |", "| [[release-steps\\|Release steps]] |", "release-steps"),
    ("🗺 $0no mocks$0", "🗺 [[feedback_no_mocks|no mocks]]", "feedback_no_mocks"),
]


@pytest.mark.parametrize(("before", "expected", "name"), SELECTED)
def test_selected_text_becomes_a_link(before: str, expected: str, name: str) -> None:
    others = "/release-steps.md\n---\naliases: [EB]\n---\n/feedback_no_mocks.md\nx\n"
    check(f"/a.md\n{before}\n{others}", f"Link to “{name}”", f"/a.md\n{expected}\n", kind=Kind.REWRITE)


@pytest.mark.parametrize(
    "text",
    ["`$0b$0`", "[[$0b$0]]", "[$0b$0](x.md)", "$0unknown$0", "$0a$0", "---\nname: $0b$0\n---\n", "```\n$0b$0\n```"],
)
def test_no_link_where_none_would_be_read(text: str) -> None:
    assert not any(title.startswith("Link to") for title in offered(f"/a.md\n{text}\n/b.md\nx"))


def test_extract_a_section() -> None:
    check(
        "/project/a.md\n---\nname: a\ntype: project\n---\n# A\n\n$0## Release steps\n\n"
        "Tag it. Push [it](b.md#h).\n$0\n## Rest\n"
        "/project/b.md\n# h\n",
        "Extract to project/release-steps.md",
        "/project/a.md\n---\nname: a\ntype: project\n---\n# A\n\n[[release-steps]]\n\n## Rest\n"
        "/project/release-steps.md\n---\nname: release-steps\ndescription: Tag it.\ntype: project\n---\n\n"
        "## Release steps\n\nTag it. Push [it](b.md#h).\n",
        kind=Kind.EXTRACT,
    )  # fmt: skip


def test_extract_words_and_adapt_what_is_relative() -> None:
    check(
        "/notes/a.md\n---\nname: a\ntype: user\n---\n# Top\n\n"
        "$0The limit is [here](b.md), [[#Top]], [x](../c.md) and [p](p.svg).$0\n"
        "/notes/b.md\nx\n/c.md\nx\n/notes/p.svg\nx\n/user/u.md\nx\n",
        "Extract to user/the-limit-is-here-top-x.md",
        "/notes/a.md\n---\nname: a\ntype: user\n---\n# Top\n\n[[the-limit-is-here-top-x]]\n"
        "/user/the-limit-is-here-top-x.md\n---\nname: the-limit-is-here-top-x\n"
        "description: The limit is here, Top, x and p.\ntype: user\n---\n\n"
        "The limit is [here](../notes/b.md), [[a#Top]], [x](../c.md) and [p](../notes/p.svg).\n",
        kind=Kind.EXTRACT,
    )  # fmt: skip


def test_links_to_what_is_extracted_follow() -> None:
    source = "/a.md\n# A\n\n$0## Part one\n\ntext ^id$0\n\n[[#Part one|l]]\n"
    source += "/b.md\n[[a#Part one]] [t](a.md#part-one) [[a#^id]] [[a#A]]\n"
    check(
        source,
        "Extract to part-one.md",
        "/a.md\n# A\n\n[[part-one]]\n\n[[part-one#Part one|l]]\n"
        "/b.md\n[[part-one#Part one]] [t](part-one.md#part-one) [[part-one#^id]] [[a#A]]\n"
        "/part-one.md\n---\nname: part-one\ndescription: text\n---\n\n## Part one\n\ntext ^id\n",
        kind=Kind.EXTRACT,
    )
    vault = parse_vault(source)
    snapshot = Vault(after(vault, offered(source)["Extract to part-one.md"])).snapshot()
    assert not [item.code for path in snapshot.notes for item in lint(snapshot, path) if "dangling" in item.code]


def test_an_extracted_note_is_listed_and_its_name_is_free() -> None:
    source = "/a.md\n$0Some words$0\n/some-words.md\nx\n/MEMORY.md\n- [[a]]\n- [[some-words]]\n"
    check(
        source, "Extract to some-words-2.md",
        "/a.md\n[[some-words-2]]\n/some-words-2.md\n---\nname: some-words-2\ndescription: Some words\n---\n\n"
        "Some words\n"
        "/MEMORY.md\n- [[a]]\n- [[some-words]]\n- [[some-words-2]] — Some words\n",
        kind=Kind.EXTRACT,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: $0a value here\n---\n text$0", "[[b$0 and more text$0]]", "```\n$0some code here$0\n```", "$0  $0",
        "[t][r] and $0words here\n\n[r]: b.md$0", f"$0{TOKEN} words$0", "# Half $0a heading\n\nand text$0",
    ],
)  # fmt: skip
def test_what_cannot_stand_alone_is_not_extracted(text: str) -> None:
    assert not any(title.startswith("Extract") for title in offered(f"/a.md\n{text}\n/b.md\nx"))


def test_a_secret_is_moved_out_everywhere() -> None:
    reference = "${REDACTED_GITHUB_TOKEN}"
    check(
        f"/a.md\nkey: $0{TOKEN} (rotate)\n\n    {TOKEN}\n", f"Replace the GitHub token by {reference}",
        f"/a.md\nkey: {reference} (rotate)\n\n    {reference}\n", preferred=True,
    )  # fmt: skip
    check(
        f"/a.md\n---\nname: a\ntoken: $0{TOKEN}\n---\n{OTHER}\n", "Replace all 2 secrets by references",
        f"/a.md\n---\nname: a\ntoken: {reference}\n---\n{reference}\n",
    )  # fmt: skip


def test_a_title_or_a_subject_tells_no_secret() -> None:
    actions = offered(f"/a.md\n$0{TOKEN}\n\n[[x]]\n")
    assert actions and not any(TOKEN in title for title in actions)
