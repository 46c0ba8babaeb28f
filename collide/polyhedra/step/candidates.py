"""Vertices and faces, and pairs of edges, that may come near each other: all others are farther from each other than a distance.

Parts stay on two sides of a plane that does not turn if they are there at both ends: heights of vertices on straight ways are linear.

First contact of two triangles is one of a vertex and a face, or of two edges. Parts that share a vertex are left out: if triangles that
share a vertex meet elsewhere, then at first where a vertex of one meets the other one, or where edges without a common vertex meet. (Of
edges that share a vertex and come to lie on each other, the shorter one ends on the other, in a face.)
"""

import itertools
from typing import NamedTuple

import numpy as np

from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory

from ...culling.sweep import Sweep
from .slab_loop import SlabMemory, compare

DIRECTIONS = np.array([d for d in itertools.product((-1.0, 0.0, 1.0), repeat=3) if d > (0.0, 0.0, 0.0)])


class Parts(NamedTuple):
    """`faces` (m, 3) of vertices; `edges` (e, 2); `edge_of` (m, 3): numbers of edges, from corner k to the next; `owns` (m, 2, 3): whether
    a face is the first one of its vertices, and of its edges.
    """

    faces: np.ndarray
    edges: np.ndarray
    edge_of: np.ndarray
    owns: np.ndarray


def parts_of(faces: np.ndarray) -> Parts:
    """The parts of triangles (m, 3)."""
    sides = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    keys, first, of = np.unique(sides[:, 0] << 32 | sides[:, 1], return_index=True, return_inverse=True)
    owns = np.zeros((2, 3 * len(faces)), bool)
    owns[0, np.unique(faces, return_index=True)[1]] = owns[1, first] = True
    edges = np.stack([keys >> 32, keys & (1 << 32) - 1], axis=1)
    return Parts(faces, edges, of.reshape(-1, 3), owns.reshape(2, -1, 3).transpose(1, 0, 2))


class Slabs:
    """Parts between planes across `DIRECTIONS`: `heights` (k, 52), the least ones at both ends, direction by direction, then the greatest.
    """

    def __init__(self, heights: np.ndarray, groups: np.ndarray) -> None:
        """`heights` (n, 26) of vertices, of which each part has some: `groups` (k, c)."""
        of = heights[groups]
        self.heights = np.concatenate([of.min(axis=1), of.max(axis=1)], axis=1)

    def near(self, which: np.ndarray, other: "Slabs", others: np.ndarray, slack: float) -> np.ndarray:
        """The pairs of parts, of these and of other ones, that no direction tells apart: their numbers, in order."""
        found = Memory(SlabMemory, {"ones": 0, "others": 0, "pairs": len(which)})
        found.refer("one", self.heights.ctypes.data)
        found.refer("other", other.heights.ctypes.data)
        found["pair"][:, 0], found["pair"][:, 1] = which, others
        found.set("slack", slack)
        compiled(compare)(found.address)
        return np.flatnonzero(found["near"])


class NearFeatures:
    """Near parts of a mesh, from the places of its vertices (n, 3) at both ends, and a distance.

    `pairs` (p, 2): faces that may come within the distance; so may `points` (k, 4), a vertex and those of a face, and `edges` (l, 4).
    """

    def __init__(self, parts: Parts, before: np.ndarray, after: np.ndarray, distance: float) -> None:
        size = max(float(np.abs(before).max(initial=0.0)), float(np.abs(after).max(initial=0.0)))
        # Sums of three products by -1, 0, 1 are out by less than 9 * 2^-53 of this; directions are at most sqrt(3) long.
        slack = 1.75 * distance + 2.0**-48 * size
        heights = np.stack([before @ DIRECTIONS.T, after @ DIRECTIONS.T], axis=2).reshape(-1, 26)
        vertices, faces, edges = (Slabs(heights, g) for g in (np.arange(len(before))[:, None], parts.faces, parts.edges))
        # Seen by one who goes along with them.
        pairs = _close(before, after - (after - before).mean(axis=0), parts.faces, slack)
        self.pairs = pairs = pairs[faces.near(pairs[:, 0], faces, pairs[:, 1], slack)]
        both = np.concatenate([pairs, pairs[:, ::-1]])
        row, k = np.nonzero(parts.owns[both[:, 0], 0])
        number, face = parts.faces[both[row, 0], k], both[row, 1]
        own = (number[:, None] != parts.faces[face]).all(axis=1)
        number, face = number[own], face[own]
        near = vertices.near(number, faces, face, slack)
        self.points = np.column_stack([number[near], parts.faces[face[near]]])
        row, k = np.nonzero(np.repeat(parts.owns[pairs[:, 0], 1], 3, axis=1) & np.tile(parts.owns[pairs[:, 1], 1], 3))
        one, other = parts.edge_of[pairs[row, 0], k // 3], parts.edge_of[pairs[row, 1], k % 3]
        own = (parts.edges[one][:, :, None] != parts.edges[other][:, None, :]).all(axis=(1, 2))
        one, other = one[own], other[own]
        near = edges.near(one, edges, other, slack)
        self.edges = np.concatenate([parts.edges[one[near]], parts.edges[other[near]]], axis=1)


def _close(before: np.ndarray, after: np.ndarray, faces: np.ndarray, slack: float) -> np.ndarray:
    """Pairs of faces whose boxes on their ways overlap, `slack` being more than rounding."""
    low, high = np.minimum(before, after)[faces].min(axis=1), np.maximum(before, after)[faces].max(axis=1)
    return Sweep(low - slack, high + slack).pairs()
