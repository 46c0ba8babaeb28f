"""Lambert's W and the inverse error functions, over boxes: proofs beside the formulas.
"""

from functools import cache
from typing import Any

import sympy as sp

from .pieces import cases, halves, least, monotone, most, odd, table
from .primitives import Primitive, primitive_places, primitive_value_ends


def _branch(x: Any) -> tuple[Any, Any]:
    """L = -log(-x) and q of x < 0, q^2/2 = L - 1; u = -W(x) fulfils u - log u = L."""
    size = -sp.log(-x)
    return size, sp.sqrt(2 * most(size - 1, 0))


def w0(x: Any) -> tuple[Any, Any]:
    """W_0 x, x >= -1/e. -W_0 = 1 - q + q^2/3 - ... is between 1 - q and 1 - q + q^2 for q < 2^-26."""
    _, q = _branch(x)
    above, far = (x * table("w0", x), x <= 2), (table("w0_exp", sp.log(x)), True)
    below, near = (x * table("w0_below", -x), x >= -sp.Rational(1, 4)), (-table("w0_near", q), q >= sp.Rational(1, 2**26))
    inside, positive = x >= -sp.exp(-1), x >= 0

    def half(last: Any) -> Any:
        return cases((cases(above, far), positive), (cases(below, near, (last, True)), inside))

    return half(q - 1 - q**2), half(q - 1)


def w1(x: Any) -> tuple[Any, Any]:
    """W_-1 x, -1/e <= x < 0. -W_-1 = 1 + q + q^2/3 + ... is between 1 + q and 1 + q + q^2 for q < 2^-26."""
    size, q = _branch(x)
    near, far = (-table("w1_near", q), q < 2), (-table("w1_exp", size), True)

    def half(last: Any) -> Any:
        return cases((cases((last, q < sp.Rational(1, 2**26)), near, far), sp.And(x >= -sp.exp(-1), x < 0)))

    return half(-1 - q - q**2), half(-1 - q)


@cache
def lambert(branch: int) -> Primitive:
    """W_0 rises, W_-1 falls; W' = e^-W / (1 + W), and x = W e^W, which turns at W = -1."""
    _, w = primitive_places(1)
    low, high = primitive_value_ends()
    slope = sp.exp(-w) / (1 + w)
    if branch == 0:
        a, b = most(low, -1), most(high, -1)
        return monotone("LambertW", w0, slope, inverse=(a * sp.exp(a), b * sp.exp(b)))
    a, b = least(high, -1), least(low, -1)
    return monotone("LambertW_1", w1, slope, rising=False, inverse=(a * sp.exp(a), b * sp.exp(b)))


def erfinv(x: Any) -> tuple[Any, Any]:
    """erfinv x, x >= 0; 1 - x is exact from 1/2 on."""
    found = cases((x * table("erfinv", x), x <= sp.Rational(1, 2)), (table("erfinv_below", 1 - x), True))
    return found, found


def erfcinv(x: Any) -> tuple[Any, Any]:
    inner = odd(erfinv)(1 - x)
    first = table("erfinv_below", x), x < sp.Rational(1, 2)
    return halves([first, (inner[0], True)], [first, (inner[1], True)])


@cache
def inverse_error_function() -> Primitive:
    _, y = primitive_places(1)
    return monotone("erfinv", odd(erfinv), sp.sqrt(sp.pi) / 2 * sp.exp(y**2), inverse=[sp.erf(e) for e in primitive_value_ends()])


@cache
def inverse_complement() -> Primitive:
    (_, y), (low, high) = primitive_places(1), primitive_value_ends()
    return monotone("erfcinv", erfcinv, -sp.sqrt(sp.pi) / 2 * sp.exp(y**2), rising=False, inverse=[sp.erfc(high), sp.erfc(low)])
