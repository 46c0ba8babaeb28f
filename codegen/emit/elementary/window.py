"""The five coefficients a side from a place of a lattice on, for each lane: what is needed to bound a tricubic B-spline (`tricubic`).

A function of its own, which goes from lane to lane, with vectors along the third axis: so its code is short.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import product
from typing import NamedTuple

from ...graph.lattices import DEGREE, Orders
from ..lanes import Lanes

Value = str
Rows = dict[tuple[int, int], Value]
"""Vectors along the third axis, by their places along the others."""

_WINDOW, _WIDTH = DEGREE + 2, 8


class SeriesWindow(NamedTuple):
    """Results of the coefficients after differences: the sum of all times their weights; `size`: of the largest before differences. And
    unless only a `point` is asked for the `least` and the `most`; `steepest`: of the largest difference more along each axis; `slopes`: the
    sums of such differences, of axes along which the function is smooth; and `bends`, the largest of the differences along two of these.
    """

    value: Value
    size: Value
    least: Value = ""
    most: Value = ""
    steepest: tuple[Value, ...] = ()
    slopes: tuple[Value, ...] = ()
    bends: tuple[Value, ...] = ()


def smooth(orders: Orders) -> list[int]:
    """Axes along which a function has second derivatives, except for jumps."""
    return [k for k, n in enumerate(orders) if n < DEGREE - 1]


def pairs(orders: Orders) -> list[tuple[int, int]]:
    return [(k, j) for k in smooth(orders) for j in smooth(orders) if j >= k]


def window(L: Lanes, table: str, strides: tuple[int, int], start: Value, orders: Orders, weights: Sequence[Sequence[Value]],
           slants: Sequence[Sequence[Value]] = ()) -> SeriesWindow:
    """The `SeriesWindow` of a table with such strides, from `start` (bits) on. `weights`: as many along each axis as there are
    coefficients. `slants`: as many as there are after one difference more, none along axes that are not smooth; left out where only a point
    is asked for.
    """
    point = not slants
    first = len(smooth(orders))
    count = 2 if point else 7 + first + len(pairs(orders))
    name, results = f"window{'_point' * point}_{'_'.join(map(str, orders))}", f"{{ {', '.join([L.vector] * count)} }}"
    given = [(f"%{kind}{axis}{k}", w) for kind, own in (("w", weights), ("s", slants)) for axis, along in enumerate(own)
             for k, w in enumerate(along)]
    if name not in L.intrinsics:
        L.intrinsics[name] = _written(L, name, results, orders, [w for w, _ in given], point)
    arguments = [f"ptr @{table}", *(f"i64 {e}" for e in strides), f"{L.bits} {start}", *(f"{L.vector} {w}" for _, w in given)]
    packed = L.emit(f"call fastcc {results} @{name}({', '.join(arguments)})")
    found = [L.emit(f"extractvalue {results} {packed}, {k}") for k in range(count)]
    if point:
        return SeriesWindow(found[0], found[1])
    return SeriesWindow(found[0], found[1], found[2], found[3], tuple(found[4:7]), tuple(found[7:7 + first]), tuple(found[7 + first:]))


def _written(L: Lanes, name: str, results: str, orders: Orders, weights: Sequence[str], point: bool) -> str:
    """The function, a loop over lanes."""
    B = Lanes(L.intrinsics, _WIDTH, L.rounding)
    values = _values(B, L, orders, point)
    ends = [B.emit(f"insertelement {L.vector} %o{k}, double {e}, i64 %lane") for k, e in enumerate(values)]
    body, B.lines = B.lines, []
    packed = "poison"
    for k, e in enumerate(ends):
        packed = B.emit(f"insertvalue {results} {packed}, {L.vector} {e}, {k}")
    carried = [f"  %o{k} = phi {L.vector} [ poison, %entry ], [ {e}, %loop ]" for k, e in enumerate(ends)]
    parameters = ", ".join(["ptr %table", "i64 %stride0", "i64 %stride1", f"{L.bits} %start", *(f"{L.vector} {w}" for w in weights)])
    return "\n".join([f"define internal fastcc {results} @{name}({parameters}) #2 {{", "entry:", "  br label %loop", "loop:",
                      "  %lane = phi i64 [ 0, %entry ], [ %next, %loop ]", *carried, *body, "  %next = add i64 %lane, 1",
                      f"  %more = icmp ult i64 %next, {L.width}", "  br i1 %more, label %loop, label %done", "done:", *B.lines,
                      f"  ret {results} {packed}", "}"])


def _values(B: Lanes, L: Lanes, orders: Orders, point: bool) -> list[Value]:
    """The values of a `SeriesWindow`, scalars."""
    rows, length = _rows(B, L), _WINDOW
    size = _largest(B, rows, length)
    for axis, n in enumerate(orders):
        for _ in range(n):
            rows, length = _differences(B, rows, axis), length - (axis == 2)
    value = _sum(B, L, rows, orders)
    if point:
        return [value, size]
    least, most = (_extreme(B, rows.values(), best, length) for best in (B.min, B.max))
    steps = [(_differences(B, rows, axis), length - (axis == 2)) for axis in range(3)]
    slopes = [_sum(B, L, steps[k][0], orders, k) for k in smooth(orders)]
    bends = [_largest(B, _differences(B, steps[k][0], j), steps[k][1] - (j == 2)) for k, j in pairs(orders)]
    return [value, size, least, most, *(_largest(B, *step) for step in steps), *slopes, *bends]


def _largest(B: Lanes, rows: Rows, length: int) -> Value:
    return _extreme(B, (B.abs(r) for r in rows.values()), B.max, length)


def _rows(B: Lanes, L: Lanes) -> Rows:
    at = B.emit(f"extractelement {L.bits} %start, i64 %lane")
    found = {}
    for i, j in product(range(_WINDOW), repeat=2):
        begin = at
        for stride, times in (("%stride0", i), ("%stride1", j)):
            begin = B.emit(f"add i64 {begin}, {B.emit(f'mul i64 {stride}, {times}')}")
        place = B.emit(f"getelementptr double, ptr %table, i64 {begin}")
        found[i, j] = B.emit(f"load {B.vector}, ptr {place}, align 8")
    return found


def _differences(B: Lanes, rows: Rows, axis: int) -> Rows:
    """One fewer along an axis; what is left of the third is at its beginning."""
    if axis == 2:
        return {k: B.sub(_moved(B, r, [*range(1, _WIDTH), _WIDTH - 1]), r) for k, r in rows.items()}
    later = {(i, j): (i + (axis == 0), j + (axis == 1)) for i, j in rows}
    return {k: B.sub(rows[to], rows[k]) for k, to in later.items() if to in rows}


def _moved(B: Lanes, row: Value, places: Iterable[int]) -> Value:
    """The entries of a vector at these places."""
    return B.emit(f"shufflevector {B.vector} {row}, {B.vector} poison, <{_WIDTH} x i32> <{', '.join(f'i32 {k}' for k in places)}>")


def _folded(B: Lanes, row: Value, operation: Callable[[Value, Value], Value]) -> Value:
    """All entries of a vector as one scalar."""
    for half in (4, 2, 1):
        row = operation(row, _moved(B, row, [(k + half) % _WIDTH for k in range(_WIDTH)]))
    return B.emit(f"extractelement {B.vector} {row}, i64 0")


def _extreme(B: Lanes, rows: Iterable[Value], best: Callable[[Value, Value], Value], length: int) -> Value:
    """The extreme one of the first entries, so many, of all vectors."""
    return _folded(B, _moved(B, reduce(best, rows), [min(k, length - 1) for k in range(_WIDTH)]), best)


def _sum(B: Lanes, L: Lanes, rows: Rows, orders: Orders, slant: int = -1) -> Value:
    """The sum of all entries times their weights; of differences along an axis more, if there is one."""
    named = [("s", n + 1) if axis == slant else ("w", n) for axis, n in enumerate(orders)]
    scalars = [[B.emit(f"extractelement {L.vector} %{kind}{axis}{k}, i64 %lane") for k in range(_WINDOW - n)]
               for axis, (kind, n) in enumerate(named)]
    first, second = ([_moved(B, B.emit(f"insertelement {B.vector} poison, double {s}, i64 0"), [0] * _WIDTH) for s in own]
                     for own in scalars[:2])
    across = [_weighted(B, [rows[i, j] for i in range(len(first))], first) for j in range(len(second))]
    third = "zeroinitializer"
    for k, s in enumerate(scalars[2]):
        third = B.emit(f"insertelement {B.vector} {third}, double {s}, i64 {k}")
    return _folded(B, B.mul(_weighted(B, across, second), third), B.add)


def _weighted(B: Lanes, values: Sequence[Value], weights: Sequence[Value]) -> Value:
    pairs = zip(values[1:], weights[1:], strict=True)
    return reduce(lambda total, pair: B.fma(pair[0], pair[1], total), pairs, B.mul(values[0], weights[0]))
