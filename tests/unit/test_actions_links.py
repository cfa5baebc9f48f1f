"""Fixes for links and entries of notes, each by the whole text that it leaves."""

from __future__ import annotations

import pytest
from actions_rig import allowed, check, offered
from fixtures import parse_vault

NEW = "---\nname: {}\ndescription:\n{}---\n"


def created(source: str) -> dict[str, str]:
    """Return the files that the fixes at the cursor offer to create."""
    return {file.path: file.text for action in offered(source).values() for file in action.creates}


CREATED = {
    "beside, in a flat directory": ("/p/a.md\n[[b$0]]", {"p/b.md": NEW.format("b", "")}),
    "by its id": ("/a.md\n[[project/b$0]]", {"project/b.md": NEW.format("b", "type: project\n")}),
    "in the folder of the note's type": (
        "/feedback/a.md\n[[b$0]]\n/user/c.md\nx", {"feedback/b.md": NEW.format("b", "type: feedback\n")}
    ),
    "for the index, in each type that is there": (
        "/MEMORY.md\n[[b$0]]\n[[c]] [[d]]\n/user/c.md\nx\n/project/d.md\ny",
        {"user/b.md": NEW.format("b", "type: user\n"), "project/b.md": NEW.format("b", "type: project\n")},
    ),
    "with the type before the name, where that is usual": (
        "/feedback_a.md\n---\ntype: feedback\n---\n[[no-mocks$0]]\n/user_b.md\n---\ntype: user\n---\n",
        {"feedback_no_mocks.md": NEW.format("no-mocks", "type: feedback\n")},
    ),
    "with a type that the name says": (
        "/feedback_a.md\n---\ntype: feedback\n---\n[[user_role$0]]",
        {"user_role.md": NEW.format("role", "type: user\n")},
    ),
    "without a type before the name, where most have none": (
        "/a.md\n---\ntype: user\n---\n[[c$0]]\n/b.md\n---\ntype: user\n---\n", {"c.md": NEW.format("c", "type: user\n")}
    ),
    "dots are no extension": ("/a.md\n[[v1.2$0]]", {"v1.2.md": NEW.format("v1.2", "")}),
    "a markdown extension is one": ("/a.md\n[[b.md$0]]", {"b.md": NEW.format("b", "")}),
    "what no file's name can hold": ("/a.md\n[[a: b?$0]]", {"a- b.md": NEW.format('"a: b?"', "")}),
    "a device": ("/a.md\n[[con$0]]", {"con-note.md": NEW.format("con", "")}),
    "another script": ("/a.md\n[[路由 限制$0]]", {"路由 限制.md": NEW.format("路由 限制", "")}),
    "a path beside": ("/p/a.md\n[t](q/b.md$0)", {"p/q/b.md": NEW.format("b", "")}),
    "a path up": ("/p/a.md\n[t](../b%20c$0)", {"b c.md": NEW.format("b c", "")}),
    "a folder that is there": ("/p/a.md\n[[q/b$0]]\n/p/q/c.md\nx", {"p/q/b.md": NEW.format("b", "")}),
    "headings and blocks that links expect": (
        "/a.md\n[[b#One$0]] [[b#Two]] [[b#^id]]",
        {"b.md": NEW.format("b", "") + "\n## One\n\n## Two\n\n^id\n"},
    ),
    "with the line ends of the note": ("/a.md\n[[b$0]]\r\n", {"b.md": NEW.format("b", "").replace("\n", "\r\n")}),
    "what the index says of it": (
        "/MEMORY.md\n- [B](b.md$0) — one: line", {"b.md": '---\nname: b\ndescription: "one: line"\n---\n'}
    ),
    "no picture": ("/a.md\n![[b.png$0]] [[c.pdf]]", {}),
    "no attachment": ("/a.md\n[t](b.py$0)", {}),
    "nothing outside": ("/a.md\n[t](../b.md$0)", {}),
    "nothing hidden": ("/a.md\n[[.graph/b$0]]", {}),
    "nothing over a file, whatever its case": ("/a.md\n[t](B.md$0)\n/p/b.md\nx\n/b.MD\n", {}),
    "nothing for dots": ("/a.md\n[[...$0]]", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CREATED)
def test_create_the_missing_note(name: str) -> None:
    source, files = CREATED[name]
    assert created(source) == files


def test_a_new_note_is_listed_where_every_other_is() -> None:
    check(
        "/a.md\n[[b$0]]\n/MEMORY.md\n# Index\n\n- [a](a.md)\n",
        "Create b.md and list it in MEMORY.md",
        "/b.md\n---\nname: b\ndescription:\n---\n/MEMORY.md\n# Index\n\n- [a](a.md)\n- [b](b.md)\n",
    )


def test_a_new_note_is_not_listed_where_others_are_missing_too() -> None:
    assert created("/a.md\n[[b$0]]\n/MEMORY.md\n# Index\n") == {"b.md": NEW.format("b", "")}
    assert "Create b.md" in offered("/a.md\n[[b$0]]\n/MEMORY.md\n# Index\n")


DID_YOU_MEAN = [
    ("[[load-tset$0|l]]", "load-test", "[[load-test|l]]", True),
    ("[[loadtest$0#H]]", "load-test", "[[load-test#H]]", True),
    ("[[load-tset$0#Gone]]", "load-test", "[[load-test]]", True),
    ("| [[load-tset$0\\|l]] |", "load-test", "| [[load-test\\|l]] |", True),
    ("[[load$0]]", "load-test", "[[load-test]]", False),
    ("[t](load-tset.md$0#h 'title')", "load-test.md", "[t](load-test.md#h 'title')", True),
    ("[t](<load tset$0>)", "load-test.md", "[t](<load-test>)", True),
]


@pytest.mark.parametrize(("link", "name", "fixed", "sure"), DID_YOU_MEAN)
def test_did_you_mean(link: str, name: str, fixed: str, sure: bool) -> None:
    check(f"/a.md\n🗺 {link}\n/load-test.md\n# H", f"Change to “{name}”", f"/a.md\n🗺 {fixed}\n", preferred=sure)


def test_at_most_three_are_meant_the_nearest_first() -> None:
    vault = "/a.md\n[[plan$0]]\n" + "".join(f"/plan{n}.md\nx\n" for n in range(5)) + "/unrelated.md\nx"
    titles = [title for title in offered(vault) if title.startswith("Change")]
    assert titles == ["Change to “plan0”", "Change to “plan1”", "Change to “plan2”"]


def test_nobody_means_a_superseded_note_or_itself() -> None:
    vault = "/plan-a.md\n[[plan-x$0]]\n/plan-b.md\nx\n/plan-c.md\n---\nsupersedes: plan-b\n---\n"
    assert [title for title in offered(vault) if title.startswith("Change")] == ["Change to “plan-c”"]


def test_a_path_keeps_its_encoding() -> None:
    check(
        "/p/a.md\n[t](../q/my%20nots.md$0)\n/q/my notes.md\nx",
        "Change to “q/my notes.md”", "/p/a.md\n[t](../q/my%20notes.md)\n", preferred=True,
    )  # fmt: skip


def test_the_index_loses_a_dead_entry_with_its_text() -> None:
    check(
        "/MEMORY.md\n# Index\n\n- [A](a.md) — x\n- [Gone](gone-for-good.md$0) — y\n  more\n- [[c]]\n/a.md\nx\n/c.md\nx",
        "Remove “gone-for-good.md” from MEMORY.md", "/MEMORY.md\n# Index\n\n- [A](a.md) — x\n- [[c]]\n",
    )  # fmt: skip
    assert not any("Remove" in title for title in offered("/MEMORY.md\nSee [[gone$0]] for it."))
    assert not any("Remove" in title for title in offered("/MEMORY.md\n- [[gone$0]] and [[a]]\n/a.md\nx"))


def test_a_near_heading_is_meant() -> None:
    source = "/a.md\n{}\n/b.md\n# Release steps\n\n## Sub: part\n"
    check(source.format("[[b#Release step$0]]"), "Change to “#Release steps”", "/a.md\n[[b#Release steps]]\n",
          preferred=True)  # fmt: skip
    check(source.format("[t](b.md#releas-steps$0)"), "Change to “#Release steps”", "/a.md\n[t](b.md#release-steps)\n",
          preferred=True)  # fmt: skip
    check("/a.md\n[[#Tilte$0]]\n# Title\n", "Change to “#Title”", "/a.md\n[[#Title]]\n# Title\n", preferred=True)
    check("/a.md\n[[b#^blokc$0]]\n/b.md\ntext ^block\n", "Change to “#^block”", "/a.md\n[[b#^block]]\n", preferred=True)


def test_a_missing_heading_is_written_at_the_end() -> None:
    check("/a.md\n[t](b.md#second-part$0)\n/b.md\n# B\r\n\r\ntext", "Create the heading “Second part” in b.md",
          "/b.md\n# B\r\n\r\ntext\r\n\r\n## Second part\r\n")  # fmt: skip
    check("/a.md\n[[#Open points$0]]\n\n", "Create the heading “Open points” in this note",
          "/a.md\n[[#Open points]]\n\n## Open points\n")  # fmt: skip
    assert not any("Create" in title for title in offered("/a.md\n[[b#X$0]]\n/b.md\n```\nopen fence\n"))


EXACT = [
    ("[[B c$0#h|l]]", "/b-c.md\n# h", "b-c", "[[b-c#h|l]]"),
    ("[[no-mocks$0]]", "/feedback_no_mocks.md\nx", "feedback_no_mocks", "[[feedback_no_mocks]]"),
    ("[[eb$0]]", "/x.md\n---\naliases: [EB, other]\n---\n", "EB", "[[EB]]"),
    ("[t](My Note$0)", "/my-note.md\nx", "my-note", ""),
    ("![[B c$0]]", "/b-c.md\nx", "b-c", "![[b-c]]"),
    ("[[No mocks ever$0]]", "/f.md\n---\nname: no-mocks-ever\n---\n", "no-mocks-ever", "[[no-mocks-ever]]"),
]


@pytest.mark.parametrize(("link", "other", "name", "fixed"), EXACT)
def test_an_inexact_link_is_written_as_the_note_is(link: str, other: str, name: str, fixed: str) -> None:
    source, title = f"/a.md\n{link}\n{other}", f"Write the link as “{name}”"
    if fixed:
        check(source, title, f"/a.md\n{fixed}\n", preferred=True)
    else:
        assert title not in offered(source)


def test_an_ambiguous_link_is_qualified_by_each_candidate() -> None:
    source = "/a.md\n[[x$0#h|l]]\n/user/x.md\n# h\n/project/x.md\n# h\n/x.md\n# h\n"
    check(source, "Link to user/x.md", "/a.md\n[[user/x#h|l]]\n")
    check(source, "Link to project/x.md", "/a.md\n[[project/x#h|l]]\n")
    check(source, "Link to x.md", "/a.md\n[[note/x#h|l]]\n")
    check("/p/a.md\n[t](x$0)\n/q/x.md\n1\n/r/x.md\n2", "Link to r/x.md", "/p/a.md\n[t](../r/x)\n")


SUPERSEDED = [
    ("[[v1$0]]", "[[v2]]"),
    ("[[v1$0|what we had]]", "[[v2|what we had]]"),
    ("[[v1$0#Same]]", "[[v2#Same]]"),
    ("[[v1$0#Gone]]", "[[v2]]"),
    ("[[The first plan$0]]", "[[v2|The first plan]]"),
    ("| [[The first plan$0]] |", "| [[v2\\|The first plan]] |"),
    ("![[The first plan$0]]", "![[v2]]"),
    ("[t](v1.md$0)", "[t](v2.md)"),
]


@pytest.mark.parametrize(("link", "fixed"), SUPERSEDED)
def test_a_link_follows_to_the_note_in_force(link: str, fixed: str) -> None:
    others = "/v1.md\n---\nname: The first plan\nsuperseded_by: v2\n---\n# Same\n# Gone\n/v2.md\n# Same\n"
    check(f"/a.md\n{link}\n{others}", "Link to its successor “v2”", f"/a.md\n{fixed}\n", preferred=True)


def test_in_force_is_the_last_of_a_chain() -> None:
    check(
        "/a.md\n[[v1$0]]\n/v1.md\nx\n/v2.md\n---\nsupersedes: v1\n---\n/v3.md\n---\nsupersedes: v2\n---\n",
        "Link to its successor “v3”", "/a.md\n[[v3]]\n", preferred=True,
    )  # fmt: skip


ENTRIES = [
    ("supersedes: [b, gone$0, c]", "supersedes: [b, c]"),
    ("supersedes: [gone$0, b]", "supersedes: [b]"),
    ("supersedes: [b, 'gone$0']", "supersedes: [b]"),
    ("supersedes: [gone$0]", ""),
    ("supersedes: gone$0", ""),
    ("supersedes:\n  - b\n  - gone$0\n  - c", "supersedes:\n  - b\n  - c"),
    ("supersedes:\n- \"[[gone$0]]\"", ""),
    ("supersedes: b, gone$0", "supersedes: b"),
    ("supersedes: [[b]], [[gone$0]]", "supersedes: [[b]]"),
    ("contradicts: gone$0", ""),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), ENTRIES)
