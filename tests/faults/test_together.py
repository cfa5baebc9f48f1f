"""Several servers on one directory; `together.py` runs more of them for longer."""

from __future__ import annotations

from together import run


async def test_servers_on_one_directory_end_equal_and_embed_each_content_once() -> None:
    problem, counts = await run(servers=3, changes=20, seed=7)
    assert problem == ""
    assert set(counts) == {1}
