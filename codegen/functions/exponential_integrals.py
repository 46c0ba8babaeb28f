"""Exponential, sine, cosine and Fresnel integrals, over boxes: proofs beside the formulas.
"""

from functools import cache
from typing import Any

import sympy as sp

from .pieces import TabledSine, cases, declared, halves, monotone, most, odd, odd_swinging, swinging, table
from .primitives import Primitive, primitive_ends, primitive_places

GAMMA = sp.EulerGamma


# -- exponential integrals ------------------------------------------------------------------------------------------


def e1(x: Any) -> tuple[Any, Any]:
    """E_1 x, x > 0. From 1024 on x e^x E_1(x) is between 1 - 1/x and 1 (DLMF 6.12.1, whose terms alternate)."""
    near, middle = (-sp.log(x) - GAMMA + x * table("ein", x), x <= 1), (sp.exp(-x) / x * table("e1_scaled", x), x < 1024)
    return halves([near, middle, (sp.exp(-x) / x * (1 - 1 / x), True)], [near, middle, (sp.exp(-x) / x, True)])


def ei(x: Any) -> tuple[Any, Any]:
    """Ei x, x > 0. From 1024 on it is beyond the doubles; x e^-x Ei(x) is greater than 1, and less than 1 + 2/x."""
    near, middle = (sp.log(x) + GAMMA + x * table("ein_minus", x), x < 4), (sp.exp(x) / x * table("ei_scaled", x), x < 1024)
    return halves([near, middle, (sp.exp(x) / x, True)], [near, middle, (sp.exp(x) / x * (1 + 2 / x), True)])


@cache
def exponential_integral_1() -> Primitive:
    x, _ = primitive_places(1)
    return monotone("E1", e1, -sp.exp(-x) / x, rising=False)


@cache
def exponential_integral() -> Primitive:
    """Ei falls for x < 0, where it is -E_1(-x), and rises for x > 0; at 0 it has a pole."""
    def both(x: Any) -> tuple[Any, Any]:
        return halves([(ei(x)[0], x > 0), (-e1(-x)[1], True)], [(ei(x)[1], x > 0), (-e1(-x)[0], True)])

    (lo, hi), (x, _) = primitive_ends(1), primitive_places(1)
    low = cases((ei(lo)[0], lo >= 0), (-e1(-hi)[1], hi <= 0))
    high = cases((ei(hi)[1], lo >= 0), (-e1(-lo)[0], hi <= 0), (most(ei(hi)[1], -e1(-lo)[0]), True))
    return declared("Ei", both, [low, high], sp.exp(x) / x)



# -- sines and cosines ----------------------------------------------------------------------------------------------


def shi(x: Any) -> tuple[Any, Any]:
    """Shi x, x >= 0: half of Ei(x) + E_1(x) from 4 on."""
    near = x * table("shi", x), x <= 4
    return halves([near, ((ei(x)[0] + e1(x)[0]) / 2, True)], [near, ((ei(x)[1] + e1(x)[1]) / 2, True)])


def chi(x: Any) -> tuple[Any, Any]:
    """Chi x, x > 0."""
    near = sp.log(x) + GAMMA + x**2 * table("chi", x), x <= 4
    return halves([near, ((ei(x)[0] - e1(x)[1]) / 2, True)], [near, ((ei(x)[1] - e1(x)[0]) / 2, True)])


def ci(x: Any) -> tuple[Any, Any]:
    """Ci x = f sin x - g cos x, x > 0 (DLMF 6.2.19). The terms of f and g alternate, and the rest is less than the next one (6.12.ii)."""
    near = sp.log(x) + GAMMA + x**2 * table("ci", x), x <= 4
    middle = table("ci_cos", x) * sp.sin(x) / x - table("ci_sin", x) * sp.cos(x) / x**2, x < 256
    f, g = (sum((-1) ** k * sp.factorial(2 * k + j) / x ** (2 * k) for k in range(5)) for j in range(2))
    far, rest = f * sp.sin(x) / x - g * sp.cos(x) / x**2, sp.factorial(10) / x**11 + sp.factorial(11) / x**12
    return halves([near, middle, (far - rest, True)], [near, middle, (far + rest, True)])


