"""A snapshot that follows changes equals one built from scratch, and names everybody whose findings changed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from fixtures import LINEAR, Vault, growth, parse_vault, seconds, vault_of
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.lint import Finding, lint
from memory_lsp.core.note import Note, parse
from memory_lsp.core.resolve import Names
from memory_lsp.core.snapshot import Changes, Snapshot

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDERS = ["", "user/", "feedback/", "sub/", "sub/deep/"]
STEMS = ["a", "b", "A", "feedback_a", "x y", "x-y", "a#h", "MEMORY", "caf\u00e9", "cafe\u0301"]
FILES = ["pic.svg", "sub/pic.svg", "assets/pic.svg", "a", "sub/other/b.txt"]
TARGETS = [
    "a", "b", "A", "a#h", "x_y", "feedback_a", "sub/a", "feedback/a", "user/b", "note/a", "../b", "./a", "/a", "deep/b",
    "a.md", "b#^k", "#h", "pic.svg", "sub/pic.svg", "missing", "N", "n", "TCP/IP", "cafe\u0301", "caf%C3%A9", "a%23h",
]  # fmt: skip
HREFS = ["a.md", "sub/a", "../b.md", "/a.md", "assets/", "sub/other", "pic.svg", "b.md#h", "a%23h.md", "x%20y.md", "."]
NAMES = ["a", "b", "N", "TCP/IP", "a b", "", "x-y"]


@st.composite
def note_texts(draw: st.DrawFn) -> str:
    """Return the text of a note with some of everything that other notes can depend on."""
    lines = []
    if draw(st.booleans()):
        lines.append("---")
        for key, values in (("name", NAMES), ("type", ["project", "idea", ""]), ("aliases", ["N", "b", "A B"])):
            if draw(st.integers(0, 2)) == 0:
                lines.append(f"{key}: {draw(st.sampled_from(values))}")
        for key in ("supersedes", "superseded_by", "contradicts"):
            if draw(st.integers(0, 2)) == 0:
                lines.append(f"{key}: [{', '.join(draw(st.lists(st.sampled_from(TARGETS[:13]), max_size=2)))}]")
        if draw(st.booleans()):
            lines.append("tags: [t, T, u]")
        lines.append("---")
    for _ in range(draw(st.integers(0, 4))):
        lines.append(
            draw(
                st.one_of(
                    st.sampled_from(TARGETS).map(lambda target: f"[[{target}]]"),
                    st.sampled_from(HREFS).map(lambda href: f"[t]({href})"),
                    st.sampled_from(["# h", "## other", "text ^k", "plain", ""]),
                )
            )
        )
    return "\n".join(lines)


PATHS = st.builds(lambda folder, stem: f"{folder}{stem}.md", st.sampled_from(FOLDERS), st.sampled_from(STEMS))
STEPS = st.one_of(
    st.tuples(st.just("write"), st.lists(st.tuples(PATHS, note_texts()), min_size=1, max_size=3)),
    st.tuples(st.just("delete"), st.lists(st.integers(0, 99), min_size=1, max_size=2)),
    st.tuples(st.just("rename"), st.tuples(st.integers(0, 99), PATHS)),
    st.tuples(st.just("files"), st.sets(st.sampled_from(FILES), max_size=3)),
)


class Model:
    """The plain truth beside the snapshot: texts by path, and the other files."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.files: frozenset[str] = frozenset()
        self.snapshot = Snapshot(names=Names(exists=self.exists))

    def exists(self, path: str) -> bool:
        return Vault({**self.texts, **dict.fromkeys(self.files, "")}).exists(path) and path not in self.texts

    def apply(self, step: tuple[str, object]) -> frozenset[str]:
        kind, detail = step
        texts, files = dict(self.texts), self.files
        known = sorted(texts)
        if kind == "write" and isinstance(detail, list):
            texts.update(detail)
        elif kind == "delete" and isinstance(detail, list) and known:
            for number in detail:
                texts.pop(known[number % len(known)], None)
        elif kind == "rename" and isinstance(detail, tuple) and known:
            texts[detail[1]] = texts.pop(known[detail[0] % len(known)])
        elif kind == "files" and isinstance(detail, set):
            files = frozenset(detail)
        changed: Mapping[str, Note | None] = {
            path: parse(path, texts[path]) if path in texts else None
            for path in texts.keys() | self.texts.keys()
            if texts.get(path) != self.texts.get(path)
        }
        changes = Changes(changed, files - self.files, self.files - files)
        self.texts, self.files = texts, files
        self.snapshot, affected = self.snapshot.updated(changes)
        return affected

    def from_scratch(self) -> Snapshot:
        notes = {path: parse(path, text) for path, text in self.texts.items()}
        return Snapshot(names=Names(exists=self.exists)).updated(Changes(dict(notes), self.files))[0]


def findings(snapshot: Snapshot) -> dict[str, tuple[Finding, ...]]:
    return {path: lint(snapshot, path) for path in snapshot.notes}


