"""Entire functions given by power series: the error function, Bessel functions J_n and the sine integral.

Each is f(x) = s (x^p + ...) with powers x^(p + 2m) whose coefficients c_m alternate in sign and whose ratios |c_(m+1) / c_m| fall, so
that Taylor coefficients at any centre are sums that exact integer arithmetic bounds (`taylor`). `emit.elementary.tabulated` tabulates them.

Ranges. Where |f'| or |f''| at a point is larger than what f'' or f''' can take away over a cell, f' keeps its sign there, or has one zero
at most, which is bisected (`_extrema`). From x = `first` on, the extrema of J_n and of Si fall in size, those of Si about pi/2 (Watson, A
treatise on the theory of Bessel functions, 15.31; DLMF 6.2.9); before, these functions are monotone. So the range from a on is spanned by
the ends and two extrema.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from mpmath import libmp
from mpmath.libmp import fone, from_int, from_man_exp, from_rational, fzero, mpf_add, mpf_neg

from .directed import DOUBLE, DOWN, UP, Format, Number, Pair, greatest, half_turns, infinite, least, less, sign, widened

Bounds = tuple[Fraction, Fraction]

FARTHEST = 1 << 10
"""Larger arguments get bounds that hold on the whole line, or next to a limit."""


class Entire(NamedTuple):
    """`power` p; `start` c_0; `ratio` -c_(m+1) / c_m as two integers; `growth` G(|x|) with |c_m x^(2m)| <= 2^G c_0 for all m; `scale` s as
    bounds, given bits; `first`: monotone for 0 < x <= first; `least` and `most`: of its values for x >= 0.
    """

    power: int
    start: Fraction
    ratio: Callable[[int], tuple[int, int]]
    growth: Callable[[Fraction], int]
    scale: Callable[[int], Bounds]
    first: int
    least: Fraction
    most: Fraction

    @property
    def odd(self) -> bool:
        return self.power % 2 == 1


def fraction(x: Number) -> Fraction:
    """A finite number as it is."""
    return Fraction(-x[1] if x[0] else x[1]) * Fraction(2) ** x[2]


def _one(bits: int) -> Bounds:
    return Fraction(1), Fraction(1)


def _two_over_root_pi(bits: int) -> Bounds:
    lo, hi = widened(libmp.mpf_sqrt(libmp.mpf_pi(bits + 20), bits + 20), bits + 10)
    return 2 / fraction(hi), 2 / fraction(lo)


def _linear_growth(x: Fraction) -> int:
    """Terms of J_n(i x) and of the hyperbolic sine integral are below e^|x|."""
    return int(x * 3 / 2) + 2


ERF = Entire(1, Fraction(1), lambda m: (2 * m + 1, (m + 1) * (2 * m + 3)), lambda x: int(x * x * 3 / 2) + 2, _two_over_root_pi, FARTHEST,
             Fraction(0), Fraction(1))
# The largest value, at pi, is 1.85193705198246617...
SI = Entire(1, Fraction(1), lambda m: (2 * m + 1, (2 * m + 2) * (2 * m + 3) ** 2), _linear_growth, _one, 3,
            Fraction(0), Fraction(18519370519824662, 10**16))


@functools.cache
def bessel(n: int) -> Entire:
    """J_n, n >= 0. It rises up to x = n, and J_0 falls up to 3; |J_n| <= 0.674886 n^(-1/3) (Landau, J. London Math. Soc. 61, 2000), and
    J_0 >= J_0(3.83...) = -0.40275939...
    """
    size = Fraction(0.674886 * float(n) ** (-1 / 3)) * Fraction(100001, 100000) if n else Fraction(0)
    least, most = (-size, size) if n else (Fraction(-4027594, 10**7), Fraction(1))
    return Entire(n, Fraction(1, 2**n * math.factorial(n)), lambda m: (1, 4 * (m + 1) * (m + n + 1)), _linear_growth, _one, n or 3,
                  least, most)


def taylor(f: Entire, c: Fraction, degree: int, bits: int = 200) -> list[Bounds]:
    """Bounds of f^(k)(c) / k!, k = 0, ..., degree, for |c| <= FARTHEST: some 2^-bits of the largest term wide.

    With t_m = |c_m c^(2m) / c_0| <= 2^G =: T the coefficient is c_0 c^(p-k) times the sum of (-1)^m t_m C(p + 2m, k). t_m is computed in
    units of 2^-point from t_(m-1) by a ratio and one truncation. As ratios fall, products of successive ones are T at most, so t_m is wrong
    by (m + 1) T units at most. The sum ends where t_m is less than a unit (and its error), its ratio below 1/4 and m so large that
    C(p + 2m, k) grows less than 3/2-fold: what is left out is less than twice the first term of it.
    """
    if c == 0:
        return _at_zero(f, degree, bits)
    square, growth = c * c, f.growth(abs(c))
    point = bits + growth + 8 * degree + 30
    sums, term, m = [0] * (degree + 1), 1 << point, 0
    above, below = square.as_integer_ratio()
    while True:
        signed = -term if m % 2 else term
        for k, choices in enumerate(_choices(f.power + 2 * m, degree)):
            sums[k] += signed * choices
        p, q = f.ratio(m)
        term, m = term * p * above // (q * below), m + 1
        if term == 0 and 4 * p * above < q * below and m > 8 * degree:
            break
    wrong = (m + 3) ** 2 << growth
    slacks = [wrong * math.comb(f.power + 2 * m + 2, k) for k in range(degree + 1)]
    lo, hi = f.scale(bits + 40)
    units = [f.start * c ** (f.power - k) / (1 << point) for k in range(degree + 1)]
    return [_product((min(u * (s - e), u * (s + e)), max(u * (s - e), u * (s + e))), (lo, hi))
            for u, s, e in zip(units, sums, slacks, strict=True)]


@functools.cache
def _choices(n: int, degree: int) -> tuple[int, ...]:
    return tuple(math.comb(n, k) for k in range(degree + 1))


def _at_zero(f: Entire, degree: int, bits: int) -> list[Bounds]:
    found, c, lo_hi = [Fraction(0)] * (degree + 1), f.start, f.scale(bits + 40)
    for m in range((degree - f.power) // 2 + 1):
        found[f.power + 2 * m] = c
        p, q = f.ratio(m)
        c *= Fraction(-p, q)
    return [_product((a, a), lo_hi) for a in found]


def _product(a: Bounds, b: Bounds) -> Bounds:
    products = [x * y for x in a for y in b]
    return min(products), max(products)


# -- values and ranges ------------------------------------------------------------------------------------------


def _outward(bounds: Bounds, bits: int) -> Pair:
    lo, hi = bounds
    return from_rational(lo.numerator, lo.denominator, bits, DOWN), from_rational(hi.numerator, hi.denominator, bits, UP)


def _rounded(bounds: Bounds, format: Format) -> Pair:
    down, up = _outward(bounds, format.precision)
    return format.down(down), format.up(up)


def value(f: Entire, x: Number, format: Format = DOUBLE) -> Pair:
    """The tight enclosure of f(x) for 0 <= x <= FARTHEST."""
    if x == fzero:
        return (fone, fone) if f.power == 0 else (fzero, fzero)
    at = fraction(x)

    def enclose(bits: int) -> Pair:
        return _outward(taylor(f, at, 0, bits)[0], bits)

    return format.tight(enclose)


def _sign_of(f: Entire, k: int, x: Fraction) -> int:
    """The sign of f^(k)(x) at a point where it is not 0."""
    bits = 60
    while True:
        lo, hi = taylor(f, x, k, bits)[k]
        if lo > 0 or hi < 0:
            return 1 if lo > 0 else -1
        bits *= 2


def _extrema(f: Entire, a: Fraction, b: Fraction, bits: int) -> Iterator[Fraction]:
    """Points less than 2^-bits from the extrema of f in [a, b], a >= f.first, in order; |f''| and |f'''| are at most 1/2."""
    cells = [(a + Fraction(k, 2), min(a + Fraction(k + 1, 2), b)) for k in range(math.ceil(2 * (b - a)))][::-1]
    while cells:
        p, q = cells.pop()
        _, first, second = taylor(f, p, 2, 60)
        if min(abs(y) for y in first) > (q - p) / 2 and first[0] * first[1] > 0:
            continue
        if not (2 * min(abs(y) for y in second) > (q - p) / 2 and second[0] * second[1] > 0):
            middle = (p + q) / 2
            cells += [(middle, q), (p, middle)]
        elif _sign_of(f, 1, p) != _sign_of(f, 1, q):
            yield _bisected(f, p, q, bits)


def _bisected(f: Entire, p: Fraction, q: Fraction, bits: int) -> Fraction:
    rising = _sign_of(f, 1, p)
    while (q - p) * (1 << bits) > 1:
        middle = (p + q) / 2
        p, q = (middle, q) if _sign_of(f, 1, middle) == rising else (p, middle)
    return q


def _right(f: Entire, a: Number, b: Number, format: Format) -> Pair:
    """The range over [a, b], 0 <= a."""
    if infinite(b) or less(from_int(FARTHEST), b):
        return _far(f, a, format)
    bounds = [value(f, end, format) for end in (a, b)]
    begin, end = max(fraction(a), Fraction(f.first)), fraction(b)
    bits = format.precision + 30
    for place in itertools.islice(_extrema(f, begin, end, bits), 2) if begin < end else ():
        lo, hi = taylor(f, place, 0, 2 * bits)[0]
        slack = Fraction(1, 1 << (2 * bits))
        bounds.append(_rounded((lo - slack, hi + slack), format))
    return least(*(p[0] for p in bounds)), greatest(*(p[1] for p in bounds))


def _far(f: Entire, a: Number, format: Format) -> Pair:
    """Bounds for [a, b] with b beyond FARTHEST: 1 - erf x < 2^-(x^2), |Si x - pi/2| <= 1/x, and what holds everywhere."""
    lo, hi = _rounded((f.least, f.most), format)
    if f is ERF:
        return value(f, a, format)[0] if not less(from_int(32), a) else format.down(_below_one(1024)), fone
    if f is SI and less(from_int(2), a):
        quarter = half_turns(1, 1, format)
        off = fzero if infinite(a) else libmp.mpf_div(fone, a, 60, UP)
        return (greatest(lo, format.down(mpf_add(quarter[0], mpf_neg(off)))), least(hi, format.up(mpf_add(quarter[1], off))))
    return lo, hi


def _below_one(bits: int) -> Number:
    return mpf_add(fone, mpf_neg(from_man_exp(1, -bits)), 0, DOWN)


def entire_range(f: Entire, lo: Number, hi: Number, format: Format = DOUBLE) -> Pair:
    """The enclosure of the range of f over [lo, hi], tight within FARTHEST up to the place of an extremum, where f is flat."""
    if f is ERF:
        return _monotone(lo, format)[0], _monotone(hi, format)[1]
    parts = []
    if sign(hi) >= 0 or lo == fzero:
        parts.append(_right(f, greatest(lo, fzero), hi, format))
    if sign(lo) < 0:
        below, above = _right(f, greatest(mpf_neg(hi), fzero), mpf_neg(lo), format)
        parts.append((mpf_neg(above), mpf_neg(below)) if f.odd else (below, above))
    return least(*(p[0] for p in parts)), greatest(*(p[1] for p in parts))


def _monotone(x: Number, format: Format) -> Pair:
    """erf x."""
    if sign(x) < 0:
        lo, hi = _monotone(mpf_neg(x), format)
        return mpf_neg(hi), mpf_neg(lo)
    if infinite(x):
        return fone, fone
    return value(ERF, x, format) if less(x, from_int(32)) else (format.down(_below_one(1024)), fone)


def complement(x: Number, format: Format = DOUBLE) -> Pair:
    """The tight enclosure of erfc x; beyond 32 erfc x < e^(-1024) < 2^-1400."""
    if infinite(x) or less(from_int(32), libmp.mpf_abs(x)):
        small = format.up(from_man_exp(1, -1400))
        return (fzero, small) if sign(x) > 0 else (format.down(mpf_add(from_int(2), mpf_neg(small), 0, DOWN)), from_int(2))
    if x == fzero:
        return fone, fone
    at = fraction(x)

    def enclose(bits: int) -> Pair:
        ((lo, hi),) = taylor(ERF, at, 0, bits)
        return _outward((1 - hi, 1 - lo), bits)

    return format.tight(enclose)
