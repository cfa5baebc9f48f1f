"""Fixes for frontmatter: whole texts, the same values afterwards, no second block ever."""

from __future__ import annotations

import pytest
import yaml
from actions_rig import check, check_all_fixed, offered
from fixtures import note_of
from hypothesis import example, given
from hypothesis import strategies as st
from memory_lsp.core.actions import Kind, Place, findings_at, fixes
from memory_lsp.core.edits import apply_edits
from memory_lsp.core.note import parse
from memory_lsp.core.snapshot import Changes, Snapshot
from memory_lsp.core.text import Span

QUOTED = [
    ("description: port: 8080 is taken$0", 'description: "port: 8080 is taken"'),
    ("description: PR #762 and $0more", 'description: "PR #762 and more"'),
    ("description: a: b #c$0", 'description: "a: b #c"'),
    ("description: #only$0", 'description: "#only"'),
    ("description: say \"hi\": C:\\x$0", 'description: "say \\"hi\\": C:\\\\x"'),
    ("description: @home$0", 'description: "@home"'),
    ("description: `code` first$0", 'description: "`code` first"'),
    ("description: 限制: 8080 🗺$0", 'description: "限制: 8080 🗺"'),
    ("description: \"a\" and b$0", 'description: "\\"a\\" and b"'),
    ("description: \"not closed$0", 'description: "not closed"'),
    ("description:tight$0", "description: tight"),
    ("aliases:\n  - good\n  - a: b: c$0\n  - last", 'aliases:\n  - good\n  - "a: b: c"\n  - last'),
    ("tags: [a, b$0", "tags: [a, b]"),
    ("metadata:\n  note: a: b$0", 'metadata:\n  note: "a: b"'),
    ("description: one\n  two: three$0", 'description: "one two: three"'),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), QUOTED)
def test_quote_the_value(before: str, after: str) -> None:
    title = "Add the space behind the colon" if "tight" in before else "Quote the value"
    source = f"/a.md\n---\nname: a\ntype: user\n{before}\nlast: x\n---\n\nBody.\n"
    check(source, title, f"/a.md\n---\nname: a\ntype: user\n{after}\nlast: x\n---\n\nBody.\n", preferred=True)


def test_the_published_case_of_a_block_that_yaml_refuses() -> None:
    before = "---\nname: my-note\ndescription: port: $08080 is taken\ntype: reference\n---\n\nBody.\n"
    after = '---\nname: my-note\ndescription: "port: 8080 is taken"\ntype: reference\n---\n\nBody.\n'
    check(f"/my-note.md\n{before}", "Quote the value", f"/my-note.md\n{after}", preferred=True)
    assert len(offered(f"/my-note.md\n{before}")) == 1


@example("\xa0")
@example("\u2028x #y")
@example('"q": \\ \'')
@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=30))
def test_a_quoted_value_is_the_same_value_and_yaml(value: str) -> None:
    text = f"---\nname: n\ndescription: a: {value}\ntype: user\n---\n\nBody.\n"
    note = parse("n.md", text)
    snapshot = Snapshot().updated(Changes({"n.md": note}))[0]
    place = Place(snapshot, note, note.lines.line_span(2))
    for action in fixes(place, [item for item in findings_at(place) if item.code == "invalid-frontmatter"]):
        if action.title == "Quote the value":
            fixed = parse("n.md", apply_edits(text, action.edits))
            assert not [problem for problem in fixed.problems if problem.code == "invalid-frontmatter"]
            assert (fixed.name, fixed.description, fixed.type) == (note.name, note.description, note.type)
            assert fixed.frontmatter and fixed.text.count("\n---\n") == text.count("\n---\n")
            read = yaml.safe_load(fixed.frontmatter.inner.of(fixed.text))
            assert read["description"].strip() == note.description


def test_a_line_without_a_key_becomes_a_comment() -> None:
    check("/a.md\n---\nname: a\noops$0\n---\n", "Make the line a comment", "/a.md\n---\nname: a\n# oops\n---\n")


def test_a_key_that_stands_twice_is_left_to_its_author() -> None:
    assert offered("/a.md\n---\nname: a\nname: b$0\n---\n").keys() <= {"Make the line a comment"}


