"""The architecture's rules, read from the imports of every module."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import memory_lsp
import pytest

ROOT = Path(memory_lsp.__file__).parent
# What the core may take from the standard library must compute, not act.
ACTING = {
    "asyncio", "glob", "io", "logging", "multiprocessing", "os", "os.path", "pathlib.Path", "queue", "shutil", "signal",
    "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "urllib.request",
}  # fmt: skip
HEAVY = {"onnxruntime", "tokenizers", "sentence_transformers", "torch", "transformers"}
PROTOCOL = {"pygls", "lsprotocol"}
# Each layer knows those before it in this list, and what stands beside it.
LAYERS = (
    {"core", "errors"},
    {"config", "files", "discovery", "sidecar", "embedding", "directory"},
    {"retriever", "index", "indexer", "memory", "answers", "session"},
    {"lsp", "explorer", "cli", "help", "__main__"},
)
LONGEST = 400


@dataclass(frozen=True)
class Import:
    """One name that a module imports."""

    module: str
    line: int
    in_function: bool
    for_types: bool


def modules() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse((ROOT / module).read_text(encoding="utf-8"))


@cache
def imports(module: str) -> list[Import]:
    found: list[Import] = []

    def visit(node: ast.AST, in_function: bool, for_types: bool) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend(Import(name.name, child.lineno, in_function, for_types) for name in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{module}:{child.lineno} imports relatively"
                base = child.module or ""
                found.append(Import(base, child.lineno, in_function, for_types))
                found.extend(
                    Import(f"{base}.{name.name}", child.lineno, in_function, for_types) for name in child.names
                )
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            types = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            visit(child, in_function or function, for_types or types)

    visit(tree_of(module), False, False)
    return found


def part_of(name: str) -> str:
    """Return the part of the package that a dotted name belongs to: `memory_lsp.core.text` is of `core`."""
    pieces = name.split(".")
    return pieces[1] if len(pieces) > 1 else ""


def ours(module: str) -> list[Import]:
    """Return the imports of our own modules, package by package."""
    known = {path.stem if path.suffix else path.name for path in ROOT.iterdir()}
    return [each for each in imports(module) if each.module.startswith("memory_lsp.") and part_of(each.module) in known]


def layer_of(part: str) -> int:
    return next((n for n, layer in enumerate(LAYERS) if part in layer), -1)


@pytest.mark.parametrize("module", modules())
def test_imports_go_down_the_layers(module: str) -> None:
    part = Path(module).parts[0].removesuffix(".py")
    if part == "__init__":
        assert not ours(module)
        return
    assert layer_of(part) >= 0, f"{module} belongs to no layer: add it to LAYERS"
    for each in ours(module):
        assert layer_of(part_of(each.module)) <= layer_of(part), f"{module}:{each.line} imports {each.module}"


@pytest.mark.parametrize("module", [name for name in modules() if name.startswith("core/")])
def test_the_core_only_computes(module: str) -> None:
    for each in imports(module):
        assert each.module not in ACTING, f"{module}:{each.line} imports {each.module}"
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"open", "print", "input", "exec", "eval"}, f"{module}:{node.lineno}"


@pytest.mark.parametrize("module", modules())
def test_only_lsp_knows_the_protocol_and_only_backends_the_models(module: str) -> None:
    for each in imports(module):
        top = each.module.split(".")[0]
        if top in PROTOCOL and not each.for_types:
            assert module.startswith("lsp/"), f"{module}:{each.line} imports {each.module}"
        if top in HEAVY:
            assert module == "embedding/backends.py", f"{module}:{each.line} imports {each.module}"
            assert each.in_function or each.for_types, f"{module}:{each.line} imports {each.module} at once"


@pytest.mark.parametrize("module", modules())
def test_modules_are_short_and_say_what_they_are(module: str) -> None:
    text = (ROOT / module).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LONGEST
    assert ast.get_docstring(tree_of(module)), "a module starts with what it is for"


def test_there_is_one_parser_and_one_reader_of_yaml() -> None:
    users: dict[str, set[str]] = {"pyromark": set(), "yaml": set()}
    for module in modules():
        for each in imports(module):
            if each.module in users:
                users[each.module].add(module)
    # Values are read in one place; another quotes what is written back.
    assert users["yaml"] <= {"core/yaml_values.py", "core/quoting.py"}
    assert users["pyromark"] <= {"core/markdown.py", "core/blocks.py"}
