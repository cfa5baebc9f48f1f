"""Every diagnostic: when it is reported, where exactly, what it says, and when it is not."""

from __future__ import annotations

import pytest
from fixtures import MARK, Vault, parse_vault
from memory_lsp.core.lint import Finding, lint
from memory_lsp.core.lint_codes import CODES

# Put together, so that this file holds no credential.
TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def found(vault: Vault, path: str | None = None) -> list[Finding]:
    """Return the findings of a note of the vault, by default that with the first mark or the first of all."""
    path = path or (vault.marks[0][0] if vault.marks else next(iter(vault.texts)))
    return list(lint(vault.snapshot(), path))


# Marks enclose what is reported with the code; hints about descriptions are left out.
REPORTED = {
    "dangling-link: wikilink": ("dangling-link", "/a.md\nsee $0[[missing|label]]$0"),
    "dangling-link: with an anchor": ("dangling-link", "/a.md\n$0[[missing#h]]$0"),
    "dangling-link: path of a markdown link": ("dangling-link", "/a.md\n[t]($0missing.md$0#h 'x')"),
    "dangling-link: path in angle brackets": ("dangling-link", "/a.md\n[t](<$0a b.md$0>)"),
    "dangling-link: picture": ("dangling-link", "/a.md\n![x]($0pic.svg$0)"),
    "dangling-link: embed": ("dangling-link", "/a.md\n!$0[[pic.svg]]$0"),
    "dangling-link: definition": ("dangling-link", "/a.md\n[t][r]\n\n[r]: $0missing.md$0"),
    "dangling-link: definition used twice": ("dangling-link", "/a.md\n[r] [r]\n\n[r]: $0missing.md$0"),
    "dangling-link: after an emoji": ("dangling-link", "/a.md\n🗺 $0[[missing]]$0"),
    "dangling-link: in frontmatter": ("dangling-link", "/a.md\n---\nrelated: \"$0[[missing]]$0\"\n---\n"),
    "dangling-link: each": ("dangling-link", "/a.md\n$0[[x]]$0 $0[[x]]$0"),
    "dangling-anchor: heading": ("dangling-anchor", "/a.md\n# T\n$0[[#Absent]]$0 [[#T]]"),
    "dangling-anchor: of another note": ("dangling-anchor", "/a.md\n$0[[b#Absent|l]]$0\n/b.md\n# B"),
    "dangling-anchor: block": ("dangling-anchor", "/a.md\n$0[[b#^x]]$0 [[b#^y]]\n/b.md\ntext ^y"),
    "dangling-anchor: markdown": ("dangling-anchor", "/a.md\n[t]($0b.md#absent$0)\n/b.md\n# B"),
    "ambiguous-link": ("ambiguous-link", "/a.md\n$0[[x]]$0\n/p/x.md\n1\n/q/x.md\n2"),
    "ambiguous-link: path": ("ambiguous-link", "/a.md\n[t]($0r/x$0)\n/p/r/x.md\n1\n/q/r/x.md\n2"),
    "inexact-link: folded": ("inexact-link", "/a.md\n$0[[B c]]$0\n/b-c.md\nx"),
    "inexact-link: without prefix": ("inexact-link", "/a.md\n$0[[no-mocks]]$0\n/feedback_no_mocks.md\nx"),
    "contains-secret": ("contains-secret", f"/a.md\nkey: {MARK}{TOKEN}{MARK} (rotate)"),
    "contains-secret: in frontmatter": ("contains-secret", f"/a.md\n---\nname: a\ntoken: {MARK}{TOKEN}{MARK}\n---\n"),
    "invalid-frontmatter": ("invalid-frontmatter", "/a.md\n---\nname: a\n$0description: port: 8080$0\n---\n"),
    "invalid-frontmatter: no key": ("invalid-frontmatter", "/a.md\n---\nname: a\n$0oops$0\n---\n"),
    "invalid-frontmatter: twice": ("invalid-frontmatter", "/a.md\n---\nname: a\n$0name: b$0\n---\n"),
    "invalid-frontmatter: in the index": ("invalid-frontmatter", "/MEMORY.md\n---\nname: a\n$0oops$0\n---\n"),
    "unclosed-frontmatter": ("unclosed-frontmatter", "/a.md\n$0---$0\nname: a\n\ntext"),
    "stacked-frontmatter": ("stacked-frontmatter", "/a.md\n---\nname: a\n---\n$0---$0\nx: y\n---\n"),
    "empty-name": ("empty-name", "/a.md\n---\n$0name$0:\n---\n"),
    "unknown-type": ("unknown-type", "/a.md\n---\ntype: $0idea$0\n---\n"),
    "unknown-type: in metadata": ("unknown-type", "/a.md\n---\nmetadata:\n  type: $0idea$0\n---\n"),
    "type-folder-mismatch": ("type-folder-mismatch", "/user/a.md\n---\ntype: '$0project$0'\n---\n"),
    "type-folder-mismatch: not an unknown type too": ("type-folder-mismatch", "/user/a.md\n---\ntype: $0idea$0\n---\n"),
    "duplicate-name: the value": ("duplicate-name", "/a.md\n---\nname: \"$0x$0\"\n---\n/x.md\ny"),
    "duplicate-name: the title": ("duplicate-name", "/p/x.md\n# $0Title$0\n/q/x.md\ny"),
    "comment-in-value": ("comment-in-value", "/a.md\n---\ndescription: PR $0#762 and more$0\n---\n"),
    "missing-description": ("missing-description", "/a.md\n$0---$0\nname: a\n---\n"),
    "missing-description: empty": ("missing-description", "/a.md\n$0---$0\nname: a\ndescription:\n---\n"),
    "dangling-supersedes": ("dangling-supersedes", "/a.md\n---\nsupersedes: [a2, $0missing$0]\n---\n/a2.md\nx"),
    "dangling-supersedes: wikilink": ("dangling-supersedes", "/a.md\n---\nsupersedes: $0[[missing|x]]$0\n---\n"),
    "dangling-supersedes: superseded by": ("dangling-supersedes", "/a.md\n---\nsuperseded_by: $0missing$0\n---\n"),
    "dangling-supersedes: an attachment": ("dangling-supersedes", "/a.md\n---\nsupersedes: $0p.svg$0\n---\n/p.svg\nx"),
    "dangling-contradicts": ("dangling-contradicts", "/a.md\n---\ncontradicts: $0missing$0\n---\n"),
    "supersedes-cycle: itself": ("supersedes-cycle", "/a.md\n---\nsupersedes: $0a$0\n---\n"),
    "supersedes-cycle: itself, the other way": ("supersedes-cycle", "/a.md\n---\nsuperseded_by: $0a$0\n---\n"),
    "supersedes-cycle: two": (
        "supersedes-cycle", "/a.md\n---\nsupersedes: [$0b$0]\n---\n/b.md\n---\nsupersedes: a\n---\n"
    ),
    "supersedes-cycle: two, the other way": (
        "supersedes-cycle", "/a.md\n---\nsupersedes: $0b$0\n---\n/b.md\n---\nsupersedes: []\n---\n/c.md\n---\n"
        "supersedes: a\nsuperseded_by: b\n---\n"
    ),
    "supersedes-cycle: three": (
        "supersedes-cycle",
        "/a.md\n---\nsupersedes: [$0b$0, d]\n---\n/b.md\n---\nsupersedes: c\n---\n/c.md\n---\nsupersedes: a\n---\n"
        "/d.md\nx",
    ),
    "links-to-superseded": ("links-to-superseded", "/a.md\n$0[[b#h]]$0\n/b.md\n# h\n/c.md\n---\nsupersedes: b\n---\n"),
    "links-to-superseded: by itself": (
        "links-to-superseded", "/a.md\n$0[[b]]$0\n/b.md\n---\nsuperseded_by: c\n---\n/c.md\nx"
    ),
    "index-dangling-entry": ("index-dangling-entry", "/MEMORY.md\n- [A](a.md)\n- [B]($0b.md$0) x\n/a.md\nx"),
    "index-dangling-entry: wikilink": ("index-dangling-entry", "/MEMORY.md\n- $0[[b]]$0"),
    "index-missing-entry": ("index-missing-entry", "/MEMORY.md\n$0# Index$0\n[[a]]\n/a.md\nx\n/b.md\nx"),
    "index-too-long: lines": ("index-too-long", "/MEMORY.md\n" + "x\n" * 200 + "$0over$0\nmore\n"),
    "index-too-long: bytes": ("index-too-long", "/MEMORY.md\n" + ("é" * 499 + "\n") * 25 + "$0" + "z" * 99 + "$0\n"),
    "index-too-long: within a line": ("index-too-long", "/MEMORY.md\nshort\n$0" + "x" * 25_000 + "$0"),
}  # fmt: skip


