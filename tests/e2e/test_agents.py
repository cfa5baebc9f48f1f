"""The clients of docs/agents.md run as they stand there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ROOT / "docs" / "examples" / "agents"


@pytest.mark.parametrize("name", ["client.py", "client.ts"])
def test_the_page_shows_the_file(name: str) -> None:
    assert (AGENTS / name).read_text() in (ROOT / "docs" / "agents.md").read_text()


@pytest.mark.model
def test_the_python_client_renders_the_prompt_block(tmp_path: Path) -> None:
    memory = tmp_path / "memory"
    shutil.copytree(ROOT / "docs" / "examples" / "memory", memory, ignore=shutil.ignore_patterns(".graph"))
    server = tmp_path / "memory-lsp"
    server.write_text(f'#!/bin/sh\nexec {sys.executable} -m memory_lsp "$@"\n')
    server.chmod(0o755)
    command = [sys.executable, str(AGENTS / "client.py"), str(memory), "how should I format this comparison?"]
    done = subprocess.run(
        command, env=os.environ | {"MEMORY_LSP": str(server)}, capture_output=True, text=True, timeout=100, check=True
    )
    lines = done.stdout.splitlines()
    assert (lines[0], lines[-1]) == ("<memory>", "</memory>")
    assert lines[1] == "## comparisons-as-tables (feedback)"
