"""Distances of pairs of bodies at rest, and clearances over a motion, warm and with new numbers; beside them coal and python-fcl, where
these are installed, on meshes or ellipsoids of the same shapes.

The peers' distances are printed with their error: neither claims a bound. New: bodies of the same shapes at other places.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import ImplicitSurface, ParametricSurface, Rigid, hull, t, u, v, x, y, z

from .timing import table

R = sp.Rational
TURNED = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
ROUNDS = 30


def ellipsoid(a: Any, b: Any, c: Any) -> ParametricSurface:
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def torus() -> ParametricSurface:
    tube = 1 + R(3, 10) * sp.cos(v)
    return ParametricSurface([tube * sp.cos(u), tube * sp.sin(u), R(3, 10) * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


CUBE = hull([(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)])
SPHERE = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
EGGS = ellipsoid(1, R(1, 2), R(3, 4)), ellipsoid(R(3, 4), 1, R(1, 2))
# Name, and two bodies, one of them displaced a little.
AT_REST: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "balls": lambda k: (ellipsoid(1, 1, 1), ellipsoid(R(1, 2), R(1, 2), R(1, 2)).moved(Rigid(translation=[1 + k, 2, 3]))),
    "ellipsoids": lambda k: (EGGS[0], EGGS[1].moved(Rigid(translation=[1 + k, 2, 3]))),
    "crossed tori": lambda k: (torus(), torus().moved(Rigid(rotation=TURNED, translation=[k, 0, 3]))),
    "parallel tori": lambda k: (torus(), torus().moved(Rigid(translation=[0, 0, 2 + k]))),
    "ball and implicit sphere": lambda k: (ellipsoid(1, 1, 1).moved(Rigid(translation=[1 + k, 2, 3])), SPHERE),
    "cubes": lambda k: (CUBE, CUBE.moved(Rigid(translation=[2 + k, R(1, 2), 3]))),
}  # fmt: skip
MOVING: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "crossed tori approach": lambda k: (torus(), torus().moved(Rigid(rotation=TURNED, translation=[k, 0, 3 - t]))),
    "ellipsoid passes": lambda k: (EGGS[0], EGGS[1].moved(Rigid(translation=[4 * t - 2 + k, 3, t]))),
}


def main() -> None:
    head = ["", "cold ms", "warm ms", "new ms", "boxes", "distance", "bracket", "points", "unique"]
    table("Distance at rest (goal: 2 ms a smooth pair)", head, [_row(name, pair, collide.distance) for name, pair in AT_REST.items()])
    table("Clearance over a motion (goal: 5 ms)", head, [_row(f"{name}{told}", pair, ask) for name, pair in MOVING.items()
                                                         for told, ask in (("", _clearance), (", at_least=1/2", _kept))])
    table("Peers: distance of the same bodies at rest; tori are meshes of 5,000 triangles", ["", "ms", "distance", "ours - theirs"],
          [*_coal(), *_fcl()] or [["neither coal nor python-fcl is installed", "", "", ""]])


def _clearance(a: Any, b: Any) -> Any:
    return collide.clearance([a, b], (0, 1))


def _kept(a: Any, b: Any) -> Any:
    return collide.clearance([a, b], (0, 1), at_least=0.5)


def _row(name: str, pair: Callable[[Any], tuple[Any, Any]], ask: Callable[[Any, Any], Any]) -> list[Any]:
    first, others = pair(0), [pair(R(k + 1, 997)) for k in range(ROUNDS)]
    cold, d = _timed(lambda: ask(*first))
    warm = min(_timed(lambda: ask(*first))[0] for _ in range(ROUNDS))
    new = sorted(_timed(lambda own=own: ask(*own))[0] for own in others)[ROUNDS // 2]
    return [name, 1e3 * cold, 1e3 * warm, 1e3 * new, d.iterations, d.bracket.lo, d.bracket.hi - d.bracket.lo, len(d), int(d.unique.sum())]


def _timed(f: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = f()
    return time.perf_counter() - start, answer


def _coal() -> list[list[Any]]:
    try:
        import coal
    except ImportError:
        return []
    first, second = coal.Ellipsoid(1.0, 0.5, 0.75), coal.Ellipsoid(0.75, 1.0, 0.5)
    here, there = coal.Transform3s.Identity(), coal.Transform3s.Identity()
    there.setTranslation(np.array([1.0, 2.0, 3.0]))

    def ask() -> float:
        return float(coal.distance(first, here, second, there, coal.DistanceRequest(), coal.DistanceResult()))

    return [_peer("coal, ellipsoids", ask, collide.distance(*AT_REST["ellipsoids"](0)))]


def _fcl() -> list[list[Any]]:
    try:
        import fcl
    except ImportError:
        return []
    first, second = fcl.CollisionObject(fcl.Ellipsoid(1.0, 0.5, 0.75)), fcl.CollisionObject(
        fcl.Ellipsoid(0.75, 1.0, 0.5), fcl.Transform(np.array([1.0, 2.0, 3.0])))
    points, faces = _net(50, 50)
    mesh = fcl.BVHModel()
    mesh.beginModel(len(points), len(faces))
    mesh.addSubModel(points, faces)
    mesh.endModel()
    tori = fcl.CollisionObject(mesh), fcl.CollisionObject(mesh, fcl.Transform(np.array(TURNED, float), np.array([0.0, 0.0, 3.0])))

    def ask(a: Any, b: Any) -> float:
        return float(fcl.distance(a, b, fcl.DistanceRequest(), fcl.DistanceResult()))

    return [_peer("python-fcl, ellipsoids", lambda: ask(first, second), collide.distance(*AT_REST["ellipsoids"](0))),
            _peer("python-fcl, crossed tori", lambda: ask(*tori), collide.distance(*AT_REST["crossed tori"](0)))]


def _net(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of the torus."""
    a, b = np.meshgrid(*(2 * math.pi * np.arange(k) / k for k in (n, m)), indexing="ij")
    tube = 1 + 0.3 * np.cos(b)
    points = np.stack([tube * np.cos(a), tube * np.sin(a), 0.3 * np.sin(b)], axis=-1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(m), indexing="ij"))
    p, q, r, s = ((i + di) % n * m + (j + dj) % m for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)))
    return points, np.concatenate([np.stack([p, q, r], axis=1), np.stack([p, r, s], axis=1)])


def _peer(name: str, ask: Callable[[], float], ours: Any) -> list[Any]:
    value = ask()
    return [name, 1e3 * min(_timed(ask)[0] for _ in range(100)), value, ours.bracket.lo - value]
