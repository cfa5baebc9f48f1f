"""The one link resolver: from what a link says to the note or file it means.

Levels, the first that matches wins (protocol.md, section 2): 1 a path or an id, 2 the name, 3 the file's stem, 4 an
alias, 5 these three after folding, 6 the stem without its type prefix, folded.
"""

from __future__ import annotations

import posixpath
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING
from urllib.parse import unquote

from memory_lsp.core.links import LinkForm
from memory_lsp.core.note import TYPES, type_rank
from memory_lsp.core.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from memory_lsp.core.links import Link
    from memory_lsp.core.note import Note


class Level(IntEnum):
    """How a link found its note."""

    SELF = 0
    PATH = 1
    NAME = 2
    STEM = 3
    ALIAS = 4
    FOLDED = 5
    PREFIX = 6

    @property
    def is_exact(self) -> bool:
        """Tell whether the link spells its note as it is."""
        return self < Level.FOLDED


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a link means. `notes` are paths, the best first; `file` is the path of an attachment instead."""

    level: Level | None = None
    notes: tuple[str, ...] = ()
    file: str = ""
    anchor: str | None = None

    @property
    def note(self) -> str | None:
        """Return the path of the note that the link opens."""
        return self.notes[0] if self.notes else None

    @property
    def is_dangling(self) -> bool:
        """Tell whether the link leads nowhere."""
        return not self.notes and not self.file


def fold(text: str) -> str:
    """Return the form in which spellings count as equal: NFC, case folded, `_`, `-` and space as one."""
    text = text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()
    return text.replace("_", "-").replace(" ", "-")


@dataclass(frozen=True, slots=True)
class _Facts:
    """What of a note a link can name."""

    path: str
    rank: tuple[int, str]
    keys: tuple[tuple[str, str], ...]
    folded: frozenset[str]


def _facts(note: Note) -> _Facts:
    stem = note.stem
    folded_stem = fold(stem)
    keys = [
        ("id", note.base_id),
        ("name", note.name),
        ("stem", stem),
        ("f-name", fold(note.name)),
        ("f-stem", folded_stem),
    ]
    keys += [pair for alias in note.aliases for pair in (("alias", alias.value), ("f-alias", fold(alias.value)))]
    prefix = next((kind for kind in (*TYPES, note.type) if folded_stem.startswith(fold(kind) + "-")), None)
    if prefix:
        keys.append(("prefix", folded_stem[len(prefix) + 1 :]))
    folded = {key if kind.startswith("f-") or kind == "prefix" else fold(key) for kind, key in keys if kind != "id"}
    folded |= {key.rsplit("/", 1)[-1] for key in folded}
    return _Facts(note.path, type_rank(note.type), tuple(dict.fromkeys(keys)), frozenset(folded))


@dataclass(frozen=True, slots=True)
class Names:
    """Every name in a directory, and the notes and files that bear it. Immutable; `updated` returns another one.

    `exists` tells whether a path (relative to the directory, possibly leading out of it) is there; it is asked only
    about paths that are no notes.
    """

    exists: Callable[[str], bool] = field(default=lambda path: False)
    _facts: Table[str, _Facts] = field(default_factory=Table)
    _table: Table[tuple[str, str], tuple[str, ...]] = field(default_factory=Table)
    _files: Table[str, tuple[str, ...]] = field(default_factory=Table)  # file name → paths that end in it, sorted
    _folders: Table[str, int] = field(default_factory=Table)  # folder → how many notes and files are below it

    @property
    def files(self) -> frozenset[str]:
        """Return the paths of all files that are no notes."""
        return frozenset(path for paths in self._files.values() for path in paths)

    def has_file(self, path: str) -> bool:
        """Tell whether a path is that of a file that is no note."""
        return path in self._files.get(posixpath.basename(path), ())

    def has_folder(self, path: str) -> bool:
        """Tell whether a note or another file lies below a path."""
        return path in self._folders

    def keys_of(self, path: str) -> frozenset[str]:
        """Return the folded keys under which links can name the note at `path`."""
        facts = self._facts.get(path)
        return facts.folded if facts else frozenset()

    def bearing(self, folded: str) -> tuple[str, ...]:
        """Return the paths of the notes whose name, file name or alias, folded, is just this."""
        table = self._table
        return table.get(("f-name", folded)) or table.get(("f-stem", folded)) or table.get(("f-alias", folded)) or ()

    def updated(
        self,
        changed: Iterable[Note] = (),
        removed: Iterable[str] = (),
        added_files: Iterable[str] = (),
        removed_files: Iterable[str] = (),
    ) -> tuple[Names, frozenset[str]]:
        """Return the names after a change, and the folded keys whose links must be resolved again."""
        removed, added_files, removed_files = {*removed}, {*added_files}, {*removed_files}
        gone = [self._facts[path] for path in removed if path in self._facts]
        new: list[_Facts] = []
        for note in changed:
            old, now = self._facts.get(note.path), _facts(note)
            if old != now:
                gone += [old] if old else []
                new.append(now)
        if not (gone or new or added_files or removed_files):
            # Typing in a note's text names nothing else: who keeps something by these names keeps it.
            return self, frozenset()
        facts = self._facts.updated({entry.path: entry for entry in new}, removed)
        table = _retabled(self._table, gone, new, facts)
        came = {entry.path for entry in new if entry.path not in self._facts}
        came.update(path for path in added_files if not self.has_file(path))
        went = {entry.path for entry in gone if entry.path not in facts}
        went.update(path for path in removed_files if self.has_file(path))
        touched = {key for entry in (*gone, *new) for key in entry.folded}
        touched.update(fold(posixpath.basename(path)) for path in added_files | removed_files)
        # A folder comes and goes with what is in it, and a link may lead to a folder.
        moved = came | went | added_files | removed_files
        touched.update(fold(part) for path in moved for part in path.split("/")[:-1])
        files = _refiled(self._files, added_files, removed_files)
        return Names(self.exists, facts, table, files, _refoldered(self._folders, came, went)), frozenset(touched)

    def resolve(self, link: Link, source: str) -> Resolution:
        """Return what `link` in the note at path `source` means."""
        if not link.target:
            return Resolution(Level.SELF, (source,), anchor=link.anchor)
        is_path = link.form is LinkForm.MARKDOWN
        if link.anchor is not None and not is_path:
            # A note's name may hold a `#` (`C# style`), so the whole text is tried before it is split.
            level, notes = self._exact(link.whole)
            if not notes and "/" in link.whole:
                level, notes = Level.PATH, self._by_path(link.whole, source)
            if notes:
                return Resolution(level, notes)
        found = self.find(link.target, source, is_path=is_path)
        return Resolution(found.level, found.notes, found.file, link.anchor)

    def find(self, target: str, source: str, *, is_path: bool = False) -> Resolution:
        """Return the notes, or the file, that a target without its anchor means."""
        found = self._find(target, source, is_path)
        if found.is_dangling and "%" in target:
            decoded = unquote(target, errors="replace")
            found = found if decoded == target else self._find(decoded, source, is_path)
        return found

    def _find(self, target: str, source: str, is_path: bool) -> Resolution:
        if is_path or "/" in target:
            notes = self._table.get(("id", target), ()) if not is_path else ()
            notes = notes or self._by_path(target, source)
            if notes:
                return Resolution(Level.PATH, notes)
        # A target with an extension is that file; one without, which a wikilink may mean, comes after the notes.
        early = is_path or "." in target.rsplit("/", 1)[-1]
        file = self._file(target, source, is_path) if early else ""
        if file:
            return Resolution(Level.PATH, file=file)
        level, notes = self._exact(target)
        if not notes:
            level, notes = self._folded(target)
        if notes:
            return Resolution(level, notes)
        file = "" if early else self._file(target, source, is_path)
        return Resolution(Level.PATH, file=file) if file else Resolution()

    def _exact(self, target: str) -> tuple[Level, tuple[str, ...]]:
        table, stem = self._table, _without_md(target)
        return _first(
            (Level.NAME, table.get(("name", target)) or table.get(("name", stem))),
            (Level.STEM, table.get(("stem", stem))),
            (Level.ALIAS, table.get(("alias", target))),
        )

    def _folded(self, target: str) -> tuple[Level, tuple[str, ...]]:
        table, whole, stem = self._table, fold(target), fold(_without_md(target))
        return _first(
            (Level.FOLDED, table.get(("f-name", whole)) or table.get(("f-name", stem))),
            (Level.FOLDED, table.get(("f-stem", stem))),
            (Level.FOLDED, table.get(("f-alias", whole))),
            (Level.PREFIX, table.get(("prefix", stem))),
        )

    def _by_path(self, target: str, source: str) -> tuple[str, ...]:
        """Return the notes at a path: from the note's folder, from the directory, or ending in its whole components."""
        wanted = _without_md(target)
        candidates = self._table.get(("stem", wanted.rsplit("/", 1)[-1]), ())
        places = [posixpath.normpath(wanted.lstrip("/"))]
        if not target.startswith("/"):
            places.insert(0, _join(source, wanted))
        for place in places:
            exact = tuple(path for path in candidates if _without_md(path) == place)
            if exact:
                return exact
        if target.startswith(("/", "./", "../")):
            return ()
        return tuple(path for path in candidates if ("/" + _without_md(path)).endswith("/" + places[-1]))

    def _file(self, target: str, source: str, is_path: bool) -> str:
        """Return the path of the file or folder that is no note and that a target means, "" where there is none."""
        has_slash = "/" in target
        base = posixpath.basename(target.rstrip("/"))
        if not (is_path or has_slash or base in self._files):
            return ""
        places = [posixpath.normpath(target.lstrip("/") or ".")]
        if not target.startswith("/"):
            places.insert(0, _join(source, target))
        known = self._files.get(base, ())
        for place in places:
            if place in known:
                return place
            if is_path or has_slash:
                # A note outside the directory, or one that is left out, is a file to us.
                found = next((path for path in (place, f"{place}.md") if self.exists(path)), "")
                if found:
                    return found
        if target.startswith(("/", "./", "../")):
            return ""
        return next((path for path in known if ("/" + path).endswith("/" + places[-1])), "")


