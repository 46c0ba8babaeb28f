"""Random worlds of a few balls, tori and ellipsoids, whose runs are looked at by other means: do bodies pass into each other, does energy
grow, is momentum kept?
"""

import itertools
from collections.abc import Iterator

import numpy as np
import sympy as sp

from collide import RigidBody, Run, World
from generative import ParametricSurface, u, v

from .convex import Convex, depth
from .poses import poses

_TUBE = sp.Rational(3, 10)
_ANGLES = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}
BALL = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], _ANGLES)
EGG = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v) * sp.Rational(3, 4), sp.sin(v) / 2], _ANGLES)
RING = ParametricSurface([(1 + _TUBE * sp.cos(v)) * sp.cos(u), (1 + _TUBE * sp.cos(v)) * sp.sin(u), _TUBE * sp.sin(v)],
                         {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
SOLIDS = {BALL: Convex(np.ones(3), True), EGG: Convex(np.array([1.0, 0.75, 0.5]), True)}
MAPS = {shape: sp.lambdify((u, v), shape.body, "numpy") for shape in (BALL, EGG, RING)}
# How deep points of one body may be in another one.
TOLERANCE = 1e-9


def world(seed: int, most: int = 8) -> World:
    """2 to `most` bodies that fly towards the middle, in half of the worlds with friction, in some with little restitution."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, most + 1))
    corners = np.array([[x, y, z] for x in (-2.2, 2.2) for y in (-2.2, 2.2) for z in (-2.2, 2.2)])
    bodies = [RigidBody((BALL, RING, EGG)[rng.integers(3)], position=at, orientation=rng.normal(size=4), spin=rng.normal(size=3),
                        velocity=0.3 * rng.normal(size=3) - 0.5 * at, density=rng.uniform(0.5, 2.0))
              for at in rng.permutation(corners)[:count]]
    return World(bodies, gravity=(0, 0, 0), restitution=float(rng.choice([1.0, 0.7])), friction=float(rng.choice([0.0, 0.4])),
                 response=("newton", "poisson")[seed % 2])


def turned(quaternion: np.ndarray) -> np.ndarray:
    w, a, b, c = quaternion
    return np.array([[1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
                     [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)],
                     [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)]])


def wrong(run: Run, times: int = 10_000) -> Iterator[str]:
    """What is wrong with a run of such a world, at so many times and at its events."""
    when = np.concatenate([np.linspace(0.0, run.until, times), [min(e.time[0], run.until) for e in run.events]])
    now = poses(run, np.unique(when))
    shapes = [body.shape for body in run.world.bodies]
    for i, j in itertools.combinations(range(len(shapes)), 2):
        near = np.linalg.norm(now.centres[:, i] - now.centres[:, j], axis=1) < sum(_reach(shapes[k]) for k in (i, j))
        if near.any():
            found = deep(shapes[i], shapes[j], *(e[near, k] for k in (i, j) for e in (now.centres, now.turns)))
            if not found.max() <= TOLERANCE:
                yield f"bodies {i} and {j} are {found.max():.3g} deep in each other at t = {float(now.times[near][found.argmax()])!r}"
    energies, momenta = now.energies(), np.column_stack(now.momenta())
    grown = float((energies - np.minimum.accumulate(energies)).max())
    # Motion in contact is a polynomial that fits to some 1e-12.
    if grown > 1e-11 * energies[0]:
        yield f"the energy grows by {grown:.3g}"
    drift = float(np.abs(momenta - momenta[0]).max())
    if drift > 1e-11:
        yield f"the momentum changes by {drift:.3g}"


def _reach(shape: ParametricSurface) -> float:
    return 1.3 if shape is RING else 1.0


def deep(one: ParametricSurface, other: ParametricSurface, p: np.ndarray, r: np.ndarray, q: np.ndarray, s: np.ndarray) -> np.ndarray:
    """(m,): so deep are bodies at p and q (m, 3), turned by r and s (m, 3, 3), in each other; 0 or less where they are apart."""
    if other is RING:
        return in_ring(one, np.swapaxes(s, 1, 2) @ r, ((p - q)[:, None] @ s)[:, 0])
    return deep(other, one, q, s, p, r) if one is RING else depth(SOLIDS[one], SOLIDS[other], p, r, q, s)


def _inside(points: np.ndarray) -> np.ndarray:
    """How deep points (..., 3) are in the tube."""
    return np.asarray(float(_TUBE) - np.hypot(np.hypot(points[..., 0], points[..., 1]) - 1.0, points[..., 2]))


def in_ring(shape: ParametricSurface, turns: np.ndarray, middles: np.ndarray) -> np.ndarray:
    """(m,): how deep the deepest point of a surface is in the tube round the unit circle, where this one lies still: in closed form for
    balls, else of a grid, and of finer and finer ones round the best point. At most so deep where it is certainly apart.
    """
    found = _inside(middles) + _reach(shape)
    if shape is BALL:
        return found
    near = np.flatnonzero(found > 0.0)
    for part in range(0, len(near), 32):
        own = near[part:part + 32]
        at = np.zeros((len(turns[own]), 2))
        for width, steps in ((np.pi, 16), *((0.4 / 4**k, 5) for k in range(9))):
            ticks = np.linspace(-width, width, 2 * steps + 1)
            tried = at[:, None] + np.stack(np.meshgrid(ticks, ticks), axis=-1).reshape(1, -1, 2)
            points = np.stack(np.broadcast_arrays(*MAPS[shape](*np.moveaxis(tried, 2, 0))), axis=2) @ np.swapaxes(turns[own], 1, 2)
            points += middles[own, None]
            inside = _inside(points)
            best = inside.argmax(axis=1)
            at = np.take_along_axis(tried, best[:, None, None], axis=1)[:, 0]
        found[own] = inside.max(axis=1)
    return found
