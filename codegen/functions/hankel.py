"""Bessel functions Y_n, and J_n of large and of small arguments, over boxes: proofs beside the formulas.

From 4 on J_0, J_1, Y_0 and Y_1 are sums of cos x and sin x times P and Q (DLMF 10.17), which are tabled up to 1024; beyond, what is left
out of their series is less than the next term, and has its sign (10.17.iii). Others follow by recurrence (10.6.1). M^2 = J^2 + Y^2 falls
with x and rises with the order, by Nicholson's integral (10.9.30). So for x >= n |f| <= M, |f'| = |f_(n-1) - (n/x) f_n| <= 2 M, and |f''|
<= M (1 + 2/x), by Bessel's equation. For n = 0 and x >= 2 that holds, too: |f_0'| = |f_1| <= M_1, and M_1^2 <= 1.2 M_0^2, as x M_1^2 falls
from 0.69 at 2, and x M_0^2 rises from 0.62 (Watson, 13.74).
"""

from functools import cache
from typing import Any

import sympy as sp

from . import _Function
from .pieces import Hull, ThreeTerm, cases, curved, declared, joined, least, most, table
from .primitives import Primitive, primitive_ends, primitive_places

NEAR, FAR = 4, 1024
LARGEST = 60
"""The largest order: recurrences of larger ones have too many operations."""
BEYOND = 62
"""From here on `bessel_j_far` is better than the table of J_n."""
_TERMS = 14
Both = tuple[Any, Any]


class TabledBesselJ(_Function):
    """``TabledBesselJ(n, x)`` is J_n(x) as `codegen.emit.elementary.tabulated` bounds it."""

    def _eval_is_real(self) -> bool | None:
        return True if self.args[1].is_real else None


def _coefficient(n: int, k: int) -> Any:
    """a_k of DLMF 10.17.1."""
    return sp.prod([4 * n**2 - (2 * j - 1) ** 2 for j in range(1, k + 1)]) / (sp.factorial(k) * sp.Integer(8) ** k)


def _parts(n: int, x: Any) -> tuple[Any, Any, Any]:
    """P and Q of the order 0 or 1, and what they may be off by."""
    p = cases((table(f"hankel_p{n}", x), x < FAR), (1 - _coefficient(n, 2) / x**2, True))
    q = cases((table(f"hankel_q{n}", x), x < FAR), (_coefficient(n, 1) / x - _coefficient(n, 3) / x**3, True))
    off = cases((sp.Integer(0), x < FAR), (abs(_coefficient(n, 4)) / x**4 + abs(_coefficient(n, 5)) / x**5, True))
    return p, q, off


def _first(n: int, x: Any, second: bool) -> Any:
    """J_n or Y_n, n = 0 or 1, x >= 4."""
    p, q, off = _parts(n, x)
    total, rest = sp.cos(x) + sp.sin(x), sp.sin(x) - sp.cos(x)
    a, b = ((total, -rest), (rest, total))[(n + second) % 2]
    if n and second:
        a, b = -total, rest
    return (a * p + b * q + Hull(0, Hull(-2 * off, 2 * off))) / sp.sqrt(sp.pi * x)


def _j(n: int, x: Any) -> Any:
    """J_n, x >= 4."""
    found = ThreeTerm(1, -1, abs(n), x, _first(0, x, False), _first(1, x, False))
    return -found if n < 0 and n % 2 else found


def _y(n: int, x: Any) -> Any:
    """Y_n, x > 0; below 4 by its logarithm and what is left (DLMF 10.8.1)."""
    ends = []
    for k, rest in enumerate((table("bessel_y0", x), x * table("bessel_y1", x) - 1 / x)):
        near = 2 / sp.pi * ((sp.log(x / 2) + sp.EulerGamma) * TabledBesselJ(k, x) + rest)
        ends.append(cases((near, x <= NEAR), (_first(k, x, True), True)))
    found = ThreeTerm(1, -1, abs(n), x, *ends)
    return -found if n < 0 and n % 2 else found


def _twice(f: Any) -> Both:
    """An enclosure as both bounds."""
    return f, f


