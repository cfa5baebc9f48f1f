"""A save costs the same in a small store and in a large one; loading grows no faster than the store."""

from __future__ import annotations

import os
import statistics
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from memory_lsp.sidecar import Row, Sidecar
from memory_lsp.sidecar.files import Files

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

SIZES = (100, 10_000, 100_000)
DIMS = 8


class Unsynced(Files):
    """Leave the flushing to the system: the gate is about our own work."""

    def write(self, path: Path, chunks: Sequence[bytes | memoryview], *, sync: bool) -> None:
        super().write(path, chunks, sync=False)


def filled(folder: Path, count: int) -> Sidecar:
    sidecar = Sidecar(folder, "m", files=Unsynced())
    vector = np.eye(1, DIMS, dtype=np.float32)[0]
    sidecar.append([Row(f"n{i}", f"{i:064x}", vector) for i in range(count)])
    sidecar.compact()
    return sidecar


def fastest(action: Callable[[], object], times: int) -> float:
    """Return the median of the faster half, so that a busy machine does not decide."""
    taken: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(sorted(taken)[: times // 2 + 1])


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folders = {count: tmp_path_factory.mktemp(f"rows{count}") / ".graph" for count in SIZES}
    for count, folder in folders.items():
        filled(folder, count)
        for name in ("meta.json", "embeddings.bin"):
            # A snapshot of a moment ago is looked at twice, since its time alone could deceive.
            old = time.time() - 60
            os.utime(folder / name, (old, old))
    return folders


def test_a_save_costs_the_same_at_every_size(stores: dict[int, Path]) -> None:
    vector = np.eye(1, DIMS, dtype=np.float32)[0]
    costs: dict[int, float] = {}
    for count, folder in stores.items():
        sidecar = Sidecar(folder, "m")
        sidecar.load()
        sidecar.append([Row("n1", "first", vector)])

        def save(sidecar: Sidecar = sidecar) -> None:
            sidecar.append([Row("n1", "h", vector)])
            assert not sidecar.refresh()

        costs[count] = fastest(save, 60)
    assert costs[100_000] < 5 * costs[100], costs
    assert costs[10_000] < 5 * costs[100], costs


def test_loading_is_linear(stores: dict[int, Path]) -> None:
    costs = {count: fastest(Sidecar(folder, "m").load, 5) for count, folder in stores.items()}
    # Ten times the rows: a quadratic step would show as a hundred.
    assert costs[100_000] < 30 * costs[10_000], costs
