"""Shapes and velocities of bodies that deform by functions of the time, against exact rationals."""

from fractions import Fraction

import numpy as np
import pytest

from codegen.time_bounds.moving_nets import Net, net_kernel
from codegen.time_bounds.polynomial_models import Model
from codegen.time_bounds.tensor_models import Tensor, tensor_record_kernel

from .advance_referee import MANY, NET, block, call, thin

PRODUCTS = Tensor(Model((2,), (), False, coordinates=2),
                  Model((3,), (0,), True, coordinates=3), ((0, 0), (1, 2), (0, 1), (1, 1), (0, 2)))
SHOWN = {"any": Net(MANY, 3, tuple(range(15)), (0, 3, 7, 8, 14)), "plane": Net(NET, 2, (0, 1, 3, 4, 6), (0, 4, 6)),
         "products": Net(PRODUCTS, 3, (*range(8), 10, 12, 14), (0, 3, 7, 10, 14))}


def drawn_functions(rng, model):
    """Records of eight lanes and, exactly, the functions at a point of each; the weights of the control points there."""
    if isinstance(model, Tensor):
        first, a, x = drawn_functions(rng, model.first)
        second, b, y = drawn_functions(rng, model.second)
        record = np.concatenate([first, second, np.zeros((3, 8))])
        values = [[p[i] * q[j] for i, j in model.pairs] for p, q in zip(a, b, strict=True)]
        return record, values, [[p * q for p in v for q in w] for v, w in zip(x, y, strict=True)]
    m, record = model.coordinates, np.zeros((model.length, 8))
    points = rng.normal(size=(model.points, m, 8))
    record[:model.rho] = points.reshape(-1, 8)
    record[model.rho:model.size] = rng.random((m, 8)) * rng.choice([0.0, 1e-16, 0.1], (1, 8))
    values, weights = [], []
    for lane in range(8):
        # At a control point, or amid them.
        share = np.eye(model.points, dtype=int)[rng.integers(model.points)] if lane % 2 else 1 + rng.integers(0, 9, model.points)
        share = [Fraction(int(x), int(share.sum())) for x in share]
        off = [Fraction(r) * Fraction(rng.choice([-1, 1, 0.5])) for r in record[model.rho:model.size, lane]]
        values.append([sum(w * Fraction(p) for w, p in zip(share, points[:, c, lane], strict=True)) + off[c] for c in range(m)])
        weights.append(share)
    low, high = (f(points, axis=0) for f in (np.min, np.max))
    rho = record[model.rho:model.size]
    record[model.size:model.middle] = (np.maximum(abs(low), abs(high)) + rho) * (1 + 1e-15)
    record[model.middle:model.reach] = (low + high) / 2
    record[model.reach:model.doubt] = ((high - low) / 2 + rho) * (1 + 1e-12) + 1e-15
    return record, values, weights


def drawn_matrix(rng, net, kept, spread):
    """Intervals (8, entries), and a matrix in each as rationals {number of the entry: value}."""
    lo, hi = thin(rng, rng.normal(size=(8, len(kept))) * rng.choice([1.0, 1e-8], (8, 1)), spread)
    return lo, hi, [{e: Fraction(rng.choice([lo[lane, k], hi[lane, k]])) for k, e in enumerate(kept)} for lane in range(8)]


