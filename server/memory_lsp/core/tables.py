"""Tables and sets that never change, whose next version shares all but a little with the one before.

Each is a large base that many versions share, and a small part over it that says what is different. A change copies the
small part; once that outgrows twice the square root of the base, both become a new base. So a change costs √n steps in
the mean, each of them a few nanoseconds, and a look-up two of a dict's. Hash tries (`immutables`, `rpds-py`) change in
log n, but take more than ten times as long as a dict to build, which every start does.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from math import isqrt
from typing import TYPE_CHECKING, Final, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, Iterator, ValuesView

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
DefaultT = TypeVar("DefaultT")
MemberT = TypeVar("MemberT")

_LEAST = 64


class _Gone:
    """What stands for the value of a key that the base has and the table has not."""


_GONE: Final = _Gone()
_UNKNOWN: Final = _Gone()


class Table(Mapping[KeyT, ValueT]):
    """An immutable mapping; `updated` returns another one. What order the keys come in depends on how it came about."""

    __slots__ = ("_base", "_count", "_recent", "_whole")

    def __init__(self, items: Mapping[KeyT, ValueT] | Iterable[tuple[KeyT, ValueT]] = ()) -> None:
        """Take the first items; `items` may change afterwards."""
        self._base: dict[KeyT, ValueT] = dict(items)
        self._recent: dict[KeyT, ValueT | _Gone] = {}
        self._whole: dict[KeyT, ValueT] | None = None  # both in one, for those who walk through all of it
        self._count = len(self._base)

    def updated(self, puts: Mapping[KeyT, ValueT], gone: Iterable[KeyT] = ()) -> Table[KeyT, ValueT]:
        """Return the table with some values put, and without the keys in `gone` that are not put."""
        leaving = {key for key in gone if key in self and key not in puts}
        if not puts and not leaving:
            return self
        table: Table[KeyT, ValueT] = Table.__new__(Table)
        table._count = self._count - len(leaving) + sum(key not in self for key in puts)
        table._base, table._recent, table._whole = self._base, self._recent.copy(), None
        for key in leaving:
            if key in self._base:
                table._recent[key] = _GONE
            else:
                del table._recent[key]
        table._recent.update(puts)
        if len(table._recent) > _most(len(table._base)):
            table._base, table._recent = table._merged(), {}
        return table

    def differing(self, other: Table[KeyT, ValueT]) -> list[KeyT]:
        """Return the keys with another value, by identity, than in a version before or after this one."""
        keys = self._recent.keys() | other._recent.keys() if self._base is other._base else self.keys() | other.keys()
        return [key for key in keys if self.get(key, _UNKNOWN) is not other.get(key, _UNKNOWN)]

    def __getitem__(self, key: KeyT) -> ValueT:
        found = self._recent.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            return self._base[key]
        if found is _GONE:
            raise KeyError(key)
        return found  # type: ignore[return-value]  # mypy does not narrow by identity

    @overload
    def get(self, key: KeyT, /) -> ValueT | None: ...
    @overload
    def get(self, key: KeyT, /, default: ValueT | DefaultT) -> ValueT | DefaultT: ...
    def get(self, key: KeyT, /, default: ValueT | DefaultT | None = None) -> ValueT | DefaultT | None:
        """Return the value of a key, or `default`."""
        found = self._recent.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            return self._base.get(key, default)
        return default if found is _GONE else found  # type: ignore[return-value]

    def __contains__(self, key: object) -> bool:
        found = self._recent.get(key, _UNKNOWN)  # type: ignore[arg-type]  # any object may be asked about
        return key in self._base if found is _UNKNOWN else found is not _GONE

    def __iter__(self) -> Iterator[KeyT]:
        return iter(self._merged())

    def items(self) -> ItemsView[KeyT, ValueT]:
        """Return the pairs of keys and values."""
        return self._merged().items()

    def values(self) -> ValuesView[ValueT]:
        """Return the values."""
        return self._merged().values()

    def _merged(self) -> dict[KeyT, ValueT]:
        if not self._recent:
            return self._base
        if self._whole is None:
            whole = self._base.copy()
            gone = [key for key, value in self._recent.items() if value is _GONE]
            whole.update(self._recent)  # type: ignore[arg-type]  # what is gone leaves again at once
            for key in gone:
                del whole[key]
            self._whole = whole
        return self._whole

    def __len__(self) -> int:
        """Return the number of keys."""
        return self._count

    def __repr__(self) -> str:
        return f"Table({dict(self)!r})"


class Members(AbstractSet[MemberT]):
    """A large immutable set; `changed` returns another one. Small sets are frozensets, see `regrouped`."""

    __slots__ = ("_base", "_less", "_more")

    def __init__(
        self,
        base: frozenset[MemberT],
        more: frozenset[MemberT] = frozenset(),
        less: frozenset[MemberT] = frozenset(),
    ) -> None:
        """Take the base, what is not in it but in the set, and what is in it but not in the set."""
        self._base, self._more, self._less = base, more, less

    @classmethod
    def _from_iterable(cls, it: Iterable[MemberT]) -> AbstractSet[MemberT]:  # type: ignore[override]  # of `&` and `|`
        return frozenset(it)

    def changed(self, leaving: AbstractSet[MemberT], joining: AbstractSet[MemberT]) -> Members[MemberT]:
        """Return the set after some members left and others joined."""
        more = self._more.difference(leaving).union(member for member in joining if member not in self._base)
        less = self._less.union(member for member in leaving if member in self._base).difference(joining)
        if len(more) + len(less) > _most(len(self._base)):
            return Members(self._base.difference(less).union(more))
        return Members(self._base, more, less)

    def __contains__(self, member: object) -> bool:
        return member in self._more or (member in self._base and member not in self._less)

    def __iter__(self) -> Iterator[MemberT]:
        for member in self._base:
            if member not in self._less:
                yield member
        yield from self._more

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self._base) + len(self._more) - len(self._less)

    def __repr__(self) -> str:
        return f"Members({set(self)!r})"


class Moves:
    """Who joins and who leaves the groups of a table; applied at once, so that each group changes once."""

    __slots__ = ("_joining", "_leaving")

    def __init__(self) -> None:
        """Make a list of no moves."""
        self._leaving: dict[str, set[str]] = {}
        self._joining: dict[str, set[str]] = {}

    def note(self, member: str, before: AbstractSet[str], after: AbstractSet[str]) -> None:
        """Take down that a member belonged to some groups and now belongs to others."""
        for group in before - after:
            self._leaving.setdefault(group, set()).add(member)
        for group in after - before:
            self._joining.setdefault(group, set()).add(member)

    def applied(self, table: Table[str, AbstractSet[str]]) -> Table[str, AbstractSet[str]]:
        """Return the table after the moves; groups without members are dropped."""
        nobody: AbstractSet[str] = frozenset()
        changed: dict[str, AbstractSet[str]] = {}
        for group in self._leaving.keys() | self._joining.keys():
            leaving, joining = self._leaving.get(group, nobody), self._joining.get(group, nobody)
            changed[group] = _changed(table.get(group, nobody), leaving, joining)
        empty = [group for group, members in changed.items() if not members]
        for group in empty:
            del changed[group]
        return table.updated(changed, empty)


def renewed(members: AbstractSet[str]) -> AbstractSet[str]:
    """Return an equal set of another identity."""
    return members.changed(frozenset(), frozenset()) if isinstance(members, Members) else frozenset([*members])


def _changed(members: AbstractSet[str], leaving: AbstractSet[str], joining: AbstractSet[str]) -> AbstractSet[str]:
    if isinstance(members, Members):
        changed = members.changed(leaving, joining)
        return changed if len(changed) > _LEAST else frozenset(changed)
    plain = frozenset(members).difference(leaving).union(joining)
    return Members(plain) if len(plain) > 2 * _LEAST else plain


def _most(size: int) -> int:
    """Return how much may lie over a base of some size."""
    return max(_LEAST, 2 * isqrt(size))
