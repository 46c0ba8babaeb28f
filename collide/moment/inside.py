"""Containment of a body in another one, whose surface it does not meet.

A piece of a surface is inside if a point of it is: by the sign of an implicit function, or by the crossings of a ray with a closed
parametric surface, each proved unique.

A piece: a patch, or a face and all that hang together with it by edges. Those of an implicit surface are not known; see `pieces_inside`.
"""

import functools
import itertools
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.constants import bounds
from codegen.graph.vectors import dot
from codegen.kernel import Kernel
from generative import ImplicitBody, ParametricSurface, Solid

from ..bodies.cells import Cell
from ..bodies.mesh import Mesh
from ..bodies.numbers import Numbers
from ..bodies.parts import face_of, has_inside
from ..bodies.surface_points import FEW, at_moment, extent, face_boxes, faces, middle_of, space_kernel, surface_point, vertices_at
from ..search.clock import Clock
from ..search.drive import drive
from ..search.native.layout import UNIQUE
from ..search.problem import Problem, formula_kernel
from ..search.search import Search
from ..situations.frame import Frame
from ..situations.place import PlacedParametric
from .inside_mesh import RAYS, encloses
from .pieces_inside import any_inside

# Boxes in which the crossings of a ray are found, if they can be: where a crossing is not simple, or the point is not known well, they
# would never be.
_CROSSINGS = 1 << 14
# By how much quotients are widened, against their size, and at least: see `_may_cross`.
_WIDER, _LEAST = 2.0**-49, 2.0**-1000
# What stands for the moment that is asked about.
_MOMENT = sp.Symbol("moment", real=True)


class Crossing(NamedTuple):
    """Crossing of a ray and a face, within s = [begin, end], and its direction: along the normal (1) or against it (-1)."""

    begin: float
    end: float
    way: int


def inside(body: Any, other: Any, moment: float, clock: Clock, numbers: tuple[Numbers, Numbers]) -> bool | None:
    """Whether a piece of the surface of `body` is inside `other`. *Proved*, if the surfaces do not meet; None where that is not decided.

    Nothing is inside a room: a closed patch that is flipped, so that its normal points inwards.
    """
    if not has_inside(other):
        return False
    room = isinstance(other, ParametricSurface) and other.flipped

    def contained(point: np.ndarray) -> bool | None:
        return contains(other, point, moment, clock, numbers[1], room=room)

    if isinstance(body, ImplicitBody):
        point = surface_point(body, moment, numbers[0])
        if point is not None and contained(point):
            return True
        return any_inside(body, other, moment, contained, numbers)
    points: Iterable[np.ndarray | None]
    if isinstance(body, Mesh):
        points = vertices_at(body, body.topology.pieces, moment, numbers[0])
    else:
        points = [_point(faces(body)[k], moment, numbers[0]) for k in _pieces_near(body, other, moment, numbers)]
    unknown = False
    for point in points:
        answer = None if point is None or clock.exceeded() else contained(point)
        if answer:
            return True
        unknown = unknown or answer is None
    return None if unknown else False


def _point(face: Any, moment: float, numbers: Numbers) -> np.ndarray | None:
    middle = middle_of(face, moment, numbers)
    return surface_point(face, moment, numbers) if middle is None else middle


def _pieces_near(body: Any, other: Any, moment: float, numbers: tuple[Numbers, Numbers]) -> list[int]:
    """The number of a face of each piece of a parametric body that may be inside another body: with the box round this it meets, all of it.
    """
    if len(faces(body)) <= FEW:
        return [group[0] for group in _groups(body)]
    boxes, whole = face_boxes(body, moment, numbers[0]), extent(other, moment, numbers[1])
    apart = np.asarray(((boxes[..., 0] > whole[:, 1]) | (whole[:, 0] > boxes[..., 1])).any(axis=1))
    return [group[0] for group in _groups(body) if not apart[group].any()]


def _groups(body: Any) -> list[list[int]]:
    """The numbers of the faces of each piece."""
    group = list(range(len(faces(body)))) if isinstance(body, Solid) else [0] * len(faces(body))
    joints = () if not isinstance(body, Solid) else body.vertices if body.planar else body.edges
    for edge in joints:
        joined = {group[f] for f in edge.faces}
        group = [min(joined) if g in joined else g for g in group]
    return [[f for f, g in enumerate(group) if g == first] for first in sorted(set(group))]


