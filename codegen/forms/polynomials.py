"""Polynomials of one formula in the basis of Chebyshev, where that is better conditioned than powers.

SymPy writes orthogonal polynomials as sums of powers whose terms cancel: those of legendre(20, x) are 10^6 times as large as the sum. In
the basis T_k((x - m)/h) the coefficients, exact rational numbers here, are as small as the polynomial is between m - h and m + h. The mean
and the variance of the roots follow from the first three coefficients. Any interval will do: the basis is one of all polynomials.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt

from ..graph.expr import Expr
from .identities import both

LEAST_DEGREE, LARGEST_DEGREE, GAIN = 6, 100, 4
"""Degrees that are looked at, and by how many times the sum of sizes of terms must fall."""


def polynomial(terms: Sequence[Expr], total: Expr) -> Expr:
    """The sum of the terms, as a Chebyshev series as well if that is better conditioned."""
    found = _coefficients(terms)
    if found is None:
        return total
    x, c = found
    for m, h in _intervals(c):
        series, far = in_chebyshevs(c, m, h), abs(m) + h
        if sum(abs(a) * far**k for k, a in enumerate(c)) >= GAIN * sum(map(abs, series)):
            t = x if m == 0 and h == 1 else (x - m) / h
            return both(total, total.pool.node("chebyshev", t, *map(total.pool.constant, series)), near=t)
    return total


def _coefficients(terms: Sequence[Expr]) -> tuple[Expr, list[Fraction]] | None:
    """The formula of which the terms are powers times numbers, and the numbers."""
    powers = [_term(e) for e in terms]
    bases = {base for _, base, _ in powers if base is not None}
    degree = max(k for *_, k in powers)
    if len(bases) != 1 or not LEAST_DEGREE <= degree <= LARGEST_DEGREE or len({k for *_, k in powers}) != len(powers):
        return None
    c = [Fraction(0)] * (degree + 1)
    for a, _, k in powers:
        c[k] = a
    return bases.pop(), c


def _term(e: Expr) -> tuple[Fraction, Expr | None, int]:
    """A term as a number times a power of a formula."""
    if e.op == "constant" and isinstance(e.value, Fraction):
        return e.value, None, 0
    if e.op == "neg":
        a, base, k = _term(e.args[0])
        return -a, base, k
    if e.op == "mul":
        for number, other in (e.args, e.args[::-1]):
            if number.op == "constant" and isinstance(number.value, Fraction):
                a, base, k = _term(other)
                return a * number.value, base, k
    if e.op == "div" and e.args[1].op == "constant" and isinstance(e.args[1].value, Fraction):
        a, base, k = _term(e.args[0])
        return a / e.args[1].value, base, k
    return (Fraction(1), e.args[0], e.value) if e.op == "power_integer" and e.value > 0 else (Fraction(1), e, 1)


def _intervals(c: Sequence[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """Middles and half widths: of [-1, 1] and [0, 1] where they hold a standard deviation around the mean of the roots, and of two."""
    n = len(c) - 1
    mean = -c[n - 1] / (n * c[n])
    spread = max(((c[n - 1] / c[n]) ** 2 - 2 * c[n - 2] / c[n]) / n - mean**2, Fraction(0))
    usual = [(Fraction(0), Fraction(1)), (Fraction(1, 2), Fraction(1, 2))]
    near = [(m, h) for m, h in usual if abs(mean - m) <= h and (h - abs(mean - m)) ** 2 >= spread]
    return [*near, (Fraction(round(mean)), Fraction(isqrt(int(4 * spread)) + 1))]


def in_chebyshevs(c: Sequence[Fraction], m: Fraction, h: Fraction) -> list[Fraction]:
    """sum c_k x^k as sum a_k T_k(t), x = m + h t: Horner's scheme, with t T_k = (T_(k+1) + T_|k-1|)/2."""
    total = [c[-1]]
    for a in reversed(c[:-1]):
        after = [m * b for b in total] + [Fraction(0)]
        for k, b in enumerate(total):
            after[k + 1] += h * b / 2
            after[abs(k - 1)] += h * b / 2
        after[0] += a
        total = after
    return total
