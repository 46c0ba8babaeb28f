"""Entire functions from tables of Taylor polynomials: erf, erfc, J_n, Si (see `reference.entire`, which bounds the coefficients).

An argument 0 <= x <= limit lies in a cell, |x - k w| <= w/2, w a power of two; t = x - k w is exact: it is a multiple of the last place of
x and no larger than x, and for x < w/2 it is x. A row of the table holds f(k w) and f'(k w) as unevaluated sums, the coefficients of t^2,
t^3, ..., and E_0, E_1 with an error of at most E_0 + E_1 |t| and a rounding (`_row`), where E_0 = 0 if f(k w) is a double. Rows are made
in exact arithmetic when the code is written; nothing is taken from elsewhere.

Ranges. erf is monotone. |J_n''| and |Si''| are at most 1/2 (from the integral of cos(n s - x sin s) and from |sinc^(k)| <= 1/(k + 1)), so
f' has no zero in [a, b] if |f'(a)| + |f'(b)| > (b - a)/2: then the ends span the range. Elsewhere they do, widened by (b - a)^2 / 16, which
is met with what holds everywhere. Beyond the limit only that is known.
"""

import functools
import math
from fractions import Fraction
from typing import NamedTuple

from ...reference import entire
from ...reference.entire import Bounds, Entire, taylor
from ..lanes import Lanes
from . import exponential, tabled
from .bessel import ULP
from .doubled import Approximation, Value, fast_two_sum, negate_where, negated_lower, polynomial, two_product, two_sum, upper

Interval = tuple[Value, Value]

SLOPE_ERROR = 2.0**-44
"""More than the error of a computed derivative, as is asserted of every row: d + 1 times what it is for f, in proportion to |t|."""

INVERSE_ROOT_PI = float.fromhex("0x1.20dd750429b6dp-1"), float.fromhex("0x1.20dd750429b6ep-1")
"""Doubles below and above 1/sqrt(pi)."""

HALF_PI = float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.921fb54442d19p+0")
"""Doubles below and above pi/2."""

SHORT_OF_HALF = math.nextafter(0.5, 0.0)
"""x / w + 1/2, rounded upward, may reach an integer that x / w + 1/2 does not: then |t| > w/2 and not exact. With this it does not."""

_INTEGER = 2.0**52
"""k + _INTEGER holds k in its low bits."""


class CellTable(NamedTuple):
    """`width` w of a cell, a power of two. `complement`: of 1 - f."""

    name: str
    function: Entire
    width: Fraction
    limit: int
    degree: int
    complement: bool = False

    def coefficients(self, cell: int) -> list[Bounds]:
        """Bounds of those of t^0, t^1, ..., t^degree."""
        first, *others = taylor(self.function, cell * self.width, self.degree, 300 if self.complement else 160)
        if not self.complement:
            return [first, *others]
        return [(1 - first[1], 1 - first[0]), *((-hi, -lo) for lo, hi in others)]

    def rest(self, cell: int, half: Fraction) -> Fraction:
        """A bound of |f^(d + 1) t^d| / (d + 1)! in the cell. erf^(k + 1) is 2/sqrt(pi) e^(-x^2) H_k(x) except for its sign, and |H_k| at
        most what its recurrence gives with all signs plus; e^(-y) is below the inverse of a partial sum of e^y. Derivatives of the others
        are below 1.
        """
        bound = Fraction(1)
        if self.function is entire.ERF:
            nearest, farthest = max(cell - 1, 0) * self.width, (cell + 1) * self.width
            before, now = Fraction(0), Fraction(1)
            for k in range(self.degree):
                before, now = now, 2 * farthest * now + 2 * k * before
            bound = Fraction(113, 100) * now / _exponential(nearest**2)
        return bound / math.factorial(self.degree + 1) * half**self.degree


ERF = CellTable("erf", entire.ERF, Fraction(1, 4), 6, 14)
ERFC = CellTable("erfc", entire.ERF, Fraction(1, 16), 8, 16, complement=True)
SI = CellTable("sine_integral", entire.SI, Fraction(1, 2), 64, 13)


def bessel_table(n: int) -> CellTable:
    return CellTable(f"bessel_j_{n}", entire.bessel(n), Fraction(1, 2), 64, 13)


