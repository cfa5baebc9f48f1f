"""The thin layer that speaks the Language Server Protocol."""
