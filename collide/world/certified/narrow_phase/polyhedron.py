"""Bodies of flat faces: their hulls, exactly, and which of the corners, edges and faces of these are theirs."""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, fmpq

from generative import ImplicitBody, ParametricSurface, u, v
from generative.changes import pieces_of
from generative.symbols import exact

from ....bodies.mesh import Mesh
from ..arithmetic.enclosures import number

# Shapes of more corners or patches are searched.
_CORNERS, _PATCHES = 64, 256

Ring = tuple[int, ...]
Point = tuple[Any, Any, Any]


@dataclass(frozen=True, eq=False)
class Polyhedron:
    """All of a shape is in the hull of its `corners`, exact numbers. Its `edges`, pairs of corners, are segments of it, and its `faces`
    polygons of it, convex, with the hull on one side only: corners that go round counterclockwise as seen from the other side, the first
    three not in a line. `whole`: its surface is that of the hull. `patches`: all of it, as convex polygons, of what is not; None if it is
    not made of such.
    """

    corners: tuple[Point, ...]
    edges: tuple[tuple[int, int], ...]
    faces: tuple[Ring, ...]
    whole: bool
    patches: tuple[tuple[Point, ...], ...] | None = None


@functools.lru_cache(maxsize=256)
def polyhedron_of(shape: Any) -> Polyhedron | None:
    """None of other shapes, and where exact numbers do not tell."""
    patches = _patches(shape)
    places = list(dict.fromkeys(itertools.chain.from_iterable(patches or ())))
    if patches is None or not 0 < len(patches) <= _PATCHES or len(places) > _CORNERS:
        return None
    points, numbers = _Points(places), {place: k for k, place in enumerate(places)}
    rings = [tuple(numbers[c] for c in patch) for patch in patches]
    try:
        faces = [face for own in _supporting(points, rings).values() for face in _merged(points, own)]
    except _Unknown:
        return None
    around, inside = {side for face in faces for side in _sides(face)}, [set(face) for face in faces]
    edges = dict.fromkeys((min(side), max(side)) for ring in rings for side in _sides(ring))
    # Lines between patches of one face are no edges.
    outer = [(a, b) for a, b in edges if (a, b) in around or (b, a) in around or not any({a, b} <= face for face in inside)]
    whole = bool(faces) and all((b, a) in around for a, b in around)
    return Polyhedron(tuple(places), tuple(outer), tuple(faces), whole, None if whole else _polygons(points, rings))


def _polygons(points: "_Points", rings: Sequence[Ring]) -> tuple[tuple[Point, ...], ...] | None:
    """The corners of convex patches in planes, the first three not in a line; None if some are no such."""
    found = []
    for ring in rings:
        plane = points.plane(ring)
        if plane is None or not _convex(points, ring) or any(points.heights(plane)[k] for k in ring):
            return None
        found.append(tuple(points.exact[k] for k in _begun(points, ring)))
    return tuple(found)


# -- patches ----------------------------------------------------------------------------------------------------------


def _patches(shape: Any) -> list[list[Point]] | None:
    """The corners of triangles, and of patches that are linear in each parameter, each once; None of other shapes."""
    if isinstance(shape, Mesh):
        return _triangles(shape)
    if isinstance(shape, ImplicitBody):
        return None
    faces = pieces_of(shape)
    found = [_corners(face) for face in faces] if len(faces) <= _PATCHES else [None]
    return None if any(c is None or len(c) < 3 for c in found) else [c for c in found if c is not None]


def _triangles(mesh: Mesh) -> list[list[Point]] | None:
    vertices, triangles = mesh.arrays
    entries = [exact(e) for e in mesh.motion.entries]
    if len(triangles) > _PATCHES or not all(e.is_Rational for e in entries):
        return None
    turn, shift = [_fraction(e) for e in entries[:9]], [_fraction(e) for e in entries[9:]]
    own = [[Fraction(e) for e in row] for row in vertices.tolist()]
    placed = [tuple(sum((turn[3 * i + j] * p[j] for j in range(3)), shift[i]) for i in range(3)) for p in own]
    return [[(placed[k][0], placed[k][1], placed[k][2]) for k in row] for row in triangles.tolist()]


def _corners(face: ParametricSurface) -> list[Point] | None:
    e = sp.Matrix(face.expressions)
    if any(s.free_symbols or s != 0 for s in (*e.diff(u, 2), *e.diff(v, 2))):
        return None
    (a, b), (c, d) = face.domain[u], face.domain[v]
    found = [tuple(_fraction(sp.expand(s)) for s in e.subs({u: p, v: q})) for p, q in ((a, c), (b, c), (b, d), (a, d))]
    # A side of no length is a corner.
    once = [(p[0], p[1], p[2]) for p, before in zip(found, [found[-1], *found], strict=False) if p != before]
    return once if len(set(once)) == len(once) else None


