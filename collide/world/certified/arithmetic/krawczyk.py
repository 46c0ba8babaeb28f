"""The equations of a contact over balls of Arb's: that they have one zero in a box, for every state there is, and where it is.

Krawczyk's operator K(X) = m - C f(m) + (1 - C J(X)) (X - m) of a square system f with the Jacobian J (Krawczyk 1969; Neumaier 1990, Section
5.1): if it maps a box X into its interior, f has exactly one zero in X, and that is in K(X). The numbers of f are balls, too, and what is
said holds for all states in them.

Where the bodies are comes from their flights, as jets by the time. These stand for the numbers of poses in the formulas of the search, in
which nothing else moves then: so any flight will do that can be enclosed with its velocity.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

from codegen.graph.expr import Expr

from ....search.problem import Problem
from .jets import Jet, Unsupported, jets

# Widths of the boxes in which one zero is proved, against the numbers in them: 2 to these. Effort only. And rounds that make it smaller.
_WIDTHS, _ROUNDS = (-40, -30, -44, -20), 60

Numbers = Callable[[Any], list[tuple[Any, Any]]]
"""The numbers of a situation at a time, a ball, and their derivatives by the time, None of those that are constant."""


@dataclass(frozen=True, eq=False)
class SituationSystem:
    """A situation (a `Problem` of the search) with its `numbers`, of which contacts are zeros; the last variable is the time.

    `late`: formulas of these numbers, as its parameters 0, 1, ..., whose values are the parameters that come after them.
    """

    problem: Problem
    numbers: Numbers
    late: Sequence[Expr] = ()

    def at(self, box: Sequence[Any], outputs: Sequence[Expr], slopes: bool = False) -> list[Jet]:
        """Enclosures over a box; `slopes`: with derivatives by all variables."""
        n = len(box)
        ways = [[arb(int(i == j)) for j in range(n)] if slopes else None for i in range(n)]
        own = [(x, [rate * e for e in ways[-1] or ()] if slopes and rate is not None else None) for x, rate in self.numbers(box[-1])]
        return jets(outputs, list(zip(box, ways, strict=True)), [*own, *jets(self.late, [], own)])

    def zero(self, near: np.ndarray) -> list[Any] | None:
        """A box, as small as the digits allow, that holds the only zero in a box round `near` (n, 2), which is there; None if that is not
        proved.
        """
        if len(self.problem.rows) != len(near):
            return None
        try:
            for width in _WIDTHS:
                box = [_round(lo, hi, width) for lo, hi in near.tolist()]
                mapped = self._mapped(box)
                if mapped is not None and all(x.contains_interior(y) for x, y in zip(box, mapped, strict=True)):
                    return self._smaller(mapped)
        except Unsupported:
            pass
        return None

    def _smaller(self, box: list[Any]) -> list[Any]:
        least = arb(2) ** -ctx.prec
        for _ in range(_ROUNDS):
            mapped = self._mapped(box)
            if mapped is None:
                break
            new = [x.intersection(y) for x, y in zip(box, mapped, strict=True)]
            if not any(2 * y.rad() < x.rad() and x.rad() > least * (1 + abs(x)) for x, y in zip(box, new, strict=True)):
                return new
            box = new
        return box

    def _mapped(self, box: Sequence[Any]) -> list[Any] | None:
        """Krawczyk's operator; None where it has no value."""
        n, middle = len(box), [x.mid() for x in box]
        rows = self.at(box, self.problem.rows, slopes=True)
        j = arb_mat(n, n, [e for _, g in rows for e in g or [arb(0)] * n])
        f = arb_mat(n, 1, [y for y, _ in self.at(middle, self.problem.rows)])
        c = _inverse(j) if _finite(j) and _finite(f) else None
        if c is None:
            return None
        one = arb_mat(n, n, [int(k % (n + 1) == 0) for k in range(n * n)])
        off = arb_mat(n, 1, [x - m for x, m in zip(box, middle, strict=True)])
        return (arb_mat(n, 1, middle) - c * f + (one - c * j) * off).entries()


def _finite(m: Any) -> bool:
    return all(e.is_finite() for e in m.entries())


def _inverse(j: Any) -> Any | None:
    """About that of the middle of a matrix."""
    n = j.nrows()
    try:
        found = arb_mat(n, n, [e.mid() for e in arb_mat(n, n, [e.mid() for e in j.entries()]).inv().entries()])
    except ZeroDivisionError:
        return None
    return found if _finite(found) else None


def _round(lo: float, hi: float, width: int) -> Any:
    """A ball that holds two doubles, and some more."""
    middle = (arb(lo) + arb(hi)) / 2
    return middle.mid() + arb(0, max(hi - lo, 0.0)) + arb(0, (1 + abs(middle)).upper()) * arb(2) ** width
