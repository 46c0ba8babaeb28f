"""A lanes object which proves bounds of rounding and approximation errors of straight-line polynomial code.

Emitters are run on `Node`s in place of vectors. A node stands for a computed value, and states it as

    ideal(x) + sum of errors,   x in [lo, hi],

with `ideal` a polynomial in the argument x and one error symbol for every rounding so far, of a bounded coefficient.
Errors are kept apart by the rounding they come from: a residual such as fma(a, b, -a*b), or the second half of a
fast_two_sum, then carries minus the error of its high part, and the two cancel in the sum. Every operation in directed
rounding has relative error below 2^-52; underflow is left out. All bounds are Arb balls. An operation is known to be
exact where it scales by a power of two or is the inner subtraction of a fast_two_sum whose hypothesis holds.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from flint import arb, arb_poly, arb_series, ctx

ROUNDING = arb(2) ** -52


@dataclass
class Node:
    ideal: arb_poly
    errors: dict[int, arb] = field(default_factory=dict)
    summands: tuple["Node", ...] = ()
    constant: float | None = None


class ErrorAnalysis:
    """Stands in for `Lanes` with the argument in [lo, hi], 0 < lo."""

    rounding = "upward"

    def __init__(self, lo: float, hi: float) -> None:
        self.lo, self.hi = lo, hi
        self.ball = arb(lo).union(arb(hi))
        self._symbols = 0

    def argument(self) -> Node:
        return Node(arb_poly([0, 1]))

    def unknown(self, bound: arb) -> Node:
        """A value of size at most `bound`."""
        return Node(arb_poly([0]), {self._symbol(): bound})

    def _symbol(self) -> int:
        self._symbols += 1
        return self._symbols

    def error(self, a: Node) -> arb:
        """Upper bound of the size of the sum of all errors."""
        return arb(sum((e.abs_upper() for e in a.errors.values()), arb(0)).upper())

    def range(self, a: Node) -> arb:
        e = self.error(a)
        return a.ideal(self.ball) + (-e).union(e)

    def _rounded(self, a: Node, *addends: Node) -> Node:
        """Each of `addends` is added to a double s. For t <= 0 the sum s + t is rounded to s at most: wrong by |t|."""
        sizes = [self.range(a).abs_upper() * ROUNDING]
        sizes += [t.abs_upper() for t in map(self.range, addends) if t <= 0]
        size = min(arb(s.upper()) for s in sizes)
        return Node(a.ideal, {**a.errors, self._symbol(): arb(size)}, a.summands, a.constant)

    # -- exact combinations -----------------------------------------------------------------------------------------

    def _sum(self, a: Node, b: Node) -> Node:
        errors = {k: a.errors.get(k, arb(0)) + b.errors.get(k, arb(0)) for k in a.errors | b.errors}
        return Node(a.ideal + b.ideal, errors, (a, b))

    def _product(self, a: Node, b: Node) -> Node:
        x, y = a.ideal(self.ball), b.ideal(self.ball)
        errors = {k: x * b.errors.get(k, arb(0)) + y * a.errors.get(k, arb(0)) for k in a.errors | b.errors}
        if a.errors and b.errors:
            errors[self._symbol()] = self.error(a) * self.error(b)
        return Node(a.ideal * b.ideal, errors)

    # -- operations of Lanes ----------------------------------------------------------------------------------------

    def const(self, x: float) -> Node:
        return Node(arb_poly([arb(x)]), constant=x)

    def neg(self, a: Node) -> Node:
        return Node(-a.ideal, {k: -e for k, e in a.errors.items()}, tuple(self.neg(s) for s in a.summands))

    def abs(self, a: Node) -> Node:
        assert self.range(a) > 0
        return a

    def add(self, a: Node, b: Node) -> Node:
        return self._rounded(self._sum(a, b), a, b)

    def sub(self, a: Node, b: Node) -> Node:
        """a - b; exact if a or b is the rounded sum of the other, up to sign, and of something smaller."""
        exact = any(self._inner(s, t) for s, t in ((a, b), (b, a)))
        difference = self._sum(a, self.neg(b))
        return Node(difference.ideal, difference.errors) if exact else self._rounded(difference, a, self.neg(b))

    def _inner(self, total: Node, part: Node) -> bool:
        if not total.summands or total.summands[0] is not part:
            return False
        return bool(abs(self.range(part)) >= abs(self.range(total.summands[1])))

    def mul(self, a: Node, b: Node) -> Node:
        product = self._product(a, b)
        return product if any(_is_power_of_two(f.constant) for f in (a, b)) else self._rounded(product)

    def fma(self, a: Node, b: Node, c: Node) -> Node:
        product = self._product(a, b)
        return self._rounded(self._sum(product, c), product)

    # -- the proof --------------------------------------------------------------------------------------------------

    def distance(self, a: Node, function: "Function", low: Node | None, terms: int = 14) -> arb:
        """Upper bound of |a - function(x + low)|: Taylor expansion of ideal - function about the midpoint."""
        middle, radius = arb(self.ball.mid()), arb(self.ball.rad())
        at, over = (_expand(function, c, terms + 1) for c in (middle, self.ball))
        ideal_at, ideal_over = (a.ideal(arb_poly([c, 1])) for c in (middle, self.ball))
        bound = arb(0)
        for k in range(terms):
            bound += (ideal_at[k] - at[k]).abs_upper() * radius ** k
        bound += (ideal_over[terms] - over[terms]).abs_upper() * radius ** terms
        if low is None:
            return arb((bound + self.error(a)).upper())
        step = self.range(low).abs_upper()
        slope = Node(arb_poly([0]), {k: e * over[1] for k, e in low.errors.items()})
        curved = _expand(function, self.ball + (-step).union(step), 3)[2].abs_upper() * step ** 2
        return arb((bound + curved + self.error(self._sum(a, self.neg(slope)))).upper())


def _is_power_of_two(x: float | None) -> bool:
    return x is not None and abs(arb(x).man_exp()[0]) == 1


def _expand(function: "Function", c: arb, terms: int) -> list[arb]:
    """Taylor coefficients at c, or bounds of those at all points of a ball."""
    cap, ctx.cap = ctx.cap, terms
    try:
        series = function(arb_series([c, 1], prec=terms))
        return [series[k] for k in range(terms)]
    finally:
        ctx.cap = cap


def pieces(lo: float, hi: float) -> Iterator[tuple[float, float]]:
    """[lo, hi] in pieces: the octaves below hi, in 64 parts each for the first eight, where bounds are tight."""
    parts = [64] * 8
    while hi > lo:
        below, count = max(hi / 2, lo), parts.pop() if parts else 16
        step = (hi - below) / count
        for k in range(count):
            yield below + k * step, hi if k == count - 1 else below + (k + 1) * step
        hi = below


Function = Callable[[arb_series], arb_series]
Bound = Callable[[arb], arb]


def used(core: Callable[..., Any], function: Function, lo: float, hi: float, low: Bound | None = None,
         inherited: Bound | None = None) -> float:
    """Largest ratio over x in [lo, hi] of a proved bound of |function(x + low) - (h + l)| to the core's own bound e.

    `low` bounds the second argument of the core at x; without it the core takes x alone. `inherited` is an error of
    another origin at x, for which e must have room too. A ratio of at most 1 proves the core right.
    """
    with ctx.workprec(256):
        return max(_used(core, function, ErrorAnalysis(*piece), low, inherited) for piece in pieces(lo, hi))


def _used(core: Callable[..., Any], function: Function, L: ErrorAnalysis, low: Bound | None,
          inherited: Bound | None) -> float:
    second = [] if low is None else [L.unknown(low(L.ball).abs_upper())]
    result = core(L, L.argument(), *second)
    needed = L.distance(L._sum(result.high, result.low), function, second[0] if second else None)
    if inherited is not None:
        needed += inherited(L.ball).abs_upper()
    return float((needed / L.range(result.error).lower()).upper())
