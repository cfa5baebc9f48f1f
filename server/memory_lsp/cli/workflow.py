"""Findings as workflow commands, which GitHub shows beside the lines of a pull request.

Format: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.core.lint_codes import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory_lsp.cli.findings import Report

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_DATA, ":": "%3A", ",": "%2C"}


def as_commands(found: Sequence[Report], folder: Path) -> Iterator[str]:
    """Yield one command a finding; paths are relative to the checkout, else to `folder`, the current one."""
    root = repository(folder)
    for report in found:
        (line, column), (last, end) = report.range("utf-16")
        level = _LEVELS.get(report.severity, "notice")
        place = {"file": report.below(root), "line": line + 1, "col": column + 1, "endLine": last + 1}
        # GitHub drops the columns of what spans several lines.
        fields = {**place, "endColumn": end + 1, "title": f"memory-lsp {report.finding.code}"}
        properties = ",".join(f"{key}={_escape(str(value), _PROPERTY)}" for key, value in fields.items())
        yield f"::{level} {properties}::{_escape(report.finding.message, _DATA)}"


def repository(folder: Path) -> Path:
    """Return the folder that CI counts paths from: the checkout where `folder` is in it, else `folder`."""
    checkout = os.environ.get("GITHUB_WORKSPACE")
    return Path(checkout) if checkout and folder.is_relative_to(checkout) else folder


def _escape(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)
