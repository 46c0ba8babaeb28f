"""Simulations: time of the first event and of later ones for many balls and tori in a box, beside MuJoCo and PyBullet (where they are
installed) for balls. All times but those of these two are of the processor.

Everything is elastic, without friction and gravity, so the energy must stay. MuJoCo and PyBullet have no events: they make steps, MuJoCo
with contacts as springs without damping; shown are their times for as long a time of the world, how deep balls are in each other, how
many of the pairs that are proved to hit in that time they never bring together, and their error of the energy. And a fast ball against a
thin plate, which is hit or not; bumpy fruits that fall onto a body fitted to voxels; two blocks before a wall, which count the digits of
pi (Galperin 2003).
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from collide import Outcome, RigidBody, Run, World
from collide.world.dynamics.steady_contact import ContactMode
from generative import ParametricSurface, u, v
from models.scenes.fruits import pile
from tests.collide.world.certified.test_loop import blocks
from tests.collide.world.scenes import BALL, RING

from .timing import table

CASES = (("balls", 30), ("balls", 100), ("balls", 300), ("balls and tori", 30), ("balls and tori", 100), ("balls and tori", 300),
         ("balls and tori", 1000))
EVENTS = 150
# Numbers of fruits, and of events after the first, and restitution: with the least one some come to slide on what they fall on.
FRUITS = (30, 40, 0.7), (300, 40, 0.7), (300, 900, 0.7), (300, 999, 0.5)
DIGITS = 1, 2, 3
STEPS = 1e-3, 1e-4
SPACING, SEED = 3.0, 1
# Stiffness of MuJoCo's contacts, and the speed and the radius of the ball against a plate of a thickness of 0.02.
STIFF, FAST, SMALL = 1e5, 300.0, 0.05


def main() -> None:
    rows = [_row(kind, count) for kind, count in CASES]
    table(f"Elastic bodies in a box: {EVENTS} events",
          ["", "first event s", "later: median ms", "mean ms", "proved", "time of the world", "relative error of the energy"], rows)
    table("Exponents of the cost in the number of bodies (goals: 1, 0)", ["", "first event", "a later one"],
          [[kind, *(_exponent(kind, rows, column) for column in (1, 2))] for kind in dict.fromkeys(kind for kind, _ in CASES)])
    table("Bumpy fruits that fall onto a body of voxels (goals for 300: 10 s, 20 ms)",
          ["", "first event s", "events", "later: median ms", "longest ms", "time of the world", "come to slide",
           "greatest growth of the energy"],
          [_fell(*case) for case in FRUITS])
    table("Blocks of mass 1 and 100^k before a wall, certified: hits as digits of pi", ["k", "hits", "s", "outcome"],
          [_pi(k) for k in DIGITS])
    _beside()


def _pi(k: int) -> list[Any]:
    begin = time.process_time()
    run = World(blocks(100**k), gravity=(0, 0, 0)).run(until=1000.0, certified=True, budget=1200)
    return [k, len(run.events), time.process_time() - begin, f"{run.outcome.name}, certified until {run.certified_until:g}"]


def _beside() -> None:
    own, begin = boxed("balls", 100), time.process_time()
    run = own.run(until=1.0, budget=600)
    took = time.process_time() - begin
    met = _balls((int(i), int(j)) for event in run.events for i, j in event.pairs)
    rows = [["World", took, 0, f"0 of {len(met)}", _error(run)]]
    rows += [row for engine in (_mujoco, _pybullet) for step in STEPS for row in engine(step, met)]
    table("100 balls in the same box for 1 second", ["", "seconds", "deepest overlap of balls", "pairs that hit in truth and not there",
                                                      "relative error of the energy"], rows)
    plate = World(plate_scene(), gravity=(0, 0, 0)).run(until=0.02)
    rows = [["World", float(plate.state(0.02).velocities[1, 0])]]
    rows += [[f"{name}, step {step:g}", speed] for name, engine in (("MuJoCo", _plate), ("PyBullet", _bullet_plate)) for step in STEPS
             for speed in engine(step)]
    table("A ball of radius 0.05 at speed 300 against a plate of thickness 0.02: does it come through?", ["", "speed after"], rows)


def _balls(pairs: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those of balls alone."""
    return {pair for pair in pairs if max(pair) < 100}


