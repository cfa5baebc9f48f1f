"""The allow list of a memory directory: the SHA-256 digests of values that look like secrets and may stay.

A file of one digest a line; `#` starts a comment. It holds digests so that the list itself can be committed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_lsp.errors import MemoryLspError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ALLOW_NAME = ".memory-lsp-allow"
_LARGEST = 4 * 1024 * 1024
_DIGEST = re.compile(r"[0-9a-f]{64}")
_HEAD = (
    "# Values that memory-lsp does not take for secrets: one SHA-256 digest a line. `memory-lsp allow` adds to it.\n"
)


def read_allowed(folder: Path) -> tuple[frozenset[str], str]:
    """Return the digests that a directory allows, and a sentence on what is wrong with the list, or "".

    The sentence names lines by number alone: somebody may have put the secret itself there.
    """
    path = folder / ALLOW_NAME
    try:
        with path.open("rb") as file:
            lines = file.read(_LARGEST).decode("utf-8-sig", "replace").splitlines()
    except FileNotFoundError:
        return frozenset(), ""
    except OSError as error:
        return frozenset(), f"{path} cannot be read, so nothing is allowed by it: {error.strerror}."
    entries = [(number, line.partition("#")[0].strip().lower()) for number, line in enumerate(lines, start=1)]
    wrong = [str(number) for number, entry in entries if entry and not _DIGEST.fullmatch(entry)]
    problem = f"{path}, line {', '.join(wrong[:5])}: this is no SHA-256 digest; `memory-lsp allow` writes one."
    return frozenset(entry for _, entry in entries if _DIGEST.fullmatch(entry)), problem if wrong else ""


def append_allowed(folder: Path, entries: Iterable[tuple[str, str]]) -> None:
    """Add digests, each with a comment; raises MemoryLspError where the file cannot be written."""
    path = folder / ALLOW_NAME
    try:
        before = path.read_bytes() if path.exists() else _HEAD.encode()
        start = b"" if before.endswith(b"\n") or not before else b"\n"
        added = "".join(f"{digest}  # {' '.join(comment.split())}\n" for digest, comment in entries).encode()
        with path.open("ab") as file:
            file.write((b"" if path.stat().st_size else before) + start + added)
    except OSError as error:
        raise MemoryLspError(f"{path} cannot be written: {error.strerror}.") from error
