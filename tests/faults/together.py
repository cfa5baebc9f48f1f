"""Several servers on one directory, each changing notes at random, and what is left in the end.

    python tests/faults/together.py [--servers 4] [--changes 250] [--seed N]

Every server saves, renames and deletes notes; each sees the others' changes through its watcher. In the end the
sidecar must equal an index built from scratch: a row for each note, under its content's hash, with the vector of just
that text; and all servers must hold the same. The embedder writes down every text it embeds, so that embeds a content
can be counted.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import random
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

TESTS = Path(__file__).resolve().parents[1]
for folder in ("", "e2e", "fakes"):
    sys.path.insert(0, str(TESTS / folder))

import numpy as np
import peer
from counted import vector_of
from memory_lsp.directory import MemoryDirectory
from memory_lsp.discovery import Kind, Place
from memory_lsp.index import embedding_text
from memory_lsp.sidecar import Sidecar
from piped import Piped

if TYPE_CHECKING:
    from memory_lsp.core.note import Note

SETTLED = 60.0
WORDS = ("harbour", "tide", "lantern", "ferry", "timetable", "notice", "gate", "winch", "pilot", "buoy", "anchor")


async def change(server: Piped, root: Path, number: int, chance: random.Random) -> None:
    """Make one change as an editor would: save, rename or delete a note."""
    names = sorted(path.name for path in root.iterdir() if path.suffix == ".md" and path.name != "MEMORY.md")
    kind = chance.random()
    if kind < 0.7 or len(names) < 5:
        name = chance.choice(names) if names and kind < 0.4 else f"note-{number}-{chance.randrange(10**6)}.md"
        body = " ".join(chance.choices(WORDS, k=12)) + f" {chance.randrange(10**9)}"
        (root / name).write_text(
            f"---\nname: {name[:-3]}\n---\n\n{body} [[{chance.choice(WORDS)}]]\n", encoding="utf-8"
        )
        server.save((root / name).as_uri())
    elif kind < 0.85:
        old, new = chance.choice(names), f"moved-{number}-{chance.randrange(10**6)}.md"
        try:
            (root / old).rename(root / new)
        except FileNotFoundError:
            return
        server.saw((root / old, 3), (root / new, 1))
    else:
        name = chance.choice(names)
        (root / name).unlink(missing_ok=True)
        server.saw((root / name, 3))
    await asyncio.sleep(chance.random() * 0.02)


async def work(server: Piped, root: Path, number: int, changes: int, seed: int) -> None:
    chance = random.Random(seed * 1000 + number)
    for _ in range(changes):
        await change(server, root, number, chance)


def wanted(root: Path) -> dict[str, Note]:
    """Return what an index built from scratch would hold."""
    directory = MemoryDirectory(Place(root, Kind.MEMORY))
    directory.adopt(directory.scan())
    snapshot = directory.snapshot
    return {id_: snapshot.notes[path] for path, id_ in snapshot.ids.items()}


async def agree(servers: list[Piped], root: Path) -> str:
    """Wait until every server and the sidecar hold what the notes say; return what differs when time is up."""
    until = asyncio.get_running_loop().time() + SETTLED
    while True:
        notes, problem = wanted(root), ""
        for number, server in enumerate(servers):
            stats = await server.request("memory/stats", {})
            if (stats["notes"], stats["vectors"]) != (len(notes), len(notes)):
                problem = f"server {number} has {stats['notes']} notes and {stats['vectors']} vectors of {len(notes)}"
        problem = problem or compare(root, notes)
        if not problem or asyncio.get_running_loop().time() > until:
            return problem
        await asyncio.sleep(0.3)


def compare(root: Path, notes: dict[str, Note]) -> str:
    rows = Sidecar(root / ".graph", "counted/8").load().rows
    if rows.keys() != notes.keys():
        return f"the sidecar's rows differ: {sorted(rows.keys() ^ notes.keys())[:5]}"
    for id_, note in notes.items():
        row = rows[id_]
        if row.hash != note.hash or not np.allclose(row.vector, vector_of(embedding_text(note)), atol=1e-6):
            return f"the row of {id_} is not that of its text"
    return ""


async def run(servers: int, changes: int, seed: int) -> tuple[str, collections.Counter[int]]:
    """Let servers loose on one directory; return what went wrong, and how often contents were embedded."""
    with tempfile.TemporaryDirectory() as folder:
        root, journal = Path(folder) / "notes", Path(folder) / "journal"
        root.mkdir()
        (root / "MEMORY.md").write_text("# Memory\n", encoding="utf-8")
        journal.touch()
        command = [sys.executable, str(TESTS / "fakes" / "counted.py"), str(journal)]
        started = [await Piped.start(Path(folder) / "log", command) for _ in range(servers)]
        try:
            for server in started:
                await server.initialize(root, options={})
            await asyncio.gather(*(work(server, root, n, changes, seed) for n, server in enumerate(started)))
            problem = await agree(started, root)
            graphs = [await server.request("memory/graph", {}) for server in started]
            edges = {tuple(sorted(e["to"] + e["from"] for e in g["edges"] if e["kind"] != "InCluster")) for g in graphs}
            if not problem and len(edges) != 1:
                problem = "the servers' graphs differ"
        finally:
            for server in started:
                await server.stop()
        counts = collections.Counter(collections.Counter(journal.read_text(encoding="utf-8").splitlines()).values())
    return problem, counts


def main() -> int:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--servers", type=int, default=4)
    arguments.add_argument("--changes", type=int, default=250)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    peer.PATIENCE = 300.0  # the machine may be busy with other things
    problem, counts = asyncio.run(run(options.servers, options.changes, options.seed))
    total = sum(counts.values())
    often = ", ".join(f"{count} × {times}" for times, count in sorted(counts.items()))
    print(f"{options.servers} servers, {options.changes} changes each: {total} contents embedded ({often} times)")
    print(problem or "all equal to an index built from scratch")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
