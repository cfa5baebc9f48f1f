"""The index above a sidecar that refuses, and what it asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from fixtures import vault_of
from memory_lsp.core.note import parse
from memory_lsp.core.snapshot import Changes
from memory_lsp.index import Index
from memory_lsp.sidecar import Row, Sidecar

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.core.snapshot import Snapshot


def row(id_: str, hash_: str, place: int) -> Row:
    vector = np.zeros(4, dtype=np.float32)
    vector[place] = 1.0
    return Row(id_, hash_, vector)


def store(index: Index, *rows: Row, removes: tuple[str, ...] = ()) -> None:
    index.take([each.id for each in rows], [each.hash for each in rows], np.stack([each.vector for each in rows]))
    index.forget(removes)
    index.store_rows(rows, removes)


@pytest.fixture
def blocked(tmp_path: Path) -> Path:
    """A sidecar's folder whose place a file takes, which refuses even root."""
    folder = tmp_path / ".graph"
    folder.write_bytes(b"in the way")
    return folder


def test_what_the_disk_refused_is_written_once_it_can(blocked: Path) -> None:
    index = Index(Sidecar(blocked, "model"))
    store(index, row("a", "1", 0), row("b", "2", 1))
    store(index, row("c", "3", 2), removes=("a",))
    assert str(blocked) in index.problem
    assert len(index) == 2
    blocked.unlink()
    store(index, row("d", "4", 3))
    assert index.problem == ""
    assert set(Sidecar(blocked, "model").load().rows.ids) == {"b", "c", "d"}


def test_it_is_written_without_another_change_too(blocked: Path) -> None:
    index = Index(Sidecar(blocked, "model"))
    store(index, row("a", "1", 0))
    index.store_compacted()
    assert index.problem
    blocked.unlink()
    index.store_compacted()
    assert set(Sidecar(blocked, "model").load().rows.ids) == {"a"}


def test_only_what_lacks_its_vector_is_to_be_embedded() -> None:
    snapshot = vault_of(a="one", b="two", c="one")
    index = Index(None)
    work = index.compare(snapshot)
    assert {id_ for id_, _ in work.embed} == {"note/a", "note/b", "note/c"}
    note = snapshot.notes["a.md"]
    store(index, row("note/a", note.hash, 0))
    again = index.compare(snapshot, {"a.md", "b.md"})
    assert [id_ for id_, _ in again.embed] == ["note/b"]
    assert not again.rows


def test_a_note_that_is_gone_is_removed_and_its_vector_too() -> None:
    snapshot = vault_of(a="one", b="two")
    index = Index(None)
    index.compare(snapshot)
    store(index, *(row(snapshot.ids[path], note.hash, n) for n, (path, note) in enumerate(snapshot.notes.items())))
    work = index.compare(vault_of(b="two"), {"a.md", "b.md"})
    assert work.remove == ("note/a",)
    index.forget(work.remove)
    assert "note/a" not in index
    assert len(index.vectors) == 1


def look(folder: Path) -> dict[str, tuple[int, int]]:
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.iterdir()}


def edited(snapshot: Snapshot, **texts: str) -> Snapshot:
    return snapshot.updated(Changes({f"{stem}.md": parse(f"{stem}.md", text) for stem, text in texts.items()}))[0]


def test_a_save_writes_the_journal_and_nothing_else(tmp_path: Path) -> None:
    folder, snapshot = tmp_path / ".graph", vault_of(a="[[b]]", b="")
    index = Index(Sidecar(folder, "model"))
    store(index, row("note/a", "1", 0))
    index.store_graph(snapshot)
    index.store_compacted()
    store(index, row("note/a", "2", 1))
    before = look(folder)
    store(index, row("note/a", "3", 2))
    after = look(folder)
    assert {name for name in after if after[name] != before.get(name)} == {"journal"}


def test_the_graph_file_is_written_when_the_graph_changed_and_when_it_is_gone(tmp_path: Path) -> None:
    folder, snapshot = tmp_path / ".graph", vault_of(a="[[b]]", b="")
    index = Index(Sidecar(folder, "model"))

    def written(snapshot: Snapshot) -> bool:
        before = look(folder).get("graph.json") if folder.is_dir() else None
        index.store_graph(snapshot)
        return look(folder)["graph.json"] != before

    assert written(snapshot)
    assert not written(snapshot)
    assert not written(edited(snapshot, a="Other words about [[b]]."))
    assert written(edited(snapshot, a="no link"))
    (folder / "graph.json").unlink()
    assert written(edited(snapshot, a="no link"))


def test_a_text_that_comes_back_under_another_name_is_not_embedded_again() -> None:
    snapshot, index = vault_of(a="one", b="two"), Index(None)
    note = snapshot.notes["a.md"]
    store(index, row("note/a", note.hash, 0))
    index.compare(snapshot)
    without = snapshot.updated(Changes({"a.md": None}))[0]
    work = index.compare(without, ("a.md",))
    assert work.remove == ("note/a",)
    index.release(work.remove)
    assert "note/a" not in index
    back = edited(without, a="one")
    work = index.compare(back, ("a.md",))
    assert [each.id for each in work.rows] == ["note/a"]
    assert not work.embed


def test_the_vectors_of_texts_long_gone_are_dropped() -> None:
    index = Index(None)
    for number in range(5_000):
        store(index, row("a", str(number), number % 4))
    assert len(index.vectors) < 2_000
    assert "4999" in index.vectors
    assert "4000" in index.vectors
