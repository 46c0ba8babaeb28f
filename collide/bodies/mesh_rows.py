"""Cells of the triangles of a mesh, and their corners: rows of arrays, grouped by kind."""

from typing import Any, NamedTuple

import numpy as np

from .mesh import Mesh
from .topology import Topology

# Kinds of cells; a FAN is a vertex with the planes of the triangles at it, of which there are at most so many.
VERTEX, EDGE, FACE, FAN = 0, 1, 2, 3
MOST = 8


class Slots(NamedTuple):
    """Cells of n triangles: numbers (n, 7) of the face, the three edges and the three vertices of each, their kinds, and which of them it
    stands for.
    """

    numbers: np.ndarray
    kinds: np.ndarray
    there: np.ndarray


def slots(mesh: Mesh, triangles: np.ndarray, sided: bool) -> Slots:
    """The cells for which triangles (n,) stand: every edge and every vertex has one triangle that does. Edges of no length are left out.
    `sided`: vertices are fans, where they can be.
    """
    known, own = mesh.topology, triangles[:, None]
    edges, vertices = known.edge_of[triangles], known.corners[triangles]
    bounds = (known.sides[edges, 0] == own) & (known.edges[edges, 0] != known.edges[edges, 1]) & _once(edges)
    there = np.concatenate([np.full_like(own, True, bool), bounds, (known.triangle_of[vertices] == own) & _once(vertices)], axis=1)
    kinds = np.repeat([[FACE, EDGE, EDGE, EDGE, VERTEX, VERTEX, VERTEX]], len(triangles), axis=0)
    if sided:
        kinds[:, 4:][is_fan(known, vertices)] = FAN
    return Slots(np.concatenate([own, edges, vertices], axis=1), kinds, there)


def is_fan(known: Topology, vertices: Any) -> np.ndarray:
    """Whether there are few enough triangles at vertices."""
    begins = known.corners_at[1]
    return np.asarray(begins[vertices + 1] - begins[vertices] <= MOST)


def corners_of(mesh: Mesh, kind: int, numbers: np.ndarray) -> np.ndarray:
    """(n, k, 3): the corners of cells (n,) of a kind. Those of an edge are its ends, in the order in which its first triangle has them, and
    the third corners of its first and its last triangle; those of a fan the vertex, and the others of each triangle at it in turn.
    """
    if kind == FACE:
        return np.asarray(mesh.vertices[mesh.triangles[numbers], :3])
    which = {VERTEX: _vertices, EDGE: _edges, FAN: _fans}[kind](mesh.topology, numbers)
    return np.asarray(mesh.vertices[which, :3])


def _vertices(_: Topology, numbers: np.ndarray) -> np.ndarray:
    return numbers[:, None]


def _edges(known: Topology, numbers: np.ndarray) -> np.ndarray:
    sides, rows = known.sides[numbers], np.arange(len(numbers))
    at = (known.edge_of[sides[:, 0]] == numbers[:, None]).argmax(axis=1)
    ends = known.corners[sides[:, 0]][rows[:, None], np.stack([at, (at + 1) % 3], axis=1)]
    others = known.corners[sides]
    third = (others[..., None] != ends[:, None, None]).all(axis=-1)
    # A triangle of no area has no third corner.
    thirds = np.where(third.any(axis=2), np.take_along_axis(others, third.argmax(axis=2)[..., None], 2)[..., 0], ends[:, :1])
    return np.concatenate([ends, thirds], axis=1)


def _fans(known: Topology, numbers: np.ndarray) -> np.ndarray:
    order, begins = known.corners_at
    turn, count = np.arange(MOST), begins[numbers + 1] - begins[numbers]
    triangle, at = np.divmod(order[begins[numbers][:, None] + np.where(turn < count[:, None], turn, 0)], 3)
    others = np.stack([known.corners[triangle, (at + k) % 3] for k in (1, 2)], axis=-1)
    return np.concatenate([numbers[:, None], others.reshape(len(numbers), -1)], axis=1)


def _once(numbers: np.ndarray) -> np.ndarray:
    """(n, 3): whether they are not among those before them in their row."""
    a, b, c = numbers.T
    return np.stack([np.full(len(numbers), True), b != a, (c != a) & (c != b)], axis=1)
