"""Measure a save and an edit in directories of several sizes: `python tests/benchmarks/bench_save.py [--notes N]...`.

A save is its whole path but the model: read the file, parse, relink, check the affected notes, compare with the stored
rows, append to the journal. Each save is of another note and brings a link with it. Prints a Markdown table of
processor time.
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import tempfile
from pathlib import Path

from loaded import Loaded, seconds

SIZES = (100, 1_000, 10_000, 100_000)
WARM = 20


def measure(count: int, rounds: int) -> tuple[str, ...]:
    """Return the cells of one size."""
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as temporary:
        loaded = Loaded(Path(temporary) / "memory", count)
        # What the load left behind is not the saves' to collect.
        gc.collect()
        gc.freeze()
        seconds(loaded.save, range(WARM))
        before = loaded.journal_bytes()
        saves = [each * 1000 for each in seconds(loaded.save, range(WARM, WARM + rounds))]
        grown = (loaded.journal_bytes() - before) / rounds
        seconds(loaded.edit, range(WARM))
        edits = [each * 1000 for each in seconds(loaded.edit, range(WARM, WARM + rounds))]
        gc.unfreeze()
    cells = [f"{value:.2f}" for times in (saves, edits) for value in _figures(times)]
    return f"{count:,}", *cells[:3], f"{grown:,.0f}", *cells[3:]


def _figures(times: list[float]) -> tuple[float, float, float]:
    return statistics.median(times), statistics.fmean(times), max(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--rounds", type=int, default=1_000)
    arguments = parser.parse_args()
    columns = ("notes", "save: median, ms", "mean", "most", "journal, bytes", "edit: median, ms", "mean", "most")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for count in arguments.notes:
        print(f"| {' | '.join(measure(count, arguments.rounds))} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
