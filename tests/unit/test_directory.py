"""A directory in use: buffers over disk, and every way in which the disk may change below them."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from fixtures import parse_vault
from memory_lsp.core.lint import lint
from memory_lsp.directory import Buffer, MemoryDirectory
from memory_lsp.discovery import Kind, Place

if TYPE_CHECKING:
    from pathlib import Path

VAULT = parse_vault("""
    /a.md
    [[b]] ![[pic.svg]] [t](assets/)
    /b.md
    # B
    /sub/c.md
    [[a]]
    /pic.svg
    <svg/>
    /assets/x.png
    x
    """)


@pytest.fixture
def directory(tmp_path: Path) -> MemoryDirectory:
    VAULT.write(tmp_path)
    return loaded(tmp_path)


def loaded(root: Path, kind: Kind = Kind.MEMORY, exclude: tuple[str, ...] = ()) -> MemoryDirectory:
    directory = MemoryDirectory(Place(root, kind), exclude)
    directory.adopt(directory.scan())
    return directory


def buffer(text: str, version: int = 1) -> Buffer:
    return Buffer("file:///x", version, text)


def codes(directory: MemoryDirectory, path: str) -> list[str]:
    return [item.code for item in lint(directory.snapshot, path)]


def same_as_from_scratch(directory: MemoryDirectory) -> bool:
    now, fresh = directory.saved(), loaded(directory.root, exclude=directory.exclude).snapshot
    return (
        {path: note.text for path, note in now.notes.items()} == {path: note.text for path, note in fresh.notes.items()}
        and now.meanings == fresh.meanings
        and now.backlinks == fresh.backlinks
        and now.ids == fresh.ids
        and now.names.files == fresh.names.files
        and now.graph == fresh.graph
    )


def test_loading_reads_every_note(directory: MemoryDirectory) -> None:
    assert directory.snapshot.notes.keys() == {"a.md", "b.md", "sub/c.md"}
    assert codes(directory, "a.md") == []


def test_a_buffer_owns_its_note_and_saved_keeps_the_text_on_disk(directory: MemoryDirectory) -> None:
    delta = directory.open("b.md", buffer("# B\n\nunsaved [[nope]]"))
    assert delta.changed == {"b.md"} and not delta.saved
    assert codes(directory, "b.md") == ["dangling-link"]
    assert directory.saved().notes["b.md"].text == "# B\n"
    assert same_as_from_scratch(directory)


def test_edits_follow_each_other_and_undo_makes_the_text_saved_again(directory: MemoryDirectory) -> None:
    directory.open("b.md", buffer("# B\n"))
    assert directory.saved() is directory.snapshot
    directory.open("b.md", buffer("# C\n", 2))
    directory.open("b.md", buffer("# D\n", 3))
    assert directory.saved().notes["b.md"].text == "# B\n"
    directory.open("b.md", buffer("# B\n", 4))
    assert directory.saved() is directory.snapshot


def test_a_new_buffer_is_a_note_at_once_but_not_saved(directory: MemoryDirectory) -> None:
    directory.open("new.md", buffer("text"))
    directory.open("new.md", buffer("text [[a]]", 2))
    assert "new.md" in directory.snapshot.notes and "new.md" not in directory.saved().notes
    (directory.root / "new.md").write_text("text [[a]]", encoding="utf-8")
    directory.refresh(["new.md"])
    assert directory.saved() is directory.snapshot
    assert same_as_from_scratch(directory)


def test_closing_gives_the_note_back_to_the_disk(directory: MemoryDirectory) -> None:
    directory.open("b.md", buffer("unsaved"))
    directory.open("new.md", buffer("unsaved"))
    directory.close("b.md")
    directory.close("new.md")
    assert directory.snapshot.notes["b.md"].text == "# B\n"
    assert "new.md" not in directory.snapshot.notes
    assert same_as_from_scratch(directory)


def test_a_change_outside_does_not_touch_an_open_note(directory: MemoryDirectory) -> None:
    directory.open("b.md", buffer("unsaved"))
    (directory.root / "b.md").write_text("outside", encoding="utf-8")
    delta = directory.refresh(["b.md"])
    assert directory.snapshot.notes["b.md"].text == "unsaved"
    assert directory.saved().notes["b.md"].text == "outside"
    assert delta.saved
    directory.close("b.md")
    assert directory.snapshot.notes["b.md"].text == "outside"


def test_a_file_deleted_while_open_stays_until_it_is_closed(directory: MemoryDirectory) -> None:
    directory.open("b.md", buffer("# B\n"))
    (directory.root / "b.md").unlink()
    directory.refresh(["b.md"])
    assert "b.md" in directory.snapshot.notes and "b.md" not in directory.saved().notes
    directory.close("b.md")
    assert codes(directory, "a.md") == ["dangling-link"]
    assert same_as_from_scratch(directory)


def test_a_byte_order_mark_on_disk_is_no_unsaved_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbf---\nname: x\n---\n")
    directory = loaded(tmp_path)
    assert directory.snapshot.notes["a.md"].name == "x"
    directory.open("a.md", buffer("---\nname: x\n---\n"))
    assert "a.md" in directory.saved().notes and directory.saved() is directory.snapshot


@pytest.mark.parametrize("path", ["pic.svg", "b.md"])
def test_a_file_that_comes_or_goes_changes_its_linkers(directory: MemoryDirectory, path: str) -> None:
    raw = (directory.root / path).read_bytes()
    (directory.root / path).unlink()
    assert "a.md" in directory.refresh([path]).affected
    assert codes(directory, "a.md") == ["dangling-link"]
    assert same_as_from_scratch(directory)
    (directory.root / path).write_bytes(raw)
    assert "a.md" in directory.refresh([path]).affected
    assert codes(directory, "a.md") == []
    assert same_as_from_scratch(directory)


def test_a_folder_removed_and_back(directory: MemoryDirectory) -> None:
    shutil.move(directory.root / "sub", directory.root.parent / "elsewhere")
    shutil.move(directory.root / "assets", directory.root.parent / "elsewhere-too")
    delta = directory.refresh(["sub", "assets"])
    assert "sub/c.md" in delta.changed
    assert codes(directory, "a.md") == ["dangling-link"]
    assert same_as_from_scratch(directory)
    shutil.move(directory.root.parent / "elsewhere", directory.root / "sub")
    shutil.move(directory.root.parent / "elsewhere-too", directory.root / "assets")
    directory.refresh(["sub", "assets"])
    assert codes(directory, "a.md") == []
    assert same_as_from_scratch(directory)


def test_an_empty_folder_is_a_place_to_link_to(directory: MemoryDirectory) -> None:
    directory.open("b.md", buffer("[t](plans/)"))
    assert codes(directory, "b.md") == ["dangling-link"]
    (directory.root / "plans").mkdir()
    assert "b.md" in directory.refresh(["plans"]).affected
    assert codes(directory, "b.md") == []
    (directory.root / "plans").rmdir()
    directory.refresh(["plans"])
    assert codes(directory, "b.md") == ["dangling-link"]


def test_a_rename_of_letter_case_keeps_the_backlinks(directory: MemoryDirectory) -> None:
    (directory.root / "b.md").rename(directory.root / "B.md")
    directory.refresh(["b.md", "B.md"])
    assert directory.snapshot.backlinks["B.md"] == {"a.md"}
    assert codes(directory, "a.md") == ["inexact-link"]
    assert same_as_from_scratch(directory)


def test_a_loop_of_links_to_folders_ends(directory: MemoryDirectory) -> None:
    (directory.root / "sub" / "loop").symlink_to(directory.root, target_is_directory=True)
    directory.refresh(["sub", "sub/loop"])
    assert all(path.count("loop") <= 1 for path in directory.snapshot.notes)
    assert loaded(directory.root).snapshot.notes.keys() == {"a.md", "b.md", "sub/c.md"}


def test_what_is_left_out_stays_out(tmp_path: Path) -> None:
    VAULT.write(tmp_path)
    directory = loaded(tmp_path, exclude=("sub",))
    for path in ("sub/c.md", "node_modules/x/d.md", ".graph/e.md", ".f.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x", encoding="utf-8")
    delta = directory.refresh(["sub/c.md", "sub", "node_modules", "node_modules/x/d.md", ".graph", ".f.md"])
    assert delta.changed == frozenset()
    assert directory.snapshot.notes.keys() == {"a.md", "b.md"}


def test_an_open_note_that_is_left_out_is_gone_after_close(directory: MemoryDirectory) -> None:
    directory.open(".hidden.md", buffer("x"))
    directory.close(".hidden.md")
    assert ".hidden.md" not in directory.snapshot.notes


def test_a_refresh_without_a_change_is_none(directory: MemoryDirectory) -> None:
    before = directory.snapshot
    delta = directory.refresh(["a.md", "b.md", "sub", "pic.svg", "unknown.txt", "unknown.md"])
    assert directory.snapshot is before and not delta.changed and not delta.affected


def test_a_file_that_is_not_utf8_is_a_note_with_a_problem(directory: MemoryDirectory) -> None:
    (directory.root / "b.md").write_bytes(b"# caf\xe9")
    directory.refresh(["b.md"])
    assert directory.snapshot.notes["b.md"].headings[0].text == "caf\ufffd"
    assert "b.md" in directory.problems
    (directory.root / "b.md").write_text("# café", encoding="utf-8")
    directory.refresh(["b.md"])
    assert directory.problems == {}


def test_a_folder_that_ends_in_md_is_no_note(directory: MemoryDirectory) -> None:
    (directory.root / "odd.md").mkdir()
    (directory.root / "odd.md" / "e.md").write_text("x", encoding="utf-8")
    directory.refresh(["odd.md"])
    assert directory.snapshot.notes.keys() == {"a.md", "b.md", "sub/c.md", "odd.md/e.md"}
    assert same_as_from_scratch(directory)


def test_buffers_opened_before_loading_lie_over_the_disk(tmp_path: Path) -> None:
    VAULT.write(tmp_path)
    directory = MemoryDirectory(Place(tmp_path, Kind.MEMORY))
    directory.open("b.md", buffer("early"))
    directory.open("new.md", buffer("early"))
    directory.adopt(directory.scan())
    assert directory.snapshot.notes["b.md"].text == "early"
    assert directory.saved().notes["b.md"].text == "# B\n"
    assert "new.md" not in directory.saved().notes


def test_a_single_file_is_served_without_a_walk(tmp_path: Path) -> None:
    VAULT.write(tmp_path)
    directory = loaded(tmp_path, Kind.SINGLE)
    directory.open("a.md", buffer("[t](b.md) [[#none]]"))
    assert directory.snapshot.notes.keys() == {"a.md"}
    assert codes(directory, "a.md") == ["dangling-anchor"]
    directory.close("a.md")
    assert directory.snapshot.notes == {}
