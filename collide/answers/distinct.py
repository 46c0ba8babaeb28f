"""Solutions of a search at distinct places: one is kept for each place.

Closed parts share their borders, so a point on an edge solves the problem of the face, too. And where a surface covers itself, one place
has several parameters. There may be tens of thousands of solutions, so only those in the same or in neighbouring cubes of space are
compared.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from codegen.deadline import check

from ..search.native.layout import EXISTS, UNIQUE
from ..search.problem import Problem
from ..search.search import Search

# Up to so many solutions are all compared with each other; of more, so many at a time with those that may be near.
_FEW, _AT_ONCE = 32, 256
# Cubes are so large that their numbers have at most so many bits,
_BITS = 40
# and their sides are at least the least normal double.
_LEAST = float(np.finfo(float).tiny)
# They make one number of the three numbers of a cube: odd, with bits all over (multiplicative hashing: Teschner et al. 2003).
_FACTORS = np.array([73856093, 19349663, 83492791], np.int64) * np.int64(2**32 + 15)


def distinct(s: Search, found: Sequence[int]) -> list[int]:
    """The solutions without those that repeat another one of the same pair of bodies.

    A solution that is not proved unique is left out if it is near one that is known better: one that is proved unique, or proved to exist,
    or belongs to features of lower dimension. Near means closer than `spacing`, for a sample that is proved to exist half of it. Of
    solutions that are proved unique for their parameters, and whose boxes meet in space and in time, one is kept.
    """
    if len(found) < 2:
        return list(found)
    numbers = np.array(sorted(found), np.int64)
    owner, kind = s.arrays["owner"][numbers], s.arrays["kind"][numbers]
    if (owner == owner[:1]).all() and not _any_meet(s.arrays["place"][numbers[kind == UNIQUE]]):
        return numbers.tolist()
    dimension = np.array([_dimension(p) for p in s.problems])[owner]
    order = numbers[np.lexsort((dimension, -np.maximum(kind, 0)))]
    left = np.full(len(order), True)
    for better, worse in near_pairs(s, order):
        repeated = repeats(s, order[worse], order[better])
        for k, other in zip(better[repeated].tolist(), worse[repeated].tolist(), strict=True):
            if left[k]:
                left[other] = False
    return sorted(order[left].tolist())


def labels(s: Search) -> np.ndarray:
    """(problems,): the same number for problems of the same pair of bodies."""
    number: dict[tuple[int, int], int] = {}
    return np.array([number.setdefault(p.label, len(number)) for p in s.problems], np.int64)


def _dimension(p: Problem) -> int:
    return sum(("vertex", "edge", "face").index(name.split()[0]) for name in p.features)


def _any_meet(places: np.ndarray) -> bool:
    """Whether any two of these boxes meet. True if there are too many to compare."""
    if len(places) > _FEW:
        return True
    before = (places[:, None, :, 0] <= places[None, :, :, 1]).all(axis=2)
    return int(np.count_nonzero(before & before.T)) > len(places)


def repeats(s: Search, numbers: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(k,): is each solution at the place of the other one, for the same pair of bodies, but in another situation or for other parameters?
    Places are near if all ends of their boxes are: a place that is known no better may be anywhere in its box.
    """
    owner, pair, kind = s.arrays["owner"], labels(s), s.arrays["kind"][numbers]
    mine, theirs = owner[numbers], owner[others]
    times, others_times = s.times(numbers), s.times(others)
    later = others_times[:, 0] - times[:, 1]
    both = (kind == UNIQUE) & (s.arrays["kind"][others] == UNIQUE) & (later <= 0) & (times[:, 0] <= others_times[:, 1])
    same = (pair[mine] == pair[theirs]) & np.where(mine == theirs, both, later <= s.simultaneity)
    a, b = s.arrays["place"][numbers], s.arrays["place"][others]
    meet = ((a[..., 0] <= b[..., 1]) & (b[..., 0] <= a[..., 1])).all(axis=1)
    with np.errstate(invalid="ignore"):
        near = np.sqrt((np.abs(a - b).max(axis=2)**2).sum(axis=1)) < s.spacing * np.where(kind == EXISTS, 0.5, 1.0)
    return np.asarray(same & np.where(kind == UNIQUE, meet, near))


# -- which are compared ---------------------------------------------------------------------------------------------------


def near_pairs(s: Search, order: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Pairs of solutions that may be the same place, the second one later in the list. They come in portions, in the order of the first
    one.

    Unique solutions come first in the list. Two of them repeat each other if their boxes meet; others, if they are closer than the
    spacing.
    """
    if len(order) <= _FEW:
        yield np.triu_indices(len(order), 1)
        return
    places, alone = s.arrays["place"][order], int(np.count_nonzero(s.arrays["kind"][order] == UNIQUE))
    widest = float((places[:alone, :, 1] - places[:alone, :, 0]).max(initial=0.0))
    unique, all_of_them = _Cubes(places[:alone], widest), _Cubes(places, s.spacing)
    for first in range(0, len(order), _AT_ONCE):
        check()
        better, worse = all_of_them.later(np.arange(first, min(first + _AT_ONCE, len(order))))
        touching = unique.later(np.arange(first, min(first + _AT_ONCE, alone)))
        better, worse = (np.concatenate([a[worse >= alone], b]) for a, b in zip((better, worse), touching, strict=True))
        by_first = np.argsort(better, kind="stable")
        yield better[by_first], worse[by_first]


class _Cubes:
    """Boxes in space by the cube of a grid in which their middle is."""

    def __init__(self, places: np.ndarray, size: float) -> None:
        with np.errstate(invalid="ignore", over="ignore"):
            middles = np.nan_to_num(0.5 * (places[..., 0] + places[..., 1]), posinf=0.0, neginf=0.0)
        size = max(size, float(np.abs(middles).max(initial=0.0)) * 2.0**-_BITS, _LEAST)
        self.cubes = np.floor(middles / size).astype(np.int64)
        keys = self._keys(self.cubes)
        self._sorted = np.argsort(keys, kind="stable")
        self._ordered = keys[self._sorted]

    @staticmethod
    def _keys(cubes: np.ndarray) -> np.ndarray:
        """One number for each cube. Rarely two cubes have the same number; then a few more boxes are compared."""
        keys: np.ndarray = (cubes * _FACTORS).sum(axis=-1)
        return keys

    def later(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of boxes in the same cube or in neighbouring ones, one of `rows` and one after it."""
        steps = np.stack(np.meshgrid(*[np.arange(-1, 2)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        keys = self._keys(self.cubes[rows, None] + steps).reshape(-1)
        begin = np.searchsorted(self._ordered, keys, "left")
        count = np.searchsorted(self._ordered, keys, "right") - begin
        first = np.repeat(np.repeat(rows, len(steps)), count)
        second = self._sorted[np.arange(count.sum()) + np.repeat(begin - (np.cumsum(count) - count), count)]
        later = second > first
        return first[later], second[later]
