"""Tight ranges of the Chebyshev polynomials T_k: values at the ends of an interval, and -1 or 1 at an extremum inside.

The extrema of T_k are (-1)^i at cos(pi i / k); the parity rule printed in Snyder 1993, Appendix B, is wrong for odd
k. Outside [-1, 1] T_k is a monotone polynomial.
"""

from mpmath import libmp
from mpmath.libmp import fone, from_int, mpf_mul

from .directed import DOUBLE, Format, Number, Pair, greatest, infinite, least, less, power


def basis_range(k: int, lo: Number, hi: Number, format: Format = DOUBLE) -> Pair:
    """The enclosure of { T_k(x) : lo <= x <= hi }."""
    values = [_value(k, end, format) for end in (lo, hi)]
    for i in range(1, k):
        below, above = _extremum(i, k)
        if not less(hi, below) and not less(above, lo):
            values.append((from_int((-1) ** i),) * 2)
    return least(*(v[0] for v in values)), greatest(*(v[1] for v in values))


def _value(k: int, x: Number, format: Format) -> Pair:
    """T_k(x), by the three-term recurrence in exact arithmetic."""
    if infinite(x):
        return power(x, k, format)
    before, now = x, fone
    for _ in range(k):
        before, now = now, libmp.mpf_sub(libmp.mpf_shift(mpf_mul(x, now), 1), before)
    return format.down(now), format.up(now)


def _extremum(i: int, k: int) -> Pair:
    """Bounds of cos(pi i / k), some 100 bits."""
    angle = libmp.mpf_div(libmp.mpf_mul_int(libmp.mpf_pi(120), i, 120), libmp.from_int(k), 120)
    cosine = libmp.mpf_cos(angle, 120)
    # The angle carries 3 errors of 2^-118 at most, and |cos'| <= 1.
    slack = libmp.from_man_exp(1, -110)
    return libmp.mpf_sub(cosine, slack), libmp.mpf_add(cosine, slack)
