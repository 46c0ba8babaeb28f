"""Two rigid motions over eight windows of time at once: control matrices, between which the motion lies.

Every entry f of the rotations and translations is a function of t. Over a window [a, b] it is enclosed in one of two ways:

* f(t) = (1 - s) f(a) + s f(b) - (t - a)(b - t) f''(r) / 2 for some r in the window, s = (t - a) / (b - a), by the error of linear
  interpolation, if f' is Lipschitz continuous there. As 0 <= (t - a)(b - t) <= (b - a)^2 / 4, the last term lies in
  D = -[0, (b - a)^2 / 8] f''([a, b]), and f(t) = (1 - s) (f(a) + d) + s (f(b) + d) for a d in D;
* f(t) lies in f([a, b]), so f(t) = (1 - s) f(t) + s f(t) with both numbers in f([a, b]).

Either way f(t) is an average with weights 1 - s and s of numbers in two known intervals, its *controls*. Which way is used is free
for every entry: the first where D is the narrower, which is so for short windows. A point carried along, R p + T, is then such an
average too, and a product of k points or vectors a polynomial of degree k in s in Bernstein form (see `kernel`).
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.emit.interval_vectors import Interval, Value, plus
from codegen.emit.lanes import Lanes
from codegen.family import family
from codegen.from_sympy import convert
from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr, ExprPool, substitute
from codegen.kernel import Kernel
from codegen.machine.loop_runtime import call_block
from codegen.machine.straight_line import straight_line
from codegen.time_bounds.advance import rough
from generative import Motion, t

from .loop import LARGEST

ENTRIES = 12
"""The number of entries of a motion: the rotation row by row, and the translation."""
SIDES = START, END, AT_START, AT_END = 0, 1, 2, 3
"""Parts of an entry in a table: its control at either end of the window, and its values at these two moments."""
SANE, CONTINUOUS = 2 * ENTRIES * 8, 2 * ENTRIES * 8 + 1
"""Places of the flags in a table: every interval is bounded by LARGEST; the motions are continuous in the window."""
TABLE, CLOCK = 2 * ENTRIES * 8 + 2, 6
"""Vectors in a table; and in the variables of the motion kernel: the window, its beginning, its end."""


@dataclass(frozen=True, eq=False)
class Windows:
    """`kernel`: the entries of both motions over windows of time; `control`: address of the function that makes a table of them;
    `numbers`: the values of its parameters as a block of lanes. `symbols`: whose values are further variables of it.
    """

    kernel: Kernel
    control: int
    numbers: np.ndarray
    symbols: tuple[Any, ...]

    @property
    def raw(self) -> int:
        """Vectors that the kernel writes."""
        return 2 * len(self.kernel.outputs)

    def at(self, time: float) -> np.ndarray:
        """The entries (2, 12) of both motions at one time, *approximately*; NaN where they are undefined."""
        clock, raw = np.repeat([-time, time] * 3, 8), np.empty((self.raw, 8))
        call_block(self.kernel.block_address(), clock, raw, self.numbers)
        with np.errstate(invalid="ignore"):
            return (0.5 * (raw[1::2, 0] - raw[::2, 0]))[:2 * ENTRIES].reshape(2, ENTRIES)


@functools.lru_cache(maxsize=256)
def motion_windows(first: Motion, second: Motion, symbols: tuple[Any, ...] = ()) -> Windows:
    """Motions that differ only in their numbers share the compiled code. `symbols`: of the motions, besides t."""
    free = set().union(*(part.free_symbols for m in (first, second) for part in (m.rotation, m.translation))) - {t}
    for missing in sorted(free - set(symbols), key=str):
        raise ValueError(f"the motions depend on {missing}, which has no value here; give one with parameters={{{missing}: ...}}, "
                         "where that is possible, or substitute it")
    pool = ExprPool()
    known = {t: pool.variable(0)} | {s: pool.variable(3 + k) for k, s in enumerate(symbols)}
    entries, numbers = family(convert([e for m in (first, second) for e in (*m.rotation, *m.translation)], known, pool))
    pool = entries[0].pool
    window, start, end = (pool.variable(k) for k in range(3))
    speed = [row[0] for row in partials(entries, [window])]
    curve = [row[0] for row in partials(speed, [window])]
    jumps = rough(entries)
    if jumps:
        curve = [pool.trusted(pool.trusted(c, e, 3), v, 3) for c, e, v in zip(curve, entries, speed, strict=True)]
    outputs = [*substitute(entries, {window.index: start}), *substitute(entries, {window.index: end}), *curve, *entries]
    if jumps:
        outputs.append(_doubt(entries))
    lanes = np.repeat((numbers * [-1.0, 1.0])[:, :, None], 8, axis=2)
    names = ["t", "start", "end", *(str(s) for s in symbols)]
    kernel = Kernel(outputs, names, [f"p{k}" for k in range(len(numbers))], quick=True)
    return Windows(kernel, control_kernel(jumps), np.ascontiguousarray(lanes), symbols)


def _doubt(entries: Sequence[Expr]) -> Expr:
    """0 where all entries are proved continuous, else anything."""
    doubt = entries[0].pool.constant(0)
    for e in entries:
        doubt = e.pool.trusted(doubt, e, 2)
    return doubt


@functools.cache
def control_kernel(jumps: bool) -> int:
    """Address of ``void(X, F, table)``: X (6,) the windows and their ends as thin intervals, F the outputs of the motion kernel.
    `jumps`: is there an output about continuity?
    """
    return straight_line("motion control", (jumps,), "X F table", lambda module, L: _write(L, jumps))


def _write(L: Lanes, jumps: bool) -> None:
    length = L.sub(L.load("%X", 5), L.load("%X", 3))
    reach = L.mul(L.mul(length, length), L.const(0.125))
    sane = L.mask_const(True)
    count = 2 * ENTRIES
    for k in range(count):
        a, b, curve, wide = ((L.load("%F", 2 * (j * count + k)), L.load("%F", 2 * (j * count + k) + 1)) for j in range(4))
        controls = _controls(L, a, b, curve, wide, reach)
        for side, interval in enumerate((*controls, a, b)):
            for end in range(2):
                L.store("%table", 8 * k + 2 * side + end, interval[end])
                sane = L.both(sane, L.lt(L.abs(interval[end]), L.const(LARGEST)))
    one, zero = L.const(1.0), L.const(0.0)
    L.store("%table", SANE, L.select(sane, one, zero))
    known = L.lt(L.load("%F", 8 * count + 1), one) if jumps else L.mask_const(True)
    L.store("%table", CONTINUOUS, L.select(known, one, zero))


def _controls(L: Lanes, a: Interval, b: Interval, curve: Interval, wide: Interval, reach: Value) -> tuple[Interval, Interval]:
    """The controls of one entry, with a bound of (b - a)^2 / 8."""
    zero = L.const(0.0)
    # -[0, reach] [lo, hi] is the interval from -reach max(hi, 0) to reach max(-lo, 0).
    down, up = (L.mul(reach, L.max(x, zero)) for x in (curve[1], curve[0]))
    near = L.lt(L.add(down, up), L.add(*wide))
    deviation = down, up
    pairs = [(plus(L, end, deviation), wide) for end in (a, b)]
    first, second = ((L.select(near, x[0], y[0]), L.select(near, x[1], y[1])) for x, y in pairs)
    return first, second


def entry(L: Lanes, body: int, k: int, side: int) -> Interval:
    """Entry k of the motion of a body, from ``%table``."""
    at = 8 * (ENTRIES * body + k) + 2 * side
    return L.load("%table", at), L.load("%table", at + 1)


