"""Comparison of emitted functions with Arb."""

import math
from collections.abc import Callable

import numpy as np
from flint import arb, ctx

from codegen.emit.lanes import Emit
from tests.lanes import VectorFunction

Array = np.ndarray
BITS = 400

AVX2 = "x86-64-v3"


def ball(x: float) -> arb:
    return arb(float(x))


def excess(bound: float, exact: arb) -> float:
    """How far `bound` is above the exact number, in its ulps; at least 0, or an AssertionError."""
    difference = ball(bound) - exact
    assert not difference < 0, f"{float(bound).hex()} is below {exact}"
    return float((difference / ball(math.ulp(bound))).abs_upper())


def largest_excess(emit: Emit, function: Callable[[arb], arb], points: Array) -> float:
    """Largest excess of both ends over the exact value, of an interval function at boxes of one point."""
    n, h = VectorFunction(emit, 2, 2)(-points, points)
    with ctx.workprec(BITS):
        exact = [function(ball(x)) for x in points]
        return max(max(excess(a, -y), excess(b, y)) for a, b, y in zip(n, h, exact, strict=True))


Range = Callable[[float, float], tuple[arb, arb]]


def largest_excess_on_boxes(emit: Emit, range_of: Range, lo: Array, hi: Array) -> float:
    """Largest excess of both ends over the exact range, on boxes."""
    n, h = VectorFunction(emit, 2, 2)(-lo, hi)
    with ctx.workprec(BITS):
        ranges = [range_of(a, b) for a, b in zip(lo, hi, strict=True)]
        return max(max(excess(a, -y[0]), excess(b, y[1])) for a, b, y in zip(n, h, ranges, strict=True))


def largest_error(emit: Emit, function: Callable[[arb], arb], points: Array) -> float:
    """Largest error of a point function, in ulps."""
    value, = VectorFunction(emit, 1, 1, rounding="nearest")(points)
    with ctx.workprec(BITS):
        return max(float((abs(ball(v) - function(ball(x))) / ball(math.ulp(v))).abs_upper())
                   for v, x in zip(value, points, strict=True))


def sizes(rng: np.random.Generator, count: int, low: float, high: float) -> Array:
    """Numbers of both signs, of sizes from 2^low to 2^high, as many in every octave."""
    return np.asarray(rng.choice([-1.0, 1.0], count) * np.exp2(rng.uniform(low, high, count)))


def same_bits(emit: Emit, arity: int, results: int, arguments: tuple[Array, ...]) -> bool:
    """Whether code for registers of half the width gives the same bits."""
    here = VectorFunction(emit, arity, results)(*arguments)
    there = VectorFunction(emit, arity, results, cpu=AVX2)(*arguments)
    return all(a.tobytes() == b.tobytes() for a, b in zip(here, there, strict=True))
