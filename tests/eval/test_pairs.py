"""Contradictions keep the quality that docs/retrieval.md tells: precision first, and no alarm in a clean memory."""

from __future__ import annotations

import pytest
from contradictions import alarms_in, example_memory, judge, labelled_memory, precision


@pytest.mark.parametrize(
    ("split", "recall", "succession"), [("dev", 0.95, 0.8), ("more", 0.9, 0.95), ("test", 0.85, 0.45)]
)
def test_nine_alarms_of_ten_are_right(split: str, recall: float, succession: float) -> None:
    pairs = [pair for pair in judge() if pair.split == split]
    right, alarms = precision(pairs)
    assert right >= 0.9 * alarms
    right, alarms = precision(pair for pair in pairs if pair.label != "superseding")
    assert right >= 0.9 * alarms
    for label, share in (("contradicting", recall), ("superseding", succession)):
        wanted = [pair for pair in pairs if pair.label == label]
        assert sum(pair.found is not None for pair in wanted) >= share * len(wanted)


def test_a_memory_without_contradictions_raises_no_alarm() -> None:
    assert alarms_in(labelled_memory()) == []
    assert alarms_in(example_memory()) == []
