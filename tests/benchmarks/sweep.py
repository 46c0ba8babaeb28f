"""Sweeps over one family by single calls: pairs of wavy ellipsoids, and of patches of them, that differ in all their numbers.

The first call of a process converts the formulas and compiles what the cache on disk does not hold; those after it only take the numbers
out of their formulas. In processor time of this thread, without the making of the bodies, which is SymPy's.
"""

import time
from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import ParametricSurface, Rigid, Screw, t, u, v

from .timing import table

CALLS, SEED = 100, 5


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


def main() -> None:
    table("Sweep of pairs of one family by first_contact: milliseconds a call",
          ["", "calls", "contacts", "proved unique", "first", "others: mean", "median", "max"],
          [row("wavy ellipsoids", False), row("patches of them", True)])
