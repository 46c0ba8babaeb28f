"""Earliest contact of moving Bezier patches, for arrays of pairs.

Patches are tensor-product Bezier surfaces of any degrees, polynomial or rational with positive weights; every control point
moves at constant velocity, t in [0, 1]. See `bezier_loop` for the search, `bezier_kernel` for what is rounded and why it
may be believed, `bezier_local` for the proofs.
"""

import functools
from typing import Any

import numpy as np

from codegen import linear

from . import bezier_kernel as kernels
from . import bezier_memory as memory
from .batch import Batch, as_doubles, check_tolerance, statuses
from .bezier_loop import search
from .bezier_memory import FIELDS, LANES
from .native import compiled

_FIELDS = tuple(FIELDS.items())
# Products of up to four coordinates and velocities must stay finite, and what is neglected stay below rounding.
_LARGEST, _HEAVIEST = 2.0**150, 2.0**30
_NODES, _BOXES = 1 << 11, 1 << 12
_BUDGET = 200_000


def bezier_pairs(q: Any, tolerance: float = 1e-6, weights: Any = None, budget: int = _BUDGET) -> Batch:
    """Do two moving Bezier patches touch for some t in [0, 1], and when first?

    q (n, 2, 2, N+1, M+1, 3): pair, patch, (control points at t = 0, velocities), index along u, along v, xyz. `weights`
    (n, 2, N+1, M+1), positive, constant in time: the points P + t V of rational patches. Patches are closed: their
    borders and corners count.

    No hit is *proved* free of contact. CONTACT: `time` holds the earliest contact, and a contact is *proved* to exist within it;
    `parameters` (n, 4) are u1, v1, u2, v2 there, approximately. UNRESOLVED: no contact before time[0], and near
    `parameters` one is neither proved nor excluded, at a size of a hundredth of the tolerance. BUDGET_SPENT after `budget`
    tests: no contact before time[0], one before time[1] if `proved`.
    """
    tolerance = check_tolerance(tolerance, 1e-12)
    q = _checked(q, "q")
    if weights is not None:
        weights = _checked_weights(weights, q.shape)
    if not (isinstance(budget, (int, np.integer)) and budget > 0):
        raise ValueError(f"budget must be a positive number of tests, got {budget!r}")
    for axis in (3, 4):
        if q.shape[axis] == 1:  # a patch of degree 0 is one of degree 1 with equal control points
            q = np.ascontiguousarray(np.repeat(q, 2, axis))
            weights = None if weights is None else np.ascontiguousarray(np.repeat(weights, 2, axis - 1))
    s = _Search(q, weights, tolerance, budget)
    s.run()
    verdict = s.arrays["verdict"]
    hit = verdict != memory.MISS
    return Batch(statuses(verdict), hit, s.arrays["time"], s.arrays["parameters"], s.proved(), s.arrays["tests"])


def _checked(q: Any, name: str) -> np.ndarray:
    q = as_doubles(q, name, "(n, 2, 2, N+1, M+1, 3)")
    if q.ndim != 6 or q.shape[1:3] != (2, 2) or q.shape[5] != 3 or 0 in q.shape[3:5]:
        raise ValueError(f"q must have the shape (n, 2, 2, N+1, M+1, 3), got {q.shape}")
    largest = np.abs(q).max(initial=0.0)
    if not largest < np.inf:
        bad = int(np.argmin(np.isfinite(q).all(axis=(1, 2, 3, 4, 5))))
        raise ValueError(f"control points and velocities must be finite, those of pair {bad} are not")
    if largest > _LARGEST:
        raise ValueError(f"control points and velocities must not exceed 2**150 in size, got {largest:g}")
    return q


def _checked_weights(weights: Any, shape: tuple[int, ...]) -> np.ndarray:
    w = as_doubles(weights, "weights", "(n, 2, N+1, M+1)")
    expected = (shape[0], 2, *shape[3:5])
    if w.shape != expected:
        raise ValueError(f"weights must have the shape {expected} to match q, got {w.shape}")
    if not (np.isfinite(w).all() and (w > 0).all()):
        raise ValueError("weights must be positive and finite: with others a patch may leave the hull of its control points")
    least, greatest = w.min(initial=1.0), w.max(initial=1.0)
    if not (least >= 1 / _HEAVIEST and greatest <= _HEAVIEST):
        raise ValueError(f"weights must lie between 2**-30 and 2**30, got {least:g} to {greatest:g}")
    return w


