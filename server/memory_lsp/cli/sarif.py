"""Findings as a SARIF 2.1.0 log, for code scanning.

Format: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from memory_lsp import __version__
from memory_lsp.cli.workflow import repository
from memory_lsp.core.lint_codes import CODES, Severity
from memory_lsp.help import help_uri

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memory_lsp.answers import Json, JsonObject
    from memory_lsp.cli.findings import Report

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFORMATION: "note", Severity.HINT: "note"}


def sarif(found: Sequence[Report], folder: Path, *, complete: bool) -> JsonObject:
    """Return the log; paths are relative to the checkout, else to `folder`. `complete` says all files were read."""
    codes = list(CODES)
    root = repository(folder)
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver()},
                "columnKind": "utf16CodeUnits",
                "invocations": [{"executionSuccessful": complete}],
                "results": [_result(report, root, codes.index(report.finding.code)) for report in found],
            }
        ],
    }


def _driver() -> JsonObject:
    rules: list[Json] = [
        {
            "id": code.name,
            "shortDescription": {"text": _plain(code.title)},
            "fullDescription": {"text": _plain(code.title)},
            "help": {"text": f"{_plain(code.title)} docs/diagnostics.md of memory-lsp says how to fix or allow it."},
            "helpUri": help_uri(code.name),
            "defaultConfiguration": {"level": _LEVELS[code.severity]},
        }
        for code in CODES.values()
    ]
    return {"name": "memory-lsp", "version": __version__, "rules": rules}


def _plain(text: str) -> str:
    return text.replace("`", "")


def _result(report: Report, root: Path, rule: int) -> JsonObject:
    (line, column), (last, end) = report.range("utf-16")
    region: JsonObject = {
        "startLine": line + 1, "startColumn": column + 1, "endLine": last + 1, "endColumn": end + 1,
    }  # fmt: skip
    if report.file.is_relative_to(root):
        artifact: JsonObject = {"uri": quote(report.below(root)), "uriBaseId": "%SRCROOT%"}
    else:
        artifact = {"uri": report.file.as_uri()}
    result: JsonObject = {
        "ruleId": report.finding.code,
        "ruleIndex": rule,
        "level": _LEVELS[report.severity],
        "message": {"text": report.finding.message},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
    if report.finding.digest:
        result["fingerprints"] = {"secretSha256/v1": report.finding.digest}
    return result
