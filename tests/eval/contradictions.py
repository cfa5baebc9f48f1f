"""How well contradictions are found: precision and recall on the labelled pairs, and the alarms in whole memories.

`python tests/eval/contradictions.py [--split dev|more|test] [--show]`; `--show` prints pairs that are judged wrongly.

A pair is an alarm where `contradictions` finds something. Alarms on contradicting pairs are right. A superseding pair
holds two texts of which one is no longer true and no `supersedes:` links them: an alarm there is right too, and its fix
is to write that entry. Alarms on agreeing and unrelated pairs are wrong. Precision is therefore right alarms by all
alarms; recall is given for contradicting and for superseding pairs each. `strict` precision leaves superseding pairs
out altogether.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.core.contradict import Kind, compare, contradictions, read
from memory_lsp.core.note import Note, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SPLITS = ("dev", "more", "test")
DATA = Path(__file__).parent / "data"
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "memory"


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled pair and what was found in it."""

    label: str
    kind: str
    language: str
    split: str
    names: str
    found: Kind | None

    @property
    def is_right(self) -> bool:
        """Tell whether an alarm would be right here."""
        return self.label in ("contradicting", "superseding")


def judge() -> list[Judged]:
    """Return every labelled pair with what is found in it."""
    judged = []
    files = (DATA / "pairs.json", DATA / "pairs_more.json")
    for pair in (pair for file in files for pair in json.loads(file.read_text(encoding="utf-8"))):
        one, other = (_note(f"{side}.md", pair[side]) for side in ("a", "b"))
        found = contradictions(one, other)
        names = f"{one.description} ↔ {other.description}"
        kind = found.kind if found else None
        judged.append(Judged(pair["label"], pair["kind"], pair["language"], pair["split"], names, kind))
    return judged


def precision(pairs: Iterable[Judged]) -> tuple[int, int]:
    """Return how many alarms are right, and how many there are."""
    alarms = [pair for pair in pairs if pair.found]
    return sum(pair.is_right for pair in alarms), len(alarms)


def alarms_in(notes: Sequence[Note]) -> list[tuple[str, str, str]]:
    """Return every pair of some notes that is reported, as two paths and why; pairs linked by truth are left out."""
    linked = {frozenset((note.name, entry.target)) for note in notes for entry in note.entries}
    readings = {note.path: read(note) for note in notes}
    alarms = []
    for one, other in combinations(notes, 2):
        if frozenset((one.name, other.name)) not in linked:
            found = compare(readings[one.path], readings[other.path])
            if found:
                quotes = f"{found.span.of(one.text)} ↔ {found.other_span.of(other.text)}"
                alarms.append((one.path, other.path, f"{found.kind}: {quotes}"))
    return alarms


def labelled_memory() -> list[Note]:
    """Return the 120 notes of `memory.json`."""
    stored = json.loads((DATA / "memory.json").read_text(encoding="utf-8"))["notes"]
    return [_note(f"{note['id']}.md", note) for note in stored]


def example_memory() -> list[Note]:
    """Return the notes of docs/examples."""
    paths = sorted(path for path in EXAMPLES.rglob("*.md") if path.name != "MEMORY.md")
    return [parse(path.relative_to(EXAMPLES).as_posix(), path.read_text(encoding="utf-8")) for path in paths]


def _note(path: str, stored: dict[str, object]) -> Note:
    entries = stored.get("supersedes") or []
    head = {"name": stored["name"], "description": stored["description"], "supersedes": entries}
    lines = "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items() if value)
    return parse(path, f"---\n{lines}\n---\n\n{stored['content']}\n")


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.2f}" if whole else "0/0"


def _table(pairs: Sequence[Judged], split: str) -> None:
    right, alarms = precision(pairs)
    strict = [pair for pair in pairs if pair.label != "superseding"]
    print(f"\n{split}: precision {_share(right, alarms)}, strict {_share(*precision(strict))}")
    groups: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for pair in pairs:
        for part in ("all", pair.kind, f"language {pair.language}"):
            groups[pair.label, part].append(pair)
    for label in ("contradicting", "superseding", "agreeing", "unrelated"):
        for (name, part), group in sorted(groups.items()):
            if name == label and (part == "all" or label in ("contradicting", "superseding") or "language" in part):
                found = sum(pair.found is not None for pair in group)
                print(f"  {label:14} {part:12} alarms {_share(found, len(group))}")


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=SPLITS, action="append")
    parser.add_argument("--show", action="store_true")
    chosen = parser.parse_args(arguments)
    judged = judge()
    for split in chosen.split or SPLITS:
        pairs = [pair for pair in judged if pair.split == split]
        _table(pairs, split)
        if chosen.show:
            for pair in pairs:
                if pair.is_right != (pair.found is not None):
                    print(f"    {pair.label} {pair.kind} {pair.language} → {pair.found}: {pair.names}")
    for name, notes in (("memory.json", labelled_memory()), ("docs/examples", example_memory())):
        alarms = alarms_in(notes)
        print(f"\n{name}: {len(alarms)} alarms in {len(notes) * (len(notes) - 1) // 2} pairs of {len(notes)} notes")
        for one, other, why in alarms:
            print(f"  {one} ↔ {other}: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
