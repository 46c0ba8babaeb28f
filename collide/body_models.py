"""Kernels of what Taylor models of the shape of a body are made of (`codegen.taylor_models`, `codegen.tensor_models`)."""

from collections.abc import Sequence
from itertools import product

from codegen.expr import Expr
from codegen.kernel import Kernel
from codegen.polynomials import polynomial_degree
from codegen.taylor_models import Model
from codegen.tensor_models import Tensor

from .advance import bound_kernel, columns, depends, rough, substituted
from .moving_bodies import Deforming, Moving

# Polynomials of up to this degree in each parameter are taken whole; of other surfaces, Taylor polynomials of this degree.
_HIGHEST, _TOTAL = 3, 3


def shape_kernel(body: Moving | Deforming, viewed: bool, parameters: int) -> tuple[Kernel, Model]:
    """The kernel of a body's Taylor models: its variables are those of the body, then as many for the centre."""
    d = len(body.own)
    outputs, model = _modelled(*_own_variables(body), range(d))
    return bound_kernel(outputs, [f"x{k}" for k in range(d)], parameters), model._replace(viewed=viewed)


def factors_kernel(body: Moving, parameters: int) -> tuple[Kernel, Tensor]:
    """The same for products of functions of one parameter each: the outputs for both kinds one after the other."""
    shape, x, centre = _own_variables(body)
    count = 1 + max(i for i, _ in body.pairs)
    first, one = _modelled(shape[:count], x, centre, [0])
    second, two = _modelled(shape[count:], x, centre, [1])
    return bound_kernel([*first, *second], ["x0", "x1"], parameters), Tensor(one, two, body.pairs)


def _own_variables(body: Moving | Deforming) -> tuple[list[Expr], list[Expr], list[Expr]]:
    """The shape as functions of variables 0 to d - 1, these, and as many for the centre."""
    pool, d = body.shape[0].pool, len(body.own)
    x, centre = [pool.variable(k) for k in range(d)], [pool.variable(d + k) for k in range(d)]
    renumbered: list[Expr | None] = [None] * (1 + max(body.own))
    for k, j in enumerate(body.own):
        renumbered[j] = x[k]
    return substituted(body.shape, renumbered), x, centre


def _modelled(shape: Sequence[Expr], x: Sequence[Expr], centre: Sequence[Expr], by: Sequence[int]) -> tuple[list[Expr], Model]:
    """What a Taylor model of functions of the variables number `by` is made of."""
    pool, d = shape[0].pool, len(by)
    derivatives = _Derivatives(shape, [x[k] for k in by])
    kinked = rough(shape)
    degrees = tuple(int(min(polynomial_degree(shape, k), _HIGHEST + 1)) for k in by)
    if not kinked and max(degrees) <= _HIGHEST:
        terms = list(product(*(range(p + 1) for p in degrees)))
        remainder: list[tuple[int, ...]] = []
    else:
        degrees = (_TOTAL,) * d
        terms = [i for i in product(range(_TOTAL + 1), repeat=d) if sum(i) <= _TOTAL]
        remainder = [i for i in product(range(_TOTAL + 2), repeat=d) if sum(i) == _TOTAL + 1]
    terms = [i for i in terms if sum(i) == 0 or any(map(depends, derivatives[i]))]
    remainder = [i for i in remainder if any(map(depends, derivatives[i]))]
    outputs = [*shape, *(e for i in terms for e in substituted(derivatives[i], centre)), *(e for i in remainder for e in derivatives[i])]
    if kinked:
        doubt = pool.constant(0)
        for guard in (e for i in terms for e in derivatives[i]):
            doubt = pool.trusted(doubt, guard, 3)
        outputs.append(doubt)
    return outputs, Model(degrees, tuple(map(_index, terms)), tuple(map(_index, remainder)), kinked, len(shape))


def _index(orders: tuple[int, ...]) -> tuple[int, int]:
    return orders[0], orders[1] if len(orders) > 1 else 0


class _Derivatives(dict[tuple[int, ...], list[Expr]]):
    """Partial derivatives by their orders, computed when first wanted."""

    def __init__(self, outputs: Sequence[Expr], x: Sequence[Expr]) -> None:
        super().__init__({(0,) * len(x): list(outputs)})
        self.x = x

    def __missing__(self, orders: tuple[int, ...]) -> list[Expr]:
        j = next(k for k, order in enumerate(orders) if order)
        lower = tuple(order - (k == j) for k, order in enumerate(orders))
        self[orders] = columns(self[lower], [self.x[j]])[0]
        return self[orders]
