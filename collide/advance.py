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
from codegen.rigid_directions import FIXED, TURNED, TURNING, rigid_time_bound

# Operations that may be less than differentiable somewhere.
_ROUGH = frozenset(LEVEL) | {"where", "undefined", "guarded"}


@dataclass(frozen=True, eq=False)
class Advance:
    """The kernel of the bounds, and the address of the function that makes a time of them."""

    kernel: Kernel
    bound: int


def advance_kernel(equations: Sequence[Expr], variables: Sequence[str], time: int, parameters: int = 0, quick: bool = False) -> Advance:
    """Bounds for the common zeros of `equations`, nodes of one pool in so many variables, number `time` the time,
    and parameters.
    """
    n = len(variables)
    pool = equations[0].pool
    x = [pool.variable(k) for k in range(n)]
    centre = [pool.variable(n + k) for k in range(n)]
    start = [*x[:time], centre[time], *x[time + 1:]]
    others = [k for k in range(n) if k != time]
    columns = _columns(equations, x)
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
    if rough(equations):
        for guard in [*equations, *(e for column in columns for e in column)]:
            outputs[2 * m:3 * m] = [pool.trusted(e, guard, 3) for e in outputs[2 * m:3 * m]]
    return Advance(_kernel(outputs, variables, parameters, quick), time_bound(n, time, m, pairs, quick))


@dataclass(frozen=True, eq=False)
class Moving:
    """A rigid body on a graph: points `local` of so many variables of their own, at rotation local + translation in the
    world, which are nodes of the time.
    """

    local: Sequence[Expr]
    rotation: Sequence[Expr]
    translation: Sequence[Expr]
    own: Sequence[int]


def rigid_advance(bodies: tuple[Moving, Moving], variables: Sequence[str], parameters: int = 0, quick: bool = False) -> Advance:
    """Bounds for the contact of two rigid bodies; the last variable is the time."""
    n = len(variables)
    pool = bodies[0].local[0].pool
    x = [pool.variable(k) for k in range(n)]
    centre = [pool.variable(n + k) for k in range(n)]
    moment = [*x[:-1], centre[-1]]
    outputs: list[Expr] = []
    pairs: list[tuple[int, int]] = []
    smooth: list[Expr] = []
    motions: list[Expr] = []
    for body in bodies:
        slopes = _columns(body.local, [x[k] for k in body.own])
        outputs += [*body.local, *_substitute(body.local, centre), *(e for column in slopes for e in _substitute(column, centre))]
        smooth += [*body.local, *(e for column in slopes for e in column)]
        for i, column in zip(body.own, slopes, strict=True):
            for j, second in zip(body.own, _columns(column, [x[k] for k in body.own]), strict=True):
                if i <= j and any(_depends(e) for e in second):
                    pairs.append((i, j))
                    outputs += second
    turns = [_turn(body.rotation) for body in bodies]
    for body, turn, sign in zip(bodies, turns, (1, -1), strict=True):
        matrix = [e if sign > 0 else -e for e in body.rotation]
        if turn != FIXED:
            outputs += _substitute(matrix, moment)
        if turn == TURNING:
            (speed,) = _columns(matrix, x[-1:])
            outputs += [*_substitute(speed, moment), *_columns(speed, x[-1:])[0], *matrix]
            motions += [*matrix, *speed]
    shift = [a - b for a, b in zip(bodies[0].translation, bodies[1].translation, strict=True)]
    (speed,) = _columns(shift, x[-1:])
    outputs += [*_substitute(shift, moment), *_substitute(speed, moment), *_columns(speed, x[-1:])[0], *shift]
    motions += [*shift, *speed]
    if rough(motions):
        for guard in motions:
            outputs[3:6] = [pool.trusted(e, guard, 3) for e in outputs[3:6]]
    if rough(smooth):
        doubt = pool.constant(0)
        for guard in smooth:
            doubt = pool.trusted(doubt, guard, 3)
        outputs.append(doubt)
    owners = [0 if k in bodies[0].own else 1 for k in range(n - 1)]
    return Advance(_kernel(outputs, variables, parameters, quick), rigid_time_bound(owners, turns, pairs, rough(smooth), quick))


def _columns(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """One list of derivatives a variable."""
    rows = partials(outputs, variables)
    return [[row[k] for row in rows] for k in range(len(variables))]


def _turn(rotation: Sequence[Expr]) -> int:
    if all(e.op == "constant" and e.value == int(k % 4 == 0) for k, e in enumerate(rotation)):
        return FIXED
    return TURNING if any(e.op == "variable" for e in reachable(rotation)) else TURNED


def _kernel(outputs: Sequence[Expr], variables: Sequence[str], parameters: int, quick: bool) -> Kernel:
    names = [*variables, *(f"{name} at the centre" for name in variables)]
    return Kernel(outputs, names, [f"p{k}" for k in range(parameters)], quick=quick)


def rough(outputs: Sequence[Expr]) -> bool:
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
