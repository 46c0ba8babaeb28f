"""First contact of moving edges, and of moving points and triangles, for arrays of queries.

Without `motions` every point moves from its place at t = 0 to its place at t = 1 at constant velocity; coordinates are taken
as the rational numbers that doubles are. A rounded search decides nearly all queries (`loop`); what it leaves open,
touches and near misses beyond the resolution of doubles, is decided in integers (`exact`). So there is neither a false
negative nor a false positive.

With `motions`, two rigid motions, the points are fixed in two bodies, and the path of each is a formula of t: turns, screws
(Kim and Rossignac 2003), or any other. The same search runs on bounds of the motions (`motion_windows`): no contact is missed,
and a hit is proved wherever it is not a touch or a near miss within the rounding of the formulas. Formulas with symbols stand for as
many motions as there are queries: `parameters` gives their numbers, which are taken as they are, and one compiled kernel serves all.

Edges of no length and triangles without area are legal.
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import perf_counter
from typing import Any, NoReturn

import numpy as np
import sympy as sp

from codegen.deadline import TimeUp, check, interrupted, limited
from codegen.given import doubles, shown
from generative import Motion, t

from ...answers.batch import Batch, statuses
from ...given import check_span, check_tolerance
from ...search.budget import Budget, as_budget
from ...search.clock import Clock
from ...search.fan_out import fan_out
from ..exact import feature_pairs as linear_exact
from .loop import GIVEN_UP, HIT, LANES, LARGEST, NOT_FINITE, UNDECIDED
from .memory import ANSWERS, NO_LIMIT, finest, memory_of, run, single
from .motion_windows import motion_windows
from .moving_kernel import moving_window_kernel
from .straight_kernel import window_kernel
from .triangle_pair import EDGES, FACES, earliest, weights

# 20 calls are twice what a straight contact at 1e-9 takes; the exact method then is quicker. A call takes about a microsecond. Queries
# of moving bodies that take more than _MOST_CALLS wait until all others are done, and then go on in such portions.
_CALLS, _MOST_CALLS = 20, 3000
Motions = tuple[Motion, Motion] | None
Parameters = Mapping[Any, Any] | None
Limit = Budget | float | None


def edge_edge(q: Any, tolerance: float = 1e-6, *, motions: Motions = None, time: Any = (0, 1), parameters: Parameters = None,
              budget: Limit = None, executor: Any = None) -> Batch:
    """Find whether two moving edges meet within the time span, and when first, for n pairs.

    Parameters
    ----------
    q : array_like, (n, 8, 3)
        a0, a1, b0, b1 at t = 0, then at t = 1, the time span being [0, 1]. With `motions` (n, 4, 3): the same points in the frames of their
        bodies.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the time.
    motions : pair of Motion, optional
        Those of a and of b.
    time : pair, optional
        The span, with `motions`.
    parameters : mapping, optional
        {symbol: numbers}, for each `generative.Parameter` of the motions: one a query (n,), or one for all. So every query has a screw of
        its own, with ``Screw(axis=[a, b, c], angle=w * t)`` and four arrays.
    budget : float or Budget, optional
        Seconds, or a `Budget` for all queries together; None is no limit without `motions`, and 60 s with them. No more than its boxes,
        windows of time, are tested of moving bodies. Parts that stay close for long without touching take many windows.
    executor : optional
        Shares the queries, as in `contact_batch`.

    Returns
    -------
    Batch
        With `hit` (n,), `time` (n, 2), the bracket of the least time of contact, and `parameters` (n, 2), fractions along the edges a and
        b.

    Raises
    ------
    TypeError
        For motions that are not of the class `Motion`.
    ValueError
        For arrays of other shapes or with numbers that are not finite, for a parameter without a value, for a tolerance outside 1e-14 to 1,
        and for another time span than (0, 1) without `motions`.

    Notes
    -----
    Without `motions` `hit` is exact, every hit is *proved*, and the bracket `time` *encloses* the least time of contact.

    With `motions` `time` *encloses* the least time of contact of every proved hit, and no contact is missed. A row that cannot be decided
    near the resolution of doubles is UNRESOLVED, and is a hit: there is no contact before time[0], and maybe one in the bracket.

    Where the budget is spent, BUDGET_SPENT, a hit, says that there is no contact before time[0], and maybe one at any time after it.

    Examples
    --------
    >>> import numpy as np
    >>> from collide import edge_edge
    >>> begin = np.array([[-1, 0, 0], [1, 0, 0], [0, -1, 1], [0, 1, 1]], float)
    >>> end = begin - np.array([[0], [0], [2], [2]]) * [0, 0, 1]
    >>> found = edge_edge(np.concatenate([begin, end])[None])
    >>> found.hit.tolist(), found.parameters.round(6).tolist(), bool(found.time[0, 0] <= 0.5 <= found.time[0, 1])
    ([True], [[0.5, 0.5]], True)
    """
    if executor is not None:
        return _shared(edge_edge, q, tolerance, motions, time, parameters, budget, executor)
    return _first_contacts(q, tolerance, False, motions, time, parameters, budget)


def vertex_face(q: Any, tolerance: float = 1e-6, *, motions: Motions = None, time: Any = (0, 1), parameters: Parameters = None,
                budget: Limit = None, executor: Any = None) -> Batch:
    """Find whether a moving point meets a moving triangle, border included, and when first, for n pairs.

    Parameters
    ----------
    q : array_like, (n, 8, 3)
        The point and f0, f1, f2 at t = 0, then at t = 1. With `motions`, those of the point and of the triangle, (n, 4, 3).
    tolerance, motions, time, parameters, budget, executor : optional
        All else is as in `edge_edge`.

    Returns
    -------
    Batch
        With `parameters` (n, 2): the barycentric weights of f1 and f2.

    Raises
    ------
    TypeError, ValueError
        As in `edge_edge`.

    Notes
    -----
    The guarantees are those of `edge_edge`.

    Examples
    --------
    >>> import numpy as np
    >>> from collide import vertex_face
    >>> begin = np.array([[0.25, 0.25, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0]])
    >>> end = begin - np.array([[2], [0], [0], [0]]) * [0, 0, 1]
    >>> found = vertex_face(np.concatenate([begin, end])[None])
    >>> found.hit.tolist(), found.parameters.round(6).tolist()
    ([True], [[0.25, 0.25]])
    """
    if executor is not None:
        return _shared(vertex_face, q, tolerance, motions, time, parameters, budget, executor)
    return _first_contacts(q, tolerance, True, motions, time, parameters, budget)


def triangle_triangle(q: Any, tolerance: float = 1e-6, *, motions: Motions = None, time: Any = (0, 1), parameters: Parameters = None,
                      budget: Limit = None, executor: Any = None) -> Batch:
    """Find when two moving triangles that start apart first meet, for n pairs.

    Parameters
    ----------
    q : array_like, (n, 12, 3)
        a0, a1, a2, b0, b1, b2 at t = 0, then at t = 1. With `motions` (n, 6, 3).
    tolerance, motions, time, parameters, budget, executor : optional
        All as in `edge_edge`.

    Returns
    -------
    Batch
        With `parameters` (n, 4): the weights of a1, a2 and of b1, b2.

    Raises
    ------
    TypeError, ValueError
        As in `edge_edge`.

    Notes
    -----
    The guarantees are those of `edge_edge`.

    The answer is the earliest of six vertex-face and nine edge-edge contacts, decided as `vertex_face` and `edge_edge` decide them.
    Triangles that pierce each other at the beginning meet before any of these contacts: for them the answer is that of the queries.

    Examples
    --------
    >>> import numpy as np
    >>> from collide import triangle_triangle
    >>> begin = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]], float)
    >>> end = begin - np.array([[0], [0], [0], [2], [2], [2]]) * [0, 0, 1]
    >>> found = triangle_triangle(np.concatenate([begin, end])[None])
    >>> found.hit.tolist(), bool(found.time[0, 0] <= 0.5 <= found.time[0, 1])
    ([True], True)
    """
    if executor is not None:
        return _shared(triangle_triangle, q, tolerance, motions, time, parameters, budget, executor)
    q = _shaped(q, 12 if motions is None else 6)
    _largest(q)
    _symbols(parameters)
    n, limit = len(q), _Limit(Budget(None) if budget is None and motions is None else budget)
    asked: list[tuple[bool, np.ndarray, Motions]]
    if motions is None:
        faces, edges = (np.concatenate([k, k + 6], axis=1) for k in (FACES, EDGES))
        asked = [(True, faces, None), (False, edges, None)]
    else:
        first, second = check_motions(motions)
        asked = [(True, FACES[:3], (first, second)), (True, FACES[3:], (second, first)), (False, EDGES, (first, second))]
    parts = [len(which) for _, which, _ in asked]
    found = [_first_contacts(q[:, which].reshape(-1, which.shape[1], 3), tolerance, face, pair, time, _repeated(parameters, n, len(which)),
                             limit) for face, which, pair in asked]
    every = [np.concatenate([getattr(r, name).reshape(n, k, width) for r, k in zip(found, parts, strict=True)], axis=1)
             for name, width in (("time", 2), ("proved", 1), ("parameters", 2), ("tests", 1), ("status", 1))]
    which, bracket, proved = earliest(every[0], every[1][:, :, 0], tolerance)
    rows = np.arange(n)
    hit = np.isfinite(bracket[:, 0])
    status = np.where(proved, statuses(np.array(1)), every[4][rows, which, 0])
    return Batch(status, hit, bracket, weights(which, every[2][rows, which]), proved, every[3].sum(axis=(1, 2)))


def _shared(query: Callable[..., Batch], q: Any, tolerance: float, motions: Motions, time: Any, parameters: Parameters, budget: Limit,
            executor: Any) -> Batch:
    """The query about chunks of rows, by the workers of an executor."""
    def part(lo: int, hi: int) -> "partial[Batch]":
        own = {s: values[lo:hi, k] for k, s in enumerate(_symbols(parameters))} or None
        return partial(query, q[lo:hi], tolerance, motions=motions, time=time, parameters=own)

    q = doubles(q, "q", "(n, points, 3)")
    if q.ndim == 0 or not len(q):
        return query(q, tolerance, motions=motions, time=time, parameters=parameters, budget=budget)
    values = _values(parameters, len(q))
    return fan_out(part, len(q), executor, Clock(as_budget(budget)))


def _shaped(q: Any, points: int) -> np.ndarray:
    shape = f"(n, {points}, 3)"
    q = doubles(q, "q", shape)
    if q.ndim != 3 or q.shape[1:] != (points, 3):
        raise ValueError(f"q must have the shape {shape}, got {q.shape}")
    return q


def _largest(q: np.ndarray) -> float:
    """The size of the largest coordinate; ValueError where one is not finite."""
    largest = float(np.abs(q).max(initial=0.0))
    if not largest < np.inf:
        _refuse(int(np.argmin(np.isfinite(q).all(axis=(1, 2)))))
    return largest


def _refuse(k: int) -> NoReturn:
    raise ValueError(f"q must be finite, query {k} is not")


def check_motions(motions: Any) -> tuple[Motion, Motion]:
    try:
        first, second = motions
    except (TypeError, ValueError):
        raise ValueError(f"motions must be a pair of motions, got {shown(motions)}") from None
    for motion in (first, second):
        if not isinstance(motion, Motion):
            raise TypeError(f"motions must be a pair of motions such as Rigid or Screw, got a {type(motion).__name__}")
    return first, second


def check_straight(time: Any) -> None:
    if not (isinstance(time, (tuple, list)) and tuple(time) == (0, 1)):
        raise ValueError(f"straight trajectories go from t = 0 to t = 1; the time span {shown(time)} needs motions=...")


class _Limit:
    """A budget being spent by one call: in one or several batches, of which those before the present one took `tests`."""

    def __init__(self, budget: Limit) -> None:
        self.budget, self.begin, self.tests, self.ended = as_budget(budget), perf_counter(), 0, False

    def left(self, tests: np.ndarray) -> int:
        """Calls of the kernel that are left when the present batch took `tests`, each of LANES windows."""
        b = self.budget
        if self.over:
            return 0
        return NO_LIMIT if b.boxes is None else max(0, int(b.boxes) - self.tests - int(tests.sum())) // LANES

    @property
    def over(self) -> bool:
        """Whether the time is up, or Ctrl-C was pressed."""
        self.ended = self.ended or interrupted() or perf_counter() - self.begin > (self.budget.seconds or math.inf)
        return self.ended

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """End the work within this context when the time is up, or by Ctrl-C; work after it ends at its first look at the clock."""
        end = self.begin + (self.budget.seconds or math.inf)
        try:
            with limited(lambda: -1.0 if self.ended else end - perf_counter()):
                yield
                self.ended = self.ended or interrupted()
        except (KeyboardInterrupt, TimeUp):
            self.ended = True


def _first_contacts(q: Any, tolerance: float, face: bool, motions: Motions, time: Any, parameters: Parameters,
                    budget: "Limit | _Limit") -> Batch:
    if motions is not None:
        return _moving(q, tolerance, face, check_motions(motions), time, parameters, budget)
    limit = budget if isinstance(budget, _Limit) else _Limit(Budget(None) if budget is None else budget)
    if parameters:
        raise ValueError("parameters are for the symbols of motions=..., which are not given")
    tolerance = check_tolerance(tolerance, 1e-14)
    check_straight(time)
    if isinstance(q, np.ndarray) and q.shape == (1, 8, 3) and q.dtype == np.float64:
        # Half the time of a single query would go to memory made for it.
        out, left = single(window_kernel(face)).ask(q, tolerance, _CALLS)
    else:
        q = _shaped(q, 8)
        out, left = _nothing(len(q), (0.0, 1.0)), 1
        with limit.working():
            check()
            memory = memory_of(None)
            memory.queries(window_kernel(face), q, out)
            memory.limits((0.0, 1.0), tolerance, _CALLS)
            left = run(memory, len(q), lambda: 0 if limit.over else NO_LIMIT)
    if left:
        _decide(q, tolerance, face, out, limit)
    verdict = out["verdict"]
    return Batch(statuses(verdict), verdict >= HIT, out["time"], out["parameters"], verdict == HIT, out["tests"])


def _nothing(n: int, span: tuple[float, float]) -> np.ndarray:
    """Answers to so many queries of which nothing is known."""
    out = np.empty(n, ANSWERS)
    out["time"], out["parameters"], out["verdict"], out["tests"] = span, np.nan, GIVEN_UP, 0
    return out


def _decide(q: np.ndarray, tolerance: float, face: bool, out: np.ndarray, limit: "_Limit") -> None:
    """The exact method for all undecided queries, as many as there is time for."""
    for k in np.flatnonzero(out["verdict"] == NOT_FINITE)[:1].tolist():
        _refuse(k)
    which = np.flatnonzero(out["verdict"] >= UNDECIDED)
    out[which] = _nothing(1, (0.0, 1.0))
    with limit.working():
        for k, points in zip(which.tolist(), linear_exact.integers(q[which]), strict=True):
            check()
            answer = linear_exact.answer(points, face, tolerance)
            out["time"][k], out["parameters"][k] = (np.nan, np.nan) if answer is None else answer
            out["verdict"][k] = answer is not None


def _moving(q: Any, tolerance: float, face: bool, motions: tuple[Motion, Motion], time: Any, parameters: Parameters,
            budget: "Limit | _Limit") -> Batch:
    limit = budget if isinstance(budget, _Limit) else _Limit(budget)
    span = check_span(time)
    tolerance = check_moving_tolerance(tolerance, span)
    q = _shaped(q, 4)
    if _largest(q) > LARGEST:
        raise ValueError(f"coordinates of moving bodies must not exceed {LARGEST:g} in size, got {np.abs(q).max():g}")
    # What the budget leaves undone is given up.
    n, out = len(q), _nothing(len(q), span)
    values = _values(parameters, n)
    bracket, places, verdict, tests = (out[name] for name in ("time", "parameters", "verdict", "tests"))
    with limit.working():
        check()
        memory = memory_of(motion_windows(*motions, symbols=_symbols(parameters)))
        memory.queries(moving_window_kernel(face), q, out, values)
        # So that no query takes what others need.
        memory.limits(span, tolerance, min(_MOST_CALLS, max(_CALLS, limit.left(tests) // max(n, 1))))
        left = run(memory, n, lambda: limit.left(tests))
        while left and (verdict == GIVEN_UP).any() and limit.left(tests):
            memory.again()
            run(memory, n, lambda: limit.left(tests))
    limit.tests += int(tests.sum())
    if face:
        places[:, 1] = np.minimum(places[:, 1], 1.0 - places[:, 0])
    return Batch(statuses(verdict), verdict >= HIT, bracket, places, verdict == HIT, tests)


def _symbols(parameters: Parameters) -> tuple[Any, ...]:
    if not isinstance(parameters, (Mapping, type(None))):
        raise TypeError(f"parameters must be a dictionary from symbols to their numbers, got a {type(parameters).__name__}")
    wrong = next((s for s in parameters or () if not isinstance(s, sp.Symbol) or s == t), None)
    if wrong is not None:
        raise ValueError(f"parameters are symbols of the motions other than the time t, got {shown(wrong)}")
    return tuple(sorted(parameters or (), key=str))


def _values(parameters: Parameters, n: int) -> np.ndarray:
    """One row a query, one column a symbol."""
    columns = []
    for symbol in _symbols(parameters):
        column = doubles((parameters or {})[symbol], f"the values of {symbol}", f"({n},)")
        if column.shape not in ((1,), (n,)):
            raise ValueError(f"the values of {symbol} must be a number or an array of shape ({n},), one a query, got {column.shape}")
        if not np.abs(column).max(initial=0.0) <= LARGEST:
            raise ValueError(f"the values of {symbol} must be finite and no larger than {LARGEST:g} in size")
        columns.append(np.broadcast_to(column, (n,)))
    return np.ascontiguousarray(np.array(columns).reshape(len(columns), n).T)


def _repeated(parameters: Parameters, n: int, times: int) -> Parameters:
    """For so many queries in the place of each."""
    return parameters and {s: np.repeat(x, times) if np.shape(x) == (n,) else x for s, x in parameters.items()}


def check_moving_tolerance(tolerance: float, span: tuple[float, float]) -> float:
    """Check the tolerance of a time bracket; ValueError where it is below the resolution of the search."""
    tolerance = check_tolerance(tolerance, 1e-13)
    if tolerance < finest(span):
        raise ValueError(f"tolerance must be at least {finest(span):.3g} for the time span {span[0]:g} to {span[1]:g}, got {tolerance:g}")
    return tolerance


assert (HIT, UNDECIDED, GIVEN_UP) == (1, 2, 3), "the codes of `statuses`"
