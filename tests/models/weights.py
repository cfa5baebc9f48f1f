"""Texts of many kinds, and their vectors from a real model in its real process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import make_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_lsp.config import EmbeddingConfig
    from numpy.typing import NDArray

TABLES = "Render comparisons as tables"
MARKDOWN = "use markdown tables when comparing options"
UNRELATED = "The ferry to the island leaves at noon."
PATIENCE = 300.0  # seconds; torch takes long to import on a busy machine

TEXTS = (
    TABLES,
    MARKDOWN,
    UNRELATED,
    "",
    "café, naïve, Ångström, Żółć, İstanbul, straße, ﬁn",
    "cafe\u0301 written with a combining accent",
    "メモリーは端末に残ります。比較は表にしてください。",
    "中文 与 English 混排,没有空格",
    "한국어로 적은 메모",
    "🗺️ emoji 👩‍👩‍👧 before a [[link]] 😀",
    "Ссылки ведут к решениям; العربية والعربية",
    "zero\u200bwidth, no\u00a0break, control\x07\x00, tab\tand\u2028line",
    "don't split well-known e-mail@addresses.example or snake_case_names v1.2.3",
    "x" * 101 + " is longer than a word may be, and " + "y" * 100 + " is not",
    "[CLS] a note that quotes [SEP] and [MASK] and [PAD]",
    "The deployment notes say how to roll back. " * 60,
    "長い日本語の文章は一文字ずつ数えられます。" * 40,
)


def embed(config: EmbeddingConfig, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors (texts, dims) that the process of a plan gives."""

    async def run() -> NDArray[np.float32]:
        embedder = Embedder(make_plan(config), idle_timeout=0, start_deadline=PATIENCE, slice_deadline=PATIENCE)
        try:
            return np.array(await embedder.embed(texts), dtype=np.float32)
        finally:
            await embedder.close()

    return asyncio.run(run())
