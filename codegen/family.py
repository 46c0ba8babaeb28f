"""Shape families: the numbers of a formula as parameters, so that a hundred equal fruits compile once.

Two formulas of one family differ only in their rational constants. `family` replaces those by parameters and returns their enclosures; formulas
of one family then have equal graphs, and so share machine code. The signs of the numbers stay part of the family (a number is
the absolute value of its parameter, or minus that): a factor known to be nonnegative is cheaper to multiply by. Small integers and
halves, which are structure rather than data, stay constants.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .expr import Expr, ExprPool, reachable
from .reference import enclose_constant

_STRUCTURE = frozenset(Fraction(k, 2) for k in (-4, -2, -1, 0, 1, 2, 4))


class Family(NamedTuple):
    """`outputs` in variables and `len(lo)` parameters; lo and hi (p,) enclose the numbers of this member."""

    outputs: list[Expr]
    lo: np.ndarray
    hi: np.ndarray


def family(outputs: Sequence[Expr]) -> Family:
    """The family of a graph without parameters of its own, in a pool of its own, and the member's numbers."""
    pool = ExprPool()
    built: dict[int, Expr] = {}
    numbers: list[Expr] = []
    for e in reachable(outputs):
        if e.op == "parameter":
            raise ValueError("the graph has parameters already; a family makes its own")
        if _is_data(e):
            size = pool.node("abs", pool.parameter(len(numbers)))
            built[e.index] = size if e.value > 0 else pool.neg(size)
            numbers.append(e)
        else:
            built[e.index] = pool.restore(e.op, tuple(built[a.index] for a in e.args), e.value)
    bounds = np.array([enclose_constant(pool.constant(abs(e.value))) for e in numbers]).reshape(-1, 2)
    return Family([built[e.index] for e in outputs], bounds[:, 0], bounds[:, 1])


def _is_data(e: Expr) -> bool:
    return e.op == "constant" and isinstance(e.value, Fraction) and e.value not in _STRUCTURE
