"""Kill a writing process at random moments and look at what it left: `python tests/faults/kill_writer.py --kills 500`.

The writer appends (and compacts in a thread, and purges now and then) as fast as it can. It says what it is about to
do, and what was acknowledged, on a pipe. After every kill the sidecar must open with every acknowledged row, no wrong
vector, and without starting over. Exit 0 and a one-line summary when that holds. POSIX only.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from memory_lsp.errors import SidecarError
from memory_lsp.sidecar import Row, Sidecar
from sidecar_help import MODEL, applied, is_right, row

NOTES = 60
LONGEST = 0.05


@dataclass(slots=True)
class Tally:
    """What was seen over all kills."""

    kills: int = 0
    acknowledged: int = 0
    cut: int = 0
    recovered: int = 0
    unfinished: int = 0
    faults: list[str] = field(default_factory=list)


def write_forever(folder: Path, out: int, seed: int) -> None:
    """Change rows until killed, telling each intent before and each acknowledgement after."""
    random.seed(seed)
    sidecar = Sidecar(folder, MODEL, lock_timeout=5.0)
    sidecar.load()

    def compact_forever() -> None:
        while True:
            with suppress(SidecarError):
                sidecar.compact()

    threading.Thread(target=compact_forever, daemon=True).start()
    while True:
        ids = random.sample(range(NOTES), random.randint(1, 4))
        texts = [[f"n{i}", f"text {random.random()}"] for i in ids[1:]]
        purge = random.random() < 0.02
        removes = [f"n{ids[0]}"] if random.random() < 0.3 or purge else []
        if purge:
            texts = []
        elif not texts:
            texts = [[f"n{ids[0]}", "again"]]
            removes = []
        os.write(out, (json.dumps([texts, removes]) + "\n").encode())
        if purge:
            sidecar.purge(removes)
        else:
            sidecar.append([row(note_id, text) for note_id, text in texts], removes)
        os.write(out, b"ok\n")


def run_and_kill(folder: Path, seed: int) -> list[str]:
    """Let a writer run for a random moment, kill it, and return the lines it wrote."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            write_forever(folder, write, seed)
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        # On a busy machine it may take a while until the writer is at work.
        said = pipe.read(1)
        time.sleep(random.uniform(0, LONGEST))
        os.kill(child, signal.SIGKILL)
        said += pipe.read()
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise RuntimeError(f"the writer ended by itself after {said[-200:]!r}")
    return said.decode().splitlines()


def check(folder: Path, state: dict[str, str], lines: list[str], tally: Tally) -> dict[str, str]:
    """Compare what is on disk with what the writer said; return the state to go on from."""
    pending: list[dict[str, str]] = [state]
    for line in lines:
        if line == "ok":
            state, pending = pending[-1], [pending[-1]]
            tally.acknowledged += 1
            continue
        texts, removes = json.loads(line)
        puts: list[Row] = [row(note_id, text) for note_id, text in texts]
        # Removes go out first, and a cut keeps any number of records.
        pending = [state, *(applied(state, puts[:i], removes) for i in range(len(puts) + 1))]
    tally.unfinished += (folder / "journal.new").exists()
    loaded = Sidecar(folder, MODEL).load()
    found = {note_id: loaded.rows[note_id].hash for note_id in loaded.rows}
    wrong = [each.id for each in loaded.rows.values() if not is_right(each)]
    if wrong:
        tally.faults.append(f"wrong vectors: {wrong}")
    if found not in pending:
        lost = sorted(note_id for note_id in state if state[note_id] != found.get(note_id))
        tally.faults.append(f"not as acknowledged: {lost} ({loaded.reason})")
    tally.cut += found != state
    tally.recovered += loaded.recovered
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill a writing process at random moments.")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    tally, state = Tally(), dict[str, str]()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / ".graph"
        for i in range(arguments.kills):
            lines = run_and_kill(folder, arguments.seed * 100_003 + i)
            tally.kills += 1
            state = check(folder, state, lines, tally)
    sys.stdout.write(
        f"{tally.kills} kills, {tally.acknowledged} changes acknowledged, {len(tally.faults)} faults; "
        f"{tally.cut} kills left an unacknowledged change, {tally.recovered} a torn record, "
        f"{tally.unfinished} a compaction between its renames\n"
    )
    for fault in tally.faults[:10]:
        sys.stdout.write(f"fault: {fault}\n")
    return 1 if tally.faults or not tally.acknowledged else 0


if __name__ == "__main__":
    sys.exit(main())
