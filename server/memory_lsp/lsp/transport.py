"""Messages over standard input and output, framed by `Content-Length`.

pygls has loops of its own. This one exists because a client can hang or damage those: a key `jsonrpc` inside params, a
length of a terabyte, a header that is none, or a reader that never reads (`docs/architecture.md`, "Transport"). Reading
and writing happen in two daemon threads on file descriptors, so neither can hold up the event loop or the exit.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import queue
import re
import select
import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

_log = logging.getLogger(__name__)

LARGEST_MESSAGE = 64 * 1024 * 1024
# A length past this is no message but a damaged header: waiting for so many bytes would be waiting for ever.
_LARGEST_SKIPPED = 16 * LARGEST_MESSAGE
_LONGEST_HEADER = 8 * 1024
# At the end of a line, not only at its start: after a body that was shorter than announced, the next header follows it.
_LENGTH = re.compile(rb"(?i)content-length[ \t]*:[ \t]*(\d{1,20})[ \t]*$")
_CHUNK = 64 * 1024
# Input is not read while this many bytes of output wait for the client.
_MOST_UNSENT = 8 * 1024 * 1024
_MOST_UNHANDLED = 64
_HANG_UP_CHECK = 0.25


class FramingError(Exception):
    """A message that is too long to read."""


class Receiver(Protocol):
    """What takes the messages: `body` is parsed JSON, `problem` what was wrong where it could not be parsed."""

    def receive(self, body: object, problem: str) -> None:
        """Handle one message on the event loop."""


class Output:
    """The client's end: `write` never blocks, a thread sends what is queued."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unsent = 0
        self._changed = threading.Condition()
        self.broken = False
        self._thread = threading.Thread(target=self._send, name="memory-lsp-output", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue bytes for the client."""
        if self.broken:
            return
        with self._changed:
            self._unsent += len(data)
        self._queue.put(data)

    def close(self) -> None:
        """Send what is queued, then end; does not wait."""
        self._queue.put(None)

    def flush(self, seconds: float) -> None:
        """Wait until everything is sent, or until time is up."""
        self._thread.join(seconds)

    def wait_for_room(self, seconds: float) -> bool:
        """Block the calling thread while the client is behind; tell whether it has caught up."""
        with self._changed:
            return self._changed.wait_for(lambda: self._unsent < _MOST_UNSENT or self.broken, seconds)

    def _send(self) -> None:
        while (data := self._queue.get()) is not None:
            view = memoryview(data)
            try:
                while view:
                    # In pieces: a write to a pipe returns only when all of it is taken.
                    sent = os.write(self._descriptor, view[:_CHUNK])
                    view = view[sent:]
                    self._note_sent(sent)
            except OSError:
                # The client is gone; its end of input follows.
                self.broken = True
                self._note_sent(len(view))

    def _note_sent(self, count: int) -> None:
        with self._changed:
            self._unsent -= count
            self._changed.notify_all()


class Input:
    """Reads frames from a descriptor in a thread and hands their JSON to the event loop."""

    def __init__(self, descriptor: int, output: Output, receiver: Receiver, on_end: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._output = output
        self._receiver = receiver
        self._on_end = on_end
        self._buffer = bytearray()
        self._room = threading.Semaphore(_MOST_UNHANDLED)
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._read, name="memory-lsp-input", daemon=True).start()

    def _read(self) -> None:
        try:
            while True:
                length = self._header()
                if length is None:
                    break
                self._room.acquire()
                while not self._output.wait_for_room(_HANG_UP_CHECK):
                    if _has_hung_up(self._descriptor):
                        break
                body, problem = self._body(length)
                if body is None and not problem:
                    break
                self._loop.call_soon_threadsafe(self._deliver, body, problem)
            self._loop.call_soon_threadsafe(self._on_end)
        except RuntimeError:
            # The loop is closed: the server is on its way out.
            return

    def _deliver(self, body: object, problem: str) -> None:
        self._room.release()
        self._receiver.receive(body, problem)

    def _header(self) -> int | None:
        """Return the length of the next message; lines that are no header are skipped. None at the end of input."""
        length: int | None = None
        while (line := self._line()) is not None:
            if not line:
                if length is not None:
                    return length
                continue
            if found := _LENGTH.search(line):
                length = int(found[1])
        return None

    def _line(self) -> bytes | None:
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > _LONGEST_HEADER:
                _log.warning("%d bytes of input are no header and are skipped", len(self._buffer))
                self._buffer.clear()
            if not self._more():
                return None
        line = bytes(self._buffer[:end]).rstrip(b"\r")
        del self._buffer[: end + 1]
        return line

    def _body(self, length: int) -> tuple[object, str]:
        if length > LARGEST_MESSAGE:
            if length <= _LARGEST_SKIPPED and not self._skip(length):
                return None, ""
            return None, f"A message of {length:,} bytes is longer than {LARGEST_MESSAGE:,} and was not read."
        while len(self._buffer) < length:
            if not self._more():
                return None, ""
        raw = bytes(self._buffer[:length])
        del self._buffer[:length]
        try:
            return json.loads(raw), ""
        except (ValueError, RecursionError) as error:
            return None, f"The message is no JSON: {type(error).__name__}."

    def _skip(self, length: int) -> bool:
        while length > len(self._buffer):
            length -= len(self._buffer)
            self._buffer.clear()
            if not self._more():
                return False
        del self._buffer[:length]
        return True

    def _more(self) -> bool:
        try:
            chunk = os.read(self._descriptor, _CHUNK)
        except OSError:
            return False
        self._buffer += chunk
        return bool(chunk)


def _has_hung_up(descriptor: int) -> bool:
    """Tell whether the other end of a pipe is closed, even where unread bytes stand before its end."""
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))
