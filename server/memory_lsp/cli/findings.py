"""Everything that is wrong with the notes of some memory directories."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.cli.console import say
from memory_lsp.cli.opening import folder_of, places_in, report_problems
from memory_lsp.core.lint import lint
from memory_lsp.core.lint_codes import Severity
from memory_lsp.core.rivals import CODE as CONTRADICTION
from memory_lsp.directory import MemoryDirectory
from memory_lsp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memory_lsp.config import Settings
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note
    from memory_lsp.core.text import Encoding

    Range = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Report:
    """A finding of a note with the severity that the settings give it; `file` is absolute."""

    file: Path
    note: Note
    finding: Finding
    severity: Severity

    def range(self, encoding: Encoding) -> Range:
        """Return start and end as zero-based (line, column), columns in units of `encoding`."""
        lines, span = self.note.lines, self.finding.span
        return lines.position(span.start, encoding), lines.position(span.end, encoding)

    def below(self, folder: Path) -> str:
        """Return the file's path relative to a folder with slashes, the absolute path where it is not below it."""
        return self.file.relative_to(folder).as_posix() if self.file.is_relative_to(folder) else self.file.as_posix()


@dataclass(frozen=True, slots=True)
class Chosen:
    """The notes that a command is about: their directory and their path in it. `problems` counts unreadable files."""

    notes: tuple[tuple[MemoryDirectory, str], ...]
    problems: int


class _Filter:
    """The files and folders named on the command line; none stand for all."""

    def __init__(self, given: Iterable[Path]) -> None:
        self._given = tuple(given)
        self._unused = {_real(path): path for path in self._given}

    def takes(self, file: Path) -> bool:
        """Tell whether a file is one of them or below one of them."""
        if not self._given:
            return True
        file = _real(file)
        within = {*file.parents, file} & {_real(path) for path in self._given}
        for path in within:
            self._unused.pop(path, None)
        return bool(within)

    def unused(self) -> tuple[Path, ...]:
        """Return those that took no file."""
        return tuple(self._unused.values())


def choose(directory: str, settings: Settings, paths: Sequence[str]) -> Chosen:
    """Read the memory directories and return the notes asked for; says what cannot be read or is no note of theirs.

    Raises UsageError where the directory or a PATH does not exist.
    """
    wanted = _Filter(_given(directory, path) for path in paths)
    notes: list[tuple[MemoryDirectory, str]] = []
    problems = 0
    for place in places_in(directory, settings):
        memory = MemoryDirectory(place, settings.exclude, settings.tags.inline, settings.secrets.disabled)
        memory.adopt(memory.scan())
        unread = {path: text for path, text in memory.problems.items() if not path or wanted.takes(place.root / path)}
        memory.problems = unread
        problems += report_problems(memory)
        if settings.contradictions.detect and settings.severity(CONTRADICTION) is not None:
            _compare(memory, settings)
        notes += [(memory, path) for path in sorted(memory.snapshot.notes) if wanted.takes(place.root / path)]
    for path in wanted.unused():
        say(f"{path} holds no note of the memory directory and is left out.")
    return Chosen(tuple(notes), problems)


def _compare(memory: MemoryDirectory, settings: Settings) -> None:
    """Find contradictions with the vectors that the sidecar has, whatever model they are of; nothing is embedded."""
    folder = memory.sidecar_folder
    if folder.is_dir():
        # Imported here, since a hook that runs on each commit often has no sidecar.
        from memory_lsp.cli.stored import model_on_disk
        from memory_lsp.contradiction_records import contradiction_file
        from memory_lsp.contradictions import find_contradictions
        from memory_lsp.core.vectors import VectorTable
        from memory_lsp.embedding.judge import judge_name
        from memory_lsp.embedding.plan import make_plan
        from memory_lsp.sidecar import Sidecar

        model = model_on_disk(folder) or make_plan(settings.embedding).model_id
        rows = Sidecar(folder, model).load().rows
        vectors = VectorTable()
        vectors.put_many(rows.hashes, rows.matrix)
        kept = contradiction_file(folder, model, judge_name(settings.contradictions))
        memory.set_rivals(find_contradictions(memory.snapshot, vectors.freeze(), kept))


def reports(chosen: Chosen, settings: Settings) -> Iterator[Report]:
    """Yield the findings of the chosen notes by path and place, without those that the settings switch off."""
    for memory in {id(memory): memory for memory, _ in chosen.notes}.values():
        for note in memory.snapshot.notes.values():
            memory.snapshot.guard.secrets(note)  # what one note shows to be a secret, no finding of another may tell
    for memory, path in chosen.notes:
        note = memory.snapshot.notes[path]
        for finding in lint(memory.snapshot, path):
            severity = settings.severity(finding.code)
            if severity is None:
                continue
            # A development default such as `changeme` is worth knowing and no leak.
            level = max(severity, Severity.INFORMATION) if finding.mild else severity
            yield Report(memory.root / path, note, finding, level)


def _given(directory: str, path: str) -> Path:
    """Return a PATH absolute: relative to the current folder, else to the directory."""
    for base in (Path.cwd(), folder_of(directory)):
        candidate = base / path
        if candidate.exists():
            return candidate
    raise UsageError(f"{path} does not exist.")


def _real(path: Path) -> Path:
    # Unlike Path.resolve, this does not raise for a loop of links.
    return Path(os.path.realpath(path))
