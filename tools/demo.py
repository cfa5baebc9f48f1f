"""Show memory-lsp on the example memory: its diagnostics, then one question over a real LSP session on stdio."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MEMORY = ROOT / "docs" / "examples" / "memory"
QUERY = "how should I format this comparison?"
# The first start reads the model from disk; on a busy machine that takes a while.
PATIENCE = 50.0


class Client:
    """Just enough LSP to start the server, ask it something and leave."""

    def __init__(self, root: Path) -> None:
        command = [sys.executable, "-m", "memory_lsp", "--stdio"]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last_id = 0
        folder = {"uri": root.as_uri(), "name": root.name}
        self.request("initialize", {"processId": os.getpid(), "capabilities": {}, "workspaceFolders": [folder]})
        self.send({"method": "initialized", "params": {}})

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.server.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.server.stdout is not None
        length = 0
        while (line := self.server.stdout.readline().strip()) or not length:
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            elif not line and self.server.poll() is not None:
                sys.exit("The server ended; what it printed above says why. `memory-lsp doctor` may help.")
        answer: dict[str, Any] = json.loads(self.server.stdout.read(length))
        return answer

    def request(self, method: str, params: object = None) -> Any:  # noqa: ANN401  JSON
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        while (answer := self.receive()).get("id") != self.last_id:
            pass
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def close(self) -> None:
        self.request("shutdown")
        self.send({"method": "exit"})
        self.server.wait(5)


def main() -> int:
    print(f"1. memory-lsp check -d {MEMORY.relative_to(ROOT)}\n")
    subprocess.run([sys.executable, "-m", "memory_lsp", "check", "-d", str(MEMORY)], check=False)
    print(f'\n2. memory/retrieve "{QUERY}", over LSP on stdio\n')
    client, until = Client(MEMORY), time.monotonic() + PATIENCE
    answer = client.request("memory/retrieve", {"query": QUERY})
    # Until the model is loaded and the notes are embedded, the server answers by keywords and says so.
    while answer["isIncomplete"] and time.monotonic() < until:
        time.sleep(0.2)
        answer = client.request("memory/retrieve", {"query": QUERY})
    for result in answer["results"]:
        print(f"{result['score']:.2f}  {result['name']}: {result['description']}")
        print(f"      {walked(result['path'])}")
    how = "by meaning" if answer["seedMode"] != "keyword" else "by keywords only: `memory-lsp doctor` says why"
    print(f"\n{len(answer['results'])} notes in {answer['tookMs']:.1f} ms, seeds found {how}.")
    client.close()
    server = Path(sys.executable).parent / "memory-lsp"
    print(f"\n3. Connect: VS Code, Neovim and others run `{os.path.relpath(server)} --stdio` (docs/editors.md);")
    print("   an agent sends it memory/retrieve (docs/protocol.md), or runs `memory-lsp retrieve QUERY --json`.")
    return 0


def walked(path: list[dict[str, Any]]) -> str:
    """Return the way from the seed to the result, a step an edge."""
    names = {"Tag": "#{}", "Cluster": "cluster “{}”"}
    steps = [names.get(step["kind"], "{}").format(step["label"]) for step in path]
    arrows = [f" ─{step['edgeKind']}→ {name}" for step, name in zip(path[1:], steps[1:], strict=True)]
    return steps[0] + ("".join(arrows) or " (a seed)")


if __name__ == "__main__":
    sys.exit(main())
