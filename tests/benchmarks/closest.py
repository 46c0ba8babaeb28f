"""Convex meshes and boxes from pose to pose: sweep and prune, closest features, and depth.

Beside coal, where it is installed. Hulls have 500 vertices and turn beside each other; a step turns by so many radian. coal gives
distances in doubles without a proof.
"""

from collections.abc import Callable
from importlib.util import find_spec
from time import thread_time
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import collide

from ..collide.polyhedra.solids import ball, pose
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
        cold = best(lambda walk=walk, pairs=pairs: [from_anywhere(walk).at(*p) for p in pairs]) / STEPS
        rows.append([f"{angle:g}", f"{1e6 * many:.2f} us", f"{1e6 * one:.1f} us", f"{1e6 * cold:.1f} us", *coal(meshes, pairs)])
    return rows


def from_anywhere(walk: collide.Closest) -> collide.Closest:
    """It begins with the first vertices of both."""
    walk.arrays["dim"][:], walk.arrays["slot"][:] = 0, (0, len(walk.bodies[0].start))
    return walk


def coal(meshes: tuple[collide.Mesh, collide.Mesh], pairs: list[tuple[np.ndarray, np.ndarray]]) -> list[str]:
    """With the last guess, and without."""
    if find_spec("coal") is None:
        return ["not installed"] * 2
    import coal as peer

    shapes = []
    for mesh in meshes:
        points = peer.StdVec_Vec3s()
        points.extend(list(mesh.vertices[:, :3]))
        shapes.append(peer.Convex.convexHull(points, False, None))
    result = peer.DistanceResult()
    frames = [tuple(peer.Transform3s(np.asfortranarray(m[:3, :3]), m[:3, 3]) for m in p) for p in pairs]

    def run(warm: bool) -> None:
        request = peer.DistanceRequest()
        request.enable_signed_distance = False
        if warm:
            request.gjk_initial_guess = peer.GJKInitialGuess.CachedGuess
            request.enable_cached_gjk_guess = True
        for a, b in frames:
            result.clear()
            peer.distance(shapes[0], a, shapes[1], b, request, result)
            if warm:
                request.updateGuess(result)

    return [f"{1e6 * best(lambda warm=warm: run(warm)) / len(frames):.1f} us" for warm in (True, False)]


def depths() -> list[list[str]]:
    meshes = ball(1), ball(2)
    walk = collide.Closest(*meshes)
    return [["depth of two hulls, exact", f"{1e3 * best(lambda: walk.at(np.eye(4), pose(shift=(1.8, 0.1, 0))).depth, 3):.0f} ms"]]


def main() -> None:
    table("Sweep and prune of moving boxes", ["boxes", "a step", "pairs begun or ended"], boxes())
    table("Closest features of two hulls",
          ["angle of a step", "proved, in one call", "proved, from Python", "cold", "coal, from Python", "cold"], hulls())
    table("Penetration", ["of", "time"], depths())
