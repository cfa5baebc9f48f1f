"""Every public report of a fault in another server, against ours: a process, its pipes, and files on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from case_runner import CAPABILITIES, CHECKS, NOTES, Outcome, Session, not_advertised
from case_server import StdioPeer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "public_reports.json").read_text(encoding="utf-8"))
# Cases that need other settings get a server of their own; the others share one, each in a workspace folder.
SHARED: list[Any] = [case for case in CASES if not case.get("options")]
OWN: list[Any] = [case for case in CASES if case.get("options")]

# What a server may do without; the case then checks what is left of it.
OPTIONAL = {"textDocument/codeAction"}

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def start(peer: StdioPeer, options: dict[str, Any]) -> None:
    await peer.initialize(capabilities=CAPABILITIES, options={"embedding": {"backend": "none"}, **options})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[StdioPeer]:
    async with StdioPeer() as peer:
        await start(peer, {})
        yield peer


async def check(peer: StdioPeer, case: dict[str, Any], folder: Path) -> None:
    missing = not_advertised(case, peer.capabilities)
    print("not advertised:", *missing)  # noqa: T201  pytest shows it with a failure
    assert set(missing) <= OPTIONAL
    session = Session(peer, folder, left_out=tuple(missing))
    try:
        await session.play(case)
        diagnostics = {path: await session.diagnostics(path) for path in session.versions}
    finally:
        await session.leave()
    assert list(Outcome(session, case, diagnostics).differences()) == []


@pytest.mark.parametrize("case", SHARED, ids=[case["id"] for case in SHARED])
async def test_case(server: StdioPeer, case: dict[str, Any], tmp_path: Path) -> None:
    await check(server, case, tmp_path)


@pytest.mark.parametrize("case", OWN, ids=[case["id"] for case in OWN])
async def test_case_with_settings_of_its_own(case: dict[str, Any], tmp_path: Path) -> None:
    async with StdioPeer() as peer:
        await start(peer, case["options"])
        await check(peer, case, tmp_path)


async def test_every_expectation_is_checked() -> None:
    assert {key for case in CASES for key in case["expect"]} <= CHECKS.keys() | NOTES
