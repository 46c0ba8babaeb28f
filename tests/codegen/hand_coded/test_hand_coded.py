"""Compiled bounds hold the truth, never contradict those by hand, and are wider only with a reason."""

import random

import numpy as np
import pytest
from flint import arb, ctx

from codegen.graph.evaluate import evaluate

from ..arb_arithmetic import ArbArithmetic, point, surely_outside
from .cases import boxes, by_hand, compared, kernel
from .curves import CURVES
from .motions import MOTIONS
from .outward import V, doubles, joined, sin
from .shapes import SHAPES

CASES = SHAPES | CURVES | MOTIONS


def test_there_are_forty_and_more() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize("name", CASES)
def test_compiled_bounds_and_those_by_hand(name: str) -> None:
    case = CASES[name]
    found = compared(case)
    assert found, f"{name}: {found}"
    if not case.reason:
        beyond = np.maximum(found.hand_lo - found.lo, found.hi - found.hand_hi)
        size = np.maximum(1.0, np.maximum(abs(found.hand_lo), abs(found.hand_hi)))
        assert (beyond <= case.ulps * 2.0**-53 * size).all(), f"{name}: {found}"


@pytest.mark.parametrize("name", CASES)
def test_both_hold_the_truth(name: str) -> None:
    case = CASES[name]
    made, rng = kernel(case), random.Random(name)
    lo, hi = boxes(case, 25, 11)
    with ctx.workprec(160):
        for a, b, *bounds in zip(lo, hi, *made.interval(lo, hi), *by_hand(case)(lo, hi), strict=True):
            at = [point(rng.choice([p, q, rng.uniform(p, q)])) for p, q in zip(a, b, strict=True)]
            for k, value in enumerate(evaluate(made.outputs, ArbArithmetic(), at)):
                assert value.ball is not None and value.ball.is_finite()
                assert not surely_outside(value.ball, bounds[0][k], bounds[1][k]), f"{name}: the kernel over {a}, {b}"
                assert not surely_outside(value.ball, bounds[2][k], bounds[3][k]), f"{name}: by hand over {a}, {b}"


def test_intervals_by_hand_round_outward() -> None:
    with ctx.workprec(200):
        third = V(arb(1) / 3, arb(1) / 3)
        lo, hi = doubles(third)
        assert arb(lo) * 3 < 1 < arb(hi) * 3 and np.nextafter(lo, 1) == hi
        assert doubles(sin(V(arb(1), arb(2))))[1] == 1.0 and doubles(joined(third, -third)) == (-hi, hi)
