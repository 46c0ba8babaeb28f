"""Meshes for tests, and when a ball first touches one, by steps that are no longer than its distance allows."""

from collections.abc import Callable

import numpy as np
import sympy as sp

import collide
from generative import ParametricSurface, u, v
from generative.mesh import grid_triangles

R = sp.Rational


def ball(radius) -> ParametricSurface:
    return ParametricSurface([radius * sp.cos(u) * sp.cos(v), radius * sp.sin(u) * sp.cos(v), radius * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def terrain(n: int) -> collide.Mesh:
    """A wavy sheet of 2 (n - 1)^2 triangles over [-1, 1]^2."""
    x, y = np.meshgrid(*[np.linspace(-1, 1, n)] * 2, indexing="ij")
    return collide.Mesh(np.stack([x, y, 0.1 * np.sin(3 * x + 1) * np.cos(4 * y)], axis=-1).reshape(-1, 3), grid_triangles(n, n))


GOLDEN = (1 + 5**0.5) / 2


def icosahedron() -> tuple[np.ndarray, np.ndarray]:
    """Vertices at distance 1, and triangles counterclockwise as seen from outside."""
    vertices = np.array([p for i in (-1, 1) for j in (-GOLDEN, GOLDEN) for p in ((0, i, j), (i, j, 0), (j, 0, i))])
    vertices /= np.linalg.norm(vertices, axis=1)[:, None]
    triangles = []
    for a in range(12):
        for b in range(a + 1, 12):
            for c in range(b + 1, 12):
                p, q, r = vertices[[a, b, c]]
                if max(np.linalg.norm(p - q), np.linalg.norm(q - r), np.linalg.norm(r - p)) < 1.1:
                    triangles.append((a, b, c) if np.cross(q - p, r - p) @ p > 0 else (a, c, b))
    return vertices, np.array(triangles)


def finer(vertices: np.ndarray, triangles: np.ndarray, times: int) -> tuple[np.ndarray, np.ndarray]:
    """Triangles in four, all vertices at distance 1."""
    for _ in range(times):
        corners = vertices[triangles]
        middles = corners + np.roll(corners, -1, axis=1)
        middles /= np.linalg.norm(middles, axis=2)[..., None]
        parts = [np.stack([corners[:, k], middles[:, k], middles[:, k - 1]], axis=1) for k in range(3)] + [middles]
        vertices, index = np.unique(np.round(np.concatenate(parts).reshape(-1, 3), 12), axis=0, return_inverse=True)
        triangles = index.reshape(-1, 3)
    return vertices, triangles


def distances(corners: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Of a point from triangles (m, 3, 3): from the plane where its foot lies inside, else from the sides."""
    a, b, c = (corners[:, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    height = ((point - a) * normal).sum(axis=1)
    foot = point - height[:, None] * normal
    inside = np.all([(np.cross(q - p, foot - p) * normal).sum(axis=1) >= 0 for p, q in ((a, b), (b, c), (c, a))], axis=0)
    sides = []
    for p, q in ((a, b), (b, c), (c, a)):
        s = np.clip(((point - p) * (q - p)).sum(axis=1) / ((q - p)**2).sum(axis=1), 0, 1)
        sides.append(np.linalg.norm(p + s[:, None] * (q - p) - point, axis=1))
    return np.where(inside, np.abs(height), np.min(sides, axis=0))


def first_touch(corners: np.ndarray, centre: Callable[[float], np.ndarray], radius: float, speed: float, end: float) -> float:
    """When a ball whose centre moves no faster than `speed` first touches triangles at rest; infinite if not by `end`."""
    time = 0.0
    while time <= end:
        gap = distances(corners, centre(time)).min() - radius
        if gap < 1e-11:
            return time
        time += gap / speed
    return np.inf