def _row(kind: str, count: int) -> list[Any]:
    begin = time.process_time()
    run, took = boxed(kind, count).run(events=1, budget=600), []
    first = time.process_time() - begin
    for _ in range(EVENTS):
        begin = time.process_time()
        run = run.resumed(events=1, budget=600)
        took.append(1e3 * (time.process_time() - begin))
    proved = f"{_proved(run)} of {len(run.events)}"
    return [f"{count} {kind}", first, float(np.median(took)), float(np.mean(took)), proved, run.until, _error(run)]


def _exponent(kind: str, rows: Sequence[list[Any]], column: int) -> float:
    """The slope of the logarithms."""
    known = [(count, row[column]) for (own, count), row in zip(CASES, rows, strict=True) if own == kind]
    counts, costs = np.log(np.array(known, float)).T
    return float(np.polyfit(counts, costs, 1)[0])


def _fell(count: int, hits: int, restitution: float) -> list[Any]:
    begin = time.process_time()
    run, took = World([RigidBody(**body) for body in pile(count)], restitution=restitution).run(events=1, budget=600), []
    first = time.process_time() - begin
    while len(run.events) == len(took) + 1 <= hits and run.outcome is Outcome.FINISHED:
        begin = time.process_time()
        run = run.resumed(events=1, budget=600)
        took.append(1e3 * (time.process_time() - begin))
    energies = [run.energy(event.time[1]) for event in run.events]
    slide = sum(rest.mode is ContactMode.SLIDING for rest in run.rests)
    return [f"{count} fruits, restitution {restitution}", first, len(run.events), float(np.median(took)), max(took), run.until, slide,
            float(np.diff(energies).max() / energies[0])]


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


