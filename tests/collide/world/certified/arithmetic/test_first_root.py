"""The first fall of a polynomial through zero, against products of factors with rational zeros."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq, fmpq_poly

from collide.world.certified.arithmetic.first_root import Unclear, first_fall


def polynomial(zeros, lead):
    p = fmpq_poly([lead])
    for zero in zeros:
        p *= fmpq_poly([fmpq(-zero.numerator, zero.denominator), 1])
    return [arb(c) for c in p.coeffs()]


def test_the_first_fall_is_that_of_the_known_zeros():
    rng = np.random.default_rng(1)
    with ctx.workprec(200):
        for _ in range(300):
            zeros = [Fraction(int(n), 64) for n in rng.choice(np.arange(-300, 300), rng.integers(1, 5), replace=False)]
            after = sorted(z for z in zeros if z > 0)
            lead = (-1) ** len(after) * int(rng.integers(1, 9))
            if 0 in zeros:
                continue
            # It is positive at 0, so it falls at the first zero after that.
            found = first_fall(polynomial(zeros, lead), arb(0), None)
            assert (found is None) == (not after)
            if after:
                found, beyond = found
                assert beyond > found and (len(after) == 1 or beyond < fmpq(after[1].numerator, after[1].denominator))
                assert found.contains(fmpq(after[0].numerator, after[0].denominator)) and found.rad() < 1e-50
                assert not any(found.contains(fmpq(z.numerator, z.denominator)) for z in after[1:])


@pytest.mark.parametrize("zeros", [(1, 1), (1, 1, 3)])
def test_double_zeros_are_not_decided(zeros):
    with ctx.workprec(100), pytest.raises(Unclear) as stop:
        first_fall(polynomial(map(Fraction, zeros), (-1) ** len(zeros)), arb(0), None)
    assert stop.value.time <= 1 and stop.value.time > 0.99


def test_coefficients_that_are_not_known_well_tell_less_but_nothing_wrong():
    with ctx.workprec(100):
        p = [arb(1), arb(-1), arb(0, 1e-3)]
        assert first_fall(p, arb(0), None)[0].contains(fmpq(1))
        assert first_fall([arb(1), arb(0, 1e-3)], arb(0), arb(10)) is None
        with pytest.raises(Unclear):
            first_fall([arb(1), arb(0, 1e-3)], arb(0), None)