@functools.cache
def _kernels(N: int, M: int, rational: bool) -> list[int]:
    """Addresses in the order of `memory`, from MEASURE to KRAWCZYK."""
    return [kernels.measure(N, M, rational), kernels.split(N, M, rational, False), kernels.split(N, M, rational, True),
            kernels.test(N, M, rational), kernels.evaluate(N, M), kernels.enclose(N, M, rational), linear.krawczyk(3)]


class _Search:
    """The arrays of a search over all pairs of a batch, and their addresses."""

    def __init__(self, q: np.ndarray, weights: np.ndarray | None, tolerance: float, budget: int) -> None:
        n, N, M = len(q), q.shape[3] - 1, q.shape[4] - 1
        points = (N + 1) * (M + 1)
        self.record = (points + kernels.MEASURES) * LANES
        blocks = {"D": 6, "C": 5, "X": 10, "f": 6, "J": 30, "c": 3, "Y": 6, "A": 18, "K": 6, "flag": 1, "E": 6}
        rest = {"count": memory.COUNTS, "real": memory.REALS, "T": 3, "out": 2, "x": 5, "held": 5, "S": 36, "R": 18, "F": 3,
                "G": 15, "multiplier": 3, "normal": 3, "H": 72, "columns": 3, "best": 4}
        sizes: dict[str, Any] = {**rest, **{k: v * LANES for k, v in blocks.items()}, "verdict": n, "tests": n}
        self.arrays = {name: np.zeros(sizes[name], np.int64 if kind is int else np.float64)
                       for name, kind in FIELDS.items() if name in sizes}
        self.arrays |= {"q": q, "weights": np.ones(1) if weights is None else weights, "time": np.full((n, 2), np.nan),
                        "parameters": np.full((n, 4), np.nan)}
        count = self.arrays["count"]
        count[:memory.KRAWCZYK + 1] = _kernels(N, M, weights is not None)
        for name, value in ((memory.POINTS, points), (memory.RATIONAL, weights is not None), (memory.DEGREE, max(N, M)),
                            (memory.QUERIES, q.ctypes.data), (memory.WEIGHTS, self.arrays["weights"].ctypes.data),
                            (memory.BUDGET, budget)):
            count[name] = value
        self.arrays["real"][memory.TOLERANCE] = tolerance
        self.make_room(_NODES, _BOXES)

    def make_room(self, nodes: int, boxes: int) -> None:
        a, count = self.arrays, self.arrays["count"]
        a |= {"node": np.zeros(nodes * self.record), "child": np.zeros(nodes, np.int64), "depth": np.zeros(nodes, np.int64),
              "radius": np.zeros(nodes), "rectangle": np.zeros(4 * nodes), "pair": np.zeros(2 * boxes, np.int64),
              "window": np.zeros(2 * boxes), "heap": np.zeros(boxes, np.int64), "free": np.arange(boxes)}
        count[[memory.ROOM_NODES, memory.ROOM_BOXES, memory.FREE, memory.OPEN]] = nodes, boxes, boxes, 0
        count[memory.BASE] = a["node"].ctypes.data
        self.addresses = np.array([a[name].ctypes.data for name in FIELDS])

    def run(self) -> None:
        """All pairs; one that runs out of memory is begun again with more."""
        done, n = 0, len(self.arrays["q"])
        while done < n:
            done = compiled(search, 2, _FIELDS)(self.addresses.ctypes.data, done, n)
            if done < n:
                count = self.arrays["count"]
                self.make_room(4 * int(count[memory.ROOM_NODES]), 4 * int(count[memory.ROOM_BOXES]))

    def proved(self) -> np.ndarray:
        verdict = self.arrays["verdict"]
        proved: np.ndarray = verdict == memory.CONTACT
        return proved
