"""Bounds of how far edges are from the faces they bound: the curve in space against the image of the curve in the parameters.

*Proved*, for all parameters of an edge. A difference that is linear is largest at an end. One that is A + B cos s + C sin s is at most 2.8
times as large as the largest of its values at three angles a third of a turn apart, from which A, B and C follow by sums. Others are
enclosed over many short ranges, to the second order. Ends of ranges are doubles near the exact ones, so the exact ends lie between
neighbours of these. Ranges shorter than 1e-12 of their parameter are left out.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from codegen.graph.meanvalue import second_order_form
from codegen.kernel import compile

from ..curve import Curve
from ..symbols import u, v
from .surfaces import Sheet

# Ranges of a parameter, and how much larger a wave is at most than its values at three angles.
_RANGES, _WAVE = 8192, 2.8
# By so much of its size a patch of a spline is wider or narrower, where it is asked which of its patches a curve runs along.
_WIDER = 1e-9


def gap_of(parts: Sequence[Sheet], flat: Sequence[Curve], space: Sequence[Curve]) -> float:
    """An upper bound of the distance between the image of the pieces `flat` on a surface and the pieces `space`, both by one parameter."""
    ends = sorted({float(e) for c in (*flat, *space) for e in c.domain} | {s for c in flat for s in _crossings(parts, c)})
    largest = 0.0
    for a, b in pairwise(ends):
        if b - a > 1e-12 * (1.0 + abs(a) + abs(b)):
            own = [next(c for c in pieces if float(c.domain[0]) <= 0.5 * (a + b) <= float(c.domain[1])) for pieces in (flat, space)]
            largest = max(largest, _between(parts, own[0], own[1], a, b))
    return largest


def _between(parts: Sequence[Sheet], flat: Curve, space: Curve, first: float, last: float) -> float:
    kind = _kind(parts, flat, space)
    if kind == "linear":
        lo, hi = _around(np.array([first, last]))
    elif kind == "wave":
        lo = hi = first + np.array([0.0, 1.0, 2.0]) * (2.0 * math.pi / 3.0)
    else:
        places = np.linspace(first, last, _RANGES + 1)
        lo, hi = _around(places[:-1])[0], _around(places[1:])[1]
    largest = 0.0
    for part in parts:
        pool = ExprPool()
        s = pool.variable(0)
        a, b, *place = convert([*flat.expressions[:2], *space.expressions], {u: s}, pool)
        off = [p - q for p, q in zip(convert(part.body, {u: a, v: b}, pool), place, strict=True)]
        if not kind:
            off = second_order_form(off, [s])
        low, high = compile([*off, a, b], [u], quick=True).interval(lo[:, None], hi[:, None])
        here = np.ones(len(lo), bool)
        for k, limits in enumerate((part.u_range, part.v_range)):
            if limits is not None:
                below, above = map(float, limits)
                # Ranges of a coordinate that moves end at the borders of patches, but for rounding.
                room = _WIDER * (above - below) * (-1.0 if flat.expressions[k].has(u) else 1.0)
                here &= (low[:, 3 + k] <= above + room) & (high[:, 3 + k] >= below - room)
        sizes = np.maximum(np.abs(low[:, :3]), np.abs(high[:, :3]))[here]
        if len(sizes):
            largest = max(largest, float(np.nextafter(np.sqrt((sizes**2).sum(axis=1)).max() * (1 + 1e-14), np.inf)))
    return _WAVE * largest * math.sqrt(3.0) if kind == "wave" else largest


def _around(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of exact numbers of which these are doubles, rounded twice at most: by SymPy's evaluation, and to a double."""
    below, above = (np.nextafter(np.nextafter(places, end), end) for end in (-np.inf, np.inf))
    return below, above


def _crossings(parts: Sequence[Sheet], flat: Curve) -> list[float]:
    """The parameters at which a curve whose coordinates are linear crosses the borders of patches."""
    found = []
    for k in (0, 1):
        step = flat.expressions[k].diff(u)
        if step != 0 and not step.has(u):
            values = {e for part in parts for e in ((part.u_range, part.v_range)[k] or ())}
            found += [float((value - flat.expressions[k].xreplace({u: sp.S.Zero})) / step) for value in values]
    lo, hi = map(float, flat.domain)
    return [s for s in found if lo < s < hi]


def _kind(parts: Sequence[Sheet], flat: Curve, space: Curve) -> str:
    """`linear` or `wave`, where the difference is seen to be that."""
    if len(parts) > 1 or parts[0].u_range is not None or parts[0].v_range is not None:
        return ""
    body = parts[0].body
    plane = all(e.is_polynomial(u, v) and not e.diff(u).has(u, v) and not e.diff(v).has(u, v) for e in body)
    a, b, _ = flat.expressions
    steps = [e.diff(u) for e in (a, b)]
    if all(_linear(e) for e in space.expressions):
        straight = all(not d.has(u) for d in steps)
        ruled = not a.has(u) and all(not e.diff(v).has(v) for e in body)
        return "linear" if straight and (plane or ruled) else ""
    waves = all(_wave(e) for e in space.expressions)
    if waves and plane and _wave(a) and _wave(b):
        return "wave"
    turning = [k for k in (0, 1) if abs(steps[k]) == 1]
    if waves and len(turning) == 1 and not (a, b)[1 - turning[0]].has(u):
        other = (u, v)[turning[0]]
        return "wave" if all(_wave(e.xreplace({other: u, (u, v)[1 - turning[0]]: v})) for e in body) else ""
    return ""


def _linear(e: Any) -> bool:
    return not e.diff(u).has(u)


def _wave(e: Any) -> bool:
    """Whether e is A + B cos u + C sin u, with numbers or other symbols."""
    return bool((e.diff(u, 3) + e.diff(u)).expand() == 0)
