"""The JSON-RPC side: every request gets an answer, whatever its params look like.

Subclasses pygls's protocol where that drops or leaks something; each override says what.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING, Any, cast

import attrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

from memory_lsp.discreet import describe_crash
from memory_lsp.lsp.eager import begin
from memory_lsp.lsp.handlers import EAGER

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_log = logging.getLogger(__name__)

RETRIEVE = "memory/retrieve"
SEARCH = "memory/search"
GRAPH = "memory/graph"
NODE = "memory/node"
STATS = "memory/stats"
REBUILD = "memory/rebuild"
RELATED = "memory/related"
STATUS = "memory/status"

REQUESTS = (RETRIEVE, RELATED, SEARCH, GRAPH, NODE, STATS, REBUILD)
"""The requests that the server advertises in `capabilities.experimental.memory`."""


@attrs.define
class RawRequest:
    """A custom request: params stay plain JSON, and may be missing."""

    id: int | str
    method: str
    params: Any = None
    jsonrpc: str = "2.0"


class MemoryProtocol(LanguageServerProtocol):
    """LSP with the `memory/*` requests. `on_exit` is told the exit code that LSP wants."""

    on_exit: Callable[[int], None] = staticmethod(sys.exit)
    shutdown_asked = False

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]  # pygls caches its own
        """Return the type a message is read as; our requests keep their params as they are."""
        return RawRequest if method in REQUESTS else super().get_message_type(method)

    def receive(self, body: object, problem: str) -> None:
        """Take one message from the transport. Whatever it holds, a request is answered and nothing is raised."""
        if problem:
            self._refuse(None, JsonRpcParseError(problem))
            return
        if not isinstance(body, dict) or body.get("jsonrpc") != self.VERSION:
            self._refuse(
                body.get("id") if isinstance(body, dict) else None,
                JsonRpcInvalidRequest("This is no JSON-RPC 2.0 message."),
            )
            return
        refusal = self._untimely(body)
        if refusal is not None:
            if "id" in body:
                self._refuse(body["id"], refusal)
            return
        self.shutdown_asked = self.shutdown_asked or body.get("method") == types.SHUTDOWN
        self._forget_answered()
        try:
            self.handle_message(self.structure_message(body))
        except JsonRpcException as error:
            if "method" in body and "id" in body:
                self._refuse(body["id"], error)
            else:
                _log.warning("a message was ignored: %s", error)
        except Exception as error:
            _log.error("a message could not be handled\n%s", describe_crash(error))
            if "method" in body and "id" in body:
                self._refuse(body["id"], JsonRpcInternalError("The request failed; the server's log says why."))

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Any,  # noqa: ANN401  pygls's own signature
        callback: Any,  # noqa: ANN401
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Start what is asked about a document at once, before the edits that follow; see `eager`."""
        if not getattr(getattr(handler, "func", None), EAGER, False):
            super()._execute_handler(msg_id, handler, callback, args, kwargs)
            return
        future: Any = begin(handler(*(args or ()), **(kwargs or {})))
        self._request_futures[msg_id] = future
        future.add_done_callback(callback)

    def _untimely(self, body: dict[str, Any]) -> JsonRpcException | None:
        """Return the error for a message that is none, or that comes before `initialize` or after `shutdown`."""
        method = body.get("method")
        if "method" not in body or method == types.EXIT:
            return None
        if not isinstance(method, str):
            return JsonRpcInvalidRequest("The method is no text.")
        if "id" in body and not _is_id(body["id"]):
            return JsonRpcInvalidRequest("The id is neither a number nor a text.")
        if self._shutdown or self.shutdown_asked:
            return JsonRpcInvalidRequest("The server is shutting down.")
        started = getattr(self, "_workspace", None) is not None
        if not started and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized("The first request must be initialize.")
        if started and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("The server is initialized already.")
        return None

    def _forget_answered(self) -> None:
        """Drop the futures that pygls keeps of every notification, and of requests that the client never answered."""
        for msg_id in [msg_id for msg_id, future in self._request_futures.items() if future.done()]:
            del self._request_futures[msg_id]
            self._result_types.pop(msg_id, None)

    def _refuse(self, msg_id: object, error: JsonRpcException) -> None:
        if not _is_id(msg_id):
            # JSON-RPC: an answer to a message whose id could not be read has the id null.
            reply = {"jsonrpc": self.VERSION, "id": None, "error": {"code": error.code, "message": str(error)}}
            if self.writer is not None:
                body = json.dumps(reply).encode()
                self.writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            return
        self._send_response(cast("int | str", msg_id), error=error.to_response_error())

    def structure_message(self, data: dict[str, Any]) -> Any:  # noqa: ANN401  pygls's own signature
        """Read a message; params that do not fit say where."""
        try:
            return super().structure_message(data)
        except JsonRpcInvalidParams as error:
            raise JsonRpcInvalidParams(_complaint(error)) from error
        except JsonRpcInternalError as error:
            # pygls reports a missing `params` so, although it is the client's mistake.
            raise JsonRpcInvalidParams("The params are missing or have another shape.") from error

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: object) -> None:  # type: ignore[override]  # pygls's own is a generator for its user hook
        """End the process the way the server was told to: 0 after `shutdown`, else 1."""
        self.on_exit(0 if self.shutdown_asked else 1)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Add what LSP has no field for to the capabilities."""
        result: types.InitializeResult = yield from super().lsp_initialize(params)
        if not self.fm.commands:
            result.capabilities.execute_command_provider = None
        result.capabilities.experimental = {"memory": {"requests": list(REQUESTS), "status": STATUS}}
        return result


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _complaint(error: JsonRpcException) -> str:
    cause = error.__cause__
    try:
        from cattrs import transform_error

        details = transform_error(cause) if isinstance(cause, Exception) else []
    except Exception:
        details = []
    return f"The params do not fit: {'; '.join(details[:3])}." if details else "The params do not fit."
