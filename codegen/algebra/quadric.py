"""Quadrics in emitted code: their values, and how they go on about a point. All ends are finite."""

from collections.abc import Sequence
from typing import NamedTuple

from ..emit.elementary import arithmetic
from ..emit.interval_vectors import Interval, minus, plus, times
from ..emit.lanes import Lanes

TERMS = (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)
"""The powers of the coordinates in the terms of a quadric, in the order of its coefficients."""


def pairs(v: Sequence[str]) -> list[Interval]:
    return list(zip(v[::2], v[1::2], strict=True))


class Expanded(NamedTuple):
    """A quadric at a point, its slopes there, and a box about that point."""

    value: Interval
    slopes: list[Interval]
    about: list[Interval]


def expanded(L: Lanes, q: list[Interval], point: list[Interval], at: list[Interval]) -> Expanded:
    about, slopes = [minus(L, a, p) for a, p in zip(at, point, strict=True)], []
    for i in range(3):
        # 2 q p, of which half would be the same with another rounding.
        slope = times(L, plus(L, q[i], q[i]), point[i])
        for j in range(3):
            if j != i:
                slope = plus(L, slope, times(L, q[i + j + 2], point[j]))
        slopes.append(plus(L, slope, q[6 + i]))
    return Expanded(total(L, q, point), slopes, about)


def secants(L: Lanes, q: list[Interval], e: Expanded) -> list[Interval]:
    """s with F(p + h) = F(p) + s h: s_i = F_i(p) + q_ii h_i + sum over j > i of q_ij h_j."""
    found = []
    for i in range(3):
        slope = plus(L, e.slopes[i], times(L, q[i], e.about[i]))
        for j in range(i + 1, 3):
            slope = plus(L, slope, times(L, q[i + j + 2], e.about[j]))
        found.append(slope)
    return found


def centred(L: Lanes, box: list[Interval], centre: Sequence[str]) -> list[Interval]:
    return [(L.add(n, c), L.sub(h, c)) for (n, h), c in zip(box, centre, strict=True)]


def second(L: Lanes, q: list[Interval], at: list[Interval]) -> Interval:
    """The terms of second order."""
    found = times(L, q[0], arithmetic.square(L, *at[0]))
    for i in (1, 2):
        found = plus(L, found, times(L, q[i], arithmetic.square(L, *at[i])))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        found = plus(L, found, times(L, q[i + j + 2], times(L, at[i], at[j])))
    return found


def total(L: Lanes, q: list[Interval], at: list[Interval]) -> Interval:
    """The natural extension."""
    return plus(L, second(L, q, at), linear(L, q[6:], at))


def linear(L: Lanes, q: list[Interval], at: list[Interval]) -> Interval:
    found = q[3]
    for c, e in zip(q, at, strict=False):
        found = plus(L, found, times(L, c, e))
    return found
