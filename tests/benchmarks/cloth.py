"""A falling sheet of 10 x 10 bicubic patches against the Utah teapot's 32, for one step of a simulation: all 3200 pairs.

The scene of Chen et al. 2024, Fig. 7 and Table 2, in our sizes. One unit of length is 5 cm: the teapot is 16 cm high, the sheet a
square of 30 cm, slightly wavy, 2 mm above the knob of the lid at its nearest. It has fallen 10 cm and moves at 1.4 m/s, its border
a tenth faster and fluttering; every control point keeps its velocity during the step. The sheet is a uniform cubic B-spline surface,
split by `nurbs_to_bezier`.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import collide
from collide import BezierNets, Status
from models.scenes.tori import torus_on_torus
from models.shapes.teapot import teapot_nets

from .timing import table

# ABOVE: of the highest control point over the knob; the surface is lower.
SIDE, SPEED, ABOVE = 6.0, 28.0, 0.13
STEPS = (0.002, 0.02, 0.1)


def teapot() -> BezierNets:
    """At rest. Its decimal numbers are taken as the doubles nearest to them."""
    points = np.array(teapot_nets(), float)
    return BezierNets(np.stack([points, np.zeros_like(points)], axis=1), None, np.tile([[0.0, 1.0]] * 2, (32, 1, 1)), 0.0)


def sheet(step: float, patches: int = 10) -> BezierNets:
    """Control points and how far they move in a step of so many seconds."""
    g = (np.arange(patches + 3) - (patches + 2) / 2) * SIDE / patches
    x, y = np.meshgrid(g, g, indexing="ij")
    wave = 0.12 * np.sin(1.3 * x + 0.4) * np.cos(1.1 * y) - 0.01 * (x**2 + y**2)
    points = np.stack([x, y, wave - wave.max() + 3.15 + ABOVE], axis=-1)
    faster = 1.0 + 0.1 * np.maximum(abs(x), abs(y)) / (SIDE / 2)
    velocity = np.stack([0.5 * np.sin(y), 0.5 * np.cos(x), -SPEED * faster + np.sin(2 * x) * np.cos(3 * y)], axis=-1)
    knots = np.arange(patches + 7.0)
    return collide.nurbs_to_bezier(points, knots, knots, (3, 3), velocities=step * velocity)


def timed(call: Callable[[], Any], rounds: int = 3) -> tuple[float, Any]:
    """Milliseconds of this thread, the best of some rounds, and the answer."""
    best, answer = np.inf, None
    for _ in range(rounds):
        start = time.thread_time()
        answer = call()
        best = min(best, time.thread_time() - start)
    return 1e3 * best, answer


def row(step: float, pot: BezierNets) -> list[Any]:
    cloth = sheet(step)
    every, all_pairs = timed(lambda: collide.bezier_pairs(**cloth.pairs(pot)))
    culling, near = timed(lambda: cloth.near(pot))
    searching, answer = timed(lambda: collide.bezier_pairs(**cloth.pairs(pot, *near)))
    chen, theirs = timed(lambda: collide.bezier_pairs(cloth.pairs(pot, *near)["q"], method="time-dependent"), 1)
    assert all_pairs.hit.sum() == answer.hit.sum()
    first = f"{1e3 * step * answer.time[answer.hit, 0].min():.3f} ms" if answer.hit.any() else "none"
    spent = int((theirs.status == Status.BUDGET_SPENT).sum())
    return [f"{1e3 * step:g} ms", int(answer.hit.sum()), int(answer.proved.sum()), first, every, len(near[0]), culling, searching,
            culling + searching, chen, spent]


def published_tori() -> list[list[Any]]:
    """Chen et al. 2024, Fig. 9: their points and seconds, and those of their method here and of ours."""
    rows = []
    for spacing, count, seconds in ((1, 12, 0.49), (0.1, 124, 1.25)):
        rows.append([f"{spacing:g}", "the paper", count, 1e3 * seconds])
        for method in ("time-dependent", "auto"):
            best, c = timed(lambda method=method, spacing=spacing: collide.first_contact(
                torus_on_torus.bodies, (0, 1), method=method, simultaneity=1e-3, spacing=spacing, tolerance=1e-6))
            rows.append([f"{spacing:g}", method, len(c), best])
    return rows


def main() -> None:
    pot = teapot()
    table("A sheet of 100 bicubic patches falls on a teapot of 32, tolerance 1e-6 of the step: milliseconds of one thread",
          ["step", "hits", "proved", "first contact", "all 3200 pairs", "pairs left", "broad phase", "their search", "together",
           "Chen on these", "given up"], [row(step, pot) for step in STEPS])
    table("A torus falls on an equal one (Chen et al. 2024, Fig. 9): the whole call, warm", ["spacing", "", "points", "ms"],
          published_tori())
