"""Boxes that together hold the surface of a shape, in its own coordinates, and a tree of balls round them."""

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.deadline import check
from codegen.from_sympy import convert
from codegen.graph.autodiff import partials
from codegen.graph.expr import ExprPool
from codegen.graph.meanvalue import second_order_form
from codegen.kernel import Kernel
from generative import ImplicitBody, ParametricSurface, t, u, v, x, y, z

from ...bodies.mesh import Mesh
from ...bodies.numbers import NONE
from ...bodies.surface_points import extent, faces, grid
from ..mass.integrators import triangles_of
from .margins import WIDER
from .normal_bounds import members, over_ranges, slants_of

_NORMAL, _SHARE = sp.symbols("n0:3", real=True), sp.Symbol("share", real=True)

# Effort only: boxes of all parametric faces together, about, and where these are flat; an implicit body is divided until there are so many
# boxes, or so often.
_PARAMETRIC, _EVEN, _IMPLICIT, _LEVELS = 1 << 12, 1 << 10, 1 << 16, 48
# What is moved or measured in doubles is rounded: boxes and balls are wider by so much of their size.
_ROUNDINGS = 1e-13
# Sines of angles between vectors that are parallel but for rounding are no greater.
_SLANT = 1e-6
# Groups of leaves are so large at most, and nodes of which it is asked how their normals lie. Effort only.
_GROUPED, _ALIKE = 16, 256


class SurfaceCover(NamedTuple):
    """Boxes (n, 3, 2) that hold a surface; of each part of it in one a vector (n, 3), nearly normal, and bounds (n, 2) of its product with
    points of that part, which nearly lie in a plane. `parameters` (n, 2, 2): of a single smooth patch, else None.
    """

    boxes: np.ndarray
    normals: np.ndarray
    levels: np.ndarray
    parameters: np.ndarray | None = None


@functools.lru_cache(maxsize=512)
def cover(shape: Any) -> SurfaceCover | None:
    """None where a surface is not known to be anywhere."""
    found = (_of_implicit if isinstance(shape, ImplicitBody) else _of_mesh if isinstance(shape, Mesh) else _of_faces)(shape)
    return found if len(found.boxes) and np.isfinite(found.boxes).all() else None


def _of_mesh(mesh: Mesh) -> SurfaceCover:
    corners = triangles_of(mesh)
    far = _ROUNDINGS * np.abs(corners).max()
    boxes = np.stack([corners.min(axis=1) - far, corners.max(axis=1) + far], axis=-1)
    return SurfaceCover(boxes, np.tile([1.0, 0.0, 0.0], (len(boxes), 1)), boxes[:, 0])


