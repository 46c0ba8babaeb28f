"""A robot cell: an arm of six joints among a table, a post and a bin, along 6, 100 and 400 recorded joint angles; two such arms; joint
errors of half a degree; poses in a box of angles; and 1,000 straight paths as rows. Seconds of the processor of the first call and of the
same call again, beside coal and python-fcl, where installed, which look at 400 moments of a path and prove nothing in between.
"""

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import sympy as sp

import collide
from generative import Parameter, t
from generative.numeric import approx_function
from tests import robot_cell as cell

from .robot_peers import coal_paths, fcl_paths
from .timing import table

R = sp.Rational
MOMENTS, ROWS = 400, 1000


def main() -> None:
    peers = [found for name, found in (("coal", coal_paths), ("fcl", fcl_paths)) if find_spec(name)]
    rows: list[list[Any]] = []
    for knots in (6, 100, 400):
        joints = cell.values(*cell.path(knots))
        angles = approx_function([*joints.values()], [t])(np.linspace(0, cell.SPAN, MOMENTS))
        for what, ask in _asked(joints).items():
            rows.append([f"{knots} knots: {what}", *measured(ask), *(f"{_seconds(lambda p=p, at=angles: p(at))[0]:.2f}" for p in peers)])
        bodies, ignored = cell.two_arms(*cell.path(knots))
        rows.append([f"{knots} knots: two arms, at_least=1/100", *measured(
            lambda b=bodies, i=ignored: collide.clearance(b, (0, 4), R(1, 100), ignore=i)),
            *(f"{_seconds(lambda p=p, at=angles: p(at, True))[0]:.2f}" for p in peers)])
    rows += [[what, *measured(ask), *[""] * len(peers)] for what, ask in _of_ranges().items()]
    table("A robot cell: seconds of the processor", ["question", "first call", "again", "answer", *(p.__name__ for p in peers)], rows)


def _asked(joints: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    made = cell.arm()
    bodies, ignored = [*made.at(joints), *cell.obstacles()], cell.ignored(made)
    return {"first_contact": lambda: collide.first_contact(bodies, (0, 4), ignore=ignored),
            "clearance, at_least=1/100": lambda: collide.clearance(bodies, (0, 4), R(1, 100), ignore=ignored)}


def _of_ranges() -> dict[str, Callable[[], Any]]:
    made, obstacles, errors = cell.arm(), cell.obstacles(), [Parameter(f"e{k}") for k in range(6)]
    joints, ignored = cell.values(*cell.path(6)), cell.ignored(made)
    off = [*made.at({name: e + error for (name, e), error in zip(joints.items(), errors, strict=True)}), *obstacles]
    poses = [*made.at(dict(zip(joints, errors, strict=True))), *obstacles]
    middle = [R(e) for e in (-0.25, -1.25, 1.25, -1.5, -1.5, 0)]
    half, tenth = {e: (-R(1, 115), R(1, 115)) for e in errors}, R(1, 10)
    straight, rows, _, _ = cell.straight_paths(ROWS)
    box = {e: (m - tenth, m + tenth) for e, m in zip(errors, middle, strict=True)}
    return {"half a degree in six joints": lambda: collide.clearance(off, (0, 4), R(1, 100), ignore=ignored, parameters=half),
            "poses within 0.1 rad": lambda: collide.clearance(poses, None, R(1, 100), ignore=ignored, parameters=box),
            f"{ROWS} straight paths": lambda: collide.contact_batch(straight, (0, 4), parameters=rows, ignore=ignored)}


def measured(ask: Callable[[], Any]) -> list[str]:
    """The times of two calls, and the answer."""
    (first, _), (again, answer) = _seconds(ask), _seconds(ask)
    told = answer.status.name if hasattr(answer, "summary") else repr(answer)
    return [f"{first:.2f}", f"{again:.2f}", told]


def _seconds(ask: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    answer = ask()
    return time.process_time() - begin, answer
