"""Embedding texts in a process of its own."""
