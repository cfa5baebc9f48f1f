"""`redact`: shows what it would do without showing a secret, and writes nothing but the references."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cli_rig import Shell, example, tree, write

if TYPE_CHECKING:
    from pathlib import Path

# Put together here, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "Zq8Rk2Vw5T" * 3 + "nB3xYd"
OTHER = "glpat-" + "kX7vQ2mT9bR4wN6pZ1" + "aB"


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


def test_a_dry_run_shows_a_masked_diff_and_writes_nothing(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"user/deploy.md": f"# Deploy\n\nThe token is {TOKEN} for now.\nThen run it.\n"})
    before = tree(tmp_path)
    outcome = shell("redact", "-d", tmp_path)
    assert outcome.status == 1
    assert outcome.lines == [
        "--- a/user/deploy.md",
        "+++ b/user/deploy.md",
        "@@ -1,4 +1,4 @@",
        " # Deploy",
        " ",
        "-The token is ******** for now.",
        "+The token is ${REDACTED_GITHUB_TOKEN} for now.",
        " Then run it.",
    ]
    assert outcome.err == "Found 1 secret in 1 note; nothing is written without --write.\n"
    assert tree(tmp_path) == before


def test_write_replaces_the_value_and_nothing_else(shell: Shell, tmp_path: Path) -> None:
    text = f"\ufeffone 🗺\r\nThe token is {TOKEN}.\rold line\nagain: {TOKEN}\u2028x\r\n\r\n  end"
    write(tmp_path, {"user/deploy.md": text, "user/clean.md": "nothing here\r\n"})
    (tmp_path / "user" / "deploy.md").chmod(0o640)
    outcome = shell("redact", "-d", tmp_path, "--write")
    assert outcome.status == 0
    written = (tmp_path / "user" / "deploy.md").read_bytes().decode()
    assert written == text.replace(TOKEN, "${REDACTED_GITHUB_TOKEN}")
    assert (tmp_path / "user" / "deploy.md").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "user" / "clean.md").read_bytes() == b"nothing here\r\n"
    assert sorted(path.name for path in (tmp_path / "user").iterdir()) == ["clean.md", "deploy.md"]
    assert "revoke it" in outcome.err
    assert shell("redact", "-d", tmp_path).status == 0, "nothing is left to redact"


@pytest.mark.parametrize("write_it", [False, True])
def test_no_secret_is_printed_not_even_beside_a_change(shell: Shell, tmp_path: Path, write_it: bool) -> None:
    write(
        tmp_path,
        {
            "user/deploy.md": f"The old token is {OTHER} <!-- memory-lsp: allow contains-secret -->\n"
            f"The token is {TOKEN}\nAgain {TOKEN} here.\n"
        },
    )
    outcome = shell("redact", "-d", tmp_path, *(["--write"] if write_it else []))
    assert "REDACTED_GITHUB_TOKEN" in outcome.out
    for value in (TOKEN, OTHER):
        assert value not in outcome.out + outcome.err
        assert value[8:20] not in outcome.out + outcome.err
    assert OTHER in (tmp_path / "user" / "deploy.md").read_text("utf-8"), "what is allowed stays"


def test_a_private_key_of_many_lines_is_masked(shell: Shell, tmp_path: Path) -> None:
    lines = [f"MIIEv{number}Qk8Zr3" + "Vw5TnB2x" * 6 for number in range(6)]
    block = "\n".join(("-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"))
    write(tmp_path, {"user/key.md": f"Before\n\n{block}\n\nAfter\n"})
    outcome = shell("redact", "-d", tmp_path)
    assert outcome.status == 1
    assert not any(line in outcome.out for line in lines)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_writing_a_block_of_many_lines_keeps_the_line_ends_and_is_done_once(
    shell: Shell, tmp_path: Path, end: str
) -> None:
    lines = [f"MIIEv{number}Qk8Zr3" + "Vw5TnB2x" * 6 for number in range(6)]
    block = end.join(("-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----"))
    text = end.join(("Before", "", block, "", f"a {TOKEN}, b {TOKEN}", f"`{TOKEN}`"))
    write(tmp_path, {"user/key.md": text})
    outcome = shell("redact", "-d", tmp_path, "--write")
    assert outcome.status == 0
    assert not any(value in outcome.out + outcome.err for value in (*lines, TOKEN))
    written = (tmp_path / "user/key.md").read_bytes().decode()
    reference = "${REDACTED_GITHUB_TOKEN}"
    assert written == end.join(
        ("Before", "", "${REDACTED_PRIVATE_KEY}", "", f"a {reference}, b {reference}", f"`{reference}`")
    )
    again = shell("redact", "-d", tmp_path, "--write")
    assert (again.status, again.out) == (0, "")
    assert (tmp_path / "user/key.md").read_bytes().decode() == written


def test_development_defaults_stay(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"user/dev.md": "Use postgres://postgres:postgres@localhost:5432/app here.\n"})
    assert shell("redact", "-d", tmp_path).status == 0


def test_paths_choose_the_notes(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"user/a.md": f"token {TOKEN}\n", "user/b.md": f"token {TOKEN}\n"})
    outcome = shell("redact", "-d", tmp_path, tmp_path / "user" / "b.md", "--write")
    assert outcome.status == 0
    assert TOKEN in (tmp_path / "user" / "a.md").read_text("utf-8")
    assert TOKEN not in (tmp_path / "user" / "b.md").read_text("utf-8")


def test_a_note_that_is_not_utf_8_is_never_rewritten(shell: Shell, tmp_path: Path) -> None:
    raw = b"caf\xe9, the token is " + TOKEN.encode() + b"\n"
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "old.md").write_bytes(raw)
    outcome = shell("redact", "-d", tmp_path, "--write")
    assert outcome.status == 1
    assert (tmp_path / "user" / "old.md").read_bytes() == raw
    assert "is not UTF-8" in outcome.err
    assert "Replaced" not in outcome.err


def test_a_link_stays_a_link(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"kept/real.md": f"token {TOKEN}\n", "memory/user/a.md": "text\n"})
    link = tmp_path / "memory" / "user" / "linked.md"
    link.symlink_to(tmp_path / "kept" / "real.md")
    assert shell("redact", "-d", tmp_path / "memory", "--write").status == 0
    assert link.is_symlink()
    assert TOKEN not in (tmp_path / "kept" / "real.md").read_text("utf-8")


def test_the_example_has_nothing_to_redact(shell: Shell, tmp_path: Path) -> None:
    outcome = shell("redact", "-d", example(tmp_path))
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "No secret to redact.\n")
