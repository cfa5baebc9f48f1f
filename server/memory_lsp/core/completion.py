"""Completion: what fits the context under the cursor, the best first."""

from __future__ import annotations

import heapq
import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from memory_lsp.core.completion_context import Wanted
from memory_lsp.core.fuzzy import fuzzy_score, score_folded
from memory_lsp.core.graph import EdgeKind, NodeKind
from memory_lsp.core.links import LinkForm
from memory_lsp.core.note import INDEX_NAME, TYPES
from memory_lsp.core.related import related_notes
from memory_lsp.core.resolve import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memory_lsp.core.completion_context import Context
    from memory_lsp.core.note import Note
    from memory_lsp.core.resolve import Names
    from memory_lsp.core.snapshot import Snapshot

MOST_ITEMS = 100
_CLOSENESS = 15.0
_RECENCY = 5.0
_NEAR = 200
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
    """Every name in a directory, folded once: made when names change, not at each key."""

    names: Names
    entries: tuple[tuple[str, str, str], ...] = field(default=())  # (folded, label, path)

    @classmethod
    def of(cls, snapshot: Snapshot) -> Candidates:
        """Collect names, stems and aliases."""
        entries: dict[tuple[str, str], tuple[str, str, str]] = {}
        for path, note in snapshot.notes.items():
            if path == INDEX_NAME:
                continue
            for label in (note.name, note.stem, *(alias.value for alias in note.aliases)):
                entries.setdefault((fold(label), path), (fold(label), label, path))
        return cls(snapshot.names, tuple(entries.values()))


def complete(
    snapshot: Snapshot, note: Note, context: Context, candidates: Candidates, recency: Mapping[str, float]
) -> Proposals:
    """Return the proposals for a context in `note`; `recency` gives each path a time of change."""
    if context.wanted in (Wanted.NOTE, Wanted.ENTRY):
        return _notes(snapshot, note, context, candidates, recency)
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
    snapshot: Snapshot, note: Note, context: Context, candidates: Candidates, recency: Mapping[str, float]
) -> Proposals:
    typed = context.typed.strip().removesuffix(".md")
    wanted = fold(typed)
    near = {item.id: item.score for item in related_notes(snapshot, snapshot.ids.get(note.path, ""), _NEAR)}
    newest = max(recency.values(), default=1.0) or 1.0
    best: dict[str, tuple[float, str]] = {}
    for folded, label, path in candidates.entries:
        if path == note.path:
            continue
        score = score_folded(wanted, folded)
        if score is None and "/" in typed:
            score = fuzzy_score(typed, f"{posixpath.dirname(path)}/{folded}")
        if score is None:
            continue
        score += _CLOSENESS * near.get(snapshot.ids.get(path, ""), 0.0) + _RECENCY * recency.get(path, 0.0) / newest
        if path not in best or score > best[path][0]:
            best[path] = (score, label)
    chosen = heapq.nsmallest(MOST_ITEMS, best.items(), key=lambda entry: (-entry[1][0], entry[0]))
    items = [_note_item(snapshot, note, path, label, context) for path, (_, label) in chosen]
    missing = _missing(snapshot, typed) if context.wanted is Wanted.NOTE else []
    everything = [*items, *missing]
    return Proposals(tuple(everything[:MOST_ITEMS]), len(best) + len(missing) <= MOST_ITEMS)


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


def _missing(snapshot: Snapshot, typed: str) -> list[Item]:
    """Return names that other notes link to although no note bears them yet."""
    found: dict[str, int] = {}
    for path, meaning in snapshot.meanings.items():
        for link, resolution in zip(snapshot.notes[path].links, meaning.links, strict=True):
            if resolution.is_dangling and link.form is LinkForm.WIKI and fuzzy_score(typed, link.target) is not None:
                found[link.target] = found.get(link.target, 0) + 1
    if typed in found and found[typed] == 1:
        # The only link to it is the one being typed.
        del found[typed]
    ordered = sorted(found, key=lambda target: (-found[target], target))
    return [Item(name, name, Wanted.NOTE, "no note yet", is_missing=True, filter=name) for name in ordered]


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
            yield Item(block.id, block.id, Wanted.BLOCK, line[:60])
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
