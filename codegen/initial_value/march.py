"""From step to step: an enclosure of the solution over the whole step is proved, then the states at its end follow from the series.

Existence. Let the states at s lie in X, and let B be a box, f having level 3 on B and the times of the step. If for all t of the step

    R = sum_(k <= d) X_k t^k + X_(d+1)(B) t^(d+1)    lies inside B,

with X_k the coefficients over X, then the solution through each x of X exists for the whole step and stays in R: as long as it is in B it
lies in R, by Taylor's theorem, so it never comes to the border of B (Corliss and Rihm 1996: a high-order enclosure).
Without such a box nothing is claimed: the table ends there.
"""

import functools
import math
from fractions import Fraction

import numpy as np

from ..deadline import check
from ..graph.flows import Flow, FlowTable, encoded, register
from ..machine import cache
from ..machine.loop_runtime import compiled
from ..machine.memory import Memory
from ..machine.tiers import compile_busy
from ..reference.interpreter import enclose_constant
from .cells import KEPT, gathered, packed, unpacked
from .crossed import crossing, neighbours, pieces, restarted, states
from .march_loop import NO_STEP, ROOM_LEFT, march
from .march_memory import MarchMemory
from .merged import ends_and_middle, filled, halves, merged
from .series import ORDER, Kernels, kernels

Array = np.ndarray

# What may be lost to denormal numbers is no more than this.
_TINY = 2.0**-1000
# The last terms of a polynomial are to be this much smaller than its largest: more would be lost in rounding. The remainder is to be below
# such a part of the states, or of what is open of them. Boxes that are tried are larger by such a part of their widths.
_TERM, _REST, _MARGIN = 2.0**-54, 2.0**-51, 0.125
# Cells that are found before the clock is looked at.
_ROOM = 64


@register
def solve(flow: Flow) -> FlowTable:
    """The table proved of a flow: kept on disk, since every process that compiles formulas of it asks for it."""
    return unpacked(cache.kept(cache.key("flow", encoded(0, flow)), lambda: packed(integrated(flow))))


def integrated(flow: Flow) -> FlowTable:
    """The same, computed: of one equation from both ends of its start, else of so many parts of the start as it takes and the flow allows.
    """
    _, low, high = flow.parts
    if low == high:
        return _integrated(flow)
    if flow.states == 1:
        return filled(flow, merged([_integrated(each) for each in ends_and_middle(flow)]))
    parts = [(flow, _integrated(flow))]
    while len(parts) < flow.divisions:
        shortest = max(range(len(parts)), key=lambda k: _missing(flow, parts[k][1]))
        if not any(parts[shortest][1].reason):
            break
        parts += [(half, _integrated(half)) for half in halves(parts.pop(shortest)[0])]
    return merged([table for _, table in parts]) if len(parts) > 1 else parts[0][1]


def _missing(flow: Flow, table: FlowTable) -> float:
    """The time for which no solution is known; without cells all of it."""
    return flow.end - flow.begin - (table.ends[-1] - table.ends[0] if len(table.ends) else 0.0) if any(table.reason) else -1.0


def _integrated(flow: Flow) -> FlowTable:
    """The table from the whole start, both ways."""
    parts, reasons = list[tuple[Array, ...]](), list[str]()
    for end in (flow.begin, flow.end):
        cells, reason = _over_kinks(flow, end)
        parts += cells
        reasons.append(reason)
    compile_busy()
    compiled(march).optimize(0.0)
    return gathered(flow.states, parts, (reasons[0], reasons[1]))


def _over_kinks(flow: Flow, end: float) -> tuple[list[tuple[Array, ...]], str]:
    """The cells from 0 to an end, from each kink in time to the next (see `crossed`), and why there are no more."""
    ahead, cells, at = _ahead(flow, end), list[tuple[Array, ...]](), 0.0
    here = ahead[0][0]
    for k, (_, border, meets) in enumerate(ahead):
        near, far = neighbours(border, end > 0) if border is not None else (end, end)
        last = border is None or abs(near) >= abs(end)
        more, reason = _march(here, end if last else near, at)
        cells += more
        more = [part for part in more if len(part[0])]
        if last or reason or not more:
            return cells, reason or ("" if last else f"beyond {at:.9g} nothing is proved: kinks of the equations are too near")
        more[-1][0][-1, 1] = near
        box, at = states(more[-1], near), far
        over = crossing(flow, box, near, far) if meets and near != far else None
        if not meets or (over is None and near != far):
            return cells, f"beyond {near:.9g} nothing is proved: the equations may jump there"
        if over is not None:
            cells.append(over)
            box = over[-1][0]
        here = restarted(ahead[k + 1][0], box)
    return cells, ""


