"""The embedder's client over a real process: order, deadlines, cache, cancellation, idle stop, close."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import numpy as np
import pytest
from embedding_rig import PATIENCE, PLAN, degrees, rig
from memory_lsp.embedding.client import SLICE_TEXTS, Embedder
from memory_lsp.embedding.plan import Plan
from memory_lsp.errors import EmbeddingError

if TYPE_CHECKING:
    from pathlib import Path


async def test_many_texts_come_back_in_their_order_as_unit_rows(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        rows = await it.embedder.embed([f"note {angle}" for angle in range(20)])
        assert degrees(rows) == list(range(20))
        assert all(row is not None and row.dtype == np.float32 and abs(np.linalg.norm(row) - 1) < 1e-6 for row in rows)
        assert it.embedder.state.dims == 2


async def test_no_texts_need_no_process(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        assert await it.embedder.embed([]) == []
        assert it.starts == 0
        assert it.embedder.state.status == "absent"


async def test_states_are_told_once_each(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        assert await it.embedder.wait_ready(PATIENCE)
        await it.query("note 1")
        told = [it.states.get_nowait() for _ in range(it.states.qsize())]
        assert [(state.status, state.dims, state.model_id) for state in told] == [
            ("starting", None, "fake-id"),
            ("ready", 2, "fake-id"),
        ]


async def test_a_query_goes_before_the_slices_that_wait(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        index = asyncio.create_task(it.embedder.embed(["gate 0", *(f"note {angle}" for angle in range(1, 24))]))
        visit = await it.gate.arrival()
        query = asyncio.create_task(it.query("query 90"))
        await asyncio.sleep(0)  # let the task put the query into the queue
        visit.let_through()
        assert degrees([await query]) == [90]
        assert degrees(await index) == list(range(24))
        assert it.texts.index("query 90") == SLICE_TEXTS


async def test_a_query_goes_before_everyone_else_who_indexes(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        one = asyncio.create_task(it.embedder.embed(["gate 0"]))
        visit = await it.gate.arrival()
        two = asyncio.create_task(it.embedder.embed(["note 1"]))
        await asyncio.sleep(0)
        query = asyncio.create_task(it.query("query 90"))
        await asyncio.sleep(0)
        visit.let_through()
        await asyncio.gather(one, two, query)
        assert it.texts == ["gate 0", "query 90", "note 1"]


async def test_long_texts_travel_in_small_slices(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        index = asyncio.create_task(it.embedder.embed(["gate 0", "x" * 3_000 + " 1", "note 2"]))
        visit = await it.gate.arrival()
        query = asyncio.create_task(it.query("query 90"))
        await asyncio.sleep(0)
        visit.let_through()
        await asyncio.gather(query, index)
        assert it.texts.index("query 90") == 1


async def test_two_callers_at_once_get_their_own_vectors(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        one = it.embedder.embed([f"note {angle}" for angle in range(20)])
        two = it.embedder.embed([f"note {angle}" for angle in range(100, 120)])
        assert [degrees(rows) for rows in await asyncio.gather(one, two)] == [list(range(20)), list(range(100, 120))]


async def test_a_query_asked_again_is_answered_from_memory(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        first, second = await it.query("query 45"), await it.query("query 45")
        assert degrees([first, second]) == [45, 45]
        assert first is not None
        assert not first.flags.writeable, "whoever changed it would change the next answer"
        assert it.texts == ["query 45"]


async def test_a_query_gives_up_at_its_deadline_and_works_once_the_model_is_up(tmp_path: Path) -> None:
    async with rig(tmp_path, load="gate") as it:
        assert await it.embedder.embed_query("query 10", 0.01) is None
        (await it.gate.arrival()).let_through()
        assert degrees([await it.query("query 20")]) == [20]
        assert it.texts == ["query 20"], "nobody waited for the first query any more"


async def test_the_answer_to_a_query_that_came_too_late_is_kept(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        assert await it.embedder.wait_ready(PATIENCE)
        late = asyncio.create_task(it.embedder.embed_query("gate 70", PATIENCE))
        visit = await it.gate.arrival()
        late.cancel()
        visit.let_through()
        assert degrees([await it.query("query 1"), await it.query("gate 70")]) == [1, 70]
        assert it.texts == ["gate 70", "query 1"]


async def test_queries_that_nobody_waits_for_are_never_computed(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        index = asyncio.create_task(it.embedder.embed(["gate 1"]))
        visit = await it.gate.arrival()
        floods = [asyncio.create_task(it.query(f"flood {number}")) for number in range(200)]
        await asyncio.sleep(0)
        for task in floods:
            task.cancel()
        await asyncio.gather(*floods, return_exceptions=True)
        visit.let_through()
        await index
        await it.query("query 2")
        assert it.texts == ["gate 1", "query 2"]


async def test_a_caller_cancelled_in_the_middle_does_not_shift_later_answers(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        index = asyncio.create_task(it.embedder.embed(["gate 11", *["note 12"] * 20]))
        visit = await it.gate.arrival()
        pid = it.embedder.pid
        index.cancel()
        with pytest.raises(asyncio.CancelledError):
            await index
        visit.let_through()
        assert degrees([await it.query("query 33"), *await it.embedder.embed(["note 34"])]) == [33, 34]
        assert it.embedder.pid == pid
        assert it.texts.count("note 12") == SLICE_TEXTS - 1, "the slice that was under way, and no other"


async def test_an_idle_process_is_stopped_and_started_at_the_next_need(tmp_path: Path) -> None:
    async with rig(tmp_path, idle_timeout=0.05) as it:
        assert degrees(await it.embedder.embed(["note 5"])) == [5]
        state = await it.until("absent")
        assert (state.message, state.dims, it.embedder.pid) == ("", 2, None)
        assert degrees(await it.embedder.embed(["note 6"])) == [6]
        assert it.starts == 2


async def test_waiting_for_an_embedder_that_was_idle_starts_it(tmp_path: Path) -> None:
    async with rig(tmp_path, idle_timeout=0.05) as it:
        assert await it.embedder.wait_ready(PATIENCE)
        await it.until("absent")
        assert await it.embedder.wait_ready(PATIENCE)


async def test_texts_of_every_kind_get_through(tmp_path: Path) -> None:
    odd = ["", "\ud800 lone 3", "line\nbreak\r\n\u2028 4", "nul\0 5", "emoji 🗺 6", '{"ready": 7']
    async with rig(tmp_path) as it:
        assert degrees(await it.embedder.embed(odd)) == [0, 3, 4, 5, 6, 7]


async def test_a_huge_text_is_cut_before_it_is_sent(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        await it.embedder.embed(["x" * 5_000_000])
        assert [len(text) for text in it.texts] == [100_000]


async def test_what_a_library_prints_does_not_break_the_conversation(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        assert degrees(await it.embedder.embed(["print 1", "print 2"])) == [1, 2]
        assert it.starts == 1


async def test_what_a_library_writes_about_a_note_is_not_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with rig(tmp_path) as it:
        await it.embedder.embed(["stderr secret-word 1", "print secret-word 2", "raise secret-word 3"])
    assert "loading the fake model" in caplog.text
    assert "bytes to stderr" in caplog.text
    assert "secret-word" not in caplog.text


async def test_close_ends_a_process_that_still_loads_and_everyone_who_waits(tmp_path: Path) -> None:
    async with rig(tmp_path, load="gate") as it:
        index = asyncio.create_task(it.embedder.embed(["note 1"]))
        query = asyncio.create_task(it.query("query 1"))
        visit = await it.gate.arrival()
        await it.embedder.close()
        with pytest.raises(EmbeddingError, match="closed"):
            await index
        assert await query is None
        assert it.embedder.pid is None
        await asyncio.wait_for(visit.gone.wait(), PATIENCE)


async def test_close_in_the_middle_of_a_request(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        index = asyncio.create_task(it.embedder.embed(["gate 1"]))
        visit = await it.gate.arrival()
        await it.embedder.close()
        await it.embedder.close()
        with pytest.raises(EmbeddingError, match="closed"):
            await index
        await asyncio.wait_for(visit.gone.wait(), PATIENCE)


async def test_a_closed_embedder_starts_nothing(tmp_path: Path) -> None:
    async with rig(tmp_path) as it:
        await it.embedder.close()
        it.embedder.start()
        assert not await it.embedder.wait_ready(PATIENCE)
        assert await it.query("query 1") is None
        with pytest.raises(EmbeddingError):
            await it.embedder.embed(["note 1"])
        assert it.starts == 0
        assert it.embedder.state.status == "absent"


@pytest.mark.parametrize(("problem", "status"), [("", "off"), ("Nothing is installed. Run x.", "failed")])
async def test_without_a_backend_nothing_starts_and_the_state_says_why(problem: str, status: str) -> None:
    embedder = Embedder(Plan("none", "", "", "", problem), idle_timeout=1)
    assert (embedder.state.status, embedder.state.message) == (status, problem)
    assert not await embedder.wait_ready(PATIENCE)
    assert await embedder.embed_query("query 1", PATIENCE) is None
    with pytest.raises(EmbeddingError, match=problem or "off"):
        await embedder.embed(["note 1"])
    assert embedder.pid is None
    await embedder.close()


async def test_a_listener_that_fails_does_not_stop_the_embedder(tmp_path: Path) -> None:
    def fail(state: object) -> None:
        raise RuntimeError("no status can be sent")

    async with rig(tmp_path) as it:
        embedder = Embedder(PLAN, idle_timeout=0, on_state=fail, command=it.embedder._command)
        assert degrees(await embedder.embed(["note 8"])) == [8]
        await embedder.close()
