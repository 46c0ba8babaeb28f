"""Leaves that may have a part of their surfaces in common though their functions are not proportional: looked for, not proved.

A sphere is the zeros of x^2 + y^2 + z^2 - 1, and of sqrt(x^2 + y^2 + z^2) - 1. Polynomials of degree 2 that do not factor, and of degree 1,
are proportional if they are zero on one surface, so only pairs are looked at of which one function at least is none. A line through the
bounds of one leaf that crosses its surface crosses the other one there, too, if they are one surface there. Surfaces that cross each other
have a curve in common, which such a line meets by chance alone.
"""

import decimal
import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from codegen.walk import free_symbols

from .at_samples import precise, sample, sampled_number, value_of
from .motion import Motion
from .symbols import x, y, z

# Pairs that are looked at. Of lines that are 2 long: steps to a zero, how little the last one is, and how far beside it the other function
# is looked at.
_MOST, _STEPS, _LAST, _BESIDE = 2000, 60, 1e-13, 1e-9
# Parts of a line in which zeros are looked for one by one: of functions of degree 1, 2, and others.
_PARTS: dict[float, int] = {1: 1, 2: 5}
_MANY = 17
# Lines go through this place of bounds, near the axes: without symmetry.
_PLACE = 0.137, -0.093, 0.171
_WAYS = (1.0, 0.031, -0.047), (0.053, 1.0, 0.029), (-0.037, 0.043, 1.0)

Point = tuple[float, ...]
Compared = tuple[int, Any, Motion, Hashable]
"""The number of a leaf, the leaf, its frame, and what all functions a F + b have in common."""


def with_common_zeros(compared: Sequence[Compared]) -> Iterator[tuple[int, int]]:
    """Pairs of leaves, by their numbers."""
    degrees = [_degree(leaf.body) for _, leaf, _, _ in compared]
    odd = [degree > 2 for degree in degrees]
    if not any(odd):
        return
    seen = [_Seen(leaf, frame, degree) for (_, leaf, frame, _), degree in zip(compared, degrees, strict=True)]
    pairs = ((a, b) for a, b in itertools.combinations(range(len(seen)), 2)
             if (odd[a] or odd[b]) and compared[a][3] != compared[b][3] and seen[a].near(seen[b]))
    with precise():
        for a, b in itertools.islice(pairs, _MOST):
            own = [a, b] if odd[a] and odd[b] else [b if odd[a] else a]
            if any(seen[a + b - k].crosses(*ends) for k in own for ends in seen[k].crossings()):
                yield compared[a][0], compared[b][0]


def _degree(e: Any) -> float:
    """The degree of a polynomial in x, y and z as it is written; infinity for other functions."""
    if e in (x, y, z):
        return 1
    if not e.has(x, y, z):
        return 0
    if e.is_Add:
        return max(map(_degree, e.args))
    if e.is_Mul:
        return sum(map(_degree, e.args))
    return _degree(e.base) * int(e.exp) if e.is_Pow and e.exp.is_Integer and e.exp > 0 else math.inf


class _Seen:
    """A leaf in doubles, seen from the frame that all share."""

    def __init__(self, leaf: Any, frame: Motion, degree: float) -> None:
        self.degree = degree
        self.body, self.known = leaf.body, {s: sample(s) for s in free_symbols(leaf.body) - {x, y, z}}
        ends = [[float(sampled_number(e)) for e in pair] for pair in leaf.bounds]
        self.middle, self.half = [(lo + hi) / 2 for lo, hi in ends], [(hi - lo) / 2 for lo, hi in ends]
        entries = [float(sampled_number(e)) for e in frame.entries]
        self.turn, self.shift = [entries[3 * i:3 * i + 3] for i in range(3)], entries[9:]
        self._found: list[tuple[Point, Point]] | None = None

    def near(self, other: "_Seen") -> bool:
        """Whether the bounds of both may meet."""
        return math.dist(self.placed(self.middle), other.placed(other.middle)) <= math.hypot(*self.half) + math.hypot(*other.half)

    def placed(self, point: Sequence[float]) -> Point:
        """A point in the shared frame."""
        return tuple(sum(r * c for r, c in zip(row, point, strict=True)) + s for row, s in zip(self.turn, self.shift, strict=True))

    def value(self, point: Sequence[float]) -> float:
        """The value of the function at a point in the leaf's own frame; nan where it has none."""
        found = value_of(self.body, {**self.known, **dict(zip((x, y, z), map(decimal.Decimal, point), strict=True))})
        return float(found) if isinstance(found, decimal.Decimal) else math.nan

    def crosses(self, before: Point, after: Point) -> bool:
        """Whether the function has zeros between two points of the shared frame that are near each other, within the bounds."""
        own = [[sum(self.turn[i][k] * (p[i] - self.shift[i]) for i in range(3)) for k in range(3)] for p in (before, after)]
        inside = all(abs(c - m) <= h * (1 + _BESIDE) for p in own for c, m, h in zip(p, self.middle, self.half, strict=True))
        return inside and self.value(own[0]) * self.value(own[1]) <= 0

    def crossings(self) -> list[tuple[Point, Point]]:
        """Points on both sides of the surface, in the shared frame, near each other, where lines cross it."""
        if self._found is None:
            self._found = [ends for way in _WAYS for ends in self._along(way)]
        return self._found

    def _along(self, way: Point) -> Iterator[tuple[Point, Point]]:
        def at(s: float) -> list[float]:
            return [m + h * (p + s * w) for m, h, p, w in zip(self.middle, self.half, _PLACE, way, strict=True)]

        def value(s: float) -> float:
            return self.value(at(s))

        parts = _PARTS.get(self.degree, _MANY)
        places = [k / parts * 2 - 1 for k in range(parts + 1)]
        values = [*map(value, places)]
        for lo, hi, f, g in zip(places, places[1:], values, values[1:], strict=False):
            if f * g < 0:
                s = _zero(value, lo, hi, f, g)
                yield self.placed(at(s - _BESIDE)), self.placed(at(s + _BESIDE))


def _zero(function: Callable[[float], float], a: float, b: float, f: float, g: float) -> float:
    """The zero of a function with these values at both ends, by regula falsi (Illinois)."""
    last, s = a, b
    for _ in range(_STEPS):
        s = (a * g - b * f) / (g - f)
        value = function(s)
        if value == 0 or not abs(s - last) > _LAST:
            break
        a, f = (b, g) if value * g < 0 else (a, f / 2)
        last, b, g = s, s, value
    return s
