"""Bessel functions whose order is half of an odd integer, which are elementary."""

from typing import Any

import sympy as sp

from . import SphericalBesselQuotient

MOST = 20
"""The largest order: sums of larger ones have too many operations."""


def is_half(order: Any) -> bool:
    """Whether an order is half of an odd integer."""
    return bool(order.is_Rational and order.q == 2)


def half_order(e: Any) -> Any:
    """J, Y, I or K of such an order, by elementary functions; ValueError for large orders."""
    n = int(abs(e.order) - sp.Rational(1, 2))
    if n > MOST:
        raise ValueError(f"orders of {type(e).__name__} that are no integers must be halves up to {MOST}, got {e.order}")
    return _FORMS[type(e)](n, e.order < 0, e)


def _first(n: int, x: Any) -> Any:
    """J_(n + 1/2), by DLMF 10.47.3."""
    return sp.sqrt(2 / sp.pi) * x**n * sp.sqrt(x) * SphericalBesselQuotient(n, x)


def _second(n: int, x: Any) -> Any:
    """Y_(n + 1/2), by DLMF 10.47.4."""
    return sp.sqrt(2 / sp.pi) * sp.sqrt(x) * sp.yn(n, x)


def _j(n: int, negative: bool, e: Any) -> Any:
    return sp.Integer(-1) ** (n + 1) * _second(n, e.argument) if negative else _first(n, e.argument)


def _y(n: int, negative: bool, e: Any) -> Any:
    return sp.Integer(-1) ** n * _first(n, e.argument) if negative else _second(n, e.argument)


def _k(n: int, negative: bool, e: Any) -> Any:
    """K_(n + 1/2), a sum of positive terms (DLMF 10.47.9 and 10.49.12)."""
    return sp.sqrt(sp.pi / 2) / sp.sqrt(e.argument) * sp.exp(-e.argument) * _asymptotic(n, e.argument)


def _i(n: int, negative: bool, e: Any) -> Any:
    """I_(n + 1/2) and I_(-n - 1/2), by DLMF 10.47.7 to 8, and 10.49.8 to 11."""
    x, sign = e.argument, sp.Integer(-1) ** (n if negative else n + 1)
    return (sp.exp(x) * _asymptotic(n, -x) + sign * sp.exp(-x) * _asymptotic(n, x)) / sp.sqrt(2 * sp.pi) / sp.sqrt(x)


def _asymptotic(n: int, x: Any) -> Any:
    """The sum of a_k(n + 1/2) / x^k (DLMF 10.49.1), which ends."""
    return sp.Add(*(sp.factorial(n + k) / (sp.factorial(k) * sp.factorial(n - k)) / (2 * x) ** k for k in range(n + 1)))


_FORMS = {sp.besselj: _j, sp.bessely: _y, sp.besselk: _k, sp.besseli: _i}
