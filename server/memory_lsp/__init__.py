"""memory-lsp: a language server for a directory of memory notes."""

__version__ = "0.1.0"
