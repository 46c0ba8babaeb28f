"""log Gamma, Gamma and the polygamma functions of x > 0, by tables and by Stirling's series in interval arithmetic.

Gamma is tabled from 2 to 168, and elsewhere it follows by its recurrence. log Gamma is tabled from 3 to 1024; from 1/2 to 3, where it is 0
at 1 and 2, it is (x - 1)(x - 2) times a table, and below less by log x than log Gamma(x + 1). The digamma function is, from 1 to 2, a
table times the distance to its zero.

For y > 0 what is left of each series lies between 0 and the first term left out (DLMF 5.11.ii and, for derivatives of the same integral
of a completely monotone function, 5.15.9):

    log Gamma(y) = (y - 1/2) log y - y + log(2 pi)/2 + sum B_2k / (2k (2k - 1) y^(2k-1)),
    W_n(y) = (-1)^(n+1) psi^(n)(y) = head + n!/(2 y^(n+1)) + sum B_2k (2k + n - 1)! / ((2k)! y^(2k+n)),

head = -log y for n = 0, else (n - 1)! / y^n. For x < 8 + n the second one is taken at y = x + 8 + n: W_n(x) is more by n! times the sum of
1/(x + i)^(n+1). W_n falls; log Gamma falls up to LEAST_AT and rises beyond: ends enclose, and the least
value.

Gamma is enclosed for x > 0 only; a box that reaches below gets the whole line at level 0.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from ...graph.expr import ExprPool
from ...reference.interpreter import enclose_constant, enclose_rational
from ..lanes import Lanes
from . import arithmetic, exponential, power, tabled
from .arithmetic import LARGEST
from .doubled import negated_lower, polynomial, upper

Value = str
Interval = tuple[Value, Value]

SHIFT, TERMS = 8, 11

LEAST_AT = float.fromhex("0x1.762d86356be3fp+0"), float.fromhex("0x1.762d86356be40p+0")
"""Doubles below and above 1.4616321449683623..., where Gamma is least."""

REST = float.fromhex("0x1.b86a722197829p-54"), float.fromhex("0x1.b86a72219782ap-54")
"""Doubles below and above that number less the first of these doubles: the zero of the digamma function."""

LEAST_LOG, LEAST = float.fromhex("-0x1.f19b9bcc38a42p-4"), float.fromhex("0x1.c56dc82a74aeep-1")
"""Doubles below the least values of log Gamma and of Gamma."""


@functools.cache
def bernoulli(count: int) -> list[Fraction]:
    """B_0, ..., B_(count - 1), with B_1 = -1/2."""
    found = [Fraction(1)]
    for m in range(1, count):
        found.append(-sum((math.comb(m + 1, k) * b for k, b in enumerate(found)), Fraction(0)) / (m + 1))
    return found


@functools.cache
def coefficients(order: int) -> list[Fraction]:
    """Coefficients of the two series (order -1: log Gamma), the last of them that of the first term left out."""
    b = bernoulli(2 * TERMS + 1)
    if order < 0:
        return [b[2 * k] / (2 * k * (2 * k - 1)) for k in range(1, TERMS + 1)]
    return [b[2 * k] * math.factorial(2 * k + order - 1) / math.factorial(2 * k) for k in range(1, TERMS + 1)]


def _number(L: Lanes, lo: Fraction | float, hi: Fraction | float) -> Interval:
    return L.const(-enclose_rational(Fraction(lo))[0]), L.const(enclose_rational(Fraction(hi))[1])


def _horner(L: Lanes, z: Interval, c: Sequence[Fraction]) -> Interval:
    """c_1 + c_2 z + ... for z > 0, the last coefficient times something between 0 and 1."""
    total = _number(L, min(c[-1], Fraction(0)), max(c[-1], Fraction(0)))
    for a in reversed(c[:-1]):
        total = arithmetic.add(L, *_number(L, a, a), *arithmetic.multiply(L, *total, *z))
    return total


def _select(L: Lanes, mask: str, a: Interval, b: Interval) -> Interval:
    return L.select(mask, a[0], b[0]), L.select(mask, a[1], b[1])


def _shifted(L: Lanes, x: Value, i: float) -> Interval:
    """x + i at a number x."""
    return L.add(L.neg(x), L.const(-float(i))), L.add(x, L.const(float(i)))


def _tabled(L: Lanes, name: str, x: Value) -> Interval:
    """Bounds at a number, which is taken to the nearest one of the table."""
    y = tabled.value(L, name, x)
    return negated_lower(L, y), upper(L, y)


def _log_gamma(L: Lanes, x: Value) -> Interval:
    """Bounds at a number x > 0."""
    near, below = L.le(x, L.const(3.0)), L.lt(x, L.const(0.5))
    y = _select(L, below, _shifted(L, x, 1), (L.neg(x), x))
    last, first = _tabled(L, "loggamma_quotient", y[1]), _tabled(L, "loggamma_quotient", L.neg(y[0]))
    one = _number(L, 1, 1)
    product = arithmetic.multiply(L, *arithmetic.subtract(L, *y, *one), *arithmetic.subtract(L, *y, *_number(L, 2, 2)))
    small = arithmetic.multiply(L, *product, last[0], first[1])
    logarithm = exponential.log(L, *_select(L, below, (L.neg(x), x), one))
    small = arithmetic.subtract(L, *small, *logarithm)
    n, h = _select(L, near, small, _tabled(L, "loggamma", x))
    far = L.invert(L.either(near, L.lt(x, L.const(1024.0))))
    n, h = L.rarely(far, "loggamma_stirling", _stirling, [x], [n, h])
    return n, h


def _gamma(L: Lanes, x: Value) -> Interval:
    """Bounds of Gamma at a number x > 0: of T(x + 2) / (x (x + 1)) for x < 2, and (x - 1) ... (x - 4) T(x - 4) from 168 on."""
    small, large = L.lt(x, L.const(2.0)), L.gt(x, L.const(168.0))
    y = _select(L, small, _shifted(L, x, 2), _select(L, large, _shifted(L, x, -4), (L.neg(x), x)))
    below, above = tabled.value(L, "gamma", L.neg(y[0])), tabled.value(L, "gamma", y[1])
    table = negated_lower(L, below), upper(L, above)
    product = _select(L, small, arithmetic.multiply_both_nonnegative(L, L.neg(x), x, *_shifted(L, x, 1)), _number(L, 1, 1))
    table = arithmetic.multiply(L, *table, *arithmetic.reciprocal(L, *product))
    product = _shifted(L, x, -1)
    for i in range(2, 5):
        product = arithmetic.multiply(L, *product, *_shifted(L, x, -i))
    n, h = arithmetic.multiply(L, *table, *product)
    beyond = L.gt(x, L.const(172.0))
    n, h = L.select(beyond, L.const(-LARGEST), n), L.select(beyond, L.const(math.inf), h)
    return _select(L, large, (n, h), table)


def _stirling(L: Lanes, x: Value) -> Interval:
    """Bounds of log Gamma at a number x >= 8."""
    y = L.neg(x), x
    pool = ExprPool()
    lo, hi = enclose_constant(pool.node("log", pool.constant(2) * pool.constant("pi")) * Fraction(1, 2))
    r = arithmetic.reciprocal(L, *y)
    series = arithmetic.multiply(L, *_horner(L, arithmetic.multiply(L, *r, *r), coefficients(-1)), *r)
    half_less = arithmetic.subtract(L, *y, *_number(L, 0.5, 0.5))
    value = arithmetic.subtract(L, *arithmetic.multiply(L, *half_less, *exponential.log(L, *y)), *y)
    return arithmetic.add(L, *arithmetic.add(L, *value, L.const(-lo), L.const(hi)), *series)


def _polygamma(L: Lanes, x: Value, n: int) -> Interval:
    """Bounds of W_n at a number x > 0."""
    found = _series_of(L, x, n)
    if n:
        return found
    zero = arithmetic.add(L, *_shifted(L, x, -LEAST_AT[0]), L.const(REST[1]), L.const(-REST[0]))
    own = arithmetic.negate(L, *arithmetic.multiply(L, *zero, *_tabled(L, "digamma_quotient", x)))
    return _select(L, L.both(L.ge(x, L.const(1.0)), L.le(x, L.const(2.0))), own, found)


def _series_of(L: Lanes, x: Value, n: int) -> Interval:
    shift = SHIFT + n
    far = L.ge(x, L.const(float(shift)))
    y = _select(L, far, (L.neg(x), x), _shifted(L, x, shift))
    near = arithmetic.zero(L)
    for i in range(shift):
        near = arithmetic.add(L, *near, *power.power_integer(L, *arithmetic.reciprocal(L, *_shifted(L, x, i)), n + 1))
    near = _select(L, far, arithmetic.zero(L), near)
    r = arithmetic.reciprocal(L, *y)
    factorial = _number(L, math.factorial(n), math.factorial(n))
    half = _number(L, Fraction(math.factorial(n), 2), Fraction(math.factorial(n), 2))
    tail = arithmetic.multiply(L, *r, *arithmetic.add(L, *half, *arithmetic.multiply(L, *r, *_horner(
        L, arithmetic.multiply(L, *r, *r), coefficients(n)))))
    if n:
        tail = arithmetic.add(L, *tail, *_number(L, math.factorial(n - 1), math.factorial(n - 1)))
        tail = arithmetic.multiply(L, *tail, *power.power_integer(L, *r, n))
    else:
        tail = arithmetic.subtract(L, *tail, *exponential.log(L, *y))
    return arithmetic.add(L, *tail, *arithmetic.multiply(L, *factorial, *near))


def _ends(L: Lanes, n: Value, h: Value) -> tuple[Value, Value]:
    """The ends of a box as positive finite numbers; which have no bounds of their own is looked at later."""
    tiny, large = L.const(2.0**-1074), L.const(LARGEST)
    return L.min(L.max(L.neg(n), tiny), large), L.min(L.max(h, tiny), large)


def loggamma(L: Lanes, n: Value, h: Value) -> Interval:
    """log Gamma over x > 0, the whole line where there is none."""
    return _valley(L, n, h, _log_gamma, LEAST_LOG)


def _valley(L: Lanes, n: Value, h: Value, at: Callable[[Lanes, Value], Interval], lowest: float) -> Interval:
    """The range over x > 0 of log Gamma, or of Gamma, from its values."""
    zero, infinity = L.const(0.0), L.const(math.inf)
    a, b = _ends(L, n, h)
    first, last = at(L, a), at(L, b)
    falling = L.le(b, L.const(LEAST_AT[0]))
    rising = L.both(L.ge(a, L.const(LEAST_AT[1])), L.lt(n, zero))
    least = L.const(-lowest)
    below = L.min(L.select(falling, last[0], L.select(rising, first[0], least)), least)
    bounded = L.both(L.lt(n, zero), L.lt(h, infinity))
    above = L.select(bounded, L.max(first[1], last[1]), infinity)
    defined = L.gt(h, zero)
    return L.select(defined, below, infinity), L.select(defined, above, infinity)


def gamma(L: Lanes, n: Value, h: Value) -> Interval:
    """Gamma over x > 0; the whole line for boxes that reach below 0."""
    new_n, new_h = _valley(L, n, h, _gamma, LEAST)
    positive = L.both(L.le(n, L.const(0.0)), L.gt(h, L.const(0.0)))
    infinity = L.const(math.inf)
    return L.select(positive, new_n, infinity), L.select(positive, new_h, infinity)


def polygamma(L: Lanes, n: Value, h: Value, order: int) -> Interval:
    """psi^(order) over x > 0, the whole line where there is none."""
    zero, infinity = L.const(0.0), L.const(math.inf)
    a, b = _ends(L, n, h)
    above, below = _polygamma(L, a, order)[1], _polygamma(L, b, order)[0]
    above = L.select(L.lt(n, zero), above, infinity)
    limit = zero if order else infinity
    below = L.select(L.lt(h, infinity), L.min(below, limit), limit)
    defined = L.gt(h, zero)
    w = L.select(defined, below, infinity), L.select(defined, above, infinity)
    return w if order % 2 else (w[1], w[0])


# -- points -------------------------------------------------------------------------------------------------------


def _middle(L: Lanes, x: Value, bounds: Interval, limit: float) -> Value:
    """The middle of bounds in ordinary arithmetic; NaN for x <= 0, the limit at infinity."""
    value = L.mul(L.sub(bounds[1], bounds[0]), L.const(0.5))
    value = L.select(L.lt(x, L.const(math.inf)), value, L.const(limit))
    return L.select(L.gt(x, L.const(0.0)), value, L.const(math.nan))


def _point(L: Lanes, name: str, x: Value) -> Value:
    """The value of a table at a number, which is taken to the nearest one of the table."""
    y = tabled.value(L, name, x)
    return L.add(y.high, y.low)


def _rare(L: Lanes, mask: str, name: str, function: Callable[[Lanes, Value], Value], x: Value, usual: Value) -> Value:
    return L.rarely(mask, name, lambda B, a: (function(B, a),), [x], [usual])[0]


def loggamma_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates log Gamma x; NaN for x <= 0."""
    one, below = L.const(1.0), L.lt(x, L.const(0.5))
    # The factors are x and x - 1 below 1/2, where log x is taken off, else x - 1 and x - 2. All but x - 1 below 1/2 are exact near zeros.
    less, before = L.sub(x, one), L.select(below, x, L.sub(x, L.const(2.0)))
    near = L.mul(L.mul(before, less), _point(L, "loggamma_quotient", L.select(below, L.add(x, one), x)))
    near = L.sub(near, _rare(L, below, "loggamma_logarithm", lambda B, a: exponential.log_point(B, a)[0], x, L.const(0.0)))
    value = L.select(L.le(x, L.const(3.0)), near, _point(L, "loggamma", x))
    far = L.ge(x, L.const(1024.0))
    return (_rare(L, L.either(far, L.invert(L.gt(x, L.const(0.0)))), "loggamma_far",
                  lambda B, a: _middle(B, a, _stirling(B, a), math.inf), x, value),)


