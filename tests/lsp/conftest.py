"""Fixtures of the protocol tests: a server in this process for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from local import Local
from memory_lsp.lsp import diagnostics, server
from pygls.protocol import default_converter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


_CONVERTER = default_converter()


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody types here; the end to end tests wait as long as users do."""
    monkeypatch.setattr(diagnostics, "QUIET", 0.02)
    # A converter writes its code for each type anew, half of the time of a short session.
    monkeypatch.setattr(server, "default_converter", lambda: _CONVERTER)


@pytest.fixture
async def client() -> AsyncIterator[Local]:
    """A client before its first message."""
    local = Local()
    yield local
    await local.server.stop()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    return folder
