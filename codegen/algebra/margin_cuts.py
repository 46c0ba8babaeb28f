"""Boxes narrowed to where minima and maxima of quadrics may be >= 0, by forward-backward propagation (Benhamou, Goualard, Granvilliers and
Puget 1999, algorithm HC4) down to the quadrics, each of which is a row of Linear_Solve.

The place f(x) of a point x of a box X is f(c) + J (x - c) with J in the Jacobian of f over X, and the quadric there is F(f(c)) + s (f(x) -
f(c)), with the slopes s between two places. So F(f(c)) + (s J) (x - c) >= 0 wherever the quadric is to be >= 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..emit.elementary.arithmetic import add, multiply_ends
from ..emit.interval_vectors import Interval, minus
from ..emit.lanes import Lanes
from ..graph.signs import LARGEST
from .quadric import centred, expanded, linear, pairs, secants
from .rows import solve_row

Pair = tuple[int, int]
"""An interval, as vectors of a program."""


class CuttingSurface(NamedTuple):
    """A plane or a quadric: the ends of its coefficients, and its centre."""

    name: str
    ends: list[float]
    centre: list[float]

    @property
    def numbers(self) -> list[float]:
        return [*self.ends, *self.centre]

    @property
    def opposite(self) -> "CuttingSurface":
        return CuttingSurface(self.name, [e for n, h in zip(self.ends[::2], self.ends[1::2], strict=True) for e in (h, n)], self.centre)


def gates_of(value: Pair, leaves: Mapping[Pair, CuttingSurface], least: Mapping[Pair, tuple[Pair, Pair]], *gates: int,
             ) -> Iterator[tuple[CuttingSurface, tuple[int, ...]]]:
    """The leaves that must be >= 0 if the value is, each where upper bounds of others, its gates, are negative. Of a maximum one is >= 0
    where the other is not; 0 is never negative.
    """
    opposite = value[1], value[0]
    if value in leaves or opposite in leaves:
        yield leaves[value] if value in leaves else leaves[opposite].opposite, gates
    elif value in least:
        for part in least[value]:
            yield from gates_of(part, leaves, least, *gates)
    elif opposite in least:
        a, b = ((h, n) for n, h in least[opposite])
        for part, other in ((a, b), (b, a)):
            if other in leaves or other in least or other[::-1] in leaves or other[::-1] in least:
                yield from gates_of(part, leaves, least, *gates, other[1])


# -- instructions: ends are finite, but those of Jacobians; where places are not, `left` forgets it all ---------------


def _cut_quadric(L: Lanes, gate: str, *v: str) -> tuple[str, ...]:
    given, q, centre = v[:-23], pairs(v[-23:-3]), v[-3:]
    at, point = (centred(L, pairs(given[k:k + 6]), centre) for k in (0, 6))
    e = expanded(L, q, point, at)
    return _cut(L, gate, e.value, secants(L, q, e), given[12:])


def _cut_plane(L: Lanes, gate: str, *v: str) -> tuple[str, ...]:
    given, q = v[:-8], pairs(v[-8:])
    return _cut(L, gate, linear(L, q, pairs(given[6:12])), q[:3], given[12:])


CUTS = {"quadric": _cut_quadric, "plane": _cut_plane}


def _cut(L: Lanes, gate: str, value: Interval, slopes: Sequence[Interval], given: Sequence[str]) -> tuple[str, ...]:
    """The part of a box about c that may have a zero of value + slopes J y - e with some e >= 0, where the gate is negative; else all of
    it.
    """
    count = len(given) // 8
    jacobian, about = pairs(given[:6 * count]), pairs(given[6 * count:])
    row, y = [], [*about]
    for j in range(count):
        terms = [multiply_ends(L, *s, *jacobian[count * i + j]) for i, s in enumerate(slopes)]
        row.append(add(L, *add(L, *terms[0], *terms[1]), *terms[2]))
    solve_row(L, row, (value[1], L.const(np.inf)), y)
    open_ = L.lt(gate, L.const(0.0))
    # No end moves outwards, so what is reversed stays so.
    return tuple(L.select(open_, L.min(a, b), a) for old, new in zip(about, y, strict=True) for a, b in zip(old, new, strict=True))


def less(L: Lanes, *v: str) -> tuple[str, ...]:
    """Boxes less others."""
    half = len(v) // 2
    return tuple(end for a, b in zip(pairs(v[:half]), pairs(v[half:]), strict=True) for end in minus(L, a, b))


def within(L: Lanes, ends: Sequence[str]) -> str:
    """Whether the coordinates are numbers of at most `LARGEST`."""
    known = L.le(ends[0], L.const(LARGEST))
    for end in ends[1:]:
        known = L.both(known, L.le(end, L.const(LARGEST)))
    return known


def left(L: Lanes, n: str, h: str, *v: str) -> tuple[str, ...]:
    """The bounds of a value, the upper one negative where nothing is left of a box; and what is left of it."""
    places, given = v[:6], v[6:]
    count = len(given) // 3
    box, centre, about = (pairs(given[k:k + count]) for k in (0, count, 2 * count))
    known, whole, gone = within(L, places), L.const(np.inf), L.mask_const(False)
    for low, high in about:
        gone = L.either(gone, L.gt(L.neg(low), high))
    found = [L.min(old, L.add(y, c)) for b, m, a in zip(box, centre, about, strict=True) for old, y, c in zip(b, a, m, strict=True)]
    above = L.select(gone, L.const(-1.0), h)
    kept = [L.select(known, new, old) for new, old in zip(found, [e for b in box for e in b], strict=True)]
    return (L.select(known, n, whole), L.select(known, above, whole), *kept)