def assert_equal(one: Snapshot, other: Snapshot) -> None:
    # Hashes stand for the notes, whose line indexes compare by identity.
    assert {p: n.hash for p, n in one.notes.items()} == {p: n.hash for p, n in other.notes.items()}
    assert one.meanings == other.meanings
    assert one.backlinks == other.backlinks
    assert one.ids == other.ids
    assert one.paths == other.paths
    assert one.graph == other.graph
    assert one._users == other._users
    assert one._homonyms == other._homonyms
    for node in one.graph.nodes():
        assert one.graph.neighbours(node.id) == other.graph.neighbours(node.id)


@settings(max_examples=100)
@given(st.lists(STEPS, min_size=1, max_size=8))
def test_following_changes_equals_building_from_scratch(steps: list[tuple[str, object]]) -> None:
    model = Model()
    before = findings(model.snapshot)
    for step in steps:
        affected = model.apply(step)
        assert_equal(model.snapshot, model.from_scratch())
        after = findings(model.snapshot)
        for path in after.keys() & before.keys() - affected:
            assert after[path] == before[path], path
        assert len(model.snapshot.paths) == len(model.snapshot.ids)
        before = after


def test_ids_are_unique_and_the_first_path_keeps_the_plain_one() -> None:
    vault = parse_vault("""
        /b/x.md
        1
        /a/x.md
        2
        /c/y.md
        ---
        name: x
        ---
        """)
    snapshot = vault.snapshot()
    assert snapshot.ids == {"a/x.md": "note/x", "b/x.md": "note/x@b/x.md", "c/y.md": "note/x@c/y.md"}
    snapshot, _ = snapshot.updated(Changes({"a/x.md": None}))
    assert snapshot.ids == {"b/x.md": "note/x", "c/y.md": "note/x@c/y.md"}
    note = snapshot.note("note/x")
    assert note and note.path == "b/x.md"


def test_the_index_has_links_but_no_id() -> None:
    snapshot = vault_of(MEMORY="[[a]]", a="[[MEMORY]]")
    assert snapshot.ids == {"a.md": "note/a"}
    assert snapshot.backlinks == {"a.md": frozenset({"MEMORY.md"}), "MEMORY.md": frozenset({"a.md"})}
    assert not snapshot.graph.edges()


def test_superseded_by_and_supersedes_are_the_same_edge() -> None:
    one = vault_of(a="---\nsupersedes: b\n---\n", b="")
    other = vault_of(a="", b="---\nsuperseded_by: a\n---\n")
    for snapshot in (one, other):
        assert snapshot.successors("b.md") == ("a.md",)
        assert snapshot.predecessors("a.md") == ("b.md",)


def test_typing_in_a_paragraph_affects_no_other_note() -> None:
    snapshot = vault_of(a="# A\n\ntext", b="[[a]]", c="---\nsupersedes: a\n---\n", MEMORY="[[a]]")
    _, affected = snapshot.updated(Changes({"a.md": parse("a.md", "# A\n\ntext more")}))
    assert affected == {"a.md"}


def test_a_new_heading_affects_who_links_to_the_note() -> None:
    snapshot = vault_of(a="# A", b="[[a#B]]", c="")
    _, affected = snapshot.updated(Changes({"a.md": parse("a.md", "# A\n# B")}))
    assert affected == {"a.md", "b.md"}


def test_a_revision_is_counted_for_each_change() -> None:
    snapshot = vault_of(a="")
    assert snapshot.updated(Changes({"a.md": parse("a.md", "x")}))[0].revision == snapshot.revision + 1


@pytest.mark.parametrize("shape", ["homonyms", "one target", "chain", "cycle"])
def test_building_is_linear(shape: str) -> None:
    def build(count: int) -> None:
        notes: dict[str, Note | None] = {}
        for n in range(count):
            path = f"d{n}/README.md" if shape == "homonyms" else f"n{n}.md"
            following = n + 1 if shape == "chain" else (n + 1) % count
            text = {"homonyms": "[[README]]", "one target": "[[hub]] [[missing]]"}.get(shape)
            notes[path] = parse(path, text or f"---\nsupersedes: n{following}\n---\n")
        snapshot = Snapshot().updated(Changes(notes))[0]
        lint(snapshot, next(iter(notes)))

    assert growth(build, 150) < LINEAR


def test_one_change_in_a_large_directory_costs_little_of_building_it() -> None:
    draw = random.Random(7)
    texts = {f"n{n}.md": f"# N{n}\n[[n{draw.randrange(800)}]] [[n{draw.randrange(800)}]]" for n in range(800)}
    vault = Vault(texts)
    snapshot = vault.snapshot()
    change = seconds(lambda: snapshot.updated(Changes({"n5.md": parse("n5.md", "# N5\ntext [[n7]]")})))
    assert change * 10 < seconds(vault.snapshot)
