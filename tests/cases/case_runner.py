"""Runs the cases of public_reports.json against a server and tells what differs from what they expect.

A case holds `files`, a list of steps (`action`) and what is to hold afterwards (`expect`). Positions are UTF-16. All
files are open from the start. Diagnostics are asked for, so nothing has to settle; hints are left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote, urlsplit

from memory_lsp.core.text import LineIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from peer import Peer

Json: TypeAlias = dict[str, Any]

FULL = 1  # a server that wants whole documents
SEVERITIES = {"error": 1, "warning": 2, "information": 3, "hint": 4}
# What a server must advertise before it can be asked.
PROVIDERS = {
    "textDocument/codeAction": "codeActionProvider",
    "textDocument/completion": "completionProvider",
    "textDocument/definition": "definitionProvider",
    "textDocument/diagnostic": "diagnosticProvider",
    "textDocument/documentLink": "documentLinkProvider",
    "textDocument/documentSymbol": "documentSymbolProvider",
    "textDocument/hover": "hoverProvider",
    "textDocument/references": "referencesProvider",
    "textDocument/rename": "renameProvider",
    "workspace/symbol": "workspaceSymbolProvider",
}
CAPABILITIES: Json = {
    "experimental": {"memoryStatus": True},
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "workspaceFolders": True,
        "diagnostics": {"refreshSupport": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "fileOperations": {"didRename": True, "willRename": True},
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
    },
    "textDocument": {
        "diagnostic": {"dynamicRegistration": False, "relatedDocumentSupport": True},
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    },
}


def not_advertised(case: Json, capabilities: Json) -> list[str]:
    """Return which methods of a case the server does not offer."""
    methods = {step["method"] for step in case["action"]}
    return sorted(method for method in methods & PROVIDERS.keys() if not capabilities.get(PROVIDERS[method]))


@dataclass
class Session:
    """One case in a folder of its own; `texts` are the documents as the editor has them."""

    peer: Peer
    folder: Path
    texts: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    answers: list[tuple[str, Any]] = field(default_factory=list)
    left_out: tuple[str, ...] = ()  # methods that the server does not offer

    def uri(self, path: str) -> str:
        return (self.folder / path).as_uri()

    def path(self, uri: str) -> str:
        return Path(unquote(urlsplit(uri).path)).relative_to(self.folder).as_posix()

    async def play(self, case: Json) -> None:
        """Write and open the files, then take each step."""
        for path, text in case["files"].items():
            self._write(path, text)
        self.peer.notify(
            "workspace/didChangeWorkspaceFolders",
            {"event": {"added": [{"uri": self.folder.as_uri(), "name": case["id"]}], "removed": []}},
        )
        await self.peer.until(self._is_loaded)
        for path in case["files"]:
            self._open(path)
        for step in case["action"]:
            self.answers.append((step["method"], await self._step(step)))

    async def leave(self) -> None:
        """Close everything and take the folder out of the workspace."""
        for path in self.versions:
            self.peer.close(self.uri(path))
        self.peer.notify(
            "workspace/didChangeWorkspaceFolders",
            {"event": {"added": [], "removed": [{"uri": self.folder.as_uri(), "name": self.folder.name}]}},
        )

    async def diagnostics(self, path: str) -> list[Json]:
        """Ask what is wrong with a document, hints left out."""
        report = await self.peer.request("textDocument/diagnostic", {"textDocument": {"uri": self.uri(path)}})
        return [item for item in report["items"] if item["severity"] < SEVERITIES["hint"]]

    def _is_loaded(self) -> bool:
        """Tell whether the server's last word on its state was that it has read this folder."""
        states = self.peer.sent("memory/status")[-1:]
        return any(
            each["loaded"] and each["path"] == str(self.folder) for state in states for each in state["directories"]
        )

    def _write(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(text.encode())
        self.texts.setdefault(path, text)

    def _open(self, path: str) -> None:
        self.versions[path] = 1
        self.peer.open(self.uri(path), self.texts[path])

    async def _step(self, step: Json) -> Any:  # noqa: ANN401  whatever the server answers
        method = step["method"]
        if method in ("textDocument/didOpen", "textDocument/diagnostic") or method in self.left_out:
            return None
        if method == "tags of":
            return await self.peer.request("memory/graph", {"memoryDirectory": str(self.folder)})
        if method == "textDocument/didChange":
            return self._change(step["file"], step["range"], step["text"])
        if method == "write":
            self._write(step["file"], step["text"])
            return self.peer.saw((self.folder / step["file"], 1))
        if method == "workspace/didRenameFiles":
            return self._rename(step["files"])
        params: Json = {key: step[key] for key in ("position", "range", "newName", "query") if key in step}
        if "file" in step:
            params["textDocument"] = {"uri": self.uri(step["file"])}
        if method == "textDocument/references":
            params["context"] = {"includeDeclaration": False}
        if method == "textDocument/codeAction":
            params["context"] = {"diagnostics": await self.diagnostics(step["file"])}
        answer = await self.peer.request(method, params)
        if method == "textDocument/rename":
            self._apply(answer)
        return answer

    def _change(self, path: str, range_: Json, text: str) -> None:
        self.texts[path] = edited(self.texts[path], [{"range": range_, "newText": text}])
        self.versions[path] += 1
        sync = self.peer.capabilities["textDocumentSync"]["change"]
        change = {"text": self.texts[path]} if sync == FULL else {"range": range_, "text": text}
        document = {"uri": self.uri(path), "version": self.versions[path]}
        self.peer.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def _rename(self, files: list[list[str]]) -> None:
        for old, new in files:
            (self.folder / old).rename(self.folder / new)
            self.texts[new] = self.texts.pop(old)
            del self.versions[old]
            self.peer.close(self.uri(old))
        pairs = [{"oldUri": self.uri(old), "newUri": self.uri(new)} for old, new in files]
        self.peer.notify("workspace/didRenameFiles", {"files": pairs})
        self.peer.saw(*((self.folder / path, kind) for pair in files for path, kind in zip(pair, (3, 1), strict=True)))
        for _, new in files:
            self._open(new)

    def _apply(self, edit: Json) -> None:
        for change in edit.get("documentChanges", ()):
            if change.get("kind") == "rename":
                self.texts[self.path(change["newUri"])] = self.texts.pop(self.path(change["oldUri"]))
            elif "edits" in change:
                path = self.path(change["textDocument"]["uri"])
                self.texts[path] = edited(self.texts[path], change["edits"])
        for uri, edits in (edit.get("changes") or {}).items():
            self.texts[self.path(uri)] = edited(self.texts[self.path(uri)], edits)


def edited(text: str, edits: list[Json]) -> str:
    """Return a text after LSP edits, which all speak of the text before."""
    lines = LineIndex(text)

    def offset(position: Json) -> int:
        return lines.offset(position["line"], position["character"], "utf-16")

    places = [(offset(edit["range"]["start"]), offset(edit["range"]["end"]), edit["newText"]) for edit in edits]
    for start, end, new in sorted(places, key=lambda place: place[:2], reverse=True):
        text = text[:start] + new + text[end:]
    return text


@dataclass
class Outcome:
    """What a case came to: compared with its expectations, one method each."""

    session: Session
    case: Json
    diagnostics: dict[str, list[Json]]

    def differences(self) -> Iterator[str]:
        """Yield a sentence for each expectation that does not hold."""
        for key, expected in self.case["expect"].items():
            check = CHECKS.get(key)
            if check is None:
                if key not in NOTES:
                    yield f"nobody checks `{key}`"
            elif (found := check(self, expected)) != expected and found is not True:
                yield f"{key}: expected {expected!r}, found {found!r}"

    def of(self, method: str) -> list[Any]:
        return [answer for name, answer in self.session.answers if name == f"textDocument/{method}"]

    def asked(self) -> list[Json]:
        """Return the diagnostics of the files that the case asks about, else of its first."""
        paths = [step["file"] for step in self.case["action"] if step["method"] == "textDocument/diagnostic"]
        return [item for path in paths or [next(iter(self.case["files"]))] for item in self.diagnostics[path]]

    def on_lines(self, expected: list[Json] | Json) -> object:
        if isinstance(expected, dict):
            return {path: [item["message"] for item in self.diagnostics[path]] for path in expected}
        lines = [item["range"]["start"]["line"] for item in self.asked()]
        return lines == [item["line"] for item in expected] or lines

    def places(self, method: str) -> list[list[tuple[str, int]]]:
        """Return the paths and lines of each answer with locations."""
        return [
            [
                (
                    self.session.path(item.get("targetUri") or item["uri"]),
                    (item.get("targetSelectionRange") or item["range"])["start"]["line"],
                )
                for item in (answer if isinstance(answer, list) else [answer] if answer else [])
            ]
            for answer in self.of(method)
        ]

    def definitions(self, expected: str | list[str]) -> object:
        found = [places[0][0] if places else None for places in self.places("definition")]
        wanted = expected if isinstance(expected, list) else [expected] * len(found)
        return found == wanted or found

    def references(self, expected: list[list[Any]]) -> object:
        found = sorted({place for places in self.places("references") for place in places})
        return found == sorted((path, line) for path, line in expected) or found

    def symbols(self) -> list[set[str]]:
        """Return what each query found: names and paths."""
        return [
            {text for item in answer or [] for text in (item["name"], self.session.path(item["location"]["uri"]))}
            for method, answer in self.session.answers
            if method == "workspace/symbol"
        ]

    def includes_symbols(self, expected: list[str]) -> object:
        found = set().union(*self.symbols())
        return all(name in found or f"{name}.md" in found for name in expected) or sorted(found)

    def links(self) -> list[Json]:
        return [link["range"] for answer in self.of("documentLink") for link in answer or []]

    def tags(self) -> set[str]:
        graphs = [answer for method, answer in self.session.answers if method == "tags of"]
        return {node["label"].lower() for graph in graphs for node in graph["nodes"] if node["kind"] == "Tag"}

    def completed(self, expected: str) -> object:
        answer = self.of("completion")[0]
        items = answer["items"] if isinstance(answer, dict) else answer
        name = self.case["expect"]["items_include"][0]
        path = next(iter(self.case["files"]))
        for item in items:
            if name in (item["label"], item.get("filterText")):
                edit = item["textEdit"]
                return edited(self.session.texts[path], [{**edit, "range": edit.get("range") or edit["replace"]}])
        return [item["label"] for item in items]


def _severity(outcome: Outcome, expected: str) -> object:
    found = [item["severity"] for item in outcome.asked()]
    return all(severity >= SEVERITIES[expected] for severity in found) or found


def _mentions(outcome: Outcome, expected: list[str]) -> object:
    found = [item["message"] for item in outcome.asked()]
    return all(any(word in message for message in found) for word in expected) or found


def _fix_only_quotes(outcome: Outcome, expected: str) -> object:
    """Check that no fix does more to the frontmatter than the one that is named."""
    path = next(iter(outcome.case["files"]))
    before = outcome.session.texts[path]
    quoted = expected.partition(": ")[2]
    results = []
    for action in (action for answer in outcome.of("codeAction") for action in answer or []):
        copy = Session(outcome.session.peer, outcome.session.folder, {path: before})
        copy._apply(action.get("edit") or {})
        results.append(copy.texts[path])
    return all(text == before or (quoted in text and text.count("---") == 2) for text in results) or results


CHECKS: dict[str, Callable[[Outcome, Any], object]] = {
    "diagnostics": lambda o, e: [(i["code"], i["message"]) for i in o.asked()] if e == [] else o.on_lines(e),
    "diagnostic_ranges": lambda o, e: [item["range"] for item in o.asked()],
    "diagnostic_codes": lambda o, e: sorted(item["code"] for item in o.asked()),
    "at_most_severity": _severity,
    "mentions": _mentions,
    "definition": Outcome.definitions,
    "definition_lines": lambda o, e: [places[0][1] if places else None for places in o.places("definition")],
    "references": Outcome.references,
    "hover_contains": lambda o, e: e in json.dumps(o.of("hover"), ensure_ascii=False) or o.of("hover"),
    "symbols_include": Outcome.includes_symbols,
    "symbols_each_query": lambda o, e: all(set(e) <= found for found in o.symbols()) or o.symbols(),
    "links": lambda o, e: o.links(),
    "wikilinks": lambda o, e: all(range_ in o.links() for range_ in e) or o.links(),
    "files": lambda o, e: {path: o.session.texts.get(path) for path in e},
    "items_include": lambda o, e: True if "result" in o.case["expect"] else "a case without `result`",
    "result": Outcome.completed,
    "tags_include": lambda o, e: o.tags() >= set(e) or o.tags(),
    "tags_exclude": lambda o, e: not o.tags() & set(e) or o.tags(),
    "file_unchanged_unless": _fix_only_quotes,
}
# An error answer fails a case in any event; the others are for readers.
NOTES = frozenset(("no_error", "why", "never", "either"))
