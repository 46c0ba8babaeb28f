"""Polynomial models against exact rationals: they hold whatever they interpolate, and the constants of the remainder are what they are
said to be.
"""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest

from codegen.time_bounds.polynomial_models import Model, nodes, record_kernel

from .advance_referee import BENT, CURVE, MANY, block, call, thin

BICUBIC, WAVY = Model((3, 3), (), False), Model((3, 3), (0, 1), True)
# Without control points between whose errors hide others.
POINT, LINE = Model((0,), (), False), Model((1, 2), (), False)


def bernstein(k, p, s):
    return math.comb(p, k) * ((1 + s) / 2)**k * ((1 - s) / 2)**(p - k)


def lagrange(k, p, s):
    return math.prod(((s - x) / (nodes(p)[k] - x) for x in nodes(p) if x != nodes(p)[k]), start=Fraction(1))


@pytest.mark.parametrize("model", [BICUBIC, WAVY, BENT, CURVE, POINT, LINE, MANY])
def test_models_hold_what_they_interpolate(model):
    """Any values at the nodes from the intervals given, any remainder that the derivatives allow: within rho of the Bernstein form."""
    kernel, rng, d, m = record_kernel(model), np.random.default_rng(7), len(model.degrees), model.coordinates
    for trial in range(10):
        lo = rng.uniform(-1, 1, (8, d))
        hi = lo + rng.uniform(0.1, 1, (8, d)) * 10.0**rng.integers(-6, 1)
        base, spread = rng.normal(size=(8, 1)) * 3.0, 10.0**rng.integers(-17, 1)
        a, b = thin(rng, base + spread * rng.normal(size=(8, m * model.points)), 1e-16 if trial % 2 else 1e-3)
        bends = np.sort(rng.normal(size=(2, 8, m * len(model.remainder))) * rng.choice([1e-9, 1.0, 1e3]), axis=0)
        wide, doubt = np.full((8, m), 1e9), np.zeros((8, int(model.rough)))
        out = np.zeros((model.length, 8))
        intervals = block(np.concatenate([-wide, a, bends[0], doubt], axis=1), np.concatenate([wide, b, bends[1], doubt], axis=1))
        call(kernel, block(np.concatenate([lo, lo, hi], axis=1), np.concatenate([hi, lo, hi], axis=1)), intervals, np.ones((3 * m, 8)), out)
        for lane in range(8):
            check_model(model, rng, out[:, lane], (hi - lo)[lane], a[lane], b[lane], bends[:, lane])


def check_model(model, rng, record, widths, a, b, bends):
    (p, q), m = model.both, model.coordinates
    s, t = (Fraction(int(x), 4) for x in rng.integers(-4, 5, 2))
    weights = [lagrange(i, p, s) * lagrange(j, q, t) for i in range(p + 1) for j in range(q + 1)]
    basis = [bernstein(i, p, s) * bernstein(j, q, t) for i in range(p + 1) for j in range(q + 1)]
    for c in range(m):
        value = sum(w * Fraction(rng.choice([a[m * k + c], b[m * k + c]])) for k, w in enumerate(weights))
        errors = [max(Fraction(abs(x)) for x in bends[:, m * k + c]) * (Fraction(widths[j]) * (1 - Fraction(1, 2**50)) / 2)**4
                  * Fraction(3600, 28561) / 24 for k, j in enumerate(model.remainder)]
        value += rng.choice([-1, 1]) * (sum(errors) + (Fraction(6, 7) * min(errors) if len(errors) == 2 else 0))
        form = sum(Fraction(record[m * k + c]) * w for k, w in enumerate(basis))
        assert abs(value - form) <= Fraction(record[model.rho + c])
        middle, reach = Fraction(record[model.middle + c]), Fraction(record[model.reach + c])
        assert abs(value - middle) <= reach
        assert record[model.doubt] == 0.0
        points = [abs(Fraction(record[m * k + c])) for k in range(model.points)]
        assert max(points) + Fraction(record[model.rho + c]) <= Fraction(record[model.size + c])


def test_the_constants_of_the_remainder():
    """W is the largest size of (s - s_0) .. (s - s_3), and 13/7 the largest sum of the sizes of the Lagrange polynomials, in Arb."""
    x = [flint.fmpq(s.numerator, s.denominator) for s in nodes(3)]
    squares = flint.fmpq_poly([x[3]**2, -1]) * flint.fmpq_poly([x[2]**2, -1])       # by s^2
    extremes = [squares(y) for y in (flint.fmpq(0), flint.fmpq(1), (x[2]**2 + x[3]**2) / 2)]
    assert max(map(abs, extremes)) == flint.fmpq(3600, 28561)
    total, parts = flint.fmpq(13, 7), 2000
    for k in range(parts):
        s = flint.arb(flint.fmpq(2 * k + 1 - parts, parts), 1 / parts)
        sizes = sum(abs(math.prod((s - y) / (z - y) for y in x if y != z)) for z in x)
        assert sizes < (total if 5 < k < parts - 6 else total + flint.fmpq(1, 20))
    for end in (-1, 1):
        # It grows towards the ends: the signs do not change beyond the last node, and there it is a polynomial of degree 3.
        ends = [sum(abs(lagrange(k, 3, end * (1 - h * Fraction(1, 39)))) for k in range(4)) for h in range(4)]
        assert ends[0] == Fraction(13, 7) and sorted(ends, reverse=True) == ends and all(np.diff(ends, n=2) > 0)


@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize("model", [BICUBIC, WAVY])
def test_a_value_that_is_not_bounded_leaves_the_box_alone(model, bad):
    kernel, rng = record_kernel(model), np.random.default_rng(7)
    outputs = 3 + 3 * (model.points + len(model.remainder)) + int(model.rough)
    z = block(np.tile([-1.0, -1.0, -1.0, -1.0, 1.0, 1.0], (8, 1)), np.tile([1.0, 1.0, -1.0, -1.0, 1.0, 1.0], (8, 1)))
    for row in range(3, outputs):
        t = block(*thin(rng, rng.normal(size=(8, outputs)), 1e-3))
        t[:3] = 9.0
        t[outputs - int(model.rough):] = 0.0
        t[row, row % 2] = bad
        if np.isnan(bad) and row >= outputs - int(model.rough) - 3 * len(model.remainder):
            continue
        out = np.zeros((model.length, 8))
        call(kernel, z, t, np.ones((9, 8)), out)
        assert (out[model.doubt] == np.inf).all() and np.isfinite(np.delete(out, model.doubt, axis=0)).all()
        assert (out[model.middle] == 0.0).all() and (out[model.reach] == 9.0).all()
