"""Settings from `--set KEY=VALUE`."""

from __future__ import annotations

import difflib
import json
import typing

from memory_lsp.config import Option, Settings, options, read_settings
from memory_lsp.errors import UsageError

if typing.TYPE_CHECKING:
    from collections.abc import Sequence

_DIAGNOSTICS = "diagnostics"


def settings_from(overrides: Sequence[str]) -> Settings:
    """Return the default settings with each `KEY=VALUE` applied in turn; raises UsageError for the first bad one.

    Keys are dotted (`retrieval.limit`), with or without `memory.` in front. A list is written as JSON or with commas.
    """
    known = {option.key: option for option in options()}
    settings = Settings()
    for override in overrides:
        key, equals, text = override.partition("=")
        key = key.strip().removeprefix("memory.")
        if not equals:
            raise UsageError(f"--set {override}: expected KEY=VALUE, such as embedding.backend=none.")
        code = key.removeprefix(f"{_DIAGNOSTICS}.")
        if code != key:
            settings, problems = read_settings({_DIAGNOSTICS: {code: text.strip()}}, settings)
        elif key in known:
            settings, problems = read_settings({key: _value(known[key], text.strip())}, settings)
        else:
            raise UsageError(f"--set {override}: there is no setting {key!r}; {_hint(key, known)}")
        if problems:
            raise UsageError(f"--set {override}: {problems[0].removesuffix('; the default is used.').rstrip('.')}.")
    return settings


def _value(option: Option, text: str) -> object:
    """Return the JSON value that a text stands for; a text that is none stays one, and the reader refuses it."""
    if option.kind is str or typing.get_origin(option.kind) is typing.Literal:
        return text
    is_list = typing.get_origin(option.kind) is tuple
    if is_list and not text.startswith("["):
        return [item.strip() for item in text.split(",") if item.strip()]
    try:
        return json.loads(text)
    except ValueError:
        return text


def _hint(key: str, known: dict[str, Option]) -> str:
    near = difflib.get_close_matches(key, known, 1)
    return f"did you mean {near[0]}?" if near else "docs/configuration.md lists them."
