"""The body: what is a link, a heading, a block id or a tag, what only looks like one, and where each stands."""

from __future__ import annotations

import pytest
from fixtures import LINEAR, growth, note_of, unmark
from hypothesis import given
from hypothesis import strategies as st
from memory_lsp.core.links import LinkForm
from memory_lsp.core.markdown import slugify

# Links are what stands between marks, whole and in order.
LINKS = {
    "wikilink": "a $0[[b]]$0 c",
    "two on a line": "$0[[a]]$0$0[[b]]$0",
    "embed, without its mark": "!$0[[pic.svg]]$0",
    "picture, without its mark": "!$0[x](pic.svg)$0",
    "markdown link": "$0[t](a/b.md)$0",
    "angle brackets": "$0[t](<a b.md> 'title')$0",
    "link with a title": '$0[t](a.md "a [[b]]")$0',
    "parentheses in the path": "$0[t](a_(b).md)$0 and more)",
    "empty text": "$0[](a.md)$0",
    "into its own note": "$0[[#Part]]$0 and $0[t](#part)$0",
    "in a heading": "# About $0[[a]]$0",
    "in emphasis": "**$0[[a]]$0** *$0[t](b.md)$0*",
    "in a list": "- $0[[a]]$0\n  1. $0[[b]]$0\n     - [ ] $0[[c]]$0",
    "in a quote": "> $0[[a]]$0\n> > $0[[b]]$0",
    "in a table, with escaped pipes": "| a | b |\n|---|---|\n| $0[[a\\|b]]$0 | $0[t](c\\|d.md)$0 |",
    "in a footnote": "x[^1]\n\n[^1]: see $0[[a]]$0",
    "after astral characters": "- 🗺é$0[[link]]$0🗺$0[[b]]$0",
    "after a combining character": "e\u0301 $0[[a]]$0",
    "on CRLF lines": "a\r\n$0[[b]]$0\r\n\r\n- $0[[c]]$0\r\n",
    "on CR lines": "a\r$0[[b]]$0\r\r# X\r$0[[c]]$0",
    "beside line separators that are none": "a\u2028\u2029\x0b\x0c\x85$0[[b]]$0",
    "beside a NUL": "a\0$0[[b]]$0",
    "beside a lone surrogate": "\ud800 $0[[b]]$0 \udfff$0[[c]]$0",
    "in the text of a failed link": "[also $0[[goal]]$0](https://example.com/y)",
    "picture in a link": "$0[!$0[i](a.png)$0](b.md)$0",
    "reference": "$0[t][r]$0\n\n[r]: a.md",
    "collapsed reference": "$0[r][]$0\n\n[r]: <a b.md> 'x'",
    "shortcut reference": "$0[r]$0\n\n[R]: a.md",
    "brackets in a label": "$0[[a|see [x]]$0]",
    "brackets around": "[$0[[a]]$0]",
    "text behind looks like a destination": "$0[[a]]$0(b.md)",
    "text between tags of a block": "<details>\n<summary>$0[[a]]$0</summary>\n$0[[b]]$0 $0[t](c.md)$0\n</details>",
    "indented in a block": "<div>\n      $0[[a]]$0\n</div>",
    "behind an unclosed tag": "<div\n$0[[a]]$0",
    "between inline tags": "<b>$0[[a]]$0</b>",
    "before a code span": "$0[[a]]$0 `x`",
    "behind an escaped backslash": "\\\\$0[[a]]$0",
    "a path with a scheme of one letter": "$0[t](C:/a.md)$0",
    "behind a comment": "a <!-- x --> $0[[b]]$0",
    "behind a block comment": "<!-- x -->\n$0[[b]]$0",
    "with white space": "$0[[ a | b ]]$0",
    "with a colon": "$0[[a: b]]$0",
    "with emphasis marks": "$0[[a_b_c]]$0 $0[[*d*]]$0",
    "with an entity, which means itself": "$0[[a &amp; b]]$0",
}  # fmt: skip


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("lead", ["", "\ufeff", "---\r\nname: ü🗺\r\n---\r\n"], ids=["bare", "bom", "frontmatter"])
def test_link(name: str, lead: str) -> None:
    text, marks = unmark(lead + LINKS[name])
    found = [(link.span.start, link.span.end) for link in note_of(text).links]
    pairs = sorted(zip(marks[::2], marks[1::2], strict=True))
    if name == "picture in a link":
        pairs = [(marks[0], marks[3]), (marks[1], marks[2])]
    assert found == pairs


