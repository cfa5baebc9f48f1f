"""On the labelled memory the default ranker leads all others, and does not fall below what it once reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from compare import OWN, run
from labelled import Encoder, read
from measure import Score, interval, mean, score
from rankers import RANKERS

if TYPE_CHECKING:
    from labelled import Vault

Results = dict[str, list[tuple[str, Score, float]]]


def compared(vaults: list[Vault]) -> Results:
    return {name: run(vaults, ranker) for name, ranker in RANKERS.items()}


@pytest.fixture(scope="module")
def by_words() -> Results:
    return compared(list(read(OWN, None)))


@pytest.fixture(scope="module")
def by_vectors() -> Results:
    return compared(list(read(OWN, Encoder(None))))


def reached(results: Results, name: str = "spread") -> Score:
    return mean([each for _, each, _ in results[name]])


def test_without_a_model_spread_does_not_fall(by_words: Results) -> None:
    assert reached(by_words).recall8 >= 0.84
    assert reached(by_words).ndcg >= 0.78
    assert reached(by_words).ndcg > max(reached(by_words, name).ndcg for name in ("bm25", "cascade", "evidence"))


@pytest.mark.model
def test_with_the_model_spread_does_not_fall(by_vectors: Results) -> None:
    assert reached(by_vectors).recall8 >= 0.91
    assert reached(by_vectors).ndcg >= 0.84
    assert reached(by_vectors).reciprocal >= 0.84


@pytest.mark.model
@pytest.mark.parametrize("other", ["cosine", "bm25", "fusion", "evidence", "cascade"])
def test_spread_leads_by_more_than_chance(by_vectors: Results, other: str) -> None:
    pairs = zip(by_vectors["spread"], by_vectors[other], strict=True)
    low, _ = interval([ours.ndcg - theirs.ndcg for (_, ours, _), (_, theirs, _) in pairs])
    assert low > 0


@pytest.mark.model
def test_a_query_for_one_known_note_loses_nothing_to_the_graph(by_vectors: Results) -> None:
    kinds = {"known-item", "identifier", "lower-case"}
    found = {name: mean([s for kind, s, _ in by_vectors[name] if kind in kinds]) for name in ("spread", "evidence")}
    assert found["spread"].reciprocal >= found["evidence"].reciprocal - 0.01


def test_measures_are_what_they_are_called() -> None:
    found = score(["a", "b", "c"], {"b", "x"})
    assert (found.recall5, found.recall8, found.reciprocal) == (0.5, 0.5, 0.5)
    assert found.ndcg == pytest.approx(0.6309 / 1.6309, abs=1e-4)
    assert score(["b", "x"], {"b", "x"}) == Score(1.0, 1.0, 1.0, 1.0)
    assert score([], {"b"}) == Score(0.0, 0.0, 0.0, 0.0)
    low, high = interval([0.1, 0.2, 0.3] * 20)
    assert 0.1 < low < 0.2 < high < 0.3
