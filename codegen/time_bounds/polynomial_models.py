"""Polynomial models of a surface over a box of its parameters: control points of a Bernstein form, and a remainder.

A surface has three coordinates, or more: it may be any functions of which a matrix makes points of space (`separation`).
Over the box c + r s, s in [-1, 1] in each parameter, every coordinate b is interpolated at the pairs of p + 1 and q + 1 `nodes` by a
polynomial I b of degree p in the first parameter and q in the second. In a parameter in which b is a polynomial of that degree this is
exact. In others p = 3; by the theorem on the remainder of interpolation (Davis 1963, Theorem 3.1.1)

    |b - I_u b| <= e_u = W r_u^4 max |b_uuuu| / 4!,     W = max |(s - s_0) .. (s - s_3)| = 3600 / 28561,

and likewise for v. A value of I_v b is at most L max |b|, L = 13/7 the Lebesgue constant of the nodes; so b - I_u I_v b =
(b - I_u b) + I_u (b - I_v b) is at most e_u + L e_v, and as well at most L e_u + e_v. (The nodes are next to those of Chebyshev, for
which W = 1/8; a Taylor polynomial has 1 in the place of W, and mixed derivatives besides.) So n . b lies in the convex hull of
the numbers n . P, P the control points, widened by |n| . rho.

Rounding. Everything is rounded upward, with relative errors below u = 2^-52. A value is known as m +- r; the control points are d plus
products of the constant matrices of `bernstein_coefficients`, whose rows sum to 1, with the differences m - d, d one of the m.
Let S be the largest difference, K_u and K_v the largest sums of the sizes of a row. A difference is wrong by at most u S; a sum of
four products by at most 4.6 u times the sum of their sizes, its rounded weights included, K_u S at most, and then K_u K_v S; the sum
with d by at most u (|d| + 1.01 K_u K_v S). So a control point is wrong by less than K_u K_v (16 u S + max r) + 2 u |d|, and by underflow
by less than 2^-1000. All of it goes into rho.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from ..emit.lanes import Lanes
from ..machine.straight_line import straight_line
from .step import Reader, Value, Vector, dot, largest

# What stands for an extent without bound.
_HUGE = 1e200
# See "Rounding" above.
_UNIT, _TINY = 2.0**-52, 2.0**-1000

HIGHEST = 3
"""The degree by which functions are interpolated that are no polynomials of this degree or a lower one."""

# W / 4!, and the Lebesgue constant less 1.
_WEIGHT, _LEBESGUE = Fraction(3600, 28561 * 24), Fraction(6, 7)


class Model(NamedTuple):
    """The shape of a model: degrees in the one or two parameters, by which of them there is a remainder, whether the surface may fail to
    be differentiable somewhere, the number m of its coordinates, and whether what it looks like in space is seen by a matrix only.
    """

    degrees: tuple[int, ...]
    remainder: tuple[int, ...]
    rough: bool
    coordinates: int = 3
    viewed: bool = False

    @property
    def both(self) -> tuple[int, int]:
        return self.degrees[0], self.degrees[1] if len(self.degrees) > 1 else 0

    @property
    def points(self) -> int:
        return (self.both[0] + 1) * (self.both[1] + 1)

    # A record holds, m doubles each: control points (those of the second parameter next to each other), rho, size (a bound
    # of the coordinates of control points, with rho), middle and reach (of a box that holds the surface); then doubt, 0 or,
    # where only the box is known, infinite; then the extents in space along the parameters.

    @property
    def rho(self) -> int:
        return self.coordinates * self.points

    @property
    def size(self) -> int:
        return self.rho + self.coordinates

    @property
    def middle(self) -> int:
        return self.rho + 2 * self.coordinates

    @property
    def reach(self) -> int:
        return self.rho + 3 * self.coordinates

    @property
    def doubt(self) -> int:
        return self.rho + 4 * self.coordinates

    @property
    def extents(self) -> int:
        return self.doubt + 1

    @property
    def length(self) -> int:
        return self.doubt + 3


def record_kernel(model: Model, quick: bool = False) -> int:
    """Address of ``void(Z, T, V, out)``: the records of eight boxes.

    Z    (3 d, 2)     the d parameters of the box as intervals, then their lower ends as thin ones, then their upper ends
    T    intervals:   b over the box; b at all pairs of `nodes`, those of the second parameter next to each other; b_uuuu and b_vvvv over
                      the box, as far as there is a remainder; for a rough surface one more, unbounded where these cannot be trusted
    V    (3, m)       of a viewed model, the matrix by which to judge extents in space, for points only
    out  (length,)    the records
    """
    return straight_line("polynomial model", tuple(model), "Z T V out", lambda module, L: _record(L, model), quick=quick)


def _record(L: Lanes, model: Model) -> None:
    write_record(L, model, Reader(L), [half_width(L, len(model.degrees), j) for j in range(len(model.degrees))])


def write_record(L: Lanes, model: Model, read: Reader, r: Sequence[Value], out: str = "%out") -> None:
    """The record of boxes of half widths r at `out`, of the intervals that `read` reads."""
    natural = [read.ends() for _ in range(model.coordinates)]
    points, rho = _control_points(L, model, read)
    rho = _remainder(L, model, read, r, rho)
    doubt = L.max(*read.ends()) if model.rough else L.const(0.0)
    total = doubt
    for row in points:
        for x in row:
            total = L.add(L.abs(x), total)
    for x in rho:
        total = L.add(x, total)
    known = L.lt(total, L.const(math.inf))
    _store(L, model, natural, points, rho, known, r, out)


def half_width(L: Lanes, d: int, j: int) -> Value:
    """Half the width of parameter j of the d at %Z, whose ends are thin intervals."""
    return L.mul(L.const(0.5), L.add(L.load("%Z", 2 * (2 * d + j) + 1), L.load("%Z", 2 * (d + j))))


def nodes(degree: int) -> list[Fraction]:
    """The points of [-1, 1] at which polynomials of a degree up to 3 are interpolated."""
    return {0: [Fraction(0)], 1: [Fraction(-1), Fraction(1)], 2: [Fraction(-1), Fraction(0), Fraction(1)],
            3: [Fraction(k, 13) for k in (-12, -5, 5, 12)]}[degree]


@functools.cache
def bernstein_coefficients(degree: int) -> list[list[Fraction]]:
    """The matrix that makes Bernstein coefficients on [-1, 1] of the values at the nodes: column k holds those of the product of
    (s - s_i) / (s_k - s_i), i other than k, where s - s_i has the coefficients -1 - s_i and 1 - s_i.
    """
    columns = []
    for k, node in enumerate(nodes(degree)):
        others = nodes(degree)[:k] + nodes(degree)[k + 1:]
        scale = math.prod(node - x for x in others)
        columns.append([sum(math.prod((1 if i in chosen else -1) - x for i, x in enumerate(others))
                            for chosen in combinations(range(degree), j)) / (math.comb(degree, j) * scale) for j in range(degree + 1)])
    return [list(row) for row in zip(*columns, strict=True)]


def _control_points(L: Lanes, model: Model, read: Reader) -> tuple[list[Vector], Vector]:
    """Control points and what they may be wrong by."""
    p, q = model.both
    m, two_units = model.coordinates, L.const(2 * _UNIT)
    first, second = bernstein_coefficients(p), bernstein_coefficients(q)
    values, radii = zip(*(read.vector(m) for _ in range(model.points)), strict=True)
    growth = L.const(_above(_growth(first) * _growth(second)))
    coordinates, rho = [], []
    for c in range(m):
        base = values[(model.points - 1) // 2][c]
        difference = [L.sub(x[c], base) for x in values]
        error = L.fma(L.const(16 * _UNIT), largest(L, difference), largest(L, [r[c] for r in radii]))
        rho.append(L.add(L.fma(growth, error, L.mul(two_units, L.abs(base))), L.const(_TINY)))
        across = [_products(L, first, difference[k::q + 1]) for k in range(q + 1)]
        coordinates.append([L.add(x, base) for row in zip(*across, strict=True) for x in _products(L, second, row)])
    return [list(point) for point in zip(*coordinates, strict=True)], rho


def _products(L: Lanes, matrix: Sequence[Sequence[Fraction]], values: Sequence[Value]) -> list[Value]:
    """About a matrix times a vector."""
    kept = [[(L.const(float(w)), x) for w, x in zip(row, values, strict=True) if w] for row in matrix]
    return [dot(L, [w for w, _ in row], [x for _, x in row]) for row in kept]


def _growth(matrix: Sequence[Sequence[Fraction]]) -> Fraction:
    """The largest sum of the sizes of a row."""
    return max(sum((abs(x) for x in row), Fraction(0)) for row in matrix)


def _above(x: Fraction) -> float:
    """The least double that is no less than x."""
    nearest = float(x)
    return nearest if Fraction(nearest) >= x else math.nextafter(nearest, math.inf)


def _remainder(L: Lanes, model: Model, read: Reader, r: Sequence[Value], rho: Vector) -> Vector:
    errors: list[Vector] = []
    for j in model.remainder:
        square = L.mul(r[j], r[j])
        weight = L.mul(L.mul(square, square), L.const(_above(_WEIGHT)))
        errors.append([L.mul(L.max(*read.ends()), weight) for _ in range(model.coordinates)])
    if len(errors) == 2:
        errors.append([L.mul(L.const(_above(_LEBESGUE)), L.min(x, y)) for x, y in zip(*errors, strict=True)])
    for error in errors:
        rho = [L.add(x, y) for x, y in zip(error, rho, strict=True)]
    return rho


def _store(L: Lanes, model: Model, natural: Sequence[tuple[Value, Value]], points: Sequence[Vector], rho: Vector, known: str,
           r: Sequence[Value], out: str) -> None:
    zero, half = L.const(0.0), L.const(0.5)
    wide: Vector = []
    for c in range(model.coordinates):
        highest, lowest = points[0][c], L.neg(points[0][c])
        for point in points[1:]:
            highest, lowest = L.max(point[c], highest), L.max(L.neg(point[c]), lowest)
        n, h = natural[c]
        n, h = L.select(known, L.min(L.add(lowest, rho[c]), n), n), L.select(known, L.min(L.add(highest, rho[c]), h), h)
        middle = L.mul(half, L.sub(h, n))
        reach = L.max(L.sub(h, middle), L.add(middle, n))
        # Of a box without end the middle is not a number.
        bounded = L.lt(L.add(L.abs(n), L.abs(h)), L.const(math.inf))
        wide.append(L.select(bounded, reach, L.const(_HUGE)))
        L.store(out, model.middle + c, middle)
        L.store(out, model.reach + c, reach)
        L.store(out, model.rho + c, L.select(known, rho[c], zero))
        L.store(out, model.size + c, L.select(known, L.add(L.max(highest, lowest), rho[c]), L.abs(middle)))
        for k, point in enumerate(points):
            L.store(out, model.coordinates * k + c, L.select(known, point[c], middle))
    L.store(out, model.doubt, L.select(known, zero, L.const(math.inf)))
    widest = largest(L, _in_space(L, model, wide, L.abs))
    for j, extent in enumerate(extents(L, model.degrees, [_in_space(L, model, point) for point in points])):
        # Where nothing but the box is known, the parameter of the wider interval is taken for the longer side.
        other = r[j] if len(r) < 2 else r[1 - j]
        L.store(out, model.extents + j, L.select(known, extent, L.select(L.ge(r[j], other), widest, L.mul(half, widest))))


def _in_space(L: Lanes, model: Model, point: Vector, entry: Callable[[Value], Value] = lambda x: x) -> Vector:
    """A viewed point in space; `entry` is made of the entries of the matrix."""
    if not model.viewed:
        return point
    m = model.coordinates
    return [dot(L, [entry(L.load("%V", m * i + k)) for k in range(m)], point) for i in range(3)]


def extents(L: Lanes, degrees: Sequence[int], points: Sequence[Vector]) -> list[Value]:
    """The length of the control polygon along each parameter, in the largest coordinate."""
    p, q = (*degrees, 0)[:2]
    result = []
    for j in range(len(degrees)):
        steps, lines, step, line = (p, q + 1, q + 1, 1) if j == 0 else (q, p + 1, 1, q + 1)
        totals = []
        for c in range(len(points[0])):
            total = L.const(0.0)
            for k in range(steps):
                most = L.const(0.0)
                for i in range(lines):
                    a, b = points[k * step + i * line][c], points[(k + 1) * step + i * line][c]
                    most = L.max(L.abs(L.sub(b, a)), most)
                total = L.add(most, total)
            totals.append(total)
        result.append(largest(L, totals))
    return result
