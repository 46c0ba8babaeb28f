"""The state of a pair of bodies at the beginning: apart, touching, overlapping, or one inside the other.

Two searches decide: whether the surfaces meet at that moment (their contact equations with the time fixed; a proved zero
means that they cross), and if they do not, whether a point of one surface is inside the other body: by the sign of an
implicit function, or by counting the crossings of a ray with a closed parametric surface, each proved unique.
"""

import copy
import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import ImplicitBody, ParametricSurface, Solid, t, u, v, x, y, z

from .budget import Clock, drive
from .contact import at_time, member, situation, with_numbers
from .frame import Frame
from .numbers import NONE, Numbers
from .parts import Parametric, Part, faces_of, is_closed
from .patch import bounds
from .place import PlacedParametric
from .problem import Problem
from .result import Start
from .search import layout
from .search.layout import UNIQUE
from .state import Search

# Directions of rays, tried in turn: none is along an axis or in a plane of symmetry of the usual shapes.
_RAYS = ((0.36, 0.48, 0.81), (-0.72, 0.31, 0.62), (0.13, -0.87, 0.47), (0.59, 0.67, -0.45))
# Cells a side of a grid in parameters or space, when a bounding box or a change of sign is looked for.
_GRID = 12
# Where a point of a surface is looked for, as shares of its domain: in the middle, then elsewhere, for a formula that is not defined there.
_PLACES = np.full((1, 2), 0.5), np.array(list(itertools.product(np.linspace(0.0, 1.0, _GRID + 2)[1:-1], repeat=2)))
# Up to so many pairs of faces are compiled with their numbers.
_FEW = 4
# A segment is cut at these shares, and what of it holds a change of sign is kept, so often at most.
_SHARES, _SHORTER = np.linspace(0.0, 1.0, 5), 60
# Boxes in which the crossings of a ray are found, if they can be: where a crossing is not simple, or the point is not known well, they
# would never be.
_CROSSINGS = 1 << 14


def start_of(first: Any, second: Any, moment: float, tolerance: float, clock: Clock,
             close: Sequence[tuple[Part, Part]] | None = None, numbers: tuple[Numbers, Numbers] = (NONE, NONE)) -> Start:
    """The state at `moment`. DISJOINT is proved, OVERLAPPING too (of bodies that are closed, as they claim to be).

    One point of each surface decides whether it is inside the other body; so a body of several pieces is not known to be
    apart if others of its pieces are inside. No claim about times rests on that: it is made for the surfaces. `close`: the
    pairs of faces that may meet then; None: all. `numbers`: of bodies that are formulas of families.
    """
    if _apart(_extent(first, moment, numbers[0]), _extent(second, moment, numbers[1])):
        return Start.DISJOINT
    pairs = tuple(itertools.product(faces_of(first), faces_of(second))) if close is None else tuple(close)
    search, finished = _met(pairs, moment, tolerance, clock, numbers)
    if search.real[layout.PROVED] < math.inf:
        return Start.OVERLAPPING
    if not finished:
        return Start.UNKNOWN
    return Start.TOUCHING if search.solutions else nested(first, second, moment, clock, numbers)


def crossings(pairs: Sequence[tuple[Part, Part]], moment: float, numbers: tuple[Numbers, Numbers], label: tuple[int, int]) -> list[Problem]:
    """Where do pairs of faces of bodies i and j, `label`, meet at `moment`? What a search *proves* to exist there are crossings."""
    found = [copy.copy(problem) for problem in _meeting(tuple(pairs), (moment, moment), numbers)]
    for problem in found:
        object.__setattr__(problem, "label", label)
    return found


def _met(pairs: tuple[tuple[Part, Part], ...], moment: float, tolerance: float, clock: Clock, numbers: tuple[Numbers, Numbers],
         ) -> tuple[Search, bool]:
    """The search for a point where faces meet at a moment, and whether it came to its end."""
    search = Search(_meeting(pairs, (moment, moment), numbers), tolerance=tolerance, separation=math.inf, first_only=True)
    return search, drive(search, clock)


def nested(first: Any, second: Any, moment: float, clock: Clock, numbers: tuple[Numbers, Numbers] = (NONE, NONE)) -> Start:
    """The state of two bodies whose surfaces are proved not to meet: OVERLAPPING if one is inside the other, else DISJOINT."""
    answers = [_inside(a, b, moment, clock, n) for a, b, n in ((first, second, numbers), (second, first, numbers[::-1]))]
    if True in answers:
        return Start.OVERLAPPING
    return Start.DISJOINT


def apart_within(pairs: Sequence[tuple[Part, Part]], window: tuple[float, float], tolerance: float, clock: Clock,
                 numbers: tuple[Numbers, Numbers]) -> bool:
    """Are the surfaces of faces proved not to meet in a short window of time, however they moved before?"""
    search = Search(_meeting(tuple(pairs), window, numbers), tolerance=tolerance, separation=math.inf, first_only=True)
    return drive(search, clock) and not search.solutions and not search.real[layout.PROVED] < math.inf