def gamma_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates Gamma x; NaN for x <= 0."""
    small = L.lt(x, L.const(2.0))
    table = _point(L, "gamma", L.select(small, L.add(x, L.const(2.0)), x))
    value = L.select(small, L.div(table, L.mul(x, L.add(x, L.const(1.0)))), table)
    usual = L.both(L.ge(x, L.const(2.0**-500)), L.le(x, L.const(168.0)))
    return (_rare(L, L.invert(usual), "gamma_far", lambda B, a: _middle(B, a, _gamma(B, a), math.inf), x, value),)


def _digamma_series(L: Lanes, x: Value) -> Value:
    """psi(y) by Stirling's series, where y is x, or x + 8 for x < 8, less 1/x + ... + 1/(x + 7), which is one quotient."""
    near, one = L.lt(x, L.const(float(SHIFT))), L.const(1.0)
    top, bottom = one, x
    for i in range(1, SHIFT):
        factor = L.add(x, L.const(float(i)))
        top, bottom = L.fma(top, factor, bottom), L.mul(bottom, factor)
    y = L.select(near, L.add(x, L.const(float(SHIFT))), x)
    r = L.div(one, y)
    series = polynomial(L, L.mul(r, r), [float(c) for c in coefficients(0)[:-1]])
    value = L.sub(exponential.log_point(L, y)[0], L.mul(r, L.fma(r, series, L.const(0.5))))
    return L.select(near, L.sub(value, L.div(top, bottom)), value)


def _digamma_near(L: Lanes, x: Value) -> Value:
    """psi between 1 and 2: the distance to its zero times a table."""
    distance = L.sub(L.sub(x, L.const(LEAST_AT[0])), L.const(REST[0]))
    return L.mul(distance, _point(L, "digamma_quotient", x))


def _digamma_point(L: Lanes, x: Value) -> Value:
    value = _rare(L, L.both(L.ge(x, L.const(1.0)), L.le(x, L.const(2.0))), "digamma_near", _digamma_near, x, _digamma_series(L, x))
    usual = L.both(L.ge(x, L.const(2.0**-100)), L.le(x, L.const(2.0**100)))
    return _rare(L, L.invert(usual), "digamma_far", lambda B, a: _polygamma_middle(B, a, 0), x, value)


def _polygamma_middle(L: Lanes, x: Value, order: int) -> Value:
    value = _middle(L, x, _polygamma(L, x, order), 0.0 if order else -math.inf)
    return value if order % 2 else L.neg(value)


def polygamma_point(L: Lanes, x: Value, order: int) -> tuple[Value]:
    """Approximates psi^(order) x; NaN for x <= 0."""
    return (_polygamma_middle(L, x, order) if order else _digamma_point(L, x),)
