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

With F, that holds of f - 2 k . F for any vector k, which at x has the value f(x), and the gradient 2 (l - k) . F' with the multipliers of
Lagrange l there. Then 1/2 q . grad is (l - k) . F' q at x, and F' q = F(c) - 1/2 q^T F'' q, as F(x) = 0. Where each F has variables of its
own and a gradient g that does not vanish, l - k is (D . D' - k . F') g / (g . g), which is enclosed over the box: with k from its centre
that is of first order, and all is of third again.
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


def distance_advance(gap: Sequence[Expr], variables: Sequence[str], objective: int, parameters: int = 0, bounded: bool = False,
                     critical: bool = True) -> Advance:
    """Bounds for the distance, variable number `objective`, of points whose difference are the first three of `gap`, where the others
    vanish. They depend on the variables before it. Without `critical` they hold of all points, also inside the domain.
    """
    n, m, pool = len(variables), len(gap), gap[0].pool
    x, centre = [pool.variable(k) for k in range(objective)], [pool.variable(n + k) for k in range(objective)]
    slopes = columns(gap, x)
    curvature = [partials(column, x) for column in slopes]
    pairs = [(i, j) for i in range(objective) for j in range(i, objective) if any(depends(row[j]) for row in curvature[i])]
    now = guarded(substituted(gap, centre), [*gap, *(e for column in slopes for e in column)])
    outputs = [*gap, *now, *(e for column in slopes for e in substituted(column, centre)),
               *(row[j] for i, j in pairs for row in curvature[i])]
    own = [[q for q, column in enumerate(slopes) if depends(column[k])] for k in range(3, m)]
    return Advance(bound_kernel(outputs, variables, parameters, bounded),
                   distance_bound(n, objective, m, pairs, own, critical, quick=True), varying=False)


def distance_bound(n: int, objective: int, m: int, pairs: Sequence[tuple[int, int]], own: Sequence[Sequence[int]] = (),
                   critical: bool = True, quick: bool = False) -> int:
    """Address of ``void(Z, T, N, out)``, of the form of `directions.time_bound`: a lower bound of the distance over a box.

    T    intervals of m entries: D and F over the box, and at its centre, E_j there for every variable j before the distance, E_ij for each
         of `pairs` over the box
    N    (m,)      the first is 1 where the gradient vanishes at least distances in the box, 0 where that is not known
    out  (n + 1,)  the bound; then how far each variable moves D or changes F, NaN where unbounded; 0, or infinity where any is

    `own`: the variables of each F. Without `critical` nothing follows from gradients.
    """
    shape = n, objective, m, tuple(pairs), tuple(map(tuple, own)), critical
    return straight_line("distance bound", shape, "Z T N out", lambda module, L: _Distance(*shape).write(module, L), quick=quick)


def product_error(L: Lanes, a: Ball, b: Ball, start: Value | None = None) -> Value:
    """The reach of the product of two balls from that of their middles (+ start)."""
    size = [L.add(L.abs(x), r) for x, r in zip(*b, strict=True)]
    return dot(L, [L.abs(x) for x in a[0]], b[1], dot(L, a[1], size, start))


def size_of_product(L: Lanes, a: Ball, b: Ball) -> Value:
    """An upper bound of the size of the product of two balls."""
    return product_error(L, a, b, L.max(dot(L, a[0], b[0]), dot(L, [L.neg(x) for x in a[0]], b[0])))


def size_above(L: Lanes, x: Value, error: Value) -> Value:
    """A lower bound of |y| for |y - x| <= error."""
    return L.max(L.neg(L.add(L.neg(L.abs(x)), error)), L.const(0.0))


