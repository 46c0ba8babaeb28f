"""Degree of a graph as a polynomial in one of its variables."""

import math
from collections.abc import Sequence

from .expr import Expr, reachable


def polynomial_degree(outputs: Sequence[Expr], variable: int) -> int | float:
    """A bound of the degree of all outputs in the variable of this number; infinite unless they are seen to be polynomials in it,
    with coefficients that may depend on the other variables in any way.
    """
    degree: dict[int, int | float] = {}
    for e in reachable(outputs):
        d = [degree[a.index] for a in e.args]
        if e.op == "variable":
            own: int | float = int(e.value == variable)
        elif e.op in ("add", "sub", "neg"):
            own = max(d)
        elif e.op == "mul":
            own = sum(d)
        elif e.op == "fma":
            own = max(d[0] + d[1], d[2])
        elif e.op == "power_integer" and e.value >= 0:
            own = d[0] * e.value
        elif e.op == "either":
            own = d[0]
        elif e.op == "div":
            own = d[0] if d[1] == 0 else math.inf
        else:
            own = 0 if max(d, default=0) == 0 else math.inf
        degree[e.index] = own
    return max(degree[e.index] for e in outputs)
