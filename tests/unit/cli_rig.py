"""Run commands in this process on a copy of the example memories."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_lsp.cli import main

if TYPE_CHECKING:
    import pytest

REPOSITORY = Path(__file__).resolve().parent.parent.parent
NO_MODEL = ("--set", "embedding.backend=none")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What somebody at a terminal would see."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401  any JSON document
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


class Shell:
    """Runs `memory-lsp`."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> Outcome:
        self._capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = self._capsys.readouterr()
        return Outcome(status, out, err)


def example(folder: Path, name: str = "memory") -> Path:
    """Return a copy of an example memory."""
    target = folder / name
    shutil.copytree(REPOSITORY / "docs" / "examples" / name, target, ignore=shutil.ignore_patterns(".graph"))
    return target


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write notes, line ends as given, and return the folder."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
