"""Files and folders that move: every link keeps its meaning, in its own spelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fixtures import LINEAR, Vault, growth
from memory_lsp.core.moves import move_edits
from rename_rig import check_move

if TYPE_CHECKING:
    from memory_lsp.core.snapshot import Snapshot


def test_links_into_a_moved_note_follow() -> None:
    check_move(
        """
        /project/x.md
        x
        /MEMORY.md
        - [X](project/x.md) [X](./project/x.md#h)
        /feedback/a.md
        [[x]] [[project/x]] [[/project/x|l]] [[../project/x]] [x](../project/x.md) [x](/project/x) [[project/x.md]]
        """,
        {"project/x.md": "feedback/x.md"},
        """
        /feedback/x.md
        x
        /MEMORY.md
        - [X](feedback/x.md) [X](./feedback/x.md#h)
        /feedback/a.md
        [[x]] [[feedback/x]] [[/feedback/x|l]] [[./x]] [x](x.md) [x](/feedback/x) [[feedback/x.md]]
        """,
    )


def test_links_out_of_a_moved_note_follow() -> None:
    check_move(
        "/a.md\n[b](b.md) [b](./b.md) [b](/b.md) [[b]] [[./b]] ![](img/p.png) [up](../far.txt)\n"
        "/b.md\nx\n/img/p.png\n\n",
        {"a.md": "sub/deep/a.md"},
        "/sub/deep/a.md\n[b](../../b.md) [b](../../b.md) [b](/b.md) [[b]] [[../../b]] ![](../../img/p.png) "
        "[up](../far.txt)\n/b.md\nx\n/img/p.png\n\n",
    )


def test_an_id_follows_the_folder_that_gives_the_type() -> None:
    check_move(
        "/project/file.md\n---\nname: Plan\n---\n/a.md\n[[project/Plan]] [[Plan]] [[project/file]]\n",
        {"project/file.md": "feedback/file.md"},
        "/feedback/file.md\n---\nname: Plan\n---\n/a.md\n[[feedback/Plan]] [[Plan]] [[feedback/file]]\n",
    )


def test_a_folder_moves_with_its_notes_and_its_other_files() -> None:
    check_move(
        """
        /project/a.md
        [[b]] [b](b.md) ![](img/p.png) [c](../c.md) [[project/b]]
        /project/b.md
        [[project/a#h]]
        /project/img/p.png

        /c.md
        [a](project/a.md) ![p](project/img/p.png) ![[p.png]] ![[project/img/p.png]] [i](project/img) [f](project/)
        """,
        {"project": "area/two"},
        """
        /area/two/a.md
        [[b]] [b](b.md) ![](img/p.png) [c](../../c.md) [[area/two/b]]
        /area/two/b.md
        [[area/two/a#h]]
        /area/two/img/p.png

        /c.md
        [a](area/two/a.md) ![p](area/two/img/p.png) ![[p.png]] ![[area/two/img/p.png]] [i](area/two/img) [f](area/two/)
        """,
    )


def test_a_picture_that_is_renamed_keeps_its_links() -> None:
    check_move(
        "/a.md\n![[p.png]] ![x](img/p.png) ![[p.png|100]]\n/img/p.png\n\n",
        {"img/p.png": "img/q r.png"},
        "/a.md\n![[q r.png]] ![x](img/q%20r.png) ![[q r.png|100]]\n/img/q r.png\n\n",
    )


def test_several_files_move_at_once() -> None:
    check_move(
        "/a.md\n[b](b.md) [[b]]\n/b.md\n[a](a.md) [[a]]\n/c.md\n[[a]] [[b]]\n",
        {"a.md": "x/one.md", "b.md": "y/two.md"},
        "/x/one.md\n[b](../y/two.md) [[two]]\n/y/two.md\n[a](../x/one.md) [[one]]\n/c.md\n[[one]] [[two]]\n",
    )


def test_two_files_change_places() -> None:
    check_move(
        "/a.md\nthe first\n/b.md\nthe second\n/c.md\n[[a]] [x](b.md)\n",
        {"a.md": "b.md", "b.md": "a.md"},
        "/b.md\nthe first\n/a.md\nthe second\n/c.md\n[[b]] [x](a.md)\n",
    )


def test_a_change_of_case_only_keeps_every_link() -> None:
    check_move(
        "/JavaScript.md\n# JS\n/r.md\nAbout [[JavaScript]] and [[javascript|it]].\n",
        {"JavaScript.md": "javascript.md"},
        "/javascript.md\n# JS\n/r.md\nAbout [[javascript]] and [[javascript|it]].\n",
    )


def test_a_name_that_stays_keeps_links_by_name() -> None:
    check_move(
        "/old.md\n---\nname: Plan\n---\n/a.md\n[[Plan]] [[old]]\n",
        {"old.md": "new.md"},
        "/new.md\n---\nname: Plan\n---\n/a.md\n[[Plan]] [[new]]\n",
    )


def test_a_link_that_the_moved_file_would_capture_is_made_exact() -> None:
    check_move(
        "/old.md\nx\n/reference/plan.md\ny\n/a.md\n[[plan]] [[old]]\n",
        {"old.md": "user/plan.md"},
        "/user/plan.md\nx\n/reference/plan.md\ny\n/a.md\n[[reference/plan]] [[user/plan]]\n",
    )


def test_what_links_nowhere_stays() -> None:
    check_move("/a.md\n[[gone]] [x](gone.md)\n/b.md\nx\n", {"b.md": "c.md"}, "/a.md\n[[gone]] [x](gone.md)\n/c.md\nx\n")


def test_a_move_costs_what_points_at_the_file() -> None:
    snapshots: dict[int, Snapshot] = {}

    def work(count: int) -> None:
        if count not in snapshots:
            texts = {f"d/n{n}.md": f"[[x]] [x](../x.md) [[n{n + 1}]]\n" for n in range(count)} | {"x.md": "x"}
            snapshots[count] = Vault(texts).snapshot()
        assert len(move_edits(snapshots[count], {"x.md": "y/z.md"})) == 2 * count

    work(60)
    work(240)
    assert growth(work, 60) < LINEAR
