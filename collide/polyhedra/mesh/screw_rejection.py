"""Meshes as seen from the axis of a screw, for `screw_rejection_loop`; and the test of whole objects."""

import functools
import math
from typing import NamedTuple

import numpy as np
import sympy as sp

from generative import Motion, t

from ...bodies.mesh import Mesh

# Of all lengths: far more than doubles are rounded by on the way. Beyond such angles nothing is rejected.
_MARGIN, _TURNS = 2.0**-40, 1e3
_KINDS = "boxes", "triangles", "vertex-triangle", "edge-edge"
TESTS = tuple(f"{kind} by {test}" for kind in _KINDS for test in ("distance", "height", "angle"))
OBJECTS = "objects"


class ScrewAxis(NamedTuple):
    """An even screw of one body, in doubles. `moving`: which, 0 or 1. `turn` and `rise`: angle and advance at time 0, and in a unit of
    time. `rows` (3, 4): of each body, placed as it is before the screw, what gives two coordinates across the axis, and one along it.
    `far`: the sum of the sizes of all coordinates of the axis and of these places.
    """

    moving: int
    turn: tuple[float, float]
    rise: tuple[float, float]
    rows: tuple[np.ndarray, np.ndarray]
    far: float

    def seen(self, points: np.ndarray, body: int) -> np.ndarray:
        """(n, 5): of points of a body the coordinates across the axis, the height, the distance and the angle."""
        x, y, h = self.rows[body][:, :3] @ points.T + self.rows[body][:, 3:]
        return np.column_stack([x, y, h, np.sqrt(x * x + y * y), np.arctan2(y, x)])


class ScrewBounds(NamedTuple):
    """`around`: of the vertices of both meshes (n, 5), `balls`: of the nodes of their trees (m, 4). See `ScrewMemory`."""

    axis: ScrewAxis
    margin: float
    around: tuple[np.ndarray, np.ndarray]
    balls: tuple[np.ndarray, np.ndarray]


@functools.lru_cache(maxsize=256)
def axis_of(first: Motion, second: Motion) -> ScrewAxis | None:
    """The screw axis of two bodies of which one is at rest, and the other moves by an even screw after it was placed; None for others."""
    for moving, body, still in ((0, first, second), (1, second, first)):
        if body.screw is not None and still.is_constant:
            screw, before = body.screw
            turn, rise = _even(screw.angle), _even(screw.advance)
            if turn is None or rise is None:
                return None
            axis, point = (np.array([float(x) for x in given]) for given in (screw.axis, screw.point))
            across = _frame(axis / np.linalg.norm(axis)).T
            poses = [_matrix(pose) for pose in ((before, still) if moving == 0 else (still, before))]
            first_rows, second_rows = (np.column_stack([across @ rotation, across @ (shift - point)]) for rotation, shift in poses)
            return ScrewAxis(moving, turn, rise, (first_rows, second_rows), float(np.abs([point, *(shift for _, shift in poses)]).sum()))
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


def _margin(axis: ScrewAxis, meshes: tuple[Mesh, Mesh], span: tuple[float, float]) -> float:
    """Infinite where angles are too large."""
    longest = max(map(abs, span))
    wide = sum(sum(map(abs, mesh.tree.boxes[0].tolist())) for mesh in meshes)
    size = axis.far + abs(axis.rise[0]) + abs(axis.rise[1]) * longest + 3 * wide
    return _MARGIN * size if abs(axis.turn[0]) + abs(axis.turn[1]) * longest < _TURNS else math.inf


def objects_apart(axis: ScrewAxis, meshes: tuple[Mesh, Mesh], span: tuple[float, float]) -> bool:
    """Whether two meshes are apart throughout, by the balls round them, as seen from the axis."""
    wide, (low, high) = 4 * _margin(axis, meshes, span), sorted(axis.rise[0] + axis.rise[1] * e for e in span)
    (d, h, r), (e, k, q) = (_ball(axis, body, mesh) for body, mesh in enumerate(meshes))
    reach, above = r + q + wide, h - k if axis.moving == 0 else k - h
    return abs(d - e) > reach or above + low > reach or above + high < -reach


def _ball(axis: ScrewAxis, body: int, mesh: Mesh) -> tuple[float, float, float]:
    """Distance from the axis and height of the middle of a mesh, and the radius round it."""
    box = mesh.tree.boxes[0].tolist()
    p, q, r = (0.5 * (box[k] + box[3 + k]) for k in range(3))
    x, y, height = (a * p + b * q + c * r + d for a, b, c, d in axis.rows[body].tolist())
    return math.hypot(x, y), height, float(mesh.radii[0])


def _middles(mesh: Mesh) -> np.ndarray:
    return 0.5 * (mesh.tree.boxes[:, :3] + mesh.tree.boxes[:, 3:6])


def seen_from(axis: ScrewAxis, meshes: tuple[Mesh, Mesh], span: tuple[float, float]) -> ScrewBounds | None:
    """All of both meshes; None where angles are too large."""
    margin = _margin(axis, meshes, span)
    around, balls = [], []
    for body, mesh in enumerate(meshes):
        _, _, height, distance, angle = axis.seen(_middles(mesh), body).T
        # In rows: the loop reads them.
        around.append(np.ascontiguousarray(axis.seen(mesh.vertices[:, :3], body)))
        balls.append(np.ascontiguousarray(np.column_stack([distance, height, angle, mesh.radii])))
    return ScrewBounds(axis, margin, (around[0], around[1]), (balls[0], balls[1])) if np.isfinite(margin) else None
