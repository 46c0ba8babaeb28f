"""The formulas of a step in exact arithmetic."""

from fractions import Fraction

import numpy as np
import sympy as sp
from flint import arb

from codegen.from_sympy import flow_of
from codegen.initial_value.series import ORDER, kernels
from generative import ode, t
from tests.initial_values import PENDULUM, Referee

FLOW = flow_of(ode(PENDULUM.rates, PENDULUM.states, PENDULUM.start, (t, 0, 1))[0].problem)


def test_coefficients_hold_those_of_the_solution() -> None:
    lo, hi = kernels(FLOW).coefficients.interval([[0.0, 0.99, -0.01]], [[0.0, 1.0, 0.0]])
    lo, hi = lo.reshape(ORDER + 1, 2), hi.reshape(ORDER + 1, 2)
    for start in ([1, 0], [arb("0.993"), arb("-0.007")]):
        for i, c in enumerate(Referee(PENDULUM, start).series[0]):
            assert all(lo[k, i] <= c[k + 1] <= hi[k, i] for k in range(ORDER + 1))


def test_states_in_the_next_frame() -> None:
    """Of numbers in all boxes, u - m + (J C) r0 + (J Q) r is C' r0 + Q' r' with r' in its box, though Q' is far from orthogonal. Matrices
    are given by columns.
    """
    rng, turned = np.random.default_rng(3), kernels(FLOW).turned
    for round_ in range(20):
        parts = [np.sort(rng.uniform(-1, 1, (n, 2)), axis=1) for n in (2, 2, 4, 4, 4, 4, 2, 2)]
        for k in (1, 4, 5) if round_ % 2 else range(8):
            parts[k][:, 1] = parts[k][:, 0]
        angle = rng.uniform(0, 6)
        turn = np.array([np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)]) + rng.uniform(-0.05, 0.05, 4)
        parts[4] = np.stack([turn, turn], axis=1)
        lo, hi = turned.interval(*(np.concatenate(parts)[None, :, end] for end in range(2)))
        for _ in range(20 if round_ % 2 else 1):
            u, m, jq, jc, q, c, r, r0 = ([Fraction(float(a if rng.random() < 0.5 else b)) for a, b in part] for part in parts)
            away = [u[i] - m[i] + sum(jc[2 * j + i] * r0[j] + jq[2 * j + i] * r[j] for j in range(2)) for i in range(2)]
            rest = [away[i] - sum(c[2 * j + i] * r0[j] for j in range(2)) for i in range(2)]
            inverse = sp.Matrix(2, 2, [sp.Rational(e.numerator, e.denominator) for e in q]).T.inv()
            new = inverse * sp.Matrix([sp.Rational(e.numerator, e.denominator) for e in rest])
            values = [*new, *away, *(a + b for a, b in zip(away, m, strict=True))]
            assert all(a <= e <= b for a, e, b in zip(map(Fraction, lo[0].tolist()), values, map(Fraction, hi[0].tolist()), strict=True))
