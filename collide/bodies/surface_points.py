"""Boxes in space that hold the surface of a body at one moment, and boxes that hold a point of it."""

import functools
import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel, compile
from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Solid, t, u, v, x, y, z
from generative.creases import creased
from generative.products import Product
from generative.surface import Deferred

from .crowd import crowd_of
from .extent import Extent, carried, extent_of, surface_extent, swept
from .mesh import Mesh
from .motions import carried as carried_by
from .motions import entries_of
from .numbers import NONE, Numbers
from .parts import faces_of

# Up to so many faces, or pairs of faces, have kernels of their own and are not culled; more share those of their family.
FEW = 4
# Cells a side of a grid in parameters or space, when a bounding box or a change of sign is looked for.
_GRID = 12
# As many of a grid that is looked at first.
_COARSE = 4
# Where a point of a face is looked for, as shares of its domain: in the middle, then elsewhere, for a formula that is not defined there.
_PLACES = np.full((1, 2), 0.5), np.array(list(itertools.product(np.linspace(0.0, 1.0, _GRID + 2)[1:-1], repeat=2)))
# A segment is cut at these shares, and what of it holds a change of sign is kept, so often at most.
_SHARES, _SHORTER = np.linspace(0.0, 1.0, 5), 60
# The sine of an angle that a few roundings of parallel vectors make.
_PARALLEL = 1e-13
# A number within this of its size is no range. Effort only.
_NARROW = 2.0**-40


@functools.lru_cache(maxsize=512)
def position_kernel(face: ParametricSurface, symbols: tuple[Any, ...], closer: bool = False) -> Kernel:
    """The surface in the world as a function of u, v and t. Products of motions are multiplied on the graph: of long chains SymPy's would
    take seconds. These are `closer` for numbers in ranges, as what cancels is put together.
    """
    if closer or not isinstance(face.motion, Product):
        return compile(list(face.expressions), [u, v, t], symbols, quick=True)
    pool, names = ExprPool(), (u, v, t)
    known = {s: pool.variable(k) for k, s in enumerate(names)} | {s: pool.parameter(k) for k, s in enumerate(symbols)}
    place = carried_by(entries_of(face.motion, known, pool, None), convert(list(face.body), known, pool))
    return Kernel([*place], [*map(str, names)], [*map(str, symbols)], quick=True)


@functools.lru_cache(maxsize=512)
def space_kernel(formulas: tuple[Any, ...], symbols: tuple[Any, ...]) -> Kernel:
    """Formulas of x, y, z and t."""
    return compile(list(formulas), [x, y, z, t], symbols, quick=True)


def all_parallel(first: np.ndarray, second: np.ndarray) -> bool:
    """Whether two vectors are parallel in every row of (n, 3) that is known, up to a few roundings. Tangents that are span no surface."""
    return not bool(spanning(first, second).any())


