"""Run one command: its arguments in, its exit status out, and no traceback for what can be expected."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import TYPE_CHECKING, TextIO

from memory_lsp.cli.arguments import parse
from memory_lsp.errors import MemoryLspError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

FOUND, USAGE, INTERRUPTED = 1, 2, 130
# What a shell reports of a program that SIGPIPE ended, as `memory-lsp graph | head` may.
_BROKEN_PIPE = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 done, 1 findings or nothing found, 2 wrong usage."""
    # Before numpy is imported: on matrices of this size a second thread costs more than it brings.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        name, arguments = parse(sys.argv[1:] if argv is None else argv)
        if name != "serve":
            _prepare_streams()
        status: int = importlib.import_module(f"memory_lsp.cli.{name}").run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard(sys.stdout)
        return _BROKEN_PIPE
    except UsageError as error:
        return _fail(str(error), USAGE)
    except MemoryLspError as error:
        return _fail(str(error), FOUND)
    except OSError as error:
        _discard(sys.stdout)
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}.", FOUND)
    return status


def _prepare_streams() -> None:
    # Names and texts may hold what an old console's encoding lacks; a question mark is better than a traceback.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    import logging  # costs as much as all of `--help`

    # Warnings are told in a line of our own; only what nobody foresaw is logged.
    from memory_lsp.discreet import DiscreetFormatter

    handler = logging.StreamHandler()
    handler.setFormatter(DiscreetFormatter("memory-lsp: %(message)s"))
    logging.basicConfig(level=logging.ERROR, handlers=[handler])


def _fail(message: str, status: int) -> int:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"memory-lsp: {' '.join(message.split())}\n")
    return status


def _discard(stream: TextIO | None) -> None:
    """Send what is still buffered nowhere, so that Python does not complain about it at exit."""
    if stream is not None:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
