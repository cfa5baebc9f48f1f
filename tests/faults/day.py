"""A day's editing in one run of a server: what it holds must not grow, and it must end at once.

    python tests/faults/day.py [--edits 100000] [--saves 5000] [--notes 300] [--seed N]

Notes are opened, typed into, saved and closed; between the keys come hovers, definitions, completions and retrieves,
and now and then a note is created, renamed or deleted. The embedder is a fake in a process of its own, everything else
is real. Memory, tasks, objects, threads, files and watches are counted at even steps. The exit status is 1 where memory
or objects at the end exceed those half-way by more than a twentieth (caches fill up before), where more than two of
anything else came, or where the exit took more than a second.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field, fields
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in ("", "e2e", "fakes", "benchmarks"):
    sys.path.insert(0, str(TESTS / folder))

import peer
from notes import make
from piped import Piped, children

SAMPLES = 40
ASKED = {"experimental": {"memoryStatus": True}}


@dataclass(frozen=True)
class Sample:
    """What the server holds at one moment: memory in MB, all else in numbers."""

    memory: float
    tasks: int
    objects: int
    threads: int
    files: int
    watches: int
    processes: int


@dataclass
class Day:
    """The samples of a day, and how it ended."""

    samples: list[Sample] = field(default_factory=list)
    embedded: int = 0
    twice: int = 0
    problem: str = ""
    exit: float = 0.0

    def later(self, what: str) -> tuple[float, float]:
        """Return the medians of the first eighth after the middle of the day, and of the last eighth."""
        values = [getattr(sample, what) for sample in self.samples]
        eighth = max(1, len(values) // 8)
        return statistics.median(values[4 * eighth : 5 * eighth]), statistics.median(values[-eighth:])


class Person:
    """Whoever sits before the editor."""

    def __init__(self, server: Piped, root: Path, chance: random.Random) -> None:
        self.server, self.root, self.chance = server, root, chance
        self.version = 0
        self.files = sorted(path for path in root.rglob("*.md") if path.name != "MEMORY.md")

    async def work(self, edits: int) -> None:
        """Open a note, type for a while, save and close it."""
        path = self.chance.choice(self.files)
        uri, text = path.as_uri(), path.read_text(encoding="utf-8")
        self.version += 1
        self.server.open(uri, text, self.version)
        start = text.split("\n\nWhat was typed")[0]
        for _ in range(edits):
            self.version += 1
            other = self.chance.choice(self.files).stem
            text = f"{start}\n\nWhat was typed: {self.chance.randrange(10**9)}, see [[{other}]]."
            self.server.change(uri, text, self.version)
            if self.chance.random() < 0.1:
                await self.ask(uri, text)
        path.write_text(text, encoding="utf-8")
        self.server.save(uri)
        await self.ask(uri, text)  # and so wait until the server has kept up
        self.server.close(uri)
        if self.chance.random() < 0.02:
            self.tidy_up()

    async def ask(self, uri: str, text: str) -> None:
        """Ask one of the things that an editor or an agent asks."""
        line = text.count("\n")
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": len(text.split("\n")[-1]) - 4}}
        method = self.chance.choice(("hover", "definition", "completion", "documentSymbol", "retrieve"))
        if method == "retrieve":
            await self.server.request("memory/retrieve", {"query": f"cache and report {line}"})
        elif method == "documentSymbol":
            await self.server.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        else:
            await self.server.request(f"textDocument/{method}", place)

    def tidy_up(self) -> None:
        """Rename a note, or delete one and write another."""
        old = self.chance.choice(self.files)
        new = old.with_name(f"moved-{self.chance.randrange(10**9)}.md")
        if self.chance.random() < 0.5:
            old.rename(new)
        else:
            old.unlink()
            new.write_text(f"A new note about [[{self.chance.choice(self.files).stem}]].\n", encoding="utf-8")
        self.files[self.files.index(old)] = new


async def sample(server: Piped, state: Path) -> Sample:
    """Count what the server holds once it is at rest."""
    await server.until(lambda: server.sent("memory/status")[-1]["quiescent"], 120)
    server.messages = server.messages[-50:]
    await asyncio.sleep(0)
    state.unlink(missing_ok=True)
    server.process.send_signal(signal.SIGUSR1)
    while not state.exists():
        await server.request("memory/stats", {})
    tasks, objects = map(int, state.read_text(encoding="ascii").split())
    proc = Path(f"/proc/{server.process.pid}")
    watches = sum(
        line.startswith("inotify wd")
        for file in (proc / "fdinfo").iterdir()
        for line in file.read_text(encoding="ascii").splitlines()
    )
    threads, files = (sum(1 for _ in (proc / name).iterdir()) for name in ("task", "fd"))
    assert server.process.pid
    return Sample(server.memory() / 1e6, tasks, objects, threads, files, watches, len(children(server.process.pid)))


async def run(edits: int, saves: int, notes: int, seed: int) -> Day:
    """Live through a day."""
    day, chance = Day(), random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        root, journal = Path(folder) / "notes", Path(folder) / "journal"
        make(root, notes)
        journal.touch()
        command = [sys.executable, str(TESTS / "fakes" / "counted.py"), str(journal)]
        server = await Piped.start(Path(folder) / "log", command)
        try:
            await server.initialize(root, options={}, capabilities=ASKED)
            await server.until(lambda: server.sent("memory/status"))
            person = Person(server, root, chance)
            for number in range(saves):
                await person.work(edits // saves)
                if (number + 1) * SAMPLES // saves > number * SAMPLES // saves:
                    day.samples.append(await sample(server, journal.with_name("state")))
                    print(day.samples[-1], flush=True)
            person.server.open(person.files[0].as_uri(), "Being typed.", person.version + 1)
            began = time.perf_counter()
            await server.leave()
            day.exit = time.perf_counter() - began
        finally:
            await server.stop()
        lines = journal.read_text(encoding="utf-8").splitlines()
        day.embedded, day.twice = len(set(lines)), len(lines) - len(set(lines))
        day.problem = "\n".join(
            line for line in (Path(folder) / "log").read_text(encoding="utf-8").splitlines() if "Traceback" in line
        )
    return day


def judge(day: Day) -> list[str]:
    """Return what is wrong."""
    found = [day.problem] if day.problem else []
    for what in (each.name for each in fields(Sample)):
        first, last = day.later(what)
        if last > (1.05 * first if what in ("memory", "objects") else first + 2):
            found.append(f"{what} grew from {first:,.0f} to {last:,.0f}")
    if day.exit > 1.0:
        found.append(f"the exit took {day.exit:.2f} s")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edits", type=int, default=100_000)
    parser.add_argument("--saves", type=int, default=5_000)
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    peer.PATIENCE = 300.0  # the machine may be busy with other things
    day = asyncio.run(run(options.edits, options.saves, options.notes, options.seed))
    for each in fields(Sample):
        middle, last = day.later(each.name)
        values = [getattr(one, each.name) for one in day.samples]
        print(
            f"{each.name}: {values[0]:,.0f} first, {middle:,.0f} half-way, {last:,.0f} last, {max(values):,.0f} at most"
        )
    done = f"{options.edits:,} edits, {options.saves:,} saves"
    print(f"{done}: {day.embedded:,} texts embedded, {day.twice:,} of them twice")
    print(f"exit in {day.exit:.2f} s")
    problems = judge(day)
    print("\n".join(problems) or "nothing grew")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
