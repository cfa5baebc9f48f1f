"""A process that owns an embedder and does nothing else: `owner.py COMMAND...`; the test kills it."""

from __future__ import annotations

import asyncio
import sys

from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import Plan


async def main() -> None:
    embedder = Embedder(Plan("onnx", "fake", "fake", "", ""), idle_timeout=0, command=sys.argv[1:])
    await embedder.embed(["gate 1"])


asyncio.run(main())