def test_a_dead_entry_is_removed_and_the_others_stay(before: str, after: str) -> None:
    key = before.split(":")[0]
    gone = next(title for title in offered(f"/a.md\n---\nname: a\n{before}\ntype: user\n---\n/b.md\nx\n/c.md\nx")
                if title.startswith("Remove"))  # fmt: skip
    assert gone == f"Remove “gone” from `{key}`"
    expected = "".join(f"{line}\n" for line in ["---", "name: a", *after.splitlines(), "type: user", "---"])
    check(f"/a.md\n---\nname: a\n{before}\ntype: user\n---\n/b.md\nx\n/c.md\nx", gone, f"/a.md\n{expected}")


def test_an_entry_is_meant_in_its_own_form() -> None:
    for before, after in (("[b, load-tset$0]", "[b, load-test]"), ('"[[load-tset$0]]"', '"[[load-test]]"')):
        check(f"/a.md\n---\nsupersedes: {before}\n---\n/b.md\nx\n/load-test.md\nx", "Change to “load-test”",
              f"/a.md\n---\nsupersedes: {after}\n---\n", preferred=True)  # fmt: skip


def test_no_entry_is_changed_into_a_circle() -> None:
    vault = "/a.md\n---\nsupersedes: plan-$0\n---\n/plan-b.md\n---\nsupersedes: a\n---\n"
    assert not any(title.startswith("Change") for title in offered(vault))


