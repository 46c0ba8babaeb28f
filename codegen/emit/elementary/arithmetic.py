"""Interval arithmetic and the exact functions: emitters over SIMD lanes that round upward.

An interval [lo, hi] is the pair (n, h) = (-lo, hi), so that rounding upward serves both ends: the least double not
below h bounds from above, the least double not below n = -lo bounds -lo from above and thus lo from below. n and h
are finite or +inf, never -inf and never NaN, on entry and on exit. A negative sum, product or quotient that
overflows is rounded up to -(2 - 2^-52) 2^1023, so no operation makes -inf of finite ends.

All ends are tight: the greatest double below and the least double above the exact range. A function defined nowhere
on the box gives the whole line. `*_level` says what holds on the whole box: 0 nothing, 1 defined, 2 and continuous,
3 and differentiable. `*_point` functions take one value in rounding to nearest and keep NaN.
"""

import math
from collections.abc import Callable

from ..lanes import Lanes

Value = str
Interval = tuple[Value, Value]

SMALLEST = 2.0 ** -1074
"""The least positive double: adding it upward to a double gives the next one, exactly."""


def _whole_where(L: Lanes, mask: Value, n: Value, h: Value) -> Interval:
    return L.select(mask, L.const(math.inf), n), L.select(mask, L.const(math.inf), h)


def level_of(L: Lanes, differentiable: Value, otherwise: float) -> tuple[Value]:
    """3 where the mask holds, `otherwise` elsewhere."""
    return (L.select(differentiable, L.const(3.0), L.const(otherwise)),)


def zero_excluded(L: Lanes, n: Value, h: Value) -> Value:
    """Mask: 0 is not in [lo, hi]."""
    return L.lt(L.min(n, h), L.const(0.0))


# -- sums -------------------------------------------------------------------------------------------------------


