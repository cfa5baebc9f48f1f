"""A note's fields from every form in which real notes write them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from fixtures import LINEAR, growth, note_of, unmark
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from memory_lsp.core.note import Note
    from memory_lsp.core.text import Span

ENTRIES = {
    "plain": ("supersedes: $0a$0", ["a"]),
    "with extension": ("supersedes: $0a.md$0", ["a.md"]),
    "with a space": ("supersedes: $0Old plan$0", ["Old plan"]),
    "with a comma in the name": ("supersedes: $0No mocks, ever$0", ["No mocks, ever"]),
    "commas": ("supersedes: $0a$0, $0b$0,$0c$0", ["a", "b", "c"]),
    "flow list": ("supersedes: [$0a$0, '$0b$0']", ["a", "b"]),
    "block list": ("supersedes:\n  - $0a$0\n  - \"$0b$0\"", ["a", "b"]),
    "wikilink without quotes": ("supersedes: $0[[a]]$0", ["a"]),
    "quoted wikilink": ('supersedes: "$0[[a]]$0"', ["a"]),
    "quoted wikilink with label": ("supersedes: '$0[[a|the a]]$0'", ["a"]),
    "wikilink with label": ("supersedes: $0[[a|the a]]$0", ["a"]),
    "wikilinks with commas": ("supersedes: $0[[a]]$0, $0[[b c]]$0", ["a", "b c"]),
    "wikilink with a comma in it": ("supersedes: $0[[No mocks, ever]]$0", ["No mocks, ever"]),
    "flow list of wikilinks": ('supersedes: ["$0[[a]]$0", "$0[[b|c]]$0"]', ["a", "b"]),
    "flow list of wikilinks without quotes": ("supersedes: [$0[[a]]$0, $0[[b]]$0]", ["a", "b"]),
    "block list of wikilinks": ('supersedes:\n- $0[[a]]$0\n- "$0[[b]]$0"\n', ["a", "b"]),
    "names and wikilinks": ("supersedes: [$0a$0, $0[[b]]$0]", ["a", "b"]),
    "wikilinks in a comment are none": ("supersedes:\n  # [[no]]\n  - $0[[a]]$0", ["a"]),
    "below metadata": ("metadata:\n  supersedes: $0a$0", ["a"]),
    "with a path": ("supersedes: $0[[feedback/a]]$0", ["feedback/a"]),
    "empty": ("supersedes:", []),
    "empty list": ("supersedes: []", []),
    "empty wikilink": ("supersedes: [[]]", []),
    "a comment alone": ("supersedes: # none", []),
    "superseded by": ("superseded_by: $0a$0", ["a"]),
    "contradicts": ("contradicts: [$0a$0]", ["a"]),
}  # fmt: skip


@pytest.mark.parametrize("name", ENTRIES)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_entries(name: str, end: str) -> None:
    source, targets = ENTRIES[name]
    text, marks = unmark(f"---\nname: ü🗺\n{source}\n---\nbody".replace("\n", end))
    note = note_of(text)
    assert [entry.target for entry in note.entries] == targets
    assert [at for entry in note.entries for at in (entry.span.start, entry.span.end)] == marks
    assert note.links == ()


TAGS = {
    "flow list": ("[$0a$0, $0b c$0]", ["a", "b c"]),
    "commas": ("$0a$0, $0b c$0", ["a", "b c"]),
    "one": ("$0a b$0", ["a b"]),
    "quoted commas": ('"$0a$0, $0b$0"', ["a", "b"]),
    "block list": ("\n  - $0a$0\n  - '$0b$0'", ["a", "b"]),
    "hashes in quotes": ("['$0#a$0', \"$0#b$0\"]", ["a", "b"]),
    "nothing": ("", []),
    "empty commas": ("$0a$0, , $0b$0,", ["a", "b"]),
    "numbers": ("[$02024$0, $0yes$0]", ["2024", "yes"]),
    "a hash alone": ("['#']", []),
}


@pytest.mark.parametrize("name", TAGS)
def test_tags(name: str) -> None:
    source, names = TAGS[name]
    text, marks = unmark(f"---\ntags: {source}\n---\n")
    note = note_of(text)
    assert [tag.name for tag in note.tags] == names
    assert [at for tag in note.tags for at in (tag.span.start, tag.span.end)] == marks


ALIASES = {
    "flow list": ('["EB", "budget for errors"]', ["EB", "budget for errors"]),
    "one": ("error budget", ["error budget"]),
    "one with a comma and a space": ("No mocks, ever again", ["No mocks, ever again"]),
    "bare words with commas": ("EB, budget", ["EB", "budget"]),
    "block list": ("\n- A\n- B C", ["A", "B C"]),
}


@pytest.mark.parametrize("name", ALIASES)
def test_aliases(name: str) -> None:
    source, values = ALIASES[name]
    assert [alias.value for alias in note_of(f"---\naliases: {source}\n---\n").aliases] == values


LINKED = {
    "quoted wikilink": ('related: "$0[[goal|the goal]]$0"', ["goal"]),
    "wikilink without quotes": ("related: $0[[goal]]$0", ["goal"]),
    "in a sentence": ("description: see $0[[a]]$0 and $0[[b#c]]$0", ["a", "b"]),
    "escaped twice": ('icon: "$0[[icons/pad.svg\\\\|Pad]]$0"', ["icons/pad.svg"]),
    "embed": ('cover: "!$0[[pic.svg]]$0"', ["pic.svg"]),
    "list": ('related:\n  - "$0[[a]]$0"\n  - $0[[b]]$0', ["a", "b"]),
    "block value": ("description: |\n  see $0[[a]]$0\n  and $0[[b]]$0", ["a", "b"]),
    "nested": ('metadata:\n  source: "$0[[a]]$0"\n  supersedes: "[[b]]"', ["a"]),
    "markdown link to a note": ('related: "$0[t](a%20b.md#c)$0"', ["a b.md"]),
    "markdown link in a sentence": ("description: see $0[t](<a.md>)$0", ["a.md"]),
    "brackets in prose": ("description: a[i](x) is called", []),
    "comment": ("# [[a]]\nname: x", []),
    "comment in a list": ("related:\n  # [[a]]\n  - b", []),
    "keys that name notes": ('name: "[[a]]"\naliases: ["[[b]]"]\ntags: ["[[c]]"]\nsupersedes: "[[d]]"', []),
    "empty": ('related: "[[]]"', []),
}


@pytest.mark.parametrize("name", LINKED)
def test_links_in_frontmatter_values(name: str) -> None:
    source, targets = LINKED[name]
    text, marks = unmark(f"---\n{source}\n---\nbody")
    links = note_of(text).links
    assert [link.target for link in links] == targets
    assert [at for link in links for at in (link.span.start, link.span.end)] == marks
    assert all(link.in_frontmatter for link in links)


NAMES = {
    "from the key": ("---\nname: Some name\n---\n", "dir/x.md", "Some name"),
    "from the file": ("# Title\n", "dir/x.y.md", "x.y"),
    "empty": ("---\nname:\n---\n", "x.md", "x"),
    "empty quotes": ('---\nname: ""\n---\n', "x.MD", "x"),
    "a date": ("---\nname: 2024-06-01\n---\n", "x.md", "2024-06-01"),
    "with a hash": ("---\nname: C# style\n---\n", "x.md", "C# style"),
    "on two lines": ('---\nname: "a\\nb"\n---\n', "x.md", "a b"),
    "below metadata": ("---\nmetadata:\n  name: deep\n---\n", "x.md", "deep"),
}


@pytest.mark.parametrize("name", NAMES)
def test_name(name: str) -> None:
    text, path, expected = NAMES[name]
    assert note_of(text, path).name == expected


def test_empty_name_is_reported_at_its_key() -> None:
    text = "---\nname:\ntype: project\n---\n"
    (problem,) = note_of(text).problems
    assert (problem.code, problem.span.of(text)) == ("empty-name", "name")


TYPES = [
    ("feedback/x.md", "", "feedback"),
    ("feedback/deep/x.md", "", "feedback"),
    ("feedback/x.md", "project", "feedback"),
    ("x.md", "project", "project"),
    ("x.md", "idea", "idea"),
    ("x.md", "", "note"),
    ("sub/feedback/x.md", "", "note"),
    ("Feedback/x.md", "", "note"),
    ("feedback.md", "", "note"),
]


@pytest.mark.parametrize(("path", "declared", "expected"), TYPES)
def test_type_is_the_folder_then_the_key(path: str, declared: str, expected: str) -> None:
    note = note_of(f"---\nname: n\ntype: {declared}\n---\n", path)
    assert (note.type, note.declared_type, note.base_id) == (expected, declared, f"{expected}/n")


def test_content_is_the_trimmed_body_and_the_hash_is_of_name_description_and_content() -> None:
    note = note_of("---\nname: a\ndescription: b\n---\n\n\nOne\n\ntwo  \n\n")
    assert note.content == "One\n\ntwo"
    assert note.hash == hashlib.sha256(b"a\nb\nOne\n\ntwo").hexdigest()


def test_the_index_is_only_the_one_at_the_top() -> None:
    assert note_of("", "MEMORY.md").is_index
    assert not note_of("", "sub/MEMORY.md").is_index
    assert not note_of("", "memory.md").is_index


def test_times_and_session_are_texts() -> None:
    note = note_of("---\ncreated: 2024-06-01T10:00:00Z\nupdated: 2024-06-02\noriginSessionId: abc\n---\n")
    assert (note.created, note.updated, note.session) == ("2024-06-01T10:00:00Z", "2024-06-02", "abc")


def _spans(note: Note) -> list[Span]:
    spans = [note.name_span, note.type_span, note.title_span]
    for link in note.links:
        spans += [link.span, link.target_span, link.anchor_span, link.label_span, link.report_span]
    for heading in note.headings:
        spans += [heading.span, heading.text_span]
    spans += [
        item.span for group in (note.tags, note.aliases, note.entries, note.blocks, note.problems) for item in group
    ]
    for field in note.frontmatter.fields if note.frontmatter else ():
        spans += [field.key_span, field.line, field.value_span, *(item.span for item in field.items)]
    return [span for span in spans if span]


PIECES = st.sampled_from(
    [
        "---", ":", "-", "#", "[", "]", "[[", "]]", "(", ")", "](", "![", "|", "\\|", "`", "```", "~~~", "<!--", "-->",
        "<", "<div>", "</div>", "<pre>", ">", "*", "_", "^", "^a", "#t", "'", '"', "&amp;", "name:", "tags:",
        "supersedes:", "a", "b", "🗺", "é", "{", "}", "[r]:", "[r]", "[^1]", "http://", ".md", "===", "\\", "@",
        "%", "?", "!", "~", "\n", "\r\n", "\r", " ", "    ", "\t", "\0", "\u2028", "\ufeff", "\ud800",
        "\n\n", "---\n", "name: x\n", "- ",
    ]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join)), st.booleans())
def test_parsing_any_text_gives_ordered_spans_inside_it(text: str, inline_tags: bool) -> None:
    note = note_of(text, inline_tags=inline_tags)
    assert len(note.text) == len(text)
    assert all(0 <= span.start <= span.end <= len(text) for span in _spans(note))
    for group in (note.links, note.headings, note.blocks):
        starts = [item.span.start for item in group]
        assert starts == sorted(starts)
    for link in note.links:
        source = link.span.of(note.text)
        assert source.startswith("[") and source.endswith(("]", ")"))
        assert not link.anchor_span or link.target_span.end <= link.anchor_span.start


@given(st.lists(PIECES, max_size=40).map("".join))
def test_every_prefix_of_a_text_parses(text: str) -> None:
    for end in range(len(text)):
        note_of(text[:end], inline_tags=True)


@pytest.mark.parametrize("key", ["supersedes", "tags", "aliases", "related", "description"])
@pytest.mark.parametrize("piece", ["[[a]], ", "- [[a]]\n", '"[[a]]", ', "[a](b.md) ", "a, ", "#[[a]]\n  ", "[[a"])
def test_reading_values_is_linear(key: str, piece: str) -> None:
    assert growth(lambda count: note_of(f"---\n{key}: {piece * count}\n---\n"), 400) < LINEAR
