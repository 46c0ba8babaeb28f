"""Zeta function of a variable, and polylogarithms of integer orders, over boxes: proofs beside the formulas."""

from functools import cache
from typing import Any

import sympy as sp

from .pieces import cases, declared, halves, least, monotone, most, table
from .primitives import Primitive, primitive_ends, primitive_places

FAR, LARGEST = 16, 20
"""From where on zeta is a sum of a few powers; the largest order of polylogarithms."""
_POWERS, _TERMS, _LOGARITHMS = 14, 56, 24


def _powers(s: Any, slope: bool) -> tuple[Any, Any]:
    """zeta(s) - 1, or zeta'(s), for s >= 16: the sum from 2 to N and what is left out, at most that of (N + 1)^-s, times log (N + 1),
    and the integral from there on, which is less than (N + 1) (N + 1)^-s, times log (N + 1).
    """
    total, last = sp.Integer(0), sp.Integer(_POWERS + 1)
    for k in range(2, _POWERS + 1):
        total += sp.Integer(k) ** -s * (sp.log(k) if slope else 1)
    rest = (last + 1) * last**-s * (sp.log(last) if slope else 1)
    return (-total - rest, -total) if slope else (total, total + rest)


def _zeta(s: Any) -> tuple[Any, Any]:
    """zeta(s), s >= 0."""
    near, far = (table("zeta", s) / (s - 1), s <= FAR), _powers(s, False)
    return halves([near, (1 + far[0], True)], [near, (1 + far[1], True)])


@cache
def zeta_right() -> Primitive:
    """zeta of s >= 0: it falls on both sides of its pole at 1 (see `zeta_slope`). zeta' = (((s - 1) zeta)' - zeta) / (s - 1)."""
    (lo, hi), (s, _) = primitive_ends(1), primitive_places(1)
    low = cases((_zeta(hi)[0], sp.Or(lo > 1, hi < 1)))
    high = cases((_zeta(lo)[1], sp.Or(lo > 1, hi < 1)))
    return declared("zeta", _zeta, [low, high], zeta_slope()(s))


@cache
def zeta_slope() -> Primitive:
    """zeta', which rises for s > 1, and falls for 0 <= s < 1. For s > 1 the series sum k^-s log(k)^2 of zeta'' has no negative term. For
    0 <= s < 1, zeta'' is 2/(s - 1)^3 <= -2 and the sum over n >= 2 of terms whose sizes are at most |gamma_n|/(n - 2)!, with Stieltjes'
    constants |gamma_n| <= 4 (n - 1)!/pi^n (Berndt 1972): less than 4/(pi - 1)^2 < 1 in all. So zeta falls there, too: zeta'(0) is
    -log(2 pi)/2 < 0. Where a box is on no side of 1 there is no bound.
    """
    (lo, hi), _ = primitive_ends(1), primitive_places(1)

    def both(s: Any) -> tuple[Any, Any]:
        near, far = ((table("zeta_slope", s) - table("zeta", s) / (s - 1)) / (s - 1), s <= FAR), _powers(s, True)
        return halves([near, (far[0], True)], [near, (far[1], True)])

    low = cases((both(lo)[0], lo > 1), (both(hi)[0], hi < 1))
    high = cases((both(hi)[1], lo > 1), (both(lo)[1], hi < 1))
    return declared("zeta_slope", both, [low, high])


@cache
def _pole_free() -> Primitive:
    """(s - 1) zeta(s), 0 <= s <= 16, which rises; its derivative is zeta + (s - 1) zeta'."""
    s, _ = primitive_places(1)
    return monotone("pole_free_zeta", lambda s: (table("zeta", s),) * 2, zeta_right()(s) + (s - 1) * zeta_slope()(s))


def zeta(s: Any) -> Any:
    """zeta by its functional equation where s < 0 (DLMF 25.4.1); sin(pi s/2) by s less an even number, so that its zeros are kept. From -1
    on the pole of zeta(1 - s) at 0 is taken together with the zero of the sine: sin(pi s/2) zeta(1 - s) is -sinc(pi s/2) pi/2 times
    (t - 1) zeta(t) at t = 1 - s.
    """
    near = -(2**s) * sp.pi**s * sp.sinc(sp.pi * s / 2) * sp.gamma(1 - s) * _pole_free()(1 - s) / 2
    left = least(s, -1)
    turns = sp.floor(left / 4 + sp.Rational(1, 2))
    wave = sp.sin(sp.pi / 2 * (left - 4 * turns))
    below = 2**left * sp.pi ** (left - 1) * wave * sp.gamma(1 - left) * zeta_right()(1 - left)
    return cases((zeta_right()(most(s, 0)), s >= 0), (near, s > -1), (below, True))


# -- polylogarithms -----------------------------------------------------------------------------------------------


