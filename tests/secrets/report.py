"""Print precision and recall of `find_secrets` over labelled lines, and every miss.

`python tests/secrets/report.py [FILE...]`; without files, all `*.json` beside this script. A file is a list of
`{"id", "line", "is_secret", "kind", "value"?, "development"?}`. A `{~}` in a line or a value is dropped on loading: it
keeps scanners from finding our invented tokens in the repository. Exit status 1 when a target is missed.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.core.secrets import contains_secret, find_secrets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HERE = Path(__file__).resolve().parent
BREAK = "{~}"
PRECISION, RECALL = 0.97, 0.92


@dataclass(frozen=True, slots=True)
class Line:
    """One labelled line; `value` is the secret in it, where the data tells."""

    id: str
    kind: str
    text: str
    is_secret: bool
    value: str | None
    development: bool


@dataclass(frozen=True, slots=True)
class Score:
    """How many lines were told rightly and wrongly, and which wrongly."""

    found: int
    missed: tuple[Line, ...]
    false: tuple[Line, ...]

    @property
    def precision(self) -> float:
        """Return the share of the reported lines that hold a secret."""
        reported = self.found + len(self.false)
        return self.found / reported if reported else 1.0

    @property
    def recall(self) -> float:
        """Return the share of the lines with a secret that were reported."""
        secrets = self.found + len(self.missed)
        return self.found / secrets if secrets else 1.0


def load(path: Path) -> list[Line]:
    """Return the labelled lines of a file."""
    return [
        Line(
            id=entry["id"],
            kind=entry["kind"],
            text=entry["line"].replace(BREAK, ""),
            is_secret=entry["is_secret"],
            value=entry["value"].replace(BREAK, "") if "value" in entry else None,
            development=entry.get("development", False),
        )
        for entry in json.loads(path.read_text(encoding="utf-8"))
    ]


def score(lines: Iterable[Line]) -> Score:
    """Compare what `contains_secret` says of each line with its label."""
    told = [(line, contains_secret(line.text)) for line in lines]
    return Score(
        found=sum(line.is_secret and said for line, said in told),
        missed=tuple(line for line, said in told if line.is_secret and not said),
        false=tuple(line for line, said in told if said and not line.is_secret),
    )


def main(arguments: Sequence[str]) -> int:
    """Report on each file and say whether every one reaches the targets."""
    failed = False
    for path in [Path(argument) for argument in arguments] or sorted(HERE.glob("*.json")):
        lines = load(path)
        result = score(lines)
        secrets = result.found + len(result.missed)
        _say(
            f"{path.name}: {secrets} secrets, {len(lines) - secrets} clean lines: "
            f"precision {result.precision:.3f}, recall {result.recall:.3f}"
        )
        for line in result.missed:
            _say(f"  missed {line.id} ({line.kind}): {line.text}")
        for line in result.false:
            rules = ", ".join(secret.rule for secret in find_secrets(line.text) if not secret.development)
            _say(f"  false alarm {line.id} ({line.kind}), {rules}: {line.text}")
        failed = failed or result.precision < PRECISION or result.recall < RECALL
    return int(failed)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
