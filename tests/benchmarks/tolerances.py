"""Boxes of parameters beside one point of them, sensitivities, and critical values; beside the worst case what random samples of it find.

A ball falls beside the axis of a torus; its radius, its height and its speed have tolerances. Milliseconds are of the processor.
"""

from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import Parameter, ParametricSurface, Rigid, t, u, v

from .distance import timed, torus
from .timing import table

R = sp.Rational
RADIUS, HEIGHT, SPEED = Parameter("r"), Parameter("h"), Parameter("s")
POINT = {RADIUS: R(1, 2), HEIGHT: R(61, 20), SPEED: R(19, 20)}
BOX = {RADIUS: (R(2, 5), R(1, 2)), HEIGHT: (3, R(31, 10)), SPEED: (R(9, 10), 1)}
TIMES, SLOPE, ROUNDS, SAMPLES = 20.0, 20.0, 9, 1000


def bodies() -> list[Any]:
    ball = ParametricSurface([RADIUS * sp.cos(u) * sp.cos(v), RADIUS * sp.sin(u) * sp.cos(v), RADIUS * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    return [torus(), ball.moved(Rigid(translation=[R(1, 5), R(1, 7), HEIGHT - SPEED * t]))]


def best(ask: Any) -> float:
    return min(timed(ask)[0] for _ in range(ROUNDS))


def main() -> None:
    made = bodies()
    asks = {"distance": lambda given: collide.distance(*made[::-1], at=1.0, parameters=given),
            "clearance": lambda given: collide.clearance(made, (0, 1), parameters=given),
            "clearance, at_least=1": lambda given: collide.clearance(made, (0, 1), 1.0, parameters=given),
            "first_contact": lambda given: collide.first_contact(made, (0, 4), parameters=given)}
    rows = []
    for name, ask in asks.items():
        for given in (POINT, BOX):
            ask(given)
        one, box = (best(lambda given=given, ask=ask: ask(given)) for given in (POINT, BOX))
        rows.append([name, 1e3 * one, 1e3 * box, box / one, TIMES, box / one / TIMES])
    table("A box of three parameters beside one point of it", ["", "point, ms", "box, ms", "box / point", "goal", "/ goal"], rows)
    contact = collide.first_contact(made, (0, 4), parameters=POINT)
    contact.sensitivity([RADIUS, HEIGHT, SPEED])
    took = 1e6 * best(lambda: [contact.sensitivity([RADIUS, HEIGHT, SPEED]) for _ in range(20)]) / 20 / max(len(contact), 1)
    many = manifold()
    table("Sensitivities by three parameters", ["", "us a contact", "goal", "/ goal"],
          [[f"{len(contact)} contact", took, SLOPE, took / SLOPE], [f"{len(many[0])} contacts", many[1], SLOPE, many[1] / SLOPE]])
    table("Critical values", ["", "ms", "bracket"], [critical()])
    table(f"The least clearance for any values, and that of {SAMPLES} random ones", ["", "ms", "clearance"], sampled(made))


def manifold() -> tuple[Any, float]:
    """Forty-nine balls that touch a plate at once."""
    plate = ParametricSurface([u, v, 0], {u: (-9, 9), v: (-9, 9)})
    ball = bodies()[1].resting
    at = [ball.moved(Rigid(translation=[2 * i, 2 * j, HEIGHT - SPEED * t])) for i in range(-3, 4) for j in range(-3, 4)]
    contact = collide.first_contact([plate, *at], (0, 4), parameters=POINT, ignore=[range(1, 50)], simultaneity=1e-6)
    contact.sensitivity([RADIUS, HEIGHT, SPEED])
    return contact, 1e6 * best(lambda: contact.sensitivity([RADIUS, HEIGHT, SPEED])) / max(len(contact), 1)


def critical() -> list[Any]:
    """The largest radius of a ball that falls through the torus off its axis."""
    ball = bodies()[1].resting.moved(Rigid(translation=[R(1, 20), 0, 2 - 4 * t]))

    def ask() -> Any:
        return collide.critical_value([torus(), ball], (0, 1), {RADIUS: (R(1, 2), R(9, 10))})

    found = ask()
    return ["largest ball through a torus", 1e3 * best(ask), f"[{found.bracket.lo!r}, {found.bracket.hi!r}]"]


def sampled(made: list[Any]) -> list[list[Any]]:
    rng = np.random.default_rng(1)
    drawn = {s: rng.uniform(float(lo), float(hi), SAMPLES) for s, (lo, hi) in BOX.items()}
    took, rows = timed(lambda: collide.clearance_batch(made, (0, 1), parameters=drawn, tolerance=1e-4))
    proved = collide.clearance(made, (0, 1), parameters=BOX)
    return [["proved, for all of them", 1e3 * best(lambda: collide.clearance(made, (0, 1), parameters=BOX)), proved.bracket.lo],
            ["the least of samples", 1e3 * took, float(rows.bracket[:, 1].min())]]
