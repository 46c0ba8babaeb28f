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

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from codegen.given import doubles

from ...answers.batch import Batch, statuses
from ...search.budget import Budget, as_budget
from ...search.clock import Clock
from ...search.fan_out import fan_out
from .arguments import Limit, Motions, Parameters, check_motions, largest, repeated, shaped, symbols_of, values_of
from .batches import SpentLimit, first_contacts
from .triangle_pair import EDGES, FACES, earliest, weights


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
    return first_contacts(q, tolerance, False, motions, time, parameters, budget)


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
    return first_contacts(q, tolerance, True, motions, time, parameters, budget)


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
    q = shaped(q, 12 if motions is None else 6)
    largest(q)
    symbols_of(parameters)
    n, limit = len(q), SpentLimit(Budget(None) if budget is None and motions is None else budget)
    asked: list[tuple[bool, np.ndarray, Motions]]
    if motions is None:
        faces, edges = (np.concatenate([k, k + 6], axis=1) for k in (FACES, EDGES))
        asked = [(True, faces, None), (False, edges, None)]
    else:
        first, second = check_motions(motions)
        asked = [(True, FACES[:3], (first, second)), (True, FACES[3:], (second, first)), (False, EDGES, (first, second))]
    parts = [len(which) for _, which, _ in asked]
    found = [first_contacts(q[:, which].reshape(-1, which.shape[1], 3), tolerance, face, pair, time, repeated(parameters, n, len(which)),
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
        own = {s: values[lo:hi, k] for k, s in enumerate(symbols_of(parameters))} or None
        return partial(query, q[lo:hi], tolerance, motions=motions, time=time, parameters=own)

    q = doubles(q, "q", "(n, points, 3)")
    if q.ndim == 0 or not len(q):
        return query(q, tolerance, motions=motions, time=time, parameters=parameters, budget=budget)
    values = values_of(parameters, len(q))
    return fan_out(part, len(q), executor, Clock(as_budget(budget)))


