"""Earliest contact of moving Bezier patches, for arrays of pairs.

Patches are tensor-product Bezier surfaces of any degrees, polynomial or rational with positive weights; every control point
moves at constant velocity, t in [0, 1]. See `loop` for the search, `kernel` for what is rounded and why it
may be believed, `local` and `proof` for the contacts proposed and proved, `certificate` for why none near
them is earlier.
"""

import contextlib
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from os import PathLike
from time import perf_counter
from typing import Any

import numpy as np

from codegen.algebra import linear
from codegen.deadline import TimeUp, interrupted, limited
from codegen.given import doubles, shown
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, row_type

from ..answers.batch import Batch, statuses
from ..given import check_tolerance
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..search.drive import FIRST_PART, next_part
from ..search.fan_out import Ask, fan_out, joined
from . import kernel as kernels
from . import memory
from .certificate import certificate
from .enclosure import enclose
from .logs import patch_logs, written
from .loop import search
from .memory import PairsMemory, PatchPair
from .part import neighbourhood
from .published import triangle as bezier_triangle
from .published.apart import apart, swept
from .published.baseline import ORIENTED, ORIENTED_AT_ZERO, TRADITIONAL, WORLD, baseline
from .published.contacts_memory import AxesMemory

# Products of up to four coordinates and velocities, at most 2^600, must stay finite, with weights; and what is neglected below rounding.
_LARGEST, _HEAVIEST = 2.0**150, 2.0**30
# Larger errors of control points are refused: little could be proved of them.
_LARGEST_ERROR = 1e-3
_NODES, _BOXES = 1 << 11, 1 << 12
# Tests of a pair at most.
_MOST = 200_000
_METHODS: dict[str, Any] = {
    "auto": None, "time-dependent": ORIENTED, "time-dependent-initial": ORIENTED_AT_ZERO, "time-dependent-aligned": WORLD,
    "traditional": TRADITIONAL + ORIENTED, "traditional-aligned": TRADITIONAL + WORLD,
}  # fmt: skip


def bezier_pairs(q: Any, tolerance: float = 1e-6, weights: Any = None, budget: Budget | float | None = None, method: str = "auto",
                 error: float = 0.0, workers: int = 1, executor: Any = None, log: str | PathLike[str] | None = None) -> Batch:
    """Find whether two moving Bezier patches touch for some t in [0, 1], and when first, for n pairs.

    Parameters
    ----------
    q : array_like, (n, 2, 2, N+1, M+1, 3)
        Pair, patch, (control points at t = 0, velocities), index along u, along v, xyz. Patches are closed: their borders and corners
        count.
    tolerance : float, optional
        `tolerance`, a bracket width: that of the time.
    weights : array_like, (n, 2, N+1, M+1), optional
        Positive, constant in time: the points P + t V of rational patches.
    budget : float or Budget, optional
        Seconds for all pairs together (None: 60), or a `Budget`, of which each pair has as many `boxes` to itself; without these, none
        takes more than 200,000. Ctrl-C ends it like a spent budget.
    method : str, optional
        "auto"; or, for comparison, those of Chen et al. 2024 as published: "time-dependent" with oriented bounding boxes whose axes follow
        the motion, "time-dependent-initial" with their axes at t = 0 as printed, "time-dependent-aligned" with axis-aligned boxes;
        "traditional" and "traditional-aligned", their Algorithm 1.
    error : float, optional
        A part of the size. The claims hold for every pair of patches whose control points and velocities differ from those given by at most
        this part of the size (the largest coordinate and the largest velocity of the pair together), and the weights by this part of each.
        Numbers that are no doubles are given so.
    workers : int, optional
        So many threads share the pairs. The answer is the same to the bit.
    executor, log : optional
        As in `contact_batch`.

    Returns
    -------
    Batch
        With `status`, `hit` and `proved` (n,), `time` (n, 2), and `parameters` (n, 4), which are u1, v1, u2, v2, approximately.

    Raises
    ------
    ValueError
        For arrays of other shapes or types, numbers that are not finite, weights that are not positive, a tolerance outside 1e-12 to 1, an
        unknown method, a budget or a number of workers that is not positive; with `log`, for another method than "auto", an `error`, or a
        path that is no folder.

    Notes
    -----
    - No hit: *proved* free of contact.
    - CONTACT: `time` *encloses* the earliest contact, and a contact is *proved* to exist within it.
    - UNRESOLVED: no contact before time[0], and near `parameters` one is neither proved nor excluded, at a size of a hundredth of the
      tolerance.
    - BUDGET_SPENT: no contact before time[0], and one before time[1] where `proved`; this bracket may be wider than the tolerance.

    With the methods of Chen et al. time[0] is the accepted box's, no contact is proved to exist, and every hit is UNRESOLVED.

    Examples
    --------
    A plate falls on another one, which it meets at t = 1/2.

    >>> import numpy as np
    >>> from collide import bezier_pairs
    >>> plate = np.array([[[i, j, 0] for j in range(2)] for i in range(2)], float)
    >>> pair = [[plate, 0 * plate], [plate + [0.25, 0.25, 0.5], 0 * plate - [0, 0, 1]]]
    >>> found = bezier_pairs([pair])
    >>> found.hit.tolist(), bool(found.time[0, 0] <= 0.5 <= found.time[0, 1])
    ([True], True)
    """
    _check_method(method, log)
    clock = Clock(as_budget(budget))
    tolerance, limit = check_tolerance(tolerance, 1e-12), _Limit(as_budget(budget))
    if not (isinstance(error, (int, float, np.number)) and 0 <= error <= _LARGEST_ERROR):
        raise ValueError(f"error must be a number from 0 to {_LARGEST_ERROR:g}, got {shown(error)}")
    q = _checked(q)
    if weights is not None:
        weights = _checked_weights(weights, (len(q), 2, *q.shape[3:5]), "(n, 2, N+1, M+1)")
    proof = patch_logs(log, q, weights, error=error)
    if executor is not None and len(q):
        ask = _ask(bezier_pairs, q, weights, tolerance=tolerance, method=method, error=error, workers=workers)
        return written(fan_out(ask, len(q), executor, Clock(as_budget(budget))), proof, clock)
    for axis in (3, 4):
        if q.shape[axis] == 1:  # a patch of degree 0 is one of degree 1 with equal control points
            q = np.ascontiguousarray(np.repeat(q, 2, axis))
            weights = None if weights is None else np.ascontiguousarray(np.repeat(weights, 2, axis - 1))
    return written(_answer(q, weights, tolerance, limit, _METHODS[method], inherited(float(error), weights), workers), proof, clock)


