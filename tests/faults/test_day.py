"""A morning's editing; `day.py` lives through a whole day."""

from __future__ import annotations

from day import judge, run


async def test_nothing_grows_while_notes_are_edited_and_saved() -> None:
    day = await run(edits=2_000, saves=100, notes=60, seed=5)
    assert judge(day) == []
    assert day.embedded >= 100
    assert day.twice == 0