NO_LINKS = {
    "code span": "`[[a]]`",
    "code span of two back quotes": "`` `[[a]]` ``",
    "code span of many back quotes": "```````` ```[[a]]``` ````````",
    "code span over lines": "`a\n[[b]] c`",
    "brackets in two code spans": "`[[` and `]]`",
    "opening brackets in code": "`[[`a]]",
    "fence": "```\n[[a]]\n```",
    "fence with a language": "```toml\n[[bench]]\n[t](a.md)\n```",
    "fence of tildes": "~~~\n[[a]]\n~~~",
    "fence of four back quotes": "````\n```\n[[a]]\n````",
    "fence that is not closed": "```\n[[a]]",
    "fence in a list": "- x\n  ```\n  [[a]]\n  ```",
    "fence in a list in a quote": "> - ```\n>   [[a]]\n>   ```",
    "fence on CRLF lines": "```\r\n[[a]]\r\n```\r\n",
    "indented code": "x\n\n    [[a]]\n",
    "code by a tab": "x\n\n\t[[a]]\n",
    "code in a table": "| a |\n|---|\n| `[[ ${x-} ]] \\|\\| y` |",
    "inline comment": "a <!-- [[b]] --> c",
    "inline comment over lines": "a <!-- b\n[[c]]\nd --> e",
    "block comment": "<!-- [[a]] -->",
    "block comment over lines and blank lines": "<!--\n\n[[a]]\n\n[t](b.md)\n-->",
    "comment that is not closed": "<!--\n[[a]]\n\n[[b]]",
    "comment in a block of tags": "<div>\n<!--\n[[a]]\n-->\n</div>",
    "pre": "<pre>\n[[a]]\n\n[[b]]\n</pre>",
    "script": "<script>\nlet a = [[b]];\n</script>",
    "code between tags of a block": "<details>\n`[[a]]`\n<code>[[b]]</code>\n</details>",
    "attribute": '<a href="[[a]]">x</a>',
    "attribute of a block": '<div title="[[a]]">\nx\n</div>',
    "escaped": "\\[[a]] [\\[a]]",
    "escaped at its end": "[[a\\]]",
    "empty": "[[]]",
    "white space": "[[  ]]",
    "only a label": "[[|a]]",
    "only a hash": "[[#]]",
    "brackets in the target": "[[1, 2], [3, 4]]",
    "over two lines": "[[a\nb]]",
    "one bracket": "[a]] [b] [[c]",
    "url": "[t](https://a.b/c.md) <https://a.b> [m](mailto:a@b.c) [d](data:text/plain,x) [h](//host/x)",
    "empty destination": "[t]() [u](<>) [v](#)",
    "reference without definition": "[a][b] [c]",
    "definition alone": "[r]: a.md",
    "footnote": "a[^1]\n\n[^1]: b",
    "text behind one bracket": "[[squid] calamari](https://example.com/Squid)",
}


@pytest.mark.parametrize("name", NO_LINKS)
def test_no_link(name: str) -> None:
    assert [link.span.of(NO_LINKS[name]) for link in note_of(NO_LINKS[name]).links] == []


