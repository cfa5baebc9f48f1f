"""One directory at one moment: its notes, what their links mean, and the graph. Immutable.

`Snapshot.updated` is the one way from one moment to the next. It costs what changed, and its result equals a snapshot
built from scratch.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memory_lsp.core.graph import Contribution, Edge, EdgeKind, Graph, Node, NodeKind
from memory_lsp.core.note import INDEX_NAME, title_of, type_rank
from memory_lsp.core.resolve import Level, Names, Resolution, link_keys, target_keys
from memory_lsp.core.secret_guard import SecretGuard
from memory_lsp.core.tables import Moves, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from memory_lsp.core.note import Entry, Note
    from memory_lsp.core.rivals import Rival
    from memory_lsp.core.secret_guard import SecretPolicy

_ENTRY_EDGES = {"contradicts": EdgeKind.CONTRADICTS, "supersedes": EdgeKind.SUPERSEDES}


@dataclass(frozen=True, slots=True)
class Changes:
    """What is different: notes by path (None for one that is gone), other files that came or went."""

    notes: Mapping[str, Note | None] = field(default_factory=dict)
    added_files: frozenset[str] = frozenset()
    removed_files: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the links and entries of one note resolve to, in the order of `note.links` and `note.entries`."""

    links: tuple[Resolution, ...] = ()
    entries: tuple[Resolution, ...] = ()

    def targets(self) -> frozenset[str]:
        """Return the paths of all notes that the note points at."""
        return frozenset(found.notes[0] for found in (*self.links, *self.entries) if found.notes)


@dataclass(frozen=True, slots=True)
class PublicGraph:
    """Nodes and edges without any secret in them, in the order of the graph's own."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of one directory. All keys named `path` are relative to it, with slashes."""

    revision: int = 0
    notes: Table[str, Note] = field(default_factory=Table)
    names: Names = field(default_factory=Names)
    meanings: Table[str, Meaning] = field(default_factory=Table)
    backlinks: Table[str, AbstractSet[str]] = field(default_factory=Table)  # path → paths of the notes that point at it
    ids: Table[str, str] = field(default_factory=Table)  # path → id
    paths: Table[str, str] = field(default_factory=Table)  # id → path
    graph: Graph = field(default_factory=lambda: Graph.build(()))
    guard: SecretGuard = field(default_factory=SecretGuard, compare=False, repr=False)
    rivals: Mapping[str, tuple[Rival, ...]] = field(default_factory=dict)  # path → what the note seems to contradict
    _users: Table[str, AbstractSet[str]] = field(default_factory=Table)  # folded key → paths whose links depend on it
    _homonyms: Table[str, tuple[str, ...]] = field(default_factory=Table)  # base id → paths that claim it, sorted

    def updated(self, changes: Changes) -> tuple[Snapshot, frozenset[str]]:
        """Return the next snapshot, and the paths of the notes whose findings may differ from before."""
        return _Update(self, changes, self.guard).run()

    def under(self, policy: SecretPolicy) -> tuple[Snapshot, frozenset[str]]:
        """Return the snapshot under another policy on secrets, and the paths of the notes that it concerns."""
        guard = self.guard.under(policy)
        concerned = {path: note for path, note in self.notes.items() if self.guard.differs(guard, note)}
        return _Update(self, Changes(concerned), guard).run()

    def public(self, path: str) -> Note:
        """Return a note as other documents and programs may see it, without its secrets."""
        return self.guard.public(self.notes[path])

    def public_graph(self) -> PublicGraph:
        """Return the graph as other programs may see it: a tag may repeat what only the text shows to be a secret."""
        mask = self.guard.mask
        nodes = tuple(Node(mask(node.id), node.kind, mask(node.label)) for node in self.graph.nodes())
        edges = (replace(edge, source=mask(edge.source), target=mask(edge.target)) for edge in self.graph.edges())
        return PublicGraph(nodes, tuple(edges))

    def note(self, id_: str) -> Note | None:
        """Return the note with an id."""
        path = self.paths.get(id_)
        return self.notes[path] if path is not None else None

    def successors(self, path: str) -> tuple[str, ...]:
        """Return the paths of the notes that supersede the one at `path`."""
        return self._neighbours(path, EdgeKind.SUPERSEDES, "in")

    def predecessors(self, path: str) -> tuple[str, ...]:
        """Return the paths of the notes that the one at `path` supersedes."""
        return self._neighbours(path, EdgeKind.SUPERSEDES, "out")

    def succession(self, start: str, goal: str) -> list[str]:
        """Return the shortest way along `supersedes` from one note to another, both named, [] where there is none."""
        came_from, todo = {start: ""}, deque([start])
        while todo:
            at = todo.popleft()
            if at == goal:
                way = []
                while at:
                    way.append(at)
                    at = came_from[at]
                return way[::-1]
            for path in self.predecessors(at):
                if path not in came_from:
                    came_from[path] = at
                    todo.append(path)
        return []

    def homonyms(self, path: str) -> tuple[str, ...]:
        """Return the paths of all notes with this note's type and name, the one that bears the plain id first."""
        note = self.notes[path]
        return self._homonyms.get(_base_id(self.guard, note), ()) if note.is_node else ()

    def mentioning(self, key: str) -> AbstractSet[str]:
        """Return the paths of the notes with a link or an entry that could mean a name, which is given folded."""
        return self._users.get(key, frozenset())

    def _neighbours(self, path: str, kind: EdgeKind, direction: str) -> tuple[str, ...]:
        id_ = self.ids.get(path)
        if id_ is None:
            return ()
        found = (edge for edge in self.graph.neighbours(id_) if edge.kind is kind and edge.direction == direction)
        return tuple(self.paths[edge.id] for edge in found)


