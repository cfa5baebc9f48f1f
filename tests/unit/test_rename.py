"""Rename a note, a heading, a block id, a tag, a missing name; whole texts before and after."""

from __future__ import annotations

import pytest
from fixtures import LINEAR, Vault, growth, parse_vault
from memory_lsp.core.rename import renamable_at
from memory_lsp.errors import RenameError
from rename_rig import check_rename, planned, renamed

PLAN = r"""
    /project/deploy-plan.md
    ---
    name: {name}
    ---
    # {title}

    ## Steps
    /MEMORY.md
    - [Deploy plan](project/{file}.md) — how
    /a.md
    ---
    supersedes: [{name}, "[[{name}|the plan]]", {name}.md]
    related: "[[{name}#Steps|x]]"
    ---
    [[{name}]] [[{name}.md]] [[{words}]] [[{snake}|deploy-plan]] ![[{name}]]
    [[project/{file}]] [[/project/{file}#Steps]] [x](project/{file}.md#steps) [y](<project/{file}>)
    `[[deploy-plan]]` deploy-plan [[The plan]]

    | a | b |
    |---|---|
    | [[{name}\|p]] | x |
"""


def plan(**names: str) -> dict[str, str]:
    """Return a vault that spells one note in every way."""
    given = {"name": "deploy-plan", "file": "deploy-plan", "title": "Deploy plan"} | names
    given |= {"words": given["name"].replace("-", " ").title(), "snake": given["name"].replace("-", "_")}
    texts = parse_vault(PLAN.format(**given)).texts
    return {path.replace("deploy-plan", given["file"]): text for path, text in texts.items()}


@pytest.mark.parametrize(
    ("path", "before"),
    [("project/deploy-plan.md", "name: dep"), ("a.md", "[[dep"), ("a.md", "![[dep"), ("a.md", 'supersedes: ["')],
)
def test_a_note_is_renamed_in_every_spelling_and_nothing_else(path: str, before: str) -> None:
    texts = plan()
    before = before if before in texts[path] else "supersedes: [d"
    result = renamed(texts, path, texts[path].index(before) + len(before), "release-guide")
    assert result == plan(name="release-guide", file="release-guide")


def test_a_rename_from_the_title_gives_title_name_and_file_their_own_style() -> None:
    texts = plan()
    at = texts["project/deploy-plan.md"].index("Deploy plan")
    expected = plan(name="release-guide", file="release-guide", title="Release guide")
    assert renamed(texts, "project/deploy-plan.md", at, "Release guide") == expected


def test_without_file_renames_the_name_and_the_links_by_name_change() -> None:
    texts = plan()
    at = texts["a.md"].index("[[deploy-plan]]") + 3
    assert renamed(texts, "a.md", at, "release-guide", renames_files=False) == plan(name="release-guide")


def test_without_file_renames_a_note_named_by_its_file_is_refused() -> None:
    with pytest.raises(RenameError, match="cannot rename files"):
        check_rename("/a.md\n[[b$0]]\n/b.md\nx\n", "c", "", renames_files=False)


def test_a_type_prefix_stays_and_links_without_it_stay_without_it() -> None:
    check_rename(
        """
        /feedback_no_mocks.md
        ---
        name: no-mocks
        ---
        /a.md
        [[no-mo$0cks]] [[feedback_no_mocks]] [[no mocks]] [x](feedback_no_mocks.md)
        """,
        "real-db",
        """
        /feedback_real_db.md
        ---
        name: real-db
        ---
        /a.md
        [[real-db]] [[feedback_real_db]] [[real db]] [x](feedback_real_db.md)
        """,
    )


def test_a_link_without_the_type_prefix_renames_the_rest_of_the_file_name() -> None:
    check_rename(
        "/feedback_no_mocks.md\n# Never mock\n/a.md\n[[no$0-mocks]] [[feedback_no_mocks|no-mocks]]\n",
        "real_db",
        "/feedback_real_db.md\n# Never mock\n/a.md\n[[real-db]] [[feedback_real_db|no-mocks]]\n",
    )


def test_an_alias_that_still_leads_there_is_left_alone() -> None:
    check_rename(
        "/old.md\n---\naliases: [The Plan]\n---\n/a.md\n[[The Plan]] [[the plan]] [[o$0ld]]\n",
        "new",
        "/new.md\n---\naliases: [The Plan]\n---\n/a.md\n[[The Plan]] [[the plan]] [[new]]\n",
    )


