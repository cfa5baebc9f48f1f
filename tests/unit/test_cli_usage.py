"""Wrong usage is one clear line and status 2; help and the version need nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_rig import NO_MODEL, Shell, example, write
from memory_lsp import __version__
from memory_lsp.cli.arguments import COMMANDS, parse
from memory_lsp.cli.overrides import settings_from
from memory_lsp.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chek"], "did you mean check?"),
        (["frobnicate"], "the commands are serve, retrieve"),
        (["--bogus"], "--bogus"),
        (["-d", ".", "check"], "options come after the command, as in `memory-lsp check -d ...`"),
        (["retrieve"], "QUERY"),
        (["retrieve", "a", "b"], "unrecognized arguments: b"),
        (["retrieve", "a", "--limit", "0"], "a whole number from 1 to 1000, got '0'"),
        (["retrieve", "a", "--limit", "many"], "got 'many'"),
        (["retrieve", "a", "--json", "--explain"], "not allowed with"),
        (["check", "--format", "xml"], "invalid choice: 'xml'"),
        (["check", "--fail-on", "hint"], "invalid choice: 'hint'"),
        (["check", "--form", "json"], "unrecognized arguments: --form"),
        (["check", "-d", "nowhere"], "does not exist; name the folder of your notes with -d DIR"),
        (["check", "nowhere.md"], "nowhere.md does not exist"),
        (["check", "-d", "/"], "file-system root"),
        (["stats", "--set", "embedding.backend"], "expected KEY=VALUE"),
        (["stats", "--set", "retrieval.limt=1"], "did you mean retrieval.limit?"),
        (["stats", "--set", "retrieval.limit=none"], "expected a whole number from 1 to 1000, got 'none'"),
        (["stats", "--set", "embedding.backend=gpu"], "expected one of auto, onnx"),
        (["check", "--set", "diagnostics.dangling=off"], "there is no such diagnostic code"),
        (["check", "--set", "diagnostics.dangling-link=loud"], "expected one of off, hint"),
        (["graph", "--set", "directories=gone"], "does not exist yet"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = shell(*arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert said in outcome.err
    assert outcome.err.startswith("memory-lsp") and outcome.err.count("\n") == 1
    assert "is used" not in outcome.err, "no default is used: the command ends"


def test_a_file_is_no_directory(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "text"})
    outcome = shell("check", "-d", tmp_path / "a.md")
    assert outcome.status == 2
    assert "is no folder" in outcome.err


@pytest.mark.parametrize("command", list(COMMANDS))
def test_each_command_has_help_on_standard_output(shell: Shell, command: str) -> None:
    outcome = shell(command, "--help")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith(f"usage: memory-lsp {command}")
    assert "Exit status: 0" in outcome.out


def test_help_lists_the_commands(shell: Shell) -> None:
    outcome = shell("--help")
    assert outcome.status == 0
    assert all(f"\n  {command} " in outcome.out for command in COMMANDS)


def test_version(shell: Shell) -> None:
    assert shell("--version").out == f"memory-lsp {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        [], ["--stdio"], ["serve"], ["serve", "--stdio"], ["--stdio", "--clientProcessId=12"],
        ["--clientProcessId", "12"], ["serve", "--stdio", "--clientProcessId=12"],
    ],
)  # fmt: skip
def test_every_form_that_editors_use_serves(arguments: list[str]) -> None:
    assert parse(arguments)[0] == "serve"


def test_settings_are_overridden_by_kind() -> None:
    settings = settings_from(
        [
            "embedding.backend=none", "memory.retrieval.limit=3", "retrieval.threshold=0.25", "tags.inline=true",
            "exclude=drafts, *.tmp.md", 'directories=["a,b"]', "embedding.model=12",
            "diagnostics.inexact-link=off", "diagnostics.dangling-link=error",
        ]
    )  # fmt: skip
    assert settings.embedding.backend == "none"
    assert (settings.retrieval.limit, settings.retrieval.threshold) == (3, 0.25)
    assert settings.tags.inline is True
    assert settings.exclude == ("drafts", "*.tmp.md")
    assert settings.directories == ("a,b",)
    assert settings.embedding.model == "12"
    assert settings.diagnostics == {"inexact-link": "off", "dangling-link": "error"}


def test_the_first_bad_override_is_named() -> None:
    with pytest.raises(UsageError, match=r"decay=2: memory\.retrieval\.decay: expected a number from 0 to 1"):
        settings_from(["retrieval.limit=3", "retrieval.decay=2"])


def test_a_settings_list_excludes_notes(shell: Shell, tmp_path: Path) -> None:
    memory = example(tmp_path)
    counted = shell("stats", "-d", memory, *NO_MODEL, "--json").json["notes"]
    fewer = shell("stats", "-d", memory, *NO_MODEL, "--set", "exclude=user,feedback", "--json").json["notes"]
    assert (counted, fewer) == (32, 19)
