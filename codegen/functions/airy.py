"""Airy functions and their derivatives, over boxes: proofs beside the formulas.

With z = 2/3 |x|^(3/2) all four are sums of products of e^(-z), e^z, cos z, sin z and four functions that go to 1 or 0 (DLMF 9.7), which
are tabled for 4 <= |x| < 1024; for |x| <= 4 the functions themselves are. Ai, Bi and Bi' are monotone for x >= 0, and so is Ai', as f'' =
x f. For x <= 0 with M^2 = Ai^2 + Bi^2 and N^2 = Ai'^2 + Bi'^2, (M^2)' > 0 and (N^2)' = x (M^2)' < 0; |x|^(1/2) M^2 < 1/pi and, for
x <= -4, N^2 < 1.01 |x|^(1/2) / pi (Watson, A treatise on the theory of Bessel functions, 13.74, for the orders 1/3 and 2/3).
"""

from functools import cache
from typing import Any

import sympy as sp

from .pieces import cases, curved, declared, halves, joined, least, most, table
from .primitives import Primitive, primitive_ends, primitive_places

NEAR, FAR = 4, 1024
# u_1 to u_4 and v_1 to v_4 of DLMF 9.7.2.
_VALUES = [sp.Rational(5, 72), sp.Rational(385, 10368), sp.Rational(85085, 2239488), sp.Rational(37182145, 644972544)]
_SLOPES = [-sp.Rational(7, 72), -sp.Rational(455, 10368), -sp.Rational(95095, 2239488), -sp.Rational(40415375, 644972544)]


def _right(x: Any, name: str) -> tuple[Any, Any]:
    """One of the four for x >= 0. From 1024 on Ai and -Ai' are below e^-x, and Bi and Bi', which rise, beyond the doubles."""
    growing, slope = name.startswith("airy_bi"), name.endswith("slope")
    z, root = 2 * x * sp.sqrt(x) / 3, sp.sqrt(sp.sqrt(x))
    factor = (root if slope else 1 / root) / sp.sqrt(sp.pi) * (sp.exp(z) if growing else sp.exp(-z) / 2)
    sign = -1 if slope and not growing else 1
    near, middle = (table(name, x), x <= NEAR), (sign * factor * table(f"{name}_scaled", x), x < FAR)
    if growing:
        return halves([near, middle, (sp.exp(x), True)], [near, middle, (sp.exp(z), True)])
    small = sp.exp(-x)
    return halves([near, middle, (-small if slope else sp.Integer(0), True)], [near, middle, (sp.Integer(0) if slope else small, True)])


def _left(x: Any, name: str) -> tuple[Any, Any]:
    """One of the four for x <= 0 (DLMF 9.7.9 to 9.7.12; what is left out is less than the next term)."""
    growing, slope = name.startswith("airy_bi"), name.endswith("slope")
    y = -x
    z, root = 2 * y * sp.sqrt(y) / 3, sp.sqrt(sp.sqrt(y))
    total, rest = sp.cos(z) + sp.sin(z), sp.sin(z) - sp.cos(z)
    a, b = (rest, -total) if slope else (total, rest)
    if growing:
        a, b = (total, rest) if slope else (-rest, total)
    factor = (root if slope else 1 / root) / sp.sqrt(2 * sp.pi)
    middle = factor * (a * table("airy_r" if slope else "airy_p", y) + b * table("airy_s" if slope else "airy_q", y))
    c = _SLOPES if slope else _VALUES
    far, off = factor * (a * (1 - c[1] / z**2) + b * c[0] / z), factor * 2 * (abs(c[2]) / z**3 + abs(c[3]) / z**4)
    first = (table(name, x), x >= -NEAR), (middle, x > -FAR)
    return halves([*first, (far - off, True)], [*first, (far + off, True)])


def _both(x: Any, name: str) -> tuple[Any, Any]:
    right, left = _right(x, name), _left(x, name)
    return halves([(right[0], x >= 0), (left[0], True)], [(right[1], x >= 0), (left[1], True)])


def _modulus(x: Any) -> Any:
    """More than M at x <= 0; M(0) = 0.71004..."""
    return least(sp.Rational(711, 1000), 1 / (sp.sqrt(sp.pi) * sp.sqrt(sp.sqrt(-x))))


def _steepness(x: Any) -> Any:
    """More than N at x <= 0."""
    return most(sp.Rational(811, 1000), sp.Rational(1005, 1000) / sp.sqrt(sp.pi) * sp.sqrt(sp.sqrt(-x)))


@cache
def airy(name: str, depth: int = 2) -> Primitive:
    """``airy_ai``, ``airy_ai_slope``, ``airy_bi`` or ``airy_bi_slope``."""
    (lo, hi), (x, _) = primitive_ends(1), primitive_places(1)
    slope = name.endswith("slope")
    a, b = least(lo, 0), least(hi, 0)
    large, steep = cases((_modulus(b), b < 0), (sp.Rational(711, 1000), True)), _steepness(a)
    other = name.removesuffix("_slope") if slope else f"{name}_slope"

    def change(x: Any) -> tuple[Any, Any]:
        low, high = _left(x, other)
        return (x * high, x * low) if slope else (low, high)

    left = curved(lambda x: _left(x, name), change, steep if slope else large, large - a * (steep if slope else large), a, b)
    ends = [_right(most(e, 0), name) for e in (lo, hi)]
    right = (ends[1][0], ends[0][1]) if name == "airy_ai" else (ends[0][0], ends[1][1])
    after = None if depth == 0 else airy(other, depth - 1)(x) * (x if slope else 1)
    return declared(name, lambda x: _both(x, name), joined(left, right, lo, hi, 0), after)
