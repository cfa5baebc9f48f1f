"""A disk that refuses: a plain message, nothing acknowledged lost, and the same call works later."""

from __future__ import annotations

import errno
import json
import os
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from memory_lsp.core.graph import Edge, EdgeKind, Node, NodeKind
from memory_lsp.errors import SidecarError
from memory_lsp.sidecar import Sidecar
from sidecar_help import MODEL, FaultyFiles, Stopped, applied, hash_of, row, stored, told

if TYPE_CHECKING:
    from pathlib import Path

CODES = {errno.ENOSPC: "disk is full", errno.EROFS: "cannot be written", errno.EIO: "Check the disk"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".graph"


def attempt(sidecar: Sidecar, files: FaultyFiles) -> bool:
    """Run all that writes; return whether any of it was refused. Each refusal has its three parts."""
    refused = False
    for act in (
        lambda: sidecar.append([row("a", "new"), row("c")], ["b"]),
        lambda: sidecar.compact(),
        lambda: sidecar.purge(["d"]),
        lambda: sidecar.append([row("e")]),
    ):
        try:
            act()
        except SidecarError as error:
            refused = True
            message = str(error)
            assert str(error).startswith("Cannot ")
            assert CODES[files.code or 0] in message
            assert ".graph" in message
            assert "tries again" in message
    return refused


@pytest.mark.parametrize(
    ("code", "lasting"), [(errno.ENOSPC, False), (errno.ENOSPC, True), (errno.EROFS, True), (errno.EIO, False)]
)
def test_any_refused_call_is_reported_and_survived(tmp_path: Path, code: int, lasting: bool) -> None:
    start = {name: hash_of(name) for name in ("a", "b", "d", "untouched")}
    fail_at, refused = 0, True
    while refused:
        folder = tmp_path / str(fail_at) / ".graph"
        folder.parent.mkdir()
        files = FaultyFiles()
        sidecar = Sidecar(folder, MODEL, files=files)
        sidecar.append([row("a"), row("b"), row("d"), row("untouched")])
        sidecar.compact()
        sidecar.append([row("d", "secret")])
        files.arm(fail_at, code, lasting=lasting)
        refused = attempt(sidecar, files)
        files.disarm()
        found = stored(folder)
        # Whatever was refused, rows that nothing touched are there, and each other row is an old or a new one.
        news = {"a": hash_of("new"), "c": hash_of("c"), "e": hash_of("e"), "d": hash_of("secret")}
        for note_id, digest in found.items():
            assert digest in (start.get(note_id), news.get(note_id))
        assert {"a", "untouched"} <= set(found)
        assert not attempt(sidecar, files)
        news["untouched"] = start["untouched"]
        assert stored(folder) == {note_id: news[note_id] for note_id in ("a", "c", "e", "untouched")}
        fail_at += 1
    assert fail_at > 8


def test_a_process_killed_at_any_call_leaves_the_next_one_in_order(tmp_path: Path) -> None:
    fail_at, stopped = 0, True
    while stopped:
        folder = tmp_path / str(fail_at) / ".graph"
        folder.parent.mkdir()
        files = FaultyFiles()
        victim, bystander = Sidecar(folder, MODEL, files=files), Sidecar(folder, MODEL)
        victim.append([row("a"), row("b"), row("d")])
        bystander.load()
        files.arm(fail_at, None)
        stopped = False
        try:
            victim.append([row("a", "new")], ["b"])
            victim.compact()
            victim.append([row("e")])
        except Stopped:
            stopped = True
        bystander.append([row("f")])
        found, mirror = stored(folder), {name: hash_of(name) for name in "abd"}
        assert found["f"] == hash_of("f")
        assert found["d"] == hash_of("d")
        told(bystander, mirror)
        assert applied(mirror, [row("f")], []) == found == dict(bystander.on_disk)
        bystander.compact()
        assert stored(folder) == found
        fail_at += 1
    assert fail_at > 6


def test_a_file_in_place_of_the_folder(folder: Path) -> None:
    folder.write_text("in the way")
    sidecar = Sidecar(folder, MODEL)
    assert str(folder) in sidecar.load().reason
    with pytest.raises(SidecarError, match="move it away"):
        sidecar.append([row("a")])
    with pytest.raises(SidecarError, match="move it away"):
        sidecar.write_graph([], [])
    assert folder.read_text() == "in the way"
    sidecar.close()
    folder.unlink()
    sidecar.append([row("a")])
    assert set(stored(folder)) == {"a"}


def test_the_memory_directory_goes_and_comes_back(tmp_path: Path) -> None:
    directory = tmp_path / "memory"
    directory.mkdir()
    folder = directory / ".graph"
    sidecar = Sidecar(folder, MODEL)
    sidecar.append([row("a")])
    shutil.rmtree(directory)
    with pytest.raises(SidecarError, match="bring the memory directory back"):
        sidecar.append([row("b")])
    assert not directory.exists()
    assert sidecar.refresh().lost == ("a",)
    directory.mkdir()
    sidecar.append([row("a"), row("b")])
    assert set(stored(folder)) == {"a", "b"}
    assert (folder / ".gitignore").read_text() == "*\n"


def test_the_folder_is_deleted_at_any_moment(folder: Path) -> None:
    sidecar = Sidecar(folder, MODEL)
    mirror: dict[str, str] = {}
    for i in range(6):
        sidecar.append([row(f"n{i}")])
        told(sidecar, mirror)
        if i % 2:
            sidecar.compact()
        shutil.rmtree(folder)
        sidecar.close()
        assert sidecar.compact() is False
        told(sidecar, mirror)
        assert mirror == {} == dict(sidecar.on_disk)


def test_damage_found_by_a_compaction_is_told_as_lost(folder: Path) -> None:
    sidecar = Sidecar(folder, MODEL)
    sidecar.append([row("a"), row("b")])
    sidecar.compact()
    sidecar.append([row("c")])
    data = bytearray((folder / "embeddings.bin").read_bytes())
    data[0] ^= 1
    stamp = (folder / "embeddings.bin").stat()
    with (folder / "embeddings.bin").open("r+b") as file:
        file.write(data)
    os.utime(folder / "embeddings.bin", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    sidecar.compact()
    changes = sidecar.refresh()
    assert set(changes.lost) == {"a", "b"}
    assert stored(folder) == {"c": hash_of("c")}


def graph(weightless: bool = False) -> tuple[list[Node], list[Edge]]:
    nodes = [Node("user/a", NodeKind.MEMORY, "a"), Node("tag:é", NodeKind.TAG, "é")]
    edges = [Edge("user/a", "tag:é", EdgeKind.HAS_TAG)]
    return nodes, [] if weightless else edges


def test_the_graph_is_written_only_when_it_changed(folder: Path) -> None:
    sidecar = Sidecar(folder, MODEL)
    assert sidecar.write_graph(*graph())
    assert json.loads((folder / "graph.json").read_bytes()) == {
        "schemaVersion": 1,
        "nodes": [
            {"id": "user/a", "kind": "Memory", "label": "a"},
            {"id": "tag:é", "kind": "Tag", "label": "é"},
        ],
        "edges": [{"from": "user/a", "to": "tag:é", "kind": "HasTag", "weight": 0.8}],
    }
    before = (folder / "graph.json").stat()
    assert not sidecar.write_graph(*graph())
    assert not Sidecar(folder, MODEL).write_graph(*graph())
    assert (folder / "graph.json").stat() == before
    assert sidecar.write_graph(*graph(weightless=True))
    (folder / "graph.json").write_text("{")
    assert sidecar.write_graph(*graph(weightless=True))
    shutil.rmtree(folder)
    assert sidecar.write_graph(*graph(weightless=True))


def test_a_graph_that_cannot_be_written_leaves_the_old_one(folder: Path) -> None:
    files = FaultyFiles()
    sidecar = Sidecar(folder, MODEL, files=files)
    sidecar.write_graph(*graph())
    before = (folder / "graph.json").read_bytes()
    for fail_at in range(2):
        files.arm(fail_at)
        with pytest.raises(SidecarError, match="disk is full"):
            sidecar.write_graph(*graph(weightless=True))
        assert (folder / "graph.json").read_bytes() == before
    files.disarm()
    assert sidecar.write_graph(*graph(weightless=True))


def test_close_writes_the_snapshot(folder: Path) -> None:
    sidecar = Sidecar(folder, MODEL)
    sidecar.append([row("a")])
    sidecar.close()
    assert np.array_equal(np.fromfile(folder / "embeddings.bin", dtype="<f4"), row("a").vector)
    assert not sidecar.has_journal()
