"""`MEMORY.md` kept complete: in its own style, at the right place, and never at the cost of what somebody wrote."""

from __future__ import annotations

import pytest
from actions_rig import after, check, offered, place_of
from fixtures import Vault, parse_vault
from memory_lsp.core.actions import Kind, findings_at, fixes
from memory_lsp.core.lint import lint

NOTES = "/a.md\n---\nname: A\ndescription: about a\ntype: user\n---\n/b c.md\n---\nname: b [x]\ntype: project\n---\n"
DESCRIBED = "/new.md\n---\nname: New\ndescription: what it says\n---\n"

LISTED = {
    "behind the last": ("# Index\n\n- [A](a.md) — x\n\ntext\n", "# Index\n\n- [A](a.md) — x\n{}\n\ntext\n"),
    "an index without entries": ("# Index\n\nprose\n", "# Index\n\nprose\n\n{}\n"),
    "no line end": ("# Index", "# Index\n\n{}\n"),
    "an empty index": ("", "{}\n"),
    "behind the lines of the last": ("- [A](a.md) — x\n  more\nprose\n", "- [A](a.md) — x\n  more\n{}\nprose\n"),
    "CRLF": ("# I\r\n\r\n- [A](a.md)\r\n", "# I\r\n\r\n- [A](a.md)\r\n{}\r\n"),
    "another bullet": ("* [A](a.md) — x\n", "* [A](a.md) — x\n* [New](new.md) — what it says\n"),
    "another separator": ("- [A](a.md): x\n", "- [A](a.md): x\n- [New](new.md): what it says\n"),
    "wikilinks": ("- [[A]] – x\n", "- [[A]] – x\n- [[New]] – what it says\n"),
    "a group of its own": ("## User\n\n- [A](a.md)\n", "## User\n\n- [A](a.md)\n\n## Note\n\n{}\n"),
}


@pytest.mark.parametrize("name", LISTED)
def test_a_missing_note_is_listed_in_the_style_of_the_others(name: str) -> None:
    before, expected = LISTED[name]
    notes = parse_vault(NOTES + DESCRIBED).texts
    vault = Vault({"MEMORY.md": before, **notes})
    place = place_of(vault)
    (action,) = (action for action in fixes(place, findings_at(place)) if action.title == "List new.md in MEMORY.md")
    assert after(vault, action)["MEMORY.md"] == expected.format("- [New](new.md) — what it says")


def test_below_the_last_of_its_type_or_its_types_heading() -> None:
    index = "# I$0\n\n## Users\n\n- [A](a.md)\n\n## Projects\n\nWork.\n\n## Rest\n"
    check(
        f"/MEMORY.md\n{index}{NOTES}", "List b c.md in MEMORY.md",
        "/MEMORY.md\n# I\n\n## Users\n\n- [A](a.md)\n\n## Projects\n\n- [b \\[x\\]](b%20c.md)\n\nWork.\n\n## Rest\n",
        preferred=True,
    )  # fmt: skip


def test_all_that_are_missing_at_once() -> None:
    check(
        f"/MEMORY.md\n# I$0\n{NOTES}{DESCRIBED}", "List all 3 missing notes",
        "/MEMORY.md\n# I\n\n- [A](a.md) — about a\n- [b \\[x\\]](b%20c.md)\n- [New](new.md) — what it says\n",
        preferred=True,
    )  # fmt: skip


def test_a_secret_does_not_reach_the_index() -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    source = f"/MEMORY.md\n# I$0\n/a.md\n---\nname: a\ndescription: use {token}\n---\n"
    check(source, "List a.md in MEMORY.md", "/MEMORY.md\n# I\n\n- [a](a.md)\n", preferred=True)


def test_links_in_a_description_are_written_as_text() -> None:
    source = (
        "/MEMORY.md\n# I$0\n/p/a.md\n---\nname: a\ndescription: see [[b|the b]] and [c](../c.md)\n---\n/b.md\n/c.md\n"
    )
    texts = after(parse_vault(source), offered(source)["List p/a.md in MEMORY.md"])
    assert texts["MEMORY.md"] == "# I\n\n- [a](p/a.md) — see the b and c\n"


def test_a_note_lists_itself() -> None:
    title = "Add this note to MEMORY.md"
    check("/new.md\n$0# New\n\ntext\n/MEMORY.md\n- [A](a.md)\n/a.md\nx", title,
          "/MEMORY.md\n- [A](a.md)\n- [new](new.md)\n", kind=Kind.REWRITE)  # fmt: skip
    assert title not in offered("/a.md\n$0x\n/MEMORY.md\n- [A](a.md)\n")
    assert title not in offered("/new.md\n$0x\n/a.md\nx")
    assert title not in offered("/new.md\n# New\n\nfar$0\n/MEMORY.md\n")


REGENERATED = {
    "a bare list": (
        "# My index\n\n- [Old A](a.md) — old words\n- [Gone](gone.md)\n",
        "# My index\n\n## User\n\n- [A](a.md) — about a\n\n## Project\n\n- [b \\[x\\]](b%20c.md)\n",
    ),
    "its own headings and style": (
        "# I\n## Projects\n* [B](b%20c.md) — kept, since the note says nothing\n## Users\n* [A](a.md) — x\n",
        "# I\n\n## Users\n\n* [A](a.md) — about a\n\n## Projects\n\n"
        "* [B](b%20c.md) — kept, since the note says nothing\n",
    ),
    "our banner, with prose": (
        "# I\n\n<!-- memory-lsp: generated -->\n\nAbout.\n\n- [A](a.md)\n\n## Deploys\n\nTag first.\n",
        "# I\n\n<!-- memory-lsp: generated -->\n\nAbout.\n\n## User\n\n- [A](a.md) — about a\n\n"
        "## Project\n\n- [b \\[x\\]](b%20c.md)\n\n## Deploys\n\nTag first.\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REGENERATED)
def test_regenerate(name: str) -> None:
    before, expected = REGENERATED[name]
    source = f"/MEMORY.md\n{before}{NOTES}"
    check(source, "Regenerate MEMORY.md", f"/MEMORY.md\n{expected}", kind=Kind.REWRITE)
    texts = after(parse_vault(source), offered(source)["Regenerate MEMORY.md"])
    snapshot = Vault(texts).snapshot()
    assert lint(snapshot, "MEMORY.md") == ()
    again = "".join(f"/{path}\n{text}" for path, text in texts.items())
    assert "Regenerate MEMORY.md" not in offered(again)


@pytest.mark.parametrize(
    "text", ["# I\n\nProse.\n", "# I\n\n## Deploys\n\n- [A](a.md)\n", "---\nx: y\n---\n- [A](a.md)\n"]
)
def test_what_somebody_wrote_is_only_added_to(text: str) -> None:
    source = f"/MEMORY.md\n{text}{NOTES}"
    actions = offered(source)
    assert "Regenerate MEMORY.md" not in actions
    texts = after(parse_vault(source), actions["Add all missing notes"])
    written = iter(texts["MEMORY.md"].splitlines())
    assert all(line in written for line in text.splitlines())
    assert "b%20c.md" in texts["MEMORY.md"]
