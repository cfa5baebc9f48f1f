"""What was compared is kept without any text, survives damage as a comparison to be made again, and is shared."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from fixtures import parse_vault
from memory_lsp.contradictions import FORMER, NEIGHBOURS, Contradictions
from memory_lsp.core.note import parse
from memory_lsp.core.snapshot import Changes, Snapshot
from memory_lsp.errors import SidecarError
from memory_lsp.sidecar.contradiction_file import NAME, Conflict, ContradictionFile, Quote
from test_contradict_notes import PAIR, vectors_of

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.core.vectors import Vectors

ONE = (Conflict("b", "number", Quote(1, 5, "d1"), Quote(7, 9, "d2")),)
TOKEN = "ghp_" + "Zq8Rk2Vw5T" * 3 + "nB3xYd"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".graph"


def opened(folder: Path, key: str = "rules") -> ContradictionFile:
    return ContradictionFile(folder, key)


def found(folder: Path) -> dict[str, tuple[Conflict, ...]]:
    return dict(opened(folder).load())


def test_what_is_saved_is_loaded_and_what_is_gone_is_not(folder: Path) -> None:
    kept = opened(folder)
    assert kept.load() == {}
    assert not folder.exists()
    kept.save({"a": ONE, "b": ()})
    kept.save({"c": ()}, ["b"])
    assert found(folder) == {"a": ONE, "c": ()}
    assert (folder / ".gitignore").read_bytes() == b"*\n"


def test_other_rules_or_vectors_make_it_void(folder: Path) -> None:
    opened(folder).save({"a": ONE})
    assert opened(folder, "newer rules").load() == {}
    newer = opened(folder, "newer rules")
    newer.save({"b": ()})
    assert newer.load() == {"b": ()}
    assert found(folder) == {}


def test_two_processes_add_to_each_other(folder: Path) -> None:
    one, other = opened(folder), opened(folder)
    one.save({"a": ONE})
    other.save({"b": ()})
    one.save({"c": ()})
    assert found(folder) == {"a": ONE, "b": (), "c": ()}
    other.save({}, ["a"], anew=True)
    one.save({"d": ()})
    assert found(folder) == {"b": (), "c": (), "d": ()}
    one.save({}, ["d"], anew=True)  # what the other left out does not come back
    assert found(folder) == {"b": (), "c": ()}


def test_a_file_deleted_meanwhile_comes_back_whole(folder: Path) -> None:
    kept = opened(folder)
    kept.save({"a": ONE})
    (folder / NAME).unlink()
    kept.save({"b": ()})
    assert found(folder) == {"a": ONE, "b": ()}


@pytest.mark.parametrize("seed", range(60))
def test_damage_loses_lines_and_never_makes_any_up(folder: Path, seed: int) -> None:
    dice = random.Random(seed)
    whole = {f"note {number}": ONE if number % 3 else () for number in range(12)}
    opened(folder).save(whole)
    data = bytearray((folder / NAME).read_bytes())
    if seed % 3 == 0:
        del data[dice.randrange(len(data)) :]
    elif seed % 3 == 1:
        data[dice.randrange(len(data))] = dice.randrange(256)
    else:
        data[dice.randrange(len(data)) :] = dice.randbytes(dice.randrange(400))
    (folder / NAME).write_bytes(data)
    assert found(folder).items() <= whole.items()
    mended = opened(folder)
    mended.load()
    mended.save({"new": ONE})
    left = found(folder)
    assert left.pop("new") == ONE
    assert left.items() <= whole.items()


def test_edits_without_end_do_not_make_it_grow_without_end(folder: Path) -> None:
    kept = opened(folder)
    for number in range(1000):
        kept.save({f"{number:064}": ONE}, [f"{number - 1:064}"])
    assert (folder / NAME).stat().st_size < 40_000
    assert list(found(folder)) == [f"{999:064}"]


def test_a_folder_in_the_way_is_an_error_and_costs_nothing_else(folder: Path) -> None:
    folder.write_text("in the way")
    kept = opened(folder)
    assert kept.load() == {}
    with pytest.raises(SidecarError):
        kept.save({"a": ()})
    folder.unlink()
    kept.save({"a": ONE})
    assert found(folder) == {"a": ONE}


def compared(saved: Snapshot, vectors: Vectors, folder: Path) -> tuple[Contradictions, tuple[str, ...]]:
    """Return the state after a start with what is kept, and the notes that were compared."""
    state = Contradictions(opened(folder))
    state.recall(saved)
    due = state.due(saved, vectors)
    state.check(saved, vectors, due)
    state.keep(saved, due)
    return state, due


def test_a_restart_knows_what_was_found_and_compares_only_what_changed(folder: Path) -> None:
    saved = parse_vault(PAIR + "/c.md\nThe harbour is quiet.\n").snapshot()
    vectors = vectors_of(saved)
    first, due = compared(saved, vectors, folder)
    assert set(due) == {"a.md", "b.md", "c.md"}
    again, due = compared(saved, vectors, folder)
    assert due == ()
    assert again.rivals() == first.rivals() != {}
    changed, _ = saved.updated(Changes({"c.md": parse("c.md", "Keep branches as they are.")}))
    again, due = compared(changed, vectors_of(changed), folder)
    assert due == ("c.md",)
    assert again.rivals() == first.rivals()


def test_a_sentence_that_moved_is_compared_again_and_one_that_changed_is_forgotten(folder: Path) -> None:
    saved = parse_vault(PAIR).snapshot()
    first, _ = compared(saved, vectors_of(saved), folder)
    tagged = saved.notes["b.md"].text.replace("name:", "tags: [git]\nname:")
    moved, _ = saved.updated(Changes({"b.md": parse("b.md", tagged)}))
    again, due = compared(moved, vectors_of(moved), folder)
    assert set(due) == {"a.md", "b.md"}  # the text is the same, but no sentence stands where it stood
    assert again.rivals() == first.rivals()
    agreeing, _ = saved.updated(Changes({"b.md": parse("b.md", "Always squash branches.")}))
    again, due = compared(agreeing, vectors_of(agreeing), folder)
    assert (due, again.rivals()) == (("b.md",), {})


def test_no_text_is_kept_and_nothing_of_a_note_that_holds_a_secret(folder: Path) -> None:
    saved = parse_vault(PAIR).snapshot()
    state, _ = compared(saved, vectors_of(saved), folder)
    data = (folder / NAME).read_text()
    assert "quash" not in data
    assert saved.notes["b.md"].hash in data
    leaked, _ = saved.updated(Changes({"b.md": parse("b.md", f"The token is {TOKEN}.")}))
    assert state.due(leaked, vectors_of(saved)) == ()
    state.keep(leaked, ())
    data = (folder / NAME).read_text()
    assert saved.notes["b.md"].hash not in data
    assert leaked.notes["b.md"].hash not in data


def test_former_rivals_of_a_changed_note_are_compared_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    files = "".join(f"/n{number}.md\nLists return {number + 1} items a page.\n" for number in range(60))
    saved = parse_vault("\n" + files).snapshot()
    vectors, state = vectors_of(saved), Contradictions()
    for path in saved.ids:
        state.check(saved, vectors, (path,))
    state._found.update({("n0.md", f"n{number}.md"): next(iter(state._found.values())) for number in range(1, 60)})
    changed, _ = saved.updated(Changes({"n0.md": parse("n0.md", "Lists are long.")}))
    vectors = vectors_of(changed)
    assert state.due(changed, vectors) == ("n0.md",)
    pairs: list[object] = []
    monkeypatch.setattr("memory_lsp.contradictions.compare", lambda one, other: pairs.append((one, other)))
    state.check(changed, vectors, ("n0.md",))
    assert len(pairs) <= NEIGHBOURS + FORMER


def test_a_rebuild_forgets_it(folder: Path) -> None:
    saved = parse_vault(PAIR).snapshot()
    state, _ = compared(saved, vectors_of(saved), folder)
    state.forget()
    assert not (folder / NAME).exists()
    assert state.rivals() == {}
    assert set(state.due(saved, vectors_of(saved))) == {"a.md", "b.md"}


def test_a_copy_of_a_note_that_goes_takes_nothing_with_it(folder: Path) -> None:
    text = parse_vault(PAIR).texts["b.md"]
    saved, _ = parse_vault(PAIR).snapshot().updated(Changes({"copy.md": parse("copy.md", text)}))
    compared(saved, vectors_of(saved), folder)
    less, _ = saved.updated(Changes({"copy.md": None}))
    again, due = compared(less, vectors_of(less), folder)
    assert due == ()
    assert again.rivals().keys() == {"a.md", "b.md"}