def add(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> Interval:
    """X + Y. An infinite end only meets ends above -inf, so inf - inf cannot occur."""
    return L.add(xn, yn), L.add(xh, yh)


def subtract(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> Interval:
    """X - Y: the negative of [lo, hi] = (n, h) is (h, n)."""
    return L.add(xn, yh), L.add(xh, yn)


def negate(L: Lanes, n: Value, h: Value) -> Interval:
    return h, n


# -- products ---------------------------------------------------------------------------------------------------


def multiply(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value, guard: bool = True) -> Interval:
    """X Y, which reaches furthest at an end of X. For an end x the largest x y is |x| times yh or -yl, as x is not negative or is, and the
    largest -x y is |x| times the other one of them. What depends on X alone is shared by all products with it.

    0 * inf is NaN and stands for 0, the only value of x y for x = 0, and the limit of it for y = 0. A zero x of either sign takes the end
    of Y by its sign: both give 0. ``guard=False`` is for operands whose products are not 0 * inf. There both have the same bits.
    """
    low, high = L.abs(xn), L.abs(xh)
    # The lower end is -xn.
    below, above = L.negative(xh), L.negative(xn)

    def larger(positive: Value, negative: Value) -> Value:
        """The larger of both products, by the ends of Y that positive and negative ends of X take."""
        ends = L.mul(high, L.select(below, negative, positive)), L.mul(low, L.select(above, positive, negative))
        return L.max(*(_replace_nan(L, end, L.const(0.0)) if guard else end for end in ends))

    return larger(yn, yh), larger(yh, yn)


def multiply_ends(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> Interval:
    """The bounds of `multiply`, and of empty intervals (lo > hi), as contractors leave them in lanes without solutions, those of the
    products of their ends, which are in order: such a lane is known by the interval that it emptied, and goes on with others.

    `Lanes.max` drops a NaN in its first operand, so one replaced at the innermost second operand keeps NaN out. Dropping the others loses
    nothing: let the end a of X be 0 and an end of Y infinite. If the other end b of Y is finite, a b = 0 is among the products. If Y is
    the whole line and the other end of X is not 0, two products are -inf and +inf. If X = [0, 0], all four are NaN, so the replaced one
    says 0.
    """
    minus_xn, minus_xh, zero = L.neg(xn), L.neg(xh), L.const(0.0)
    upper = [L.mul(xn, yn), L.mul(xh, yh), L.mul(minus_xn, yh), L.mul(minus_xh, yn)]
    negated_lower = [L.mul(xn, yh), L.mul(xh, yn), L.mul(minus_xn, yn), L.mul(minus_xh, yh)]
    return _largest(L, negated_lower, zero), _largest(L, upper, zero)


def fma(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value, zn: Value, zh: Value, guard: bool = True) -> Interval:
    """X Y + Z with one rounding.

    As in `multiply_ends`; a NaN here stands for 0 + z, or for -inf + inf with an infinite z, and both times z is
    the value to put in its place.
    """
    minus_xn, minus_xh = L.neg(xn), L.neg(xh)
    upper = [L.fma(xn, yn, zh), L.fma(xh, yh, zh), L.fma(minus_xn, yh, zh), L.fma(minus_xh, yn, zh)]
    negated_lower = [L.fma(xn, yh, zn), L.fma(xh, yn, zn), L.fma(minus_xn, yn, zn), L.fma(minus_xh, yh, zn)]
    return _largest(L, negated_lower, zn if guard else None), _largest(L, upper, zh if guard else None)


def _largest(L: Lanes, values: list[Value], fallback: Value | None) -> Value:
    """The largest value; with a fallback, NaN among the values is dropped, and the last one is replaced by it."""
    if fallback is None:
        return L.max(L.max(values[0], values[1]), L.max(values[2], values[3]))
    result = _replace_nan(L, values[-1], fallback)
    for value in reversed(values[:-1]):
        result = L.max(value, result)
    return result


def _replace_nan(L: Lanes, a: Value, fallback: Value) -> Value:
    return L.select(L.isnan(a), fallback, a)


def multiply_nonnegative(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value, guard: bool = True) -> Interval:
    """X Y for X >= 0 (the second operand is any interval): two products an end.

    The guarded product is the one with the lower end of X, which is finite: it is NaN only as 0 * inf, where 0 is in
    X Y. The other is NaN for inf * 0, where the guarded one is 0, and for X = [0, 0], where both stand for 0.
    """
    lower = L.neg(xn)

    def end(y: Value) -> Value:
        product = L.mul(lower, y)
        return L.max(L.mul(xh, y), _replace_nan(L, product, L.const(0.0)) if guard else product)

    return end(yn), end(yh)


def multiply_both_nonnegative(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value, guard: bool = True) -> Interval:
    """X Y for X >= 0 and Y >= 0: one product an end. The lower ends are finite, only the upper product needs a
    guard.
    """
    h = L.mul(xh, yh)
    return L.mul(xn, L.neg(yn)), _replace_nan(L, h, L.const(0.0)) if guard else h


def constant_product(n: Value, h: Value, lo: float, hi: float) -> tuple[Callable[..., Interval], tuple[Value, ...], tuple[float, ...]]:
    """[lo, hi] X for numbers lo <= hi, an exact constant (lo == hi) or an enclosure of one, whose end beyond the doubles is infinite: the
    emitter that computes it, and the vectors and numbers that it takes.
    """
    if hi < 0.0:
        n, h, lo, hi = h, n, -hi, -lo
    if lo == hi == 0.0:
        return zero, (), ()
    if lo == hi:
        return scale, (n, h), (lo,)
    if lo > 0.0 and hi < math.inf:
        return scale_between, (n, h), (lo, hi)
    return scale_any, (n, h), (-lo, hi)


def multiply_constant(L: Lanes, n: Value, h: Value, lo: float, hi: float) -> Interval:
    """[lo, hi] X for finite numbers lo <= hi."""
    emit, values, numbers = constant_product(n, h, lo, hi)
    return emit(L, *values, *map(L.const, numbers))


def zero(L: Lanes) -> Interval:
    return L.const(0.0), L.const(0.0)


def scale(L: Lanes, n: Value, h: Value, c: Value) -> Interval:
    """c X for a number c > 0."""
    return L.mul(n, c), L.mul(h, c)


def scale_between(L: Lanes, n: Value, h: Value, lo: Value, hi: Value) -> Interval:
    """[lo, hi] X for finite numbers 0 < lo < hi: no product is 0 * inf."""
    return L.max(L.mul(n, lo), L.mul(n, hi)), L.max(L.mul(h, lo), L.mul(h, hi))


def scale_any(L: Lanes, n: Value, h: Value, minus_lo: Value, hi: Value) -> Interval:
    """[lo, hi] X for any numbers lo <= hi, also infinite ones."""
    return multiply(L, minus_lo, hi, n, h)


def magnitudes(L: Lanes, n: Value, h: Value) -> Interval:
    """|X| = [a, b] as (-a, b)."""
    return L.min(L.min(n, h), L.const(0.0)), L.max(n, h)


def square(L: Lanes, n: Value, h: Value) -> Interval:
    """X^2 by magnitudes: tighter than X X, and free of NaN because -a is finite."""
    minus_a, b = magnitudes(L, n, h)
    return L.mul(minus_a, L.neg(minus_a)), L.mul(b, b)


# -- quotients --------------------------------------------------------------------------------------------------


def divide(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> Interval:
    """X / Y over the y in Y that are not 0; the whole line when 0 is inside Y or Y = [0, 0].

    X / Y = -X / -Y makes Y = [a, b] with 0 <= a < b or 0 < a = b. Then an end z (hi, or -lo: both are maxima) is z
    / a for z > 0 and z / b otherwise. a is finite and b > 0, so neither inf / inf nor 0 / 0 occurs; a = +0 makes z
    / a = +inf.
    """
    zero = L.const(0.0)
    a = L.max(L.neg(L.min(yn, yh)), zero)          # `max` returns its second operand, +0, for -0
    b = L.max(yn, yh)
    flip = L.le(yh, zero)

    def end(z: Value) -> Value:
        return L.div(z, L.select(L.gt(z, zero), a, b))

    n, h = end(L.select(flip, xh, xn)), end(L.select(flip, xn, xh))
    inside = L.both(L.gt(yn, zero), L.gt(yh, zero))
    return _whole_where(L, L.either(inside, L.le(b, zero)), n, h)


def divide_level(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> tuple[Value]:
    return level_of(L, zero_excluded(L, yn, yh), 0.0)


def reciprocal(L: Lanes, n: Value, h: Value) -> Interval:
    """1 / X over the x in X that are not 0; the whole line when 0 is inside X or X = [0, 0].

    1/x falls on either side of 0: hi = 1/lo and -lo = 1/-hi. Adding +0 turns -0 into +0 (in upward rounding as in
    rounding to nearest), so that an end of 0 gives +inf on the side where 1/x is unbounded.
    """
    zero = L.const(0.0)
    new_n = L.div(L.const(1.0), L.add(L.neg(h), zero))
    new_h = L.div(L.const(1.0), L.add(L.neg(n), zero))
    return _whole_where(L, L.both(L.gt(n, zero), L.gt(h, zero)), new_n, new_h)


# -- square root ------------------------------------------------------------------------------------------------


def sqrt(L: Lanes, n: Value, h: Value) -> Interval:
    """The square root over x >= 0.

    s = RU(sqrt(lo)) is the lower end where it is exact; where s^2 > lo (one fma, whose sign is that of the exact
    difference) the lower end is the double below s, and minus that is RU(-s + SMALLEST).
    """
    zero = L.const(0.0)
    lower = L.max(L.neg(n), zero)
    s = L.sqrt(lower)
    above = L.gt(L.fma(s, s, L.neg(lower)), zero)
    new_n = L.add(L.neg(s), L.select(above, L.const(SMALLEST), zero))
    return _whole_where(L, L.lt(h, zero), new_n, L.sqrt(L.max(h, zero)))


def sqrt_level(L: Lanes, n: Value, h: Value) -> tuple[Value]:
    """3 for lo > 0, 2 for lo >= 0 (the derivative is infinite at 0), else 0."""
    zero = L.const(0.0)
    return (L.select(L.lt(n, zero), L.const(3.0), L.select(L.le(n, zero), L.const(2.0), zero)),)


def sqrt_point(L: Lanes, x: Value) -> tuple[Value]:
    return (L.sqrt(x),)


# -- midpoint and hull ---------------------------------------------------------------------------------------------------

LARGEST = float.fromhex("0x1.fffffffffffffp+1023")


def midpoint(L: Lanes, n: Value, h: Value) -> Interval:
    """A point of the box, as the interval [c, c]: the rounded middle, or an end of it where that overflows.

    RU(lo + hi) / 2 lies between lo and hi because both are doubles; an unbounded or overflowing sum (also inf -
    inf, a NaN, which `max` drops) is brought back to the largest doubles, and below hi.
    """
    middle = L.mul(L.sub(h, n), L.const(0.5))
    c = L.min(L.max(middle, L.const(-LARGEST)), L.min(h, L.const(LARGEST)))
    return L.neg(c), c


def centre(L: Lanes, n: Value, h: Value, sn: Value, sh: Value) -> Interval:
    """The point c of the box, as [c, c], for which f(c) + S (X - c) has its greatest lower bound, S the box of slopes (Baumann 1988,
    Optimal centered forms): the lower end where no slope is negative, the upper end where none is positive, else lo + (hi - lo) m / (m + u)
    with m and u the sizes of the ends of S. About so: bounds hold for any point of the box, and it is one whatever this is rounded to.
    """
    zero, largest, lower = L.const(0.0), L.const(LARGEST), L.neg(n)
    m, u = L.max(sn, zero), L.max(sh, zero)
    c = L.fma(L.add(h, n), L.div(m, L.add(m, u)), lower)
    # A NaN, of no slope at all or of infinite ones, makes the lower end.
    c = L.min(L.max(c, L.max(lower, L.neg(largest))), L.min(h, largest))
    return L.neg(c), c


def hull(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> Interval:
    """The least interval that holds both."""
    return L.max(xn, yn), L.max(xh, yh)
