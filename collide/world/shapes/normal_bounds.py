"""Bounds of the outward normals of a surface, in each box of a cover, round the vector that is kept for it.

Where closed surfaces touch for the first time, and are smooth, their outward normals are opposed. And what parts there does not touch for
the first time: just before, it was inside (see `narrow_phase.native.bounding_trees_loop`).
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.from_sympy import convert
from codegen.graph.autodiff import partials
from codegen.graph.expr import ExprPool
from codegen.graph.meanvalue import mean_value_form
from codegen.graph.vectors import Vector, cross, dot
from codegen.kernel import Kernel
from generative import ImplicitSurface, ParametricSurface, t, u, v, x, y, z

from ...bodies.parts import is_closed
from ...bodies.surface_points import extent

# Tangents of angles between vectors that are parallel but for rounding are no greater; more than some roundings.
_SLANT, _WIDER = 1e-6, 1.0 + 1e-12


def slants_of(shape: Any, boxes: np.ndarray, parts: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """(n,): bounds of the tangents of the angles between vectors (n, 3) and the outward normals of a surface in `parts` (n, k, 2), boxes in
    its parameters or in space, which lie in `boxes` (n, 3, 2). Infinite where none is known: so they are where the surface is not proved to
    go on smoothly, and of bodies of several faces.
    """
    unknown = np.full(len(boxes), np.inf)
    if isinstance(shape, ImplicitSurface) and shape.motion.is_identity:
        # It ends at its bounds.
        ends = extent(shape, 0.0)
        inner = ((boxes[..., 0] > ends[:, 0]) & (boxes[..., 1] < ends[:, 1])).all(axis=1)
        return np.where(inner, _slants((shape.expression,), (x, y, z), parts, normals), np.inf)
    if not (isinstance(shape, ParametricSurface) and is_closed(shape)):
        return unknown
    # The sides of a closed patch are seams, across which its formulas have a period, and poles, where no normal is found.
    found = _slants(shape.expressions, (u, v), parts, normals)
    return found if any(_points_outward(boxes, found, normals, axis, sign) for axis in range(3) for sign in (1.0, -1.0)) else unknown


def _points_outward(boxes: np.ndarray, slants: np.ndarray, normals: np.ndarray, axis: int, sign: float) -> bool:
    """Whether the normals of a closed patch are known to be outward. They all are if one is, and where it reaches farthest along an axis
    the outward normal is along that.
    """
    ends = sign * boxes[:, axis]
    last = ends.max(axis=1) >= ends.min(axis=1).max()
    return bool((np.isfinite(slants[last]) & (sign * normals[last, axis] > 0.0)).all())


def _slants(formulas: Sequence[Any], symbols: tuple[Any, ...], parts: np.ndarray, normals: np.ndarray) -> np.ndarray:
    lo, hi = _kernel(tuple(formulas), symbols).interval(parts[..., 0], parts[..., 1], parameters=(normals, normals))
    least, across = lo[:, 0], np.linalg.norm(np.maximum(np.abs(lo[:, 1:]), np.abs(hi[:, 1:])), axis=1)
    with np.errstate(all="ignore"):
        found = _WIDER * across / least + _SLANT
    return np.where((least > 0.0) & np.isfinite(found), found, np.inf)


def _kernel(formulas: tuple[Any, ...], symbols: tuple[Any, ...]) -> Kernel:
    """A kernel of the part of the normal along a vector, and of the part across that (4)."""
    pool = ExprPool()
    variables = [pool.variable(k) for k in range(len(symbols))]
    values = convert(list(formulas), {**dict(zip(symbols, variables, strict=True)), t: pool.constant(0)}, pool)
    rates = partials(values, variables)
    normal = _vector(rates[0]) if len(values) == 1 else cross(*(_vector([row[k] for row in rates]) for k in range(2)))
    along = pool.parameter(0), pool.parameter(1), pool.parameter(2)
    outputs = mean_value_form([dot(normal, along), *cross(normal, along)], variables)
    outputs = [functools.reduce(lambda e, value: pool.trusted(e, value, 3), values, e) for e in outputs]
    return Kernel(outputs, [str(s) for s in symbols], ["n0", "n1", "n2"], quick=True)


def _vector(entries: Sequence[Any]) -> Vector:
    return entries[0], entries[1], entries[2]


def over_ranges(slants: np.ndarray, normals: np.ndarray, ranges: np.ndarray, around: np.ndarray) -> np.ndarray:
    """(m,): the same of all that is in ranges (m, 2) of boxes, and of vectors `around` (m, 3)."""
    if np.isinf(slants).all():
        return np.full(len(ranges), np.inf)
    own, which, first = members(ranges)
    beside, along = np.linalg.norm(np.cross(normals[own], around[which]), axis=1), (normals[own] * around[which]).sum(axis=1)
    with np.errstate(all="ignore"):
        one, two = slants[own], beside / along + _SLANT
        both = _WIDER * (one + two) / (1.0 - one * two)
    both = np.where((along > 0.0) & (one * two < 1.0) & np.isfinite(both), both, np.inf)
    return np.asarray(np.maximum.reduceat(both, first))


def members(ranges: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All numbers in ranges (n, 2), the range of each, and the place at which each range begins among these."""
    counts = ranges[:, 1] - ranges[:, 0]
    first = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(ranges[:, 0] - first, counts), np.repeat(np.arange(len(ranges)), counts), first