def _quotient(n: int, z: Any) -> tuple[Any, Any]:
    """Li_n(z)/z for |z| <= 1/2: sum z^k / (k + 1)^n; what is left out is at most 2 |z|^N / (N + 1)^n."""
    total = sp.Integer(0)
    for k in range(_TERMS - 1, -1, -1):
        total = total * z + sp.Rational(1, (k + 1) ** n)
    rest = 2 * abs(z) ** _TERMS / sp.Integer(_TERMS + 1) ** n
    return total - rest, total + rest


def _near_one(n: int, z: Any) -> tuple[Any, Any]:
    """Li_n(e^m), 1/2 <= z = e^m <= 1: sum zeta(n - k) m^k / k! without k = n - 1, and m^(n-1)/(n-1)! (H_(n-1) - log(-m)) (DLMF 25.12.12).
    |zeta(1 - j)| / (j - 1)! <= 4 (2 pi)^-j, so what is left out is less than 4 (|m| / 2 pi)^N for |m| < 1.
    """
    m = sp.log(z)
    total = sp.Integer(0)
    for k in range(n + _LOGARITHMS - 1, -1, -1):
        total = total * m + (0 if k == n - 1 else sp.zeta(n - k) / sp.factorial(k))
    # -m log(-m) is an entropy, which goes on at m = 0.
    total += (m ** (n - 1) * sp.harmonic(n - 1) + m ** (n - 2) * (-m) * sp.log(-m)) / sp.factorial(n - 1)
    value = cases((sp.zeta(n), z >= 1), (total, True))
    rest = 4 * (-m / 6) ** (n + _LOGARITHMS)
    return value - rest, value + rest


def polylogarithm_ends(n: int, z: Any) -> tuple[Any, Any]:
    """Li_n(z) for z <= 1; below -1/2 by that of z^2, and below -1 by that of 1/z (DLMF 25.12.4, 25.13.3)."""
    half = sp.Rational(1, 2)

    def small(z: Any) -> tuple[Any, Any]:
        low, high = _quotient(n, z)
        return halves([(z * low, z >= 0), (z * high, True)], [(z * high, z >= 0), (z * low, True)])

    def negative(y: Any) -> tuple[Any, Any]:
        """Bounds at -y, for 0 <= y <= 1."""
        near, own, square = small(-y), _near_one(n, y), polylogarithm_positive(n, y**2)
        far = [square[k] * sp.Integer(2) ** (1 - n) - own[1 - k] for k in range(2)]
        return halves([(near[0], y <= half), (far[0], True)], [(near[1], y <= half), (far[1], True)])

    def beyond(y: Any) -> tuple[Any, Any]:
        """Bounds at -y, for y >= 1: -(-1)^n Li_n(-1/y) - 2 sum eta(2 k) log(y)^(n - 2 k) / (n - 2 k)!."""
        etas = [half, *((1 - sp.Integer(2) ** (1 - 2 * k)) * sp.zeta(2 * k) for k in range(1, n // 2 + 1))]
        total = 2 * sum(e * sp.log(y) ** (n - 2 * k) / sp.factorial(n - 2 * k) for k, e in enumerate(etas))
        low, high = negative(1 / y)
        return (-high - total, -low - total) if n % 2 == 0 else (low - total, high - total)

    right, left, far = polylogarithm_positive(n, z), negative(-z), beyond(-z)
    return halves(*([(right[k], sp.And(z >= 0, z <= 1)), (left[k], sp.And(z >= -1, z < 0)), (far[k], z < -1)] for k in range(2)))


def polylogarithm_positive(n: int, z: Any) -> tuple[Any, Any]:
    near, far = _quotient(n, z), _near_one(n, z)
    return halves(*([(z * near[k], z <= sp.Rational(1, 2)), (far[k], True)] for k in range(2)))


@cache
def polylogarithm(n: int) -> Primitive:
    """Li_n rises up to 1; Li_n' = Li_(n-1)(x)/x."""
    x, _ = primitive_places(1)
    return monotone(f"polylog{n}", lambda x: polylogarithm_ends(n, x), _slope(n - 1)(x))


@cache
def _slope(n: int) -> Primitive:
    """Li_n(x)/x, which rises, too: int t^(n-1) / (e^t - x) / (n - 1)! (DLMF 25.12.11)."""
    small = sp.Rational(1, 2)

    def both(x: Any) -> tuple[Any, Any]:
        near, far = _quotient(n, x), polylogarithm_ends(n, x) if n > 1 else (-sp.log(1 - x),) * 2
        right = [(near[0], abs(x) <= small), (cases((far[0] / x, x > 0), (far[1] / x, True)), True)]
        return halves(right, [(near[1], abs(x) <= small), (cases((far[1] / x, x > 0), (far[0] / x, True)), True)])

    return monotone(f"polylog{n}_slope", both)


def hurwitz(order: int, a: Any) -> Any:
    """zeta(m, a) for an integer m > 1, a polygamma function (DLMF 25.11.12)."""
    return sp.Integer(-1) ** order * sp.polygamma(order - 1, a) / sp.factorial(order - 1)
