"""The advance in time against exact rationals: of whatever the kernels are told, they use no more than follows from it.

The numbers told are drawn so that gaps are left over from cancellation, as small as the rounding of what made them: an operation
rounded the wrong way then shows in one draw of a few.
"""

import ctypes
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from codegen.directions import time_bound
from codegen.rigid_directions import FIXED, TURNED, TURNING, rigid_time_bound
from codegen.taylor_models import Model, record_kernel

PAIRS = ((0, 0), (0, 1), (1, 1), (2, 2), (2, 3), (3, 3))


def call(address, *arrays):
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(address)(*(a.ctypes.data for a in arrays))


def block(lo, hi):
    """Intervals (8, k) as kernels take them."""
    return np.ascontiguousarray(np.stack([-lo.T, hi.T], axis=1))


def up(x):
    """The least double that is no less than a rational."""
    y = float(x)
    return y if Fraction(y) >= x else math.nextafter(y, math.inf)


class Directed:
    """Doubles in upward rounding, to follow a kernel's choice of directions bit for bit."""

    def __init__(self, x):
        self.x = float(x)

    def __add__(self, other):
        return Directed(up(Fraction(self.x) + Fraction(other.x)))

    def __sub__(self, other):
        return Directed(up(Fraction(self.x) - Fraction(other.x)))

    def __mul__(self, other):
        return Directed(up(Fraction(self.x) * Fraction(other.x)))

    def __neg__(self):
        return Directed(-self.x)

    def fma(self, b, c):
        return Directed(up(Fraction(self.x) * Fraction(b.x) + Fraction(c.x)))


def crossed(a, b):
    return [a[p].fma(b[q], -(a[q] * b[p])) for p, q in ((1, 2), (2, 0), (0, 1))]


def exact_dot(n, intervals):
    """The least and the greatest value of n . x over a box of rationals."""
    low = high = Fraction(0)
    for c, (lo, hi) in zip(n, intervals, strict=True):
        low += min(c * lo, c * hi)
        high += max(c * lo, c * hi)
    return low, high


def allowed(step, gap, rate, push):
    """Is there no zero of gap + rate s + push s^2 / 2 in 0 <= s < step, for a gap > 0 and push <= 0?"""
    return gap + rate * step + push * step * step / 2 >= 0


def may_advance(step, ends, rates, pushes, n):
    """May the window begin `step` later by this direction? `ends` bound n . E at its beginning."""
    low, high = ends
    (b_low, b_high), (c_low, c_high) = exact_dot(n, rates), exact_dot(n, pushes)
    zero = Fraction(0)
    return (low > 0 and allowed(step, low, b_low, min(c_low, zero))) or (high < 0 and allowed(step, -high, -b_high, min(-c_high, zero)))


def thin(rng, middle, widest):
    """Intervals round numbers: thin as a rounding, or wider."""
    width = np.where(rng.random(middle.shape) < 0.5, 0.0, widest * rng.random(middle.shape))
    return middle - width, middle + width * rng.random(middle.shape)


def rationals(lo, hi):
    return [(Fraction(a), Fraction(b)) for a, b in zip(lo, hi, strict=True)]


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
    found = [directed(normal), middles(zip(*t[2], strict=True))] + [crossed(a, b) for a, b in itertools.combinations(tangents, 2)]
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


# -- Taylor models and rigid bodies ------------------------------------------------------------------------------------


BICUBIC = Model((3, 3), tuple(itertools.product(range(4), repeat=2)), (), False)
QUADRATIC = Model((2, 2), tuple(i for i in itertools.product(range(3), repeat=2) if sum(i) <= 2),
                  tuple(i for i in itertools.product(range(4), repeat=2) if sum(i) == 3), True)
CURVE = Model((2,), ((0, 0), (1, 0), (2, 0)), ((3, 0),), False)
# Of one term, where no other error hides that of its product or of its weight.
SLOPE, BEND = Model((1,), ((1, 0),), (), False), Model((2,), ((2, 0),), (), False)


def bernstein(k, p, s):
    return math.comb(p, k) * ((1 + s) / 2)**k * ((1 - s) / 2)**(p - k)


