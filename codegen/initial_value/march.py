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

from ..emit.lanes import WIDTH
from ..graph.flows import Flow, Table, encoded, register
from ..kernel import Kernel
from ..machine import cache
from ..machine.loop_runtime import call_block
from ..reference.interpreter import enclose_constant
from .cells import LONGEST, Cell, gathered, packed, unpacked
from .series import ORDER, kernels

Array = np.ndarray

# The last terms of a polynomial are to be this much smaller than its largest: more would be lost in rounding.
_TERM = 2.0**-54
# The remainder is to be below such a part of the states, or of what is open of them; a step is at most so much longer than the one before.
_REST, _OPEN, _LONGER = 2.0**-51, 2.0**-8, 1.5
# States that are so wide, in proportion, take steps so short that widths stay about linear: over boxes high coefficients are overestimated.
_WIDE, _BENT = 2.0**-20, 0.02
# So often a step is halved, and for each length so many boxes are tried, of which each is larger by such a part of its width.
_HALVINGS, _BOXES, _MARGIN = 24, 3, 0.125
# A step that is shorter than this part of the whole way, or of the time so far, ends the march.
_SHORTEST = 2.0**-44
_TINY = 2.0**-1000


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
    with np.errstate(all="ignore"):
        sides = [_march(flow, end) for end in (flow.begin, flow.end)]
    return gathered(flow.states, [cells for cells, _ in sides], (sides[0][1], sides[1][1]))


def _march(flow: Flow, end: float) -> tuple[list[Cell], str]:
    """The cells from 0 on, and why there are no more."""
    if end == 0.0:
        return [], ""
    k, states, cells, way = _Kernels(flow), _start(flow), list[Cell](), max(-flow.begin, flow.end)
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
    # What may be lost to denormal numbers is no more than _TINY.
    off = np.stack([_down(ends[:, 0] - middle) - _TINY, _up(ends[:, 1] - middle) + _TINY], axis=1)
    off[ends[:, 0] == ends[:, 1]] = 0.0
    n = flow.states
    return _States(0.0, middle, np.eye(n), np.eye(n), off, np.zeros((n, 2)), off, ends, math.inf)


def _down(x: Array) -> Array:
    return np.nextafter(x, -math.inf)


def _up(x: Array) -> Array:
    return np.nextafter(x, math.inf)


class _Calls:
    """A kernel with memory for its blocks: a `Kernel` would look at every box first, and these are made here."""

    def __init__(self, kernel: Kernel) -> None:
        self._address = kernel.block_address("decorated")
        self._x, self._out = np.empty((len(kernel.variables), 2, WIDTH)), np.empty((len(kernel.outputs), 3, WIDTH))

    def lanes(self, *boxes: Array) -> Array:
        """-lo, hi and level (outputs, 3, `WIDTH`), of finite intervals (n, 2, 1), or (n, 2, `WIDTH`), one a lane."""
        k = 0
        for b in boxes:
            np.negative(b[:, 0], out=self._x[k:k + len(b), 0])
            self._x[k:k + len(b), 1] = b[:, 1]
            k += len(b)
        call_block(self._address, self._x, self._out)
        return self._out

    def __call__(self, *boxes: Array) -> tuple[Array, bool]:
        """Bounds (outputs, 2) over one box (..., 2), and whether all outputs are proved differentiable there."""
        out = self.lanes(*(b.reshape(-1, 2, 1) for b in boxes))[..., 0]
        bounds = np.empty((len(out), 2))
        np.negative(out[:, 0], out=bounds[:, 0])
        bounds[:, 1] = out[:, 1]
        return bounds, bool((out[:, 2] == 3.0).all())


class _Kernels:
    def __init__(self, flow: Flow) -> None:
        self.coefficients, self.advance, self.spread, self.turned = map(_Calls, kernels(flow))


def _thin(x: Array) -> Array:
    return np.broadcast_to(x.reshape(-1, 1), (x.size, 2))


