"""Unions, intersections and differences of polyhedra, exact, with manifold3d in the same run: pairs of 1,000 to 10,000 triangles each.

From arrays to the combined triangles, and seconds of the processor, the least of some calls; manifold3d computes in doubles and promises a
result within a tolerance. "turned in two steps" is a sphere with its copy, turned by two rotations and by their product: coordinates differ
in their last bits.
"""

import math
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np

import collide

from .brep_index import sphere, torus
from .timing import table

ROUNDS = 3
Arrays = tuple[np.ndarray, np.ndarray]


def rotation(axis: list[float], angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def pairs(count: int) -> Iterator[tuple[str, Arrays, Arrays]]:
    side = round(math.sqrt(count / 2))
    ball, ring = sphere(side).arrays, torus(round(1.4 * side), round(side / 1.4)).arrays
    turn = rotation([1, 2, 3], 0.7).T
    yield "spheres", ball, (ball[0] @ turn + [0.5, 0.1, 0.2], ball[1])
    yield "tori", ring, (ring[0] @ turn + [0.3, 0.1, 0.2], ring[1])
    yield "a sphere and its copy beside it", ball, (ball[0] + [0, 0, 0.5], ball[1])
    once, twice = rotation([0, 0, 1], math.pi / 6), rotation([0, 0, 1], math.pi / 18) @ rotation([0, 0, 1], math.pi / 9)
    if count <= 1000:
        yield "a sphere turned in two steps", (ball[0] @ once.T, ball[1]), (ball[0] @ twice.T, ball[1])
        yield "a sphere with itself", ball, ball


def best(call: Callable[[], Any]) -> tuple[float, Any]:
    times = []
    for _ in range(ROUNDS):
        start = process_time()
        answer = call()
        times.append(process_time() - start)
    return min(times), answer


def peer(a: Arrays, b: Arrays) -> Callable[[], Any] | None:
    try:
        import manifold3d
    except ImportError:
        return None

    def solid(vertices: np.ndarray, faces: np.ndarray) -> Any:
        return manifold3d.Manifold(manifold3d.Mesh64(np.ascontiguousarray(vertices), np.ascontiguousarray(faces, np.uint64)))

    def call() -> Any:
        result = solid(*a) - solid(*b)
        result.num_tri()
        return result

    return call


def rows(count: int) -> Iterator[list[Any]]:
    for name, a, b in pairs(count):
        seconds, ours = best(lambda a=a, b=b: collide.boolean(a, b, "difference"))
        row = [name, len(a[1]), 1e3 * seconds, float(ours.volume), 0 if ours.mesh is None else len(ours.mesh.triangles)]
        call = peer(a, b)
        if call is not None:
            theirs, result = best(call)
            row += [1e3 * theirs, seconds / theirs, result.volume(), result.num_tri()]
        yield row


def main() -> None:
    table("difference of polyhedra: times in ms", ["pair", "triangles each", "ours", "volume", "triangles", "manifold3d", "ratio", "volume",
                                                  "triangles"], [row for count in (1000, 10000) for row in rows(count)])