@pytest.mark.parametrize("model", [BICUBIC, QUADRATIC, CURVE, SLOPE, BEND])
def test_taylor_models_hold_the_polynomials_they_are_made_of(model):
    """Any derivatives from the intervals given, any remainder they allow: the value is within rho of the Bernstein form."""
    kernel, rng, d = record_kernel(model), np.random.default_rng(7), len(model.degrees)
    for trial in range(10):
        centre = rng.uniform(-1, 1, (8, d))
        width = rng.uniform(0.1, 1, (8, d)) * 10.0**rng.integers(-6, 1)
        lo, hi = centre - width, centre + width * rng.random((8, d))
        z = block(np.concatenate([lo, centre], axis=1), np.concatenate([hi, centre], axis=1))
        count = 3 * (len(model.terms) + len(model.remainder))
        a, b = thin(rng, rng.normal(size=(8, count)) * 3.0, 1e-16 if trial % 2 else 1e-3)
        wide = np.full((8, 3), 1e9)
        doubt = np.zeros((8, int(model.rough)))
        out = np.zeros((model.length, 8))
        call(kernel, z, block(np.concatenate([-wide, a, doubt], axis=1), np.concatenate([wide, b, doubt], axis=1)), out)
        for lane in range(8):
            check_model(model, rng, out[:, lane], lo[lane], hi[lane], centre[lane], a[lane], b[lane])


def check_model(model, rng, record, lo, hi, centre, a, b):
    d = len(model.degrees)
    x = [Fraction(rng.choice([p, q, r])) - Fraction(r) for p, q, r in zip(lo, hi, centre, strict=True)]
    scale = [max(Fraction(q) - Fraction(r), Fraction(r) - Fraction(p)) for p, q, r in zip(lo, hi, centre, strict=True)]
    # The half width that the kernel computes, rounded up.
    scale = [Fraction(up(s)) for s in scale]
    p, q = model.both
    for c in range(3):
        value = Fraction(0)
        for k, orders in enumerate((*model.terms, *model.remainder)):
            derivative = Fraction(rng.choice([a[3 * k + c], b[3 * k + c]]))
            term = derivative / math.prod(math.factorial(o) for o in orders)
            value += term * math.prod(x[j]**orders[j] for j in range(d))
        s = [x[j] / scale[j] for j in range(d)] + [Fraction(0)] * (2 - d)
        form = sum(Fraction(record[3 * ((q + 1) * i + j) + c]) * bernstein(i, p, s[0]) * (bernstein(j, q, s[1]) if d > 1 else 1)
                   for i in range(p + 1) for j in range(q + 1))
        assert abs(value - form) <= Fraction(record[model.rho + c])
        middle, reach = Fraction(record[model.middle + c]), Fraction(record[model.reach + c])
        assert abs(value - middle) <= reach
        assert record[model.doubt] == 0.0
        points = [abs(Fraction(record[3 * k + c])) for k in range(model.points)]
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
        call(kernel, z, t, out)
        assert (out[model.doubt] == np.inf).all() and np.isfinite(np.delete(out, model.doubt, axis=0)).all()
        assert (out[model.middle] == 0.0).all() and (out[model.reach] == 9.0).all()


def drawn_pair(rng, models, turns, kind):
    """Records and motions of eight lanes with gaps that are left over from cancellation: of the difference of the bodies, in half
    of the lanes with little translation, or of boxes that are points, with rates that cancel as well.
    """
    spread = {"thin": 0.0, "wide": 1e-3, "mixed": 1e-16}[kind]
    boxed, opposed = rng.random(8) < 0.3, rng.random(8) < 0.5
    records, motion, known = [], [], {}
    for k, turn in enumerate(turns):
        for name in {FIXED: "", TURNED: "R", TURNING: "RBCW"}[turn]:
            middle = rng.normal(size=(8, 9))
            if ("R", 0) in known and name == "R":
                middle = np.where(opposed[:, None], -known["R", 0], middle)
            known[name, k] = middle
            motion.append(thin(rng, middle, spread) if name != "W" else (np.full((8, 9), -9.0), np.full((8, 9), 9.0)))
        known.setdefault(("R", k), np.tile(np.eye(3).ravel() * (1 - 2 * k), (8, 1)))
    for k, model in enumerate(models):
        place = rng.normal(size=(3, 8))
        if k:
            place = np.where(opposed, records[0][:3] + rng.normal(size=(3, 8)) * 1e-15, place)
        record = np.zeros((model.length, 8))
        points = place + rng.normal(size=(model.points, 3, 8)) * rng.choice([1e-16, 1e-3, 0.1], (1, 1, 8))
        record[:model.rho] = points.reshape(-1, 8)
        record[model.rho:model.size] = rng.random((3, 8)) * rng.choice([0.0, 1e-16, 1e-3], (1, 8))
        record[model.size:model.middle] = abs(points).max(axis=0) + record[model.rho:model.size] * 2
        record[model.middle:model.reach] = place
        record[model.reach:model.doubt] = np.where(boxed, 0.0, 9.0)
        records.append(record)
    for name in "RBC":
        cancelled = -sum(np.einsum("lij,jl->li", known[name, k].reshape(8, 3, 3), records[k][models[k].middle:][:3])
                         for k in (0, 1) if (name, k) in known)
        free = 0 if name == "R" else rng.normal(size=(8, 3)) * ~boxed[:, None]
        motion.append(thin(rng, cancelled + free + rng.normal(size=(8, 3)) * rng.choice([1e-16, 1e-15, 0.1], (8, 1)), spread))
    motion.append((np.full((8, 3), -99.0), np.full((8, 3), 99.0)))
    return records, motion


