"""One run of the embedder's process: start it, ask it, end it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.embedding import wire
from memory_lsp.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    Row = NDArray[np.float32]

_log = logging.getLogger(__name__)
_GRACE = 0.4  # seconds to wait for the end of a killed process


class LoadError(EmbeddingError):
    """The model cannot be loaded; `retry` says whether another try may help."""

    def __init__(self, message: str, *, retry: bool) -> None:
        super().__init__(message)
        self.retry = retry


class ChildLostError(EmbeddingError):
    """The process ended, hung, or wrote what is no answer."""


class ChildProcess:
    """A running embedder. One request at a time; after a ChildLostError only `kill` is left to do."""

    def __init__(self, process: asyncio.subprocess.Process, on_exit: Callable[[], None]) -> None:
        self._process = process
        self._requests = 0
        self._dims = 0
        self._last_words = ""
        self._exit = asyncio.create_task(process.wait())
        self._exit.add_done_callback(lambda _: on_exit())
        self._reaping: asyncio.Task[None] | None = None
        self._stderr = asyncio.create_task(self._drain_stderr())

    @classmethod
    async def spawn(cls, command: Sequence[str], on_exit: Callable[[], None]) -> ChildProcess:
        """Start the process; `on_exit` is called once when it has ended. Raises LoadError."""
        try:
            return cls(await _start(command), on_exit)
        except OSError as error:
            raise LoadError(f"The embedder's process cannot be started: {error.strerror}.", retry=True) from error

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._exit.done()

    async def ready(self, deadline: float) -> int:
        """Wait at most `deadline` seconds for the model; return its width. Raises LoadError."""
        try:
            async with asyncio.timeout(deadline):
                reply = wire.decode_reply(await self._read_line())
        except TimeoutError:
            raise LoadError(f"The embedding model was not loaded within {deadline:g} s.", retry=True) from None
        except EmbeddingError as error:
            await asyncio.wait([self._stderr], timeout=_GRACE)
            said = f" It last said: {self._last_words}" if self._last_words else ""
            raise LoadError(f"The embedding model cannot be loaded. {error}{said}", retry=True) from error
        if isinstance(reply, wire.LoadFailure):
            raise LoadError(reply.message, retry=reply.retry)
        if not isinstance(reply, wire.Ready):
            raise LoadError("The embedder's process answered before it was asked.", retry=True)
        self._dims = reply.dims
        return reply.dims

    async def ask(self, texts: Sequence[str], deadline: float) -> list[Row | None]:
        """Embed texts; return a unit row a text, None where the model has none. Raises ChildLostError."""
        self._requests += 1
        request = wire.Request(self._requests, tuple(texts))
        try:
            async with asyncio.timeout(deadline):
                return await self._exchange(request)
        except TimeoutError:
            raise ChildLostError(f"The embedder's process did not answer within {deadline:g} s.") from None
        except wire.WireError as error:
            raise ChildLostError(str(error)) from error
        except OSError as error:
            raise ChildLostError("The embedder's process ended.") from error

    async def kill(self) -> None:
        """End the process at once and let go of its pipes; safe at any time and twice.

        Goes on when its caller is cancelled; another call then waits for the rest.
        """
        if self._reaping is None:
            self._reaping = asyncio.create_task(self._reap())
        await asyncio.shield(self._reaping)

    async def _reap(self) -> None:
        self._kill_group()
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is not None and not stdin.transport.is_closing():
            stdin.transport.abort()  # closing would wait for what is still to be written
        waits = [self._exit, self._stderr]
        if stdout is not None and stdout.exception() is None:
            # Reading on to the end is what lets asyncio see that the pipe is closed.
            waits.append(asyncio.create_task(_discard(stdout)))
        _, pending = await asyncio.wait(waits, timeout=_GRACE)
        for task in pending:
            task.cancel()

    async def _exchange(self, request: wire.Request) -> list[Row | None]:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(wire.encode(request))
        await stdin.drain()
        answer = wire.decode_reply(await self._read_line())
        expected = (request.id, len(request.texts), self._dims)
        if not isinstance(answer, wire.Answer) or (answer.id, answer.rows, answer.dims) != expected:
            raise ChildLostError("The embedder's process gave an answer to something else.")
        try:
            body = await stdout.readexactly(answer.size)
        except asyncio.IncompleteReadError as error:
            raise ChildLostError("The embedder's process ended in the middle of an answer.") from error
        rows = np.frombuffer(body, dtype="<f4").reshape(answer.rows, answer.dims).astype(np.float32)
        rows.flags.writeable = False  # a query's row is handed out more than once
        return [None if index in answer.failed else _sound(row) for index, row in enumerate(rows)]

    async def _read_line(self) -> bytes:
        assert self._process.stdout is not None
        try:
            return await self._process.stdout.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            raise ChildLostError("The embedder's process ended.") from error
        except asyncio.LimitOverrunError as error:
            raise wire.WireError("The embedder's process wrote something that is no message.") from error

    async def _drain_stderr(self) -> None:
        """Log what libraries say while the model loads; from the first text on it could quote a note, so only count."""
        stream, hidden = self._process.stderr, 0
        assert stream is not None
        while block := await stream.read(8_192):
            if self._requests:
                hidden += len(block)
                continue
            for line in block.decode("utf-8", "replace").splitlines():
                _log.debug("embedder: %s", line)
                self._last_words = line.strip()[:200] or self._last_words
        if hidden:
            _log.debug("The embedder wrote %d bytes to stderr while it embedded; they are not logged.", hidden)

    def _kill_group(self) -> None:
        if self.ended:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)


def child_environment(environment: Mapping[str, str], source: Path) -> dict[str, str]:
    """Return the environment of the process: ours, without a way to take code from the directory of the notes.

    Relative entries of PYTHONPATH follow the current directory, so only absolute ones stay; `source`, the folder that
    this package was imported from, takes their place where there were any.
    """
    # Torch's threads spin while they wait; where other programs want the cores, that costs ten times the time a text.
    result = {"OMP_WAIT_POLICY": "PASSIVE", **environment, "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1"}
    entries = environment.get("PYTHONPATH", "").split(os.pathsep)
    absolute = [entry for entry in entries if Path(entry).is_absolute()]
    if environment.get("PYTHONPATH") and len(absolute) < len(entries):
        absolute.append(str(source))
    result["PYTHONPATH"] = os.pathsep.join(absolute)
    if not absolute:
        del result["PYTHONPATH"]
    return result


async def _start(command: Sequence[str]) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        limit=wire.HEADER_LIMIT,
        cwd=sys.prefix,
        env=child_environment(os.environ, Path(__file__).parents[2]),
        start_new_session=sys.platform != "win32",
        creationflags=_WINDOWS_FLAGS,
    )


async def _discard(stream: asyncio.StreamReader) -> None:
    with contextlib.suppress(OSError):
        while await stream.read(65_536):
            pass


def _sound(row: Row) -> Row | None:
    """Return a row if it is a direction at all; a model that overflows gives NaN, an empty one zeros."""
    length = float(np.linalg.norm(row))
    if not np.isfinite(length) or length == 0:
        return None
    if abs(length - 1) < 1e-5:
        return row
    scaled: Row = (row / np.float32(length)).astype(np.float32)
    scaled.flags.writeable = False
    return scaled


_WINDOWS_FLAGS = getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
