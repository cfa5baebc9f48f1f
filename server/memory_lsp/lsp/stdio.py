"""Serving one client on standard input and output, from the first byte to the end of the process."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from memory_lsp.discreet import DiscreetFormatter
from memory_lsp.lsp.server import create_server
from memory_lsp.lsp.transport import Input, Output

if TYPE_CHECKING:
    from memory_lsp.lsp.server import MemoryServer

_log = logging.getLogger(__name__)

_PARENT_CHECK = 1.0
_GOODBYE = 0.6


def serve_stdio() -> NoReturn:
    """Serve until `exit`, the end of input, or the parent's death; never returns, the process ends here."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(DiscreetFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # pygls logs whole messages, so note text, at every level; what matters of them is logged by us.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    # Notes are many small objects that live long: looking through all of them for cycles is most of a slow answer.
    gc.set_threshold(20_000, 50, 100)
    input_, output = os.dup(0), os.dup(1)
    # From here on a stray print lands in the log, and no child can reach the client.
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    # Worker threads give way to the event loop sooner than Python would have it.
    sys.setswitchinterval(0.001)
    asyncio.run(_serve(input_, output))
    raise AssertionError("the process ends before")


async def _serve(input_: int, output_: int) -> None:
    server = create_server()
    loop = asyncio.get_running_loop()
    done: asyncio.Future[int] = loop.create_future()
    output = Output(output_)
    server.protocol.set_writer(output)
    server.protocol.on_exit = lambda code: _finish(done, code)
    Input(input_, output, server.protocol, lambda: _finish(done, 1)).start()
    with contextlib.suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGTERM, _finish, done, 0)
        loop.add_signal_handler(signal.SIGINT, _finish, done, 130)
    watch = loop.create_task(_watch_parent(server, done))
    code = await done
    watch.cancel()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(server.stop(), _GOODBYE)
    output.close()
    output.flush(0.2)
    logging.shutdown()
    # Threads that still read, write or embed must not keep an editor waiting, and asyncio would: its end joins them.
    os._exit(code)


def _finish(done: asyncio.Future[int], code: int) -> None:
    if not done.done():
        done.set_result(code)


async def _watch_parent(server: MemoryServer, done: asyncio.Future[int]) -> None:
    """End with the process that `initialize` named, even where something else holds our input open."""
    while True:
        await asyncio.sleep(_PARENT_CHECK)
        pid = server.process_id
        if pid is not None and not is_alive(pid):
            _log.warning("process %d, which started this server, is gone", pid)
            _finish(done, 1)


def is_alive(pid: int) -> bool:
    """Tell whether a process exists."""
    if pid <= 0:
        return True
    with contextlib.suppress(OSError):
        # A process that ended and that nobody asked about yet still takes signals.
        if Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] in (b"Z", b"X"):
            return False
    if sys.platform == "win32":
        # os.kill would end the process there, whatever the signal.
        import ctypes

        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(0x00100000, False, pid)
        if not handle:
            return False
        waited = kernel.WaitForSingleObject(handle, 0)
        kernel.CloseHandle(handle)
        return bool(waited != 0)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
