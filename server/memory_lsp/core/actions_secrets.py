"""Fixes for a credential in a note: a reference in its place."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from memory_lsp.core.actions_model import Action, Kind
from memory_lsp.core.edits import TextEdit, apply_edits
from memory_lsp.core.secrets import redact
from memory_lsp.core.text import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_lsp.core.actions_model import Place
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note
    from memory_lsp.core.secrets import Secret


def fix_secret(place: Place, finding: Finding) -> Iterator[Action]:
    """Yield the value replaced by a reference, here and wherever the note repeats it; and all values of the note."""
    note = place.note
    secrets = place.snapshot.guard.secrets(note)
    secret = next((each for each in secrets if each.span == finding.span), None)
    if secret is None:
        return
    reference, edits = _moved_out(note, secret)
    title = f"Replace the {secret.name} by {reference}"
    yield Action(title, Kind.QUICKFIX, edits, is_preferred=not secret.development, finding=finding)
    serious = [each for each in secrets if not each.development]
    if len(serious) > 1 and secret in serious:
        found = {edit for each in serious for edit in _moved_out(note, each)[1]}
        whole = tuple(sorted(found, key=lambda edit: edit.span))
        apart = all(one.span.end <= two.span.start for one, two in pairwise(whole))
        if apart:
            yield Action(f"Replace all {len(serious)} secrets by references", Kind.QUICKFIX, whole, finding=finding)


def _moved_out(note: Note, secret: Secret) -> tuple[str, tuple[TextEdit, ...]]:
    """Return the reference for a secret, and the edits that put it wherever `redact` does."""
    value = secret.span.of(note.text)
    reference = redact(value, [replace(secret, span=Span(0, len(value)))])
    after, edits, at = redact(note.text, [secret]), [], 0
    is_everywhere = apply_edits(note.text, [TextEdit(note.path, secret.span, reference)]) != after
    while is_everywhere and (found := note.text.find(value, at)) >= 0:
        at = found + len(value)
        if found < secret.span.end and secret.span.start < at:
            continue
        edits.append(TextEdit(note.path, Span(found, at), reference))
    return reference, tuple(sorted([*edits, TextEdit(note.path, secret.span, reference)]))
