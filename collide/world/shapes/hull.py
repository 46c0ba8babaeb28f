"""Convex bodies of flat faces: their corners, and the directions in which a plane may lie between two of them."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from generative import ParametricSurface, Solid

from ...bodies.mesh import Mesh
from .polyhedral import polyhedral
from .simple import Flat, corners_of, triangles_of

# Directions that are parallel but for so much are one. Effort only, as are the most of corners, and of normals and edges.
_PARALLEL, _CORNERS, _AXES = 1e-12, 64, 32
# Against size: corners are no further out than this beyond a face of what counts as convex.
_CONVEX = 1e-10
# Directions in which the triangles round a point are counted: any will do that go near none of their sides.
_RAYS = np.array([[0.48, 0.60, 0.64], [-0.36, 0.48, -0.80], [0.80, -0.36, 0.48]])


@dataclass(frozen=True, eq=False)
class ShapeHull:
    """All of a shape is in the hull of its `corners` (m, 3), `reach` from the origin of its coordinates at most. `normals` (f, 3) of its
    faces and directions of its `edges` (e, 3), of parallel ones the first. `within` (n, 4): planes, outward normals and levels, and `slack`
    how far out these may be: what is further inside than that of all of them is in a shape that is convex and closed. Of one flat face
    alone, the `sheet`, they are those across its border, and all of it is no more than `slack` aside of its plane. No `within` of other
    shapes; `around` (n, 3, 3): triangles round closed ones.
    """

    corners: np.ndarray
    normals: np.ndarray
    edges: np.ndarray
    reach: float
    within: np.ndarray
    slack: float
    sheet: Flat | None
    around: np.ndarray


@functools.lru_cache(maxsize=512)
def hull(shape: Any) -> ShapeHull | None:
    """None of a shape that is not flat, or that has many corners."""
    flat = polyhedral(shape, (0.0, 0.0, 0.0)) if isinstance(shape, (Mesh, Solid, ParametricSurface)) else None
    if flat is None or not 0 < len(flat.corners) <= _CORNERS:
        return None
    # Also those in the middle of faces, which may be a little higher than their borders say.
    corners = np.unique(corners_of(shape), axis=0)
    normals = _directions(np.array([f.normal for f in flat.faces]))
    edges = _directions(flat.edges[:, 1] - flat.edges[:, 0])
    if len(corners) > 4 * _CORNERS or max(len(normals), len(edges)) > _AXES:
        return None
    reach = float(np.linalg.norm(corners, axis=1).max()) * (1.0 + 1e-15)
    sheet = flat.faces[0] if len(flat.faces) == 1 and not isinstance(shape, Solid) else None
    within = across(sheet) if sheet is not None else np.array([[*f.normal, f.level] for f in flat.faces])
    slack = float((corners @ within[:, :3].T - within[:, 3]).max())
    if sheet is not None:
        slack = max(slack, float(np.abs(corners @ sheet.normal - sheet.level).max()))
        slack = max(slack, _uncovered(shape, within, slack, reach)) if isinstance(shape, Mesh) else slack
    # Faces of several patches have lines between these that are no edges of the shape: what is closed has two faces at each edge.
    paired = sum(len(f.border) for f in flat.faces) == 2 * len(flat.edges)
    closed = sheet is not None or (len(flat.faces) > 3 and (shape.closed if isinstance(shape, Mesh) else paired))
    around = np.empty((0, 3, 3))
    if not closed or slack > _CONVEX * reach:
        within = np.empty((0, 4))
        if closed and sheet is None:
            around, slack = triangles_of(shape), 0.0
    return ShapeHull(corners, normals, edges, reach, within, max(slack, 0.0) + 1e-15 * reach, sheet, around)


def _uncovered(mesh: Mesh, within: np.ndarray, slack: float, reach: float) -> float:
    """The greatest depth inside of the planes through its border to which a mesh in one plane may have no points, if none is further than
    `slack` beyond these, and all of its triangles are seen from one side; inf: not known. As many triangles as cover a point cover those
    beside it, too, except across sides which only one triangle has.
    """
    triangles, topology = triangles_of(mesh), mesh.topology
    sides = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2)[topology.count[topology.edge_of] == 1]
    # Each of these is near one of the planes: what is further from all of them is covered alike.
    far = float((within[:, 3] - sides @ within[:, :3].T).max(axis=1).min(axis=1).max(initial=0.0))
    # And not by none if there is more of them than fits into what is left: along each plane, no longer than 2 `reach`.
    wide = far + slack + 1e-15 * reach
    area = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1).sum() / 2.0
    known = topology.count.max() <= 2 and topology.misturned is None and area > 4.0 * len(within) * len(triangles) * wide * reach
    return far if known else np.inf


def _directions(ways: np.ndarray) -> np.ndarray:
    found: list[np.ndarray] = []
    for way in ways / np.linalg.norm(ways, axis=1, keepdims=True):
        if all(abs(way @ other) < 1.0 - _PARALLEL for other in found):
            found.append(way)
    return np.array(found)


def across(face: Flat) -> np.ndarray:
    """The planes through the border of a convex face, across it."""
    a, b = face.border[:, 0], face.border[:, 1]
    normals = np.cross(b - a, face.normal)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    normals *= np.sign(((a - face.border.mean(axis=(0, 1))) * normals).sum(axis=1))[:, None]
    return np.column_stack([normals, (normals * a).sum(axis=1)])


def enclosed(points: np.ndarray, triangles: np.ndarray, error: float) -> np.ndarray:
    """(k,): whether points, which may be out by `error`, are *proved* to be inside closed triangles (n, 3, 3), whose corners may be, too.

    A ray from the point goes through an odd number of them, whatever the errors are. A triple product tells on which side of a triangle's
    side its line passes, and errors change that by no more than twice their size times the lengths of its vectors.
    """
    found = np.zeros(len(points), bool)
    arms = triangles[None] - points[:, None, None]
    lengths, after = np.linalg.norm(arms, axis=-1), np.roll(arms, -1, axis=2)
    # Roundings are less than errors, which are not below 1e-14 of all sizes.
    slack = 4.0 * error * (lengths + np.roll(lengths, -1, axis=2) + error)
    normals = np.cross(arms[:, :, 1] - arms[:, :, 0], arms[:, :, 2] - arms[:, :, 0])
    high, wide = (arms[:, :, 0] * normals).sum(axis=2), lengths.sum(axis=2)
    for ray in _RAYS:
        turns = np.cross(arms, after) @ ray
        left, right = turns > slack, turns < -slack
        through = left.all(axis=2) | right.all(axis=2)
        missed = left.any(axis=2) & right.any(axis=2)
        # The plane is in front of the point, or behind it.
        told = missed | (through & (np.abs(high) > 4.0 * error * wide * (wide + error)))
        ahead = through & ((high > 0.0) == (turns.sum(axis=2) > 0.0))
        found |= told.all(axis=1) & (np.count_nonzero(ahead, axis=1) % 2 == 1)
    return found
