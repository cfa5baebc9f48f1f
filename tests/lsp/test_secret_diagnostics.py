"""A secret in a note: it keeps the note without vector, leaves no byte on disk, and is told to nobody."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from local import Local
from memory_lsp.cli import main
from memory_lsp.lsp import navigation
from peer import Refused, put

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from memory_lsp.memory import Memory

# Put together here, so that no scanner takes this file for a leak.
TOKEN = "ghp_" + "Zq8Rk2Vw5T" * 3 + "nB3xYd"
DIGEST = hashlib.sha256(TOKEN.encode()).hexdigest()
REAL = {"embedding": {"backend": "onnx"}}
CLEAN = "---\nname: deploy\ndescription: how to deploy\n---\nThe ferry to the harbour leaves at noon.\n"


@pytest.fixture
async def second(tmp_path: Path) -> AsyncIterator[Local]:
    """A server that is started after the first one ended."""
    local = Local()
    yield local
    await local.server.stop()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    put(root / "project/deploy.md", CLEAN)
    put(root / "project/other.md", "---\nname: other\ndescription: another\n---\nBread is baked at dawn. [[deploy]]\n")
    return root


def memory_of(client: Local) -> Memory:
    return client.server.session.memories[0]


def sidecar_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((folder / ".graph").rglob("*")) if path.is_file())


async def changed(client: Local, path: Path, text: str) -> None:
    """Change a file outside the editor, and wait until all has followed."""
    put(path, text)
    client.saw((path, 2))
    await client.quiet()


def vector_bytes(client: Local, id_: str) -> bytes:
    index = memory_of(client).index
    vector = index.vectors.get(index._rows[id_])
    assert vector is not None
    return np.asarray(vector, dtype="<f4").tobytes()


async def test_nothing_of_a_note_is_left_on_disk_once_it_holds_a_secret(
    client: Local, second: Local, folder: Path
) -> None:
    await client.initialize(folder, options=REAL)
    await client.quiet()
    first = vector_bytes(client, "project/deploy")
    await changed(client, folder / "project/deploy.md", CLEAN.replace("noon", "midnight"))
    later = vector_bytes(client, "project/deploy")
    assert first != later
    assert later in sidecar_bytes(folder), "the vector was stored"
    old_hashes = {memory_of(client).index._rows["project/deploy"]}

    await changed(client, folder / "project/deploy.md", CLEAN.replace("noon", f"noon, token {TOKEN}"))
    left = sidecar_bytes(folder)
    assert "project/deploy" not in memory_of(client).index
    assert memory_of(client).index.vectors.get(next(iter(old_hashes))) is None
    for gone in (first, later, TOKEN.encode(), b"ferry", *(hash_.encode() for hash_ in old_hashes)):
        assert gone not in left
    for some in (first[:64], later[:64]):
        assert some not in left, "not even a part of the vector"
    assert b"project/deploy" in (folder / ".graph/graph.json").read_bytes(), "the note keeps its node"
    assert "project/other" in memory_of(client).index

    await client.server.stop()
    await second.initialize(folder, options=REAL)
    await second.quiet()
    assert first not in sidecar_bytes(folder)
    assert "project/deploy" not in memory_of(second).index
    assert "project/other" in memory_of(second).index


async def test_a_name_that_changes_with_the_secret_takes_the_old_rows_along(client: Local, folder: Path) -> None:
    await client.initialize(folder, options=REAL)
    await client.quiet()
    before = vector_bytes(client, "project/deploy")
    await changed(client, folder / "project/deploy.md", CLEAN.replace("name: deploy", f"name: {TOKEN}"))
    left = sidecar_bytes(folder)
    assert before[:64] not in left
    assert TOKEN.encode() not in left
    assert b"project/deploy" not in left


_KILLED = """
import asyncio, sys
from pathlib import Path
from memory_lsp.config import Settings
from memory_lsp.discovery import Kind, Place
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import make_plan
from memory_lsp.memory import open_memory

async def run():
    plan = make_plan(Settings().embedding)
    embedder = Embedder(plan, idle_timeout=0)
    memory = open_memory(Place(Path(sys.argv[1]), Kind.MEMORY), Settings(), plan.model_id, embedder)
    memory.load()
    memory.indexer.request(None)
    await memory.indexer.settled()
    print(len(memory.index), flush=True)
    await asyncio.sleep(60)

