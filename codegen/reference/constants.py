"""Named constants as tight enclosures: those of `directed`, values of the zeta function, and real roots of polynomials.

The name says which: "pi", "zeta 3", or "root p/q p/q c_0 c_1 ... c_n", the only root of the polynomial between the two rational numbers,
at which it has opposite signs. All are from 0 to 4 (see `graph.signs`).
"""

from fractions import Fraction

from mpmath import libmp

from .directed import DOUBLE, DOWN, UP, Format, Pair, widened
from .directed import named_constant as _plain


def named_constant(name: str, format: Format = DOUBLE) -> Pair:
    kind, *rest = name.split()
    if kind == "zeta":
        return format.tight(lambda bits: widened(libmp.mpf_zeta_int(int(rest[0]), bits), bits))
    if kind == "root":
        lo, hi, *c = map(Fraction, rest)
        return format.tight(lambda bits: _root(c, lo, hi, bits))
    return _plain(name, format)


def _root(c: list[Fraction], lo: Fraction, hi: Fraction, bits: int) -> Pair:
    """By bisection, until the ends agree in so many bits; exact if an end is the root."""
    rising = _at(c, hi) > 0
    while lo < hi and (hi - lo) * (1 << bits) > hi:
        middle = (lo + hi) / 2
        value = _at(c, middle)
        if value == 0:
            lo = hi = middle
        elif (value > 0) == rising:
            hi = middle
        else:
            lo = middle
    down, up = (libmp.from_rational(x.numerator, x.denominator, bits + 8, mode) for x, mode in ((lo, DOWN), (hi, UP)))
    return down, up


def _at(c: list[Fraction], x: Fraction) -> Fraction:
    total = Fraction(0)
    for a in reversed(c):
        total = total * x + a
    return total
