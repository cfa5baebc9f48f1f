"""The embedder's process: load a model, answer requests from stdin on stdout, end with the one who started it."""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import threading
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

import numpy as np

from memory_lsp.embedding import backends, wire
from memory_lsp.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_PROBE = "The embedder is ready."


def main() -> NoReturn:
    """Run the process for the backend and the model that the command line names."""
    parser = argparse.ArgumentParser(prog="memory_lsp.embedding.child", description=__doc__)
    parser.add_argument("--backend", required=True, choices=["onnx", "sentence-transformers", "cross-encoder"])
    parser.add_argument("--model", required=True)
    arguments = parser.parse_args()
    run(lambda: backends.load(arguments.backend, arguments.model))


def run(load: Callable[[], backends.Backend]) -> NoReturn:
    """Load a model and answer requests until stdin ends; exit with 0 then, with 1 where the model does not load.

    The first vector is computed before the process calls itself ready: it tells the width, and shows that the model
    works at all.
    """
    stdin, stdout = _take_stdio()
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(stdin, requests), daemon=True).start()
    _volunteer_for_oom_killer()
    try:
        backend = load()
        dims = backend.encode([_PROBE]).shape[1]
    except Exception as error:
        _write(stdout, wire.encode(_explain(error)))
        os._exit(1)  # the reading thread holds the lock of stdin, which a tidy exit would wait for
    _write(stdout, wire.encode(wire.Ready(dims)))
    while True:
        request = wire.decode_request(requests.get())
        rows, failed = _encode(backend, request.texts, dims)
        answer = wire.Answer(request.id, len(rows), dims, tuple(failed))
        _write(stdout, wire.encode(answer) + rows.astype("<f4").tobytes())


def _take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Keep stdin and stdout for messages: what libraries print goes to stderr, and they read nothing."""
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return stdin, stdout


def _read(stdin: BinaryIO, requests: queue.SimpleQueue[bytes]) -> None:
    """Hand on lines; end the process at once when there are no more, whatever it is loading or computing."""
    for line in stdin:
        requests.put(line)
    os._exit(0)


def _write(stdout: BinaryIO, message: bytes) -> None:
    try:
        stdout.write(message)
        stdout.flush()
    except OSError:
        os._exit(0)  # nobody listens any more


def _encode(backend: backends.Backend, texts: Sequence[str], dims: int) -> tuple[NDArray[np.float32], list[int]]:
    """Return a row a text and the indices of texts that the model cannot embed, whose rows are zeros."""
    try:
        return _checked(backend, texts, dims), []
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # a panic in Rust code, such as a tokenizer's, is no Exception
        if len(texts) == 1:
            return np.zeros((1, dims), dtype=np.float32), [0]
    parts = [_encode(backend, [text], dims) for text in texts]
    return np.concatenate([rows for rows, _ in parts]), [index for index, (_, failed) in enumerate(parts) if failed]


def _checked(backend: backends.Backend, texts: Sequence[str], dims: int) -> NDArray[np.float32]:
    rows = np.asarray(backend.encode(texts), dtype=np.float32)
    if rows.shape != (len(texts), dims):
        raise EmbeddingError(f"The model gave vectors of shape {rows.shape}, expected {(len(texts), dims)}.")
    return rows


def _explain(error: Exception) -> wire.LoadFailure:
    """Say why loading failed; no note's text can be in it, since none has been sent yet."""
    if isinstance(error, ImportError):
        return wire.LoadFailure(f"A library of the embedder cannot be loaded: {error}", retry=False)
    if isinstance(error, EmbeddingError):
        return wire.LoadFailure(str(error), retry=not isinstance(error, backends.UnusableModelError))
    return wire.LoadFailure(f"The embedding model cannot be loaded: {type(error).__name__}: {error}", retry=True)


def _volunteer_for_oom_killer() -> None:
    """Where memory runs out, let Linux end this process and not the editor's; elsewhere there is nothing to set."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")


if __name__ == "__main__":
    main()
