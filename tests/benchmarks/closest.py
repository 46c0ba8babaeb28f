"""Convex meshes and boxes from pose to pose: sweep and prune, closest features, depth, near triangles, and rejections under screws.

Beside coal and python-fcl, where they are installed, and figures that the papers print (Ponamgi, Manocha and Lin 1995 on an HP 735, Kim and
Rossignac 2003 on a Pentium III of 1 GHz). Hulls have 500 vertices and turn beside each other; a step turns by so many radian. coal gives
distances in doubles without a proof.
"""

from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from time import thread_time
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import collide
from generative import Rigid, Screw, t

from ..collide.polyhedra.solids import ball, pose, rotation
from .timing import table

STEPS = 2000


def best(call: Callable[[], Any], rounds: int = 5) -> float:
    times = []
    for _ in range(rounds):
        begin = thread_time()
        call()
        times.append(thread_time() - begin)
    return min(times)


def boxes() -> list[list[str]]:
    rows, random, n = [], np.random.default_rng(0), 10_000
    for speed in (0.0, 1e-4, 3e-4):
        centre, velocity = random.random((n, 3)), speed * random.normal(size=(n, 3))
        step = [np.stack([centre + k * velocity - 0.01, centre + k * velocity + 0.01], axis=-1) for k in range(20)]
        kept, times, changes = collide.SweepAndPrune(step[0]), [], 0
        for now in step[1:]:
            begin = thread_time()
            begun, ended = kept.update(now)
            times.append(thread_time() - begin)
            changes += len(begun) + len(ended)
        rows.append([f"{n:,} boxes of 0.02 in the unit cube, steps of {speed:g}", f"{1e3 * np.median(times):.2f} ms",
                     f"{changes / 19:.0f} changes"])
    return rows


def poses(angle: float) -> np.ndarray:
    """(STEPS, 2, 4, 4)."""
    out, turn = np.zeros((STEPS, 2, 4, 4)), angle * np.arange(STEPS)[:, None]
    for side, axis in enumerate(([0.6, 0, 0.8], [0, 0.8, -0.6])):
        out[:, side, :3, :3] = Rotation.from_rotvec(turn * axis).as_matrix()
    out[:, :, 3, 3], out[:, 1, :3, 3] = 1, [2.3, 0.3, 0.2] + 0.2 * np.sin(turn)
    return out


def hulls() -> list[list[str]]:
    rows, meshes = [], (ball(1), ball(2))
    for angle in (1e-4, 1e-3, 1e-2, 1e-1):
        at = poses(angle)
        walk, pairs = collide.Closest(*meshes), [(a.copy(), b.copy()) for a, b in at]
        walk.distances(at[:, 0], at[:, 1])
        many = best(lambda walk=walk, at=at: walk.distances(at[:, 0], at[:, 1])) / STEPS
        one = best(lambda walk=walk, pairs=pairs: [walk.at(*p) for p in pairs]) / STEPS
        rows.append([f"{angle:g}", f"{1e6 * many:.2f} us", f"{1e6 * one:.1f} us", coal(meshes, pairs)])
    return rows


def coal(meshes: tuple[collide.Mesh, collide.Mesh], pairs: list[tuple[np.ndarray, np.ndarray]]) -> str:
    if find_spec("coal") is None:
        return "not installed"
    import coal as peer

    shapes = []
    for mesh in meshes:
        points = peer.StdVec_Vec3s()
        points.extend(list(mesh.vertices[:, :3]))
        shapes.append(peer.Convex.convexHull(points, False, None))
    request, result = peer.DistanceRequest(), peer.DistanceResult()
    request.enable_signed_distance = False
    request.gjk_initial_guess = peer.GJKInitialGuess.CachedGuess
    request.enable_cached_gjk_guess = True
    frames = [tuple(peer.Transform3s(np.asfortranarray(m[:3, :3]), m[:3, 3]) for m in p) for p in pairs]

    def run() -> None:
        for a, b in frames:
            result.clear()
            peer.distance(shapes[0], a, shapes[1], b, request, result)
            request.updateGuess(result)

    return f"{1e6 * best(run) / len(frames):.1f} us"


