"""From step to step: an enclosure of the solution over the whole step is proved, then the states at its end follow from the series.

Existence. Let the states at s lie in X, and let B be a box, f having level 3 on B and the times of the step. If for all t of the step

    R = sum_(k <= d) X_k t^k + X_(d+1)(B) t^(d+1)    lies inside B,

with X_k the coefficients over X, then the solution through each x of X exists for the whole step and stays in R: as long as it is in B it
lies in R, by Taylor's theorem, so it never comes to the border of B (Corliss and Rihm 1996: a high-order enclosure).
Without such a box nothing is claimed: the table ends there.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..graph.flows import Flow, Table, encoded, register
from ..kernel import Kernel
from ..machine import cache
from ..reference.interpreter import enclose_constant
from .cells import LONGEST, Cell, gathered, packed, unpacked
from .series import ORDER, Kernels, kernels

Array = np.ndarray

# The last terms of a polynomial are to be this much smaller than its largest: more would be lost in rounding.
_TERM = 2.0**-54
# The remainder is to be below such a part of the states, or of what is open of them; a step is at most so much longer than the one before.
_REST, _OPEN, _LONGER = 2.0**-51, 2.0**-8, 1.5
# Parts of a step for which the range of the polynomial is taken, each on its own.
_PARTS = 8
# So often a step is halved, and for each length so many boxes are tried, of which each is larger by such a part of its width.
_HALVINGS, _BOXES, _MARGIN = 24, 3, 0.125
# A step that is shorter than this part of the whole way, or of the time so far, ends the march.
_SHORTEST = 2.0**-44


@dataclass
class _States:
    """m + C r0 + Q r at the time s; `off` encloses C r0 + Q r, and `box` all."""

    s: float
    middle: Array
    c: Array
    q: Array
    r0: Array
    r: Array
    off: Array
    box: Array
    last: float


@register
def solve(flow: Flow) -> Table:
    """What is proved of a flow: kept on disk, since every process that compiles formulas of it asks for it."""
    return unpacked(cache.kept(cache.key("flow", encoded(0, flow)), lambda: packed(integrated(flow))))


def integrated(flow: Flow) -> Table:
    """The same, computed: from the start both ways."""
    sides = [_march(flow, end) for end in (flow.begin, flow.end)]
    return gathered(flow.states, [cells for cells, _ in sides], (sides[0][1], sides[1][1]))


def _march(flow: Flow, end: float) -> tuple[list[Cell], str]:
    """The cells from 0 on, and why there are no more."""
    if end == 0.0:
        return [], ""
    k, states, cells, way = kernels(flow), _start(flow), list[Cell](), max(-flow.begin, flow.end)
    while abs(states.s) < abs(end):
        if len(cells) == flow.steps:
            return cells, f"the limit of {flow.steps:,} steps is reached at {states.s:.9g}"
        found = _step(k, states, math.copysign(way, end))
        if found is None:
            return cells, (f"beyond {states.s:.9g} no enclosure is proved: the solution may grow beyond all bounds, leave the domain of "
                           "its equations or come to a kink of theirs, or what is known of its start is too little")
        cell, states = found
        cells.append(cell)
    return cells, ""


def _start(flow: Flow) -> _States:
    _, low, high = flow.parts
    ends = np.array([(enclose_constant(a)[0], enclose_constant(b)[1]) for a, b in zip(low, high, strict=True)])
    middle = ends[:, 0] + 0.5 * (ends[:, 1] - ends[:, 0])
    off = np.stack([_down(ends[:, 0] - middle), _up(ends[:, 1] - middle)], axis=1)
    off[ends[:, 0] == ends[:, 1]] = 0.0
    n = flow.states
    return _States(0.0, middle, np.eye(n), np.eye(n), off, np.zeros((n, 2)), off, ends, math.inf)


def _down(x: Array) -> Array:
    return np.nextafter(x, -math.inf)


def _up(x: Array) -> Array:
    return np.nextafter(x, math.inf)


def _called(kernel: Kernel, *boxes: Array) -> tuple[Array, Array]:
    """Bounds (outputs, 2) and levels of one box; an entry of `boxes` is an array (..., 2)."""
    x = np.concatenate([b.reshape(-1, 2) for b in boxes])
    lo, hi, level = kernel.decorated(x[None, :, 0], x[None, :, 1])
    return np.stack([lo[0], hi[0]], axis=1), level[0]


def _thin(x: Array | float) -> Array:
    return np.repeat(np.reshape(x, (-1, 1)), 2, axis=1)


def _step(k: Kernels, states: _States, way: float) -> tuple[Cell, _States] | None:
    """A step of the sign of `way`, no longer than that; None where none is proved."""
    n, shortest = len(states.middle), _SHORTEST * max(abs(way), abs(states.s))
    x, level = _called(k.coefficients, _thin(states.s), states.box)
    if not (np.isfinite(x).all() and (level == 3).all()):
        return None
    x = np.concatenate([states.box, x]).reshape(ORDER + 2, n, 2)
    length = _length(np.abs(x).max(axis=(1, 2)), min(abs(way), _LONGER * states.last, LONGEST))
    for _ in range(_HALVINGS):
        after = states.s + math.copysign(length, way)
        if length < shortest or abs(after - states.s) < 0.5 * length:
            return None
        proved = _proved(k, x, states.s, after)
        if proved is not None and _small_rest(proved[0][1], length, states):
            return _advanced(k, states, after, *proved)
        length *= 0.5
    return None


def _small_rest(over: Array, h: float, states: _States) -> bool:
    """Is the remainder about as small as rounding, or as what is open?"""
    rest = float(np.abs(over).max()) * _power(h)
    open_ = float((states.off[:, 1] - states.off[:, 0]).max())
    return rest <= max(_REST * float(np.abs(states.box).max()), _OPEN * open_) or rest < 2.0**-900


def _power(h: float) -> float:
    """h^(d + 1)."""
    return math.prod([h] * (ORDER + 1))


def _length(sizes: Array, most: float) -> float:
    """About the longest step in which the last terms stay small, of three bits: sums of such steps are exact."""
    def small(h: float) -> bool:
        terms = [float(size) * h**k for k, size in enumerate(sizes)]
        return max(terms[-3:]) <= _TERM * max(terms)

    length = 2.0 ** math.frexp(most)[1]
    while length > _SHORTEST * most and (length > most or not small(length)):
        length *= 0.5
    return next((length * m / 4 for m in (7, 6, 5) if length * m / 4 <= most and small(length * m / 4)), length)


def _difference(a: float, b: float) -> Array:
    """b - a, enclosed; with short steps it is exact."""
    h = b - a
    if Fraction(h) == Fraction(b) - Fraction(a):
        return np.array([h, h])
    return np.array([math.nextafter(h, -math.inf), math.nextafter(h, math.inf)])


def _proved(k: Kernels, x: Array, s: float, after: float) -> tuple[Array, Array] | None:
    """Coefficients 2 and d + 1 (2, n, 2) over the whole step, and the range of all solutions in it (n, 2)."""
    h, times = _difference(s, after), np.array([min(s, after), max(s, after)])
    rest = 2.0 * x[-1] + np.array([-1.0, 1.0]) * np.abs(x[-1]).max(axis=1, keepdims=True)
    inside = _spread(k, np.concatenate([x[:-1], rest[None]]), h)
    for _ in range(_BOXES):
        margin = _MARGIN * (inside[:, 1] - inside[:, 0]) + 2.0**-48 * np.abs(inside).max(axis=1) + 2.0**-1000
        box = np.stack([inside[:, 0] - margin, inside[:, 1] + margin], axis=1)
        if not np.isfinite(box).all():
            return None
        found, level = _called(k.coefficients, times, box)
        if not (np.isfinite(found).all() and (level == 3).all()):
            return None
        over = found.reshape(ORDER + 1, -1, 2)
        inside = _spread(k, np.concatenate([x[:-1], over[-1:]]), h)
        if (box[:, 0] < inside[:, 0]).all() and (inside[:, 1] < box[:, 1]).all():
            return over[[1, -1]], inside
    return None


def _spread(k: Kernels, x: Array, h: Array) -> Array:
    """The range of a polynomial for the numbers from 0 to h."""
    cuts = np.linspace(0.0, 1.0, _PARTS + 1)
    ends = np.sort(np.stack([cuts[:-1] * h.mean(), cuts[1:] * h.mean()], axis=1), axis=1)
    ends = np.stack([_down(ends[:, 0]), _up(ends[:, 1])], axis=1)
    ends = np.clip(ends, min(0.0, h[0]), max(0.0, h[1]))
    ends[0 if h[1] > 0 else -1, 0], ends[-1 if h[1] > 0 else 0, 1] = min(0.0, h[0]), max(0.0, h[1])
    flat = np.repeat(x.reshape(1, -1, 2), _PARTS, axis=0)
    rows = np.concatenate([flat, ends[:, None]], axis=1)
    lo, hi = k.spread.interval(rows[..., 0], rows[..., 1])
    return np.stack([lo.min(axis=0), hi.max(axis=0)], axis=1)


def _advanced(k: Kernels, states: _States, after: float, over: Array, inside: Array) -> tuple[Cell, _States] | None:
    """The cell of a proved step, and the states at its end."""
    n, h = len(states.middle), _difference(states.s, after)
    found, _ = _called(k.advance, _thin(states.s), states.box, _thin(states.middle), h, over[1],
                       _thin(states.c), _thin(states.q), states.off)
    if not np.isfinite(found).all():
        return None
    u, jc, jq, kept = np.split(found, [n, n + n * n, n + 2 * n * n])
    middle = 0.5 * u[:, 0] + 0.5 * u[:, 1]
    c = (0.5 * jc[:, 0] + 0.5 * jc[:, 1]).reshape(n, n)
    q = _orthogonal((0.5 * jq[:, 0] + 0.5 * jq[:, 1]).reshape(n, n), states.r[:, 1] - states.r[:, 0])
    turned, _ = _called(k.turned, u, _thin(middle), jc, jq, _thin(c), _thin(q), states.r0, states.r)
    if not np.isfinite(turned).all():
        return None
    r, off, box = turned.reshape(3, n, 2)
    cell = Cell(states.s, after, h, kept.reshape(ORDER + 1, n, 2), over, inside)
    return cell, _States(after, middle, c, q, states.r0, r, off, box, abs(after - states.s))


def _orthogonal(a: Array, widths: Array) -> Array:
    """Columns at right angles to each other, those first that r makes longest; in plain numbers, with the same bits everywhere."""
    n = len(a)
    columns = [[float(e) for e in column] for column in a.T]
    order = sorted(range(n), key=lambda j: -_dot(columns[j], columns[j]) * float(widths[j]) ** 2)
    made: list[list[float]] = []
    for column in [*(columns[j] for j in order), *np.eye(n).tolist()]:
        size = math.sqrt(_dot(column, column))
        for _ in range(2):
            for other in made:
                part = _dot(column, other)
                column = [x - part * y for x, y in zip(column, other, strict=True)]
        left = math.sqrt(_dot(column, column))
        if len(made) < n and left > 2.0**-26 * size:
            made.append([x / left for x in column])
    return np.array(made).T


def _dot(a: list[float], b: list[float]) -> float:
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total
