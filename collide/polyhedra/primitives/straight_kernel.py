"""Eight windows of time of one edge-edge or vertex-face query at once: no contact, contact proved, or undecided.

Between the ends a and b of a window every point is P(t) = (1 - s) P0 + s P1, where P0 and P1 lie in known boxes: P(a) and P(b)
if it moves at constant velocity, else the controls of `motion_windows`, which may be others at every t. A product of k
moving vectors is then a polynomial in s of degree k, whose Bernstein coefficients are averages of products of vectors of both
ends: it lies between the least and the largest of them. With the difference w of two points and the two edge vectors e, f of
the query (see `exact.feature_pairs`),

* there is no contact where the coefficients of the volume w . (e x f) have one strict sign;
* for a vector n of doubles separating all points of one part from the other at both ends there is none between;
* at a contact n . X = x n . N with N = e x f for a parameter x >= 0, and so for the other constraints: no
  contact where the coefficients of n . X and of n . N have strict and opposite signs;
* if n . N > 0, every such n . X >= 0, and the volume has opposite signs (or is 0) at the moments a and b, all points being
  continuous: it is zero in between, there the points are coplanar, N is not zero, and the parameters n . X / n . N satisfy
  the constraints: a contact.
"""

import functools
from collections.abc import Sequence

from codegen.emit.interval_vectors import (
    DirectionProducts,
    Exact,
    Interval,
    Value,
    Vector,
    between,
    cross,
    dot,
    exact_cross,
    exact_minus,
    middle,
    minus,
    negative,
    plus,
    splat,
)
from codegen.emit.lanes import Lanes
from codegen.machine.straight_line import straight_line

DEAD, UNKNOWN, PROVED = 0.0, 1.0, 2.0
"""Answers of the kernel on a window."""
EDGES = {False: ((0, 1), (2, 3)), True: ((1, 2), (1, 3))}
"""The points at both ends of the edge vectors e and f."""


@functools.cache
def window_kernel(face: bool) -> int:
    """Address of ``void(Q, a, b, out)``: Q the 24 doubles of a query, a and b blocks of window ends, 0 <= a <= b <= 1; out (3,):
    DEAD, UNKNOWN or PROVED, and the two parameters of the contact in doubles, near the middle of the window.
    """
    return straight_line("linear window", (face,), "Q a b out", lambda module, L: _write(L, face))


def _write(L: Lanes, face: bool) -> None:
    a, b = L.load("%a", 0), L.load("%b", 0)
    start, end = [], []
    for k in range(4):
        p0, p1 = ([splat(L, "%Q", 12 * time + 3 * k + i) for i in range(3)] for time in range(2))
        start.append(placed(L, p0, p1, a))
        end.append(placed(L, p0, p1, b))
    conclude(L, StraightWindow(L, face, (start, end), [_edges(L, face, points) for points in (start, end)]))


def _edges(L: Lanes, face: bool, points: Sequence[Vector]) -> tuple[Vector, Vector]:
    """The edge vectors e and f."""
    return tuple(between(L, points[i], points[j]) for i, j in EDGES[face])  # type: ignore[return-value]


def conclude(L: Lanes, query: "StraightWindow") -> None:
    """The verdict and the parameters into ``%out``."""
    dead = query.coplanar_never()
    for n in query.directions():
        dead = L.either(dead, query.separated(n))
    excluded, proved, parameters = query.parameters()
    dead = L.either(dead, excluded)
    dead, proved = L.both(dead, query.sane), L.both(proved, L.both(query.sane, query.continuous))
    status = L.select(dead, L.const(DEAD), L.select(proved, L.const(PROVED), L.const(UNKNOWN)))
    for k, value in enumerate([status, *parameters]):
        L.store("%out", k, value)


def apart(L: Lanes, face: bool, points: Sequence[Vector]) -> Vector:
    """The difference w of two points."""
    return between(L, points[1], points[0]) if face else between(L, points[0], points[2])


def placed(L: Lanes, p0: list[Value], p1: list[Value], t: Value) -> Vector:
    """p0 + t (p1 - p0), enclosed: t >= 0, so each end of the velocity gives one end."""
    out = []
    for x, y in zip(p0, p1, strict=True):
        out.append((L.fma(t, L.sub(x, y), L.neg(x)), L.fma(t, L.sub(y, x), x)))
    return out


def _all(L: Lanes, masks: list[Value]) -> Value:
    return functools.reduce(L.both, masks)


def _negative(L: Lanes, coefficients: list[Interval]) -> Value:
    return _all(L, [L.lt(h, L.const(0.0)) for _, h in coefficients])


def _positive(L: Lanes, coefficients: list[Interval]) -> Value:
    return _all(L, [L.lt(n, L.const(0.0)) for n, _ in coefficients])


