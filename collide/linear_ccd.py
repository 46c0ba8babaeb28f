"""First contact of moving edges, and of moving points and triangles, for arrays of queries, decided exactly.

Every point moves from its place at t = 0 to its place at t = 1 at constant velocity; coordinates are taken as the rational
numbers that doubles are. A rounded search decides nearly all queries (`linear_loop`); what it leaves open, touches and
near misses beyond the resolution of doubles, is decided in integers (`linear_exact`). So there is neither a false negative
nor a false positive. Edges of no length and triangles without area are legal.
"""

import functools
from typing import Any

import numpy as np

from . import linear_exact
from .batch import Batch, as_doubles, check_tolerance, statuses
from .linear_kernel import window_kernel
from .linear_loop import COLUMNS, FIELDS, HIT, LANES, ROOM, UNDECIDED, search
from .native import compiled

# Below this size no product of four coordinates and a direction of degree two to three overflows.
_LARGEST = 2.0**100
_FIELDS = tuple(FIELDS.items())
# Room for a, b, out and the stack.
_BLOCKS = 5 * LANES + COLUMNS * ROOM


def edge_edge(q: Any, tolerance: float = 1e-6) -> Batch:
    """Do two moving edges meet for some t in [0, 1], and when first?

    q (n, 8, 3): a0, a1, b0, b1 at t = 0, then at t = 1. `parameters` (n, 2): fractions along the edges a and b. `hit` is
    exact, every hit is proved, and the bracket `time` holds the least time of contact.
    """
    return _first_contacts(q, tolerance, False)


def vertex_face(q: Any, tolerance: float = 1e-6) -> Batch:
    """Does a moving point meet a moving triangle, border included, for some t in [0, 1], and when first?

    q (n, 8, 3): the point and f0, f1, f2 at t = 0, then at t = 1. `parameters` (n, 2): the barycentric weights of f1
    and f2. `hit` is exact, every hit is proved, and the bracket `time` holds the least time of contact.
    """
    return _first_contacts(q, tolerance, True)


def _first_contacts(q: Any, tolerance: float, face: bool) -> Batch:
    tolerance = check_tolerance(tolerance, 1e-14)
    q = as_doubles(q, "q", "(n, 8, 3)")
    if q.ndim != 3 or q.shape[1:] != (8, 3):
        raise ValueError(f"q must have the shape (n, 8, 3), got {q.shape}")
    largest = np.abs(q).max(initial=0.0)
    if not largest < np.inf:
        raise ValueError(f"q must be finite, query {int(np.argmin(np.isfinite(q).all(axis=(1, 2))))} is not")
    n = len(q)
    found, counts = np.full((2, n, 2), np.nan), np.zeros((2, n), np.int64)
    time, parameters = found
    verdict, tests = counts
    if largest > _LARGEST:
        verdict[:] = UNDECIDED
        undecided = n
    else:
        undecided = _search(q, tolerance, face, found, counts)
    if undecided:
        _decide(q, tolerance, face, time, parameters, verdict)
    hit = verdict == HIT
    return Batch(statuses(verdict), hit, time, parameters, hit, tests)


def _search(q: np.ndarray, tolerance: float, face: bool, found: np.ndarray, counts: np.ndarray) -> int:
    """The rounded search, into time and parameters (`found`) and verdict and tests (`counts`); how many queries it leaves
    undecided.
    """
    kernel, run = _prepared(face)
    n = len(q)
    scratch = np.empty(len(FIELDS) + 3 + _BLOCKS, np.int64)
    own, out, ints = scratch.ctypes.data, found.ctypes.data, counts.ctypes.data
    head = 8 * len(FIELDS)
    blocks = own + head + 24
    scratch[:len(FIELDS) + 2] = (
        own + head, own + head + 16, blocks, blocks + 8 * LANES, blocks + 16 * LANES, blocks + 40 * LANES,
        out, out + 16 * n, ints, ints + 8 * n, kernel, q.ctypes.data)  # fmt: skip
    scratch[len(FIELDS) + 2:len(FIELDS) + 3].view(np.float64)[0] = tolerance
    return run(own, n)


@functools.cache
def _prepared(face: bool) -> tuple[int, Any]:
    return window_kernel(face), compiled(search, 1, _FIELDS)


def _decide(q: np.ndarray, tolerance: float, face: bool, time: np.ndarray, parameters: np.ndarray, verdict: np.ndarray) -> None:
    """The exact method for all undecided queries."""
    which = np.flatnonzero(verdict == UNDECIDED)
    for k, points in zip(which.tolist(), linear_exact.integers(q[which]), strict=True):
        found = linear_exact.answer(points, face, tolerance)
        verdict[k] = found is not None
        if found is not None:
            time[k], parameters[k] = found
