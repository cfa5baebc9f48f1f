"""What an answer says where the index is behind the notes: how many lack a vector, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory_lsp.memory import Memory

_NAMED = 3


def needs_attention(memory: Memory) -> str | None:
    """Return in plain words what is missing of the index of the saved notes, None where nothing is."""
    if not _wants_vectors(memory):
        return None
    text = " ".join(dict.fromkeys(filter(None, _sentences(memory))))
    return memory.directory.snapshot.guard.hide(text) if text else None


def _wants_vectors(memory: Memory) -> bool:
    embedder = memory.indexer.embedder
    return bool(memory.no_model) if embedder is None else embedder.state.status != "off"


def _sentences(memory: Memory) -> Iterator[str]:
    indexer, total = memory.indexer, len(memory.directory.saved().ids)
    waiting, refused = indexer.lacking()
    if waiting:
        reason = _reason(memory)
        yield f"{_count(waiting, total)} no vector{'' if reason else ' yet'}; keywords find {_them(waiting)}."
        yield reason
    elif indexer.progress.total:
        left = indexer.progress.total - indexer.progress.done
        yield f"Passages of {left} long {_notes(left)} have no vector yet."
    if refused:
        names = ", ".join(refused[:_NAMED])
        among = names if len(refused) <= _NAMED else f"among them {names}"
        count = len(refused)
        yield f"The model gives no vector for {count} {_notes(count)} ({among}); keywords find {_them(refused)}."
    yield memory.index.problem


def _reason(memory: Memory) -> str:
    """Return why the notes that wait will go on waiting, "" where they are being embedded or will be."""
    embedder = memory.indexer.embedder
    if embedder is None:
        return memory.no_model
    if embedder.state.status == "failed":
        return embedder.state.message
    return "" if memory.indexer.busy else memory.indexer.problem


def _count(lacking: Sequence[str], total: int) -> str:
    return f"{len(lacking)} of {total} {_notes(total)} {'has' if len(lacking) == 1 else 'have'}"


def _notes(count: int) -> str:
    return "note" if count == 1 else "notes"


def _them(lacking: Sequence[str]) -> str:
    return "it" if len(lacking) == 1 else "them"
