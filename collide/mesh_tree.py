"""Triangle meshes as trees of boxes: a balanced binary tree over the triangles of a mesh, one a leaf.

A node has two boxes, of its triangles at the beginning and at the end of straight trajectories; in a rigid body both are the same
box in its frame. Their ends are coordinates of vertices, so they are exact.
"""

import functools
from typing import Any, NamedTuple

import numpy as np

from .batch import as_doubles
from .motion_windows import LARGEST


class Mesh(NamedTuple):
    """`vertices` (n, 6): places at the beginning and at the end. `triangles` (m, 3). `owned` (m, 6): does the triangle stand for its
    vertices and edges 0, 1, 2? Of the triangles that share a vertex or an edge one does (Curtis, Tamstorf and Manocha 2008).
    """

    vertices: np.ndarray
    triangles: np.ndarray
    owned: np.ndarray


class Tree(NamedTuple):
    """`boxes` (nodes, 12): lower and upper corner at the beginning, then at the end. `children` (nodes,): the first of two
    neighbours, or -1 - k for the leaf of triangle k. `size` (nodes,): to compare nodes by. Node 0 is the root.
    """

    boxes: np.ndarray
    children: np.ndarray
    size: np.ndarray


def as_mesh(mesh: Any, name: str, moving: bool) -> Mesh:
    """A pair (vertices, triangles) checked; vertices are (n, 3) if they move with a body, else (2, n, 3)."""
    try:
        vertices, triangles = mesh
    except (TypeError, ValueError):
        raise ValueError(f"the {name} mesh must be a pair (vertices, triangles), got a {type(mesh).__name__}") from None
    shape = "(n, 3)" if moving else "(2, n, 3), places at the beginning and at the end,"
    points = as_doubles(vertices, f"vertices of the {name} mesh", shape)
    if points.ndim != (2 if moving else 3) or points.shape[-1] != 3 or (not moving and len(points) != 2):
        raise ValueError(f"vertices of the {name} mesh must have the shape {shape} got {points.shape}")
    if not np.abs(points).max(initial=0.0) <= LARGEST:
        raise ValueError(f"vertices of the {name} mesh must be finite and no larger than {LARGEST:g}")
    corners = np.asarray(triangles)
    if corners.ndim != 2 or corners.shape[1] != 3 or not (corners.dtype.kind in "iu" or corners.size == 0):
        raise ValueError(f"triangles of the {name} mesh must be whole numbers of the shape (m, 3), got {corners.dtype} {corners.shape}")
    n = points.shape[-2]
    if corners.size and not (corners.min() >= 0 and corners.max() < n):
        raise ValueError(f"triangles of the {name} mesh must be indices from 0 to {n - 1}, got {corners.min()} to {corners.max()}")
    corners = np.ascontiguousarray(corners, np.int64)
    both = np.concatenate([points, points] if moving else list(points), axis=1)
    return Mesh(np.ascontiguousarray(both), corners, _owned(corners))


def _owned(triangles: np.ndarray) -> np.ndarray:
    owned = np.zeros((len(triangles), 6), np.int64)
    edges = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    for first, items in ((0, triangles.ravel()), (3, edges[:, 0] << 32 | edges[:, 1])):
        _, where = np.unique(items, return_index=True)
        owned[where // 3, first + where % 3] = 1
    return owned


def tree(mesh: Mesh) -> Tree:
    """Split at the median along the longest side, level by level; the mesh has a triangle at least."""
    corners = mesh.vertices[mesh.triangles].reshape(-1, 3, 2, 3)
    low, high = (functools.reduce(least, (corners[:, 0], corners[:, 1], corners[:, 2])) for least in (np.minimum, np.maximum))
    centre = low[:, 0] + high[:, 0] + low[:, 1] + high[:, 1]
    # Lower ends, and upper ends negated, so that one minimum serves both.
    ends = np.stack([low, -high], axis=2).reshape(-1, 12)
    order, starts = np.arange(len(centre)), np.array([0])
    boxes, children = [], []
    count = 1
    while len(starts):
        sizes = np.diff(np.append(starts, len(order)))
        boxes.append(np.minimum.reduceat(ends[order], starts))
        leaf = sizes == 1
        kids = np.where(leaf, -1 - order[starts], count + 2 * (np.cumsum(~leaf) - 1))
        children.append(kids)
        count += 2 * int((~leaf).sum())
        order, starts = _halved(order, starts, sizes, centre)
    every = np.concatenate(boxes) * np.array([1.0, -1.0] * 2).repeat(3)
    extent = (every[:, 3:6] - every[:, :3] + every[:, 9:] - every[:, 6:9]).sum(axis=1)
    return Tree(np.ascontiguousarray(every), np.concatenate(children).astype(np.int64), extent)


def _halved(order: np.ndarray, starts: np.ndarray, sizes: np.ndarray, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The next level: the parts with more than one triangle, sorted along their longest side, as two parts each."""
    keep = np.repeat(sizes > 1, sizes)
    order, sizes = order[keep], sizes[sizes > 1]
    if not len(sizes):
        return order, sizes
    starts = np.cumsum(sizes) - sizes
    low, high = (least.reduceat(centre[order], starts) for least in (np.minimum, np.maximum))
    part, rows = np.repeat(np.arange(len(sizes)), sizes), np.arange(len(sizes))
    axis = (high - low).argmax(axis=1)
    low, width = low[rows, axis], (high - low)[rows, axis]
    # Parts stay together: within a part the keys differ by half at most.
    share = 0.5 / np.where(width > 0, width, 1.0)
    order = order[np.argsort(part + (centre[order, axis[part]] - low[part]) * share[part])]
    return order, np.stack([starts, starts + sizes // 2], axis=1).ravel()
