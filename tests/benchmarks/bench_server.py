"""Measure the server on directories of 2,000 and 10,000 notes, the embedder left out.

    python tests/benchmarks/bench_server.py [--notes 2000 10000] [--rounds 200]

Queries bring their own vector. The note that is saved gets a text whose vector is known, so that all but the model's
own time is in it: read, relink, compare, append to the journal.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from memory_lsp.config import read_settings
from memory_lsp.discovery import find_places
from memory_lsp.memory import open_memory
from memory_lsp.sidecar.journal import JOURNAL

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "e2e")]

from notes import MODEL, make, name, warm
from piped import Piped

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from numpy.typing import NDArray


def cpu(server: Piped) -> float:
    """Return the processor seconds that the server has used."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def timed(server: Piped, what: str, action: Callable[[int], Awaitable[object]], rounds: int) -> str:
    """Return a line of the table: p50, p99 and the server's processor time a round, in ms."""
    for number in range(10):
        await action(number)
    spent, used = [], cpu(server)
    for number in range(rounds):
        began = time.perf_counter()
        await action(number)
        spent.append((time.perf_counter() - began) * 1000)
    return line(what, sorted(spent), (cpu(server) - used) * 1000 / rounds)


def line(what: str, spent: list[float], used: float | None = None) -> str:
    p99 = spent[min(len(spent) - 1, int(len(spent) * 0.99))]
    return f"| {what} | {statistics.median(spent):.1f} | {p99:.1f} | {'' if used is None else f'{used:.1f}'} |"


async def start(folder: Path, log: Path, vector: list[float]) -> tuple[Piped, dict[str, float]]:
    """Start a server; return it with the seconds from the process's start to each step."""
    began = time.perf_counter()
    server = await Piped.start(log)
    # The sidecar holds no passages: embedding them would be measured with all the rest.
    options = {"retrieval": {"chunks": False}}
    await server.initialize(folder, options=options, capabilities={"experimental": {"memoryStatus": True}})
    answered, booted = time.perf_counter() - began, cpu(server)
    result = await server.request("memory/retrieve", {"query": "x", "vector": vector})
    first = time.perf_counter() - began
    assert result["seedMode"] != "keyword", result["seedMode"]
    return server, {"initialize": answered, "retrieve": first, "cpu initialize": booted, "cpu retrieve": cpu(server)}


async def save_times(server: Piped, folder: Path, paths: list[Path], rounds: int) -> list[float]:
    """Save a note again and again; the journal's growth shows when the sidecar holds it."""
    path, journal = paths[0], folder / ".graph" / JOURNAL
    texts = [path.read_bytes(), paths[-1].read_bytes()]
    spent = []
    for number in range(rounds):
        path.write_bytes(texts[(number + 1) % 2])
        began = time.perf_counter()
        grown = asyncio.create_task(asyncio.to_thread(_wait_for_growth, journal))
        server.save(path.as_uri())
        await grown
        spent.append((time.perf_counter() - began) * 1000)
    return sorted(spent[2:])


async def related_in_code(folder: Path, matrix: NDArray[np.float32], rounds: int) -> str:
    """Return the line for a place in code that notes are near, each time with other text, inside this process.

    The request has no vector of its own, and that of a real text is near to none of the invented ones.
    """
    settings, _ = read_settings({"retrieval": {"chunks": False}})
    memory = open_memory(find_places(folder)[0], settings, MODEL, None)
    memory.load()
    await memory.indexer.load()
    await memory.indexer.upkeep.cluster()
    rng = np.random.default_rng(2)
    spent, used = [], 0.0
    for number in range(10 + rounds):
        query = f"report py def rows_{number} check the lock file by hand {name(number)}"
        vector = matrix[number] + 0.03 * rng.standard_normal(384).astype(np.float32)
        began, before = time.perf_counter(), time.process_time()
        assert memory.about(query, vector, limit=5).results
        if number >= 10:
            used += time.process_time() - before
            spent.append((time.perf_counter() - began) * 1000)
    await memory.indexer.close()
    return line("`memory/related` in code, after each key, in process", sorted(spent), used * 1000 / rounds)


def _wait_for_growth(journal: Path) -> None:
    size = journal.stat().st_size if journal.exists() else 0
    while True:
        now = journal.stat().st_size if journal.exists() else 0
        if now > size:
            return
        # A compaction in between empties it.
        size = min(size, now)
        time.sleep(0.0002)


