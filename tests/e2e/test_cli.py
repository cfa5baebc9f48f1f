"""The program as a process: what it loads, how it ends, what a terminal sees, and real vectors."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent.parent
PROGRAM = (sys.executable, "-m", "memory_lsp")
NO_MODEL = ("--set", "embedding.backend=none")
QUESTION = "how should I format this comparison?"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals, pipes and terminals of POSIX")


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    target = tmp_path / "memory"
    shutil.copytree(REPOSITORY / "docs" / "examples" / "memory", target, ignore=shutil.ignore_patterns(".graph"))
    return target


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONUTF8": "1", **environment}
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)], capture_output=True, encoding="utf-8", env=variables, check=False
    )


def loaded(*arguments: str | Path) -> set[str]:
    """Return the top-level modules that a command has loaded when it is done."""
    script = (
        "import sys\nfrom memory_lsp.cli import main\nmain(sys.argv[1:])\n"
        "sys.stderr.write('\\n' + ' '.join({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, encoding="utf-8", check=True
    )
    return set(done.stderr.splitlines()[-1].split())


HEAVY = {"pygls", "lsprotocol", "torch", "onnxruntime", "tokenizers", "sentence_transformers", "watchdog"}


@pytest.mark.parametrize("command", [["check"], ["retrieve", QUESTION, *NO_MODEL], ["stats", *NO_MODEL], ["redact"]])
def test_commands_load_neither_the_server_nor_a_model(memory: Path, command: list[str]) -> None:
    modules = loaded(*command, "-d", memory)
    assert "memory_lsp" in modules
    assert not modules & HEAVY


@pytest.mark.model
def test_retrieving_with_vectors_loads_no_model_into_its_own_process(memory: Path) -> None:
    modules = loaded("retrieve", QUESTION, "-d", memory)
    assert "numpy" in modules
    assert not modules & HEAVY


def test_help_and_usage_errors_load_next_to_nothing() -> None:
    assert not loaded("check", "--help") & {*HEAVY, "numpy", "yaml", "asyncio"}
    assert not loaded("chek") & {*HEAVY, "numpy", "yaml", "asyncio"}


@POSIX
def test_a_reader_that_goes_away_is_no_error(memory: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "graph", "-d", str(memory), *NO_MODEL], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@POSIX
def test_a_closed_standard_output_is_no_error(memory: Path) -> None:
    command = " ".join((*PROGRAM, "check", "-d", f"'{memory}'", ">&-"))
    done = subprocess.run(["sh", "-c", command], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert done.stderr == "1 warning, 1 information, 2 hints in 33 notes.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told_in_one_line(memory: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "graph", "-d", str(memory), *NO_MODEL],
            stdout=full, stderr=subprocess.PIPE, encoding="utf-8", check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "memory-lsp: No space left on device.\n"


@POSIX
@pytest.mark.model
def test_ctrl_c_ends_it_and_the_model_quietly(memory: Path, tmp_path: Path) -> None:
    # The model's process says that it runs, and then loads for ever.
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys, time\n"
        "if 'memory_lsp.embedding.child' in sys.orig_argv:\n"
        f"    open({str(fifo)!r}, 'w').write(str(os.getpid()))\n"
        "    time.sleep(600)\n",
        "utf-8",
    )
    with subprocess.Popen(
        [*PROGRAM, "retrieve", "-d", str(memory), QUESTION],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        # Test workers ignore Ctrl-C, and what they start would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    ) as process:  # fmt: skip
        child = int(fifo.read_text("ascii"))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def _on_a_terminal(arguments: list[str], **environment: str) -> str:
    """Return what a terminal shows of standard output and standard error together."""
    import pty

    main, side = pty.openpty()
    variables = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    process = subprocess.Popen(
        [*PROGRAM, *arguments], stdin=side, stdout=side, stderr=side, env={**variables, "TERM": "xterm", **environment}
    )
    os.close(side)
    shown = b""
    while True:
        try:
            block = os.read(main, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not block:
            break
        shown += block
    os.close(main)
    process.wait(timeout=30)
    return shown.decode()


@POSIX
def test_colours_on_a_terminal_unless_no_color_says_otherwise(memory: Path) -> None:
    arguments = ["check", "-d", str(memory)]
    assert "\x1b[33mwarning\x1b[0m" in _on_a_terminal(arguments)
    assert "\x1b" not in _on_a_terminal(arguments, NO_COLOR="1")
    assert "\x1b" not in _on_a_terminal(arguments, TERM="dumb")
    assert "warning" in _on_a_terminal(arguments, NO_COLOR="1")


@POSIX
@pytest.mark.model
def test_rebuild_shows_a_bar_on_a_terminal_only(memory: Path) -> None:
    assert "embedding [" in _on_a_terminal(["rebuild", "-d", str(memory)])
    quiet = run("rebuild", "-d", memory)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert quiet.stdout == f"{memory / '.graph'}: 32 vectors of 384 dimensions for 32 notes\n"


@pytest.mark.model
def test_the_way_from_a_question_to_a_note_that_shares_no_word_with_it(memory: Path) -> None:
    first = run("retrieve", "-d", memory, QUESTION, "--explain")
    assert (first.returncode, first.stderr) == (0, "")
    lines = first.stdout.splitlines()
    assert lines[0] == "2.000  comparisons-as-tables  (seed, by meaning and keywords)"
    assert lines[3].endswith("  decision-template")
    assert lines[5] == "       comparisons-as-tables ─RelatesTo→ decision-template"
    assert "       comparisons-as-tables ─HasTag→ #output-style ─HasTag→ prefers-brevity" in lines
    # The notes were embedded on the way and are answered from the sidecar now.
    assert json.loads((memory / ".graph" / "meta.json").read_text("utf-8"))["dims"] == 384
    answer = json.loads(run("retrieve", "-d", memory, QUESTION, "--json").stdout)
    assert (answer["seedMode"], answer["isIncomplete"]) == ("hybrid", False)
    assert run("retrieve", "-d", memory, QUESTION, "--explain").stdout == first.stdout


@pytest.mark.model
def test_many_notes_without_vectors_are_answered_by_keywords_and_named(tmp_path: Path) -> None:
    (tmp_path / "user").mkdir()
    for number in range(65):
        (tmp_path / "user" / f"n{number}.md").write_text(f"Apples of kind {number}.\n", "utf-8")
    done = run("retrieve", "-d", tmp_path, "apples", "--json")
    answer = json.loads(done.stdout)
    assert (answer["seedMode"], answer["isIncomplete"]) == ("keyword", True)
    assert answer["needsAttention"] == "65 of 65 notes have no vector yet; keywords find them."
    assert "`memory-lsp rebuild`" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / ".graph").exists()
    assert run("rebuild", "-d", tmp_path).returncode == 0
    again = json.loads(run("retrieve", "-d", tmp_path, "apples", "--json").stdout)
    assert (again["seedMode"], again["isIncomplete"], again["needsAttention"]) == ("hybrid", False, None)


@pytest.mark.model
def test_a_vault_is_indexed_on_request_only(tmp_path: Path) -> None:
    (tmp_path / "apples.md").write_text("Apples grow on trees.\n", "utf-8")
    answer = json.loads(run("retrieve", "-d", tmp_path, "fruit trees", "--json").stdout)
    assert answer["seedMode"] == "hybrid"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["apples.md"]
    assert run("rebuild", "-d", tmp_path).returncode == 0
    assert (tmp_path / ".graph" / "embeddings.bin").stat().st_size == 384 * 4


@pytest.mark.model
def test_a_damaged_sidecar_is_told_and_made_anew(memory: Path) -> None:
    (memory / ".graph").mkdir()
    (memory / ".graph" / "meta.json").write_text("{}", "utf-8")
    (memory / ".graph" / "embeddings.bin").write_bytes(b"x")
    assert run("doctor", "-d", memory).returncode == 1
    done = run("retrieve", "-d", memory, QUESTION)
    assert done.returncode == 0
    assert "incomplete" in done.stderr and "Traceback" not in done.stderr
    counts = json.loads(run("stats", "-d", memory, "--json").stdout)
    assert (counts["vectors"], counts["dims"]) == (32, 384)


@pytest.mark.model
def test_asking_with_another_model_leaves_the_index_alone(memory: Path) -> None:
    (memory / ".graph").mkdir()
    meta = '{"schemaVersion": 1, "modelId": "some/other-model", "dims": 2, "entries": [], "checksum": ""}'
    (memory / ".graph" / "meta.json").write_text(meta, "utf-8")
    done = run("retrieve", "-d", memory, QUESTION, "--json")
    assert json.loads(done.stdout)["seedMode"] == "hybrid"
    assert "holds vectors of some/other-model and is left alone" in done.stderr
    assert [path.name for path in (memory / ".graph").iterdir()] == ["meta.json"]
    assert (memory / ".graph" / "meta.json").read_text("utf-8") == meta
    checks = json.loads(run("doctor", "-d", memory, "--json").stdout)["checks"]
    assert [check["fix"] for check in checks if check["name"] == "sidecar"] == ["Run `memory-lsp rebuild`."]


@pytest.mark.model
def test_doctor_loads_the_model_and_times_it(memory: Path) -> None:
    done = run("doctor", "-d", memory, "--json")
    checks = {check["name"]: check["value"] for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 0
    assert "ms a text, 384 dimensions" in checks["model"]
