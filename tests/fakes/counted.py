"""A server whose embedder writes down each text it embeds: `counted.py JOURNAL`; its vectors come from the hashes.

Everything but the model is the real thing: the server, the embedder's process, the sidecar. At SIGUSR1 the server
writes how many tasks and objects it has into `state` beside the journal.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

DIMS = 8
PROBE = "The embedder is ready."


def vector_of(text: str) -> NDArray[np.float32]:
    """Return the vector (DIMS,) that this model gives a text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    vector = np.random.default_rng(seed).standard_normal(DIMS)
    scaled: NDArray[np.float32] = (vector / np.linalg.norm(vector)).astype(np.float32)
    return scaled


class Model:
    def __init__(self, journal: Path) -> None:
        self._journal = journal

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        lines = [hashlib.sha256(text.encode()).hexdigest() for text in texts if text != PROBE]
        with self._journal.open("a", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in lines))
        return np.stack([vector_of(text) for text in texts])


def be_the_child(journal: Path) -> None:
    from memory_lsp.embedding import child

    child.run(lambda: Model(journal))


def be_the_server(journal: Path) -> None:
    from functools import partial

    from memory_lsp.embedding import client, plan
    from memory_lsp.lsp import server, stdio

    counted = plan.Plan("onnx", "counted", "counted/8", "A test counts embeds.", "")
    command = [sys.executable, __file__, str(journal), "--child"]
    server.make_plan = lambda config: counted
    server.Embedder = partial(client.Embedder, command=command)
    signal.signal(signal.SIGUSR1, lambda *_: tell_state(journal.with_name("state")))
    stdio.serve_stdio()


def tell_state(file: Path) -> None:
    gc.collect()
    draft = file.with_suffix(".new")
    draft.write_text(f"{len(asyncio.all_tasks())} {len(gc.get_objects())}", encoding="ascii")
    draft.replace(file)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    if "--child" in sys.argv:
        be_the_child(target)
    else:
        be_the_server(target)
