"""Starting a coroutine at once, instead of at the event loop's next turn.

A request about a place in a document must see the text of the moment it came. As a task it would start after the edits
that follow it in the same read, and a completion would replace what was typed meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType


class _Begun(Coroutine[Any, Any, Any]):
    """A coroutine that has run to its first wait; what it waits for is handed on before it goes on."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], awaited: object) -> None:
        self._coroutine = coroutine
        self._awaited: list[object] = [awaited]

    def send(self, value: Any) -> Any:  # noqa: ANN401  the coroutine's own values
        return self._awaited.pop() if self._awaited else self._coroutine.send(value)

    def throw(self, kind: Any, value: Any = None, traceback: TracebackType | None = None) -> Any:  # noqa: ANN401
        self._awaited.clear()
        error = kind if isinstance(kind, BaseException) else (value if value is not None else kind())
        return self._coroutine.throw(error)

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Any:  # noqa: ANN401
        raise RuntimeError("A coroutine that has begun belongs to its task.")


def begin(coroutine: Coroutine[Any, Any, Any]) -> Future[Any] | asyncio.Task[Any]:
    """Run a coroutine to its first wait; return its result's future, or the task that goes on with it.

    Until then it must not ask for the current task, as `asyncio.timeout` does.
    """
    done: Future[Any] = Future()
    try:
        awaited = coroutine.send(None)
    except StopIteration as stop:
        done.set_result(stop.value)
    except Exception as error:
        done.set_exception(error)
    else:
        return asyncio.get_running_loop().create_task(_Begun(coroutine, awaited))
    return done
