"""Enclosures of two moving Bezier patches over boxes of parameters and time, eight boxes at a time, for the proofs.

Sums with enclosures of Bernstein polynomials: for boxes of the width of rounding errors as tight as any, and for points.
"""

import functools
import itertools

from codegen.emit.elementary import arithmetic
from codegen.emit.interval_vectors import Interval, Vector, minus, negative, plus, splat, times
from codegen.emit.lanes import Lanes
from codegen.machine.straight_line import straight_line


@functools.cache
def enclose(N: int, M: int, rational: bool) -> int:
    """Address of ``void(Q, W, C, X, f, J)`` for eight boxes of (u1, v1, u2, v2, t).

    Q: the doubles of one pair, (patch, position and velocity, u, v, xyz); W: its weights (patch, u, v), not read for
    polynomial patches. C (5,): points; X (5, 2): boxes in the unit cube. f (3, 2) encloses S1 - S2 at C, J (3, 5, 2) its
    derivatives over X.
    """
    return straight_line("bezier enclose", (N, M, rational), "Q W C X f J", lambda module, L: _enclose(L, N, M, rational))


def _enclose(L: Lanes, N: int, M: int, rational: bool) -> None:
    zero = L.const(0.0)
    box = [(L.load("%X", 2 * k), L.load("%X", 2 * k + 1)) for k in range(5)]
    point = [(L.neg(c), c) for c in (L.load("%C", k) for k in range(5))]
    f: Vector = [(zero, zero)] * 3
    time: Vector = [(zero, zero)] * 3
    for patch in range(2):
        surface = PatchEnclosure(L, patch, N, M, rational)
        at = surface.homogeneous(point[4])
        here = surface.points(at, point[2 * patch], point[2 * patch + 1])
        du, dv, dt = surface.slopes(box[2 * patch], box[2 * patch + 1], box[4])
        if patch:
            f, time = ([minus(L, x, y) for x, y in zip(a, b, strict=True)] for a, b in ((f, here), (time, dt)))
            du, dv = [negative(x) for x in du], [negative(x) for x in dv]
        else:
            f, time = here, dt
        for i in range(3):
            write(L, "%J", 5 * i + 2 * patch, du[i])
            write(L, "%J", 5 * i + 2 * patch + 1, dv[i])
    for i in range(3):
        write(L, "%f", i, f[i])
        write(L, "%J", 5 * i + 4, time[i])


def write(L: Lanes, pointer: str, position: int, x: Interval) -> None:
    L.store(pointer, 2 * position, x[0])
    L.store(pointer, 2 * position + 1, x[1])


Grid = list[list[Interval]]


