"""The pages that describe the program say what it does, and each example of a diagnostic makes that finding."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache

import pytest
from cli_rig import REPOSITORY
from memory_lsp.cli.arguments import COMMANDS
from memory_lsp.config import options
from memory_lsp.core.lint import lint
from memory_lsp.core.lint_codes import CODES
from memory_lsp.core.note import parse
from memory_lsp.core.snapshot import Changes, Snapshot

# Reserved, or too long to print.
WITHOUT_EXAMPLE = {"possible-contradiction", "index-too-long"}


@cache
def page(name: str) -> str:
    return (REPOSITORY / "docs" / name).read_text("utf-8")


@cache
def sections(name: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)\n", page(name), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("tool", ["gen_docs.py", "gen_vscode_settings.py"])
def test_what_is_generated_is_current(tool: str) -> None:
    done = subprocess.run(
        [sys.executable, REPOSITORY / "tools" / tool, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_command_and_option_is_described() -> None:
    assert set(sections("cli.md")) == {"memory-lsp", *(f"memory-lsp {command}" for command in COMMANDS)}
    for name, make in COMMANDS.items():
        for action in make()._actions:
            for option in action.option_strings:
                assert option in sections("cli.md")[f"memory-lsp {name}"], (name, option)


def test_every_setting_is_described() -> None:
    assert list(sections("configuration.md")) == [f"memory.{option.key}" for option in options()]


def test_every_code_has_a_section_of_its_own() -> None:
    assert list(sections("diagnostics.md")) == list(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_section_says_severity_fix_and_how_to_allow(code: str) -> None:
    section = sections("diagnostics.md")[code]
    assert section.strip().startswith(CODES[code].severity.name.capitalize())
    assert "\nFix: " in section
    assert "Allow: " in section


@pytest.mark.parametrize("code", [code for code in CODES if code not in WITHOUT_EXAMPLE])
def test_an_example_makes_its_finding_and_no_worse_one(code: str) -> None:
    files = dict(re.findall(r"^`([^`]+)`:\n\n```markdown\n(.*?)^```$", sections("diagnostics.md")[code], re.M | re.S))
    assert files, "an example is missing"
    snapshot, _ = Snapshot().updated(Changes({path: parse(path, text) for path, text in files.items()}))
    found = {finding.code for path in files for finding in lint(snapshot, path)}
    assert code in found
    assert found <= {code, "missing-description"}


def test_a_comment_allows_what_it_names() -> None:
    (comment,) = re.findall(r"```markdown\n(.*?)```", page("diagnostics.md").split("\n## ")[0], re.S)
    snapshot, _ = Snapshot().updated(Changes({"project/plan.md": parse("project/plan.md", comment)}))
    assert lint(snapshot, "project/plan.md") == ()


@pytest.mark.parametrize("name", ["cli.md", "configuration.md", "diagnostics.md", "ci.md"])
def test_links_of_a_page_lead_somewhere(name: str) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`(?!\])", "", page(name), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(([\w./-]+)(?:#([\w.-]+))?\)", text):
        assert (REPOSITORY / "docs" / target).is_file(), target
        assert not anchor or anchor in sections(target), (target, anchor)
