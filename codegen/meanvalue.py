"""The mean-value form on the expression graph: f(c) + f'(X)(X - c), intersected with the natural extension.

It holds where f is continuous on the whole box with a derivative enclosure that contains Clarke's gradient
(Lebourg's mean-value theorem), so the node `refined` intersects only where the decoration of f is at least 2, and
keeps the natural extension elsewhere.
"""

from collections.abc import Sequence

from .autodiff import partials
from .expr import Expr
from .expr import substitute as substitute


def mean_value_form(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """Each output f as ``refined(f, f(c) + sum_j df/dx_j (X) (x_j - c_j))``, c the midpoint of the box."""
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
        refined.append(pool.node("refined", f, total))
    return refined
