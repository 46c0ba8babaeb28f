"""Complete elliptic integrals and modified Bessel functions, over boxes: proofs beside the formulas.

Derivatives that need each other know so many further ones (`depth`).
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import sympy as sp

from .pieces import BesselRatios, Hull, ThreeTerm, cases, declared, halves, monotone, most, odd, table
from .primitives import Primitive, primitive_ends, primitive_places

GAMMA = sp.EulerGamma


# -- elliptic integrals ---------------------------------------------------------------------------------------------

TINY = sp.Rational(1, 2**40)


def _complete(m: Any, name: str, ends: Callable[[Any], tuple[Any, Any]], power: Any, near: tuple[Any, Any]) -> tuple[Any, Any]:
    """K or E of m by a table of 1 - m; beyond 1 that is y^power times the value at 1/y (DLMF 19.7.2, with m / (m - 1)); `ends`: for y below
    the table, `near`: for small m.
    """
    y = 1 - m

    def within(z: Any, k: int) -> Any:
        return cases((table(name, z), z >= sp.Rational(1, 2**54)), (ends(z)[k], z > 0))

    def half(k: int) -> Any:
        return cases((near[k], sp.And(m > -TINY, m < TINY)), (within(y, k), m > 0), (y**power * within(1 / y, k), m < 0))

    return half(0), half(1)


def elliptic_k(m: Any) -> tuple[Any, Any]:
    """K(1 - z) = sum ((1/2)_k / k!)^2 z^k (log(1/sqrt z) + d(k)), d(0) = log 4 the largest (DLMF 19.12.1): between A and A (1 + z) for
    z < 1/2.
    """
    def ends(z: Any) -> tuple[Any, Any]:
        a = sp.log(4) - sp.log(z) / 2
        return a, a * (1 + z)

    half = sp.pi / 2 * (1 + m / 4)
    return _complete(m, "elliptic_k", ends, -sp.Rational(1, 2), (half - m**2, half + m**2))


def elliptic_e(m: Any) -> tuple[Any, Any]:
    """1 <= E(1 - z) <= 1 + z (log 4 - log(z)/2) for z < 1/2 (DLMF 19.12.2)."""
    def ends(z: Any) -> tuple[Any, Any]:
        return sp.Integer(1), 1 + z * (sp.log(4) - sp.log(z) / 2)

    half = sp.pi / 2 * (1 - m / 4)
    return _complete(m, "elliptic_e", ends, sp.Rational(1, 2), (half - m**2, half + m**2))


@cache
def complete_elliptic_k(depth: int = 2) -> Primitive:
    """K' = (E/(1 - m) - K)/(2 m), by a table where m is small."""
    m, value = primitive_places(1)
    small = sp.And(m > -sp.Rational(1, 2), m < sp.Rational(1, 2))
    if depth == 0:
        return monotone("elliptic_k", elliptic_k)
    slope = cases((table("elliptic_k_slope", 1 - m), small), ((complete_elliptic_e(depth - 1)(m) / (1 - m) - value) / (2 * m), True))
    return monotone("elliptic_k", elliptic_k, slope)


@cache
def complete_elliptic_e(depth: int = 2) -> Primitive:
    """E' = (E - K)/(2 m)."""
    m, value = primitive_places(1)
    small = sp.And(m > -sp.Rational(1, 2), m < sp.Rational(1, 2))
    if depth == 0:
        return monotone("elliptic_e", elliptic_e, rising=False)
    slope = cases((-table("elliptic_e_slope", 1 - m), small), ((value - complete_elliptic_k(depth - 1)(m)) / (2 * m), True))
    return monotone("elliptic_e", elliptic_e, slope, rising=False)



# -- modified Bessel functions --------------------------------------------------------------------------------------


