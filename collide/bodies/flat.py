"""Bodies of flat convex faces, exactly: patches that are bilinear in their parameters, with corners of rational coordinates in one plane.

A bilinear map of a rectangle takes its points to averages of four corners, and its sides to the sides between these. Where the corners lie
in one plane and go round convexly, what it covers is all of the convex hull of them; two corners may be one, of a triangle.
"""

import functools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.deadline import interruptible
from generative import ParametricSurface, Solid, u, v

from .cells import Cell
from .parts import parts_of

Point = tuple[Fraction, Fraction, Fraction]


class FlatFace(NamedTuple):
    """`ring`: the corners of a face, counterclockwise as seen from outside. `ends` (2, 2, 3): its places at the ends of u and v, which are
    `domain` (2, 2), in doubles.
    """

    feature: str
    ring: tuple[int, ...]
    ends: np.ndarray
    domain: np.ndarray

    @property
    def sides(self) -> list[tuple[int, int]]:
        return list(zip(self.ring, (*self.ring[1:], self.ring[0]), strict=True))

    @property
    def triangles(self) -> list[tuple[int, int, int]]:
        return [(self.ring[0], *self.ring[k:k + 2]) for k in range(1, len(self.ring) - 1)]  # type: ignore[misc]


class FlatEdge(NamedTuple):
    """From one corner to another, with the parameters there."""

    feature: str
    ends: tuple[int, int]
    at: tuple[float, float]


class FlatBody(NamedTuple):
    """`corners` in the body's frame, each place once; `edges` by sets of two corners, `vertices`: features by corners."""

    corners: Sequence[Point]
    faces: Sequence[FlatFace]
    edges: Mapping[frozenset[int], FlatEdge]
    vertices: Mapping[int, str]


@functools.lru_cache(maxsize=1 << 14)
def flat_of(body: Any) -> FlatBody | None:
    """A parametric body by its corners, if all of it moves alike, and is flat as told above; else None."""
    if not isinstance(body, (Solid, ParametricSurface)) or (isinstance(body, Solid) and body.planar):
        return None
    faces = body.faces if isinstance(body, Solid) else [body]
    return _flat(body.resting) if all(f.motion == faces[0].motion for f in faces) else None


def may_be_flat(body: Any) -> bool:
    """Whether a parametric body is bilinear, at least, except for what parameters in its formulas are."""
    planar = isinstance(body, Solid) and body.planar
    return isinstance(body, (Solid, ParametricSurface)) and not planar and _may_be_flat(body.resting)


@functools.lru_cache(maxsize=256)
def _may_be_flat(body: Any) -> bool:
    return all(e.is_polynomial(u, v) for face in (body.faces if isinstance(body, Solid) else [body]) for e in face.body)


@functools.lru_cache(maxsize=256)
@interruptible()
def _flat(body: Any) -> FlatBody | None:
    faces = body.faces if isinstance(body, Solid) else [body]
    quads = [_ends(f) for f in faces]
    parts = parts_of(body) if all(quads) else ()
    numbers: dict[Point, int] = {}
    found: list[FlatFace] = []
    edges: dict[frozenset[int], FlatEdge] = {}
    vertices: dict[int, str] = {}
    for part in parts:
        places = _places(part)
        if part.around is not None or places is None:
            return None
        if part.dimension == 2:
            ring = _ring(places, part.surface.flipped)
            if ring is None:
                return None
            domain = np.array([[float(e) for e in part.surface.domain[s]] for s in (u, v)])
            ends = np.array(places, float)[[0, 3, 1, 2]].reshape(2, 2, 3)
            found.append(FlatFace(part.feature, tuple(numbers.setdefault(p, len(numbers)) for p in ring), ends, domain))
        elif part.dimension == 1:
            a, b = (numbers.get(p, -1) for p in places)
            if not any({a, b} == set(side) for face in found for side in face.sides):
                return None
            edges[frozenset((a, b))] = FlatEdge(part.feature, (a, b), (float(part.domain[0][0]), float(part.domain[0][1])))
        else:
            vertices[numbers.get(places[0], -1)] = part.feature
    return FlatBody(list(numbers), found, edges, vertices) if found else None


def _ends(face: ParametricSurface) -> bool:
    """Whether the formula of a face is bilinear, with rational coefficients, over a rational rectangle."""
    if not all(e.is_Rational for ends in face.domain.values() for e in ends):
        return False
    try:
        known = [sp.Poly(e, u, v) for e in face.body]
    except sp.PolynomialError:
        return False
    return all(p.degree(s) <= 1 for p in known for s in (u, v)) and all(c.is_Rational for p in known for c in p.coeffs())


def _places(part: Cell) -> list[Point] | None:
    """A face at the corners of its rectangle, in turn, an edge at both ends, or a vertex; None where these are not rational, or where an
    edge is not a side of its face.
    """
    domain = part.surface.domain
    if part.dimension == 2:
        (a, b), (c, d) = domain[u], domain[v]
        at = [(a, c), (b, c), (b, d), (a, d)]
    elif part.dimension == 1:
        if not any(e.is_Rational for e in part.path) or not all(sp.Poly(e, u).degree() <= 1 for e in part.path):
            return None
        at = [tuple(e.xreplace({u: end}) for e in part.path) for end in part.domain[0]]  # type: ignore[misc]
    else:
        at = [part.path]  # type: ignore[list-item]
    places = [[sp.expand(e.xreplace({u: x, v: y})) for e in part.surface.body] for x, y in at]
    if not all(e.is_Rational for p in places for e in p):
        return None
    return [tuple(Fraction(int(e.p), int(e.q)) for e in p) for p in places]  # type: ignore[misc]


def _ring(places: Sequence[Point], flipped: bool) -> list[Point] | None:
    """The corners, each once, counterclockwise; None where they do not lie in one plane, or do not go round convexly."""
    ring = [p for k, p in enumerate(places) if p != places[k - 1]]
    if len(set(ring)) < 3 or len(set(ring)) < len(ring):
        return None
    ring = ring[::-1] if flipped else ring
    turns = [_cross(_minus(q, p), _minus(r, q)) for p, q, r in zip(ring, [*ring[1:], ring[0]], [*ring[2:], *ring[:2]], strict=True)]
    normal = max(turns, key=lambda n: _dot(n, n))
    flat = all(_dot(normal, _minus(p, ring[0])) == 0 for p in ring)
    return ring if flat and _dot(normal, normal) > 0 and all(_dot(n, normal) >= 0 for n in turns) else None


def _minus(p: Sequence[Fraction], q: Sequence[Fraction]) -> Point:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _cross(p: Point, q: Point) -> Point:
    return p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


def _dot(p: Point, q: Point) -> Fraction:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]


def volume_of(a: Sequence[Fraction], b: Sequence[Fraction], c: Sequence[Fraction], d: Sequence[Fraction]) -> Fraction:
    """Six times the volume of a tetrahedron, positive where d is on the side to which a b c go round counterclockwise."""
    x, y, z = ([q[k] - a[k] for k in range(3)] for q in (b, c, d))
    return sum((z[k] * (x[k - 2] * y[k - 1] - x[k - 1] * y[k - 2]) for k in range(3)), Fraction(0))