UNCLOSED = [
    ("$0---\nname: a\ndescription: d\n\n# Text\n", "---\nname: a\ndescription: d\n---\n\n# Text\n"),
    ("$0---\nname: a\ndescription: d\n--\n\nText\n", "---\nname: a\ndescription: d\n---\n\nText\n"),
    ("$0---\r\nname: a\r\ndescription: d\r\nText", "---\r\nname: a\r\ndescription: d\r\n---\r\nText"),
    ("$0---\nname: a\ndescription: d", "---\nname: a\ndescription: d\n---\n"),
    ("$0---\nname: a\ndescription: d\n\nText.\n\n---\n\nMore.\n",
     "---\nname: a\ndescription: d\n---\n\nText.\n\n---\n\nMore.\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), UNCLOSED)
def test_close_the_block(before: str, after: str) -> None:
    actions = offered(f"/a.md\n{before}")
    (action,) = [action for action in actions.values() if action.kind is Kind.QUICKFIX]
    assert action.title == "Close the frontmatter" and action.is_preferred
    assert apply_edits(before.replace("$0", ""), action.edits) == after


def test_merge_two_blocks() -> None:
    check(
        "/a.md\n---\nname: a\ndescription: d\n---\n\n$0---\ntype: user\ntags:\n  - x\n  # why\nname: a\n---\n\nText\n",
        "Merge the two blocks",
        "/a.md\n---\nname: a\ndescription: d\ntype: user\ntags:\n  - x\n  # why\n---\n\nText\n",
        preferred=True,
    )


def test_the_first_block_wins_and_the_title_says_so() -> None:
    check(
        "/a.md\n---\nname: a\ndescription: d\n---\n$0---\nname: b\ntype: user\n---\nText\n",
        "Merge the two blocks; `name` of the second is dropped",
        "/a.md\n---\nname: a\ndescription: d\ntype: user\n---\nText\n",
    )


@pytest.mark.parametrize("second", ["x: a: b", "oops: [a", "x: y\nx: z"])
def test_blocks_that_do_not_parse_are_not_merged(second: str) -> None:
    assert not any("Merge" in title for title in offered(f"/a.md\n---\nname: a\n---\n$0---\n{second}\n---\n"))


DESCRIBED = [
    ("$0---\nname: a\n---\n# A\n\nIt [[b|works]] *well*. More.\n",
     "It works well.", "---\nname: a\ndescription: It works well.\n---\n# A\n\nIt [[b|works]] *well*. More.\n"),
    ("$0---\nname: a\ndescription:\ntype: user\n---\nNote: one.\n",
     "Note: one.", '---\nname: a\ndescription: "Note: one."\ntype: user\n---\nNote: one.\n'),
    ("$0---\n---\n```\ncode\n```\n- list\n\n限制是八千。然后。\n",
     "限制是八千。", "---\ndescription: 限制是八千。\n---\n```\ncode\n```\n- list\n\n限制是八千。然后。\n"),
    ("$0---\r\ndescription: ''\r\n---\r\n# Title\r\n", "Title", "---\r\ndescription: Title\r\n---\r\n# Title\r\n"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "told", "after"), DESCRIBED)
def test_describe_the_note(before: str, told: str, after: str) -> None:
    action = offered(f"/a.md\n{before}")[f"Describe the note as “{told}”"]
    assert action.is_preferred and not action.is_safe
    assert apply_edits(before.replace("$0", "") + ("" if before.endswith("\n") else "\n"), action.edits) == after


def test_a_note_without_text_is_not_described() -> None:
    assert not any("Describe" in title for title in offered("/a.md\n$0---\nname: a\n---\n"))


def test_a_secret_is_no_description() -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    assert not any("Describe" in title for title in offered(f"/a.md\n$0---\nname: a\n---\nThe key is {token}.\n"))


ADDED = [
    ("/user/a.md", "# A $0note\n\nIt works. Yes.\n",
     "---\nname: a\ndescription: It works.\ntype: user\n---\n\n# A note\n\nIt works. Yes.\n"),
    ("/feedback_x.md", "$0\n", "---\nname: feedback_x\ndescription:\ntype: feedback\n---\n\n"),
    ("/a.md", "$0Text: x.\r\n", '---\r\nname: a\r\ndescription: "Text: x."\r\n---\r\n\r\nText: x.\r\n'),
    ("/project/a.md", "---\ntags: [x]\ndescription: d$0\n---\n",
     "---\ntags: [x]\ndescription: d\nname: a\ntype: project\n---\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "before", "after"), ADDED)
def test_add_what_is_missing(path: str, before: str, after: str) -> None:
    check(f"{path}\n{before}", "Add the missing frontmatter", f"{path}\n{after}", kind=Kind.REWRITE)


def test_nothing_is_added_to_a_block_that_is_broken_or_far_away() -> None:
    title = "Add the missing frontmatter"
    assert title not in offered("/a.md\n$0---\nname: a\noops\n---\n")
    assert title not in offered("/a.md\n# A\n\ntext\n\nfar$0 away")
    assert title not in offered("/MEMORY.md\n$0# Index")


def test_an_empty_name_is_the_files() -> None:
    title = "Name it “2024-06-01” as its file"
    for before in ("$0name:", "$0name: ''", "$0name: ", "$0name: |"):
        action = offered(f"/2024-06-01.md\n---\n{before}\ndescription: d\n---\n")[title]
        text = f"---\n{before.replace('$0', '')}\ndescription: d\n---\n"
        after = note_of(apply_edits(text, action.edits), "2024-06-01.md")
        assert after.name == "2024-06-01" and not after.problems and after.description == "d"


def test_a_type_is_meant_or_chosen() -> None:
    source = "/a.md\n---\nname: a\ndescription: d\ntype: {}$0\n---\n"
    check(source.format("'feedbak"[1:]), "Set the type to “feedback”",
          "/a.md\n---\nname: a\ndescription: d\ntype: feedback\n---\n", preferred=True)  # fmt: skip
    check(source.format("Projects"), "Set the type to “project”",
          "/a.md\n---\nname: a\ndescription: d\ntype: project\n---\n", preferred=True)  # fmt: skip
    titles = [title for title in offered(source.format("idea")) if title.startswith("Set")]
    assert titles == [f"Set the type to “{kind}”" for kind in ("user", "feedback", "project", "reference")]


def test_no_type_that_another_note_of_the_name_has() -> None:
    actions = offered("/p/x.md\n---\ntype: idea$0\n---\n/q/x.md\n---\ntype: project\n---\n")
    assert "Set the type to “project”" not in actions and "Set the type to “user”" in actions


def test_the_folder_decides_the_type() -> None:
    check("/user/a.md\n---\nmetadata:\n  type: \"project$0\"\n---\n", "Set the type to the folder's, “user”",
          "/user/a.md\n---\nmetadata:\n  type: \"user\"\n---\n", preferred=True)  # fmt: skip


def test_a_duplicate_gets_a_name_and_keeps_its_links() -> None:
    check(
        "/p/x.md\n---\nname: x$0\ndescription: d\n---\n/q/x.md\ny\n/a.md\n[[note/x]] [[q/x]] [t](p/x.md)\n",
        "Rename this note to “p-x”",
        "/p/x.md\n---\nname: p-x\ndescription: d\n---\n/a.md\n[[note/p-x]] [[q/x]] [t](p/x.md)\n",
    )


def test_fix_all_makes_every_safe_fix_at_once() -> None:
    check_all_fixed(
        "/user/a.md\n---\nname:\ndescription: a: b\ntype: project\ntags: x #y\n---\n---\naliases: [q]\n---\n"
        "# H\n\n[[B C]] and [[b c#d]] [[gone]]\n/b-c.md\n# D\n",
        "/user/a.md\n---\nname: a\ndescription: \"a: b\"\ntype: user\ntags: \"x #y\"\naliases: [q]\n---\n"
        "# H\n\n[[b-c]] and [[b-c#d]] [[gone]]\n",
    )  # fmt: skip


def test_fix_every_one_of_a_kind() -> None:
    check("/a.md\n[[B C$0]] [[gone]]\n\n[[b c]]\n/b-c.md\nx", "Fix every inexact-link of this note",
          "/a.md\n[[b-c]] [[gone]]\n\n[[b-c]]\n")  # fmt: skip
    assert not any("every" in title for title in offered("/a.md\n[[B C$0]]\n/b-c.md\nx"))


def test_two_lines_with_one_title_are_two_actions() -> None:
    note = parse("a.md", "---\nname: a: b\ndescription: c: d\n---\n")
    snapshot = Snapshot().updated(Changes({"a.md": note}))[0]
    place = Place(snapshot, note, Span(0, len(note.text)))
    titles = [action.title for action in fixes(place, findings_at(place))]
    assert titles.count("Quote the value") == 2
