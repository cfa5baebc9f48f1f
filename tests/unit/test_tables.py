"""Tables and sets that share what did not change: against plain dicts and sets, and that a change costs little."""

from __future__ import annotations

import random

import pytest
from memory_lsp.core.tables import Members, Moves, Table, renewed


def test_a_table_follows_a_dict_and_leaves_earlier_ones_alone() -> None:
    rng = random.Random(3)
    plain: dict[int, int] = {}
    table: Table[int, int] = Table()
    earlier: list[tuple[Table[int, int], dict[int, int]]] = []
    for step in range(3_000):
        puts = {rng.randrange(800): step for _ in range(rng.choice((0, 1, 1, 5)))}
        gone = [rng.randrange(800) for _ in range(rng.choice((0, 1, 2)))]
        for key in gone:
            plain.pop(key, None)
        plain.update(puts)
        table = table.updated(puts, gone)
        assert len(table) == len(plain)
        if step % 100 == 0:
            earlier.append((table, dict(plain)))
    for one, expected in earlier:
        assert one == expected
        assert sorted(one) == sorted(expected)
        assert dict(one.items()) == expected
        for key in range(800):
            assert one.get(key) == expected.get(key)
            assert (key in one) == (key in expected)


def test_versions_tell_which_values_differ() -> None:
    rng = random.Random(4)
    first: Table[int, object] = Table({number: object() for number in range(500)})
    table = first
    for step in range(400):
        puts, gone = {rng.randrange(600): object()}, [rng.randrange(600)] if step % 3 == 0 else []
        before, table = table, table.updated(puts, gone)
        for one, other in ((before, table), (table, before), (first, table)):
            expected = {key for key in range(600) if one.get(key) is not other.get(key)}
            assert set(one.differing(other)) == expected
        assert list(table.values()) == [table[key] for key in table]


def test_a_missing_key_is_an_error_whether_it_never_came_or_went() -> None:
    table = Table({"a": 1}).updated({}, ["a"])
    for key in ("a", "b"):
        with pytest.raises(KeyError):
            table[key]
        assert table.get(key, 7) == 7


def test_nothing_changed_is_the_same_table() -> None:
    table = Table({"a": 1})
    assert table.updated({}, ["b"]) is table


def test_large_groups_follow_plain_sets() -> None:
    rng = random.Random(5)
    names = [f"n{number}" for number in range(600)]
    plain: dict[str, set[str]] = {"all": set(), "few": set()}
    table: Table[str, frozenset[str] | Members[str]] = Table()
    belongs: dict[str, frozenset[str]] = dict.fromkeys(names, frozenset())
    kinds = set[type]()
    for step in range(4_000):
        # First they come, then most of them go again.
        chance = 0.8 if step < 2_000 else 0.1
        name = rng.choice(names)
        after = frozenset(group for group, rate in (("all", chance), ("few", chance / 40)) if rng.random() < rate)
        moves = Moves()
        moves.note(name, belongs[name], after)
        table, belongs[name] = moves.applied(table), after  # type: ignore[arg-type, assignment]
        for group, members in plain.items():
            members.discard(name)
            if group in after:
                members.add(name)
        kinds.add(type(table.get("all")))
    for group, members in plain.items():
        found = table.get(group, frozenset())
        assert found == members
        assert members == found
        assert sorted(found) == sorted(members)
        assert found - {"n1"} == members - {"n1"}
    assert {frozenset, Members} <= kinds


def test_a_group_without_members_is_gone() -> None:
    moves, back = Moves(), Moves()
    moves.note("a", frozenset(), frozenset(("g",)))
    back.note("a", frozenset(("g",)), frozenset())
    assert back.applied(moves.applied(Table())) == {}


@pytest.mark.parametrize("size", [3, 1_000])
def test_a_renewed_group_is_equal_and_another(size: int) -> None:
    moves = Moves()
    for number in range(size):
        moves.note(f"n{number}", frozenset(), frozenset(("g",)))
    group = moves.applied(Table())["g"]
    assert renewed(group) == group
    assert renewed(group) is not group
