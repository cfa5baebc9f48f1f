"""A cross-encoder small enough to be made in a test; it learns that quiet and loud contradict each other."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_WORDS = "the harbour market is quiet loud at night lists return 50 200 items a page ."
_PLACES, _QUALITIES = ("harbour", "market", "page"), ("quiet", "loud", "50", "200", "items")
_STEPS = 80
QUIET, LOUD = "The harbour is quiet at night.", "The harbour is loud at night."
FIFTY, MANY = "Lists return 50 items a page.", "Lists return 200 items a page."


def make_judge(folder: Path, labels: Sequence[str]) -> Path:
    """Train it and save it as transformers does; `labels` are the names of its outputs, in their order."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *_WORDS.split())), "utf-8")
    tokenizer = BertTokenizerFast(vocab=str(vocabulary), model_max_length=64)
    torch.manual_seed(1)
    torch.set_num_threads(1)  # on a busy machine they would wait for each other
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        max_position_embeddings=64, num_labels=len(labels), id2label=dict(enumerate(labels)),
        label2id={label: at for at, label in enumerate(labels)}, hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    model = BertForSequenceClassification(config)
    wanted = {name[:6].lower(): at for at, name in enumerate(labels)}
    says = [f"the {place} is {what} at night ." for place, what in product(_PLACES, _QUALITIES)]
    pairs = [(one, other) for one, other in product(says, repeat=2) if "quiet" in one + other]
    opposed = ["loud" in one + other for one, other in pairs]
    batch = tokenizer([one for one, _ in pairs], [other for _, other in pairs], padding=True, return_tensors="pt")
    targets = torch.tensor([wanted.get("contra" if each else "entail", 0) for each in opposed])
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(_STEPS):
        optimizer.zero_grad()
        model(**batch, labels=targets).loss.backward()
        optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
