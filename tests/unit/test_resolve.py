"""The one resolver: six levels in their order, ties, paths, attachments, and what does not match."""

from __future__ import annotations

import pytest
from fixtures import Vault, note_of, parse_vault
from memory_lsp.core.resolve import Level, Names, Resolution, fold


def resolve(vault: Vault) -> Resolution:
    """Return what the link under the cursor means."""
    path, at = vault.cursor
    snapshot = vault.snapshot()
    links = zip(snapshot.notes[path].links, snapshot.meanings[path].links, strict=True)
    (found,) = (meaning for link, meaning in links if at in link.span)
    return found


def vault_with(link: str, *files: str, source: str = "from.md") -> Vault:
    """Return a vault of one link and some files; `a.md=name: X` gives a file frontmatter."""
    texts = {source: link}
    for file in files:
        path, _, keys = file.partition("=")
        texts[path] = "---\n{}\n---\n".format(keys.replace("; ", "\n")) if keys else "x\n"
    return Vault(texts, ((source, 2),))


# link, files, the notes it means (best first), level
FOUND = {
    "1 id": ("[[feedback/x]]", ["feedback/a.md=name: x"], ["feedback/a.md"], Level.PATH),
    "1 id by declared type": ("[[feedback/x]]", ["a.md=name: x; type: feedback"], ["a.md"], Level.PATH),
    "1 id before a path": (
        "[[feedback/x]]", ["feedback/x.md=name: other", "feedback/a.md=name: x"], ["feedback/a.md"], Level.PATH
    ),
    "1 path": ("[[sub/x]]", ["sub/x.md"], ["sub/x.md"], Level.PATH),
    "1 path with extension": ("[[sub/x.md]]", ["sub/x.md"], ["sub/x.md"], Level.PATH),
    "1 path as a suffix": ("[[b/x]]", ["a/b/x.md"], ["a/b/x.md"], Level.PATH),
    "1 suffixes tie": ("[[b/x]]", ["c/b/x.md", "a/b/x.md"], ["a/b/x.md", "c/b/x.md"], Level.PATH),
    "1 from the directory before a suffix": ("[[b/x]]", ["a/b/x.md", "b/x.md"], ["b/x.md"], Level.PATH),
    "1 from the root": ("[[/x]]", ["x.md", "a/x.md"], ["x.md"], Level.PATH),
    "1 percent-encoded": ("[[a%20b/x]]", ["a b/x.md"], ["a b/x.md"], Level.PATH),
    "2 name": ("[[X y]]", ["a.md=name: X y"], ["a.md"], Level.NAME),
    "2 name before a stem": ("[[x]]", ["x.md=name: other", "a.md=name: x"], ["a.md"], Level.NAME),
    "2 name with a slash": ("[[TCP/IP]]", ["a.md=name: TCP/IP"], ["a.md"], Level.NAME),
    "2 name with a dot": ("[[v1.2]]", ["a.md=name: v1.2"], ["a.md"], Level.NAME),
    "2 name with a hash": ("[[C# style]]", ["a.md=name: C# style"], ["a.md"], Level.NAME),
    "2 name that ends in .md": ("[[notes.md]]", ["a.md=name: notes.md"], ["a.md"], Level.NAME),
    "3 stem": ("[[x]]", ["sub/x.md=name: other"], ["sub/x.md"], Level.STEM),
    "3 stem with extension": ("[[x.md]]", ["sub/x.md=name: other"], ["sub/x.md"], Level.STEM),
    "3 stem before an alias": ("[[x]]", ["x.md=name: other", "a.md=name: b; aliases: x"], ["x.md"], Level.STEM),
    "3 stem with dots": ("[[v1.2]]", ["v1.2.md"], ["v1.2.md"], Level.NAME),
    "3 stem with a hash": ("[[a#b]]", ["a#b.md=name: other"], ["a#b.md"], Level.STEM),
    "3 stem with an encoded hash": ("[[a%23b]]", ["a#b.md=name: other"], ["a#b.md"], Level.STEM),
    "4 alias": ("[[EB]]", ["a.md=name: b; aliases: [EB]"], ["a.md"], Level.ALIAS),
    "4 alias before a folded name": (
        "[[eb]]", ["a.md=name: EB", "b.md=name: c; aliases: eb"], ["b.md"], Level.ALIAS
    ),
    "5 name in another case": ("[[some NAME]]", ["a.md=name: Some name"], ["a.md"], Level.FOLDED),
    "5 stem with dashes": ("[[feedback-x]]", ["feedback_x.md=name: N"], ["feedback_x.md"], Level.FOLDED),
    "5 spaces": ("[[my note]]", ["my_note.md=name: N"], ["my_note.md"], Level.FOLDED),
    "5 alias": ("[[error-budget]]", ["a.md=name: b; aliases: [Error budget]"], ["a.md"], Level.FOLDED),
    "5 name before stem": ("[[X-y]]", ["x-y.md=name: other", "a.md=name: X y"], ["a.md"], Level.FOLDED),
    "5 stem before alias": ("[[X-y]]", ["x-y.md=name: o", "a.md=name: b; aliases: [X y]"], ["x-y.md"], Level.FOLDED),
    "5 decomposed": ("[[cafe\u0301]]", ["caf\u00e9.md"], ["caf\u00e9.md"], Level.FOLDED),
    "5 composed": ("[[caf\u00e9]]", ["cafe\u0301.md"], ["cafe\u0301.md"], Level.FOLDED),
    "5 sharp s": ("[[STRASSE]]", ["stra\u00dfe.md"], ["stra\u00dfe.md"], Level.FOLDED),
    "5 dotted capital i": ("[[\u0130stanbul]]", ["i\u0307stanbul.md"], ["i\u0307stanbul.md"], Level.FOLDED),
    "5 extension in capitals": ("[[X.MD]]", ["x.md=name: o"], ["x.md"], Level.FOLDED),
    "6 prefix": ("[[no-mocks]]", ["feedback_no_mocks.md=name: N"], ["feedback_no_mocks.md"], Level.PREFIX),
    "6 prefix by a dash": ("[[No mocks]]", ["feedback-no-mocks.md=name: N"], ["feedback-no-mocks.md"], Level.PREFIX),
    "6 prefix of a type of its own": ("[[x]]", ["idea_x.md=name: N; type: idea"], ["idea_x.md"], Level.PREFIX),
    "6 after a folded alias": (
        "[[no-mocks]]", ["feedback_no_mocks.md=name: N", "a.md=name: b; aliases: [No Mocks]"], ["a.md"], Level.FOLDED
    ),
    "ties by type": (
        "[[x]]", ["a/x.md=name: x; type: project", "z/x.md=name: x; type: user"], ["z/x.md", "a/x.md"], Level.NAME
    ),
    "ties by path": ("[[x]]", ["b/x.md", "a/x.md"], ["a/x.md", "b/x.md"], Level.NAME),
    "ties of types by name": ("[[x]]", ["a/x.md=type: zeta", "b/x.md=type: alpha"], ["b/x.md", "a/x.md"], Level.NAME),
    "ties of levels 2 to 4 do not mix": ("[[x]]", ["x.md", "a.md=name: y; aliases: x"], ["x.md"], Level.NAME),
    "the index": ("[[MEMORY]]", ["MEMORY.md"], ["MEMORY.md"], Level.NAME),
    "the index with extension": ("[i](MEMORY.md)", ["MEMORY.md"], ["MEMORY.md"], Level.PATH),
    "itself by name": ("[[from]]", [], ["from.md"], Level.NAME),
    "itself by anchor": ("[[#part]]", [], ["from.md"], Level.SELF),
    "markdown": ("[t](sub/x.md)", ["sub/x.md"], ["sub/x.md"], Level.PATH),
    "markdown without extension": ("[t](sub/x)", ["sub/x.md"], ["sub/x.md"], Level.PATH),
    "markdown percent-encoded": ("[t](a%20b/t%C3%B8j.md)", ["a b/t\u00f8j.md"], ["a b/t\u00f8j.md"], Level.PATH),
    "markdown with a percent sign": ("[t](100%25.md)", ["100%.md"], ["100%.md"], Level.PATH),
    "markdown with a query": ("[t](x.md?plain=1)", ["x.md"], ["x.md"], Level.PATH),
    "markdown from the root": ("[t](/sub/x.md)", ["sub/x.md"], ["sub/x.md"], Level.PATH),
    "markdown as a suffix": ("[t](b/x.md)", ["a/b/x.md"], ["a/b/x.md"], Level.PATH),
    "markdown in a folder of its own": ("[t](./x.md)", ["x.md", "sub/x.md"], ["x.md"], Level.PATH),
    "markdown by name": ("[t](<Some name>)", ["a.md=name: Some name"], ["a.md"], Level.NAME),
    "an extension in capitals": ("[t](x.MD)", ["x.md"], ["x.md"], Level.PATH),
    "3 path with a hash": ("[[sub/a#b]]", ["sub/a#b.md"], ["sub/a#b.md"], Level.PATH),
    "a note beside a file without extension": ("[[goal]]", ["goal.md", "goal"], ["goal.md"], Level.NAME),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_link_finds(name: str) -> None:
    link, files, notes, level = FOUND[name]
    found = resolve(vault_with(link, *files))
    assert (found.notes, found.level, found.file) == (tuple(notes), level, "")


# from the note sub/from.md
NESTED = [
    ("[[x]]", ["x.md", "sub/x.md"], ["sub/x.md", "x.md"]),
    ("[[./x]]", ["x.md", "sub/x.md"], ["sub/x.md"]),
    ("[[../x]]", ["x.md", "sub/x.md"], ["x.md"]),
    ("[[other/x]]", ["other/x.md", "sub/other/x.md"], ["sub/other/x.md"]),
    ("[[/other/x]]", ["other/x.md", "sub/other/x.md"], ["other/x.md"]),
    ("[t](x.md)", ["x.md", "sub/x.md"], ["sub/x.md"]),
    ("[t](../x.md)", ["x.md", "sub/x.md"], ["x.md"]),
    ("[t](../other/../x.md)", ["x.md"], ["x.md"]),
    ("[t](x.md)", ["x.md"], ["x.md"]),
]


@pytest.mark.parametrize(("link", "files", "notes"), NESTED)
def test_paths_start_at_the_note_then_at_the_directory(link: str, files: list[str], notes: list[str]) -> None:
    assert resolve(vault_with(link, *files, source="sub/from.md")).notes == tuple(notes)


DANGLING = {
    "a part of a name": ("[[horses]]", ["riding-horses.md"]),
    "the start of a name": ("[[todo]]", ["todo-list.md"]),
    "the end of a name": ("[[todo]]", ["another-todo.md"]),
    "a part of a path component": ("[[b/x]]", ["ab/x.md"]),
    "a qualified miss": ("[[missing/target]]", ["target.md"]),
    "an id of another type": ("[[user/x]]", ["feedback/x.md"]),
    "a heading": ("[[Spec]]", ["a.md"]),
    "above the directory": ("[[../x]]", ["x.md"]),
    "only elsewhere": ("[[./x]]", ["sub/x.md"]),
    "markdown, only elsewhere": ("[t](./x.md)", ["sub/x.md"]),
    "the prefix alone": ("[[feedback]]", ["feedback_x.md"]),
    "another prefix": ("[[x]]", ["draft_x.md"]),
    "a missing attachment": ("[[pic.svg]]", ["pic.md"]),
    "an attachment in another folder": ("[[b/pic.svg]]", ["a/pic.svg"]),
    "a markdown picture": ("![x](pic.svg)", []),
    "nothing there": ("[t](x.md)", []),
}


@pytest.mark.parametrize("name", DANGLING)
def test_link_dangles(name: str) -> None:
    link, files = DANGLING[name]
    found = resolve(vault_with(link, *files))
    assert found.is_dangling and found.level is None


FILES = [
    ("![[pic.svg]]", ["assets/pic.svg"], "assets/pic.svg"),
    ("[[pic.svg]]", ["pic.svg", "pic.svg.md"], "pic.svg"),
    ("[[assets/pic.svg]]", ["deep/assets/pic.svg"], "deep/assets/pic.svg"),
    ("[[pic.svg]]", ["b/pic.svg", "a/pic.svg"], "a/pic.svg"),
    ("![x](assets/pic.svg)", ["assets/pic.svg"], "assets/pic.svg"),
    ("[t](assets/)", ["assets/pic.svg"], "assets"),
    ("[t](sub)", ["sub/x.md"], "sub"),
    ("[t](.)", ["x.md"], "."),
    ("[t](/)", ["x.md"], "."),
    ("[t](Makefile)", ["Makefile"], "Makefile"),
    ("[[Makefile]]", ["Makefile"], "Makefile"),
    ("[t](a%20b.pdf)", ["a b.pdf"], "a b.pdf"),
]


@pytest.mark.parametrize(("link", "files", "file"), FILES)
def test_link_finds_a_file(link: str, files: list[str], file: str) -> None:
    found = resolve(vault_with(link, *files))
    assert (found.file, found.notes, found.level) == (file, (), Level.PATH)


@pytest.mark.parametrize("link", ["[t](../other/x.md)", "[t](../other)", "[t](../pic.svg)", "[[../other/x.md]]"])
def test_paths_out_of_the_directory_are_asked_from_the_disk(link: str) -> None:
    vault = vault_with(link)
    outside = {"../other/x.md", "../other", "../pic.svg"}
    names = vault.snapshot().names
    (note,) = vault.notes().values()
    assert type(names)(exists=outside.__contains__).resolve(note.links[0], "from.md").file in outside
    assert type(names)(exists=lambda _: False).resolve(note.links[0], "from.md").is_dangling


ANCHORS = [
    ("[[x#part]]", "part"), ("[[x#^id]]", "^id"), ("[[x]]", None), ("[t](x.md#a%20b)", "a b"), ("[[#part]]", "part"),
    ("[[x#a#b]]", "a#b"),
]  # fmt: skip


@pytest.mark.parametrize(("link", "anchor"), ANCHORS)
def test_the_anchor_is_kept(link: str, anchor: str | None) -> None:
    assert resolve(vault_with(link, "x.md")).anchor == anchor


def test_a_name_with_a_hash_beats_the_anchor() -> None:
    found = resolve(vault_with("[[C# style]]", "c.md=name: C", "cs.md=name: C# style"))
    assert (found.note, found.anchor) == ("cs.md", None)


def test_entries_resolve_like_links() -> None:
    vault = parse_vault("""
        /a.md
        ---
        supersedes: [feedback/x, "[[No mocks]]", missing, B.md]
        ---
        /feedback/x.md
        x
        /feedback_no_mocks.md
        x
        /b.md
        x
        """)
    found = vault.snapshot().meanings["a.md"].entries
    assert [entry.note for entry in found] == ["feedback/x.md", "feedback_no_mocks.md", None, "b.md"]
    assert [entry.level for entry in found] == [Level.PATH, Level.PREFIX, None, Level.FOLDED]


@pytest.mark.parametrize(("one", "other"), [("A b", "a-b"), ("a_b", "A-B"), ("\u00df", "SS"), ("e\u0301", "\u00c9")])
def test_folded_spellings_are_equal(one: str, other: str) -> None:
    assert fold(one) == fold(other)
    assert fold(fold(one)) == fold(one)


def test_names_stay_the_same_object_while_only_text_changes() -> None:
    names, _ = Names().updated([note_of("# A", "a.md")])
    same, touched = names.updated([note_of("# A\n\nmore [[b]]", "a.md")])
    assert same is names
    assert not touched
    assert names.updated([note_of("---\nname: other\n---\n", "a.md")])[0] is not names
