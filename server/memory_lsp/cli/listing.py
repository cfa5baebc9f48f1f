"""Findings as text for people, and as JSON for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memory_lsp.cli.console import one_line, paint
from memory_lsp.core.lint_codes import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memory_lsp.answers import Json, JsonObject
    from memory_lsp.cli.console import Colour
    from memory_lsp.cli.findings import Report

_COLOURS: dict[Severity, Colour] = {
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.INFORMATION: "blue",
    Severity.HINT: "dim",
}


def as_text(found: Sequence[Report], folder: Path) -> Iterator[str]:
    """Yield `path:line:col severity code message`, line and column counted from one."""
    for report in found:
        (line, column), _ = report.range("utf-32")
        severity = paint(report.severity.name.lower(), _COLOURS[report.severity], sys.stdout)
        code = paint(report.finding.code, "bold", sys.stdout)
        place = one_line(f"{report.below(folder)}:{line + 1}:{column + 1}")
        yield f"{place} {severity} {code} {one_line(report.finding.message)}"


def as_json(found: Sequence[Report], folder: Path) -> Json:
    """Return the findings with LSP ranges in UTF-16."""
    return [_entry(report, folder) for report in found]


def _entry(report: Report, folder: Path) -> JsonObject:
    finding = report.finding
    entry: JsonObject = {
        "path": report.below(folder), "range": _range(report), "severity": report.severity.name.lower(),
        "code": finding.code, "message": finding.message,
    }  # fmt: skip
    # What the allow list takes; the value itself is nowhere.
    return entry | {"rule": finding.subject, "digest": finding.digest} if finding.digest else entry


def _range(report: Report) -> Json:
    (line, column), (last, end) = report.range("utf-16")
    return {"start": {"line": line, "character": column}, "end": {"line": last, "character": end}}
