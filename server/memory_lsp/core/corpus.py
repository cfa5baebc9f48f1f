"""What retrieval looks at, what it is asked, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from memory_lsp.core.lexicon import Lexicon
from memory_lsp.core.recency import Recency

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from memory_lsp.core.cascade import Step, Via
    from memory_lsp.core.graph import Graph
    from memory_lsp.core.keyword import KeywordIndex
    from memory_lsp.core.standing import Superseded
    from memory_lsp.core.vectors import Vectors

SeedMode = Literal["vector", "keyword", "hybrid"]
Ranker = Literal["cascade", "spread"]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The index of one memory directory at one moment.

    `types` gives each note's type by id, `ids_by_hash` the notes of each hash, of a whole text or of a passage,
    `passages` the hashes of a long note's passages, and `days` the day of each note's last change (`core.recency`). Who
    bears which hash may only change together with `lexicon` or `vectors`.
    """

    graph: Graph
    keywords: KeywordIndex
    vectors: Vectors
    ids_by_hash: Mapping[str, Sequence[str]]
    types: Mapping[str, str]
    lexicon: Lexicon = field(default_factory=Lexicon)
    passages: Mapping[str, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    days: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Options:
    """How to retrieve.

    `seeds` and `threshold` are the cascade's. `min_fit` and `gap` are for the ranker "spread": an answer whose best
    note fits less than `min_fit` (see `Answer.fit`) is empty, and a note with less than `gap` times the first one's
    score is left out. `recency` is for both; so is `superseded`, of which the cascade knows "hide" alone. Where `near`
    is above 0, an answer is empty unless some note's cosine reaches it.
    """

    limit: int | None = 8
    types: Collection[str] | None = None
    ranker: Ranker = "cascade"
    seeds: int = 10
    threshold: float = 0.4
    max_depth: int = 2
    decay: float = 0.7
    superseded: Superseded = "demote"
    min_fit: float = 0.0
    gap: float = 0.0
    near: float = 0.0
    recency: Recency = field(default_factory=Recency)


@dataclass(frozen=True, slots=True)
class Result:
    """A note that was found: `path` leads from the seed to it, `parts` sum to the score.

    `passage` is the hash of the passage that is nearest to the query, "" where none is known to match.
    """

    id: str
    score: float
    via: Via | None
    path: tuple[Step, ...]
    parts: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The results, best first, and how they were found.

    `fit` is how well the best note of all fits the query by itself, about 0 to 1, the same scale for every query; None
    where the ranker does not say.
    """

    results: tuple[Result, ...]
    seed_mode: SeedMode
    ranker: Ranker
    fit: float | None = None


def type_filter(corpus: Corpus, types: Collection[str] | None) -> Callable[[str], bool] | None:
    """Return what tells whether a note has one of some types; None where all have."""
    if not types:
        return None
    wanted = frozenset(types)
    return lambda id: corpus.types.get(id) in wanted
