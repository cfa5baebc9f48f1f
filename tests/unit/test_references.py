"""References and highlights of notes, headings, blocks, tags, files and missing names."""

from __future__ import annotations

import pytest
from fixtures import Vault, parse_vault
from memory_lsp.core.graph import Graph
from memory_lsp.core.note import Note
from memory_lsp.core.references import Reference, highlights_at, references_at


def check(source: str, *expected: str) -> None:
    """Compare the references at the mark, each as `path:line text`, a declaration with a star."""
    vault = parse_vault(source)
    snapshot = vault.snapshot(inline_tags=True)
    path, offset = vault.cursor
    assert _shown(vault, references_at(snapshot, snapshot.notes[path], offset)) == list(expected)


def highlights(source: str) -> list[str]:
    vault = parse_vault(source)
    path, offset = vault.cursor
    snapshot = vault.snapshot(inline_tags=True)
    return _shown(vault, highlights_at(snapshot, snapshot.notes[path], offset))


def _shown(vault: Vault, found: list[Reference]) -> list[str]:
    lines = []
    for each in found:
        text = vault.texts[each.path]
        line = text.count("\n", 0, each.span.start)
        lines.append(f"{'*' if each.is_declaration else ''}{each.path}:{line} {each.span.of(text)}")
    return lines


NOTE = """
    /goal.md
    ---
    name: Go{name}al
    ---
    # The{title} goal
    pl{text}ain [[#Part]] [[Goal]]
    ## Part
    /MEMORY.md
    - [The goal](goal.md)
    /t.md
    ---
    supersedes: [goal]
    related: "[[goal|the goal]]"
    ---
    ![[go{link}al\\|x]] [[goal#Part]] [[other]]
    /u.md
    ---
    contradicts: Go{entry}al
    ---
"""
BACKLINKS = (
    "MEMORY.md:0 goal.md", "*goal.md:3 The goal", "goal.md:4 [[Goal]]", "t.md:1 goal", "t.md:2 [[goal|the goal]]",
    "t.md:4 [[goal\\|x]]", "t.md:4 [[goal#Part]]", "u.md:1 Goal",
)  # fmt: skip


@pytest.mark.parametrize("place", ["name", "title", "text", "link", "entry"])
def test_the_backlinks_of_a_note(place: str) -> None:
    marks = {each: "$0" if each == place else "" for each in ("name", "title", "text", "link", "entry")}
    check(NOTE.format(**marks), *BACKLINKS)


def test_a_link_with_an_anchor_asks_for_the_heading() -> None:
    check(
        "/a.md\n# A\n## Part$0\n[[#Part]] [x](#part)\n/b.md\n[[a#Part]] [[a]] [x](a.md#part) [[a#A#Part]] [[a#A]]\n",
        "*a.md:1 ## Part", "a.md:2 [[#Part]]", "a.md:2 #part", "b.md:0 [[a#Part]]", "b.md:0 a.md#part",
        "b.md:0 [[a#A#Part]]",
    )  # fmt: skip
    check("/a.md\n## Part\n/b.md\n[[a#P$0art]] [[a]]\n", "*a.md:0 ## Part", "b.md:0 [[a#Part]]")


def test_of_equal_headings_each_has_its_own_references() -> None:
    check(
        "/a.md\n# T\n## Same\n## Sa$0me\n/b.md\n[[a#Same]] [x](a.md#same-1)\n",
        "*a.md:2 ## Same", "b.md:0 a.md#same-1",
    )  # fmt: skip


def test_the_references_of_a_block() -> None:
    check(
        "/a.md\ntext ^i$0d\n/b.md\n![[a#^id]] [[a#^ID|x]] [[a]]\n",
        "*a.md:0 ^id",
        "b.md:0 [[a#^id]]",
        "b.md:0 [[a#^ID|x]]",
    )


def test_the_references_of_a_tag_are_in_every_note_and_below_it() -> None:
    check(
        "/a.md\n---\ntags: [To$0ol, tools]\n---\n/b.md\n#tool `#tool` #tool/saw\n/MEMORY.md\n#TOOL\n",
        "MEMORY.md:0 #TOOL", "a.md:1 Tool", "b.md:0 #tool", "b.md:0 #tool/saw",
    )  # fmt: skip


def test_who_else_waits_for_a_missing_note() -> None:
    check("/a.md\n[[no$0ne]]\n/b.md\n---\nsupersedes: None\n---\n[x](none.md) [[none of these]]\n",
          "a.md:0 [[none]]", "b.md:1 None", "b.md:3 none.md")  # fmt: skip


def test_who_else_shows_a_picture() -> None:
    check("/a.md\n![[p$0.png]]\n/b.md\n![x](img/p.png) [[p]]\n/img/p.png\n\n", "a.md:0 [[p.png]]", "b.md:0 img/p.png")


def test_a_definition_used_twice_is_one_place() -> None:
    check("/b.md\nx$0\n/a.md\n[one][r] [two][r]\n\n[r]: b.md\n", "a.md:2 b.md", "*b.md:0 x")


def test_a_note_that_only_shares_the_name_is_no_reference() -> None:
    check(
        "/feedback/x.md\nF\n/project/x.md\nP$0\n/a.md\n[[x]] [[project/x]]\n",
        "a.md:0 [[project/x]]",
        "*project/x.md:0 P",
    )


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("/a.md\n[[b$0]] [x](b.md) [[c]]\n/b.md\n[[b]]\n/c.md\nx\n", ["a.md:0 [[b]]", "a.md:0 b.md"]),
        ("/a.md\n# A$0\n[[a]] [[#A]]\n/b.md\n[[a]]\n", ["*a.md:0 A", "a.md:1 [[a]]"]),
        ("/a.md\n---\nname: A$0\n---\n# T\n[[A]]\n", ["*a.md:1 A", "*a.md:3 T", "a.md:4 [[A]]"]),
        ("/a.md\n## P$0\n[[#P]] [[a#P]]\n", ["*a.md:0 ## P", "a.md:1 [[#P]]", "a.md:1 [[a#P]]"]),
        ("/a.md\n#t$0 #T #t/u #v\n/b.md\n#t\n", ["a.md:0 #t", "a.md:0 #T", "a.md:0 #t/u"]),
        ("/a.md\npl$0ain [[a]]\n", []),
        ("/a.md\n---\ndescr$0iption: x\n---\n[[a]]\n", []),
    ],
)
def test_highlights_stay_in_the_document(source: str, expected: list[str]) -> None:
    assert highlights(source) == expected


def test_references_look_only_at_notes_that_point_there() -> None:
    texts = {f"n{n}.md": f"[[n{n + 1}]] #t{n}\n" for n in range(30)} | {"x.md": "# X\n", "y.md": "[[x]]\n"}
    snapshot = Vault(texts).snapshot(inline_tags=True)
    looked: set[str] = set()

    class Watched(dict[str, Note]):
        def __getitem__(self, path: str) -> Note:
            looked.add(path)
            return super().__getitem__(path)

    object.__setattr__(snapshot, "notes", Watched(snapshot.notes))
    references_at(snapshot, snapshot.notes["x.md"], 2)
    assert looked == {"x.md", "y.md"}
    looked.clear()
    references_at(snapshot, snapshot.notes["n3.md"], 10)
    assert looked == {"n3.md"}


def test_a_graph_lists_its_tags() -> None:
    assert set(Vault({"a.md": "#b #C"}).snapshot(inline_tags=True).graph.tags()) == {"tag:b", "tag:c"}
    assert not list(Graph.build(()).tags())
