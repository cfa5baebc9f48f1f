"""One memory directory in use: its files on disk, the buffers over them, and the current snapshot.

A buffer owns its note while it is open, the disk owns it after close. What the sidecar is made of is `saved()`: the
notes as they are on disk, never a buffer's unsaved text. One thread changes a directory; snapshots may be read by any.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memory_lsp.allow_list import ALLOW_NAME, read_allowed
from memory_lsp.core.chunks import Chunker
from memory_lsp.core.note import Note, parse
from memory_lsp.core.resolve import Names, fold
from memory_lsp.core.secret_guard import SecretGuard, SecretPolicy
from memory_lsp.core.snapshot import Changes, Snapshot, with_graph, with_rivals
from memory_lsp.discovery import SIDECAR_NAME, Kind, Place
from memory_lsp.files import Selection, is_note, read_note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from memory_lsp.core.graph import Graph
    from memory_lsp.core.rivals import Rival


@dataclass(frozen=True, slots=True)
class Buffer:
    """A document that an editor holds open."""

    uri: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Delta:
    """What a change did: the revision reached, the notes that changed, and those whose findings may differ."""

    revision: int
    changed: frozenset[str] = frozenset()
    affected: frozenset[str] = frozenset()
    saved: bool = False  # whether anything changed on disk, so that the index must follow


@dataclass(frozen=True, slots=True)
class Scan:
    """A directory as it is on disk: its snapshot, and what is wrong with files, by path."""

    snapshot: Snapshot
    problems: Mapping[str, str]
    modified: Mapping[str, float] = field(default_factory=dict)  # path → when its file was last changed, in seconds


@dataclass(slots=True)
class MemoryDirectory:
    """See the module's docstring. Paths are relative to `root`, with slashes."""

    place: Place
    exclude: tuple[str, ...] = ()
    inline_tags: bool = False
    disabled_rules: tuple[str, ...] = ()  # ids of secret rules that are switched off
    snapshot: Snapshot = field(default_factory=Snapshot)
    chunker: Chunker = field(default_factory=Chunker)
    loaded: bool = False
    problems: dict[str, str] = field(default_factory=dict)  # path → what is wrong with its file
    modified: dict[str, float] = field(default_factory=dict)  # path → when its file was last changed, in seconds
    _buffers: dict[str, Buffer] = field(default_factory=dict)
    _unsaved: dict[str, Note | None] = field(default_factory=dict)  # path → the note on disk, where a buffer differs
    _exists: dict[str, bool] = field(default_factory=dict)
    _saved: tuple[int, Snapshot] | None = None

    def __post_init__(self) -> None:
        self.snapshot = self._empty(SecretPolicy(frozenset(self.disabled_rules)))

    @property
    def root(self) -> Path:
        """Return the directory itself."""
        return self.place.root

    @property
    def sidecar_folder(self) -> Path:
        """Return where the sidecar is, or would be."""
        return self.root / SIDECAR_NAME

    @property
    def selection(self) -> Selection:
        """Return which files belong to the directory."""
        return Selection(self.root, self.exclude)

    def scan(self, on_progress: Callable[[int, int], None] = lambda done, total: None) -> Scan:
        """Read the directory from disk and derive its first snapshot; changes nothing, so any thread may call it."""
        if self.place.kind is Kind.SINGLE:
            return Scan(self._empty(self.snapshot.guard.policy), {})
        listing = self.selection.walk()
        problems = {"": listing.problem} if listing.problem else {}
        policy, problem = self._read_policy()
        if problem:
            problems[ALLOW_NAME] = problem
        notes: dict[str, Note | None] = {}
        modified: dict[str, float] = {}
        for count, path in enumerate(sorted(listing.notes)):
            if count % 64 == 0:
                on_progress(count, len(listing.notes))
            note, problem = self._read(path)
            if note is not None:
                notes[path] = note
                modified[path] = self._mtime(path)
                self.chunker.of(note)  # here, where nobody waits for it
            if problem:
                problems[path] = problem
        empty = self._empty(policy)
        return Scan(empty.updated(Changes(notes, added_files=listing.others))[0], problems, modified)

    def adopt(self, scan: Scan) -> Delta:
        """Start from what a scan found, with the buffers that were opened meanwhile laid over it."""
        self.loaded = True
        self.snapshot, self.problems, self.modified = scan.snapshot, dict(scan.problems), dict(scan.modified)
        self._unsaved.clear()
        notes: dict[str, Note | None] = {}
        for path, buffer in self._buffers.items():
            self._compare(path, self.snapshot.notes.get(path))
            notes[path] = self._parse(path, buffer.text)
        self._advance(Changes(notes))
        everything = frozenset(self.snapshot.notes)
        return Delta(self.snapshot.revision, everything, everything, saved=True)

    def is_open(self, path: str) -> bool:
        """Tell whether an editor holds the note."""
        return path in self._buffers

    def buffer(self, path: str) -> Buffer | None:
        """Return the editor's document over a path."""
        return self._buffers.get(path)

    def buffers(self) -> Mapping[str, Buffer]:
        """Return all open documents by path."""
        return self._buffers

    def open(self, path: str, buffer: Buffer) -> Delta:
        """Take a document that was opened or edited; before the directory is loaded it is only kept."""
        if not self.loaded:
            self._buffers[path] = buffer
            return Delta(self.snapshot.revision)
        # Until the first unsaved edit, the snapshot's note is the one on disk.
        on_disk = self._unsaved[path] if path in self._unsaved else self.snapshot.notes.get(path)
        self._buffers[path] = buffer
        self._compare(path, on_disk)
        note = self.snapshot.notes.get(path)
        if note is not None and note.text == buffer.text:
            return Delta(self.snapshot.revision, frozenset((path,)), frozenset((path,)))
        return self._advance(Changes({path: self._parse(path, buffer.text)}), saved=False)

    def close(self, path: str) -> Delta:
        """Give a note back to the disk."""
        self._buffers.pop(path, None)
        self._unsaved.pop(path, None)
        if not self.loaded:
            return Delta(self.snapshot.revision)
        if self.place.kind is Kind.SINGLE or not self.selection.includes(path):
            return self._advance(Changes({path: None}))
        return self.refresh((path,))

    def refresh(self, paths: Iterable[str]) -> Delta:
        """Read again what changed on disk: notes, other files, and everything below a folder that came or went."""
        paths = set(paths)
        ruled = self._follow_policy() if ALLOW_NAME in paths else frozenset[str]()
        self._exists.clear()
        notes: dict[str, Note | None] = {}
        added, removed = set[str](), set[str]()
        below_buffers = set[str]()
        for path in dict.fromkeys(self._expand(paths)):
            if is_note(path):
                note = self._reread(path)
                if path in self._buffers:
                    self._compare(path, note)
                    below_buffers.add(path)
                elif note is not None or path in self.snapshot.notes:
                    known = self.snapshot.notes.get(path)
                    if note is None or known is None or known.text != note.text:
                        notes[path] = note
                    if note is None:
                        self.snapshot.guard.forget(path)
                        self.chunker.forget(path)
                        self.modified.pop(path, None)
            elif (self.root / path).is_file():
                if not self.snapshot.names.has_file(path):
                    added.add(path)
            elif self.snapshot.names.has_file(path) or self.snapshot.mentioning(fold(path.rsplit("/", 1)[-1])):
                removed.add(path)  # a file that went, or a folder, which links may lead to
        delta = self._advance(Changes(notes, frozenset(added), frozenset(removed)))
        # A buffer hides these changes from the snapshot, but not from what is made of the saved text.
        return replace(delta, affected=delta.affected | below_buffers | ruled)

    def saved(self) -> Snapshot:
        """Return the snapshot of what is on disk, without any unsaved text."""
        if not self._unsaved:
            return self.snapshot
        if self._saved is None or self._saved[0] != self.snapshot.revision:
            self._saved = (self.snapshot.revision, self.snapshot.updated(Changes(dict(self._unsaved)))[0])
        return self._saved[1]

    def is_current(self, note: Note) -> bool:
        """Tell whether a saved note is what its file says at this moment; any thread may ask."""
        try:
            text, _ = read_note(self.root / note.path)
        except OSError:
            return False
        return text == note.text

    def set_graph(self, remake: Callable[[Graph], Graph]) -> None:
        """Replace the graph, as after a change of clusters."""
        self.snapshot = with_graph(self.snapshot, remake(self.snapshot.graph))

    def set_rivals(self, rivals: Mapping[str, tuple[Rival, ...]]) -> Delta:
        """Replace the contradictions that were found between notes."""
        self.snapshot, affected = with_rivals(self.snapshot, rivals)
        return Delta(self.snapshot.revision, affected=affected)

    def _empty(self, policy: SecretPolicy) -> Snapshot:
        return Snapshot(names=Names(exists=self._is_there), guard=SecretGuard(policy, self._parse))

    def _read_policy(self) -> tuple[SecretPolicy, str]:
        allowed, problem = read_allowed(self.root)
        return SecretPolicy(frozenset(self.disabled_rules), allowed), problem

    def _follow_policy(self) -> frozenset[str]:
        """Read the allow list again; return the paths of the notes that the change concerns."""
        policy, problem = self._read_policy()
        self.problems.pop(ALLOW_NAME, None)
        if problem:
            self.problems[ALLOW_NAME] = problem
        if policy == self.snapshot.guard.policy:
            return frozenset()
        self.snapshot, affected = self.snapshot.under(policy)
        return affected

    def _advance(self, changes: Changes, *, saved: bool = True) -> Delta:
        if not (changes.notes or changes.added_files or changes.removed_files):
            return Delta(self.snapshot.revision, saved=saved)
        self.snapshot, affected = self.snapshot.updated(changes)
        return Delta(self.snapshot.revision, frozenset(changes.notes), affected, saved)

    def _compare(self, path: str, on_disk: Note | None) -> None:
        self._saved = None
        # Editors keep a byte order mark to themselves.
        text = self._buffers[path].text.removeprefix("\ufeff")
        if on_disk is not None and on_disk.text.removeprefix("\ufeff") == text:
            self._unsaved.pop(path, None)
        else:
            self._unsaved[path] = on_disk

    def _expand(self, paths: Iterable[str]) -> Iterator[str]:
        """Yield the paths that are served, for a folder everything known or found below it instead."""
        for path in paths:
            if not self.selection.includes(path):
                continue
            below = set[str]()
            if self.snapshot.names.has_folder(path):
                known = (*self.snapshot.notes, *self.snapshot.names.files)
                below.update(entry for entry in known if entry.startswith(f"{path}/"))
            if (self.root / path).is_dir():
                listing = self.selection.walk(path)
                below.update(listing.notes, listing.others)
            yield from sorted(entry for entry in below if self.selection.includes(entry))
            yield path

    def _reread(self, path: str) -> Note | None:
        note, problem = self._read(path)
        self.modified[path] = self._mtime(path)
        if problem:
            self.problems[path] = problem
        else:
            self.problems.pop(path, None)
        return note

    def _mtime(self, path: str) -> float:
        try:
            return (self.root / path).stat().st_mtime
        except OSError:
            return 0.0

    def _read(self, path: str) -> tuple[Note | None, str]:
        try:
            text, problem = read_note(self.root / path)
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None, ""
        except OSError as error:
            return None, f"{self.root / path} cannot be read: {error.strerror}."
        return self._parse(path, text), problem

    def _parse(self, path: str, text: str) -> Note:
        return parse(path, text, inline_tags=self.inline_tags)

    def _is_there(self, path: str) -> bool:
        """Tell whether a path below or beside the directory exists; remembered until something changes on disk."""
        known = self._exists.get(path)
        if known is None:
            known = self._exists[path] = os.path.exists(self.root / path)  # noqa: PTH110  never raises, unlike Path.exists
        return known
