"""Scenes of many bodies: milliseconds of a warm call, and how they grow with the number of bodies, for balls of one motion each of its own
numbers, and for two shapes in motions of eight formulas.

All fall on a floor from a lattice; the lowest of them meet it. Beside it, where python-fcl is installed: all pairs of balls that overlap at
64 instants, by its tree of boxes. It answers another question (what happens between the instants is not told), at another speed.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import sympy as sp

import collide
from collide.search.search import Search
from collide.timeline import approaching
from generative import ParametricSurface, Rigid, axis_angle, t, u, v

from .timing import table

SIZES, MORE, SEED, CALLS = (100, 300, 1000, 3000), 10_000, 1, 3
GAP, INSTANTS = 3, 64


def main() -> None:
    table("Balls on a floor, each at a speed of its own: milliseconds of a warm call", *grown(balls, (*SIZES, MORE), overlaps))
    table("Balls and turning ellipsoids in motions of eight formulas: milliseconds of a warm call", *grown(mixed, SIZES))


def grown(made: Callable[[int], list[Any]], sizes: Sequence[int], peer: Callable[[list[Any]], float] | None = None,
          ) -> tuple[list[str], list[list[Any]]]:
    """Heads and rows: what a scene of so many bodies takes, and below it the exponents of power laws through the times."""
    rows = [[n, *measured(made(n)), *([peer(made(n))] if peer else [])] for n in sizes]
    times = np.array([[float(x) for x in row] for row in rows])
    exponents = [float(np.polyfit(np.log(times[:, 0]), np.log(np.maximum(column, 1e-3)), 1)[0]) if np.isfinite(column).all() else np.nan
                 for column in times[:, 1:-1 if peer else None].T]
    heads = ["bodies", "set-up", "broad phase", "search", "total", "contacts", *(["fcl, 64 instants"] if peer else [])]
    return heads, [*rows, ["exponent", *exponents[:-1], "", *([""] if peer else [])]]


def measured(bodies: list[Any]) -> list[Any]:
    """Of the fastest of several warm calls: set-up, broad phase, search and all, in milliseconds; and the number of contacts."""
    best: list[Any] = [np.inf] * 4
    for _ in range(2 + CALLS):
        with apart() as share:
            begin = time.perf_counter()
            found = collide.first_contact(bodies, time=(0, 1), budget=600)
            whole = time.perf_counter() - begin
        if whole < best[3]:
            best = [whole - share["windows"] - share["run"], share["windows"], share["run"], whole]
    return [*(1e3 * seconds for seconds in best), len(found)]


@contextlib.contextmanager
def apart() -> Iterator[dict[str, float]]:
    """Seconds in the broad phase and in the native search."""
    spent = {"windows": 0.0, "run": 0.0}
    kept = approaching.windows, Search.run

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            begin = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                spent[name] += time.perf_counter() - begin

        return call

    approaching.windows, Search.run = timed("windows", kept[0]), timed("run", kept[1])  # type: ignore[method-assign]
    try:
        yield spent
    finally:
        approaching.windows, Search.run = kept  # type: ignore[method-assign]


# -- scenes -------------------------------------------------------------------------------------------------------


def ellipsoid(a: Any, b: Any, c: Any) -> ParametricSurface:
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def lattice(count: int) -> tuple[list[tuple[int, int, int]], ParametricSurface]:
    """Places above a floor, and the floor."""
    side = int(np.ceil(count ** (1 / 3)))
    floor = ParametricSurface([u, v, 0], {u: (-GAP, GAP * side), v: (-GAP, GAP * side)})
    return [(GAP * (k % side), GAP * (k // side % side), GAP * (1 + k // side**2)) for k in range(count)], floor


def drawn(rng: np.random.Generator, count: int) -> list[sp.Rational]:
    """Numbers up to 0.06 in size."""
    return [sp.Rational(int(n), 100_003) for n in rng.integers(-6000, 6000, count)]


def balls(count: int) -> list[Any]:
    rng, (places, floor), ball = np.random.default_rng(SEED), lattice(count), ellipsoid(1, 1, 1)
    speeds = [drawn(rng, 3) for _ in places]
    return [*(ball.moved(Rigid(translation=[x + a * t, y + b * t, z + c * t - 5 * t**2]))
              for (x, y, z), (a, b, c) in zip(places, speeds, strict=True)), floor]


def mixed(count: int) -> list[Any]:
    rng, (places, floor) = np.random.default_rng(SEED), lattice(count)
    shapes = ellipsoid(1, 1, 1), ellipsoid(sp.Rational(9, 10), sp.Rational(2, 3), 1)
    bodies = []
    for k, (x, y, z) in enumerate(places):
        a, b, c, d = drawn(rng, 4)
        aside = (a * t, a * sp.sin(b * t), a * t**2 - b * t, a * sp.cos(t), a * t**3, a * sp.exp(-t), a * sp.sin(t) * sp.cos(b * t),
                 a / (1 + t))
        turn = Rigid(rotation=axis_angle([0, 0, 1], t + d)) if k % 2 else Rigid()
        bodies.append(shapes[k % 2].moved(turn).moved(Rigid(translation=[x + aside[k % 8], y + c * t, z + d * t - 5 * t**2])))
    return [*bodies, floor]


# -- another library ----------------------------------------------------------------------------------------------


def overlaps(bodies: list[Any]) -> float:
    """Milliseconds in which python-fcl finds the pairs of balls that overlap at some instants; NaN where it is not installed."""
    try:
        fcl = import_module("fcl")
    except ImportError:
        return np.nan
    moves = [sp.lambdify(t, list(body.motion.translation)) for body in bodies[:-1]]
    moments = np.linspace(0, 1, INSTANTS)
    at = np.array([[[float(e) for e in move(moment)] for move in moves] for moment in moments])
    made = [fcl.CollisionObject(fcl.Sphere(1.0), fcl.Transform(place)) for place in at[0]]
    manager = fcl.DynamicAABBTreeCollisionManager()
    begin = time.perf_counter()
    manager.registerObjects(made)
    manager.setup()
    for places in at:
        for one, place in zip(made, places, strict=True):
            one.setTranslation(place)
        manager.update()
        manager.collide(fcl.CollisionData(), fcl.defaultCollisionCallback)
    return 1e3 * (time.perf_counter() - begin)
