"""From the state of a search to the `Contacts` it found: which solutions count, where they are, and what was
proved.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.interval import Interval

from . import layout
from .budget import Clock
from .layout import ALONE, EXISTS, UNIQUE
from .problem import Problem
from .result import Contacts, Start, Status
from .state import Search

Starts = dict[tuple[int, int], Start]


def contacts(s: Search | None, finished: bool, bodies: Sequence[Any], span: tuple[float, float], start: Starts, clock: Clock,
             seen: float) -> Contacts:
    """What the search found, after everything up to the time `seen` was looked at; None: there was nothing to
    search.
    """
    if s is None:
        status, bracket = (Status.NO_CONTACT, None) if finished else (Status.BUDGET_SPENT, Interval(seen, span[1]))
        return _assemble(status, bracket, seen, [], bodies, span, start, clock)
    proved = float(s.real[layout.PROVED])
    found = [k for k in s.solutions if _time(s, k)[0] <= proved + s.real[layout.SIMULTANEITY] and possible(s, k)]
    clear = min(seen, clear_until(s, found, span[1]))
    status, bracket = Status.NO_CONTACT, None
    if not finished:
        status, bracket = Status.BUDGET_SPENT, Interval(clear, min(proved, span[1]))
    elif proved < np.inf:
        status, bracket = Status.CONTACT, Interval(clear, proved)
    elif found:
        status, bracket = Status.UNRESOLVED, Interval(clear, max(_time(s, k)[1] for k in found))
    # Beside what is proved, only what may come before it is worth listing. A time may be proved by a contact in no listed box.
    first = proved - s.real[layout.SIMULTANEITY]
    known = _distinct(s, [k for k in found if s.kind(k) >= EXISTS or _time(s, k)[0] < first] or found)
    points = [_Point(_problem(s, k), s.found(k).copy(), _kind(s, k, found), _middle(s.arrays["place"][k])) for k in known]
    return _assemble(status, bracket, clear, points, bodies, span, start, clock)


@dataclass(frozen=True)
class _Point:
    """One solution: its situation, its box, what is known of it, and where it is."""

    problem: Problem
    box: np.ndarray
    kind: int
    place: np.ndarray


def _assemble(status: Status, bracket: Interval | None, clear: float, points: Sequence[_Point], bodies: Sequence[Any],
              span: tuple[float, float], start: Starts, clock: Clock) -> Contacts:
    normals = [unit_normal(p.problem, _middle(p.box), start.get(p.problem.label) is Start.DISJOINT) for p in points]
    return Contacts(
        status=status, time=bracket, clear_until=clear, points=np.array([p.place for p in points]).reshape(-1, 3),
        normals=np.array(normals).reshape(-1, 3), proved=np.array([p.kind == UNIQUE for p in points], np.bool_),
        existence=np.array([p.kind >= EXISTS for p in points], np.bool_),
        pairs=np.array([p.problem.label for p in points], np.int64).reshape(-1, 2),
        features=[p.problem.features for p in points], boxes=[p.box for p in points],
        variables=[p.problem.variables for p in points], iterations=clock.boxes, seconds=clock.seconds, start=start,
        bodies=tuple(bodies), time_span=span, notes=_spent(clock) if status is Status.BUDGET_SPENT else ())


def _spent(clock: Clock) -> tuple[str, ...]:
    """What a spent budget went to, where not to searching."""
    seconds = clock.seconds
    if clock.searched > 0.5 * seconds:
        return ()
    return (f"{seconds - clock.searched:.1f} of {seconds:.1f} s went to converting and compiling formulas; machine code is kept, "
            "so the same call again has most of that time to search.",)


def _problem(s: Search, k: int) -> Problem:
    return s.problems[s.owner(k)]


def _time(s: Search, k: int) -> tuple[float, float]:
    lo, hi = s.found(k)[_problem(s, k).objective]
    return float(lo), float(hi)


def possible(s: Search, k: int) -> bool:
    """May the solution be one: not where the only zero of a region was found to lie outside the domain, or to violate
    the inequalities?
    """
    if s.kind(k) != ALONE:
        return True
    p, box = _problem(s, k), s.found(k)
    free = p.period == 0.0 if p.period is not None else np.full(len(box), True)
    if ((box[:, 1] < p.outer[:, 0]) | (box[:, 0] > p.outer[:, 1]))[free].any():
        return False
    values = tuple(p.parameters.T)
    _, hi = p.range_kernel.interval(box[None, :, 0], box[None, :, 1], parameters=values if len(p.parameters) else None)
    return bool(hi[0, -1] > 0)


def clear_until(s: Search, found: Sequence[int], end: float) -> float:
    """The least time at which anything was found, was thinned, or is still open; none of them comes after `end`."""
    open_times = [float(s.open(p)[:, problem.objective, 0].min(initial=np.inf)) for p, problem in enumerate(s.problems)]
    return min([float(s.real[layout.CLEAR]), end, *(_time(s, k)[0] for k in found), *open_times])


def _middle(boxes: np.ndarray) -> np.ndarray:
    return 0.5 * (boxes[..., 0] + boxes[..., 1])


def _kind(s: Search, k: int, found: Sequence[int]) -> int:
    """What is known of a solution among the others.

    Unique in its own situation is not yet isolated: the corner of a face that lands flat is the only contact of
    that corner. With samples of a manifold of another situation of the pair round it, it counts as a contact that
    exists.
    """
    if s.kind(k) != UNIQUE:
        return s.kind(k)
    apart = s.real[layout.SEPARATION]
    middle = _middle(s.arrays["place"][:len(s.solutions)])
    for other in found:
        if s.kind(other) == EXISTS and s.owner(other) != s.owner(k) and _problem(s, other).label == _problem(s, k).label:
            if 0.25 * apart < float(np.linalg.norm(middle[other] - middle[k])) < 2.0 * apart:
                return EXISTS
    return UNIQUE


# -- one point for one place --------------------------------------------------------------------------------------


def _distinct(s: Search, found: Sequence[int]) -> list[int]:
    """The solutions without those that repeat another one of the same pair in a different situation.

    Closed parts share their borders, so a point on an edge solves the problem of the face as well. A solution that is
    not proved unique is left out near one that is known better: proved unique, or proved to exist, or of features of
    lower dimension. Near means by `separation`, the distance of samples; half of it for a sample that is proved to exist.
    """
    order = sorted(found, key=lambda k: (-max(s.kind(k), 0), _dimension(_problem(s, k)), k))
    kept: list[int] = []
    for k in order:
        if not any(_same_place(s, k, other) for other in kept):
            kept.append(k)
    return sorted(kept)


def _dimension(p: Problem) -> int:
    return sum(("vertex", "edge", "face").index(name.split()[0]) for name in p.features)


def _same_place(s: Search, k: int, other: int) -> bool:
    if s.owner(k) == s.owner(other) or _problem(s, k).label != _problem(s, other).label:
        return False
    if _time(s, other)[0] > _time(s, k)[1] + s.real[layout.SIMULTANEITY]:
        return False
    a, b = (s.arrays["place"][i] for i in (k, other))
    if s.kind(k) == UNIQUE:
        return bool((a[:, 0] <= b[:, 1]).all() and (b[:, 0] <= a[:, 1]).all())
    farthest = np.maximum(np.abs(a[:, 1] - b[:, 0]), np.abs(b[:, 1] - a[:, 0]))
    return bool(np.linalg.norm(farthest) < s.real[layout.SEPARATION] * (0.5 if s.kind(k) == EXISTS else 1.0))


# -- normals ---------------------------------------------------------------------------------------------------


def unit_normal(problem: Problem, at: np.ndarray, apart: bool) -> np.ndarray:
    """The separating direction at a contact, approximately; NaN where there is none.

    Bodies that start apart come together, so the direction is the one in which they approach, whichever way their
    normals were declared; where they do not approach, and for other bodies, the declared side counts.
    """
    if problem.direction_kernel is not None:
        kernel, parameters = problem.direction_kernel
        values = kernel.points(at[None], parameters=parameters)[0].reshape(-1, 5)
        for *direction, speed, declared in values:
            length = float(np.linalg.norm(direction))
            if 0 < length < np.inf:
                side = speed if apart and abs(speed) > 1e-9 * length else declared
                return np.array(direction) / length * (1.0 if side >= 0 else -1.0)
    return np.full(3, np.nan)
