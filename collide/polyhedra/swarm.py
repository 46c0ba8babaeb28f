"""Many bodies at once, from pose to pose: which pairs meet (Ponamgi, Manocha and Lin 1995, 4.2).

Boxes about all bodies are followed by sweep and prune. Of pairs whose boxes overlap hulls are followed by closest features, or by a common
point while they penetrate. Only pairs of bodies that are not convex, whose hulls meet, are asked by triangles.
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import check
from codegen.given import doubles
from codegen.interval import Interval

from ..bodies.mesh import Mesh, as_mesh
from .closest.closest import Closest
from .closest.convex_mesh import convex
from .closest.rational_memory import check_pose
from .closest.voronoi_walk import LARGEST, ORTHONORMAL
from .distance.proximity import Near
from .sweep_and_prune import SweepAndPrune

Pair = tuple[int, int]
# Coordinates of a pose times a vertex are sums of four terms, each out by two roundings at most, and three additions.
_ROUNDOFF = 2.0**-50


class Changes(NamedTuple):
    """Pairs (m, 2) of bodies i < j, in order, that meet since this step, and that no longer do."""

    begun: np.ndarray
    ended: np.ndarray


class Swarm:
    """Bodies that are followed from pose to pose, and the pairs of them that meet.

    Parameters
    ----------
    meshes : sequence of Mesh or pair
        The bodies, at rest, in frames of their own. Convex ones, closed and turned outwards, are solid: they meet also if one is inside the
        other. All others are surfaces, and meet where their triangles do.

    Raises
    ------
    ValueError
        For anything that is no mesh, or has no triangles.

    Notes
    -----
    Which pairs meet is exact for the doubles of the poses, touches included (see `Closest` and `Near`). A step costs some microseconds for
    each pair of bodies whose boxes overlap. For one thread at a time. A copy,
    also one that is pickled, goes on by itself from where the original is.

    Examples
    --------
    >>> import numpy as np
    >>> from collide import Mesh, Swarm
    >>> tip = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> swarm, poses = Swarm([tip] * 3), np.stack([np.eye(4)] * 3)
    >>> poses[:, 0, 3] = 0, 0.5, 2
    >>> swarm.update(poses).begun.tolist()
    [[0, 1]]
    >>> poses[1, 0, 3] = 1.5
    >>> swarm.update(poses)
    Changes(begun=array([[1, 2]]), ended=array([[0, 1]]))
    """

    def __init__(self, meshes: Sequence[Any]) -> None:
        self.meshes = [as_mesh(mesh, f"{k}th", True) for k, mesh in enumerate(meshes)]
        for k, mesh in enumerate(self.meshes):
            if not len(mesh.triangles):
                raise ValueError(f"mesh {k} has no triangles")
        kinds = {id(mesh): _kind(mesh) for mesh in self.meshes}
        self._hulls = [kinds[id(mesh)][0] for mesh in self.meshes]
        self._convex = [kinds[id(mesh)][1] for mesh in self.meshes]
        corners = [hull.vertices[np.unique(hull.triangles), :3] for hull in self._hulls]
        most = max(map(len, corners), default=1)
        self._corners = np.stack([np.concatenate([c, np.repeat(c[:1], most - len(c), axis=0)]) for c in corners]) if corners else None
        self._boxes: SweepAndPrune | None = None
        self._poses = np.zeros((0, 4, 4))
        self._close, self._meeting = set[Pair](), set[Pair]()
        self._pairs, self._near = dict[Pair, Closest](), dict[Pair, Near]()

    @property
    def meeting(self) -> np.ndarray:
        """(m, 2): the pairs i < j that meet, in order."""
        return _array(self._meeting)

    def update(self, poses: Any) -> Changes:
        """Move all bodies, and list the pairs that begin to meet, or cease to.

        Parameters
        ----------
        poses : array_like, (n, 4, 4)
            A matrix for each body, of doubles taken as they are, columns of the rotation orthonormal up to 1e-6.

        Returns
        -------
        Changes
            With `begun` and `ended`; at the first step all pairs that meet have begun.
        """
        given = doubles(poses, "poses", "(n, 4, 4)")
        if given.shape != (len(self.meshes), 4, 4):
            raise ValueError(f"poses must have the shape ({len(self.meshes)}, 4, 4), a matrix for each body, got {given.shape}")
        skew = np.abs(given[:, :3, :3].transpose(0, 2, 1) @ given[:, :3, :3] - np.eye(3)).max(axis=(1, 2), initial=0.0)
        proper = (skew <= ORTHONORMAL / 2) & (np.linalg.det(given[:, :3, :3]) > 0) & (given[:, 3] == (0, 0, 0, 1)).all(axis=1)
        for k in np.flatnonzero(~(proper & (np.abs(given[:, :3, 3]).max(axis=1) <= LARGEST))).tolist():
            check_pose(given[k], f"pose {k}")
        self._poses = given.copy()
        if self._corners is None:
            return Changes(_array(()), _array(()))
        self._follow(_about(self._corners, self._poses))
        before, self._meeting = self._meeting, {pair for pair in sorted(self._close) if self._meets(pair)}
        return Changes(_array(self._meeting - before), _array(before - self._meeting))

    def distance(self, i: int, j: int) -> Interval:
        """The distance of two bodies at the last poses, *enclosed*; 0 for bodies that meet."""
        pair, (a, b) = (min(i, j), max(i, j)), (self._poses[min(i, j)], self._poses[max(i, j)])
        if self._convex[i] and self._convex[j]:
            return self._closest(pair).at(a, b).distance
        return self._by_triangles(pair).nearest(a, b).distance

    def _follow(self, boxes: np.ndarray) -> None:
        if self._boxes is None:
            self._boxes = SweepAndPrune(boxes)
            self._close = set(map(tuple, self._boxes.pairs.tolist()))
            return
        begun, ended = self._boxes.update(boxes)
        self._close.update(map(tuple, begun.tolist()))
        for pair in map(tuple, ended.tolist()):
            self._close.discard(pair)
            self._pairs.pop(pair, None)
            self._near.pop(pair, None)

    def _meets(self, pair: Pair) -> bool:
        check()
        i, j = pair
        if not self._closest(pair).at(self._poses[i], self._poses[j]).meeting:
            return False
        return (self._convex[i] and self._convex[j]) or len(self._by_triangles(pair).update(self._poses[i], self._poses[j])) > 0

    def _closest(self, pair: Pair) -> Closest:
        if pair not in self._pairs:
            self._pairs[pair] = Closest(self._hulls[pair[0]], self._hulls[pair[1]])
        return self._pairs[pair]

    def _by_triangles(self, pair: Pair) -> Near:
        if pair not in self._near:
            self._near[pair] = Near(self.meshes[pair[0]], self.meshes[pair[1]])
        return self._near[pair]

    def __copy__(self) -> "Swarm":
        made = object.__new__(Swarm)
        vars(made).update(vars(self))
        # What follows the bodies has states of its own.
        for name in ("_close", "_meeting", "_boxes", "_pairs", "_near"):
            setattr(made, name, copy.deepcopy(getattr(self, name)))
        return made

    def __repr__(self) -> str:
        return f"Swarm({len(self.meshes)} bodies, {len(self._meeting)} pairs meet)"


def _kind(mesh: Mesh) -> tuple[Mesh, bool]:
    """A convex mesh about it, and whether that is the mesh itself."""
    try:
        convex(mesh, "a mesh")
    except ValueError:
        return mesh.hull().mesh, False
    return mesh, True


def _about(corners: np.ndarray, poses: np.ndarray) -> np.ndarray:
    """(n, 3, 2): boxes that hold bodies of corners (n, k, 3) at poses."""
    places = corners @ poses[:, :3, :3].transpose(0, 2, 1) + poses[:, None, :3, 3]
    off = _ROUNDOFF * (np.abs(corners).sum(axis=2).max(axis=1) + np.abs(poses[:, :3, 3]).max(axis=1))[:, None]
    return np.stack([places.min(axis=1) - off, places.max(axis=1) + off], axis=2)


def _array(pairs: Any) -> np.ndarray:
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)
