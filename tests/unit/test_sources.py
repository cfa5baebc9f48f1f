"""Source files over a snapshot: they link to notes, and are nothing else."""

from __future__ import annotations

from fixtures import parse_vault, vault_of
from memory_lsp.core.lint import lint
from memory_lsp.core.references import references
from memory_lsp.core.sources import parse_source, reread, with_sources
from memory_lsp.core.targets import ToNote

TOKEN = "ghp_" + "Zq8Rk2Vw5T" * 3 + "nB3xYd"


def test_they_have_no_name_no_id_and_no_node() -> None:
    snapshot = vault_of(a="[[b]] [[code]]", b="# B")
    source = parse_source("src/code.py", "# [[b]] [[a]]", "python")
    view = with_sources(snapshot, [source])
    assert (view.ids, view.paths, view.names) == (snapshot.ids, snapshot.paths, snapshot.names)
    assert list(view.graph.nodes()) == list(snapshot.graph.nodes())
    assert list(view.graph.edges()) == list(snapshot.graph.edges())
    assert view.meanings["a.md"].links[1].is_dangling
    assert view.homonyms("src/code.py") == ()
    assert "src/code.py" not in snapshot.notes


def test_they_are_backlinks() -> None:
    snapshot = vault_of(a="[[b]]", b="# B")
    view = with_sources(snapshot, [parse_source("../src/code.py", "x = 1  # [[b]]", "python")])
    found = [(each.path, each.span.start) for each in references(view, ToNote("b.md")) if not each.is_declaration]
    assert found == [("../src/code.py", 9), ("a.md", 0)]


def test_their_secrets_are_their_own() -> None:
    snapshot = vault_of(a=f"key {TOKEN}")
    source = parse_source("code.py", f"key = '{TOKEN}'  # [[a]]\nother = 'xx{TOKEN[::-1]}'", "python")
    view = with_sources(snapshot, [source])
    assert lint(view, "code.py") == ()
    assert view.guard.secrets(source) == ()
    assert TOKEN not in view.public("a.md").text
    # What a note hides is hidden in notes; a source file is shown by its name alone.
    assert view.public("code.py") is source


def test_only_links_are_reported() -> None:
    vault = parse_vault("/a.md\n# A\n")
    source = parse_source("code.py", "---\nname:\n---\n# [[a]] [text](gone.md) [[gone]]", "python")
    assert [item.code for item in lint(with_sources(vault.snapshot(), [source]), "code.py")] == ["dangling-link"]


def test_a_source_is_read_again_as_one() -> None:
    source = parse_source("code.py", "# [[a]]", "python")
    again = reread(source, "[[a]] # [[b]]", path="main.py")
    assert [link.target for link in again.links] == ["b"]
    assert (again.path, again.name, again.source is not None) == ("main.py", "main.py", True)