def bezier_triangle_pairs(q: Any, tolerance: float = 1e-6, weights: Any = None, budget: Budget | float | None = None, method: str = "auto",
                          workers: int = 1, executor: Any = None, log: str | PathLike[str] | None = None) -> Batch:
    """Find whether two moving triangular Bezier patches touch for some t in [0, 1], and when first, for n pairs.

    The same as `bezier_pairs` for sums of N! / (i! j! k!) u^i v^j w^k (P + t V), i + j + k = N, w = 1 - u - v.

    Parameters
    ----------
    q : array_like, (n, 2, 2, (N+1)(N+2)/2, 3)
        Pair, patch, (control points, velocities), those with i = 0 first, in order of j, xyz.
    weights : array_like, (n, 2, (N+1)(N+2)/2), optional
        Positive, constant in time: the points P + t V of rational patches.
    tolerance, budget, method, workers, executor, log : optional
        As in `bezier_pairs`. The methods of Chen et al. take the triangles as they are, split at the middles of their sides.

    Returns
    -------
    Batch
        As `bezier_pairs`.

    Raises
    ------
    ValueError
        As `bezier_pairs`.

    Notes
    -----
    The guarantees are those of `bezier_pairs`.

    With u = s and v = (1 - s) r a triangular patch is a tensor-product patch of degrees N, N over the unit square: its row i is a curve of
    degree N - i, raised to degree N (of a rational patch, weighted points and weights). Raising takes at most N rounds of averages, each in
    error by less than 4 units of 2**-53 of the largest number (two quotients, two products, one sum); a sum of positive weights by 3 units
    of itself. Points P = (w P) / w err by (2 + 7 N) r units, r >= 1 the ratio of the weights: 1 + 4 N for w P, 3 N for w, 1 for the
    quotient. The search takes that into account.

    Examples
    --------
    >>> import numpy as np
    >>> from collide import bezier_triangle_pairs
    >>> flat = np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0]], float)
    >>> pair = [[flat, 0 * flat], [flat + [0, 0, 0.5], 0 * flat - [0, 0, 1]]]
    >>> found = bezier_triangle_pairs([pair])
    >>> found.hit.tolist(), bool(found.time[0, 0] <= 0.5 <= found.time[0, 1])
    ([True], True)
    """
    clock = Clock(as_budget(budget))
    tolerance, limit = check_tolerance(tolerance, 1e-12), _Limit(as_budget(budget))
    q = doubles(q, "q", "(n, 2, 2, (N+1)(N+2)/2, 3)")
    degree = round((2 * q.shape[3] + 0.25) ** 0.5 - 1.5) if q.ndim == 5 else 0
    if q.ndim != 5 or q.shape[1:3] != (2, 2) or q.shape[4] != 3 or degree < 1 or 2 * q.shape[3] != (degree + 1) * (degree + 2):
        raise ValueError(f"q must have the shape (n, 2, 2, (N+1)(N+2)/2, 3) with N >= 1, got {q.shape}")
    _check_size(q)
    _check_method(method, log)
    if weights is not None:
        weights = _checked_weights(weights, (len(q), 2, q.shape[3]), "(n, 2, (N+1)(N+2)/2)")
    proof = patch_logs(log, q, weights, triangles=True)
    if executor is not None and len(q):
        ask = _ask(bezier_triangle_pairs, q, weights, tolerance=tolerance, method=method, workers=workers)
        return written(fan_out(ask, len(q), executor, Clock(as_budget(budget))), proof, clock, triangles=True)
    if method != "auto":
        return _triangle_baseline(q, weights, tolerance, limit, _METHODS[method]).answer()
    squares, heavy, error = _squared(q, degree, weights)
    answer = _answer(squares, heavy, tolerance, limit, None, error, workers)
    answer.parameters[:, 1::2] *= 1 - answer.parameters[:, ::2]
    return written(answer, proof, clock, triangles=True)


