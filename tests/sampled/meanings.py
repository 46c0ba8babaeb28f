"""`solve` and `minimize` where conventions narrower than SymPy's would lose solutions: zeros of polygamma functions at any sign, powers
with a symbol as exponent, and strict inequalities written in several ways. Known: zeros by mpmath in forty digits, or by construction.
"""

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import sympy as sp

import collide
from collide import MinimumStatus, ZerosStatus

x, y, n = sp.symbols("x y n", real=True)
KINDS = ("polygammas", "powers", "strict")
_NEAR = 1e-9


def missing(r: Any, places: list[list[float]]) -> Iterator[str]:
    """Known zeros in no box."""
    for at in places:
        if not ((r.boxes[:, :, 0] <= np.add(at, _NEAR)) & (r.boxes[:, :, 1] >= np.subtract(at, _NEAR))).all(axis=1).any():
            yield f"{r.status.name}: the zero {at} is in no box"


def polygammas(rng: random.Random, budget: float) -> tuple[str, list[str]]:
    """psi^(k)(a x + b) = c over some poles: between two of them a change of sign tells a zero."""
    order, a, b = rng.choice((0, 0, 1, 2, 3)), sp.Rational(rng.choice((-2, -1, 1, 2))), sp.Rational(rng.randint(-2, 2), 4)
    level = sp.Rational(rng.randint(-40, 40), 4)
    lo, hi = sp.Rational(rng.randint(-28, -4), 8), sp.Rational(rng.randint(1, 16), 8)
    r = collide.solve(sp.polygamma(order, a * x + b) - level, {x: (lo, hi)}, budget=budget)
    with mpmath.workdps(40):
        def f(s: Any) -> Any:
            return mpmath.polygamma(order, mpmath.mpf(int(a)) * s + mpmath.mpf(b.p) / b.q) - mpmath.mpf(level.p) / level.q

        at = [mpmath.mpf(lo.p) / lo.q + (mpmath.mpf((hi - lo).p) / (hi - lo).q) * (k + mpmath.mpf("0.37")) / 400 for k in range(400)]
        roots = [_halved(f, p, q) for p, q in pairwise(at) if f(p) * f(q) < 0]
        # A pole changes the sign, too.
        zeros = [[float(s)] for s in roots if abs(f(s)) < 1e-6]
    found = list(missing(r, zeros))
    if r.status is ZerosStatus.NO_SOLUTION and zeros:
        found.append("no solution, but there are zeros")
    return r.status.name, found


def _halved(f: Any, p: Any, q: Any) -> Any:
    for _ in range(110):
        middle = (p + q) / 2
        p, q = (middle, q) if f(p) * f(middle) > 0 else (p, middle)
    return (p + q) / 2


def powers(rng: random.Random, budget: float) -> tuple[str, list[str]]:
    """x**n = a**k, n = k, for a of any sign and an integer k; and the least x**n that integers have."""
    a, k = sp.Rational(rng.choice([*range(-12, 0), *range(1, 13)]), 4), sp.Integer(rng.randint(-3, 4))
    domain = {x: (-4, 4), n: (k - rng.choice((0.5, 1.0, 2.0)), k + rng.choice((0.25, 1.0)))}
    r = collide.solve([x**n - a**k, n - k], domain, budget=budget)
    places = [[float(s), float(k)] for s in ((a, -a) if k % 2 == 0 else (a,))] if k else [[1.0, 0.0], [-2.5, 0.0], [0.0, 0.0]]
    found = list(missing(r, places))
    if k > 0:
        m = collide.minimize(x**n, {x: (-2, 1), n: (k, k + 1)}, budget=collide.Budget(boxes=500))
        least = min((-2)**int(k), (-2)**int(k + 1))
        if m.bracket[0] > least or m.status is MinimumStatus.INFEASIBLE:
            found.append(f"{m.status.name}: the least value is at most {least}, not in {m.bracket}")
    return r.status.name, found


def strict(rng: random.Random, budget: float) -> tuple[str, list[str]]:
    """A set written in several ways: the brackets of its minima have a number in common."""
    f, g = rng.choice([x + y, (x - 1)**2 + y, x * y, sp.sin(3 * x) + y]), rng.choice([x - y, x**2 - y, x + 2 * y - 1, sp.exp(x) - 1 - y])
    other = rng.choice([-g, x, 1 - y, -2 * g, y - x**2])
    c = sp.Rational(rng.randint(1, 9), 2)
    ways = [[g > 0, other >= 0], [g >= 0, other > 0], [sp.Not(g <= 0), other >= 0], [c * g > 0, 2 * other >= 0], [other >= 0, -g < 0],
            [sp.Gt(g + x, x, evaluate=False), other >= 0], [sp.Or(g > 0, sp.And(g > 0, x > 5)), other >= 0], [g >= 0, other >= 0]]
    told = [collide.minimize(f, {x: (0, 1), y: (-1, 1)}, at_least=way, budget=collide.Budget(boxes=300)) for way in ways]
    lo, hi = max(m.bracket[0] for m in told), min(m.bracket[1] for m in told)
    found = [] if lo <= hi else [f"{f} under {g}, {other}: {[(m.status.name, *m.bracket) for m in told]}"]
    decided = {m.status is MinimumStatus.INFEASIBLE for m in told if m.status is not MinimumStatus.BUDGET_SPENT}
    if len(decided) > 1 and any(m.status is MinimumStatus.OPTIMAL for m in told):
        found.append(f"{f} under {g}, {other}: {[m.status.name for m in told]}")
    return told[0].status.name, found


def compared(kind: str, seed: int, budget: float) -> tuple[str, list[str]]:
    ask = {"polygammas": polygammas, "powers": powers, "strict": strict}[kind]
    return ask(random.Random(f"{kind} {seed}"), min(budget, 5.0))