def bessel_k(order: int, x: Any) -> tuple[Any, Any]:
    """K_n x, x > 0: K_0 and K_1, and K_(n+1) = K_(n-1) + (2 n / x) K_n, whose terms are positive (DLMF 10.29.1).

    Below 2^-30, with B = -log(x/2) - gamma, K_0 is between B and B (1 + x^2) + x^2 (10.31.2), and x K_1 between 1 - 400 x^2 and 1, x
    being at least 2^-1074. From 1024 on sqrt(2 x / pi) e^x K_0 is between 1 - 1/(8 x) and 1, that of K_1 between 1 and 1 + 3/(8 x)
    (10.40.iii).
    """
    # Not below 0, where 1/x has a value; the tables have none there.
    small, large = sp.And(x > 0, x < sp.Rational(1, 2**30)), x < 1024
    b, far = -sp.log(x / 2) - GAMMA, sp.exp(-x) * sp.sqrt(sp.pi / (2 * x))
    zero, one = sp.exp(-x) * table("bessel_k0", x), sp.exp(-x) / x * table("bessel_k1", x)
    before = halves([(b, small), (zero, large), (far * (1 - 1 / (8 * x)), True)],
                    [(b * (1 + x**2) + x**2, small), (zero, large), (far, True)])
    now = halves([((1 - 400 * x**2) / x, small), (one, large), (far, True)],
                 [(1 / x, small), (one, large), (far * (1 + 3 / (8 * x)), True)])
    if order == 0:
        return before
    found = ThreeTerm(1, 1, order, x, Hull(*before), Hull(*now))
    return found, found


def bessel_i(order: int, x: Any) -> tuple[Any, Any]:
    """I_n of x >= 0. From n^2 on by I_(k+1) = I_(k-1) - (2 k/x) I_k, below by ratios."""
    if order < 2:
        return _bessel_i_first(order, x)
    zero, one = (Hull(*_bessel_i_first(k, x)) for k in range(2))
    found = cases((zero * BesselRatios(order, x), x <= order**2), (ThreeTerm(-1, 1, order, x, zero, one), True))
    return found, found


def _bessel_i_first(order: int, x: Any) -> tuple[Any, Any]:
    """I_0 or I_1 of x >= 0. From 1024 on sqrt(2 pi x) e^-x I_0 is between 1 and 1 + 1/x, that of I_1 between 1 - 1/x and 1 (10.40.1)."""
    near = table("bessel_i0", x) if order == 0 else x * table("bessel_i1", x)
    middle, far = sp.exp(x) / sp.sqrt(x) * table(f"bessel_i{order}_scaled", x), sp.exp(x) / sp.sqrt(2 * sp.pi * x)
    both = (far, far * (1 + 1 / x)) if order == 0 else (far * (1 - 1 / x), far)
    return halves(*([(near, x <= 4), (middle, x < 1024), (e, True)] for e in both))


@cache
def modified_bessel_k(order: int, depth: int = 2) -> Primitive:
    """K_0' = -K_1, K_n' = -K_(n-1) - (n/x) K_n."""
    x, value = primitive_places(1)
    other = modified_bessel_k(1 if order == 0 else order - 1, depth - 1)(x) if depth > 0 else None
    slope = None if other is None else -other - order / x * value
    return monotone(f"besselk{order}", lambda x: bessel_k(order, x), slope, rising=False)


@cache
def modified_bessel_i(order: int, depth: int = 2) -> Primitive:
    """I_0' = I_1, I_1' = I_0 - I_1/x, of which Arb's table of I_1(x)/x knows the value at 0, and I_n' = (I_(n-1) + I_(n+1))/2."""
    (lo, hi), (x, value) = primitive_ends(1), primitive_places(1)

    def other(n: int) -> Any:
        return modified_bessel_i(n, depth - 1)(x)

    slope = None
    if depth > 0:
        near = cases((table("bessel_i1", abs(x)), abs(x) <= 4), (value / x, True))
        slope = other(1) if order == 0 else other(0) - near if order == 1 else (other(order - 1) + other(order + 1)) / 2
    if order % 2:
        return monotone(f"besseli{order}", odd(lambda x: bessel_i(order, x)), slope)
    low = cases((bessel_i(order, lo)[0], lo >= 0), (bessel_i(order, -hi)[0], hi <= 0), (0 if order else 1, True))
    high = bessel_i(order, most(-lo, hi))[1]
    return declared(f"besseli{order}", lambda x: bessel_i(order, abs(x)), [low, high], slope)
