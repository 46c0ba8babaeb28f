"""The distance of two parts of bodies as a problem for the search, and what holds where it is least.

A part is a set of points p(w) of parameters or coordinates w, with equations F(w) = 0 where it is implicit. With D = p1 - p2, the distance
d is one more variable, with the equation D . D = d^2, and the search looks for its least value. Where that is in the inside of a part, D is
at right angles to the part's tangents there: dp/dw for a parametric one; of a face F = 0 two vectors at right angles to the gradient, of
an edge the one that it has; of a vertex none. So there are as many equations as variables.

The time, and parameters of bodies, may be variables, too. With the multipliers of Lagrange l, that is D . dD/dw = l . dF/dw solved by
least squares, d/dq of half the square of the distance is then D . dD/dq - l . dF/dq at a critical distance for each of these q. It is zero
inside the range of q, not negative at its lower end and not positive at its upper end, as in `stationary`.

Parametric parts are closed: at an end of a parameter the condition is multiplied by the distances to both ends, so that it holds on the
border as well, and borders need no problems of their own. Implicit parts end where others begin, which are looked at as well: a least
distance at the border of a face is one of an edge or a vertex. So no least distance is lost, whatever the parts. The conditions are used in
boxes where the parts are differentiable throughout.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import bounds
from codegen.from_sympy import convert
from codegen.graph.expr import Expr
from codegen.graph.vectors import Vector, cross, dot, subtract
from codegen.kernel import Kernel

from ..bodies.cells import Cell, whole_of
from ..bodies.numbers import Numbers, both
from ..bodies.on_face import held_of
from ..search.problem import PROBLEMS, Problem, formula_kernel
from .contact import with_numbers
from .frame import Frame, all_of, as_vector
from .place import Placed, PlacedParametric
from .placed_implicit import PlacedImplicit, coordinates_of

DISTANCE = "distance"

Free = tuple[tuple[str, ...], ...]
# What stands for the moment that is asked about.
_MOMENT = sp.Symbol("moment", real=True)
# Samples of nearest points are spread by a point between both, which all variables move: so much of it is the first one.
_SHARE = sp.Rational(3, 5)
# Three directions at right angles to each other, see `_along`.
_AXES = sp.symbols("axis:9", real=True)


def nearest(first: Cell, second: Cell, numbers: tuple[Numbers, Numbers], time: tuple[Any, Any], reach: float, label: tuple[int, int],
            many: bool, way: tuple[float, ...], ranges: Mapping[str, tuple[Any, Any]], free: Free, critical: bool = True) -> Problem:
    """The least distance, of at most `reach`, of two parts within a time span, or at one moment where both ends are the same. `many`: the
    numbers in its formulas are parameters, so that kernels are shared. `way` is about the direction of the nearest points. `ranges`: of
    those numbers that are variables, by their names there, of which `free` has one for each number of the first and of the second body, ""
    for others. Without `critical` there are no conditions of a critical distance: then implicit parts are closed, too.
    """
    still, axes = time[0] == time[1], axes_across(way) if first.leaves or second.leaves else ()
    further = (*ranges, *(() if still else ("t",)))
    spans = [*ranges.values(), *([] if still else [time])]
    known = _known(axes, further, tuple(e for span in spans for e in span), (time[0],) if still else ())
    free = tuple((*names, *("" for _ in part.own.symbols)) for names, part in zip(free, (first, second), strict=False))
    build, all_ = _member if many else _situation, (both(numbers[0], first.own), both(numbers[1], second.own), known)
    whole = build(_kind(first), _kind(second), tuple(n.symbols for n in all_), further, free,
                  critical)
    whole = with_numbers(whole, all_, *spans, (0, 1)).with_data(features=(first.feature, second.feature))
    outer, inner = whole.outer.copy(), whole.inner.copy()
    outer[-1] = inner[-1] = 0.0, reach
    return whole.with_data(outer=outer, inner=inner, label=label)


@functools.lru_cache(maxsize=256)
def _known(axes: tuple[float, ...], further: tuple[str, ...], ends: tuple[Any, ...], moment: tuple[Any, ...]) -> Numbers:
    """The numbers that problems of all parts of two bodies share: directions, the ends of ranges, and the moment, if there is one."""
    return Numbers((*_AXES[:len(axes)], *ends_of(further), *((_MOMENT,) if moment else ())), (*axes, *ends, *moment))


def _kind(part: Cell) -> Cell:
    """The formulas of a part; triangles of a mesh have them in common."""
    return whole_of(part) if part.of is not None else part


@functools.lru_cache(maxsize=256)
def ends_of(further: tuple[str, ...]) -> tuple[Any, ...]:
    """The symbols of the ends of the ranges of further variables."""
    return tuple(sp.Symbol(f"{end} of {name}", real=True) for name in further for end in ("begin", "end"))


def both_points(problem: Problem) -> Kernel:
    """The points of both parts in space, of such a problem or of a contact."""
    if "both points" not in problem.built:
        points = list(problem.image)
        if problem.gap:
            shares = (problem.gap[0].pool.constant(share) for share in (1 - _SHARE, -_SHARE))
            points = [a + share * b for share in shares for a, b in zip(problem.image[:3], problem.gap[:3], strict=True)]
        problem.built["both points"] = formula_kernel(points, problem.variables, len(problem.parameters))
    found: Kernel = problem.built["both points"]
    return found


@PROBLEMS.cached
def _member(*kind: Any) -> Problem:
    written = _written(*kind, literal=True)
    found = written.as_member()
    written.equations[0].pool.release()
    return found


@PROBLEMS.cached
def _situation(*kind: Any) -> Problem:
    return _written(*kind, literal=False)


def _written(first: Cell, second: Cell, symbols: tuple[tuple[Any, ...], ...], further: tuple[str, ...], free: Free, critical: bool,
             *, literal: bool) -> Problem:
    frame = Frame(sum(map(_variables, (first, second))), (0, 1), literal=literal, symbols=symbols, asked="t" not in further,
                  further=(*further, DISTANCE), free=free)
    a, b = _placed(first, frame, 1), _placed(second, frame, 2)
    apart = subtract(a.position, b.position)
    functions = [*a.position, *b.position, *a.values, *b.values]
    variables = [frame.variable(name, (0, 1)) for name in further]
    rows = _conditions(((a, first), (b, second)), apart, dict(zip(further, variables, strict=True)), frame) if critical else []
    distance = frame.variable(DISTANCE, (0, 1))
    equations = (dot(apart, apart) - frame.pool.power_integer(distance, 2), *a.values, *b.values)
    conditions = [*a.conditions(), *b.conditions()]
    outer, inner = bounds([(0, 1)] * len(frame.names))
    share = frame.pool.constant(_SHARE)
    between = [p - (1 - share) * d for p, d in zip(a.position, apart, strict=True)]
    return Problem(
        tuple(frame.names), outer, inner, equations=equations, necessary=tuple(_trusted(row, functions) for row in rows),
        feasible=all_of(frame.pool, conditions) if conditions else None, objective=len(frame.names) - 1, period=np.array(frame.periods),
        polar=np.array(frame.polar), image=(*between, *between), fast=True, gap=(*apart, *a.values, *b.values),
        parameters=np.array(frame.values).reshape(-1, 2), features=(first.feature, second.feature), held=(held_of(first), held_of(second)),
        ends=tuple(frame.ends), slots=frame.slots, late=frame.late, hulls=tuple(frame.hulls))


def _variables(part: Cell) -> int:
    return coordinates_of(part) if part.leaves else part.dimension


def _placed(part: Cell, frame: Frame, side: int) -> Placed:
    return PlacedImplicit(part, frame, side) if part.leaves else PlacedParametric(part, frame, side)


def _trusted(row: Expr, functions: Sequence[Expr]) -> Expr:
    """The row where all functions are differentiable on the whole box, the whole line elsewhere."""
    for f in dict.fromkeys(functions):
        row = row.pool.trusted(row, f, 3)
    return row


# -- conditions -------------------------------------------------------------------------------------------------------


def _conditions(parts: tuple[tuple[Placed, Cell], tuple[Placed, Cell]], apart: Vector, further: Mapping[str, Expr],
                frame: Frame) -> list[Expr]:
    """The conditions of a critical distance of two parts, with these further variables."""
    rows, placed = [row for own, cell in parts for row in _critical(own, cell, apart, frame)], (parts[0][0], parts[1][0])
    for name, q in further.items():
        begin, end = (frame.known(3)[s] for s in ends_of((name,)))
        rows.append((q - begin) * (end - q) * _rate(placed, apart, q, frame))
    return rows


def _critical(placed: Placed, part: Cell, apart: Vector, frame: Frame) -> list[Expr]:
    """Functions that are zero where the distance is critical: as many as the part has dimensions."""
    if isinstance(placed, PlacedParametric):
        slopes = frame.derivatives(placed.position, placed.own)
        return [_within(placed, part, k, frame) * dot(apart, (d[0], d[1], d[2])) for k, d in enumerate(slopes)]
    if part.dimension == 2:
        return _along(apart, placed.outward[0], frame)
    return [dot(apart, tangent) for tangent in placed.tangents]


def _within(placed: PlacedParametric, part: Cell, k: int, frame: Frame) -> Expr:
    """The distances of parameter k to the ends of its domain at which the part ends, multiplied."""
    total = frame.pool.constant(1)
    if part.periods[k] == 0.0:
        lo, hi = convert(part.domain[k], placed.known, frame.pool)
        total = (placed.own[k] - lo) * (hi - placed.own[k])
    return total


def _rate(parts: tuple[Placed, Placed], apart: Vector, q: Expr, frame: Frame) -> Expr:
    """The derivative of half the square of a critical distance by a further variable."""
    (column,) = frame.derivatives([*apart], [q])
    total = dot(apart, as_vector(column))
    for placed in parts:
        (pulls,) = frame.derivatives(placed.values, [q]) if placed.values else ([],)
        if any(not _is_zero(e) for e in pulls):
            total = total - _by_multipliers(placed, apart, pulls, frame)
    return total


def _by_multipliers(placed: Placed, apart: Vector, pulls: Sequence[Expr], frame: Frame) -> Expr:
    """l . F_q, where J^T l = D . dD/dw with J = dF/dw: l = (J J^T)^-1 J (D . dD/dw), by Cramer's rule. Where J has not its full rank, this
    divides by zero, which says nothing.
    """
    columns = frame.derivatives(placed.values, placed.own)
    slopes = [dot(apart, as_vector(d)) for d in frame.derivatives([*apart], placed.own)]
    rows = [[column[k] for column in columns] for k in range(len(placed.values))]
    gram = [[_sum(x * y for x, y in zip(p, q, strict=True)) for q in rows] for p in rows]
    right = [_sum(x * y for x, y in zip(p, slopes, strict=True)) for p in rows]
    replaced = [[[*row[:k], r, *row[k + 1:]] for row, r in zip(gram, right, strict=True)] for k in range(len(rows))]
    return _sum(_determinant(m) * e for m, e in zip(replaced, pulls, strict=True)) / _determinant(gram)


def _determinant(m: Sequence[Sequence[Expr]]) -> Expr:
    if len(m) == 1:
        return m[0][0]
    if len(m) == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    p, q, r = map(as_vector, m)
    return dot(p, cross(q, r))


def _sum(terms: Iterable[Expr]) -> Expr:
    first, *rest = terms
    return sum(rest, first)


def _is_zero(e: Expr) -> bool:
    return e.op == "constant" and e.value == 0


def _along(apart: Vector, normal: Vector, frame: Frame) -> list[Expr]:
    """Products with two vectors at right angles to a normal g: the images of e1 and e2 under the reflection that takes g to -|g| k, for
    three directions k, e1, e2, which are parameters; except for a factor that vanishes only where g points against k. They are zero where D
    is parallel to g, whatever these directions; k is chosen at right angles to where D is expected to be.
    """
    length = frame.pool.node("sqrt", dot(normal, normal))
    known = [frame.known(3)[s] for s in _AXES]
    k, *others = (known[3 * i:3 * i + 3] for i in range(3))
    mirror = [g + length * c for g, c in zip(normal, k, strict=True)]
    size = length * (length + dot(normal, as_vector(k)))
    along = dot(as_vector(mirror), apart)
    return [dot(as_vector(e), apart) * size - dot(normal, as_vector(e)) * along for e in others]


@functools.lru_cache(maxsize=256)
def axes_across(given: tuple[float, ...]) -> tuple[float, ...]:
    """Three directions at right angles to each other, the first one also to a vector that is given."""
    way = np.array(given)
    # By a power of two, which changes no bits: of small bodies the squares are no doubles.
    way = np.ldexp(way, -int(np.frexp(np.abs(way).max())[1]))
    normal = way / (np.linalg.norm(way) or 1.0)
    k = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    k = k / (np.linalg.norm(k) or 1.0) if k.any() else np.array([0.36, 0.48, 0.8])
    first = np.cross(k, np.eye(3)[int(np.argmin(np.abs(k)))])
    first /= np.linalg.norm(first)
    return tuple(np.concatenate([k, first, np.cross(k, first)]).tolist())
