"""Damaged, foreign and hostile files: empty or recovered with a reason, never an exception, never a wrong vector."""

from __future__ import annotations

import hashlib
import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.errors import SidecarError
from memory_lsp.sidecar import Loaded, Row, Sidecar
from memory_lsp.sidecar.journal import Record, encode_records

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

DIMS = 2
NAMES = ("a", "b", "c", "d")
NOT_TEXT: tuple[object, ...] = (None, True, 1, 1.5, [], {}, ["m"])


def vector_of(digest: str) -> NDArray[np.float32]:
    drawn = np.random.default_rng(int(digest[:16], 16)).normal(size=DIMS).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


def row(note_id: str) -> Row:
    digest = hashlib.sha256(note_id.encode()).hexdigest()
    return Row(note_id, digest, vector_of(digest))


HASHES = {row(name).hash for name in (*NAMES, "e", "new")}


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # No other process is in the middle of its renames here: the second look need not wait for it.
    monkeypatch.setattr("memory_lsp.sidecar.disk._PAUSE", 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a sidecar of four rows, two in the snapshot and two in the journal."""
    folder = tmp_path / ".graph"
    sidecar = Sidecar(folder, "m")
    sidecar.append([row("a"), row("b")])
    sidecar.compact()
    sidecar.append([row("c"), row("d")])
    return folder


def load_and_go_on(folder: Path) -> Loaded:
    """Load, check every vector, then see that a new row can be stored, compacted and read again."""
    sidecar = Sidecar(folder, "m")
    loaded = sidecar.load()
    for each in loaded.rows.values():
        # A damaged hash is one that no note has.
        assert each.hash not in HASHES or np.array_equal(each.vector, vector_of(each.hash))
    sidecar.append([row("new")])
    expected = {note_id: loaded.rows[note_id].hash for note_id in loaded.rows} | {"new": row("new").hash}
    for _ in range(2):
        again = Sidecar(folder, "m").load()
        assert {note_id: again.rows[note_id].hash for note_id in again.rows} == expected
        sidecar.compact()
    assert again.reason == ""
    return loaded


def change_meta(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    meta = json.loads((folder / "meta.json").read_text())
    change(meta)
    (folder / "meta.json").write_text(json.dumps(meta))


def change_rows(folder: Path, data: bytes) -> None:
    """Replace the vectors together with their checksum."""
    (folder / "embeddings.bin").write_bytes(data)
    change_meta(folder, lambda meta: meta.update(checksum=hashlib.sha256(data).hexdigest()))


def set_field(field: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda meta: meta.update({field: value})


def set_entry(field: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda meta: meta["entries"][0].update({field: value})


def drop(field: str) -> Callable[[dict[str, Any]], object]:
    return lambda meta: meta.pop(field)


WRONG: dict[str, tuple[object, ...]] = {
    "schemaVersion": (0, 2, "1", True, None, 1.0),
    "modelId": ("other", "", *NOT_TEXT),
    "dims": (0, -2, 1, 3, 2.0, "2", None, True, 10**18),
    "checksum": ("", "0" * 64, *NOT_TEXT),
    "entries": (None, 1, "ab", {}, [1, 2], [[], []], [{}, {}]),
}
META_DAMAGE: dict[str, Callable[[dict[str, Any]], object]] = {
    **{f"{field} {value!r}": set_field(field, value) for field, values in WRONG.items() for value in values},
    **{f"{field} {value!r}": set_entry(field, value) for field in ("id", "hash") for value in ("", *NOT_TEXT)},
    **{f"no {field}": drop(field) for field in WRONG},
    "id twice": set_entry("id", "b"),
    "an entry too many": lambda meta: meta["entries"].append({"id": "x", "hash": "y"}),
    "an entry too few": lambda meta: meta["entries"].pop(),
}


@pytest.mark.parametrize("damage", META_DAMAGE)
def test_a_wrong_field_in_meta_makes_the_snapshot_unusable(folder: Path, damage: str) -> None:
    change_meta(folder, META_DAMAGE[damage])
    loaded = load_and_go_on(folder)
    assert set(loaded.rows) == {"c", "d"}
    assert loaded.recovered
    assert str(folder) in loaded.reason


@pytest.mark.parametrize(
    "data",
    [b"", b"\0" * 40, b"{", b"[]", b"null", b"\xff\xfe{}", b"[" * 200_000, b'{"schemaVersion":1', b'"\\ud800"', b"NaN"],
    ids=lambda data: repr(data[:12]),
)
def test_a_meta_that_is_no_json_makes_the_snapshot_unusable(folder: Path, data: bytes) -> None:
    (folder / "meta.json").write_bytes(data)
    assert set(load_and_go_on(folder).rows) == {"c", "d"}


@pytest.mark.parametrize("name", ["meta.json", "embeddings.bin", "journal"])
def test_a_missing_file_costs_its_rows_only(folder: Path, name: str) -> None:
    (folder / name).unlink()
    loaded = load_and_go_on(folder)
    assert set(loaded.rows) == ({"a", "b"} if name == "journal" else {"c", "d"})


@pytest.mark.parametrize("name", ["meta.json", "embeddings.bin", "journal"])
def test_a_folder_in_place_of_a_file_is_a_reason(folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).mkdir()
    sidecar = Sidecar(folder, "m")
    loaded = sidecar.load()
    assert set(loaded.rows) <= {"c", "d"}
    assert str(folder) in loaded.reason
    with pytest.raises(SidecarError, match="move it away"):
        sidecar.append([row("e")])
        sidecar.compact()
    (folder / name).rmdir()
    sidecar.append([row("e")])
    assert "e" in load_and_go_on(folder).rows


@pytest.mark.parametrize(
    "rows",
    [
        [[np.nan, 1], [0, 1]],
        [[np.inf, 1], [0, 1]],
        [[3e38, 3e38], [0, 1]],
        [[0.5, 0], [0, 1]],
    ],
)
def test_vectors_that_are_none_make_the_snapshot_unusable(folder: Path, rows: list[list[float]]) -> None:
    change_rows(folder, np.array(rows, dtype="<f4").tobytes())
    assert set(load_and_go_on(folder).rows) == {"c", "d"}


def test_one_file_of_each_of_two_snapshots_is_never_mixed(folder: Path) -> None:
    old = (folder / "embeddings.bin").read_bytes()
    sidecar = Sidecar(folder, "m")
    sidecar.append([], ["c"])
    sidecar.append([], ["d"])
    sidecar.compact(order=["b", "a"])
    (folder / "embeddings.bin").write_bytes(old)
    assert len(load_and_go_on(folder).rows) == 0


def test_any_flipped_byte_and_any_cut_is_survived(folder: Path) -> None:
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in ("embeddings.bin", "meta.json", "journal"):
        good = files[name]
        for i in range(len(good)):
            for damaged in (good[:i], good[:i] + bytes([good[i] ^ (1 << i % 8)]) + good[i + 1 :]):
                (folder / name).write_bytes(damaged)
                loaded = Sidecar(folder, "m").load()
                assert all(
                    each.hash not in HASHES or np.array_equal(each.vector, vector_of(each.hash))
                    for each in loaded.rows.values()
                )
                assert loaded.reason or set(loaded.rows) in ({"a", "b"}, {"a", "b", "c"})
                if i % 61 == 0:
                    load_and_go_on(folder)
                    for other, data in files.items():
                        (folder / other).write_bytes(data)
        (folder / name).write_bytes(good)


def test_what_follows_a_damaged_record_is_cut_off_and_said(folder: Path) -> None:
    data = bytearray((folder / "journal").read_bytes())
    data[-3] ^= 1
    (folder / "journal").write_bytes(data)
    loaded = load_and_go_on(folder)
    assert set(loaded.rows) == {"a", "b", "c"}
    assert f"of {len(data)}" in loaded.reason


def test_a_record_behind_a_damaged_one_never_comes_back(folder: Path) -> None:
    data = bytearray((folder / "journal").read_bytes())
    length = len(encode_records([Record("c", row("c").hash, row("c").vector)], b""))
    data[-length - 3] ^= 1
    (folder / "journal").write_bytes(data)
    assert set(Sidecar(folder, "m").load().rows) == {"a", "b"}
    # As long as the damaged record, which it replaces, so that the one behind it would fit again.
    Sidecar(folder, "m").append([row("e")])
    assert set(Sidecar(folder, "m").load().rows) == {"a", "b", "e"}


def test_records_count_only_in_their_own_journal(folder: Path) -> None:
    record = encode_records([Record("e", row("e").hash, row("e").vector)], b"another header")
    with (folder / "journal").open("ab") as file:
        file.write(record)
    assert set(load_and_go_on(folder).rows) == set(NAMES)


@pytest.mark.parametrize("junk", [b"\0" * 100, b"\xff" * 100, struct.pack("<II", 2**32 - 1, 0), b"x"])
def test_junk_behind_the_journal_is_cut_off(folder: Path, junk: bytes) -> None:
    with (folder / "journal").open("ab") as file:
        file.write(junk)
    assert set(load_and_go_on(folder).rows) == set(NAMES)


def test_a_journal_of_another_snapshot_only_adds(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / ".graph"
    elsewhere.parent.mkdir()
    other = Sidecar(elsewhere, "m")
    other.append([Row("a", row("e").hash, row("e").vector), row("e"), row("c")], ["b"])
    other.append([], ["c"])
    (folder / "journal").write_bytes((elsewhere / "journal").read_bytes())
    loaded = load_and_go_on(folder)
    assert {note_id: loaded.rows[note_id].hash for note_id in loaded.rows} == {
        "a": row("a").hash,
        "b": row("b").hash,
        "e": row("e").hash,
    }
    assert "another snapshot" in loaded.reason


@pytest.mark.parametrize("model", ["other", "m"])
def test_a_journal_of_another_model_or_width_is_left_out(folder: Path, tmp_path: Path, model: str) -> None:
    elsewhere = tmp_path / "elsewhere" / ".graph"
    elsewhere.parent.mkdir()
    wide = np.array([1, 0, 0] if model == "m" else [1, 0], dtype=np.float32)
    Sidecar(elsewhere, model).append([Row("x", "h", wide)])
    (folder / "journal").write_bytes((elsewhere / "journal").read_bytes())
    assert set(load_and_go_on(folder).rows) == {"a", "b"}


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=200))
def test_any_bytes_at_all_load(
    tmp_path_factory: pytest.TempPathFactory, meta: bytes, rows: bytes, journal: bytes
) -> None:
    folder = tmp_path_factory.mktemp("any") / ".graph"
    folder.mkdir()
    (folder / "meta.json").write_bytes(meta)
    (folder / "embeddings.bin").write_bytes(rows)
    (folder / "journal").write_bytes(b"MLSPJRN1" + journal)
    loaded = Sidecar(folder, "m").load()
    assert len(loaded.rows) == 0
    assert loaded.reason
