"""On random vaults: links keep their meaning, nothing else changes, and the way back restores every byte."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from fixtures import Vault
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.note import parse
from memory_lsp.core.relink import relocated
from memory_lsp.core.rename import Renamable, rename
from memory_lsp.core.targets import ToNote
from memory_lsp.core.text import Span
from memory_lsp.errors import RenameError
from rename_rig import applied, moved
from vaults import FOLDERS, NAMES, random_vault

if TYPE_CHECKING:
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

SEEDS = st.integers(0, 2**32)


def meanings(snapshot: Snapshot, path: str) -> list[tuple[str, str, str | None]]:
    """Return what each link and entry of a note means."""
    meaning = snapshot.meanings[path]
    return [(each.note or "", each.file, each.anchor) for each in (*meaning.links, *meaning.entries)]


def skeleton(note: Note) -> str:
    """Return a note's text without its name and without the targets of its links and entries."""
    spans = [link.target_span for link in note.links] + [entry.span for entry in note.entries]
    spans += [note.name_span] if note.name_span else []
    spans += [
        Span(link.target_span.start, link.anchor_span.end)
        for link in note.links
        if link.anchor_span and not note.text[link.target_span.start : link.anchor_span.end].startswith("#")
    ]
    text = list(note.text)
    for span in spans:
        for at in range(span.start, span.end):
            text[at] = ""
    return "".join(text).replace('"', "")


def check_same(before: dict[str, str], after: dict[str, str], moves: dict[str, str]) -> None:
    """Check that every link that meant something means the same, and that nothing but names differs."""
    old, new = Vault(before).snapshot(), Vault(after).snapshot()
    assert after.keys() == {moves.get(path, path) for path in before}
    for path, note in old.notes.items():
        place = moves.get(path, path)
        was, now = meanings(old, path), meanings(new, place)
        assert len(was) == len(now), path
        for one, other in zip(was, now, strict=True):
            if one[0] or one[1]:
                assert (moves.get(one[0], one[0]), one[1], one[2]) == other, (path, one, other)
        assert skeleton(note) == skeleton(new.notes[place])


def is_ambiguous(texts: dict[str, str], path: str) -> bool:
    """Tell whether a link may mean the note or another one: renaming back then spells such a link exactly."""
    uses = (
        each for meaning in Vault(texts).snapshot().meanings.values() for each in (*meaning.links, *meaning.entries)
    )
    return any(path in each.notes and len(each.notes) > 1 for each in uses)


def rename_note(texts: dict[str, str], path: str, new: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the files after the rename of a note, and where the note went."""
    snapshot = Vault(texts).snapshot()
    note = snapshot.notes[path]
    plan = rename(snapshot, Renamable(Span(0, 0), note.name, ToNote(path)), new)
    moves = {each.old: each.new for each in plan.renames}
    return applied(texts, plan.edits, moves), moves


@given(SEEDS)
@settings(max_examples=100)
def test_a_rename_keeps_every_link_and_can_be_undone(seed: int) -> None:
    rng = random.Random(seed)
    texts = random_vault(rng)
    path = rng.choice([path for path in texts if path != "MEMORY.md"])
    name = Vault(texts).snapshot().notes[path].name
    base = next((base for base in NAMES if name.endswith(base)), "")
    new = name.replace(base, NAMES[base]) if base else "Other 99"
    try:
        after, moves = rename_note(texts, path, new)
    except RenameError:
        return
    check_same(texts, after, moves)
    try:
        back, _ = rename_note(after, moves.get(path, path), name)
    except RenameError as error:
        # Another note had the old name too: to take it again would make links ambiguous.
        assert "already" in str(error) or "would then mean" in str(error)
        return
    if not is_ambiguous(texts, path):
        assert back == texts


@given(SEEDS)
@settings(max_examples=100)
def test_moves_of_files_and_folders_keep_every_link(seed: int) -> None:
    rng = random.Random(seed)
    texts = random_vault(rng)
    moves = random_moves(rng, texts)
    check_same(texts, moved(texts, moves), places(texts, moves))


@given(SEEDS)
@settings(max_examples=70)
def test_moves_can_be_undone(seed: int) -> None:
    rng = random.Random(seed)
    texts = random_vault(rng, there_and_back=True)
    moves = random_moves(rng, texts)
    there = places(texts, moves)
    after = moved(texts, moves)
    # A path that gets shorter forgets how long it was.
    if any(old.count("/") != new.count("/") for old, new in there.items()):
        return
    if any(is_ambiguous(texts, path) for path in there) or any(is_ambiguous(after, path) for path in there.values()):
        return
    assert moved(after, {new: old for old, new in moves.items()}) == texts


def random_moves(rng: random.Random, texts: dict[str, str]) -> dict[str, str]:
    """Return some moves: notes to other folders or names, or a whole folder elsewhere."""
    folders = sorted({path.split("/")[0] for path in texts if "/" in path})
    if folders and rng.random() < 0.4:
        return {rng.choice(folders): rng.choice(("area", "reference", "x/y"))}
    notes = [path for path in texts if path != "MEMORY.md"]
    moves: dict[str, str] = {}
    for path in rng.sample(notes, rng.randint(1, min(2, len(notes)))):
        folder = rng.choice(FOLDERS)
        stem = path.rsplit("/", 1)[-1]
        if rng.random() < 0.5:
            stem = next((stem.replace(old, new) for old, new in NAMES.items() if old in stem), stem)
        new = f"{folder}/{stem}" if folder else stem
        if new not in texts and new not in moves.values():
            moves[path] = new
    return moves


def places(texts: dict[str, str], moves: dict[str, str]) -> dict[str, str]:
    """Return where every file went."""
    return {
        path: new + path[len(old) :]
        for old, new in moves.items()
        for path in texts
        if path == old or path.startswith(f"{old}/")
    }


@given(SEEDS)
@settings(max_examples=60)
def test_a_note_that_moves_reads_as_if_it_were_parsed_there(seed: int) -> None:
    rng = random.Random(seed)
    texts = random_vault(rng)
    path = rng.choice(sorted(texts))
    new = f"{rng.choice(FOLDERS)}/{rng.choice(list(NAMES))}.md".lstrip("/")
    there, here = parse(new, texts[path]), relocated(parse(path, texts[path]), new)
    for field in ("path", "name", "type", "stem", "base_id", "links", "entries", "tags", "aliases", "headings"):
        assert getattr(there, field) == getattr(here, field)
