"""The configuration in docs/editors.md is what each editor can read, as far as that can be told without the editor."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest
from cli_rig import REPOSITORY

PAGE = (REPOSITORY / "docs/editors.md").read_text("utf-8")


def snippet(heading: str, fence: str) -> str:
    """Return the first fenced block of a language after a text of the page."""
    _, _, rest = PAGE.partition(heading)
    found = re.search(rf"^```{fence}\n(.*?)^```", rest, re.M | re.S)
    assert found is not None, heading
    return found[1]


def starts_the_server(command: str, arguments: list[str]) -> bool:
    return command == "memory-lsp" and arguments == ["--stdio"]


def test_helix_reads_its_languages() -> None:
    read = tomllib.loads(snippet("**Helix**", "toml"))
    assert set(read) == {"language-server", "language"}
    (name,) = read["language-server"]
    server = read["language-server"][name]
    assert set(server) == {"command", "args"}
    assert starts_the_server(server["command"], server["args"])
    (language,) = read["language"]
    assert set(language) == {"name", "language-servers", "roots"}
    assert language["name"] == "markdown"
    assert name in language["language-servers"]
    assert isinstance(language["roots"], list)


def test_kakoune_reads_its_servers() -> None:
    hook = snippet("**Kakoune**", "")
    inner = re.search(r"lsp_servers %\{(.*?)^ {4}\}", hook, re.M | re.S)
    assert inner is not None
    assert hook.count("{") == hook.count("}")
    (server,) = tomllib.loads(inner[1]).values()
    # The command is the name of the table where none is given.
    assert set(server) == {"root_globs", "args"}
    assert starts_the_server(next(iter(tomllib.loads(inner[1]))), server["args"])


@pytest.mark.parametrize(
    ("heading", "section", "keys"),
    [
        ("With coc.nvim", "languageserver", {"command", "args", "filetypes", "rootPatterns"}),
        ("**Sublime Text**", "clients", {"enabled", "command", "selector"}),
    ],
)
def test_json_of_an_editor_is_whole(heading: str, section: str, keys: set[str]) -> None:
    read: dict[str, Any] = json.loads(snippet(heading, "json"))
    assert set(read) == {section}
    (server,) = read[section].values()
    assert set(server) == keys
    command = server["command"] if isinstance(server["command"], list) else [server["command"], *server["args"]]
    assert starts_the_server(command[0], command[1:])


@pytest.mark.parametrize(
    ("fence", "strings"), [("elisp", r'"[^"\n]*"'), ("lua", r"'[^'\n]*'"), ("vim", r"'[^'\n]*'|\"[^\"\n]*\"")]
)
def test_programs_are_balanced(fence: str, strings: str) -> None:
    blocks = re.findall(rf"^```{fence}\n(.*?)^```", PAGE, re.M | re.S)
    assert blocks
    for block in blocks:
        bare = re.sub(strings, "", block)
        for opened, closed in ("()", "{}", "[]"):
            assert bare.count(opened) == bare.count(closed), block
