"""The server: what one client's session consists of, and which handler answers which message."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

import memory_lsp
from memory_lsp.config import Settings
from memory_lsp.courtesy import Courtesy
from memory_lsp.discovery import expanded
from memory_lsp.discreet import describe_crash
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.judge import Judge, judge_plan
from memory_lsp.embedding.plan import make_plan
from memory_lsp.errors import NoMemoryError
from memory_lsp.files import is_note
from memory_lsp.lsp import (
    actions,
    completion,
    decorations,
    documents,
    file_operations,
    lifecycle,
    navigation,
    on_type,
    pull,
    references,
    related,
    rename,
    requests,
    semantic_tokens,
    symbols,
)
from memory_lsp.lsp.client import Client
from memory_lsp.lsp.convert import to_path, to_range, to_span, to_uri
from memory_lsp.lsp.diagnostics import Publisher
from memory_lsp.lsp.handlers import register
from memory_lsp.lsp.progress import ProgressReporter
from memory_lsp.lsp.protocol import MemoryProtocol
from memory_lsp.lsp.pull import PullDiagnostics
from memory_lsp.lsp.related import RelatedRequests
from memory_lsp.lsp.semantic_tokens import TokenMemory
from memory_lsp.lsp.source_files import Seen, SourceFiles
from memory_lsp.lsp.status import StatusReporter
from memory_lsp.lsp.watch import Watcher
from memory_lsp.memory import open_memory
from memory_lsp.session import Session

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

    from memory_lsp.core.note import Note
    from memory_lsp.core.text import Span
    from memory_lsp.directory import Buffer, Delta
    from memory_lsp.discovery import Place
    from memory_lsp.embedding.client import EmbedderState
    from memory_lsp.embedding.plan import Plan
    from memory_lsp.lsp.completion import CompletionCache
    from memory_lsp.lsp.params import Params
    from memory_lsp.lsp.pending import PendingRename
    from memory_lsp.memory import Memory

_log = logging.getLogger(__name__)


class MemoryServer(LanguageServer):
    """One client's server. Everything it holds is made in `start`, after `initialize` told what the client can do."""

    protocol: MemoryProtocol
    client: Client
    session: Session
    embedder: Embedder
    judge: Judge
    plan: Plan
    publisher: Publisher
    pull: PullDiagnostics
    sources: SourceFiles
    status: StatusReporter
    watcher: Watcher
    progress_reporter: ProgressReporter

    def __init__(self) -> None:
        super().__init__(
            "memory-lsp", memory_lsp.__version__, text_document_sync_kind=types.TextDocumentSyncKind.Full,
            protocol_cls=MemoryProtocol, converter_factory=default_converter,
        )  # fmt: skip
        self.settings = Settings()
        self.settings_problems: tuple[str, ...] = ()
        self.initial_folders: list[Path] = []
        self.initial_settings = self.settings
        self.pending_rename: PendingRename | None = None
        self.courtesy = Courtesy()
        self.started = False
        self._begun = False
        self._complaints: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, capabilities: types.ClientCapabilities, info: types.ClientInfo | None, settings: Settings) -> None:
        """Set the session up for a client; reads no note yet."""
        encoding = self.protocol.workspace.position_codec.encoding
        self.client = Client(capabilities, str(getattr(encoding, "value", encoding)), info.name if info else "")
        self.settings = self.initial_settings = settings
        self.status = StatusReporter(self)
        self.publisher = Publisher(self)
        self.pull = PullDiagnostics(self)
        self.sources = SourceFiles(self)
        self.token_memory = TokenMemory()
        self.related_requests = RelatedRequests()
        self.completion_caches: dict[Path, CompletionCache] = {}
        if self.client.pulls_diagnostics:
            register(self, pull.HANDLERS)
        register(self, actions.handlers(self.client))
        self.progress_reporter = ProgressReporter(self)
        self.watcher = Watcher(self)
        self.remake_embedder()
        self.remake_judge()
        self.session = Session(
            make=self._make_memory, before_load=self._before_load, on_delta=self._on_delta, on_loaded=self._on_loaded,
            on_unloaded=self._on_unloaded, settings=settings,
        )  # fmt: skip
        self.started = True

    def begin(self) -> None:
        """Open the session, once: when the client is ready, or at the first message of one that does not say so."""
        if not self._begun:
            self._begun = True
            self.spawn(lifecycle.open_session(self))

    async def change_settings(self, settings: Settings) -> None:
        """Take other settings; what they touch is made again."""
        old = self.settings
        await self.take_settings(settings)
        if _layout(old) != _layout(settings):
            await self.session.reload(settings)
        elif old != settings:
            for memory in self.session.memories:
                memory.settings = settings
            self.pull.forget_all()
            self.publisher.publish_all()
        self.sources.refresh()
        self.status.update()

    async def take_settings(self, settings: Settings) -> None:
        """Note other settings, and let go of an embedder that they do not want."""
        old, self.settings = self.settings, settings
        self.session.settings = settings
        if old.embedding != settings.embedding:
            await self.embedder.close()
            self.remake_embedder()
        if old.contradictions.model != settings.contradictions.model:
            await self.judge.close()
            self.remake_judge()

    def complain(self, problems: tuple[str, ...]) -> None:
        """Tell the user what is wrong with the settings, each thing once."""
        new = [problem for problem in problems if problem not in self._complaints]
        self._complaints.update(new)
        if new:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, " ".join(new)))

    async def stop(self) -> None:
        """End everything this server started."""
        if not self.started:
            return
        self.watcher.stop()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(
            self.embedder.close(), self.judge.close(), self.session.close_all(), return_exceptions=True
        )

    def spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Run something in the background; its fault is logged, and it ends with the server."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    async def settled(self, uri: str) -> tuple[Memory, Note] | None:
        """Return the memory and the note of a document, once loaded; None where it is no note that is served."""
        self.begin()
        await self.session.placed()
        path = to_path(uri)
        found = self.session.locate(path) if path is not None else None
        if found is None:
            return None
        memory, inside = found
        await self.session.ready(memory)
        note = memory.directory.snapshot.notes.get(inside)
        return (memory, note) if note is not None else None

    async def seen(self, uri: str) -> tuple[Seen, ...]:
        """Return a document as the directories see it, once loaded: a note in its own, a source file in several."""
        found = await self.settled(uri)
        if found is None:
            return await self.sources.seen(uri)
        memory, note = found
        return (Seen(memory, self.sources.view(memory), note),)

    async def seen_at(self, uri: str, start: types.Position, end: types.Position | None = None) -> Seen | None:
        """Return a document as the directory sees it that a place is about; None where no link of a source file is."""
        range_ = types.Range(start, end or start)
        seen = await self.seen(uri)
        return next((one for one in seen if one.has_something(to_span(one.note, range_, self.client.encoding))), None)

    async def memory_of(self, params: Params) -> Memory:
        """Return the memory that a request is about, loaded: the one it names, or the first there is.

        Raises NoMemoryError where none matches.
        """
        self.begin()
        await self.session.placed()
        named, document = params.optional_text("memoryDirectory"), params.document()
        memory = None
        if named is not None:
            path = to_path(named) if named.startswith("file:") else expanded(named)
            memory = self.session.named(path) if path is not None else None
        elif document is not None:
            path = to_path(document)
            found = self.session.locate(path) if path is not None else None
            memory = found[0] if found else None
        else:
            memory = self.session.default()
        if memory is None:
            raise NoMemoryError(named or document or "this workspace", [place.root for place in self.session.places()])
        await self.session.ready(memory)
        await memory.indexer.catch_up()
        return memory

    async def memory_near(self, uri: str) -> Memory:
        """Return the memory that knows about a file: its own, else that of its workspace folder, else the first."""
        path = to_path(uri)
        memory = self.session.near(path) if path is not None else self.session.default()
        if memory is None:
            raise NoMemoryError(uri, [place.root for place in self.session.places()])
        await self.session.ready(memory)
        return memory

    def uri(self, memory: Memory, path: str) -> str:
        """Return the URI of a note or source file: the editor's own where it is open."""
        buffer = self.buffer(memory, path)
        return buffer.uri if buffer is not None else to_uri(memory.directory.root / path)

    def buffer(self, memory: Memory, path: str) -> Buffer | None:
        """Return the editor's document over a path of a directory."""
        return memory.directory.buffer(path) if is_note(path) else self.sources.buffer(memory, path)

    def location(self, memory: Memory, path: str, span: Span) -> types.Location:
        """Return the location of a span in a note or source file."""
        note = memory.directory.snapshot.notes.get(path) or self.sources.view(memory).notes[path]
        return types.Location(self.uri(memory, path), to_range(note, span, self.client.encoding))

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log what pygls would show to the user in a popup, which itself could fail and loop."""
        _log.error("%s: %s", source.__name__, error)

    def remake_embedder(self) -> None:
        """Choose the embedder anew; it is started at its first use."""
        self.plan = make_plan(self.settings.embedding)
        self.embedder = Embedder(
            self.plan, idle_timeout=self.settings.embedding.idle_timeout, on_state=self._on_embedder_state
        )

    def remake_judge(self) -> None:
        """Choose the model that is asked about contradictions anew; it is started at its first use."""
        self.judge = Judge(
            judge_plan(self.settings.contradictions.model),
            idle_timeout=self.settings.embedding.idle_timeout,
            on_state=lambda _: self.status.update(),
        )

    def _on_embedder_state(self, state: EmbedderState) -> None:
        if state.status == "ready":
            for memory in self.session.memories:
                if memory.directory.loaded and memory.indexer.behind:
                    memory.indexer.request(())
        self.status.update()

    def _make_memory(self, place: Place) -> Memory:
        embedder = None if self.plan.backend == "none" else self.embedder
        judge = self.judge if self.judge.exists and self.settings.contradictions.detect else None
        memory = open_memory(
            place, self.settings, self.plan.model_id, embedder, background=self.plan.background, judge=judge
        )
        memory.no_model = self.plan.problem
        memory.indexer.on_change = lambda: self._on_index_change(memory)
        memory.indexer.upkeep.courtesy = memory.contradictions.courtesy = self.courtesy
        memory.indexer.upkeep.after = lambda: self._detect_contradictions(memory)
        return memory

    async def _before_load(self, memory: Memory) -> None:
        await self.watcher.watch(memory)

    def _on_delta(self, memory: Memory, delta: Delta, cause: str) -> None:
        self.pull.follow(memory, delta)
        self.publisher.follow(memory, delta, cause)
        if delta.saved:
            # A file that cannot be read changes no note, but has to be told of.
            self.status.update()
        self.sources.follow()

    def _on_loaded(self, memory: Memory) -> None:
        self.status.update()

    def _on_unloaded(self, memory: Memory) -> None:
        self.watcher.unwatch(memory)
        self.publisher.forget(memory)
        self.sources.forget(memory)
        self.status.update()

    def _on_index_change(self, memory: Memory) -> None:
        self.progress_reporter.update(memory)
        self.status.update()

    async def _detect_contradictions(self, memory: Memory) -> None:
        await memory.detect_contradictions(lambda delta: self._on_delta(memory, delta, "index"))

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            _log.error("a background task failed\n%s", describe_crash(error))


def _layout(settings: Settings) -> tuple[object, ...]:
    """Return the settings that decide how directories are found, read and embedded."""
    return (
        settings.directories, settings.exclude, settings.embedding, settings.tags, settings.index, settings.secrets,
        settings.retrieval.chunks, settings.contradictions,
    )  # fmt: skip


def create_server() -> MemoryServer:
    """Return a new server with every handler in place."""
    server = MemoryServer()
    for module in (
        lifecycle,
        documents,
        navigation,
        references,
        rename,
        file_operations,
        requests,
        symbols,
        decorations,
        semantic_tokens,
        completion,
        related,
        on_type,
    ):
        register(server, module.HANDLERS)
    return server
