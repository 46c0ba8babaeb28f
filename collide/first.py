"""`first_contact`: when and where do moving bodies first touch?"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.interval import Interval
from generative import ParametricSurface

from . import layout
from .budget import Budget, Clock, as_budget, drive
from .contact import at_time, contact_problem, with_incoming
from .layout import EXISTS, LOCATED, UNIQUE
from .patch import enclose, unit_normal
from .problem import Problem
from .result import Contacts, Start, Status
from .state import METHODS, Search

ORDERS = ("auto", "upper", "lower")


def first_contact(bodies: Sequence[Any], time: tuple[Any, Any], *, simultaneity: float = 1e-6, separation: float = 0.05,
                  tolerance: float = 1e-9, tracked: Sequence[Any] = (), method: str = "auto", order: str = "auto",
                  tangency: bool = True, budget: Budget | float | None = None, progress: bool = False) -> Contacts:
    """The earliest contact of moving, possibly deforming bodies in a time span, with what is proved about it.

    For pairs *proved* disjoint at time[0]: `time` of the result encloses the least t at which the closed surfaces
    meet, and before `clear_until` they are *proved* not to meet. For pairs that touch or overlap at the start: the
    same for new incoming tangential contacts (Snyder 1993, Section 2).

    `bodies`: ParametricSurface values. `simultaneity`: contacts at most this much later than the first are reported
    with it. `separation`: distance between sampled points where contacts form curves or patches. `tolerance`: the
    largest parameter width accepted without proof. `method`, `order`, `tangency`: see the README; they change the
    work, not the meaning. `budget`: seconds or a `Budget`.
    """
    span = _check(bodies, time, simultaneity, separation, tolerance, method, order)
    clock = Clock(as_budget(budget), progress)
    try:
        pairs = list(itertools.combinations(range(len(bodies)), 2))
        base = {pair: contact_problem(bodies[pair[0]], bodies[pair[1]], time, tangency=tangency, label=pair) for pair in pairs}
        start = {pair: _start(problem, span[0], tolerance, clock) for pair, problem in base.items()}
        problems = [p if start[pair] is Start.DISJOINT else with_incoming(p, bodies[pair[0]], bodies[pair[1]])
                    for pair, p in base.items()]
        search = Search(problems, method=method, order=order, simultaneity=simultaneity, separation=separation,
                        tolerance=tolerance)
        finished = drive(search, clock)
    finally:
        clock.close()
    return _result(search, finished, bodies, span, start, clock)


def _check(bodies: Sequence[Any], time: tuple[Any, Any], simultaneity: float, separation: float, tolerance: float, method: str,
           order: str) -> tuple[float, float]:
    for k, body in enumerate(bodies):
        if not isinstance(body, ParametricSurface):
            raise TypeError(f"body {k} is a {type(body).__name__}; first_contact takes ParametricSurface values")
    if len(bodies) < 2:
        raise ValueError(f"a collision needs at least two bodies, got {len(bodies)}")
    span = enclose(time[0])[0], enclose(time[1])[1]
    if not span[0] < span[1]:
        raise ValueError(f"the time span must go forward, got {time[0]} to {time[1]}")
    for name, value in (("simultaneity", simultaneity), ("separation", separation), ("tolerance", tolerance)):
        if not (isinstance(value, (int, float)) and 0 < value < math.inf):
            raise ValueError(f"{name} must be a positive number, got {value!r}")
    for name, choice, known in (("method", method, list(METHODS)), ("order", order, list(ORDERS))):
        if choice not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {choice!r}")
    return span


def _start(problem: Problem, moment: float, tolerance: float, clock: Clock) -> Start:
    """Do the two surfaces meet at the start? Disjoint and overlapping are proved."""
    search = Search([at_time(problem, moment)], tolerance=tolerance, separation=math.inf, first_only=True)
    finished = drive(search, clock)
    if search.real[layout.PROVED] < math.inf:
        return Start.OVERLAPPING
    if not finished:
        return Start.UNKNOWN
    return Start.TOUCHING if search.solutions else Start.DISJOINT


def _result(s: Search, finished: bool, bodies: Sequence[Any], span: tuple[float, float], start: dict[tuple[int, int], Start],
            clock: Clock) -> Contacts:
    proved = float(s.real[layout.PROVED])
    found = [k for k in s.solutions if _time(s, k)[0] <= proved + s.real[layout.SIMULTANEITY]]
    known = [k for k in found if s.kind(k) != LOCATED] or found
    clear = _clear_until(s, found, span)
    status, bracket = Status.NO_CONTACT, None
    if not finished:
        status, bracket = Status.BUDGET_SPENT, Interval(clear, min(proved, span[1]))
    elif proved < math.inf:
        status, bracket = Status.CONTACT, Interval(clear, proved)
    elif found:
        status, bracket = Status.UNRESOLVED, Interval(clear, max(_time(s, k)[1] for k in found))
    points, normals = _places(s, known, bodies)
    return Contacts(
        status=status, time=bracket, clear_until=clear, points=points, normals=normals,
        proved=np.array([s.kind(k) == UNIQUE for k in known], bool),
        existence=np.array([s.kind(k) >= EXISTS for k in known], bool),
        pairs=np.array([_problem(s, k).label for k in known], int).reshape(-1, 2),
        features=[("face 0", "face 0")] * len(known), boxes=[s.found(k).copy() for k in known],
        variables=[_problem(s, k).variables for k in known], iterations=clock.boxes, seconds=clock.seconds, start=start,
        bodies=tuple(bodies), time_span=span)


def _problem(s: Search, k: int) -> Problem:
    return s.problems[s.owner(k)]


def _time(s: Search, k: int) -> tuple[float, float]:
    lo, hi = s.found(k)[_problem(s, k).objective]
    return float(lo), float(hi)


def _clear_until(s: Search, found: Sequence[int], span: tuple[float, float]) -> float:
    """The least time at which anything was found, was thinned, or is still open."""
    open_times = [float(box[s.problems[p].objective, 0]) for p, box in s.open_boxes()]
    return min([float(s.real[layout.CLEAR]), span[1], *(_time(s, k)[0] for k in found), *open_times])


def _places(s: Search, known: Sequence[int], bodies: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """The points in space, and the outward unit normals of the first body of each pair."""
    place = s.arrays["place"][list(known)]
    points = 0.5 * (place[:, :, 0] + place[:, :, 1])
    normals = np.full((len(known), 3), np.nan)
    for row, k in enumerate(known):
        middle = s.found(k).mean(axis=1)
        pair = _problem(s, k).label
        for body, columns, sign in ((pair[0], (0, 1, 4), 1.0), (pair[1], (2, 3, 4), -1.0)):
            normal = unit_normal(bodies[body], middle[list(columns)])
            if normal is not None:
                normals[row] = sign * normal
                break
    return points, normals