class _Distance(Bound):
    """Writes the kernel."""

    def __init__(self, n: int, objective: int, m: int, pairs: tuple[tuple[int, int], ...],
                 own: tuple[tuple[int, ...], ...], critical: bool) -> None:
        super().__init__(n, objective, m, pairs)
        self.variables, self.of_function = list(range(objective)), own
        self.critical = critical and len({q for some in own for q in some}) == sum(map(len, own))
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
        self.store(L, "best", [L.min(self.by_gradient(L), best) if self.critical else best])

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
        factors = self.balanced(L, place[:3])[3:]
        reach = [self.number(L, "r", q) for q in range(len(self.variables))]
        total = zero
        for x, error in zip(place[:3], rho, strict=False):
            least = size_above(L, x, error)
            total = L.fma(L.neg(least), least, total)
        for k, x, error in zip(factors, place[3:], rho[3:], strict=True):
            total = L.fma(L.mul(two, L.abs(k)), error, L.fma(L.mul(L.const(-2.0), k), x, total))
        middle = [*place[:3], *factors], [*rho[:3], *(zero for _ in factors)]
        for q, r in enumerate(reach):
            slope, radius = self.ball(L, f"D{q}")
            total = L.fma(size_of_product(L, middle, (slope, radius)), r, total)
            self.store(L, f"S{q}", self.spread(L, q, radius))
        for i, j in combinations_with_replacement(self.variables, 2):
            weight = L.mul(L.mul(reach[i], reach[j]), two if i == j else L.const(4.0))
            total = L.fma(self.bend_error(L, i, j, factors), weight, total)
        total, regular = self.by_multipliers(L, factors, total)
        valid = L.both(L.lt(zero, L.load("%N", 0)), L.both(L.lt(total, zero), L.lt(self.number(L, "finite"), L.const(inf))))
        return L.select(L.both(valid, regular), L.div(total, L.sqrt(L.neg(total))), zero)

    def by_multipliers(self, L: Lanes, factors: Vector, total: Value) -> tuple[Value, Value]:
        """The total and what the multipliers are from `factors`, times how far F is from 0 except for second order; and where they exist.
        """
        zero, regular = L.const(0.0), L.mask_const(True)
        wide, radius = self.ball(L, "range")
        anywhere = [*wide[:3], *factors], [*radius[:3], *(zero for _ in factors)]
        for k, own in enumerate(self.of_function, 3):
            off, minus_square = zero, zero
            for q in own:
                slope, spread = self.load(L, f"D{q}"), self.load(L, f"S{q}")
                least = size_above(L, slope[k], spread[k])
                minus_square = L.fma(L.neg(least), least, minus_square)
                size = L.add(L.abs(slope[k]), spread[k])
                off = L.fma(size_of_product(L, anywhere, (slope, spread)), size, off)
            there = L.lt(minus_square, zero)
            regular = L.both(regular, there)
            total = L.fma(L.div(off, L.select(there, L.neg(minus_square), L.const(1.0))), self.nearly_linear(L, k), total)
        return total, regular

    def nearly_linear(self, L: Lanes, k: int) -> Value:
        """The size of F at the centre, and of what it has of second order over the box."""
        total = L.add(L.abs(self.load(L, "E")[k]), self.load(L, "rho")[k])
        for p in range(len(self.pairs)):
            x, radius = self.ball(L, f"H{p}")
            total = L.fma(L.add(L.abs(x[k]), radius[k]), self.number(L, "w", p), total)
        return total

    def spread(self, L: Lanes, q: int, radius: Vector) -> Vector:
        """The reach of E_q over the box from its middle at the centre."""
        for p, pair in enumerate(self.pairs):
            if q in pair:
                r = self.number(L, "r", pair[0] + pair[1] - q)
                bends = [L.add(L.abs(x), rho) for x, rho in zip(*self.ball(L, f"H{p}"), strict=True)]
                radius = [L.fma(x, r, total) for x, total in zip(bends, radius, strict=True)]
        return radius

    def bend_error(self, L: Lanes, i: int, j: int, factors: Vector) -> Value:
        """Half the width of D_i . D_j + D . D_ij + k . F_ij over the box, with these factors k."""
        first, second = ((self.load(L, f"D{q}")[:3], self.load(L, f"S{q}")[:3]) for q in (i, j))
        total = product_error(L, first, second)
        if (i, j) in self.pairs:
            x, radius = self.ball(L, f"H{self.pairs.index((i, j))}")
            wide, far = self.ball(L, "range")
            total = product_error(L, (wide[:3], far[:3]), (x[:3], radius[:3]), total)
            for k, error in zip(factors, radius[3:], strict=True):
                total = L.fma(L.abs(k), error, total)
        return total

    def chosen(self, L: Lanes) -> list[Vector]:
        """The difference in the middle, and normals of surfaces; of two surfaces also their mean."""
        tangents = [self.load(L, f"D{q}")[:3] for q in range(len(self.variables))]
        across = normals(L, tangents) if self.m == 3 and len(tangents) <= _MOST_TANGENTS else self.gradients(L)
        return [self.balanced(L, n) for n in (self.load(L, "E")[:3], *across)]

    def gradients(self, L: Lanes) -> list[Vector]:
        """The gradients of implicit surfaces in space, the normal of a patch beside one, and the mean of two of these. A function that no
        variable changes, as of a plane parallel to that which gave one of them, has none.
        """
        found, implicit = [], {q for own in self.of_function for q in own}
        for k, own in ((k, own) for k, own in enumerate(self.of_function, 3) if own):
            slopes = [(self.load(L, f"D{q}")[:3], self.load(L, f"D{q}")[k]) for q in own]
            found.append([dot(L, [d[i] for d, _ in slopes], [x for _, x in slopes]) for i in range(3)])
        free = [self.load(L, f"D{q}")[:3] for q in self.variables if q not in implicit]
        if len(found) == 1 and len(free) == 2:
            found += normals(L, free)
        if len(found) == 2:
            first, second = ([L.div(x, L.sqrt(dot(L, n, n))) for x in n] for n in found)
            opposed = L.lt(dot(L, first, second), L.const(0.0))
            found.append([L.add(x, L.select(opposed, L.neg(y), y)) for x, y in zip(first, second, strict=True)])
        return found

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
