"""`collide.solve` and `collide.minimize` on the published problems of `tests.problems`, peers' figures beside them.

The milliseconds are of the second call: building the problem from SymPy and searching, with the machine code at hand.
"""

import time
from collections.abc import Callable
from typing import Any

import sympy as sp

import collide
from tests import problems

from .timing import table

# ibexsolve (C++), measured on a machine of the same kind, both roots certified.
_IBEX = {"Broyden tridiagonal 5": 15.0, "Broyden tridiagonal 10": 24.0, "Broyden tridiagonal 20": 56.0, "Broyden tridiagonal 40": 202.0}


def milliseconds(call: Callable[[], Any], rounds: int = 5) -> tuple[Any, float]:
    """The result, and the least of several times after a first call that compiles."""
    result, best = call(), float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return result, 1e3 * best


def main() -> None:
    rows = []
    for s in [*problems.systems(), problems.broyden(40)]:
        r, ms = milliseconds(lambda s=s: collide.solve(s.equations, s.domain, at_least=s.at_least))
        rows.append([s.name, len(s.domain), ms, r.iterations, s.count, len(r), int(r.proved.sum()), _IBEX.get(s.name, "")])
    table("All zeros of a system", ["problem", "n", "ms", "boxes", "zeros", "found", "proved", "ibexsolve ms"], rows)
    rows = []
    for p in problems.programs():
        m, ms = milliseconds(lambda p=p: collide.minimize(p.objective, p.domain, equal=p.equal, at_least=p.at_least))
        known = float(sp.N(sp.sympify(p.minimum)))
        rows.append([p.name, len(p.domain), ms, m.iterations, f"{known:.8g}", f"{m.bracket.hi - m.bracket.lo:.1e}", m.status.name])
    table("Global constrained minimization, bracket of 1e-8", ["problem", "n", "ms", "boxes", "minimum", "bracket width", "status"], rows)
