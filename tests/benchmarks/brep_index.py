"""B-rep indices of polyhedra: nodes, heights, milliseconds to make one and nanoseconds a point, beside the table of Vanecek 1990 for its
ten objects; and milliseconds of a distance and of a clearance of two meshes of 5,000 triangles.

Beside trimesh with embreex (rays, in floats of 32 bits), where these are installed. The objects are spheres and tori of n x n flat faces,
whose coordinates have so few digits that the faces are exactly flat.
"""

from collections.abc import Callable
from importlib.util import find_spec
from time import thread_time
from typing import Any

import numpy as np

import collide
from generative import Rigid, Screw, t

from .timing import table

SIDES, POINTS, TIMES = (4, 6, 8, 10, 20), 200_000, 5
# Nodes, height, mean height and seconds on a Symbolics 3620, as printed.
PAPER = {"sphere": [(58, 16, 7.8, 1.7), (135, 19, 9.4, 4.5), (245, 18, 9.9, 7.7), (463, 18, 10.4, 15.6), (2309, 24, 13.0, 104.0)],
         "torus": [(110, 9, 6.1, 1.9), (299, 11, 7.3, 8.0), (435, 14, 8.6, 12.5), (1019, 19, 10.2, 39.0), (4721, 27, 12.6, 233.0)]}


def main() -> None:
    rows = [indexed(name, made(n), paper) for name, made in (("sphere", sphere), ("torus", torus))
            for n, paper in zip(SIDES, PAPER[name], strict=True)]
    head = ["object", "entities", "nodes", "paper's", "height", "paper's", "mean", "paper's", "ms to make", "paper's s", "ns a point",
            "trimesh"]
    table("B-rep indices", head, rows)
    first, second = torus(60, 42), torus(60, 42).moved(Screw(axis=[1, 0.2, 0], point=[0, 0, 0], angle=1.3 * t, advance=0))
    apart = second.moved(Rigid(translation=[3.2 - 0.3 * t, 0.3, 0.4]))
    asked: list[tuple[str, Callable[[], Any]]] = [("distance", lambda: collide.distance(first, apart, at=0.5)),
                                                  ("clearance over the motion", lambda: collide.clearance([first, apart], (0, 1)))]
    table("Distances of meshes", ["question", "triangles", "first ms", "warm ms"],
          [[name, len(first.triangles), *best(ask)] for name, ask in asked])


def best(ask: Callable[[], Any]) -> tuple[float, float]:
    """Milliseconds of the first call, and of the best of some."""
    took = []
    for _ in range(TIMES):
        begin = thread_time()
        ask()
        took.append(1e3 * (thread_time() - begin))
    return took[0], min(took)


def indexed(name: str, mesh: collide.Mesh, paper: tuple[int, int, float, float]) -> list[Any]:
    vertices, triangles = mesh.arrays
    index = collide.Index(mesh)
    _, milliseconds = best(lambda: collide.Index(collide.Mesh(vertices, triangles)))
    points = np.random.default_rng(1).uniform(vertices.min(axis=0), vertices.max(axis=0), (POINTS, 3))
    _, each = best(lambda: index.classify(points))
    edges = index.edge_of[index.edge_of >= 0]
    entities = len(vertices) + len(np.unique(edges)) + len(np.unique(index.face_of))
    height, mean = index.heights
    return [name, entities, index.nodes, paper[0], height, paper[1], mean, paper[2], milliseconds, paper[3], 1e6 * each / POINTS,
            rays(vertices, triangles, points, index)]


def rays(vertices: np.ndarray, triangles: np.ndarray, points: np.ndarray, index: collide.Index) -> str:
    """Nanoseconds a point, and how many of random points it tells otherwise."""
    if not (find_spec("trimesh") and find_spec("embreex")):
        return "not installed"
    import trimesh

    mesh = trimesh.Trimesh(vertices, triangles, process=False)
    _, each = best(lambda: mesh.contains(points))
    wrong = mesh.contains(points) != (index.classify(points)[0] == collide.Kind.IN)
    return f"{1e6 * each / POINTS:.0f} ({np.count_nonzero(wrong)} otherwise)"


def rounded(x: Any) -> np.ndarray:
    """With so few digits that products are exact."""
    return np.round(np.asarray(x) * 2.0**20) / 2.0**20


def circle(n: int) -> np.ndarray:
    turn = 2 * np.pi * np.arange(n) / n
    return rounded(np.stack([np.cos(turn), np.sin(turn)], axis=1))


def sphere(n: int) -> collide.Mesh:
    """n by n faces: triangles at the poles, else trapezia."""
    down = np.pi * np.arange(1, n) / n
    rings = [np.column_stack([r * circle(n), np.full(n, z)]) for r, z in zip(rounded(np.sin(down)), rounded(np.cos(down)), strict=True)]
    faces: list[list[int]] = []
    for i in range(n):
        j = (i + 1) % n
        faces.append([0, 1 + i, 1 + j])
        for k in range(1, (n - 2) * n + 1, n):
            faces += [[k + i, k + n + i, k + n + j], [k + i, k + n + j, k + j]]
        faces.append([(n - 2) * n + 1 + i, (n - 1) * n + 1, (n - 2) * n + 1 + j])
    return collide.Mesh(np.concatenate([[[0, 0, 1]], *rings, [[0, 0, -1]]]), faces)


def torus(n: int, m: int | None = None) -> collide.Mesh:
    """n by m trapezia."""
    m = m or n
    turn = 2 * np.pi * (np.arange(m) + 0.25) / m
    radius, height = rounded(1 + 0.4 * np.cos(turn)), rounded(0.4 * np.sin(turn))
    vertices = np.concatenate([np.column_stack([radius[:, None] * p, height]) for p in circle(n)])
    faces: list[list[int]] = []
    for i in range(n):
        for j in range(m):
            a, b, c, d = (x % n * m + y % m for x, y in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)))
            faces += [[a, b, c], [a, c, d]]
    return collide.Mesh(vertices, faces)
