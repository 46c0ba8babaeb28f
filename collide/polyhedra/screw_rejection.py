"""Meshes as seen from the axis of a screw, for `screw_rejection_loop`; and the test of whole objects."""

import functools
from typing import NamedTuple

import numpy as np
import sympy as sp

from generative import Motion, t

from ..bodies.mesh import Mesh

# Of all lengths: far more than doubles are rounded by on the way. Beyond such angles nothing is rejected.
_MARGIN, _TURNS = 2.0**-40, 1e3
_KINDS = "boxes", "triangles", "vertex-triangle", "edge-edge"
TESTS = tuple(f"{kind} by {test}" for kind in _KINDS for test in ("distance", "height", "angle"))
OBJECTS = "objects"


class Axis(NamedTuple):
    """An even screw of one body, in doubles. `moving`: which, 0 or 1. `turn` and `rise`: angle and advance at time 0, and in a unit of
    time. `frame` (3, 3): two directions across the axis and that of the axis, in columns. `poses`: of both bodies before the screw.
    """

    moving: int
    turn: tuple[float, float]
    rise: tuple[float, float]
    point: np.ndarray
    frame: np.ndarray
    poses: tuple[tuple[np.ndarray, np.ndarray], ...]

    def seen(self, points: np.ndarray, body: int) -> np.ndarray:
        """(n, 5): of points of a body the coordinates across the axis, the height, the distance and the angle."""
        rotation, shift = self.poses[body]
        x, y, h = ((points @ rotation.T + shift - self.point) @ self.frame).T
        return np.column_stack([x, y, h, np.sqrt(x * x + y * y), np.arctan2(y, x)])


class Seen(NamedTuple):
    """`around`: of the vertices of both meshes (n, 5), `balls`: of the nodes of their trees (m, 4). See `ScrewMemory`."""

    axis: Axis
    margin: float
    around: tuple[np.ndarray, np.ndarray]
    balls: tuple[np.ndarray, np.ndarray]


@functools.lru_cache(maxsize=256)
def axis_of(first: Motion, second: Motion) -> Axis | None:
    """Of two bodies of which one is at rest, and the other moves by an even screw after it was placed; None for others."""
    for moving, body, still in ((0, first, second), (1, second, first)):
        if body.screw is not None and still.is_constant:
            screw, before = body.screw
            turn, rise = _even(screw.angle), _even(screw.advance)
            if turn is None or rise is None:
                return None
            axis, point = (np.array([float(x) for x in given]) for given in (screw.axis, screw.point))
            poses = tuple(_matrix(pose) for pose in ((before, still) if moving == 0 else (still, before)))
            return Axis(moving, turn, rise, point, _frame(axis / np.linalg.norm(axis)), poses)
    return None


def _even(formula: sp.Expr) -> tuple[float, float] | None:
    """Value at time 0 and change in a unit of time, of what changes evenly."""
    speed = sp.diff(formula, t)
    if t in speed.free_symbols:
        return None
    values = float(formula.subs(t, 0)), float(speed)
    return values if np.isfinite(values).all() else None


def _matrix(pose: Motion) -> tuple[np.ndarray, np.ndarray]:
    entries = np.array([float(x) for x in pose.entries])
    return entries[:9].reshape(3, 3), entries[9:]


def _frame(axis: np.ndarray) -> np.ndarray:
    across = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    across /= np.linalg.norm(across)
    return np.stack([across, np.cross(axis, across), axis], axis=1)


def _margin(axis: Axis, meshes: tuple[Mesh, Mesh], span: tuple[float, float]) -> float:
    """Infinite where angles are too large."""
    longest = max(map(abs, span))
    size = np.abs(axis.point).sum() + abs(axis.rise[0]) + abs(axis.rise[1]) * longest
    for mesh, (_, shift) in zip(meshes, axis.poses, strict=True):
        size += 3 * np.abs(mesh.tree.boxes[0]).sum() + np.abs(shift).sum()
    return _MARGIN * float(size) if abs(axis.turn[0]) + abs(axis.turn[1]) * longest < _TURNS else np.inf


def objects_apart(axis: Axis, meshes: tuple[Mesh, Mesh], span: tuple[float, float]) -> bool:
    """Are two meshes apart throughout, by the balls round them, as seen from the axis?"""
    rises = sorted(axis.rise[0] + axis.rise[1] * e for e in span)
    wide, bands = 4 * _margin(axis, meshes, span), []
    for body, mesh in enumerate(meshes):
        (_, _, height, distance, _), = axis.seen(_middles(mesh)[:1], body)
        radius, lift = mesh.radii[0], rises if body == axis.moving else (0.0, 0.0)
        bands.append((distance - radius, distance + radius, height - radius + lift[0], height + radius + lift[1]))
    (a, b, c, d), (e, f, g, h) = bands
    return bool(a > f + wide or e > b + wide or c > h + wide or g > d + wide)


def _middles(mesh: Mesh) -> np.ndarray:
    return 0.5 * (mesh.tree.boxes[:, :3] + mesh.tree.boxes[:, 3:6])


def seen_from(axis: Axis, meshes: tuple[Mesh, Mesh], span: tuple[float, float]) -> Seen | None:
    """All of both meshes; None where angles are too large."""
    margin = _margin(axis, meshes, span)
    around, balls = [], []
    for body, mesh in enumerate(meshes):
        _, _, height, distance, angle = axis.seen(_middles(mesh), body).T
        # In rows: the loop reads them.
        around.append(np.ascontiguousarray(axis.seen(mesh.vertices[:, :3], body)))
        balls.append(np.ascontiguousarray(np.column_stack([distance, height, angle, mesh.radii])))
    return Seen(axis, margin, (around[0], around[1]), (balls[0], balls[1])) if np.isfinite(margin) else None
