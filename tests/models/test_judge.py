"""A cross-encoder that the user has looks at pairs of sentences beside the rules, in a process of its own.

The model is a real one, loaded by sentence-transformers, and tiny: what it says is no measure of quality.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from memory_lsp.embedding.judge import Judge, judge_plan
from memory_lsp.errors import EmbeddingError
from peer import put
from tiny_judge import FIFTY, LOUD, MANY, QUIET, make_judge

if TYPE_CHECKING:
    from pathlib import Path

# A busy machine takes a minute to import what the model needs, in this process and in its own.
pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]


async def asked(folder: Path, *pairs: tuple[str, str]) -> list[float | None]:
    judge = Judge(judge_plan(str(folder)), idle_timeout=0)
    try:
        return await judge.contradicting(pairs)
    finally:
        await judge.close()


async def test_the_labels_of_the_model_say_which_output_is_which(judge: Path, tmp_path: Path) -> None:
    chances = await asked(judge, (QUIET, LOUD), (QUIET, QUIET), (FIFTY, MANY))
    assert chances[0] is not None
    assert chances[0] > 0.9
    assert max(chances[1] or 0, chances[2] or 0) < 0.1
    turned = make_judge(tmp_path / "turned", ["contradiction", "neutral", "entailment"])
    assert (await asked(turned, (QUIET, LOUD)))[0] == pytest.approx(chances[0], abs=0.05)


async def test_a_model_without_those_labels_is_refused(tmp_path: Path) -> None:
    other = make_judge(tmp_path / "other", ["LABEL_0", "LABEL_1"])
    with pytest.raises(EmbeddingError, match=r"does not tell contradiction.*label_0, label_1.*contradictions.model"):
        await asked(other, (QUIET, LOUD))


async def test_nothing_is_downloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    plan = judge_plan("somebody/some-nli-model")
    assert plan.backend == "none"
    assert "`hf download somebody/some-nli-model`" in plan.problem
    with pytest.raises(EmbeddingError):
        await Judge(plan, idle_timeout=0).contradicting([(QUIET, LOUD)])


async def test_a_model_of_the_hub_that_was_downloaded_is_found(
    judge: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    repository = tmp_path / "hub" / "hub" / "models--somebody--tiny"
    put(repository / "refs" / "main", "1234")
    (repository / "snapshots").mkdir()
    (repository / "snapshots" / "1234").symlink_to(judge, target_is_directory=True)
    plan = judge_plan("somebody/tiny")
    assert (plan.backend, plan.model) == ("cross-encoder", str(repository / "snapshots" / "1234"))
