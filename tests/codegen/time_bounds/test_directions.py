"""Bounds of the time of contact from second-order expansions, against exact rationals: no more is used than follows from what the
kernel is told.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from codegen.time_bounds.directions import time_bound

from .advance_referee import block, call, directed, exact_dot, may_advance, middles, normals, rationals, thin

PAIRS = ((0, 0), (0, 1), (1, 1), (2, 2), (2, 3), (3, 3))


def told(rng, kind):
    """Z, T and N of eight lanes: gaps of about 1e-16 against terms of size 1, or ordinary ones."""
    boxes = rng.uniform(-1, 1, (8, 5))
    widths = rng.uniform(0, 1, (8, 5)) * rng.choice([1e-9, 1e-8, 1e-3, 0.3], (8, 1))
    lo, hi = boxes - widths, boxes + widths * rng.random((8, 5))
    centre = np.clip((lo + hi) / 2, lo, hi)
    centre[:, 4] = lo[:, 4]
    hi[:, 4] += 4
    z = block(np.concatenate([lo, centre], axis=1), np.concatenate([hi, centre], axis=1))
    e = rng.normal(size=(8, 3)) * rng.choice([1.0, 1e-15, 1e-7], (8, 1))
    spread = {"thin": 0.0, "wide": 1e-3, "mixed": 1e-16}[kind]
    middles = [np.zeros((8, 3)), e, e, *(rng.normal(size=(8, 3)) for _ in range(4)), *(rng.normal(size=(8, 3)) for _ in PAIRS),
               rng.normal(size=(8, 3)), rng.normal(size=(8, 3))]
    ends = [thin(rng, m, spread) for m in middles]
    ends[0] = -np.full((8, 3), 9.0), np.full((8, 3), 9.0)
    far = rng.random(8) < 0.7
    ends[1] = np.where(far[:, None], -9.0, ends[1][0]), np.where(far[:, None], 9.0, ends[1][1])
    return lo, hi, centre, z, [np.stack([p[k] for p in ends]) for k in (0, 1)], rng.normal(size=(3, 8))


@pytest.mark.parametrize("kind", ["thin", "mixed", "wide"])
def test_no_more_is_used_than_follows(kind):
    kernel, rng = time_bound(5, 4, 3, PAIRS), np.random.default_rng(3)
    advanced = 0
    for _ in range(40):
        lo, hi, centre, z, (tlo, thi), normal = told(rng, kind)
        taylor = block(tlo.transpose(1, 0, 2).reshape(8, -1), thi.transpose(1, 0, 2).reshape(8, -1))
        out = np.zeros((6, 8))
        call(kernel, z, taylor, np.ascontiguousarray(normal), out)
        for lane in range(8):
            start = Fraction(lo[lane, 4])
            step = Fraction(out[0, lane]) - start if math.isfinite(out[0, lane]) else Fraction(10**6)
            if step > 0:
                advanced += 1
                t = [rationals(a[lane], b[lane]) for a, b in zip(tlo, thi, strict=True)]
                assert justified(step, t, lo[lane], hi[lane], centre[lane], normal[:, lane])
    assert advanced > 60


def justified(step, t, lo, hi, centre, normal):
    """Does one of the directions that the kernel tries allow this step?"""
    r = [max(Fraction(hi[j]) - Fraction(centre[j]), Fraction(centre[j]) - Fraction(lo[j])) for j in range(4)]

    tangents = [middles(zip(*t[3 + j], strict=True)) for j in range(4)]
    found = [directed(normal), middles(zip(*t[2], strict=True))] + normals(tangents)
    for d in found:
        n = [Fraction(x.x) for x in d]
        low, high = exact_dot(n, t[2])
        for j in range(4):
            spread = max(map(abs, exact_dot(n, t[3 + j]))) * r[j]
            low, high = low - spread, high + spread
        for (i, j), h in zip(PAIRS, t[7:], strict=False):
            a, b = exact_dot(n, h)
            if i == j:
                low, high = low + min(a, Fraction(0)) * r[i] * r[i] / 2, high + max(b, Fraction(0)) * r[i] * r[i] / 2
            else:
                spread = max(abs(a), abs(b)) * r[i] * r[j]
                low, high = low - spread, high + spread
        whole = exact_dot(n, t[1])
        ends = max(low, whole[0]), min(high, whole[1])
        if may_advance(step, ends, t[-2], t[-1], n):
            return True
    return False


def test_sizes_count_second_derivatives_of_either_sign():
    """Of a cosine round its whole circle the slope at the centre is 0 and the second derivative from -1 to 1: half the square is seen."""
    kernel, kinds = time_bound(3, 2, 2, [(0, 0), (1, 1)]), 11
    lo, hi = np.tile([-3.0, -0.5, 0.0], (8, 1)), np.tile([3.0, 0.5, 4.0], (8, 1))
    centre = np.zeros((8, 3))
    z = block(np.concatenate([lo, centre], axis=1), np.concatenate([hi, centre], axis=1))
    low, high = np.zeros((8, kinds, 2)), np.zeros((8, kinds, 2))
    slopes, bends = 3, 5
    low[:, slopes + 1, 0] = high[:, slopes + 1, 0] = 0.25
    low[:, bends], high[:, bends] = [-1.0, 0.0], [1.0, 0.5]
    low[:, bends + 1], high[:, bends + 1] = [0.0, -3.0], [0.0, -1.0]
    out = np.zeros((4, 8))
    call(kernel, z, block(low.reshape(8, -1), high.reshape(8, -1)), np.ones((2, 8)), out)
    assert (out[1] == 4.5).all() and (out[2] == 0.125 + 0.375).all()
    low[:, bends] = -np.inf
    call(kernel, z, block(low.reshape(8, -1), high.reshape(8, -1)), np.ones((2, 8)), out)
    assert not (out[1] < np.inf).any() and (out[2] == 0.125 + 0.375).all()


@pytest.mark.parametrize("known", [0.0, 1.0])
def test_a_function_that_leaves_has_no_first_zero(known):
    """Of a single function its sign at the centre and that of its derivative by time suffice, where it is known to have no zero before."""
    kernel, rng, advanced, left = time_bound(3, 2, 1, ((0, 0),)), np.random.default_rng(4), 0, 0
    for _ in range(200):
        lo = rng.uniform(-1, 1, (8, 3))
        hi = lo + rng.choice([1e-8, 1e-2], (8, 1))
        centre = np.column_stack([(lo + hi)[:, :2] / 2, lo[:, 2]])
        z = block(np.concatenate([lo, centre], axis=1), np.concatenate([hi, centre], axis=1))
        e = rng.normal(size=(8, 1)) * rng.choice([1e-9, 1e-1], (8, 1))
        middles = [np.zeros((8, 1)), np.zeros((8, 1)), e, *(rng.normal(size=(8, 1)) for _ in range(5))]
        ends = [thin(rng, m, spread) for m, spread in zip(middles, [9.0, 9.0, 1e-9, 0.0, 0.0, 0.0, 0.5, 0.5], strict=True)]
        taylor = block(*(np.concatenate([end[k] for end in ends], axis=1) for k in (0, 1)))
        out = np.zeros((4, 8))
        call(kernel, z, taylor, np.full((1, 8), known), out)
        for lane in range(8):
            step = Fraction(out[0, lane]) - Fraction(lo[lane, 2]) if math.isfinite(out[0, lane]) else Fraction(10**6)
            if step > 0:
                (value,), *_, (rate,), (push,) = ([tuple(map(Fraction, (a[lane, 0], b[lane, 0])))] for a, b in ends[2:])
                low, middle, high = ([Fraction(e[lane, j]) for j in (0, 1)] for e in (lo, centre, hi))
                r = [max(b - m, m - a) for a, m, b in zip(low, middle, high, strict=True)]
                slopes = sum(max(abs(Fraction(e[lane, 0])) for e in both) * w for both, w in zip(ends[3:5], r, strict=True))
                bend = [Fraction(e[lane, 0]) * r[0] * r[0] / 2 for e in ends[5]]
                gap = max(value[0] - slopes + min(bend[0], Fraction(0)), -value[1] - slopes - max(bend[1], Fraction(0)))
                side = 1 if value[0] > 0 else -1 if value[1] < 0 else 0
                slowest, harder = (min(side * a for a in both) for both in (rate, push))
                ordinary = gap > 0 and gap + slowest * step + min(harder, Fraction(0)) * step * step / 2 >= 0
                leaves = bool(known and side and slowest > 0 and slowest + min(harder, Fraction(0)) * step / 2 >= 0)
                assert ordinary or leaves
                advanced, left = advanced + 1, left + (leaves and not ordinary)
    assert advanced > 60 and (left > 60) == bool(known)
