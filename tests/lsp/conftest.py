"""Fixtures of the protocol tests: a server in this process for each test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from local import Local

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


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