def test_a_stem_that_is_not_the_name_is_renamed_where_the_link_spells_it() -> None:
    check_rename(
        "/n01.md\n---\nname: Alpha\n---\n/a.md\n[[n0$01]] [[Alpha]] [x](n01.md)\n",
        "n02",
        "/n02.md\n---\nname: Alpha\n---\n/a.md\n[[n02]] [[Alpha]] [x](n02.md)\n",
    )


def test_the_name_alone_is_renamed_where_the_stem_is_another() -> None:
    check_rename(
        "/n01.md\n---\nname: Alpha\n---\n/a.md\n[[n01]] [[Al$0pha]] [x](n01.md)\n",
        "Beta",
        "/n01.md\n---\nname: Beta\n---\n/a.md\n[[n01]] [[Beta]] [x](n01.md)\n",
    )


def test_a_title_in_other_words_is_a_heading() -> None:
    check_rename(
        "/n01.md\n# Why$0 we wait\n/a.md\n[[n01#Why we wait]] [[n01]] [x](n01.md#why-we-wait)\n",
        "Why we hurry",
        "/n01.md\n# Why we hurry\n/a.md\n[[n01#Why we hurry]] [[n01]] [x](n01.md#why-we-hurry)\n",
    )


def test_links_to_a_title_follow_it_together_with_the_name() -> None:
    check_rename(
        "/old.md\n# Ol$0d\n[[#Old]]\n/a.md\n[[old#Old]] [x](old.md#old)\n",
        "New",
        "/new.md\n# New\n[[#New]]\n/a.md\n[[new#New]] [x](new.md#new)\n",
    )


def test_percent_encoding_and_angle_brackets_stay() -> None:
    check_rename(
        "/a b/Lorem.md\nx\n/a.md\n[L](./a%20b/Lorem.md) [L](<a b/Lorem.md#x>) [[a%20b/Lorem]] [[L$0orem]]\n",
        "Hello World",
        "/a b/Hello World.md\nx\n/a.md\n[L](./a%20b/Hello%20World.md) [L](<a b/Hello World.md#x>) "
        "[[a%20b/Hello%20World]] [[Hello World]]\n",
    )


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("name: old", "a: b", 'name: "a: b"'),
        ("name: old", "2024-06-01", 'name: "2024-06-01"'),
        ("name: old", "true", 'name: "true"'),
        ('name: "old"', 'say "hi"', r'name: "say \"hi\""'),
        ("name: 'old'", "it's", "name: 'it''s'"),
    ],
)
def test_a_name_is_quoted_where_yaml_needs_it(old: str, new: str, value: str) -> None:
    texts = {"n.md": f"---\n{old}\n---\nx\n"}
    assert renamed(texts, "n.md", 11, new)["n.md"] == f"---\n{value}\n---\nx\n"


def test_an_entry_is_quoted_where_yaml_needs_it() -> None:
    check_rename(
        '/old.md\nx\n/a.md\n---\nsupersedes: [old, "old"]\ncontradicts: old\n---\n[[o$0ld]]\n',
        "a, b: c",
        '/a, b: c.md\nx\n/a.md\n---\nsupersedes: ["a, b: c", "a, b: c"]\ncontradicts: "a, b: c"\n---\n[[a, b: c]]\n',
    )


def test_line_ends_and_characters_beyond_the_first_plane_stay() -> None:
    texts = {"old.md": "# 🦊\r\n", "a.md": "🦊 [[old]]\r\n\r\n🦊🦊 [[old#🦊|🦊]]\r\n"}
    result = renamed(texts, "a.md", 5, "nęw 🦊")
    assert result == {"nęw 🦊.md": "# 🦊\r\n", "a.md": "🦊 [[nęw 🦊]]\r\n\r\n🦊🦊 [[nęw 🦊#🦊|🦊]]\r\n"}


def test_a_change_of_case_only_is_a_rename() -> None:
    check_rename(
        "/JavaScript.md\nx\n/a.md\n[[Java$0Script]] [[javascript]]\n",
        "javascript",
        "/javascript.md\nx\n/a.md\n[[javascript]] [[javascript]]\n",
    )


