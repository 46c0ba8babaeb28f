"""Inclusion functions of a function of u, v and t, and of its slopes, that are narrow on large boxes.

What is proved of neighbours is decided by how much slopes vary over a box, and natural extensions say far too much. A polynomial is
expanded at the middle of the box, exactly, in all three variables. Of other functions the slopes f are enclosed by
f(c) + f'(X) (X - c), and f'(X) so again: the error falls with the third power of the width.
"""

import functools
from collections.abc import Sequence

from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr, reachable, substitute
from codegen.graph.meanvalue import mean_value_form
from codegen.graph.polynomials import polynomial_degree

# Polynomials up to this degree in each variable are expanded.
_MOST = 8


def values(f: Expr) -> Expr:
    """The values of f; u, v, t are variables 0 to 2."""
    if _polynomial(f):
        return _sum(_expanded(f), f)
    return mean_value_form([f], _variables(f))[0]


def slopes(f: Expr) -> list[Expr]:
    """The derivatives of f by u and v: Clarke's gradients, and the whole line where f is not continuous."""
    if _polynomial(f):
        terms = _expanded(f)
        lower = [{tuple(n - (k == by) for k, n in enumerate(i)): a * i[by] for i, a in terms.items() if i[by]} for by in (0, 1)]
        return [_sum(derived, f) for derived in lower]
    return [_second_order(f.pool.trusted(d, f), _variables(f)) for d in partials([f], _variables(f)[:2])[0]]


def mixed(f: Expr) -> Expr:
    """The derivative of f by u and v: Clarke's, and the whole line where the first one is not continuous."""
    by_u = partials([f], _variables(f)[:1])[0][0]
    by_both = partials([by_u], _variables(f)[1:2])[0][0]
    if _polynomial(f):
        return values(by_both)
    return f.pool.trusted(f.pool.trusted(mean_value_form([by_both], _variables(f))[0], by_u), f)


def _variables(f: Expr) -> list[Expr]:
    return [f.pool.variable(k) for k in range(3)]


def _polynomial(f: Expr) -> bool:
    return max(polynomial_degree([f], k) for k in range(3)) <= _MOST


def _second_order(f: Expr, variables: Sequence[Expr]) -> Expr:
    pool = f.pool
    centres = [pool.node("midpoint", x) for x in variables]
    (total,) = substitute([f], dict(zip((x.index for x in variables), centres, strict=True)))
    derivatives = mean_value_form([pool.trusted(d, f) for d in partials([f], variables)[0]], variables)
    for d, x, c in zip(derivatives, variables, centres, strict=True):
        total = total + d * pool.node("sub", x, c)
    return pool.node("refined", f, total)


Terms = dict[tuple[int, ...], Expr]
"""The coefficients a_ijk of a sum of a_ijk r^i s^j w^k, where r, s and w are the distances of u, v and t from the middle of a box."""


def _expanded(f: Expr) -> Terms:
    terms: Terms = {(): f}
    for x in _variables(f):
        found = _series(list(terms.values()), x, f.pool.node("midpoint", x))
        terms = {(*index, k): a for index, series in zip(terms, found, strict=True) for k, a in enumerate(series)}
    return terms


def _sum(terms: Terms, f: Expr) -> Expr:
    pool = f.pool
    away = [pool.node("sub", x, pool.node("midpoint", x)) for x in _variables(f)]
    total = pool.constant(0)
    for index, term in terms.items():
        for x, power in zip(away, index, strict=True):
            term = term * pool.power_integer(x, power) if power else term
        total = total + term
    return total


def _series(polynomials: Sequence[Expr], x: Expr, middle: Expr) -> list[list[Expr]]:
    """The coefficients of polynomials in x (graphs that `polynomial_degree` knows to be such) by powers of x - middle."""
    pool = x.pool
    one, zero = pool.constant(1), pool.constant(0)
    known: dict[int, list[Expr]] = {x.index: [middle, one]}
    for e in reachable(polynomials):
        parts = [known[a.index] for a in e.args]
        if e is x:
            continue
        if all(len(p) == 1 for p in parts):
            known[e.index] = [e]
        elif e.op in ("add", "sub"):
            rest = [[*p, *[zero] * (max(map(len, parts)) - len(p))] for p in parts]
            known[e.index] = [pool.node(e.op, a, b) for a, b in zip(*rest, strict=True)]
        elif e.op == "neg":
            known[e.index] = [pool.neg(a) for a in parts[0]]
        elif e.op == "div":
            known[e.index] = [a / parts[1][0] for a in parts[0]]
        else:
            assert e.op in ("mul", "power_integer"), "polynomials are made of nothing else"
            factors = parts if e.op == "mul" else [parts[0]] * e.value
            known[e.index] = functools.reduce(_product, factors, [one])
    return [known[e.index] for e in polynomials]


def _product(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    total: list[Expr] = [a[0].pool.constant(0)] * (len(a) + len(b) - 1)
    for i, p in enumerate(a):
        for j, q in enumerate(b):
            total[i + j] = total[i + j] + p * q
    return total
