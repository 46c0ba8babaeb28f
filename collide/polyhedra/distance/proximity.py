"""The triangles of two meshes that come within a distance of each other, from pose to pose, exactly; and which parts of hulls overlap."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from codegen.given import shown
from codegen.interval import Interval
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number, OwnsMemory

from ...bodies.mesh import as_mesh
from ...given import is_number
from ..closest.closest import POSES, Closest, root
from ..closest.rational_memory import check_pose, given_pose, sets_of_corners
from ..mesh.initial_overlap import crossing
from . import front_loop
from .front_loop import NO_ROOM, REFUSED, NearMemory
from .triangle_distance_exact import Exact
from .triangles_cross_rounded import APART, NEAR, OPEN

_ROOM = 1 << 12
# The front begins anew when it has grown by this, or when bodies have moved so far, of their sizes, that little of it is left, or that
# sums of ways lose digits.
_GROWN, _FEW, _JUMP, _FAR = 2, 64, 0.25, 1e4


class NearestTriangles(NamedTuple):
    """`distance` encloses the least distance of two meshes; `triangles`, one of each, have the `points` (2, 3), in doubles (rounded), which
    are not farther from each other than its upper end.
    """

    distance: Interval
    triangles: tuple[int, int]
    points: np.ndarray


class Near(OwnsMemory):
    """Pairs of triangles of two meshes that are no further apart than a distance, followed from pose to pose; and how near the meshes are.

    Parameters
    ----------
    a, b : Mesh or pair
        Any meshes, also open ones, or ones that cross themselves. The question is about triangles, not about the space they enclose.
    distance : float
        A number not below 0; at 0, the pairs are those that meet.

    Raises
    ------
    ValueError
        For anything that is no mesh, pose or distance.

    Notes
    -----
    Which pairs are near is exact for the doubles of the poses: signs with bounds of rounding errors, and rationals where these do not
    decide.

    Which pairs of nodes of the trees of both have been looked at, and how far they were apart, is kept from pose to pose. Only pairs that
    the motion since may have changed are looked at again. For one thread at a time. A copy, also one that is pickled, goes on by itself
    from where the original is.

    Examples
    --------
    >>> import numpy as np
    >>> import collide
    >>> tip = collide.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> near, beside = collide.Near(tip, tip, 0.5), np.eye(4)
    >>> beside[0, 3] = 1.25
    >>> least = near.nearest(np.eye(4), beside).distance
    >>> near.update(np.eye(4), beside).shape, least.lo <= 0.25 <= least.hi
    ((9, 2), True)
    """

    _count, _hits, _room, _distance = (Number[int](NearMemory, "count"), Number[int](NearMemory, "hits"), Number[int](NearMemory, "room"),
                                       Number[float](NearMemory, "distance"))
    _seeking, _moved, _skew = Number[int](NearMemory, "seeking"), Number[float](NearMemory, "moved"), Number[float](NearMemory, "skew")
    _upper, _lower = Number[float](NearMemory, "upper"), Number[float](NearMemory, "lower")
    _first, _second = Number[int](NearMemory, "first"), Number[int](NearMemory, "second")
    _looked = ("_poses", "_exact")

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
            own["reach"][k - 1] = np.maximum(abs(low[:1]), abs(high[:1])).sum()
        self._empty = not all(len(mesh.triangles) for mesh in self.meshes)
        self._size, self._begun_with, self._known, self._was = float(own["half1"][:1, 3].sum()), 0, False, 0.0
        self._look()

    def _look(self) -> None:
        self._poses = self.arrays["given"].reshape(2, 4, 4)
        self._exact = Exact(self.meshes, self.arrays, self._poses)

    def update(self, pose_a: Any, pose_b: Any) -> np.ndarray:
        """List the pairs of triangles that are near at a pose.

        Parameters
        ----------
        pose_a, pose_b : array_like, (4, 4)
            Poses, each a matrix of doubles taken as it is.

        Returns
        -------
        ndarray, (n, 2)
            The triangles, one of each mesh, in order. Exact for the doubles of the poses.
        """
        self._pose(pose_a, pose_b)
        if self._empty:
            return np.zeros((0, 2), np.int64)
        self._step(0)
        found, verdict = self.arrays["hit"][:self._hits], self.arrays["verdict"][:self._hits]
        for k in np.flatnonzero(verdict == OPEN).tolist():
            verdict[k] = NEAR if self._near(*found[k].tolist()) else APART
        pairs = found[verdict == NEAR]
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]

    def _near(self, i: int, j: int) -> bool:
        return self._exact.square(i, j) <= Fraction(self.distance)**2 if self.distance else self._exact.meet(i, j)

    def nearest(self, pose_a: Any, pose_b: Any) -> NearestTriangles:
        """Bracket the distance of the surfaces at a pose, with the place where they are nearest.

        Parameters
        ----------
        pose_a, pose_b : array_like, (4, 4)
            Poses, each a matrix of doubles taken as it is.

        Returns
        -------
        NearestTriangles
            With `distance`, which *encloses* the least one; it is 0 if, and only if, the surfaces have a common point.

        Raises
        ------
        ValueError
            For a mesh without triangles.
        """
        self._pose(pose_a, pose_b)
        if self._empty:
            raise ValueError("a mesh without triangles is at no distance from another")
        self._step(1)
        low, high = min(self._lower, self._upper) * (1.0 - 2.0 * self._skew), self._upper * (1.0 + 2.0 * self._skew)
        pair, found = [-1 - int(self.arrays[f"tree{k}"][node]) for k, node in ((1, self._first), (2, self._second))], Interval(low, high)
        if self._hits:
            pair, found = self._touching(self.arrays["hit"][:self._hits].tolist(), self.arrays["verdict"][:self._hits] == OPEN, found)
        i, j = pair
        points = self.arrays["best"].reshape(2, 3)
        if found.hi == 0.0:
            corners = [mesh.vertices[mesh.triangles[k], :3] @ pose[:3, :3].T + pose[:3, 3]
                       for mesh, k, pose in zip(self.meshes, pair, self._poses, strict=True)]
            share = crossing(*corners)
            if np.isfinite(share).all():
                return NearestTriangles(found, (i, j), np.tile(share[0] @ corners[0], (2, 1)))
        return NearestTriangles(found, (i, j), points @ self._poses[1, :3, :3].T + self._poses[1, :3, 3])

    def _pose(self, *poses: Any) -> None:
        for k, given in enumerate(poses):
            self._poses[k] = given if isinstance(given, np.ndarray) and given.shape == (4, 4) else given_pose(given, POSES[k])

    def _step(self, seeking: int) -> None:
        """Update the front where the pose may have changed it."""
        address, self._seeking, self._distance = self.arrays.address, seeking, self.distance
        if compiled(front_loop.begin)(address, 0) == REFUSED:
            for pose, name in zip(self._poses, POSES, strict=True):
                check_pose(pose, name)
        moved = self._moved
        anew = self._count > _GROWN * self._begun_with or moved - self._was > _JUMP * self._size or moved > _FAR * self._size
        if anew:
            compiled(front_loop.anew)(address)
        if seeking and self._known:
            compiled(front_loop.seek)(address)
        while compiled(front_loop.step)(address) == NO_ROOM:
            self.arrays.double("room")
        self._was, self._known = self._moved, self._known or bool(seeking)
        if anew:
            self._begun_with = self._count + _FEW

    def _touching(self, hits: list[list[int]], doubtful: np.ndarray, others: Interval) -> tuple[list[int], Interval]:
        """The nearest pair of the triangles that rounding does not tell apart, and all others."""
        best = hits[0], others
        for pair, in_doubt in zip(hits, doubtful.tolist(), strict=True):
            known = root(self._exact.square(*pair)) if in_doubt else Interval(0.0, 0.0)
            if known.lo <= best[1].lo:
                best = pair, Interval(known.lo, min(known.hi, others.hi))
            if known.hi == 0.0:
                break
        return best


class HullOverlap(NamedTuple):
    """`overlap`: whether the hulls have a common point. `faces`: of each hull the triangles that may reach into the other hull, and
    `triangles`, of each mesh those that may; all others are *proved* outside of it, above a plane of its faces.
    """

    overlap: bool
    faces: tuple[np.ndarray, np.ndarray]
    triangles: tuple[np.ndarray, np.ndarray]


def hull_overlap(a: Any, b: Any, pose_a: Any = None, pose_b: Any = None) -> HullOverlap:
    """Decide whether the convex hulls of two meshes overlap, and list the triangles concerned.

    Parameters
    ----------
    a, b : Mesh or pair
        Meshes, also open ones; the vertices of each must not lie in a plane.
    pose_a, pose_b : array_like, (4, 4), optional
        Poses, each a matrix of doubles taken as it is. None is the identity.

    Returns
    -------
    HullOverlap
        With `overlap`; and `faces` of each hull, `triangles` of each mesh, that may reach into the other hull.

    Raises
    ------
    ValueError
        For meshes whose vertices lie in a plane, and for a matrix that is no pose.

    Notes
    -----
    `overlap` is exact for the doubles of the poses (Ponamgi, Manocha and Lin 1995, Section 4.3). Triangles that are not listed are *proved*
    to lie outside of the other hull, above a plane of its faces.

    Examples
    --------
    >>> import numpy as np
    >>> import collide
    >>> tip = collide.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> beside = np.eye(4)
    >>> beside[0, 3] = 2
    >>> collide.hull_overlap(tip, tip).overlap, collide.hull_overlap(tip, tip, pose_b=beside).overlap
    (True, False)
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
    """(m,): whether a triangle is not wholly above one of the planes."""
    p, q, r = (others[planes[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    size = max(np.abs(places).max(), np.abs(others).max())
    height = normals @ places.T - (normals * p).sum(axis=1)[:, None]
    # As in `convex_hull`, and places are off by some roundings, too.
    above = height > 2.0**-42 * size**3 + 2.0**-1000
    return np.asarray(~(above[:, triangles[:, 0]] & above[:, triangles[:, 1]] & above[:, triangles[:, 2]]).any(axis=0))
