"""Kinks of the equations in time, crossed: |t - 1|, Max(t, 1) or a Piecewise of t that is continuous.

Between two kinks the equations are those of one branch, which holds at both ends too, as they are continuous there; so the march goes on
from one kink to the next with them. A kink that is no double lies between two: over these, h apart, solutions from a box X stay in
X + [0, h] f(B), if that lies inside B and f is continuous there, as in `march`; from there the march goes on.
"""

import itertools
from fractions import Fraction
from math import inf, nextafter
from typing import NamedTuple

import numpy as np

from ..forms.time_kinks import kinks, meet, resolved
from ..graph.autodiff import partials
from ..graph.expr import natural
from ..graph.flows import Flow, described
from ..graph.sides import both_sides
from ..kernel import Kernel
from .merged import value
from .series import ORDER

Array = np.ndarray
# More kinks are none of a formula written by hand.
MANY = 100


class Piece(NamedTuple):
    """The equations from one time to another one, None for no end, and whether those beyond both ends are the same there."""

    flow: Flow
    ends: tuple[Fraction | None, Fraction | None]
    meets: tuple[bool, bool]


def pieces(flow: Flow) -> list[Piece]:
    """The pieces of the time between kinks that are known, in order; the whole flow if there are none."""
    rates, low, high = flow.parts
    rates = natural(rates)
    times = kinks(rates)
    if not 0 < len(times) <= MANY:
        return [Piece(flow, (None, None), (False, False))]
    inside = [times[0] - 1, *((a + b) / 2 for a, b in itertools.pairwise(times)), times[-1] + 1]
    parts = [resolved(rates, at) for at in inside]
    met = [False, *(meet(a, b, time) for (a, b), time in zip(itertools.pairwise(parts), times, strict=True)), False]
    cuts = [None, *times, None]
    return [Piece(described(part, low, high, flow.begin, flow.end, flow.steps), (cuts[k], cuts[k + 1]), (met[k], met[k + 1]))
            for k, part in enumerate(parts)]


def neighbours(time: Fraction, forward: bool) -> tuple[float, float]:
    """The last double before a time and the first one after it; twice the same if it is one."""
    near = float(time)
    if Fraction(near) == time:
        return near, near
    ends = (near, nextafter(near, inf)) if Fraction(near) < time else (nextafter(near, -inf), near)
    return ends if forward else ends[::-1]


def restarted(flow: Flow, box: Array) -> Flow:
    """The flow from another box of starts."""
    rates, _, _ = flow.parts
    low, high = ([rates[0].pool.constant(float(x)) for x in box[:, k]] for k in range(2))
    return described(rates, low, high, flow.begin, flow.end, flow.steps)


def crossing(flow: Flow, start: Array, begin: float, end: float) -> tuple[Array, ...] | None:
    """A cell (see `cells.KEPT`) from the box `start` at `begin` over to `end`, which is near; None if no box is proved, or f may jump
    in it.
    """
    rates, _, _ = flow.parts
    variables = [rates[0].pool.variable(k) for k in range(len(rates) + 1)]
    bends = [sum((p * f for p, f in zip(row[1:], rates, strict=True)), start=row[0]) for row in partials(rates, variables)]
    kernel = Kernel([*rates, *both_sides(bends)], [f"v{k}" for k in range(len(variables))], quick=True)
    n, h = len(rates), nextafter(abs(end - begin), inf)
    size = np.maximum(1.0, np.abs(start).max(axis=1)) * 2.0**-40
    trial = start + np.stack([-size, size], axis=1)
    lo, hi, level = kernel.decorated([[min(begin, end), *trial[:, 0]]], [[max(begin, end), *trial[:, 1]]])
    found = np.stack([lo[0], hi[0]], axis=1)
    if not ((level[0, :n] >= 2).all() and np.isfinite(found).all()):
        return None
    moved = np.nextafter(h * np.abs(found[:n]).max(axis=1), inf)
    over = np.stack([np.nextafter(start[:, 0] - moved, -inf), np.nextafter(start[:, 1] + moved, inf)], axis=1)
    if not ((trial[:, 0] < over[:, 0]).all() and (over[:, 1] < trial[:, 1]).all()):
        return None
    c = np.zeros((1, n, ORDER + 1))
    c[0, :, 0] = 0.5 * over[:, 0] + 0.5 * over[:, 1]
    error = np.nextafter(np.maximum(over[:, 1] - c[0, :, 0], c[0, :, 0] - over[:, 0]), inf)
    sizes = np.abs(found).max(axis=1)
    return np.array([[begin, end]]), c, error[None], sizes[None, :n], sizes[None, n:], over[None]


def states(cells: tuple[Array, ...], at: float) -> Array:
    """The box of the states at a time of the last of some cells."""
    cell, c, error = (array[-1] for array in cells[:3])
    z = nextafter(at - cell[0], -inf), nextafter(at - cell[0], inf)
    lo, hi = value().interval(*(np.column_stack([c, np.full(len(c), end)]) for end in z))
    return np.stack([np.nextafter(lo[:, 0] - error, -inf), np.nextafter(hi[:, 0] + error, inf)], axis=1)