# -- the table ----------------------------------------------------------------------------------------------------


@functools.cache
def rows(table: CellTable) -> list[list[float]]:
    """For k = 0, 1, ...: f(k w) and f'(k w) as two numbers each, the coefficients of t^2, t^3, ..., E_0 and E_1."""
    return [_row(table, k) for k in range(int(table.limit / table.width) + 1)]


def _row(table: CellTable, k: int) -> list[float]:
    """A coefficient c_j is off by its rounding. From j = 2 on the computed term c_j t^j carries at most j roundings of powers, one for each
    level of the scheme, and four more; of f(k w) and f'(k w) t only low parts are rounded, fewer than eight times each, which `_value` adds
    for f(k w). The rest of Taylor's series is f^(d + 1) t^(d + 1) / (d + 1)!. All but what f(k w) brings is in proportion to |t| at least.
    """
    d, bounds = table.degree, table.coefficients(k)
    (high, low), (slope, slope_low) = map(_two, bounds[:2])
    c = [float((lo + hi) / 2) for lo, hi in bounds[2:]]
    half = table.width / 2 * (1 + ULP)
    off = _off(bounds[1], Fraction(slope) + Fraction(slope_low)) + sum(
        _off(b, Fraction(x)) * half ** (j + 1) for j, (b, x) in enumerate(zip(bounds[2:], c, strict=True)))
    rounding = sum(abs(Fraction(x)) * half ** (j + 1) * (j + len(c).bit_length() + 6) for j, x in enumerate(c)) * ULP * (1 + 99 * ULP)
    rest = table.rest(k, half)
    standing = _off(bounds[0], Fraction(high) + Fraction(low))
    assert (d + 1) * (off + rounding + rest) + abs(Fraction(slope)) * 8 * ULP < Fraction(SLOPE_ERROR), table.name
    return [high, low, slope, slope_low, *c, _up(standing), _up(off + rounding + rest + 8 * ULP**2 * abs(Fraction(slope)))]


def _exponential(y: Fraction) -> Fraction:
    """A lower bound of e^y, y >= 0: a sum of truncated terms."""
    term = total = 1 << 100
    for k in range(1, 200):
        term = term * y.numerator // (y.denominator * k)
        total += term
    return Fraction(total, 1 << 100)


def _two(bounds: tuple[Fraction, Fraction]) -> tuple[float, float]:
    """The middle as an unevaluated sum."""
    middle = (bounds[0] + bounds[1]) / 2
    return float(middle), float(middle - Fraction(float(middle)))


def _off(bounds: tuple[Fraction, Fraction], x: Fraction) -> Fraction:
    return max(abs(bounds[0] - x), abs(bounds[1] - x))


def _up(x: Fraction) -> float:
    """A double not below x >= 0; 0 for 0."""
    return math.nextafter(float(x), math.inf) if x else 0.0


# -- values -------------------------------------------------------------------------------------------------------


def _columns(L: Lanes, table: CellTable, x: Value) -> tuple[Value, list[Value]]:
    """t, and the columns of the row of the table for 0 <= x <= limit."""
    width = float(table.width)
    k = L.floor(L.fma(x, L.const(1 / width), L.const(SHORT_OF_HALF)))
    t = L.fma(k, L.const(-width), x)
    index = L.bits_and(L.to_bits(L.add(k, L.const(_INTEGER))), L.bits_const(0xFFFF))
    return t, L.row(f"table_{table.name}", lambda: rows(table), index, table.degree + 5)


def _value(L: Lanes, table: CellTable, x: Value) -> tuple[Approximation, Value]:
    """f(x) and an approximation of f'(x), for 0 <= x <= limit."""
    t, (high, low, slope, slope_low, *c, standing, growing) = _columns(L, table, x)
    rest = polynomial(L, t, c)
    product, product_low = two_product(L, t, slope)
    total, total_low = two_sum(L, high, product)
    low = L.fma(t, L.fma(t, rest, slope_low), L.add(L.add(low, product_low), total_low))
    error = L.fma(L.abs(t), growing, standing)
    # Roundings of low parts of f(k w), and products of a denormal t, which may be wrong by a few units more than their bounds.
    further = L.fma(L.abs(high), L.const(2.0**-100), L.const(2.0**-1071))
    error = L.select(L.eq(t, L.const(0.0)), error, L.add(error, further))
    bend = polynomial(L, t, [L.mul(L.const(j + 2.0), x) for j, x in enumerate(c)])
    return Approximation(total, low, error), L.fma(t, bend, slope)