class StraightWindow:
    """The vectors of a query at both ends of the window; index 0 is the start.

    `ends`: the volume at the moments a and b. `sane`: nothing in the window overflows. `continuous`: the motion is.
    """

    def __init__(self, L: Lanes, face: bool, points: tuple[list[Vector], list[Vector]], edges: Sequence[tuple[Vector, Vector]]) -> None:
        self.L, self.face, self.points = L, face, points
        self.e, self.f = [e for e, _ in edges], [f for _, f in edges]
        self.w = [apart(L, face, p) for p in points]
        self.ends: tuple[Interval, Interval] | None = None
        self.sane = self.continuous = L.mask_const(True)
        self.normals = [[cross(L, e, f) for f in self.f] for e in self.e]
        self.mean = [[L.mul(L.const(0.5), L.add(x, y)) for x, y in zip(*(middle(L, v) for v in pair), strict=True)]
                     for pair in (self.e, self.f, self.w)]

    def _volume(self) -> list[Interval]:
        """Bernstein coefficients of w . (e x f); the inner ones times 3."""
        L, n = self.L, self.normals
        mixed = [plus(L, x, y) for x, y in zip(n[0][1], n[1][0], strict=True)]
        return [dot(L, self.w[0], n[0][0]), plus(L, dot(L, self.w[1], n[0][0]), dot(L, self.w[0], mixed)),
                plus(L, dot(L, self.w[1], mixed), dot(L, self.w[0], n[1][1])), dot(L, self.w[1], n[1][1])]

    def coplanar_never(self) -> Value:
        self.volume = self._volume()
        return self.L.either(_negative(self.L, self.volume), _positive(self.L, self.volume))

    def directions(self) -> list[Exact]:
        """Vectors that may separate: the axes, one from part to part, and normals of the edges."""
        L = self.L
        zero, one = L.const(0.0), L.const(1.0)
        e, f, w = self.mean
        found = [[one if i == k else zero for i in range(3)] for k in range(3)]
        normal = exact_cross(L, e, f)
        edges = [e, f, exact_minus(L, f, e)] if self.face else [e, f]
        found += [exact_cross(L, edge, normal) for edge in edges]
        found += [exact_cross(L, edge, exact_cross(L, w, edge)) for edge in edges[:2]]
        if not self.face:
            found.append(exact_cross(L, e, exact_cross(L, self._other(), e)))
        found.append(w)
        return found

    def _other(self) -> Exact:
        """From the second end of one edge to the second end of the other."""
        L = self.L
        e, f, w = self.mean
        return [L.add(x, L.sub(y, z)) for x, y, z in zip(w, f, e, strict=True)]

    def separated(self, n: Exact) -> Value:
        """Whether n or -n separates the parts at both ends of the window."""
        L = self.L
        d = DirectionProducts(L, n)
        count = 1 if self.face else 2
        below, above = [], []
        for points in self.points:
            lows, highs = zip(*(d.dot(p) for p in points), strict=True)
            below.append(L.lt(L.add(_most(L, highs[:count]), _most(L, lows[count:])), L.const(0.0)))
            above.append(L.lt(L.add(_most(L, lows[:count]), _most(L, highs[count:])), L.const(0.0)))
        return L.either(_all(L, below), _all(L, above))

    def parameters(self) -> tuple[Value, Value, list[Value]]:
        """Masks: the constraints exclude a contact; they prove one. And the parameters."""
        L = self.L
        n = DirectionProducts(L, exact_cross(L, self.mean[0], self.mean[1]))
        # n . (v x f) = v . (f x n)
        turned_e, turned_f = ([n.cross(v) for v in pair] for pair in (self.e, self.f))
        common = _quadratic(L, self.e, turned_f)
        x, y = _quadratic(L, self.w, turned_f), _quadratic(L, self.w, turned_e)
        if self.face:
            y = [negative(c) for c in y]
            constraints = [x, y, [minus(L, minus(L, c, p), q) for c, p, q in zip(common, x, y, strict=True)]]
        else:
            constraints = [x, y, *([minus(L, c, p) for c, p in zip(common, z, strict=True)] for z in (x, y))]
        positive, below = _positive(L, common), _negative(L, common)
        excluded, holds = L.mask_const(False), positive
        for c in constraints:
            excluded = L.either(excluded, L.either(L.both(positive, _negative(L, c)), L.both(below, _positive(L, c))))
            holds = L.both(holds, _all(L, [L.le(low, L.const(0.0)) for low, _ in c]))
        first, last = self.ends or (self.volume[0], self.volume[3])
        zero = L.const(0.0)
        crosses = L.either(L.both(L.le(first[1], zero), L.le(last[0], zero)), L.both(L.le(first[0], zero), L.le(last[1], zero)))
        scale = middle(L, [common[0], common[2]])
        ratios = [L.div(L.add(*middle(L, [z[0], z[2]])), L.add(*scale)) for z in (x, y)]
        return excluded, L.both(holds, crosses), ratios


def _most(L: Lanes, values: tuple[Value, ...]) -> Value:
    return functools.reduce(L.max, values)


def _quadratic(L: Lanes, v: list[Vector], u: list[Vector]) -> list[Interval]:
    """Bernstein coefficients of v . u, the inner one times 2."""
    return [dot(L, v[0], u[0]), plus(L, dot(L, v[0], u[1]), dot(L, v[1], u[0])), dot(L, v[1], u[1])]