# source → target, anchor, label, and the raw texts of their spans
PARTS = [
    ("[[a]]", "a", None, None, "a", None, None),
    ("[[ a b # c | d ]]", "a b", "c", "d", "a b", "c", " d "),
    ("[[a\\|b]]", "a", None, "b", "a", None, "b"),
    ("[[a\\\\|b]]", "a", None, "b", "a", None, "b"),
    ("[[a#^id]]", "a", "^id", None, "a", "^id", None),
    ("[[#h]]", "", "h", None, "", "h", None),
    ("[[a#]]", "a", "", None, "a", "", None),
    ("[[a|]]", "a", None, "", "a", None, ""),
    ("[[a#b#c|d|e]]", "a", "b#c", "d|e", "a", "b#c", "d|e"),
    ("[[a%23b]]", "a%23b", None, None, "a%23b", None, None),
    ("[t](a%20b.md#c%20d)", "a b.md", "c d", None, "a%20b.md", "c%20d", None),
    ("[t](<a b.md#c d>)", "a b.md", "c d", None, "a b.md", "c d", None),
    ("[t](a%23b.md)", "a#b.md", None, None, "a%23b.md", None, None),
    ("[t](a.md?x=1#b)", "a.md", "b", None, "a.md", "b", None),
    ("[t](a\\_b\\(.md)", "a_b(.md", None, None, "a\\_b\\(.md", None, None),
    ("[t](a&amp;b.md)", "a&b.md", None, None, "a&amp;b.md", None, None),
    ("[t](a&copy.md)", "a&copy.md", None, None, "a&copy.md", None, None),
    ("[t](%C3%B8.md)", "ø.md", None, None, "%C3%B8.md", None, None),
    ("[t](#h)", "", "h", None, "", "h", None),
    ("[a `](` b](c.md)", "c.md", None, None, "c.md", None, None),
    ("[a\\]](b.md)", "b.md", None, None, "b.md", None, None),
    ("[t](\n  a.md\n  'x')", "a.md", None, None, "a.md", None, None),
    ("[t](a(b(c)).md)", "a(b(c)).md", None, None, "a(b(c)).md", None, None),
]


@pytest.mark.parametrize(("source", "target", "anchor", "label", "raw", "raw_anchor", "raw_label"), PARTS)
def test_parts_of_a_link(
    source: str, target: str, anchor: str | None, label: str | None, raw: str, raw_anchor: str | None,
    raw_label: str | None,
) -> None:  # fmt: skip
    text = f"🗺 {source} end"
    (link,) = note_of(text).links
    assert (link.target, link.anchor, link.label) == (target, anchor, label)
    spans = (link.target_span, link.anchor_span, link.label_span)
    assert [span.of(text) if span else None for span in spans] == [raw, raw_anchor, raw_label]


def test_report_span_is_the_wikilink_or_the_path() -> None:
    text = "[[a#b|c]] [t](d.md#e) ![[f]]"
    assert [link.report_span.of(text) for link in note_of(text).links] == ["[[a#b|c]]", "d.md#e", "[[f]]"]
    assert [link.form for link in note_of(text).links] == [LinkForm.WIKI, LinkForm.MARKDOWN, LinkForm.WIKI]
    assert [link.embed for link in note_of(text).links] == [False, False, True]


