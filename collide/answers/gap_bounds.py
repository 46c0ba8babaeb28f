"""Bounds of how near two surfaces come at places where contact is neither proved nor excluded: "they touch, or miss by less than".

At the middle of the time of such a place a point of each surface is evaluated with rounding enclosed; their distance is the bound. A point
of an implicit surface is known by a change of sign: the function is continuous on a short segment, and has opposite signs at its ends.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from codegen.constants import enclose
from codegen.kernel import Kernel
from generative import ImplicitSurface, ParametricSurface, Solid, t, u, v, x, y, z

from ..bodies.surface_points import faces, position_kernel, space_kernel

# Steps along a normal, each twice as long as the one before, against the distance that the slope tells and the size of coordinates.
_FIRST, _DOUBLINGS = 2.0**-50, 60


class _Contacts(Protocol):
    """The fields of `Contacts` that are read."""

    def __len__(self) -> int: ...
    @property
    def exists(self) -> np.ndarray: ...
    @property
    def pairs(self) -> np.ndarray: ...
    @property
    def points(self) -> np.ndarray: ...
    @property
    def boxes(self) -> Sequence[np.ndarray]: ...
    @property
    def uv(self) -> np.ndarray: ...
    @property
    def bodies(self) -> Sequence[Any]: ...


class _Ball(NamedTuple):
    """A box (3,), (3,) and a distance: a point of the surface is no farther than that from each point of the box."""

    lo: np.ndarray
    hi: np.ndarray
    off: float


def gap_bounds(c: _Contacts) -> np.ndarray:
    """(k,): a distance within which the surfaces come to each other at each place; 0 where contact is proved, NaN where none is known."""
    return np.array([0.0 if c.exists[k] else _bound(c, k) for k in range(len(c))])


def _bound(c: _Contacts, k: int) -> float:
    moment = float(np.mean(c.boxes[k][-1]))
    bodies = [c.bodies[i] for i in c.pairs[k].tolist()] if len(c.bodies) else []
    if not bodies or not all(isinstance(b, (ParametricSurface, Solid, ImplicitSurface)) for b in bodies):
        return float("nan")
    found: list[_Ball | None] = [None, None]
    at = c.points[k]
    for side, body in enumerate(bodies):
        if not isinstance(body, ImplicitSurface):
            found[side] = _on_face(body, c.uv[k][side].tolist(), moment)
            at = at if found[side] is None else 0.5 * (found[side].lo + found[side].hi)  # type: ignore[union-attr]
    for side, body in enumerate(bodies):
        if isinstance(body, ImplicitSurface):
            found[side] = _near_level(body, at, moment)
    first, second = found
    if first is None or second is None:
        return float("nan")
    far = np.maximum(np.abs(first.hi - second.lo), np.abs(second.hi - first.lo))
    return float((np.sqrt((far**2).sum()) + first.off + second.off) * (1.0 + 2.0**-48)) + 5e-324


def _on_face(body: Any, place: tuple[int, float, float], moment: float) -> _Ball | None:
    face = faces(body)[place[0]]
    if (face.motion.symbols | set().union(*(e.free_symbols for e in face.body))) - {t, u, v}:
        return None
    ends = [[enclose(e) for e in face.domain[s]] for s in (u, v)]
    inside = [min(max(value, lo[1]), hi[0]) for value, (lo, hi) in zip(place[1:], ends, strict=True)]
    at = np.array([[*inside, moment]])
    lo, hi, level = position_kernel(face, ()).decorated(at, at)
    return _Ball(lo[0], hi[0], 0.0) if (level > 0).all() and np.isfinite(hi - lo).all() else None


@functools.lru_cache(maxsize=64)
def _level(leaf: ImplicitSurface) -> Kernel:
    return space_kernel((leaf.expression, *leaf.gradient), ())


@functools.lru_cache(maxsize=64)
def _inward(leaf: ImplicitSurface) -> Kernel:
    return space_kernel(tuple(leaf.coordinates), ())


def _near_level(leaf: ImplicitSurface, point: np.ndarray, moment: float) -> _Ball | None:
    """The shortest segment found, along the gradient through a point, at the ends of which F has opposite signs."""
    if leaf.expression.free_symbols - {t, x, y, z}:
        return None
    value, *slope = np.asarray(_level(leaf).points(np.array([[*point, moment]])))[0]
    steep = float(np.linalg.norm(slope))
    if not np.isfinite(steep) or not steep > 0.0:
        return None
    way = np.array(slope) / steep
    step = abs(value) / steep + _FIRST * (1.0 + float(np.abs(point).max()))
    for _ in range(_DOUBLINGS):
        ends = np.array([[*(point + sign * step * way), moment] for sign in (-1.0, 1.0)])
        lo, hi = _level(leaf).interval(ends, ends)
        if hi[0, 0] < 0.0 < lo[1, 0] or hi[1, 0] < 0.0 < lo[0, 0]:
            return _Ball(point, point, _length(ends)) if _is_within(leaf, ends) else None
        step *= 2.0
    return None


def _length(ends: np.ndarray) -> float:
    return float(np.linalg.norm(ends[1, :3] - ends[0, :3])) * (1.0 + 2.0**-48)


def _is_within(leaf: ImplicitSurface, ends: np.ndarray) -> bool:
    """Whether F is continuous on the box of a segment, and all of that lies within the bounds of the surface."""
    low, high = ends.min(axis=0)[None], ends.max(axis=0)[None]
    _, _, level = _level(leaf).decorated(low, high)
    lo, hi = _inward(leaf).interval(low, high)
    bounds = [(enclose(a)[1], enclose(b)[0]) for a, b in leaf.bounds]
    return bool(level[0, 0] > 1 and all(a <= p and q <= b for p, q, (a, b) in zip(lo[0], hi[0], bounds, strict=True)))