def _ahead(flow: Flow, end: float) -> list[tuple[Flow, Fraction | None, bool]]:
    """The pieces from 0 on towards an end: the equations, where they end, and whether those of the next are the same there."""
    found, forward = pieces(flow), end > 0
    if not forward:
        found = found[::-1]
    ordered = [(piece.flow, piece.ends[::1 if forward else -1], piece.meets[::1 if forward else -1]) for piece in found]
    first = next(k for k, (_, (_, b), _) in enumerate(ordered) if b is None or (b > 0 if forward else b < 0))
    if ordered[first][1][0] == 0 and not ordered[first][2][0]:
        return [(flow, None, False)]
    return [(each, ends[1], meets[1]) for each, ends, meets in ordered[first:]]


def _march(flow: Flow, end: float, at: float = 0.0) -> tuple[list[tuple[Array, ...]], str]:
    """The cells from a time on, and why there are no more."""
    if end == at or not flow.steps:
        return [], ""
    # Held while the loop calls them by address.
    made = kernels(flow)
    memory, parts, left = _memory(flow, end, made), list[tuple[Array, ...]](), flow.steps
    memory.set("at", at)
    while True:
        check()
        memory.set("count", 0)
        memory.set("room", min(left, _ROOM))
        why = compiled(march)(memory.address)
        count = memory.number("count")
        parts.append(tuple(memory[name][:count].copy() for name in KEPT))
        left -= count
        if why == NO_STEP:
            return parts, (
                f"beyond {memory.number('at'):.9g} no enclosure is proved: the solution may grow beyond all bounds, leave the domain of "
                "its equations or come to a kink of theirs, or what is known of its start is too little")
        if why != ROOM_LEFT:
            return parts, ""
        if not left and abs(memory.number("at")) < abs(end):
            return parts, f"the limit of {flow.steps:,} steps is reached at {memory.number('at'):.9g}"
        if not left:
            return parts, ""


def _memory(flow: Flow, end: float, made: Kernels) -> Memory:
    """The memory of a march from the start to an end."""
    n = flow.states
    memory = Memory(MarchMemory, {
        "n": n, "terms": ORDER + 2, "room": _ROOM, "inputs": max(len(k.variables) for k in made),
        "outputs": max(len(k.outputs) for k in made), "twice": 2 * n, "degrees": ORDER + 1})
    for name, kernel in zip(made._fields, made, strict=True):
        memory.set(name, kernel.block_address("decorated" if name == "coefficients" else "interval"))
    middle, off, ends = _start(flow)
    for name, value in (("end", end), ("way", max(-flow.begin, flow.end)), ("last", math.inf),
                        ("least_term", _TERM), ("least_rest", _REST), ("margin", _MARGIN), ("columns", 2 * n if off.any() else n)):
        memory.set(name, value)
    memory["m"][:], memory["box"][:], memory["off"][:], memory["r"][n:] = middle, ends, off, off
    memory["frame"].reshape(2, n, n)[:] = np.eye(n)
    return memory


@functools.lru_cache(maxsize=32)
def _start(flow: Flow) -> tuple[Array, Array, Array]:
    """Middles (n,), enclosures (n, 2) of what is beside them, and of the start values."""
    _, low, high = flow.parts
    ends = np.array([(enclose_constant(a)[0], enclose_constant(b)[1]) for a, b in zip(low, high, strict=True)])
    with np.errstate(all="ignore"):
        middle = ends[:, 0] + 0.5 * (ends[:, 1] - ends[:, 0])
        off = np.stack([np.nextafter(ends[:, 0] - middle, -math.inf) - _TINY, np.nextafter(ends[:, 1] - middle, math.inf) + _TINY], axis=1)
    off[ends[:, 0] == ends[:, 1]] = 0.0
    return middle, off, ends
