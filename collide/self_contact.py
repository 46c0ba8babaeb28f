"""`self_contact`: when and where does a deforming surface first touch itself, or its neighbour along a shared side?

`glue` proves for neighbouring parameters that different ones are different points, and leaves pairs of boxes that are
apart in the parameters; these are searched like the faces of two bodies.
"""

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from codegen.interval import Interval
from generative import ParametricSurface
from generative.chart import is_pole

from .answer import contacts
from .budget import Budget, Clock, as_budget, drive
from .checks import check_normal, check_options, check_span
from .contact import at_time, situation
from .glue import Glued, along_side, with_itself
from .parts import Parametric, Part, ends_of, faces_of, sides
from .problem import Problem
from .result import Contacts, Start, Status
from .state import Search


def self_contact(surface: ParametricSurface | Sequence[ParametricSurface], time: tuple[Any, Any], *, simultaneity: float = 1e-6,
                 separation: float = 0.05, tolerance: float = 1e-9, budget: Budget | float | None = None,
                 progress: bool = False) -> Contacts:
    """The earliest contact of a deforming surface with itself; of two, with each other away from the one side they share.

    A contact is S(u1, v1, t) = S(u2, v2, t) for different parameters; across a seam, and on the shared side, the same place
    has two parameters, which does not count. `time` of the result encloses the earliest one, and before `clear_until` there is
    *proved* to be none, at any distance in the parameters. Where the surface folds up (its normal vanishes)
    parameters arbitrarily close to each other may meet: from the first time at which that is not excluded nothing is
    claimed; the answer then ends there, UNRESOLVED if nothing was found before.

    Contacts at a side count like others; where two sides meet (lips that close), the contact is located, not proved.
    Bezier patches of control points with velocities: `BezierNets.surfaces`, or `generative.bezier_patch` with formulas of t.

    The contacts of two surfaces with a third, and at a corner they share without a side, are not looked at. A
    surface must not collapse to a point along a side (cut such a pole off): ValueError. Options as in `first_contact`.
    """
    span = check_span(time)
    check_options("auto", "auto", simultaneity=simultaneity, separation=separation, tolerance=tolerance)
    glued = _glued(surface, span[0])
    clock = Clock(as_budget(budget), progress)
    options = {"simultaneity": simultaneity, "separation": separation, "tolerance": tolerance}
    try:
        return _answer(glued, span, options, clock)
    finally:
        clock.close()


def _glued(surface: Any, moment: float) -> Glued:
    surfaces = [surface] if isinstance(surface, ParametricSurface) else list(surface) if isinstance(surface, Sequence) else []
    if not (1 <= len(surfaces) <= 2 and all(isinstance(s, ParametricSurface) for s in surfaces)):
        raise TypeError(f"self_contact takes a ParametricSurface, or a list of two that share a side, got {surface!r}")
    for s in surfaces:
        check_normal(s, "the surface", moment)
        for symbol, end in sides(s):
            if is_pole(s, symbol, end):
                raise ValueError(f"the surface is a single point at {symbol} = {s.domain[symbol][end]}: cut a piece off there")
    if all(s.motion == surfaces[0].motion for s in surfaces):
        # What moves rigidly stays apart from itself or not.
        surfaces = [ParametricSurface(s.body, s.domain, flipped=s.flipped) for s in surfaces]
    return with_itself(surfaces[0]) if len(surfaces) == 1 else along_side(*surfaces)


def _answer(glued: Glued, span: tuple[float, float], options: dict[str, Any], clock: Clock) -> Contacts:
    """First the state at the beginning, then the earliest contact after it: tangency holds only for what starts apart."""
    apart, uncovered = glued.pairs(span)
    limit = float(uncovered[:, -1, 0].min(initial=span[1]))
    begin = (span[0], span[0])
    search, finished = _searched([at_time(_problem(glued, begin, tangency=False), span[0])], apart, begin, options, clock)
    start = Start.UNKNOWN
    if finished and not search.solutions and limit > span[0]:
        start = Start.DISJOINT
        search, finished = _searched([_problem(glued, (span[0], limit), tangency=True)], apart, (span[0], limit), options, clock)
    seen = span[0] if start is Start.UNKNOWN else limit
    found = contacts(search, finished, (glued.first, glued.second), (span[0], limit), {(0, 1): start}, clock, seen)
    return _limited(found, span, limit)


def _searched(problems: list[Problem], apart: np.ndarray, window: tuple[float, float], options: dict[str, Any],
              clock: Clock) -> tuple[Search, bool]:
    """A search of the pairs of boxes of a window of time, and whether it came to its end."""
    boxes = apart[apart[:, -1, 0] <= window[1]]
    boxes[:, -1] = np.clip(boxes[:, -1], *window)
    search = Search(problems, starts=[boxes], **options)
    return search, drive(search, clock)


def _limited(found: Contacts, span: tuple[float, float], limit: float) -> Contacts:
    """The answer up to `limit`, as one about the whole span."""
    if limit == span[1]:
        return found
    note = f"From t = {limit:.12g} on, places as close to each other as one likes may meet where the normal vanishes."
    if found.status is Status.NO_CONTACT:
        return replace(found, status=Status.UNRESOLVED, time=Interval(limit, span[1]), time_span=span, notes=(note,))
    time = Interval(found.time[0], span[1]) if found.time is not None and found.status is Status.BUDGET_SPENT else found.time
    return replace(found, time=time, time_span=span, notes=(note,))


def _problem(glued: Glued, span: tuple[float, float], tangency: bool) -> Problem:
    a, b = _closed_face(glued.first), _closed_face(glued.second)
    return situation(a, b, tuple(sp.Rational(e) for e in span), tangency=tangency, distinct=glued.distinct)


@functools.lru_cache(maxsize=64)
def _closed_face(surface: ParametricSurface) -> Part:
    """The face, its sides included: where they meet something, no tangent planes need agree."""
    face = faces_of(surface)[0]
    assert isinstance(face, Parametric)
    return replace(face, border=ends_of(face))
