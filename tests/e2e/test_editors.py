"""A writer's session in three editors, with the capabilities that these really send."""

from __future__ import annotations

import asyncio
import functools
import json
import sys
from collections.abc import AsyncIterator  # noqa: TC003  pytest-lsp looks at the fixture's annotations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_lsp
from lsprotocol import converters, types
from peer import put
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.asyncio(loop_scope="module")

PROFILES = Path(__file__).parent / "clientcaps"
ENCODINGS = {"vscode": "utf-16", "neovim": "utf-8", "eglot": "utf-16"}


class Editor(LanguageClient):
    """An editor with a folder open."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)
        self.root = Path()
        self.profile = ""
        self.encoding = ""
        self.published: list[types.PublishDiagnosticsParams] = []
        self.registered: set[str] = set()
        self.news = asyncio.Event()
        for method, handle in DEFAULT_CLIENT_FEATURES.items():
            self.feature(method)(_noting(handle))
        self.feature(types.CLIENT_REGISTER_CAPABILITY)(_register)

    @property
    def watches(self) -> bool:
        return types.WORKSPACE_DID_CHANGE_WATCHED_FILES in self.registered

    def uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                self.news.clear()
                await self.news.wait()

    async def shows(self, path: str, *codes: str) -> None:
        uri = self.uri(path)
        await self.until(lambda: uri in self.diagnostics and sorted(self.codes(path)) == sorted(codes))

    def codes(self, path: str) -> list[str]:
        found = self.diagnostics.get(self.uri(path), ())
        return [str(item.code) for item in found if item.severity != types.DiagnosticSeverity.Hint]

    def open(self, path: str, text: str, language: str = "markdown") -> None:
        item = types.TextDocumentItem(self.uri(path), language, 1, text)
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, path: str, text: str, version: int) -> None:
        document = types.VersionedTextDocumentIdentifier(version, self.uri(path))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def close(self, path: str) -> None:
        document = types.TextDocumentIdentifier(self.uri(path))
        self.text_document_did_close(types.DidCloseTextDocumentParams(document))

    def tell(self, path: str, kind: types.FileChangeType) -> None:
        """Tell of a file that changed, as this editor would: only where the server asked it to."""
        if self.watches:
            event = types.FileEvent(self.uri(path), kind)
            self.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    async def hover(self, path: str, line: int, column: int) -> types.Hover | None:
        params = types.HoverParams(types.TextDocumentIdentifier(self.uri(path)), types.Position(line, column))
        return await self.text_document_hover_async(params)

    async def definition(self, path: str, line: int, column: int) -> list[types.Location | types.LocationLink]:
        params = types.DefinitionParams(types.TextDocumentIdentifier(self.uri(path)), types.Position(line, column))
        return list(await self.text_document_definition_async(params) or ())


def _noting(handle: Callable[[Editor, Any], Any]) -> Callable[[Editor, Any], Any]:
    @functools.wraps(handle)
    def handler(ls: Editor, params: object) -> object:
        result = handle(ls, params)
        if isinstance(params, types.PublishDiagnosticsParams):
            ls.published.append(params)
        ls.news.set()
        return result

    return handler


def _register(ls: Editor, params: types.RegistrationParams) -> None:
    ls.registered |= {registration.method for registration in params.registrations}
    ls.news.set()


CONFIG = ClientServerConfig(server_command=[sys.executable, "-m", "memory_lsp", "--stdio"], client_factory=Editor)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("editors")


@pytest_lsp.fixture(scope="module", config=CONFIG, params=[*ENCODINGS, "neovim utf-32"])
async def editor(request: pytest.FixtureRequest, lsp_client: Editor, root: Path) -> AsyncIterator[None]:
    name, _, forced = request.param.partition(" ")
    profile = json.loads((PROFILES / f"{name}.json").read_text(encoding="utf-8"))
    if forced:
        profile["capabilities"]["general"]["positionEncodings"] = [forced]
    capabilities = converters.get_converter().structure(profile["capabilities"], types.ClientCapabilities)
    folder = root / request.param.replace(" ", "-")
    put(folder / "alpha.md", "# Alpha\n\nSee [[beta]].\n")
    put(folder / "beta.md", "---\nname: beta\ndescription: the second\n---\n# Beta\n\nIts body. [[alpha]]\n")
    put(folder / "closed.md", "[[missing note]]\n")
    lsp_client.root, lsp_client.profile, lsp_client.encoding = folder, name, forced or ENCODINGS[name]
    settings = {"embedding": {"backend": "none"}, "links": {"languages": ["python"]}}
    lsp_client.set_configuration({"memory": settings})
    result = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            root_uri=folder.as_uri(),
            workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "notes")],
            initialization_options=settings,
        )
    )
    assert result.capabilities.position_encoding == lsp_client.encoding
    yield
    await asyncio.wait_for(lsp_client.shutdown_session(), 10)


async def test_notes_that_are_not_open_are_diagnosed(editor: Editor) -> None:
    await editor.shows("closed.md", "dangling-link")


async def test_who_watches_the_files(editor: Editor) -> None:
    if editor.profile == "neovim":
        assert not editor.watches
    else:
        await editor.until(lambda: editor.watches)


@pytest.mark.parametrize("before", ["😀 ", "日本 ", "e\u0301 ", ""])
async def test_a_link_after_wide_characters(editor: Editor, before: str) -> None:
    sizes = {"utf-8": len(before.encode()), "utf-16": len(before.encode("utf-16-le")) // 2, "utf-32": len(before)}
    column = sizes[editor.encoding]
    editor.open("alpha.md", f"# Alpha\n\n{before}[[beta]] [[nowhere]]\n")
    link = types.Range(types.Position(2, column), types.Position(2, column + 8))
    hover = await editor.hover("alpha.md", 2, column + 3)
    assert hover is not None
    assert hover.range == link
    assert isinstance(hover.contents, types.MarkupContent)
    assert "the second" in hover.contents.value
    assert "Its body." in hover.contents.value
    (found,) = await editor.definition("alpha.md", 2, column + 3)
    if isinstance(found, types.LocationLink):
        assert found.target_uri == editor.uri("beta.md")
        assert found.target_selection_range.start == types.Position(4, 2)
        assert found.origin_selection_range == link
    else:
        assert found.uri == editor.uri("beta.md")
        assert found.range.start == types.Position(4, 2)
    await editor.shows("alpha.md", "dangling-link")
    (dangling,) = [item for item in editor.diagnostics[editor.uri("alpha.md")] if item.code == "dangling-link"]
    assert dangling.range == types.Range(types.Position(2, column + 9), types.Position(2, column + 20))
    editor.close("alpha.md")
    await editor.shows("alpha.md")


async def test_a_link_in_a_comment_of_code(editor: Editor) -> None:
    before = "x = 1  # 😀 "
    column = {"utf-8": len(before.encode()), "utf-16": len(before) + 1, "utf-32": len(before)}[editor.encoding]
    editor.open("code.py", f"{before}[[beta]] [[nowhere]]\n", "python")
    await editor.shows("code.py", "dangling-link")
    (dangling,) = editor.diagnostics[editor.uri("code.py")]
    assert dangling.range == types.Range(types.Position(0, column + 9), types.Position(0, column + 20))
    hover = await editor.hover("code.py", 0, column + 3)
    assert hover is not None
    assert hover.range == types.Range(types.Position(0, column), types.Position(0, column + 8))
    (found,) = await editor.definition("code.py", 0, column + 3)
    assert (found.target_uri if isinstance(found, types.LocationLink) else found.uri) == editor.uri("beta.md")
    editor.close("code.py")
    await editor.shows("code.py")


async def test_links_of_definition_are_for_those_who_take_them(editor: Editor) -> None:
    (found,) = await editor.definition("alpha.md", 2, 7)
    taken = editor.capabilities
    assert taken is not None
    assert taken.text_document is not None
    assert taken.text_document.definition is not None
    assert isinstance(found, types.LocationLink) == bool(taken.text_document.definition.link_support)


async def test_typing_a_link_to_a_missing_note_and_creating_its_file(editor: Editor) -> None:
    editor.open("alpha.md", "# Alpha\n")
    editor.change("alpha.md", "# Alpha\n\n[[fresh]]\n", 5)
    await editor.shows("alpha.md", "dangling-link")
    assert next(item for item in reversed(editor.published) if item.uri == editor.uri("alpha.md")).version == 5
    put(editor.root / "fresh.md", "here\n")
    editor.tell("fresh.md", types.FileChangeType.Created)
    await editor.shows("alpha.md")
    (editor.root / "fresh.md").unlink()
    editor.tell("fresh.md", types.FileChangeType.Deleted)
    await editor.shows("alpha.md", "dangling-link")
    editor.close("alpha.md")
    await editor.shows("alpha.md")


async def test_retrieve_and_progress_of_this_editor(editor: Editor) -> None:
    answer = await editor.protocol.send_request_async("memory/retrieve", {"query": "second"})
    assert answer.results[0].name == "beta"
    assert answer.seedMode == "keyword"
