"""Tables of a flow from a box of starts, made of those of its parts.

Of several equations the box is halved where the march does not come to the end, and each start lies in some part. Of one, x' = f(x, s),
solutions do not cross each other: all that start in between stay between those from both ends of the start, as long as f is Lipschitz
continuous between them, for which it is continuous with a bounded derivative by x there (Walter 1998, Ordinary Differential Equations, 9).

All solutions are described beside one: in each of its cells, with its polynomial p, the others' polynomials are moved to its base, and what
they differ from p, with their errors, is the error. It is the same all over a cell, so these are divided. All sums are rounded outwards.
"""

import functools
from collections.abc import Sequence

import numpy as np

from ..graph.autodiff import partials
from ..graph.expr import Expr, ExprPool
from ..graph.flows import Flow, FlowTable, described
from ..graph.sides import both_sides
from ..kernel import Kernel
from ..reference.interpreter import enclose_constant
from .series import ORDER

Array = np.ndarray
# Parts of a cell: by measurement on x' = x from [-1, 2] bounds are 7 % too wide with 16 (in the last cell, that ends later, 15 %).
_FINER = 16
_STOPS = "beyond {:.9g} solutions from both ends of the start are known, and none that start in between"


def halves(flow: Flow) -> tuple[Flow, Flow]:
    """Two flows whose starts cover that of the flow, which is halved where it is widest."""
    rates, low, high = flow.parts
    widths = [enclose_constant(b)[1] - enclose_constant(a)[0] for a, b in zip(low, high, strict=True)]
    widest = int(np.argmax(widths))
    middle = _middle(low[widest], high[widest])

    def with_ends(a: list[Expr], b: list[Expr]) -> Flow:
        return described(rates, a, b, flow.begin, flow.end, flow.steps)

    return (with_ends(low, [*high[:widest], middle, *high[widest + 1:]]), with_ends([*low[:widest], middle, *low[widest + 1:]], high))


def ends_and_middle(flow: Flow) -> list[Flow]:
    """The flows of one equation from the middle of the start, and from both of its ends."""
    rates, low, high = flow.parts
    starts = [[_middle(low[0], high[0])], low, high]
    return [described(rates, start, start, flow.begin, flow.end, flow.steps) for start in starts]


def _middle(a: Expr, b: Expr) -> Expr:
    return (a + b) / 2


def merged(tables: Sequence[FlowTable]) -> FlowTable:
    """The table of all solutions that one of the tables describes, beside those of the first table."""
    empty = next((t for t in tables if not len(t.base)), None)
    if empty is not None:
        return empty
    begin, stop = max(t.ends[0] for t in tables), min(t.ends[-1] for t in tables)
    reason = (next(t.reason[0] for t in tables if t.ends[0] == begin), next(t.reason[1] for t in tables if t.ends[-1] == stop))
    first = _finer(_between(tables[0], begin, stop))
    low, high, slope_error, bend, inside = (a.copy() for a in (-first.error, first.error, first.slope_error, first.bend, first.range))
    for table in tables[1:]:
        g, m = _overlaps(first.ends, table.ends)
        (least, most), slopes = _differences(first, table, g, m)
        np.minimum.at(low, g, -_sum(-least, table.error[m]))
        np.maximum.at(high, g, _sum(most, table.error[m]))
        np.maximum.at(slope_error, g, _sum(slopes, table.slope_error[m]))
        np.maximum.at(bend, g, table.bend[m])
        np.minimum.at(inside[..., 0], g, table.range[m, :, 0])
        np.maximum.at(inside[..., 1], g, table.range[m, :, 1])
    coefficients, error = _centred(first.coefficients, low, high)
    return FlowTable(first.ends, first.base, coefficients, error, slope_error, bend, inside, reason)


def _finer(table: FlowTable) -> FlowTable:
    """The same with each cell in several."""
    parts = np.linspace(table.ends[:-1], table.ends[1:], _FINER, endpoint=False, axis=1).ravel()
    ends = np.append(parts, table.ends[-1:])
    kept = np.flatnonzero(ends[:-1] < ends[1:])
    inside = (np.repeat(array, _FINER, axis=0)[kept] for array in _arrays(table))
    return FlowTable._make([np.append(ends[kept], ends[-1:]), *inside, table.reason])


