"""Integrals and inverse functions as operations that enclose them: what `integral` and `inverse` mean to a kernel.

Integral of f(s) from a to b over boxes A of a, B of b and Z of everything else. With centres c_a of A and c_b of B,

    F in Q + f(B, Z) (B - c_b) - f(A, Z) (A - c_a),

where Q encloses the integrals from c_a to c_b: the two ends are bounded by length times range, so the width is right to first
order. Q is a sum over equal panels of length h (negative when b < a). The integral over a panel P lies in h f(P, Z), and, where f
has level 3 on P x Z and thus is analytic there, in Gauss's rule of n = 5 nodes with its remainder over the panel,

    G + h^(2n+1) (n!)^4 / ((2n+1) ((2n)!)^2) c_2n(P, Z),

c_2n being the Taylor coefficient f^(2n) / (2n)! (Davis and Rabinowitz 1984, Section 2.7). The two are intersected. An integrand
not proved to be defined on all of the boxes gives the whole line.

The inverse s of f(s) = y on [lo, hi], over boxes. If, panel by panel, f is differentiable on [lo, hi] and its derivative excludes 0,
f is strictly monotone there; if besides (y - f(lo)) (f(hi) - y) > 0, there is one s inside and it is differentiable in everything
else (level 3). Then S = [lo, hi] holds it, and so does the interval Newton step about any s0 in [lo, hi],

    s0 + (Y - f(s0)) / f'(hull(S, s0)),

by the mean-value theorem; the first one takes the derivatives of all panels. s0 is proposed by Newton's method at the centres of the
boxes, and proves nothing. Where one of the conditions fails the answer is [lo, hi], at level 0.

(Snyder 1992, "Generative modeling", lists both operators; Moore 1966, Chapters 7 and 8, has both enclosures.)
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import factorial
from typing import Literal

from .autodiff import slope
from .binders import free_leaves
from .expr import Expr, ExprPool, reachable, substitute
from .families import opened
from .taylor import taylor

Purpose = Literal["rigorous", "points", "proposal", "levels"]
"""Bounds; values at points; rough values; or bounds that are only needed for their level, without the high order."""

NODES = 5
_REMAINDER = Fraction(factorial(NODES) ** 4, (2 * NODES + 1) * factorial(2 * NODES) ** 2)

# Panels of [lo, hi] on which an inverse function is proved to be monotone.
_MONOTONE_PANELS = 32
# Steps of the proposal and of the contraction: each contraction multiplies the excess width by the relative spread of f'.
_PROPOSALS, _CONTRACTIONS = 5, 3


def expand(outputs: Sequence[Expr], purpose: Purpose) -> list[Expr]:
    """The same formulas without `integral` and `inverse`: arithmetic, and repetitions of arithmetic (`sum`, `union`)."""
    found = list(outputs)
    order = reachable(found)
    expansion = _Expansion(purpose)
    while any(e.op in _EXPANSIONS for e in order):
        found = expansion.outermost(found, order)
        order = reachable(found)
    return opened(found, order)


class _Expansion:
    def __init__(self, purpose: Purpose) -> None:
        self.purpose = purpose
        self.made: dict[tuple[int, ...], Expr] = {}

    def outermost(self, outputs: Sequence[Expr], order: Sequence[Expr]) -> list[Expr]:
        """Expand what lies in no other integral or inverse, whose bodies must stay as they are to be differentiated."""
        free = free_leaves(order)
        bound = {e.args[1].index for e in order if e.op in _EXPANSIONS}
        done: dict[int, Expr] = {}
        for e in order:
            args = tuple(done[a.index] for a in e.args)
            if e.op in _EXPANSIONS and not bound.intersection(free.get(e.index, ())):
                done[e.index] = self._expansion(e, args[2:])
            else:
                done[e.index] = e if args == e.args else e.pool.node(e.op, *args, value=e.value)
        return [done[e.index] for e in outputs]

    def _expansion(self, e: Expr, outside: Sequence[Expr]) -> Expr:
        key = e.index, *(a.index for a in outside)
        if key not in self.made:
            self.made[key] = _EXPANSIONS[e.op](e.args[0], e.args[1], outside, e.value, _counter(e.pool), self.purpose)
        return self.made[key]


def _counter(pool: ExprPool) -> Expr:
    """A leaf that nothing in the pool binds yet."""
    return pool.node("bound", value=1 + max((e.value for e in pool.nodes if e.op == "bound"), default=0))


def _at(f: Expr, leaf: Expr, value: Expr) -> Expr:
    return substitute([f], {leaf.index: value})[0]


# -- integrals --------------------------------------------------------------------------------------------------------


def gauss(pool: ExprPool) -> list[tuple[Expr, Expr]]:
    """Nodes and weights of Gauss's rule of 5 nodes on [-1, 1], exactly."""
    def root(x: Expr) -> Expr:
        return pool.node("sqrt", x)

    inner, weight = 2 * root(pool.constant(Fraction(10, 7))), 13 * root(pool.constant(70))
    rule = [(pool.constant(0), pool.constant(Fraction(128, 225)))]
    for x, w in ((root(5 - inner), 322 + weight), (root(5 + inner), 322 - weight)):
        rule += [(x * Fraction(sign, 3), w * Fraction(1, 900)) for sign in (-1, 1)]
    return rule


def _centre(end: Expr) -> Expr:
    """The centre of the box of a limit; a number is as thin as a centre."""
    return end if end.op == "constant" else end.pool.node("midpoint", end)


