"""Batch filter: pairs of triangles that may meet in a stretch of time.

Where two meshes cross there are thousands of pairs of triangles near each other, and of their edges and vertices, most of which do nothing.
All of a kind are one problem with rows of numbers: bounds of its equations, over a few parts of the time of each row, are those of
thousands in a call of native code, and so are short searches of what these do not exclude. What is left then is a problem by itself.
"""

from dataclasses import replace

import numpy as np

from ..bodies.mesh_cells import Triangles
from ..bodies.mesh_rows import corners_of
from ..culling.broad_phase import Window
from ..search.clock import CONVERTING
from ..search.problem import Problem
from ..search.rows import Instances, RowSearch
from .evidence import SceneQuery, within
from .near_triangles import Bundle, CellPairs, own_columns
from .situated import Meeting

# Effort only: so many pairs are sieved, so many of them at a time, in so many parts of their time; and where so many are left, they are
# searched in so many steps each.
_MANY, _AT_ONCE, _PARTS, _SOME, _STEPS = 128, 1 << 12, (1, 4, 16), 16, 60


def near_in(query: SceneQuery, span: Window) -> list[Meeting] | None:
    """The meetings that may be within a span; None if the time is up before they are known."""
    found = [m for m in query.scene.of_parts(span[1]) if within(m, span)]
    for bundle in query.scene.bundles:
        rows: CellPairs | None = bundle.until(span[1])
        if rows is not None and len(rows.begin) > _MANY:
            rows = _sieved(query, bundle, rows, span)
        if rows is None:
            return None
        found += [m for m in bundle.meetings(rows) if within(m, span)]
    return sorted(found, key=lambda m: m.window[0])


def _sieved(query: SceneQuery, bundle: Bundle, rows: CellPairs, span: Window) -> CellPairs | None:
    """The rows that are not *proved* to do nothing within a span, each with the time from which on it may; None if the time is up."""
    kinds, which = np.unique(rows.kinds, axis=0, return_inverse=True)
    rows, begin = rows._replace(begin=np.maximum(rows.begin, span[0])), np.full(len(rows.begin), np.inf)
    for kind in range(len(kinds)):
        own = np.flatnonzero(which.ravel() == kind)
        for first in range(0, len(own), _AT_ONCE):
            if query.clock.over:
                return None
            some = own[first:first + _AT_ONCE]
            problem, instances = _instances(query, bundle, rows.some(some), span)
            begin[some] = _begin(problem, instances)
            left = np.flatnonzero(np.isfinite(begin[some]))
            if len(left) > _SOME:
                begin[some[left]] = _searched(query, problem, instances.some(left), begin[some[left]])
    return rows._replace(begin=begin).some(begin <= span[1])


def _instances(query: SceneQuery, bundle: Bundle, rows: CellPairs, span: Window) -> tuple[Problem, Instances]:
    """The situation of pairs of one kind over a span, each from its time on."""
    # Where its borders count from some time on, they do for all that come later.
    scene, (m,) = query.scene, bundle.meetings(rows.some(np.array([rows.begin.argmin()])))
    with query.clock.doing(CONVERTING):
        problem = scene.problem(m, span)
        columns = own_columns(m, scene.kind(m)[1])
    numbers = np.repeat(problem.parameters[None], len(rows.begin), axis=0)
    for side, whole in enumerate((bundle.whole.first, bundle.whole.second)):
        if isinstance(whole, Triangles):
            corners = corners_of(whole.mesh, rows.kinds[0, side], rows.numbers[:, side])
            numbers[:, columns[side]] = corners.reshape(len(corners), -1, 1)
    outer, inner = (np.repeat(box[None], len(rows.begin), axis=0) for box in (problem.outer, problem.inner))
    outer[:, problem.objective, 0] = inner[:, problem.objective, 0] = rows.begin
    return problem, Instances(outer, inner, numbers)


def _begin(problem: Problem, instances: Instances) -> np.ndarray:
    """(n,): times before which instances have no zero, infinite where they have none. Bounds of the equations exclude it in one part after
    the other of the time of an instance; where they do not, it is tried again with more parts.
    """
    begin, left = np.full(len(instances.outer), np.inf), np.arange(len(instances.outer))
    for count in _PARTS:
        some = instances.some(left)
        first, end = some.outer[:, problem.objective].T
        begin[left], undecided = np.inf, np.arange(len(left))
        for k in range(count):
            lo, hi = (first + (end - first) * (part / count) if part < count else end for part in (k, k + 1))
            may = _may_be(problem, some.some(undecided), lo[undecided], hi[undecided])
            begin[left[undecided[may]]] = lo[undecided[may]]
            undecided = undecided[~may]
        left = left[np.isfinite(begin[left])]
    return begin


def _may_be(problem: Problem, instances: Instances, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(n,): whether each instance may have a zero in a window of time, by bounds of its equations, and of what must hold beside them."""
    boxes, t, equations = instances.outer.copy(), problem.objective, len(problem.equations)
    boxes[:, t, 0], boxes[:, t, 1] = begin, end
    lo, hi = problem.range_kernel.interval(boxes[..., 0], boxes[..., 1], parameters=(instances.numbers[..., 0], instances.numbers[..., 1]))
    return np.asarray(~((lo[:, :equations] > 0.0) | (hi[:, :equations] < 0.0)).any(axis=1) & (hi[:, -1] > 0.0))


def _searched(query: SceneQuery, problem: Problem, instances: Instances, begin: np.ndarray) -> np.ndarray:
    """(n,): such times, of instances that have no zero before `begin`, after a short search of each."""
    known = begin.copy()
    instances.outer[:, problem.objective, 0] = instances.inner[:, problem.objective, 0] = begin
    search = RowSearch(problem, replace(query.options, order="auto", first_only=True), 0.0, steps=_STEPS)
    for told in search.told(instances, query.clock):
        some = slice(told.first, told.first + len(told.least))
        known[some] = np.where(told.finished, np.maximum(told.least, begin[some]), begin[some])
    return known
