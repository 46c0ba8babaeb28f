"""Chebyshev series sum c_k T_k(x) over SIMD lanes: Snyder 1993, Appendix B.

Over a box X each T_k is bounded by its values at the ends and by (-1)^i where an extremum cos(pi i / k), 0 < i < k,
lies inside (the parity rule printed in Appendix B is wrong for odd k). Beyond the last extrema, so also outside
[-1, 1], T_k is a monotone polynomial and the ends suffice. The series is summed in interval arithmetic, with the
whole c_0 (the paper halves it).

Where the bound of the derivative, a Chebyshev series itself, has one sign on X, the series is monotone and its
range is spanned by its values at the two ends: that bound is intersected with the first.
"""

from collections.abc import Sequence
from fractions import Fraction

from ...graph.expr import ExprPool
from ...reference.interpreter import enclose_constant
from ..lanes import Lanes
from . import arithmetic

Value = str
Interval = tuple[Value, Value]



def chebyshev(L: Lanes, n: Value, h: Value, *coefficients: Value) -> Interval:
    """Encloses the series over [lo, hi]; `coefficients` are the (n, h) of c_0, c_1, ... one after the other."""
    c = list(zip(coefficients[::2], coefficients[1::2], strict=True))
    order = len(c) - 1
    # An infinite end is not a number: the point there stands for the numbers beyond the largest double.
    left = _basis_at(L, (n, L.max(L.neg(n), L.const(-arithmetic.LARGEST))), order)
    right = _basis_at(L, (L.max(L.neg(h), L.const(-arithmetic.LARGEST)), h), order)
    ranges = _ranges(L, n, h, left, right)
    natural = _series(L, c, ranges)
    slope_n, slope_h = _series(L, _derivative(L, c), ranges)
    rising, falling = L.le(slope_n, L.const(0.0)), L.le(slope_h, L.const(0.0))
    left_n, left_h = _series(L, c, left)
    right_n, right_h = _series(L, c, right)
    return (L.min(L.select(rising, left_n, L.select(falling, right_n, natural[0])), natural[0]),
            L.min(L.select(rising, right_h, L.select(falling, left_h, natural[1])), natural[1]))


def chebyshev_point(L: Lanes, x: Value, *c: Value) -> tuple[Value]:
    """Clenshaw's recurrence: b_k = c_k + 2 x b_{k+1} - b_{k+2}; approximates."""
    twice = L.add(x, x)
    b1, b2 = L.const(0.0), L.const(0.0)
    for ck in reversed(c[1:]):
        b1, b2 = L.add(ck, L.fma(twice, b1, L.neg(b2))), b1
    return (L.add(c[0], L.fma(x, b1, L.neg(b2))),)


def _basis_at(L: Lanes, x: Interval, order: int) -> list[Interval]:
    """T_0, ..., T_order at a point, by T_2k = 2 T_k^2 - 1 and T_2k+1 = 2 T_k T_k+1 - x.

    Rounding errors grow with k^2 here; the three-term recurrence in interval arithmetic would multiply them by 2.4
    a step.
    """
    one = (L.const(-1.0), L.const(1.0))
    values: list[Interval] = [one, x]
    inside = L.both(L.le(x[0], L.const(1.0)), L.le(x[1], L.const(1.0)))
    for k in range(2, order + 1):
        a, b = values[k // 2], values[(k + 1) // 2]
        product = arithmetic.square(L, *a) if a is b else arithmetic.multiply(L, *a, *b)
        doubled = (L.add(product[0], product[0]), L.add(product[1], product[1]))
        n, h = arithmetic.subtract(L, *doubled, *(one if a is b else x))
        values.append((L.select(inside, L.min(n, L.const(1.0)), n), L.select(inside, L.min(h, L.const(1.0)), h)))
    return values[:order + 1]


def _ranges(L: Lanes, n: Value, h: Value, left: Sequence[Interval], right: Sequence[Interval]) -> list[Interval]:
    """The range of each T_k over the box, from its ends and the extrema inside."""
    met: dict[Fraction, str] = {}

    def meets(ratio: Fraction) -> str:
        if ratio not in met:
            lo, hi = _extremum(ratio)
            met[ratio] = L.both(L.le(L.neg(n), L.const(hi)), L.ge(h, L.const(lo)))
        return met[ratio]

    ranges = []
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        ends = [L.max(a[0], b[0]), L.max(a[1], b[1])]
        for i in range(1, k):
            # An odd extremum is a minimum, -1: it raises -lo to at least 1.
            end = 0 if i % 2 else 1
            ends[end] = L.select(meets(Fraction(i, k)), L.max(ends[end], L.const(1.0)), ends[end])
        ranges.append((ends[0], ends[1]))
    return ranges


def _extremum(ratio: Fraction) -> tuple[float, float]:
    """The tight double enclosure of cos(pi ratio)."""
    pool = ExprPool()
    return enclose_constant(pool.node("cos", pool.constant("pi") * ratio))


def _series(L: Lanes, c: Sequence[Interval], basis: Sequence[Interval]) -> Interval:
    if not c:
        return L.const(0.0), L.const(0.0)
    total = c[0]
    for ck, tk in zip(c[1:], basis[1:], strict=False):
        total = arithmetic.add(L, *total, *arithmetic.multiply(L, *ck, *tk))
    return total


def _derivative(L: Lanes, c: Sequence[Interval]) -> list[Interval]:
    """Enclosures of the derivative's coefficients: d_{k-1} = d_{k+1} + 2 k c_k, halved for d_0."""
    order = len(c) - 1
    zero = (L.const(0.0), L.const(0.0))
    d: list[Interval] = [zero] * (order + 2)
    for k in range(order, 0, -1):
        d[k - 1] = arithmetic.add(L, *d[k + 1], *arithmetic.multiply_constant(L, *c[k], 2.0 * k, 2.0 * k))
    d[0] = arithmetic.multiply_constant(L, *d[0], 0.5, 0.5)
    return d[:order]

