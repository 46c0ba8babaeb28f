"""Random worlds whose bodies stay in contact, on a floor: blocks that stand, slide, rock and fall against each other, balls that roll,
ellipsoids that rock; looked at by other means. And rows of dominoes.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from collide import Mesh, RigidBody, Run, World
from generative import ParametricSurface, u, v

from .worlds import TOLERANCE, surface, turned

_ANGLES = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}
_CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
_QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
_TRIANGLES = np.array([t for a, b, c, d in _QUADS for t in ([a, b, c], [a, c, d])])
FLOOR = ParametricSurface([u, v, 0], {u: (-50, 50), v: (-50, 50)})
GRAVITY = (0, 0, -10)


def ellipsoid(*semiaxes: Any) -> ParametricSurface:
    a, b, c = semiaxes
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)], _ANGLES)


BALL, EGG = ellipsoid(*[sp.Rational(1, 2)] * 3), ellipsoid(sp.Rational(3, 4), sp.Rational(1, 2), sp.Rational(2, 5))
SEMIAXES = {BALL: np.array([0.5, 0.5, 0.5]), EGG: np.array([0.75, 0.5, 0.4])}


def block(*sizes: float) -> Mesh:
    return Mesh(_CORNERS * sizes, _TRIANGLES)


def world(seed: int, most: int = 7) -> World:
    """A floor, and bodies apart from each other that stand on it, or fall, most of them with some velocity."""
    rng = np.random.default_rng(seed)
    places = rng.permutation([(2.2 * i, 2.2 * j) for i in range(3) for j in range(3)])
    bodies = [RigidBody(FLOOR, fixed=True)]
    for at in places[:int(rng.integers(1, most + 1))]:
        kind, falls = rng.integers(3), rng.integers(3) == 0
        shape = (BALL, EGG, block(*np.round(rng.uniform(0.3, 1.2, 3), 2)))[kind]
        q = rng.normal(size=4) if kind == 1 or falls else np.array([1.0, 0, 0, 0])
        q = q / np.linalg.norm(q)
        height = reach(shape, turned(q).T @ [0, 0, -1]) + (float(rng.uniform(0.1, 1.0)) if falls else 0.0)
        speed = np.array([*rng.normal(size=2), 0.0]) * rng.integers(2)
        spin = 2.0 * rng.normal(size=3) * (falls or kind == 0)
        bodies.append(RigidBody(shape, position=(*at, height), orientation=q, velocity=speed, spin=spin, density=rng.uniform(0.5, 2.0)))
    return World(bodies, gravity=GRAVITY, restitution=float(rng.choice([0.0, 0.2, 0.5])), friction=float(rng.choice([0.0, 0.2, 0.6])))


def dominoes(seed: int, most: int = 5) -> World:
    """Blocks in a row, of which the first turns, slides or is hit by a ball."""
    rng = np.random.default_rng(seed)
    count, tall = int(rng.integers(2, most + 1)), round(rng.uniform(1, 3), 2)
    thick, gap = round(tall * rng.uniform(0.08, 0.3), 3), round(tall * rng.uniform(0.15, 0.6), 3)
    widths = tall * rng.uniform(0.3, 0.8) * (np.ones(count), rng.uniform(0.7, 1.3, count), 1 + 0.05 * np.arange(count))[rng.integers(3)]
    bodies, push, speed = [RigidBody(FLOOR, fixed=True)], rng.integers(3), round(rng.uniform(0.5, 3), 2)
    first = ({"spin": (0, speed, 0), "velocity": (speed * tall / 2, 0, speed * thick / 2)}, {"velocity": (speed, 0, 0)}, {})[push]
    for k, width in enumerate(widths):
        bodies.append(RigidBody(block(thick, round(width, 3), tall), position=(k * (gap + thick), 0, tall / 2), **(first if not k else {})))
    if push == 2:
        bodies.append(RigidBody(BALL, position=(-thick / 2 - 0.8, 0.1 * tall * rng.integers(2), tall * rng.uniform(0.6, 0.95)),
                                velocity=(1 + speed, 0, 0)))
    return World(bodies, gravity=GRAVITY, restitution=float(rng.choice([0, 0, 0.1, 0.3, 0.5])),
                 friction=float(rng.choice([0, 0.1, 0.2, 0.3, 0.5, 0.8])))


def half(shape: Any) -> np.ndarray:
    """Half of the sides of a block."""
    return np.asarray(shape.arrays[0].max(axis=0))


def reach(shape: Any, way: np.ndarray) -> float:
    """How far a shape goes along a direction in its own coordinates."""
    return float(np.abs(half(shape) * way).sum() if isinstance(shape, Mesh) else np.linalg.norm(SEMIAXES[shape] * way))


def overlap(one: Any, other: Any, p: np.ndarray, r: np.ndarray, q: np.ndarray, s: np.ndarray, grids: dict[Any, np.ndarray]) -> float:
    """How deep two shapes at p and q, turned by r and s, are in each other: exact for balls and blocks, else by points, and no more."""
    if isinstance(one, Mesh) and isinstance(other, Mesh):
        axes = [*r.T, *s.T, *(c / n for a in r.T for b in s.T if (n := np.linalg.norm(c := np.cross(a, b))) > 1e-6)]
        return min(reach(one, r.T @ a) + reach(other, s.T @ a) - abs(float(a @ (q - p))) for a in axes)
    if one is BALL and other is BALL:
        return 1.0 - float(np.linalg.norm(q - p))
    if isinstance(one, Mesh):
        return overlap(other, one, q, s, p, r, grids)
    if isinstance(other, Mesh):
        centre = (p - q) @ s
        if one is BALL:
            return 0.5 - float(np.linalg.norm(centre - np.clip(centre, -half(other), half(other))))
        at = (grids[one] @ r.T + p - q) @ s
        return float((half(other) - np.abs(at)).min(axis=1).max())
    at = (grids[one] @ r.T + p - q) @ s
    return float((SEMIAXES[other].min() * (1.0 - np.linalg.norm(at / SEMIAXES[other], axis=1))).max())


def wrong(run: Run, times: int = 400) -> Iterator[str]:
    """What is wrong with a run of such a world."""
    rng, bodies = np.random.default_rng(0), run.world.bodies
    shapes = [b.shape for b in bodies]
    grids = {shape: surface(shape, 40) for shape in (BALL, EGG)}
    when = np.concatenate([np.linspace(0.0, run.until, times), rng.uniform(0.0, run.until, times),
                           [min(e.time[0], run.until) for e in run.events]])
    deepest: dict[tuple[int, int], tuple[float, float]] = {}
    energies = []
    for moment in np.sort(when).tolist():
        state = run.state(moment)
        turns = [turned(q / np.linalg.norm(q)) for q in state.quaternions]
        for i in range(1, len(shapes)):
            deep = reach(shapes[i], turns[i].T @ [0, 0, -1]) - state.positions[i, 2]
            deepest[(0, i)] = max(deepest.get((0, i), (0.0, 0.0)), (deep, moment))
            for j in range(i + 1, len(shapes)):
                far = float(np.linalg.norm(state.positions[i] - state.positions[j]))
                if far < sum(float(np.linalg.norm(half(s) if isinstance(s, Mesh) else SEMIAXES[s])) for s in (shapes[i], shapes[j])):
                    deep = overlap(shapes[i], shapes[j], state.positions[i], turns[i], state.positions[j], turns[j], grids)
                    deepest[(i, j)] = max(deepest.get((i, j), (0.0, 0.0)), (deep, moment))
        energies.append(run.energy(moment))
    for (i, j), (deep, moment) in deepest.items():
        if deep > TOLERANCE:
            yield f"bodies {i} and {j} are {deep:.3g} deep in each other at t = {moment!r}"
    grown = float(np.diff(energies).max())
    if grown > 1e-9 * max(1.0, *np.abs(energies)):
        yield f"the energy grows by {grown:.3g} at t = {np.sort(when)[1 + int(np.diff(energies).argmax())]!r}"
