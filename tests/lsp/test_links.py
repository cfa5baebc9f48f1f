"""Definition and hover: every kind of link, in every encoding."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from fixtures import Vault, parse_vault
from peer import put, write

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local
    from peer import Wire

LINKS = {"textDocument": {"definition": {"linkSupport": True}}}


def width(text: str, encoding: str) -> int:
    """Return the columns that a text takes."""
    return (
        len(text)
        if encoding == "utf-32"
        else len(text.encode(f"{encoding}-le" if encoding == "utf-16" else encoding))
        // (2 if encoding == "utf-16" else 1)
    )


def place(vault: Vault, index: int = 0) -> tuple[str, int, int]:
    """Return the path, line and column (utf-16) of a mark."""
    path, offset = vault.marks[index]
    before = vault.texts[path][:offset]
    line = before.rpartition("\n")[2]
    return path, before.count("\n"), width(line, "utf-16")


async def definitions(client: Local, folder: Path, source: str) -> list[tuple[str, int, int]]:
    """Return where the marked place leads: path, line, column."""
    vault = parse_vault(source)
    vault.write(folder)
    if not client.capabilities:
        await client.initialize(folder)
    path, line, column = place(vault)
    found = await client.definition((folder / path).as_uri(), line, column)
    return [
        (
            item["uri"].removeprefix(folder.as_uri() + "/"),
            item["range"]["start"]["line"],
            item["range"]["start"]["character"],
        )
        for item in found or ()
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("/a.md\n[[b$0]]\n/b.md\ntext\n# B\n", [("b.md", 1, 2)]),
        ("/a.md\n[[b$0]]\n/b.md\nno title\n", [("b.md", 0, 0)]),
        ("/a.md\n[[b$0]]\n/b.md\n---\nname: b\n---\ntext\n", [("b.md", 0, 0)]),
        ("/a.md\n[[b|lab$0el]]\n/b.md\n# B\n", [("b.md", 0, 2)]),
        ("/a.md\n![[$0b]]\n/b.md\n# B\n", [("b.md", 0, 2)]),
        ("/a.md\n[[b#Second par$0t]]\n/b.md\n# B\n## First\n## Second part\n", [("b.md", 2, 0)]),
        ("/a.md\n[[#Part$0]]\n\n## Part\n", [("a.md", 2, 0)]),
        ("/a.md\n[[b#^block$0]]\n/b.md\nfirst\n\nsecond ^block\n", [("b.md", 2, 7)]),
        ("/a.md\n[text](sub/b$0.md)\n/sub/b.md\n# B\n", [("sub/b.md", 0, 2)]),
        ("/a.md\n[text](<sub dir/b$0.md>)\n/sub dir/b.md\n# B\n", [("sub%20dir/b.md", 0, 2)]),
        ("/a.md\n[text](sub%20dir/b$0)\n/sub dir/b.md\n# B\n", [("sub%20dir/b.md", 0, 2)]),
        ("/a.md\n[[pic$0.png]]\n/pic.png\nx\n", [("pic.png", 0, 0)]),
        ("/a.md\n![](img/pic$0.png)\n/img/pic.png\nx\n", [("img/pic.png", 0, 0)]),
        ("/a.md\n---\nsee: '[[b$0]]'\n---\n/b.md\n# B\n", [("b.md", 0, 2)]),
        ("/a.md\n---\nsupersedes: [b$0]\n---\n/b.md\n# B\n", [("b.md", 0, 2)]),
        ("/a.md\n---\ncontradicts:\n  - b.md$0\n---\n/b.md\n# B\n", [("b.md", 0, 2)]),
        ("/a.md\n[[Second nam$0e]]\n/b.md\n---\naliases: [Second name]\n---\n# B\n", [("b.md", 3, 2)]),
        ("/a.md\n[[twin$0]]\n/x/twin.md\nx\n/y/twin.md\ny\n", [("x/twin.md", 0, 0), ("y/twin.md", 0, 0)]),
        ("/a.md\n[[y/twin$0]]\n/x/twin.md\nx\n/y/twin.md\ny\n", [("y/twin.md", 0, 0)]),
        ("/a.md\n[[gone$0]]\n", []),
        ("/a.md\n`[[b$0]]`\n/b.md\nx\n", []),
        ("/a.md\nplain$0\n", []),
        ("/MEMORY.md\n- [b](user/b$0.md) what it says\n/user/b.md\n# B\n", [("user/b.md", 0, 2)]),
    ],
)
async def test_where_a_link_leads(
    client: Local, tmp_path: Path, source: str, expected: list[tuple[str, int, int]]
) -> None:
    assert await definitions(client, tmp_path, source) == expected


async def test_a_link_to_a_part_that_is_gone_leads_to_its_note(client: Local, tmp_path: Path) -> None:
    assert await definitions(client, tmp_path, "/a.md\n[[b#Gone$0]]\n/b.md\ntext\n# B\n") == [("b.md", 0, 0)]


async def test_links_of_definition_only_where_the_client_takes_them(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="see [[b]].", b="# B\n")
    await client.initialize(tmp_path, capabilities=LINKS)
    assert await client.definition((tmp_path / "a.md").as_uri(), 0, 6) == [
        {
            "targetUri": (tmp_path / "b.md").as_uri(),
            "targetRange": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 3}},
            "targetSelectionRange": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 3}},
            "originSelectionRange": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 9}},
        }
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("before", ["😀 ", "日本語", "e\u0301e\u0301 ", "👩‍👩‍👧 ß ", "\u2028\u0085\x0b", ""])
async def test_ranges_after_wide_characters(
    client: Local, tmp_path: Path, encoding: str, before: str, line_end: str
) -> None:
    line = f"{before}[[ziel😀]] und [[nirgends]]"
    text = line_end.join(("# Titel 😀", "", line, ""))
    uri = put(tmp_path / "a.md", text)
    put(tmp_path / "ziel😀.md", f"😀 x{line_end}# 日本{line_end}")
    await client.initialize(tmp_path, capabilities=LINKS | {"general": {"positionEncodings": [encoding]}})
    start, end = width(before, encoding), width(f"{before}[[ziel😀]]", encoding)
    link = {"start": {"line": 2, "character": start}, "end": {"line": 2, "character": end}}
    for column in (start, start + 3, end):
        hover = await client.hover(uri, 2, column)
        assert hover is not None
        assert hover["range"] == link
    (found,) = await client.definition(uri, 2, start + 2)
    assert found["originSelectionRange"] == link
    assert found["targetRange"] == {
        "start": {"line": 1, "character": 2},
        "end": {"line": 1, "character": 2 + width("日本", encoding)},
    }
    await client.shows(uri, "dangling-link")
    (dangling,) = [item for item in client.diagnostics[uri] if item["code"] == "dangling-link"]
    assert dangling["range"] == {
        "start": {"line": 2, "character": width(f"{before}[[ziel😀]] und ", encoding)},
        "end": {"line": 2, "character": width(line, encoding)},
    }


async def test_positions_past_every_end(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "[[b]]\n[[b]]")
    put(tmp_path / "b.md", "# B")
    await client.initialize(tmp_path)
    for line, column in ((0, 10_000), (1, 10_000), (5, 0), (2**31 - 1, 2**31 - 1)):
        assert await client.hover(uri, line, column)
        assert await client.definition(uri, line, column)


VAULT = """
/target.md
---
name: target
description: what it is *about*
tags: [one, two]
aliases: [Ziel]
---
# Title

