"""First contact of triangle meshes: straight paths, and steps without self-contact, with ipctk's collision-free step in the same run; and
rigid motions.

Bumpy spheres of 200 to 5,000 triangles; ipctk looks for contacts within each mesh too, of which there are none, and answers with a
time that is safe, not with a bracket; its mesh is prepared before it is timed, our trees are built within, except where it says
so. Moving queries: edges and triangles on two bodies in screw and in general motion.
"""

from collections.abc import Callable
from time import thread_time
from typing import Any

import numpy as np
import sympy as sp
from scipy.spatial import ConvexHull

import collide
from generative import Motion, Rigid, Screw, t

from .timing import table

SCREW = Screw(axis=[1, 2, 3], angle=2 * t, advance=t / 3)
RIGID = Rigid(rotation=[sp.cos(t), 0, sp.sin(t), 0], translation=[3 - 2 * t, sp.Rational(1, 5), t**2 / 5])
ROUNDS = 5
# Spheres with so many vertices just pass each other when the second one is shifted so far.
PASS, MISS = {102: 1.3267765, 502: 1.4054031, 2502: 1.4209843}, 0.01


def bumpy_sphere(vertices: int, height: float) -> tuple[np.ndarray, np.ndarray]:
    k = np.arange(vertices)
    z, turn = 1 - (2 * k + 1) / vertices, k * np.pi * (3 - 5**0.5)
    p = np.stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z], axis=1)
    return p * (1 + height * np.sin(5 * p[:, :1]) * np.cos(4 * p[:, 1:2])), ConvexHull(p).simplices


def best(call: Callable[[], Any]) -> tuple[float, Any]:
    """The least seconds of some calls, after one to warm up."""
    call()
    times = []
    for _ in range(ROUNDS):
        start = thread_time()
        answer = call()
        times.append(thread_time() - start)
    return min(times), answer


def peer(first: np.ndarray, second: np.ndarray, a: np.ndarray, b: np.ndarray) -> Callable[[], float] | None:
    try:
        import ipctk
    except ImportError:
        return None
    ipctk.set_num_threads(1)
    triangles = np.concatenate([a, b + first.shape[1]]).astype(np.int32)
    start, end = (np.asfortranarray(np.concatenate([first[k], second[k]])) for k in range(2))
    mesh = ipctk.CollisionMesh(start, ipctk.edges(triangles), triangles)
    method = ipctk.TightInclusionCCD(tolerance=1e-6, max_iterations=1_000_000, conservative_rescaling=0.999)
    return lambda: ipctk.compute_collision_free_stepsize(mesh, start, end, 0.0, ipctk.LBVH(), method)


def mesh_rows(vertices: int) -> list[list[Any]]:
    (p, a), (q, b) = bumpy_sphere(vertices, 0.1), bumpy_sphere(vertices, 0.15)
    first, second = np.stack([p, p + [0.3, 0.1, 0]]), np.stack([q + [2.6, 0.2, 0.1], q + [1.5, 0.4, -0.3]])
    rows, ready = [], [collide.Mesh(first, a), collide.Mesh(second, b), collide.Mesh(p, a), collide.Mesh(q, b)]
    for name, call in (("straight", lambda: collide.mesh_mesh((first, a), (second, b))),
                       ("straight, trees kept", lambda: collide.mesh_mesh(*ready[:2])),
                       ("the same, boxes anew", lambda: collide.mesh_mesh(ready[0].with_vertices(first), ready[1].with_vertices(second))),
                       ("screw and rigid", lambda: collide.mesh_mesh((p, a), (q, b), motions=(SCREW, RIGID))),
                       ("the same, trees kept", lambda: collide.mesh_mesh(*ready[2:], motions=(SCREW, RIGID))),
                       (f"a miss by {MISS}", lambda: collide.mesh_mesh((first, a), (second + [0, PASS[vertices] + MISS, 0], b)))):
        seconds, r = best(call)
        rows.append([f"{len(a)} x {len(b)}, {name}", 1e3 * seconds, r.status.name, str(r.time and r.time.lo), r.iterations, r.queries])
    other = peer(first, second, a, b)
    if other is not None:
        seconds, toi = best(other)
        rows.insert(1, [f"{len(a)} x {len(b)}, straight: ipctk", 1e3 * seconds, "", str(toi), "", ""])
    return rows


def step_rows(vertices: int) -> list[list[Any]]:
    """One mesh of two bumpy spheres that come together while all vertices tremble."""
    (p, a), (q, b) = bumpy_sphere(vertices, 0.1), bumpy_sphere(vertices, 0.15)
    before, mesh = np.concatenate([p, q + [2.6, 0.2, 0.1]]), np.concatenate([a, b + len(p)])
    after = before + np.repeat([[0.3, 0.1, 0], [-1.1, 0.2, -0.4]], [len(p), len(q)], axis=0)
    after += 1e-3 * np.random.default_rng(5).normal(size=after.shape)
    seconds, step = best(lambda: collide.step_limit(before, after, mesh=mesh))
    rows = [[f"{len(mesh)}, ours", 1e3 * seconds, repr(step)]]
    first, second = (np.stack([before[part], after[part]]) for part in (slice(0, len(p)), slice(len(p), None)))
    other = peer(first, second, a, b)
    if other is not None:
        seconds, toi = best(other)
        rows.append([f"{len(mesh)}, ipctk", 1e3 * seconds, repr(toi)])
    return rows


def query_rows(kind: str, motions: tuple[Motion, Motion]) -> list[Any]:
    q = np.random.default_rng(3).uniform(-1, 1, (20_000, 4, 3))
    call = getattr(collide, kind)
    seconds, r = best(lambda: call(q, motions=motions))
    alone = np.array([best(lambda k=k: call(q[k:k + 1], motions=motions))[0] for k in range(500)])
    spread = [float(1e6 * np.percentile(alone, p)) for p in (50, 90, 100)]
    return [kind, int(r.hit.sum()), int(r.proved.sum()), 1e6 * seconds / len(q), float(1e6 * alone.mean()), *spread]


def main() -> None:
    rows = [[f"{row[0]}: {name}", *row[1:]] for name, motions in (("screw", (SCREW, Rigid())), ("two rigid motions", (RIGID, SCREW)))
            for row in (query_rows(kind, motions) for kind in ("edge_edge", "vertex_face"))]
    table("20000 random queries in motion: microseconds a query, all in one call and (500 of them) one at a time",
          ["", "hits", "proved", "in one call", "alone, mean", "median", "90 %", "max"], rows)
    table("Two bumpy spheres: first contact", ["triangles", "ms", "status", "time", "tests", "queries"],
          [row for n in PASS for row in mesh_rows(n)])
    table("Two bumpy spheres, one mesh: a step without contact or self-contact", ["triangles", "ms", "step"],
          [row for n in (102, 502, 2502) for row in step_rows(n)])