def _signed(L: Lanes, table: CellTable, x: Value) -> tuple[Approximation, Value]:
    """The same for |x| <= limit; f is odd."""
    y, slope = _value(L, table, L.min(L.abs(x), L.const(float(table.limit))))
    sign = L.bits_and(L.to_bits(x), L.to_bits(L.const(-0.0)))
    return Approximation(negate_where(L, sign, y.high), negate_where(L, sign, y.low), y.error), slope


# -- ranges -------------------------------------------------------------------------------------------------------


def _erf_upper(L: Lanes, z: Value) -> Value:
    """An upper bound of erf z: 1 beyond the limit, -erf(limit) below minus the limit."""
    y, _ = _signed(L, ERF, z)
    return L.select(L.le(z, L.const(float(ERF.limit))), L.min(upper(L, y), L.const(1.0)), L.const(1.0))


def erf(L: Lanes, n: Value, h: Value) -> Interval:
    """erf X: odd, increasing."""
    return _erf_upper(L, n), _erf_upper(L, h)


def _complement(L: Lanes, x: Value) -> Interval:
    """Negated lower and upper bound of erfc x: 1 + erf(-x) for x < 0, the table, and what holds beyond."""
    zero, limit = L.const(0.0), L.const(float(ERFC.limit))
    y, _ = _value(L, ERF, L.min(L.abs(x), L.const(float(ERF.limit))))
    one, one_low = fast_two_sum(L, L.const(1.0), y.high)
    y = Approximation(one, L.add(y.low, one_low), L.add(y.error, L.const(2.0**-100)))
    z, _ = _value(L, ERFC, L.min(L.max(x, zero), limit))
    left, within = L.lt(x, zero), L.le(x, limit)
    above = L.select(L.lt(x, L.const(-float(ERF.limit))), L.const(2.0), L.min(upper(L, y), L.const(2.0)))
    n = L.select(left, negated_lower(L, y), negated_lower(L, z))
    h = L.select(left, above, L.min(upper(L, z), L.const(1.0)))
    n, h = L.rarely(L.invert(L.either(left, within)), "erfc_far", lambda B, a: _far_complement(B, B.max(a, limit)), [x], [n, h])
    return n, h


def _far_complement(L: Lanes, x: Value) -> Interval:
    """e^(-x^2) / (x sqrt(pi)) times a table up to 32, and nearly 0 beyond; for x >= 8. Of x^2 = p + q, e^-q is between 1 - q and
    1 - q + q^2, as |q| <= 2^-42.
    """
    last = L.const(32.0)
    y = L.min(x, last)
    p, q = two_product(L, y, y)
    small_n, small_h = exponential.exp(L, p, L.neg(p))
    less, more = L.add(q, L.const(-1.0)), L.add(L.fma(q, q, L.neg(q)), L.const(1.0))
    scaled = tabled.value(L, "erfc_scaled", y)
    factor_n, factor_h = (L.div(L.const(c), y) for c in (-INVERSE_ROOT_PI[0], INVERSE_ROOT_PI[1]))
    n = L.mul(L.mul(L.mul(factor_n, L.neg(less)), L.neg(small_n)), L.neg(negated_lower(L, scaled)))
    h = L.mul(small_h, L.mul(L.mul(factor_h, more), upper(L, scaled)))
    return L.select(L.lt(x, last), n, L.const(0.0)), h


def erfc(L: Lanes, n: Value, h: Value) -> Interval:
    """erfc X: decreasing, not negative."""
    return L.min(_complement(L, h)[0], L.const(0.0)), _complement(L, L.neg(n))[1]