First line of the body.

## Part

Text of the part. ^block

## Rest
/a.md
---
name: a
description: the first
tags: [one]
supersedes: old
see: "[[target]]"
---
# Heading of A

[[target]] [[target#Part]] [[target#^block]] [[gone]] [[file.txt]] [text](target.md)
/b.md
links to [[target]]
/old.md
old
/file.txt
x
"""


async def hover_of(client: Local, folder: Path, needle: str, path: str = "a.md", into: int = 1) -> str:
    """Return the hover's text at the first place of a text in a note."""
    if not client.capabilities:
        parse_vault(VAULT).write(folder)
        await client.initialize(folder)
    text = (folder / path).read_text(encoding="utf-8")
    before = text[: text.index(needle) + into]
    answer: Wire = await client.hover((folder / path).as_uri(), before.count("\n"), len(before.rpartition("\n")[2]))
    assert answer["contents"]["kind"] in ("markdown", "plaintext")
    value: str = answer["contents"]["value"]
    return value


async def test_the_hover_of_a_link(client: Local, tmp_path: Path) -> None:
    for needle in ("[[target]] [[", "[text](target.md)", '[[target]]"'):
        text = await hover_of(client, tmp_path, needle, into=3 if needle[1] == "[" else 9)
        assert (tmp_path / "target.md").as_uri() in text
        assert "what it is \\*about\\*" in text
        assert "#one" in text
        assert "#two" in text
        assert "First line of the body." in text
        assert "**Related memories**" in text
        # Each with the path that led there.
        assert re.search(r"\[b\]\(\S+\) 0\.\d\d — target → b", text)


async def test_the_hover_of_a_link_to_a_part(client: Local, tmp_path: Path) -> None:
    text = await hover_of(client, tmp_path, "[[target#Part]]")
    assert "Text of the part." in text
    assert "First line of the body." not in text
    assert "Rest" not in text.partition("Related")[0]
    block = await hover_of(client, tmp_path, "[[target#^block]]")
    assert "Text of the part." in block
    assert "## Part" not in block


async def test_the_hover_of_what_is_not_there(client: Local, tmp_path: Path) -> None:
    assert "gone" in await hover_of(client, tmp_path, "[[gone]]")
    assert "file.txt" in await hover_of(client, tmp_path, "[[file.txt]]")


async def test_the_hover_of_a_title_and_of_a_name(client: Local, tmp_path: Path) -> None:
    for needle in ("# Title", "name: target"):
        text = await hover_of(client, tmp_path, needle, "target.md", into=len(needle) - 1)
        assert "**Backlinks** (2)" in text
        assert (tmp_path / "a.md").as_uri() in text
        assert (tmp_path / "b.md").as_uri() in text
        assert "**Related memories**" in text


async def test_the_hover_of_frontmatter(client: Local, tmp_path: Path) -> None:
    tag = await hover_of(client, tmp_path, "one]")
    assert "2 notes" in tag
    assert "the first" in tag
    assert (tmp_path / "target.md").as_uri() in tag
    entry = await hover_of(client, tmp_path, "old\n")
    assert "replaces" in entry
    assert (tmp_path / "old.md").as_uri() in entry
    for key in ("name:", "description:", "tags:", "supersedes:"):
        assert await hover_of(client, tmp_path, key)


async def test_a_superseded_note_says_by_what(client: Local, tmp_path: Path) -> None:
    parse_vault("/old.md\n# Old\n/new.md\n---\nname: new\nsupersedes: old\n---\n/a.md\n[[old]]\n").write(tmp_path)
    await client.initialize(tmp_path)
    answer = await client.hover((tmp_path / "a.md").as_uri(), 0, 3)
    assert answer is not None
    assert "Superseded by" in answer["contents"]["value"]
    assert (tmp_path / "new.md").as_uri() in answer["contents"]["value"]


async def test_a_client_without_markdown_gets_plain_text(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]", b="---\ndescription: a *b*\n---\n# B\ntext")
    await client.initialize(tmp_path, capabilities={"textDocument": {"hover": {"contentFormat": ["plaintext"]}}})
    answer = await client.hover((tmp_path / "a.md").as_uri(), 0, 2)
    assert answer is not None
    assert answer["contents"]["kind"] == "plaintext"
    assert "](file:" not in answer["contents"]["value"]
    assert "\\" not in answer["contents"]["value"]
    assert answer["contents"]["value"].startswith("b ")
    assert "a *b*" in answer["contents"]["value"]


async def test_a_long_note_is_cut_and_its_fence_closed(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]", b="```\n" + "code\n" * 200 + "```\n", c="[[b]]")
    await client.initialize(tmp_path)
    answer = await client.hover((tmp_path / "a.md").as_uri(), 0, 2)
    assert answer is not None
    text = answer["contents"]["value"]
    assert text.count("```") == 2
    assert text.index("…") < text.index("Related")
    assert text.count("code") < 20


async def test_hover_and_definition_see_what_is_typed(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="nothing", b="# B\nbody")
    await client.initialize(tmp_path)
    a, b = await client.opened(tmp_path, "a.md"), await client.opened(tmp_path, "b.md")
    client.change(a, "now [[b]]")
    client.change(b, "\n\n# Typed\nother body")
    answer = await client.hover(a, 0, 6)
    assert answer is not None
    assert "other body" in answer["contents"]["value"]
    (found,) = await client.definition(a, 0, 6)
    assert found["range"]["start"] == {"line": 2, "character": 2}
