"""Feed the parser and the JSON-RPC layer with damaged input for some minutes, and count.

    python tests/faults/fuzz.py [--minutes 10] [--seed N]

The parser gets notes cut, spliced and sprinkled with what markdown and YAML find special; it must not raise, and every
span must lie in the text. The protocol gets messages with values of other types in every place; each request must be
answered, and nothing may be raised. A fault is printed with the input that shows it, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lsp"))

from local import Local
from memory_lsp.core.lint import lint
from memory_lsp.core.note import parse
from memory_lsp.core.snapshot import Changes, Snapshot

ROOT = Path(__file__).resolve().parents[2]
SPICE = [
    "[[", "]]", "|", "\\|", "#", "^", "![[", "](", ")", "<", ">", "`", "```", "~~~", "<!--", "-->", "---\n", "\r\n",
    "\r",
    "\n", "\t", " ", ": ", " #", "- ", "* ", "[", "]", "{", "}", '"', "'", "&a", "*a", "|\n", "%20", "\0", "\u2028",
    "\ufeff", "🗺", "漢字", "e\u0301", "\ud800", "key: value\n", "supersedes: [[x]]\n", "| a | b |\n|---|---|\n", "    ",
    "> ", "# ", "===\n", "<div>", "</div>", "<pre>", "[^1]", "[r]: x.md\n", "ghp_", "password: ",
]  # fmt: skip
METHODS = [
    "textDocument/hover", "textDocument/definition", "textDocument/completion", "textDocument/references",
    "textDocument/rename", "textDocument/prepareRename", "textDocument/codeAction", "textDocument/documentSymbol",
    "textDocument/semanticTokens/full", "textDocument/semanticTokens/full/delta", "textDocument/foldingRange",
    "textDocument/selectionRange", "textDocument/documentLink", "textDocument/codeLens", "textDocument/inlayHint",
    "textDocument/documentHighlight", "workspace/symbol", "workspace/willRenameFiles", "memory/retrieve",
    "memory/related", "memory/search", "memory/graph", "memory/node", "memory/stats", "completionItem/resolve",
    "codeLens/resolve", "codeAction/resolve", "textDocument/onTypeFormatting",
]  # fmt: skip
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2**53,
    1.5,
    "",
    "x",
    "file:///",
    [],
    {},
    [[]],
    {"uri": 1},
    {"jsonrpc": "2.0"},
    "\ud800",
]


def notes(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.md"))]


def damaged(texts: list[str], chance: random.Random) -> str:
    """Return a text that was cut, spliced with another and sprinkled."""
    text = chance.choice(texts)
    for _ in range(chance.randint(1, 8)):
        at = chance.randint(0, len(text))
        kind = chance.randint(0, 3)
        if kind == 0:
            text = text[:at] + chance.choice(SPICE) * chance.choice((1, 1, 1, 2, 40)) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + chance.randint(0, 40) :]
        elif kind == 2:
            other = chance.choice(texts)
            start = chance.randint(0, len(other))
            text = text[:at] + other[start : start + chance.randint(0, 200)]
        else:
            text = text[at:]
    return text


def check_parser(text: str) -> None:
    """Parse a text, lint it, and look at every span."""
    note = parse("n.md", text, inline_tags=True)
    spans = [link.span for link in note.links] + [heading.span for heading in note.headings]
    spans += [tag.span for tag in note.tags] + [entry.span for entry in note.entries]
    snapshot, _ = Snapshot().updated(Changes({"n.md": note}))
    spans += [finding.span for finding in lint(snapshot, "n.md")]
    for span in spans:
        assert 0 <= span.start <= span.end <= len(note.text), span


def odd_params(chance: random.Random, uri: str) -> Any:  # noqa: ANN401  any JSON at all
    """Return params in which some values are not what they should be."""
    place = {"line": chance.choice([0, 1, 5, -1, 10**9]), "character": chance.choice([0, 3, -2, 10**9])}
    params: dict[str, Any] = {
        "textDocument": {"uri": uri}, "position": place, "positions": [place], "range": {"start": place, "end": place},
        "context": {"includeDeclaration": True, "diagnostics": []}, "newName": "new", "query": "note", "ch": "[",
        "options": {"tabSize": 4, "insertSpaces": True}, "files": [{"oldUri": uri, "newUri": uri + "x"}],
        "previousResultId": "1", "id": "note/a", "label": "x", "title": "x", "limit": 3,
    }  # fmt: skip
    for _ in range(chance.randint(0, 3)):
        key = chance.choice(list(params))
        if chance.random() < 0.3:
            del params[key]
        else:
            params[key] = chance.choice(ODD)
    return params if chance.random() < 0.95 else chance.choice(ODD)


async def fuzz_protocol(chance: random.Random, until: float, texts: list[str]) -> tuple[int, int]:
    """Ask a server in this process odd things; return how many requests it got, and how many faults it had."""
    asked = faults = 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "a.md").write_text("# A\n\n[[b]] text\n", encoding="utf-8")
        (root / "b.md").write_text("---\ntags: [x]\n---\n[[a]]\n", encoding="utf-8")
        client = Local()
        await client.initialize(root)
        uri = (root / "a.md").as_uri()
        client.open(uri, "# A\n\n[[b]] text\n")
        while time.monotonic() < until:
            if asked % 50 == 0:
                text = damaged(texts, chance).encode("utf-8", "replace").decode()
                client.change(uri, text, asked + 2)
            message = {"jsonrpc": "2.0", "id": asked + 1000, "method": chance.choice(METHODS)}
            params = odd_params(chance, uri)
            if params is not None or chance.random() < 0.5:
                message["params"] = params
            before = len(client.messages)
            try:
                client.carry(message)
                await client.until(
                    lambda wanted=message["id"], start=before: any(
                        answer.get("id") == wanted and "method" not in answer for answer in client.messages[start:]
                    )
                )
            except Exception:
                faults += 1
                print(f"fault: {json.dumps(message)[:500]}\n{traceback.format_exc()}")
            asked += 1
            if asked % 200 == 0:
                client.messages.clear()
        await client.server.stop()
    return asked, faults


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--minutes", type=float, default=10.0)
    arguments.add_argument("--seed", type=int, default=None)
    options = arguments.parse_args()
    # Refused requests are expected here, by the thousand.
    logging.disable(logging.CRITICAL)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    chance, texts = random.Random(seed), notes(ROOT / "docs")
    half = options.minutes * 30
    parsed = faults = 0
    until = time.monotonic() + half
    while time.monotonic() < until:
        text = damaged(texts, chance)
        try:
            check_parser(text)
        except Exception:
            faults += 1
            print(f"fault: {text[:500]!r}\n{traceback.format_exc()}")
        parsed += 1
    asked, refused = asyncio.run(fuzz_protocol(chance, time.monotonic() + half, texts))
    faults += refused
    print(f"seed {seed}: {parsed:,} texts parsed, {asked:,} requests answered, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
