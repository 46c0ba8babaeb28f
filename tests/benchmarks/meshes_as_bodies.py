"""Triangle meshes among other bodies: milliseconds of a call of `first_contact`, the first one and the best of five warm ones, each at a
pose of its own; and of making the mesh.

A ball and a torus fall on a wavy terrain, a capsule on an icosphere, which rests or turns, and an icosphere on another; and two icospheres
cross from the start, one of which turns by a radian.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import ParametricSurface, Rigid, Screw, t, u, v
from generative.mesh import grid_triangles
from models.shapes.machine import capsule

from .timing import table

CALLS, LONG = 5, 600
FALL, SPIN = Rigid(translation=[0, 0, 2 - t]), Screw([1, 2, 3], angle=t)
SHIFT = Rigid(translation=[sp.Rational(1, 2), 0, 0])
LINK = capsule(radius=sp.Rational(1, 10), length=1)


def main() -> None:
    rows, radius = [], sp.Rational(1, 5)
    for n in (26, 51, 225):
        mesh, seconds = made(*terrain(n))
        rows.append(measured("ball on a terrain", mesh, seconds, lambda own: [ball(radius).moved(FALL), own]))
        rows.append(measured("torus on a terrain", mesh, seconds, lambda own: [torus().moved(FALL @ SPIN), own]))
    for times in (3, 5):
        mesh, seconds = made(*icosphere(times))
        rows.append(measured("capsule on an icosphere", mesh, seconds, lambda own: [LINK.moved(FALL), own]))
        rows.append(measured("on one that turns", mesh, seconds, lambda own: [LINK.moved(FALL), own.moved(SPIN)]))
    for times in (2, 3, 4):
        mesh, seconds = made(*icosphere(times))
        rows.append(measured("two that cross, one turns", mesh, seconds, lambda own: [own.resting, own.moved(SHIFT @ SPIN)], 1, 1))
    mesh, seconds = made(*icosphere(3))
    rows.append(measured("two icospheres", mesh, seconds, lambda own: [own.resting.moved(FALL), own.moved(SPIN)]))
    table("Triangle meshes among other bodies: milliseconds of a call", ["scene", "triangles", "mesh", "first", "warm", "status"], rows)


def measured(name: str, mesh: collide.Mesh, seconds: float, bodies: Callable[[collide.Mesh], list[Any]], end: int = 3,
             calls: int = CALLS) -> list[Any]:
    """A row: the first call, and the best of those at other poses, of which some go before."""
    took = []
    for k in range(3 * calls):
        scene = bodies(mesh.placed(None, [0.01 * k, 0.002 * k, 0]))
        begin = time.perf_counter()
        found = collide.first_contact(scene, time=(0, end), budget=LONG)
        took.append(time.perf_counter() - begin)
    return [name, len(mesh.triangles), 1e3 * seconds, 1e3 * took[0], 1e3 * min(took[-calls:]), found.status.name]


def made(vertices: np.ndarray, triangles: np.ndarray) -> tuple[collide.Mesh, float]:
    """A mesh with its tree and its edges, and the seconds that took."""
    begin = time.perf_counter()
    mesh = collide.Mesh(vertices, triangles)
    _ = mesh.closed
    return mesh, time.perf_counter() - begin


def ball(radius: Any) -> ParametricSurface:
    return ParametricSurface([radius * sp.cos(u) * sp.cos(v), radius * sp.sin(u) * sp.cos(v), radius * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def torus() -> ParametricSurface:
    reach = sp.Rational(1, 2) + sp.cos(v) / 6
    return ParametricSurface([reach * sp.cos(u), reach * sp.sin(u), sp.sin(v) / 6], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def terrain(n: int) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.meshgrid(*[np.linspace(-1, 1, n)] * 2, indexing="ij")
    return np.stack([x, y, 0.1 * np.sin(3 * x + 1) * np.cos(4 * y)], axis=-1).reshape(-1, 3), grid_triangles(n, n)


def icosphere(times: int) -> tuple[np.ndarray, np.ndarray]:
    """An icosahedron, its triangles divided in four so many times."""
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=times, radius=0.4)
    return np.asarray(mesh.vertices), np.asarray(mesh.faces)
