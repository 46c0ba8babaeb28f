"""Enclosures of two moving Bezier patches over wider boxes of parameters and time, for the certificate.

Each patch is restricted to its part over the box; derivatives lie in the hull of the differences of its control points, which is
too wide to second order in the width of the box only.

Rounding. Control points are single numbers, computed upward, u = 2**-52. Let A bound the weighted coordinates. Turned into a frame
Y, of row sum y, they are at most a = y A and err by 4 u a: three roundings, and u A of each weighted coordinate. To restrict is to
interpolate N + M times; p + x (q - p), 0 <= x <= 1, passes errors on undiminished and adds 3 u a: 2 u a of the difference, u a of
the sum. A difference times the degree d is at most 2 d a, and its relative error grows by 2 u. So with two differences at most
the error is (8 + 3 (N + M)) u times the bound of the size, up to a factor 1 + 2**-40. Twice that is taken.
"""

import functools
import itertools
import math

from codegen.emit.elementary import arithmetic
from codegen.emit.interval_vectors import Exact, Interval, Value, Vector, minus, negative, splat, times
from codegen.emit.lanes import Lanes
from codegen.machine.straight_line import straight_line

from .enclosure import PatchEnclosure, over, write
from .kernel import UNDERFLOW

Points = list[list[Value]]


@functools.cache
def neighbourhood(N: int, M: int, rational: bool) -> int:
    """Address of ``void(Q, W, Y, X, J, H)`` for eight boxes X (5, 2) of (u1, v1, u2, v2, t) in the unit cube.

    Q and W as for `enclosure.enclose`; Y (3, 3): doubles. J (3, 5, 2) encloses the derivatives of Y (S1 - S2) over X,
    H (5, 5, 2) the second derivatives of its last coordinate with the opposite sign. Y is applied to the control points, so
    that J is narrow in its directions. The boxes must not be flat in the parameters, and weights differ by 2**20 at most, so
    that what is computed of them stays positive.
    """
    return straight_line("bezier neighbourhood", (N, M, rational), "Q W Y X J H", lambda module, L: _neighbourhood(L, N, M, rational))


def _neighbourhood(L: Lanes, N: int, M: int, rational: bool) -> None:
    zero = L.const(0.0)
    box = [(L.load("%X", 2 * k), L.load("%X", 2 * k + 1)) for k in range(5)]
    frame = [[splat(L, "%Y", 3 * i + k) for k in range(3)] for i in range(3)]
    for i, j in itertools.product(range(5), range(5)):
        write(L, "%H", 5 * i + j, (zero, zero))
    moving: list[Vector] = []
    for patch in range(2):
        part = _Part(PatchEnclosure(L, patch, N, M, rational), frame, box[2 * patch], box[2 * patch + 1], box[4])
        du, dv, dt = part.slopes()
        moving.append(dt)
        for i, (k, slope) in itertools.product(range(3), enumerate((du, dv))):
            write(L, "%J", 5 * i + 2 * patch + k, negative(slope[i]) if patch else slope[i])
        u, v = 2 * patch, 2 * patch + 1
        for (i, j), x in zip(((u, u), (u, v), (v, v), (u, 4), (v, 4)), part.curvatures(), strict=True):
            for place in {5 * i + j, 5 * j + i}:
                write(L, "%H", place, x if patch else negative(x))
    for i in range(3):
        write(L, "%J", 5 * i + 4, minus(L, moving[0][i], moving[1][i]))


