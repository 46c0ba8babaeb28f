"""Incomplete gamma functions of x >= 0 and a number s > 0, over boxes: proofs beside the formulas."""

from functools import cache
from typing import Any

import sympy as sp

from .pieces import cases, halves, monotone, most
from .primitives import Primitive, primitive_places

LARGEST = 20
"""The largest s; beyond, the series below need more terms."""
_TERMS, _FAR = 90, 40


def _series(s: Any, x: Any) -> tuple[Any, Any]:
    """gamma(s, x) = x^s e^-x / s (1 + x/(s + 1) (1 + x/(s + 2) (...))) (DLMF 8.7.1), x <= 40: the last factor is between 1 and
    1 / (1 - x / (s + N + 1)).
    """
    found = []
    for last in (sp.Integer(1), 1 / (1 - x / (s + _TERMS + 1))):
        total = last
        for k in range(_TERMS, 0, -1):
            total = 1 + x / (s + k) * total
        found.append(x**s * sp.exp(-x) / s * total)
    return found[0], found[1]


def _tail(s: Any, x: Any) -> tuple[Any, Any]:
    """Gamma(s, x), x >= 40: from n >= s - 1 terms on what is left out is less than the next one (DLMF 8.11.i)."""
    total, term = sp.Integer(0), sp.Integer(1)
    for k in range(1, 22):
        total, term = total + term / x ** (k - 1), term * (s - k)
    rest, size = abs(term) / x**21, x ** (s - 1) * sp.exp(-x)
    return size * (total - rest), size * (total + rest)


def lower(s: Any, x: Any) -> tuple[Any, Any]:
    near, far, whole = _series(s, x), _tail(s, x), sp.gamma(s)
    return halves([(near[0], x <= _FAR), (whole - far[1], True)], [(near[1], x <= _FAR), (whole - far[0], True)])


def upper(s: Any, x: Any) -> tuple[Any, Any]:
    near, far, whole = _series(s, x), _tail(s, x), sp.gamma(s)
    return halves([(most(whole - near[1], 0), x <= _FAR), (far[0], True)], [(whole - near[0], x <= _FAR), (far[1], True)])


@cache
def _declared(s: Any, below: bool, smooth: bool) -> Primitive:
    x, _ = primitive_places(1)
    slope = x ** (s - 1) * sp.exp(-x)
    both = lower if below else upper

    name = "lowergamma" if below else "uppergamma"
    return monotone(name, lambda x: both(s, x), (slope if below else -slope) if smooth else None, rising=below, level=2)


def incomplete_gamma(e: Any) -> Any:
    """lowergamma or uppergamma of SymPy: differentiable for x > 0, and continuous at 0. A box that touches 0 leaves undecided which of the
    two is meant, so its level is 1.
    """
    s, x = e.args
    if not (s.is_number and s.is_real and s > 0 and s <= LARGEST):
        raise ValueError(f"the first argument of {type(e).__name__} must be a number from 0 to {LARGEST}, got {s}")
    below = isinstance(e, sp.lowergamma)
    return cases((_declared(s, below, True)(x), x > 0), (_declared(s, below, False)(x), True))
