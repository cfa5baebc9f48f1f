"""`memory-lsp check`: every diagnostic of the directory, for CI and hooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp.cli.console import put, put_json, say
from memory_lsp.cli.findings import choose, reports
from memory_lsp.cli.opening import folder_of
from memory_lsp.cli.overrides import settings_from
from memory_lsp.core.lint_codes import Severity

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from memory_lsp.cli.findings import Chosen, Report


def run(arguments: argparse.Namespace) -> int:
    """Print the findings; 1 when one is as severe as `--fail-on`, or a file could not be read."""
    settings = settings_from(arguments.overrides)
    chosen = choose(arguments.directory, settings, arguments.paths)
    found = tuple(reports(chosen, settings))
    _print(found, arguments.format, folder_of(arguments.directory), complete=not chosen.problems)
    if arguments.format == "text":
        say(_summary(found, chosen))
    limit = Severity[arguments.fail_on.upper()]
    return 1 if chosen.problems or any(report.severity <= limit for report in found) else 0


def _print(found: Sequence[Report], form: str, folder: Path, *, complete: bool) -> None:
    # Imported here, since a hook that runs on each commit needs one of them.
    if form == "sarif":
        from memory_lsp.cli.sarif import sarif

        put_json(sarif(found, Path.cwd(), complete=complete))
    elif form == "github":
        from memory_lsp.cli.workflow import as_commands

        put(as_commands(found, Path.cwd()))
    else:
        from memory_lsp.cli.listing import as_json, as_text

        if form == "json":
            put_json(as_json(found, folder))
        else:
            put(as_text(found, folder))


def _summary(found: Sequence[Report], chosen: Chosen) -> str:
    counts = [(name, sum(report.severity is severity for report in found)) for severity, name in _NAMES.items()]
    parts = [f"{count} {name if count == 1 else plural}" for (name, plural), count in counts if count]
    notes = f"{len(chosen.notes)} {'note' if len(chosen.notes) == 1 else 'notes'}"
    unread = f"; {chosen.problems} files could not be read as they are" if chosen.problems else ""
    return f"{', '.join(parts) or 'Nothing to report'} in {notes}{unread}."


_NAMES = {
    Severity.ERROR: ("error", "errors"),
    Severity.WARNING: ("warning", "warnings"),
    Severity.INFORMATION: ("information", "informations"),
    Severity.HINT: ("hint", "hints"),
}
