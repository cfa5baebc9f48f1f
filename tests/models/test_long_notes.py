"""A detail deep in a long note, on the real weights: found where passages are embedded, missed where they are not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from memory_lsp import answers
from memory_lsp.config import EmbeddingConfig, read_settings
from memory_lsp.discovery import find_places
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import make_plan
from memory_lsp.memory import open_memory
from weights import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.answers import JsonObject

pytestmark = pytest.mark.model

DETAIL = "The spare key to the boathouse hangs behind the blue fire extinguisher."
QUERY = "how do I get into the boathouse without my own key?"
SECTIONS = {
    "Winter storage": "The hulls are rinsed with fresh water, dried for two days and covered with canvas. Engines "
    "get new oil and the tanks are filled to the brim, so that no water condenses in them. ",
    "Varnish": "Three thin coats are better than one thick coat. Each dries overnight and is sanded lightly before the "
    "next. Below ten degrees the varnish stays soft, so the heaters run from the evening on. ",
    "Sails": "Torn seams go to the sailmaker in November, when prices are low. Battens are taken out and numbered. The "
    "mainsail of the old cutter is to be replaced within two years. ",
    "Insurance": "The policy covers storm and fire, not frost. A survey is due every fifth year, and the report must "
    "name the surveyor and his licence. Claims are sent within a week. ",
    "Mooring": "Chains are lifted each spring and measured; a link worn by a third is cut out. The diver comes in the "
    "first week of April if the ice is gone. ",
    "Members": "New members help on two Saturdays before they may take a boat alone. The list hangs in the club room "
    "and is copied to the secretary every month. ",
}
OTHERS = {
    "bicycle-shed": "The bicycle shed is locked with a number; the chairman knows it, and a second one opens the gate.",
    "car-key": "The second car key lies in the drawer of the office desk, under the stamps.",
    "boat-hire": "Guests may hire a boat on weekdays. They sign the book and pay in the club room.",
    "shed-roof": "The roof of the garden shed leaks at the north side and is tarred in June.",
    "keyboard": "Keyboard layouts: we keep the second layout for tests of the login form.",
    "rowing": "Rowing practice starts at seven on Tuesdays, at the lower landing stage.",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "MEMORY.md").write_text("# Memory\n", encoding="utf-8")
    parts = [f"## {title}\n\n{(text * 3).strip()}" for title, text in SECTIONS.items()]
    parts.insert(5, f"## Keys\n\n{DETAIL} It is returned the same day.")
    whole = "\n\n".join(parts)
    assert whole.index(DETAIL) > 2000
    assert len(whole) > 2900
    (tmp_path / "project/handbook.md").write_text(
        f"---\nname: handbook\ndescription: how the sailing club works\n---\n\n{whole}\n", encoding="utf-8"
    )
    for name, text in OTHERS.items():
        (tmp_path / f"project/{name}.md").write_text(f"---\nname: {name}\n---\n{text}\n", encoding="utf-8")
    return tmp_path


async def ask(folder: Path, *, chunks: bool) -> list[JsonObject]:
    plan = make_plan(EmbeddingConfig())
    embedder = Embedder(plan, idle_timeout=0, start_deadline=PATIENCE, slice_deadline=PATIENCE)
    settings, _ = read_settings({"retrieval": {"chunks": chunks, "ranker": "cascade", "threshold": 0.1}})
    memory = open_memory(find_places(folder)[0], settings, plan.model_id, embedder, write=False)
    try:
        memory.load()
        memory.indexer.request(None)
        await memory.indexer.finish()
        answer = memory.retrieve(QUERY, await embedder.embed_query(QUERY, PATIENCE), limit=8)
        shown = answers.retrieval(memory, answer, str, incomplete=False, took=0)["results"]
        assert isinstance(shown, list)
        return [each for each in shown if isinstance(each, dict)]
    finally:
        await memory.indexer.close()
        await embedder.close()


def test_a_detail_deep_in_a_long_note_comes_first_and_the_range_covers_it(notes: Path) -> None:
    with_chunks, without = (asyncio.run(ask(notes, chunks=chunks)) for chunks in (True, False))
    assert with_chunks[0]["name"] == "handbook"
    names = [each["name"] for each in without]
    assert names.index("handbook") >= 4
    assert all("range" not in each for each in without)

    place = with_chunks[0]["range"]
    lines = (notes / "project/handbook.md").read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines) if DETAIL in text)
    assert isinstance(place, dict)
    start, end = place["start"], place["end"]
    assert isinstance(start, dict)
    assert isinstance(end, dict)
    assert (start["line"], start["character"]) < (line, 1)
    assert (end["line"], end["character"]) >= (line, len(DETAIL))
    assert end["line"] - start["line"] < len(lines) / 2  # type: ignore[operator]  # JSON