def _slope(f: Any, n: int, x: Any) -> Both:
    """f_n' = f_(n-1) - (n/x) f_n."""
    return _twice(f(n - 1, x) - n / x * f(n, x))


@cache
def bessel_y(order: int, depth: int = 2) -> Primitive:
    """Y_n for x > 0. It rises up to its first extreme, which is beyond n, and beyond 2."""
    (lo, hi), (x, value), least_at = primitive_ends(1), primitive_places(1), max(order, 2)
    a, b = most(lo, least_at), most(hi, least_at)
    size = sp.sqrt(_y(order, a) ** 2 + _j_anywhere(order, a) ** 2)
    right = curved(lambda x: _twice(_y(order, x)), lambda x: _slope(_y, order, x), size, size * (1 + 2 / a), a, b)
    left = _y(order, least(lo, least_at)), _y(order, least(hi, least_at))
    return declared(f"bessely{order}", lambda x: _twice(_y(order, x)), joined(left, right, lo, hi, least_at),
                    _derivative(bessel_y, order, x, value, depth))


def _derivative(kind: Any, order: int, x: Any, value: Any, depth: int) -> Any:
    if depth == 0:
        return None
    return -kind(1, depth - 1)(x) if order == 0 else kind(order - 1, depth - 1)(x) - order / x * value


def _j_anywhere(n: int, x: Any) -> Any:
    return cases((TabledBesselJ(n, x), x <= BEYOND), (_j(n, x), True))


@cache
def bessel_j_far(order: int, depth: int = 2) -> Primitive:
    """J_n for |x| >= max(n, 4)."""
    (lo, hi), (x, value), first = primitive_ends(1), primitive_places(1), max(order, NEAR)

    def over(a: Any, b: Any) -> Both:
        start = most(a, first)
        size = sp.sqrt(_j(order, start) ** 2 + _y(order, start) ** 2)
        return curved(lambda x: _twice(_j(order, x)), lambda x: _slope(_j, order, x), size, size * (1 + 2 / start), start, most(b, first))

    right, left = over(lo, hi), over(-hi, -lo)
    if order % 2:
        left = -left[1], -left[0]
    point, mirrored = _j(order, abs(x)), -1 if order % 2 else 1
    bounds = [cases((right[k], lo >= first), (left[k], hi <= -first)) for k in range(2)]
    points = cases((point, x >= first), (mirrored * point, x <= -first))
    return declared(f"besselj{order}", lambda x: (points, points), bounds, _derivative(bessel_j_far, order, x, value, depth))


def _series(n: int, x: Any) -> Any:
    """J_n of |x| <= n: (x/2)^n / n! sum (-y)^k / (k! (n+1)_k), y = x^2/4, of which so many terms are taken that the next ones fall."""
    y, total = (x / 2) ** 2, Hull(1, 0)
    for k in range(_TERMS + n, 0, -1):
        total = 1 - y / (k * (n + k)) * total
    return (x / 2) ** n / sp.factorial(n) * total


@cache
def bessel_j_near(order: int, depth: int = 2) -> Primitive:
    """J_n for |x| <= n; it rises for 0 < x < (n (n + 2))^(1/2) (Watson, 15.3)."""
    (lo, hi), (x, _) = primitive_ends(1), primitive_places(1)
    inside = sp.And(lo >= -order, hi <= order)
    if order % 2:
        bounds = _series(order, lo), _series(order, hi)
    else:
        a, b = _series(order, lo), _series(order, hi)
        bounds = cases((a, lo >= 0), (b, hi <= 0), (0, True)), most(a, b)
    slope = None
    if depth > 0 and order > 1:
        # J_n' = (J_(n-1) - J_(n+1)) / 2 knows its value at 0; J_(n-1) is known for |x| <= n - 1.
        slope = (bessel_j_near(order - 1, depth - 1)(x) - bessel_j_near(order + 1, depth - 1)(x)) / 2
    point = cases((_series(order, x), sp.And(x >= -order, x <= order)))
    return declared(f"besselj{order}", lambda x: _twice(point), [cases((e, inside)) for e in bounds], slope)
