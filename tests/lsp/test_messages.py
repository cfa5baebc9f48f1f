"""Every message gets what JSON-RPC and LSP say it must get, however damaged it is."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest
from peer import NOTHING, PATIENCE, Refused, put, result_of, write

if TYPE_CHECKING:
    from pathlib import Path

    from local import Local
    from peer import Wire


async def refusal(client: Local, method: str, params: Wire = NOTHING) -> Refused:
    with pytest.raises(Refused) as caught:
        await client.request(method, params)
    return caught.value


async def test_the_capabilities_are_those_that_work(client: Local, tmp_path: Path) -> None:
    result = await client.initialize(tmp_path)
    offered = result["capabilities"]
    assert result["serverInfo"]["name"] == "memory-lsp"
    assert offered["hoverProvider"] is True
    assert offered["definitionProvider"] is True
    assert offered["textDocumentSync"] == {"openClose": True, "change": 1, "save": {"includeText": False}}
    assert offered["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}
    for method in offered["experimental"]["memory"]["requests"]:
        params = {"query": "x", "id": "x", "textDocument": {"uri": tmp_path.as_uri()}, "sessionId": "s"}
        try:
            await client.request(method, params)
        except Refused as error:
            assert error.code in (-32602, -32803), f"{method} is offered and unknown"


async def test_no_command_is_offered_that_nobody_answers(client: Local, tmp_path: Path) -> None:
    offered = (await client.initialize(tmp_path))["capabilities"]
    for command in (offered.get("executeCommandProvider") or {"commands": ["none"]})["commands"]:
        if command == "none":
            assert (await refusal(client, "workspace/executeCommand", {"command": "none"})).code == -32602


async def test_initialize_is_answered_before_any_note_is_read(client: Local, tmp_path: Path) -> None:
    write(tmp_path, a="[[b]]")
    _, answer = client.ask("initialize", {"processId": None, "rootUri": tmp_path.as_uri(), "capabilities": {}})
    assert answer.done()
    assert client.server.session.memories == ()


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32"], "utf-32"),
        (["utf-7", "utf-16"], "utf-16"),
        ([], "utf-16"),
    ],
)
async def test_the_position_encoding_is_negotiated(
    client: Local, tmp_path: Path, offered: list[str] | None, chosen: str
) -> None:
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    result = await client.initialize(tmp_path, capabilities=general)
    assert result["capabilities"]["positionEncoding"] == chosen


async def test_a_request_before_initialize(client: Local) -> None:
    assert (await refusal(client, "memory/retrieve", {"query": "x"})).code == -32002


async def test_a_notification_before_initialize_is_dropped(client: Local, tmp_path: Path) -> None:
    client.open((tmp_path / "a.md").as_uri(), "[[x]]")
    assert client.messages == []


async def test_a_second_initialize(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    assert (
        await refusal(client, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    ).code == -32600


async def test_a_request_after_shutdown(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    assert await client.request("shutdown") is None
    assert (await refusal(client, "memory/stats")).code == -32600
    client.notify("exit")
    assert client.exits == [0]


async def test_exit_right_after_shutdown_does_not_wait_for_its_answer(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    client.ask("shutdown")
    client.notify("exit")
    assert client.exits == [0]


async def test_exit_without_shutdown(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    client.notify("exit")
    assert client.exits == [1]


async def test_an_unknown_method(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    assert (await refusal(client, "memory/nothing", {})).code == -32601
    assert (await refusal(client, "textDocument/nothing", {})).code == -32601


async def test_unknown_notifications_are_ignored(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    before = len(client.messages)
    client.notify("memory/nothing", {"a": 1})
    client.notify("memory/retrieve", {"query": "x"})
    client.notify("$/nothing")
    client.notify("textDocument/didFly", [1])
    assert len(client.messages) == before
    assert (await client.request("memory/stats"))["notes"] == 0


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("textDocument/hover", NOTHING),
        ("textDocument/hover", None),
        ("textDocument/hover", {}),
        ("textDocument/hover", []),
        ("textDocument/hover", "x"),
        ("textDocument/hover", {"textDocument": {"uri": 5}, "position": 1}),
        (
            "textDocument/definition",
            {"textDocument": {"uri": "file:///a.md"}, "position": {"line": "x", "character": 0}},
        ),
        ("memory/retrieve", NOTHING),
        ("memory/retrieve", None),
        ("memory/retrieve", []),
        ("memory/retrieve", "x"),
        ("memory/node", 5),
    ],
)
async def test_params_of_another_shape(client: Local, tmp_path: Path, method: str, params: Wire) -> None:
    await client.initialize(tmp_path)
    error = await refusal(client, method, params)
    assert error.code == -32602
    assert error.message
    assert error.data is None
    assert (await client.request("memory/stats"))["notes"] == 0


async def test_a_damaged_notification_is_dropped(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    for method in (
        "textDocument/didOpen",
        "textDocument/didChange",
        "$/cancelRequest",
        "workspace/didChangeWatchedFiles",
    ):
        for params in (NOTHING, None, {}, [], {"textDocument": 5}, {"id": [1]}, {"changes": [{"uri": 1}]}):
            client.notify(method, params)
    assert (await client.request("memory/stats"))["notes"] == 0


async def test_a_change_of_a_document_that_was_never_opened(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    client.change((tmp_path / "a.md").as_uri(), "x")
    client.close((tmp_path / "b.md").as_uri())
    assert (await client.request("memory/stats"))["notes"] == 0
    assert client.sent("window/showMessage") == []


@pytest.mark.parametrize("nested", [{"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "method": "x", "id": 1}, [{"jsonrpc": 5}]])
async def test_a_key_jsonrpc_inside_the_params_is_harmless(client: Local, tmp_path: Path, nested: Wire) -> None:
    write(tmp_path, a="apples")
    await client.initialize(tmp_path, options={"embedding": {"backend": "none"}, "other": nested})
    answer = await client.request("memory/retrieve", {"query": "apples", "extra": nested})
    assert [item["id"] for item in answer["results"]] == ["note/a"]
    client.notify("workspace/didChangeConfiguration", {"settings": {"memory": {}, "other": nested}})
    assert await client.hover((tmp_path / "a.md").as_uri(), 0, 0) is None


@pytest.mark.parametrize(
    "body",
    [
        [],
        [{"jsonrpc": "2.0", "id": 1, "method": "memory/stats"}],
        "x",
        5,
        None,
        True,
        {},
        {"id": 1},
        {"jsonrpc": "1.0", "id": 1},
    ],
)
async def test_json_that_is_no_message(client: Local, tmp_path: Path, body: Wire) -> None:
    await client.initialize(tmp_path)
    before = len(client.messages)
    client.carry(body)
    (answer,) = client.messages[before:]
    assert answer["error"]["code"] == -32600
    assert answer["id"] == (body["id"] if isinstance(body, dict) and "id" in body else None)


@pytest.mark.parametrize("id_", [None, 1.5, [1], {"a": 1}, True])
async def test_an_id_that_is_none(client: Local, tmp_path: Path, id_: Wire) -> None:
    await client.initialize(tmp_path)
    before = len(client.messages)
    client.carry({"jsonrpc": "2.0", "id": id_, "method": "memory/retrieve", "params": {"query": "x"}})
    (answer,) = client.messages[before:]
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    assert (await client.request("memory/stats"))["notes"] == 0


@pytest.mark.parametrize("method", [5, None, [], {"a": 1}])
async def test_a_method_that_is_no_text(client: Local, tmp_path: Path, method: Wire) -> None:
    await client.initialize(tmp_path)
    before = len(client.messages)
    client.carry({"jsonrpc": "2.0", "id": 77, "method": method})
    assert [answer.get("error", {}).get("code") for answer in client.messages[before:]] == [-32600]


async def test_a_text_as_id(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    client.carry({"jsonrpc": "2.0", "id": "mine", "method": "memory/stats"})
    await client.until(lambda: any(message.get("id") == "mine" and "result" in message for message in client.messages))


async def test_what_the_transport_could_not_parse(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    before = len(client.messages)
    client.server.protocol.receive(None, "The message is no JSON: JSONDecodeError.")
    (answer,) = client.messages[before:]
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)


async def test_answers_to_questions_that_nobody_asked(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    for message in (
        {"id": 5, "result": None},
        {"id": "x", "error": {"code": 1, "message": "x"}},
        {"id": 1, "error": 5},
    ):
        client.carry({"jsonrpc": "2.0", **message})
    assert (await client.request("memory/stats"))["notes"] == 0


async def test_a_cancelled_request_is_answered_at_once(client: Local, tmp_path: Path) -> None:
    write(tmp_path, **{f"n{number}": "text" for number in range(50)})
    await client.initialize(tmp_path)
    number, answer = client.ask("memory/rebuild")
    client.notify("$/cancelRequest", {"id": number})
    assert (await answer)["error"]["code"] == -32800
    # What it had begun is still brought to its end.
    assert result_of(await client.ask("memory/rebuild")[1])["notes"] == 50


async def test_the_cancellation_of_what_is_done_is_ignored(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    number, answer = client.ask("memory/stats")
    await answer
    client.notify("$/cancelRequest", {"id": number})
    client.notify("$/cancelRequest", {"id": "never"})
    assert (await client.request("memory/stats"))["notes"] == 0


async def test_a_flood_of_cancelled_requests_is_answered_whole(client: Local, tmp_path: Path) -> None:
    put(tmp_path / "a.md", "x")
    await client.initialize(tmp_path)
    await client.opened(tmp_path, "a.md")
    answers = []
    for turn in range(1_000):
        number, answer = client.ask("memory/retrieve", {"query": f"x {turn}"})
        client.notify("$/cancelRequest", {"id": number})
        answers.append(answer)
    async with asyncio.timeout(PATIENCE):
        found = await asyncio.gather(*answers)
    assert all(("error" in each and each["error"]["code"] == -32800) or "result" in each for each in found)
    assert len(client.server.protocol._request_futures) < 10


async def test_nothing_is_kept_of_messages_that_are_done(client: Local, tmp_path: Path) -> None:
    uri = put(tmp_path / "a.md", "x")
    await client.initialize(tmp_path)
    await client.opened(tmp_path, "a.md")
    for version in range(2, 500):
        client.change(uri, f"text {version}", version)
        client.ask("memory/stats")
    await client.request("memory/stats")
    client.notify("$/nothing")
    assert len(client.server.protocol._request_futures) < 10


async def test_a_fault_in_a_handler_is_no_traceback_for_the_client(
    client: Local, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(ls: object, params: object) -> None:
        raise ZeroDivisionError("the note says hunter2")

    from memory_lsp.lsp.handlers import register

    await client.initialize(tmp_path)
    register(client.server, {"textDocument/foldingRangeX": fail})
    with caplog.at_level(logging.CRITICAL):
        error = await refusal(client, "textDocument/foldingRangeX", {})
    assert error.code == -32603
    assert "hunter2" not in error.message
    assert error.data is None


async def test_deep_params(client: Local, tmp_path: Path) -> None:
    await client.initialize(tmp_path)
    deep: Wire = "x"
    for _ in range(800):
        deep = [deep]
    assert (await refusal(client, "memory/retrieve", {"query": deep})).code == -32602
    assert (await client.request("memory/retrieve", {"query": "x", "more": deep}))["results"] == []
    assert (await refusal(client, "textDocument/hover", {"textDocument": deep, "position": deep})).code == -32602
