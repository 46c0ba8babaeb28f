"""Levels of compiled kernels: true wherever they are claimed, and those of the reference arithmetic.

The truth is found twice: from the definition of each operation, and by looking for two points of a box that show
different branches, integers or signs, or for one where the function is undefined.
"""

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

import codegen
from codegen.graph.evaluate import evaluate
from codegen.graph.expr import Expr, ExprPool
from codegen.reference.interpreter import interpret

from .arb_arithmetic import ArbArithmetic, exact, highest_level, point
from .boxes import INF, random_boxes, same_bits, samples


@pytest.fixture(autouse=True)
def precision() -> Iterator[None]:
    old, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = old


def holds(lo: float, hi: float, x: float) -> bool:
    return lo <= x <= hi


def kink_at_zero(otherwise: int) -> Callable[[float, float], int]:
    return lambda lo, hi: otherwise if holds(lo, hi, 0) else 3


def inside(a: float, b: float, at_ends: int) -> Callable[[float, float], int]:
    """3 for boxes inside the domain (a, b), `at_ends` for boxes that reach a finite end of [a, b], 0 beyond."""
    def level(lo: float, hi: float) -> int:
        if lo < a or hi > b:
            return 0
        return at_ends if lo == a or (hi == b and b < INF) else 3
    return level


def integers(lo: float, hi: float) -> int:
    """Floor and ceiling jump at integers."""
    if max(-lo, hi) == INF:
        return 1
    return 3 if math.floor(lo) == math.floor(hi) and lo != math.floor(lo) else 1


def poles(lo: float, hi: float) -> int:
    """tan is undefined at the odd multiples of pi/2."""
    if max(-lo, hi) == INF or hi - lo > 4:
        return 0
    ctx.prec = 1400
    pieces = {str((exact(end) / arb.pi() + exact(0.5)).floor().unique_fmpz()) for end in (lo, hi)}
    return 3 if len(pieces) == 1 else 0


TRUTH: dict[str, Callable[[float, float], int]] = {
    "sqrt": inside(0, INF, 2), "log": inside(0, INF, 0), "asin": inside(-1, 1, 2), "acos": inside(-1, 1, 2),
    "acosh": inside(1, INF, 2), "atanh": inside(-1, 1, 0), "abs": kink_at_zero(2), "sign": kink_at_zero(1),
    "heaviside": kink_at_zero(1), "floor": integers, "ceiling": integers, "tan": poles,
    **dict.fromkeys(["exp", "sin", "cos", "atan", "sinh", "cosh", "tanh", "asinh"], lambda lo, hi: 3),
}  # fmt: skip


def test_one_operation_has_exactly_its_level() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    lo, hi = random_boxes("levels", 4000, 1)
    _, _, level = codegen.compile([pool.node(name, x) for name in TRUTH], [x]).decorated(lo, hi)
    for k, (name, truth) in enumerate(TRUTH.items()):
        expected = np.array([truth(float(a), float(b)) for a, b in zip(lo[:, 0], hi[:, 0], strict=True)])
        # tan beyond the range of its reduction claims nothing
        wrong = level[:, k] != expected
        if name == "tan":
            wrong &= (level[:, k] > expected) | (np.maximum(-lo[:, 0], hi[:, 0]) <= 2.0**20)
        assert not wrong.any(), (name, lo[wrong][:3], hi[wrong][:3], level[wrong, k][:3], expected[wrong][:3])


def expressions(pool: ExprPool) -> list[Expr]:
    """Operations of two arguments, compositions, and every way for a condition to be decided or not."""
    x, y = pool.variable(0), pool.variable(1)
    less, same = pool.node("lt", x, y), pool.node("eq", x, y)
    root = pool.node("sqrt", x)
    zero, one = pool.constant(0), pool.constant(1)
    found = [pool.node(op, x, y) for op in ("add", "mul", "div", "pow", "min", "max", "atan2")]
    found += [pool.node("fma", x, y, root), pool.node("chebyshev", x, y, root), root * y,
              zero * pool.node("floor", x) + y]
    positive, either = pool.node("lt", zero, x), pool.node("or", less, same)
    found += [pool.where(less, x, y), pool.where(pool.not_(less), root, y), pool.where(same, one, x),
              pool.where(pool.node("le", x, y), x, y), pool.where(pool.node("lt", root, y), x, y),
              pool.where(either, pool.node("abs", x), root), pool.where(pool.node("and", less, positive), one / x, y),
              pool.where(less, x, pool.node("undefined"))]
    nested = pool.node("abs", pool.node("max", x, pool.node("sin", y)))
    found += [nested, pool.node("sqrt", nested), pool.node("log", pool.node("min", x, y)), pool.node("tan", x * y)]
    return [*found, pool.node("atan2", x - y, x + y), 1 / pool.node("floor", x), pool.guarded(y, root),
            pool.trusted(x * y, root, 2), pool.trusted(x * y, pool.node("abs", y), 3)]