def _spanned(L: Lanes, table: CellTable, n: Value, h: Value, everywhere: Interval) -> Interval:
    """The range of J_n or Si, which is met with negated lower and upper bounds that hold `everywhere`."""
    zero, limit = L.const(0.0), L.const(float(table.limit))
    a, b = L.neg(n), h
    nearest, farthest = L.max(L.max(L.neg(n), L.neg(h)), zero), L.max(n, h)
    if not table.function.odd:
        a, b = nearest, farthest
        (first, s), (last, r) = (_value(L, table, L.min(x, limit)) for x in (a, b))
    else:
        (first, s), (last, r) = (_signed(L, table, x) for x in (a, b))
    width = L.sub(b, a)
    bend = L.mul(width, L.const(0.5))
    turning = L.sub(L.sub(L.add(bend, L.const(2 * SLOPE_ERROR)), L.abs(s)), L.abs(r))
    monotone = L.either(L.lt(turning, zero), L.le(farthest, L.const(float(table.function.first))))
    excess = L.select(monotone, zero, L.mul(L.mul(width, bend), L.const(0.125)))
    reducible = L.le(farthest, limit)

    def end(p: Value, q: Value, most: Value) -> Value:
        return L.select(reducible, L.min(L.add(L.max(p, q), excess), most), most)

    return end(negated_lower(L, first), negated_lower(L, last), everywhere[0]), end(upper(L, first), upper(L, last), everywhere[1])


def bessel_j(L: Lanes, n: Value, h: Value, order: int) -> Interval:
    """J_order(X)."""
    table = bessel_table(order)
    everywhere = L.const(_up(-table.function.least)), L.const(_up(table.function.most) if order else 1.0)
    return _spanned(L, table, n, h, everywhere)


def sine_integral(L: Lanes, n: Value, h: Value) -> Interval:
    """Si(X). For x > 0, |Si x - pi/2| <= 1/x: the difference is the integral of e^(-xs) (cos x + s sin x)/(1 + s^2) over s > 0
    (DLMF 6.7.13, 6.7.14).
    """
    two, largest = L.const(-2.0), L.const(_up(entire.SI.most))

    def least(n: Value, h: Value) -> Value:
        """A negated lower bound."""
        right = L.add(L.const(-HALF_PI[0]), L.div(L.const(1.0), L.neg(n)))
        left = L.add(L.const(HALF_PI[1]), L.div(L.const(1.0), L.neg(h)))
        return L.min(L.select(L.lt(n, two), right, L.select(L.lt(h, two), left, largest)), largest)

    return _spanned(L, SI, n, h, (least(n, h), least(h, n)))


# -- points -------------------------------------------------------------------------------------------------------


def erf_point(L: Lanes, x: Value) -> tuple[Value]:
    y, _ = _signed(L, ERF, x)
    return (L.select(L.isnan(x), x, L.add(y.high, y.low)),)


def erfc_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates erfc x."""
    size, limit = L.abs(x), L.const(float(ERFC.limit))
    y, _ = _value(L, ERFC, L.min(size, limit))
    value = L.add(y.high, y.low)
    value = L.select(L.lt(x, L.const(0.0)), L.sub(L.const(2.0), value), value)
    return (L.rarely(L.invert(L.le(size, limit)), "erfc_beyond", lambda B, a: (_erfc_beyond(B, a),), [x], [value])[0],)


def _erfc_beyond(L: Lanes, x: Value) -> Value:
    """Beyond the table; NaN for NaN."""
    n, h = _complement(L, x)
    return L.select(L.isnan(x), x, L.mul(L.sub(h, n), L.const(0.5)))


def bessel_j_point(L: Lanes, x: Value, order: int) -> tuple[Value]:
    """Approximates J_order(x); NaN beyond the table."""
    table = bessel_table(order)
    y, _ = _signed(L, table, x) if order % 2 else _value(L, table, L.min(L.abs(x), L.const(float(table.limit))))
    return (_known(L, table, x, L.add(y.high, y.low)),)


def sine_integral_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates Si x; NaN beyond the table."""
    y, _ = _signed(L, SI, x)
    return (_known(L, SI, x, L.add(y.high, y.low)),)


def _known(L: Lanes, table: CellTable, x: Value, value: Value) -> Value:
    return L.select(L.le(L.abs(x), L.const(float(table.limit))), value, L.const(math.nan))
