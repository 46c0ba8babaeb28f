"""Rejections under screws as Kim and Rossignac 2003, Section 3, prints their tests, beside ours, on the same pairs.

What the paper says of its setting: A has 80 vertices, 156 triangles and 234 edges, B 85, 166 and 249; B lies in a cube of 15 but outside of
one of 5 about A; a screw takes A from one pose to another. What it does not say is how large they are, nor where A goes. Bodies of the
radius 1 do not meet at first, by that cube. If A goes anywhere within a cube of 60, the printed tests do what is printed, within 5.3 points
(2,000 pairs, 51 of which collide): 50 % of object pairs are rejected by "our cylinder/sphere test" (the first one of the cylinder; all of
them together reject 84 %), and of pairs that collide 50.5 % of vertex-triangle and 66 % of edge-edge pairs. Where bodies are larger, or go
less far, more is rejected.

Ours reject nearly all of these: the printed tests do not use that a triangle may be farther from the axis than the vertex, nor the angles
of edges; and their annulus rejects edges that do meet, which is counted in the last column.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import collide
from generative import Rigid, Screw, t

from ..collide.polyhedra.solids import ball, rotation

OUTER, INNER = 7.5, 2.5


class Turn(NamedTuple):
    """A direct screw: axis, a point of it, advance and angle, as in the paper."""

    s: np.ndarray
    p: np.ndarray
    d: float
    b: float

    @property
    def back(self) -> "Turn":
        return Turn(-self.s, self.p, self.d, self.b)

    def height_and_distance(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        height = (points - self.p) @ self.s
        return height, np.linalg.norm(points - self.p - height[:, None] * self.s, axis=1)


def interpolated(random: np.random.Generator, size: float) -> Turn:
    """From no motion to any rotation with a shift in a cube."""
    way, shift = Rotation.from_matrix(rotation(random)).as_rotvec(), random.uniform(-size / 2, size / 2, 3)
    b = float(np.linalg.norm(way))
    s = way / b
    d = float(shift @ s)
    across = shift - d * s
    return Turn(s, 0.5 * (across + np.cross(s, across) / np.tan(b / 2)), d, b)


def objects(turn: Turn, centre: np.ndarray, radii: tuple[float, float]) -> tuple[bool, bool]:
    """Is the pair rejected by the test of the cylinder from outside (3), and by any? The moving one begins at the origin."""
    (height, *_), (near, far) = turn.height_and_distance(np.stack([np.zeros(3), centre]))
    swept = turn.p + (height + 0.5 * turn.d) * turn.s
    both = sum(radii)
    balls = np.linalg.norm(swept - centre) > radii[1] + radii[0] + np.hypot(turn.d / 2, near)
    outside, inside = far > near + both, near > radii[0] and far < near - both
    caps = abs((centre - swept) @ turn.s) > abs(turn.d) / 2 + both
    return bool(outside), bool(balls or outside or inside or caps)


def vertex_triangle(turn: Turn, points: np.ndarray, vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(n, m): vertices that move, and triangles at rest."""
    (height, distance), (other, far) = map(turn.height_and_distance, (points, vertices))
    low, high = other[triangles].min(axis=1), other[triangles].max(axis=1)
    heights = (low > np.maximum(height, height + turn.d)[:, None]) | (high < np.minimum(height, height + turn.d)[:, None])
    inside = far[triangles].max(axis=1) < distance[:, None]
    ends = points - turn.p, (points - turn.p) @ Rotation.from_rotvec(turn.b * turn.s).as_matrix().T
    first, last = ((np.cross(turn.s, e) @ (vertices - turn.p).T)[:, triangles] for e in ends)
    return np.asarray(heights | inside | (first < 0).all(axis=2) | (last > 0).all(axis=2))


def edge_edge(turn: Turn, points: np.ndarray, moving: np.ndarray, vertices: np.ndarray, still: np.ndarray) -> np.ndarray:
    """(n, m): edges that move, and edges at rest."""
    (height, distance), (other, far) = map(turn.height_and_distance, (points, vertices))
    low, high = height[moving].min(axis=1) + min(turn.d, 0), height[moving].max(axis=1) + max(turn.d, 0)
    heights = (other[still].min(axis=1) > high[:, None]) | (other[still].max(axis=1) < low[:, None])
    inside = far[still].max(axis=1) < distance[moving].min(axis=1)[:, None]
    start, along = vertices[still[:, 0]] - turn.p, vertices[still[:, 1]] - vertices[still[:, 0]]
    across = np.cross(turn.s, along)
    line = np.abs((start * across).sum(axis=1)) / np.linalg.norm(across, axis=1)
    return np.asarray(heights | inside | (line > distance[moving].max(axis=1)[:, None]))


def row(radius: float, size: float, count: int, ours: Any) -> list[Any]:
    """`ours`: the shares of vertex-triangle and edge-edge pairs that our tests reject, of two meshes under motions."""
    random = np.random.default_rng(0)
    a, b = (collide.Mesh(radius * made.vertices[:, :3], made.triangles) for made in (ball(1, 80), ball(2, 85)))
    told, shares, lost, meet = np.zeros(2), [], 0, 0
    for _ in range(count):
        centre = random.uniform(-OUTER, OUTER, 3)
        while np.abs(centre).max() < INNER:
            centre = random.uniform(-OUTER, OUTER, 3)
        placed, turn = rotation(random), interpolated(random, size)
        known = objects(turn, centre, (radius, radius))
        told += known
        if known[1]:
            continue
        motions = (Screw(axis=turn.s.tolist(), point=turn.p.tolist(), angle=turn.b * t, advance=turn.d * t),
                   Rigid(placed.tolist(), centre.tolist()))
        found = collide.mesh_mesh(a, b, motions=motions)
        if not found.exists or found.features is None:
            continue
        meet += 1
        first, second = a.vertices[:, :3], b.vertices[:, :3] @ placed.T + centre
        own = vertex_triangle(turn, first, second, b.triangles), vertex_triangle(turn.back, second, first, a.triangles)
        edges = edge_edge(turn, first, a.edges, second, b.edges)
        shares.append([np.concatenate([m.ravel() for m in own]).mean(), edges.mean(), *ours((a, b), motions)])
        if all(name.startswith("edge") for name in found.features):
            i, j = (_edge(mesh, name) for mesh, name in zip((a, b), found.features, strict=True))
            lost += int(edges[i, j])
    means = np.mean(shares, axis=0) if shares else itertools.repeat(np.nan, 4)
    return [f"{radius:g}", f"{size:g}", f"{meet} of {count}", *(f"{x:.1%}" for x in (*told / count, *means)), lost]


def _edge(mesh: collide.Mesh, name: str) -> int:
    """The number of "edge 3-7"."""
    return int(mesh.edges.tolist().index(sorted(map(int, name.removeprefix("edge ").split("-")))))
