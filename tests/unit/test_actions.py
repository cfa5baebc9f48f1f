"""Every fix removes what it fixes and brings nothing else: over all codes, over many vaults."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from actions_rig import after, place_of
from fixtures import Vault, parse_vault
from memory_lsp.core.actions import FIXES, Kind, Place, findings_at, fix_all, fixes, refactorings
from memory_lsp.core.lint import lint
from memory_lsp.core.lint_codes import CODES
from memory_lsp.core.text import Span
from test_lint import REPORTED, TOKEN
from vaults import random_vault

if TYPE_CHECKING:
    from memory_lsp.core.actions import Action
    from memory_lsp.core.snapshot import Snapshot

WITHOUT_FIX = {"index-too-long"}
COMPARED = {"possible-contradiction"}  # needs vectors: test_contradict_notes.py
MORE = {
    "did you mean": "/a.md\n[[load-tset$0]]\n/load-test.md\nx",
    "did you mean, with an anchor": "/a.md\n[[load-tset#Gone$0]]\n/load-test.md\n# H",
    "create in a typed layout": "/project/a.md\n---\nname: a\ndescription: d\n---\n[[b$0]] [[b#H]]\n/MEMORY.md\n[[a]]",
    "a description": "/a.md\n$0---\nname: a\n---\n# A\n\nFirst: it *works*. Second.",
    "superseded": "/a.md\n[[v1$0]]\n/v1.md\nx\n/v2.md\n---\nsupersedes: v1\n---\n/v3.md\n---\nsupersedes: v2\n---",
    "a cycle of names": "/a.md\n---\nsupersedes: [$0b, c]\n---\n/b.md\n---\nsupersedes: a\n---\n/c.md\nx",
    "both in one value": "/a.md\n---\ndescription$0: a: b #c\n---\n",
    "a list that is not closed": "/a.md\n---\ntags: [a, b: c$0\n---\n",
    "a quote that is not closed": "/a.md\n---\nname: \"a b$0\n---\n",
    "a reserved start": "/a.md\n---\ndescription: @home$0\n---\n",
    "no space behind the colon": "/a.md\n---\nname:a$0\n---\n",
    "an entry of a list": "/a.md\n---\naliases:\n  - a: b: c$0\n  - d #e\n---\n",
    "many missing": "/MEMORY.md\n$0# Index\n" + "".join(f"/n{n}.md\nx\n" for n in range(8)),
    "a heading elsewhere": "/a.md\n[x](b.md#no-such$0)\n/b.md\n# B\n\n~~~\nopen",
    "a secret twice": f"/a.md\n$0{TOKEN} and {TOKEN}\n",
    "three with one name": "/p/x.md\n# $0T\n/q/x.md\ny\n/r/x.md\n[[x]]",
    "an ambiguous link at the root": "/a.md\n[[x$0]]\n/x.md\n1\n/p/x.md\n2",
    "an allowance in a table": "/a.md\n| a |\n|---|\n| [[gone$0]] |\n",
    "CRLF": "/a.md\n---\r\nname: a: b$0\r\ndescription: x\r\n---\r\n[[zz]]\r\n",
}  # fmt: skip
VAULTS = {**{name: source for name, (_, source) in REPORTED.items()}, **MORE}


def every_fix(source: str) -> list[tuple[Snapshot, str, Action, Vault]]:
    vault = parse_vault(source)
    vault = Vault(vault.texts, vault.marks[:1])
    place = place_of(vault)
    return [(place.snapshot, place.note.path, action, vault) for action in fixes(place, findings_at(place))]


@pytest.mark.parametrize("name", VAULTS)
def test_a_fix_removes_its_finding_and_brings_no_other(name: str) -> None:
    offered = every_fix(VAULTS[name])
    for snapshot, path, action, vault in offered:
        texts = after(vault, action)
        changed = Vault(texts).snapshot()
        for each in texts:
            if each.endswith(".md"):
                old = codes(snapshot, each)
                new = codes(changed, each)
                if each not in vault.texts:
                    # Its author has to say what it is about.
                    del new["missing-description"]
                elif action.creates and old["index-missing-entry"]:
                    del new["index-missing-entry"]
                assert new - old == Counter(), (action.title, each)
        assert codes(changed, path)[action.code] < codes(snapshot, path)[action.code], action.title


def codes(snapshot: Snapshot, path: str) -> Counter[str]:
    return Counter(item.code for item in lint(snapshot, path)) if path in snapshot.notes else Counter()


def test_every_code_has_a_fix() -> None:
    assert FIXES.keys() == CODES.keys() - WITHOUT_FIX
    fixed = {action.code for source in VAULTS.values() for _, _, action, _ in every_fix(source) if not allows(action)}
    assert fixed == FIXES.keys() - COMPARED


def allows(action: Action) -> bool:
    return action.title.startswith("Allow ")


@pytest.mark.parametrize("name", MORE)
def test_each_of_these_has_a_fix(name: str) -> None:
    assert every_fix(MORE[name]), name


@pytest.mark.parametrize("name", VAULTS)
def test_fix_all_leaves_nothing_safe_to_fix(name: str) -> None:
    vault = parse_vault(VAULTS[name])
    place = place_of(Vault(vault.texts, vault.marks[:1]))
    for action in fix_all(place):
        changed = Vault(after(vault, action)).snapshot()
        again = Place(changed, changed.notes[place.note.path], place.span)
        assert fix_all(again) == ()
        assert not codes(changed, place.note.path) - codes(place.snapshot, place.note.path)


def test_no_title_tells_a_secret() -> None:
    head = f"---\nname: x\ntype: {TOKEN}\nsupersedes: {TOKEN}\n---\n"
    text = f"{head}# {TOKEN}\n[[{TOKEN}]] [t]({TOKEN}.md) [[#{TOKEN}]]\n"
    vault = Vault({"a.md": text, "b.md": f"[[{TOKEN}]]"})
    snapshot = vault.snapshot()
    for path, note in snapshot.notes.items():
        place = Place(snapshot, note, note.lines.line_span(0))
        offered = fixes(place, lint(snapshot, path))
        assert offered and not any(TOKEN in action.title for action in offered)


def test_a_note_of_which_nothing_is_wrong_has_no_fix() -> None:
    vault = Vault({"a.md": "---\nname: a\ndescription: d\n---\n[[b]]\n", "b.md": "# B\n"})
    place = place_of(vault)
    assert fixes(place, findings_at(place)) == () and fix_all(place) == ()


def test_the_page_about_editing_names_every_fix() -> None:
    page = (Path(__file__).parents[2] / "docs" / "editing.md").read_text("utf-8")
    table = page.partition("## Quick fixes")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert {code for row in rows for code in re.findall(r"`([^`]+)`", row)} == FIXES.keys()


@pytest.mark.parametrize("seed", range(8))
def test_on_random_vaults_no_action_loses_a_link(seed: int) -> None:
    rng = random.Random(seed)
    vault = Vault(random_vault(rng))
    snapshot = vault.snapshot()
    for path, note in snapshot.notes.items():
        whole = Place(snapshot, note, Span(0, len(note.text)))
        offered = [*fixes(whole, findings_at(whole)), *fix_all(whole)]
        for _ in range(3):
            start = rng.randrange(len(note.text) + 1)
            selected = Place(snapshot, note, Span(start, rng.randrange(start, len(note.text) + 1)))
            offered += [action for action in refactorings(selected) if action.kind is Kind.EXTRACT]
        for action in offered:
            changed = Vault(after(vault, action)).snapshot()
            assert dangling(changed) <= dangling(snapshot), (path, action.title)


def dangling(snapshot: Snapshot) -> int:
    return sum("dangling" in item.code for path in snapshot.notes for item in lint(snapshot, path))
