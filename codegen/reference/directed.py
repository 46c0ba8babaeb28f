"""Numbers rounded in a stated direction: the ground the slow reference arithmetic stands on.

A number is a raw mpmath value (`mpmath.libmp`): an exact dyadic rational with an unbounded exponent, or an infinity.
A `Format` rounds it down or up to the doubles, or to a given number of bits. Sums, products, quotients and square
roots of libmp are correctly rounded in the direction asked for, so one step into the format is exact rounding.

Transcendental functions have no exact value to round. libmp computes them to about one unit in the last place of the
working precision; we compute with 60 and more guard bits, widen by 16 such units, and repeat with more bits until
both ends of the widened value round to the same numbers (Ziv's strategy): then the result is the tight enclosure.
Arguments whose function value is itself a number of the format (exp 0, log 1, ...) are listed in `EXACT`; by
Lindemann and Weierstrass there are no others.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from mpmath import libmp
from mpmath.libmp import finf, fninf, fone, from_man_exp, fzero, mpf_abs, mpf_add, mpf_cmp, mpf_mul, mpf_neg

Number = tuple[int, int, int, int]
"""A raw mpmath number: sign, mantissa, exponent, bit count; (0, 0, negative, ...) are infinities."""

Pair = tuple[Number, Number]
"""A lower and an upper bound."""

DOWN, UP = "f", "c"  # libmp's names: floor and ceiling

# More bits than sin(x) = x - x**3/6 needs at the least denormal x = 2**-1074. Past it an enclosure may be an ulp wide.
_MOST_BITS = 4500


class Format(NamedTuple):
    """Numbers of `precision` bits; with `least` and `greatest`, multiples of 2**least that are below 2**greatest."""

    precision: int
    least: int | None = None
    greatest: int | None = None

    def up(self, x: Number) -> Number:
        """The least number of the format that is >= x (+inf when there is none)."""
        _, man, exp, bits = x = libmp.mpf_pos(x, self.precision, UP)
        if not man:
            return x
        if self.least is not None and exp < self.least:
            kept = bits + exp - self.least
            if kept > 0:
                return self.up(libmp.mpf_pos(x, kept, UP))
            return fzero if x[0] else from_man_exp(1, self.least)
        if self.greatest is not None and exp + bits > self.greatest:
            largest = from_man_exp((1 << self.precision) - 1, self.greatest - self.precision)
            return mpf_neg(largest) if x[0] else finf
        return x

    def down(self, x: Number) -> Number:
        """The greatest number of the format that is <= x (-inf when there is none)."""
        return mpf_neg(self.up(mpf_neg(x)))

    def tight(self, enclose: Callable[[int], Pair]) -> Pair:
        """The tight enclosure of the one number that ``enclose(bits)`` encloses ever more closely."""
        guard = 60
        while True:
            lo, hi = enclose(self.precision + guard)
            bounds = self.down(lo), self.up(hi)
            if guard > _MOST_BITS or bounds == (self.down(hi), self.up(lo)):
                return bounds
            guard *= 2


DOUBLE = Format(53, -1074, 1024)


def less(a: Number, b: Number) -> bool:
    return bool(mpf_cmp(a, b) < 0)


def least(*numbers: Number) -> Number:
    smallest = numbers[0]
    for x in numbers[1:]:
        smallest = x if less(x, smallest) else smallest
    return smallest


def greatest(*numbers: Number) -> Number:
    return mpf_neg(least(*map(mpf_neg, numbers)))


def infinite(x: Number) -> bool:
    return x in (finf, fninf)


def to_float(x: Number) -> float:
    """The double that a number of the format DOUBLE is."""
    if infinite(x):
        return math.inf if x == finf else -math.inf
    return math.ldexp(-x[1] if x[0] else x[1], x[2])


def sign(x: Number) -> int:
    return int(libmp.mpf_sign(x))


def magnitude(x: Number) -> int:
    """The exponent e with 2**(e-1) <= |x| < 2**e, for finite x other than 0."""
    return x[2] + x[3]


def widened(x: Number, bits: int) -> Pair:
    """Bounds of a value that x approximates within 16 units of the last of `bits` bits."""
    if infinite(x) or x == fzero:
        return x, x
    slack = from_man_exp(1, magnitude(x) - bits + 4)
    return mpf_add(x, mpf_neg(slack), bits, DOWN), mpf_add(x, slack, bits, UP)


# Where exp leaves every range we use: |x| >= 2**40. An enclosure of exp there is ends of 2**(2**40), not digits.
_HUGE = 40
# Beyond this size the reduction of an angle would need as many bits of pi; [-1, 1] is the answer given.
LARGEST_ANGLE = 1 << 14


def _exp(x: Number, bits: int) -> Pair:
    if x != fzero and magnitude(x) > _HUGE:
        far = from_man_exp(1, 1 << _HUGE)
        return (fzero, from_man_exp(1, -(1 << _HUGE))) if sign(x) < 0 else (far, finf)
    return widened(libmp.mpf_exp(x, bits), bits)


def _hyperbolic(name: str) -> Callable[[Number, int], Pair]:
    function = getattr(libmp, "mpf_" + name)

    def enclose(x: Number, bits: int) -> Pair:
        if magnitude(x) <= _HUGE:
            return widened(function(x, bits), bits)
        lo, hi = from_man_exp(1, 1 << (_HUGE - 1)), finf
        return (mpf_neg(hi), mpf_neg(lo)) if name == "sinh" and sign(x) < 0 else (lo, hi)

    return enclose


def _angle(name: str) -> Callable[[Number, int], Pair]:
    function = getattr(libmp, "mpf_" + name)

    def enclose(x: Number, bits: int) -> Pair:
        if magnitude(x) > LARGEST_ANGLE:
            return (mpf_neg(fone), fone) if name != "tan" else (fninf, finf)
        return widened(function(x, bits), bits)

    return enclose


def _tanh(x: Number, bits: int) -> Pair:
    """1 - 2**-(2**20) < tanh |x| < 1 for |x| >= 2**20: no need for as many digits."""
    if magnitude(x) <= 20:
        lo, hi = widened(libmp.mpf_tanh(mpf_abs(x), bits), bits)
    else:
        lo, hi = mpf_add(fone, mpf_neg(from_man_exp(1, -(1 << 20))), bits, DOWN), fone
    hi = least(hi, fone)
    return (lo, hi) if sign(x) > 0 else (mpf_neg(hi), mpf_neg(lo))


def _acosh(x: Number, bits: int) -> Pair:
    """libmp forms log(x + sqrt(x^2 - 1)): near 1 its error is 2**-bits absolutely, so we ask for more bits."""
    above = mpf_add(x, mpf_neg(fone))
    return widened(libmp.mpf_acosh(x, bits + max(0, -magnitude(above))), bits)


def _near_one(name: str) -> Callable[[Number, int], Pair]:
    """asin, acos, atanh and log with as many more bits as x is close to an end of the domain, or to 1."""
    function = getattr(libmp, "mpf_" + name)

    def enclose(x: Number, bits: int) -> Pair:
        distance = mpf_add(mpf_abs(x), mpf_neg(fone), 64, DOWN)
        extra = 0 if distance == fzero else max(0, -magnitude(distance))
        return widened(function(x, bits + min(extra, _MOST_BITS)), bits)

    return enclose


def _plain(name: str) -> Callable[[Number, int], Pair]:
    function = getattr(libmp, "mpf_" + name)
    return lambda x, bits: widened(function(x, bits), bits)


ENCLOSE: dict[str, Callable[[Number, int], Pair]] = {
    "exp": _exp, "sinh": _hyperbolic("sinh"), "cosh": _hyperbolic("cosh"), "tanh": _tanh,
    "sin": _angle("sin"), "cos": _angle("cos"), "tan": _angle("tan"),
    "log": _near_one("log"), "asin": _near_one("asin"), "acos": _near_one("acos"), "atanh": _near_one("atanh"),
    "acosh": _acosh, "atan": _plain("atan"), "asinh": _plain("asinh"),
}  # fmt: skip
"""Function name -> (finite argument inside the domain, bits) -> bounds, some 16 units of the last bit apart."""

EXACT: dict[str, dict[Number, Number]] = {
    "exp": {fzero: fone}, "cos": {fzero: fone}, "cosh": {fzero: fone}, "log": {fone: fzero}, "acos": {fone: fzero},
    "acosh": {fone: fzero},
    **{f: {fzero: fzero} for f in ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh")},
}  # fmt: skip

CONSTANTS: dict[str, Any] = {
    "pi": libmp.mpf_pi, "e": libmp.mpf_e, "euler_gamma": libmp.mpf_euler, "catalan": libmp.mpf_catalan,
}  # fmt: skip


def _at_infinity(name: str, x: Number, format: Format) -> Pair:
    """The limit of a monotone function at an end of the real line."""
    if name == "exp" and x == fninf:
        return fzero, fzero
    if name == "tanh":
        return (fone, fone) if x == finf else (mpf_neg(fone), mpf_neg(fone))
    if name == "atan":
        lo, hi = half_turns(1, 1, format)
        return (lo, hi) if x == finf else (mpf_neg(hi), mpf_neg(lo))
    return (finf, finf) if name == "cosh" else (x, x)


def function(name: str, x: Number, format: Format = DOUBLE) -> Pair:
    """The tight enclosure in `format` of ``name(x)`` for x in the closed domain; limits at the ends of an open one."""
    if x in EXACT[name]:
        return EXACT[name][x], EXACT[name][x]
    if name == "log" and x == fzero:
        return fninf, fninf
    if name == "atanh" and mpf_abs(x) == fone:
        return (finf, finf) if sign(x) > 0 else (fninf, fninf)
    if infinite(x):
        return _at_infinity(name, x, format)
    return format.tight(lambda bits: ENCLOSE[name](x, bits))


def x_log_x(x: Number, format: Format = DOUBLE) -> Pair:
    """The tight enclosure of x log x for x >= 0, with its limits at 0 and at infinity."""
    if x in (fzero, fone):
        return fzero, fzero
    if infinite(x):
        return x, x

    def enclose(bits: int) -> Pair:
        lo, hi = ENCLOSE["log"](x, bits)
        return mpf_mul(x, lo), mpf_mul(x, hi)

    return format.tight(enclose)


def inverse_e(format: Format = DOUBLE) -> tuple[Pair, Number]:
    """The tight enclosure of 1/e, and -1/e rounded down."""
    bounds = format.tight(lambda bits: widened(libmp.mpf_exp(mpf_neg(fone), bits), bits))
    return bounds, mpf_neg(bounds[1])


def named_constant(name: str, format: Format = DOUBLE) -> Pair:
    return format.tight(lambda bits: widened(CONSTANTS[name](bits), bits))


def half_turns(numerator: int, shift: int, format: Format = DOUBLE) -> Pair:
    """numerator * pi / 2**shift."""
    turn = from_man_exp(numerator, -shift)
    return format.tight(lambda bits: widened(mpf_mul(libmp.mpf_pi(bits), turn, bits), bits))


def floor_of_half_turns(x: Number, quarter: bool) -> int:
    """floor(x/pi), or floor(x/pi + 1/2) with `quarter`: the number of the monotone piece of the cosine or sine."""
    if x == fzero:
        return 0
    bits = max(magnitude(x), 0) + 64
    while True:
        turns = libmp.mpf_div(x, libmp.mpf_pi(bits), bits)
        if quarter:
            turns = mpf_add(turns, libmp.fhalf, bits)
        # The quotient carries two errors of one unit in the last of `bits` bits, the sum one more.
        slack = from_man_exp(1, max(magnitude(x), 0) - bits + 4)
        below, above = (libmp.to_int(libmp.mpf_floor(mpf_add(turns, s, 0))) for s in (mpf_neg(slack), slack))
        if below == above:
            return int(below)
        bits *= 2


def power(x: Number, exponent: int, format: Format = DOUBLE) -> Pair:
    """The tight enclosure of x**exponent, exponent >= 0, by exact multiplication."""
    if infinite(x):
        limit = fone if exponent == 0 else finf if exponent % 2 == 0 else x
        return limit, limit
    if x[3] * exponent <= 1 << 16:
        result = from_man_exp((-1) ** (x[0] * exponent) * x[1] ** exponent, x[2] * exponent)
        return format.down(result), format.up(result)
    return format.tight(lambda bits: widened(libmp.mpf_pow_int(x, exponent, bits + exponent.bit_length()), bits))


def real_power(x: Number, y: Number, format: Format = DOUBLE) -> Pair:
    """The tight enclosure of x**y for x >= 0, or of its limit at 0 and at infinity; 0**0 stands for 1."""
    if y == fzero or x == fone:
        return fone, fone
    if x == fzero or infinite(x) or infinite(y):
        above_one = less(fone, x)
        limit = finf if above_one == (sign(y) > 0) else fzero
        return limit, limit
    exact = _exact_power(x, y, format.precision + 60)
    if exact is not None:
        return format.down(exact), format.up(exact)
    return format.tight(lambda bits: _power_bounds(x, y, bits))


def _power_bounds(x: Number, y: Number, bits: int) -> Pair:
    """exp(y log x): an error of the exponent, which is relative to it, is an error of the result times its size, hence the further
    bits: as many as `_exp` looks at.
    """
    logarithm = ENCLOSE["log"](x, bits + _HUGE + 64)
    below, above = logarithm if sign(y) > 0 else logarithm[::-1]
    return _exp(mpf_mul(y, below), bits)[0], _exp(mpf_mul(y, above), bits)[1]


def _exact_power(x: Number, y: Number, bits: int) -> Number | None:
    """x**y when it is a dyadic rational of at most `bits` bits: y = p / 2**k and x a perfect power of 2**k."""
    _, man, exp, _ = x
    if magnitude(y) > 64:
        return None
    p, k = (y[1] << max(y[2], 0)), max(-y[2], 0)
    p = -p if y[0] else p
    if man > 1 and (p < 0 or p > bits):
        return None
    for _ in range(k):
        root = libmp.isqrt(man)
        if root * root != man or exp % 2 or (man == 1 and exp == 0):
            return None
        man, exp = int(root), exp // 2
    return from_man_exp(man**p if man > 1 else 1, exp * p)
