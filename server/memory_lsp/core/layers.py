"""An index in layers: a few immutable parts, large to small, the later ones shadowing the earlier.

`updated` only notes what changed; the first look-up compiles it, so that a burst of edits without a query costs next
to nothing. A new part swallows the parts before it that are not much larger, as log-structured merge trees do: their
number grows with the logarithm of the number of documents, and so does the cost of a change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

import numpy as np

from memory_lsp.core.tables import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_GROWTH = 4


class Identified(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """Return what tells this document from the others."""
        ...


DocumentT = TypeVar("DocumentT", bound=Identified)
Document_contra = TypeVar("Document_contra", bound=Identified, contravariant=True)


class Part(Protocol[Document_contra]):
    """Some documents, compiled; rows are positions in their list."""

    @classmethod
    def build(cls, documents: Sequence[Document_contra]) -> Self:
        """Compile documents."""
        ...

    @classmethod
    def merged(cls, parts: Sequence[tuple[Self, NDArray[np.bool_]]]) -> Self:
        """Return one part of the rows that are True beside each part, in order."""
        ...


PartT = TypeVar("PartT", bound=Part)  # type: ignore[type-arg]  # Python cannot say "a part of that document type"


@dataclass(frozen=True, slots=True)
class Layer(Generic[DocumentT, PartT]):
    """Some documents, compiled; `alive` is False where a later layer or a removal shadows one."""

    documents: tuple[DocumentT, ...]
    part: PartT
    alive: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _State(Generic[DocumentT, PartT]):
    """What is compiled, where each document is in it, and which documents came, changed or went since."""

    layers: tuple[Layer[DocumentT, PartT], ...]
    rows: Table[str, tuple[int, int]]
    pending: frozenset[str]


class Layers(Generic[DocumentT, PartT]):
    """The documents of an index and the layers compiled from them; immutable to its users."""

    __slots__ = ("_kind", "_state", "documents")

    def __init__(self, kind: type[PartT]) -> None:
        """Make an empty index of parts of one kind."""
        self.documents: Table[str, DocumentT] = Table()
        self._kind = kind
        # Replaced as a whole by the first look-up: a second thread does the same work once more, and no harm comes.
        self._state: _State[DocumentT, PartT] = _State((), Table(), frozenset())

    def updated(self, changed: Iterable[DocumentT], removed: Iterable[str]) -> Layers[DocumentT, PartT]:
        """Return the index after some documents came, changed or went."""
        given = {document.id: document for document in changed}
        new = {id: document for id, document in given.items() if self.documents.get(id) != document}
        gone = {id for id in removed if id in self.documents and id not in given}
        index: Layers[DocumentT, PartT] = Layers(self._kind)
        index.documents, state = self.documents.updated(new, gone), self._state
        index._state = _State(state.layers, state.rows, state.pending | new.keys() | gone)
        return index

    def layers(self) -> tuple[Layer[DocumentT, PartT], ...]:
        """Return the layers; compiles what changed since the last call on this index or the one it came from."""
        return self._compiled().layers

    def place(self, id: str) -> tuple[int, int] | None:
        """Return the layer and the row of a document, None for an unknown id."""
        return self._compiled().rows.get(id)

    def _compiled(self) -> _State[DocumentT, PartT]:
        state = self._state
        if not state.pending:
            return state
        layers = _shadowed(state)
        fresh = [self.documents[id] for id in sorted(state.pending) if id in self.documents]
        size, swallowed = len(fresh), list[Layer[DocumentT, PartT]]()
        while layers and int(layers[-1].alive.sum()) < max(_GROWTH * size, 1):
            swallowed.insert(0, layers.pop())
            size += int(swallowed[0].alive.sum())
        if fresh:
            swallowed.append(Layer(tuple(fresh), self._kind.build(fresh), np.ones(len(fresh), dtype=np.bool_)))
        swallowed = [layer for layer in swallowed if layer.alive.any()]
        joined = [self._joined(swallowed)] if len(swallowed) > 1 else swallowed
        places: dict[str, tuple[int, int]] = {}
        for layer in joined:
            alive = layer.alive.tolist()
            places.update({each.id: (len(layers), row) for row, each in enumerate(layer.documents) if alive[row]})
        self._state = _State((*layers, *joined), state.rows.updated(places, state.pending), frozenset())
        return self._state

    def _joined(self, layers: Sequence[Layer[DocumentT, PartT]]) -> Layer[DocumentT, PartT]:
        part = self._kind.merged([(layer.part, layer.alive) for layer in layers])
        documents = tuple(
            document
            for layer in layers
            for document, alive in zip(layer.documents, layer.alive.tolist(), strict=True)
            if alive
        )
        return Layer(documents, part, np.ones(len(documents), dtype=np.bool_))


def _shadowed(state: _State[DocumentT, PartT]) -> list[Layer[DocumentT, PartT]]:
    """Return the layers with what changed since marked as dead."""
    dead: dict[int, list[int]] = {}
    for id in state.pending:
        if id in state.rows:
            number, row = state.rows[id]
            dead.setdefault(number, []).append(row)
    layers = list(state.layers)
    for number, gone in dead.items():
        alive = layers[number].alive.copy()
        alive[gone] = False
        layers[number] = Layer(layers[number].documents, layers[number].part, alive)
    return layers
