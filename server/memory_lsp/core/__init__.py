"""The pure heart: notes, links, graph, ranking. No I/O, no asyncio, no LSP types."""
