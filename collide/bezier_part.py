"""Enclosures of two moving Bezier patches over wider boxes of parameters and time, for the certificate.

Each patch is restricted to its part over the box, in interval arithmetic; derivatives lie in the hull of the differences of
its control points, which is too wide to second order in the width of the box only.
"""

import functools
import itertools

from codegen.elementary import arithmetic
from codegen.lanes import Lanes

from .bezier_enclosure import Grid, Surface, differences, over, transposed, write
from .interval_vectors import Direction, Interval, Value, Vector, kernel, minus, negative, plus, splat, times


@functools.cache
def neighbourhood(N: int, M: int, rational: bool) -> int:
    """Address of ``void(Q, W, Y, X, J, H)`` for eight boxes X (5, 2) of (u1, v1, u2, v2, t) in the unit cube.

    Q and W as for `bezier_enclosure.enclose`; Y (3, 3): doubles. J (3, 5, 2) encloses the derivatives of Y (S1 - S2) over X,
    H (5, 5, 2) the second derivatives of its last coordinate with the opposite sign. The boxes must not be flat in the
    parameters. Y is applied to the control points, so that J is narrow in its directions.
    """
    return kernel(f"bezier neighbourhood {N} {M} {rational}", lambda L, module: _neighbourhood(L, N, M, rational))


def _neighbourhood(L: Lanes, N: int, M: int, rational: bool) -> str:
    zero = L.const(0.0)
    box = [(L.load("%X", 2 * k), L.load("%X", 2 * k + 1)) for k in range(5)]
    frame = [Direction(L, [splat(L, "%Y", 3 * i + k) for k in range(3)]) for i in range(3)]
    for i, j in itertools.product(range(5), range(5)):
        write(L, "%H", 5 * i + j, (zero, zero))
    moving: list[Vector] = []
    for patch in range(2):
        part = _Part(Surface(L, patch, N, M, rational), frame, box[2 * patch], box[2 * patch + 1], box[4])
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
    return "Q W Y X J H"


class _Part:
    """A patch over a box: its control points and velocities in a frame, weighted, and its weights."""

    def __init__(self, surface: Surface, frame: list[Direction], u: Interval, v: Interval, t: Interval) -> None:
        self.L, self.t, self.rational = surface.L, t, surface.rational
        self.sides = [self._inverse(x) for x in (u, v)]
        self.places, self.rates = ([self._restricted(g, u, v) for g in self._turned(surface, frame, rate)] for rate in range(2))
        if self.rational:
            self.weights = self._restricted([[(self.L.neg(w), w) for w in row] for row in surface.weights], u, v)

    def _turned(self, surface: Surface, frame: list[Direction], rate: int) -> list[Grid]:
        world = [surface.grid(rate, k) for k in range(3)]
        return [[[n.dot(list(x)) for x in zip(*rows, strict=True)] for rows in zip(*world, strict=True)] for n in frame]

    def _inverse(self, x: Interval) -> Interval:
        """One over the width."""
        L = self.L
        least, most = L.neg(L.sub(L.neg(x[0]), x[1])), L.add(x[0], x[1])
        return L.div(L.const(-1.0), most), L.div(L.const(1.0), least)

    def _restricted(self, g: Grid, u: Interval, v: Interval) -> Grid:
        rows = [self._restricted_row(row, v) for row in g]
        return transposed([self._restricted_row(row, u) for row in transposed(rows)])

    def _restricted_row(self, c: list[Interval], x: Interval) -> list[Interval]:
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

    def _interpolated(self, c: list[Interval], x: Value) -> list[Interval]:
        """p + x (q - p) for 0 <= x of neighbours."""
        L = self.L
        return [(L.fma(x, d[0], p[0]), L.fma(x, d[1], p[1])) for p, d in ((p, minus(L, q, p)) for p, q in itertools.pairwise(c))]

    def _derivative(self, places: Grid, rates: Grid | None, i: int, j: int) -> Interval:
        """Of places + t rates, i times in u and j times in v: the hull of the differences, over the width of the box."""
        if i >= len(places) or j >= len(places[0]):
            return self.L.const(0.0), self.L.const(0.0)
        both = [self._differences(g, i, j) for g in (places, rates) if g is not None]
        if rates is not None:
            both = [[[plus(self.L, p, self._times(self.t, r)) for p, r in zip(a, b, strict=True)] for a, b in zip(*both, strict=True)]]
        ends = zip(*itertools.chain(*both[0]), strict=True)
        n, h = (functools.reduce(self.L.max, values) for values in ends)
        out: Interval = n, h
        for side in [self.sides[0]] * i + [self.sides[1]] * j:
            out = self._times(side, out)
        return out

    def _differences(self, g: Grid, i: int, j: int) -> Grid:
        for _ in range(i):
            g = differences(self.L, g)
        for _ in range(j):
            g = transposed(differences(self.L, transposed(g)))
        return g

    def _times(self, x: Interval, y: Interval) -> Interval:
        """For x >= 0."""
        return arithmetic.multiply_nonnegative(self.L, *x, *y, guard=False)

    def slopes(self) -> tuple[Vector, Vector, Vector]:
        """The derivatives in u, v and t."""
        L = self.L
        du, dv, s = ([self._derivative(p, r, i, j) for p, r in zip(self.places, self.rates, strict=True)]
                     for i, j in ((1, 0), (0, 1), (0, 0)))
        dt = [self._derivative(r, None, 0, 0) for r in self.rates]
        if not self.rational:
            return du, dv, dt
        w, wu, wv = (self._derivative(self.weights, None, i, j) for i, j in ((0, 0), (1, 0), (0, 1)))
        s = [over(L, x, w) for x in s]
        du, dv = ([over(L, minus(L, x, times(L, y, d)), w) for x, y in zip(n, s, strict=True)] for n, d in ((du, wu), (dv, wv)))
        return du, dv, [over(L, x, w) for x in dt]

    def curvatures(self) -> list[Interval]:
        """The derivatives uu, uv, vv, ut, vt of the last coordinate."""
        L = self.L
        p, r = self.places[2], self.rates[2]
        uu, uv, vv = (self._derivative(p, r, i, j) for i, j in ((2, 0), (1, 1), (0, 2)))
        ut, vt = (self._derivative(r, None, i, j) for i, j in ((1, 0), (0, 1)))
        if not self.rational:
            return [uu, uv, vv, ut, vt]
        orders = (0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)
        w, wu, wv, wuu, wuv, wvv = (self._derivative(self.weights, None, i, j) for i, j in orders)
        s, su, sv = (self._derivative(p, r, i, j) for i, j in orders[:3])
        # From S w = N: S_uu = (N_uu - 2 S_u w_u - S w_uu) / w and so on.
        s = over(L, s, w)
        su, sv = (over(L, minus(L, a, times(L, s, b)), w) for a, b in ((su, wu), (sv, wv)))
        rate = over(L, self._derivative(r, None, 0, 0), w)
        out = []
        for n, terms in ((uu, ((su, wu), (su, wu), (s, wuu))), (uv, ((su, wv), (sv, wu), (s, wuv))),
                         (vv, ((sv, wv), (sv, wv), (s, wvv))), (ut, ((rate, wu),)), (vt, ((rate, wv),))):
            for a, b in terms:
                n = minus(L, n, times(L, a, b))
            out.append(over(L, n, w))
        return out
