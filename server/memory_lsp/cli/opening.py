"""Open the memory directory that a command is about."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.cli.console import say
from memory_lsp.discovery import Kind, Place, find_places
from memory_lsp.errors import UsageError

if TYPE_CHECKING:
    from memory_lsp.config import Settings
    from memory_lsp.directory import MemoryDirectory


def folder_of(directory: str) -> Path:
    """Return the folder that `-d` names, absolute; raises UsageError where there is none."""
    # Path.expanduser raises for an unknown user, and Path.resolve would lose the name that the user knows.
    folder = Path(os.path.abspath(os.path.expanduser(directory)))  # noqa: PTH100, PTH111  see above
    if not folder.is_dir():
        what = "is no folder" if folder.exists() else "does not exist"
        raise UsageError(f"The directory {folder} {what}; name the folder of your notes with -d DIR.")
    return folder


def places_in(directory: str, settings: Settings) -> tuple[Place, ...]:
    """Return every memory directory of the folder that `-d` names; raises UsageError where there is none."""
    places = find_places(folder_of(directory), settings.directories)
    usable = tuple(place for place in places if place.kind is not Kind.SINGLE and place.root.is_dir())
    for place in places:
        if place not in usable and usable:
            say(place.notice)
    if not usable:
        raise UsageError(f"{places[0].notice} Name the folder of your notes with -d DIR.")
    return usable


def place_in(directory: str, settings: Settings) -> Place:
    """Return the one memory directory to work with, saying so where there are several."""
    first, *others = places_in(directory, settings)
    if others:
        names = ", ".join(str(place.root) for place in others)
        say(f"Taking {first.root}; name another with -d DIR: {names}.")
    return first


def report_problems(directory: MemoryDirectory) -> int:
    """Say which files cannot be read, or not wholly; return how many."""
    for problem in directory.problems.values():
        say(problem)
    return len(directory.problems)
