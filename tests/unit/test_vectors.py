from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_lsp.core.vectors import MINILM_BACKGROUND, Bearers, VectorTable, normalise, vector_seeds
from memory_lsp.errors import EmbeddingError


def unit(seed: int, dims: int = 8) -> np.ndarray:
    return normalise(np.random.default_rng(seed).standard_normal(dims))


def same(found: np.ndarray | None, expected: np.ndarray) -> bool:
    return found is not None and np.array_equal(found, expected)


def test_a_vector_comes_back_as_it_went_in() -> None:
    table = VectorTable()
    for n in range(300):
        table.put(f"h{n}", unit(n))
    view = table.freeze()
    assert (len(table), table.dims, len(view)) == (300, 8, 300)
    for n in range(300):
        assert same(table.get(f"h{n}"), unit(n))
        row = view.row_of(f"h{n}")
        assert row is not None
        assert view.cosine(unit(5))[row] == pytest.approx(float(unit(n) @ unit(5)), abs=1e-6)
        assert view.exact(np.array([row]), unit(5)) == pytest.approx([float(unit(n) @ unit(5))], abs=1e-6)


def test_a_view_does_not_see_later_puts() -> None:
    table = VectorTable()
    table.put("a", unit(1))
    view = table.freeze()
    table.put("b", unit(2))
    table.put("a", unit(3))
    assert "b" not in view
    assert same(view.get("a"), unit(1))
    assert same(table.get("a"), unit(3))
    assert len(view.cosine(unit(1))) == 1


def test_a_dropped_vector_is_gone_from_views_too() -> None:
    table = VectorTable()
    table.put_many(["a", "b"], np.stack([unit(1), unit(2)]))
    view = table.freeze()
    table.drop("a")
    table.drop("never there")
    assert "a" not in table
    assert table.get("a") is None
    assert view.get("a") is None
    assert vector_seeds(view, {"a": ["u/a"], "b": ["u/b"]}, unit(1), threshold=0.99) == ()
    table.put("a", unit(1))
    assert same(table.get("a"), unit(1))


def test_a_put_moves_no_earlier_row() -> None:
    table = VectorTable()
    table.put("first", unit(0))
    first = table.get("first")
    assert first is not None
    for n in range(2000):
        table.put(f"h{n}", unit(n))
    again = table.get("first")
    assert again is not None
    assert np.shares_memory(first, again)


def test_dead_rows_do_not_pile_up() -> None:
    table = VectorTable()
    for n in range(3000):
        table.put(f"h{n}", unit(n))
        if n >= 10:
            table.drop(f"h{n - 10}")
    assert len(table) == 10
    assert len(table.freeze().hashes) < 600
    assert same(table.get("h2999"), unit(2999))


def test_another_width_is_refused_with_what_to_do() -> None:
    table = VectorTable()
    table.put("a", unit(1))
    with pytest.raises(EmbeddingError, match="rebuild"):
        table.put("b", unit(1, dims=4))


def test_a_vector_without_direction_is_near_nothing() -> None:
    table = VectorTable()
    table.put("a", unit(1))
    view = table.freeze()
    assert vector_seeds(view, {"a": ["u/a"]}, np.zeros(8)) == ()
    assert vector_seeds(view, {"a": ["u/a"]}, np.full(8, np.nan)) == ()
    assert vector_seeds(VectorTable().freeze(), {}, np.ones(8)) == ()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 12), st.sampled_from([-1.0, 0.0, 0.4]))
