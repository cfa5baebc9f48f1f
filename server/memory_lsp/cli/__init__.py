"""The command line: one module a command, imported only when that command runs."""

from __future__ import annotations

from memory_lsp.cli.app import main

__all__ = ["main"]