def test_of_two_notes_of_one_name_only_the_one_that_is_meant_is_renamed() -> None:
    check_rename(
        "/feedback/x.md\nF\n/project/x.md\nP\n/a.md\n[[x]] [[project/x$0]] [[feedback/x]]\n",
        "y",
        "/feedback/x.md\nF\n/project/y.md\nP\n/a.md\n[[x]] [[project/y]] [[feedback/x]]\n",
    )


def test_a_spelling_that_would_mean_another_note_becomes_an_exact_one() -> None:
    # By its own style `[[old plan]]` would become `[[new plan]]`, which is the name of another note.
    check_rename(
        "/old-plan.md\nx\n/new plan.md\ny\n/a.md\n[[old plan]] [[old$0-plan]]\n",
        "new-plan",
        "/new-plan.md\nx\n/new plan.md\ny\n/a.md\n[[new-plan]] [[new-plan]]\n",
    )


@pytest.mark.parametrize(
    ("entries", "new"), [("old, other", "two words"), ('"[[old]]"', 'say "it\'s"'), ("\n  - '[[old|x]]'", "it's")]
)
def test_a_name_that_a_place_cannot_hold_is_refused(entries: str, new: str) -> None:
    with pytest.raises(RenameError, match=r"“old” in a\.md cannot spell the new name"):
        renamed({"old.md": "# Old", "a.md": f"---\nsupersedes: {entries}\n---\n"}, "old.md", 3, new)


@pytest.mark.parametrize("new", ["taken", "Alias", "Named", "TAKEN"])
def test_a_name_that_another_note_bears_is_refused(new: str) -> None:
    texts = {"old.md": "x", "taken.md": "---\naliases: [Alias]\n---\n", "b.md": "---\nname: Named\n---\n"}
    texts["a.md"] = "[[old]] [[TAKEN]]"
    with pytest.raises(RenameError, match=r"already|would then mean"):
        renamed(texts, "a.md", 3, new)


def test_a_name_that_gives_another_link_another_meaning_is_refused() -> None:
    texts = {"old.md": "x", "The-Plan.md": "y", "a.md": "[[old]]", "b.md": "[[the plan]]"}
    with pytest.raises(
        RenameError, match=r"“the plan” in b\.md means The-Plan\.md and would then mean old|the plan\.md"
    ):
        renamed(texts, "a.md", 3, "the plan")


def test_a_name_that_dangling_links_wait_for_is_welcome() -> None:
    check_rename("/old.md\nx\n/a.md\n[[ol$0d]] [[new]]\n", "new", "/new.md\nx\n/a.md\n[[new]] [[new]]\n")


@pytest.mark.parametrize(
    "new", ["", "  ", "a\nb", "a[b", "a]b", "a|b", "a#b", "a^b", "a/b", "a\\b", ".", "..", ".x", "a\x07"]
)
def test_names_that_links_cannot_hold_are_refused(new: str) -> None:
    with pytest.raises(RenameError):
        renamed({"old.md": "x", "a.md": "[[old]]"}, "a.md", 3, new)


def test_a_name_may_be_typed_with_its_extension() -> None:
    check_rename("/old.md\nx\n/a.md\n[[old$0.md]]\n", "new.md", "/new.md\nx\n/a.md\n[[new.md]]\n")


def test_a_file_that_is_there_is_never_overwritten() -> None:
    vault = Vault({"old.md": "x", "a.md": "[[old]]", "NEW.md": "---\nname: other\n---\n"})
    with pytest.raises(RenameError, match=r"NEW\.md already"):
        renamed(vault.texts, "a.md", 3, "new")


def test_a_heading_is_renamed_with_its_text_and_with_its_slug() -> None:
    check_rename(
        """
        /a.md
        # A

        ## Old$0 plan (v1) ##

        [[#Old plan (v1)]] [x](#old-plan-v1)
        /b.md
        [[a#Old plan (v1)|l]] [[A#old plan (V1)]] [a](a.md#old-plan-v1) [[a#old-plan-v1]] ![[a#A#Old plan (v1)]] [[a#A]]
        """,
        "New plan: v2",
        """
        /a.md
        # A

        ## New plan: v2 ##

        [[#New plan: v2]] [x](#new-plan-v2)
        /b.md
        [[a#New plan: v2|l]] [[A#New plan: v2]] [a](a.md#new-plan-v2) [[a#new-plan-v2]] ![[a#A#New plan: v2]] [[a#A]]
        """,
    )