def _ask(query: Callable[..., Batch], q: np.ndarray, weights: np.ndarray | None, **options: Any) -> Ask[Batch]:
    """The query about some of the pairs."""
    return lambda lo, hi: partial(query, q[lo:hi], weights=None if weights is None else weights[lo:hi], **options)


def inherited(error: float, weights: np.ndarray | None) -> float:
    """The value of `PairsMemory.error` where control points and velocities are in error by this part of the size, and each weight by this
    part of itself: at least twice the effect on a surface, and 1 / (1 + d) of the effect on derivatives, d the degree.

    Polynomial patches: the surface errs by `error`, derivatives in u and v by 2 d `error`. Rational ones with the ratio r of the
    largest weight to the least: the sizes of the derivatives of the basis functions add up to at most 3 d r, so errors of points
    count 3 d r times. Errors of weights change basis functions by 2.1 `error` in sum and their derivatives by 9.1 d r `error`.
    Together 3.1 and 12.1 d r; the search adds this to the first and 2 (1 + d) times this to the second, so 6.1 r would do.
    """
    if weights is None or len(weights) == 0:
        return 2 * error
    w = weights.reshape(len(weights), -1)
    return 13 * float((w.max(axis=1) / w.min(axis=1)).max()) * error


def _squared(q: np.ndarray, degree: int, weights: Any = None) -> tuple[np.ndarray, np.ndarray | None, float]:
    """Triangular patches as tensor-product patches, their weights, and what `PairsMemory.error` asks for."""
    units, heavy = 4.0 * degree, None
    if weights is None:
        squares = squares_of(q, degree)
    else:
        w = weights[:, :, None, :, None]
        heavy = squares_of(w, degree)
        squares, heavy = np.ascontiguousarray(squares_of(w * q, degree) / heavy), np.ascontiguousarray(heavy[:, :, 0, ..., 0])
        units = (2.0 + 7 * degree) * float((w.max(axis=(1, 3)) / w.min(axis=(1, 3))).max(initial=1.0))
    # The size of what was raised may be a little smaller.
    sizes = [np.abs(x).max(axis=(1, *range(3, x.ndim)), initial=0.0).sum(axis=1) for x in (q, squares)]
    shrunk = float((sizes[0] / np.maximum(sizes[1], 2.0**-900)).max(initial=1.0))
    return squares, heavy, inherited(units * 2.0**-53 * shrunk, heavy)


def squares_of(q: np.ndarray, degree: int) -> np.ndarray:
    """The rows of triangles as rows of squares; the last axis is that of coordinates, the one before it of control points."""
    out = np.empty((*q.shape[:3], degree + 1, degree + 1, q.shape[-1]))
    first = 0
    for i in range(degree + 1):
        row = q[..., first:first + degree + 1 - i, :]
        first += degree + 1 - i
        while row.shape[3] <= degree:
            m = row.shape[3]
            share = (np.arange(m + 1) / m)[:, None]
            ends = np.concatenate([row[..., :1, :], row, row[..., -1:, :]], axis=3)
            row = share * ends[..., :-1, :] + (np.arange(m, -1, -1) / m)[:, None] * ends[..., 1:, :]
        out[..., i, :, :] = row
    return out


