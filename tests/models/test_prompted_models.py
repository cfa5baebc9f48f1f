"""Models that want prompts, through their real libraries: what is embedded, what it is called, how it is scored.

The sentence-transformers model is a tiny one with random weights that the test makes: its answers mean nothing, but it
takes the same way as a multilingual model of the hub.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from memory_lsp.config import EmbeddingConfig, read_settings
from memory_lsp.discovery import find_places
from memory_lsp.embedding import backends
from memory_lsp.embedding.client import Embedder
from memory_lsp.embedding.plan import make_plan
from memory_lsp.embedding.prompts import Prompts
from memory_lsp.memory import open_memory
from weights import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.model

TEXTS = ("die Fähre fährt um neun", "the ferry leaves at nine", "渡轮九点出发", "Backe das Brot heiß", "bake bread hot")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a sentence-transformers folder with a small random BERT, named as a multilingual e5 model is."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("models") / "multilingual-e5-tiny"
    (folder / "1_Pooling").mkdir(parents=True)
    letters = sorted({letter for text in TEXTS for letter in text.lower()} | set("querypasag: "))
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(words)) + "\n", encoding="utf-8")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64
    )
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), strip_accents=False).save_pretrained(folder)
    kinds = (("", "Transformer"), ("1_Pooling", "Pooling"))
    modules = [
        {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for number, (path, kind) in enumerate(kinds)
    ]
    pooling = {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}
    told = {"modules": modules, "sentence_bert_config": {"max_seq_length": 64}, "1_Pooling/config": pooling}
    for name, content in (told | {"config_sentence_transformers": {}}).items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def raw(folder: Path, *texts: str) -> list[list[float]]:
    rows: list[list[float]] = backends.load("sentence-transformers", str(folder)).encode(texts).tolist()
    return rows


async def test_a_multilingual_model_of_sentence_transformers_serves_a_memory(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Memory\n")
    (tmp_path / "project").mkdir()
    for number, text in enumerate(TEXTS):
        (tmp_path / f"project/n{number}.md").write_text(f"---\nname: n{number}\n---\n{text}\n", encoding="utf-8")
    plan = make_plan(EmbeddingConfig("sentence-transformers", str(tiny)))
    assert plan.prompts == Prompts("query: ", "passage: ")
    assert plan.model_id.startswith("sentence-transformers/multilingual-e5-tiny/")
    assert "/prompt-" in plan.model_id
    settings, _ = read_settings({"embedding": {"backend": "sentence-transformers", "model": str(tiny)}})
    embedder = Embedder(plan, idle_timeout=0, start_deadline=PATIENCE, slice_deadline=PATIENCE)
    memory = open_memory(find_places(tmp_path)[0], settings, plan.model_id, embedder, background=plan.background)
    try:
        memory.load()
        memory.indexer.request(None)
        await memory.indexer.finish()
        assert len(memory.index) == len(TEXTS)
        meta = json.loads((tmp_path / ".graph/meta.json").read_text())
        assert (meta["modelId"], meta["dims"]) == (plan.model_id, 32)

        note = memory.directory.snapshot.notes["project/n2.md"]
        vector = memory.index.vectors.get(note.hash)
        assert vector is not None
        assert vector.tolist() == pytest.approx(raw(tiny, f"passage: n2\n\n{TEXTS[2]}")[0], abs=1e-5)
        query = await embedder.embed_query(TEXTS[2], PATIENCE)
        assert query is not None
        assert query.tolist() == pytest.approx(raw(tiny, f"query: {TEXTS[2]}")[0], abs=1e-5)

        # Random weights see hardly any difference between texts; on the scale of scores that is not nearness.
        view = memory.index.vectors.freeze()
        assert view.background() > 0.5
        rows = [view.get(note.hash) for note in memory.directory.snapshot.notes.values()]
        plain = [float(row @ query) for row in rows if row is not None]
        assert float(np.median(view.cosine(query))) < float(np.median(plain))
        assert memory.retrieve(TEXTS[2], query, limit=3).results
    finally:
        await memory.indexer.close()
        await embedder.close()


def test_the_prompts_of_the_models_own_folder_count_once(tiny: Path, tmp_path: Path) -> None:
    folder = tmp_path / "named-prompts"
    shutil.copytree(tiny, folder)
    path = folder / "config_sentence_transformers.json"
    config = json.loads(path.read_text()) | {
        "prompts": {"query": "ask: ", "document": "say: "}, "default_prompt_name": "document",
    }  # fmt: skip
    path.write_text(json.dumps(config))
    chosen = EmbeddingConfig("sentence-transformers", str(folder))
    assert make_plan(chosen).prompts == Prompts("ask: ", "say: ")

    async def both() -> tuple[list[float], list[float]]:
        embedder = Embedder(make_plan(chosen), idle_timeout=0, start_deadline=PATIENCE, slice_deadline=PATIENCE)
        try:
            (note,), query = await embedder.embed(["the ferry"]), await embedder.embed_query("the ferry", PATIENCE)
            assert note is not None
            assert query is not None
            return [float(value) for value in note], [float(value) for value in query]
        finally:
            await embedder.close()

    note, query = asyncio.run(both())
    assert note == pytest.approx(raw(tiny, "say: the ferry")[0], abs=1e-5)
    assert query == pytest.approx(raw(tiny, "ask: the ferry")[0], abs=1e-5)
