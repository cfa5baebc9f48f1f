"""The client's end of an LSP session, without a process: whoever carries the bytes calls `feed` with each message."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Wire: TypeAlias = "Any"
"""JSON as it comes over the wire: tests look at what they expect, and fail where it is something else."""
Json = dict[str, Any]
PATIENCE = 20.0
NOTHING: Wire = object()


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data = error.get("data")


class Peer:
    """Sends messages, keeps what comes back, answers what the server asks. `configuration` is section `memory`."""

    def __init__(self) -> None:
        self.messages: list[Json] = []
        self.published: list[Json] = []
        self.diagnostics: dict[str, list[Json]] = {}
        self.configuration: Wire = None
        self.capabilities: Json = {}
        self.silent: set[str] = set()  # requests of the server that get no answer
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Json]] = {}
        self._news = asyncio.Event()

    def carry(self, message: object) -> None:
        """Take a message to the server."""
        raise NotImplementedError

    def feed(self, message: Json) -> None:
        """Take a message from the server."""
        self.messages.append(message)
        if "method" not in message:
            answer = self._answers.get(message["id"]) if message["id"] is not None else None
            if answer is not None and not answer.done():
                answer.set_result(message)
        elif message["method"] == "textDocument/publishDiagnostics":
            self.published.append(message["params"])
            self.diagnostics[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "id" in message and message["method"] not in self.silent:
            self.carry({"jsonrpc": "2.0", "id": message["id"], "result": self._reply(message)})
        self._news.set()

    def _reply(self, message: Json) -> object:
        return [self.configuration] if message["method"] == "workspace/configuration" else None

    def ask(self, method: str, params: Wire = NOTHING) -> tuple[int, asyncio.Future[Json]]:
        """Send a request; return its id and what will hold the answer."""
        number = next(self._ids)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self.carry(
            {"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is NOTHING else {"params": params})
        )
        return number, answer

    async def request(self, method: str, params: Wire = NOTHING) -> Wire:
        """Send a request and return its result; raises Refused."""
        _, answer = self.ask(method, params)
        return result_of(await asyncio.wait_for(answer, PATIENCE))

    def notify(self, method: str, params: Wire = NOTHING) -> None:
        """Send a notification."""
        self.carry({"jsonrpc": "2.0", "method": method} | ({} if params is NOTHING else {"params": params}))

    async def until(self, condition: Callable[[], object], seconds: float = PATIENCE) -> None:
        """Wait until something holds; it is looked at again whenever a message comes."""
        async with asyncio.timeout(seconds):
            while not condition():
                self._news.clear()
                await self._news.wait()

    def sent(self, method: str) -> list[Any]:
        """Return the params of every message of a method so far."""
        return [message.get("params") for message in self.messages if message.get("method") == method]

    async def initialize(
        self,
        *folders: Path | str,
        capabilities: Json | None = None,
        options: Wire = NOTHING,
        process: int | None = None,
        **more: Wire,
    ) -> Json:
        """Shake hands; the embedder is off unless the options say otherwise."""
        if options is NOTHING:
            options = {"embedding": {"backend": "none"}}
        uris = [folder if isinstance(folder, str) else folder.as_uri() for folder in folders]
        params = {
            "processId": process,
            "rootUri": uris[0] if uris else None,
            "capabilities": capabilities or {},
            "initializationOptions": options,
            "workspaceFolders": [{"uri": uri, "name": uri.rpartition("/")[2]} for uri in uris],
        } | more
        result: Json = await self.request("initialize", params)
        self.capabilities = result["capabilities"]
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, version: int = 1, language: str = "markdown") -> None:
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, text: str, version: int = 2) -> None:
        document = {"uri": uri, "version": version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def save(self, uri: str) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def saw(self, *changes: tuple[Path, int]) -> None:
        """Tell of files that were created (1), changed (2) or deleted (3)."""
        events = [{"uri": path.as_uri(), "type": kind} for path, kind in changes]
        self.notify("workspace/didChangeWatchedFiles", {"changes": events})

    async def hover(self, uri: str, line: int, character: int) -> Json | None:
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        return await self.request("textDocument/hover", params)

    async def definition(self, uri: str, line: int, character: int) -> Wire:
        params = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
        return await self.request("textDocument/definition", params)

    def codes(self, uri: str) -> list[str]:
        """Return the codes of a document's diagnostics, hints left out."""
        return [item["code"] for item in self.diagnostics.get(uri, []) if item["severity"] < 4]

    async def shows(self, uri: str, *codes: str) -> None:
        """Wait until a document shows just these codes, hints left out."""
        await self.until(lambda: uri in self.diagnostics and sorted(self.codes(uri)) == sorted(codes))


def result_of(answer: Json) -> Wire:
    """Return the result of an answer; raises Refused."""
    if "error" in answer:
        raise Refused(answer["error"])
    return answer["result"]


def write(folder: Path, **files: str) -> None:
    """Write notes given as keywords: `a="text"` is `a.md`."""
    for name, text in files.items():
        put(folder / f"{name}.md", text)


def put(path: Path, text: str) -> str:
    """Write one file, line ends as they are; return its URI."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path.as_uri()


def framed(message: object) -> bytes:
    """Return a message as it goes over the wire."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
