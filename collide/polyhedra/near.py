"""The triangles of two meshes that come within a distance of each other, from pose to pose, exactly; and which parts of hulls overlap."""

from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np

from codegen.given import shown
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number

from ..bodies.dyadic import fractions
from ..bodies.mesh import Mesh, as_mesh
from ..given import is_number
from . import near_loop
from .closest import Closest
from .closest_exact import check_pose, exact_memory, given_pose, sets_of_corners
from .closest_features import crossing, nearest
from .closest_memory import put_all
from .near_loop import NEAR, NO_ROOM, OPEN, NearMemory

_ROOM = 1 << 10
# What is looked for around the distance, in steps of the last motion; and at least, of the size of both.
_AHEAD, _LEAST = 8.0, 1e-6


class Near:
    """Pairs of triangles of two meshes that are no further apart than `distance`, a number not below 0; at 0, those that meet.

    Meshes are any, also open ones, or ones that cross themselves. `update` goes down the trees of both for all that are a little further
    apart, and does so again only when the bodies have moved further than that. Which pairs are near is exact for the doubles of the poses:
    signs with bounds of rounding errors, and rationals where these do not decide. ValueError for what is no mesh, pose or distance.
    """

    _found, _room, _distance = Number[int](NearMemory, "found"), Number[int](NearMemory, "room"), Number[float](NearMemory, "distance")

    def __init__(self, a: Any, b: Any, distance: float = 0.0) -> None:
        if not (is_number(distance) and 0 <= distance < np.inf):
            raise ValueError(f"distance must be a number from 0 on, got {shown(distance)}")
        self.distance = float(distance)
        self.meshes = as_mesh(a, "first", True), as_mesh(b, "second", True)
        n, m = (len(mesh.vertices) for mesh in self.meshes)
        slots = [3 * len(mesh.triangles) for mesh in self.meshes]
        nodes = {f"nodes{k}": len(mesh.tree.children) for k, mesh in enumerate(self.meshes, 1)}
        self.arrays = Memory(NearMemory, {"vertices": n + m, "slots": sum(slots), "rows": 1, "room": _ROOM, **nodes})
        own = self.arrays
        own["vertex"][:] = np.concatenate([mesh.vertices[:, :3] for mesh in self.meshes])
        own["start"][:] = np.concatenate([mesh.triangles.ravel() + k for mesh, k in zip(self.meshes, (0, n), strict=True)])
        at = np.arange(sum(slots))
        own["after"][:] = at - at % 3 + (at + 1) % 3
        own["begin"][:] = 0, slots[0], sum(slots)
        sets_of_corners(own, [mesh.vertices[:, :3] for mesh in self.meshes])
        for k, mesh in enumerate(self.meshes, 1):
            low, high = mesh.tree.boxes[:, :3], mesh.tree.boxes[:, 3:6]
            middle = 0.5 * (low + high)
            half = np.maximum(middle - low, high - middle)
            own[f"centre{k}"][:], own[f"half{k}"][:] = middle, np.column_stack([half, np.sqrt((half**2).sum(axis=1))])
            own[f"tree{k}"][:] = mesh.tree.children
        self._poses, self._boxes = own["given"].reshape(2, 4, 4), np.stack([_box(mesh) for mesh in self.meshes])
        self._last, self._looked, self._ahead = np.full((2, 4, 4), np.nan), np.full((2, 4, 4), np.nan), 0.0

    def update(self, pose_a: Any, pose_b: Any) -> np.ndarray:
        """(n, 2): the triangles, one of each mesh, that are near at these poses (4, 4); in order."""
        for k, (given, name) in enumerate(((pose_a, "pose_a"), (pose_b, "pose_b"))):
            pose = given_pose(given, name)
            check_pose(pose, name)
            self._poses[k] = pose
        if not all(len(mesh.triangles) for mesh in self.meshes):
            return np.zeros((0, 2), np.int64)
        step = self._moved(self._last)
        if not self._moved(self._looked) <= self._ahead:
            self._look(step)
        self._last[:], self._distance = self._poses, self.distance
        left = compiled(near_loop.judge)(self.arrays.address, 0)
        found, verdict = self.arrays["pair"][:self._found], self.arrays["verdict"][:self._found]
        if left:
            for k in np.flatnonzero(verdict == OPEN).tolist():
                verdict[k] = NEAR if self._within(*found[k].tolist()) else near_loop.APART
        pairs = found[verdict == NEAR]
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]

    def _moved(self, before: np.ndarray) -> float:
        """No two points of both bodies have come nearer by more since then; NaN at first. A distance of a moved corner is convex."""
        change = (self._poses - before)[:, :3].transpose(0, 2, 1)
        return float(np.sqrt(((self._boxes @ change) ** 2).sum(axis=2).max(axis=1)).sum()) * 1.0001

    def _look(self, step: float) -> None:
        """Down the trees."""
        size = sum(float(np.linalg.norm(mesh.tree.boxes[0, 3:6] - mesh.tree.boxes[0, :3])) for mesh in self.meshes)
        self._ahead = max(_AHEAD * step if step < size else 0.0, _LEAST * size)
        self._distance = self.distance + self._ahead * 1.0001
        while compiled(near_loop.descend)(self.arrays.address, 0) == NO_ROOM:
            self.arrays.double("room")
        self._looked[:] = self._poses

    def _within(self, i: int, j: int) -> bool:
        """In rationals."""
        pose = np.concatenate([np.append(p[:3, :3].ravel(), p[:3, 3]) for p in self._poses]).reshape(2, 12)
        first = int(self.arrays["begin"][1])
        corners = [mesh.vertices[mesh.triangles[k], :3] for mesh, k in zip(self.meshes, (i, j), strict=True)]
        s = exact_memory(self.arrays, fractions(np.concatenate(corners)), pose, (2, 2, 3 * i, first + 3 * j))
        s.start, s.after = list(range(6)), [1, 2, 0, 4, 5, 3]
        s.slot[:] = 0, 3
        memory = cast(Any, s)
        put_all(memory)
        if any(crossing(memory, side, k) for side in (0, 1) for k in range(3)):
            return True
        return bool(nearest(memory) <= Fraction(self.distance)**2)


