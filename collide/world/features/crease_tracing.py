"""The edges of combined implicit bodies are followed from points near them, from end to end, or round; corners are where they end."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from generative.combination import Combination

from .creases import Crease, Facet, Line, Sides, field
from .local_geometry import Part, dots, onto, units
from .straight import CornerPoint

# Steps along an edge, against the spacing of points of faces, and at most so many; edges have no fewer points. Halvings towards an end.
_STEP, _MOST, _LEAST, _HALVINGS = 0.5, 2048, 24, 50
# From where edges are found, against that spacing; what is one point, against size; and at corners, what of other leaves is not.
_BESIDE, _SAME, _NEAR = 2.0, 1e-9, 1e-6


class _UnclearError(Exception):
    """It is not known how an edge goes on."""


class TracedEdge(NamedTuple):
    """Points (n, 3) of an edge, in order; `closed`: the last goes on to the first."""

    points: np.ndarray
    closed: bool


def faces_and_edges(body: Combination, middle: np.ndarray) -> tuple[Part, ...] | None:
    """Faces, and edges and corners that stick out, of a body that is combined of smooth ones; None where it is not clear how edges go on.
    Hollow edges touch nothing.
    """
    sides = Sides(body)
    if any(leaf.deforming for leaf in sides.leaves) or any(
            a.complement() == b for k, a in enumerate(sides.leaves) for b in sides.leaves[:k]):
        return None
    facets = [Facet(sides, k, middle) for k in range(len(sides.leaves))]
    size = max((float(np.abs(f.points).max()) for f in facets if len(f.points)), default=0.0)
    try:
        edges = [(line, trace) for line, near, step in _lines(facets, sides, size) for trace in _traces(line, near, step)]
        corners = list(_corners(sides, edges, middle, size))
    except _UnclearError:
        return None
    return (*corners, *(Crease(line, middle, trace.points, trace.closed) for line, trace in edges), *(f for f in facets if len(f.points)))


def _lines(facets: list[Facet], sides: Sides, size: float) -> Iterator[tuple[Line, np.ndarray, float]]:
    """Pairs of leaves that meet, points of both, and how long steps are there."""
    for i, one in enumerate(facets):
        high = sides.heights(one.all_cells) if len(one.all_cells) else np.empty((0, len(facets)))
        for j in range(len(facets)):
            near = one.all_cells[np.abs(high[:, j]) <= _BESIDE * one.spacing] if j != i else one.all_cells[:0]
            # From both sides: one may have points that the other one has not.
            if len(near) and (j > i or not (np.abs(sides.heights(facets[j].all_cells)[:, i]) <= _BESIDE * facets[j].spacing).any()):
                line = Line(sides, (min(i, j), max(i, j)), size)
                found = line.onto(near)
                yield line, found[np.isfinite(found).all(axis=1)], _STEP * min(one.spacing, facets[j].spacing)


def _traces(line: Line, near: np.ndarray, step: float) -> Iterator[TracedEdge]:
    left = near[line.off(near) < 0.0] if len(near) else near
    while len(left):
        trace = _trace(line, left[0], step)
        left = left[np.linalg.norm(left[:, None] - trace.points, axis=2).min(axis=1) > step]
        yield trace if len(trace.points) >= _LEAST else _trace(line, trace.points[len(trace.points) // 2],
                                                               step * max(len(trace.points) - 1, 1) / (2.0 * _LEAST))


def _trace(line: Line, start: np.ndarray, step: float) -> TracedEdge:
    forward, closed = _walk(line, start, step)
    if closed:
        return TracedEdge(forward, True)
    backward, _ = _walk(line, start, -step)
    return TracedEdge(np.concatenate([backward[:0:-1], forward]), False)


def _walk(line: Line, start: np.ndarray, step: float) -> tuple[np.ndarray, bool]:
    """From a place on an edge to its end, or to that place again."""
    found = [start]
    for _ in range(_MOST):
        after = _on(line, found[-1], step)
        if line.off(after[None])[0] >= 0.0:
            found.append(_last(line, found[-1], step))
            return np.array(found), False
        if len(found) > 2 and _between(found[-1], after, start):
            return np.array(found), True
        found.append(after)
    raise _UnclearError


def _on(line: Line, at: np.ndarray, step: float) -> np.ndarray:
    found = line.onto((at + step * line.tangents(at[None])[0])[None])[0]
    if not np.isfinite(found).all() or np.linalg.norm(found - at) > 2.0 * abs(step):
        raise _UnclearError
    return np.asarray(found)


def _between(before: np.ndarray, after: np.ndarray, point: np.ndarray) -> bool:
    way = after - before
    along = (point - before) @ way / (way @ way)
    return bool(0.0 < along <= 1.0 and np.linalg.norm(before + along * way - point) <= np.linalg.norm(way) / 2.0)


def _last(line: Line, at: np.ndarray, step: float) -> np.ndarray:
    """The end, which comes before a step is done."""
    lo, hi = 0.0, step
    for _ in range(_HALVINGS):
        half = (lo + hi) / 2.0
        lo, hi = (half, hi) if line.off(_on(line, at, half)[None])[0] < 0.0 else (lo, half)
    return _on(line, at, hi)


def _corners(sides: Sides, edges: list[tuple[Line, TracedEdge]], middle: np.ndarray, size: float) -> Iterator[CornerPoint]:
    """The ends of edges at which three leaves meet and the body is inside where all of these are."""
    known = np.empty((0, 3))
    for line, trace in edges:
        for end in () if trace.closed else (trace.points[0], trace.points[-1]):
            high = np.abs(sides.heights(end[None])[0])
            others = [k for k in np.flatnonzero(high <= _NEAR * size) if k not in line.own]
            if len(others) != 1:
                raise _UnclearError
            own = (*line.own, int(others[0]))
            point, normals = _corner(sides, own, end, size)
            if len(known) and np.linalg.norm(known - point, axis=1).min() <= _SAME * size:
                continue
            known = np.concatenate([known, point[None]])
            if sides.off(own, sides.heights(point[None]))[0] < 0.0:
                yield CornerPoint(point - middle, normals)


def _corner(sides: Sides, own: tuple[int, ...], near: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """The point where three leaves meet, and their normals there."""
    kernel = field([sides.leaves[k] for k in own])

    def way(at: np.ndarray) -> np.ndarray:
        rows = kernel.points(at).reshape(len(at), 3, 4)
        return -dots(np.linalg.pinv(rows[..., 1:]), rows[..., 0])

    found = onto(near[None], way, 1e-15 * size, 60)
    if not np.isfinite(found).all() or np.linalg.norm(found[0] - near) > _NEAR * size:
        raise _UnclearError
    return found[0], units(kernel.points(found).reshape(3, 4)[:, 1:])
