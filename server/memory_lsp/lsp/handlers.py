"""How a handler is put into service: faults become answers, and what blocks the event loop is logged."""

from __future__ import annotations

import functools
import inspect
import logging
import time
from typing import TYPE_CHECKING, Any, TypeAlias

from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams

from memory_lsp.discreet import describe_crash, without_secrets
from memory_lsp.errors import MemoryLspError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memory_lsp.lsp.server import MemoryServer

_log = logging.getLogger(__name__)

SLOW = 0.05
EAGER = "memory_lsp_eager"
REQUEST_FAILED = -32803

Handler: TypeAlias = "Callable[[Any, Any], Any]"
Handlers: TypeAlias = "Mapping[str, Handler | tuple[Handler, object]]"


def register(server: MemoryServer, handlers: Handlers) -> None:
    """Let the handlers answer their methods; one with options is given as a pair."""
    for method, entry in handlers.items():
        handler, options = entry if isinstance(entry, tuple) else (entry, None)
        waits = inspect.iscoroutinefunction(handler)
        guarded = _guard_async(method, handler) if waits else _guard(method, handler)
        # What is asked about a document is asked about its text of this moment.
        setattr(guarded, EAGER, waits and method.startswith("textDocument/"))
        server.feature(method, options)(guarded)


def _guard(method: str, handler: Handler) -> Handler:
    @functools.wraps(handler)
    def guarded(ls: MemoryServer, params: object) -> object:
        began = time.perf_counter()
        ls.courtesy.touch()
        try:
            return handler(ls, params)
        except Exception as error:
            raise _answer(method, error) from None
        finally:
            ls.courtesy.touch()
            _watch(method, began)

    return guarded


def _guard_async(method: str, handler: Handler) -> Handler:
    @functools.wraps(handler)
    async def guarded(ls: MemoryServer, params: object) -> object:
        ls.courtesy.touch()
        try:
            return await handler(ls, params)
        except Exception as error:
            raise _answer(method, error) from None
        finally:
            ls.courtesy.touch()

    return guarded


def _answer(method: str, error: Exception) -> JsonRpcException:
    """Return the error that the client sees: never a traceback, which pygls would send."""
    if isinstance(error, JsonRpcException):
        return error
    if isinstance(error, UsageError):
        return JsonRpcInvalidParams(without_secrets(str(error)))
    if isinstance(error, MemoryLspError):
        return JsonRpcException(without_secrets(str(error)), REQUEST_FAILED)
    _log.error("%s failed\n%s", method, describe_crash(error))
    return JsonRpcInternalError(f"{method} failed; the server's log says why.")


def _watch(method: str, began: float) -> None:
    spent = time.perf_counter() - began
    if spent > SLOW:
        _log.warning("%s held up the event loop for %.0f ms", method, spent * 1000)
