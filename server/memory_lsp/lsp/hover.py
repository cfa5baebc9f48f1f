"""The text of a hover: what a link leads to, what a note is connected with, what a key or a tag stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memory_lsp.core.anchors import find_anchor, section_end
from memory_lsp.core.cursor import Name
from memory_lsp.core.frontmatter import Field
from memory_lsp.core.graph import EdgeKind, NodeKind, tag_id
from memory_lsp.core.links import Link, Tag
from memory_lsp.core.markdown import Block, Heading
from memory_lsp.core.note import Entry
from memory_lsp.core.related import related_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memory_lsp.core.cascade import Step
    from memory_lsp.core.cursor import Symbol
    from memory_lsp.core.note import Note
    from memory_lsp.core.snapshot import Snapshot

_PREVIEW_LINES = 12
_PREVIEW_CHARS = 1_200
_RELATED = 5
_LISTED = 10

KEYS = {
    "name": "What links and the id call this note. Without it the file's name counts.",
    "description": "One sentence on what the note says. It is shown beside the name and counts in retrieval.",
    "type": "`user`, `feedback`, `project` or `reference`. A folder of that name decides before this key.",
    "tags": "Notes that share a tag are two hops apart in the graph.",
    "aliases": "Other names that links may use.",
    "supersedes": "Notes that this one replaces. Links to them are reported, and retrieval prefers this one.",
    "superseded_by": "The note that replaces this one.",
    "contradicts": "Notes that say the opposite. Retrieval never lets one raise the other.",
    "metadata": "Keys that some agents write one level down; they count like keys at the top.",
    "created": "When the note was written.",
    "updated": "When the note was last changed.",
    "originSessionId": "The session in which the note was written.",
}


def describe(snapshot: Snapshot, note: Note, symbol: Symbol, uri: Callable[[str], str]) -> str:
    """Return the markdown for what stands under the cursor, "" where there is nothing to say."""
    view = _View(snapshot, uri)
    if isinstance(symbol, Link):
        return view.link(note, symbol)
    if isinstance(symbol, Entry):
        return view.entry(note, symbol)
    if isinstance(symbol, Tag):
        return view.tag(symbol)
    if isinstance(symbol, Name | Heading):
        return view.note(note)
    if isinstance(symbol, Field):
        meaning = KEYS.get(symbol.key)
        return f"**{symbol.key}**\n\n{meaning}" if meaning else ""
    if isinstance(symbol, Block):
        name = _code(snapshot.public(note.path).name)
        return f"**Block `^{symbol.id}`**\n\nLinks reach it as `[[{name}#^{symbol.id}]]`."
    return ""


def preview(snapshot: Snapshot, note: Note, uri: Callable[[str], str]) -> str:
    """Return what a note says, in short: frontmatter and the first lines of its body."""
    return _View(snapshot, uri).preview(note.path, None, None)


class _View:
    def __init__(self, snapshot: Snapshot, uri: Callable[[str], str]) -> None:
        self.snapshot = snapshot
        self.uri = uri

    def link(self, note: Note, link: Link) -> str:
        found = self.snapshot.meanings[note.path].links[note.links.index(link)]
        if found.file:
            return f"File `{_code(self.snapshot.guard.hide(found.file))}`"
        if not found.notes:
            return f"There is no note “{_text(self.snapshot.guard.hide(link.target))}”."
        parts = [self.preview(found.notes[0], link, found.anchor)]
        if len(found.notes) > 1:
            others = ", ".join(self._title(self.snapshot.public(path)) for path in found.notes[1:])
            parts.append(f"It may also mean {others}.")
        parts.append(self._related(found.notes[0]))
        return _join(parts)

    def entry(self, note: Note, entry: Entry) -> str:
        found = self.snapshot.meanings[note.path].entries[note.entries.index(entry)]
        if not found.notes:
            return f"There is no note “{_text(self.snapshot.guard.hide(entry.target))}”."
        says = {
            "supersedes": "This note replaces:", "superseded_by": "This note is replaced by:",
            "contradicts": "This note contradicts:",
        }[entry.key]  # fmt: skip
        return _join([says, self.preview(found.notes[0], None, None)])

    def tag(self, tag: Tag) -> str:
        name = self.snapshot.guard.hide(tag.name)
        id_ = tag_id(self.snapshot.guard.label(tag.name))
        members = [n for n in self.snapshot.graph.neighbours(id_) if n.kind is EdgeKind.HAS_TAG]
        paths = [path for member in members if (path := self.snapshot.paths.get(member.id)) is not None]
        notes = [self.snapshot.public(path) for path in paths]
        lines = [f"- {self._title(note)}{_dash(note.description)}" for note in notes[:_LISTED]]
        more = f"\n- and {len(notes) - _LISTED} more" if len(notes) > _LISTED else ""
        count = "1 note" if len(notes) == 1 else f"{len(notes)} notes"
        return _join([f"**#{_text(name)}** — {count}", "\n".join(lines) + more])

    def note(self, note: Note) -> str:
        note = self.snapshot.public(note.path)
        sources = sorted(self.snapshot.backlinks.get(note.path, frozenset()) - {note.path})
        head = f"**{_text(note.name)}** · {_text(note.type)}{_dash(note.description)}"
        backlinks = "No note links here."
        if sources:
            lines = [f"- {self._title(self.snapshot.public(path))}" for path in sources[:_LISTED]]
            more = [f"- and {len(sources) - _LISTED} more"] if len(sources) > _LISTED else []
            backlinks = "\n".join([f"**Backlinks** ({len(sources)})", "", *lines, *more])
        return _join([head, self._successors(note), backlinks, self._related(note.path)])

    def preview(self, path: str, link: Link | None, anchor: str | None) -> str:
        note = self.snapshot.public(path)
        facts = [f"`{_code(note.type)}`"]
        facts += [f"#{_text(tag.name)}" for tag in note.tags]
        head = f"**{self._title(note)}** · {' '.join(facts)}"
        description = f"*{_text(note.description)}*" if note.description else ""
        return _join([head, description, self._successors(note), self._excerpt(note, link, anchor)])

    def _excerpt(self, note: Note, link: Link | None, anchor: str | None) -> str:
        """Return the first lines of the body, or of the section or paragraph that the link names."""
        target = find_anchor(note, anchor, link.form) if anchor and link else None
        if anchor and target is None:
            return f"There is no “{_text(self.snapshot.guard.hide(anchor.lstrip('^')))}” in this note."
        if isinstance(target, Heading):
            text = note.text[target.span.start : section_end(note, target)]
        elif isinstance(target, Block):
            line = note.lines.line_span(note.lines.line_of(target.span.start))
            text = note.text[line.start : line.end]
        else:
            text = note.content
        return _shorten(text)

    def _successors(self, note: Note) -> str:
        newer = [self.snapshot.public(path) for path in self.snapshot.successors(note.path)]
        return f"⚠ Superseded by {', '.join(self._title(other) for other in newer)}." if newer else ""

    def _related(self, path: str) -> str:
        id_ = self.snapshot.ids.get(path)
        found = related_notes(self.snapshot, id_, _RELATED) if id_ else ()
        if not found:
            return ""
        lines = []
        for item in found:
            other = self.snapshot.paths.get(item.id)
            if other is not None:
                note = self.snapshot.public(other)
                lines.append(f"- {self._title(note)} {item.score:.2f} — {self._path(item.path)}")
        return "\n".join(["**Related memories**", "", *lines])

    def _path(self, steps: Iterable[Step]) -> str:
        """Return how a related note was reached, in words: by a link, a tag, a cluster."""
        pieces = []
        for step in steps:
            node = self.snapshot.graph.node(step.id)
            label = _text(self.snapshot.guard.mask(node.label if node else step.id))
            if node is not None and node.kind is NodeKind.TAG:
                label = f"#{label}"
            elif node is not None and node.kind is NodeKind.CLUSTER:
                label = f"cluster “{label}”"
            pieces.append(f"→ {label}" if step.kind else label)
        return " ".join(pieces)

    def _title(self, note: Note) -> str:
        if self.snapshot.guard.hide(note.path) != note.path:
            return _text(note.name)  # a link would tell the name of the file, which is a secret
        return f"[{_text(note.name)}]({self.uri(note.path)})"


def plain(text: str) -> str:
    """Return a hover's markdown for a client that shows it as it is: links as their text, no marks, no escapes."""
    text = re.sub(r"\[((?:\\.|[^\]\\])*)\]\([a-z]+:[^)]*\)", r"\1", text)
    return re.sub(r"\\([\\`*_\[\]<>])", r"\1", re.sub(r"(?<!\\)\*\*", "", text))


def _shorten(text: str) -> str:
    lines = text.strip().splitlines()
    short = "\n".join(lines[:_PREVIEW_LINES])[:_PREVIEW_CHARS]
    if len(lines) > _PREVIEW_LINES or len("\n".join(lines[:_PREVIEW_LINES])) > _PREVIEW_CHARS:
        # A fence cut in the middle would swallow the rest of the hover.
        fences = re.findall(r"(?m)^[ \t]*(```+|~~~+)", short)
        short += f"\n{fences[-1]}" if len(fences) % 2 else ""
        short += "\n\n…"
    return short


def _join(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _dash(text: str) -> str:
    return f" — {_text(text)}" if text else ""


def _text(text: str) -> str:
    """Return text that markdown shows as it is."""
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", text)


def _code(text: str) -> str:
    return text.replace("`", "'")
