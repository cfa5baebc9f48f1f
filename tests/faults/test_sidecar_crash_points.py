"""Our own write code, cut at every call and every byte: what was acknowledged is there, nothing wrong ever is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from memory_lsp.sidecar import Sidecar
from memory_lsp.sidecar.journal import JOURNAL, NEW_JOURNAL, Record, decode_header, encode_records
from sidecar_help import MODEL, Call, Drive, RecordingFiles, applied, hash_of, is_right, row, stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Step:
    """One call on the disk, with the states that may be found when it is the last one.

    `durable` is the state of the last compaction, which a power cut spares.
    """

    call: Call
    allowed: list[dict[str, str]]
    durable: dict[str, str]


def scenario(folder: Path) -> list[Step]:
    """Run appends, compactions and a purge with two writers; return every call they made."""
    files = RecordingFiles()
    first, second = Sidecar(folder, MODEL, files=files), Sidecar(folder, MODEL, files=files)
    steps: list[Step] = []
    state: dict[str, str] = {}
    durable: dict[str, str] = {}

    def flush(*allowed: dict[str, str]) -> None:
        steps.extend(Step(call, list(allowed), durable) for call in files.calls[len(steps) :])

    def compact() -> None:
        nonlocal durable
        before = state
        first.compact()
        flush(state)
        durable = before

    def append(writer: Sidecar, puts: list[str], removes: list[str]) -> None:
        nonlocal state
        flush(state)
        before, rows = state, [row(*entry.split("=")) for entry in puts]
        # Records of one append go out removes first, and a cut keeps any number of them.
        allowed = [before]
        for i in range(len(removes)):
            allowed.append(applied(before, [], removes[: i + 1]))
        for i in range(len(rows)):
            allowed.append(applied(before, rows[: i + 1], removes))
        writer.append(rows, removes)
        state = allowed[-1]
        flush(*allowed)

    def in_between(call: Call) -> None:
        if call.name == "meta.json.new" and call.kind == "write":
            files.before = lambda call: None
            append(second, ["b=changed meanwhile", "f"], ["a"])

    append(first, ["a", "b", "c"], [])
    compact()
    append(first, ["d"], ["c"])
    append(second, ["a=new", "e"], [])
    files.before = in_between
    compact()
    append(first, ["g"], [])
    before = state
    first.purge(["b"])
    state = applied(state, [], ["b"])
    flush(before, state)
    append(second, ["h"], [])
    assert stored(folder) == state
    return steps


def crashes(steps: list[Step], *, every_byte: bool) -> Iterator[tuple[Drive, Step]]:
    drive = Drive()
    for step in steps:
        for cut in step.call.cuts() if every_byte else (0, 1):
            crashed = drive.copy()
            crashed.do(step.call, cut)
            yield crashed, step
        drive.do(step.call)


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # No other process is in the middle of its renames here: the second look need not wait for it.
    monkeypatch.setattr("memory_lsp.sidecar.disk._PAUSE", 0)


def go_on(folder: Path, found: dict[str, str]) -> None:
    """Check that a process can go on from here: append, let another see it, compact, and all of it stays."""
    sidecar, other = Sidecar(folder, MODEL, files=RecordingFiles()), Sidecar(folder, MODEL)
    sidecar.load()
    other.load()
    sidecar.append([row("later")])
    assert not (folder / NEW_JOURNAL).exists()
    expected = found | {"later": hash_of("later")}
    assert stored(folder) == expected
    assert [each.id for each in other.refresh().puts if found.get(each.id) != each.hash] == ["later"]
    sidecar.compact()
    assert stored(folder) == expected
    assert not [path.name for path in folder.iterdir() if path.name.endswith((".new", ".draft"))]
    assert not sidecar.refresh()


def test_a_crash_at_any_byte_loses_nothing_acknowledged(tmp_path: Path) -> None:
    steps = scenario(tmp_path / ".graph")
    assert {step.call.kind for step in steps} >= {"write", "write_at", "replace"}
    folder = tmp_path / "crashed" / ".graph"
    folder.parent.mkdir()
    count = 0
    for drive, step in crashes(steps, every_byte=True):
        drive.unpack(folder)
        allowed = step.allowed
        found = stored(folder)
        assert found in allowed, (found, allowed, sorted(drive.names))
        if count % 7 == 0 or (len(allowed) == 1 and count % 3 == 0):
            go_on(folder, found)
        count += 1
    assert count > 1000


def test_a_power_cut_at_any_call_keeps_the_last_compaction(tmp_path: Path) -> None:
    steps = scenario(tmp_path / ".graph")
    folder = tmp_path / "crashed" / ".graph"
    folder.parent.mkdir()
    known = {digest for step in steps for state in step.allowed for digest in state.values()}
    for drive, step in crashes(steps, every_byte=False):
        drive.unpack(folder, durable_only=True)
        found = stored(folder)
        assert set(found.values()) <= known
        for note_id, digest in step.durable.items():
            assert found.get(note_id) == digest or any(state.get(note_id) != digest for state in step.allowed)
        go_on(folder, found)


def test_a_record_that_reached_the_old_journal_after_its_copy_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / ".graph"
    files = RecordingFiles()
    sidecar = Sidecar(folder, MODEL, files=files)
    sidecar.append([row("a")])

    def die(call: Call) -> None:
        if call.target == "meta.json":
            raise KeyboardInterrupt

    files.before = die
    with pytest.raises(KeyboardInterrupt):
        sidecar.compact()
    # Where locks do not work, another process may still append to the journal that is on its way out.
    found = decode_header((folder / JOURNAL).read_bytes())
    assert found is not None
    late = row("late")
    with (folder / JOURNAL).open("ab") as file:
        file.write(encode_records([Record(late.id, late.hash, late.vector)], found[1]))
    assert set(stored(folder)) == {"a", "late"}
    go_on(folder, stored(folder))


def test_a_row_without_its_snapshot_is_still_found_by_its_text(tmp_path: Path) -> None:
    folder = tmp_path / ".graph"
    sidecar = Sidecar(folder, MODEL)
    sidecar.append([row("a", "first"), row("a", "second")])
    rows = Sidecar(folder, MODEL).load().rows
    earlier = rows.vector_for(hash_of("first"))
    assert earlier is not None
    assert is_right(type(rows["a"])("a", hash_of("first"), earlier))
