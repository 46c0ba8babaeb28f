"""Functions of the user's (`graph.primitives`): their formulas written in place, or a call of native code for each lane.

A formula of the ends is evaluated in interval arithmetic at these ends, as points: what is undefined there is no bound, so that side is
infinite, and the level 0. An infinite end stands for every finite one beyond the largest double, M, so formulas get [M, inf]: bounds of all
boxes up to such ends bound their union. Bounds that cross are taken as two numbers in the wrong order.

How graphs are written is known above this module: `formula` registers its writer here.
"""

import math
from collections.abc import Callable, Sequence

from ...graph.expr import Expr
from ...graph.primitives import Declared, decoded, formulas, native
from ..entry import set_control
from ..lanes import Kind, Lanes
from .arithmetic import LARGEST

Value = str
Interval = tuple[Value, Value]
Written = list[tuple[Value, ...]]
"""The bounds and level (-lo, hi, level) of each formula, or its value at a point."""
Writer = Callable[[Lanes, Sequence[Expr], Kind, Sequence[tuple[Value, ...]]], Written]

_writers: list[Writer] = []


def register(writer: Writer) -> Writer:
    """A writer: (lanes, formulas, kind of code, vectors of the variables) -> vectors of the formulas."""
    _writers[:] = [writer]
    return writer


def _end(L: Lanes, x: Value) -> Interval:
    """An end as an interval: the number, or beyond M where it is infinite."""
    most = L.const(-LARGEST)
    return L.max(L.neg(x), most), L.max(x, most)


def _ends(L: Lanes, boxes: Sequence[Value]) -> list[Interval]:
    """Both ends of each of the boxes (-lo, hi), as intervals."""
    return [_end(L, end) for n, h in zip(boxes[::2], boxes[1::2], strict=True) for end in (L.neg(n), h)]


def _bounds(L: Lanes, declared: Declared, boxes: Sequence[Value]) -> tuple[Value, Value, Value]:
    """Bounds (-lo, hi), and the level."""
    if declared.native:
        return _called(L, declared, boxes)
    (low_n, low_h, low), (high_n, high_h, high) = _writers[0](L, formulas(declared.bounds), "decorated", _ends(L, boxes))
    infinity, one = L.const(math.inf), L.const(1.0)
    left, right = L.ge(low, one), L.ge(high, one)
    n, h = L.select(left, low_n, infinity), L.select(right, high_h, infinity)
    both = L.both(left, right)
    n, h = L.select(both, L.max(n, high_n), n), L.select(both, L.max(h, low_h), h)
    return n, h, L.select(both, L.const(float(declared.level)), L.const(0.0))


def primitive(L: Lanes, *boxes_and_value: Value | bytes) -> Interval:
    """The bounds over a box: -lo and hi of each argument, and the value of the node."""
    *boxes, value = boxes_and_value
    n, h, _ = _bounds(L, decoded(value), boxes)  # type: ignore[arg-type]
    return n, h


def primitive_level(L: Lanes, *boxes_and_value: Value | bytes) -> tuple[Value]:
    *boxes, value = boxes_and_value
    return (_bounds(L, decoded(value), boxes)[2],)  # type: ignore[arg-type]


def primitive_point(L: Lanes, *x_and_value: Value | bytes) -> tuple[Value]:
    """Approximates the value at a point, by the formula or the code of points."""
    *x, value = x_and_value
    declared = decoded(value)  # type: ignore[arg-type]
    if declared.native and native(declared).points:
        return (_called_at(L, native(declared).points, x),)  # type: ignore[arg-type]
    (found,) = _writers[0](L, formulas(declared.points), "points", [(e,) for e in x])  # type: ignore[misc]
    return (found[0],)


def undone(L: Lanes, *boxes: Value, value: bytes, argument: int) -> Interval:
    """An enclosure of one argument, from the box of the value and those of all arguments."""
    both = formulas(decoded(value).inverses)[2 * argument:2 * argument + 2]
    (low_n, _, low), (_, high_h, high) = _writers[0](L, both, "decorated", _ends(L, boxes))
    infinity, one = L.const(math.inf), L.const(1.0)
    return L.select(L.ge(low, one), low_n, infinity), L.select(L.ge(high, one), high_h, infinity)


# -- native code --------------------------------------------------------------------------------------------------


def _each(L: Lanes, address: int, given: Sequence[Value], results: int) -> list[Value]:
    """``void(const double *given, double *results)`` for every lane, in rounding to nearest."""
    strict = " #1" if L.rounding == "upward" else ""
    inside, outside = (L.emit(f"alloca [{count} x double]") for count in (max(len(given), 1), results))
    set_control(L, "nearest")
    made = ["poison"] * results
    for lane in range(L.width):
        for k, x in enumerate(given):
            at = L.emit(f"getelementptr double, ptr {inside}, i64 {k}")
            L.lines.append(f"  store double {L.emit(f'extractelement {L.vector} {x}, i64 {lane}')}, ptr {at}")
        L.lines.append(f"  call void inttoptr (i64 {address} to ptr)(ptr {inside}, ptr {outside}){strict}")
        for k in range(results):
            at = L.emit(f"getelementptr double, ptr {outside}, i64 {k}")
            made[k] = L.emit(f"insertelement {L.vector} {made[k]}, double {L.emit(f'load double, ptr {at}')}, i64 {lane}")
    set_control(L, L.rounding)
    return made


def _called(L: Lanes, declared: Declared, boxes: Sequence[Value]) -> tuple[Value, Value, Value]:
    """Bounds by native code; NaN, or bounds that cross, say that nothing is known."""
    ends = [end for n, h in zip(boxes[::2], boxes[1::2], strict=True) for end in (L.neg(n), h)]
    low, high = _each(L, native(declared).bounds, ends, 2)
    known, infinity = L.le(low, high), L.const(math.inf)
    level = L.select(known, L.const(float(declared.level)), L.const(0.0))
    return L.select(known, L.neg(low), infinity), L.select(known, high, infinity), level


def _called_at(L: Lanes, address: int, x: Sequence[Value]) -> Value:
    (found,) = _each(L, address, x, 1)
    return found