def _check_method(method: str, log: Any) -> None:
    if not isinstance(method, str) or method not in _METHODS:
        raise ValueError(f"method must be one of {', '.join(_METHODS)}, got {shown(method)}")
    if log is not None and method != "auto":
        raise ValueError(f'no log can be written with method="{method}"; take "auto"')


class _Limit:
    """A budget being spent by one call, in one thread or several; `tests`: the most of a pair."""

    def __init__(self, budget: Budget) -> None:
        self._end = math.inf if budget.seconds is None else perf_counter() + budget.seconds
        self.tests = _MOST if budget.boxes is None else int(budget.boxes)
        self.interrupted = False

    @property
    def over(self) -> bool:
        return self.interrupted or interrupted() or perf_counter() > self._end

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """End the work within this context when the time is up, or by Ctrl-C."""
        try:
            with limited(lambda: self._end - perf_counter()):
                yield
                self.interrupted = self.interrupted or interrupted()
        except KeyboardInterrupt:
            self.interrupted = True
        except TimeUp:
            self.interrupted = self.interrupted or perf_counter() < self._end


def _checked(q: Any) -> np.ndarray:
    q = doubles(q, "q", "(n, 2, 2, N+1, M+1, 3)")
    if q.ndim != 6 or q.shape[1:3] != (2, 2) or q.shape[5] != 3 or 0 in q.shape[3:5]:
        raise ValueError(f"q must have the shape (n, 2, 2, N+1, M+1, 3), got {q.shape}")
    _check_size(q)
    return q


def _check_size(q: np.ndarray) -> None:
    largest = np.abs(q).max(initial=0.0)
    if not largest < np.inf:
        bad = int(np.argmin(np.isfinite(q).reshape(len(q), -1).all(axis=1)))
        raise ValueError(f"control points and velocities must be finite, those of pair {bad} are not")
    if largest > _LARGEST:
        raise ValueError(f"control points and velocities must not exceed 2**150 in size, got {largest:g}")


def _checked_weights(weights: Any, expected: tuple[int, ...], shape: str) -> np.ndarray:
    w = doubles(weights, "weights", shape)
    if w.shape != expected:
        raise ValueError(f"weights must have the shape {expected} to match q, got {w.shape}")
    if not (np.isfinite(w).all() and (w > 0).all()):
        raise ValueError("weights must be positive and finite: with others a patch may leave the hull of its control points")
    least, greatest = w.min(initial=1.0), w.max(initial=1.0)
    if not (least >= 1 / _HEAVIEST and greatest <= _HEAVIEST):
        raise ValueError(f"weights must lie between 2**-30 and 2**30, got {least:g} to {greatest:g}")
    # Those of a patch times a power of two, which is exact, are the same patch: here the largest is from 1 to 2.
    largest = w.max(axis=tuple(range(2, w.ndim)), initial=1.0 / _HEAVIEST, keepdims=True)
    return np.ldexp(w, 1 - np.frexp(largest)[1])


@functools.cache
def _kernels(N: int, M: int, rational: bool) -> dict[str, int]:
    """Addresses, as the memory calls them."""
    return {"measure": kernels.measure(N, M, rational), "split_u": kernels.split(N, M, rational, False),
            "split_v": kernels.split(N, M, rational, True), "test": kernels.test(N, M, rational),
            "test_halves": kernels.test(N, M, rational, 2, 1), "test_both": kernels.test(N, M, rational, 2, 2),
            "evaluate": kernels.evaluate(N, M), "enclose": enclose(N, M, rational), "krawczyk": linear.krawczyk(3),
            "neighbourhood": neighbourhood(N, M, rational), "certificate": certificate()}