def exact_image(net, matrix, values):
    m = net.model.coordinates
    return [sum((c * values[e % m] for e, c in matrix.items() if e // m == i), Fraction(0)) for i in range(net.rows)]


@pytest.mark.parametrize("spread", [0.0, 1e-16, 1e-3])
@pytest.mark.parametrize("name", SHOWN)
def test_nets_hold_the_bodies_they_are_made_of(name, spread):
    """Of any function that the record allows and any matrix from the intervals, at any time of the window."""
    net, rng = SHOWN[name], np.random.default_rng(17)
    kernel, shown = net_kernel(net, 2), net.shown
    for trial in range(12):
        record, values, weights = drawn_functions(rng, net.model)
        matrices = [drawn_matrix(rng, net, kept, spread) for kept in (net.entries, net.rates, net.rates)]
        start, length = rng.uniform(-1, 1, 8), rng.random(8) * (0.0 if trial % 3 == 0 else 10.0**rng.integers(-9, 1))
        window = block(np.stack([start, start], axis=1), np.stack([start + length, start], axis=1))
        told = block(*(np.concatenate([np.full((8, 2), np.nan), *ends], axis=1) for ends in zip(*(m[:2] for m in matrices), strict=True)))
        out = np.full((net.length, 8), np.nan)
        call(kernel, record, told, window, out)
        for lane in range(8):
            place, rate, push = (exact_image(net, m[2][lane], values[lane]) for m in matrices)
            r = out[:, lane]
            check_points(shown, r, weights[lane], place)
            check_points(shown, r[net.rate:], weights[lane], rate)
            check_ball(r, shown.middle, shown.reach, place)
            check_ball(r, *net.ball(0), rate)
            check_ball(r, *net.ball(2), push)
            for s in (0, (Fraction(start[lane] + length[lane]) - Fraction(start[lane])) * Fraction(int(rng.integers(0, 5)), 4)):
                check_ball(r, *net.ball(1), [2 * (b + s * c) for b, c in zip(rate, push, strict=True)])
                check_ball(r, *net.ball(3), [a + s * b + s * s * c / 2 for a, b, c in zip(place, rate, push, strict=True)])
            assert r[shown.doubt] == 0.0


def check_points(model, record, weights, value):
    """The value is within rho of the control points with these weights, and `size` covers both."""
    for i, x in enumerate(value):
        points = [Fraction(record[model.coordinates * k + i]) for k in range(model.points)]
        rho = Fraction(record[model.rho + i])
        assert abs(sum(w * p for w, p in zip(weights, points, strict=True)) - x) <= rho
        assert max(map(abs, points)) + rho <= Fraction(record[model.size + i])


def check_ball(record, middle, radius, value):
    for i, x in enumerate(value):
        assert abs(Fraction(record[middle + i]) - x) <= Fraction(record[radius + i])


@pytest.mark.parametrize("name", SHOWN)
def test_of_a_net_in_doubt_the_box_is_known(name):
    """Where a record tells nothing but a box of the functions, the image of that box is told on."""
    net, rng = SHOWN[name], np.random.default_rng(18)
    model, kernel = net.model, net_kernel(net, 0)
    matrices = [drawn_matrix(rng, net, kept, 1e-3) for kept in (net.entries, net.rates, net.rates)]
    told = block(*(np.concatenate(ends, axis=1) for ends in zip(*(m[:2] for m in matrices), strict=True)))
    window = block(np.zeros((8, 2)), np.stack([np.ones(8), np.zeros(8)], axis=1))
    record = drawn_functions(rng, model)[0]
    record[model.doubt] = np.inf
    parts = [(model, 0)] if isinstance(model, Model) else [(model.first, 0), (model.second, model.first.length)]
    for part, begin in parts:
        record[begin + part.reach:begin + part.doubt] += 3.0
    out = np.full((net.length, 8), np.nan)
    call(kernel, record, told, window, out)
    assert (out[net.shown.doubt] == np.inf).all()
    for lane in range(8):
        ends = [[Fraction(record[begin + part.middle + j, lane]) + Fraction(record[begin + part.reach + j, lane]) * int(rng.choice([-1, 1]))
                 for j in range(part.coordinates)] for part, begin in parts]
        values = ends[0] if isinstance(model, Model) else [ends[0][i] * ends[1][j] for i, j in model.pairs]
        check_ball(out[:, lane], net.shown.middle, net.shown.reach, exact_image(net, matrices[0][2][lane], values))
        check_ball(out[:, lane], *net.ball(2), exact_image(net, matrices[2][2][lane], values))


@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize("name", SHOWN)
def test_a_matrix_that_is_not_bounded_tells_nothing(name, bad):
    net, rng = SHOWN[name], np.random.default_rng(19)
    kernel, shown, m = net_kernel(net, 0), net.shown, net.model.coordinates
    matrices = [drawn_matrix(rng, net, kept, 1e-3) for kept in (net.entries, net.rates, net.rates)]
    told = block(*(np.concatenate(ends, axis=1) for ends in zip(*(m[:2] for m in matrices), strict=True)))
    window = block(np.zeros((8, 2)), np.stack([np.ones(8), np.zeros(8)], axis=1))
    record = drawn_functions(rng, net.model)[0]
    for row, e in enumerate([*net.entries, *net.rates, *net.rates]):
        for side in (0, 1):
            damaged, out = told.copy(), np.zeros((net.length, 8))
            damaged[row, side] = bad
            call(kernel, record, damaged, window, out)
            i, part = e // m, (row >= len(net.entries)) + (row >= len(net.entries) + len(net.rates))
            first = [(shown.middle, shown.reach), net.ball(0), net.ball(2)][part]
            for at in (first, net.ball(3)):
                assert not np.isfinite(out[at[0] + i] + out[at[1] + i]).any()


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_factors_with_unbounded_derivatives_leave_the_products_in_doubt(bad):
    kernel, rng = tensor_record_kernel(PRODUCTS), np.random.default_rng(7)
    first, second = ((1 + part.points + len(part.remainder)) * part.coordinates + part.rough
                     for part in (PRODUCTS.first, PRODUCTS.second))
    z = block(np.tile([-1.0, -1.0, -1.0, -1.0, 1.0, 1.0], (8, 1)), np.tile([1.0, 1.0, -1.0, -1.0, 1.0, 1.0], (8, 1)))
    t = block(*thin(rng, rng.normal(size=(8, first + second)), 1e-3))
    t[:2], t[first:first + 3], t[-1] = 9.0, 9.0, 0.0
    for row in (2, first + 3, first + second - 1):
        damaged, out = t.copy(), np.zeros((PRODUCTS.length, 8))
        damaged[row, row % 2] = bad
        call(kernel, z, damaged, np.ones((3 * PRODUCTS.coordinates, 8)), out)
        assert (out[PRODUCTS.doubt] == np.inf).all() or (np.isnan(bad) and row == first + second - 1)
    huge, out = t.copy(), np.zeros((PRODUCTS.length, 8))
    huge[2, 0], huge[2, 1] = -1e160, 1e160
    call(kernel, z, huge, np.ones((3 * PRODUCTS.coordinates, 8)), out)
    assert (out[PRODUCTS.doubt] == np.inf).all()