def _states(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Velocities and spins of the balls of `boxed`."""
    rng = np.random.default_rng(SEED)
    found = np.array([(rng.normal(size=4), rng.normal(size=3), rng.normal(size=3))[1:] for _ in range(count)])
    return found[:, 0], found[:, 1]


def _mujoco(step: float, met: set[tuple[int, int]]) -> Iterator[list[Any]]:
    """Steps of balls in a box, for a second."""
    centres, half = places(100)
    text = "".join(f'<body pos="{x} {y} {z}"><freejoint/><geom type="sphere" size="1" density="1"/></body>' for x, y, z in centres)
    for axis in range(3):
        for side in (-1, 1):
            at, towards = np.zeros(3), np.zeros(3)
            at[axis], towards[axis] = side * half, -side
            text += f'<geom type="plane" size="0 0 1" pos="{" ".join(map(str, at))}" zaxis="{" ".join(map(str, towards))}"/>'
    try:
        mujoco, model = _model(text, step)
    except ImportError:
        return
    data, seen, deepest, seconds = mujoco.MjData(model), set[tuple[int, int]](), 0.0, 0.0
    data.qvel[:] = np.concatenate(_states(len(centres)), axis=1).ravel()
    before = data.qvel**2 @ _weights(model)
    # The walls are geometries 0 to 5 of the world, which come first; then there is one a ball.
    for _ in range(round(1.0 / step)):
        begin = time.process_time()
        mujoco.mj_step(model, data)
        seconds += time.process_time() - begin
        for contact in data.contact:
            deepest = max(deepest, -contact.dist)
            i, j = sorted((g - 6 if g > 5 else g + len(centres)) for g in (contact.geom1, contact.geom2))
            seen.add((int(i), int(j)))
    yield [f"MuJoCo, step {step:g}", seconds, deepest, f"{len(met - seen)} of {len(met)}",
           abs(float(data.qvel**2 @ _weights(model) / before) - 1.0)]


def _weights(model: Any) -> np.ndarray:
    """Of the squares of the velocities of free balls, for the energy."""
    return np.concatenate([[m, m, m, i[0], i[1], i[2]] for m, i in zip(model.body_mass[1:], model.body_inertia[1:], strict=True)])


def _plate(step: float) -> Iterator[float]:
    ball = '<body pos="-1 0 0"><freejoint/><geom type="sphere" size="0.05"/></body>'
    try:
        mujoco, model = _model(f'<geom type="box" size="0.01 1 1"/>{ball}', step)
    except ImportError:
        return
    data = mujoco.MjData(model)
    data.qvel[0] = FAST
    for _ in range(round(0.02 / step)):
        mujoco.mj_step(model, data)
    yield float(data.qvel[0])


# -- PyBullet ---------------------------------------------------------------------------------------------------------


def _bullet(step: float) -> Any:
    try:
        import pybullet
    except ImportError:
        return None
    pybullet.connect(pybullet.DIRECT)
    pybullet.resetSimulation()
    pybullet.setTimeStep(step)
    pybullet.setPhysicsEngineParameter(restitutionVelocityThreshold=0.0)
    return pybullet


def _made(engine: Any, shape: int, mass: float, at: Any, velocity: Any = (0, 0, 0), spin: Any = (0, 0, 0)) -> int:
    made = int(engine.createMultiBody(mass, shape, basePosition=list(map(float, at))))
    engine.changeDynamics(made, -1, restitution=1.0, lateralFriction=0.0, linearDamping=0.0, angularDamping=0.0)
    engine.resetBaseVelocity(made, list(map(float, velocity)), list(map(float, spin)))
    return made


def _pybullet(step: float, met: set[tuple[int, int]]) -> Iterator[list[Any]]:
    engine = _bullet(step)
    if engine is None:
        return
    (centres, half), (velocities, spins) = places(100), _states(100)
    ball = engine.createCollisionShape(engine.GEOM_SPHERE, radius=1.0)
    balls = [_made(engine, ball, 1.0, *state) for state in zip(centres, velocities, spins, strict=True)]
    for axis in range(3):
        for side in (-1, 1):
            towards = -side * np.eye(3)[axis]
            plane = engine.createCollisionShape(engine.GEOM_PLANE, planeNormal=towards.tolist())
            _made(engine, plane, 0.0, -half * towards)
    before, seen, deepest, seconds = _moving(engine, balls), set[tuple[int, int]](), 0.0, 0.0
    for _ in range(round(1.0 / step)):
        begin = time.process_time()
        engine.stepSimulation()
        seconds += time.process_time() - begin
        for contact in engine.getContactPoints():
            deepest = max(deepest, -contact[8])
            # Those that are near, but apart, and get no impulse, are told as well.
            if contact[9] > 0.0 or contact[8] <= 0.0:
                i, j = sorted((int(contact[1]), int(contact[2])))
                seen.add((i, j))
    after = _moving(engine, balls)
    engine.disconnect()
    yield [f"PyBullet, step {step:g}", seconds, deepest, f"{len(met - seen)} of {len(met)}", abs(after / before - 1.0)]


def _moving(engine: Any, balls: Sequence[int]) -> float:
    """Twice the energy of balls of mass 1 and radius 1."""
    states = [engine.getBaseVelocity(b) for b in balls]
    return sum(float(np.dot(v, v) + 0.4 * np.dot(w, w)) for v, w in states)


def _bullet_plate(step: float) -> Iterator[float]:
    engine = _bullet(step)
    if engine is None:
        return
    _made(engine, engine.createCollisionShape(engine.GEOM_BOX, halfExtents=[0.01, 1, 1]), 0.0, (0, 0, 0))
    ball = _made(engine, engine.createCollisionShape(engine.GEOM_SPHERE, radius=SMALL), 1.0, (-1, 0, 0), (FAST, 0, 0))
    for _ in range(round(0.02 / step)):
        engine.stepSimulation()
    speed = engine.getBaseVelocity(ball)[0][0]
    engine.disconnect()
    yield float(speed)