def test_of_equal_headings_each_keeps_its_links() -> None:
    check_rename(
        "/a.md\n# T\n## Sa$0me\n## Same\n## Same\n/b.md\n[1](a.md#same) [2](a.md#same-1) [3](a.md#same-2) [[a#Same]]\n",
        "Other",
        "/a.md\n# T\n## Other\n## Same\n## Same\n/b.md\n[1](a.md#other) [2](a.md#same) [3](a.md#same-1) [[a#Other]]\n",
    )


def test_a_heading_that_becomes_equal_to_another_stays_reachable() -> None:
    check_rename(
        "/a.md\n# T\n## One$0\n## Two\n/b.md\n[1](a.md#one) [2](a.md#two) [[a#One]] [[a#Two]]\n",
        "Two",
        "/a.md\n# T\n## Two\n## Two\n/b.md\n[1](a.md#two) [2](a.md#two-1) [[a#Two]] [[a#two-1]]\n",
    )


def test_a_link_in_a_heading_changes_what_links_to_the_heading_say() -> None:
    check_rename(
        "/old.md\nx\n/a.md\n# T\n## See [[ol$0d]] now\n[[#See old now]]\n/b.md\n[x](a.md#see-old-now) [[a]]\n",
        "new",
        "/new.md\nx\n/a.md\n# T\n## See [[new]] now\n[[#See new now]]\n/b.md\n[x](a.md#see-new-now) [[a]]\n",
    )


def test_a_setext_heading_keeps_its_underline() -> None:
    check_rename("/a.md\nOl$0d\n===\n\nx [[#Old]]\n", "New", "/a.md\nNew\n===\n\nx [[#New]]\n")


def test_a_heading_whose_text_a_wikilink_cannot_hold_is_linked_by_slug() -> None:
    check_rename("/a.md\n# T\n## Ol$0d\n[[#Old]]\n", "A | B [c]", "/a.md\n# T\n## A | B [c]\n[[#a--b-c]]\n")


@pytest.mark.parametrize("new", ["", " ", "a\nb", "##"])
def test_what_is_no_heading_is_refused(new: str) -> None:
    with pytest.raises(RenameError):
        renamed({"a.md": "# T\n\n## Old\n"}, "a.md", 9, new)


def test_a_heading_is_renamed_from_a_link_to_it() -> None:
    check_rename(
        "/a.md\n# T\n## Old plan\n/b.md\n[x](a.md#old$0-plan) [[a#Old plan]]\n",
        "New one",
        "/a.md\n# T\n## New one\n/b.md\n[x](a.md#new-one) [[a#New one]]\n",
    )


def test_a_block_id_is_renamed_everywhere() -> None:
    check_rename(
        "/a.md\ntext ^ab$0c\n\nmore ^other\n\n[[#^abc]]\n/b.md\n[[a#^abc|x]] ![[a#^ABC]] [x](a.md#^abc)\n",
        "^new-id",
        "/a.md\ntext ^new-id\n\nmore ^other\n\n[[#^new-id]]\n/b.md\n[[a#^new-id|x]] ![[a#^new-id]] [x](a.md#^new-id)\n",
    )


@pytest.mark.parametrize("new", ["two words", "a.b", "other", "OTHER", ""])
def test_what_is_no_block_id_or_is_taken_is_refused(new: str) -> None:
    with pytest.raises(RenameError):
        renamed({"a.md": "text ^abc\n\nmore ^other\n"}, "a.md", 7, new)


def test_a_tag_is_renamed_in_every_form_with_the_tags_below_it() -> None:
    check_rename(
        """
        /a.md
        ---
        tags: [old, "Old/x", older]
        ---
        #o$0ld #old/y #older `#old`
        /b.md
        ---
        tags: one, OLD
        ---
        /c.md
        ---
        tags:
          - old
          - "#old"
        ---
        /MEMORY.md
        #old
        """,
        "#new",
        """
        /a.md
        ---
        tags: [new, "new/x", older]
        ---
        #new #new/y #older `#old`
        /b.md
        ---
        tags: one, new
        ---
        /c.md
        ---
        tags:
          - new
          - "#new"
        ---
        /MEMORY.md
        #new
        """,
    )