def _integral(f: Expr, s: Expr, ends: Sequence[Expr], panels: int, k: Expr, purpose: Purpose) -> Expr:
    pool, (a, b) = f.pool, ends
    if a is b:
        nothing = pool.constant(0) * _at(f, s, a)
        return nothing if purpose in ("points", "proposal") else pool.trusted(nothing, nothing, 1)
    bounding = purpose in ("rigorous", "levels")
    start, stop = (_centre(a), _centre(b)) if bounding else (a, b)
    panels = max(1, panels // 4) if purpose == "proposal" else panels
    step = (stop - start) * Fraction(1, panels)
    panel = {"levels": _range, "rigorous": _bounds}.get(purpose, _values)(f, s, start, step, k)
    total = pool.node("sum", panel, k, value=panels)
    if not bounding:
        return total
    for sign, end, centre in ((1, b, stop), (-1, a, start)):
        if end is not centre:
            total = total + sign * (_at(f, s, end) * (end - centre))
    return pool.trusted(total, total, 1)


def _values(f: Expr, s: Expr, start: Expr, step: Expr, k: Expr) -> Expr:
    """Gauss's rule on panel k."""
    middle, half = start + step * (k + Fraction(1, 2)), step * Fraction(1, 2)
    values = [_at(f, s, middle + half * x) * w for x, w in gauss(f.pool)]
    total = values[0]
    for value in values[1:]:
        total = total + value
    return half * total


def _panel(start: Expr, step: Expr, k: Expr) -> Expr:
    """Every s of panel k."""
    return start.pool.node("hull", start + step * k, start + step * (k + 1))


def _range(f: Expr, s: Expr, start: Expr, step: Expr, k: Expr) -> Expr:
    """Length times range on panel k."""
    return step * _at(f, s, _panel(start, step, k))


def _bounds(f: Expr, s: Expr, start: Expr, step: Expr, k: Expr) -> Expr:
    """Length times range, intersected with Gauss's rule and its remainder where f is analytic on panel k."""
    pool, box = f.pool, _panel(start, step, k)
    on_panel = _at(f, s, box)
    high = _values(f, s, start, step, k)
    last = taylor(f, s, box, 2 * NODES)[2 * NODES]
    if last is not None:
        high = high + step ** (2 * NODES + 1) * _REMAINDER * last
    return pool.node("refined", step * on_panel, pool.trusted(high, on_panel, 3))


# -- inverse functions ------------------------------------------------------------------------------------------------


def _inverse(f: Expr, s: Expr, outside: Sequence[Expr], steps: int, k: Expr, purpose: Purpose) -> Expr:
    pool, (y, lo, hi) = f.pool, outside
    ends = _at(f, s, lo), _at(f, s, hi)
    between = (y - ends[0]) * (ends[1] - y)
    if purpose in ("points", "proposal"):
        near = _newton(f, s, y, lo, hi, ends, steps)
        return pool.where(pool.node("le", pool.constant(0), between), near, pool.node("undefined"))
    rate = slope(f, s)
    everywhere = _rates(pool.guarded(rate, f), s, lo, hi, k)
    # A square root has level 3 where its argument is positive, a reciprocal where it excludes 0: then the inverse exists and is unique.
    whole = pool.guarded(pool.node("hull", lo, hi), pool.node("sqrt", between) + 1 / everywhere)
    s0 = _proposal(f, s, y, lo, hi)
    rest = y - _at(f, s, s0)
    found = pool.node("refined", whole, s0 + rest / everywhere)
    for _ in range(_CONTRACTIONS):
        found = pool.node("refined", found, s0 + rest / _at(rate, s, pool.node("hull", found, s0)))
    return found


def _rates(rate: Expr, s: Expr, lo: Expr, hi: Expr, k: Expr) -> Expr:
    """The derivatives on [lo, hi], panel by panel."""
    panel = _panel(lo, (hi - lo) * Fraction(1, _MONOTONE_PANELS), k)
    (rate,) = expand([_at(rate, s, panel)], "levels")
    return rate.pool.node("union", rate, k, value=_MONOTONE_PANELS)


def _proposal(f: Expr, s: Expr, y: Expr, lo: Expr, hi: Expr) -> Expr:
    """A point of the hull of lo and hi, near the inverse at the centres of the boxes; integrals are coarse here."""
    pool = f.pool
    order = reachable([f, y, lo, hi])
    centres = {e.index: pool.node("midpoint", e) for e in order if e.op in ("variable", "parameter")}
    f, y, left, right = substitute([f, y, lo, hi], centres)
    (near,) = expand([_newton(f, s, y, left, right, (_at(f, s, left), _at(f, s, right)), _PROPOSALS)], "proposal")
    # By the ends over the boxes: those at the centres are enclosed apart from them, and may round beyond the panels of `_rates`.
    return pool.node("midpoint", pool.node("max", pool.node("min", near, hi), lo))


def _newton(f: Expr, s: Expr, y: Expr, lo: Expr, hi: Expr, ends: tuple[Expr, Expr], steps: int) -> Expr:
    """Newton's method for f(s) = y from the chord, kept inside [lo, hi] by bisection; all numbers points, so comparisons are decided."""
    pool, rate = f.pool, slope(f, s)
    point: Callable[[Expr], Expr] = partial(pool.node, "midpoint")
    y, left, right = point(y), point(lo), point(hi)
    x = point(left + (right - left) * ((y - ends[0]) / (ends[1] - ends[0])))
    for _ in range(steps):
        move = point((_at(f, s, x) - y) / _at(rate, s, x))
        beyond = pool.node("lt", pool.constant(0), move)
        left, right = pool.where(beyond, left, x), pool.where(beyond, x, right)
        new = point(x - move)
        within = pool.node("and", pool.node("le", left, new), pool.node("le", new, right))
        x = pool.where(within, new, point((left + right) * Fraction(1, 2)))
    return x


_EXPANSIONS: dict[str, Callable[[Expr, Expr, Sequence[Expr], int, Expr, Purpose], Expr]] = {"integral": _integral, "inverse": _inverse}
