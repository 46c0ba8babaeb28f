"""A lower bound of the distance of two surfaces over a box of their parameters, to second order along chosen directions.

Let D(x) be the difference of two points over a box, and F(x) further functions that are zero at every point of interest, as those of
implicit surfaces. For vectors n and m of doubles, and wherever F = 0,

    |D| >= |n . D| / |n| = |n . D + m . F| / |n|,

and n . D + m . F is bounded over the box by Taylor's theorem, as in `directions`. Good choices are the difference in the middle of the box
and normals to two tangents for n, and for m the multipliers that leave the least of the gradient: those of Lagrange, at a critical
distance. So the distance is a bound of the kind that moves a window on (`conservative_advancement`): two bodies, one of which grows on all
sides, touch first when it has grown by their distance. Only that it holds from 0 on, wherever the window begins.

Where there is no F and the box lies inside the domain, a least distance has a gradient that is zero, and then so is that of f = D . D. With
q = c - x, Taylor's theorem at the zero x and the mean of the second derivatives on the way to c give

    f(c) = f(x) + 1/2 q^T H(y) q,   grad f(c) = M q,   so   f(x) = f(c) - 1/2 q . grad f(c) + 1/2 q^T (M - H(y)) q,

M and H(y) both being in the hull of the second derivatives over the box: the last term is of third order. So where surfaces are nearest
to each other along a curve it takes boxes of the size of the cube root of the error only.
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import inf

from ..emit.lanes import Lanes
from ..graph.autodiff import partials
from ..graph.expr import Expr
from ..machine.straight_line import straight_line
from .advance import Advance, bound_kernel, columns, depends, guarded, substituted
from .directions import Bound
from .step import Ball, Reader, Value, Vector, dot, half_width, normals

# Rounds in which the multipliers are corrected one after the other: they are exact at once where gradients are at right angles, as those of
# different bodies are.
_ROUNDS = 3
# Normals of so many tangents are tried.
_MOST_TANGENTS = 5


def distance_advance(gap: Sequence[Expr], variables: Sequence[str], objective: int, parameters: int = 0, bounded: bool = False) -> Advance:
    """Bounds for the distance, variable number `objective`, of points whose difference are the first three of `gap`, where the others
    vanish. They depend on the variables before it.
    """
    n, m, pool = len(variables), len(gap), gap[0].pool
    x, centre = [pool.variable(k) for k in range(objective)], [pool.variable(n + k) for k in range(objective)]
    slopes = columns(gap, x)
    curvature = [partials(column, x) for column in slopes]
    pairs = [(i, j) for i in range(objective) for j in range(i, objective) if any(depends(row[j]) for row in curvature[i])]
    now = guarded(substituted(gap, centre), [*gap, *(e for column in slopes for e in column)])
    outputs = [*gap, *now, *(e for column in slopes for e in substituted(column, centre)),
               *(row[j] for i, j in pairs for row in curvature[i])]
    return Advance(bound_kernel(outputs, variables, parameters, bounded), distance_bound(n, objective, m, pairs, quick=True), varying=False)


def distance_bound(n: int, objective: int, m: int, pairs: Sequence[tuple[int, int]], quick: bool = False) -> int:
    """Address of ``void(Z, T, N, out)``, of the form of `directions.time_bound`: a lower bound of the distance over a box.

    T    intervals of m entries: D and F over the box, and at its centre, E_j there for every variable j before the distance, E_ij for each
         of `pairs` over the box
    N    (m,)      the first is 1 where the gradient vanishes at least distances in the box, 0 where that is not known
    out  (n + 1,)  the bound; then how far each variable moves D or changes F, NaN where unbounded; 0, or infinity where any is
    """
    shape = n, objective, m, tuple(pairs)
    return straight_line("distance bound", shape, "Z T N out", lambda module, L: _Distance(*shape).write(module, L), quick=quick)


def product_error(L: Lanes, a: Ball, b: Ball, start: Value | None = None) -> Value:
    """How far the product of two balls reaches from that of their middles (+ start)."""
    size = [L.add(L.abs(x), r) for x, r in zip(*b, strict=True)]
    return dot(L, [L.abs(x) for x in a[0]], b[1], dot(L, a[1], size, start))


class _Distance(Bound):
    """Writes the kernel."""

    def __init__(self, n: int, objective: int, m: int, pairs: tuple[tuple[int, int], ...]) -> None:
        super().__init__(n, objective, m, pairs)
        self.variables = list(range(objective))
        self.put(**{f"{name}{q}": m for q in self.variables for name in ("rhoD", "S")})

    def keep_slope(self, L: Lanes, q: int, slope: Ball) -> None:
        self.store_ball(L, f"D{q}", slope)

    def prepare(self, L: Lanes) -> None:
        read, reach = Reader(L), [half_width(L, self.n, j) for j in self.variables]
        self.store_ball(L, "range", read.vector(self.m))
        middle, rho = read.vector(self.m)
        self.store(L, "E", middle)
        finite = self.keep_derivatives(L, read, reach, rho)
        self.store(L, "finite", [finite])
        self.begin(L, L.mask_const(False))
        best = self.by_sides(L)
        self.store(L, "best", [L.min(self.by_gradient(L), best) if self.m == 3 else best])

    def by_sides(self, L: Lanes) -> Value:
        """Minus the distance of 0 from the box that D lies in."""
        zero, total = L.const(0.0), L.const(0.0)
        for i in range(3):
            gap = L.max(L.max(L.neg(L.load("%T", 2 * i)), L.neg(L.load("%T", 2 * i + 1))), zero)
            total = L.fma(L.neg(gap), gap, total)
        return L.select(L.lt(total, zero), L.div(total, L.sqrt(L.neg(total))), zero)

    def by_gradient(self, L: Lanes) -> Value:
        """Minus a bound of the distance where it is least inside the domain; 0 where there is none."""
        zero, two = L.const(0.0), L.const(2.0)
        place, rho = self.load(L, "E"), self.load(L, "rho")
        reach = [self.number(L, "r", q) for q in range(len(self.variables))]
        total = zero
        for x, error in zip(place, rho, strict=True):
            least = L.max(L.neg(L.add(L.neg(L.abs(x)), error)), zero)
            total = L.fma(L.neg(least), least, total)
        for q, r in enumerate(reach):
            slope, radius = self.ball(L, f"D{q}")
            size = L.max(dot(L, place, slope), dot(L, [L.neg(x) for x in place], slope))
            total = L.fma(product_error(L, (place, rho), (slope, radius), size), r, total)
            self.store(L, f"S{q}", self.spread(L, q, radius))
        for i, j in combinations_with_replacement(self.variables, 2):
            weight = L.mul(L.mul(reach[i], reach[j]), two if i == j else L.const(4.0))
            total = L.fma(self.bend_error(L, i, j), weight, total)
        valid = L.both(L.lt(zero, L.load("%N", 0)), L.both(L.lt(total, zero), L.lt(self.number(L, "finite"), L.const(inf))))
        return L.select(valid, L.div(total, L.sqrt(L.neg(total))), zero)

    def spread(self, L: Lanes, q: int, radius: Vector) -> Vector:
        """How far E_q is over the box from its middle at the centre."""
        for p, pair in enumerate(self.pairs):
            if q in pair:
                r = self.number(L, "r", pair[0] + pair[1] - q)
                bends = [L.add(L.abs(x), rho) for x, rho in zip(*self.ball(L, f"H{p}"), strict=True)]
                radius = [L.fma(x, r, total) for x, total in zip(bends, radius, strict=True)]
        return radius

    def bend_error(self, L: Lanes, i: int, j: int) -> Value:
        """Half the width of D_i . D_j + D . D_ij over the box."""
        first, second = ((self.load(L, f"D{q}"), self.load(L, f"S{q}")) for q in (i, j))
        total = product_error(L, first, second)
        if (i, j) in self.pairs:
            total = product_error(L, self.ball(L, "range"), self.ball(L, f"H{self.pairs.index((i, j))}"), total)
        return total

    def chosen(self, L: Lanes) -> list[Vector]:
        tangents = [self.load(L, f"D{q}")[:3] for q in range(len(self.variables))]
        found = [self.load(L, "E")[:3], *(normals(L, tangents) if self.m == 3 and len(tangents) <= _MOST_TANGENTS else [])]
        return [self.balanced(L, n) for n in found]

    def balanced(self, L: Lanes, n: Vector) -> Vector:
        """The direction with multipliers, by ordinary arithmetic."""
        count = len(self.variables)
        columns = [self.load(L, f"D{q}") for q in range(count)]
        squares = [L.mul(self.number(L, "r", q), self.number(L, "r", q)) for q in range(count)]
        left = [dot(L, n, columns[q][:3]) for q in range(count)]
        factors = [L.const(0.0)] * (self.m - 3)
        for k in list(range(self.m - 3)) * (_ROUNDS if self.m > 4 else 1):
            gradient = [columns[q][3 + k] for q in range(count)]
            weighed = [L.mul(a, b) for a, b in zip(gradient, squares, strict=True)]
            size = dot(L, gradient, weighed)
            change = L.select(L.lt(L.const(0.0), size), L.neg(L.div(dot(L, left, weighed), size)), L.const(0.0))
            factors[k] = L.add(factors[k], change)
            left = [L.fma(change, a, b) for a, b in zip(gradient, left, strict=True)]
        return [*n, *factors]

    def one_direction(self, L: Lanes, n: Vector) -> None:
        """The least of n . D + m . F or of its negative, whichever is positive, against the length of n."""
        high, low, total = self.extremes(L, n)
        minus_a = L.select(L.lt(high, L.const(0.0)), high, low)
        length = L.sqrt(dot(L, n[:3], n[:3]))
        valid = L.both(L.both(L.lt(minus_a, L.const(0.0)), L.lt(total, L.const(inf))), L.lt(L.const(0.0), length))
        self.improve(L, valid, L.div(minus_a, length), [L.const(0.0), L.const(1.0)])

    def beginning(self, L: Lanes) -> Value:
        return L.const(0.0)