def first_matrices(motion, turns):
    """R at the beginning of the window, of each body: lower and upper ends (8, 9), those of the second negated."""
    result, at = [], 0
    for k, turn in enumerate(turns):
        unit = np.tile(np.eye(3).ravel() * (1 if k == 0 else -1), (8, 1))
        result.append((unit, unit) if turn == FIXED else motion[at])
        at += {FIXED: 0, TURNED: 1, TURNING: 4}[turn]
    return result


@pytest.mark.parametrize("turns", [(FIXED, FIXED), (TURNED, TURNING), (TURNING, TURNING)])
@pytest.mark.parametrize("kind", ["thin", "mixed", "wide"])
def test_no_more_is_used_of_rigid_bodies_than_follows(turns, kind):
    models = QUADRATIC, CURVE
    kernel, rng = rigid_time_bound(models, turns), np.random.default_rng(11)
    advanced = 0
    for _ in range(25):
        records, motion = drawn_pair(rng, models, turns, kind)
        start = rng.uniform(-1, 1, 8) * rng.choice([1.0, 1e7], 8)
        window = block(np.stack([start, start], axis=1), np.stack([start + 4, start], axis=1))
        normal, out = rng.normal(size=(3, 8)) * rng.choice([1.0, 1.0, 1e-250, 1e250], 8), np.zeros((2, 8))
        m = block(np.concatenate([a for a, _ in motion], axis=1), np.concatenate([b for _, b in motion], axis=1))
        call(kernel, *records, m, window, np.ascontiguousarray(normal), out)
        for lane in range(8):
            step = Fraction(out[0, lane]) - Fraction(start[lane]) if math.isfinite(out[0, lane]) else Fraction(10**6)
            if step > 0:
                advanced += 1
                assert rigidly_justified(step, models, [r[:, lane] for r in records], [(a[lane], b[lane]) for a, b in motion], turns,
                                         [(a[lane], b[lane]) for a, b in first_matrices(motion, turns)], normal[:, lane])
    assert advanced > 40


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_what_is_not_bounded_is_not_used(bad):
    models, turns = (QUADRATIC, CURVE), (TURNED, TURNING)
    kernel, rng = rigid_time_bound(models, turns), np.random.default_rng(12)
    while True:
        records, motion = drawn_pair(rng, models, turns, "wide")
        m = block(np.concatenate([a for a, _ in motion], axis=1), np.concatenate([b for _, b in motion], axis=1))
        window = block(np.tile([1.0, 1.0], (8, 1)), np.tile([5.0, 1.0], (8, 1)))

        def bound(first, second, m, normal=np.ones((3, 8)), window=window):
            out = np.zeros((2, 8))
            call(kernel, first, second, m, window, np.ascontiguousarray(normal), out)
            return out[0]

        good = bound(*records, m)
        if (good > 1.0).sum() >= 4:
            break
    for row in range(len(m)):
        for side in (0, 1):
            damaged = m.copy()
            damaged[row, side] = bad
            assert (bound(*records, damaged) == 1.0).all()
    for which, model in enumerate(models):
        for row in range(model.size, model.doubt):
            damaged = [r.copy() for r in records]
            damaged[which][row] = bad
            assert (bound(*damaged, m) == 1.0).all()
    for normal in (np.nan, np.inf, -np.inf, 1e308, 5e-324):
        assert (bound(*records, m, np.full((3, 8), normal)) >= bound(*records, m, np.zeros((3, 8)))).all()