def test_levels_are_true_and_those_of_the_reference() -> None:
    pool = ExprPool()
    outputs = expressions(pool)
    kernel = codegen.compile(outputs, [pool.variable(0), pool.variable(1)])
    lo, hi = random_boxes("decorated", 1200, 2)
    out_lo, out_hi, level = kernel.decorated(lo, hi)
    _, _, expected = interpret(outputs, lo, hi)
    assert (level <= expected).all()
    # Bounds inside a composition may be wider than the reference's by some ulps, and its level then lower; the
    # trigonometric functions give up beyond 2^20.
    small = np.all(np.maximum(-lo, hi) <= 2.0**10, axis=1)
    assert (level != expected)[small].mean() < 1e-4 and small.sum() > 400
    assert all(same_bits(a, b) for a, b in zip((out_lo, out_hi), kernel.interval(lo, hi), strict=True))
    rng = random.Random(5)
    for row in range(len(lo)):
        columns = [samples(rng, a, b, 5) for a, b in zip(lo[row], hi[row], strict=True)]
        seen = [evaluate(outputs, ArbArithmetic(), [point(c) for c in x]) for x in zip(*columns, strict=True)]
        for k, e in enumerate(outputs):
            if e.op != "guarded":
                assert level[row, k] <= highest_level([s[k] for s in seen]), (e, lo[row], hi[row], columns)


def test_every_level_occurs_on_a_known_box() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    root, size, step = pool.node("sqrt", x), pool.node("abs", x - 1), pool.node("floor", x)
    kernel = codegen.compile([root, size, step, root * size + step, x], [x])
    lo, hi = np.array([[-1.0], [0.0], [0.25], [0.5], [1.0]]), np.array([[2.0], [0.5], [0.75], [1.5], [1.0]])
    expected = [[0, 2, 1, 0, 3], [2, 3, 1, 1, 3], [3, 3, 3, 3, 3], [3, 2, 1, 1, 3], [3, 2, 1, 1, 3]]
    assert kernel.decorated(lo, hi)[2].tolist() == expected


def test_a_constant_is_differentiable_where_it_is_defined() -> None:
    pool = ExprPool()
    x = pool.variable(0)
    third = pool.constant(Fraction(1, 3))
    outputs = [x + pool.node("sqrt", third), x + pool.node("sqrt", -third), x * pool.node("log", pool.constant(0)),
               x + pool.node("floor", pool.constant(2)), x + pool.node("abs", pool.constant(0))]
    _, _, level = codegen.compile(outputs, [x]).decorated(np.zeros((1, 1)), np.ones((1, 1)))
    assert level.tolist() == [[3, 0, 0, 3, 3]]


def test_a_derivative_is_decorated_only_where_its_function_is_differentiable() -> None:
    pool = ExprPool()
    x, y = pool.variable(0), pool.variable(1)
    outputs = [pool.node("abs", x) * y, pool.node("sqrt", x) + y, pool.node("floor", x) * y, x * y,
               pool.node("max", x, y)]
    kernel = codegen.compile(outputs, [x, y])
    lo, hi = random_boxes("guard", 500, 2)
    function, derivative = kernel.decorated(lo, hi)[2], kernel.jacobian().decorated(lo, hi)[2]
    smooth = np.repeat(function == 3, 2, axis=1)
    assert (derivative[~smooth] == 0).all() and (derivative[smooth] >= 2).all() and smooth.any() and not smooth.all()
    second = kernel.jacobian().jacobian().decorated(lo, hi)[2]
    assert (second[np.repeat(~smooth, 2, axis=1)] == 0).all()
