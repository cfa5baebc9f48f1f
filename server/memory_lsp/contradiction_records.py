"""What is kept of a contradiction that was found, without the text of either note, and how it is read again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_lsp import __version__
from memory_lsp.core.contradict import RULES, Kind
from memory_lsp.core.text import Span
from memory_lsp.sidecar.contradiction_file import Conflict, ContradictionFile, Quote

if TYPE_CHECKING:
    from pathlib import Path

    from memory_lsp.core.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Pair:
    """What two notes say against each other, the one with the lesser path first."""

    spans: tuple[Span, Span]
    quotes: tuple[str, str]
    kind: Kind


def contradiction_file(folder: Path, model_id: str, judge: str) -> ContradictionFile:
    """Return the file of a sidecar's folder that keeps what is found with the vectors of a model.

    `judge` names who is asked beside the rules, "" for nobody.
    """
    return ContradictionFile(folder, f"{__version__}/{RULES}/{model_id}/{judge}")


def stored(saved: Snapshot, paths: tuple[str, str], pair: Pair, *, turned: bool) -> Conflict:
    """Return what to keep of a pair for the first of two notes, `turned` for the second."""
    one, other = (
        Quote(span.start, span.end, _digest(quote)) for span, quote in zip(pair.spans, pair.quotes, strict=True)
    )
    if turned:
        return Conflict(saved.notes[paths[0]].hash, pair.kind, other, one)
    return Conflict(saved.notes[paths[1]].hash, pair.kind, one, other)


def restored(saved: Snapshot, path: str, other: str, kept: Conflict) -> Pair | None:
    """Return a pair that was kept; None where one of the sentences does not stand where it stood."""
    found = [_quoted(saved.notes[path].text, kept.quote), _quoted(saved.notes[other].text, kept.other_quote)]
    if path > other:
        found.reverse()
    first, second = found
    if first is None or second is None or kept.kind not in Kind.__members__.values():
        return None
    return Pair((first[0], second[0]), (first[1], second[1]), Kind(kept.kind))


def _quoted(text: str, quote: Quote) -> tuple[Span, str] | None:
    span = Span(quote.start, quote.end)
    said = span.of(text)
    return (span, said) if _digest(said) == quote.digest else None


def _digest(quote: str) -> str:
    return hashlib.sha256(quote.encode()).hexdigest()[:16]
