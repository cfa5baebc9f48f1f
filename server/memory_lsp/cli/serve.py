"""`memory-lsp serve`: the language server on standard input and output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memory_lsp.cli.console import is_terminal, say

if TYPE_CHECKING:
    import argparse


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client says `exit` or goes away."""
    if is_terminal(sys.stdin):
        say("memory-lsp serves LSP on standard input and output; an editor starts it. `memory-lsp --help` says more.")
    from memory_lsp.lsp.stdio import serve_stdio

    return serve_stdio()
