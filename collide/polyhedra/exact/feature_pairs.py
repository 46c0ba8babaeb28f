"""Exact answers for moving points, edges and triangles: integer polynomials in time and their real roots.

Coordinates are doubles, that is rationals with a power of two below, so after scaling every coordinate on a straight path is an
integer polynomial of degree 1 in t, and every condition used here is the sign of an integer polynomial of degree at most 3;
on the paths of `exact.motion` they are polynomials of other degrees. A time is a rational number or a real root of such a
polynomial, isolated in an interval with dyadic ends, and signs
there are decided exactly: by a bound on the polynomial over the interval, or, when it is zero there, by a common divisor.

Where can the first contact be? The two parts of a query (edge and edge, point and triangle) touch at time t only if the
four points are coplanar, f(t) = 0 for a cubic f. If f is not zero, the times are the roots of f. If f is zero throughout,
everything moves within a plane, and a first contact later than t = 0 has a vertex on an edge: were the touching points
inner ones, and the parts not parallel, they would have touched just before as well; and parallel edges, or a triangle
without area, touch nowhere unless a vertex touches. A vertex P is on the line of an edge QR when (P - Q) x (R - Q) = 0:
the times are the roots of a component that is not zero throughout; if there is none, the first contact later than 0 is
a meeting of P with Q or R, at a root of a coordinate of P - Q or P - R. Every such time is tested, in order.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .real_roots import Polynomial, Root, in_order, multiply, refined, roots, sign_at, subtract, trim, value_at

Vector = tuple[Polynomial, Polynomial, Polynomial]


class FeatureImpact(NamedTuple):
    """The first contact: an interval of doubles that holds its time, and two parameters in doubles."""

    time: tuple[float, float]
    parameters: tuple[float, float]


# -- vectors of polynomials ---------------------------------------------------------------------------------------


def minus(a: Vector, b: Vector) -> Vector:
    return subtract(a[0], b[0]), subtract(a[1], b[1]), subtract(a[2], b[2])


def cross_component(a: Vector, b: Vector, k: int) -> Polynomial:
    i, j = (k + 1) % 3, (k + 2) % 3
    return subtract(multiply(a[i], b[j]), multiply(a[j], b[i]))


def cross(a: Vector, b: Vector) -> Vector:
    return cross_component(a, b, 0), cross_component(a, b, 1), cross_component(a, b, 2)


def dot(a: Vector, b: Vector) -> Polynomial:
    out: list[int] = []
    for x, y in zip(a, b, strict=True):
        product = multiply(x, y)
        out += [0] * (len(product) - len(out))
        for i, c in enumerate(product):
            out[i] += c
    return trim(out)


# -- contact at one time ------------------------------------------------------------------------------------------


def on_edge(p: Vector, q: Vector, r: Vector, at: Root) -> bool:
    """Whether the point p is on the edge from q to r, which may be a single point."""
    a, b = minus(p, q), minus(p, r)
    return all(sign_at(cross_component(a, b, k), at) == 0 for k in range(3)) and sign_at(dot(a, b), at) <= 0


class FeaturePolynomials:
    """The polynomials of one query, from its four points, and its predicates. All coordinates may be times one positive function.

    The touching points are the solutions x, y of x n = X, y n = Y (three components each), n being the common normal.
    """

    def __init__(self, points: Sequence[Vector], face: bool) -> None:
        self.face, self.degree = face, max(1, max(len(c) for p in points for c in p) - 1)
        a, b, c, d = points
        if face:
            first, second, self.w = minus(c, b), minus(d, b), minus(a, b)
            self.edges = [(a, b, c), (a, c, d), (a, d, b)]
        else:
            first, second, self.w = minus(b, a), minus(d, c), minus(c, a)
            self.edges = [(a, c, d), (b, c, d), (c, a, b), (d, a, b)]
        self.first, self.second = first, second
        self.normal = cross(first, second)
        self.volume = dot(self.normal, self.w)

    def coordinates(self, k: int) -> tuple[Polynomial, Polynomial]:
        """Component k of X and Y: fractions along the edges, or the weights of f1 and f2, times n."""
        if self.face:
            return cross_component(self.w, self.second, k), cross_component(self.first, self.w, k)
        return cross_component(self.w, self.second, k), cross_component(self.w, self.first, k)

    def touches(self, at: Root) -> bool:
        """Whether the parts touch at a time at which the four points are coplanar."""
        for k in range(3):
            n = self.normal[k]
            s = sign_at(n, at)
            if s == 0:
                continue
            x, y = self.coordinates(k)
            if sign_at(x, at) * s < 0 or sign_at(y, at) * s < 0:
                return False
            if self.face:
                return sign_at(subtract(subtract(n, x), y), at) * s >= 0
            return sign_at(subtract(n, x), at) * s >= 0 and sign_at(subtract(n, y), at) * s >= 0
        return any(on_edge(*e, at) for e in self.edges)

    def times(self) -> list[Root]:
        """Times among which the first contact is, if there is one, in order; equal times may be repeated."""
        if self.volume:
            return roots(self.volume)
        start = Root((0, 1), 0, 0, 0)
        found = [time for p, q, r in self.edges for time in _meetings(p, q, r)]
        # A sort by the ends of overlapping intervals could be wrong by their width: make them differ or be equal.
        return [start, *in_order(found)]


def straight(points: Sequence[Sequence[int]]) -> list[Vector]:
    """Four points on straight paths, from their places at t = 0 and then at t = 1."""
    return [tuple(trim((a, b - a)) for a, b in zip(points[k], points[k + 4], strict=True)) for k in range(4)]  # type: ignore[misc]


def _meetings(p: Vector, q: Vector, r: Vector) -> list[Root]:
    a, b = minus(p, q), minus(p, r)
    for k in range(3):
        c = cross_component(a, b, k)
        if c:
            return roots(c)
    return [x for coordinate in (*a, *b) if coordinate for x in roots(coordinate)]


# -- answers ------------------------------------------------------------------------------------------------------


def integers(q: np.ndarray) -> list[list[list[int]]]:
    """Each of the queries (n, 8, 3) times a power of two of its own, as integers."""
    mantissa, exponent = np.frexp(q)
    whole = (mantissa * 2.0**53).astype(np.int64)
    exponent = np.where(whole == 0, 10000, exponent)
    shift = np.where(whole == 0, 0, exponent - exponent.min(axis=(1, 2), keepdims=True))
    if shift.max(initial=0) <= 10:
        return (whole << shift).tolist()  # type: ignore[no-any-return]
    return [[[c << e for c, e in zip(cs, es, strict=True)] for cs, es in zip(a, b, strict=True)]
            for a, b in zip(whole.tolist(), shift.tolist(), strict=True)]


def answer(points: Sequence[Sequence[int]], face: bool, tolerance: float) -> FeatureImpact | None:
    """The first contact of one query with integer coordinates, exactly; None: there is none in [0, 1]."""
    query = FeaturePolynomials(straight(points), face)
    at = first_touch(query, tolerance)
    return None if at is None else FeatureImpact(_bracket(at), parameters(query, at))


def first_touch(query: FeaturePolynomials, tolerance: float) -> Root | None:
    """The first time in [0, 1] at which the parts of a query touch, in an interval no wider than a tolerance; None: there is none."""
    at = next((at for at in query.times() if query.touches(at)), None)
    while at is not None and (at.b - at.a) / (1 << at.bits) > tolerance:
        at = refined(at)
    return at


def _bracket(at: Root) -> tuple[float, float]:
    """Doubles around the root: 53 bits hold a multiple of 2**-52 in [0, 1]."""
    drop = max(0, at.bits - 52)
    scale = 2.0**-min(at.bits, 52)
    return (at.a >> drop) * scale, -(-at.b >> drop) * scale


def parameters(query: FeaturePolynomials, at: Root) -> tuple[float, float]:
    """Parameters of a touching point, in doubles, at the middle of the interval."""
    middle, bits, top = at.a + at.b, at.bits + 1, 2 * query.degree

    def value(p: Polynomial) -> int:
        """p there, times 2**(bits top)."""
        return value_at(p, middle, bits) << (bits * (top - len(p) + 1)) if p else 0

    n = [value(c) for c in query.normal]
    k = max(range(3), key=lambda i: abs(n[i]))
    if n[k] == 0 or all(sign_at(c, at) == 0 for c in query.normal):
        return _degenerate_parameters(query, at, value)
    x, y = (_share(value(c), n[k]) for c in query.coordinates(k))
    return x, min(y, 1.0 - x) if query.face else y


def _degenerate_parameters(query: FeaturePolynomials, at: Root, value: Callable[[Polynomial], int]) -> tuple[float, float]:
    """The same where the edges are parallel or the triangle has no area: a vertex lies on an edge."""
    k = next(i for i, e in enumerate(query.edges) if on_edge(*e, at))
    p, q, r = query.edges[k]
    along = minus(r, q)
    s = _share(value(dot(along, minus(p, q))), value(dot(along, along)))
    if query.face:
        return [(s, 0.0), (1.0 - s, s), (0.0, 1.0 - s)][k]
    return [(0.0, s), (1.0, s), (s, 0.0), (s, 1.0)][k]


def _share(a: int, b: int) -> float:
    """a / b within [0, 1], which a double holds whatever the sizes of a and b; 0 for b = 0."""
    return 0.0 if a * b <= 0 else 1.0 if abs(a) >= abs(b) else a / b
