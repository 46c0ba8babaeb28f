"""Exact rationals to judge bounds of the time of contact by, and doubles rounded upward to follow how a kernel chooses directions.

The numbers told are drawn so that gaps are left over from cancellation, as small as the rounding of what made them: an operation
rounded the wrong way then shows in one draw of a few.
"""

import ctypes
import itertools
import math
from fractions import Fraction

import numpy as np

from codegen.time_bounds.polynomial_models import Model


def call(address, *arrays):
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(address)(*(a.ctypes.data for a in arrays))


def block(lo, hi):
    """Intervals (8, k) as kernels take them."""
    return np.ascontiguousarray(np.stack([-lo.T, hi.T], axis=1))


def up(x):
    """The least double that is no less than a rational."""
    y = float(x)
    return y if Fraction(y) >= x else math.nextafter(y, math.inf)


class Directed:
    """Doubles in upward rounding, to follow a kernel's choice of directions bit for bit."""

    def __init__(self, x):
        self.x = float(x)

    def __add__(self, other):
        return Directed(up(Fraction(self.x) + Fraction(other.x)))

    def __sub__(self, other):
        return Directed(up(Fraction(self.x) - Fraction(other.x)))

    def __mul__(self, other):
        return Directed(up(Fraction(self.x) * Fraction(other.x)))

    def __neg__(self):
        return Directed(-self.x)

    def fma(self, b, c):
        return Directed(up(Fraction(self.x) * Fraction(b.x) + Fraction(c.x)))


def crossed(a, b):
    return [a[p].fma(b[q], -(a[q] * b[p])) for p, q in ((1, 2), (2, 0), (0, 1))]


def normals(tangents):
    """Those of all pairs, and those within the first plane, of which the kernel takes either."""
    found = [crossed(a, b) for a, b in itertools.combinations(tangents, 2)]
    return found + [crossed(found[0], tangent) for tangent in tangents]


def exact_dot(n, intervals):
    """The least and the greatest value of n . x over a box of rationals."""
    low = high = Fraction(0)
    for c, (lo, hi) in zip(n, intervals, strict=True):
        low += min(c * lo, c * hi)
        high += max(c * lo, c * hi)
    return low, high


def allowed(step, gap, rate, push):
    """Is there no zero of gap + rate s + push s^2 / 2 in 0 <= s < step, for a gap > 0 and push <= 0?"""
    return gap + rate * step + push * step * step / 2 >= 0


def may_advance(step, ends, rates, pushes, n, speed=None):
    """May the window begin `step` later by this direction? `ends` bound n . E at its beginning, `speed` besides its rate there."""
    low, high = ends
    (b_low, b_high), (c_low, c_high) = exact_dot(n, rates), exact_dot(n, pushes)
    if speed is not None:
        b_low, b_high = max(b_low, speed[0]), min(b_high, speed[1])
    zero = Fraction(0)
    return (low > 0 and allowed(step, low, b_low, min(c_low, zero))) or (high < 0 and allowed(step, -high, -b_high, min(-c_high, zero)))


def thin(rng, middle, widest):
    """Intervals round numbers: thin as a rounding, or wider."""
    width = np.where(rng.random(middle.shape) < 0.5, 0.0, widest * rng.random(middle.shape))
    return middle - width, middle + width * rng.random(middle.shape)


def rationals(lo, hi):
    return [(Fraction(a), Fraction(b)) for a, b in zip(lo, hi, strict=True)]


BENT = Model((2, 3), (1,), True)
CURVE = Model((3,), (0,), False)
# Of more coordinates than space has.
MANY = BENT._replace(coordinates=5, viewed=True)
NET = Model((2, 1), (), False, coordinates=4, viewed=True)
ALL = tuple(range(9))


def product(matrix, box):
    """The exact range of A x, A and x in intervals."""
    result = []
    for low, high in zip(*matrix, strict=True):
        total = [Fraction(0), Fraction(0)]
        for r, s, x in zip(low, high, box, strict=True):
            ends = [Fraction(a) * b for a in (r, s) for b in x]
            total = [total[0] + min(ends), total[1] + max(ends)]
        result.append((total[0], total[1]))
    return result


def seen(n, matrix, x):
    """The exact range of (A^T n) . x, A and x in intervals: the direction is turned, not the point, which has the wider intervals."""
    low = high = Fraction(0)
    for j, interval in enumerate(x):
        m = exact_dot(n, [(Fraction(matrix[0][i][j]), Fraction(matrix[1][i][j])) for i in range(3)])
        ends = [a * b for a in m for b in interval]
        low, high = low + min(ends), high + max(ends)
    return low, high


def net_tangents(m, r):
    """The tangents of a control net, in the order of the kernel's operations."""
    (p, q), size = m.both, m.coordinates
    corner = {(a, b): directed(r[size * ((q + 1) * p * a + q * b):][:size]) for a in (0, 1) for b in (0, 1)}
    return [[(corner[1, 1][i] + corner[end][i]) - (corner[0, 0][i] + corner[begin][i]) for i in range(size)]
            for end, begin in [((1, 0), (0, 1)), ((0, 1), (1, 0))][:len(m.degrees)]]


def directed(vector):
    return [Directed(x) for x in vector]


def middles(ends):
    return [Directed(0.5) * (Directed(b) - Directed(-a)) for a, b in zip(*ends, strict=True)]


def turned(rows, vector, start=None):
    """The products of rows {column: entry} and a vector, added up in order."""
    result = []
    for i, row in enumerate(rows):
        total = None if start is None else start[i]
        for j, x in row.items():
            total = x * vector[j] if total is None else x.fma(vector[j], total)
        result.append(Directed(0.0) if total is None else total)
    return result