def list_order(note: Note) -> tuple[str | int, ...]:
    """Return the sort key of the list of notes: name, then the order of types, then path."""
    return (note.name, *type_rank(note.type), note.path)


def _base_id(guard: SecretGuard, note: Note) -> str:
    """Return a note's id without regard to others; ids reach other programs and the disk, so they tell no secret."""
    return f"{guard.label(note.type)}/{guard.label(note.name)}"


class _Update:
    """The steps from one snapshot to the next; each fills in what the following ones need."""

    def __init__(self, old: Snapshot, changes: Changes, guard: SecretGuard) -> None:
        self.old = old
        self.guard = guard
        self.changes = changes
        self.changed = [note for note in changes.notes.values() if note is not None]
        self.removed = [path for path, note in changes.notes.items() if note is None and path in old.notes]
        self.notes = old.notes.updated({note.path: note for note in self.changed}, self.removed)
        if len(self.changed) > 1:
            guard.expect(label for note in self.changed for label in (note.name, *(tag.name for tag in note.tags)))

    def run(self) -> tuple[Snapshot, frozenset[str]]:
        old, changes, guard = self.old, self.changes, self.guard
        named = [note for note in self.changed if note.source is None]
        self.names, touched = old.names.updated(named, self.removed, changes.added_files, changes.removed_files)
        self.users = self._updated_users()
        relinked = {path for key in touched for path in self.users.get(key, ())}
        relinked.update(note.path for note in self.changed)
        self._resolve(relinked)
        self.ids, self.homonyms, renamed = self._updated_ids()
        self.paths = old.paths.updated(
            {self.ids[path]: path for path in renamed if path in self.ids},
            [old.ids[path] for path in renamed if path in old.ids],
        )
        redrawn = relinked | {path for path in renamed if path in self.notes}
        redrawn.update(source for path in renamed for source in self.backlinks.get(path, ()))
        gone = [old.ids[path] for path in renamed if path in old.ids and old.ids[path] not in self.paths]
        graph = old.graph.updated([self._contribution(path) for path in redrawn if path in self.ids], gone)
        new = Snapshot(
            old.revision + 1, self.notes, self.names, self.meanings, self.backlinks, self.ids, self.paths, graph,
            guard, old.rivals, self.users, self.homonyms,
        )  # fmt: skip
        return new, self._affected(new, relinked, redrawn)

    def _updated_users(self) -> Table[str, AbstractSet[str]]:
        """Return who depends on which name, after dropping and adding the keys of the changed notes."""
        moves = Moves()
        for path, note in self.changes.notes.items():
            moves.note(path, frozenset(_keys(self.old.notes.get(path))), frozenset(_keys(note)))
        return moves.applied(self.old._users)

    def _resolve(self, paths: Iterable[str]) -> None:
        old, new, moves = self.old.meanings, dict[str, Meaning](), Moves()
        for path in (*paths, *self.removed):
            note = self.notes.get(path)
            before, after = old.get(path, Meaning()), self._meaning(note) if note else Meaning()
            if note:
                new[path] = after
            moves.note(path, before.targets(), after.targets())
        self.meanings = old.updated(new, self.removed)
        self.backlinks = moves.applied(self.old.backlinks)

    def _meaning(self, note: Note) -> Meaning:
        return Meaning(
            tuple(self.names.resolve(link, note.path) for link in note.links),
            tuple(self.names.find(entry.target, note.path) for entry in note.entries),
        )

    def _updated_ids(self) -> tuple[Table[str, str], Table[str, tuple[str, ...]], frozenset[str]]:
        """Return the ids, who claims which, and the paths whose id is new, different or gone."""
        old = self.old
        claims: set[str] = set()
        for path in self.changes.notes:
            before, after = self._base(old.guard, old.notes.get(path)), self._base(self.guard, self.changes.notes[path])
            if before != after:
                claims.update(base for base in (before, after) if base)
        if not claims:
            return old.ids, old._homonyms, frozenset()
        claimants: dict[str, set[str]] = {
            base: {path for path in old._homonyms.get(base, ()) if path not in self.changes.notes} for base in claims
        }
        for note in self.changed:
            base = self._base(self.guard, note)
            if base:
                claimants.setdefault(base, set(old._homonyms.get(base, ()))).add(note.path)
        given: dict[str, str] = {}
        ordered = {base: tuple(sorted(paths)) for base, paths in claimants.items() if paths}
        for base, paths in ordered.items():
            given.update({path: base if n == 0 else f"{base}@{self._told(path, n)}" for n, path in enumerate(paths)})
        ids = old.ids.updated(given, self.changes.notes)
        renamed = frozenset(path for path in {*self.changes.notes, *given} if old.ids.get(path) != ids.get(path))
        return ids, old._homonyms.updated(ordered, claimants), renamed

    def _told(self, path: str, number: int) -> str:
        """Return a path for an id: a file's name may be a secret, and the names of two may then look the same."""
        label = self.guard.label(path)
        return path if label == path else f"{label}#{number}"

    def _base(self, guard: SecretGuard, note: Note | None) -> str:
        return _base_id(guard, note) if note is not None and note.is_node else ""

    def _contribution(self, path: str) -> Contribution:
        note, id_ = self.notes[path], self.ids[path]
        meaning = self.meanings[path]
        edges = [
            Edge(id_, self.ids[found.notes[0]], EdgeKind.RELATES_TO)
            for found in meaning.links
            if found.level is not Level.SELF and found.notes and found.notes[0] in self.ids
        ]
        edges += self._entry_edges(id_, note.entries, meaning.entries)
        tags = tuple(self.guard.label(tag.name) for tag in note.tags)
        return Contribution(
            Node(id_, NodeKind.MEMORY, self.guard.label(note.name)), list_order(note), tags, tuple(edges)
        )

    def _entry_edges(self, id_: str, entries: tuple[Entry, ...], meanings: tuple[Resolution, ...]) -> Iterator[Edge]:
        for entry, found in zip(entries, meanings, strict=True):
            other = self.ids.get(found.notes[0]) if found.notes else None
            if other is None:
                continue
            if entry.key == "superseded_by":
                yield Edge(other, id_, EdgeKind.SUPERSEDES)
            else:
                yield Edge(id_, other, _ENTRY_EDGES[entry.key])

    def _affected(self, new: Snapshot, relinked: set[str], redrawn: set[str]) -> frozenset[str]:
        """Return whose findings may differ: the notes with other links, and those that show something of a change.

        What others show of a note is its face: name, headings and ids of blocks. Typing in a paragraph changes none.
        """
        affected = {*redrawn, *self.changes.notes}
        affected.update(rival.path for path in self.changes.notes for rival in new.rivals.get(path, ()))
        if not self.old.notes:
            return frozenset(affected)
        turned = {path for path in self.changes.notes if _face(self.old, path) != _face(new, path)}
        for path in turned:
            for snapshot in (self.old, new):
                note = snapshot.notes.get(path)
                if note:
                    affected.update(snapshot.homonyms(path))
                    affected.update(user for key in snapshot.names.keys_of(path) for user in new.mentioning(key))
        rechained = {path for path in relinked if _entries(self.old, path) != _entries(new, path)}
        for snapshot in (self.old, new):
            for path in _chains(snapshot, turned | rechained):
                affected |= {path, *snapshot.backlinks.get(path, ())}
                affected.update(rival.path for rival in new.rivals.get(path, ()))
        if turned and INDEX_NAME in new.notes:
            affected.add(INDEX_NAME)
        return frozenset(affected)


