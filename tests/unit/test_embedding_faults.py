"""The embedder under faults: its process crashes, hangs, prints garbage, is killed, loses its parent."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from embedding_rig import FAKES, PATIENCE, PLAN, Gate, command, degrees, rig
from memory_lsp.embedding.client import Embedder
from memory_lsp.errors import EmbeddingError

LOAD_FAULTS = ["crash", "exit", "garbage", "endless", "error", "memory"]
ANSWER_FAULTS = [
    "garbage",
    "binary",
    "huge",
    "endless",
    "deep",
    "many",
    "wide",
    "short",
    "stale",
    "types",
    "ready",
    "cut",
]


def children() -> set[int]:
    """List our processes, ended ones that nobody waited for included."""
    if Path("/proc/self/stat").exists():
        stats = [path.read_text() for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
        pairs = [(stat.split(" ", 1)[0], stat.rpartition(")")[2].split()[1]) for stat in stats]
    else:
        listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True)
        pairs = [(pid, parent) for pid, parent in map(str.split, listing.stdout.splitlines())]
    return {int(pid) for pid, parent in pairs if int(parent) == os.getpid()}


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.parametrize("fault", LOAD_FAULTS)
async def test_a_model_that_does_not_load_is_given_up_after_three_tries(tmp_path: Path, fault: str) -> None:
    async with rig(tmp_path, load=fault) as it:
        with pytest.raises(EmbeddingError) as caught:
            await it.embedder.embed(["note 1"])
        assert it.starts == 3
        assert it.embedder.state.status == "failed"
        assert it.embedder.state.message == str(caught.value)
        assert "memory-lsp doctor" in str(caught.value)
        assert await it.query("query 1") is None
        assert not await it.embedder.wait_ready(PATIENCE)
        assert it.starts == 3, "given up is given up"


async def test_a_process_that_dies_without_a_word_of_its_own_is_quoted(tmp_path: Path) -> None:
    async with rig(tmp_path, load="crash") as it:
        assert not await it.embedder.wait_ready(PATIENCE)
        assert "process ended. It last said: loading the fake model" in it.embedder.state.message


async def test_a_model_that_hangs_while_it_loads_is_given_up(tmp_path: Path) -> None:
    async with rig(tmp_path, load="hang", start_deadline=0.1) as it:
        assert not await it.embedder.wait_ready(PATIENCE)
        assert "within 0.1 s" in it.embedder.state.message


async def test_a_missing_library_is_not_looked_for_again(tmp_path: Path) -> None:
    async with rig(tmp_path, load="missing") as it:
        assert not await it.embedder.wait_ready(PATIENCE)
        assert it.starts == 1
        assert "No module named 'onnxruntime'" in it.embedder.state.message


async def test_a_command_that_does_not_exist_is_a_state_and_no_crash(tmp_path: Path) -> None:
    embedder = Embedder(PLAN, idle_timeout=0, pause=0, command=[str(tmp_path / "no-python")])
    assert not await embedder.wait_ready(PATIENCE)
    assert "cannot be started" in embedder.state.message
    await embedder.close()


async def test_a_model_that_loads_at_the_third_try_is_taken(tmp_path: Path) -> None:
    async with rig(tmp_path, load="third") as it:
        assert degrees(await it.embedder.embed(["note 9"])) == [9]
        assert it.starts == 3
        assert it.embedder.state.status == "ready"
        assert it.embedder.state.message == ""


@pytest.mark.parametrize("fault", ["crash", "hang"])
async def test_one_text_that_ends_the_process_costs_no_other_its_vector(tmp_path: Path, fault: str) -> None:
    texts = [f"note {angle}" for angle in range(12)]
    texts[3] = f"{fault} 3"
    expected = [None if angle == 3 else angle for angle in range(12)]
    async with rig(tmp_path, slice_deadline=1 if fault == "hang" else PATIENCE) as it:
        assert degrees(await it.embedder.embed(texts)) == expected
        met = it.texts.count(texts[3])
        assert degrees(await it.embedder.embed(texts)) == expected
        assert await it.query(texts[3]) is None
        assert it.texts.count(texts[3]) == met, "a text found guilty is not tried again"
        assert it.embedder.state.status == "ready"


@pytest.mark.parametrize("fault", ["raise", "panic", "memory", "nan", "zero", "wide"])
async def test_a_text_that_the_model_refuses_costs_neither_the_others_nor_a_restart(tmp_path: Path, fault: str) -> None:
    async with rig(tmp_path) as it:
        rows = await it.embedder.embed(["note 1", f"{fault} 2", "note 3"])
        assert degrees(rows) == [1, None, 3]
        assert await it.query(f"{fault} 2") is None
        assert it.starts == 1


async def test_rows_of_another_length_are_normalised(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        (row,) = await it.embedder.embed(["long 0"])
        assert row is not None
        assert row.tolist() == [1, 0]


@pytest.mark.parametrize("fault", ANSWER_FAULTS)
async def test_an_answer_that_is_none_is_a_failure_and_no_hang(tmp_path: Path, fault: str) -> None:
    async with rig(tmp_path, answer=fault) as it:
        assert await it.query("query 1") is None
        assert await it.embedder.embed(["note 1"]) == [None]
        assert it.starts in (3, 4), "each of the three requests cost its process"


async def test_an_answer_before_the_first_request_is_no_sign_of_health(tmp_path: Path) -> None:
    async with rig(tmp_path, answer="early") as it:
        assert not await it.embedder.wait_ready(PATIENCE)
        assert "before it was asked" in it.embedder.state.message


async def test_a_model_that_fails_at_every_text_is_given_up(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        with pytest.raises(EmbeddingError, match="in a row"):
            await it.embedder.embed([f"crash {number}" for number in range(100)])
        assert it.embedder.state.status == "failed"
        assert it.starts <= 11


async def test_a_model_that_gives_no_direction_is_given_up(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        with pytest.raises(EmbeddingError, match="no vectors"):
            await it.embedder.embed([f"nan {number}" for number in range(200)])
        assert it.starts == 1


async def test_one_success_clears_the_count(tmp_path: Path) -> None:
    texts = [text for number in range(6) for text in (f"crash {number}", f"note {number}")]
    async with rig(tmp_path) as it:
        rows = await it.embedder.embed(texts)
        assert degrees(rows) == [angle for number in range(6) for angle in (None, number)]


async def test_killed_in_the_middle_of_a_query_it_has_vectors_again_at_the_next(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        query = asyncio.create_task(it.query("gate 1"))
        await it.gate.arrival()
        assert it.embedder.pid is not None
        os.kill(it.embedder.pid, signal.SIGKILL)
        assert await query is None
        again = asyncio.create_task(it.query("gate 1"))
        (await it.gate.arrival()).let_through()
        assert degrees([await again]) == [1]


async def test_killed_in_the_middle_of_the_index_no_text_is_lost(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        index = asyncio.create_task(it.embedder.embed(["gate 0", *(f"note {angle}" for angle in range(1, 20))]))
        await it.gate.arrival()
        waiting = asyncio.create_task(it.query("query 1"))
        await asyncio.sleep(0)
        assert it.embedder.pid is not None
        os.kill(it.embedder.pid, signal.SIGKILL)
        assert await waiting is None, "a query does not wait for a restart"
        (await it.gate.arrival()).let_through()
        assert degrees(await index) == list(range(20))


async def test_a_text_is_not_blamed_for_accidents_far_apart(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        for _ in range(3):
            index = asyncio.create_task(it.embedder.embed(["gate 1"]))
            await it.gate.arrival()
            assert it.embedder.pid is not None
            os.kill(it.embedder.pid, signal.SIGKILL)
            (await it.gate.arrival()).let_through()
            assert degrees(await index) == [1]


async def test_killed_while_idle_it_is_started_again_unasked(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        await it.query("query 1")
        await it.until("ready")
        assert it.embedder.pid is not None
        os.kill(it.embedder.pid, signal.SIGKILL)
        await it.until("starting")
        await it.until("ready")
        assert degrees([await it.query("query 2")]) == [2]


async def test_nothing_is_left_behind(tmp_path: Path) -> None:
    async def live(load: str, answer: str, text: str) -> None:
        async with rig(tmp_path, load=load, answer=answer, slice_deadline=0.2) as it:
            await it.embedder.embed_query(text, PATIENCE)

    await live("well", "well", "note 1")
    tasks, files, processes = len(asyncio.all_tasks()), open_files(), children()
    for load, answer, text in [
        ("well", "well", "note 1"),
        ("well", "well", "crash 1"),
        ("well", "well", "hang 1"),
        ("well", "endless", "note 1"),
        ("crash", "well", "note 1"),
        ("endless", "well", "note 1"),
    ]:
        await live(load, answer, text)
    assert len(asyncio.all_tasks()) == tasks
    assert open_files() == files
    assert children() == processes


@pytest.mark.parametrize("steps", range(0, 12, 2))
async def test_closed_in_the_middle_of_its_start_it_leaves_no_process(tmp_path: Path, steps: int) -> None:
    processes, files = children(), open_files()
    async with rig(tmp_path, load="hang") as it:
        it.embedder.start()
        for _ in range(steps):
            await asyncio.sleep(0)
        await it.embedder.close()
    assert children() == processes
    assert open_files() == files


@pytest.mark.parametrize("load", ["well", "gate"])
async def test_the_process_ends_with_its_stdin(tmp_path: Path, load: str) -> None:
    gate = Gate()
    await gate.open()
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command(tmp_path / "journal", gate, load), stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    if load == "gate":
        await gate.arrival()  # it is in the middle of loading
    else:
        await process.stdout.readline()
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
    await gate.close()


async def test_the_process_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    gate = Gate()
    await gate.open()
    owner = await asyncio.create_subprocess_exec(
        sys.executable, str(FAKES / "owner.py"), *command(tmp_path / "journal", gate)
    )
    visit = await gate.arrival()  # the embedder computes a vector and looks at nothing else
    assert not visit.gone.is_set()
    owner.kill()
    await owner.wait()
    await asyncio.wait_for(visit.gone.wait(), PATIENCE)
    await gate.close()


def test_the_real_process_says_what_is_wrong_and_ends(tmp_path: Path) -> None:
    child = [sys.executable, "-P", "-m", "memory_lsp.embedding.child", "--backend", "onnx", "--model", str(tmp_path)]
    with subprocess.Popen(child, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        assert process.wait(PATIENCE) == 1
    assert said["error"]["message"] == f"The folder {tmp_path} has no model.onnx beside its tokenizer.json."
