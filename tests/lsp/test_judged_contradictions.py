"""Contradictions with a model beside the rules: what it adds and takes back, and that rules stand without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from local import Local
from peer import put
from test_contradictions import embed, reported
from tiny_judge import FIFTY, LOUD, MANY, QUIET

if TYPE_CHECKING:
    from pathlib import Path

    from peer import Json

# A busy machine takes a minute to import what the model needs, in this process and in its own.
pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]


def options(model: object) -> Json:
    return {"embedding": {"backend": "none"}, "contradictions": {"model": str(model)}}


def notes(folder: Path) -> Path:
    put(folder / "project" / "a.md", f"---\nname: a\n---\n{QUIET}\n")
    put(folder / "project" / "b.md", f"---\nname: b\n---\n{LOUD}\n")
    put(folder / "project" / "c.md", f"---\nname: c\n---\n{FIFTY}\n")
    put(folder / "project" / "d.md", f"---\nname: d\n---\n{MANY}\n")
    (folder / ".graph").mkdir()
    return folder


async def test_it_adds_what_rules_miss_and_takes_back_what_it_is_sure_about(
    client: Local, judge: Path, tmp_path: Path
) -> None:
    folder = notes(tmp_path / "memory")
    await client.initialize(folder, options=options(judge))
    await embed(client)
    assert [item["range"]["start"]["line"] for item in reported(client, folder, "project/a.md")] == [3]
    assert reported(client, folder, "project/b.md")
    assert not reported(client, folder, "project/c.md")
    # What it said is kept: a restart starts no model.
    await client.server.stop()
    again = Local()
    await again.initialize(folder, options=options(judge))
    await again.quiet()
    assert reported(again, folder, "project/a.md")
    assert not reported(again, folder, "project/c.md")
    assert again.server.judge._embedder.state.status == "absent"
    await again.server.stop()


async def test_rules_alone_count_where_the_model_fails_and_the_status_says_why(client: Local, tmp_path: Path) -> None:
    folder = notes(tmp_path / "memory")
    broken = tmp_path / "broken"
    put(broken / "config.json", "no model")
    await client.initialize(folder, options=options(broken), capabilities={"experimental": {"memoryStatus": True}})
    await embed(client)
    assert reported(client, folder, "project/c.md")
    assert not reported(client, folder, "project/a.md")
    last = client.sent("memory/status")[-1]
    assert last["health"] == "warning"
    assert str(broken) in last["message"]
    assert "rules alone find contradictions" in last["message"]
