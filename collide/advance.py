"""When can a contact in a box begin? The bounds that the fast method needs of a problem, as one kernel.

The kernel evaluates the equations E and their derivatives where `codegen.directions.time_bound` wants them: at the
centre of the box, over the box at the beginning of its window of time, and over box and window. Its variables are
those of the problem, followed by as many that hold the centre and, in the place of the time, the beginning.

Borders, corners and poles of a surface need nothing special here: Taylor's theorem holds on the closed box, and no
condition but E = 0 is used. So it bounds the time of *any* contact of the closed surfaces in the box.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from codegen.autodiff import partials
from codegen.directions import time_bound
from codegen.expr import Expr, reachable
from codegen.kernel import Kernel
from codegen.operations import LEVEL

# Operations that may be less than differentiable somewhere.
_ROUGH = frozenset(LEVEL) | {"where", "undefined", "guarded"}


@dataclass(frozen=True, eq=False)
class Advance:
    """The kernel of the bounds, and the address of the function that makes a time of them."""

    kernel: Kernel
    bound: int


def advance_kernel(equations: Sequence[Expr], variables: Sequence[str], time: int, parameters: int = 0) -> Advance:
    """Bounds for the common zeros of `equations`, nodes of one pool in so many variables, number `time` the time,
    and parameters.
    """
    n = len(variables)
    pool = equations[0].pool
    x = [pool.variable(k) for k in range(n)]
    centre = [pool.variable(n + k) for k in range(n)]
    start = [*x[:time], centre[time], *x[time + 1:]]
    others = [k for k in range(n) if k != time]
    slopes = partials(equations, x)
    columns = [[row[k] for row in slopes] for k in range(n)]
    curvature = {k: partials(columns[k], x) for k in range(n)}
    pairs = [(i, j) for i in others for j in others if i <= j and any(_depends(row[j]) for row in curvature[i])]
    outputs = [*equations,
               *_substitute(equations, start),
               *_substitute(equations, centre),
               *(e for k in others for e in _substitute(columns[k], centre)),
               *(e for i, j in pairs for e in _substitute([row[j] for row in curvature[i]], start)),
               *_substitute(columns[time], start),
               *(row[time] for row in curvature[time])]
    m = len(equations)
    if _rough(equations):
        for guard in [*equations, *(e for column in columns for e in column)]:
            outputs[2 * m:3 * m] = [pool.trusted(e, guard, 3) for e in outputs[2 * m:3 * m]]
    names = [*variables, *(f"{name} at the centre" for name in variables)]
    return Advance(Kernel(outputs, names, [f"p{k}" for k in range(parameters)]), time_bound(n, time, m, pairs))


def _rough(outputs: Sequence[Expr]) -> bool:
    """May a function or its derivatives fail to be differentiable somewhere?"""
    variable: set[int] = set()
    for e in reachable(outputs):
        if e.op in ("variable", "parameter") or any(a.index in variable for a in e.args):
            variable.add(e.index)
            if e.op in _ROUGH:
                return True
    return any(e.op == "undefined" for e in reachable(outputs))


def _depends(e: Expr) -> bool:
    """Is it anything but the constant 0?"""
    return not (e.op == "constant" and e.value == 0)


def _substitute(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """The same formulas of other nodes in the place of their variables."""
    pool = outputs[0].pool
    image: dict[int, Expr] = {}
    for e in reachable(outputs):
        if e.op == "variable":
            image[e.index] = variables[e.value]
        else:
            image[e.index] = pool.restore(e.op, tuple(image[a.index] for a in e.args), e.value)
    return [image[e.index] for e in outputs]
