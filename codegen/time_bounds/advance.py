"""Lower bounds of the time of contact in a box: the kernel of a problem that `conservative_advancement` needs.

The kernel evaluates the equations E and their derivatives where `codegen.time_bounds.directions.time_bound` wants them: at the
centre of the box, over the box at the beginning of its window of time, and over box and window. Its variables are
those of the problem, followed by as many that hold the centre and, in the place of the time, the beginning.

Borders, corners and poles of a surface need nothing special here: Taylor's theorem holds on the closed box, and no
condition but E = 0 is used. So it bounds the time of *any* contact of the closed surfaces in the box.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..emit.dispatch import LEVEL
from ..graph import lattices
from ..graph.autodiff import partials
from ..graph.expr import Expr, reachable
from ..graph.lattices import Bounds
from ..kernel import Kernel
from .directions import time_bound

# Operations that may be less than differentiable somewhere.
_ROUGH = frozenset(LEVEL) | {"where", "choice", "undefined", "restricted", "guarded", "inverse", "solution", "flow", "tricubic"}


@dataclass(frozen=True, eq=False)
class Advance:
    """The kernel of the bounds, and the address of the function that makes a time of them. `varying`: see `SeparableAdvance`."""

    kernel: Kernel
    bound: int
    varying: bool = True

    @property
    def all_kernels(self) -> tuple[Kernel, ...]:
        return (self.kernel,)


def advance_kernel(equations: Sequence[Expr], variables: Sequence[str], time: int, parameters: int = 0,
                   bounded: bool = False) -> Advance:
    """Bounds for the common zeros of `equations`, nodes of one pool in so many variables, number `time` the time,
    and parameters. `bounded`: see `Kernel`.
    """
    n = len(variables)
    pool = equations[0].pool
    x = [pool.variable(k) for k in range(n)]
    centre = [pool.variable(n + k) for k in range(n)]
    start = [*x[:time], centre[time], *x[time + 1:]]
    others = [k for k in range(n) if k != time]
    slopes = columns(equations, x)
    curvature = {k: partials(slopes[k], x) for k in range(n)}
    pairs = [(i, j) for i in others for j in others if i <= j and any(depends(row[j]) for row in curvature[i])]
    outputs = [*with_bounds(equations, Bounds.ROUGH),
               *with_bounds(substituted(equations, start), Bounds.ROUGH),
               *with_bounds(substituted(equations, centre), Bounds.POINT),
               *(e for k in others for e in with_bounds(substituted(slopes[k], centre), Bounds.POINT)),
               *(e for i, j in pairs for e in from_centre([row[j] for row in curvature[i]], start, centre)),
               *from_centre(slopes[time], start, centre),
               *with_bounds([row[time] for row in curvature[time]], Bounds.ROUGH)]
    m = len(equations)
    if rough(equations, twice=True):
        for guard in [*equations, *(e for column in slopes for e in column)]:
            outputs[2 * m:3 * m] = [pool.trusted(e, guard, 3) for e in outputs[2 * m:3 * m]]
    return Advance(bound_kernel(outputs, variables, parameters, bounded), time_bound(n, time, m, pairs, quick=True))


def guarded(values: Sequence[Expr], guards: Sequence[Expr]) -> list[Expr]:
    """The values where all guards are differentiable on the whole box, the whole line elsewhere."""
    if rough(guards):
        for guard in guards:
            values = [guard.pool.trusted(e, guard, 3) for e in values]
    return list(values)


def columns(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """One list of derivatives a variable."""
    rows = partials(outputs, variables)
    return [[row[k] for row in rows] for k in range(len(variables))]


def bound_kernel(outputs: Sequence[Expr], variables: Sequence[str], parameters: int, bounded: bool = False) -> Kernel:
    """A kernel of boxes of these variables, and of their centres."""
    names = [*variables, *(f"{name} at the centre" for name in variables)]
    return Kernel(outputs, names, [f"p{k}" for k in range(parameters)], quick=True, bounded=bounded)


def rough(outputs: Sequence[Expr], twice: bool = False) -> bool:
    """Whether a function or its derivatives may fail to be differentiable somewhere. `twice`: the function or its first derivatives."""
    variable: set[int] = set()
    for e in reachable(outputs):
        # What is bound runs over an interval too: the integral of a jump has a kink.
        if e.op in ("variable", "parameter", "bound") or any(a.index in variable for a in e.args):
            variable.add(e.index)
            if e.op in _ROUGH and not (twice and e.op == "tricubic" and not any(lattices.decoded(e.value)[0])):
                return True
    return any(e.op == "undefined" for e in reachable(outputs))


def with_bounds(outputs: Sequence[Expr], bounds: Bounds) -> list[Expr]:
    """The same, with other bounds of B-splines: of what is multiplied with squares of widths, of what tells nothing but boxes that are far
    from all contact, and of points.
    """
    image: dict[int, Expr] = {}
    for e in reachable(outputs):
        value = lattices.bounded(e.value, bounds) if e.op == "tricubic" else e.value
        image[e.index] = e.pool.restore(e.op, tuple(image[a.index] for a in e.args), value)
    return [image[e.index] for e in outputs]


def from_centre(outputs: Sequence[Expr], variables: Sequence[Expr], centre: Sequence[Expr]) -> list[Expr]:
    """The outputs of these variables, derivatives of B-splines by the mean-value theorem, from those at the centre: second ones are needed
    in any case.
    """
    order = reachable(outputs)
    places, middles = (dict(zip((e.index for e in order), substituted(order, by), strict=True)) for by in (variables, centre))
    image: dict[int, Expr] = {}
    for e in order:
        if e.op == "tricubic" and sum(lattices.decoded(e.value)[0]) == 1:
            at, middle = ([known[a.index] for a in e.args] for known in (places, middles))
            image[e.index] = e.pool.node("tricubic", *middle, value=lattices.bounded(e.value, Bounds.POINT))
            for k in range(3):
                value = lattices.raised(lattices.bounded(e.value, Bounds.ROUGH), k)
                image[e.index] += e.pool.node("tricubic", *at, value=value) * (at[k] - middle[k])
        elif e.op == "tricubic":
            bounds = Bounds.ROUGH if sum(lattices.decoded(e.value)[0]) > 1 else Bounds.CLOSE
            image[e.index] = e.pool.node("tricubic", *(image[a.index] for a in e.args), value=lattices.bounded(e.value, bounds))
        else:
            args = tuple(image[a.index] for a in e.args)
            image[e.index] = variables[e.value] if e.op == "variable" else e.pool.restore(e.op, args, e.value)
    return [image[e.index] for e in outputs]


def depends(e: Expr) -> bool:
    """Whether it is anything but the constant 0."""
    return not (e.op == "constant" and e.value == 0)


def substituted(outputs: Sequence[Expr], variables: Sequence[Expr | None]) -> list[Expr]:
    """The same formulas of other nodes in the place of their variables."""
    if not outputs:
        return []
    pool = outputs[0].pool
    image: dict[int, Expr] = {}
    for e in reachable(outputs):
        if e.op == "variable":
            new = variables[e.value]
            assert new is not None
            image[e.index] = new
        else:
            image[e.index] = pool.restore(e.op, tuple(image[a.index] for a in e.args), e.value)
    return [image[e.index] for e in outputs]
