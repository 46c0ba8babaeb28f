"""SymPy's special functions as those of this folder: the table of them.
"""

from collections.abc import Callable
from typing import Any

import sympy as sp

from ..operators import DefiniteIntegral
from .bessel_elliptic import complete_elliptic_e, complete_elliptic_k, modified_bessel_i, modified_bessel_k
from .exponential_integrals import (
    cosine_integral,
    exponential_integral,
    exponential_integral_1,
    fresnel,
    hyperbolic_cosine_integral,
    hyperbolic_sine_integral,
)
from .incomplete_gamma import incomplete_gamma
from .inverse_functions import inverse_complement, inverse_error_function, lambert

MOST_ORDERS = 40
"""Beyond, K_n has formulas of too many operations."""


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
    if e.args[0] != 1:
        raise ValueError(f"the order of expint must be 1, got {e.args[0]}; for integers n > 1 call expand_func")
    return exponential_integral_1()(e.args[1])


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
    sp.besselk: lambda e: modified_bessel_k(abs(_order(e, -MOST_ORDERS, MOST_ORDERS)))(e.argument),
    sp.besseli: lambda e: modified_bessel_i(abs(_order(e, -1, 1)))(e.argument),
}  # fmt: skip
"""The functions of SymPy, as they are here."""
