"""Quick fixes in real editors' terms: what each is offered, and a vault without findings after taking them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest
from memory_lsp.core.text import LineIndex
from peer import put

if TYPE_CHECKING:
    from conftest import Start
    from memory_lsp.core.text import Encoding
    from peer import Json

PROFILES = Path(__file__).parent / "clientcaps"
NOTES = {
    "a.md": "---\nname: a\ndescription: port: 8080\n---\n\n🗺 [[B c]] and [[brand-new]] and [[b-d]].\n",
    "b-c.md": "---\nname: b-c\ndescription: d\n---\n# B\n",
}
WANTED = ("Quote the value", "Write the link as “b-c”", "Create brand-new.md", "Change to “b-c”")


def take(edit: Json, encoding: Encoding) -> None:
    """Apply a workspace edit to the disk, in its order, as an editor would."""
    for uri, edits in edit.get("changes", {}).items():
        rewrite(uri, edits, encoding)
    for change in edit.get("documentChanges", ()):
        if change.get("kind") == "create":
            assert not file(change["uri"]).exists()
            put(file(change["uri"]), "")
        else:
            rewrite(change["textDocument"]["uri"], change["edits"], encoding)


def rewrite(uri: str, edits: list[Json], encoding: Encoding) -> None:
    text = file(uri).read_bytes().decode()
    lines = LineIndex(text)
    spans = [
        (*(at(lines, edit["range"][end], encoding) for end in ("start", "end")), edit["newText"]) for edit in edits
    ]
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    put(file(uri), text)


def at(lines: LineIndex, position: Json, encoding: Encoding) -> int:
    return lines.offset(position["line"], position["character"], encoding)


def file(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


@pytest.mark.parametrize("editor", ["vscode", "neovim", "eglot"])
async def test_fixes_taken_one_by_one_leave_nothing_to_fix(start: Start, vault: Path, editor: str) -> None:
    for path, text in NOTES.items():
        put(vault / path, text)
    profile = json.loads((PROFILES / f"{editor}.json").read_text(encoding="utf-8"))["capabilities"]
    server = await start()
    result = await server.initialize(vault, capabilities=profile)
    uri = (vault / "a.md").as_uri()
    params = {
        "textDocument": {"uri": uri},
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}},
        "context": {"diagnostics": [], "only": ["quickfix"]},
    }
    taken = []
    for title in WANTED:
        offered = {action["title"]: action for action in await server.request("textDocument/codeAction", params)}
        if title in offered:
            action = offered[title]
            if "edit" not in action:
                action = await server.request("codeAction/resolve", action)
            take(action["edit"], result["capabilities"]["positionEncoding"])
            server.saw(*((vault / path, 2) for path in (*NOTES, "brand-new.md")))
            taken.append(title)
    creates = editor != "eglot"
    assert taken == [title for title in WANTED if creates or not title.startswith("Create")]
    assert (vault / "a.md").read_text(encoding="utf-8") == (
        '---\nname: a\ndescription: "port: 8080"\n---\n\n🗺 [[b-c]] and [[brand-new]] and [[b-c]].\n'
    )
    assert (vault / "brand-new.md").exists() == creates
    left = {action["title"] for action in await server.request("textDocument/codeAction", params)}
    assert left == (set() if creates else {"Allow dangling-link on this line"})
