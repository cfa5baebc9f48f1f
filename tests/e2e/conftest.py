"""Fixtures of the end to end tests: servers as processes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from piped import SERVE, Piped

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from pathlib import Path

    Start = Callable[..., Awaitable[Piped]]


@pytest.fixture
async def start(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Start]:
    """Start servers; all end with the test, and none may have written a byte that is no message."""
    started: list[Piped] = []
    log = tmp_path_factory.mktemp("log") / "stderr"

    async def begin(command: Sequence[str] = SERVE, **env: str) -> Piped:
        started.append(await Piped.start(log, command, **env))
        return started[-1]

    yield begin
    for piped in started:
        await piped.stop()
    assert [piped.stray for piped in started] == [b""] * len(started)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder for notes."""
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder
