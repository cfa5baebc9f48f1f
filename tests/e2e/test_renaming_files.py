"""A note renamed in real editors' terms: after the edit is applied, every link still leads there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest
from memory_lsp.core.text import LineIndex
from peer import Refused, put

if TYPE_CHECKING:
    from conftest import Start
    from memory_lsp.core.text import Encoding
    from peer import Json

PROFILES = Path(__file__).parent / "clientcaps"
NOTES = {
    "project/old plan.md": "# Old plan\n\n## Part\n\n[[#Old plan]]\n",
    "MEMORY.md": "- [Old plan](project/old%20plan.md) — how\r\n",
    "a.md": "🗺 [[old plan|🗺]] and ![[project/old plan#Part]]\n\n| a |\n|---|\n| [[Old-Plan\\|x]] |\n",
}
RENAMED = {
    "project/new way.md": "# Old plan\n\n## Part\n\n[[#Old plan]]\n",
    "MEMORY.md": "- [Old plan](project/new%20way.md) — how\r\n",
    "a.md": "🗺 [[new way|🗺]] and ![[project/new way#Part]]\n\n| a |\n|---|\n| [[New-Way\\|x]] |\n",
}
MOVED = {
    "area/new way.md": RENAMED["project/new way.md"],
    "MEMORY.md": "- [Old plan](area/new%20way.md) — how\r\n",
    "a.md": RENAMED["a.md"].replace("project/", "area/"),
}


def path_of(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


def take(edit: Json, encoding: Encoding) -> None:
    """Apply a workspace edit to the disk, in its order."""
    for change in edit["documentChanges"]:
        if change.get("kind") == "rename":
            assert not path_of(change["newUri"]).exists()
            path_of(change["oldUri"]).rename(path_of(change["newUri"]))
            continue
        path = path_of(change["textDocument"]["uri"])
        text = path.read_bytes().decode()
        lines = LineIndex(text)
        for item in sorted(change["edits"], key=lambda item: list(item["range"]["start"].values()), reverse=True):
            start, end = (
                lines.offset(item["range"][side]["line"], item["range"][side]["character"], encoding)
                for side in ("start", "end")
            )
            text = text[:start] + item["newText"] + text[end:]
        put(path, text)


def files(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in folder.rglob("*.md")}


@pytest.mark.parametrize("editor", ["vscode", "neovim", "eglot"])
async def test_a_note_is_renamed_and_moved(start: Start, vault: Path, editor: str) -> None:
    for path, text in NOTES.items():
        put(vault / path, text)
    profile = json.loads((PROFILES / f"{editor}.json").read_text(encoding="utf-8"))["capabilities"]
    server = await start()
    result = await server.initialize(vault, capabilities=profile)
    capabilities = result["capabilities"]
    encoding = capabilities["positionEncoding"]
    at = {"textDocument": {"uri": (vault / "a.md").as_uri()}, "position": {"line": 4, "character": 5}}
    if editor == "eglot":  # which cannot rename files, nor asks for a preparation
        assert capabilities["renameProvider"] is True
        with pytest.raises(Refused, match="cannot rename files"):
            await server.request("textDocument/rename", at | {"newName": "new way"})
        return
    prepared = await server.request("textDocument/prepareRename", at)
    assert prepared == {
        "range": {"start": {"line": 4, "character": 4}, "end": {"line": 4, "character": 12}},
        "placeholder": "old plan",
    }
    edit = await server.request("textDocument/rename", at | {"newName": "new way"})
    assert ("changeAnnotations" in edit) == (editor == "vscode")
    take(edit, encoding)
    assert files(vault) == RENAMED
    server.saw((vault / "project/old plan.md", 3), (vault / "project/new way.md", 1))
    server.saw((vault / "MEMORY.md", 2), (vault / "a.md", 2))
    references = {
        "textDocument": {"uri": (vault / "project/new way.md").as_uri()},
        "position": {"line": 0, "character": 3},
        "context": {"includeDeclaration": False},
    }
    assert len(await server.request("textDocument/references", references)) == 4
    assert ("fileOperations" in capabilities.get("workspace", {})) == (editor == "vscode") or editor == "neovim"
    if editor == "vscode":
        moves = [{"oldUri": (vault / "project").as_uri(), "newUri": (vault / "area").as_uri()}]
        take(await server.request("workspace/willRenameFiles", {"files": moves}), encoding)
        (vault / "project").rename(vault / "area")
        assert files(vault) == MOVED
