"""Write the server's settings into client-vscode/package.json from the program itself; `--check` only compares."""

from __future__ import annotations

import argparse
import json
import sys
import typing
from pathlib import Path

from memory_lsp.config import LEVELS, Option, options
from memory_lsp.core.lint_codes import CODES

_MANIFEST = Path(__file__).resolve().parent.parent / "client-vscode" / "package.json"
_TITLE = "Server"

Json = dict[str, typing.Any]


def properties() -> Json:
    """Return every setting of the server as VS Code describes settings."""
    return {
        f"memory.{option.key}": {
            **_shape(option), "default": option.default, "scope": "window", "order": order,
            "markdownDescription": option.doc,
        }
        for order, option in enumerate(options(), 1)
    }  # fmt: skip


def manifest(old: str) -> str:
    """Return the manifest with the server's part of its configuration made anew."""
    package = json.loads(old)
    contributes = package["contributes"]
    own = [part for part in contributes["configuration"] if part["title"] != _TITLE]
    contributes["configuration"] = [*own, {"title": _TITLE, "order": 2, "properties": properties()}]
    return json.dumps(package, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Write the manifest, or with `--check` return 1 when it is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 when the manifest is stale")
    check = parser.parse_args().check
    old = _MANIFEST.read_text(encoding="utf-8")
    new = manifest(old)
    if new == old:
        return 0
    if check:
        sys.stderr.write("client-vscode/package.json is stale; run `python tools/gen_vscode_settings.py`.\n")
        return 1
    _MANIFEST.write_text(new, encoding="utf-8", newline="\n")
    return 0


def _shape(option: Option) -> Json:
    if typing.get_origin(option.kind) is typing.Literal:
        return {"type": "string", "enum": list(typing.get_args(option.kind))}
    if option.key == "diagnostics":
        codes = {
            code.name: {"enum": [*LEVELS, False], "description": f"{code.title} Default: {code.severity.name.lower()}."}
            for code in CODES.values()
        }
        return {"type": "object", "properties": codes, "additionalProperties": False}
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    kind = names.get(typing.cast("type", option.kind))
    if kind is None:
        return {"type": "array", "items": {"type": "string"}}
    bounds = {"minimum": option.minimum, "maximum": option.maximum}
    return {"type": kind, **{name: value for name, value in bounds.items() if value is not None}}


if __name__ == "__main__":
    sys.exit(main())