def product(matrix, low, high):
    """The exact range of R x, R and x in intervals."""
    result = []
    for i in range(3):
        total = [Fraction(0), Fraction(0)]
        for j in range(3):
            ends = [Fraction(r) * x for r in (matrix[0][3 * i + j], matrix[1][3 * i + j]) for x in (low[j], high[j])]
            total = [total[0] + min(ends), total[1] + max(ends)]
        result.append((total[0], total[1]))
    return result


def seen(n, matrix, x):
    """The exact range of (R^T n) . x, R and x in intervals: the direction is turned, not the point, which has the wider intervals."""
    low = high = Fraction(0)
    for j in range(3):
        m = exact_dot(n, [(Fraction(matrix[0][3 * i + j]), Fraction(matrix[1][3 * i + j])) for i in range(3)])
        ends = [a * b for a in m for b in x[j]]
        low, high = low + min(ends), high + max(ends)
    return low, high


def rigidly_justified(step, models, records, motion, turns, first, normal):
    """Does one of the directions that the kernel tries allow this step?"""
    boxes = [([Fraction(r[m.middle + c]) - Fraction(r[m.reach + c]) for c in range(3)],
              [Fraction(r[m.middle + c]) + Fraction(r[m.reach + c]) for c in range(3)]) for r, m in zip(records, models, strict=True)]
    shift, rate, push = (rationals(*motion[k]) for k in (-4, -3, -2))
    at = 0
    for k, turn in enumerate(turns):
        if turn == TURNING:
            rate = [(a + c, b + d) for (a, b), (c, d) in zip(rate, product(motion[at + 1], *boxes[k]), strict=True)]
            push = [(a + c, b + d) for (a, b), (c, d) in zip(push, product(motion[at + 2], *boxes[k]), strict=True)]
        at += {FIXED: 0, TURNED: 1, TURNING: 4}[turn]
    for n in followed(models, records, turns, motion, normal):
        low, high = exact_dot(n, shift)
        for r, m, matrix in zip(records, models, first, strict=True):
            rho = [Fraction(x) for x in r[m.rho:m.rho + 3]]
            ranges = []
            for k in range(m.points):
                point = [(Fraction(x) - e, Fraction(x) + e) for x, e in zip(r[3 * k:3 * k + 3], rho, strict=True)]
                ranges.append(seen(n, matrix, point))
            low, high = low + min(a for a, _ in ranges), high + max(b for _, b in ranges)
        whole = exact_dot(n, [(a + c + e, b + d + f) for (a, b), (c, d), (e, f) in
                              zip(shift, product(first[0], *boxes[0]), product(first[1], *boxes[1]), strict=True)])
        if may_advance(step, (max(low, whole[0]), min(high, whole[1])), rate, push, n):
            return True
    return False


def followed(models, records, turns, motion, normal):
    """The directions that the kernel tries."""
    tangents, at = [], 0
    difference = middles(motion[-4])
    for k, (m, r, turn) in enumerate(zip(models, records, turns, strict=True)):
        p, q = m.both
        corner = {(a, b): directed(r[3 * ((q + 1) * p * a + q * b):][:3]) for a in (0, 1) for b in (0, 1)}
        vectors = [[(corner[1, 1][i] + corner[end][i]) - (corner[0, 0][i] + corner[begin][i]) for i in range(3)]
                   for end, begin in [((1, 0), (0, 1)), ((0, 1), (1, 0))][:len(m.degrees)]]
        centre = directed(r[m.middle:m.reach])
        if turn == FIXED:
            difference = [(-x if k else x) + y for x, y in zip(centre, difference, strict=True)]
        else:
            rows = middles(motion[at])
            vectors = [turned(rows, vector) for vector in vectors]
            difference = turned(rows, centre, difference)
        tangents += vectors
        at += {FIXED: 0, TURNED: 1, TURNING: 4}[turn]
    found = [directed(normal), difference] + [crossed(a, b) for a, b in itertools.combinations(tangents, 2)]
    return [[Fraction(x.x) for x in d] for d in found]


def directed(vector):
    return [Directed(x) for x in vector]


def middles(ends):
    return [Directed(0.5) * (Directed(b) - Directed(-a)) for a, b in zip(*ends, strict=True)]


def turned(rows, vector, start=None):
    result = []
    for i in range(3):
        total = rows[3 * i] * vector[0] if start is None else rows[3 * i].fma(vector[0], start[i])
        for j in (1, 2):
            total = rows[3 * i + j].fma(vector[j], total)
        result.append(total)
    return result
