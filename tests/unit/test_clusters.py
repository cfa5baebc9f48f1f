from __future__ import annotations

import numpy as np
import pytest
from memory_lsp.core.clusters import Cluster, find_clusters
from memory_lsp.core.vectors import normalise

SIZE = 500


def store(seed: int = 3) -> tuple[list[str], np.ndarray]:
    """Make notes around forty subjects, as vectors of 32 numbers."""
    chance = np.random.default_rng(seed)
    subjects = chance.standard_normal((40, 32))
    points = subjects[chance.integers(0, 40, SIZE + 10)] + 0.6 * chance.standard_normal((SIZE + 10, 32))
    return [f"project/note-{n}" for n in range(SIZE + 10)], normalise(points)


def kept(before: tuple[Cluster, ...], after: tuple[Cluster, ...]) -> float:
    """Return the share of the notes in both that keep the id of their cluster."""
    old = {member: cluster.id for cluster in before for member in cluster.members}
    new = {member: cluster.id for cluster in after for member in cluster.members}
    both = old.keys() & new.keys()
    return sum(old[id] == new[id] for id in both) / len(both)


def test_every_note_is_in_one_cluster_and_ids_are_distinct() -> None:
    ids, points = store()
    clusters = find_clusters(ids, points)
    assert sorted(member for cluster in clusters for member in cluster.members) == sorted(ids)
    assert len({cluster.id for cluster in clusters}) == len(clusters) == 16
    assert all(cluster.id.startswith("cluster:") for cluster in clusters)


def test_the_order_of_the_notes_does_not_matter() -> None:
    ids, points = store()
    shuffle = np.random.default_rng(0).permutation(len(ids))
    assert find_clusters([ids[n] for n in shuffle], points[shuffle]) == find_clusters(ids, points)


def test_no_clusters_below_six_notes() -> None:
    ids, points = store()
    assert find_clusters(ids[:5], points[:5]) == ()
    assert len(find_clusters(ids[:6], points[:6])) == 2


def test_ids_outlive_one_note_more_less_or_other() -> None:
    ids, points = store()
    before = find_clusters(ids[:SIZE], points[:SIZE])
    shares = []
    for n in range(8):
        more = [*range(SIZE), SIZE + n]
        less = [m for m in range(SIZE) if m != 50 * n]
        other = points[:SIZE].copy()
        other[50 * n] = points[SIZE + n]
        shares.append(kept(before, find_clusters([ids[m] for m in more], points[more])))
        shares.append(kept(before, find_clusters([ids[m] for m in less], points[less])))
        shares.append(kept(before, find_clusters(ids[:SIZE], other)))
    assert np.mean(shares) >= 0.97


def test_ids_outlive_ten_notes_replaced() -> None:
    shares = []
    for seed in range(8):
        ids, points = store(seed)
        shares.append(kept(find_clusters(ids[:SIZE], points[:SIZE]), find_clusters(ids[10:], points[10:])))
    assert np.mean(shares) >= 0.8


def test_the_reference_seeding_is_what_does_not_last() -> None:
    ids, points = store()
    before = find_clusters(ids[:SIZE], points[:SIZE], seeding="reference")
    assert kept(before, find_clusters(ids[: SIZE + 1], points[: SIZE + 1], seeding="reference")) < 0.9


def test_labels_are_words_that_a_cluster_has_and_others_have_not() -> None:
    points = normalise(np.array([[1, 0.01 * n] for n in range(6)] + [[0.01 * n, 1] for n in range(6)]))
    texts = ["the postgres index plan"] * 6 + ["the release checklist plan"] * 6
    labels = {c.label for c in find_clusters([f"u/{n:02}" for n in range(12)], points, texts) if len(c.members) > 4}
    assert labels <= {"index, postgres", "checklist, release"}
    assert labels


@pytest.mark.parametrize("seeding", ["stable", "reference"])
def test_equal_points_and_zeros_do_no_harm(seeding: str) -> None:
    points = np.zeros((30, 4), dtype=np.float32)
    points[:20, 0] = 1
    clusters = find_clusters([f"u/{n}" for n in range(30)], points, seeding=seeding)  # type: ignore[arg-type]
    assert sum(len(cluster.members) for cluster in clusters) == 30
