"""`allow`: digests on the list, never values, and what they change."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest
from cli_rig import Shell, tree, write

if TYPE_CHECKING:
    from pathlib import Path

# Put together here, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "Zq8Rk2Vw5T" * 3 + "nB3xYd"
OTHER = "glpat-" + "kX7vQ2mT9bR4wN6pZ1" + "aB"
DIGEST = hashlib.sha256(TOKEN.encode()).hexdigest()


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return write(tmp_path, {"user/deploy.md": f"# Deploy\n\nThe token is {TOKEN}.\nThe other is {OTHER}.\n"})


def errors(shell: Shell, memory: Path, *more: str) -> int:
    outcome = shell("check", "-d", memory, "--format", "json", *more)
    return sum(item["code"] == "contains-secret" for item in outcome.json)


def test_a_digest_allows_one_value(shell: Shell, memory: Path) -> None:
    assert errors(shell, memory) == 2
    outcome = shell("allow", "-d", memory, "--yes", "user/deploy.md:3")
    assert outcome.status == 0
    assert outcome.lines == [f"{DIGEST}  github-token, user/deploy.md:3"]
    assert errors(shell, memory) == 1
    shell("redact", "-d", memory, "--write")
    left = (memory / "user/deploy.md").read_text("utf-8")
    assert TOKEN in left
    assert OTHER not in left
    listed = (memory / ".memory-lsp-allow").read_text("utf-8")
    assert TOKEN not in listed
    assert f"\n{DIGEST}  # github-token, user/deploy.md:3\n" in listed
    assert TOKEN not in outcome.out + outcome.err


def test_a_path_allows_all_of_the_note_and_the_list_grows(shell: Shell, memory: Path) -> None:
    shell("allow", "-d", memory, "--yes", "user/deploy.md:3")
    assert shell("allow", "-d", memory, "--yes", memory / "user/deploy.md").status == 0
    assert errors(shell, memory) == 0
    assert (memory / ".memory-lsp-allow").read_text("utf-8").count(DIGEST) == 1


def test_without_yes_and_without_a_terminal_nothing_is_written(shell: Shell, memory: Path) -> None:
    before = tree(memory)
    outcome = shell("allow", "-d", memory, "user/deploy.md:3")
    assert outcome.status == 1
    assert DIGEST in outcome.out, "the digest can be copied all the same"
    assert tree(memory) == before


def test_a_line_without_a_secret_is_told(shell: Shell, memory: Path) -> None:
    outcome = shell("allow", "-d", memory, "--yes", "user/deploy.md:1")
    assert outcome.status == 1
    assert "no secret" in outcome.err
    assert shell("allow", "-d", memory, "--yes", "user/absent.md:1").status == 2
    assert shell("allow", "-d", memory, "--yes", "user/deploy.md:0").status == 2
    assert not (memory / ".memory-lsp-allow").exists()


def test_a_list_without_a_last_line_end_is_continued(shell: Shell, memory: Path) -> None:
    first = hashlib.sha256(OTHER.encode()).hexdigest().upper()
    (memory / ".memory-lsp-allow").write_bytes(b"\xef\xbb\xbf# ours\r\n" + first.encode() + b" # the other")
    assert errors(shell, memory) == 1
    shell("allow", "-d", memory, "--yes", "user/deploy.md")
    assert errors(shell, memory) == 0


def test_a_value_on_the_list_is_no_digest_and_is_not_repeated(shell: Shell, memory: Path) -> None:
    (memory / ".memory-lsp-allow").write_text(f"# ours\n{TOKEN}\n", "utf-8")
    outcome = shell("check", "-d", memory)
    assert "line 2: this is no SHA-256 digest" in outcome.err
    assert outcome.status == 1
    assert TOKEN not in outcome.out + outcome.err


def test_a_rule_can_be_switched_off(shell: Shell, memory: Path) -> None:
    assert errors(shell, memory, "--set", "secrets.disabled=github-token") == 1
    assert errors(shell, memory, "--set", "secrets.disabled=github-token,gitlab-token") == 0
    outcome = shell("check", "-d", memory, "--set", "secrets.disabled=no-such-rule")
    assert outcome.status == 2
    assert "'no-such-rule' is no secret rule" in outcome.err
    redacted = shell("redact", "-d", memory, "--set", "secrets.disabled=github-token", "--write")
    assert redacted.status == 0
    assert TOKEN in (memory / "user/deploy.md").read_text("utf-8")


def test_reports_have_the_digest_and_not_the_value(shell: Shell, memory: Path) -> None:
    finding = next(item for item in shell("check", "-d", memory, "--format", "json").json if item.get("digest"))
    assert (finding["rule"], finding["digest"]) == ("github-token", DIGEST)
    log = shell("check", "-d", memory, "--format", "sarif").json
    prints = [result.get("fingerprints") for result in log["runs"][0]["results"]]
    assert {"secretSha256/v1": DIGEST} in prints
    assert TOKEN not in json.dumps(log)
