"""Passages of long notes, each small enough for a model to read it whole.

The text is cut first at its anchors: the boundaries that are the best within 800 characters on both sides. Between two
anchors a cut falls at the best boundary between 400 and 800 characters behind the last one. Among equal boundaries the
words behind them decide, not their number or place, so an edit moves no cut beyond the anchors around it.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
import zlib
from bisect import bisect_left, bisect_right
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp.core.blocks import block_spans
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.note import Note

LEAST, MOST = 400, 800
# As much of a note as the embedder reads at most; words find what stands behind it.
_READ = 100_000
_HEADER = 200
_PREFIX = "chunk-"
_HEADING, _BLOCK, _ITEM, _SENTENCE, _LINE = range(5)
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？][」』”）]*\s*")
_LINE_END = re.compile(r"(?:\r\n|\n|\r)[ \t]*")
_SIGHT = 24
_REACH = 800


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a note's text, and the key of its vector: a hash of all that is embedded."""

    span: Span
    hash: str


class Chunker:
    """Cuts notes, each version once. `enabled` False cuts none."""

    def __init__(self, *, enabled: bool = True) -> None:
        self.enabled = enabled
        self._known: dict[str, tuple[Note, tuple[Chunk, ...]]] = {}

    def of(self, note: Note) -> tuple[Chunk, ...]:
        """Return the chunks of a note, none where it is short."""
        if not self.enabled or len(note.content) <= MOST:
            self._known.pop(note.path, None)
            return ()
        known = self._known.get(note.path)
        if known is None or known[0] is not note:
            known = self._known[note.path] = note, chunks_of(note)
        return known[1]

    def forget(self, path: str) -> None:
        """Drop what is known of a note that is gone."""
        self._known.pop(path, None)


def chunks_of(note: Note) -> tuple[Chunk, ...]:
    """Cut a note's content into chunks; none where it has at most 800 characters."""
    if len(note.content) <= MOST:
        return ()
    start = len(note.text.rstrip()) - len(note.content)
    cutter = _Cutter(note, start, start + min(len(note.content), _READ))
    return tuple(Chunk(span, _hash(embedded_text(note, span))) for span in cutter.spans())


def embedded_text(note: Note, span: Span) -> str:
    """Return what is embedded for a passage: the note's name, the start of its description, the passage."""
    return f"{note.name}\n{note.description[:_HEADER]}\n{span.of(note.text)}"


def is_chunk(hash: str) -> bool:
    """Tell the key of a chunk's vector from that of a whole note."""
    return hash.startswith(_PREFIX)


def row_id(note_id: str, hash: str) -> str:
    """Return the id under which the vector of a note's chunk is stored."""
    return f"{note_id}#{hash.removeprefix(_PREFIX)[:16]}"


def note_of(row_id: str) -> str:
    """Return the id of the note that a row belongs to."""
    return row_id.rpartition("#")[0]


def _hash(text: str) -> str:
    return _PREFIX + hashlib.sha256(text.encode()).hexdigest()


