"""Ranges of log Gamma, Gamma and the polygamma functions over x > 0, tight at their ends.

Values are libmp's, as in `directed`. Gamma and log Gamma fall up to 1.4616... and rise beyond; -psi and (-1)^(n+1) psi^(n) fall.
"""

import math
from collections.abc import Callable

from mpmath import libmp
from mpmath.libmp import finf, fninf, fone, from_int, from_man_exp, fzero

from .directed import DOUBLE, Format, Number, Pair, greatest, infinite, least, less, magnitude, widened

LEAST_AT = float.fromhex("0x1.762d86356be3fp+0")
"""The double below the place of the least value."""

_FARTHEST = 20
"""Gamma of 2^20 and more is 2^(2^20) at least."""


def log_value(x: Number, format: Format) -> Pair:
    """log Gamma at x >= 0."""
    if x == fzero or infinite(x):
        return finf, finf
    if x in (fone, from_int(2)):
        return fzero, fzero
    return format.tight(lambda bits: widened(libmp.mpf_gamma(x, bits + 80, "n", 3), bits))


def plain_value(x: Number, format: Format) -> Pair:
    """Gamma at x >= 0."""
    if x == fzero or infinite(x):
        return finf, finf
    if magnitude(x) > _FARTHEST:
        return format.down(from_man_exp(1, 1 << _FARTHEST)), finf
    if x[2] >= 0:
        exact = from_int(math.factorial(int(libmp.to_int(x)) - 1))
        return format.down(exact), format.up(exact)
    return format.tight(lambda bits: widened(libmp.mpf_gamma(x, bits + 80), bits))


def polygamma_value(order: int, x: Number, format: Format) -> Pair:
    """psi^(order) at x >= 0."""
    if x == fzero:
        return (fninf, fninf) if order % 2 == 0 else (finf, finf)
    if infinite(x):
        return (fzero, fzero) if order else (finf, finf)
    return format.tight(lambda bits: widened(libmp.mpf_psi(order, x, bits + 100), bits))


Value = Callable[[Number, Format], Pair]


def gamma_range(value: Value, lo: Number, hi: Number, format: Format = DOUBLE) -> Pair:
    """The range of log Gamma or Gamma over the x > 0 in [lo, hi], hi > 0."""
    ends = [value(x, format) for x in (greatest(lo, fzero), hi)]
    bounds = [p[0] for p in ends]
    left, right = libmp.from_float(LEAST_AT), libmp.from_float(math.nextafter(LEAST_AT, 2))
    if not less(right, lo) and not less(hi, left):
        # Within 2^-52 of the place the function is less than 2^-104 above its least value.
        bounds += [format.down(libmp.mpf_sub(value(x, Format(200))[0], from_man_exp(1, -104), 200, "f")) for x in (left, right)]
    return least(*bounds), greatest(*(p[1] for p in ends))


def polygamma_range(order: int, lo: Number, hi: Number, format: Format = DOUBLE) -> Pair:
    """The range of psi^(order) over the x > 0 in [lo, hi], hi > 0."""
    first, last = (polygamma_value(order, x, format) for x in (greatest(lo, fzero), hi))
    return (last[0], first[1]) if order % 2 else (first[0], last[1])


