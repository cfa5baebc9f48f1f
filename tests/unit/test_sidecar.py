"""The sidecar as its callers see it: what is stored comes back, here and in other processes."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest
from filelock import FileLock
from memory_lsp.errors import SidecarError
from memory_lsp.sidecar import Row, Sidecar
from memory_lsp.sidecar.files import Files, Stamp
from memory_lsp.sidecar.lock import ProcessLock
from sidecar_pair import write_pair

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

DIMS = 8


def vector(text: str, dims: int = DIMS) -> NDArray[np.float32]:
    """Return the vector that the text has in these tests; another text has another one."""
    seed = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "little")
    drawn = np.random.default_rng(seed).normal(size=dims).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


def row(note_id: str, text: str = "", dims: int = DIMS) -> Row:
    text = text or note_id
    return Row(note_id, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), vector(text, dims))


def stored(folder: Path, model: str = "m") -> dict[str, str]:
    """Return hashes by id as a fresh process sees them, having checked every vector against its hash."""
    rows = Sidecar(folder, model).load().rows
    return {note_id: rows[note_id].hash for note_id in rows}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".graph"


def test_what_was_appended_comes_back(folder: Path) -> None:
    rows = [row("user/a"), row("user/b"), row("note/é 🗺"), row("note/broken-\udcff")]
    Sidecar(folder, "m").append(rows)
    loaded = Sidecar(folder, "m").load()
    assert (loaded.reason, loaded.dims, list(loaded.rows)) == ("", DIMS, [each.id for each in rows])
    for each in rows:
        assert loaded.rows[each.id].hash == each.hash
        assert np.array_equal(loaded.rows[each.id].vector, each.vector)
        found = loaded.rows.vector_for(each.hash)
        assert found is not None and np.array_equal(found, each.vector)
    assert loaded.rows.vector_for("unknown") is None


def test_nothing_is_created_before_the_first_write(folder: Path) -> None:
    sidecar = Sidecar(folder, "m")
    loaded = sidecar.load()
    assert (len(loaded.rows), loaded.dims, loaded.reason) == (0, None, "")
    sidecar.append([], ["user/a"])
    assert not sidecar.refresh()
    assert not sidecar.compact()
    assert not sidecar.purge(["user/a"])
    sidecar.clear()
    sidecar.close()
    assert not folder.exists()


def test_a_later_row_replaces_and_a_remove_removes(folder: Path) -> None:
    sidecar = Sidecar(folder, "m")
    sidecar.append([row("a"), row("b"), row("c")])
    sidecar.append([row("b", "other")], ["a"])
    assert stored(folder) == {"b": row("b", "other").hash, "c": row("c").hash}
    sidecar.compact()
    sidecar.append([row("a", "back")], ["c"])
    assert stored(folder) == {"b": row("b", "other").hash, "a": row("a", "back").hash}


def test_compaction_leaves_the_protocols_files(folder: Path) -> None:
    sidecar = Sidecar(folder, "m")
    sidecar.append([row("a"), row("b"), row("c")])
    sidecar.append([], ["b"])
    assert sidecar.compact(order=["c", "unknown"])
    data = (folder / "embeddings.bin").read_bytes()
    meta = json.loads((folder / "meta.json").read_bytes())
    assert data == row("c").vector.tobytes() + row("a").vector.tobytes()
    assert meta == {
        "schemaVersion": 1,
        "modelId": "m",
        "dims": DIMS,
        "entries": [{"id": "c", "hash": row("c").hash}, {"id": "a", "hash": row("a").hash}],
        "checksum": hashlib.sha256(data).hexdigest(),
    }
    assert (folder / ".gitignore").read_text() == "*\n"
    assert not sidecar.compact()
    names = {path.name for path in folder.iterdir()}
    assert names == {"embeddings.bin", "meta.json", "journal", "lock", "bulk.lock", ".gitignore"}


def test_files_of_another_program_load_as_they_are(folder: Path) -> None:
    write_pair(folder, [row("user/a"), row("user/b")], DIMS)
    assert stored(folder) == {"user/a": row("user/a").hash, "user/b": row("user/b").hash}
    Sidecar(folder, "m").append([row("user/c")], ["user/a"])
    assert set(stored(folder)) == {"user/b", "user/c"}


def test_each_process_sees_what_the_others_wrote(folder: Path) -> None:
    ours, theirs = Sidecar(folder, "m"), Sidecar(folder, "m")
    ours.load()
    theirs.load()
    ours.append([row("a"), row("b")])
    changes = theirs.refresh()
    assert [each.id for each in changes.puts] == ["a", "b"]
    assert np.array_equal(changes.puts[1].vector, row("b").vector)
    theirs.append([row("b", "new")], ["a"])
    changes = ours.refresh()
    assert ([each.hash for each in changes.puts], changes.removes) == ([row("b", "new").hash], ("a",))
    assert not ours.refresh()
    assert not theirs.refresh()


def test_a_compaction_elsewhere_is_followed(folder: Path) -> None:
    ours, theirs = Sidecar(folder, "m"), Sidecar(folder, "m")
    ours.append([row("a"), row("b")])
    theirs.load()
    theirs.compact()
    assert not ours.refresh()
    theirs.append([row("c")], ["a"])
    theirs.compact()
    ours.append([row("d")])
    changes = ours.refresh()
    assert ([each.id for each in changes.puts], changes.removes, changes.lost) == (["c"], ("a",), ())
    assert set(stored(folder)) == set(ours.on_disk) == {"b", "c", "d"}
    assert [each.id for each in theirs.refresh().puts] == ["d"]


def test_another_programs_rewrite_is_taken_whole(folder: Path) -> None:
    sidecar = Sidecar(folder, "m")
    sidecar.append([row("a"), row("b")])
    sidecar.compact()
    sidecar.append([row("c")])
    assert not sidecar.refresh()
    write_pair(folder, [row("a", "theirs"), row("d")], DIMS)
    changes = sidecar.refresh()
    assert {each.id: each.hash for each in changes.puts} == {
        "a": row("a", "theirs").hash,
        "d": row("d").hash,
        "c": row("c").hash,
    }
    assert changes.lost == ("b",)
    assert changes.reason
    sidecar.append([row("e")])
    assert set(stored(folder)) == {"a", "c", "d", "e"}


class CoarseClock(Files):
    """Stand for a file system whose times are those of the hour, and that uses numbers of files again."""

    def stat(self, path: Path) -> Stamp | None:
        found = super().stat(path)
        return found and Stamp(0, found.size, found.modified_ns, 0)


def test_a_rewrite_within_one_tick_of_the_clock_is_noticed(folder: Path) -> None:
    sidecar = Sidecar(folder, "m", files=CoarseClock())
    write_pair(folder, [row("a")], DIMS)
    names = ("embeddings.bin", "meta.json")
    times = [(folder / name).stat() for name in names]
    sidecar.load()
    assert not sidecar.refresh()
    write_pair(folder, [row("b")], DIMS)
    for name, stamp in zip(names, times, strict=True):
        os.utime(folder / name, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert [each.id for each in sidecar.refresh().puts] == ["b"]


def test_a_lock_in_a_folder_that_was_deleted_meanwhile_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".graph"
    folder.mkdir()
    (folder / "lock").touch()
    deletions = iter([True])

    class Deleting:
        def __init__(self, path: Path, *, thread_local: bool) -> None:
            self._lock = FileLock(path, thread_local=thread_local)
            self.release = self._lock.release

        def acquire(self, timeout: float, poll_interval: float) -> None:
            self._lock.acquire(timeout=timeout, poll_interval=poll_interval)
            if next(deletions, False):
                shutil.rmtree(folder)
                folder.mkdir()

    monkeypatch.setattr("memory_lsp.sidecar.lock.FileLock", Deleting)
    ours, theirs = ProcessLock(folder / "lock", 1.0), ProcessLock(folder / "lock", 0.01)
    with ours.hold(), pytest.raises(SidecarError, match="Another process"), theirs.hold():
        pass


def test_rows_of_a_deleted_folder_are_reported_lost(folder: Path) -> None:
    sidecar = Sidecar(folder, "m")
    sidecar.append([row("a"), row("b")])
    shutil.rmtree(folder)
    sidecar.append([row("c")])
    changes = sidecar.refresh()
    assert set(changes.lost) == {"a", "b"}
    assert (folder / ".gitignore").exists()
    sidecar.append([row("a"), row("b")])
    assert set(stored(folder)) == {"a", "b", "c"}


def test_appends_go_on_while_a_thread_compacts(folder: Path) -> None:
    sidecar = Sidecar(folder, "m")
    sidecar.append([row(f"n{i}") for i in range(200)])
    stop = threading.Event()

    def compact() -> None:
        while not stop.is_set():
            sidecar.compact()

    thread = threading.Thread(target=compact)
    thread.start()
    try:
        for i in range(150):
            sidecar.append([row(f"n{i}", f"text {i}")], [f"n{i + 50}"])
    finally:
        stop.set()
        thread.join()
    sidecar.close()
    assert stored(folder) == dict(sidecar.on_disk)
    assert not sidecar.refresh()
    assert not sidecar.has_journal()


def test_a_vector_that_was_replaced_before_the_next_look_is_told_too(folder: Path) -> None:
    one, other = Sidecar(folder, "m"), Sidecar(folder, "m")
    other.load()
    one.append([row("a", "first")])
    one.append([row("a", "second"), row("b", "third")], ["a"])
    one.append([], ["b"])
    changes = other.refresh()
    assert [(each.id, each.hash) for each in changes.puts] == [("a", row("a", "second").hash)]
    for text in ("first", "second", "third"):
        assert np.array_equal(changes.spare[row("x", text).hash], vector(text))


def test_a_large_store_is_compacted_once_its_journal_outgrew_it(folder: Path) -> None:
    wide = [Row(f"n{i}", f"{i:064x}", vector(str(i), 2_000)) for i in range(1_000)]
    sidecar = Sidecar(folder, "m")
    sidecar.append(wide[:10])
    assert sidecar.should_compact()  # a small store, for the sake of other programs
    sidecar.append(wide[10:])
    assert sidecar.compact()
    assert not sidecar.should_compact()
    sidecar.append(wide[:10])
    assert not sidecar.should_compact()
    sidecar.append(wide[:300])
    assert sidecar.should_compact()


def test_another_model_starts_empty_and_leaves_the_files_alone(folder: Path) -> None:
    Sidecar(folder, "m").append([row("a")])
    Sidecar(folder, "m").close()
    first = Sidecar(folder, "m")
    first.load()
    first.compact()
    loaded = Sidecar(folder, "other").load()
    assert len(loaded.rows) == 0
    assert "another model" in loaded.reason
    assert set(stored(folder)) == {"a"}


def test_vectors_of_another_width_are_refused(folder: Path) -> None:
    sidecar = Sidecar(folder, "m")
    sidecar.append([row("a")])
    with pytest.raises(SidecarError, match="rebuild"):
        sidecar.append([row("b", dims=4)])
    assert set(stored(folder)) == {"a"}


@pytest.mark.parametrize("bad", [np.full(DIMS, np.nan), np.full(DIMS, 9.0), np.zeros((2, DIMS))])
def test_a_vector_that_is_none_is_refused(folder: Path, bad: NDArray[np.float32]) -> None:
    sidecar = Sidecar(folder, "m")
    with pytest.raises(SidecarError, match="user/a"):
        sidecar.append([Row("user/a", "h", bad.astype(np.float32))])
    assert not folder.exists()


def test_the_folder_must_bear_its_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"\.graph"):
        Sidecar(tmp_path / "memory", "m")


def test_purged_notes_leave_no_byte(folder: Path) -> None:
    sidecar, other = Sidecar(folder, "m"), Sidecar(folder, "m")
    gone, old = row("user/geheim-é"), row("user/geheim-é", "old text")
    sidecar.append([row("a"), old])
    sidecar.compact()
    sidecar.append([gone, row("b")])
    (folder / "embeddings.bin.new").write_bytes(old.vector.tobytes())
    other.load()
    assert sidecar.purge([gone.id])
    everything = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for trace in (gone.vector.tobytes(), old.vector.tobytes(), gone.hash, old.hash, "geheim"):
        assert (trace if isinstance(trace, bytes) else trace.encode()) not in everything
    assert row("a").vector.tobytes() in everything
    assert set(stored(folder)) == {"a", "b"} == set(sidecar.on_disk)
    assert not sidecar.refresh()
    assert not sidecar.purge([gone.id])
    changes = other.refresh()
    assert (changes.puts, changes.removes, changes.lost) == ((), (gone.id,), ())


def test_purge_reaches_removed_rows_that_are_still_in_the_files(folder: Path) -> None:
    sidecar = Sidecar(folder, "m")
    sidecar.append([row("a"), row("geheim")])
    sidecar.append([], ["geheim"])
    assert sidecar.purge(["geheim"])
    assert all(row("geheim").vector.tobytes() not in path.read_bytes() for path in folder.iterdir())


def test_clear_empties(folder: Path) -> None:
    sidecar = Sidecar(folder, "m")
    sidecar.append([row("a")])
    sidecar.compact()
    sidecar.clear()
    assert stored(folder) == {}
    sidecar.append([row("b", dims=4)])
    assert set(stored(folder)) == {"b"}
