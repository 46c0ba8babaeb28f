"""Twelve runs of worlds whose bits are kept: one for each kind of motion in contact.

Runs use NumPy's linear algebra and sines, whose last bits depend on the processor. `arithmetic` is a digest of such results; runs are
compared only where it is the one they were kept with.
"""

import functools
import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

from collide import RigidBody, Run, World
from generative import ParametricSurface, Rigid, t, u, v
from models.scenes.fruits import fruits
from models.scenes.worlds import WORLDS
from models.shapes.quadrics import sphere
from models.shapes.rings import torus
from models.shapes.solids import box, cylinder

FLOOR = ParametricSurface([u, v, 0], {u: (-50, 50), v: (-50, 50)})
GRAVITY = (0, 0, -10)


def digest(array: Any) -> str:
    """Shape and bits of an array of numbers; zeros of either sign are one number."""
    values = np.asarray(array, float) + 0.0
    return f"{values.shape} {hashlib.sha256(values.tobytes()).hexdigest()[:16]}"


@functools.cache
def arithmetic() -> str:
    """Digest of products, decompositions and functions of NumPy on this processor."""
    rng, found = np.random.default_rng(0), []
    for n in (3, 6, 12, 18, 37):
        a, b = rng.normal(size=(n, n)), rng.normal(size=(2 * n, n))
        found += [a @ b.T, b.T @ b, *np.linalg.eigh(a + a.T), np.linalg.lstsq(b, b[:, 0] ** 2, rcond=None)[0], np.linalg.solve(a, b.T)]
        found += [np.sin(b), np.cos(b), np.exp(b), np.hypot(a, 1.0), np.linalg.norm(b, axis=1), np.einsum("ij,ij->i", b, b)]
    return digest(np.concatenate([np.ravel(e) for e in found]))


def run(given: Run) -> dict[str, str]:
    """Times of events with their impulses, modes with their beginnings, and the last state."""
    state = given.state(given.until)
    return {"arithmetic": arithmetic(), "outcome": given.outcome.name, "until": given.until.hex(),
            "times": "; ".join(f"{e.time[0].hex()} {e.time[1].hex()}" for e in given.events),
            "pairs": "; ".join(" ".join(f"{i}-{j}" for i, j in e.pairs.tolist()) for e in given.events),
            "contacts": digest(np.concatenate([np.hstack([e.points, e.normals]) for e in given.events] or [np.empty((0, 6))])),
            "impulses": digest(np.concatenate([e.impulses for e in given.events] or [np.empty((0, 3))])),
            "modes": "; ".join(f"{r.body} {r.mode.name} {r.time.hex()}" for r in given.rests),
            "state": digest(np.hstack([state.positions, state.quaternions, state.velocities, state.spins]))}  # fmt: skip


def scene(name: str, **limits: Any) -> Run:
    """A world of `models`, perhaps for less time."""
    given = WORLDS[name]
    return World([RigidBody(**body) for body in given.bodies], **given.options).run(**(limits or given.run), budget=600)


def on_floor(*bodies: RigidBody, until: float, floor: ParametricSurface = FLOOR, **options: Any) -> Run:
    return World([RigidBody(floor, fixed=True), *bodies], gravity=GRAVITY, restitution=0.0, **options).run(until=until, budget=600)


def two_balls() -> Run:
    """They hit off centre, with friction."""
    balls = [RigidBody(sphere(), velocity=(1, 0, 0), spin=(0, 0.5, 1)), RigidBody(sphere(), position=(4, 0.7, 0.3), velocity=(-1, 0, 0))]
    return World(balls, gravity=(0, 0, 0), restitution=0.8, friction=0.3).run(until=3.0, budget=600)


def stack() -> Run:
    """Three boxes a little aside of each other fall and come to rest on each other."""
    return on_floor(*(RigidBody(box(), position=(0.05 * (k % 2), 0.03 * k, 0.5 + 1.01 * k)) for k in range(3)), until=0.3, friction=0.5)


def can_on_its_rim() -> Run:
    """It rocks over from one point of its rim to the other."""
    tilt, radius = 0.15, 0.4
    can = RigidBody(cylinder(radius=sp.Rational(2, 5)), position=(0, 0, radius * math.sin(tilt)), centre=(0, 0, 1), mass=1,
                    orientation=(math.cos(tilt / 2), 0, math.sin(tilt / 2), 0), inertia=np.diag([0.6, 0.6, 0.08]))
    return on_floor(can, until=0.6, friction=100.0)


def torus_on_a_floor() -> Run:
    """It spins and slides on a circle, slowed by friction along all of it."""
    ring = RigidBody(torus(minor=sp.Rational(1, 4)), position=(0, 0, 0.25), centre=(0, 0, 0), spin=(0, 0, 4), velocity=(0.5, 0, 0), mass=1,
                     inertia=np.diag([0.6, 0.6, 0.8]))
    return on_floor(ring, until=0.2, friction=0.4)


def ball_over_an_edge() -> Run:
    """It rolls to the end of a table, turns over the edge, and leaves it."""
    table = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
    ball = RigidBody(sphere(radius=sp.Rational(1, 2)), position=(1.5, 0, 0.5), velocity=(0.8, 0, 0), spin=(0, 1.6, 0))
    return on_floor(ball, until=1.4, friction=0.9, floor=table)


def driven_push() -> Run:
    """A driven block meets one that rests, and pushes it."""
    pusher = RigidBody(box(), motion=Rigid(translation=[-2 + t / 2, 0, sp.Rational(1, 2)]))
    return on_floor(pusher, RigidBody(box(sizes=[sp.Rational(4, 5)] * 3), position=(0, 0.1, 0.4)), until=2.6, friction=0.3)


def springs() -> Run:
    """A spring draws a block over the floor, and another one a ball down onto it."""
    def pull(state: Any) -> np.ndarray:
        forces = np.zeros((3, 3))
        forces[1, 0], forces[2] = -20.0 * state.positions[1, 0], -3.0 * (state.positions[2] - [5, 0, 0]) - 0.2 * state.velocities[2]
        return forces

    bodies = RigidBody(box(), position=(1, 0, 0.5), mass=1), RigidBody(sphere(), position=(5.2, 0, 1.3), mass=1, velocity=(0, 0.4, 0))
    return on_floor(*bodies, until=1.2, friction=0.3, forces=pull)


def pile() -> Run:
    """A bumpy ball, a banana and an egg fall onto each other and a floor, down to the third event."""
    rng = np.random.default_rng(16)
    found = [RigidBody(shape, position=(0.1 * k, 0, 0.9 + 1.1 * k), orientation=rng.normal(size=4), spin=rng.normal(size=3))
             for k, shape in enumerate(fruits())]
    return World([RigidBody(FLOOR, fixed=True), *found], restitution=0.7, friction=0.3).run(events=3, budget=600)


RUNS: dict[str, Callable[[], Run]] = {
    "run, two balls": two_balls, "run, newtons-cradle": lambda: scene("newtons-cradle"), "run, stack": stack,
    "run, dominoes": lambda: scene("dominoes", until=0.6), "run, tippe-top": lambda: scene("tippe-top", until=0.2),
    "run, rattleback": lambda: scene("rattleback", until=0.3), "run, can on its rim": can_on_its_rim,
    "run, torus on a floor": torus_on_a_floor, "run, ball over an edge": ball_over_an_edge, "run, driven push": driven_push,
    "run, springs": springs, "run, fruits": pile,
}  # fmt: skip
