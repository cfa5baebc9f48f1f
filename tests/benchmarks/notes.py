"""Memory directories of any size for the benchmarks: the same seed gives the same notes, in wording of our own."""

from __future__ import annotations

import random
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from memory_lsp.core.note import parse
from memory_lsp.sidecar import Row, Sidecar

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

DIMS = 384
MODEL = "all-MiniLM-L6-v2/onnx-int8/mean"
TYPES = ("user", "feedback", "project", "reference")
_BEGINNINGS = (
    "When the build fails", "Before a release", "In code review", "For the weekly report", "While the migration runs",
    "If a test is flaky", "After the last outage", "On small screens", "With a cold cache", "For new colleagues",
)  # fmt: skip
_MIDDLES = (
    "keep the change set small", "write the reason beside the number", "ask for the log first",
    "prefer one clear table",
    "measure before you tune", "leave the old name as an alias", "state the owner and the date",
    "retry twice and then stop",
    "check the lock file by hand", "name the unit in the heading",
)  # fmt: skip
_ENDINGS = (
    "because the next reader has no context.", "since the queue drains slowly.", "so that a rollback stays cheap.",
    "as agreed in spring.", "or the dashboard will mislead us.", "and say so in the summary.",
    "until the new cluster takes over.", "even where it costs a minute.",
)  # fmt: skip
_SUBJECTS = (
    "deploy", "review", "cache", "schema", "report", "colour", "token", "queue", "invoice", "backup", "metric",
    "layout",
)  # fmt: skip


def name(number: int) -> str:
    """Return the name of a note."""
    return f"{_SUBJECTS[number % len(_SUBJECTS)]}-rule-{number}"


@cache
def _topic_weights(count: int) -> list[float]:
    """Return cumulative weights: a few tags are everywhere and most are rare, as where people choose them."""
    return list(accumulate(1 / (5 + topic) for topic in range(40 + count // 20)))


def text(number: int, count: int, rng: random.Random) -> str:
    """Return one note of some 2 KB, with links to others and tags."""
    weights = _topic_weights(count)
    topics = set(rng.choices(range(len(weights)), cum_weights=weights, k=3))
    tags = ", ".join(f"topic-{topic}" for topic in topics)
    lines = [
        "---", f"name: {name(number)}", f"description: {rng.choice(_BEGINNINGS)}, {rng.choice(_MIDDLES)}",
        f"tags: [{tags}]", "---", f"# {name(number)}", "",
    ]  # fmt: skip
    for section in range(3):
        lines += [f"## Part {section}", ""]
        for _ in range(6):
            sentence = f"{rng.choice(_BEGINNINGS)}, {rng.choice(_MIDDLES)} {rng.choice(_ENDINGS)}"
            lines.append(sentence + (f" See [[{name(rng.randrange(count))}]]." if rng.random() < 0.25 else ""))
        lines.append("")
    return "\n".join(lines)


def make(folder: Path, count: int, seed: int = 7) -> list[Path]:
    """Write the notes of a directory; return their paths.

    The last is a twin of the first: of another type and text, but with its name. Saved with the twin's text, the first
    keeps its id and needs no model, since a vector belongs to a text.
    """
    rng = random.Random(seed)
    paths = []
    for kind in TYPES:
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for number in range(count):
        path = folder / TYPES[number % 4] / f"{name(number)}.md"
        path.write_bytes(text(number, count, rng).encode())
        paths.append(path)
    twin = text(1, count, rng).replace(f"name: {name(1)}", f"name: {name(0)}")
    paths.append(folder / TYPES[1] / "twin.md")
    paths[-1].write_bytes(twin.encode())
    (folder / "MEMORY.md").write_text("# Memory\n", encoding="utf-8")
    return paths


def vectors(count: int, seed: int = 7) -> NDArray[np.float32]:
    """Return unit rows (count, 384) in loose groups, as embeddings of real notes are."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(2, count // 40), DIMS))
    rows = centres[rng.integers(len(centres), size=count)] + 0.9 * rng.standard_normal((count, DIMS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def warm(folder: Path, paths: list[Path], seed: int = 7) -> NDArray[np.float32]:
    """Write the sidecar that embedding all notes would leave, with invented vectors; return these."""
    matrix = vectors(len(paths), seed)
    rows = []
    for path, vector in zip(paths, matrix, strict=True):
        inside = path.relative_to(folder).as_posix()
        note = parse(inside, path.read_text(encoding="utf-8"))
        rows.append(Row(f"{note.type}/{note.name}", note.hash, vector))
    sidecar = Sidecar(folder / ".graph", MODEL)
    sidecar.append(rows)
    sidecar.compact()
    sidecar.close()
    return matrix