DEFINITIONS = {
    "plain": "[t][r]\n\n[r]: $0a.md$0 'title'\n",
    "angle brackets": "[t][r]\n\n[r]: <$0a b.md$0>\n",
    "before its use": "[r]: $0a.md$0\n\n[t][r]\n",
    "in a quote": "> [r]: $0a.md$0\n\n[r]\n",
    "in a list": "- x\n\n      [no]: b\n\n  [r]: $0a.md$0\n\n[r]\n",
    "on the next line": "[r]:\n   $0a.md$0\n\n[r]\n",
    "code is no definition": "```\n[r]: no.md\n```\n\n[r]: $0a.md$0\n\n[r]\n",
    "the first counts": "[r]: $0a.md$0\n[r]: b.md\n\n[r]\n",
    "another case": "[t][Straße X]\n\n[STRASSE  x]: $0a.md$0\n",
    "escaped bracket in the label": "[a\\]:b]: $0a.md$0\n\n[a\\]:b]\n",
    "with an anchor": "[r]\n\n[r]: $0a.md$0#part\n",
    "CRLF": "[r]\r\n\r\n[r]: $0a.md$0\r\n",
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_reference_link_points_at_the_path_of_its_definition(name: str) -> None:
    text, (start, end) = unmark(DEFINITIONS[name])
    (link,) = note_of(text).links
    assert (link.target_span.start, link.target_span.end) == (start, end)


# The heading's text between marks; its rendered text, level and slug.
HEADINGS = {
    "atx": ("# $0One two$0\n", "One two", 1, "one-two"),
    "closing hashes": ("## $0One$0 ##  \n", "One", 2, "one"),
    "hashes that close nothing": ("## $0C#$0\n", "C#", 2, "c"),
    "escaped hash": ("# $0a \\#$0\n", "a #", 1, "a-"),
    "indented": ("   ### $0One$0\n", "One", 3, "one"),
    "tab": ("#\t$0One$0\n", "One", 1, "one"),
    "empty": ("#$0$0\n", "", 1, ""),
    "setext": ("$0One$0\n===\n", "One", 1, "one"),
    "setext over lines": ("$0One\ntwo$0\n---\n", "One two", 2, "one-two"),
    "setext on CRLF": ("$0One$0\r\n---\r\n", "One", 2, "one"),
    "CR": ("# $0One$0\r\rx", "One", 1, "one"),
    "in a quote": ("> # $0One$0\n> x\n", "One", 1, "one"),
    "in a list": ("- # $0One$0\n", "One", 1, "one"),
    "at the end": ("###### $0One$0", "One", 6, "one"),
    "code": ("# $0Use `a_b`$0\n", "Use a_b", 1, "use-a_b"),
    "emphasis": ("# $0*One* **two**$0\n", "One two", 1, "one-two"),
    "link": ("# $0[One](a.md) [[b|two]]$0\n", "One two", 1, "one-two"),
    "entity and tag": ("# $0A &amp; <b>B</b>$0\n", "A & B", 1, "a--b"),
    "emoji": ("# $0🎉 Party$0\n", "🎉 Party", 1, "-party"),
    "Chinese": ("# $0开发 指南$0\n", "开发 指南", 1, "开发-指南"),
    "Hindi keeps its vowel signs": ("# $0हिन्दी$0\n", "हिन्दी", 1, "हिन्दी"),
    "umlauts": ("# $0Über uns$0\n", "Über uns", 1, "über-uns"),
    "punctuation": ("# $0Old plan (v1): why?$0\n", "Old plan (v1): why?", 1, "old-plan-v1-why"),
    "dashes stay": ("# $0a - b_c$0\n", "a - b_c", 1, "a---b_c"),
}


@pytest.mark.parametrize("name", HEADINGS)
def test_heading(name: str) -> None:
    source, text, level, slug = HEADINGS[name]
    whole, (start, end) = unmark(source)
    (heading,) = note_of(whole).headings
    assert (heading.text, heading.level, heading.slug) == (text, level, slug)
    assert (heading.text_span.start, heading.text_span.end) == (start, end)
    assert not heading.span.of(whole).endswith(("\n", "\r"))


NO_HEADINGS = [
    "I like C# more than F#", "#nospace", "####### seven", "```\n# a\n```", "~~~sh\n# a\n~~~", "    # a",
    "<!--\n# a\n-->", "<div>\n# a\n[[b]]\n</div>", "\\# a", "`# a`", "- - -", "---", "| a |\n|---|\n| # b |",
]  # fmt: skip


@pytest.mark.parametrize("source", NO_HEADINGS)
def test_no_heading(source: str) -> None:
    assert note_of(source).headings == ()


def test_equal_headings_get_numbered_slugs() -> None:
    note = note_of("# A\n# A\n# A-1\n# A\n# A\n# B^\n# B.\n")
    assert [heading.slug for heading in note.headings] == ["a", "a-1", "a-1-1", "a-2", "a-3", "b", "b-1"]


@given(st.text())
def test_slugs_have_no_white_space_and_are_stable(text: str) -> None:
    slug = slugify(text)
    assert not any(c.isspace() for c in slug)
    assert slugify(slug) == slug


BLOCKS = {
    "paragraph": "Text $0^a-1$0\n",
    "last line of a paragraph": "One\ntwo $0^b$0",
    "first line of a paragraph": "One $0^a$0\ntwo $0^b$0\n",
    "list item": "- one $0^a$0\n- two $0^b$0\n",
    "alone": "- one\n\n$0^a$0\n",
    "underscore": "Text $0^my_id$0\n",
    "CRLF": "Text $0^a$0\r\nmore\r\n",
    "space behind": "Text $0^a$0  \n",
    "quote": "> Text $0^a$0\n",
    "after a link": "[[x]] $0^a$0\n",
    "after emphasis": "*x* $0^a$0\n",
    "the last of two": "2 ^x $0^a$0\n",
    "code": "```\nx ^a\n```\n",
    "code span": "`x ^a`\n",
    "formula": "a^b\n",
    "not at the end": "a ^b c\n",
    "before punctuation": "a ^b.\n",
    "comment": "<!-- x ^a -->\n",
    "escaped": "x \\^a\n",
}


@pytest.mark.parametrize("name", BLOCKS)
def test_block_ids(name: str) -> None:
    text, marks = unmark(BLOCKS[name])
    note = note_of(text)
    assert [at for block in note.blocks for at in (block.span.start, block.span.end)] == marks
    assert [f"^{block.id}" for block in note.blocks] == [block.span.of(text) for block in note.blocks]


TAGS = {
    "plain": "x $0#infra$0 y",
    "at the start": "$0#a$0",
    "nested": "$0#a/b-c_d$0",
    "other scripts": "$0#café$0 $0#проект$0 $0#開発$0",
    "in brackets and lists": "($0#a$0) [$0#b$0], $0#c$0;",
    "before punctuation": "$0#a$0. $0#b$0, $0#c$0/",
    "underscores": "$0#_a_b$0",
    "word of hexadecimal letters": "$0#fff$0 $0#bad$0",
    "in a table": "| a |\n|---|\n| $0#b$0 |",
    "numbers and colours": "#42 #3949AB #12ab #_",
    "words": "C# a#b https://a.b/#top [x](#sec) \\#x",
    "code": "`#a`\n\n```\n#b\n```\n\n    #c\n",
    "comment": "<!-- #a -->",
    "heading": "# a #b",
    "link text": "[#a](b.md) [[c#d]]",
}


@pytest.mark.parametrize("name", TAGS)
def test_inline_tags(name: str) -> None:
    text, marks = unmark(TAGS[name])
    note = note_of(text, inline_tags=True)
    assert [at for tag in note.tags for at in (tag.span.start, tag.span.end)] == marks
    assert [f"#{tag.name}" for tag in note.tags] == [tag.span.of(text) for tag in note.tags]
    assert note_of(text).tags == ()


HOSTILE = [
    "[foo](bar" + "()", "[", "]", "[[", "]]", "[[a", "[[a|", "[[a]]", "![", "![[", "`", "``` ", "``\n", "~~~\n", "<!--",
    "<!-- -->", "<", "<a ", "<pre>", "</pre", "<div>\n<!--", "> ", ">\n", "- ", "  - ", "1. ", "#", "# \n", "a #", "*",
    "**a", "_a ", "*_", "&amp;", "\\", "|", "| a ", "|-", "\r", "\t", "^", " ^a", "^a\n", "[r]: a\n",
    "[r]\n\n[r]: a\n\n",
    "[^1]", "[^1]: ", "!(", "](", "[](", "[a](<b", "\0", "\u2028", "\ud800", "é[[ü]]", "https://", "---\n", "===\n",
    "<div>\n[[a]]\n", "# a\n", "#a ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_reading_is_linear(piece: str) -> None:
    assert growth(lambda count: note_of(piece * count, inline_tags=True), max(250, 4000 // len(piece))) < LINEAR


@pytest.mark.parametrize("piece", ["[", ">", "- ", "[[", "![", "*", "("])
def test_deep_nesting_is_read(piece: str) -> None:
    note = note_of(piece * 10_000 + "[[a]]\n\n[[b]]\n")
    assert note.links[-1].target == "b"


def test_a_picture_that_the_parser_misplaces_is_no_link() -> None:
    text = "[[![a|b](f)]] [[c]]"
    assert [link.span.of(text) for link in note_of(text).links] == ["[[c]]"]
