"""Which files of a directory are notes, and how they are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures import LINEAR, growth
from memory_lsp.files import LARGEST_NOTE, Selection, excluded, is_note, read_note


def make(folder: Path, *paths: str) -> None:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x", encoding="utf-8")


def test_a_walk_finds_notes_and_other_files_and_leaves_out_what_is_no_memory(tmp_path: Path) -> None:
    make(
        tmp_path, "a.md", "B.MD", "sub/deep/c.md", "pic.svg", "sub/d.markdown", ".hidden.md", ".git/e.md",
        ".graph/f.md", "node_modules/g/h.md", ".obsidian/i.md", "sub/.graph/j.md", "drafts/k.md", "old.md",
    )  # fmt: skip
    listing = Selection(tmp_path, ("drafts", "old.*")).walk()
    assert listing.notes == {"a.md", "B.MD", "sub/deep/c.md"}
    assert listing.others == {"pic.svg", "sub/d.markdown"}
    assert listing.problem == ""


GLOBS = [
    ("drafts", "drafts/a.md", True),
    ("drafts", "sub/drafts/a.md", True),
    ("drafts", "drafts.md", False),
    ("drafts/", "drafts/a.md", True),
    ("*.tmp.md", "sub/a.tmp.md", True),
    ("*.tmp.md", "a.md", False),
    ("sub/*.md", "sub/a.md", True),
    ("sub/*.md", "sub/deep/a.md", False),
    ("sub/*.md", "x/sub/a.md", False),
    ("sub/**", "sub/deep/a.md", True),
    ("**/deep/*.md", "sub/deep/a.md", True),
    ("**/deep/*.md", "deep/a.md", True),
    ("a?.md", "ab.md", True),
    ("a?.md", "a/b.md", False),
    ("[ab].md", "b.md", True),
    ("[!ab].md", "b.md", False),
    ("[!ab].md", "c.md", True),
    ("./sub/a.md", "sub/a.md", True),
    ("/a.md", "a.md", True),
    ("a+b (c).md", "a+b (c).md", True),
    ("[", "[", True),
    ("", "a.md", False),
    ("   ", "a.md", False),
]


@pytest.mark.parametrize(("glob", "path", "expected"), GLOBS)
def test_exclude_globs(glob: str, path: str, expected: bool) -> None:
    assert excluded(path, (glob,)) is expected
    assert Selection(Path("/none"), (glob,)).includes(path) is not expected


def test_globs_are_matched_in_linear_time() -> None:
    assert growth(lambda count: excluded("a/" * count + "b", ("**/*a*/**/*c",)), 150) < LINEAR * 3


@pytest.mark.parametrize(
    "path", [".git/a.md", "sub/.hidden/a.md", "node_modules/a.md", "a/node_modules/b/c.md", ".a.md"]
)
def test_skipped_paths_are_not_included(path: str) -> None:
    assert not Selection(Path("/none")).includes(path)


@pytest.mark.parametrize(("path", "expected"), [("a.md", True), ("a/B.MD", True), ("a.mdx", False), ("md", False)])
def test_notes_end_in_md(path: str, expected: bool) -> None:
    assert is_note(path) is expected


def test_a_loop_of_links_ends_and_a_linked_folder_is_walked_once(tmp_path: Path) -> None:
    make(tmp_path, "vault/a.md", "vault/sub/b.md", "outside/c.md")
    vault = tmp_path / "vault"
    (vault / "sub" / "loop").symlink_to(vault, target_is_directory=True)
    (vault / "linked").symlink_to(tmp_path / "outside", target_is_directory=True)
    (vault / "broken.md").symlink_to(tmp_path / "nowhere.md")
    assert Selection(vault).walk().notes == {"a.md", "sub/b.md", "linked/c.md"}


def test_a_missing_directory_is_empty(tmp_path: Path) -> None:
    assert Selection(tmp_path / "none").walk().notes == frozenset()


def test_a_name_that_is_no_text_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    with Path(bytes(tmp_path).decode() + "/\udcff.md").open("w"):
        pass
    assert Selection(tmp_path).walk().notes == {"a.md"}


READ = [
    (b"a\r\nb\rc\n", "a\r\nb\rc\n", ""),
    (b"\xef\xbb\xbfa", "\ufeffa", ""),
    (b"", "", ""),
    (b"caf\xe9 \x80", "caf\ufffd \ufffd", "not UTF-8 at byte 3"),
    ("é🗺".encode(), "é🗺", ""),
]


@pytest.mark.parametrize(("raw", "text", "problem"), READ)
def test_reading_keeps_line_ends_and_says_what_is_wrong(tmp_path: Path, raw: bytes, text: str, problem: str) -> None:
    (tmp_path / "a.md").write_bytes(raw)
    found, sentence = read_note(tmp_path / "a.md")
    assert found == text
    assert problem in sentence and bool(sentence) is bool(problem)


def test_a_giant_file_is_no_note(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"x" * (LARGEST_NOTE + 1))
    text, problem = read_note(tmp_path / "a.md")
    assert text == "" and "larger than 4 MB" in problem
