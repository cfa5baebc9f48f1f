"""Log lines that tell no secret: neither what somebody wrote in a note nor what an error quotes of it."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING

from memory_lsp.errors import MemoryLspError

if TYPE_CHECKING:
    from types import TracebackType

    ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class DiscreetFormatter(logging.Formatter):
    """Formats records without the values of credentials, and errors without their messages."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        return without_secrets(super().format(record))

    def formatException(self, ei: ExcInfo) -> str:
        """Return where an error came from and of which kind it is."""
        return describe_crash(ei[1]) if ei[1] is not None else ""


def describe_crash(error: BaseException) -> str:
    """Return the traceback of an error and of its causes without their messages, which may quote a note.

    Our own errors, and the operating system's, say what they are about; others are told by their kind.
    """
    parts: list[str] = []
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        told = f": {at}" if isinstance(at, MemoryLspError) else f": {at.strerror}" if isinstance(at, OSError) else ""
        frames = "".join(traceback.format_tb(at.__traceback__))
        parts.append(f"{frames}{type(at).__module__}.{type(at).__qualname__}{told}")
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return without_secrets("\n\nThis followed from:\n\n".join(parts))


def without_secrets(text: str) -> str:
    """Return a text for people with references where credentials stood."""
    from memory_lsp.core.secrets import find_secrets, redact  # a hundred patterns, which a quiet log does without

    return redact(text, [secret for secret in find_secrets(text) if not secret.development])
