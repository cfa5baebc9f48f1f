"""The pre-commit hook and the GitHub action run the command that exists, on the notes that are meant."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from cli_rig import REPOSITORY, Shell, example, write
from memory_lsp.cli.arguments import parse

if TYPE_CHECKING:
    from pathlib import Path

BASH = shutil.which("bash")


def _load(name: str) -> Any:  # noqa: ANN401  any YAML document
    return yaml.safe_load((REPOSITORY / name).read_text("utf-8"))


def test_the_hook_is_the_check_of_a_whole_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (hook,) = _load(".pre-commit-hooks.yaml")
    assert hook["id"] == "memory-lsp-check"
    assert hook["pass_filenames"] is False and hook["always_run"] is True
    program, *arguments = shlex.split(hook["entry"])
    assert program == "memory-lsp"
    example(tmp_path)
    monkeypatch.chdir(tmp_path)
    outcome = Shell(capsys)(*arguments, "-d", "memory", "--fail-on", "warning")
    assert outcome.status == 1
    assert "dangling-link" in outcome.out
    assert Shell(capsys)(*arguments, "-d", "memory", "--fail-on", "error").status == 0


def test_the_arguments_in_the_documentation_are_understood() -> None:
    text = (REPOSITORY / "docs" / "ci.md").read_text("utf-8")
    lines = [line.strip() for line in text.splitlines()]
    hooks = [yaml.safe_load(line.removeprefix("args: ")) for line in lines if line.startswith("args: ")]
    shells = [shlex.split(line.split(">")[0])[1:] for line in lines if line.startswith("memory-lsp ")]
    assert len(hooks) == 2 and len(shells) >= 2
    for arguments in (*(["check", *hook] for hook in hooks), *shells):
        assert parse(arguments)[0] == "check"


def test_the_inputs_in_the_documentation_are_those_of_the_action() -> None:
    text = (REPOSITORY / "docs" / "ci.md").read_text("utf-8")
    for name, spec in _load("action.yml")["inputs"].items():
        default = f"`{spec['default']}`" if spec["default"] else ""
        assert f"| `{name}` | {default}" in text, name


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="the step is a bash script")
@pytest.mark.parametrize(
    ("inputs", "status", "codes"),
    [
        ({}, 1, ["inexact-link", "inexact-link", "dangling-link", "links-to-superseded"]),
        ({"fail-on": "error", "paths": "memory/feedback\n"}, 0, ["inexact-link"]),
        ({"set": "diagnostics.inexact-link=off\ndiagnostics.dangling-link=hint\n"}, 0,
         ["dangling-link", "links-to-superseded"]),
        ({"directory": "me$(touch ran)mory"}, 2, []),
    ],
)  # fmt: skip
def test_the_action_annotates(tmp_path: Path, inputs: dict[str, str], status: int, codes: list[str]) -> None:
    example(tmp_path)
    outcome = _run_check_step(tmp_path, {"directory": "memory", **inputs})
    assert outcome.returncode == status, outcome.stderr
    lines = outcome.stdout.splitlines()
    assert [line.split("title=memory-lsp ")[1].split("::")[0] for line in lines] == codes
    assert all(" file=memory/" in line for line in lines)
    assert not (tmp_path / "ran").exists(), "an input must not run as a script"


def _run_check_step(checkout: Path, inputs: dict[str, str]) -> subprocess.CompletedProcess[str]:
    action = _load("action.yml")
    step = action["runs"]["steps"][-1]
    given = {name: inputs.get(name, spec["default"]) for name, spec in action["inputs"].items()}
    variables = {
        name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")] for name, value in step["env"].items()
    }
    program = checkout / "runner" / "memory-lsp" / "bin" / "memory-lsp"
    write(program.parent, {"memory-lsp": f'#!/bin/sh\nexec "{sys.executable}" -m memory_lsp "$@"\n'})
    program.chmod(0o755)
    environment = {**os.environ, "RUNNER_OS": "Linux", "RUNNER_TEMP": str(checkout / "runner"), **variables}
    environment["GITHUB_WORKSPACE"] = str(checkout)
    assert BASH is not None
    return subprocess.run(
        [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=checkout, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
