"""Conditions at the least value of one variable (the objective) of a contact, over intervals of further ones: the time, or parameters.

Two parts meet where E(w, q, o) = 0; w are their own parameters, o is the objective and q are further variables, each in an interval. Where
o is least and the rows of dE/dw are dependent, c . dE/dw = 0 for some c, which is unique up to its length where their rank is one less
than they are. Then do/dq = -(c . E_q) / (c . E_o), and each q is at the lower end of its interval where that is positive, at the upper end
where it is negative, or it is zero (Fritz John 1948): max(min(q - lo, k do/dq), q - hi) = 0, whatever the factor k > 0. Where k is large
this says q = lo, or q = hi, as soon as the sign of do/dq is known, so a contraction moves q to its end at once.

A vector c that vanishes somewhere says nothing there, which is safe; so does a division by zero. The rows are used where the parts are
differentiable in all variables on the whole box.
"""

import functools
from collections.abc import Sequence
from typing import Any

import sympy as sp

from codegen.graph.expr import Expr
from codegen.graph.vectors import cross
from codegen.kernel import Kernel
from generative.symbols import exact

from ..bodies.numbers import Numbers
from ..search.problem import Problem, formula_kernel
from .frame import Frame
from .place import Placed

# How much faster the objective changes than across its interval, per interval of a further variable, where k do/dq is as long as that.
_STEEP = 2**20


def ends_of(further: tuple[str, ...], spans: Sequence[tuple[Any, Any]]) -> Numbers:
    """The numbers that stand in `stationary`: both ends of the interval of each variable but the last, the objective, and its k."""
    size = _length(spans[-1])
    values = [e for lo, hi in spans[:-1] for e in (lo, hi, sp.Rational(float(_STEEP * _length((lo, hi)) / size)))]
    return Numbers(symbols_of(further), [exact(e) for e in values])


def stationary(a: Placed, b: Placed, equations: Sequence[Expr], frame: Frame) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """One row a further variable q but the objective o, and do/dq; none where c is not known."""
    c = _dependent(a, b, equations, frame)
    if not c:
        return (), ()
    *others, objective = (_by(c, equations, frame, frame.beyond(name)) for name in frame.further)
    known, symbols = frame.known(3), symbols_of(frame.further)
    rows, slopes = [], []
    for k, (name, slope) in enumerate(zip(frame.further, others, strict=False)):
        q, (lo, hi, steep) = frame.beyond(name), (known[s] for s in symbols[3 * k:3 * k + 3])
        pool = frame.pool
        slope = -(slope / objective)
        row = pool.node("max", pool.node("min", q - lo, steep * slope), q - hi)
        for f in dict.fromkeys([e for p in (a, b) for e in (p.values or p.position)]):
            row, slope = pool.trusted(row, f, 3), pool.trusted(slope, f, 3)
        rows.append(row)
        slopes.append(slope)
    return tuple(rows), tuple(slopes)


def slope_kernel(problem: Problem) -> Kernel | None:
    """Bounds of do/dq at what may be a least objective in a box, of all further variables but the objective; None where none are known."""
    if "slope kernel" not in problem.built:
        problem.built["slope kernel"] = (formula_kernel(problem.slopes, problem.variables, len(problem.parameters))
                                         if problem.slopes else None)
    found: Kernel | None = problem.built["slope kernel"]
    return found


@functools.lru_cache(maxsize=256)
def symbols_of(further: tuple[str, ...]) -> tuple[Any, ...]:
    """The symbols of the numbers in `ends_of`."""
    return tuple(sp.Symbol(f"{end} of {name}", real=True) for name in further[:-1] for end in ("begin", "end", "factor"))


def _length(span: tuple[Any, Any]) -> float:
    return float(span[1]) - float(span[0])


def _by(c: Sequence[Expr], equations: Sequence[Expr], frame: Frame, variable: Expr) -> Expr:
    (column,) = frame.derivatives(equations, [variable])
    first, *rest = (x * e for x, e in zip(c, column, strict=True))
    return sum(rest, first)


def _dependent(a: Placed, b: Placed, equations: Sequence[Expr], frame: Frame) -> tuple[Expr, ...]:
    """c, at points where the rows of dE/dw are dependent; none where one vector does not tell all that may be."""
    if len(equations) == 1:
        return (frame.pool.constant(1),)
    if "angle" in frame.names:
        angle = frame.pool.variable(frame.names.index("angle"))
        return frame.pool.node("cos", angle), frame.pool.node("sin", angle)
    if len(equations) == 3 and len(frame.names) == 4:
        return tuple(b.outward[0])
    columns = frame.derivatives(equations, [*a.own, *b.own])
    if len(equations) == 2 and columns:
        return columns[0][1], -columns[0][0]
    if len(equations) == 3 and len(columns) > 1:
        p, q = ((column[0], column[1], column[2]) for column in columns[:2])
        return cross(p, q)
    return ()