class _Part:
    """A patch over a box: its control points and velocities in a frame, weighted, and its weights, with bounds of their sizes."""

    def __init__(self, surface: PatchEnclosure, frame: list[Exact], u: Interval, v: Interval, t: Interval) -> None:
        L = self.L = surface.L
        self.t, self.rational = t, surface.rational
        self.error = L.const(2.0 * (8 + 3 * (surface.N + surface.M)) * 2.0**-52)
        self.inverses = [self._inverse(x) for x in (u, v)]
        world = [[[[x[1] for x in row] for row in surface.grid(rate, k)] for k in range(3)] for rate in range(2)]
        largest = functools.reduce(L.max, (L.abs(x) for grids in world for g in grids for row in g for x in row))
        self.sizes = [L.mul(largest, L.add(L.add(*(L.abs(y) for y in n[:2])), L.abs(n[2]))) for n in frame]
        self.places, self.rates = ([self._restricted(self._turned(grids, n), u, v) for n in frame] for grids in world)
        if self.rational:
            self.heaviest = functools.reduce(L.max, itertools.chain(*surface.weights))
            self.weights = self._restricted(surface.weights, u, v)

    def _inverse(self, x: Interval) -> Interval:
        """One over the width."""
        L = self.L
        least, most = L.neg(L.sub(L.neg(x[0]), x[1])), L.add(x[0], x[1])
        return L.div(L.const(-1.0), most), L.div(L.const(1.0), least)

    def _turned(self, world: list[Points], n: Exact) -> Points:
        L = self.L
        return [[L.fma(n[2], z, L.fma(n[1], y, L.mul(n[0], x))) for x, y, z in zip(*rows, strict=True)]
                for rows in zip(*world, strict=True)]

    def _restricted(self, g: Points, u: Interval, v: Interval) -> Points:
        rows = [self._restricted_row(row, v) for row in g]
        return _transposed([self._restricted_row(row, u) for row in _transposed(rows)])

    def _restricted_row(self, c: list[Value], x: Interval) -> list[Value]:
        """Control points of a curve between both ends of x: its blossom at i times the lower end and else the upper one."""
        lo, hi = self.L.neg(x[0]), x[1]
        out = []
        while c:
            row = c
            while len(row) > 1:
                row = self._interpolated(row, hi)
            out.append(row[0])
            c = self._interpolated(c, lo)
        return out[::-1]

    def _interpolated(self, c: list[Value], x: Value) -> list[Value]:
        L = self.L
        return [L.fma(x, L.sub(q, p), p) for p, q in itertools.pairwise(c)]

    def _derivative(self, places: Points, rates: Points | None, size: Value, i: int, j: int) -> Interval:
        """The derivative of places + t rates, i times in u and j times in v: the hull of the differences, over the width of the box."""
        L = self.L
        N, M = len(places) - 1, len(places[0]) - 1
        if i > N or j > M:
            return L.const(0.0), L.const(0.0)
        grids = [itertools.chain(*self._differences(g, i, j)) for g in (places, rates) if g is not None]
        ends = [self._moved(*x) for x in zip(*grids, strict=True)]
        growth = math.prod(2.0 * (N - k) for k in range(i)) * math.prod(2.0 * (M - k) for k in range(j))
        # Both of places and of rates, times at most 1.
        slack = L.fma(L.mul(L.const(2.0 * growth), size), self.error, L.const(UNDERFLOW))
        n, h = (L.add(functools.reduce(L.max, values), slack) for values in zip(*ends, strict=True))
        out: Interval = n, h
        for inverse in [self.inverses[0]] * i + [self.inverses[1]] * j:
            out = arithmetic.multiply_nonnegative(L, *inverse, *out, guard=False)
        return out

    def _moved(self, p: Value, r: Value | None = None) -> Interval:
        """p + t r over the box."""
        L = self.L
        if r is None:
            return L.neg(p), p
        minus_p, minus_r, lo = L.neg(p), L.neg(r), L.neg(self.t[0])
        return (L.max(L.fma(lo, minus_r, minus_p), L.fma(self.t[1], minus_r, minus_p)),
                L.max(L.fma(lo, r, p), L.fma(self.t[1], r, p)))

    def _differences(self, g: Points, i: int, j: int) -> Points:
        for _ in range(i):
            g = [self._row_differences(x, y, len(g) - 1) for x, y in itertools.pairwise(g)]
        for _ in range(j):
            g = _transposed(g)
            g = _transposed([self._row_differences(x, y, len(g) - 1) for x, y in itertools.pairwise(g)])
        return g

    def _row_differences(self, x: list[Value], y: list[Value], degree: int) -> list[Value]:
        L = self.L
        return [L.mul(L.const(float(degree)), L.sub(b, a)) for a, b in zip(x, y, strict=True)]

    def slopes(self) -> tuple[Vector, Vector, Vector]:
        """The derivatives in u, v and t."""
        L = self.L
        orders = ((1, 0), (0, 1), (0, 0)) if self.rational else ((1, 0), (0, 1))
        grids = list(zip(self.places, self.rates, self.sizes, strict=True))
        du, dv, *rest = ([self._derivative(p, r, a, i, j) for p, r, a in grids] for i, j in orders)
        dt = [self._derivative(r, None, a, 0, 0) for _, r, a in grids]
        if not self.rational:
            return du, dv, dt
        w, wu, wv = (self._derivative(self.weights, None, self.heaviest, i, j) for i, j in ((0, 0), (1, 0), (0, 1)))
        s = [over(L, x, w) for x in rest[0]]
        du, dv = ([over(L, minus(L, x, times(L, y, d)), w) for x, y in zip(n, s, strict=True)] for n, d in ((du, wu), (dv, wv)))
        return du, dv, [over(L, x, w) for x in dt]

    def curvatures(self) -> list[Interval]:
        """The derivatives uu, uv, vv, ut, vt of the last coordinate."""
        L = self.L
        p, r, a = self.places[2], self.rates[2], self.sizes[2]
        uu, uv, vv = (self._derivative(p, r, a, i, j) for i, j in ((2, 0), (1, 1), (0, 2)))
        ut, vt = (self._derivative(r, None, a, i, j) for i, j in ((1, 0), (0, 1)))
        if not self.rational:
            return [uu, uv, vv, ut, vt]
        orders = (0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)
        w, wu, wv, wuu, wuv, wvv = (self._derivative(self.weights, None, self.heaviest, i, j) for i, j in orders)
        s, su, sv = (self._derivative(p, r, a, i, j) for i, j in orders[:3])
        # From S w = N: S_uu = (N_uu - 2 S_u w_u - S w_uu) / w and so on.
        s = over(L, s, w)
        su, sv = (over(L, minus(L, x, times(L, s, y)), w) for x, y in ((su, wu), (sv, wv)))
        rate = over(L, self._derivative(r, None, a, 0, 0), w)
        out = []
        for n, terms in ((uu, ((su, wu), (su, wu), (s, wuu))), (uv, ((su, wv), (sv, wu), (s, wuv))),
                         (vv, ((sv, wv), (sv, wv), (s, wvv))), (ut, ((rate, wu),)), (vt, ((rate, wv),))):
            for x, y in terms:
                n = minus(L, n, times(L, x, y))
            out.append(over(L, n, w))
        return out


def _transposed(g: Points) -> Points:
    return [list(row) for row in zip(*g, strict=True)]