def _of_faces(shape: Any) -> SurfaceCover:
    own = faces(shape)
    even = all(sp.diff(e, s, r) == 0 for face in own for e in face.expressions for s, r in ((u, u), (u, v), (v, v)))
    count = 1 << max(0, int(np.log2((_EVEN if even else _PARAMETRIC) / len(own))) // 2)
    parameters = [grid(face, NONE, count) for face in own]
    parts = [_of_face(*part) for part in zip(own, parameters, strict=True)]
    boxes, normals, levels = (np.concatenate(part) for part in zip(*parts, strict=True))
    return SurfaceCover(boxes, normals, levels, parameters[0] if own == (shape,) else None)


def _of_face(face: ParametricSurface, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    place = tuple(face.expressions)
    tangents = _slopes(place, (u, v), parameters.mean(axis=2))
    normals = _unit(np.cross(tangents[..., 0], tangents[..., 1]))
    return _over(place, (u, v), parameters), normals, _over((sum(map(operator.mul, _NORMAL, place)),), (u, v), parameters, normals)[:, 0]


def _of_implicit(body: ImplicitBody) -> SurfaceCover:
    """In each box F is 0 on the surface, so n p = n p - F / |grad F| there, which changes little."""
    boxes = _where_zero(body)
    gradients = _slopes((body.expression,), (x, y, z), boxes.mean(axis=2))[:, 0]
    sizes = np.linalg.norm(gradients, axis=1, keepdims=True)
    normals, shares = _unit(gradients), np.where((sizes > 0.0) & np.isfinite(sizes), 1.0 / np.where(sizes > 0.0, sizes, 1.0), 0.0)
    level = sum(map(operator.mul, _NORMAL, (x, y, z))) - _SHARE * body.expression
    return SurfaceCover(boxes, normals, _over((level,), (x, y, z), boxes, np.column_stack([normals, shares]))[:, 0])


def _unit(vectors: np.ndarray) -> np.ndarray:
    """The vectors scaled to length 1, nearly; any vector where there is none."""
    with np.errstate(all="ignore"):
        found = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(np.isfinite(found).all(axis=1, keepdims=True), found, [1.0, 0.0, 0.0])


def _over(formulas: tuple[Any, ...], symbols: tuple[Any, ...], boxes: np.ndarray, numbers: np.ndarray | None = None) -> np.ndarray:
    """(n, formulas, 2): bounds to second order, at the time 0, over boxes (n, symbols, 2), with numbers (n, 3 or 4) for `_NORMAL` and
    `_SHARE`.
    """
    known = np.zeros((len(boxes), 4))
    if numbers is not None:
        known[:, :numbers.shape[1]] = numbers
    lo, hi = _kernel(formulas, symbols).interval(boxes[..., 0], boxes[..., 1], parameters=(known, known))
    return np.stack([lo, hi], axis=-1)


def _slopes(formulas: tuple[Any, ...], symbols: tuple[Any, ...], at: np.ndarray) -> np.ndarray:
    """(n, formulas, symbols): derivatives at points (n, symbols), in doubles."""
    return _kernel(formulas, symbols, True).points(at, parameters=np.zeros(4)).reshape(-1, len(formulas), len(symbols))


@functools.lru_cache(maxsize=64)
def _kernel(formulas: tuple[Any, ...], symbols: tuple[Any, ...], slopes: bool = False) -> Kernel:
    pool, numbers = ExprPool(), (*_NORMAL, _SHARE)
    variables = [pool.variable(k) for k in range(len(symbols))]
    known = {**dict(zip(symbols, variables, strict=True)), t: pool.constant(0), **{s: pool.parameter(k) for k, s in enumerate(numbers)}}
    outputs = convert(list(formulas), known, pool)
    outputs = [d for row in partials(outputs, variables) for d in row] if slopes else second_order_form(outputs, variables)
    return Kernel(outputs, [str(s) for s in symbols], [str(s) for s in numbers], quick=True)


def _where_zero(body: ImplicitBody) -> np.ndarray:
    """Boxes within the bounds of a body in which its function may be zero, each time halved along the longest side."""
    boxes, levels = extent(body, 0.0)[None], 0
    while 0 < len(boxes) < _IMPLICIT and levels <= _LEVELS:
        check()
        boxes, levels = np.concatenate(_halves(boxes, int(np.argmax(np.ptp(boxes[0], axis=1))))), levels + 1
        value = _over((body.expression,), (x, y, z), boxes)[:, 0]
        boxes = boxes[~((value[:, 0] > 0.0) | (value[:, 1] < 0.0))]
    return boxes


def _halves(boxes: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    low, high = boxes.copy(), boxes.copy()
    low[:, axis, 1] = high[:, axis, 0] = 0.5 * (boxes[:, axis, 0] + boxes[:, axis, 1])
    return low, high


# -- trees -----------------------------------------------------------------------------------------------------------


class BoundingSphereTree(NamedTuple):
    """Nodes (n, 8) of a tree over the boxes of a cover: a centre, a radius and a thickness, and a normal. What a node holds of the surface
    lies in the ball with that radius, and no farther than the thickness from the plane through the centre with that normal. The children of
    a node have the numbers `child` (n,) and the next; -1: a leaf. `group` (n,): to which of some groups a node belongs with all that it
    holds; -1: to none. `reach`: no centre is farther from the origin. `parameters` (groups, 2, 2): of a single smooth patch, where the
    leaves of each group are; else None, and there is but one group. `slants` (n,): bounds of the tangents of the angles between the normal
    of a node and the outward ones of what it holds, see `slants`; infinite: none is known.
    """

    nodes: np.ndarray
    child: np.ndarray
    group: np.ndarray
    reach: float
    slants: np.ndarray
    parameters: np.ndarray | None = None

    @property
    def groups(self) -> int:
        return 1 if self.parameters is None else len(self.parameters)


@functools.lru_cache(maxsize=512)
def ball_tree(shape: Any, middle: tuple[float, ...]) -> BoundingSphereTree | None:
    """The bounding sphere tree of a shape seen from a point; None where there is no cover."""
    known = cover(shape)
    if known is None:
        return None
    far = 4.0 * _ROUNDINGS * (np.abs(known.boxes).max() + np.abs(middle).max())
    boxes = known.boxes - np.array(middle)[:, None]
    order = _by_halves(boxes.mean(axis=2) if known.parameters is None else _spread(known))
    leaves = _leaves(boxes[order], known.normals[order], known.levels[order] - (known.normals[order] @ middle)[:, None], far)
    levels, child = _halved(len(boxes))
    rows = []
    for ranges in levels:
        check()
        rows.append(_around(boxes[order], leaves, ranges, far))
    nodes = np.concatenate(rows)
    begin = np.concatenate(levels)[:, 0]
    nodes[child < 0] = leaves[begin[child < 0]]
    group, parameters = np.zeros(len(child), np.int64), None
    if known.parameters is not None:
        group, parameters = _grouped(child, levels, known.parameters[order])
    reach = float(np.linalg.norm(nodes[:, :3], axis=1).max()) * (1.0 + _ROUNDINGS)
    parts = (known.boxes if known.parameters is None else known.parameters)[order]
    slants = slants_of(shape, known.boxes[order], parts, known.normals[order])
    slants = _over_few(slants, known.normals[order], np.concatenate(levels), nodes)
    return BoundingSphereTree(nodes, child, group, reach, slants, parameters)


def _over_few(slants: np.ndarray, normals: np.ndarray, ranges: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """The slants of nodes that hold ranges (n, 2) of leaves, where these are few: others have normals all round."""
    found, few = np.full(len(ranges), np.inf), np.flatnonzero(ranges[:, 1] - ranges[:, 0] <= _ALIKE)
    found[few] = over_ranges(slants, normals, ranges[few], nodes[few, 5:])
    return found


@functools.lru_cache(maxsize=512)
def tree_of_ball(radius: float) -> BoundingSphereTree:
    """It is that ball, a little wider than it is."""
    wide = radius * WIDER
    return BoundingSphereTree(np.array([[0.0, 0.0, 0.0, wide, wide, 1.0, 0.0, 0.0]]), np.array([-1]), np.array([0]), 0.0,
                              np.array([np.inf]))


def _leaves(boxes: np.ndarray, normals: np.ndarray, levels: np.ndarray, far: float) -> np.ndarray:
    """Rows of a tree of single boxes, of whose points the products with vectors lie within `levels` (n, 2)."""
    centres, radii = boxes.mean(axis=2), np.linalg.norm(0.5 * np.ptp(boxes, axis=2), axis=1)
    own = levels - (normals * centres).sum(axis=1, keepdims=True)
    shift = np.clip(np.nan_to_num(own.mean(axis=1)), -radii, radii)
    radii = (radii + np.abs(shift)) * (1.0 + _ROUNDINGS) + far
    # The vectors are of length 1 but for some roundings of it, which are of lengths no greater than these.
    thick = np.nan_to_num(np.maximum(own[:, 1] - shift, shift - own[:, 0]), nan=np.inf) + far
    return np.column_stack([centres + shift[:, None] * normals, radii, np.minimum(thick, radii), normals])


def _around(boxes: np.ndarray, leaves: np.ndarray, ranges: np.ndarray, far: float) -> np.ndarray:
    """Rows of a tree of ranges (n, 2) of boxes in order. What a leaf holds reaches along another vector than its own no farther than its
    thickness and the sine of their angle times its radius.
    """
    own, which, first = members(ranges)
    lo, hi = np.minimum.reduceat(boxes[own, :, 0], first, axis=0), np.maximum.reduceat(boxes[own, :, 1], first, axis=0)
    centres, radii = 0.5 * (lo + hi), np.linalg.norm(0.5 * (hi - lo), axis=1)
    some, normals = leaves[own], _unit(np.add.reduceat(leaves[own, 5:], first, axis=0))
    along = np.abs((normals[which] * some[:, 5:]).sum(axis=1))
    reach = some[:, 4] + some[:, 3] * (np.sqrt(np.maximum(0.0, 1.0 - along * along)) + _SLANT)
    middle = (normals[which] * (some[:, :3] - centres[which])).sum(axis=1)
    least, most = np.minimum.reduceat(middle - reach, first), np.maximum.reduceat(middle + reach, first)
    shift = np.clip(0.5 * (least + most), -radii, radii)
    radii = (radii + np.abs(shift)) * (1.0 + _ROUNDINGS) + far
    thick = np.maximum(most - shift, shift - least) * (1.0 + _ROUNDINGS) + far
    return np.column_stack([centres + shift[:, None] * normals, radii, np.minimum(thick, radii), normals])


def _by_halves(places: np.ndarray) -> np.ndarray:
    """The order of places (n, d) in which the first half of each range of `_halved` comes before the second along the axis along which that
    range is longest. (Morton's order makes trees that take more than twice as long.)
    """
    order = np.arange(len(places))
    for ranges in _halved(len(places))[0][:-1]:
        counts = ranges[:, 1] - ranges[:, 0]
        if counts.sum() < len(places):
            break
        own = places[order]
        wide = np.maximum.reduceat(own, ranges[:, 0], axis=0) - np.minimum.reduceat(own, ranges[:, 0], axis=0)
        which = np.repeat(np.arange(len(ranges)), counts)
        order = order[np.lexsort((own[np.arange(len(own)), wide.argmax(axis=1)[which]], which))]
    return order


def _spread(known: SurfaceCover) -> np.ndarray:
    """Places (n, 2) of the boxes of a patch, a grid, in parameters that change about as much along either side as places in space do."""
    assert known.parameters is not None
    places, side = known.parameters.mean(axis=2), math.isqrt(len(known.boxes))
    steps = [np.diff(grid.reshape(side, side, -1), axis=k) for grid in (places, known.boxes.mean(axis=2)) for k in range(2)]
    far = [float(np.linalg.norm(step, axis=2).mean()) for step in steps]
    shares = [space / own for own, space in zip(far[:2], far[2:], strict=True)]
    return places * shares


def _halved(count: int) -> tuple[list[np.ndarray], np.ndarray]:
    """Ranges (n, 2) of 0 to `count`, level by level, the first all of it, and the number of the first of the halves of each, -1 where it
    has one element.
    """
    ranges, children, first = [np.array([[0, count]])], list[np.ndarray](), 1
    while len(ranges[-1]):
        begin, end = ranges[-1].T
        more = end - begin > 1
        children.append(np.where(more, first + 2 * (np.cumsum(more) - 1), -1))
        first += 2 * int(more.sum())
        cut = (begin + end)[more] // 2
        ranges.append(np.stack([begin[more], cut, cut, end[more]], axis=1).reshape(-1, 2))
    return ranges[:-1], np.concatenate(children)


def _grouped(child: np.ndarray, levels: Sequence[np.ndarray], parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Groups of nodes in whose halves few leaves are: the number of each node's, and what these are in parameters (n, 2, 2)."""
    ranges = np.concatenate(levels)
    few = ranges[:, 1] - ranges[:, 0] <= _GROUPED
    group, inner = np.full(len(child), -1), np.flatnonzero(child >= 0)
    above = np.full(len(child), -1)
    above[child[inner]] = above[child[inner] + 1] = inner
    first = np.flatnonzero(few & ((above < 0) | ~few[above]))
    group[first] = np.arange(len(first))
    for k in inner[few[inner]].tolist():
        group[child[k]] = group[child[k] + 1] = group[k]
    ends = (_over_ranges(of, parameters[..., end], ranges[first]) for of, end in ((np.minimum, 0), (np.maximum, 1)))
    return group, np.stack(list(ends), axis=-1)


def _over_ranges(of: np.ufunc, values: np.ndarray, ranges: np.ndarray) -> np.ndarray:
    """The least or greatest of rows in each range (n, 2); `reduceat` takes every other range as one between two."""
    return np.asarray(of.reduceat(np.concatenate([values, values[-1:]]), ranges.ravel(), axis=0)[::2])
