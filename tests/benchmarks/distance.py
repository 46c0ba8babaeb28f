"""Distances of pairs of bodies at rest, warm and with new numbers; beside them coal, python-fcl and OpenCASCADE, where these are installed,
on the same shapes, or meshes of them.

The peers' distances are printed with their error: none claims a bound. New: bodies of the same shapes at other places. Milliseconds are
of the processor.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import sympy as sp

import collide
from generative import ImplicitSurface, ParametricSurface, Rigid, hull, u, v, x, y, z

from .distance_peers import installed
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
GOAL = 2.0


def main() -> None:
    head = ["", "cold ms", "warm ms", "new ms", "new / goal", "boxes", "distance", "bracket", "points", "unique"]
    table(f"Distance at rest (goal: {GOAL:g} ms a smooth pair)", head,
          [row(name, pair, collide.distance, GOAL) for name, pair in AT_REST.items()])
    table("Peers at the same pairs, and their errors; tori of python-fcl are meshes of 5,000 triangles",
          ["", "ms", "ours warm / theirs", "distance", "theirs - ours"], peers() or [["no peer is installed", "", "", "", ""]])


def row(name: str, pair: Callable[[Any], tuple[Any, Any]], ask: Callable[[Any, Any], Any], goal: float) -> list[Any]:
    first, others = pair(0), [pair(R(k + 1, 997)) for k in range(ROUNDS)]
    cold, d = timed(lambda: ask(*first))
    warm = min(timed(lambda: ask(*first))[0] for _ in range(ROUNDS))
    new = sorted(timed(lambda own=own: ask(*own))[0] for own in others)[ROUNDS // 2]
    return [name, 1e3 * cold, 1e3 * warm, 1e3 * new, 1e3 * new / goal, d.iterations,
            d.bracket.lo, d.bracket.hi - d.bracket.lo, len(d), int(d.unique.sum())]


def timed(f: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    answer = f()
    return time.process_time() - start, answer


def peers() -> list[list[Any]]:
    rows = []
    for peer, asked in installed().items():
        for name, ask in asked.items():
            ours = collide.distance(*AT_REST[name](0))
            mine = partial(collide.distance, *AT_REST[name](0))
            own, theirs = (min(timed(call)[0] for _ in range(ROUNDS)) for call in (mine, ask))
            rows.append([f"{peer}, {name}", 1e3 * theirs, own / theirs, ask(), _error(ask(), ours)])
    return rows


def _error(value: float, ours: collide.Distance) -> float:
    """How far a value is beside what is proved."""
    return value - min(max(value, ours.bracket.lo), ours.bracket.hi)