@pytest.mark.parametrize("new", ["", "#", "a b", "123", "fff000", "a,b", "a]", "x/"])
def test_what_is_no_tag_is_refused(new: str) -> None:
    with pytest.raises(RenameError):
        renamed({"a.md": "#old and\n"}, "a.md", 2, new)


def test_a_missing_name_is_renamed_wherever_it_is_used() -> None:
    check_rename(
        "/a.md\n[[no $0name|x]] [[No-name#h]] [y](no%20name.md)\n/b.md\n---\nsupersedes: [no name]\n---\n[[none]]\n",
        "a name",
        "/a.md\n[[a name|x]] [[A-name#h]] [y](a%20name.md)\n/b.md\n---\nsupersedes: [a name]\n---\n[[none]]\n",
    )


@pytest.mark.parametrize(
    ("source", "shown", "base"),
    [
        ("/n.md\n---\nname: 'Al$0pha'\n---\n", "Alpha", "Alpha"),
        ("/n.md\n# N$0\n", "N", "N"),
        ("/n.md\nx\n## He$0ad `c` ##\n", "Head `c`", "Head `c`"),
        ("/n.md\nx\n/a.md\n[[sub/../n$0.md#h|l]]\n", "n", "n"),
        ("/n.md\nx\n/a.md\n[[n#h|la$0bel]]\n", "n", "n"),
        ("/n.md\n---\nname: Al\n---\n/a.md\n[[a$0l]]\n", "al", "Al"),
        ("/n.md\n## A b\n/a.md\n[x](n.md#a$0-b)\n", "a-b", "A b"),
        ("/n.md\nx ^id\n/a.md\n[[n#^i$0d]]\n", "id", "id"),
        ("/n.md\nx #ta$0g y\n", "tag", "tag"),
        ('/n.md\n---\ntags: ["#ta$0g"]\n---\n', "tag", "tag"),
        ("/n.md\nx ^i$0d\n", "id", "id"),
        ("/n.md\nx\n/a.md\n---\nsupersedes: ['[[n$0|x]]']\n---\n", "n", "n"),
        ("/a.md\n[[new $0idea]]\n", "new idea", "new idea"),
    ],
)
def test_what_is_shown_for_a_rename(source: str, shown: str, base: str) -> None:
    vault = parse_vault(source)
    snapshot = vault.snapshot(inline_tags=True)
    path, offset = vault.cursor
    found = renamable_at(snapshot, snapshot.notes[path], offset)
    assert found is not None
    assert (found.span.of(vault.texts[path]), found.base) == (shown, base)


@pytest.mark.parametrize("source", ["/n.md\npla$0in\n", "/n.md\n[x](https://a$0.b/c)\n", "/n.md\n`[[x$0]]`\n"])
def test_plain_text_urls_and_code_are_not_renamed(source: str) -> None:
    vault = parse_vault(source)
    snapshot = vault.snapshot()
    assert renamable_at(snapshot, snapshot.notes["n.md"], vault.cursor[1]) is None


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("/a.md\n![[pi$0c.png]]\n/pic.png\n\n", "no note"),
        ("/a.md\n[[MEM$0ORY]]\n/MEMORY.md\nx\n", "index keeps its name"),
        ("/a.md\n[[#no$0ne]]\n", "no heading or block"),
    ],
)
def test_what_cannot_be_renamed_says_why(source: str, reason: str) -> None:
    vault = parse_vault(source)
    snapshot = vault.snapshot()
    with pytest.raises(RenameError, match=reason):
        renamable_at(snapshot, snapshot.notes["a.md"], vault.cursor[1])


def test_a_rename_costs_what_points_at_the_note() -> None:
    def work(count: int) -> None:
        texts = {f"n{n}.md": "[[old]] [x](old.md)\n" for n in range(count)} | {"old.md": "# Old\n"}
        snapshot = snapshots.setdefault(count, Vault(texts).snapshot())
        planned(snapshot, "old.md", 3, "new")

    snapshots: dict[int, object] = {}
    work(60), work(240)
    assert growth(work, 60) < LINEAR