def _box(mesh: Mesh) -> np.ndarray:
    """(8, 4): the corners of the box round a mesh, with 1 behind each; of an empty one NaN."""
    if not len(mesh.triangles):
        return np.full((8, 4), np.nan)
    low, high = mesh.tree.boxes[0, :3], mesh.tree.boxes[0, 3:6]
    return np.array([[*np.where([k & 1, k & 2, k & 4], low, high), 1.0] for k in range(8)])


class HullOverlap(NamedTuple):
    """`overlap`: have the hulls a common point? `faces`: of each hull the triangles that may reach into the other hull, and `triangles`, of
    each mesh those that may; all others are *proved* outside of it, above a plane of its faces.
    """

    overlap: bool
    faces: tuple[np.ndarray, np.ndarray]
    triangles: tuple[np.ndarray, np.ndarray]


def hull_overlap(a: Any, b: Any, pose_a: Any = None, pose_b: Any = None) -> HullOverlap:
    """Do the convex hulls of two meshes overlap at poses (4, 4), exactly, and which triangles are concerned (Ponamgi, Manocha and Lin 1995,
    4.3)? ValueError for meshes whose vertices lie in a plane, and for what is no pose.
    """
    meshes = as_mesh(a, "first", True), as_mesh(b, "second", True)
    poses = [np.eye(4) if p is None else given_pose(p, name) for p, name in ((pose_a, "pose_a"), (pose_b, "pose_b"))]
    hulls = [mesh.hull() for mesh in meshes]
    overlap = Closest(hulls[0].mesh, hulls[1].mesh).at(*poses).distance.hi == 0.0
    places = [mesh.vertices[:, :3] @ pose[:3, :3].T + pose[:3, 3] for mesh, pose in zip(meshes, poses, strict=True)]
    faces, triangles = list[np.ndarray](), list[np.ndarray]()
    for side in (0, 1):
        for out, own in ((faces, hulls[side].triangles), (triangles, meshes[side].triangles)):
            reaching = _reaching(places[side], own, places[1 - side], hulls[1 - side].triangles)
            out.append(np.flatnonzero(reaching & overlap))
    return HullOverlap(overlap, (faces[0], faces[1]), (triangles[0], triangles[1]))


def _reaching(places: np.ndarray, triangles: np.ndarray, others: np.ndarray, planes: np.ndarray) -> np.ndarray:
    """(m,): which triangles are not wholly above one of the planes?"""
    p, q, r = (others[planes[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    size = max(np.abs(places).max(), np.abs(others).max())
    height = normals @ places.T - (normals * p).sum(axis=1)[:, None]
    # As in `convex_hull`, and places are off by some roundings, too.
    above = height > 2.0**-42 * size**3 + 2.0**-1000
    return np.asarray(~(above[:, triangles[:, 0]] & above[:, triangles[:, 1]] & above[:, triangles[:, 2]]).any(axis=0))
