"""Between our world and LSP's: offsets and ranges, paths and URIs, findings and diagnostics."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from memory_lsp.core.lint_codes import Severity
from memory_lsp.core.text import Span
from memory_lsp.help import help_uri

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_lsp.config import Settings
    from memory_lsp.core.lint import Finding
    from memory_lsp.core.note import Note
    from memory_lsp.core.text import Encoding
    from memory_lsp.lsp.client import Client

_DRIVE = re.compile(r"/?([A-Za-z]):(?=/|$)")


def to_path(uri: str) -> Path | None:
    """Return the path of a `file:` URI, None for any other or a broken one; drive letters become lower case."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    path = unquote(parts.path, errors="surrogateescape")
    if "\0" in path or not path:
        return None
    if os.name == "nt":
        path = _DRIVE.sub(lambda match: f"{match[1].lower()}:", path, count=1)
        if parts.netloc:
            path = f"//{parts.netloc}{path}"
    return Path(os.path.normpath(path))


def to_uri(path: Path) -> str:
    """Return the URI of an absolute path."""
    return path.as_uri()


def to_range(note: Note, span: Span, encoding: Encoding) -> types.Range:
    """Return a span of a note as an LSP range."""
    start, end = note.lines.position(span.start, encoding), note.lines.position(span.end, encoding)
    return types.Range(types.Position(*start), types.Position(*end))


def to_offset(note: Note, position: types.Position, encoding: Encoding) -> int:
    """Return an LSP position as an offset, clamped into the note."""
    return note.lines.offset(position.line, position.character, encoding)


def to_span(note: Note, range_: types.Range, encoding: Encoding) -> Span:
    """Return an LSP range as a span, clamped into the note."""
    start, end = to_offset(note, range_.start, encoding), to_offset(note, range_.end, encoding)
    return Span(min(start, end), max(start, end))


def to_diagnostic(
    note: Note, finding: Finding, settings: Settings, client: Client, place: Callable[[str, Span], types.Location]
) -> types.Diagnostic | None:
    """Return a finding as this client shows it, None where its code is off.

    `place` gives the location of a span in another note.
    """
    severity = settings.severity(finding.code)
    if severity is None:
        return None
    if finding.mild:
        severity = max(severity, Severity.INFORMATION)
    related = [
        types.DiagnosticRelatedInformation(place(item.path, item.span), item.message) for item in finding.related
    ]
    deprecated = finding.code == "links-to-superseded" and client.shows_deprecated
    return types.Diagnostic(
        to_range(note, finding.span, client.encoding),
        finding.message,
        severity=types.DiagnosticSeverity(severity),
        code=finding.code,
        code_description=types.CodeDescription(help_uri(finding.code)) if client.reads_code_description else None,
        source="memory",
        tags=[types.DiagnosticTag.Deprecated] if deprecated else None,
        related_information=related or None if client.reads_related_information else None,
        data={"subject": finding.subject} if finding.subject and client.keeps_diagnostic_data else None,
    )
