"""Pairs of bodies: those that are left out of a question, and how each of the others begins.

Of N bodies there are N (N - 1) / 2 pairs, and few of them are special; the tables here keep these alone.
"""

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .start import Start

Pair = tuple[int, int]


class Pairs:
    """A set of pairs (i, j), i < j, of `count` bodies: single pairs, and groups of bodies of which it holds all pairs except `missing`."""

    def __init__(self, count: int, single: Iterable[Pair] = (), groups: Iterable[Iterable[int]] = (), missing: Iterable[Pair] = ()) -> None:
        self.count, self.single, self.missing = count, set(single), frozenset(missing)
        self.groups: list[tuple[int, ...]] = []
        # Each row gives every body the number of its group, a number of its own where it is in none. Groups in one row are disjoint.
        self._rows: list[np.ndarray] = []
        for members in groups:
            self._add(members)

    def _add(self, members: Iterable[int]) -> None:
        group = tuple(sorted(members))
        own = np.array(group, np.int64)
        row = next((row for row in self._rows if (row[own] < self.count).all()), None)
        if row is None:
            row = np.arange(self.count)
            self._rows.append(row)
        row[own] = self.count + len(self.groups)
        self.groups.append(group)

    def __contains__(self, pair: Pair) -> bool:
        return pair in self.single or (bool(self._rows) and self._grouped(*pair))

    def _grouped(self, i: int, j: int) -> bool:
        return (i, j) not in self.missing and any(row[i] == row[j] for row in self._rows)

    def without(self, pairs: Iterable[Pair]) -> "Pairs":
        """The set without some pairs."""
        gone = frozenset(pairs)
        return Pairs(self.count, self.single - gone, self.groups, self.missing | gone) if gone else self

    def __bool__(self) -> bool:
        return bool(self.single or (len(self) if self.missing else self.groups))

    def __eq__(self, other: object) -> bool:
        """Whether it is given by the same pairs and groups."""
        return isinstance(other, Pairs) and (self.count, self.single, self.groups, self.missing) == (
            other.count, other.single, other.groups, other.missing)

    def holds(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """(n,) bool: whether each of the pairs (i, j), i < j, of arrays of numbers is in it."""
        found = np.zeros(len(i), bool)
        for row in self._rows:
            found |= row[i] == row[j]
        if self.missing:
            found &= ~self._among(i, j, self.missing)
        if self.single:
            found |= self._among(i, j, self.single)
        return found

    def _among(self, i: np.ndarray, j: np.ndarray, pairs: Collection[Pair]) -> np.ndarray:
        return np.isin(i * self.count + j, np.array([first * self.count + second for first, second in pairs]))

    def __len__(self) -> int:
        rows = np.array(self._rows, np.int64).reshape(-1, self.count)
        grouped = sum(int((rows[:, k + 1:] == rows[:, k, None]).any(axis=0).sum()) for k in range(self.count) if self._rows)
        grouped -= sum(any(row[i] == row[j] for row in self._rows) for i, j in self.missing)
        return grouped + sum(not self._grouped(*pair) for pair in self.single)


class Starts(Mapping[Pair, Start]):
    """The state of every pair (i, j), i < j, of `count` bodies but those `ignored`: `usual`, except for `others`."""

    def __init__(self, count: int, usual: Start, ignored: Pairs | None = None) -> None:
        self.usual, self.ignored = usual, Pairs(count) if ignored is None else ignored
        self.others: dict[Pair, Start] = {}

    def __contains__(self, pair: object) -> bool:
        match pair:
            case (int() | np.integer() as i, int() | np.integer() as j) if isinstance(pair, tuple):
                return bool(0 <= i < j < self.ignored.count) and pair not in self.ignored
        return False

    def __getitem__(self, pair: Pair) -> Start:
        own = self.others.get(pair)
        if own is None and pair not in self:
            raise KeyError(pair)
        return own or self.usual

    def __iter__(self) -> Iterator[Pair]:
        return (pair for pair in itertools.combinations(range(self.ignored.count), 2) if pair not in self.ignored)

    def __len__(self) -> int:
        count = self.ignored.count
        return count * (count - 1) // 2 - len(self.ignored)

    def __repr__(self) -> str:
        return f"Starts({self.usual!r}, but for {self.others!r})" if self.ignored.count > _SHOWN else repr(dict(self))


# The states of more bodies are not listed pair by pair.
_SHOWN = 16


def pairs_in(start: Mapping[Pair, Start], state: Start) -> Iterator[Pair]:
    """The pairs in a state, in order; those that are as usual are not looked for if they are in another one."""
    known: Any = start.others if isinstance(start, Starts) and start.usual is not state else start
    return (pair for pair, own in known.items() if own is state)


def count_in(start: Mapping[Pair, Start], state: Start) -> int:
    """The number of pairs in a state."""
    if isinstance(start, Starts) and start.usual is state:
        return len(start) - sum(own is not state for own in start.others.values())
    return sum(1 for _ in pairs_in(start, state))
