"""A server on a directory of 100,000 files: what is answered while it loads, what it holds, and how soon it ends.

    python tests/faults/large.py [--files 100000] [--kind notes|others]

`notes` are 100,000 short notes with links and tags. `others` are as many files that are no notes, 20 folders deep,
around five notes. The embedder is off, so the answers come by keywords. Measured from the process's start: initialize,
requests while the notes are being read, the load's end; then a question, memory, and the time from `shutdown` to the
process's end, once at rest and once in the middle of a load. `memory-lsp check` and `stats` follow.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in ("", "e2e"):
    sys.path.insert(0, str(TESTS / folder))

import peer
from piped import Piped

ASKED = {"experimental": {"memoryStatus": True}}
WORDS = ("harbour", "tide", "lantern", "ferry", "timetable", "notice", "gate", "winch", "pilot", "buoy", "anchor")


def make_notes(root: Path, count: int) -> None:
    """Write notes of some 300 bytes in 200 folders, each with two links and a tag."""
    chance = random.Random(1)
    for number in range(count):
        folder = root / f"part-{number % 200}"
        if number < 200:
            folder.mkdir(parents=True)
        words = " ".join(chance.choices(WORDS, k=25))
        links = " ".join(f"[[n{chance.randrange(count)}]]" for _ in range(2))
        text = (
            f"---\ndescription: about {words[:30]}\ntags: [t{number % 997}]\n---\n# N{number}\n\n{words}\n\n{links}\n"
        )
        (folder / f"n{number}.md").write_text(text, encoding="utf-8")


def make_others(root: Path, count: int) -> None:
    """Write files that are no notes in chains of folders, and five notes."""
    for number in range(count):
        if number % 100 == 0:
            chain = [f"d{number // 2_000}", *(f"deep-{level}" for level in range(number // 100 % 20))]
            folder = root.joinpath(*chain)
            folder.mkdir(parents=True, exist_ok=True)
        (folder / f"f{number}.txt").write_bytes(b"x")
    for number in range(5):
        (root / f"n{number}.md").write_text(f"About the ferry [[n{(number + 1) % 5}]].\n", encoding="utf-8")


async def start(root: Path, log: Path) -> tuple[Piped, float]:
    """Start a server and shake hands; return it with the seconds that took."""
    began = time.perf_counter()
    server = await Piped.start(log)
    await server.initialize(root, capabilities=ASKED)
    return server, time.perf_counter() - began


def loaded(server: Piped) -> bool:
    said = server.sent("memory/status")
    return bool(said) and said[-1]["quiescent"] and all(each["loaded"] for each in said[-1]["directories"])


async def load(server: Piped) -> tuple[float, list[float], list[str]]:
    """Wait for the load; return its seconds, how long requests took meanwhile, and what the status said."""
    began, spent = time.perf_counter(), list[float]()
    while not loaded(server):
        asked = time.perf_counter()
        # A request of another kind each time: one that is refused, and one that needs no note.
        for method, params in (
            ("memory/nothing", {}),
            ("workspace/executeCommand", {"command": "no", "arguments": []}),
        ):
            _, answer = server.ask(method, params)
            await asyncio.wait_for(answer, peer.PATIENCE)
        spent.append((time.perf_counter() - asked) / 2)
        await asyncio.sleep(0.25)
    said = list(dict.fromkeys(status["message"] for status in server.sent("memory/status")))
    return time.perf_counter() - began, spent, said


async def cancelled(server: Piped, uri: str) -> float:
    """Ask for something that needs the notes, cancel it, return the seconds until the answer."""
    params = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    number, answer = server.ask("textDocument/hover", params)
    await asyncio.sleep(0.1)
    began = time.perf_counter()
    server.notify("$/cancelRequest", {"id": number})
    await asyncio.wait_for(answer, peer.PATIENCE)
    return time.perf_counter() - began


async def leave(server: Piped) -> float:
    began = time.perf_counter()
    await server.leave()
    return time.perf_counter() - began


async def measure(root: Path, log: Path) -> None:
    some = next(root.rglob("*.md")).as_uri()
    server, shaken = await start(root, log)
    print(f"initialize answered after {shaken:.2f} s")
    print(f"a hover that waits for the notes, cancelled: answered after {await cancelled(server, some) * 1000:.0f} ms")
    seconds, spent, said = await load(server)
    print(f"loaded {seconds:.1f} s later; the status said: {' / '.join(said)}")
    ordered = sorted(each * 1000 for each in spent)
    print(f"{len(ordered)} requests meanwhile: median {statistics.median(ordered):.0f} ms, most {ordered[-1]:.0f} ms")
    for question in ("first", "second"):
        asked = time.perf_counter()
        found = await server.request("memory/retrieve", {"query": "the ferry and its timetable"})
        print(f"{question} question: {(time.perf_counter() - asked) * 1000:.0f} ms, {len(found['results'])} results")
    print(f"resident memory: {server.memory() / 1e6:,.0f} MB")
    print(f"exit at rest: {await leave(server):.2f} s")
    server, _ = await start(root, log)
    await asyncio.sleep(2)
    print(f"exit in the middle of the load: {await leave(server):.2f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--kind", choices=("notes", "others"), default="notes")
    options = parser.parse_args()
    peer.PATIENCE = 900.0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "notes"
        root.mkdir()
        (make_notes if options.kind == "notes" else make_others)(root, options.files)
        asyncio.run(measure(root, Path(folder) / "log"))
        for command in ("check", "stats"):
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "memory_lsp", command, "--directory", str(root)],
                capture_output=True,
                text=True,
                check=False,
            )
            lines = (done.stdout or done.stderr).strip().splitlines()
            print(f"{command}: {time.perf_counter() - began:.1f} s, status {done.returncode}, ends: {lines[-1]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
