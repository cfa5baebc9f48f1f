"""Measure the sidecar at several sizes: `python tests/benchmarks/bench_sidecar.py [--rows N]...`.

Prints a Markdown table: medians in milliseconds, with vectors of 384 numbers.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from memory_lsp.sidecar import FOLDER_NAME, Row, Sidecar

if TYPE_CHECKING:
    from collections.abc import Callable

DIMS = 384
APPENDS = 200
COLUMNS = ("append", "p95", "refresh", "load", "load+journal", "compact")


def median_ms(action: Callable[[], object], times: int) -> tuple[float, float]:
    """Return median and 95th percentile of several runs."""
    taken: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken), sorted(taken)[int(len(taken) * 0.95)]


def filled(folder: Path, count: int) -> Sidecar:
    """Return a sidecar holding `count` rows, compacted."""
    drawn = np.random.default_rng(count).normal(size=(count, DIMS)).astype(np.float32)
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    sidecar = Sidecar(folder, "bench")
    for start in range(0, count, 4096):
        places = range(start, min(count, start + 4096))
        sidecar.append([Row(f"note/n{i}", f"{i:064x}", drawn[i]) for i in places])
    sidecar.compact()
    return sidecar


def measure(count: int) -> tuple[float, ...]:
    """Return the figures of one size, in the order of COLUMNS."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / FOLDER_NAME
        sidecar = filled(folder, count)
        vector = next(iter(sidecar.load().rows.values())).vector
        load, _ = median_ms(lambda: Sidecar(folder, "bench").load(), 5)
        numbers = iter(range(10**9))

        def save() -> None:
            i = next(numbers)
            sidecar.append([Row(f"note/n{i % count}", f"{i:064x}", vector)])

        append, slow = median_ms(save, APPENDS)
        refresh, _ = median_ms(sidecar.refresh, 50)
        replay, _ = median_ms(lambda: Sidecar(folder, "bench").load(), 5)

        def compact() -> None:
            save()
            if not sidecar.compact():
                raise RuntimeError("nothing was compacted")

        compacted, _ = median_ms(compact, 3)
        return append, slow, refresh, load, replay, compacted


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the sidecar at several sizes.")
    parser.add_argument("--rows", type=int, action="append", help="a size; may be given several times")
    sizes = parser.parse_args().rows or [100, 1_000, 10_000, 100_000]
    sys.stdout.write(f"| rows | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}\n")
    for count in sizes:
        figures = " | ".join(f"{figure:.2f}" for figure in measure(count))
        sys.stdout.write(f"| {count:,} | {figures} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
