"""Bytes on pipes: frames however they are cut, headers and bodies however they are damaged."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from memory_lsp.lsp import transport
from memory_lsp.lsp.transport import Input, Output
from peer import framed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@dataclass
class Rig:
    """A server's two ends of its pipes, and what came in."""

    output: Output
    to_server: int
    from_server: int
    bodies: list[object] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def receive(self, body: object, problem: str) -> None:
        if problem:
            self.problems.append(problem)
        else:
            self.bodies.append(body)
        self.news.set()

    async def send(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[await asyncio.to_thread(os.write, self.to_server, view) :]

    async def comes(self, count: int) -> list[object]:
        async with asyncio.timeout(10):
            while len(self.bodies) < count:
                self.news.clear()
                await self.news.wait()
        return self.bodies

    def hang_up(self) -> None:
        os.close(self.to_server)
        self.to_server = -1


@pytest.fixture
async def rig() -> AsyncIterator[Rig]:
    server_in, client_out = os.pipe()
    client_in, server_out = os.pipe()
    made = Rig(Output(server_out), client_out, client_in)
    Input(server_in, made.output, made, made.ended.set).start()
    yield made
    if made.to_server >= 0:
        made.hang_up()
    os.close(client_in)
    await asyncio.wait_for(made.ended.wait(), 5)
    made.output.close()
    made.output.flush(5)
    os.close(server_in)
    os.close(server_out)


async def test_frames_that_arrive_byte_by_byte(rig: Rig) -> None:
    for byte in framed({"a": "é😀"}) + framed([1]):
        await rig.send(bytes([byte]))
    assert await rig.comes(2) == [{"a": "é😀"}, [1]]


async def test_many_frames_in_one_piece(rig: Rig) -> None:
    await rig.send(b"".join(framed(number) for number in range(500)))
    assert await rig.comes(500) == list(range(500))


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 1\r\n\r\n",
        b"Content-Length:1\r\n\r\n",
        b"Content-Length: 1\n\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 1\r\n\r\n",
        b"Content-Length: 1\r\nX-Other: 5\r\n\r\n",
        b"\r\n\r\nContent-Length: 1\r\n\r\n",
    ],
)
async def test_headers_that_are_right(rig: Rig, header: bytes) -> None:
    await rig.send(header + b"7")
    assert await rig.comes(1) == [7]


@pytest.mark.parametrize(
    "damage",
    [
        b"no header at all\r\n\r\n",
        b"Content-Length: twelve\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length:\r\n\r\n",
        b'Content-Length: abc\r\n\r\n{"jsonrpc": "2.0"}',
        b"\x00\xff\xfe" * 100 + b"\r\n",
        b"x" * 100_000 + b"\r\n\r\n",
        b"Content-Length: 3\r\n\r\n{}",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: 4\r\n\r\n\xff\xfe{}",
        b"Content-Length: 99999999999999999999\r\n\r\n",
        b"Content-Length: 1000000000000\r\n\r\n{}",
    ],
)
async def test_after_a_damaged_frame_the_next_but_one_is_read(rig: Rig, damage: bytes) -> None:
    await rig.send(damage + framed("one") + framed("two"))
    await asyncio.wait_for(_until(rig, "two"), 10)
    assert rig.bodies[-1] == "two"


async def _until(rig: Rig, body: object) -> None:
    while body not in rig.bodies:
        rig.news.clear()
        await rig.news.wait()


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"nope", b"[" * 200_000, b"", b'{"a": 1} x'])
async def test_a_body_that_is_no_json_is_told(rig: Rig, body: bytes) -> None:
    await rig.send(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) + framed("next"))
    await rig.comes(1)
    assert rig.bodies == ["next"]
    assert len(rig.problems) == 1
    assert "no JSON" in rig.problems[0]


async def test_a_message_past_the_limit_is_skipped_and_told(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "LARGEST_MESSAGE", 1_000)
    await rig.send(framed("x" * 100_000) + framed("next"))
    assert await rig.comes(1) == ["next"]
    assert "longer than 1,000" in rig.problems[0]


async def test_a_large_message(rig: Rig) -> None:
    text = "x" * 3_000_000
    await rig.send(framed(text))
    assert await rig.comes(1) == [text]


@pytest.mark.parametrize("rest", [b"", b"Content-Le", b"Content-Length: 10\r\n", b"Content-Length: 10\r\n\r\n{"])
async def test_the_end_of_input(rig: Rig, rest: bytes) -> None:
    await rig.send(framed(1) + rest)
    rig.hang_up()
    await asyncio.wait_for(rig.ended.wait(), 5)
    assert rig.bodies == [1]


async def test_what_is_written_arrives_whole_and_in_order(rig: Rig) -> None:
    pieces = [b"%d" % (number % 10) * 30_000 for number in range(20)]
    for piece in pieces:
        rig.output.write(piece)
    received = b""
    while len(received) < 600_000:
        received += await asyncio.to_thread(os.read, rig.from_server, 65_536)
    assert received == b"".join(pieces)


async def test_a_client_that_does_not_read_is_not_read_from_either(rig: Rig) -> None:
    rig.output.write(b"x" * (transport._MOST_UNSENT + 200_000))
    await rig.send(framed(1) + framed(2))
    # It reads on at last, and is served.
    read = 0
    while read < transport._MOST_UNSENT:
        read += len(await asyncio.to_thread(os.read, rig.from_server, 1 << 20))
    assert await rig.comes(2) == [1, 2]


async def test_the_end_of_input_is_seen_although_the_client_does_not_read(rig: Rig) -> None:
    rig.output.write(b"x" * (transport._MOST_UNSENT + 200_000))
    await rig.send(framed(1))
    rig.hang_up()
    await asyncio.wait_for(rig.ended.wait(), 5)


async def test_writing_to_a_client_that_is_gone(rig: Rig) -> None:
    os.close(rig.from_server)
    rig.from_server = os.open(os.devnull, os.O_RDONLY)
    for _ in range(10):
        rig.output.write(json.dumps("x" * 10_000).encode())
    rig.output.close()
    await asyncio.to_thread(rig.output.flush, 5)
    assert rig.output.broken
