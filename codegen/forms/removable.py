"""Quotients whose parts vanish together: sin(x)/x, (1 - cos x)/x^2, (e^x - 1 - x)/x^2, sin(pi x)/(x - 1), clip(x)/x.

Let N and D be functions of s that vanish at s = c, D with order m, which exact values of their Taylor coefficients n_k, d_k prove. With
h = s - c, Taylor's theorem with its remainder as an integral (Apostol 1967, Section 7.7) gives, for every K >= m,

    N / h^m = n_m + n_(m+1) h + ... + h^(K-m) E[n_K(c + t h)],

where E is the mean over t in [0, 1] with the density K (1 - t)^(K-1), and so of D. The mean lies in the range of n_K over H = c + [0, 1] h,
since ranges are intervals; so the quotient of the two right-hand sides, with t = [0, 1], encloses N / D, at c too, where the limit is
n_m / d_m. Its derivatives by automatic differentiation are those of the means: t is a number that does not depend on s.

Two such forms are taken beside the quotient (`either`): K = m, which holds where N and D are Lipschitz continuous on H (level 2; m = 1),
and a longer one, which holds where they are analytic (level 3). At points the second one, with the mean of t, is taken near c.

At c itself a bare quotient is undefined, as it is in SymPy: its bounds are those of the values elsewhere, and its level there is 0. A
Piecewise that gives it the limit as its value there is the whole function, at level 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from weakref import WeakKeyDictionary

import sympy as sp

from ..graph.autodiff import RULES
from ..graph.expr import Expr, ExprPool, natural, reachable, substitute
from ..graph.taylor import taylor
from ..graph.vanishing import candidates, linear
from .exact_values import exact_value, exact_values, is_zero

# A pair of parts with more operations is left as it is; beyond the second number the longer form does not pay.
_MOST, _LONG = 200, 60
# The highest order of a common zero, and the terms of the longer form.
_HIGHEST, _TERMS = 6, 6
# Operations that are not analytic: of these only the shorter form is taken.
_KINKS = frozenset({"abs", "min", "max", "sign", "heaviside", "floor", "ceiling", "where", "restricted", "choice", "either"})
_LEAF = -1

_limits: WeakKeyDictionary[ExprPool, dict[int, tuple[Expr, Any]]] = WeakKeyDictionary()
"""The conditions under which the functions that were found are quotients, and their limits elsewhere, as SymPy numbers."""


@dataclass(frozen=True)
class _Zero:
    """Formulas N and D of a leaf that stands for s; D has a zero of order m at c, and N one of order m or more."""

    above: Expr
    below: Expr
    leaf: Expr
    s: Expr
    c: Expr
    order: int
    limit: Any


def removable(above: Expr, below: Expr, plain: Expr | None = None) -> Expr | None:
    """above / below, undefined and yet bounded where both vanish; None if that is not found. `plain`: the same in another form."""
    zero = _common_zero(above, below)
    return None if zero is None else _bare(zero, _function(zero, plain or above / below))


def total(terms: Sequence[Expr]) -> Expr | None:
    """A sum in which poles cancel: cos(x)/x - sin(x)/x^2; None if none are found to do so."""
    poles = [e for e in terms if _fraction(e) is not None]
    zero = _common_zero(*natural(_over_one(poles))) if len(poles) > 1 else None
    if zero is None:
        return None
    others = [e for e in terms if _fraction(e) is None]
    return _sum([*others, _bare(zero, _function(zero, _sum(poles)))])


def completed(choice: Expr) -> Expr:
    """A choice as a whole function, if one of its branches is a function that was found, and the other its limit."""
    if choice.op != "where":
        return choice
    condition, *branches = choice.args
    for function, value in (branches, reversed(branches)):
        limit = _limits.get(choice.pool, {}).get(function.index)
        if limit is not None and is_zero(exact_value(value) - limit[1]) and condition in (limit[0], choice.pool.not_(limit[0])):
            first, *rest = function.args
            yes, no = (first, value) if function is branches[0] else (value, first)
            return choice.pool.node("either", choice.pool.where(condition, yes, no), *rest, value=function.value)
    return choice


def vanishing(f: Expr, s: Expr) -> Expr:
    """A function f of s that vanishes where s does: near there it is s times a Taylor polynomial. (expm1, log1p)"""
    zero = _common_zero(f, s)
    for form, guard, near, level in () if zero is None else _forms(zero):
        f = f.pool.node("either", f, form * s, guard, near, value=level)
    return f


def equal(a: Expr, b: Expr) -> Expr:
    """The condition a = b, solved for what is linear, if one of them is a number."""
    if a.op == "constant":
        a, b = b, a
    return a.pool.node("eq", *(linear(a, b) if b.op == "constant" else (a, b)))


# -- the common zero ------------------------------------------------------------------------------------------------------


def _common_zero(above: Expr, below: Expr) -> _Zero | None:
    """The common zero, looked for among copies of the parts, so that formulas in which there is none leave no nodes behind."""
    order = reachable([above, below])
    if above.op == "constant" or below.op == "constant" or len(order) > _MOST or not _inputs(above) & _inputs(below):
        return None
    if any(e.op not in RULES and e.op not in _KINKS for e in order):
        return None
    copies = _copied(order)
    return None if _searched(copies[above.index], copies[below.index]) is None else _searched(above, below)


def _copied(order: Sequence[Expr]) -> dict[int, Expr]:
    pool, copies = ExprPool(), dict[int, Expr]()
    for e in order:
        copies[e.index] = pool.restore(e.op, tuple(copies[a.index] for a in e.args), e.value)
    return copies


def _searched(above: Expr, below: Expr) -> _Zero | None:
    leaf = above.pool.node("bound", value=_LEAF)
    for s, c in dict.fromkeys([*candidates(below), *candidates(above)]):
        n, d = substitute([above, below], {s.index: leaf})
        if d is below or n is above or (_inputs(n) | _inputs(d)) & _inputs(s):
            continue
        zero = _proved(n, d, leaf, s, c)
        if zero is not None:
            return zero if zero.order == 1 or not _kinked(zero) else None
    return None


def _kinked(zero: _Zero) -> bool:
    return any(e.op in _KINKS for e in reachable([zero.above, zero.below]))


def _inputs(e: Expr) -> set[int]:
    return {a.index for a in reachable([e]) if a.op in ("variable", "parameter")}


def _proved(above: Expr, below: Expr, leaf: Expr, s: Expr, c: Expr) -> _Zero | None:
    at = exact_value(c)
    if not all(map(is_zero, exact_values([above, below], leaf, at))):
        return None
    zero = above.pool.constant(0)
    for m in range(1, _HIGHEST + 1):
        n, d = (taylor(e, leaf, leaf, m)[m] or zero for e in (above, below))
        first, second = exact_values([n, d], leaf, at)
        if sp.nan in (first, second):
            return None
        if not is_zero(second):
            return _Zero(above, below, leaf, s, c, m, first / second)
        if not is_zero(first):
            return None
    return None


# -- its forms ------------------------------------------------------------------------------------------------------------


def _function(zero: _Zero, natural: Expr) -> Expr:
    """The quotient, continued to the place of the zero."""
    for form, guard, near, level in _forms(zero):
        natural = natural.pool.node("either", natural, form, guard, near, value=level)
    _limits.setdefault(natural.pool, {})[natural.index] = _apart(zero), zero.limit
    return natural


def _apart(zero: _Zero) -> Expr:
    return zero.s.pool.not_(zero.s.pool.node("eq", *linear(zero.s, zero.c)))


def _bare(zero: _Zero, function: Expr) -> Expr:
    return function.pool.where(_apart(zero), function, function.pool.node("undefined"))


def _forms(zero: _Zero) -> list[tuple[Expr, Expr, Expr, int]]:
    """Forms, where they hold (the guard and its level), and where they are better at points."""
    first = _form(zero, 0, 2 if zero.order == 1 else 3, zero.s.pool.constant(2))
    if _kinked(zero) or len(reachable([zero.above, zero.below])) > _LONG:
        return [(*first[:2], _near(zero, 0), first[3])]
    return [first, _form(zero, _TERMS, 3, _near(zero, _TERMS))]


def _near(zero: _Zero, more: int) -> Expr:
    """Less than 1 in size where rounding costs the quotient more than the form leaves out: |h|^m 2^53 against |h|^(more + 2)."""
    return (zero.s - zero.c) * zero.s.pool.constant(2.0 ** (53 // (zero.order + more + 2)))


def _form(zero: _Zero, more: int, level: int, near: Expr) -> tuple[Expr, Expr, Expr, int]:
    pool, last = zero.s.pool, zero.order + more
    h = zero.s - zero.c
    between = zero.c + _mean(pool, last) * h
    n, d = (_scaled(zero, e, h, between, last) for e in (zero.above, zero.below))
    guard = _sum(substitute([e for e in (zero.above, zero.below) if not _polynomial(e)] or [zero.above], {zero.leaf.index: between}))
    return n / d, guard, near, level


def _scaled(zero: _Zero, e: Expr, h: Expr, between: Expr, last: int) -> Expr:
    """e / h^m: its Taylor polynomial at c and the remainder."""
    total = taylor(e, zero.leaf, between, last)[last]
    for k in range(last - 1, zero.order - 1, -1):
        total, number = None if total is None else total * h, _coefficient(zero, e, k)
        total = number if total is None else total if number is None else number + total
    return h.pool.constant(0) if total is None else total


def _coefficient(zero: _Zero, e: Expr, k: int) -> Expr | None:
    """The coefficient k at c; None if it is 0."""
    found = taylor(e, zero.leaf, zero.leaf, k)[k]
    if found is None:
        return None
    (value,) = exact_values([found], zero.leaf, exact_value(zero.c))
    if is_zero(value):
        return None
    number = _constant(found.pool, value)
    return substitute([found], {zero.leaf.index: zero.c})[0] if number is None else number


def _constant(pool: ExprPool, value: Any) -> Expr | None:
    return pool.constant(Fraction(int(value.p), int(value.q))) if getattr(value, "is_Rational", False) else None


def _mean(pool: ExprPool, last: int) -> Expr:
    """[0, 1]; at points the mean by the density of the remainder."""
    return pool.node("hull", pool.node("hull", pool.constant(Fraction(1, last + 1)), pool.constant(0)), pool.constant(1))


def _polynomial(e: Expr) -> bool:
    """Differentiable everywhere, so that it needs no guard."""
    return all(a.op in ("constant", "variable", "parameter", "bound", "add", "sub", "mul", "neg", "power_integer") for a in reachable([e]))


# -- sums -----------------------------------------------------------------------------------------------------------------


def _sum(terms: Sequence[Expr]) -> Expr:
    result = terms[0]
    for e in terms[1:]:
        result = result + e
    return result


def _fraction(e: Expr) -> tuple[Expr, Expr] | None:
    """Numerator and denominator of a term with a denominator that varies."""
    if e.op == "either":
        return _fraction(e.args[0])
    if e.op == "neg":
        inside = _fraction(e.args[0])
        return None if inside is None else (-inside[0], inside[1])
    return (e.args[0], e.args[1]) if e.op == "div" and e.args[1].op != "constant" else None


def _over_one(terms: Sequence[Expr]) -> tuple[Expr, Expr]:
    """A sum of fractions as one; of powers of the same formula the highest is the denominator."""
    fractions = [f for f in map(_fraction, terms) if f is not None]
    powers: dict[Expr, int] = {}
    for _, below in fractions:
        base, k = _power(below)
        powers[base] = max(k, powers.get(base, 0))
    parts = []
    for above, below in fractions:
        own, k = _power(below)
        for base, highest in powers.items():
            missing = highest - (k if base is own else 0)
            above = above * base**missing if missing else above
        parts.append(above)
    product = None
    for base, k in powers.items():
        product = base**k if product is None else product * base**k
    assert product is not None
    return _sum(parts), product


def _power(e: Expr) -> tuple[Expr, int]:
    return (e.args[0], e.value) if e.op == "power_integer" else (e, 1)
