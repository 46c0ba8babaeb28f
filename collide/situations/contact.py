"""Contact situations of two bodies as problems for the search: Snyder 1993, Sections 2 and 3.2 and Appendix A.

One rule makes them all. Two parts meet where some equations E(w, t) = 0 hold, w being the parameters (or coordinates) of
both. Where bodies that start apart first meet, and where both parts go on smoothly round that place, the matrix dE/dw
has dependent rows: otherwise the implicit function theorem would continue the solution to earlier times. For two faces
that says that the tangent planes agree (Eq. 2), for an edge and a face Eq. 9, for two implicit surfaces Eq. 5, for two
edges nothing. These necessary conditions are used where both parts are proved differentiable on the whole box, and at a
border only if other parts of the bodies cover it.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import bounds, enclose, framed
from codegen.from_sympy import convert
from codegen.graph.expr import Expr, reachable, substitute
from codegen.graph.vectors import Vector, cross, dot, subtract
from codegen.kernel import Kernel
from codegen.time_bounds.moving_bodies import Bodies, deforming
from generative import u, v

from ..bodies.cells import Cell
from ..bodies.numbers import NONE, Numbers
from ..bodies.on_face import held_of
from ..search.problem import DATA, PROBLEMS, Problem, formula_kernel
from .frame import Frame, all_of, any_of
from .place import Placed, PlacedParametric, contact_equations, in_world, place
from .placed_implicit import PlacedImplicit, coordinates_of
from .stationary import stationary
from .tracking import KnownContact

# Continuous operations with a kink.
_KINKS = ("abs", "min", "max")


@PROBLEMS.cached
def member(first: Cell, second: Cell, **options: Any) -> Problem:
    """The situation with its numbers as parameters: those of bodies of the same shapes share their kernels."""
    found = situation(first, second, literal=True, **options)
    known = any(options.get("symbols", ())[:2]) and not options.get("shared")
    return found if known else found.as_member()


@PROBLEMS.cached
def situation(first: Cell, second: Cell, time: tuple[Any, Any], *, tangency: bool = True, incoming: bool = False,
              tracked: tuple[KnownContact, ...] = (), label: tuple[int, int] = (0, 1), literal: bool = False,
              implied: bool = False, symbols: tuple[tuple[Any, ...], ...] = ((), ()), shared: int = 0,
              further: tuple[str, ...] = ("t",), free: tuple[tuple[str, ...], ...] = ()) -> Problem:
    """The earliest contact of two parts. The last variable is the time.

    `incoming`: only contacts towards which the bodies move, with opposed outward directions. `tracked`: known contacts. A problem built
    before is used again, with its kernels. `literal`: numbers of a path are constants, not parameters. `implied`: without tangency, a row
    more that the equations imply (see `_implied`). `symbols` in the formulas of the first body, of the second and of the contacts stand for
    numbers: see `with_numbers`. `shared`: of two parametric parts, so many first factors of both motions are the same, so the pair is
    looked at from a frame that moves by these; their symbols come after those of contacts. `further`, `free`: see `Frame` and
    `stationary`.
    """
    both = bool(first.leaves and second.leaves)
    angle = tangency and both and first.dimension == second.dimension == 2
    spatial = coordinates_of(first) if both else len(first.symbols) + len(second.symbols)
    frame = Frame(spatial + int(angle), time, literal=literal, symbols=symbols, further=further, free=free)
    a, b = place((first, second), frame, shared)
    equations = contact_equations(a, b)
    rows = _dependence(a, b, equations, frame) if tangency else _implied(a, b, equations) if implied else ()
    feasible = _feasible(a, b, equations, frame, incoming, tracked)
    implicit = any(p.leaves and p.dimension == 1 for p in (first, second))
    planar = first.planar and second.planar
    faces = angle or (len(equations), spatial) in ((3, 4), (1, 2)) or (planar and spatial == 2)
    fast = not incoming and not tracked and (faces or (implicit and len(equations) == spatial))
    least, slopes = stationary(a, b, equations, frame) if tangency and len(further) > 1 else ((), ())
    places = tuple(c for p in (a, b) if isinstance(p, PlacedImplicit) and p.part.measured for c in p.coordinates(p.part.leaves[0]))
    return _problem(a, b, frame, equations, rows, feasible=feasible, fast=fast, incoming=incoming, label=label, least=least,
                     places=places, features=(first.feature, second.feature), held=(held_of(first), held_of(second)),
                     moving=None if planar or any(map(any, free)) else lambda: _moving(a, b),
                     ends=tuple(frame.all_ends) if frame.slots else (), slots=frame.slots, late=frame.late, slopes=slopes)


def placed_situation(a: Placed, b: Placed, frame: Frame, *, tangency: bool, **fields: Any) -> Problem:
    """The earliest contact of two parts that are placed; `fields` are further ones of the problem."""
    equations = contact_equations(a, b)
    return _problem(a, b, frame, equations, _dependence(a, b, equations, frame) if tangency else (), **fields)


def _problem(a: Placed, b: Placed, frame: Frame, equations: Sequence[Expr], rows: Sequence[Expr], *, incoming: bool = False,
             least: Sequence[Expr] = (), **fields: Any) -> Problem:
    necessary = (*_guarded(rows, a, b, frame), *least)
    outer, inner = bounds(frame.all_ends)

    @functools.cache
    def directions() -> tuple[Kernel, np.ndarray] | None:
        outputs, values = _directions(a, b, equations, frame), np.array(frame.values).reshape(-1, 2)
        return (formula_kernel(outputs, names, len(values)), values) if outputs else None

    names, others = (*frame.names, *frame.further), len(frame.further)
    return Problem(
        names, outer, inner, equations=tuple(equations), necessary=necessary, incoming=incoming,
        strict=incoming and bool(necessary), objective=len(names) - 1, border=frame.borders_array(),
        period=np.array([*frame.periods, *[0.0] * others]), polar=np.array([*frame.polar, *[(-math.inf, math.inf)] * others]),
        image=(*in_world(a, a.position), *in_world(b, b.position)),
        parameters=np.array(frame.values).reshape(-1, 2), hulls=tuple(frame.hulls), directions=directions, **fields)


@functools.lru_cache(maxsize=64)
def with_numbers(problem: Problem, numbers: tuple[Numbers, ...], *further: tuple[Any, Any]) -> Problem:
    """The situation of two members of families over a span of time, or spans of all `further` variables: the same kernels with these
    numbers.
    """
    if not problem.slots:
        return problem
    sides = [numbers[int(name[-1]) - 1] if name[-1] in "12" else NONE for name in problem.variables[:-len(further)]]
    ends = [(side.enclose(lo), side.enclose(hi)) for side, (lo, hi) in zip(sides, problem.ends, strict=False)]
    outer, inner = framed([*ends, *((enclose(lo), enclose(hi)) for lo, hi in further)])
    hulls = list(problem.hulls)
    inner[hulls] = outer[hulls]
    return problem.instance(parameters_with(problem, numbers), outer, inner)


def parameters_with(problem: Problem, numbers: tuple[Numbers, ...]) -> np.ndarray:
    """The parameters (p, 2) of the problem with these numbers."""
    values = np.concatenate([*(n.intervals for n in numbers), problem.parameters[sum(len(n.intervals) for n in numbers):]])
    for k, side, e in problem.late:
        if k < len(values):
            values[k] = numbers[side - 1].enclose(e)
    return values


def _moving(a: Placed, b: Placed) -> Bodies | None:
    """Shapes and motions apart, where both parts have them so; or the functions through which both deform."""
    if a.values or b.values:
        return None
    first = a.moving()
    second = b.moving() if first is not None else None
    if first is not None and second is not None:
        return first, second
    return deforming((a.position, b.position), [[e.value for e in p.own] for p in (a, b)], a.frame.spatial)


def at_time(problem: Problem, window: tuple[float, float]) -> Problem:
    """A situation without tangency at one moment, or in a short window of time: whether the parts meet then.

    The inner domain stays clear of the borders by a little of its width, so that a zero that is proved lies inside both
    parts: there they cross, since an existence proof needs independent rows. On a border they may but touch.
    """
    time = problem.objective
    assert time is not None and problem.period is not None and problem.border is not None and len(problem.necessary) < 2
    outer, inner = problem.outer.copy(), problem.inner.copy()
    ends = (problem.period == 0.0)[:, None] * (inner[:, 1] - inner[:, 0])[:, None] * [1e-9, -1e-9]
    inner += ends
    outer[time] = inner[time] = window
    if "still" not in problem.built:
        problem.built["still"] = replace(problem, fast=False, polar=None, border=np.zeros_like(problem.border))
    still: Problem = problem.built["still"]
    own = {name: getattr(problem, name) for name in DATA if name not in ("polar", "border")}
    return still.instance(problem.parameters, outer, inner, **own)


# -- tangency -----------------------------------------------------------------------------------------------------


def _dependence(a: Placed, b: Placed, equations: Sequence[Expr], frame: Frame) -> tuple[Expr, ...]:
    """Functions that vanish where the rows of dE/dw are dependent, as many as make the system square (or none)."""
    if len(equations) == 3 and len(frame.names) == 4:
        # Along a plane, whose parameters may have a pole: the other face has the tangents.
        face, other = (b, a) if isinstance(a, PlacedParametric) and a.flat else (a, b)
        return tuple(dot(tangent, other.outward[0]) for tangent in face.tangents)
    own = [*a.own, *b.own]
    columns = frame.derivatives(equations, own)
    if len(equations) == 1:
        return tuple(column[0] for column in columns)
    if len(equations) == len(columns):
        return (_determinant(columns),)
    if len(equations) == 2 and len(columns) == 3:
        return _parallel(columns, frame)
    return ()


def _implied(a: Placed, b: Placed, equations: Sequence[Expr]) -> tuple[Expr, ...]:
    """For two faces a combination of the equations whose gradient vanishes where the tangent planes agree: n . (S1 - S2), or
    F (f . g) - G (f . f) for gradients f and g. So places where faces all but touch are told apart to second order.
    """
    if len(a.outward) != 1 or len(b.outward) != 1:
        return ()
    if not (a.values or b.values):
        return (sum((e * n for e, n in zip(equations[1:], a.outward[0][1:], strict=False)), equations[0] * a.outward[0][0]),)
    if len(equations) == 2:
        f, g = a.outward[0], b.outward[0]
        return (equations[0] * dot(f, g) - equations[1] * _square(f),)
    return ()


def _determinant(columns: Sequence[Sequence[Expr]]) -> Expr:
    if len(columns) == 2:
        return columns[0][0] * columns[1][1] - columns[0][1] * columns[1][0]
    p, q, r = ((c[0], c[1], c[2]) for c in columns)
    return dot(p, cross(q, r))


def _parallel(columns: Sequence[Sequence[Expr]], frame: Frame) -> tuple[Expr, ...]:
    """The gradients g1 and g2 are parallel exactly if cos(a) g1 + sin(a) g2 = 0 for some angle a from 0 to pi.

    The cross product (Eq. 5) would give three equations of which two count; with the angle as a variable the system is
    square. Zeros at a and a + pi are the same, so the angle is periodic.
    """
    angle = frame.variable("angle", (0, sp.pi), math.pi)
    cosine, sine = frame.pool.node("cos", angle), frame.pool.node("sin", angle)
    return tuple(cosine * g1 + sine * g2 for g1, g2 in columns)


def _guarded(rows: Sequence[Expr], a: Placed, b: Placed, frame: Frame) -> tuple[Expr, ...]:
    """The necessary conditions where they may be used: both parts differentiable in space on the whole box, and continuous in time, which
    is all that the implicit function theorem asks for.
    """
    smooth = _at_rest([f for p in (a, b) for f in (p.values or p.position)], frame)
    result = []
    for row in rows:
        for f in dict.fromkeys(smooth):
            row = frame.pool.trusted(row, f, 3)
        result.append(row)
    return tuple(result)


def _at_rest(functions: Sequence[Expr], frame: Frame) -> list[Expr]:
    """Functions as differentiable as these are in space: kinks of the time alone are the hulls of what they choose from.

    So each is a function f(w, s) of further quantities s, evaluated over all that continuous functions of the time take in a box. Where
    it is differentiable in all of these, f(w, s(t)) is so in w, and its derivatives by w are continuous in time as well.
    """
    pool, timed = frame.pool, {frame.time.index}
    hulls: dict[int, Expr] = {}
    for e in reachable(functions):
        if e.args and any(a.index in timed for a in e.args) and all(a.index in timed or a.op in ("constant", "parameter") for a in e.args):
            timed.add(e.index)
            if e.op in _KINKS:
                one, *others = substitute(e.args, hulls)
                hulls[e.index] = pool.node("hull", one, others[0] if others else -one)
    return substitute(functions, hulls)


# -- feasibility --------------------------------------------------------------------------------------------------


def _feasible(a: Placed, b: Placed, equations: Sequence[Expr], frame: Frame, incoming: bool,
              tracked: Sequence[KnownContact]) -> Expr | None:
    conditions: list[Expr] = []
    for p in (a, b):
        conditions += p.conditions()
    if incoming:
        conditions += _incoming(a, b, equations, frame)
    conditions += [_far(a.position, known, frame) for known in tracked]
    return all_of(frame.pool, conditions) if conditions else None


def _far(position: Vector, known: KnownContact, frame: Frame) -> Expr:
    """Eq. 7: the distance to a tracked point is at least the radius."""
    pool = frame.pool
    symbols = {**frame.known(3), **frame.known(known.side)}
    *at, radius = convert([*known.at, known.radius], symbols, pool)
    point = convert(known.surface.expressions, {**symbols, u: at[0], v: at[1]}, pool)
    apart = subtract(position, (point[0], point[1], point[2]))
    return pool.node("le", pool.power_integer(radius, 2), _square(apart))


def _incoming(a: Placed, b: Placed, equations: Sequence[Expr], frame: Frame) -> list[Expr]:
    """The bodies approach (the closing speed is not negative) and outward directions face away from each other:
    Equations 3, 6, 10, 12; and edges do not cross bodies. A two-sided part has no outward direction, so it excludes nothing.
    """
    pool = frame.pool
    zero = pool.constant(0)
    sided = [p for p in (a, b) if not p.part.two_sided]
    single = [p for p in sided if len(p.outward) == 1]
    result = []
    if single:
        speeds = [_closing(single[0], b if single[0] is a else a, equations, frame)]
    else:
        speeds = [dot(subtract(p.velocity, q.velocity), d) for p, q in ((a, b), (b, a)) if p in sided for d in p.outward]
    if speeds:
        result.append(any_of(pool, [pool.node("le", zero, s) for s in speeds]))
    if len(sided) == 2:
        result.append(any_of(pool, [pool.node("le", dot(d, e), zero) for d in a.outward for e in b.outward]))
    # An edge that points into the other body in front or behind crosses it: it is on the same side of both faces of the other's edge.
    crossing = [[dot(n, other.tangents[0]) for n in own.outward] for own, other in ((a, b), (b, a))
                if own in sided and len(own.outward) == 2 and own.part.dimension == other.part.dimension == 1]
    return [*result, *(pool.node("le", d * e, zero) for d, e in crossing)]


def _closing(face: Placed, other: Placed, equations: Sequence[Expr], frame: Frame) -> Expr:
    """The speed of `face` along its outward direction relative to `other`: positive where they approach.

    For an implicit face it is -dF/dt along the motion of the other part. Two implicit ones: Eq. 6, whose first part does
    not depend on the frame of reference where the gradients are opposed.
    """
    if not face.values:
        return dot(subtract(face.velocity, other.velocity), face.outward[0])
    rates = frame.derivatives(equations, [frame.time])[0]
    if not other.values:
        return -rates[0]
    lengths = [_length(p.outward[0]) if len(p.outward) == 1 else None for p in (face, other)]
    if lengths[1] is None:
        return dot(subtract(face.velocity, other.velocity), face.outward[0]) - face.deformation[0]
    assert lengths[0] is not None
    first, second = (0, 1) if face.carrier else (1, 0)
    return -(rates[first] * lengths[1]) - rates[second] * lengths[0]


def _rate_size(face: Placed, other: Placed) -> Expr:
    """The scale that `_closing` is to be measured against: the same for motions in all directions, and nowhere negative."""
    def of(p: Placed) -> Expr:
        size = _length(p.outward[0]) * (_length(face.velocity) + _length(other.velocity))
        return size + p.frame.pool.node("abs", p.deformation[0]) if p.deformation else size

    if not face.values or not other.values or len(other.outward) != 1:
        return of(face)
    return of(face) * _length(other.outward[0]) + of(other) * _length(face.outward[0])


def _length(a: Vector) -> Expr:
    return a[0].pool.node("sqrt", _square(a))


def _square(a: Vector) -> Expr:
    return sum((a[0].pool.power_integer(c, 2) for c in a[1:]), a[0].pool.power_integer(a[0], 2))


# -- directions for the result ------------------------------------------------------------------------------------


def _directions(a: Placed, b: Placed, equations: Sequence[Expr], frame: Frame) -> tuple[Expr, ...]:
    """Candidates for the normal, six numbers each: a separating direction, the speed at which the first part moves along it towards the
    second, what that speed is measured against, and a number that is positive where it points out of the first body as declared.
    """
    result: list[Expr] = []
    one = frame.pool.constant(1)
    for face, other, sign in ((a, b, 1), (b, a, -1)):
        if len(face.outward) == 1 and face.part.is_face:
            n = face.outward[0]
            speed = _closing(face, other, equations, frame), _rate_size(face, other)
            result += [*in_world(a, n if sign > 0 else (-n[0], -n[1], -n[2]), turns=True), *speed, one]
    if not result and a.tangents and b.tangents:
        n = cross(a.tangents[0], b.tangents[0])
        outward = [sum((d[k] for d in a.outward[1:]), a.outward[0][k]) for k in range(3)]
        speed = dot(subtract(a.velocity, b.velocity), n), _length(n) * (_length(a.velocity) + _length(b.velocity))
        result += [*in_world(a, n, turns=True), *speed, dot(n, (outward[0], outward[1], outward[2]))]
    return tuple(result)

