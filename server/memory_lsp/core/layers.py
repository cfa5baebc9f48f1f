"""An index in layers: a few immutable parts, large to small, the later ones shadowing the earlier.

`updated` only notes what changed; the first look-up compiles it, so that a burst of edits without a query costs next
to nothing. A new part swallows the parts before it that are not much larger, as log-structured merge trees do: their
number grows with the logarithm of the number of documents, and so does the cost of a change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

_GROWTH = 4


class Identified(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """Return what tells this document from the others."""
        ...


DocumentT = TypeVar("DocumentT", bound=Identified)
PartT_co = TypeVar("PartT_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Layer(Generic[DocumentT, PartT_co]):
    """Some documents, compiled; `alive` is False where a later layer or a removal shadows one."""

    documents: tuple[DocumentT, ...]
    part: PartT_co
    alive: NDArray[np.bool_]


class Layers(Generic[DocumentT, PartT_co]):
    """The documents of an index and the layers compiled from them; immutable to its users."""

    __slots__ = ("_compile", "_compiled", "_pending", "_rows", "documents")

    def __init__(self, compile: Callable[[Sequence[DocumentT]], PartT_co]) -> None:
        """Make an empty index; `compile` makes one part from a list of documents."""
        self.documents: Mapping[str, DocumentT] = {}
        self._compile = compile
        self._compiled: tuple[Layer[DocumentT, PartT_co], ...] = ()
        self._rows: dict[str, tuple[int, int]] = {}  # id → layer and row, of what is compiled
        self._pending: frozenset[str] = frozenset()  # ids that came, changed or went since

    def updated(self, changed: Iterable[DocumentT], removed: Iterable[str]) -> Layers[DocumentT, PartT_co]:
        """Return the index after some documents came, changed or went."""
        documents = dict(self.documents)
        touched = set(self._pending)
        for id in removed:
            if documents.pop(id, None) is not None:
                touched.add(id)
        for document in changed:
            if documents.get(document.id) != document:
                documents[document.id] = document
                touched.add(document.id)
        index = Layers(self._compile)
        index.documents = documents
        index._compiled, index._rows, index._pending = self._compiled, self._rows, frozenset(touched)
        return index

    def layers(self) -> tuple[Layer[DocumentT, PartT_co], ...]:
        """Return the layers; compiles what changed since the last call on this index or the one it came from."""
        if self._pending:
            # Assigned last and together: a second thread meanwhile computes the same once more, and no harm is done.
            self._compiled, self._rows, self._pending = self._merged()
        return self._compiled

    def place(self, id: str) -> tuple[int, int] | None:
        """Return the layer and the row of a document."""
        self.layers()
        return self._rows.get(id) if id in self.documents else None

    def _merged(
        self,
    ) -> tuple[tuple[Layer[DocumentT, PartT_co], ...], dict[str, tuple[int, int]], frozenset[str]]:
        layers = self._shadowed()
        fresh = [self.documents[id] for id in sorted(self._pending) if id in self.documents]
        while layers and (not layers[-1].alive.any() or int(layers[-1].alive.sum()) < _GROWTH * len(fresh)):
            last = layers.pop()
            fresh = [each for each, alive in zip(last.documents, last.alive.tolist(), strict=True) if alive] + fresh
        kept = len(layers)
        if fresh:
            layers.append(Layer(tuple(fresh), self._compile(fresh), np.ones(len(fresh), dtype=np.bool_)))
        rows = dict(self._rows)
        for id in self._pending:
            rows.pop(id, None)
        rows.update({each.id: (kept, row) for row, each in enumerate(fresh)})
        return tuple(layers), rows, frozenset()

    def _shadowed(self) -> list[Layer[DocumentT, PartT_co]]:
        """Return the layers with what changed since marked as dead."""
        dead: dict[int, list[int]] = {}
        for id in self._pending:
            if id in self._rows:
                layer, row = self._rows[id]
                dead.setdefault(layer, []).append(row)
        layers = list(self._compiled)
        for number, gone in dead.items():
            alive = layers[number].alive.copy()
            alive[gone] = False
            layers[number] = Layer(layers[number].documents, layers[number].part, alive)
        return layers