def contains(body: Any, point: np.ndarray, moment: float, clock: Clock, numbers: Numbers, apart: bool = True,
             room: bool = False) -> bool | None:
    """Whether a box (3, 2) that does not meet the surface of a closed body is inside it. None where that is not decided. Without `apart` it
    may meet the surface of one that is no mesh: then that is not decided. As a `room`, a patch whose normal points inwards contains
    nothing.
    """
    if isinstance(body, ImplicitBody):
        return _negative(body, point, moment, numbers)
    if isinstance(body, Mesh):
        return encloses(body, point, moment, numbers)
    return _encloses(body, point, moment, clock, numbers, apart, room)


def _negative(body: ImplicitBody, point: np.ndarray, moment: float, numbers: Numbers) -> bool | None:
    """The sign of F at a point that lies within the bounds of a leaf."""
    within = False
    lo, hi = (at_moment(end[None], moment) for end in point.T)
    for leaf in body.leaves:
        low, high = space_kernel(tuple(leaf.coordinates), numbers.symbols).interval(lo, hi, parameters=numbers.parameters)
        ends, _ = numbers.bounds(leaf.bounds)
        within = within or bool((low[0] <= ends[:, 1]).all() and (high[0] >= ends[:, 0]).all())
    if not within:
        return False
    low, high = space_kernel((body.expression,), numbers.symbols).interval(lo, hi, parameters=numbers.parameters)
    return True if high[0, 0] < 0 else False if low[0, 0] > 0 else None


def _encloses(body: Any, point: np.ndarray, moment: float, clock: Clock, numbers: Numbers, apart: bool,
              room: bool) -> bool | None:
    """Whether an odd number of the pieces of a closed parametric surface enclose the point."""
    box = extent(body, moment, numbers)
    if ((point[:, 0] > box[:, 1]) | (box[:, 0] > point[:, 1])).any():
        return False
    if not np.isfinite(box).all():
        return None
    # The ray is about 1 long at s = 1, so it leaves the box before its end.
    length = 2.0 * float((box[:, 1] - box[:, 0]).sum())
    patch = not isinstance(body, Solid)
    for ray in _in_plane(RAYS) if isinstance(body, Solid) and body.planar else RAYS:
        crossed = _crossings(body, point, ray, length, moment, clock, numbers)
        if clock.exceeded():
            return None
        if crossed is not None and (apart or all(c.begin > 0 for face in crossed for c in face)):
            around = [_surrounds([c for face in group for c in crossed[face]], patch or len(group) == 1) for group in _groups(body)]
            inwards = room and sum(c.way for c in crossed[0]) < 0
            return None if None in around else sum(map(bool, around)) % 2 == 1 and not inwards
    return None


def _surrounds(crossings: list[Crossing], alone: bool) -> bool | None:
    """Whether a piece surrounds the origin of a ray that crosses it so. It does where the ray crosses it an odd number of times, or a
    single patch, which may cover itself, more often one way than the other: those numbers, modulo 2 and as they are, are the same for all
    rays from a point, and zero far away. It does not where they are zero, and no two crossings may be at one place of a patch on itself.
    """
    if len(crossings) % 2 == 1 or (alone and sum(c.way for c in crossings) != 0):
        return True
    order = sorted(crossings)
    return None if any(later.begin <= former.end for former, later in itertools.pairwise(order)) else False


def _crossings(body: Any, point: np.ndarray, ray: tuple[float, ...], length: float, moment: float, clock: Clock, numbers: Numbers,
               ) -> list[list[Crossing]] | None:
    """The crossings of a ray with each face. None where not all crossings are proved unique, with a side to which they go."""
    count = len(faces(body))
    near = np.flatnonzero(_may_cross(face_boxes(body, moment, numbers), point, ray, length)).tolist()
    found: list[list[Crossing]] = [[] for _ in range(count)]
    if not near:
        return found
    problems = []
    for k in near:
        problems.append(_ray_problem(face_of(body, k), point, ray, length, moment, numbers, count > FEW))
        if clock.exceeded():
            return None
    search = Search(problems)
    if not drive(search, clock, boxes=_CROSSINGS) or any(search.kind(k) != UNIQUE for k in search.solutions):
        return None
    for k in search.solutions:
        box, face = search.found(k)[None], near[search.owner(k)]
        family = _ray_family(face_of(body, face), ray, numbers.symbols, count > FEW)
        known = search.problems[search.owner(k)].parameters[:family.own]
        (low,), (high,) = (e[0] for e in family.through.interval(box[..., 0], box[..., 1], parameters=tuple(known.T)))
        if not (low > 0 or high < 0):
            return None
        found[face].append(Crossing(float(box[0, -1, 0]), float(box[0, -1, 1]), 1 if low > 0 else -1))
    return found


