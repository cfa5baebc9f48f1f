"""Several processes on one sidecar, some of them killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from memory_lsp.errors import SidecarError
from memory_lsp.sidecar import Sidecar
from sidecar_help import MODEL, hash_of, row, stored

HERE = Path(__file__).parent

HOLD = """
import sys
from pathlib import Path
from memory_lsp.sidecar.lock import ProcessLock
with ProcessLock(Path(sys.argv[1]), 5.0).hold():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_processes_writing_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / ".graph"
    names = ("ant", "bee")
    running = [
        subprocess.Popen(
            [sys.executable, str(HERE / "hammer.py"), str(folder), name, "250", str(i)], stdout=subprocess.PIPE
        )
        for i, name in enumerate(names)
    ]
    expected: dict[str, str] = {}
    for process in running:
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        expected |= json.loads(out)
    found = stored(folder)
    shared = found.pop("shared")
    assert shared in {hash_of(f"{name} {step}") for name in names for step in range(250)}
    assert found == expected


def test_a_held_lock_is_an_error_soon_and_a_dead_holders_is_not(tmp_path: Path) -> None:
    folder = tmp_path / ".graph"
    sidecar = Sidecar(folder, MODEL, lock_timeout=0.05)
    sidecar.append([row("a")])
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder / "lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None and holder.stdin is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(SidecarError, match="Another process"):
        sidecar.append([row("b")])
    with pytest.raises(SidecarError, match="Another process"):
        sidecar.compact()
    sidecar.close()
    assert not sidecar.refresh()
    assert set(Sidecar(folder, MODEL).load().rows) == {"a"}
    holder.kill()
    holder.wait()
    holder.stdin.close()
    holder.stdout.close()
    sidecar.append([row("b")])
    assert set(stored(folder)) == {"a", "b"}


def test_only_one_process_compacts(tmp_path: Path) -> None:
    folder = tmp_path / ".graph"
    sidecar = Sidecar(folder, MODEL, lock_timeout=0.05)
    sidecar.append([row("a")])
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder / "bulk.lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    assert not sidecar.compact()
    sidecar.append([row("b")])
    holder.communicate()
    assert sidecar.compact()
    assert set(stored(folder)) == {"a", "b"}


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is POSIX")
def test_a_killed_writer_loses_nothing_acknowledged() -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "kill_writer.py"), "--kills", "20"], capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "20 kills" in done.stdout
    assert " 0 faults" in done.stdout