def link_keys(link: Link) -> Iterator[str]:
    """Yield the folded keys under which a change of names can change what `link` means."""
    for text in {link.target, link.whole}:
        yield from target_keys(text)


def target_keys(target: str) -> Iterator[str]:
    """Yield the folded keys of a bare target; see `link_keys`."""
    for text in {target, unquote(target, errors="replace")}:
        folded = fold(text)
        for form in {folded, folded.rstrip("/").rsplit("/", 1)[-1]}:
            yield form
            yield _without_md(form)


def _first(*levels: tuple[Level, tuple[str, ...] | None]) -> tuple[Level, tuple[str, ...]]:
    return next(((level, notes) for level, notes in levels if notes), (Level.PREFIX, ()))


def _without_md(path: str) -> str:
    return path[:-3] if path[-3:].lower() == ".md" else path


def _join(source: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), target))


def _retabled(
    table: Table[tuple[str, str], tuple[str, ...]],
    gone: Iterable[_Facts],
    new: Iterable[_Facts],
    facts: Mapping[str, _Facts],
) -> Table[tuple[str, str], tuple[str, ...]]:
    """Return the table after some names went and others came; each key is sorted once, however many notes share it."""
    members: dict[tuple[str, str], set[str]] = {}
    for entry in gone:
        for key in entry.keys:
            members.setdefault(key, set(table.get(key, ()))).discard(entry.path)
    for entry in new:
        for key in entry.keys:
            members.setdefault(key, set(table.get(key, ()))).add(entry.path)
    ordered = {
        key: tuple(sorted(paths, key=lambda path: (facts[path].rank, path))) for key, paths in members.items() if paths
    }
    return table.updated(ordered, members)


def _refiled(
    files: Table[str, tuple[str, ...]], added: Iterable[str], removed: Iterable[str]
) -> Table[str, tuple[str, ...]]:
    members: dict[str, set[str]] = {}
    for path in removed:
        base = posixpath.basename(path)
        members.setdefault(base, set(files.get(base, ()))).discard(path)
    for path in added:
        base = posixpath.basename(path)
        members.setdefault(base, set(files.get(base, ()))).add(path)
    return files.updated({base: tuple(sorted(paths)) for base, paths in members.items() if paths}, members)


def _refoldered(folders: Table[str, int], came: Iterable[str], went: Iterable[str]) -> Table[str, int]:
    counts: Counter[str] = Counter()
    counts.update(folder for path in came for folder in _above(path))
    counts.subtract(folder for path in went for folder in _above(path))
    now = {folder: folders.get(folder, 0) + change for folder, change in counts.items() if change}
    return folders.updated({folder: count for folder, count in now.items() if count}, now)


def _above(path: str) -> Iterator[str]:
    """Yield the folders that a path lies in."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
