"""From a query to the notes that belong to it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from memory_lsp.core.by_cascade import by_cascade, keyword_result, shown
from memory_lsp.core.by_spread import by_spread
from memory_lsp.core.corpus import Answer, Corpus, Options, Ranker, Result, SeedMode
from memory_lsp.core.recency import Recency

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Answer", "Corpus", "Options", "Ranker", "Recency", "Result", "SeedMode", "retrieve"]

_RANKERS = {"cascade": by_cascade, "spread": by_spread}


def retrieve(
    corpus: Corpus, query: str, vector: NDArray[np.floating] | None = None, options: Options | None = None
) -> Answer:
    """Return the notes that belong to a query, given its vector where there is one.

    A blank query without a vector gives the first notes of the list.
    """
    options = options or Options()
    if not query.strip() and vector is None:
        first = corpus.keywords.first(shown(corpus, options), options.limit)
        return Answer(tuple(keyword_result(id, 0.0) for id in first), "keyword", options.ranker)
    answer = _RANKERS[options.ranker](corpus, query, vector, options)
    if vector is None or not corpus.passages:
        return answer
    return replace(answer, results=tuple(_with_passage(corpus, each, vector, options) for each in answer.results))


def _with_passage(corpus: Corpus, result: Result, vector: NDArray[np.floating], options: Options) -> Result:
    """Name the passage of a long note that is nearest; what the graph led to must be near by itself to have one."""
    rows = {
        hash: row for hash in corpus.passages.get(result.id, ()) if (row := corpus.vectors.row_of(hash)) is not None
    }
    if not rows:
        return result
    cosines = corpus.vectors.exact(np.fromiter(rows.values(), np.intp), vector).tolist()
    cosine, passage = max(zip(cosines, rows, strict=True), key=lambda pair: pair[0])
    least = 0.0 if result.via is None else options.threshold
    return replace(result, passage=passage) if cosine > least else result
