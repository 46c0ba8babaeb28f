"""Backward rules of elementary functions: where z = f(x), what is known of z narrows x.

A monotone function is undone by its inverse, which the interval library encloses. Of a function with several branches the two ends of x are
moved, each to the nearest point of a branch that holds a value of z; what is between them stays. Where the inverse does not enclose, as
at infinite ends of periodic functions, or beyond the domain of the inverse, x stays as it is. Functions without an inverse that is known
(erf, gamma, Bessel functions, atan2, Chebyshev series) have rules by `shaving`.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from ..emit.elementary import arithmetic, exponential, hyperbolic, inverse_trigonometric, power, trigonometric
from ..emit.lanes import Lanes
from ..graph.expr import Expr
from ..reference.interpreter import enclose_rational
from .backward import RULES as BASIC
from .backward import Interval, Narrowing, Value
from .rows import intersect_quotient

# pi and 1/pi are between these numbers and the next doubles.
_PI, _INVERSE_PI = float.fromhex("0x1.921fb54442d18p+1"), float.fromhex("0x1.45f306dc9c882p-2")
# The largest double below pi/2, and the largest size of an end that is taken modulo pi.
_BELOW_HALF_PI, _FARTHEST = float.fromhex("0x1.921fb54442d18p+0"), 2.0**30


Rule = Callable[[Narrowing, Expr], None]


# -- monotone functions -----------------------------------------------------------------------------------------------


def _undone(inverse: Callable[..., Interval]) -> Rule:
    """x lies in the inverse function of z. (That is the whole line where it is defined nowhere on z.)"""
    return lambda s, e: s.meet(e.args[0], s.call(inverse.__name__, inverse, *s.box[e.index]))


def _atan(s: Narrowing, e: Expr) -> None:
    s.meet(e.args[0], s.call("tangent", _tangent, *s.box[e.index]))


def _tangent(L: Lanes, n: Value, h: Value) -> Interval:
    """The tangent of each end of an angle that lies between -pi/2 and pi/2; an end that is not proved to do so becomes infinite."""
    new_n, new_h = (trigonometric.tan(L, L.neg(z), z)[1] for z in (n, h))
    infinity, limit = L.const(math.inf), L.const(_BELOW_HALF_PI)
    return (L.select(L.le(L.abs(n), limit), new_n, infinity), L.select(L.le(L.abs(h), limit), new_h, infinity))


def _cosh(s: Narrowing, e: Expr) -> None:
    """|x| = acosh z."""
    _sized(s, e.args[0], s.call("acosh", hyperbolic.acosh, *s.box[e.index]))


def _sized(s: Narrowing, x: Expr, size: Interval) -> None:
    """Narrow x by an enclosure of |x|."""
    s.meet(x, (size[1], size[1]))
    s.outside(x, s.L.max(s.L.neg(size[0]), s.L.const(0.0)))


# -- powers -----------------------------------------------------------------------------------------------------------


def _power_integer(s: Narrowing, e: Expr) -> None:
    """x^k: square roots where k is a power of two, else the k-th root, which is odd where k is odd, and else |x|."""
    k, (n, h), L = e.value, s.box[e.index], s.L
    if k & (k - 1) == 0:
        BASIC["power_integer"](s, e)
    elif k % 2:
        s.meet(e.args[0], s.call(f"root_{k}", lambda L, *v: (_odd_root(L, v[0], k), _odd_root(L, v[1], k)), n, h))
    else:
        zero = L.const(0.0)
        _sized(s, e.args[0], s.call(f"root_{k}", lambda L, n, h: _root(L, n, h, k), L.min(n, zero), L.max(h, zero)))


def _root(L: Lanes, n: Value, h: Value, k: int) -> Interval:
    """The k-th root over x >= 0."""
    lo, hi = enclose_rational(Fraction(1, k))
    return power.pow(L, n, h, L.const(-lo), L.const(hi))


def _odd_root(L: Lanes, x: Value, k: int) -> Value:
    """An upper bound of the k-th root of a number."""
    size = L.abs(x)
    n, h = _root(L, L.neg(size), size, k)
    return L.select(L.ge(x, L.const(0.0)), h, n)


def _pow(s: Narrowing, e: Expr) -> None:
    """z = x^y with x >= 0: x = z^(1/y) where y is not 0, and y = log z / log x where x > 0."""
    (x, y), z = e.args, s.box[e.index]
    s.meet(x, s.call("pow_base", _base, *z, *s.box[y.index]))
    if y.op != "constant":
        s.replace(y, s.call("pow_exponent", _exponent, *z, *s.box[x.index], *s.box[y.index]))


def _base(L: Lanes, zn: Value, zh: Value, yn: Value, yh: Value) -> Interval:
    zero, infinity = L.const(0.0), L.const(math.inf)
    n, h = power.pow(L, L.min(zn, zero), L.max(zh, zero), *arithmetic.reciprocal(L, yn, yh))
    known = arithmetic.zero_excluded(L, yn, yh)
    return L.select(known, L.min(n, zero), zero), L.select(known, h, infinity)


def _exponent(L: Lanes, zn: Value, zh: Value, xn: Value, xh: Value, yn: Value, yh: Value) -> Interval:
    n, h = intersect_quotient(L, exponential.log(L, zn, zh), exponential.log(L, xn, xh), (yn, yh))
    positive = L.lt(xn, L.const(0.0))
    return L.select(positive, n, yn), L.select(positive, h, yh)


# -- periodic functions -----------------------------------------------------------------------------------------------


def _sin(s: Narrowing, e: Expr) -> None:
    """sin x = z: x is in j pi + (-1)^j asin z, of which one is in each [j pi - pi/2, j pi + pi/2]."""
    a = s.call("asin", inverse_trigonometric.asin, *s.box[e.index])
    s.meet(e.args[0], s.call("periodic_sin", lambda L, n, h, *a: _periodic(L, n, h, a, (a[1], a[0]), 0.5), *s.box[e.args[0].index], *a))


def _cos(s: Narrowing, e: Expr) -> None:
    """cos x = z: x is in j pi + acos z for even j and (j + 1) pi - acos z for odd j, of which one is in each [j pi, (j + 1) pi]."""
    a = s.call("acos", inverse_trigonometric.acos, *s.box[e.index])

    def narrowed(L: Lanes, n: Value, h: Value, an: Value, ah: Value) -> Interval:
        odd = L.add(L.const(-_PI), ah), L.add(L.const(math.nextafter(_PI, 4.0)), an)
        # -x has the same cosine, and the roles of even and odd branches are exchanged by nothing but the numbering.
        return _lower(L, n, (an, ah), odd, 0.0), _lower(L, h, (an, ah), odd, 0.0)

    s.meet(e.args[0], s.call("periodic_cos", narrowed, *s.box[e.args[0].index], *a))


def _tan(s: Narrowing, e: Expr) -> None:
    """tan x = z: x is in j pi + atan z, of which one is in each [j pi - pi/2, j pi + pi/2]."""
    a = s.call("atan", inverse_trigonometric.atan, *s.box[e.index])
    s.meet(e.args[0], s.call("periodic_tan", lambda L, n, h, *a: _periodic(L, n, h, a, a, 0.5), *s.box[e.args[0].index], *a))


def _periodic(L: Lanes, n: Value, h: Value, even: Interval, odd: Interval, shift: float) -> Interval:
    """Both ends, for a function that is odd: of -x the branches are those of -z."""
    return _lower(L, n, even, odd, shift), _lower(L, h, (even[1], even[0]), (odd[1], odd[0]), shift)


def _lower(L: Lanes, n: Value, even: Interval, odd: Interval, shift: float) -> Value:
    """Minus a lower bound of the x >= -n that lie on a branch: j pi + `even` or `odd`, in [(j - shift) pi, (j + 1 - shift) pi].

    The least such x is on the branch j in whose range -n is, or on the next one, which has points if any has. j is not known
    exactly: it is at least the computed one, by a number rounded down, and at most one more, as sizes are at most `_FARTHEST`.
    """
    zero = L.const(0.0)
    above = math.nextafter(_INVERSE_PI, 1.0)
    minus_turns = L.mul(n, L.select(L.gt(n, zero), L.const(above), L.const(_INVERSE_PI)))
    first = L.floor(L.neg(L.sub(minus_turns, L.const(shift))))
    result = n
    for later in (2.0, 1.0, 0.0):
        j = L.add(first, L.const(later))
        half = L.mul(j, L.const(0.5))
        is_even = L.eq(L.floor(half), half)
        base_n, base_h = _times_pi(L, L.neg(j)), _times_pi(L, j)
        low = L.add(base_n, L.select(is_even, even[0], odd[0]))
        high = L.add(base_h, L.select(is_even, even[1], odd[1]))
        result = L.select(L.ge(high, L.neg(n)), L.min(low, n), result)
    return L.select(L.le(L.abs(n), L.const(_FARTHEST)), result, n)


def _times_pi(L: Lanes, j: Value) -> Value:
    """An upper bound of j pi."""
    above = math.nextafter(_PI, 4.0)
    return L.mul(j, L.select(L.gt(j, L.const(0.0)), L.const(above), L.const(_PI)))


# -- steps, minima and the fused product ------------------------------------------------------------------------------


def _floor(s: Narrowing, e: Expr) -> None:
    n, h = s.box[e.index]
    s.meet(e.args[0], (n, s.L.add(h, s.L.const(1.0))))


def _ceiling(s: Narrowing, e: Expr) -> None:
    n, h = s.box[e.index]
    s.meet(e.args[0], (s.L.add(n, s.L.const(1.0)), h))


def _step(least: float) -> Rule:
    """A step from `least` to 1 at x = 0, with a value between them there: above `least` x >= 0, below 1 x <= 0."""
    def rule(s: Narrowing, e: Expr) -> None:
        L, (n, h) = s.L, s.box[e.index]
        zero, infinity = L.const(0.0), L.const(math.inf)
        s.meet(e.args[0], (L.select(L.lt(n, L.const(-least)), zero, infinity), L.select(L.lt(h, L.const(1.0)), zero, infinity)))

    return rule


def _least(s: Narrowing, e: Expr) -> None:
    """Both arguments are at least the minimum, and one that is not the other is the minimum."""
    L, (n, h), (a, b) = s.L, s.box[e.index], e.args
    for x, other in ((a, b), (b, a)):
        above = L.gt(L.neg(s.box[other.index][0]), h)
        s.meet(x, (n, L.select(above, h, L.const(math.inf))))


def _greatest(s: Narrowing, e: Expr) -> None:
    L, (n, h), (a, b) = s.L, s.box[e.index], e.args
    for x, other in ((a, b), (b, a)):
        below = L.gt(L.neg(s.box[other.index][1]), n)
        s.meet(x, (L.select(below, n, L.const(math.inf)), h))


def _fma(s: Narrowing, e: Expr) -> None:
    """a b + c = z."""
    L, (a, b, c) = s.L, e.args
    (zn, zh), product = s.box[e.index], s.call("multiply_ends", arithmetic.multiply_ends, *s.box[a.index], *s.box[b.index])
    s.meet(c, arithmetic.subtract(L, zn, zh, *product))
    product = arithmetic.subtract(L, *s.box[e.index], *s.box[c.index])
    for x, other in ((a, b), (b, a)):
        if x.op != "constant":
            s.replace(x, s.call("quotient", lambda L, *v: intersect_quotient(L, v[:2], v[2:4], v[4:]), *product,
                                *s.box[other.index], *s.box[x.index]))


RULES: dict[str, Rule] = {
    **BASIC,
    "power_integer": _power_integer, "pow": _pow, "fma": _fma, "min": _least, "max": _greatest,
    "sin": _sin, "cos": _cos, "tan": _tan, "asin": _undone(trigonometric.sin), "acos": _undone(trigonometric.cos), "atan": _atan,
    "sinh": _undone(hyperbolic.asinh), "cosh": _cosh, "tanh": _undone(hyperbolic.atanh),
    "asinh": _undone(hyperbolic.sinh), "acosh": _undone(hyperbolic.cosh), "atanh": _undone(hyperbolic.tanh),
    "floor": _floor, "ceiling": _ceiling, "sign": _step(-1.0), "heaviside": _step(0.0),
}  # fmt: skip
