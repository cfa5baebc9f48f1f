"""`graph`, `stats`, `doctor` and `rebuild` without a model."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

import pytest
from cli_rig import NO_MODEL, Shell, example, tree, write
from memory_lsp.cli.checks import watching

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(capsys)


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return example(tmp_path)


def test_json_has_the_shape_of_graph_json(shell: Shell, memory: Path) -> None:
    graph = shell("graph", "-d", memory, *NO_MODEL).json
    assert set(graph) == {"nodes", "edges"}
    assert {"id": "tag:output-style", "kind": "Tag", "label": "output-style"} in graph["nodes"]
    assert {
        "from": "feedback/comparisons-as-tables",
        "to": "reference/decision-template",
        "kind": "RelatesTo",
        "weight": 0.7,
    } in graph["edges"]
    known = {node["id"] for node in graph["nodes"]}
    assert all({edge["from"], edge["to"]} <= known for edge in graph["edges"])


HOSTILE = 'say "hi"\\n; #1 <b>&`x`] -->|y|'


def _hostile(folder: Path) -> Path:
    name = HOSTILE.replace("'", "''")
    return write(
        folder,
        {
            "user/a.md": f"---\nname: '{name}'\ndescription: A\ntags: ['c++ \"q\"']\ncontradicts: b\n---\n[[b]]\n",
            "user/b.md": "---\nname: b\ndescription: B\n---\n",
        },
    )


def test_dot_quotes_every_name(shell: Shell, tmp_path: Path) -> None:
    lines = shell("graph", "-d", _hostile(tmp_path), "--format", "dot", *NO_MODEL).lines
    assert (lines[0], lines[-1]) == ("digraph memory {", "}")
    quoted = r'"((?:[^"\\]|\\.)*)"'
    node = re.compile(rf"  {quoted} \[label={quoted}, shape=(box|ellipse|hexagon)\];")
    edge = re.compile(rf"  {quoted} -> {quoted} \[label={quoted}(, style=dashed, dir=none)?\];")
    assert all(node.fullmatch(line) or edge.fullmatch(line) for line in lines[2:-1])
    labels = [_unquoted(found[2]) for line in lines if (found := node.fullmatch(line))]
    assert HOSTILE in labels and '#c++ "q"' in labels
    assert any(line.endswith('[label="Contradicts", style=dashed, dir=none];') for line in lines)


def test_mermaid_escapes_every_name(shell: Shell, tmp_path: Path) -> None:
    lines = shell("graph", "-d", _hostile(tmp_path), "--format", "mermaid", *NO_MODEL).lines
    assert lines[0] == "flowchart LR"
    node = re.compile(r'  (n\d+)(?:\[|\(\[|\{\{)"([^"<>`\\]*)"(?:\]|\]\)|\}\})')
    edge = re.compile(r"  n\d+ (?:-->|-\.-)\|\w+\| n\d+")
    assert all(node.fullmatch(line) or edge.fullmatch(line) for line in lines[1:])
    labels = [html.unescape(found[2].replace("#", "&#")) for line in lines if (found := node.fullmatch(line))]
    assert HOSTILE in labels
    assert sum(" -.-|Contradicts| " in line for line in lines) == 1


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def test_stats_count_what_is_there(shell: Shell, memory: Path) -> None:
    counts = shell("stats", "-d", memory, "--json", *NO_MODEL).json
    embedder = counts.pop("embedder")
    assert counts == {
        "notes": 32, "vectors": 0, "dims": None, "nodes": 55, "edges": 102, "clusters": 0, "danglingLinks": 1,
    }  # fmt: skip
    assert (embedder["available"], embedder["state"]) == (False, "off")
    lines = shell("stats", "-d", memory, *NO_MODEL).lines
    assert lines[0].split() == ["notes", "32"]
    assert lines[-2].split() == ["dangling", "links", "1"]


def test_where_there_are_several_memories_the_first_is_taken_and_the_rest_named(shell: Shell, tmp_path: Path) -> None:
    write(tmp_path, {"memory/user/a.md": "a\n", ".claude/memory/user/b.md": "b\n", ".claude/memory/user/c.md": "c\n"})
    outcome = shell("stats", "-d", tmp_path, "--json", *NO_MODEL)
    assert outcome.json["notes"] == 1
    assert f"Taking {tmp_path / 'memory'}" in outcome.err
    assert str(tmp_path / ".claude" / "memory") in outcome.err


@pytest.mark.parametrize("override", ["embedding.backend=none", "embedding.model=/nowhere/at/all"])
def test_rebuild_without_a_model_keeps_the_index_that_is_there(shell: Shell, memory: Path, override: str) -> None:
    write(memory, {".graph/embeddings.bin": "vectors", ".graph/meta.json": "{}"})
    before = tree(memory)
    outcome = shell("rebuild", "-d", memory, "--set", override)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith("memory-lsp: Nothing was rebuilt: ")
    assert outcome.err.count("\n") == 1
    assert tree(memory) == before


def test_doctor_is_content_with_a_memory_and_no_embedder(shell: Shell, memory: Path) -> None:
    outcome = shell("doctor", "-d", memory, *NO_MODEL)
    assert outcome.status == 0
    assert all(line.startswith("✓ ") for line in outcome.lines)
    shown = "\n".join(outcome.lines)
    for part in ("Python: 3.", "pygls 2.", "memory.embedding.backend is none", f"{memory}, a memory directory, 32"):
        assert part in shown


def test_doctor_names_what_is_wrong_and_how_to_fix_it(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    outcome = shell("doctor", "-d", tmp_path / "empty", "--set", "embedding.model=/nowhere/at/all", "--json")
    assert outcome.status == 1
    assert outcome.json["ok"] is False
    wrong = {check["name"]: check["fix"] for check in outcome.json["checks"] if not check["ok"]}
    assert set(wrong) == {"embedder", "directory"}
    assert "Correct memory.embedding.model." in wrong["embedder"]
    text = shell("doctor", "-d", tmp_path / "empty", "--set", "embedding.model=/nowhere/at/all").lines
    assert [line[:2] for line in text if "embedder" in line] == ["✗ "]
    assert any(line.startswith("  fix: The model folder /nowhere/at/all does not exist.") for line in text)


def test_doctor_writes_nothing(shell: Shell, memory: Path) -> None:
    before = tree(memory)
    shell("doctor", "-d", memory, *NO_MODEL)
    assert tree(memory) == before


def test_doctor_says_when_folders_outnumber_the_watches() -> None:
    assert watching(10).ok
    many = watching(10**9)
    assert many.ok is not many.value.startswith("inotify"), "only inotify has a limit"
    assert many.ok or "sysctl fs.inotify.max_user_watches=2000000000" in many.fix
