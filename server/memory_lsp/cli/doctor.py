"""`memory-lsp doctor`: what is installed, what would be used and why, what is wrong and how to fix it."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from memory_lsp.cli.console import can_show, one_line, paint, put, put_json
from memory_lsp.cli.examination import examine
from memory_lsp.cli.opening import folder_of
from memory_lsp.cli.overrides import settings_from

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from memory_lsp.answers import JsonObject
    from memory_lsp.cli.checks import Check


def run(arguments: argparse.Namespace) -> int:
    """Print the checks; 1 when one of them fails."""
    settings = settings_from(arguments.overrides)
    checks = asyncio.run(examine(folder_of(arguments.directory), settings))
    healthy = all(check.ok for check in checks)
    if arguments.json:
        put_json({"ok": healthy, "checks": [_as_json(check) for check in checks]})
    else:
        put(_lines(checks))
    return 0 if healthy else 1


def _as_json(check: Check) -> JsonObject:
    return {"name": check.name, "ok": check.ok, "value": check.value, "fix": "" if check.ok else check.fix}


def _lines(checks: Sequence[Check]) -> Iterator[str]:
    good, bad = ("✓", "✗") if can_show("✓✗") else ("ok", "!!")
    for check in checks:
        mark = paint(good, "green", sys.stdout) if check.ok else paint(bad, "red", sys.stdout)
        yield f"{mark} {check.name}: {one_line(check.value)}"
        if not check.ok:
            yield f"  fix: {one_line(check.fix)}"
