"""Contradictions between the notes of a directory: what is compared, what stands, what its fixes do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fixtures import parse_vault
from memory_lsp.cli.app import main
from memory_lsp.contradictions import NEIGHBOURS, Contradictions, find_contradictions
from memory_lsp.core.actions import Place, findings_at, fixes
from memory_lsp.core.edits import apply_edits
from memory_lsp.core.lint import lint
from memory_lsp.core.note import parse
from memory_lsp.core.snapshot import Changes, Snapshot, with_rivals
from memory_lsp.core.text import Span
from memory_lsp.core.vectors import Vectors, VectorTable
from memory_lsp.sidecar import Row, Sidecar

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.core.lint import Finding

CODE = "possible-contradiction"
PAIR = """
/a.md
---
name: squash
description: Always squash branches
---
Keep main short.
/b.md
---
name: keep-history
description: About branches
---
Never squash branches. Bisecting needs them.
"""


def vectors_of(snapshot: Snapshot, **degrees: float) -> Vectors:
    """Return a vector for each note that points where it is told, to 0 degrees else."""
    table = VectorTable()
    for path in snapshot.ids:
        note = snapshot.notes[path]
        angle = np.deg2rad(degrees.get(note.stem, 0.0))
        table.put(note.hash, np.array([np.cos(angle), np.sin(angle)], dtype=np.float32))
    return table.freeze()


def compared(source: str, **degrees: float) -> Snapshot:
    """Return a vault after its notes were compared."""
    snapshot = parse_vault(source).snapshot()
    return with_rivals(snapshot, find_contradictions(snapshot, vectors_of(snapshot, **degrees)))[0]


def findings(snapshot: Snapshot, path: str) -> list[Finding]:
    return [item for item in lint(snapshot, path) if item.code == CODE]


def test_both_notes_are_reported_with_the_sentences_and_the_other_note() -> None:
    snapshot = compared(PAIR)
    (one,), (other,) = findings(snapshot, "a.md"), findings(snapshot, "b.md")
    assert one.span.of(snapshot.notes["a.md"].text) == "Always squash branches"
    assert other.span.of(snapshot.notes["b.md"].text) == "Never squash branches."
    assert (one.related[0].path, one.related[0].span) == ("b.md", other.span)
    assert (one.subject, other.subject) == ("b.md", "a.md")


def test_notes_that_are_not_near_and_notes_without_a_vector_are_not_compared() -> None:
    assert not findings(compared(PAIR, b=80.0), "a.md")
    snapshot = parse_vault(PAIR).snapshot()
    assert find_contradictions(snapshot, VectorTable().freeze()) == {}


def test_a_changed_note_is_compared_with_a_bounded_number_of_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    # None contradicts another: those that did are compared again, however many they are.
    files = "".join(f"/n{number}.md\nThe harbour {'very ' * number}quiet.\n" for number in range(60))
    snapshot = parse_vault("\n" + files).snapshot()
    vectors, contradictions = vectors_of(snapshot), Contradictions()
    contradictions.check(snapshot, vectors, contradictions.due(snapshot, vectors))
    changed, _ = snapshot.updated(Changes({"n7.md": parse("n7.md", "The harbour at night.")}))
    vectors = vectors_of(changed)
    assert contradictions.due(changed, vectors) == ("n7.md",)
    pairs: list[object] = []
    monkeypatch.setattr("memory_lsp.contradictions.compare", lambda one, other: pairs.append((one, other)))
    contradictions.check(changed, vectors, ("n7.md",))
    assert len(pairs) == NEIGHBOURS
    assert contradictions.due(changed, vectors) == ()


def test_one_note_after_the_other_finds_what_all_at_once_does() -> None:
    snapshot = parse_vault(
        PAIR + "/c.md\nSquash branches by hand.\n/d.md\nBranches are squashed automatically.\n"
    ).snapshot()
    vectors, contradictions = vectors_of(snapshot), Contradictions()
    for path in ("b.md", "d.md", "a.md", "c.md"):
        contradictions.check(snapshot, vectors, (path,))
    assert contradictions.rivals() == find_contradictions(snapshot, vectors) != {}


def test_what_was_found_goes_with_a_note_that_is_gone_or_says_something_else() -> None:
    snapshot = parse_vault(PAIR).snapshot()
    vectors, contradictions = vectors_of(snapshot), Contradictions()
    contradictions.check(snapshot, vectors, contradictions.due(snapshot, vectors))
    assert contradictions.rivals().keys() == {"a.md", "b.md"}
    other, _ = snapshot.updated(Changes({"b.md": parse("b.md", "Always squash branches.")}))
    vectors = vectors_of(other)
    contradictions.check(other, vectors, contradictions.due(other, vectors))
    assert contradictions.rivals() == {}
    contradictions.check(snapshot, vectors_of(snapshot), ("b.md",))
    gone, _ = snapshot.updated(Changes({"b.md": None}))
    contradictions.due(gone, vectors_of(gone))
    assert contradictions.rivals() == {}


def test_an_edit_around_a_sentence_moves_its_finding_and_an_edit_of_it_ends_it() -> None:
    snapshot = compared(PAIR)
    text = snapshot.notes["b.md"].text
    moved, affected = snapshot.updated(Changes({"b.md": parse("b.md", text.replace("Never", "First.\n\nNever"))}))
    assert findings(moved, "b.md")[0].span.start == findings(snapshot, "b.md")[0].span.start + 8
    assert "a.md" in affected  # its related place has moved
    ended, _ = snapshot.updated(Changes({"b.md": parse("b.md", text.replace("Never", "Seldom"))}))
    assert not findings(ended, "a.md")
    assert not findings(ended, "b.md")


@pytest.mark.parametrize("entry", ["supersedes: keep-history", "superseded_by: keep-history", "contradicts: b"])
@pytest.mark.parametrize("path", ["a.md", "b.md"])
def test_a_pair_that_is_linked_either_way_is_settled(entry: str, path: str) -> None:
    snapshot = compared(PAIR)
    for old, new in (("keep-history", "squash"), (": b", ": a")) if path == "b.md" else ():
        entry = entry.replace(old, new)
    text = snapshot.notes[path].text.replace("description", f"{entry}\ndescription")
    linked, affected = snapshot.updated(Changes({path: parse(path, text)}))
    assert not findings(linked, "a.md")
    assert not findings(linked, "b.md")
    assert affected >= {"a.md", "b.md"}


def test_a_note_that_is_superseded_by_any_other_contradicts_nobody() -> None:
    snapshot = compared(PAIR)
    newer = parse("c.md", "---\nname: c\ndescription: d\nsupersedes: squash\n---\n")
    linked, affected = snapshot.updated(Changes({"c.md": newer}))
    assert not findings(linked, "b.md")
    assert "b.md" in affected


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("b.md", "them.", "them. <!-- memory-lsp: allow possible-contradiction -->"),
        ("a.md", "---\nKeep", "# <!-- memory-lsp: allow possible-contradiction -->\n---\nKeep"),
    ],
)
def test_a_comment_on_one_side_allows_both(path: str, old: str, new: str) -> None:
    snapshot = compared(PAIR)
    text = snapshot.notes[path].text
    assert old in text
    allowed, affected = snapshot.updated(Changes({path: parse(path, text.replace(old, new))}))
    assert not findings(allowed, "a.md")
    assert not findings(allowed, "b.md")
    assert affected >= {"a.md", "b.md"}


@pytest.mark.parametrize("path", ["a.md", "b.md"])
def test_each_fix_ends_the_finding_on_both_notes(path: str) -> None:
    snapshot = compared(PAIR)
    finding = findings(snapshot, path)[0]
    place = Place(snapshot, snapshot.notes[path], Span(finding.span.start, finding.span.start))
    offered = {action.title: action for action in fixes(place, findings_at(place)) if action.code == CODE}
    other = "keep-history" if path == "a.md" else "squash"
    assert list(offered) == [
        f"This note supersedes “{other}”",
        f"“{other}” supersedes this note",
        f"Mark as contradicting “{other}”",
        "Both are right",
    ]
    for action in offered.values():
        notes = {edit.path: snapshot.notes[edit.path].text for edit in action.edits}
        fixed = {each: parse(each, apply_edits(text, action.edits)) for each, text in notes.items()}
        after, _ = snapshot.updated(Changes(dict(fixed)))
        assert [*findings(after, "a.md"), *findings(after, "b.md")] == []
        assert not any(note.problems for note in fixed.values())


def test_check_reports_with_the_vectors_of_the_sidecar(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vault = parse_vault(PAIR)
    vault.write(tmp_path)
    arguments = ["check", "-d", str(tmp_path), "--format", "json"]
    main(arguments)
    assert json.loads(capsys.readouterr().out) == []
    vectors = np.array([[0.6, 0.8], [0.8, 0.6]], dtype=np.float32)
    notes = vault.snapshot()
    rows = [
        Row(id_, notes.notes[path].hash, vector) for (path, id_), vector in zip(notes.ids.items(), vectors, strict=True)
    ]
    sidecar = Sidecar(tmp_path / ".graph", "any-model")
    sidecar.append(rows)
    sidecar.compact()
    main(arguments)
    found = json.loads(capsys.readouterr().out)
    assert [(item["path"], item["code"], item["severity"]) for item in found] == [
        ("a.md", CODE, "information"),
        ("b.md", CODE, "information"),
    ]
    for off in ("diagnostics.possible-contradiction=off", "contradictions.detect=false"):
        main([*arguments, "--set", off])
        assert json.loads(capsys.readouterr().out) == []
