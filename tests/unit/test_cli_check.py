"""`check`: what it reports, in which form, and when it fails."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from cli_rig import Shell, example, tree, write
from memory_lsp.core.lint_codes import CODES

PLANTED = [
    ("feedback/local-times-only.md", "hint", "inexact-link"),
    ("project/onboarding-plan.md", "hint", "inexact-link"),
    ("project/onboarding-plan.md", "warning", "dangling-link"),
    ("project/search-as-you-type.md", "information", "links-to-superseded"),
]
# Put together here, so that no scanner takes this file for a leak.
CANARY = "ghp_" + "Zq8Rk2Vw5T" * 3 + "nB3xYd"
FORMATS = ("text", "json", "sarif", "github")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return example(tmp_path)


def test_json_lists_every_finding_by_path_and_place(shell: Shell, memory: Path) -> None:
    outcome = shell("check", "-d", memory, "--format", "json")
    assert outcome.status == 1
    assert outcome.err == ""
    assert [(found["path"], found["severity"], found["code"]) for found in outcome.json] == PLANTED
    dangling = outcome.json[2]
    assert set(dangling) == {"path", "range", "severity", "code", "message"}
    line = (memory / dangling["path"]).read_text("utf-8").splitlines()[dangling["range"]["start"]["line"]]
    start, end = dangling["range"]["start"]["character"], dangling["range"]["end"]["character"]
    assert line[start:end] == "[[load-test-results]]"


def test_text_has_places_on_standard_output_and_a_summary_beside_it(shell: Shell, memory: Path) -> None:
    outcome = shell("check", "-d", memory)
    places = [re.match(r"(\S+?):(\d+):(\d+) (\w+) ([\w-]+) \S", line) for line in outcome.lines]
    assert [(m[1], m[4], m[5]) for m in places if m] == PLANTED
    assert outcome.err == "1 warning, 1 information, 2 hints in 33 notes.\n"
    assert "\x1b" not in outcome.out


def test_ranges_are_utf_16_in_json_and_characters_in_text(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"note.md": "🗺️ [[gone]]\n"})
    found = shell("check", "-d", tmp_path, "--format", "json").json
    assert found[0]["range"] == {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 12}}
    assert shell("check", "-d", tmp_path).out.startswith("note.md:1:4 ")


@pytest.mark.parametrize(
    ("overrides", "fail_on", "status"),
    [
        ([], "warning", 1),
        ([], "error", 0),
        (["--set", "diagnostics.dangling-link=error"], "error", 1),
        (["--set", "diagnostics.dangling-link=hint"], "warning", 0),
        (["--set", "diagnostics.dangling-link=off"], "warning", 0),
        (["--set", "diagnostics.inexact-link=error"], "error", 1),
    ],
)
def test_severities_decide_the_status(
    shell: Shell, memory: Path, overrides: list[str], fail_on: str, status: int
) -> None:
    assert shell("check", "-d", memory, "--fail-on", fail_on, *overrides).status == status


def test_a_code_that_is_off_is_not_reported(shell: Shell, memory: Path) -> None:
    outcome = shell("check", "-d", memory, "--format", "json", "--set", "diagnostics.inexact-link=off")
    assert "inexact-link" not in outcome.out


def test_clean_notes_give_nothing_and_status_0(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"user/a.md": "---\ndescription: A\n---\nSee [[b]].\n", "user/b.md": "---\ndescription: B\n---\n"})
    outcome = shell("check", "-d", tmp_path)
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "Nothing to report in 2 notes.\n")
    assert shell("check", "-d", tmp_path, "--format", "json").json == []


def test_every_directory_that_is_found_is_checked(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"memory/user/a.md": "[[gone]]\n", ".claude/memory/user/b.md": "[[lost]]\n", "other.md": "[[x]]\n"})
    outcome = shell("check", "-d", tmp_path, "--format", "json")
    assert sorted(found["path"] for found in outcome.json) == [".claude/memory/user/b.md", "memory/user/a.md"]


def test_paths_choose_what_is_reported(shell: Shell, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*paths: str) -> list[str]:
        return sorted({each["path"] for each in shell("check", "-d", memory, "--format", "json", *paths).json})

    monkeypatch.chdir(memory.parent)
    assert found("memory/project/search-as-you-type.md") == ["project/search-as-you-type.md"]
    assert found("memory/project") == ["project/onboarding-plan.md", "project/search-as-you-type.md"]
    assert found("feedback") == ["feedback/local-times-only.md"], "relative to the directory too"
    assert found("memory/user") == []
    assert found(str(memory / "project" / "onboarding-plan.md"), "feedback") == [
        "feedback/local-times-only.md",
        "project/onboarding-plan.md",
    ]


def test_a_link_to_a_note_that_is_not_asked_for_still_resolves(shell: Shell, memory: Path) -> None:
    outcome = shell("check", "-d", memory, memory / "MEMORY.md")
    assert (outcome.status, outcome.out) == (0, "")


def test_a_path_that_is_no_note_is_named_and_left_out(shell: Shell, memory: Path) -> None:
    write(memory.parent, {"README.md": "[[nothing]]\n"})
    outcome = shell("check", "-d", memory, memory.parent / "README.md")
    assert (outcome.status, outcome.out) == (0, "")
    assert "README.md holds no note of the memory directory" in outcome.err


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that even root cannot read")
@pytest.mark.parametrize("form", FORMATS)
def test_a_file_that_cannot_be_read_is_named_and_fails(shell: Shell, tmp_path: Path, form: str) -> None:
    write(tmp_path, {"user/a.md": "---\ndescription: A\n---\n"})
    (tmp_path / "user" / "broken.md").symlink_to("/proc/self/mem")
    outcome = shell("check", "-d", tmp_path, "--format", form)
    assert outcome.status == 1
    assert "broken.md cannot be read" in outcome.err
    assert "Traceback" not in outcome.err
    if form == "sarif":
        assert outcome.json["runs"][0]["invocations"][0]["executionSuccessful"] is False


def test_a_note_that_is_not_utf_8_is_named_and_checked_all_the_same(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "old.md").write_bytes(b"caf\xe9 [[gone]]\n")
    outcome = shell("check", "-d", tmp_path)
    assert outcome.status == 1
    assert "old.md is not UTF-8 at byte 3" in outcome.err
    assert "dangling-link" in outcome.out


@pytest.mark.parametrize("form", FORMATS)
def test_no_form_holds_the_value_of_a_secret(shell: Shell, tmp_path: Path, form: str) -> None:
    write(tmp_path, {"user/deploy.md": f"---\ndescription: Deploying\n---\nThe token is {CANARY}, see [[{CANARY}]].\n"})
    outcome = shell("check", "-d", tmp_path, "--format", form)
    assert outcome.status == 1
    assert "contains-secret" in outcome.out
    assert CANARY not in outcome.out + outcome.err
    assert CANARY[4:20] not in outcome.out + outcome.err


def test_a_development_default_is_information(shell: Shell, tmp_path: Path) -> None:
    write(
        tmp_path,
        {"user/dev.md": "---\ndescription: D\n---\nUse postgres://postgres:postgres@localhost:5432/app here.\n"},
    )
    outcome = shell("check", "-d", tmp_path, "--format", "json")
    assert outcome.status == 0
    assert [(found["code"], found["severity"]) for found in outcome.json] == [("contains-secret", "information")]


def test_a_control_character_in_a_note_does_not_reach_the_terminal(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"user/a.md": "[[go\x1b[31mne]]\n"})
    assert "\x1b" not in shell("check", "-d", tmp_path).out


def test_github_commands_are_escaped(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"memory/user/a,b: 100%.md": "[[50% off: now]]\n"})
    outcome = shell("check", "--format", "github")
    assert outcome.lines == [
        "::warning file=memory/user/a%2Cb%3A 100%25.md,line=1,col=1,endLine=1,endColumn=17,"
        "title=memory-lsp dangling-link::There is no note “50%25 off: now”."
    ]


def test_github_paths_count_from_the_checkout(shell: Shell, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(memory.parent))
    monkeypatch.chdir(memory / "user")
    lines = shell("check", "-d", "..", "--format", "github").lines
    assert lines[2].startswith("::warning file=memory/project/onboarding-plan.md,line=12,col=10,")
    assert [line.split(" ")[0] for line in lines] == ["::notice", "::notice", "::warning", "::notice"]


def test_sarif_is_complete(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"memory/project/a b#1.md": "🗺 [[gone]]\n"})
    outcome = shell("check", "--format", "sarif")
    assert outcome.json["version"] == "2.1.0"
    (run,) = outcome.json["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(CODES)
    for rule in rules:
        assert rule["helpUri"].endswith(f"diagnostics.md#{rule['id']}") and ":" in rule["helpUri"]
        assert rule["shortDescription"]["text"] and rule["help"]["text"]
    (result,) = run["results"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "dangling-link"
    assert result["level"] == "warning"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
    assert unquote(place["artifactLocation"]["uri"]) == "memory/project/a b#1.md"
    assert "#" not in place["artifactLocation"]["uri"] and " " not in place["artifactLocation"]["uri"]
    assert run["columnKind"] == "utf16CodeUnits"
    assert place["region"] == {"startLine": 1, "startColumn": 4, "endLine": 1, "endColumn": 12}


def test_sarif_levels_follow_the_settings(shell: Shell, memory: Path) -> None:
    outcome = shell("check", "-d", memory, "--format", "sarif", "--set", "diagnostics.inexact-link=error")
    levels = [result["level"] for result in outcome.json["runs"][0]["results"]]
    assert levels == ["error", "error", "warning", "note"]


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_is_written(shell: Shell, memory: Path, form: str) -> None:
    before = tree(memory)
    shell("check", "-d", memory, "--format", form)
    assert tree(memory) == before


def test_json_stays_json_on_a_console_without_unicode(
    memory: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    import io
    import sys

    from memory_lsp.cli import main

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="cp1252"))
    assert main(["check", "-d", str(memory), "--format", "json"]) == 1
    messages = [found["message"] for found in json.loads(raw.getvalue().decode("ascii"))]
    assert "There is no note “load-test-results”." in messages


def test_the_folder_above_a_memory_is_enough(shell: Shell, memory: Path) -> None:
    outcome = shell("check", "-d", memory.parent, "--format", "json")
    assert [found["path"] for found in outcome.json] == [f"memory/{path}" for path, _, _ in PLANTED]