ALLOWED = [
    ("[[gone$0]] text", "[[gone]] text <!-- memory-lsp: allow dangling-link -->"),
    ("[[gone$0]] text  ", "[[gone]] text <!-- memory-lsp: allow dangling-link -->  "),
    ("# [[gone$0]] #", "# [[gone]] <!-- memory-lsp: allow dangling-link --> #"),
    ("[[gone$0]] ^id", "[[gone]] <!-- memory-lsp: allow dangling-link --> ^id"),
    ("[[gone$0]] <!-- why. memory-lsp: allow x -->", "[[gone]] <!-- why. memory-lsp: allow x, dangling-link -->"),
    ("[t][r]\n\n[r]: gone.md$0", None),
    ("---\nrelated: '[[gone$0]]'\n---\n", None),
]


@pytest.mark.parametrize(("before", "after"), ALLOWED)
def test_a_comment_allows_where_it_changes_nothing_else(before: str, after: str | None) -> None:
    texts = allowed(f"/a.md\n{before}\r\nnext")
    assert texts == ({} if after is None else {"Allow dangling-link on this line": f"{after}\r\nnext"})


def test_nothing_is_created_for_a_client_that_cannot() -> None:
    from actions_rig import place_of
    from memory_lsp.core.actions import findings_at, fixes

    place = place_of(parse_vault("/a.md\n[[b$0]]"))
    assert not any(action.creates for action in fixes(place, findings_at(place), creates=False))