def _step(k: _Kernels, states: _States, way: float) -> tuple[Cell, _States] | None:
    """A step of the sign of `way`, no longer than that; None where none is proved."""
    if not np.isfinite(states.box).all():
        return None
    n, shortest = len(states.middle), _SHORTEST * max(abs(way), abs(states.s))
    x, smooth = k.coefficients(np.array([states.s, states.s]), states.box)
    if not (smooth and np.isfinite(x).all()):
        return None
    x = np.concatenate([states.box, x]).reshape(ORDER + 2, n, 2)
    sizes, widths = np.abs(x).max(axis=(1, 2)), (x[..., 1] - x[..., 0]).max(axis=1)
    widths = widths if widths[0] > _WIDE * sizes[0] else 0 * widths
    length = _length(sizes, widths, min(abs(way), _LONGER * states.last, LONGEST))
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


def _length(sizes: Array, widths: Array, most: float) -> float:
    """About the longest step in which the last terms stay small, and the widths of all but the first, of three bits: sums of such steps are
    exact.
    """
    def small(h: float) -> bool:
        terms = [float(size) * h**k for k, size in enumerate(sizes)]
        wide = [float(width) * h**k for k, width in enumerate(widths)]
        return max(terms[-3:]) <= _TERM * max(terms) and sum(wide[2:]) <= _BENT * sum(wide[:2])

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


def _proved(k: _Kernels, x: Array, s: float, after: float) -> tuple[Array, Array] | None:
    """Coefficients 2 and d + 1 (2, n, 2) over the whole step, and the range of all solutions in it (n, 2)."""
    h, times = _difference(s, after), np.array([min(s, after), max(s, after)])
    rest = 2.0 * x[-1] + np.array([-1.0, 1.0]) * np.abs(x[-1]).max(axis=1, keepdims=True)
    inside = _spread(k, np.concatenate([x[:-1], rest[None]]), h)
    for _ in range(_BOXES):
        margin = _MARGIN * (inside[:, 1] - inside[:, 0]) + 2.0**-48 * np.abs(inside).max(axis=1) + _TINY
        box = np.stack([inside[:, 0] - margin, inside[:, 1] + margin], axis=1)
        if not np.isfinite(box).all():
            return None
        found, smooth = k.coefficients(times, box)
        if not (smooth and np.isfinite(found).all()):
            return None
        over = found.reshape(ORDER + 1, -1, 2)
        inside = _spread(k, np.concatenate([x[:-1], over[-1:]]), h)
        if (box[:, 0] < inside[:, 0]).all() and (inside[:, 1] < box[:, 1]).all():
            return over[[1, -1]], inside
    return None


def _spread(k: _Kernels, x: Array, h: Array) -> Array:
    """The range of a polynomial for the numbers from 0 to h, of as many parts as there are lanes."""
    least, most = min(0.0, float(h[0])), max(0.0, float(h[1]))
    cuts = np.linspace(least, most, WIDTH + 1)
    parts = np.stack([_down(cuts[:-1]), _up(cuts[1:])])
    parts[0, 0], parts[1, -1] = least, most
    out = k.spread.lanes(x.reshape(-1, 2, 1), parts[None])
    return np.stack([-out[:, 0].max(axis=1), out[:, 1].max(axis=1)], axis=1)


def _advanced(k: _Kernels, states: _States, after: float, over: Array, inside: Array) -> tuple[Cell, _States] | None:
    """The cell of a proved step, and the states at its end."""
    n, h = len(states.middle), _difference(states.s, after)
    found, _ = k.advance(np.array([states.s, states.s]), states.box, _thin(states.middle), h, over[1],
                         _thin(states.c), _thin(states.q), states.off)
    if not np.isfinite(found).all():
        return None
    u, jc, jq, kept = np.split(found, [n, n + n * n, n + 2 * n * n])
    middle = 0.5 * u[:, 0] + 0.5 * u[:, 1]
    c = (0.5 * jc[:, 0] + 0.5 * jc[:, 1]).reshape(n, n)
    q = _orthogonal((0.5 * jq[:, 0] + 0.5 * jq[:, 1]).reshape(n, n), states.r[:, 1] - states.r[:, 0])
    turned, _ = k.turned(u, _thin(middle), jc, jq, _thin(c), _thin(q), states.r0, states.r)
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
        if len(made) == n:
            break
        size = math.sqrt(_dot(column, column))
        for _ in range(2):
            for other in made:
                part = _dot(column, other)
                column = [x - part * y for x, y in zip(column, other, strict=True)]
        left = math.sqrt(_dot(column, column))
        if left > 2.0**-26 * size:
            made.append([x / left for x in column])
    return np.array(made).T


def _dot(a: list[float], b: list[float]) -> float:
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total
