"""Contacts a little later than the first at which bodies come to touch, not where they cross already, or part.

On the set of contacts, E(w, t) = 0, the time is a function, and surfaces come to touch at its local minima. At the points where the search
looks for these, there are numbers c with c . E_w = 0 and c . E_t = -1. At a minimum the second derivative of t + c . E(w, t) is not
negative in the directions in which E_w = 0. It is negative where smooth faces part, and has either sign where they cross already.

A crossing may also go on inside a face until it reaches an edge or a corner. There the inward directions of the face are on the wrong side
of the plane that separates the bodies. All of this is in doubles: it decides what is listed, not what is proved.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from generative import ParametricSurface, t, u, v
from generative.knots import followed

from ..bodies.parts import parts_of, sides
from ..bodies.surface_points import position_kernel
from ..search.problem import Problem

# What counts as zero against other numbers of its kind.
_SMALL = 1e-6


def come_to_touch(problem: Problem, at: np.ndarray, normal: np.ndarray, bodies: Sequence[Any]) -> bool:
    """Whether bodies come to touch at a contact (variables,) of a problem. `normal` goes from the first body to the second. True where that
    is not known.
    """
    return _least(problem, at) and all(_on_its_side(problem, at, side, normal, bodies[problem.label[side]]) for side in (0, 1))


def _least(problem: Problem, at: np.ndarray) -> bool:
    """Whether the time may be a local minimum among the contacts."""
    time, count = problem.objective, len(problem.equations)
    assert time is not None
    values = problem.least_kernel.points(at[None], parameters=problem.parameters.mean(axis=1) if len(problem.parameters) else None)[0]
    slopes, rest = np.split(values[count:], [count * len(at)])
    if not np.isfinite(values).all():
        return True
    # Variables are measured against their domains, so that it makes no difference in what they are given.
    width = problem.outer[:, 1] - problem.outer[:, 0]
    unit = np.where(width > 0, width, 1.0)
    slopes = slopes.reshape(count, len(at)) * unit
    left, _, right = np.linalg.svd(np.delete(slopes, time, axis=1))
    factors, free = left[:, -1], np.insert(right[count - 1:], time, 0.0, axis=1)
    speed = factors @ slopes[:, time]
    if len(free) == 0 or abs(speed) <= _SMALL * np.abs(slopes[:, time]).max():
        return True
    second = np.zeros((len(at), len(at)))
    for (i, j), row in zip(problem.curved[0], rest.reshape(-1, count), strict=True):
        second[i, j] = second[j, i] = -(factors @ row) * unit[i] * unit[j] / speed
    bends = np.linalg.eigvalsh(free @ second @ free.T)
    return bool(bends[0] >= -_SMALL * np.abs(bends).max())


def _on_its_side(problem: Problem, at: np.ndarray, side: int, normal: np.ndarray, body: Any) -> bool:
    """Whether the faces at an edge or vertex of a body lie on its own side of the plane across the normal."""
    part = next((p for p in parts_of(followed(body, float(at[-1]))) if p.feature == problem.features[side]), None)
    if part is None or part.dimension == 2 or not np.isfinite(normal).all():
        return True
    own = dict(zip(part.symbols, at[[problem.variables.index(f"{name}{side + 1}") for name in part.names[:part.dimension]]], strict=True))
    outward = normal if side == 0 else -normal
    for face, path in part.outward:
        if set().union(*(e.free_symbols for e in face.expressions)) - {u, v, t}:
            # Its numbers are parameters, whose values are not told here.
            return True
        place = [float(sp.N(e.xreplace({s: sp.Float(value) for s, value in own.items()}))) for e in path]
        inward = _inward(face, place, float(at[-1]))
        if (inward @ outward > _SMALL * np.linalg.norm(inward, axis=1)).any():
            return False
    return True


def _inward(face: ParametricSurface, place: Sequence[float], time: float) -> np.ndarray:
    """(n, 3): directions from a point of a face into it, all of which are non-negative combinations of these."""
    slopes = position_kernel(face, ()).jacobian().points(np.array([[*place, time]])).reshape(3, 3)
    found = []
    for k, s in enumerate((u, v)):
        lo, hi = (float(e) for e in face.domain[s])
        free = {end for symbol, end in sides(face) if symbol == s}
        small = _SMALL * (hi - lo)
        found += [slopes[:, k]] if not (1 in free and place[k] > hi - small) else []
        found += [-slopes[:, k]] if not (0 in free and place[k] < lo + small) else []
    return np.array(found).reshape(-1, 3)