def _face(snapshot: Snapshot, path: str) -> tuple[object, ...]:
    """Return what findings of other notes may depend on."""
    note = snapshot.notes.get(path)
    if note is None:
        return ()
    headings = tuple((heading.text, heading.level, heading.slug) for heading in note.headings)
    return note.base_id, note.name, title_of(note), headings, tuple(block.id for block in note.blocks)


def _entries(snapshot: Snapshot, path: str) -> tuple[object, ...]:
    """Return which notes the one at `path` supersedes, or is superseded by, as it says itself."""
    note = snapshot.notes.get(path)
    if note is None:
        return ()
    return tuple(
        (entry.key, found.note) for entry, found in zip(note.entries, snapshot.meanings[path].entries, strict=True)
    )


def _chains(snapshot: Snapshot, paths: Iterable[str]) -> set[str]:
    """Return the notes at `paths` and all that supersede them, or are superseded by them, directly or not."""
    seen, todo = set[str](), [*paths]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            todo += [*snapshot.successors(path), *snapshot.predecessors(path)]
    return seen


def _keys(note: Note | None) -> Iterator[str]:
    if note is None:
        return
    for link in note.links:
        yield from link_keys(link)
    for entry in note.entries:
        yield from target_keys(entry.target)


def with_graph(snapshot: Snapshot, graph: Graph) -> Snapshot:
    """Return the snapshot with another graph (new clusters), at the next revision."""
    return replace(snapshot, graph=graph, revision=snapshot.revision + 1)


def with_rivals(snapshot: Snapshot, rivals: Mapping[str, tuple[Rival, ...]]) -> tuple[Snapshot, frozenset[str]]:
    """Return the snapshot with other contradictions, and the paths of the notes whose findings may differ."""
    old = snapshot.rivals
    affected = frozenset(path for path in {*old, *rivals} if old.get(path) != rivals.get(path))
    if not affected:
        return snapshot, affected
    return replace(snapshot, rivals=rivals, revision=snapshot.revision + 1), affected & snapshot.notes.keys()
