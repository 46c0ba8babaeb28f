"""The reference arithmetic on special boxes, what it proves there, and how it decides."""

import math

import pytest

from codegen.graph.expr import ExprPool
from codegen.reference.interpreter import interpret
from tests.codegen.boxes import INF, LINE, Box, one


@pytest.mark.parametrize(("name", "box", "expected"), [
    ("sqrt", (-2, -1), (*LINE, 0)), ("sqrt", (-1, 4), (0, 2, 0)), ("sqrt", (0, 4), (0, 2, 2)),
    ("sqrt", (1, INF), (1, INF, 3)),
    ("log", (-1, 1), (-INF, 0, 0)), ("log", (0, 1), (-INF, 0, 0)), ("log", (-2, 0), (*LINE, 0)),
    ("log", (1, INF), (0, INF, 3)),
    ("abs", (-2, 1), (0, 2, 2)), ("abs", (-2, -1), (1, 2, 3)), ("abs", (0, 1), (0, 1, 2)),
    ("sign", (-2, 1), (-1, 1, 1)), ("sign", (0, 1), (0, 1, 1)), ("sign", (2, INF), (1, 1, 3)),
    ("heaviside", (-1, 0), (0, 0.5, 1)), ("heaviside", (1, 2), (1, 1, 3)),
    ("floor", (0.25, 0.75), (0, 0, 3)), ("floor", (1, 1.5), (1, 1, 1)), ("floor", (0.5, 2.5), (0, 2, 1)),
    ("ceiling", (0.25, 0.75), (1, 1, 3)), ("ceiling", (0.5, 1), (1, 1, 1)),
    ("asin", (1, 2), (*(1.5707963267948966, 1.5707963267948968), 0)), ("asin", (2, 3), (*LINE, 0)),
    ("acos", (-2, -1.5), (*LINE, 0)), ("acos", (0.5, 1), (0, 1.0471975511965979, 2)), ("acos", (1, 3), (0, 0, 0)),
    ("acosh", (-2, 0.5), (*LINE, 0)), ("acosh", (1, INF), (0, INF, 2)), ("acosh", (-3, 1), (0, 0, 0)),
    ("acosh", (2, INF), (1.3169578969248166, INF, 3)),
    ("atanh", (0, 1), (0, INF, 0)), ("atanh", (-3, 3), (*LINE, 0)), ("atanh", (1, 2), (*LINE, 0)),
    ("atanh", (0, 0), (0, 0, 3)),
    ("tan", (1, 2), (*LINE, 0)), ("tan", LINE, (*LINE, 0)), ("sin", LINE, (-1, 1, 3)), ("cos", (-1, INF), (-1, 1, 3)),
    ("tanh", LINE, (-1, 1, 3)), ("exp", (-INF, 0), (0, 1, 3)), ("exp", (0, INF), (1, INF, 3)),
    ("cosh", LINE, (1, INF, 3)),
    ("atan", LINE, (-1.5707963267948968, 1.5707963267948968, 3)), ("exp", (800, 900), (1.7976931348623157e308, INF, 3)),
    ("exp", (-900, -800), (0, 5e-324, 3)),
])  # fmt: skip
def test_special_boxes(name: str, box: Box, expected: tuple[float, float, int]) -> None:
    pool = ExprPool()
    assert one(pool.node(name, pool.variable(0)), box) == expected


HALF_TURN, QUARTER_TURN = (3.141592653589793, 3.1415926535897936), (1.5707963267948966, 1.5707963267948968)


