"""Error analysis of the cores of this package's exponential type: `ErrorAnalysis` with quotients, signs and exact cases.

See error_analysis.py for the method. Masks are decided for a nonzero argument: comparisons with 0 are False.
"""

import itertools
from collections.abc import Callable, Iterable
from fractions import Fraction

from flint import arb, arb_poly, arb_series, ctx

from codegen.emit.elementary.doubled import Approximation

from .error_analysis import ErrorAnalysis, Node

Function = Callable[[arb_series], arb_series]
TERMS = 14


class Analysis(ErrorAnalysis):
    """Division by Taylor expansion about the midpoint; 0 + x, x - 0 and products of short constants are exact.

    The coefficient of an error symbol is a polynomial in x too, so that it cancels against itself.
    """

    def error(self, a: Node) -> arb:
        return arb(sum((self._at(e).abs_upper() for e in a.errors.values()), arb(0)).upper())

    def _at(self, e: arb | arb_poly) -> arb:
        return e(self.ball) if isinstance(e, arb_poly) else e

    def _product(self, a: Node, b: Node) -> Node:
        zero = arb_poly([0])
        errors = {k: a.ideal * b.errors.get(k, zero) + b.ideal * a.errors.get(k, zero) for k in a.errors | b.errors}
        if a.errors and b.errors:
            errors[self._symbol()] = self.error(a) * self.error(b)
        return Node(a.ideal * b.ideal, errors)

    def mul(self, a: Node, b: Node) -> Node:
        if a.constant is not None and b.constant is not None:
            product = a.constant * b.constant
            if Fraction(product) == Fraction(a.constant) * Fraction(b.constant):
                return self.const(product)
        return super().mul(a, b)

    def add(self, a: Node, b: Node) -> Node:
        return b if a.constant == 0 else super().add(a, b)

    def sub(self, a: Node, b: Node) -> Node:
        return a if b.constant == 0 else super().sub(a, b)

    def abs(self, a: Node) -> Node:
        return self.neg(a) if self.range(a) < 0 else super().abs(a)

    def eq(self, a: Node, b: Node) -> bool:
        return False

    def select(self, mask: bool, a: Node, b: Node) -> Node:
        return a if mask else b

    def div(self, a: Node, b: Node) -> Node:
        """With errors d and e, (a + d)/(b + e) = q + (d - q e)/(b + e) for q = a/b."""
        middle, radius = arb(self.ball.mid()), arb(self.ball.rad())
        at, over = (taylor(lambda x: horner(a.ideal, x) / horner(b.ideal, x), c) for c in (middle, self.ball))
        quotient = arb_poly(at[:TERMS])(arb_poly([-middle, 1]))
        remainder = arb((over[TERMS].abs_upper() * radius ** TERMS).upper())
        ratio, whole = a.ideal(self.ball) / b.ideal(self.ball), self.range(b)
        errors = {k: (self._at(a.errors.get(k, arb(0))) - ratio * self._at(b.errors.get(k, arb(0)))) / whole
                  for k in a.errors | b.errors}
        return self._rounded(Node(quotient, {**errors, self._symbol(): remainder}))


def horner(p: arb_poly, x: arb_series) -> arb_series:
    result = 0 * x
    for k in range(p.degree(), -1, -1):
        result = result * x + p[k]
    return result


def taylor(function: Function, c: arb) -> list[arb]:
    cap, ctx.cap = ctx.cap, TERMS + 1
    try:
        series = function(arb_series([c, 1], prec=TERMS + 1))
        return [series[k] for k in range(TERMS + 1)]
    finally:
        ctx.cap = cap


def octaves(lo: float, hi: float, parts: int = 8, wide: int = 3) -> Iterable[tuple[float, float]]:
    """[lo, hi] in pieces: the upper `wide` octaves in `parts` parts each, then ratios of 16."""
    while hi > lo:
        below, count = (max(hi / 2, lo), parts) if wide > 0 else (max(hi / 16, lo), 1)
        edges = [below + (hi - below) * k / count for k in range(count)] + [hi]
        yield from itertools.pairwise(edges)
        hi, wide = below, wide - 1


def used(core: Callable[[Analysis, Node], Approximation], function: Function, pieces: Iterable[tuple[float, float]],
         inherited: float = 0.0) -> float:
    """Largest ratio of a proved bound of |function(x) - (h + l)|, plus `inherited`, to the core's own bound e.

    A ratio of at most 1 proves the bound in the code.
    """
    worst = 0.0
    with ctx.workprec(256):
        for piece in pieces:
            L = Analysis(*piece)
            a = core(L, L.argument())
            needed = L.distance(L._sum(a.high, a.low), function, None) + arb(inherited)
            worst = max(worst, float((needed / L.range(a.error).lower()).upper()))
    return worst


def split(L: Analysis, x: Node, low: float) -> tuple[Node, Node]:
    """x as r + l with an unknown |l| <= low."""
    symbol = L._symbol()
    return Node(x.ideal, {symbol: -arb(low)}), Node(arb_poly([0]), {symbol: arb(low)})
