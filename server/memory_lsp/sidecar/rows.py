"""What the sidecar hands out: rows of vectors, and what changed among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """The vector of one note: `hash` is that of the text embedded, `vector` is float32 of shape (dims,), L2 norm 1."""

    id: str
    hash: str
    vector: NDArray[np.float32] = field(repr=False)


class Rows(Mapping[str, Row]):
    """Rows by note id over one matrix, read only.

    `ids[i]`, `hashes[i]` and `matrix[i]` belong together; `matrix` is float32 of shape (len, dims). `spare` are vectors
    by hash that no row has any more.
    """

    __slots__ = ("_by_hash", "_index", "hashes", "ids", "matrix", "spare")

    def __init__(
        self,
        ids: Sequence[str],
        hashes: Sequence[str],
        matrix: NDArray[np.float32],
        spare: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        self.ids = tuple(ids)
        self.hashes = tuple(hashes)
        self.matrix = matrix
        matrix.flags.writeable = False
        self._index = dict(zip(self.ids, range(len(self.ids)), strict=True))
        self._by_hash: dict[str, int] | None = None
        self.spare: Mapping[str, NDArray[np.float32]] = spare or {}

    @classmethod
    def empty(cls) -> Rows:
        """Return rows without a row."""
        return cls((), (), np.empty((0, 0), dtype=np.float32))

    def __getitem__(self, note_id: str) -> Row:
        i = self._index[note_id]
        return Row(note_id, self.hashes[i], self.matrix[i])

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, note_id: object) -> bool:
        return note_id in self._index

    def pick(self, ids: Sequence[str]) -> Rows:
        """Return the rows of `ids`, in that order."""
        places = [self._index[note_id] for note_id in ids]
        return Rows(ids, [self.hashes[i] for i in places], self.matrix[places])

    def vector_for(self, content_hash: str) -> NDArray[np.float32] | None:
        """Return the vector of a text by its hash, whichever note holds or lately held it; None when unknown."""
        if self._by_hash is None:
            self._by_hash = dict(zip(self.hashes, range(len(self.hashes)), strict=True))
        i = self._by_hash.get(content_hash)
        return self.spare.get(content_hash) if i is None else self.matrix[i]


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """What was on disk.

    `dims` is None when nothing is known of the vectors' width. `reason` is "" when all was in order (a sidecar that is
    not there yet is in order); otherwise one sentence saying what is missing. `recovered` says that rows were kept
    all the same.
    """

    rows: Rows
    dims: int | None
    reason: str
    recovered: bool


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What other processes wrote since the last look.

    `puts` are new or replaced rows, `removes` ids that another memory-lsp removed. `lost` are ids that vanished any
    other way (the folder was deleted, a file was damaged, another program rewrote it): put them again where the note
    still exists. `reason` says why rows were lost, in one sentence. `spare` are vectors by hash of rows that came and
    were replaced or removed again in between.
    """

    puts: tuple[Row, ...] = ()
    removes: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    reason: str = ""
    spare: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.puts or self.removes or self.lost or self.reason)