def spanning(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(...): whether two vectors (..., 3) are known, and not parallel up to a few roundings."""
    known = (np.isfinite(first) & np.isfinite(second)).all(axis=-1)
    sizes = [np.abs(vectors).max(axis=-1, keepdims=True) for vectors in (first, second)]
    with np.errstate(invalid="ignore"):
        # Of size 1, that no product overflows, or vanishes beside a surface that is small.
        first, second = (vectors / np.where(size > 0, size, 1.0) for vectors, size in zip((first, second), sizes, strict=True))
        normal, *squares = ((vectors**2).sum(axis=-1) for vectors in (np.cross(first, second), first, second))
        return known & (normal > _PARALLEL**2 * squares[0] * squares[1])


def at_moment(places: np.ndarray, moment: float) -> np.ndarray:
    """Points or ends of boxes (n, k) with the time beside them."""
    return np.column_stack([places, np.full(len(places), moment)])


# -- boxes that hold all of a surface -------------------------------------------------------------------------------------


def coarse_extent(body: Any, moment: float, numbers: Numbers) -> np.ndarray:
    """As `extent`; of a body of few parametric faces a wider box from fewer cells."""
    few = not isinstance(body, (Mesh, ImplicitBody)) and _have_kernels(body, numbers)
    return _wide_extent(body, moment, numbers) if few else extent(body, moment, numbers)


@functools.lru_cache(maxsize=512)
def _wide_extent(body: Any, moment: float, numbers: Numbers) -> np.ndarray:
    boxes = np.concatenate([cells(f, grid(f, numbers, _COARSE), moment, numbers) for f in faces(body)])
    return np.stack([boxes[..., 0].min(axis=0), boxes[..., 1].max(axis=0)], axis=1)


@functools.lru_cache(maxsize=512)
def extent(body: Any, moment: float, numbers: Numbers = NONE) -> np.ndarray:
    """(3, 2): a box that holds the body's surface at one moment; of an implicit body, its bounds."""
    if isinstance(body, Mesh):
        boxes = boxes_at([extent_of(part, numbers) for part in faces_of(body)], moment)
    elif isinstance(body, ImplicitBody):
        boxes = np.stack([_bounds_in_space(leaf, moment, numbers) for leaf in body.leaves])
    else:
        boxes = face_boxes(body, moment, numbers)
    return np.stack([boxes[..., 0].min(axis=0), boxes[..., 1].max(axis=0)], axis=1)


@functools.lru_cache(maxsize=512)
def face_boxes(body: Any, moment: float, numbers: Numbers = NONE) -> np.ndarray:
    """(faces, 3, 2): boxes that hold the faces of a parametric body; of many, and of those in chains, by kernels that they share."""
    if not _have_kernels(body, numbers):
        return boxes_at(face_extents(body, numbers), moment)
    found = [cells(f, grid(f, numbers), moment, numbers) for f in faces(body)]
    return np.stack([np.stack([c[..., 0].min(axis=0), c[..., 1].max(axis=0)], axis=1) for c in found])


def face_extents(body: Any, numbers: Numbers = NONE) -> list[Extent]:
    """The extents of all faces of a parametric body or mesh, also of a solid of which some are not shown."""
    if isinstance(body, Solid) and not body.planar:
        return [surface_extent(face, numbers) for face in body.faces]
    return [extent_of(part, numbers) for part in faces_of(body)]


def _have_kernels(body: Any, numbers: Numbers) -> bool:
    """Whether faces of a parametric body have kernels of their own: few, and not in a chain, unless numbers are in ranges."""
    return len(faces(body)) <= FEW and (_in_ranges(numbers) or not any(isinstance(face.motion, Product) for face in faces(body)))


def _in_ranges(numbers: Numbers) -> bool:
    """Whether some of the numbers are ranges, and not enclosures of one."""
    lo, hi = numbers.intervals.reshape(-1, 2).T
    return bool((hi - lo > _NARROW * np.maximum(np.abs(lo), np.abs(hi))).any())


def boxes_at(parts: Sequence[Extent], moment: float) -> np.ndarray:
    """(parts, 3, 2): boxes that hold parts of bodies at a moment."""
    crowd, which, when = crowd_of(tuple(parts)), np.arange(len(parts)), np.full((len(parts), 2), moment)
    return swept(crowd.motions(which, when), crowd.cells(which, when))


def faces(body: Any) -> tuple[ParametricSurface, ...]:
    """The faces of a body that is not implicit: those of `faces_of`, smooth pieces of a patch with creases."""
    whole = creased(body) if isinstance(body, ParametricSurface) else body
    return (body,) if whole is None else whole.faces


def vertices_at(mesh: Mesh, which: np.ndarray, moment: float, numbers: Numbers) -> np.ndarray:
    """(n, 3, 2): boxes that hold vertices of a mesh, by their numbers (n,), at a moment."""
    (part,) = faces_of(mesh)
    motion = crowd_of((extent_of(part, numbers),)).motions(np.zeros(1, np.int64), np.full((1, 2), moment))
    return carried(motion, np.repeat(mesh.vertices[which, :3, None], 2, axis=2)[None])[0]


def _bounds_in_space(leaf: ImplicitSurface, moment: float, numbers: Numbers) -> np.ndarray:
    ends = np.concatenate([numbers.bounds(leaf.bounds)[0], [(moment, moment)]])[None]
    place = space_kernel(tuple(leaf.motion.apply((x, y, z))), numbers.symbols)
    lo, hi = place.interval(ends[..., 0], ends[..., 1], parameters=numbers.parameters)
    return np.stack([lo[0], hi[0]], axis=1)


def grid(face: ParametricSurface, numbers: Numbers, count: int = _GRID) -> np.ndarray:
    """(n, 2, 2): parameter boxes that cover the domain of a face, so many a side."""
    ends, _ = numbers.bounds(list(face.domain.values()))
    found = np.empty((count, count, 2, 2))
    for k, (lo, hi) in enumerate(ends):
        cuts = np.linspace(lo, hi, count + 1)
        along = np.stack([cuts[:-1], cuts[1:]], axis=-1)
        found[:, :, k] = along[:, None] if k == 0 else along
    return found.reshape(-1, 2, 2)


def cells(face: ParametricSurface, parameters: np.ndarray, moment: float, numbers: Numbers) -> np.ndarray:
    """(n, 3, 2): boxes in space that hold the face over parameter boxes (n, 2, 2)."""
    ends = (at_moment(parameters[..., end], moment) for end in (0, 1))
    kernel = position_kernel(face, numbers.symbols, _in_ranges(numbers))
    return np.stack(kernel.interval(*ends, parameters=numbers.parameters), axis=-1)


# -- points of a surface --------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=512)
def surface_point(body: Any, moment: float, numbers: Numbers = NONE) -> np.ndarray | None:
    """A box (3, 2) in space that holds a point of the surface; None if none is found."""
    if isinstance(body, ImplicitBody):
        return _grid_zero(body, moment, numbers)
    if isinstance(body, Mesh):
        return vertices_at(body, body.triangles[0, :1], moment, numbers)[0]
    face = faces(body)[0]
    _, ends = numbers.bounds(list(face.domain.values()))
    for shares in _PLACES:
        at = at_moment(np.clip((1 - shares) * ends[:, 0] + shares * ends[:, 1], *ends.T), moment)
        lo, hi, level = position_kernel(face, numbers.symbols, _in_ranges(numbers)).decorated(at, at, parameters=numbers.parameters)
        good = np.flatnonzero((level > 0).all(axis=1) & np.isfinite(hi - lo).all(axis=1))
        if len(good):
            return np.stack([lo[good[0]], hi[good[0]]], axis=1)
    return None


def middle_of(face: ParametricSurface, moment: float, numbers: Numbers) -> np.ndarray | None:
    """A box (3, 2) in space that holds the point in the middle of a face whose formulas are not made yet, without these; None of others."""
    whole = surface_extent(face, numbers)
    if not isinstance(whole.body, Deferred):
        return None
    box = boxes_at([replace(whole, domain=np.repeat(whole.domain.mean(axis=1)[:, None], 2, axis=1))], moment)[0]
    return box if np.isfinite(box).all() else None


def _grid_zero(body: ImplicitBody, moment: float, numbers: Numbers) -> np.ndarray | None:
    """A zero between the places of a grid in the bounds of a leaf where F is least and greatest."""
    leaf = body.leaves[0]
    place = space_kernel(tuple(leaf.motion.apply((x, y, z))), numbers.symbols)
    axes = [np.linspace(lo, hi, _GRID + 1) for lo, hi in numbers.bounds(leaf.bounds)[0]]
    own = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    world = place.points(at_moment(own, moment), parameters=numbers.middles)
    values = space_kernel((body.expression,), numbers.symbols).points(at_moment(world, moment), parameters=numbers.middles)[:, 0]
    if not ((values < 0).any() and (values > 0).any()):
        return None
    return zero_between(body, world[np.nanargmin(values)], world[np.nanargmax(values)], moment, numbers)


def zero_between(body: ImplicitBody, inner: np.ndarray, outer: np.ndarray, moment: float, numbers: Numbers) -> np.ndarray | None:
    """A short part of a segment, as a box (3, 2), that is *proved* to hold a zero of F: F is continuous on it, not positive at one end and
    not negative at the other. None where that is not proved.
    """
    kernel, known = space_kernel((body.expression,), numbers.symbols), numbers.parameters
    for _ in range(_SHORTER):
        points = inner + _SHARES[:, None] * (outer - inner)
        at = at_moment(points, moment)
        low, high = kernel.interval(at, at, parameters=known)
        # Between the ends, where the sign is known: rounding may hide it in the middle, and does where the bounds are symmetric.
        positive = next((k for k in (1, 2, 3) if low[k, 0] > 0), 4)
        negative = next((k for k in range(positive - 1, 0, -1) if high[k, 0] < 0), 0)
        if positive - negative == 4:
            break
        inner, outer = points[negative], points[positive]
    lo, hi = np.minimum(inner, outer), np.maximum(inner, outer)
    ends = at_moment(np.stack([inner, outer]), moment)
    low, high = kernel.interval(ends, ends, parameters=known)
    proved = high[0, 0] <= 0 <= low[1, 0]
    level = kernel.decorated(np.append(lo, moment)[None], np.append(hi, moment)[None], parameters=known)[2][0, 0]
    return np.stack([lo, hi], axis=1) if proved and level >= 2 else None