def depths() -> list[list[str]]:
    meshes = ball(1), ball(2)
    walk = collide.Closest(*meshes)
    return [["depth of two hulls, exact", f"{1e3 * best(lambda: walk.at(np.eye(4), pose(shift=(1.8, 0.1, 0))).depth, 3):.0f} ms"]]


def torus(n: int, m: int, radius: float) -> collide.Mesh:
    u, w = (2 * np.pi * np.arange(k) / k for k in (n, m))
    x, y = np.meshgrid(u, w, indexing="ij")
    far = 1 + radius * np.cos(y)
    places = np.stack([far * np.cos(x), far * np.sin(x), radius * np.sin(y)], axis=-1).reshape(-1, 3)
    a, b = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    p, q, r, s = (((a + i) % n * m + (b + j) % m).ravel() for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return collide.Mesh(places, np.concatenate([np.stack([p, q, r], 1), np.stack([p, r, s], 1)]))


def chain() -> list[list[str]]:
    """Linked tori of 400 triangles, planes at right angles, radius 1/5, that swing a little: contacts or not at each step."""
    link, rows = torus(20, 10, 0.2), []
    upright = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    for links, spacing, printed in ((2, 1.2, "12 to 45 ms"), (2, 1.6, ""), (8, 1.2, "38 to 46 ms"), (8, 1.58, "")):
        near = [collide.Near(link, link) for _ in range(links - 1)]

        def step(k: int, near: list[collide.Near] = near, spacing: float = spacing) -> int:
            at = [pose(upright if n % 2 else np.eye(3), (spacing * n + 1e-3 * np.sin(0.1 * k + n), 0, 0)) for n in range(len(near) + 1)]
            return sum(len(pair.update(a, b)) for pair, a, b in zip(near, at[:-1], at[1:], strict=True))

        times, found = [], 0
        for k in range(60):
            begin = thread_time()
            found += step(k)
            times.append(thread_time() - begin)
        rows.append([f"{links} tori {spacing:g} apart", f"{1e3 * np.median(times):.2f} ms", f"{found / 60:.1f} pairs", printed])
    return rows


def screws() -> list[list[str]]:
    """Pairs of hulls of 80 and 85 vertices as in the paper: within a cube of side 15, outside of one of 5."""
    random, meshes, counts, outcomes, times = np.random.default_rng(0), (ball(1, 80), ball(2, 85)), Counter[str](), Counter[str](), []
    for _ in range(150):
        shift = random.uniform(-7.5, 7.5, size=3)
        while np.abs(shift).max() < 2.5:
            shift = random.uniform(-7.5, 7.5, size=3)
        screw = Screw(axis=random.normal(size=3).tolist(), point=random.uniform(-5, 5, size=3).tolist(),
                      angle=float(random.uniform(0, np.pi)) * t, advance=float(random.uniform(-5, 5)) * t)
        motions = screw @ Rigid(rotation(random).tolist(), shift.tolist()), Rigid()
        collide.mesh_mesh(*meshes, motions=motions)
        begin = thread_time()
        found = collide.mesh_mesh(*meshes, motions=motions)
        times.append(thread_time() - begin)
        counts.update(found.rejections)
        counts["queries"] += found.queries
        outcomes[found.status.name] += 1
    return [["pairs of objects", f"{len(times)}: {dict(outcomes)}"],
            ["rejected as objects", f"{counts['objects'] / len(times):.0%} (printed: 50 %)"],
            ["a pair", f"{1e3 * np.median(times):.2f} ms, mean {1e3 * np.mean(times):.2f} ms"],
            *([name, f"{counts[name]:,}"] for name in sorted(counts) if name != "objects")]


def main() -> None:
    table("Sweep and prune of moving boxes", ["boxes", "a step", "pairs begun or ended"], boxes())
    table("Closest features of two hulls", ["angle of a step", "proved, in one call", "proved, from Python", "coal, from Python"], hulls())
    table("Penetration", ["of", "time"], depths())
    table("Triangles of linked tori that meet", ["chain", "a step", "found", "printed"], chain())
    table("Meshes under screws", ["of", ""], screws())
