"""Kernels of what polynomial models of the shape of a body are made of (`polynomial_models`, `tensor_models`)."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from ..graph.expr import Expr
from ..graph.polynomials import polynomial_degree
from ..kernel import Kernel
from .advance import columns, rough, substituted
from .moving_bodies import DeformingBody, MovingShape
from .polynomial_models import HIGHEST, Model, nodes
from .tensor_models import Tensor


def shape_kernel(body: MovingShape | DeformingBody, viewed: bool, parameters: int, bounded: bool = False) -> tuple[Kernel, Model]:
    """The kernel of a body's models: its variables are those of the body, then as many for their lower and for their upper ends."""
    d = len(body.own)
    outputs, model = _modelled(*_own_variables(body), range(d))
    return _kernel(outputs, d, parameters, bounded), model._replace(viewed=viewed)


def factors_kernel(body: MovingShape, parameters: int, bounded: bool = False) -> tuple[Kernel, Tensor]:
    """The same for products of functions of one parameter each: the outputs for both kinds one after the other."""
    shape, x, ends = _own_variables(body)
    count = 1 + max(i for i, _ in body.pairs)
    first, one = _modelled(shape[:count], x, ends, [0])
    second, two = _modelled(shape[count:], x, ends, [1])
    return _kernel([*first, *second], 2, parameters, bounded), Tensor(one, two, body.pairs)


def _kernel(outputs: Sequence[Expr], d: int, parameters: int, bounded: bool) -> Kernel:
    names = [f"x{k}{end}" for end in ("", " from", " to") for k in range(d)]
    return Kernel(outputs, names, [f"p{k}" for k in range(parameters)], quick=True, bounded=bounded)


def _own_variables(body: MovingShape | DeformingBody) -> tuple[list[Expr], list[Expr], list[tuple[Expr, Expr]]]:
    """The shape as functions of variables 0 to d - 1, these, and as many for both ends of each."""
    pool, d = body.shape[0].pool, len(body.own)
    x, ends = [pool.variable(k) for k in range(d)], [(pool.variable(d + k), pool.variable(2 * d + k)) for k in range(d)]
    renumbered: list[Expr | None] = [None] * (1 + max(body.own))
    for k, j in enumerate(body.own):
        renumbered[j] = x[k]
    return substituted(body.shape, renumbered), x, ends


def _modelled(shape: Sequence[Expr], x: Sequence[Expr], ends: Sequence[tuple[Expr, Expr]], by: Sequence[int]) -> tuple[list[Expr], Model]:
    """The parts of a model of functions of the variables number `by`."""
    pool = shape[0].pool
    degree = [polynomial_degree(shape, k) for k in by]
    degrees = tuple(int(min(found, HIGHEST)) for found in degree)
    left = {j: _derivatives(shape, x[k]) for j, k in enumerate(by) if degree[j] > HIGHEST}
    grid = [[_between(*ends[k], s) for s in nodes(p)] for k, p in zip(by, degrees, strict=True)]
    outputs = list(shape)
    for point in product(*grid):
        image: list[Expr | None] = list(x)
        for k, value in zip(by, point, strict=True):
            image[k] = value
        outputs += substituted(shape, image)
    outputs += [e for bends in left.values() for e in bends[HIGHEST + 1]]
    kinked = rough(shape)
    if kinked:
        doubt = pool.constant(0)
        for guard in [*shape, *(e for bends in left.values() for order in range(1, HIGHEST + 1) for e in bends[order])]:
            doubt = pool.trusted(doubt, guard, 3)
        outputs.append(doubt)
    return outputs, Model(degrees, tuple(left), kinked, len(shape))


def _between(lo: Expr, hi: Expr, s: Fraction) -> Expr:
    """The point at s of an interval, whose ends are at -1 and 1."""
    if abs(s) == 1:
        return lo if s < 0 else hi
    return lo * ((1 - s) / 2) + hi * ((1 + s) / 2)


def _derivatives(shape: Sequence[Expr], x: Expr) -> list[list[Expr]]:
    """The functions and their derivatives by x, up to the order of the remainder."""
    found = [list(shape)]
    for _ in range(HIGHEST + 1):
        found.append(columns(found[-1], [x])[0])
    return found
