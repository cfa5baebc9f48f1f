"""`memory-lsp redact`: replace secrets in notes by references."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.cli.console import paint, put, say, visible
from memory_lsp.cli.findings import choose
from memory_lsp.cli.opening import folder_of
from memory_lsp.cli.overrides import settings_from
from memory_lsp.core.secrets import find_secrets, redact
from memory_lsp.errors import MemoryLspError
from memory_lsp.files import read_note

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from memory_lsp.cli.console import Colour
    from memory_lsp.core.note import Note
    from memory_lsp.core.secrets import Secret

_MASK = "********"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_COLOURS: dict[str, Colour] = {"+": "green", "-": "red", "@": "blue"}


def run(arguments: argparse.Namespace) -> int:
    """Show what would be replaced, and replace it with `--write`; 1 when secrets stay in the notes."""
    settings = settings_from(arguments.overrides)
    chosen = choose(arguments.directory, settings, arguments.paths)
    folder, count, notes = folder_of(arguments.directory), 0, 0
    for memory, path in chosen.notes:
        note, file = memory.snapshot.notes[path], memory.root / path
        # A development default is no leak, and what the user allows is meant to stay.
        secrets = [secret for secret in memory.snapshot.guard.secrets(note) if not secret.development]
        if not secrets:
            continue
        after = redact(note.text, secrets)
        put(_diff(note, after, secrets, os.path.relpath(file, folder)))
        # What could not be read as it is cannot be written back; why was said above.
        if arguments.write and path not in memory.problems:
            _write(file, note.text, after)
        elif arguments.write:
            continue
        count, notes = count + len(secrets), notes + 1
    say(_summary(count, notes, written=arguments.write))
    return 1 if chosen.problems or (count and not arguments.write) else 0


def _summary(count: int, notes: int, *, written: bool) -> str:
    if not count:
        return "No secret to redact."
    what = f"{count} {'secret' if count == 1 else 'secrets'} in {notes} {'note' if notes == 1 else 'notes'}"
    if written:
        return f"Replaced {what}. What was in a repository or a backup is still there: revoke it."
    return f"Found {what}; nothing is written without --write."


def _diff(note: Note, after: str, secrets: Sequence[Secret], name: str) -> Iterator[str]:
    """Yield a unified diff in which no secret can be read, not in the lines around a change either."""
    before = _lines(_masked(note.text, secrets))
    for line in difflib.unified_diff(before, _lines(_masked(after, ())), f"a/{name}", f"b/{name}"):
        colour = _COLOURS.get(line[:1])
        shown = visible(line.rstrip("\r\n"))
        yield paint(shown, colour, sys.stdout) if colour else shown


def _masked(text: str, secrets: Sequence[Secret]) -> str:
    """Return the text with every secret replaced by stars: the given ones, and those that are allowed there."""
    found = {secret.span: secret for secret in (*find_secrets(text), *secrets)}
    # No reference can hold this, so that what is masked is what was replaced and nothing else.
    marked = [dataclasses.replace(secret, rule="\0", development=False) for secret in found.values()]
    return redact(text, marked).replace("${REDACTED_\0}", _MASK)


def _lines(text: str) -> list[str]:
    # Lines end at LF, CRLF and CR alone; str.splitlines knows more ends.
    return [match[0] for match in _LINE.finditer(text) if match[0]]


def _write(file: Path, before: str, after: str) -> None:
    """Replace a note's file at once and whole, keeping its mode; raises MemoryLspError, and then it is as it was."""
    target = Path(os.path.realpath(file))  # a link stays a link
    try:
        if read_note(target) != (before, ""):
            raise MemoryLspError(f"{file} changed meanwhile and is not redacted; run it again.")
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".memory-lsp-", suffix=".tmp")
        draft = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(after.encode("utf-8"))
                stream.flush()
                os.fsync(stream.fileno())
            draft.chmod(target.stat().st_mode)
            draft.replace(target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise MemoryLspError(f"{file} cannot be written: {error.strerror}. It is as it was.") from error
