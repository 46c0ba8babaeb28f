"""Simulations: time of the first event and of later ones for many balls and tori in a box, beside MuJoCo (where it is installed) for balls.

Everything is elastic, without friction and gravity, so the energy must stay. MuJoCo has no events: it makes steps, with contacts as springs
without damping; shown are its time for as long a time of the world, how deep balls are in each other, and its error of the energy. And
a fast ball against a thin plate, which is hit or not; and bumpy fruits that fall onto a body fitted to voxels, in processor time.
"""

import time
from typing import Any

import numpy as np

from collide import Outcome, RigidBody, Run, World
from generative import ParametricSurface, u, v
from models.scenes.fruits import pile
from tests.collide.world.scenes import BALL, RING

from .timing import table

CASES, EVENTS = (("balls", 30), ("balls", 100), ("balls", 300), ("balls and tori", 30), ("balls and tori", 100)), 150
FRUITS, HITS = (30, 300), 40
STEPS = 1e-3, 1e-4
SPACING, SEED = 3.0, 1
# Stiffness of MuJoCo's contacts, and the speed and the radius of the ball against a plate of a thickness of 0.02.
STIFF, FAST, SMALL = 1e5, 300.0, 0.05


def main() -> None:
    rows = [_row(kind, count) for kind, count in CASES]
    table(f"Elastic bodies in a box: {EVENTS} events",
          ["", "first event s", "later: ms an event", "proved", "time of the world", "relative error of the energy"], rows)
    table(f"Bumpy fruits that fall onto a body of voxels (goals for 300: 10 s, 20 ms): {HITS} events",
          ["", "first event: s of processor time", "later: median ms", "longest ms", "time of the world"],
          [_fell(count) for count in FRUITS])
    found = [_stepped(step) for step in STEPS]
    if found[0] is None:
        print("MuJoCo is not installed.")
        return
    table("MuJoCo, 100 balls in the same box, for 1 second",
          ["step", "seconds", "deepest overlap of balls", "relative error of the energy"],
          [row for row in found if row is not None])
    own = World(plate_scene(), gravity=(0, 0, 0)).run(until=0.02)
    table("A ball of radius 0.05 at speed 300 against a plate of thickness 0.02: does it come through?", ["", "speed after"],
          [["World", float(own.state(0.02).velocities[1, 0])], *([f"MuJoCo, step {step:g}", _plate(step)] for step in STEPS)])


def _row(kind: str, count: int) -> list[Any]:
    begin = time.perf_counter()
    first = boxed(kind, count).run(events=1, budget=600)
    between = time.perf_counter()
    run = first.resumed(events=EVENTS, budget=600)
    later = 1e3 * (time.perf_counter() - between) / EVENTS
    return [f"{count} {kind}", between - begin, later, f"{_proved(run)} of {len(run.events)}", run.until, _error(run)]


def _fell(count: int) -> list[Any]:
    begin = time.process_time()
    run, took = World([RigidBody(**body) for body in pile(count)], restitution=0.7).run(events=1, budget=600), []
    first = time.process_time() - begin
    while len(run.events) < HITS and run.outcome is Outcome.FINISHED:
        begin = time.process_time()
        run = run.resumed(events=1, budget=600)
        took.append(1e3 * (time.process_time() - begin))
    return [f"{count} fruits", first, float(np.median(took)), max(took), run.until]


def _proved(run: Run) -> int:
    return sum(bool(event.proved.all()) for event in run.events)


def _error(run: Run) -> float:
    return abs(run.energy(run.until) / run.energy(0.0) - 1.0)


def places(count: int) -> tuple[np.ndarray, float]:
    """Centres on a grid, and half the side of the box round it."""
    side = int(np.ceil(count ** (1 / 3)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:count]
    return SPACING * (grid + 0.5 - side / 2), SPACING * side / 2


def boxed(kind: str, count: int) -> World:
    rng, (centres, half) = np.random.default_rng(SEED), places(count)
    shapes = [BALL] if kind == "balls" else [BALL, RING]
    bodies = [RigidBody(shapes[k % len(shapes)], position=at, orientation=rng.normal(size=4), velocity=rng.normal(size=3),
                        spin=rng.normal(size=3)) for k, at in enumerate(centres)]
    return World([*bodies, *walls(half)], gravity=(0, 0, 0))


def walls(half: float) -> list[RigidBody]:
    found = []
    for axis in range(3):
        for side in (-half, half):
            at: list[Any] = [0, 0, 0]
            at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3] = side, u, v
            found.append(RigidBody(ParametricSurface(at, {u: (-half, half), v: (-half, half)}), fixed=True))
    return found


def plate_scene() -> list[RigidBody]:
    ball = ParametricSurface([SMALL * e for e in BALL.body], BALL.domain)
    sides = [ParametricSurface([x, u, v], {u: (-1, 1), v: (-1, 1)}) for x in (-0.01, 0.01)]
    return [RigidBody(sides[0], fixed=True), RigidBody(ball, position=(-1, 0, 0), velocity=(FAST, 0, 0)), RigidBody(sides[1], fixed=True)]


# -- MuJoCo -----------------------------------------------------------------------------------------------------------


def _model(bodies: str, step: float) -> Any:
    import mujoco

    return mujoco, mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" gravity="0 0 0" integrator="implicitfast"/><default><geom solref="-{STIFF} 0" condim="1"/>'
        f"</default><worldbody>{bodies}</worldbody></mujoco>")


def _stepped(step: float) -> list[Any] | None:
    """Steps of balls in a box, for a second."""
    rng, (centres, half) = np.random.default_rng(SEED), places(100)
    text = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="1" density="1"/></body>' for x, y, z in centres)
    for axis in range(3):
        for side in (-1, 1):
            at, towards = np.zeros(3), np.zeros(3)
            at[axis], towards[axis] = side * half, -side
            text += f'<geom type="plane" size="0 0 1" pos="{" ".join(map(str, at))}" zaxis="{" ".join(map(str, towards))}"/>'
    try:
        mujoco, model = _model(text, step)
    except ImportError:
        return None
    data = mujoco.MjData(model)
    for k in range(len(centres)):
        rng.normal(size=4)
        data.qvel[6 * k:6 * k + 3], data.qvel[6 * k + 3:6 * k + 6] = rng.normal(size=3), rng.normal(size=3)
    before, deepest, seconds = (data.qvel**2 @ _weights(model)), 0.0, 0.0
    for _ in range(round(1.0 / step)):
        begin = time.perf_counter()
        mujoco.mj_step(model, data)
        seconds += time.perf_counter() - begin
        deepest = max([deepest, *(-contact.dist for contact in data.contact)])
    return [step, seconds, deepest, abs(float(data.qvel**2 @ _weights(model) / before) - 1.0)]


def _weights(model: Any) -> np.ndarray:
    """Of the squares of the velocities of free balls, for the energy."""
    return np.concatenate([[m, m, m, i[0], i[1], i[2]] for m, i in zip(model.body_mass[1:], model.body_inertia[1:], strict=True)])


def _plate(step: float) -> float:
    ball = '<body pos="-1 0 0"><freejoint/><geom type="sphere" size="0.05"/></body>'
    mujoco, model = _model(f'<geom type="box" size="0.01 1 1"/>{ball}', step)
    data = mujoco.MjData(model)
    data.qvel[0] = FAST
    for _ in range(round(0.02 / step)):
        mujoco.mj_step(model, data)
    return float(data.qvel[0])