def _answer(q: np.ndarray, weights: np.ndarray | None, tolerance: float, limit: _Limit, axes: int | None, error: float,
            workers: int) -> Batch:
    """In `workers` threads, each with a memory of its own; a pair is solved in the same way wherever it stands in a batch."""
    if not (isinstance(workers, (int, np.integer)) and workers > 0):
        raise ValueError(f"workers must be a positive number of threads, got {shown(workers)}")
    count, ready = min(int(workers), max(len(q), 1)), False
    with limit.working():
        # Resolved here, so that threads need not compile.
        ready = bool(_kernels(q.shape[3] - 1, q.shape[4] - 1, weights is not None) and compiled(search if axes is None else baseline))
    if not ready:
        return _unsearched(len(q))
    if count == 1:
        return _Search(q, weights, tolerance, limit, axes, error).answer()
    parts = [slice(len(q) * k // count, len(q) * (k + 1) // count) for k in range(count)]
    searches = [_Search(q[p], None if weights is None else weights[p], tolerance, limit, axes, error) for p in parts]
    from concurrent.futures import ThreadPoolExecutor, wait  # takes long to import

    with ThreadPoolExecutor(count) as pool:
        running = [pool.submit(s.answer) for s in searches]
        try:
            wait(running)
        except KeyboardInterrupt:
            limit.interrupted = True
    answers = [r.result() for r in running]
    return joined(answers)


def _unsearched(n: int) -> Batch:
    """The answer for n pairs of which nothing is known."""
    return Batch(statuses(np.full(n, memory.SPENT)), np.ones(n, bool), np.tile([0.0, 1.0], (n, 1)), np.full((n, 4), np.nan),
                 np.zeros(n, bool), np.zeros(n, np.int64))


def _triangle_baseline(q: np.ndarray, weights: np.ndarray | None, tolerance: float, limit: _Limit, axes: int) -> "_Search":
    """The method of Chen et al. for triangular patches with q and weights as in `bezier_triangle_pairs`."""
    degree, rational = round((2 * q.shape[3] + 0.25) ** 0.5 - 1.5), weights is not None
    own = {"measure": bezier_triangle.measure(degree, rational), "split_u": bezier_triangle.quarter(degree, rational)}
    return _Search(q[:, :, :, :, None], weights, tolerance, limit, axes, own=own)


class _Search:
    """The memory of a search over all pairs of a batch, and its answers; `own`: other kernels than those of `_kernels`."""

    def __init__(self, q: np.ndarray, weights: np.ndarray | None, tolerance: float, limit: _Limit, axes: int | None = None,
                 error: float = 0.0, own: Mapping[str, int] | None = None) -> None:
        self.axes, self.limit, self.given = axes, limit, (q, weights)
        n, N, M = len(q), q.shape[3] - 1, q.shape[4] - 1
        points, rational = (N + 1) * (M + 1), weights is not None
        self.found = np.zeros(n, row_type(PairsMemory, PatchPair))
        self.time, self.parameters = np.full((n, 2), np.nan), np.full((n, 4), np.nan)
        self.arrays = Memory(PairsMemory if axes is None else AxesMemory, {
            "pairs": 0, "points": points, "record": points + kernels.MEASURES, "node_room": _NODES, "box_room": _BOXES})
        for name, values in (("pair", self.found), ("q", q), ("weights", weights), ("time", self.time), ("parameters", self.parameters)):
            if values is not None:
                self.arrays.refer(name, values.ctypes.data)
        numbers = {**(_kernels(N, M, rational) if own is None else own), "rational": rational, "degree": max(N, M), "most": limit.tests,
                   "tolerance": tolerance, "error": error}
        if axes is not None:
            numbers["test"] = (swept if axes >= TRADITIONAL else apart)(points, rational)
        for name, value in numbers.items():
            self.arrays.set(name, value)
        self.loop = compiled(search if axes is None else baseline)

    def run(self) -> None:
        """All pairs, some at a time; one that runs out of memory is begun again with more. Of those that the time does not suffice for
        nothing is known.
        """
        done, n, part = 0, len(self.found), FIRST_PART
        with self.limit.working():
            while done < n and not self.limit.over:
                begin, first, last = perf_counter(), done, min(n, done + part)
                done = self.advance(done, last)
                if done < last:
                    self.more_room()
                part = next_part(max(done - first, 1), perf_counter() - begin)
        self.found["verdict"][done:], self.found["proved"][done:] = memory.SPENT, 0
        self.time[done:], self.parameters[done:] = (0.0, 1.0), np.nan

    def more_room(self) -> None:
        """Four times as much."""
        for size in 2 * ("node_room", "box_room"):
            self.arrays.double(size)

    def advance(self, first: int, last: int) -> int:
        return self.loop(self.arrays.address, first, last, *(() if self.axes is None else (self.axes,)))

    def answer(self) -> Batch:
        self.run()
        verdict = self.found["verdict"]
        return Batch(statuses(verdict), verdict != memory.MISS, self.time, self.parameters, self.found["proved"] > 0,
                     self.found["tests"].copy())
