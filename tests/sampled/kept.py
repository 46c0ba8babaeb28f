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

from .convex import Convex, depth
from .poses import Poses, poses
from .worlds import TOLERANCE, turned

_ANGLES = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}
_CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
_QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
_TRIANGLES = np.array([t for a, b, c, d in _QUADS for t in ([a, b, c], [a, c, d])])
FLOOR = ParametricSurface([u, v, 0], {u: (-50, 50), v: (-50, 50)})
GRAVITY = (0, 0, -10)
GROWN = 1e-9


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


def convex(shape: Any) -> Convex:
    return Convex(half(shape), False) if isinstance(shape, Mesh) else Convex(SEMIAXES[shape], True)


def wrong(run: Run, times: int = 10_000) -> Iterator[str]:
    """What is wrong with a run of such a world, at so many times, half of them at random, and at its events: bodies in each other, energy
    that grows, or momentum that is not what a floor with friction makes of it.
    """
    when = np.concatenate([np.linspace(0.0, run.until, times // 2), np.random.default_rng(0).uniform(0.0, run.until, times // 2),
                           [min(max(e.time[0], 0.0), run.until) for e in run.events]])
    now = poses(run, np.unique(when))
    yield from deep(now)
    yield from lively(now)
    yield from pushed(now)


def deep(now: Poses) -> Iterator[str]:
    """The first body is a floor."""
    shapes = [convex(b.shape) for b in now.run.world.bodies[1:]]
    for i, one in enumerate(shapes, 1):
        below = one.reach(-now.turns[:, i, 2]) - now.centres[:, i, 2]
        yield from _too_deep(now.times, below, f"body {i} is {{}} deep in the floor")
        for j, other in enumerate(shapes[i:], i + 1):
            near = np.linalg.norm(now.centres[:, i] - now.centres[:, j], axis=1) < one.radius + other.radius
            if near.any():
                both = depth(one, other, *(e[near, k] for k in (i, j) for e in (now.centres, now.turns)))
                yield from _too_deep(now.times[near], both, f"bodies {i} and {j} are {{}} deep in each other")


def _too_deep(times: np.ndarray, found: np.ndarray, words: str) -> Iterator[str]:
    if not found.max() <= TOLERANCE:
        yield f"{words.format(f'{found.max():.3g}')} at t = {float(times[found.argmax()])!r}"


def lively(now: Poses) -> Iterator[str]:
    """Against the least energy before, since it must not grow little by little, either."""
    energies = now.energies()
    grown = energies - np.minimum.accumulate(energies)
    if grown.max() > GROWN * scale(now):
        yield f"the energy grows by {grown.max():.3g} of {scale(now):.3g} up to t = {float(now.times[grown.argmax()])!r}"


def scale(now: Poses) -> float:
    """The greatest energy above that of bodies that lie on the floor."""
    energies = now.energies()
    return float(np.ptp(energies) + sum(now.run.world.bodies[k].mass for k in now.free) * 10.0 * 0.1)


def pushed(now: Poses) -> Iterator[str]:
    """The floor pushes, up, and friction takes no more than its part of that; without friction nothing changes horizontally, and neither
    does the angular momentum about the vertical.
    """
    world, (linear, angular) = now.run.world, now.momenta()
    mass = sum(world.bodies[k].mass for k in now.free)
    up = linear[:, 2] - mass * GRAVITY[2] * now.times
    most = GROWN * mass * (1.0 + float(np.abs(now.velocities).max()))
    pull, aside = np.diff(up), np.linalg.norm(np.diff(linear[:, :2], axis=0), axis=1) - world.friction * np.diff(up)
    for found, words in ((-pull, "the floor pulls by"), (aside, "friction takes too much, by")):
        if found.max() > most:
            yield f"{words} {found.max():.3g} up to t = {float(now.times[1 + found.argmax()])!r}"
    if not world.friction:
        drift = np.abs(np.column_stack([linear[:, :2], angular[:, 2]]) - [*linear[0, :2], angular[0, 2]]).max(axis=1)
        if drift.max() > 10.0 * most:
            yield f"the horizontal momentum changes by {drift.max():.3g} up to t = {float(now.times[drift.argmax()])!r}"
