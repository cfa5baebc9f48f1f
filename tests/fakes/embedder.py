"""An embedder's process that fails on purpose: `embedder.py --load HOW --answer HOW --journal FILE --gate PORT`.

Where `--answer` is `well`, all but the model is the real child. The model's vectors have two dimensions: "note 30"
points to 30 degrees. The first word of a text says what happens when it is embedded. The journal has a line a start and
a line a text. Whoever meets the gate tells it so, and waits until it is let through or cut off.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from memory_lsp.embedding import child
from memory_lsp.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PROBE = "The embedder is ready."


class Panic(BaseException):
    """What a panic in Rust code looks like from Python."""


class Model:
    def __init__(self, journal: Path, port: int) -> None:
        self._journal, self._port = journal, port

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        for text in texts:
            if text != PROBE:
                write(self._journal, text)
        rows = [self._embed(text) for text in texts]
        return np.array(rows, dtype=np.float32)

    def _embed(self, text: str) -> tuple[float, ...]:
        word = text.split(" ")[0]
        match word:
            case "crash":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hang":
                threading.Event().wait()
            case "gate":
                meet_gate(self._port, text)
            case "raise":
                raise ValueError(text)
            case "panic":
                raise Panic(text)
            case "memory":
                raise MemoryError
            case "print":
                sys.stdout.write(f"a stray line about {text}\n")
                os.write(1, b"another one\n")
            case "stderr":
                sys.stderr.write(f"warning: {text}\n")
        special = {"nan": (math.nan, 0.0), "zero": (0.0, 0.0), "long": (5.0, 0.0), "wide": (1.0, 0.0, 0.0)}
        if word in special:
            return special[word]
        angle = math.radians(int(text.split(" ")[-1]) if text[-1:].isdigit() else 0)
        return (math.cos(angle), math.sin(angle))


def meet_gate(port: int, text: str) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(text.encode() + b"\n")
        connection.recv(1)


def write(journal: Path, line: str) -> None:
    with journal.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def load(how: str, journal: Path, port: int) -> Model:
    sys.stderr.write("loading the fake model\n")
    match how:
        case "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(0)
        case "hang":
            threading.Event().wait()
        case "gate":
            meet_gate(port, "loading")
        case "missing":
            raise ImportError("No module named 'onnxruntime'")
        case "error":
            raise EmbeddingError("The model cannot be had.")
        case "memory":
            raise MemoryError
        case "third" if len(journal.read_text(encoding="utf-8").splitlines()) < 3:
            os.kill(os.getpid(), signal.SIGKILL)
    return Model(journal, port)


def answer_badly(how: str) -> None:
    """Be ready, then answer every request in a way that no sound process would."""
    out = sys.stdout.buffer
    if how == "early":
        out.write(b'{"id": 1, "rows": 1, "dims": 2, "failed": []}\n')
    else:
        out.write(b'{"ready": {"dims": 2}}\n')
    out.flush()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        out.write(bad_answer(how, request["id"], len(request["texts"])))
        out.flush()
        if how == "cut":
            os._exit(0)


def bad_answer(how: str, number: int, rows: int) -> bytes:
    body = b"\0\0\x80?\0\0\0\0" * rows

    def answer(**changes: object) -> bytes:
        header = {"id": number, "rows": rows, "dims": 2, "failed": [], **changes}
        return json.dumps(header).encode() + b"\n"

    bad = {
        "garbage": b"Traceback (most recent call last):\n",
        "binary": bytes(range(128, 256)) * 16 + b"\n",
        "endless": b"x" * 500_000,
        "huge": b'{"id": 1, "rows": ' + b"9" * 100_000 + b"}\n",
        "deep": b"[" * 60_000 + b"\n",
        "many": answer(rows=10**9),
        "wide": answer(dims=3) + body + body,
        "short": answer(rows=rows + 1) + body,
        "stale": answer(id=number + 1) + body,
        "types": answer(failed=["x"]) + body,
        "ready": b'{"ready": {"dims": 2}}\n',
        "cut": answer() + body[:-1],
    }
    return bad[how]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--load", default="well")
    parser.add_argument("--answer", default="well")
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--gate", type=int, default=0)
    arguments = parser.parse_args()
    write(arguments.journal, "start")
    if arguments.load == "garbage":
        sys.stdout.write("Downloading the model: 10%\n")
    elif arguments.load == "endless":
        sys.stdout.write("#" * 500_000)
        sys.stdout.flush()
        threading.Event().wait()
    if arguments.answer != "well":
        answer_badly(arguments.answer)
        return
    sys.stdout.flush()
    child.run(lambda: load(arguments.load, arguments.journal, arguments.gate))


if __name__ == "__main__":
    main()