def _centred(coefficients: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Polynomials moved into the middle of what lies from `low` to `high` beside them, and how far that reaches to both sides."""
    moved = coefficients.copy()
    moved[..., 0] += 0.5 * low + 0.5 * high
    by = moved[..., 0] - coefficients[..., 0]
    least, most = np.nextafter(by, -np.inf), np.nextafter(by, np.inf)
    return moved, np.maximum(_sum(high, -least), _sum(most, -low))


def filled(flow: Flow, table: FlowTable) -> FlowTable:
    """The table of one equation, for all solutions between those that it describes: up to where the right-hand side is not known to be
    Lipschitz continuous between them.
    """
    if not len(table.base):
        return table
    times = np.stack([table.ends[:-1], table.ends[1:]])
    lo, hi, level = _rates(flow).decorated(*(np.stack([times[k], table.range[:, 0, k]], axis=1) for k in range(2)))
    known = (level[:, 0] >= 2) & np.isfinite(lo).all(axis=1) & np.isfinite(hi).all(axis=1)
    own = _polynomial().interval(*_rows(table.coefficients[:, 0], _beside(times, table.base)))
    slope = np.maximum(np.nextafter(hi[:, 0] - own[0][:, 0], np.inf), np.nextafter(own[1][:, 0] - lo[:, 0], np.inf))
    bend = np.maximum(-lo[:, 2], hi[:, 2])
    whole = table._replace(slope_error=np.maximum(table.slope_error, slope[:, None]), bend=np.maximum(table.bend, bend[:, None]))
    return _known(whole, known)


def _known(table: FlowTable, known: Array) -> FlowTable:
    """The cells around 0 up to the first on each side that is not known."""
    after = table.ends[1:] > 0
    late, early = np.flatnonzero(~known & after), np.flatnonzero(~known & ~after)
    stop = table.ends[late[0]] if len(late) else table.ends[-1]
    begin = table.ends[early[-1] + 1] if len(early) else table.ends[0]
    reason = (_STOPS.format(begin) if len(early) else table.reason[0], _STOPS.format(stop) if len(late) else table.reason[1])
    return _between(table, begin, stop)._replace(reason=reason)


def _between(table: FlowTable, begin: float, stop: float) -> FlowTable:
    """The cells between two times, the first and the last one cut."""
    cells = np.flatnonzero((table.ends[:-1] < stop) & (table.ends[1:] > begin))
    ends = np.clip(table.ends[[*cells, cells[-1] + 1]], begin, stop) if len(cells) else table.ends[:0]
    return FlowTable._make([ends, *(array[cells] for array in _arrays(table)), table.reason])


def _arrays(table: FlowTable) -> Sequence[Array]:
    """The arrays with a row for each cell."""
    return table.base, table.coefficients, table.error, table.slope_error, table.bend, table.range


def _overlaps(ends: Array, others: Array) -> tuple[Array, Array]:
    """Pairs of cells that overlap, as the positions in both rows of ends."""
    first = np.searchsorted(others[1:], ends[:-1], "right")
    last = np.searchsorted(others[:-1], ends[1:], "left")
    counts = last - first
    g = np.repeat(np.arange(len(counts)), counts)
    return g, np.arange(len(g)) - np.repeat(np.cumsum(counts) - counts - first, counts)


def _differences(first: FlowTable, table: FlowTable, g: Array, m: Array) -> tuple[tuple[Array, Array], Array]:
    """Bounds of the polynomials of cells m less those of cells g, and of the size of their slopes, where the cells overlap."""
    times = np.stack([np.maximum(first.ends[g], table.ends[m]), np.minimum(first.ends[g + 1], table.ends[m + 1])])
    shift = _beside(np.stack([first.base[g]] * 2), table.base[m])
    at = _beside(times, first.base[g])
    found = [_compared().interval(*_rows(np.concatenate([table.coefficients[m, i], first.coefficients[g, i]], axis=1), shift, at))
             for i in range(first.coefficients.shape[1])]
    lo, hi = (np.stack([ends[k] for ends in found], axis=1) for k in range(2))
    return (lo[..., 0], hi[..., 0]), np.maximum(-lo[..., 1], hi[..., 1])


def _sum(a: Array, b: Array) -> Array:
    """The sum of sizes, rounded up."""
    return np.nextafter(a + b, np.inf)


def _beside(times: Array, base: Array) -> tuple[Array, Array]:
    """Enclosures of times, from lower to upper ones, less a base."""
    return np.nextafter(times[0] - base, -np.inf), np.nextafter(times[1] - base, np.inf)


def _rows(points: Array, *boxes: tuple[Array, Array]) -> tuple[Array, Array]:
    """Rows of boxes: numbers, then intervals."""
    lo, hi = (np.column_stack([points, *(box[k] for box in boxes)]) for k in range(2))
    return lo, hi


@functools.cache
def _compared() -> Kernel:
    """a(z + h) - b(z) and its derivative, of the coefficients of a and b, h and z."""
    pool = ExprPool()
    given = [pool.variable(k) for k in range(2 * ORDER + 4)]
    a, b, h, z = given[:ORDER + 1], given[ORDER + 1:-2], given[-2], given[-1]
    for i in range(ORDER):
        for j in range(ORDER - 1, i - 1, -1):
            a[j] = a[j] + h * a[j + 1]
    difference = [p - q for p, q in zip(a, b, strict=True)]
    return Kernel([_horner(difference, z), _horner(_slopes(difference), z)], [f"v{k}" for k in range(len(given))], quick=True)


@functools.cache
def value() -> Kernel:
    """p(z), of the coefficients of p and z."""
    pool = ExprPool()
    *c, z = (pool.variable(k) for k in range(ORDER + 2))
    return Kernel([_horner(c, z)], [f"v{k}" for k in range(ORDER + 2)], quick=True)


@functools.cache
def _polynomial() -> Kernel:
    """p'(z), of the coefficients of p and z."""
    pool = ExprPool()
    *c, z = (pool.variable(k) for k in range(ORDER + 2))
    return Kernel([_horner(_slopes(c), z)], [f"v{k}" for k in range(ORDER + 2)], quick=True)


def _horner(c: Sequence[Expr], z: Expr) -> Expr:
    total = c[-1]
    for each in reversed(c[:-1]):
        total = total * z + each
    return total


def _slopes(c: Sequence[Expr]) -> list[Expr]:
    return [k * each for k, each in enumerate(c)][1:]


def _rates(flow: Flow) -> Kernel:
    """f, its derivative by x, and x'' = f_s + f_x f, of s and x."""
    (f,), _, _ = flow.parts
    ((by_time, by_state),) = partials([f], [f.pool.variable(0), f.pool.variable(1)])
    return Kernel([f, *both_sides([by_state, by_time + by_state * f])], ["s", "x"], quick=True)
