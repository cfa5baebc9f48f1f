"""Frontmatter: every form of a value with its exact span, and nothing lost where YAML gives up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fixtures import LINEAR, growth, note_of, unmark
from memory_lsp.core.frontmatter import Frontmatter, split_frontmatter

if TYPE_CHECKING:
    from memory_lsp.core.note import Note


def block_of(inner: str) -> tuple[Frontmatter, str]:
    text = f"---\n{inner}\n---\nbody\n"
    frontmatter, _, problems = split_frontmatter(text)
    assert frontmatter and not problems
    return frontmatter, text


def codes(frontmatter: Frontmatter) -> list[str]:
    return [problem.code for problem in frontmatter.problems]


# What `k` reads as, with the spans of its items between marks.
VALUES = {
    "plain text": ("k: $0one two$0", ["one two"]),
    "a date stays text": ("k: $02024-06-01$0", ["2024-06-01"]),
    "a number stays text": ("k: $01458$0", ["1458"]),
    "a boolean stays text": ("k: $0yes$0", ["yes"]),
    "null stays text": ("k: $0null$0", ["null"]),
    "no value": ("k:", []),
    "a comment alone is no value": ("k: # none yet", []),
    "white space around is no part": ("k:  \t $0a$0 \t", ["a"]),
    "single quotes": ("k: '$0a: b # c$0'", ["a: b # c"]),
    "double quotes": ('k: "$0a: b # c$0"', ["a: b # c"]),
    "quotes doubled inside": ("k: '$0it''s$0'", ["it's"]),
    "escapes in double quotes": (r'k: "$0a\"b\u00e9$0"', ['a"bé']),
    "a comment behind quotes": ('k: "$0a$0" # why', ["a"]),
    "empty quotes": ('k: ""', []),
    "a quoted key": ('"k": $0a$0', ["a"]),
    "space before the colon": ("k : $0a$0", ["a"]),
    "a tab behind the colon": ("k:\t$0a$0", ["a"]),
    "an url has no space behind its colon": ("k: $0https://a.b/c#d$0", ["https://a.b/c#d"]),
    "flow list": ("k: [$0a$0, $0b c$0,$0d-e$0]", ["a", "b c", "d-e"]),
    "empty flow list": ("k: []", []),
    "flow list with quotes": ("k: ['$0a, b$0', \"$0c$0\"]", ["a, b", "c"]),
    "flow list with a trailing comma": ("k: [$0a$0, $0b$0, ]", ["a", "b"]),
    "flow list over lines": ("k: [$0a$0,\n  $0b$0,\n  # no\n  '$0c$0']", ["a", "b", "c"]),
    "flow list with astral characters": ("k: [$0🗺x$0, '$0é$0', $0z$0]", ["🗺x", "é", "z"]),
    "mapping in a flow list": ("k: [$0optional: some value$0]", ["optional: some value"]),
    "block list": ("k:\n  - $0a$0\n  - '$0b$0'", ["a", "b"]),
    "block list without indentation": ("k:\n- $0a$0\n- $0b$0", ["a", "b"]),
    "block list with comments and blank lines": ("k:\n# one\n- $0a$0\n\n  # two\n- $0b$0", ["a", "b"]),
    "block list with an empty entry": ("k:\n  -\n  - $0b$0", ["b"]),
    "block list behind a comment": ("k: # which\n  - $0a$0", ["a"]),
    "block list of mappings": ("k:\n  - $0url: https://x.y$0\n  - $0url: z$0", ["url: https://x.y", "url: z"]),
    "block list of long mappings": ("k:\n  - $0a: 1\n    b: 2$0", ["a: 1\n    b: 2"]),
    "list entry over lines": ("k:\n  - $0a\n    b$0\n  - $0c$0", ["a b", "c"]),
    "lists in a list": ("k: [[$0a$0, $0b$0], [$0c$0]]", ["a", "b", "c"]),
    "literal block": ("k: |\n  $0one\n  two$0", ["one\ntwo"]),
    "folded block": ("k: >-\n  $0one\n  # two$0", ["one # two"]),
    "block with a comment behind its mark": ("k: | # text\n  $0one$0", ["one"]),
    "block without text": ("k: |", []),
    "plain text over lines": ("k: $0one\n  two\n\n  three$0", ["one two three"]),
    "plain text below its key": ("k:\n  $0one\n  two$0", ["one two"]),
    "quoted text over lines": ('k: "$0one\n  two$0"', ["one two"]),
    "an anchor is no part": ("k: [&x $0a$0, $0b$0]", ["a", "b"]),
    "a tag is no part": ("k: [!!str $0a$0]", ["a"]),
    "a mapping keeps its text": ("k: $0{a: b}$0", ["{a: b}"]),
    "a template keeps its text": ("k: $0{{ a }}$0", ["{{ a }}"]),
}


@pytest.mark.parametrize("name", VALUES)
def test_value(name: str) -> None:
    source, expected = VALUES[name]
    text, marks = unmark(f"---\n{source}\n---\n")
    frontmatter, _, problems = split_frontmatter(text)
    assert frontmatter
    field = frontmatter.get("k")
    assert field
    assert [item.value for item in field.items] == expected
    assert [at for item in field.items for at in (item.span.start, item.span.end)] == marks
    assert (frontmatter.problems, problems) == ((), ())
    assert field.key_span.of(text) == "k"


# What YAML would cut or refuse is taken whole, and reported at its line.
REFUSED = {
    "a colon": ("k: port: 8080 is taken", ["port: 8080 is taken"], ["invalid-frontmatter"]),
    "a colon at the end": ("k: see this:", ["see this:"], ["invalid-frontmatter"]),
    "a comment": ("k: PR #762 and #800", ["PR #762 and #800"], ["comment-in-value"]),
    "a hash at the start": ("k: #762", ["#762"], ["comment-in-value"]),
    "both": ("k: a: b #c", ["a: b #c"], ["comment-in-value", "invalid-frontmatter"]),
    "text behind quotes": ('k: "a" is "b"', ['"a" is "b"'], ["invalid-frontmatter"]),
    "an open quote": ('k: "a b', ["a b"], ["invalid-frontmatter"]),
    "an apostrophe at the start": ("k: 's nachts", ["s nachts"], ["invalid-frontmatter"]),
    "text behind a list": ("k: [WIP] the plan", ["[WIP] the plan"], ["invalid-frontmatter"]),
    "an open list": ("k: [a, 'b'", ["a", "b"], ["invalid-frontmatter"]),
    "wikilinks without quotes": ("k: [[a]], [[b]]", ["[[a]]", "[[b]]"], ["invalid-frontmatter"]),
    "a markdown link": ("k: [a](b.md)", ["[a](b.md)"], ["invalid-frontmatter"]),
    "a pattern in a list": ("k: [a, *.md]", ["a", "*.md"], ["invalid-frontmatter"]),
    "an at sign": ("k: @ops", ["@ops"], ["invalid-frontmatter"]),
    "a back quote": ("k: `make run`", ["`make run`"], ["invalid-frontmatter"]),
    "an asterisk": ("k: *bold*", ["*bold*"], ["invalid-frontmatter"]),
    "a percent sign": ("k: %TEMP%", ["%TEMP%"], ["invalid-frontmatter"]),
    "a greater-than sign": ("k: > 5 items", ["> 5 items"], ["invalid-frontmatter"]),
    "a colon on a later line": ("k: one\n  two: three", ["one two: three"], ["invalid-frontmatter"]),
    "a comment in a list entry": ("k:\n  - a # b", ["a # b"], ["comment-in-value"]),
    "a colon twice in a list entry": ("k:\n  - a: b: c", ["a: b: c"], ["invalid-frontmatter"]),
    "no space behind the colon": ("k:a", ["a"], ["invalid-frontmatter"]),
    "a control character": ('k: "a\x07\\n"', ['"a\x07\\n"'], ["invalid-frontmatter"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_value_is_taken_whole_and_reported(name: str) -> None:
    source, expected, problems = REFUSED[name]
    frontmatter, text = block_of(f"before: 1\n{source}\nafter: 2")
    field = frontmatter.get("k")
    assert field
    assert [item.value for item in field.items] == expected
    assert codes(frontmatter) == problems
    if len(source.splitlines()) == 1:
        assert [item.span.of(text) for item in field.items] == expected
    for key, value in (("before", "1"), ("after", "2")):
        other = frontmatter.get(key)
        assert other and other.text == value


def test_comment_in_value_marks_from_the_hash() -> None:
    frontmatter, text = block_of("k: Tracking PR #762 and issue #800")
    (problem,) = frontmatter.problems
    assert problem.span.of(text) == "#762 and issue #800"


def test_invalid_line_is_marked_and_costs_nothing_else() -> None:
    frontmatter, text = block_of("name: a\nstray text\ndescription: b")
    assert [(problem.code, problem.span.of(text)) for problem in frontmatter.problems] == [
        ("invalid-frontmatter", "stray text")
    ]
    assert [field.text for field in frontmatter.fields] == ["a", "b"]


def test_invalid_line_after_a_blank_one_costs_nothing_else() -> None:
    frontmatter, _ = block_of("name: a\n\nstray text\n\ndescription: b")
    assert [field.text for field in frontmatter.fields] == ["a", "b"]


def test_the_first_of_two_equal_keys_counts_and_the_second_is_reported() -> None:
    frontmatter, text = block_of("name: a\nname: b")
    field = frontmatter.get("name")
    assert field and field.text == "a"
    assert [problem.span.of(text) for problem in frontmatter.problems] == ["name: b"]


def test_a_comment_between_keys_is_nothing() -> None:
    frontmatter, _ = block_of("# about\nname: a\n# more\n\ntype: b")
    assert [(field.key, field.text) for field in frontmatter.fields] == [("name", "a"), ("type", "b")]
    assert not frontmatter.problems


def test_nested_metadata_gives_the_keys_that_the_top_lacks() -> None:
    note = note_of("---\nname: a\nmetadata:\n  type: project\n  name: b\n  deep:\n    tags: x\n---\n")
    assert (note.name, note.type, note.tags) == ("a", "project", ())


def test_a_long_list_of_wikilinks_is_no_deep_nesting() -> None:
    frontmatter, _ = block_of("k: [" + ", ".join(f'"[[n{n}]]"' for n in range(200)) + "]")
    field = frontmatter.get("k")
    assert field and len(field.items) == 200 and not frontmatter.problems


# text, where the body starts (the mark), problem codes
FENCES = {
    "none": ("$0# Title\n", False, []),
    "plain": ("---\nname: a\n---\n$0body", True, []),
    "closed by dots": ("---\nname: a\n...\n$0body", True, []),
    "empty": ("---\n---\n$0[[x]]", True, []),
    "blank lines only": ("---\n\n---\n$0x", True, []),
    "at the end of the text": ("---\nname: a\n---$0", True, []),
    "spaces behind the fences": ("---  \nname: a\n--- \n$0body", True, []),
    "behind a byte order mark": ("\ufeff---\nname: a\n---\n$0body", True, []),
    "CRLF": ("---\r\nname: a\r\n---\r\n$0body", True, []),
    "CR": ("---\rname: a\r---\r$0body", True, []),
    "four dashes are none": ("$0----\nname: a\n----\n", False, []),
    "not on the first line": ("$0\n---\nname: a\n---\n", False, []),
    "a thematic break": ("$0---\n\nSome text.\n\n---\n", False, []),
    "a thematic break alone": ("$0---\n", False, []),
    "a byte order mark alone": ("\ufeff$0", False, []),
    "not closed": ("---\nname: a\n$0\n# Title\n", True, ["unclosed-frontmatter"]),
    "not closed to the end": ("---\nname: a\ntags:\n  - b\n$0", True, ["unclosed-frontmatter"]),
    "closed by two dashes": ("---\nname: half\n$0--\n\nText [[x]].\n", True, ["unclosed-frontmatter"]),
    "a rule of the body is no fence": (
        "---\nname: a\n$0\n# Title\n\nSome text.\n\n---\n\nMore.\n", True, ["unclosed-frontmatter"]
    ),
    "stacked": ("---\nname: a\n---\n---\nname: b\n---\n$0body", True, ["stacked-frontmatter"]),
    "stacked behind a blank line": ("---\na: b\n---\n\n---\nc: d\n---\n$0body", True, ["stacked-frontmatter"]),
    "a rule right behind the block": ("---\na: b\n---\n$0---\n\ntext\n\n---\n", True, []),
}  # fmt: skip


@pytest.mark.parametrize("name", FENCES)
def test_fences(name: str) -> None:
    source, has_block, expected = FENCES[name]
    text, (mark,) = unmark(source)
    frontmatter, body, problems = split_frontmatter(text)
    assert (frontmatter is not None, body, [problem.code for problem in problems]) == (has_block, mark, expected)


def test_fence_problems_mark_the_fence_line() -> None:
    text = "---\nname: a\n---\n\n---\nname: b\n---\n"
    _, _, (stacked,) = split_frontmatter(text)
    assert (stacked.span.start, stacked.span.of(text)) == (17, "---")
    _, _, (unclosed,) = split_frontmatter("---\nname: a\n")
    assert (unclosed.span.start, unclosed.span.end) == (0, 3)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_change_no_value(end: str) -> None:
    source = '---\nname: "a"\ntags:\n  - x\n  - y\ndescription: |\n  one\n  two\nsupersedes: [b,\n  c]\n---\nbody\n'
    note = note_of(source.replace("\n", end))
    assert (note.name, note.description, note.content) == ("a", "one\ntwo", "body")
    assert [tag.name for tag in note.tags] == ["x", "y"]
    assert [entry.span.of(note.text) for entry in note.entries] == ["b", "c"]
    assert not note.problems


HOSTILE = {
    "keys": "k{n}: v\n",
    "equal keys": "k: v\n",
    "open brackets": "[",
    "nested entries": "- ",
    "complex keys": "? ",
    "quotes": '"',
    "colons": ": ",
    "hashes": " #",
    "spaces in a key": "k      ",
    "anchors": "&a ",
    "braces": "{a: ",
    "blank lines": "\n",
    "indented keys": "\n a:",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("lead", ["a: b\n", "a: b\nk:\n  - ", "a: b\nk: ["])
def test_reading_is_linear(name: str, lead: str) -> None:
    def read(count: int) -> None:
        inner = lead + "".join(HOSTILE[name].replace("{n}", str(n)) for n in range(count))
        split_frontmatter(f"---\n{inner}\n---\nbody\n")

    assert growth(read, 300) < LINEAR


def test_deep_nesting_is_read() -> None:
    lines = "\n".join(" " * n + f"k{n}:" for n in range(1200))
    note = note_of(f"---\nname: a\n{lines}\n---\nbody\n")
    assert (note.name, note.content) == ("a", "body")


def test_an_alias_bomb_is_harmless() -> None:
    levels = ", ".join(f"&a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 30))
    note: Note = note_of(f"---\nname: a\ntags: [&a0 [], {levels}]\naliases: &b [*b]\n---\n")
    assert note.name == "a"
    assert len(note.tags) == 58
