"""Embed texts without waiting on a model: queue, deadlines, restarts, stop when idle."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeVar

from memory_lsp.embedding.process import ChildLostError, ChildProcess, LoadError
from memory_lsp.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memory_lsp.embedding.plan import Plan
    from memory_lsp.embedding.process import Row

_K = TypeVar("_K")
_V = TypeVar("_V")
_log = logging.getLogger(__name__)

Status = Literal["absent", "starting", "ready", "failed", "off"]
SLICE_TEXTS = 4
SLICE_CHARS = 1_200  # some 0.07 s of work on two cores: what a query waits for at most behind the index
TEXT_CHARS = 100_000  # far past the window of any model; a note of 50 MB must not be tokenised whole
_CACHED_QUERIES = 256
_REMEMBERED_STRIKES = 1_024
_STARTS = 3  # failed starts in a row that disable the embedder
_LOSSES = 10  # requests in a row that got no vector; a text takes two of them, so that one bad note is not the end
_STRIKES = 2  # times a text, alone, may end the process before it is refused
ADVICE = "Retrieval goes on by keywords and links. Run `memory-lsp doctor`."


@dataclass(frozen=True, slots=True)
class EmbedderState:
    """What `memory/status` says of the embedder.

    absent: not running, started at the next need · starting: loading the model · ready · failed: given up, `message`
    says why and what to do · off: the settings want none. `dims` is None until a first vector told it.
    """

    status: Status
    backend: str
    model_id: str
    dims: int | None
    message: str


@dataclass(eq=False, slots=True)
class _Job:
    texts: tuple[str, ...]
    is_query: bool = False
    answer: asyncio.Future[list[Row | None]] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Embedder:
    """The vectors of one model, from a process that runs only while it is needed.

    Use it from one event loop. Queries go before index texts; those are sent in slices, so that a query waits for one
    slice at most. No method but `embed` raises when there is no model.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        idle_timeout: float,
        on_state: Callable[[EmbedderState], None] | None = None,
        start_deadline: float = 120.0,
        slice_deadline: float = 60.0,
        pause: float = 1.0,
        command: Sequence[str] | None = None,
        advice: str = ADVICE,
    ) -> None:
        """Prepare; nothing is started. Times in seconds; `command` replaces the process, for tests of faults.

        `advice` ends the message of a failure.
        """
        self._advice = advice
        child = (sys.executable, "-P", "-m", "memory_lsp.embedding.child")
        self._command = tuple(command or (*child, "--backend", plan.backend, "--model", plan.model))
        self._prompts = plan.prompts
        self._idle_timeout = idle_timeout if idle_timeout > 0 else None
        self._start_deadline, self._slice_deadline, self._pause = start_deadline, slice_deadline, pause
        self._on_state = on_state
        status: Status = "absent" if plan.backend != "none" else "failed" if plan.problem else "off"
        self.state = EmbedderState(status, plan.backend, plan.model_id, None, plan.problem)
        self._queries: dict[_Job, None] = {}
        self._slices: dict[_Job, None] = {}
        self._wake, self._settled = asyncio.Event(), asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._child: ChildProcess | None = None
        self._cache: OrderedDict[str, Row] = OrderedDict()
        self._strikes: OrderedDict[int, int] = OrderedDict()
        self._losses = 0
        self._closed = False
        if not self._usable:
            self._settled.set()

    @property
    def pid(self) -> int | None:
        """The id of the running process, None where none runs."""
        return None if self._child is None or self._child.ended else self._child.pid

    def start(self) -> None:
        """Begin to start the process, without waiting for it."""
        if self._usable and self._worker is None:
            self._settled.clear()
            self._worker = asyncio.create_task(self._serve(), name="embedder")

    async def wait_ready(self, timeout: float) -> bool:  # noqa: ASYNC109  the caller's deadline, not ours
        """Start the process and wait for the model; say whether it was ready in time."""
        self.start()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._settled.wait()
        return self.state.status == "ready"

    async def embed(self, texts: Sequence[str]) -> list[Row | None]:
        """Embed notes; return an L2-normalised row a text, None for a text that the model cannot embed.

        Waits as long as it takes. Raises EmbeddingError where there is no embedder, or none any more.
        """
        rows: list[Row | None] = []
        for part in _slices([self._prompts.passage + text for text in texts]):
            rows += await self._embed_slice(part)
        return rows

    async def embed_query(self, text: str, deadline: float) -> Row | None:
        """Embed a query; None where it takes more than `deadline` seconds, or there is no embedder."""
        text = _clean(self._prompts.query + text)
        if (row := self._cache.get(text)) is not None:
            self._cache.move_to_end(text)
            return row
        if not self._usable or self._is_refused(text):
            return None
        job = _Job((text,), is_query=True)
        try:
            async with asyncio.timeout(deadline):
                return (await self._submit(job, self._queries))[0]
        except (TimeoutError, EmbeddingError):
            return None

    async def close(self) -> None:
        """End the process and every wait on it at once; safe to call twice. Nothing can be embedded afterwards."""
        self._closed = True
        worker, self._worker = self._worker, None
        self.state = replace(self.state, status="absent")
        if worker is not None:
            worker.cancel()
            await asyncio.wait([worker])
        if self._child is not None:
            await self._child.kill()  # the worker may have been cancelled while it did just that
        self._refuse(EmbeddingError("The embedder is closed."), self._queries, self._slices)
        self._settled.set()

    @property
    def _usable(self) -> bool:
        return not self._closed and self.state.status not in ("failed", "off")

    async def _embed_slice(self, texts: tuple[str, ...]) -> list[Row | None]:
        """Embed some texts; when the process is lost over them, find by asking for each alone which one ends it."""
        with contextlib.suppress(ChildLostError):
            if not any(self._is_refused(text) for text in texts):
                return await self._submit(_Job(texts), self._slices)
        if len(texts) > 1:
            return [(await self._embed_slice((text,)))[0] for text in texts]
        return [None] if self._is_refused(texts[0]) else await self._embed_slice(texts)

    async def _submit(self, job: _Job, queue: dict[_Job, None]) -> list[Row | None]:
        if not self._usable:
            raise EmbeddingError(self.state.message or "The embedder is off.")
        queue[job] = None
        self._wake.set()
        self.start()
        try:
            return await job.answer
        finally:
            queue.pop(job, None)

    async def _serve(self) -> None:
        try:
            await self._run()
        except Exception as error:
            _log.exception("The embedder's client failed.")
            self._give_up(f"The embedder's client failed: {type(error).__name__}. {self._advice}")

    async def _run(self) -> None:
        """Run the process until it has been idle for long, or is given up."""
        while (child := await self._start_child()) is not None:
            try:
                lost = await self._answer_jobs(child)
            finally:
                await child.kill()
                self._child = None
            if lost is None and not self._queries and not self._slices:
                self._worker = None
                self._set("absent")
                return
            if self._losses >= _LOSSES:
                self._give_up(f"The embedder failed {self._losses} times in a row: {lost} {self._advice}")
                return
            self._set("starting", str(lost or ""))
            await asyncio.sleep(self._pause * min(max(0, self._losses - 1), 5))

    async def _start_child(self) -> ChildProcess | None:
        """Start the process, trying again where that may help; None when the embedder is given up."""
        for attempt in range(1, _STARTS + 1):
            self._set("starting", self.state.message)
            try:
                child = self._child = await ChildProcess.spawn(self._command, self._wake.set)
                try:
                    self._set("ready", dims=await child.ready(self._start_deadline))
                except BaseException:
                    await child.kill()
                    self._child = None
                    raise
                return child
            except LoadError as error:
                _log.warning("The embedder did not start (%d of %d): %s", attempt, _STARTS, error)
                if not error.retry or attempt == _STARTS:
                    self._give_up(f"{error} {self._advice}")
                    return None
                self._set("starting", str(error))
            await asyncio.sleep(self._pause * attempt)
        return None

    async def _answer_jobs(self, child: ChildProcess) -> EmbeddingError | None:
        """Answer jobs until the process is idle for long (None) or lost (the error)."""
        while True:
            self._wake.clear()
            if child.ended:
                self._losses += 1
                return ChildLostError("The embedder's process ended.")
            queue = self._queries or self._slices
            if not queue:
                try:
                    async with asyncio.timeout(self._idle_timeout):
                        await self._wake.wait()
                except TimeoutError:
                    return None
                continue
            job = next(iter(queue))  # it stays in the queue, where close finds it
            try:
                rows = await child.ask(job.texts, self._slice_deadline)
            except ChildLostError as error:
                queue.pop(job, None)
                self._lose(job, error)
                return error
            queue.pop(job, None)
            self._deliver(job, rows)
            if self._losses >= _LOSSES:
                return ChildLostError("The model gives no vectors.")

    def _deliver(self, job: _Job, rows: list[Row | None]) -> None:
        self._losses = 0 if any(row is not None for row in rows) else self._losses + 1
        if len(job.texts) == 1:
            self._strikes.pop(hash(job.texts[0]), None)
        if job.is_query and rows[0] is not None:
            # Even where nobody waits any more: the same query is likely to come again.
            _remember(self._cache, job.texts[0], rows[0], _CACHED_QUERIES)
        if not job.answer.done():
            job.answer.set_result(rows)

    def _lose(self, job: _Job, error: ChildLostError) -> None:
        """Tell the waiter and every query, whose deadlines are shorter than a restart."""
        _log.warning("%s It is started again.", error)
        self._losses += 1
        if len(job.texts) == 1:
            key = hash(job.texts[0])
            _remember(self._strikes, key, self._strikes.get(key, 0) + 1, _REMEMBERED_STRIKES)
        self._refuse(error, {job: None}, self._queries)

    def _is_refused(self, text: str) -> bool:
        return self._strikes.get(hash(text), 0) >= _STRIKES

    def _refuse(self, error: EmbeddingError, *queues: dict[_Job, None]) -> None:
        for queue in queues:
            for job in queue:
                if not job.answer.done():
                    job.answer.set_exception(error)
            queue.clear()

    def _give_up(self, message: str) -> None:
        self._worker = None
        self._refuse(EmbeddingError(message), self._queries, self._slices)
        self._set("failed", message)

    def _set(self, status: Status, message: str = "", dims: int | None = None) -> None:
        state = EmbedderState(status, self.state.backend, self.state.model_id, dims or self.state.dims, message)
        if status in ("ready", "failed", "off"):
            self._settled.set()
        else:
            self._settled.clear()
        if state != self.state:
            self.state = state
            if self._on_state is not None:
                try:
                    self._on_state(state)
                except Exception:
                    _log.exception("The report of the embedder's state failed.")


def _slices(texts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Cut texts into parts of at most 4 texts and some 1,200 characters."""
    part: list[str] = []
    size = 0
    for text in map(_clean, texts):
        if part and (len(part) == SLICE_TEXTS or size + len(text) > SLICE_CHARS):
            yield tuple(part)
            part, size = [], 0
        part.append(text)
        size += len(text)
    if part:
        yield tuple(part)


def _clean(text: str) -> str:
    """Cut a text, and replace lone surrogates, which no tokenizer takes."""
    return text[:TEXT_CHARS].encode("utf-8", "replace").decode("utf-8")


def _remember(memory: OrderedDict[_K, _V], key: _K, value: _V, limit: int) -> None:
    """Put an entry into a memory that forgets the least recently used past `limit`."""
    memory[key] = value
    memory.move_to_end(key)
    while len(memory) > limit:
        memory.popitem(last=False)