@cache
def hyperbolic_sine_integral() -> Primitive:
    x, _ = primitive_places(1)
    return monotone("Shi", odd(shi), sp.sinh(x) / x)


@cache
def hyperbolic_cosine_integral() -> Primitive:
    x, _ = primitive_places(1)
    return monotone("Chi", chi, sp.cosh(x) / x)


@cache
def cosine_integral() -> Primitive:
    """Extremes at (k + 1/2) pi, of sizes f that fall, with signs that alternate."""
    (lo, hi), (x, _) = primitive_ends(1), primitive_places(1)
    bounds = swinging(ci, lo, hi, lambda k: (k + sp.Rational(1, 2)) * sp.pi, sp.floor(lo / sp.pi + sp.Rational(1, 2)))
    return declared("Ci", ci, bounds, sp.cos(x) / x)


def _odd_factorial(n: int) -> Any:
    return sp.factorial2(n) if n > 0 else sp.Integer(1)


def _fresnel(x: Any, near: Any, sine: bool) -> tuple[Any, Any]:
    """S or C of x >= 0: 1/2 - f cos - g sin, or 1/2 + f sin - g cos, of pi x^2 / 2 (DLMF 7.5.3, 7.5.4); f and g as for Ci (7.12.ii)."""
    angle, w = sp.pi * x**2 / 2, sp.pi * x**2
    a, b = (sp.cos(angle), sp.sin(angle)) if sine else (-sp.sin(angle), sp.cos(angle))
    one, other = a / (sp.pi * x), b / (sp.pi**2 * x**3)
    middle = sp.Rational(1, 2) - table("fresnel_f", x) * one - table("fresnel_g", x) * other
    f, g = (sum((-1) ** k * _odd_factorial(4 * k + j) / w ** (2 * k) for k in range(4)) for j in (-1, 1))
    rest = _odd_factorial(15) / w**8 / x + _odd_factorial(17) / w**8 / x**3
    far = sp.Rational(1, 2) - f * one - g * other
    first = near, x <= sp.Rational(3, 2)
    return halves([first, (middle, x < 16), (far - rest, True)], [first, (middle, x < 16), (far + rest, True)])


def fresnel(sine: bool) -> Primitive:
    """Odd; extremes of S at the roots of 2 k, k = 1, 2, ..., of C at those of 2 k + 1, ever nearer to 1/2, on both sides of it in turn."""
    return _fresnel_s() if sine else _fresnel_c()


def _fresnel_made(sine: bool) -> Primitive:
    def positive(x: Any) -> tuple[Any, Any]:
        return _fresnel(x, x**3 * table("fresnel_s", x) if sine else x * table("fresnel_c", x), sine)

    shift = 0 if sine else 1
    return odd_swinging("fresnels" if sine else "fresnelc", positive, lambda k: sp.sqrt(2 * k + shift),
                        lambda a: most(sp.ceiling((a**2 - shift) / 2), 1 - shift), lambda x: (sp.sin if sine else sp.cos)(sp.pi * x**2 / 2))


@cache
def _fresnel_s() -> Primitive:
    return _fresnel_made(True)


@cache
def _fresnel_c() -> Primitive:
    return _fresnel_made(False)


@cache
def sine_integral_range() -> Primitive:
    """Si, odd; extremes at k pi, k = 1, 2, ..., ever nearer to pi/2, on both sides of it in turn. Si x = pi/2 - f cos x - g sin x."""
    def positive(x: Any) -> tuple[Any, Any]:
        near = TabledSine(x), x <= 4
        middle = sp.pi / 2 - table("ci_cos", x) * sp.cos(x) / x - table("ci_sin", x) * sp.sin(x) / x**2, x < 256
        f, g = (sum((-1) ** k * sp.factorial(2 * k + j) / x ** (2 * k) for k in range(5)) for j in range(2))
        far, rest = sp.pi / 2 - f * sp.cos(x) / x - g * sp.sin(x) / x**2, sp.factorial(10) / x**11 + sp.factorial(11) / x**12
        return halves([near, middle, (far - rest, True)], [near, middle, (far + rest, True)])

    return odd_swinging("Si", positive, lambda k: k * sp.pi, lambda a: most(sp.ceiling(a / sp.pi), 1), sp.sinc)
