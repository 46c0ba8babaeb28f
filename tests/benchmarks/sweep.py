"""Sweeps over one family by single calls: pairs of wavy ellipsoids, and of patches of them, that differ in all their numbers. Then rows of
`contact_batch` of several kinds of bodies, with numbers that it has not seen, and all spells of contact of a few pairs.

The first call of a process converts the formulas and compiles what the cache on disk does not hold; those after it only take the numbers
out of their formulas. In processor time of this thread, without the making of the bodies, which is SymPy's.
"""

import time
from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, Screw, difference, primitives, solids, t, u, v, x, y, z

from .timing import table

CALLS, SEED, ROWS = 100, 5, 50
RADIUS, HEIGHT, SPEED = (Parameter(name) for name in ("radius", "height", "speed"))


def wavy(rng: np.random.Generator, patch: bool) -> ParametricSurface:
    """r (a cos u cos v, b sin u cos v, c sin v), r = 1 + w sin(3 u + p) sin(4 v + q): all of it, or a third."""
    a, b, c = map(float, rng.uniform(0.5, 1.0, 3))
    w, p, q = float(rng.uniform(0.05, 0.15)), *map(float, rng.uniform(0, 2 * np.pi, 2))
    r = 1 + w * sp.sin(3 * u + p) * sp.sin(4 * v + q)
    first = rng.uniform([-np.pi, -1.2], [np.pi, 0.0])
    last = first + rng.uniform(0.8, 1.6, 2)
    domain = {s: (float(lo), float(hi)) for s, lo, hi in zip((u, v), first, last, strict=True)}
    return ParametricSurface([r * a * sp.cos(u) * sp.cos(v), r * b * sp.sin(u) * sp.cos(v), r * c * sp.sin(v)],
                             domain if patch else {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def pair(rng: np.random.Generator, patch: bool) -> list[ParametricSurface]:
    """The first, on a screw motion, flies towards the second, which turns."""
    first, second = wavy(rng, patch), wavy(rng, patch)
    way = rng.normal(size=3)
    way *= 3 / np.linalg.norm(way)
    screw = Screw(axis=rng.normal(size=3), point=0.2 * rng.normal(size=3), angle=float(rng.uniform(-2, 2)) * t + float(rng.uniform(0, 6)),
                  advance=float(rng.uniform(-0.3, 0.3)) * t)
    turn = Screw(axis=rng.normal(size=3), angle=float(rng.uniform(-2, 2)) * t)
    return [first.moved(Rigid(translation=[float(e) * (1 - sp.Rational(6, 5) * t) for e in way]) @ screw), second.moved(turn)]


def row(name: str, patch: bool) -> list[Any]:
    rng = np.random.default_rng(SEED)
    seconds, contacts, proved = [], 0, 0
    for _ in range(CALLS):
        bodies = pair(rng, patch)
        begin = time.thread_time()
        c = collide.first_contact(bodies, (0, 1))
        seconds.append(1e3 * (time.thread_time() - begin))
        contacts, proved = contacts + (c.status is collide.Status.CONTACT), proved + int(c.proved.any())
    later = np.array(seconds[1:])
    return [name, CALLS, contacts, proved, seconds[0], float(later.mean()), float(np.median(later)), float(later.max())]


def falling() -> dict[str, list[Any]]:
    """Bodies whose sizes, heights and speeds are parameters, above others."""
    way, plate = Rigid(translation=[HEIGHT / 9, HEIGHT / 7, HEIGHT - SPEED * t]), ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
    patch = ParametricSurface([RADIUS * sp.cos(u) * sp.cos(v), RADIUS * sp.sin(u) * sp.cos(v), RADIUS * sp.sin(v)],
                              {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}).moved(way)
    ball = ImplicitSurface(x**2 + y**2 + z**2 - RADIUS**2, [(-2 * RADIUS, 2 * RADIUS)] * 3)
    return {
        "patches": [plate, patch], "implicit on patch": [plate, ball.moved(way)],
        "implicit on implicit": [primitives.ball(), ball.moved(way)],
        "combinations": [primitives.block((2, 2, 1)), difference(ball, primitives.ball(sp.Rational(1, 9), (0, 0, 1))).moved(way)],
        "solid that moves": [plate, solids.capsule(sp.Rational(1, 4)).moved(Rigid(translation=[RADIUS, 0, 0]) @ way)],
        "solid of many sizes": [plate, solids.capsule(RADIUS).moved(way)],
        "four bodies": [plate, patch, ball.moved(Rigid(translation=[2, 1, HEIGHT - t])), primitives.ball(sp.Rational(1, 4), (-1, -1, 1))],
    }


def batch(name: str, bodies: list[Any]) -> list[Any]:
    """Processor time of a row, when the kind is known and the numbers are not."""
    rng = np.random.default_rng(SEED)
    times = []
    for _ in range(3):
        values = {s: rng.uniform(lo, hi, ROWS) for s, lo, hi in ((RADIUS, 0.2, 0.6), (HEIGHT, 1.7, 3.0), (SPEED, 0.5, 1.5))}
        begin = time.thread_time()
        answer = collide.contact_batch(bodies, (0, 2), parameters=values)
        times.append(1e6 * (time.thread_time() - begin) / ROWS)
    return [name, ROWS, int(answer.hit.sum()), int(answer.proved.sum()), times[0], times[-1]]


def spells(name: str, bodies: list[Any]) -> list[Any]:
    """Processor time of all spells of a pair, the second time."""
    for _ in range(2):
        begin = time.thread_time()
        found = collide.contacts_during(bodies, (0, 6))
        seconds = time.thread_time() - begin
    contacts, left = (int((found.kinds == kind).sum()) for kind in (collide.Spell.CONTACT, collide.Spell.UNDECIDED))
    return [name, contacts, left, found.iterations, 1e3 * seconds]


def swinging() -> dict[str, list[Any]]:
    """Bodies that come and go."""
    patch = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    way = Rigid(translation=[t - 3, sp.Rational(1, 2), 0])
    plate = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
    return {
        "two patches pass": [patch, patch.moved(way)], "implicit and patch": [primitives.ball(), patch.moved(way)],
        "a ball and a turning block": [primitives.ball(), primitives.block().moved(way @ Screw([1, 1, 0], angle=t))],
        "a swinging ball meets a plate": [plate, primitives.ball().moved(Rigid(translation=[0, 0, sp.Rational(5, 4) + sp.cos(3 * t) / 2]))],
    }


def main() -> None:
    table("Rows of contact_batch: microseconds a row", ["", "rows", "hits", "proved", "first", "third, other numbers"],
          [batch(name, bodies) for name, bodies in falling().items()])
    table("All spells of contact in a time span: milliseconds", ["", "contacts", "undecided", "boxes", "second call"],
          [spells(name, bodies) for name, bodies in swinging().items()])
    table("Sweep of pairs of one family by first_contact: milliseconds a call",
          ["", "calls", "contacts", "proved unique", "first", "others: mean", "median", "max"],
          [row("wavy ellipsoids", False), row("patches of them", True)])
