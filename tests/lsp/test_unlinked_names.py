"""Names without a link over the protocol: shown inside the text where wanted, and made a link by accepting that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from peer import put

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local


@pytest.mark.parametrize("wanted", [True, False])
async def test_an_inlay_hint_shows_which_note_is_named_and_makes_the_link(
    client: Local, tmp_path: Path, wanted: bool
) -> None:
    put(tmp_path / "squash-on-landing.md", "---\nname: squash-on-landing\ndescription: d\n---\n")
    put(tmp_path / "a.md", "🗺 We squash on landing.\n\nAnd squash on landing again.\n")
    options = {"embedding": {"backend": "none"}, "inlayHints": {"mentions": wanted}}
    await client.initialize(tmp_path, options=options)
    uri = await client.opened(tmp_path, "a.md")
    first_line = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    hints = await client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": first_line})
    start, end = {"line": 0, "character": 6}, {"line": 0, "character": 23}
    link = {"range": {"start": start, "end": end}, "newText": "[[squash-on-landing|squash on landing]]"}
    shown = {"position": end, "label": "→ squash-on-landing", "textEdits": [link], "paddingLeft": True}
    assert hints == ([shown] if wanted else [])


async def test_a_code_action_makes_the_link(client: Local, tmp_path: Path) -> None:
    put(tmp_path / "postgres.md", "x")
    put(tmp_path / "a.md", "Stored in postgres.\n")
    able = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor"]}}}
    await client.initialize(tmp_path, capabilities={"textDocument": {"codeAction": able}})
    uri = await client.opened(tmp_path, "a.md")
    place = {"start": {"line": 0, "character": 12}, "end": {"line": 0, "character": 12}}
    params = {
        "textDocument": {"uri": uri},
        "range": place,
        "context": {"diagnostics": [], "only": ["refactor.rewrite"]},
    }
    (action,) = [item for item in await client.request("textDocument/codeAction", params) if "Link" in item["title"]]
    assert (action["title"], action["kind"]) == ("Link to “postgres”", "refactor.rewrite")
    ((edit,),) = action["edit"]["changes"].values()
    assert edit["newText"] == "[[postgres]]"