@functools.lru_cache(maxsize=128)
def _meeting(pairs: tuple[tuple[Part, Part], ...], window: tuple[float, float], numbers: tuple[Numbers, Numbers]) -> tuple[Problem, ...]:
    """Where do the surfaces meet at one moment, or in a window? Faces are closed, so their edges need no problems of their own."""
    span, symbols = (sp.Rational(window[0]), sp.Rational(window[1])), (numbers[0].symbols, numbers[1].symbols)
    build = situation if len(pairs) <= _FEW else member
    # With symbols the span is data, so it is left out of what names the situation.
    wholes = (build(a, b, time=(0, 1) if any(symbols) else span, tangency=False, implied=True, symbols=symbols) for a, b in pairs)
    return tuple(at_time(with_numbers(whole, numbers, span), window) for whole in wholes)


def _apart(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(((a[:, 0] > b[:, 1]) | (b[:, 0] > a[:, 1])).any())


def _inside(body: Any, other: Any, moment: float, clock: Clock, numbers: tuple[Numbers, Numbers]) -> bool | None:
    """Is a point of the surface of `body` proved to be inside `other`? None where that is not decided."""
    if not is_closed(other):
        return False
    point = surface_point(body, moment, numbers[0])
    if point is None:
        return None
    if isinstance(other, ImplicitBody):
        return _negative(other, point, moment, numbers[1])
    return _encloses(other, point, moment, clock, numbers[1])


# -- a point of a surface -----------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=512)
def surface_point(body: Any, moment: float, numbers: Numbers = NONE) -> np.ndarray | None:
    """A box (3, 2) in space that holds a point of the surface; None if none is found."""
    if isinstance(body, ImplicitBody):
        return _change_of_sign(body, moment, numbers)
    face = body.faces[0] if isinstance(body, Solid) else body
    _, ends = numbers.bounds(list(face.domain.values()))
    for shares in _PLACES:
        at = np.column_stack([np.clip((1 - shares) * ends[:, 0] + shares * ends[:, 1], *ends.T), np.full(len(shares), moment)])
        lo, hi, level = position_kernel(face, numbers.symbols).decorated(at, at, parameters=numbers.parameters)
        good = np.flatnonzero((level > 0).all(axis=1) & np.isfinite(hi - lo).all(axis=1))
        if len(good):
            return np.stack([lo[good[0]], hi[good[0]]], axis=1)
    return None


@functools.lru_cache(maxsize=512)
def position_kernel(face: ParametricSurface, symbols: tuple[Any, ...]) -> Kernel:
    """The surface in the world as a function of u, v and t."""
    return compile(list(face.expressions), [u, v, t], symbols, quick=True)


@functools.lru_cache(maxsize=512)
def _space_kernel(formulas: tuple[Any, ...], symbols: tuple[Any, ...]) -> Kernel:
    """Formulas of x, y, z and t."""
    return compile(list(formulas), [x, y, z, t], symbols, quick=True)


def _change_of_sign(body: ImplicitBody, moment: float, numbers: Numbers) -> np.ndarray | None:
    """A segment along which F changes sign, halved until it is short: on it is a zero, since F is continuous there."""
    leaf, known = body.leaves[0], numbers.parameters
    kernel = _space_kernel((body.expression,), numbers.symbols)
    place = _space_kernel(tuple(leaf.motion.apply((x, y, z))), numbers.symbols)
    axes = [np.linspace(lo, hi, _GRID + 1) for lo, hi in numbers.bounds(leaf.bounds)[0]]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    world = place.points(np.column_stack([grid, np.full(len(grid), moment)]), parameters=numbers.middles)
    values = kernel.points(np.column_stack([world, np.full(len(grid), moment)]), parameters=numbers.middles)[:, 0]
    if not ((values < 0).any() and (values > 0).any()):
        return None
    inner, outer = world[np.nanargmin(values)], world[np.nanargmax(values)]
    for _ in range(_SHORTER):
        points = inner + _SHARES[:, None] * (outer - inner)
        at = np.column_stack([points, np.full(len(points), moment)])
        low, high = kernel.interval(at, at, parameters=known)
        # Between the ends, where the sign is known: rounding may hide it in the middle, and does where the bounds are symmetric.
        positive = next((k for k in (1, 2, 3) if low[k, 0] > 0), 4)
        negative = next((k for k in range(positive - 1, 0, -1) if high[k, 0] < 0), 0)
        if positive - negative == 4:
            break
        inner, outer = points[negative], points[positive]
    lo, hi = np.minimum(inner, outer), np.maximum(inner, outer)
    ends = np.column_stack([np.stack([inner, outer]), [moment, moment]])
    low, high = kernel.interval(ends, ends, parameters=known)
    proved = high[0, 0] <= 0 <= low[1, 0]
    level = kernel.decorated(np.append(lo, moment)[None], np.append(hi, moment)[None], parameters=known)[2][0, 0]
    return np.stack([lo, hi], axis=1) if proved and level >= 2 else None


# -- inside or not ------------------------------------------------------------------------------------------------


def _negative(body: ImplicitBody, point: np.ndarray, moment: float, numbers: Numbers) -> bool | None:
    """The sign of F at a point that lies within the bounds of a leaf."""
    within = False
    lo, hi = (np.append(end, moment)[None] for end in (point[:, 0], point[:, 1]))
    for leaf in body.leaves:
        low, high = _space_kernel(tuple(leaf.coordinates), numbers.symbols).interval(lo, hi, parameters=numbers.parameters)
        ends, _ = numbers.bounds(leaf.bounds)
        within = within or bool((low[0] <= ends[:, 1]).all() and (high[0] >= ends[:, 0]).all())
    if not within:
        return False
    low, high = _space_kernel((body.expression,), numbers.symbols).interval(lo, hi, parameters=numbers.parameters)
    return True if high[0, 0] < 0 else False if low[0, 0] > 0 else None


def _encloses(body: Any, point: np.ndarray, moment: float, clock: Clock, numbers: Numbers) -> bool | None:
    """Does a closed parametric surface enclose the point? A ray from it then crosses the surface an odd number of times."""
    box = _extent(body, moment, numbers)
    if _apart(point, box):
        return False
    if not np.isfinite(box).all():
        return None
    # The ray is about 1 long at s = 1, so it leaves the box before its end.
    length = 2.0 * float(np.abs(box[:, 1] - box[:, 0]).sum()) + 1.0
    for ray in _RAYS:
        search = Search([_ray_problem(p, point, ray, length, moment, numbers) for p in faces_of(body) if isinstance(p, Parametric)])
        finished = drive(search, clock, boxes=_CROSSINGS)
        if clock.exceeded():
            return None
        if finished and all(search.kind(k) == UNIQUE for k in search.solutions):
            return len(search.solutions) % 2 == 1
    return None


@functools.lru_cache(maxsize=512)
def _extent(body: Any, moment: float, numbers: Numbers = NONE) -> np.ndarray:
    """(3, 2): a box that holds the body's surface at one moment; of an implicit body, its bounds."""
    if isinstance(body, ImplicitBody):
        boxes = []
        for leaf in body.leaves:
            ends = np.concatenate([numbers.bounds(leaf.bounds)[0], [(moment, moment)]])[None]
            place = _space_kernel(tuple(leaf.motion.apply((x, y, z))), numbers.symbols)
            lo, hi = place.interval(ends[..., 0], ends[..., 1], parameters=numbers.parameters)
            boxes.append(np.stack([lo[0], hi[0]], axis=1))
    else:
        boxes = [_bounding_box(f, moment, numbers) for f in (body.faces if isinstance(body, Solid) else (body,))]
    return np.stack([np.min([b[:, 0] for b in boxes], axis=0), np.max([b[:, 1] for b in boxes], axis=0)], axis=1)


def _bounding_box(face: ParametricSurface, moment: float, numbers: Numbers) -> np.ndarray:
    """(3, 2): the surface at one moment, from a grid of parameter boxes."""
    ends, _ = numbers.bounds(list(face.domain.values()))
    cuts = [np.linspace(lo, hi, _GRID + 1) for lo, hi in ends]
    cells = [np.array(list(itertools.product(cuts[0][s], cuts[1][s]))) for s in (slice(None, -1), slice(1, None))]
    moments = np.full((len(cells[0]), 1), moment)
    kernel = position_kernel(face, numbers.symbols)
    lo, hi = kernel.interval(*(np.hstack([c, moments]) for c in cells), parameters=numbers.parameters)
    return np.stack([lo.min(axis=0), hi.max(axis=0)], axis=1)


def _ray_problem(face: Parametric, point: np.ndarray, ray: tuple[float, ...], length: float, moment: float, numbers: Numbers) -> Problem:
    """S(u, v) = p + s ray for every p in the box: the box enters as kernel parameters, so a proof holds for each of them."""
    whole = _ray_family(face, ray, moment, numbers.symbols)
    outer, inner = numbers.bounds([*whole.ends[:-1], (sp.Integer(0), sp.Rational(length))])
    values = np.concatenate([numbers.intervals, whole.parameters[whole.slots:-3], point])
    return whole.instance(values, outer, inner)


@functools.lru_cache(maxsize=256)
def _ray_family(face: Parametric, ray: tuple[float, ...], moment: float, symbols: tuple[Any, ...]) -> Problem:
    frame = Frame(3, (0, 1), moment=moment, symbols=(symbols, ()))
    placed = PlacedParametric(face, frame, 1)
    s = frame.variable("s", (0, 1))
    frame.values += [(math.nan, math.nan)] * 3
    count = len(frame.values)
    start = [frame.pool.parameter(count - 3 + k) for k in range(3)]
    outer, inner = bounds(frame.ends)
    equations = tuple(placed.position[k] - (start[k] + frame.pool.constant(ray[k]) * s) for k in range(3))
    return Problem(tuple(frame.names), outer, inner, equations, period=np.array(frame.periods),
                   parameters=np.array(frame.values), ends=tuple(frame.ends), slots=frame.slots)
