"""Random worlds of a few balls, tori and ellipsoids, whose runs are looked at by other means: do bodies pass into each other, does energy
grow, is momentum kept?
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from collide import RigidBody, Run, World
from generative import ParametricSurface, u, v

_TUBE = sp.Rational(3, 10)
_ANGLES = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}
BALL = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], _ANGLES)
EGG = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v) * sp.Rational(3, 4), sp.sin(v) / 2], _ANGLES)
RING = ParametricSurface([(1 + _TUBE * sp.cos(v)) * sp.cos(u), (1 + _TUBE * sp.cos(v)) * sp.sin(u), _TUBE * sp.sin(v)],
                         {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
FLOOR = ParametricSurface([u, v, 0], {u: (-50, 50), v: (-50, 50)})
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


def depth(shape: Any, points: np.ndarray) -> np.ndarray:
    """How deep points (n, 3) are in a shape: exact for balls and rings, no more than that for eggs."""
    if shape is RING:
        return np.asarray(0.3 - np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1.0, points[:, 2]))
    if shape is EGG:
        return np.asarray(0.5 * (1.0 - np.linalg.norm(points * [1.0, 4.0 / 3.0, 2.0], axis=1)))
    return np.asarray(1.0 - np.linalg.norm(points, axis=1))


def surface(shape: ParametricSurface, count: int) -> np.ndarray:
    """Points of a shape, on a grid."""
    function = sp.lambdify((u, v), shape.body, "numpy")
    ends = [np.linspace(*(float(e) for e in shape.domain[s]), count) for s in (u, v)]
    return np.stack([np.ravel(np.broadcast_to(e, (count, count))) for e in function(*np.meshgrid(*ends, indexing="ij"))], axis=1)


def turned(quaternion: np.ndarray) -> np.ndarray:
    w, a, b, c = quaternion
    return np.array([[1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
                     [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)],
                     [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)]])


def wrong(run: Run, times: int = 40, count: int = 60) -> Iterator[str]:
    """What is wrong with a run of such a world."""
    shapes = [body.shape for body in run.world.bodies]
    grids = {shape: surface(shape, count) for shape in dict.fromkeys(shapes)}
    when = np.concatenate([np.linspace(0.0, run.until, times), [e.time[0] for e in run.events]])
    energies, momenta = [], []
    for moment in np.sort(when).tolist():
        state = run.state(moment)
        turns = [turned(q) for q in state.quaternions]
        for i in range(len(shapes)):
            for j in range(len(shapes)):
                if i != j:
                    at = (grids[shapes[i]] @ turns[i].T + state.positions[i] - state.positions[j]) @ turns[j]
                    deepest = float(depth(shapes[j], at).max())
                    if deepest > TOLERANCE:
                        yield f"body {i} is {deepest:.3g} deep in body {j} at t = {moment!r}"
        energies.append(run.energy(moment))
        momenta.append(run.momentum(moment))
    grown = float(np.diff(energies).max())
    if grown > 1e-12 * energies[0]:
        yield f"the energy grows by {grown:.3g}"
    drift = float(np.abs(np.array(momenta) - momenta[0]).max())
    if drift > 1e-11:
        yield f"the momentum changes by {drift:.3g}"
