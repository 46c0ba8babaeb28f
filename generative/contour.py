"""Meshes of the surfaces of implicit bodies: marching tetrahedra, as fine as an error asks for, clipped by other bodies. Floating point.

A leaf is meshed in its own frame. So are the bodies that cut it: where these move with it the mesh is kept, however the whole moves.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .combination import Combination
from .implicit import BoundaryPiece, ImplicitBody, ImplicitSurface
from .marching import Triangles, Vertices, clipped, marching_tetrahedra
from .motion import Motion
from .numeric import approx_function
from .symbols import t, x, y, z

# Cells a side grow by this factor until the mesh is fine enough, to no more than that.
_FINER, _MOST = 1.5, 64
# Which share of triangles must be fine enough: near kinks and tips of a function distances are not known.
_SHARE = 98.0
# Two bodies move together where their relative pose changes by no more than this, at these parts of the time.
_TOGETHER, _LOOKS = 1e-9, np.array([0.0, 0.11, 0.23, 0.41, 0.58, 0.79, 1.0])

Local = Callable[[float], tuple[Vertices, Triangles]]
Times = tuple[float, ...]
Place = Callable[[Any], tuple[np.ndarray, np.ndarray]]
Condition = tuple[Callable[..., np.ndarray], int]
"""The part that is cut off: the points at which the function, of points in the frame of the leaf and of the time, has this sign."""


def contour(piece: BoundaryPiece, times: Times, allowed: Callable[[float], float], cells: int) -> tuple[Local, bool]:
    """The mesh of a piece in the frame of its leaf as a function of the time, and whether it changes.

    `allowed`: how far triangles may be from the surface, of the size of the bounds; `cells`: the fewest a side.
    """
    leaf, function = piece.leaf, _formula(piece.leaf.body)
    others = [b for body in (*piece.outside, *piece.inside) for b in body.leaves]
    changes = leaf.deforming or any(b.deforming or _kept(b.motion, leaf.motion, times) is None for b in others)
    conditions = [(_seen(body, leaf.motion, times), sign) for sign, bodies in ((-1, piece.outside), (1, piece.inside)) for body in bodies]
    ends = np.array([[float(e) for e in pair] for pair in leaf.bounds])
    error = allowed(float(np.linalg.norm(ends[:, 1] - ends[:, 0])))

    def mesh(time: float, count: int) -> tuple[Vertices, Triangles]:
        grid = np.meshgrid(*(np.linspace(lo, hi, count + 1) for lo, hi in ends), indexing="ij")
        vertices, triangles = marching_tetrahedra(np.stack(grid, axis=-1), function(*grid, time)[..., 0])
        for condition, sign in conditions if len(triangles) else ():
            vertices, triangles = clipped(vertices, triangles, sign * condition(vertices, time))
        return vertices, triangles

    count = cells
    while count < _MOST and any(_off(*mesh(time, count), function, conditions, time) > error for time in (times if changes else times[:1])):
        count = min(_MOST, int(_FINER * count))
    return lambda time: mesh(time, count), changes


@functools.lru_cache(maxsize=1024)
def approx_motion(motion: Motion) -> Place:
    """time -> (rotation (3, 3), translation (3,)), approximately; of an array of times (n,), (n, 3, 3) and (n, 3)."""
    function = approx_function([*motion.entries], [t])

    def evaluate(time: Any) -> tuple[np.ndarray, np.ndarray]:
        entries = function(time)
        return entries[..., :9].reshape(*entries.shape[:-1], 3, 3), entries[..., 9:]

    return evaluate


@functools.lru_cache(maxsize=256)
def _formula(body: Any) -> Callable[..., np.ndarray]:
    return approx_function([body], [x, y, z, t])


def _seen(body: ImplicitBody, frame: Motion, times: Times) -> Callable[..., np.ndarray]:
    """The function of a body, of points (n, 3) in a frame and of the time."""
    if isinstance(body, Combination):
        parts, least = [_seen(child, frame, times) for child in body.children], body.operation == "union"
        return lambda points, time: (np.minimum if least else np.maximum).reduce([part(points, time) for part in parts])
    assert isinstance(body, ImplicitSurface)
    function, kept = _formula(body.body), _kept(body.motion, frame, times)

    def value(points: np.ndarray, time: float) -> np.ndarray:
        turn, shift = _relative(body.motion, frame, time) if kept is None else kept
        return function(*((points - shift) @ turn).T, time)[..., 0]

    return value


def _relative(motion: Motion, frame: Motion, time: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rotation and translation as a frame sees them, at one time or at several."""
    (own, to), (other, by) = approx_motion(frame)(time), approx_motion(motion)(time)
    return np.swapaxes(own, -1, -2) @ other, np.einsum("...ji,...j->...i", own, by - to)


@functools.lru_cache(maxsize=1024)
def _kept(motion: Motion, frame: Motion, times: Times) -> tuple[np.ndarray, np.ndarray] | None:
    """The relative pose, if it is the same at all times, as far as is seen at some."""
    if motion == frame:
        return np.eye(3), np.zeros(3)
    at = min(times) + (max(times) - min(times) or 1.0) * _LOOKS
    turns, shifts = _relative(motion, frame, at)
    size = 1.0 + float(np.abs(shifts).max())
    return (turns[0], shifts[0]) if max(np.ptp(turns, axis=0).max(), np.ptp(shifts, axis=0).max() / size) <= _TOGETHER else None


def _off(vertices: Vertices, triangles: Triangles, function: Callable[..., np.ndarray], conditions: Sequence[Condition],
         time: float) -> float:
    """The distance, for most triangles, of their middles from the surface, and of the sides along which they were cut from where they
    should be.
    """
    if not len(triangles):
        return 0.0
    corners = vertices[triangles]
    found = [_distances(lambda p: function(*p.T, time)[..., 0], corners.mean(axis=1))]
    for condition, _ in conditions:
        values = np.abs(condition(vertices, time))[triangles]
        cut = values <= 1e-9 * max(float(values.max()), 1e-300)
        sides = [corners[cut[:, k] & cut[:, k - 1]][:, [k, k - 1]].mean(axis=1) for k in range(3)]
        found.append(_distances(lambda p, c=condition: c(p, time), np.concatenate(sides)))  # type: ignore[misc]
    return max(float(np.percentile(f, _SHARE)) for f in found if len(f))


def _distances(function: Callable[[np.ndarray], np.ndarray], points: np.ndarray) -> np.ndarray:
    """The distances of points from the zeros of a function, to first order."""
    if not len(points):
        return np.empty(0)
    step = 1e-6 * max(float(np.ptp(points, axis=0).max()), 1e-300)
    value = function(points)
    slopes = [(function(points + step * axis) - value) / step for axis in np.eye(3)]
    found = np.abs(value) / np.maximum(np.linalg.norm(slopes, axis=0), 1e-300)
    return found[np.isfinite(found)]