def _may_cross(boxes: np.ndarray, point: np.ndarray, ray: tuple[float, ...], length: float) -> np.ndarray:
    """(k,): whether p + s ray may lie in a box of `boxes` (k, 3, 2) for an s from 0 to `length` and a p in the box `point`.

    A difference and a quotient, each rounded once, are off by less than 2^-51 of the result, or by a number below 2^-1000; what they are
    widened by covers the rounding of that, too.
    """
    # Of a ray in a plane, which bodies in that plane meet, the third coordinate does not count.
    axes = [k for k in range(3) if ray[k]]
    with np.errstate(invalid="ignore"):
        ends = np.stack([boxes[..., 0] - point[:, 1], boxes[..., 1] - point[:, 0]])[..., axes] / np.array(ray)[axes]
        first, last = ends.min(axis=0), ends.max(axis=0)
        first, last = first - (_WIDER * np.abs(first) + _LEAST), last + (_WIDER * np.abs(last) + _LEAST)
    crosses = np.maximum(first.max(axis=1), 0.0) <= np.minimum(last.min(axis=1), length)
    unknown = ~np.isfinite(boxes).all(axis=(1, 2))
    return np.asarray(unknown | crosses)


def _in_plane(rays: Iterable[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Rays along the plane z = 0."""
    return [(a, b, 0.0) for a, b, _ in rays]


class _RayFamily(NamedTuple):
    """Family of the crossings of rays and a face: a problem, the ends of its domain, how many parameters are its own, before those of a
    family: the symbols, the moment, others of the face, and last three, where the ray begins; and the part of the ray along the normal of
    the face.
    """

    problem: Problem
    ends: tuple[tuple[Any, Any], ...]
    own: int
    through: Kernel


def _ray_problem(face: Cell, point: np.ndarray, ray: tuple[float, ...], length: float, moment: float, numbers: Numbers,
                 many: bool) -> Problem:
    """S(u, v) = p + s ray for every p in the box: the box and the moment enter as kernel parameters, so a proof holds for each of them."""
    family = _ray_family(face, ray, numbers.symbols, many)
    outer, inner = numbers.bounds([*family.ends[:-1], (sp.Integer(0), sp.Rational(length))])
    values = family.problem.parameters.copy()
    known = len(numbers.intervals)
    values[:known], values[known], values[family.own - 3:family.own] = numbers.intervals, moment, point
    return family.problem.instance(values, outer, inner)


@functools.lru_cache(maxsize=1024)
def _ray_family(face: Cell, ray: tuple[float, ...], symbols: tuple[Any, ...], many: bool) -> _RayFamily:
    count = face.dimension + 1
    frame = Frame(count, (0, 1), asked=True, symbols=(symbols, (), (_MOMENT,)))
    placed = PlacedParametric(face, frame, 1)
    s = frame.variable("s", (0, 1))
    frame.values += [(math.nan, math.nan)] * 3
    given = len(frame.values)
    start = [frame.pool.parameter(given - 3 + k) for k in range(3)]
    outer, inner = bounds(frame.ends)
    along = [frame.pool.constant(e) for e in ray]
    equations = tuple(placed.position[k] - (start[k] + along[k] * s) for k in range(count))
    problem = Problem(tuple(frame.names), outer, inner, equations, period=np.array(frame.periods), parameters=np.array(frame.values))
    through = formula_kernel([dot(placed.outward[0], (along[0], along[1], along[2]))], frame.names, given)
    return _RayFamily(problem.as_member() if many else problem, tuple(frame.ends), given, through)
