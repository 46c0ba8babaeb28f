"""Intersection of two triangles: proved at places that are not known exactly, and exact at poses that are rational."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...bodies.mesh import Mesh
from ..exact import feature_pairs
from ..mesh.initial_overlap import meet_exactly
from ..primitives.triangle_pair import EDGES, FACES
from ..touch.touch import pose

# Of a product of three differences, each off by a little: more than the sum of all its terms that have one.
_PARTS, _ROUNDED = 32.0, 2.0**-45


def cross_surely(first: np.ndarray, second: np.ndarray, off: float) -> np.ndarray:
    """(k,): whether an edge of one triangle is *proved* to cross the other, of triangles (k, 3, 3) whose corners are off by `off`."""
    found = np.zeros(len(first), bool)
    for face, other in ((first, second), (second, first)):
        a, b, c = face[:, 0], face[:, 1], face[:, 2]
        for i in range(3):
            p, q = other[:, i], other[:, (i + 1) % 3]
            size = np.abs(np.stack([a - p, b - p, c - p, q - p, a - q, b - q, c - q])).max(axis=(0, 2)) + 2.0 * off
            least = _PARTS * size ** 2 * (off + _ROUNDED * size)
            sides = _volume(a, b, c, p), _volume(a, b, c, q)
            turns = [_volume(p, q, x, y) for x, y in ((a, b), (b, c), (c, a))]
            through = ((sides[0] > least) & (sides[1] < -least)) | ((sides[0] < -least) & (sides[1] > least))
            found |= through & (np.all([x > least for x in turns], axis=0) | np.all([x < -least for x in turns], axis=0))
    return found


def _volume(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    return np.asarray((np.cross(b - a, c - a) * (d - a)).sum(axis=1))


def touch_exactly(meshes: tuple[Mesh, Mesh], time: float, pairs: np.ndarray) -> int | None:
    """The first of pairs (k, 2) of triangles that have a point in common, in rational numbers; None if there is none, or if the poses at
    that time are not rational.
    """
    poses = [pose(mesh.motion, time) for mesh in meshes]
    if any(rounded for _, rounded in poses):
        return None
    for k, pair in enumerate(pairs.tolist()):
        corners = [[carried([Fraction(x) for x in p]) for p in mesh.vertices[mesh.triangles[t], :3].tolist()]
                   for mesh, (carried, _), t in zip(meshes, poses, pair, strict=True)]
        if meet_exactly(corners[0], corners[1]) or _touch([*corners[0], *corners[1]]):
            return k
    return None


def _touch(points: Sequence[Sequence[Fraction]]) -> bool:
    """Whether a vertex or an edge of one of two triangles (6 points) touches the other."""
    scale = math.lcm(*(c.denominator for p in points for c in p))
    whole = [[int(c * scale) for c in p] for p in points]
    queries = [(row, True) for row in FACES.tolist()] + [(row, False) for row in EDGES.tolist()]
    return any(feature_pairs.answer([whole[k] for k in (*row, *row)], face, 1.0) is not None for row, face in queries)