class PatchEnclosure:
    """Interval evaluation of one patch: grids of control coordinates, summed with Bernstein polynomials."""

    def __init__(self, L: Lanes, patch: int, N: int, M: int, rational: bool) -> None:
        self.L, self.patch, self.N, self.M, self.rational = L, patch, N, M, rational
        self.weights = [[splat(L, "%W", self._place(patch, i, j)) for j in range(M + 1)] for i in range(N + 1)] if rational else []
        self.bases: dict[tuple[int, Interval], list[Interval]] = {}

    def _place(self, block: int, i: int, j: int) -> int:
        return (block * (self.N + 1) + i) * (self.M + 1) + j

    def grid(self, rate: int, k: int) -> Grid:
        """Coordinate k of the control points (rate 0) or velocities (1), times the weights."""
        L = self.L
        out = []
        for i in range(self.N + 1):
            row = []
            for j in range(self.M + 1):
                x = splat(L, "%Q", 3 * self._place(2 * self.patch + rate, i, j) + k)
                if self.rational:
                    w = self.weights[i][j]
                    row.append((L.mul(L.neg(x), w), L.mul(x, w)))
                else:
                    row.append((L.neg(x), x))
            out.append(row)
        return out

    def homogeneous(self, t: Interval) -> list[Grid]:
        """The weighted coordinates at a time t >= 0, and the weights."""
        L = self.L
        grids = [self._moved(self.grid(0, k), self.grid(1, k), t) for k in range(3)]
        if self.rational:
            grids.append([[(L.neg(w), w) for w in row] for row in self.weights])
        return grids

    def points(self, grids: list[Grid], u: Interval, v: Interval) -> Vector:
        L = self.L
        sums = [self._derivative(g, u, v, 0, 0) for g in grids]
        return [over(L, x, sums[3]) for x in sums[:3]] if self.rational else sums

    def slopes(self, u: Interval, v: Interval, t: Interval) -> tuple[Vector, Vector, Vector]:
        """Derivatives in u, v and t over a box."""
        L = self.L
        grids = self.homogeneous(t)
        along_u, along_v = ([self._derivative(g, u, v, 1 - k, k) for g in grids] for k in range(2))
        rates = [self._derivative(self.grid(1, k), u, v, 0, 0) for k in range(3)]
        if not self.rational:
            return along_u, along_v, rates
        weight = self._derivative(grids[3], u, v, 0, 0)
        s = [over(L, self._derivative(g, u, v, 0, 0), weight) for g in grids[:3]]
        du, dv = ([over(L, minus(L, d[k], times(L, s[k], d[3])), weight) for k in range(3)] for d in (along_u, along_v))
        return du, dv, [over(L, x, weight) for x in rates]

    def _moved(self, places: Grid, rates: Grid, t: Interval) -> Grid:
        """places + t rates for t >= 0."""
        L = self.L
        return [[plus(L, a, arithmetic.multiply_nonnegative(L, *t, *b, guard=False)) for a, b in zip(x, y, strict=True)]
                for x, y in zip(places, rates, strict=True)]

    def _derivative(self, g: Grid, u: Interval, v: Interval, i: int, j: int) -> Interval:
        """The derivative of the sum with the Bernstein polynomials, i times in u and j times in v."""
        L = self.L
        if i > self.N or j > self.M:
            return L.const(0.0), L.const(0.0)
        for _ in range(i):
            g = _differences(L, g)
        for _ in range(j):
            g = _transposed(_differences(L, _transposed(g)))
        return _sum(L, g, self._basis(self.N - i, u), self._basis(self.M - j, v))

    def _basis(self, degree: int, x: Interval) -> list[Interval]:
        if (degree, x) not in self.bases:
            self.bases[degree, x] = _bernstein(self.L, degree, x)
        return self.bases[degree, x]


def over(L: Lanes, x: Interval, w: Interval) -> Interval:
    """x / w for w > 0."""
    return arithmetic.divide(L, *x, *w)


def _transposed(g: Grid) -> Grid:
    return [list(row) for row in zip(*g, strict=True)]


def _differences(L: Lanes, g: Grid) -> Grid:
    """Control coordinates of the derivative along the first index."""
    degree = L.const(float(len(g) - 1))
    return [[(L.mul(degree, n), L.mul(degree, h)) for n, h in (minus(L, b, a) for a, b in zip(x, y, strict=True))]
            for x, y in itertools.pairwise(g)]


def _bernstein(L: Lanes, degree: int, x: Interval) -> list[Interval]:
    """Enclosures of the Bernstein polynomials for 0 <= x <= 1, within [0, 1]."""
    one = L.const(1.0)
    rest = L.sub(x[1], one), L.add(one, x[0])
    basis: list[Interval] = [(L.const(-1.0), one)]
    for _ in range(degree):
        raised = [arithmetic.multiply_both_nonnegative(L, *rest, *b, guard=False) for b in basis]
        moved = [arithmetic.multiply_both_nonnegative(L, *x, *b, guard=False) for b in basis]
        basis = [raised[0], *(plus(L, a, b) for a, b in zip(raised[1:], moved[:-1], strict=True)), moved[-1]]
    return basis


def _sum(L: Lanes, g: Grid, bu: list[Interval], bv: list[Interval]) -> Interval:
    """The sum of g_ij bu_i bv_j; both factors are not negative."""
    total: Interval | None = None
    for i, row in enumerate(g):
        line: Interval | None = None
        for b, c in zip(bv, row, strict=True):
            term = arithmetic.multiply_nonnegative(L, *b, *c, guard=False)
            line = term if line is None else plus(L, line, term)
        assert line is not None
        term = arithmetic.multiply_nonnegative(L, *bu[i], *line, guard=False)
        total = term if total is None else plus(L, total, term)
    assert total is not None
    return total
