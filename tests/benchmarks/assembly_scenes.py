"""Scenes of the benchmark `assemblies`: each builds bodies, those with the k-th numbers, and returns what is asked about them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import sympy as sp

import codegen
import collide
from generative import ImplicitSurface, Motion, ParametricSurface, Rigid, axis_angle, keyframes, primitives, solids, t, u, v, x, y, z
from generative.fit import motion_through
from generative.value import Value
from models.shapes.machine import capsule
from tests.arms import arm as made_arm
from tests.arms import polynomials, values

from .bodies import balls
from .recorded import poses

R = sp.Rational
Question = Callable[[], Any]


def geneva(k: int) -> Question:
    """The pin enters a slot of the wheel; a pin of another radius each time."""
    wheel = primitives.round_cylinder(1, R(1, 5))
    for quarter in range(4):
        turn = Rigid(rotation=axis_angle([0, 0, 1], quarter * sp.pi / 2 + sp.pi / 4))
        wheel = wheel - primitives.block((R(4, 5), R(11, 50), 1)).moved(Rigid(translation=[R(7, 10), 0, 0])).moved(turn)
    pin = primitives.round_cylinder(R(20 + k, 200), R(1, 5)).moved(Rigid(translation=[1, 0, 0]))
    bodies = [pin.moved(Rigid(rotation=axis_angle([0, 0, 1], t))), wheel.moved(Rigid(translation=[sp.sqrt(2), 0, 0]))]
    return lambda: collide.first_contact(bodies, time=(-2, 0), budget=120)


def bowl(count: int, k: int) -> Question:
    """Ellipsoids, tori and superquadrics fall into a bowl, from other places and turns in each step."""
    rng, shapes = np.random.default_rng(k), [ellipsoid(R(3, 20), R(1, 5), R(1, 4)), torus(R(1, 5), R(2, 25)), superquadric(R(9, 50))]
    cup = ParametricSurface([u * sp.cos(v), u * sp.sin(v), u**2 / 2], {u: (0, 2), v: (0, 2 * sp.pi)})
    grid = [(i, j, layer) for layer in range(40) for i in (-1, 0, 1) for j in (-1, 0, 1)][:count]
    places = np.array(grid) * [0.55, 0.55, 0.6] + [0, 0, 0.9] + rng.uniform(-0.02, 0.02, (count, 3))
    bodies = [*map(falling, (shapes[i % 3] for i in range(count)), places, rng.normal(size=(count, 7))), cup]
    return lambda: collide.first_contact(bodies, time=(0, R(1, 50)), budget=120)


def falling(shape: ParametricSurface, place: np.ndarray, drawn: np.ndarray) -> ParametricSurface:
    """Turned in some way, spinning about some axis."""
    turned = shape.moved(Rigid(rotation=[R(float(e)) for e in drawn[:4]], normalize=True))
    speed = float(np.linalg.norm(drawn[4:]))
    axis = [R(float(e)) for e in drawn[4:] / speed]
    px, py, pz = (R(float(e)) for e in place)
    return turned.moved(Rigid(rotation=axis_angle(axis, R(speed) * t))).moved(Rigid(translation=[px, py, pz - R(981, 200) * t**2]))


def ellipsoid(a: sp.Expr, b: sp.Expr, c: sp.Expr) -> ParametricSurface:
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def torus(a: sp.Expr, r: sp.Expr) -> ParametricSurface:
    ring = a + r * sp.cos(v)
    return ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), r * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def superquadric(a: sp.Expr) -> ParametricSurface:
    """x^4 + y^4 + z^4 = a^4 over the sphere."""
    d = sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)
    radius = a / sum(e**4 for e in d) ** R(1, 4)
    return ParametricSurface([radius * e for e in d], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def obstacles() -> list[Value]:
    """Round an arm that is about two units long."""
    ring = ImplicitSurface((x**2 + y**2 + z**2 + R(6, 25)) ** 2 - (x**2 + y**2), bounds=[(-1, 1)] * 3)
    return [ring.moved(Rigid(translation=[-R(3, 2), 0, 1])), primitives.block((1, 1, 1)).moved(Rigid(translation=[0, -2, 0])),
            primitives.ball(R(1, 2)).moved(Rigid(translation=[1, -R(1, 2), 1])),
            solids.capsule(R(1, 4), 1).moved(Rigid(translation=[1, R(1, 2), 0])),
            solids.rounded_box().moved(Rigid(translation=[0, R(3, 2), R(1, 2)])),
            ellipsoid(R(1, 2), R(1, 3), 1).moved(Rigid(translation=[-1, 1, 0]))]


def arm(k: int) -> Question:
    """Joint values are cubic polynomials of the time, other ones each time. Links that neighbour are not asked about."""
    made = made_arm(4)
    bodies = [*made.chain.at(values(polynomials(10 * k))), *obstacles()]
    return lambda: collide.first_contact(bodies, time=(0, 1), ignore=made.chain.ignore, budget=120)


def many(count: int, k: int) -> Question:
    bodies = balls(count)
    return lambda: collide.first_contact(bodies, time=(0, 1), budget=120)


def against_block(motion: Motion) -> Question:
    """A capsule in some motion."""
    block = primitives.block((1, 1, 1)).moved(Rigid(translation=[R(3, 2), 0, 1]))
    bodies = [capsule(radius=R(1, 10), length=R(3, 10)).moved(motion), block]
    return lambda: collide.first_contact(bodies, time=(0, 2), budget=120)


def recorded(k: int) -> Question:
    """Other samples each time."""
    times, turns, places = poses(201)
    motion = motion_through(times, turns, places + 0.01 * k).value
    return against_block(motion)


def through(count: int, k: int) -> Question:
    times = np.linspace(0, 2, count)
    given = [Rigid(rotation=axis_angle([0, 0, 1], R(float(a))),
                   translation=[R(float(np.sin(a))), R(float(0.3 * np.cos(2 * a))), R(float(0.5 + 0.6 * a - 0.2 * a * a))]) for a in times]
    motion = keyframes(given, [R(float(a)) for a in times])
    return against_block(motion)


def triangles(k: int) -> Question:
    """A capsule comes down beside another place of it each time."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=3, radius=0.4)
    down = Rigid(translation=[R(k, 20), 0, 2 - t])
    bodies = [capsule(radius=R(1, 10), length=1).moved(down), collide.Mesh(ball.vertices, ball.faces)]
    return lambda: collide.first_contact(bodies, time=(0, 2), budget=120)


def jacobian(k: int) -> Question:
    symbols = sp.symbols(f"a0:{80 + k}", real=True)
    formulas = [sp.sin(a) * b for a, b in zip(symbols, [*symbols[1:], symbols[0]], strict=True)]
    return lambda: codegen.compile(formulas, symbols).jacobian().interval([[0] * len(symbols)], [[1] * len(symbols)])
