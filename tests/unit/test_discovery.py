"""Which folders are memory directories, which are only vaults, and which are never walked."""

from __future__ import annotations

from pathlib import Path

import pytest
from memory_lsp.discovery import Kind, Place, find_places, is_memory_directory, is_unwalkable


def make(folder: Path, *paths: str) -> Path:
    for path in paths:
        target = folder / path
        if path.endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("x", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home" / "kim"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    return folder


def kinds(places: tuple[Place, ...], root: Path) -> list[tuple[str, Kind]]:
    return [(place.root.relative_to(root).as_posix(), place.kind) for place in places]


FOUND = [
    (["MEMORY.md"], [("w", Kind.MEMORY)]),
    ([".graph/"], [("w", Kind.MEMORY)]),
    (["feedback/a.md"], [("w", Kind.MEMORY)]),
    (["feedback/", "a.md"], [("w", Kind.VAULT)]),
    (["feedback/a.txt"], [("w", Kind.VAULT)]),
    (["a.md"], [("w", Kind.VAULT)]),
    (["memory/a.md"], [("w/memory", Kind.MEMORY)]),
    ([".claude/memory/a.md"], [("w/.claude/memory", Kind.MEMORY)]),
    (["memory/", ".claude/memory/"], [("w/memory", Kind.MEMORY), ("w/.claude/memory", Kind.MEMORY)]),
    (["MEMORY.md", "memory/a.md"], [("w", Kind.MEMORY)]),
    ([], [("w", Kind.VAULT)]),
]


@pytest.mark.parametrize(("paths", "expected"), FOUND)
def test_places_of_a_workspace_folder(tmp_path: Path, paths: list[str], expected: list[tuple[str, Kind]]) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    assert kinds(find_places(make(folder, *paths)), tmp_path) == expected


def test_home_and_root_are_never_walked(home: Path, tmp_path: Path) -> None:
    make(home, "MEMORY.md")
    for folder in (home, Path("/")):
        (place,) = find_places(folder)
        assert place.kind is Kind.SINGLE and "not searched" in place.notice
    (tmp_path / "link").symlink_to(home, target_is_directory=True)
    assert is_unwalkable(tmp_path / "link")
    assert not is_unwalkable(home / "notes")


def test_the_setting_overrides_the_search(tmp_path: Path, home: Path) -> None:
    folder = make(tmp_path / "w", "MEMORY.md", "notes/a.md")
    make(home, "own/")
    absolute = make(tmp_path / "other", "a.md")
    found = find_places(folder, ("notes", str(absolute), "~/own", "notes", "gone"))
    assert [place.root for place in found] == [folder / "notes", absolute, home / "own", folder / "gone"]
    assert [bool(place.notice) for place in found] == [False, False, False, True]
    assert {place.kind for place in found} == {Kind.MEMORY}


def test_a_home_folder_in_the_setting_is_not_walked(tmp_path: Path) -> None:
    (place,) = find_places(tmp_path, ("~",))
    assert place.kind is Kind.SINGLE and place.notice


def test_an_unknown_user_is_a_missing_directory(tmp_path: Path) -> None:
    (place,) = find_places(tmp_path, ("~nobody-of-that-name/notes",))
    assert "does not exist" in place.notice


def test_directories_that_agents_keep(tmp_path: Path, home: Path) -> None:
    folder = make(tmp_path / "my.project", "a.md").resolve()
    dashed = str(folder).replace("/", "-")
    for name, place in (("claude", f".claude/projects/{dashed}"), ("freecode", ".freecode/projects/my.project")):
        expected = make(home, f"{place}/memory/") / place / "memory"
        assert find_places(folder, (name,)) == (Place(expected, Kind.MEMORY),)


def test_newer_spelling_of_a_project_folder(tmp_path: Path, home: Path) -> None:
    folder = make(tmp_path / "my.project_x", "a.md").resolve()
    dashed = "".join(c if c.isalnum() else "-" for c in str(folder))
    make(home, f".claude/projects/{dashed}/memory/")
    (place,) = find_places(folder, ("claude",))
    assert place.root.parent.name == dashed and not place.notice


def test_a_git_worktree_shares_the_directory_of_its_main_tree(tmp_path: Path, home: Path) -> None:
    main = make(tmp_path / "main", ".git/worktrees/branch/HEAD").resolve()
    tree = make(tmp_path / "branch", "a.md")
    (tree / ".git").write_text(f"gitdir: {main}/.git/worktrees/branch\n", encoding="utf-8")
    make(home, f".claude/projects/{str(main).replace('/', '-')}/memory/")
    (place,) = find_places(tree, ("claude",))
    assert place.root.parent.name == str(main).replace("/", "-")


@pytest.mark.parametrize("marker", ["gitdir: ../main/.git/modules/sub\n", "", "\0\n"])
def test_other_git_files_change_nothing(tmp_path: Path, home: Path, marker: str) -> None:
    tree = make(tmp_path / "sub", "a.md").resolve()
    (tree / ".git").write_text(marker, encoding="utf-8")
    (place,) = find_places(tree, ("claude",))
    assert place.root.parent.name == str(tree).replace("/", "-")


def test_a_missing_folder_is_no_memory_directory(tmp_path: Path) -> None:
    assert not is_memory_directory(tmp_path / "none")