@pytest.mark.parametrize(("y", "x", "expected"), [
    ((0, 0), (0, 0), (*LINE, 0)), ((0, 0), (1, 2), (0, 0, 3)), ((0, 0), (-2, -1), (*HALF_TURN, 1)),
    ((0, 0), (-2, 0), (*HALF_TURN, 0)), ((0, 1), (0, 1), (0, QUARTER_TURN[1], 0)),
    ((-1, 0), (0, 0), (-QUARTER_TURN[1], -QUARTER_TURN[0], 0)),
    ((-1, 1), (-2, -1), (-HALF_TURN[1], HALF_TURN[1], 1)), ((0, 1), (-2, -1), (2.356194490192345, HALF_TURN[1], 1)),
    ((-1, 0), (-2, -1), (-HALF_TURN[1], HALF_TURN[1], 1)),
    ((-1, 1), (1, 2), (-0.7853981633974484, 0.7853981633974484, 3)),
    ((1, INF), LINE, (0, HALF_TURN[1], 3)), (LINE, LINE, (-HALF_TURN[1], HALF_TURN[1], 0)),
    ((1, 2), (-1, 1), (0.7853981633974482, 2.356194490192345, 3)), ((-2, -1), (0, INF), (-QUARTER_TURN[1], 0, 3)),
])  # fmt: skip
def test_atan2(y: Box, x: Box, expected: tuple[float, float, int]) -> None:
    pool = ExprPool()
    lo, hi, level = one(pool.node("atan2", pool.variable(0), pool.variable(1)), y, x)
    assert level == expected[2]
    assert abs(lo - expected[0]) < 1e-15 if math.isfinite(lo) else lo == expected[0]
    assert abs(hi - expected[1]) < 1e-15 if math.isfinite(hi) else hi == expected[1]


@pytest.mark.parametrize(("x", "y", "expected"), [
    ((1, 2), (0, 4), (0.25, INF, 0)), ((-2, -1), (0, 4), (-INF, -0.25, 0)), ((-1, 1), (0, 4), (*LINE, 0)),
    ((1, 2), (-4, 0), (-INF, -0.25, 0)), ((1, 2), (-1, 1), (*LINE, 0)), ((0, 0), (0, 0), (*LINE, 0)),
    ((1, 2), (1, INF), (0, 2, 3)), ((-INF, 1), (2, INF), (-INF, 0.5, 3)), (LINE, (1, INF), (*LINE, 3)),
    ((0, 0), (0, 2), (0, 0, 0)), ((1, 1), (5e-324, 1), (1, INF, 3)),
])  # fmt: skip
def test_division_by_intervals_at_zero(x: Box, y: Box, expected: tuple[float, float, int]) -> None:
    pool = ExprPool()
    # y may hold 0: the expression keeps its division, whatever it is divided by.
    assert one(pool.node("div", pool.variable(0), pool.variable(1)), x, y) == expected


def test_zero_times_infinity_is_zero() -> None:
    pool = ExprPool()
    assert one(pool.variable(0) * pool.variable(1), (0, 0), LINE) == (0, 0, 3)
    assert one(pool.variable(0) * pool.variable(1), (0, 1), (2, INF)) == (0, INF, 3)


def test_where_chooses_when_decided_and_else_takes_the_hull() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    e = pool.where(pool.node("lt", x, pool.constant(1)), x * 2, x + 10)
    assert one(e, (-1, 0.5)) == (-2, 1, 3)
    assert one(e, (1, 2)) == (11, 12, 2) and one(e, (1.5, 2)) == (11.5, 12, 3)
    assert one(e, (0, 2)) == (0, 12, 1)
    partial = pool.where(pool.node("lt", pool.node("sqrt", x), pool.constant(9)), x, pool.constant(0))
    assert one(partial, (-1, 2))[2] == 0


def test_truth_is_three_valued() -> None:
    pool = ExprPool()
    x, y = pool.variable(0), pool.variable(1)
    less, same = pool.node("lt", x, y), pool.node("eq", x, y)
    both, either = pool.node("and", less, same), pool.node("or", less, same)
    conditions = [less, pool.not_(less), pool.node("le", x, y), same, both, either]
    outputs = [pool.where(c, pool.constant(1), pool.constant(0)) for c in conditions]

    def truth(x: Box, y: Box) -> list[bool | None]:
        lo, hi, _ = interpret(outputs, [[x[0], y[0]]], [[x[1], y[1]]])
        return [bool(a) if a == b else None for a, b in zip(lo[0], hi[0], strict=True)]

    assert truth((0, 1), (2, 3)) == [True, False, True, False, False, True]
    assert truth((0, 1), (1, 3)) == [None, None, True, None, None, None]
    assert truth((1, 3), (0, 1)) == [False, True, None, None, False, None]
    assert truth((1, 1), (1, 1)) == [False, True, True, True, False, True]
    assert truth((0, 2), (1, 3)) == [None] * 6


def test_a_guard_takes_the_level_away() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    e = pool.guarded(x * 2, pool.node("abs", x))
    assert one(e, (1, 2)) == (2, 4, 3)
    assert one(e, (-1, 2)) == (-2, 4, 0)
