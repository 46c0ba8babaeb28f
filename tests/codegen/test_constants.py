"""Numbers that are enclosed by one kernel a kind: Arb at 200 bits must lie inside."""

import random

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq

from codegen import constants
from codegen.constants import enclose, enclose_all
from generative import axis_angle

R = sp.Rational


def ball(e):
    """A number by Arb."""
    if e.is_Rational:
        return arb(fmpq(int(e.p), int(e.q)))
    if e is sp.pi:
        return arb.pi()
    parts = [ball(a) for a in e.args]
    if e.is_Add or e.is_Mul:
        total = parts[0]
        for part in parts[1:]:
            total = total + part if e.is_Add else total * part
        return total
    return parts[0] ** parts[1] if e.is_Pow else getattr(parts[0], type(e).__name__)()


@pytest.fixture(autouse=True)
def _bits():
    known, ctx.prec = ctx.prec, 200
    yield
    ctx.prec = known


def test_entries_of_turns_share_a_few_kernels():
    rng = random.Random(4)
    constants._kernel.cache_clear()
    for _ in range(40):
        entries = list(axis_angle([R(rng.randint(-999, 999), 1000) for _ in range(3)], R(rng.randint(1, 3000), 1000)))
        for e, (lo, hi) in zip(entries, enclose_all(entries), strict=True):
            assert arb(lo) <= ball(e) <= arb(hi) and hi - lo <= 2.0**-46 * abs(lo)
    assert constants._kernel.cache_info().currsize <= 6


@pytest.mark.parametrize("e", [
    sp.sqrt(2) + sp.sqrt(3) - sp.pi, sp.exp(R(1, 3)) * sp.sin(R(2, 7)) - 1, sp.tan(R(3, 2)) ** 2, (1 + sp.sqrt(5)) / 2,
    sp.pi**2 / 6, R(3, 7) ** R(1, 3) + 1, sp.sin(1) * sp.cos(1) * R(1, 10**30)])
def test_numbers_of_many_kinds(e):
    (lo, hi), tight = enclose_all([e])[0], enclose(e)
    assert arb(lo) <= ball(e) <= arb(hi) and lo <= tight[0] and tight[1] <= hi


def test_cancellation_is_enclosed_tightly():
    e = sp.sqrt(10**16 + 1) - 10**8 + sp.sin(R(1, 3)) * R(1, 10**20)
    assert tuple(enclose_all([e])[0]) == enclose(e)


def test_what_is_not_written_is_enclosed_all_the_same():
    numbers = [R(1, 3), sp.Integer(0), sp.sqrt(2), sp.log(2), sp.acos(R(1, 3)), sp.E, 0.5]
    assert np.array_equal(enclose_all(numbers), [enclose(e) for e in numbers])
