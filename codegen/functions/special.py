"""SymPy's special functions as those of this folder: the table of them.
"""

from collections.abc import Callable
from typing import Any

import sympy as sp

from ..operators import DefiniteIntegral
from .airy import airy
from .bessel_elliptic import complete_elliptic_e, complete_elliptic_k, modified_bessel_i, modified_bessel_k
from .exponential_integrals import (
    cosine_integral,
    exponential_integral,
    exponential_integral_1,
    fresnel,
    hyperbolic_cosine_integral,
    hyperbolic_sine_integral,
    sine_integral_range,
)
from .half_orders import half_order, is_half
from .hankel import BEYOND, bessel_j_far, bessel_j_near, bessel_y
from .hankel import LARGEST as LARGEST_HANKEL
from .incomplete_gamma import incomplete_gamma
from .inverse_functions import inverse_complement, inverse_error_function, lambert
from .zeta_functions import LARGEST as LARGEST_POLYLOG
from .zeta_functions import hurwitz, polylogarithm, zeta

MOST_ORDERS = 60
"""Beyond, K_n and I_n have formulas of too many operations."""


def _order(e: Any, least: int, most: int) -> int:
    if not (e.order.is_Integer and least <= e.order <= most):
        raise ValueError(f"the order of {type(e).__name__} must be an integer from {least} to {most}, got {e.order}")
    return int(e.order)


def _lambert(e: Any) -> Any:
    branch = e.args[1] if len(e.args) > 1 else sp.Integer(0)
    if branch not in (0, -1):
        raise ValueError(f"LambertW has real values on the branches 0 and -1 alone, got {branch}")
    return lambert(int(branch))(e.args[0])


def _expint(e: Any) -> Any:
    n = e.args[0]
    if n.is_Integer and n > 1:
        return e.expand(func=True)
    if n != 1:
        raise ValueError(f"the order of expint must be an integer from 1, got {n}")
    return exponential_integral_1()(e.args[1])


def _bessel_y(e: Any) -> Any:
    if is_half(e.order):
        return half_order(e)
    n = _order(e, -LARGEST_HANKEL, LARGEST_HANKEL)
    return bessel_y(abs(n))(e.argument) * (-1 if n < 0 and n % 2 else 1)


def _modified(e: Any, of_order: Callable[[int], Any]) -> Any:
    return half_order(e) if is_half(e.order) else of_order(abs(_order(e, -MOST_ORDERS, MOST_ORDERS)))(e.argument)


def _polylog(e: Any) -> Any:
    n, z = e.args
    if not (n.is_Integer and n <= LARGEST_POLYLOG):
        raise ValueError(f"the order of polylog must be an integer up to {LARGEST_POLYLOG}, got {n}")
    if n < 1:
        return e.expand(func=True)
    return -sp.log(1 - z) if n == 1 else polylogarithm(int(n))(z)


def _zeta(e: Any) -> Any:
    if len(e.args) == 1:
        return zeta(e.args[0])
    s, a = e.args
    if a.is_Integer and 0 < a <= MOST_ORDERS:
        return e.expand(func=True)
    if s.is_Integer and s > 1:
        return hurwitz(int(s), a)
    raise ValueError(f"zeta of two arguments needs an integer from 2 as the first or from 1 to {MOST_ORDERS} as the second, got {s}, {a}")


def _incomplete(e: Any, power: Any) -> Any:
    """The integral of (1 - m sin^2)^power."""
    s = sp.Dummy("s", real=True)
    return DefiniteIntegral((1 - e.args[1] * sp.sin(s) ** 2) ** power, s, 0, e.args[0])


SPECIAL: dict[type, Callable[[Any], Any]] = {
    sp.Ei: lambda e: exponential_integral()(*e.args), sp.expint: _expint, sp.li: lambda e: exponential_integral()(sp.log(e.args[0])),
    sp.Shi: lambda e: hyperbolic_sine_integral()(*e.args), sp.Chi: lambda e: hyperbolic_cosine_integral()(*e.args),
    sp.Ci: lambda e: cosine_integral()(*e.args),
    sp.fresnels: lambda e: fresnel(True)(*e.args), sp.fresnelc: lambda e: fresnel(False)(*e.args),
    sp.LambertW: _lambert, sp.erfinv: lambda e: inverse_error_function()(*e.args), sp.erfcinv: lambda e: inverse_complement()(*e.args),
    sp.erf2: lambda e: sp.erf(e.args[1]) - sp.erf(e.args[0]),
    sp.elliptic_k: lambda e: complete_elliptic_k()(*e.args), sp.elliptic_f: lambda e: _incomplete(e, -sp.Rational(1, 2)),
    sp.elliptic_e: lambda e: complete_elliptic_e()(*e.args) if len(e.args) == 1 else _incomplete(e, sp.Rational(1, 2)),
    sp.lowergamma: incomplete_gamma, sp.uppergamma: incomplete_gamma,
    sp.besselk: lambda e: _modified(e, modified_bessel_k), sp.besseli: lambda e: _modified(e, modified_bessel_i),
    sp.bessely: _bessel_y, sp.polylog: _polylog, sp.zeta: _zeta,
    sp.airyai: lambda e: airy("airy_ai")(*e.args), sp.airyaiprime: lambda e: airy("airy_ai_slope")(*e.args),
    sp.airybi: lambda e: airy("airy_bi")(*e.args), sp.airybiprime: lambda e: airy("airy_bi_slope")(*e.args),
}  # fmt: skip
"""The functions of SymPy, as they are here."""

# -- further forms of functions that have nodes -----------------------------------------------------------------------


def _bessel_j(e: Any) -> list[Any]:
    n, x = e.args
    if not (n.is_Integer and 0 <= n <= LARGEST_HANKEL):
        return []
    forms = [bessel_j_far(int(n))(x), _guard(x**2 - max(n, 4) ** 2), (BEYOND / x) ** 2]
    return forms if n < 2 else [*forms, bessel_j_near(int(n))(x), _guard(n**2 - x**2), (x / (n - 1)) ** 2]


def _guard(positive: Any) -> Any:
    """A formula that is defined where a number is positive. SymPy would write logarithms of negative numbers by I."""
    return sp.log(positive, evaluate=False)


def _sine_integral(e: Any) -> list[Any]:
    return [sine_integral_range()(e.args[0]), sp.Integer(1), 4 / e.args[0]]


FORMS: dict[type, Callable[[Any], list[Any]]] = {sp.besselj: _bessel_j, sp.Si: _sine_integral}
"""Second forms, tighter somewhere, each with a guard and with what is less than 1 in size where they count at points."""
