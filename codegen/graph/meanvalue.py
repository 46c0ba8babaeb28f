"""The mean-value form on the expression graph: f(c) + f'(X)(X - c), intersected with the natural extension.

It holds where f is continuous on the whole box with a derivative enclosure that contains Clarke's gradient
(Lebourg's mean-value theorem), so the node `refined` intersects only where the decoration of f is at least 2, and
keeps the natural extension elsewhere.
"""

from collections.abc import Sequence
from fractions import Fraction

from .autodiff import partials
from .expr import Expr
from .expr import substitute as substitute


def mean_value_form(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """Each output f as ``refined(f, f(c) + sum_j df/dx_j (X) (x_j - c_j))``, c the midpoint of the box; one of no variable as it is."""
    if not outputs:
        return []
    pool = outputs[0].pool
    centres = [pool.node("midpoint", v) for v in variables]
    at_centre = substitute(outputs, dict(zip((v.index for v in variables), centres, strict=True)))
    refined = []
    for f, value, row in zip(outputs, at_centre, partials(outputs, variables), strict=True):
        total = value
        for slope, x, c in zip(row, variables, centres, strict=True):
            if not (slope.op == "constant" and slope.value == 0):
                total = total + slope * pool.node("sub", x, c)
        refined.append(f if total is f else pool.node("refined", f, total))
    return refined


def second_order_form(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """Each output f as ``refined(f, f(c) + f'(c) (X - c) + (X - c)^T f''(X) (X - c) / 2)``, c the midpoint of the box.

    Taylor's theorem, where f has level 3 on the whole box; elsewhere the natural extension. Where f is nearly constant though its
    parts are not, the excess is of third order in the size of the box.
    """
    if not outputs:
        return []
    pool = outputs[0].pool
    centres = [pool.node("midpoint", v) for v in variables]
    at = dict(zip((v.index for v in variables), centres, strict=True))
    steps = [pool.node("sub", x, c) for x, c in zip(variables, centres, strict=True)]
    result = []
    for f, row in zip(outputs, partials(outputs, variables), strict=True):
        total, *slopes = substitute([f, *row], at)
        for slope, step in zip(slopes, steps, strict=True):
            total = total + slope * step
        for i, second in enumerate(partials(row, variables)):
            total = total + pool.constant(Fraction(1, 2)) * second[i] * pool.power_integer(steps[i], 2)
            for j in range(i):
                total = total + second[j] * steps[i] * steps[j]
        result.append(pool.node("refined", f, pool.trusted(total, f, 3)))
    return result