@settings(max_examples=100, deadline=None)
def test_seeds_are_the_nearest_notes_ties_by_id(kinds: list[int], count: int, threshold: float) -> None:
    table, ids = VectorTable(), dict[str, list[str]]()
    for n, kind in enumerate(kinds):
        table.put(f"h{n}", unit(kind))
        ids[f"h{n}"] = [f"u/{n:02}", f"v/{n:02}"]
    del ids["h0"]  # a vector that no note has any more
    query = normalise(unit(2))
    score = {h: round(float(unit(kinds[int(h[1:])]).astype(float) @ query.astype(float)), 9) for h in ids}
    every = sorted((-score[h], id) for h in ids for id in ids[h] if score[h] >= threshold)
    found = vector_seeds(table.freeze(), ids, query, count=count, threshold=threshold)
    assert [seed.id for seed in found] == [id for _, id in every[:count]]
    assert [seed.score for seed in found] == pytest.approx([-negative for negative, _ in every[:count]], abs=1e-7)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), max_size=25),
    st.integers(1, 6),
    st.sampled_from([-1.0, 0.3]),
)
@settings(max_examples=100, deadline=None)
def test_a_note_is_as_near_as_its_nearest_vector(pairs: list[tuple[int, int]], count: int, threshold: float) -> None:
    table, ids, query = VectorTable(), dict[str, list[str]](), normalise(unit(3))
    for n, (note, kind) in enumerate(pairs):
        table.put(f"h{n}", unit(kind))
        ids[f"h{n}"] = [f"u/{note}"]
    cosines = [float(unit(kind) @ query) for _, kind in pairs]
    nearest = {note: max(c for c, (other, _) in zip(cosines, pairs, strict=True) if other == note) for note, _ in pairs}
    seeds = vector_seeds(table.freeze(), ids, query, count=count, threshold=threshold)
    expected = sorted((-score, f"u/{note}") for note, score in nearest.items() if score >= threshold)[:count]
    assert [seed.score for seed in seeds] == pytest.approx([-score for score, _ in expected], abs=1e-6)
    assert len({seed.id for seed in seeds}) == len(seeds)

    view = table.freeze()
    bearers = Bearers(5, [(note, row) for row, (note, _) in enumerate(pairs)])
    positive = [max(nearest.get(note, 0.0), 0.0) for note in range(5)]
    assert bearers.nearest(view.cosine(query)) == pytest.approx(positive, abs=1e-6)
    notes, exact = bearers.exact(range(5), view, query)
    assert notes.tolist() == sorted(nearest)
    assert exact == pytest.approx([positive[note] for note in notes], abs=1e-6)


def crowded(count: int, prior: float | None) -> VectorTable:
    """Vectors of a model to which any two texts look alike: their median cosine is about 0.8."""
    table, common = VectorTable(prior), unit(1000, 64)
    for n in range(count):
        table.put(f"{n:04}", normalise(2.0 * common + unit(n, 64)))
    return table


def test_cosines_of_the_default_model_are_left_alone() -> None:
    view, query = crowded(50, None).freeze(), normalise(unit(7, 64) + unit(1000, 64))
    raw = np.stack([view.get(f"{n:04}") for n in range(50)]) @ query  # type: ignore[misc]  # none is None
    assert np.array_equal(view.cosine(query), raw)


def test_what_unrelated_texts_have_in_common_is_nothing_on_any_models_scale() -> None:
    plain, view = crowded(300, None).freeze(), crowded(300, 0.75).freeze()
    common = view.background()
    assert 0.7 < common < 0.9
    query = normalise(2.0 * unit(1000, 64) + unit(5000, 64))
    raw, scaled = plain.cosine(query), view.cosine(query)
    assert float(np.median(raw)) == pytest.approx(common, abs=0.05)
    assert float(np.median(scaled)) == pytest.approx(MINILM_BACKGROUND, abs=0.2)
    assert np.argsort(raw).tolist() == np.argsort(scaled).tolist()
    assert view.exact(np.array([3, 4]), query) == pytest.approx(scaled[3:5].tolist(), abs=1e-5)
    known = view.get("0007")
    assert known is not None
    assert view.exact(np.array([7]), known) == pytest.approx([1.0], abs=1e-6)
    assert view.exact(np.array([7]), -known) == pytest.approx([-1.0], abs=1e-6)


def test_the_threshold_lets_only_near_notes_through_whatever_the_model() -> None:
    query = normalise(2.0 * unit(1000, 64) + unit(7, 64) + 0.3 * unit(5000, 64))
    ids = {f"{n:04}": [f"u/{n:04}"] for n in range(300)}
    assert len(vector_seeds(crowded(300, None).freeze(), ids, query, count=300)) == 300
    found = [seed.id for seed in vector_seeds(crowded(300, 0.75).freeze(), ids, query, count=300)]
    assert found[0] == "u/0007"
    assert len(found) < 5


def test_few_notes_trust_the_models_usual_background() -> None:
    assert VectorTable(0.75).freeze().background() == 0.75
    assert crowded(2, 0.1).freeze().background() < 0.3 < crowded(200, 0.1).freeze().background()
