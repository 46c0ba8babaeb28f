"""First time at which the cores of two bodies come as near as a given distance, exactly: points, segments and convex polygons in motion.

The square of the distance of a corner from a corner, a line or a plane, and of two lines, is a quotient of polynomials of s, so it equals
the square of the distance R at roots of polynomials (Sturm's theorem and descent by derivatives isolate them, double ones too:
`exact.real_roots`). At the first contact of bodies that start farther apart, the nearest points are inner points of two such parts, at
distance R; and wherever they are at distance R the bodies meet. So the first root at which these points lie on the parts is the answer.
Signs of polynomials at the root tell where they lie.
"""

import functools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import check

from ..exact.feature_pairs import Vector, cross, dot, minus
from ..exact.motion import RationalMotion
from ..exact.real_roots import Polynomial, Root, compare, derivative, multiply, roots, sign_at, subtract


class Core(NamedTuple):
    """Corners in the coordinates of the body, and segments and polygons by their numbers."""

    corners: Sequence[Any]
    segments: Sequence[tuple[int, int]]
    polygons: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return len(self.corners) + len(self.segments) + len(self.polygons)


class PartPair(NamedTuple):
    """Parts of two cores by their corners, whose nearest points are `excess` > 0 farther apart than R; `within`: polynomials that are not
    negative where these points lie on the parts, the first of them positive.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    excess: Polynomial
    within: Sequence[Polynomial]

    def holds(self, at: Root) -> bool:
        """Whether the nearest points lie on the parts."""
        return sign_at(self.within[0], at) > 0 and all(sign_at(p, at) >= 0 for p in self.within[1:])


_START = Root((0, 1), 0, 0, 0)


class Nearing(NamedTuple):
    """The parts that come to a distance at the first root, and whether all only touch: no excess changes its sign to first order there."""

    at: Root
    parts: Sequence[PartPair]
    touches: bool


def start_apart(pairs: Sequence[PartPair]) -> bool:
    """Whether cores are farther apart than R at s = 0."""
    return not any(p.holds(_START) and sign_at(p.excess, _START) <= 0 for p in pairs)


def nearing(pairs: Sequence[PartPair]) -> Nearing | None:
    """The first s in [0, 1] at which the distance of cores that start farther apart is R; None if there is none."""
    found: list[tuple[Root, PartPair]] = []
    for pair in pairs:
        check()
        found += [(at, pair) for at in (roots(pair.excess) if pair.excess else [])]
    found.sort(key=functools.cmp_to_key(_order))
    parts, root = list[PartPair](), None
    for at, pair in found:
        if root is not None and compare(root, at):
            break
        if pair.holds(at):
            root = at
            parts.append(pair)
    return None if root is None else Nearing(root, parts, all(sign_at(derivative(p.excess), root) == 0 for p in parts))


def _order(one: tuple[Root, PartPair], other: tuple[Root, PartPair]) -> int:
    return compare(one[0], other[0])


def part_pairs(first: Core, second: Core, square: Fraction, window: RationalMotion) -> Iterator[PartPair]:
    """All pairs of parts that can hold two nearest points."""
    # The last point tells by how much coordinates are multiplied.
    moved, known = window.paths(first.corners, [*second.corners, (1, 0, 0)])
    *still, (unit, _, _) = known
    level = tuple(c * square.numerator for c in multiply(unit, unit)), square.denominator
    sides = (first, moved), (second, still)
    for i, p in enumerate(moved):
        for j, q in enumerate(still):
            way = minus(p, q)
            yield PartPair((i,), (j,), _excess(dot(way, way), (1,), level), ((1,),))
    for side in (0, 1):
        (_, own), (other, theirs) = sides[side], sides[1 - side]
        for i, p in enumerate(own):
            for segment in other.segments:
                yield _turned(side, (i,), segment, *_from_line(p, theirs[segment[0]], theirs[segment[1]], level))
            for ring in other.polygons:
                yield _turned(side, (i,), tuple(ring), *_from_plane(p, [theirs[k] for k in ring], level))
    for a in first.segments:
        for b in second.segments:
            yield PartPair(a, b, *_of_lines(moved[a[0]], moved[a[1]], still[b[0]], still[b[1]], level))


Level = tuple[Polynomial, int]


def _turned(side: int, own: tuple[int, ...], other: tuple[int, ...], excess: Polynomial, within: Sequence[Polynomial]) -> PartPair:
    return PartPair(other, own, excess, within) if side else PartPair(own, other, excess, within)


def _excess(above: Polynomial, below: Polynomial, level: Level) -> Polynomial:
    """above / below - R^2, times what is positive."""
    return subtract(tuple(c * level[1] for c in above), multiply(below, level[0]))


def _from_line(p: Vector, a: Vector, b: Vector, level: Level) -> tuple[Polynomial, Sequence[Polynomial]]:
    along, away = minus(b, a), minus(p, a)
    across, length, foot = cross(away, along), dot(along, along), dot(away, along)
    return _excess(dot(across, across), length, level), (length, foot, subtract(length, foot))


def _from_plane(p: Vector, ring: Sequence[Vector], level: Level) -> tuple[Polynomial, Sequence[Polynomial]]:
    normal, away = cross(minus(ring[1], ring[0]), minus(ring[2], ring[0])), minus(p, ring[0])
    height, length = dot(normal, away), dot(normal, normal)
    inside = [dot(normal, cross(minus(b, a), minus(p, a))) for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)]
    return _excess(multiply(height, height), length, level), (length, *inside)


def _of_lines(a: Vector, b: Vector, c: Vector, d: Vector, level: Level) -> tuple[Polynomial, Sequence[Polynomial]]:
    """Parallel ones are nearest at an end, too."""
    e, f, w = minus(b, a), minus(d, c), minus(a, c)
    normal = cross(e, f)
    height, length = dot(normal, w), dot(normal, normal)
    ee, ef, ff, ew, fw = dot(e, e), dot(e, f), dot(f, f), dot(e, w), dot(f, w)
    s, t = subtract(multiply(ef, fw), multiply(ff, ew)), subtract(multiply(ee, fw), multiply(ef, ew))
    return _excess(multiply(height, height), length, level), (length, s, t, subtract(length, s), subtract(length, t))


def nearest_points(pair: PartPair, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest points of two parts in doubles, of corners (n, 3) and (m, 3) of the cores where they are at a moment."""
    a, b = first[list(pair.first)], second[list(pair.second)]
    # Averages of corners: a corner, or the first one and sides from it.
    sides = np.concatenate([a[1:3] - a[0], b[0] - b[1:3]]).reshape(-1, 3)
    shares = np.linalg.lstsq(sides.T, b[0] - a[0], rcond=None)[0] if len(sides) else np.empty(0)
    count = len(a[1:3])
    return a[0] + shares[:count] @ (a[1:3] - a[0]), b[0] + shares[count:] @ (b[1:3] - b[0])
