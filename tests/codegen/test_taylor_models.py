"""Taylor models against exact rationals: they hold whatever polynomials they are made of."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from codegen.taylor_models import Model, record_kernel

from .advance_referee import CURVE, MANY, QUADRATIC, block, call, thin, up

BICUBIC = Model((3, 3), tuple(itertools.product(range(4), repeat=2)), (), False)
# Of one term, where no other error hides that of its product or of its weight.
SLOPE, BEND = Model((1,), ((1, 0),), (), False), Model((2,), ((2, 0),), (), False)


def bernstein(k, p, s):
    return math.comb(p, k) * ((1 + s) / 2)**k * ((1 - s) / 2)**(p - k)


@pytest.mark.parametrize("model", [BICUBIC, QUADRATIC, CURVE, SLOPE, BEND, MANY])
def test_taylor_models_hold_the_polynomials_they_are_made_of(model):
    """Any derivatives from the intervals given, any remainder they allow: the value is within rho of the Bernstein form."""
    kernel, rng, d = record_kernel(model), np.random.default_rng(7), len(model.degrees)
    for trial in range(10):
        centre = rng.uniform(-1, 1, (8, d))
        width = rng.uniform(0.1, 1, (8, d)) * 10.0**rng.integers(-6, 1)
        lo, hi = centre - width, centre + width * rng.random((8, d))
        z = block(np.concatenate([lo, centre], axis=1), np.concatenate([hi, centre], axis=1))
        m = model.coordinates
        count = m * (len(model.terms) + len(model.remainder))
        a, b = thin(rng, rng.normal(size=(8, count)) * 3.0, 1e-16 if trial % 2 else 1e-3)
        wide = np.full((8, m), 1e9)
        doubt = np.zeros((8, int(model.rough)))
        out = np.zeros((model.length, 8))
        intervals = block(np.concatenate([-wide, a, doubt], axis=1), np.concatenate([wide, b, doubt], axis=1))
        call(kernel, z, intervals, np.ones((3 * m, 8)), out)
        for lane in range(8):
            check_model(model, rng, out[:, lane], lo[lane], hi[lane], centre[lane], a[lane], b[lane])


def check_model(model, rng, record, lo, hi, centre, a, b):
    d = len(model.degrees)
    x = [Fraction(rng.choice([p, q, r])) - Fraction(r) for p, q, r in zip(lo, hi, centre, strict=True)]
    scale = [max(Fraction(q) - Fraction(r), Fraction(r) - Fraction(p)) for p, q, r in zip(lo, hi, centre, strict=True)]
    # The half width that the kernel computes, rounded up.
    scale = [Fraction(up(s)) for s in scale]
    p, q = model.both
    m = model.coordinates
    for c in range(m):
        value = Fraction(0)
        for k, orders in enumerate((*model.terms, *model.remainder)):
            derivative = Fraction(rng.choice([a[m * k + c], b[m * k + c]]))
            term = derivative / math.prod(math.factorial(o) for o in orders)
            value += term * math.prod(x[j]**orders[j] for j in range(d))
        s = [x[j] / scale[j] for j in range(d)] + [Fraction(0)] * (2 - d)
        form = sum(Fraction(record[m * ((q + 1) * i + j) + c]) * bernstein(i, p, s[0]) * (bernstein(j, q, s[1]) if d > 1 else 1)
                   for i in range(p + 1) for j in range(q + 1))
        assert abs(value - form) <= Fraction(record[model.rho + c])
        middle, reach = Fraction(record[model.middle + c]), Fraction(record[model.reach + c])
        assert abs(value - middle) <= reach
        assert record[model.doubt] == 0.0
        points = [abs(Fraction(record[m * k + c])) for k in range(model.points)]
        assert max(points) + Fraction(record[model.rho + c]) <= Fraction(record[model.size + c])


@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize("model", [BICUBIC, QUADRATIC])
def test_a_derivative_that_is_not_bounded_leaves_the_box_alone(model, bad):
    kernel, rng = record_kernel(model), np.random.default_rng(7)
    outputs = 3 + 3 * (len(model.terms) + len(model.remainder)) + int(model.rough)
    z = block(np.tile([-1.0, -1.0, 0.0, 0.0], (8, 1)), np.tile([1.0, 1.0, 0.0, 0.0], (8, 1)))
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
