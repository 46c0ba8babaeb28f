"""The mean-value form on the expression graph, f(c) + f'(X)(X - c) for any c in X, intersected with the natural extension.

It holds where f is continuous on the whole box with a derivative enclosure that contains Clarke's gradient
(Lebourg's mean-value theorem), so the node `refined` intersects only where the decoration of f is at least 2, and
keeps the natural extension elsewhere.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from .autodiff import partials
from .expr import Expr, reachable
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


def bicentred_form(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """Each output f as ``refined`` by two mean-value forms: of a centre that makes the lower bound greatest, and of one that makes the
    upper bound least (Baumann 1988, Optimal centered forms).

    Where each derivative has one sign on the box, these centres are corners of it, where f is least and greatest: both bounds are those
    of f at a point.
    """
    refined: list[Expr] = []
    for f, row in zip(outputs, partials(outputs, variables), strict=True):
        slopes = [(x, slope) for x, slope in zip(variables, row, strict=True) if not (slope.op == "constant" and slope.value == 0)]
        for sign in (1, -1) if slopes else ():
            centres = {x.index: f.pool.node("centre", x, slope if sign > 0 else -slope) for x, slope in slopes}
            (total,) = substitute(outputs[len(refined):len(refined) + 1], centres)
            for x, slope in slopes:
                total = total + slope * f.pool.node("sub", x, centres[x.index])
            f = f.pool.node("refined", f, total)
        refined.append(f)
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


def divided_form(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """Bicentred forms of outputs. An output of one variable that occurs more than once in it, or in a part of it, has the hull of the
    forms over the eighths of its box.

    Each eighth holds a part of the values, and together they hold all. The excess of a mean-value form is of second order in the size of
    the box (Moore 1966, Chapter 6), so that of the hull is a 64th of it, and nothing but rounding in eighths where the derivative has one
    sign. A form is taken where the function is continuous on the box.
    """
    refined = bicentred_form(outputs, variables)
    return [_over_parts(f, form, variables) for f, form in zip(outputs, refined, strict=True)]


def _over_parts(f: Expr, form: Expr, variables: Sequence[Expr]) -> Expr:
    order = reachable([f])
    own = [v for v in variables if any(e is v for e in order)]
    if len(own) != 1 or len(order) > _MOST or not _repeats(order, own[0]):
        return form
    parts = [own[0]]
    for _ in range(_HALVINGS):
        middles = [f.pool.node("midpoint", p) for p in parts]
        parts = [f.pool.node(op, p, m) for p, m in zip(parts, middles, strict=True) for op in ("min", "max")]
    values = [_on(f, own[0], part) for part in parts]
    total = values[0]
    for value in values[1:]:
        total = f.pool.node("hull", total, value)
    return f.pool.node("refined", form, total)


def _repeats(order: Sequence[Expr], x: Expr) -> bool:
    """Whether x, or a part that depends on it, occurs more than once."""
    depends = {x.index}
    for e in order:
        if any(a.index in depends for a in e.args):
            depends.add(e.index)
    uses = Counter(a.index for e in order for a in e.args)
    return any(uses[index] > 1 for index in depends)


def _on(f: Expr, x: Expr, part: Expr) -> Expr:
    """The bicentred form of f over a part of the box of x."""
    return substitute(bicentred_form([f], [x]), {x.index: part})[0]


# Longer formulas are not divided: their code would be several times longer still.
_MOST, _HALVINGS = 60, 3
