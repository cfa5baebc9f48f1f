"""What the VS Code extension names, its manifest or the server has, and the other way round."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from cli_rig import REPOSITORY
from memory_lsp.config import options
from memory_lsp.core.graph import EdgeKind
from memory_lsp.lsp import protocol
from memory_lsp.lsp.client import SHOW_LOCATIONS

CLIENT = REPOSITORY / "client-vscode"
OWN_SETTINGS = {"server.path", "trace.server", "related.follow", "related.limit"}


@cache
def manifest() -> Any:  # noqa: ANN401  any JSON document
    return json.loads((CLIENT / "package.json").read_text("utf-8"))


@cache
def sources() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted((CLIENT / "src").rglob("*.ts")))


def contributes() -> Any:  # noqa: ANN401  any JSON document
    return manifest()["contributes"]


def commands() -> set[str]:
    return {each["command"] for each in contributes()["commands"]}


def settings() -> set[str]:
    parts = contributes()["configuration"]
    return {key.removeprefix("memory.") for part in parts for key in part["properties"]}


def test_every_command_is_registered_and_every_registered_one_is_declared() -> None:
    registered = set(re.findall(r"^    '(memory\.\w+)': ", (CLIENT / "src/extension.ts").read_text("utf-8"), re.M))
    assert registered == commands()


def test_every_command_that_is_run_exists() -> None:
    run = set(re.findall(r"(?:command: |executeCommand\()'(memory\.[\w.]+)'", sources()))
    linked = set(re.findall(r"\(command:(memory\.[\w.]+)\)", json.dumps(manifest())))
    in_menus = {item["command"] for menu in contributes()["menus"].values() for item in menu}
    focus = {f"{view['id']}.focus" for view in contributes()["views"]["memory"]}
    assert run and linked
    assert run | linked | in_menus <= commands() | focus


def test_the_command_of_the_code_lenses_is_offered_and_registered() -> None:
    assert f"SHOW_LOCATIONS = '{SHOW_LOCATIONS}'" in sources()
    assert "[SHOW_LOCATIONS]:" in (CLIENT / "src/extension.ts").read_text("utf-8")
    assert "commands: { commands: [SHOW_LOCATIONS] }" in sources()


def test_settings_are_the_servers_and_a_few_of_the_client() -> None:
    assert settings() == {option.key for option in options()} | OWN_SETTINGS


def test_every_setting_that_is_read_exists_and_every_own_one_is_read() -> None:
    read = set(re.findall(r"\.get\(\s*'([\w.]+)',", sources()))
    assert read <= settings()
    # The language client reads the trace by itself.
    assert OWN_SETTINGS - read == {"trace.server"}


def test_every_setting_is_described() -> None:
    for part in contributes()["configuration"]:
        for key, setting in part["properties"].items():
            assert len(setting["markdownDescription"]) > 15, key


def test_what_an_untrusted_workspace_may_not_set_is_a_setting() -> None:
    restricted = manifest()["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert {key.removeprefix("memory.") for key in restricted} <= settings()
    assert "memory.server.path" in restricted


def test_views_are_declared_and_made() -> None:
    made = re.findall(r"createTreeView\('([\w.]+)'", sources())
    assert sorted(made) == sorted(view["id"] for view in contributes()["views"]["memory"])


def test_every_message_exists_in_the_server() -> None:
    named = dict(re.findall(r"export const (\w+) = '(memory/\w+)'", sources()))
    assert set(named.values()) <= {*protocol.REQUESTS, protocol.STATUS}
    for name in named:
        assert re.search(rf"\(\s*{name}\b,", sources()), f"{name} is never sent"


def test_every_key_of_a_message_is_in_the_protocol() -> None:
    page = (REPOSITORY / "docs/protocol.md").read_text("utf-8")
    shapes = (CLIENT / "src/protocol.ts").read_text("utf-8")
    keys = set(re.findall(r"^  (\w+)\??:", shapes, re.M))
    assert {"quiescent", "memoryDirectory", "firstLine"} <= keys
    assert [key for key in sorted(keys) if not re.search(rf"\b{key}\b", page)] == []
    assert "memoryStatus: true" in sources() and "`experimental.memoryStatus`" in page


def test_every_kind_of_edge_has_its_word() -> None:
    words = re.search(r"const EDGES.*?\{(.*?)\}", (CLIENT / "src/views/reason.ts").read_text("utf-8"), re.S)
    assert words is not None
    assert set(re.findall(r"^  (\w+):", words[1], re.M)) == {kind.value for kind in EdgeKind}


def test_the_extension_keeps_what_its_manifest_says() -> None:
    assert list(manifest()["dependencies"]) == ["vscode-languageclient"]
    assert manifest()["capabilities"]["virtualWorkspaces"]["supported"] is False
    assert manifest()["extensionKind"] == ["workspace"]
    assert not re.search(r"telemetry|fetch\(|https?://", sources())
    steps = [step for walkthrough in contributes()["walkthroughs"] for step in walkthrough["steps"]]
    media = [step["media"]["markdown"] for step in steps]
    grammars = [grammar["path"] for grammar in contributes()["grammars"]]
    for file in (manifest()["icon"], *grammars, *contributes()["markdown.previewStyles"], *media):
        assert (CLIENT / file).is_file()


def test_neovim_asks_what_the_server_answers() -> None:
    plugin = "\n".join(path.read_text("utf-8") for path in sorted((REPOSITORY / "client-nvim").rglob("*.lua")))
    named = set(re.findall(r"'(memory/\w+)'", plugin))
    assert named >= {"memory/retrieve", "memory/related", protocol.STATUS}
    assert named <= {*protocol.REQUESTS, protocol.STATUS}
    declared = set(re.findall(r"^command\('(\w+)'", plugin, re.M))
    described = set(
        re.findall(r"^:(Memory\w+)", (REPOSITORY / "client-nvim/doc/memory_lsp.txt").read_text("utf-8"), re.M)
    )
    assert declared == described


def test_no_source_file_is_long() -> None:
    for path in (CLIENT / "src").rglob("*.ts"):
        assert len(path.read_text("utf-8").splitlines()) < 200, path