asyncio.run(run())
"""


async def test_a_secret_that_came_while_the_server_was_dead_is_followed_at_the_next_start(
    client: Local, folder: Path
) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _KILLED, str(folder), stdout=asyncio.subprocess.PIPE
    )
    assert child.stdout is not None
    assert await asyncio.wait_for(child.stdout.readline(), 60) == b"2\n"
    os.kill(child.pid, signal.SIGKILL)
    await child.wait()
    stored = sidecar_bytes(folder)
    assert b"project/deploy" in stored
    # Only in the frontmatter: the hash of what was embedded stays the same.
    put(folder / "project/deploy.md", CLEAN.replace("---\nThe", f"apiKey: {TOKEN}\n---\nThe"))
    await client.initialize(folder, options=REAL)
    await client.quiet()
    left = sidecar_bytes(folder).replace((folder / ".graph/graph.json").read_bytes(), b"")
    assert b"project/deploy" not in left
    assert TOKEN.encode() not in left
    assert "project/deploy" not in memory_of(client).index
    assert len(memory_of(client).index) == 1


async def test_a_development_default_is_information_and_is_embedded(client: Local, folder: Path) -> None:
    put(folder / "project/deploy.md", CLEAN + "Use postgres://postgres:postgres@localhost:5432/app here.\n")
    await client.initialize(folder, options=REAL)
    uri = await client.opened(folder, "project/deploy.md")
    await client.quiet()
    found = [item for item in client.diagnostics[uri] if item["code"] == "contains-secret"]
    assert [item["severity"] for item in found] == [3]
    assert "project/deploy" in memory_of(client).index


async def test_the_allow_list_is_followed_both_ways(client: Local, folder: Path) -> None:
    text = CLEAN + f"The token is {TOKEN}.\n"
    uri = put(folder / "project/deploy.md", text)
    allow = folder / ".memory-lsp-allow"
    await client.initialize(folder, options=REAL)
    client.open(uri, text)
    await client.shows(uri, "contains-secret")
    await client.quiet()
    assert "project/deploy" not in memory_of(client).index

    allow.write_text(f"{DIGEST}  # not a secret\n", "utf-8")
    client.saw((allow, 1))
    await client.shows(uri)
    await client.quiet()
    assert "project/deploy" in memory_of(client).index
    vector = vector_bytes(client, "project/deploy")
    answer = await client.request("memory/retrieve", {"query": "ferry", "includeContent": True, "limit": 1})
    assert TOKEN in answer["results"][0]["content"], "what is allowed is shown"

    allow.unlink()
    client.saw((allow, 3))
    await client.shows(uri, "contains-secret")
    await client.quiet()
    assert "project/deploy" not in memory_of(client).index
    assert vector[:64] not in sidecar_bytes(folder)


async def test_the_watcher_sees_the_allow_list(client: Local, folder: Path) -> None:
    text = CLEAN + f"The token is {TOKEN}.\n"
    uri = put(folder / "project/deploy.md", text)
    await client.initialize(folder)
    client.open(uri, text)
    await client.shows(uri, "contains-secret")
    (folder / ".memory-lsp-allow").write_text(f"{DIGEST}\n", "utf-8")
    await client.shows(uri)


async def test_a_rule_is_switched_off_by_the_settings(client: Local, folder: Path) -> None:
    text = CLEAN + f"The token is {TOKEN}.\n"
    uri = put(folder / "project/deploy.md", text)
    await client.initialize(folder, options=REAL)
    client.open(uri, text)
    await client.shows(uri, "contains-secret")
    off = {**REAL, "secrets": {"disabled": ["github-token", "git-hub"]}}
    client.notify("workspace/didChangeConfiguration", {"settings": {"memory": off}})
    await client.shows(uri)
    await client.quiet()
    assert "project/deploy" in memory_of(client).index
    shown = [params["message"] for params in client.sent("window/showMessage")]
    assert any("'git-hub' is no secret rule" in message for message in shown)
    client.notify("workspace/didChangeConfiguration", {"settings": {"memory": REAL}})
    await client.shows(uri, "contains-secret")
    await client.quiet()
    assert "project/deploy" not in memory_of(client).index


# The canary. Each credential stands in one place, so that a leak tells where it came from.
def canary(place: str) -> str:
    body = hashlib.sha512(place.encode()).hexdigest().translate(str.maketrans("0123abc", "GHJKXYZ"))
    return "ghp_" + (body + body.lower())[:20] + "Q7x9Lm2Pv4Rt6Wz8"


PLACES = (
    "body", "title", "name", "description", "tag", "link", "heading", "file", "buffer", "index", "query", "alias",
    "type", "entry", "block", "asset", "unspelled",
)  # fmt: skip
CANARIES = {place: canary(place) for place in PLACES}
PASSWORD = "Kestrel-41!harbour"  # told only by the words before it


@pytest.fixture
def aviary(tmp_path: Path) -> Path:
    root = tmp_path / "memory"
    c = CANARIES
    put(root / "project/body.md", f"---\nname: body\ndescription: plain\n---\n# Body\n\nThe token is {c['body']}.\n")
    put(root / "project/title.md", f"# {c['title']}\n\nText.\n\n## The {c['heading']} part\n\nMore. ^here\n")
    put(root / "project/name.md", f"---\nname: {c['name']}\ndescription: plain\n---\nText [[body]].\n")
    put(
        root / "project/meta.md",
        f"---\nname: meta\ndescription: key {c['description']} here\ntags: [{c['tag']}, shared]\n"
        f"aliases: [{c['alias']}]\nsupersedes: {c['entry']}\n---\nSee [[{c['link']}]] and ![p]({c['asset']}.png).\n",
    )
    put(
        root / "project/twice.md",
        f"---\nname: twice {PASSWORD}\ntags: [{PASSWORD}]\n---\nThe admin password: {PASSWORD}\n",
    )
    put(root / "typed.md", f"---\nname: typed\ntype: {c['type']}\n---\nText. A {c['block']} ^id\n")
    escaped = "\\x67" + c["unspelled"][1:]
    put(root / "project/escaped.md", f'---\nname: escaped\ndescription: "{escaped}"\n---\nText.\n')
    put(root / f"project/{c['file']}.md", "No frontmatter, so that the file's name is the name. [[body]]\n")
    put(
        root / "project/links.md", f"[[body]] [[meta]] [[title]] [[{c['name']}]] [[{c['file']}]] [[twice {PASSWORD}]]\n"
    )
    put(root / "project/old.md", "---\nname: old\nsuperseded_by: meta\n---\nOld. [[meta]]\n")
    put(root / "MEMORY.md", f"# Index\n\n- [[body]]\n- token {c['index']}\n")
    return root


def leaks(told: object, *, but: tuple[str, ...] = ()) -> set[str]:
    """Return the places whose canary is in something, whole or the larger part of it."""
    text = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
    found = {place for place, value in CANARIES.items() if value in text or value[4:24] in text}
    found |= {"password"} if PASSWORD in text else set()
    return found - set(but)


def without_uris(value: Any) -> Any:  # noqa: ANN401  any JSON
    """Return JSON without the URIs in it: they lead to files as these are called."""
    if isinstance(value, dict):
        files = {key for key in ("uri", "target", "root", "path") if isinstance(value.get(key), str)}
        return {key: without_uris(item) for key, item in value.items() if key not in files}
    if isinstance(value, list):
        return [without_uris(item) for item in value]
    return value


def notes_in(folder: Path) -> dict[Path, str]:
    return {path: path.read_bytes().decode() for path in sorted(folder.rglob("*.md"))}


def positions(text: str) -> list[tuple[int, int]]:
    return [(row, column) for row, line in enumerate(text.splitlines()) for column in range(0, len(line) + 1, 7)]


async def test_the_canary_is_told_to_nobody(
    client: Local, aviary: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG, "memory_lsp")
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # as the program does
    capabilities = {
        "experimental": {"memory": {"status": True}}, "workspace": {"symbol": {}},
        "textDocument": {
            "publishDiagnostics": {"relatedInformation": True, "dataSupport": True, "codeDescriptionSupport": True},
            "documentLink": {"tooltipSupport": True}, "hover": {"contentFormat": ["markdown"]},
        },
    }  # fmt: skip
    options = {**REAL, "inlayHints": {"links": True}}
    await client.initialize(aviary, options=options, capabilities=capabilities)
    await client.quiet()
    own: dict[str, str] = {}
    for path, text in notes_in(aviary).items():
        if path.name == "body.md":
            text += f"\nUnsaved: {CANARIES['buffer']}\n"
        own[path.as_uri()] = text
        client.open(path.as_uri(), text)
    await client.quiet()

    start = len(client.messages)
    for uri, text in own.items():
        document = {"textDocument": {"uri": uri}}
        for row, column in positions(text):
            await client.hover(uri, row, column)
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        for lens in await client.request("textDocument/codeLens", document) or []:
            await client.request("codeLens/resolve", lens)
        await client.request("textDocument/documentLink", document)
        await client.request("textDocument/inlayHint", {**document, "range": whole})
        await client.request("memory/related", {**document, "range": whole})
    for query in ("", CANARIES["query"], "token", PASSWORD):
        await client.request("memory/retrieve", {"query": query, "includeContent": True, "limit": 50})
        await client.request("memory/search", {"query": query})
    graph = await client.request("memory/graph")
    for item in graph["nodes"]:
        try:
            await client.request("memory/node", {"id": item["id"]})
        except Refused as refused:
            assert "there is no node" in refused.message  # an id that only a note's text shows to be a secret
    with pytest.raises(Refused):
        await client.request("memory/node", {"id": CANARIES["query"]})
    await client.request("memory/stats")
    for query in ("", "ghp", "part", "body"):
        await client.request("workspace/symbol", {"query": query})
    scratch = (aviary / "project/scratch.md").as_uri()
    for written in ("[[", "[[title#", "[[typed#^", "[x](", "---\ntags: [", "---\nsupersedes: "):
        client.open(scratch, written) if written == "[[" else client.change(scratch, written)
        position = {"line": written.count("\n"), "character": len(written.rsplit("\n", 1)[-1])}
        answer = await client.request(
            "textDocument/completion", {"textDocument": {"uri": scratch}, "position": position}
        )
        for item in (answer or {"items": []})["items"]:
            await client.request("completionItem/resolve", item)
    assert leaks([without_uris(message) for message in client.messages[start:]]) == set()
    assert leaks([without_uris(message) for message in client.messages[:start]]) == set()

    secret_file = (CANARIES["file"] + ".md").encode()
    sidecar = sidecar_bytes(aviary)
    assert leaks(sidecar.decode("latin-1")) == set()
    assert secret_file not in sidecar
    embedded = {"project/old", "project/links"}  # links.md names notes, and those are secrets
    assert set(memory_of(client).index._rows) <= embedded | {"project/scratch"}

    def fails(*told: object) -> None:
        raise KeyError(str(told), own, CANARIES["body"])

    monkeypatch.setattr(navigation, "describe", fails)
    uri = (aviary / "project/body.md").as_uri()
    before = len(client.messages)
    with pytest.raises(Refused, match="the server's log says why"):
        await client.request(
            "textDocument/hover",
            {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 2}, "more": CANARIES["query"]},
        )
    assert leaks([without_uris(message) for message in client.messages[before:]]) == set()
    assert "KeyError" in caplog.text
    assert leaks(caplog.text) == set()


async def test_only_these_answers_hold_a_secret_of_the_note_itself(client: Local, aviary: Path) -> None:
    await client.initialize(aviary)
    uri = await client.opened(aviary, "project/title.md")
    outline = await client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert leaks(outline) == {"title", "heading"}, "the outline is the document's own text"
    named = (aviary / f"project/{CANARIES['file']}.md").as_uri()
    links = await client.opened(aviary, "project/links.md")
    text = (aviary / "project/links.md").read_text("utf-8")
    places = await client.definition(links, 0, text.index(CANARIES["file"]) + 2)
    assert [place["uri"] for place in places] == [named], "a link leads to the file as it is called"


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_no_report_of_the_command_line_tells_the_canary(
    aviary: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    main(["check", "-d", str(aviary), "--format", form])
    out, err = capsys.readouterr()
    assert out.count("secret") > 8
    assert leaks(out + err, but=("file",)) == set()
    assert CANARIES["file"] in out, "the path of the file is the place of the finding"


@pytest.mark.parametrize(
    "command", [["graph"], ["graph", "--format", "dot"], ["stats"], ["retrieve", "--json", "text"]]
)
def test_no_answer_of_the_command_line_tells_the_canary(
    aviary: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    main([command[0], "-d", str(aviary), "--set", "embedding.backend=none", *command[1:]])
    out, err = capsys.readouterr()
    told = json.dumps(without_uris(json.loads(out))) if out.startswith("{") else out
    assert leaks(told + err) == set()
