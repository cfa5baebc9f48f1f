"""`memory-lsp allow`: put a value that only looks like a secret on the directory's allow list."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.allow_list import ALLOW_NAME, append_allowed
from memory_lsp.cli.console import is_terminal, one_line, put, say
from memory_lsp.cli.findings import choose
from memory_lsp.cli.overrides import settings_from
from memory_lsp.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from memory_lsp.cli.findings import Chosen
    from memory_lsp.directory import MemoryDirectory


@dataclass(frozen=True, slots=True)
class _Entry:
    """A digest for the list of a directory, with the comment beside it."""

    memory: MemoryDirectory
    digest: str
    comment: str


def run(arguments: argparse.Namespace) -> int:
    """Show the digests, ask, and write them; 1 when there is no secret at a place or nobody agreed."""
    settings = settings_from(arguments.overrides)
    entries: dict[tuple[str, str], _Entry] = {}
    problems = 0
    for place in arguments.places:
        path, line = _split(place)
        chosen = choose(arguments.directory, settings, [path])
        problems += chosen.problems
        found = list(_at(chosen, line))
        if not found:
            say(f"{place}: there is no secret here that is not allowed already.")
            problems += 1
        entries.update(((str(entry.memory.root), entry.digest), entry) for entry in found)
    put(f"{entry.digest}  {one_line(entry.comment)}" for entry in entries.values())
    if entries and not (arguments.yes or _agreed(len(entries))):
        return 1
    for memory in {id(entry.memory): entry.memory for entry in entries.values()}.values():
        own = [(entry.digest, entry.comment) for entry in entries.values() if entry.memory.root == memory.root]
        append_allowed(memory.root, dict(own).items())
        say(f"Added {len(own)} to {memory.root / ALLOW_NAME}.")
    return 1 if problems else 0


def _split(place: str) -> tuple[str, int | None]:
    """Return the path and the line of `PATH:LINE`, None for a path alone."""
    match = re.fullmatch(r"(.+):(\d{1,9})", place)
    if match is None:
        return place, None
    if match[2] == "0":
        raise UsageError(f"{place}: lines are counted from 1.")
    return match[1], int(match[2])


def _at(chosen: Chosen, line: int | None) -> Iterator[_Entry]:
    """Yield what is found in the notes, on one line of them or on any."""
    for memory, path in chosen.notes:
        note, guard = memory.snapshot.notes[path], memory.snapshot.guard
        for secret in guard.secrets(note):
            number = note.lines.line_of(secret.span.start) + 1
            if not secret.development and line in (None, number):
                yield _Entry(memory, secret.digest, f"{secret.rule}, {guard.hide(path)}:{number}")
        if line in (None, 1):
            yield from (_Entry(memory, each.digest, f"{each.rule}, name of a note") for each in guard.unspelled(note))


def _agreed(count: int) -> bool:
    what = "this value is" if count == 1 else f"these {count} values are"
    if not is_terminal(sys.stdin) or not is_terminal(sys.stderr):
        say("Nothing is written without --yes.")
        return False
    print(f"Allow it, so that {what} no secret in this directory any more? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