async def measure(count: int, rounds: int) -> list[str]:
    """Return the table's lines for one size."""
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as temporary:
        folder, log = Path(temporary) / "memory", Path(temporary) / "log"
        paths = make(folder, count)
        matrix = warm(folder, paths)
        starts = []
        for _ in range(3):
            server, times = await start(folder, log, [float(x) for x in matrix[0]])
            starts.append(times)
            await server.leave()
        server, _ = await start(folder, log, [float(x) for x in matrix[0]])
        lines = await requests(server, paths, matrix, rounds)
        for what in ("initialize", "retrieve"):
            values, used = ([times[key] for times in starts] for key in (what, f"cpu {what}"))
            seconds = [statistics.median(values), max(values), statistics.median(used)]
            lines.append(f"| process start to first `{what}`, in s | {' | '.join(f'{each:.2f}' for each in seconds)} |")
        lines.append(f"| resident memory, in MB | {server.memory() / 1e6:.0f} | | |")
        lines.append(line("one save until the sidecar holds it", await save_times(server, folder, paths, 22)))
        await server.leave()
        lines.append(await related_in_code(folder, matrix, rounds))
    return lines


async def requests(server: Piped, paths: list[Path], matrix: NDArray[np.float32], rounds: int) -> list[str]:
    rng = np.random.default_rng(1)
    queries = [[float(x) for x in matrix[number] + 0.03 * rng.standard_normal(384)] for number in range(50)]
    uri = paths[3].as_uri()
    body = paths[3].read_text(encoding="utf-8").split("\n")
    row = next((number for number, found in enumerate(body) if "[[" in found), 5)
    column = body[row].find("[[") + 3

    async def retrieve(number: int) -> None:
        await server.request("memory/retrieve", {"query": "x", "vector": queries[number % 50]})

    async def keyword(number: int) -> None:
        await server.request("memory/retrieve", {"query": f"{name(number)} release cache table", "vector": far})

    text = paths[3].read_text(encoding="utf-8")
    last = text.count("\n")
    starts = ["[[", "[[re", "[[cac", f"[[{name(7)[:4]}"]

    async def completion(number: int) -> None:
        """Type a link at the end of the note, as a person would, and ask what may follow."""
        typed = starts[number % len(starts)]
        server.change(uri, text + typed, number + 2)
        await server.request("textDocument/completion", place | {"position": {"line": last, "character": len(typed)}})

    async def references(_: int) -> None:
        position = {"line": row, "character": column}
        await server.request("textDocument/references", place | {"position": position, "context": declared})

    async def rename(number: int) -> None:
        position = {"line": row, "character": column}
        await server.request("textDocument/rename", place | {"position": position, "newName": f"new-name-{number}"})

    async def related_in_note(number: int) -> None:
        """Type at the end of the note, as a person would, with the view Related Memories open."""
        server.change(uri, f"{text}\nWords that were not there before: {number}", number + 2)
        await server.request("memory/related", place | {"position": {"line": last, "character": 0}})

    place, declared = {"textDocument": {"uri": uri}}, {"includeDeclaration": True}
    far = [0.0] * 383 + [1.0]
    # Clusters and graph.json follow the start; they are not what is measured.
    await server.until(lambda: (server.sent("memory/status") or [{"quiescent": False}])[-1]["quiescent"], 120)
    return [
        await timed(server, "`memory/retrieve`, vector", retrieve, rounds),
        await timed(server, "`memory/retrieve`, keywords", keyword, rounds),
        await timed(server, "definition", lambda _: server.definition(uri, row, column), rounds),
        await timed(server, "hover", lambda _: server.hover(uri, row, column), rounds),
        await timed(server, "references to a note", references, rounds),
        await timed(server, "rename of a note", rename, max(10, rounds // 5)),
        await edited(server, uri, text, "completion of a link, after each key", completion, rounds),
        await edited(server, uri, text, "`memory/related` in a note, after each key", related_in_note, rounds),
    ]


async def edited(
    server: Piped, uri: str, text: str, what: str, action: Callable[[int], Awaitable[object]], rounds: int
) -> str:
    """Return the line for an action in an open document that changes with every key."""
    server.open(uri, text)
    measured = await timed(server, what, action, rounds)
    server.close(uri)
    return measured


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, nargs="+", default=[2_000, 10_000])
    parser.add_argument("--rounds", type=int, default=200)
    arguments = parser.parse_args()
    for count in arguments.notes:
        lines = await measure(count, arguments.rounds)
        sys.stdout.write(
            "\n".join([f"\n{count:,} notes", "", "| ms | p50 | p99 | processor |", "|---|---|---|---|", *lines]) + "\n"
        )


if __name__ == "__main__":
    asyncio.run(main())