def _fraction(e: Any) -> Any:
    """Fractions are much faster than SymPy's rational numbers."""
    return Fraction(int(e.p), int(e.q)) if e.is_Rational else e


# -- faces ------------------------------------------------------------------------------------------------------------


def ball(e: Any) -> Any:
    """The ball of such a coordinate."""
    return arb(fmpq(e.numerator, e.denominator)) if isinstance(e, Fraction) else number(e)


class _Unknown(Exception):
    """Doubt whether a number is zero."""


class _Points:
    """Exact points, and balls that hold them."""

    def __init__(self, places: Sequence[Point]) -> None:
        self.exact, self.places = places, np.array(places, object)
        self.balls = np.array([[ball(e) for e in p] for p in places], object)

    def sign(self, value: Callable[[np.ndarray], Any]) -> int:
        """The sign of a polynomial of coordinates."""
        rough = value(self.balls)
        if rough > 0 or rough < 0:
            return 1 if rough > 0 else -1
        e = value(self.places)
        if isinstance(e, Fraction):
            return (e > 0) - (e < 0)
        if sp.radsimp(sp.expand(e)) != 0:
            raise _Unknown
        return 0

    def heights(self, plane: Ring) -> list[int]:
        """The side of the plane through three points on which each one is."""
        a, b, c = (self.balls[k] for k in plane)
        rough = (self.balls - a) @ np.cross(b - a, c - a)
        return [1 if h > 0 else -1 if h < 0 else self._height(plane, k) for k, h in enumerate(rough)]

    def _height(self, plane: Ring, k: int) -> int:
        a, b, c = plane
        return self.sign(lambda p: np.cross(p[b] - p[a], p[c] - p[a]) @ (p[k] - p[a]))

    def turn(self, plane: Ring, a: int, b: int, k: int) -> int:
        """The side of the way between two points on which one lies in a plane, of three points: to the left, to the right, or on it."""
        o, x, y = plane
        return self.sign(lambda p: np.cross(p[x] - p[o], p[y] - p[o]) @ np.cross(p[b] - p[a], p[k] - p[a]))

    def plane(self, ring: Ring) -> Ring | None:
        """Three of its points that are not in a line."""
        for a, b, c in itertools.combinations(ring, 3):
            if self.sign(lambda p, a=a, b=b, c=c: (n := np.cross(p[b] - p[a], p[c] - p[a])) @ n):  # type: ignore[misc]
                return a, b, c
        return None


def _supporting(points: _Points, rings: Sequence[Ring]) -> dict[tuple[frozenset[int], bool], list[Ring]]:
    """Convex patches in a plane with the hull on one side, turned so that they go round as seen from the other; those in one plane
    together. What is in one plane altogether has two sides.
    """
    found: dict[tuple[frozenset[int], bool], list[Ring]] = {}
    first: Ring | None = None
    for ring in rings:
        plane = points.plane(ring)
        if plane is None or not _convex(points, ring):
            continue
        heights = points.heights(plane)
        on = frozenset(k for k, h in enumerate(heights) if not h)
        if not on.issuperset(ring) or (1 in heights and -1 in heights):
            continue
        first = first or plane
        sheet = len(on) == len(heights)
        own = ring if (points.turn(first, *plane) > 0 if sheet else -1 in heights) else ring[::-1]
        found.setdefault((on, False), []).append(own)
        if sheet:
            found.setdefault((on, True), []).append(own[::-1])
    return found


def _merged(points: _Points, rings: Sequence[Ring]) -> Iterator[Ring]:
    """Convex patches in one plane as the convex polygon that they cover, or each alone: a border that goes round once is that of what they
    cover, since all go round alike.
    """
    sides = [side for ring in rings for side in _sides(ring)]
    border = set(sides).difference((b, a) for a, b in sides)
    onward = dict(border)
    ring = [*itertools.islice(onward, 1)]
    while ring and len(ring) < len(onward) and onward.get(ring[-1], ring[0]) != ring[0]:
        ring.append(onward[ring[-1]])
    once = len(set(sides)) == len(sides) and len(ring) == len(border) and bool(ring) and onward.get(ring[-1]) == ring[0]
    for own in [tuple(ring)] if once and _convex(points, tuple(ring)) else rings:
        yield _begun(points, own)


def _begun(points: _Points, ring: Ring) -> Ring:
    """The ring with its first three corners not in a line."""
    turned = (ring[k:] + ring[:k] for k in range(len(ring)))
    return next(r for r in turned if points.plane(r[:3]) is not None)


def _convex(points: _Points, ring: Ring) -> bool:
    plane = points.plane(ring)
    found = set() if plane is None else {points.turn(plane, a, b, k) for a, b in _sides(ring) for k in ring}
    return 1 in found and -1 not in found


def _sides(ring: Ring) -> list[tuple[int, int]]:
    return [*itertools.pairwise([*ring, ring[0]])]
