"""Completion: what fits the context under the cursor, the best first."""

from __future__ import annotations

import heapq
import posixpath
import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import quote

from memory_lsp.core.completion_context import Wanted
from memory_lsp.core.fuzzy import fuzzy_score, score_folded
from memory_lsp.core.graph import WEIGHTS, EdgeKind, NodeKind
from memory_lsp.core.links import LinkForm
from memory_lsp.core.note import INDEX_NAME, TYPES
from memory_lsp.core.resolve import fold
from memory_lsp.core.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memory_lsp.core.completion_context import Context
    from memory_lsp.core.graph import Graph, Neighbour
    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Names
    from memory_lsp.core.snapshot import Meaning, Snapshot

MOST_ITEMS = 100
_CLOSENESS = 15.0
_RECENCY = 5.0
_NEAR = 200  # the most notes of a tag that makes them near each other
_FURTHER = 0.7
_UNSAFE_IN_LINK = re.compile(r"[\[\]|#^\r\n]")
_UNSAFE_IN_YAML = re.compile(r"""[\[\]{},:#&*!|>'"%@`]|^[-?\s]|\s$""")

KEYS = (
    "name", "description", "type", "tags", "aliases", "supersedes", "superseded_by", "contradicts", "created",
    "updated",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One proposal: what is shown, what is inserted, and what it stands for.

    `path` is the note it names, "" for anything else. `detail` stands beside the label, `description` behind it.
    """

    label: str
    insert: str
    kind: Wanted
    detail: str = ""
    description: str = ""
    path: str = ""
    filter: str = ""
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class Proposals:
    """The items, best first; `is_complete` False asks the editor to ask again as typing goes on."""

    items: tuple[Item, ...]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Candidates:
    """Every name in a directory, folded once: made when names change, not at each key.

    `text` holds the folded names, a line each, so that looking for what was typed is one search in C.
    """

    names: Names
    entries: tuple[tuple[str, str, str], ...] = ()  # (folded, label, path)
    text: str = ""
    starts: tuple[int, ...] = ()  # where each entry's line begins in `text`

    @classmethod
    def of(cls, snapshot: Snapshot) -> Candidates:
        """Collect names, stems and aliases."""
        entries: dict[tuple[str, str], tuple[str, str, str]] = {}
        for path, note in snapshot.notes.items():
            if path == INDEX_NAME:
                continue
            for label in dict.fromkeys((note.name, note.stem, *(alias.value for alias in note.aliases))):
                folded = fold(label).replace("\n", " ")
                entries.setdefault((folded, path), (folded, label, path))
        ordered = tuple(entries.values())
        starts = tuple(accumulate((len(entry[0]) + 1 for entry in ordered), initial=0))[:-1]
        return cls(snapshot.names, ordered, "\n".join(entry[0] for entry in ordered), starts)

    def matching(self, wanted: str) -> Iterator[tuple[str, str, str]]:
        """Yield the entries that hold `wanted`, and where those are few, the ones that hold its characters in order."""
        numbers = self._find(re.escape(wanted))
        if len(numbers) < MOST_ITEMS and len(wanted) > 1:
            numbers |= self._find("[^\n]*?".join(map(re.escape, wanted)))
        return (self.entries[number] for number in sorted(numbers))

    def _find(self, pattern: str) -> set[int]:
        return {bisect_right(self.starts, match.start()) - 1 for match in re.finditer(pattern, self.text)}


@dataclass(frozen=True, slots=True)
class Ranking:
    """What makes one note a likelier target than another: `near` by id, `recency` by path, in seconds of any epoch."""

    near: Mapping[str, float]
    recency: Mapping[str, float]


class Closeness:
    """How near other notes are to one, kept while its own neighbours stay the same: a walk is too dear for each key."""

    def __init__(self) -> None:
        self._key: tuple[str, tuple[Neighbour, ...]] | None = None
        self._near: Mapping[str, float] = {}

    def of(self, snapshot: Snapshot, path: str) -> Mapping[str, float]:
        """Return the score of each note near the one at `path`, by id."""
        id_ = snapshot.ids.get(path, "")
        key = (id_, snapshot.graph.neighbours(id_) if id_ in snapshot.graph else ())
        if key != self._key:
            self._key = key
            self._near = near_notes(snapshot.graph, id_)
        return self._near


def near_notes(graph: Graph, id_: str) -> dict[str, float]:
    """Return how near the notes one link or one shared tag away are; a tag that many notes bear says little."""
    near: dict[str, float] = {}
    for neighbour in graph.neighbours(id_) if id_ in graph else ():
        node = graph.node(neighbour.id)
        if node is None or node.kind is NodeKind.MEMORY:
            near[neighbour.id] = max(near.get(neighbour.id, 0.0), WEIGHTS[neighbour.kind])
            continue
        members = graph.neighbours(neighbour.id)
        if len(members) <= _NEAR:
            for member in members:
                near.setdefault(member.id, WEIGHTS[neighbour.kind] * WEIGHTS[member.kind] * _FURTHER)
    near.pop(id_, None)
    return near


class MissingNames:
    """Names that notes link to although no note bears them, counted again only where a note's links changed."""

    def __init__(self) -> None:
        self._seen: Table[str, Meaning] = Table()
        self._targets: dict[str, tuple[str, ...]] = {}
        self._counts: Counter[str] = Counter()

    def of(self, snapshot: Snapshot) -> Mapping[str, int]:
        """Return how many links each missing name has."""
        for path in snapshot.meanings.differing(self._seen):
            self._counts.subtract(self._targets.pop(path, ()))
            meaning = snapshot.meanings.get(path)
            if meaning is not None:
                self._targets[path] = tuple(_dangling(snapshot.notes[path], meaning))
                self._counts.update(self._targets[path])
        self._seen = snapshot.meanings
        return {name: count for name, count in self._counts.items() if count > 0}


def _dangling(note: Note, meaning: Meaning) -> Iterator[str]:
    for link, found in zip(note.links, meaning.links, strict=True):
        if found.is_dangling and link.form is LinkForm.WIKI:
            yield link.target


def complete(
    snapshot: Snapshot, note: Note, context: Context, candidates: Candidates, ranking: Ranking,
    missing: Mapping[str, int],
) -> Proposals:  # fmt: skip
    """Return the proposals for a context in `note`; `missing` counts the links to each name that no note bears."""
    if context.wanted in (Wanted.NOTE, Wanted.ENTRY):
        names = missing if context.wanted is Wanted.NOTE else {}
        return _notes(snapshot, note, context, candidates, ranking, names)
    if context.wanted in (Wanted.HEADING, Wanted.SLUG, Wanted.BLOCK):
        return _best(context, _anchors(snapshot, note, context))
    if context.wanted is Wanted.PATH:
        return _best(context, _paths(snapshot, note, context))
    if context.wanted is Wanted.TAG:
        return _best(context, _tags(snapshot))
    if context.wanted is Wanted.TYPE:
        return _best(context, (Item(kind, kind, Wanted.TYPE) for kind in TYPES))
    present = {entry.key for entry in note.frontmatter.fields} if note.frontmatter else set()
    return _best(context, (Item(key, key, Wanted.KEY) for key in KEYS if key not in present or key == context.typed))


def _notes(
    snapshot: Snapshot, note: Note, context: Context, candidates: Candidates, ranking: Ranking,
    missing: Mapping[str, int],
) -> Proposals:  # fmt: skip
    typed = context.typed.strip().removesuffix(".md")
    wanted = fold(typed)
    near, recency = ranking.near, ranking.recency
    newest = max(recency.values(), default=1.0) or 1.0
    best: dict[str, tuple[float, str]] = {}
    for folded, label, path in _considered(snapshot, wanted, candidates, near, recency):
        score = score_folded(wanted, folded)
        if score is None or path == note.path:
            continue
        score += _CLOSENESS * near.get(snapshot.ids.get(path, ""), 0.0) + _RECENCY * recency.get(path, 0.0) / newest
        if path not in best or score > best[path][0]:
            best[path] = (score, label)
    chosen = heapq.nsmallest(MOST_ITEMS, best.items(), key=lambda entry: (-entry[1][0], entry[0]))
    items = [_note_item(snapshot, note, path, label, context) for path, (_, label) in chosen]
    proposed = [
        Item(name, name, Wanted.NOTE, "no note yet", is_missing=True, filter=name)
        for name in sorted(missing, key=lambda name: (-missing[name], name))
        # The only link to it may be the one being typed.
        if fuzzy_score(typed, name) is not None and not (name == typed and missing[name] == 1)
    ]
    everything = [*items, *proposed]
    complete_ = len(best) + len(proposed) <= MOST_ITEMS and (bool(wanted) or len(snapshot.ids) <= MOST_ITEMS)
    return Proposals(tuple(everything[:MOST_ITEMS]), complete_)


def _considered(
    snapshot: Snapshot, wanted: str, candidates: Candidates, near: Mapping[str, float], recency: Mapping[str, float]
) -> Iterator[tuple[str, str, str]]:
    """Yield the entries worth a score; where nothing is typed, the notes near this one and the newest."""
    if wanted:
        if "/" in wanted:
            by_path = ((fold(path.removesuffix(".md")), path) for path in snapshot.notes if path != INDEX_NAME)
            yield from ((folded, snapshot.notes[path].name, path) for folded, path in by_path if wanted in folded)
        yield from candidates.matching(wanted)
        return
    paths = [snapshot.paths[id_] for id_ in near if id_ in snapshot.paths]
    paths += heapq.nlargest(2 * MOST_ITEMS, snapshot.ids, key=lambda path: recency.get(path, 0.0))
    yield from ((fold(snapshot.notes[path].name), snapshot.notes[path].name, path) for path in dict.fromkeys(paths))


def _note_item(snapshot: Snapshot, source: Note, path: str, label: str, context: Context) -> Item:
    note = snapshot.notes[path]
    spelled = spelling(snapshot, path, source.path, label)
    insert = _yaml(spelled, quoted=context.quoted) if context.wanted is Wanted.ENTRY else spelled
    filtered = label if fold(label) != fold(note.name) else note.name
    return Item(label, insert, context.wanted, note.type, note.description, path, filtered)


def spelling(snapshot: Snapshot, path: str, source: str, preferred: str = "") -> str:
    """Return the shortest exact text that a wikilink in `source` can name the note at `path` with."""
    note = snapshot.notes[path]
    without = path.removesuffix(".md")
    options = (preferred, note.name, note.stem, note.base_id, without)
    for option in options:
        if option and not _UNSAFE_IN_LINK.search(option):
            found = snapshot.names.find(option, source)
            if found.notes == (path,) and found.level is not None and found.level.is_exact:
                return option
    return without


def _anchors(snapshot: Snapshot, note: Note, context: Context) -> Iterator[Item]:
    target: Note | None = note
    if context.target:
        found = snapshot.names.find(context.target, note.path, is_path=context.wanted is Wanted.SLUG)
        target = snapshot.notes[found.notes[0]] if found.notes else None
    if target is None:
        return
    if context.wanted is Wanted.BLOCK:
        for block in target.blocks:
            line = target.lines.line_span(target.lines.line_of(block.span.start)).of(target.text).strip()
            yield Item(block.id, block.id, Wanted.BLOCK, snapshot.guard.hide(line)[:60])
        return
    for heading in target.headings:
        slug = context.wanted is Wanted.SLUG or _UNSAFE_IN_LINK.search(heading.text)
        if heading.text:
            yield Item(heading.text, heading.slug if slug else heading.text, context.wanted, "#" * heading.level)


def _paths(snapshot: Snapshot, note: Note, context: Context) -> Iterator[Item]:
    folder = posixpath.dirname(note.path)
    for path in (*snapshot.notes, *sorted(snapshot.names.files)):
        if path != note.path:
            relative = posixpath.relpath(path, folder or ".")
            other = snapshot.notes.get(path)
            insert = relative if context.quoted else quote(relative, safe="/!$&'*+,;=:@~")
            yield Item(
                relative,
                insert,
                Wanted.PATH,
                other.type if other else "file",
                other.description if other else "",
                path if other else "",
            )


def _tags(snapshot: Snapshot) -> Iterator[Item]:
    for node in snapshot.graph.nodes():
        if node.kind is NodeKind.TAG:
            count = sum(n.kind is EdgeKind.HAS_TAG for n in snapshot.graph.neighbours(node.id))
            yield Item(node.label, node.label, Wanted.TAG, "1 note" if count == 1 else f"{count} notes")


def _best(context: Context, items: Iterable[Item]) -> Proposals:
    scored = [(score, item) for item in items if (score := fuzzy_score(context.typed, item.label)) is not None]
    chosen = heapq.nsmallest(MOST_ITEMS, scored, key=lambda entry: -entry[0])
    return Proposals(tuple(item for _, item in chosen), len(scored) <= MOST_ITEMS)


def _yaml(text: str, *, quoted: bool) -> str:
    if quoted or not _UNSAFE_IN_YAML.search(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