@pytest.mark.parametrize("name", REPORTED)
def test_reported(name: str) -> None:
    code, source = REPORTED[name]
    vault = parse_vault(source)
    findings = found(vault)
    expected = [span for path, span in vault.spans]
    assert [item.span for item in findings if item.code == code] == expected
    others = {item.code for item in findings} - {code, "missing-description"}
    assert others <= ({"dangling-link"} if code == "empty-name" else set())


SILENT = {
    "a note without frontmatter": "/a.md\n# Title\n\nText.",
    "an empty note": "/a.md\n",
    "a good note": "/user/a.md\n---\nname: a\ndescription: d\ntype: user\ntags: [x]\n---\n[[a]] [[b#h]]\n/b.md\n# h",
    "the type of a note without one": "/a.md\n---\ndescription: d\ntype: note\n---\n",
    "an empty link": "/a.md\n[[]] []() [[#]]",
    "an anchor that is being typed": "/a.md\n[[b#]]\n/b.md\nx",
    "an attachment": "/a.md\n![[pic.svg]] [t](pic.svg#page=2)\n/pic.svg\nx",
    "a folder": "/a.md\n[t](sub/)\n/sub/b.md\nx",
    "the note that replaces another names it":
        "/a.md\n---\ndescription: d\nsupersedes: b\n---\nIt replaces [[b]].\n/b.md\nx",
    "a superseded note may link to itself": "/b.md\n[[#h]] [[b]]\n# h\n/a.md\n---\nsupersedes: b\n---\n",
    "names of different types may be equal": "/user/x.md\n1\n/project/x.md\n2",
    "an index of 200 lines": "/MEMORY.md\n" + "x\n" * 200,
    "an index of 25,000 bytes": "/MEMORY.md\n" + "é" * 12_499 + "x\n",
    "an index without frontmatter or name": "/MEMORY.md\n---\nname:\n---\nx",
    "a bare file name in prose": "/MEMORY.md\n- Details: screen-sizes.md",
    "a placeholder": "/a.md\ntoken: ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx <your-token>",
    "a chain without a circle":
        "/a.md\n---\ndescription: d\nsupersedes: b\n---\n/b.md\n---\nsupersedes: c\n---\n/c.md\nx",
    "the same pair said twice": (
        "/a.md\n---\ndescription: d\nsupersedes: b\n---\n/b.md\n---\nsuperseded_by: a\n---\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SILENT)
def test_silent(name: str) -> None:
    items = found(parse_vault(SILENT[name]))
    assert [item for item in items if CODES[item.code].severity < 4] == []


ALLOWED = [
    ("[[x]] <!-- memory-lsp: allow dangling-link -->", 0),
    ("<!-- memory-lsp: allow dangling-link --> [[x]] [[y]]", 0),
    ("[[x]] <!-- why not. memory-lsp: allow dangling-link, dangling-anchor -->", 0),
    ("[[x]] <!--memory-lsp:allow dangling-link-->", 0),
    ("[[x]] <!-- memory-lsp: allow dangling-anchor -->", 1),
    ("[[x]] <!-- memory-lsp: allow -->", 1),
    ("[[x]] memory-lsp: allow dangling-link", 1),
    ("[[x]]\n<!-- memory-lsp: allow dangling-link -->", 1),
    ("<!-- memory-lsp: allow dangling-link -->\r\n[[x]]\r[[y]] <!-- memory-lsp: allow dangling-link -->", 1),
]


@pytest.mark.parametrize(("text", "count"), ALLOWED)
def test_a_comment_allows_a_code_on_its_line(text: str, count: int) -> None:
    assert len(found(Vault({"a.md": text}))) == count


def test_every_code_has_a_test() -> None:
    tested = {code for code, _ in REPORTED.values()}
    # The detector of contradictions compares vectors and has tests of its own.
    assert tested == CODES.keys() - {"possible-contradiction"}


def test_an_ambiguous_link_names_the_candidates_in_their_order() -> None:
    (item,) = found(parse_vault("/a.md\n[[x]]\n/q/x.md\n# Q\n/user/x.md\n---\nname: x\n---\n# U"))
    assert [related.path for related in item.related] == ["user/x.md", "q/x.md"]
    assert "user/x.md, q/x.md" in item.message


def test_a_link_to_a_superseded_note_names_the_direct_successor() -> None:
    vault = parse_vault("""
        /a.md
        [[v1]]
        /v1.md
        x
        /v2.md
        ---
        supersedes: v1
        ---
        /v3.md
        ---
        supersedes: v2
        ---
        """)
    (item,) = found(vault)
    assert "“v2”" in item.message and item.subject == "v2.md"
    assert [related.path for related in item.related] == ["v2.md"]


def test_a_cycle_is_reported_on_each_of_its_notes_and_told_in_order() -> None:
    texts = {f"{a}.md": f"---\nsupersedes: {b}\n---\n" for a, b in ("ab", "bc", "ca")}
    vault = Vault(texts)
    for path, names in (("a.md", "a → b → c → a"), ("b.md", "b → c → a → b"), ("c.md", "c → a → b → c")):
        (item,) = [each for each in found(vault, path) if each.code == "supersedes-cycle"]
        assert names in item.message


def test_duplicates_are_reported_on_all_and_name_each_other() -> None:
    vault = Vault({f"{folder}/x.md": "" for folder in "abc"})
    for path in vault.texts:
        (item,) = found(vault, path)
        assert item.code == "duplicate-name"
        assert {related.path for related in item.related} == vault.texts.keys() - {path}


def test_a_name_that_hundreds_share_is_told_in_short() -> None:
    vault = Vault({f"d{n:03}/README.md": "[[README]]" for n in range(100)})
    for item in found(vault):
        assert len(item.related) == 10 and len(item.message) < 400 and "more" in item.message


def test_many_notes_missing_in_the_index_are_one_finding() -> None:
    vault = Vault({"MEMORY.md": "# Index", **{f"n{n}.md": "" for n in range(40)}})
    (item,) = found(vault)
    assert "40 notes" in item.message and len(item.message) < 300


def test_a_secret_is_in_no_message() -> None:
    text = f"---\ntype: {TOKEN}\n{TOKEN}: x\n{TOKEN}: y\n---\n[[{TOKEN}]] [[#{TOKEN}]]\n"
    items = found(Vault({"a.md": text}))
    assert {"contains-secret", "dangling-link", "dangling-anchor"} <= {item.code for item in items}
    assert not any(TOKEN in part for item in items for part in (item.message, item.subject, repr(item.related)))


def test_a_secret_keeps_a_note_without_vector_until_a_comment_allows_it() -> None:
    snapshot = Vault({
        "a.md": f"key {TOKEN}", "b.md": "key", "c.md": f"key {TOKEN} <!-- memory-lsp: allow contains-secret -->"
    }).snapshot()  # fmt: skip
    assert [snapshot.guard.holds_secret(note) for note in snapshot.notes.values()] == [True, False, False]


def test_findings_are_in_the_order_of_their_places() -> None:
    items = found(Vault({"a.md": "---\nname: a\nx\n---\n[[b]] [[#c]] [t](d.md)"}))
    assert [item.span for item in items] == sorted(item.span for item in items)
