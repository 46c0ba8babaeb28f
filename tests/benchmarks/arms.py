"""Arms of capsules, six joints and two arms of six: milliseconds of the first call, of calls at new joint values, and of one asked again.

Joint values are polynomials of the time with new coefficients in each call. Neighbouring links are not asked about. Obstacles: none, a
capsule, a rounded box, an implicit ball.
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import collide
from generative import Rigid, primitives, solids
from tests.arms import arm, polynomials, values

from .timing import table

CALLS = 9


def main() -> None:
    rows = [["arm", *measured(1, ())], ["arm, capsule", *measured(1, [solids.capsule(0.25, 1).moved(Rigid(translation=[1, 0.5, 0]))])],
            ["arm, rounded box", *measured(1, [solids.rounded_box().moved(Rigid(translation=[0, 1.5, 0.5]))])],
            ["arm, implicit ball", *measured(1, [primitives.ball(0.5).moved(Rigid(translation=[1, -0.5, 1]))])],
            ["two arms", *measured(2, ())]]
    table("Milliseconds of a call", ["scene", "first", "new values, least", "new values, median", "again, median", "contacts"], rows)


def measured(arms: int, obstacles: Sequence[Any]) -> list[Any]:
    """Times of calls, and in how many of those at new values something is met."""
    made = [arm(seed, name=f"arm {seed}") for seed in (4, 9)[:arms]]
    ignored = [pair for one in made for pair in one.chain.ignore]
    fresh, again, met = [], [], 0
    for call in range(CALLS + 1):
        for times in (fresh, again):
            start = time.perf_counter()
            bodies = [body for k, one in enumerate(made)
                      for body in one.chain.at(values(polynomials(10 * call + k)), base=Rigid(translation=[1.25 * k, 0, 0]))]
            answer = collide.first_contact([*bodies, *obstacles], time=(0, 1), ignore=ignored, budget=120)
            times.append(1e3 * (time.perf_counter() - start))
        met += bool(call) and answer.status.name == "CONTACT"
    return [fresh[0], min(fresh[1:]), float(np.median(fresh[1:])), float(np.median(again)), f"{met} of {CALLS}"]
