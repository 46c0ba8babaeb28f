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
# The points of the queries of two triangles.
_FACES = np.array([[p, *face, p + 6, *(k + 6 for k in face)]
                   for face, points in (((3, 4, 5), (0, 1, 2)), ((0, 1, 2), (3, 4, 5))) for p in points])
_EDGES = np.array([[i, (i + 1) % 3, 3 + j, 3 + (j + 1) % 3, 6 + i, 6 + (i + 1) % 3, 9 + j, 9 + (j + 1) % 3]
                   for i in range(3) for j in range(3)])
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


def triangle_triangle(q: Any, tolerance: float = 1e-6) -> Batch:
    """When do two moving triangles that start apart first meet? The earliest of six vertex-face and nine edge-edge contacts.

    q (n, 12, 3): a0, a1, a2, b0, b1, b2 at t = 0, then at t = 1. `parameters` (n, 4): the weights of a1, a2 and of b1, b2.
    Exact as the queries are. Triangles that pierce each other at t = 0 meet before any of these contacts: for them the answer is
    that of the queries.
    """
    q = as_doubles(q, "q", "(n, 12, 3)")
    if q.ndim != 3 or q.shape[1:] != (12, 3):
        raise ValueError(f"q must have the shape (n, 12, 3), got {q.shape}")
    n = len(q)
    faces = vertex_face(q[:, _FACES].reshape(6 * n, 8, 3), tolerance)
    edges = edge_edge(q[:, _EDGES].reshape(9 * n, 8, 3), tolerance)
    time = np.concatenate([faces.time.reshape(n, 6, 2), edges.time.reshape(n, 9, 2)], axis=1)
    tests = faces.tests.reshape(n, 6).sum(axis=1) + edges.tests.reshape(n, 9).sum(axis=1)
    hit = np.isfinite(time[:, :, 0]).any(axis=1)
    first = np.where(np.isnan(time[:, :, 0]), np.inf, time[:, :, 0]).argmin(axis=1)
    bracket = np.where(hit[:, None], np.where(np.isnan(time), np.inf, time).min(axis=1), np.nan)
    own = np.concatenate([faces.parameters.reshape(n, 6, 2), edges.parameters.reshape(n, 9, 2)], axis=1)[np.arange(n), first]
    return Batch(statuses(hit.astype(np.int64)), hit, bracket, _weights(first, own), hit, tests)


def _weights(first: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Weights of a1, a2, b1, b2 from the parameters of the query that came first."""
    n = len(first)
    corner = np.eye(3)
    out = np.empty((n, 2, 3))
    for k in range(15):
        rows = np.flatnonzero(first == k)
        x, y = own[rows].T[:, :, None]
        if k < 6:
            side, vertex = divmod(k, 3)
            out[rows, side], out[rows, 1 - side] = corner[vertex], (1 - x - y) * corner[0] + x * corner[1] + y * corner[2]
        else:
            for side, (start, share) in enumerate(zip(divmod(k - 6, 3), (x, y), strict=True)):
                out[rows, side] = (1 - share) * corner[start] + share * corner[(start + 1) % 3]
    return out[:, :, 1:].reshape(n, 4)


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