class _Cutter:
    """One note's boundaries, sorted, and the cuts among them."""

    def __init__(self, note: Note, start: int, end: int) -> None:
        self.text, self.start, self.end = note.text, start, end
        ranks = self._ranks(note)
        self._places = list(ranks)
        # How good each boundary is, the least the best.
        self._keys = [(ranks[place], self._sign(place)) for place in self._places]

    def spans(self) -> Iterator[Span]:
        """Yield the chunks, without the blanks at their ends."""
        at, ends = self.start, [*self._anchors(), self.end]
        while at < self.end:
            if at == ends[0]:
                ends.pop(0)
            cut = self._cut(at, ends[0])
            first, last = at, cut
            while first < last and self.text[first].isspace():
                first += 1
            while last > first and self.text[last - 1].isspace():
                last -= 1
            if last > first:
                yield Span(first, last)
            at = cut

    def _anchors(self) -> Iterator[int]:
        """Yield the boundaries with none as good within reach; the ends of the text count as better."""
        nearest = deque[int]()
        ahead = 0
        for number, place in enumerate(self._places):
            while ahead < len(self._places) and self._places[ahead] <= place + _REACH:
                while nearest and self._keys[nearest[-1]] > self._keys[ahead]:
                    nearest.pop()
                nearest.append(ahead)
                ahead += 1
            while self._places[nearest[0]] < place - _REACH:
                nearest.popleft()
            if nearest[0] == number and self.start + _REACH < place < self.end - _REACH:
                yield place

    def _cut(self, at: int, end: int) -> int:
        left = end - at
        if left <= MOST:
            return end
        for worst in (_ITEM, _LINE):
            # A cut that leaves enough for the last chunk comes first.
            for rest in (LEAST, LEAST // 2, 0):
                cut = self._best(at + LEAST, at + min(MOST, left - rest), worst)
                if cut is not None:
                    return cut
        before = self._best(at + LEAST // 4, at + LEAST, _BLOCK)
        if before is not None:
            return before  # what follows is a block that fits, but not behind what comes before it
        blank = self.text.rfind(" ", at + LEAST, at + MOST)
        return blank + 1 if blank >= 0 else self._whole(at, at + MOST)

    def _best(self, low: int, high: int, worst: int) -> int | None:
        """Return the best boundary from `low` to `high`, None where all are worse than `worst`."""
        found = range(bisect_left(self._places, low), bisect_right(self._places, high))
        chosen = min(found, key=self._keys.__getitem__, default=None)
        return None if chosen is None or self._keys[chosen][0] > worst else self._places[chosen]

    def _sign(self, at: int) -> int:
        return zlib.crc32(self.text[at : at + _SIGHT].encode())

    def _whole(self, at: int, cut: int) -> int:
        """Move a cut back to where no accent, joined sign or line end is torn from what it belongs to."""
        best = cut
        while best > at + 1 and (
            unicodedata.combining(self.text[best])
            or self.text[best] in "\u200d\ufe0f\n"
            or self.text[best - 1] == "\u200d"
        ):
            best -= 1
        return best if best > at + LEAST else cut

    def _ranks(self, note: Note) -> dict[int, int]:
        """Return each boundary with the least of its ranks, in order."""
        ranks: dict[int, int] = {}
        # From the body's start, as the note itself was read: its blocks are what they are there.
        blocks = block_spans(note.text, note.body_start)
        for pattern, rank in ((_LINE_END, _LINE), (_SENTENCE_END, _SENTENCE)):
            for match in pattern.finditer(self.text, self.start, self.end):
                ranks[match.end()] = rank
        for block in blocks:
            start = self._line_start(block.span.start)
            # A paragraph behind the marker of its item or quote starts nothing.
            if start == 0 or self.text[start - 1] in "\r\n":
                ranks[start] = min(ranks.get(start, _LINE), _ITEM if block.kind == "Item" else _BLOCK)
        for heading in note.headings:
            ranks[self._line_start(heading.span.start)] = _HEADING
        places = sorted(place for place in ranks if self.start < place < self.end)
        closed = set[int]()
        for low, high in self._closed(note, [block.span for block in blocks if block.kind == "CodeBlock"]):
            closed.update(places[bisect_right(places, low) : bisect_right(places, high)])
        return {place: ranks[place] for place in places if place not in closed}

    def _line_start(self, at: int) -> int:
        """Return where the line of a block begins, if only its marker or indentation stands before it."""
        while at > self.start and self.text[at - 1] in " \t":
            at -= 1
        return at

    def _closed(self, note: Note, fences: list[Span]) -> Iterator[tuple[int, int]]:
        """Yield stretches that no cut may open, as (after, up to): links, small fences, a heading with what follows."""
        for link in note.links:
            yield link.span.start, link.span.end - 1
        for fence in fences:
            if fence.end - fence.start <= MOST:
                yield self._line_start(fence.start), fence.end - 1
        for heading in note.headings:
            after = heading.span.end
            while after < self.end and self.text[after].isspace():
                after += 1
            yield heading.span.start, after
