"""Functions of one variable, with their extremes: curves, springs, polynomials; Bezier curves by their hulls, Chebyshev series."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import sympy as sp
from flint import arb

from codegen.functions import Chebyshev

from .cases import Case, x
from .outward import V, cos, falling, hull, joined, rising, sin, turning
from .shapes import TWICE

CONTROL = [Fraction(0), Fraction(3), Fraction(-2), Fraction(1)]
SERIES = [Fraction(c) for c in ("1/2", "-1", "1/4", "1/3", "-1/8", "1/16")]
# Places where (u cos u)' = 0, on both sides of the roots of cot u = u.
SPIRAL = [arb(0.860333589019379, 2e-15), arb(3.425618459481728, 2e-15)]


def rational(c: Fraction) -> arb:
    return arb(c.numerator) / c.denominator


def bezier_hull(x: V) -> V:
    """Control points of the part of the curve over x: the blossom at its ends (Ramshaw 1989), whose hull holds the part."""
    def blossom(*at: arb) -> arb:
        points = list(map(rational, CONTROL))
        for t in at:
            points = [(1 - t) * a + t * b for a, b in itertools.pairwise(points)]
        return points[0]

    return hull(*(blossom(*[x.lo] * (3 - k), *[x.hi] * k) for k in range(4)))


def chebyshev_basis(k: int, x: V) -> V:
    """T_k over part of [-1, 1]: its values at the ends, and (-1)^i at cos(pi i / k) (Snyder 1993, Appendix B, with its sign corrected)."""
    places = [(arb.pi() * i / k).cos() for i in range(1, k)]
    return turning(lambda a: a.chebyshev_t(k), x, *places) if k else V(arb(1), arb(1))


def chebyshev_series(x: V) -> V:
    """The terms bounded one by one."""
    total = V(arb(0), arb(0))
    for k, c in enumerate(SERIES):
        total = total + chebyshev_basis(k, x) * rational(c)
    return total


def polynomial(coefficients: Sequence[int], x: arb) -> arb:
    total = arb(0)
    for c in reversed(coefficients):
        total = total * x + c
    return total


T = sp.Rational(1, 3)
BEZIER = sum(sp.Rational(c.numerator, c.denominator) * sp.binomial(3, k) * x**k * (1 - x) ** (3 - k) for k, c in enumerate(CONTROL))
ROOT_TWO = arb(2).sqrt()

CURVES: dict[str, Case] = {
    "involute, its x": Case([sp.cos(x) + x * sp.sin(x)], [(0.0, 3.0)],
                            lambda x: turning(lambda a: a.cos() + a * a.sin(), x, arb.pi() / 2), TWICE),
    "involute, its y": Case([sp.sin(x) - x * sp.cos(x)], [(0.0, 3.0)], lambda x: rising(lambda a: a.sin() - a * a.cos(), x), TWICE),
    "helix": Case([sp.cos(x), sp.sin(x), x / 5], [(-20.0, 20.0)], lambda x: [cos(x), sin(x), x / 5]),
    "spiral": Case([x * sp.cos(x)], [(0.0, 4.0)], lambda x: turning(lambda a: a * a.cos(), x, *SPIRAL), TWICE),
    "Bezier curve by its hull": Case([BEZIER], [(0.0, 1.0)], bezier_hull, TWICE),
    "Chebyshev series": Case([Chebyshev(x, *[sp.Rational(c.numerator, c.denominator) for c in SERIES])], [(-1.0, 1.0)], chebyshev_series,
                             ulps=64),
    "smooth step": Case([3 * x**2 - 2 * x**3], [(-1.0, 2.0)], lambda x: turning(lambda a: polynomial([0, 0, 3, -2], a), x, 0, 1), TWICE),
    "parabola of a throw": Case([3 + x - x**2], [(0.0, 3.0)], lambda x: turning(lambda a: 3 + a - a * a, x, arb(1) / 2), TWICE),
    "pulse": Case([x * sp.exp(-x)], [(0.0, 4.0)], lambda x: turning(lambda a: a * (-a).exp(), x, 1), TWICE),
    "ripple": Case([x * sp.exp(-x**2)], [(-3.0, 3.0)],
                   lambda x: turning(lambda a: a * (-a * a).exp(), x, 1 / ROOT_TWO, -1 / ROOT_TWO), TWICE),
    "Lennard-Jones": Case([x**-12 - x**-6], [(0.9, 3.0)], lambda x: turning(lambda a: a**-12 - a**-6, x, arb(2).root(6)), TWICE),
    "soft spring": Case([x - x**3 / 6], [(-3.0, 3.0)], lambda x: turning(lambda a: a - a**3 / 6, x, ROOT_TWO, -ROOT_TWO), TWICE),
    "logistic": Case([sp.exp(x) / (1 + sp.exp(x))], [(-9.0, 9.0)], lambda x: rising(lambda a: 1 / (1 + (-a).exp()), x), TWICE),
    "catenary": Case([sp.cosh(x)], [(-4.0, 4.0)], lambda x: turning(lambda a: a.cosh(), x, 0)),
    "witch": Case([1 / (1 + x**2)], [(-4.0, 4.0)], lambda x: falling(lambda s: 1 / (1 + s), x**2)),
    "sine of the root": Case([sp.sin(sp.sqrt(x))], [(0.0, 30.0)], lambda x: sin(V(x.lo.sqrt(), x.hi.sqrt()))),
    "clip": Case([sp.Max(-1, sp.Min(x, 1))], [(-3.0, 3.0)], lambda x: rising(lambda a: a.min(arb(1)).max(arb(-1)), x)),
    "hat, folded": Case([abs(x - sp.floor(x) - sp.Rational(1, 2))], [(-2.0, 2.0)], lambda x: folded(x), TWICE),
}  # fmt: skip


def folded(x: V) -> V:
    """Piece by piece between half integers; at an integer it has 1/2 on the right and a limit of 1/2 on the left."""
    first, last = (math.floor(float(end)) for end in x)
    pieces = []
    for k in range(2 * first, 2 * last + 2):
        a, b = (arb(x.lo).max(arb(k) / 2), arb(x.hi).min(arb(k + 1) / 2))
        if not a > b:
            middle = arb(k // 2) + arb(1) / 2
            pieces.append(hull(abs(a - middle), abs(b - middle)))
    return joined(*pieces)
