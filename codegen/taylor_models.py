"""Taylor models of a surface over a box of its parameters, in Bernstein form: control points and a remainder.

A surface has three coordinates, or more: it may be any functions of which a matrix makes points of space (`separation`).
Over the box c + r s, s in [-1, 1] in each parameter, Taylor's theorem gives every coordinate of the surface b as

    b(c + r s) = sum_ij a_ij s_u^i s_v^j + R,   a_ij = b_ij(c) r_u^i r_v^j / (i! j!),
    |R| <= sum_{i+j=D+1} max |b_ij| r_u^i r_v^j / (i! j!),

the sum over i + j <= D, or over all i <= p, j <= q without a remainder where b is a polynomial of these degrees. In the
Bernstein basis of degree (p, q) on [-1, 1]^2 a power s^i has the coefficients e_i / C(p, i), e_i the elementary symmetric
polynomial of k ones and p - k minus ones (the blossom of s^i). So n . b lies in the convex hull of the numbers n . P, P the
control points, widened by |n| . rho.

Rounding. Everything is rounded upward. A product m k of a double m and a weight k in [k_lo, k_up] is taken as m k_up, which
is wrong by at most |m| (k_up - k_lo) and what rounding upward of m k_up and of -m k_up differ by. A control point is the sum of n
products w a with integers w; each of its fused steps is wrong by at most 2^-52 of what it yields, or by 2^-1074, and yields at most
S (1 + 2^-52)^n, S the sum of all |w| |a|; so the point is wrong by at most (n + 1) 2^-52 S + 2^-1000. All of it goes into rho.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from .lanes import Lanes
from .straight_line import straight_line
from .time_advance import Reader, Value, Vector, dot, half_width, largest

Index = tuple[int, int]

# What stands for an extent without bound.
_HUGE = 1e200
_UNIT, _TINY = 2.0**-52, 2.0**-1000


class Model(NamedTuple):
    """The shape of a Taylor model: degrees in the one or two parameters, the derivatives (i, j) of the polynomial and of the
    remainder, whether the surface may fail to be differentiable somewhere, the number m of its coordinates, and whether what it
    looks like in space is seen by a matrix only.
    """

    degrees: tuple[int, ...]
    terms: tuple[Index, ...]
    remainder: tuple[Index, ...]
    rough: bool
    coordinates: int = 3
    viewed: bool = False

    @property
    def both(self) -> Index:
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

    Z    (2 d, 2)     the d parameters of the box as intervals, then its centre as thin ones
    T    intervals:   b over the box; b_ij at the centre for each of the terms; b_ij over the box for those of the remainder;
                      for a rough surface one more, unbounded where the derivatives cannot be trusted
    V    (3, m)       of a viewed model, the matrix by which to judge extents in space, for points only
    out  (length,)    the records
    """
    return straight_line("Taylor model", tuple(model), "Z T V out", lambda module, L: _record(L, model), quick=quick)


def _record(L: Lanes, model: Model) -> None:
    write_record(L, model, Reader(L), [half_width(L, len(model.degrees), j) for j in range(len(model.degrees))])


def write_record(L: Lanes, model: Model, read: Reader, r: Sequence[Value], out: str = "%out") -> None:
    """The record of boxes of half widths r at `out`, of the intervals that `read` reads."""
    natural = [read.ends() for _ in range(model.coordinates)]
    points, rho = _control_points(L, model, read, r)
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


def _powers(L: Lanes, r: Sequence[Value], index: Index, factor: Fraction) -> tuple[Value, Value]:
    """factor r_u^i r_v^j from below and from above."""
    low, up = (L.const(x) for x in _enclosed(factor))
    for x, power in zip(r, index, strict=False):
        for _ in range(power):
            low, up = L.neg(L.mul(L.neg(low), x)), L.mul(up, x)
    return low, up


def _enclosed(x: Fraction) -> tuple[float, float]:
    """The tight enclosure in doubles: the nearest one, and its neighbour on the other side of x where it is not exact."""
    nearest = float(x)
    if Fraction(nearest) == x:
        return nearest, nearest
    return (nearest, math.nextafter(nearest, math.inf)) if nearest < x else (math.nextafter(nearest, -math.inf), nearest)


def blossom(degree: int, power: int) -> list[int]:
    """C(degree, power) times the Bernstein coefficients of s^power on [-1, 1]."""
    return [sum(math.prod(chosen) for chosen in combinations([1] * k + [-1] * (degree - k), power)) for k in range(degree + 1)]


def _control_points(L: Lanes, model: Model, read: Reader, r: Sequence[Value]) -> tuple[list[Vector], Vector]:
    """Control points and what they may be wrong by."""
    p, q = model.both
    zero, m = L.const(0.0), model.coordinates
    points = [[zero] * m for _ in range(model.points)]
    rho, sizes = [zero] * m, [zero] * m
    for i, j in model.terms:
        factor = Fraction(1, math.factorial(i) * math.factorial(j) * math.comb(p, i) * math.comb(q, j))
        low, high = _powers(L, r, (i, j), factor)
        weights = [a * b for a in blossom(p, i) for b in blossom(q, j)]
        heaviest = L.const(float(max(map(abs, weights))))
        middle, radius = read.vector(m)
        for c in range(m):
            a, opposite = L.mul(middle[c], high), L.mul(L.neg(middle[c]), high)
            error = L.fma(L.abs(middle[c]), L.sub(high, low), L.fma(radius[c], high, L.add(a, opposite)))
            rho[c], sizes[c] = L.fma(heaviest, error, rho[c]), L.fma(heaviest, L.abs(a), sizes[c])
            for k, w in enumerate(weights):
                points[k][c] = L.fma(L.const(float(w)), a, points[k][c])
    roundings = L.const((len(model.terms) + 1) * _UNIT)
    return points, [L.add(L.fma(roundings, size, x), L.const(_TINY)) for size, x in zip(sizes, rho, strict=True)]


def _remainder(L: Lanes, model: Model, read: Reader, r: Sequence[Value], rho: Vector) -> Vector:
    rho = list(rho)
    for i, j in model.remainder:
        _, weight = _powers(L, r, (i, j), Fraction(1, math.factorial(i) * math.factorial(j)))
        for c in range(model.coordinates):
            rho[c] = L.fma(L.max(*read.ends()), weight, rho[c])
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
    """What a viewed point looks like in space; `entry` is made of the entries of the matrix."""
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
