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

from codegen.composed_directions import Form, composed_time_bound
from codegen.directions import time_bound
from codegen.moving_nets import Net
from codegen.separable_directions import FIXED, TURNED, TURNING, Carrier, separable_time_bound
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


def normals(tangents):
    """Those of all pairs, and those within the first plane, of which the kernel takes either."""
    found = [crossed(a, b) for a, b in itertools.combinations(tangents, 2)]
    return found + [crossed(found[0], tangent) for tangent in tangents]


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


def may_advance(step, ends, rates, pushes, n, speed=None):
    """May the window begin `step` later by this direction? `ends` bound n . E at its beginning, `speed` besides its rate there."""
    low, high = ends
    (b_low, b_high), (c_low, c_high) = exact_dot(n, rates), exact_dot(n, pushes)
    if speed is not None:
        b_low, b_high = max(b_low, speed[0]), min(b_high, speed[1])
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


# -- Taylor models and bodies whose shape and motion are apart ----------------------------------------------------------


BICUBIC = Model((3, 3), tuple(itertools.product(range(4), repeat=2)), (), False)
QUADRATIC = Model((2, 2), tuple(i for i in itertools.product(range(3), repeat=2) if sum(i) <= 2),
                  tuple(i for i in itertools.product(range(4), repeat=2) if sum(i) == 3), True)
CURVE = Model((2,), ((0, 0), (1, 0), (2, 0)), ((3, 0),), False)
# Of more coordinates than space has.
MANY = QUADRATIC._replace(coordinates=5, viewed=True)
NET = Model((2, 1), tuple(itertools.product(range(3), range(2))), (), False, coordinates=4, viewed=True)
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


ALL = tuple(range(9))
RIGID = [((QUADRATIC, CURVE), tuple(Carrier(kind, ALL, ALL) for kind in kinds))
         for kinds in ((FIXED, FIXED), (TURNED, TURNING), (TURNING, TURNING))]
NONE = None, None
# Nets of any functions: of their own model only the degrees count here.
SHEET, STRIP = Net(QUADRATIC, 3, ALL, ALL), Net(CURVE, 2, (0, 1, 2, 3), (0, 2))
CARRIED = [*((*each, NONE) for each in RIGID),
           ((MANY, CURVE), (Carrier(TURNING, tuple(range(15)), (0, 3, 7, 8, 14)), Carrier(FIXED, ALL, ALL)), NONE),
           ((NET, QUADRATIC._replace(coordinates=2)),
            (Carrier(TURNING, (0, 2, 3, 5, 6, 9), (0, 5, 6)), Carrier(TURNED, (0, 1, 3), ())), NONE),
           ((SHEET.shown, CURVE), (Carrier(FIXED, ALL, ALL), Carrier(TURNING, ALL, ALL)), (SHEET, None)),
           ((STRIP.shown, SHEET.shown), (Carrier(TURNED, (0, 1, 3), ()), Carrier(TURNING, ALL, (0, 1, 4, 8))), (STRIP, SHEET))]


def drawn_pair(rng, models, carriers, nets, kind):
    """Records of eight lanes, their motions, and these as the kernel reads them, with gaps that are left over from cancellation: of
    the difference of the bodies, in half of the lanes with little translation, or of boxes that are points, with rates that cancel as
    well. A motion is {name: intervals of A at the beginning of the window (of its first, its second derivative), or of T}.
    """
    spread = {"still": 0.0, "thin": 0.0, "wide": 1e-3, "mixed": 1e-16}[kind]
    boxed, opposed = rng.random(8) < (1.0 if kind == "still" else 0.3), rng.random(8) < 0.5
    apart, left = ([1e-16], [0.0]) if kind == "still" else ([1e-16, 1e-3, 0.1], [0.0, 1e-16, 1e-3])
    records, blocks, motion = [], [], {}
    for k, (model, (turn, entries, rates)) in enumerate(zip(models, carriers, strict=True)):
        m = model.coordinates
        for name in {FIXED: "", TURNED: "A", TURNING: "ABCW"}[turn] + "V" * (nets[k] is not None and turn == TURNING):
            middle = rng.normal(size=(8, 3 * m))
            if name == "A" and ("A", 0) in motion and motion["A", 0][0].shape == (8, 3, m):
                middle = np.where(opposed[:, None], -motion["A", 0][0].reshape(8, 9), middle)
            middle *= np.isin(np.arange(3 * m), rates if name in "BCV" else entries)
            lo, hi = thin(rng, middle, spread) if name != "W" else (np.full((8, 3 * m), -9.0), np.full((8, 3 * m), 9.0))
            kept = list(rates if name in "BCV" else entries)
            blocks.append((lo[:, kept], hi[:, kept]))
            full = [np.zeros((8, 3 * m)) for _ in range(2)]
            full[0][:, kept], full[1][:, kept] = blocks[-1]
            motion[name, k] = tuple(x.reshape(8, 3, m) for x in full)
        if turn == FIXED:
            motion["A", k] = (np.tile(np.eye(3) * (1 - 2 * k), (8, 1, 1)),) * 2
    for k, model in enumerate(models):
        m = model.coordinates
        place = rng.normal(size=(m, 8))
        if k and models[0].coordinates == m:
            place = np.where(opposed, records[0][:m] + rng.normal(size=(m, 8)) * 1e-15, place)
        record = np.zeros((model.length, 8))
        points = place + rng.normal(size=(model.points, m, 8)) * rng.choice(apart, (1, 1, 8))
        record[:model.rho] = points.reshape(-1, 8)
        record[model.rho:model.size] = rng.random((m, 8)) * rng.choice(left, (1, 8))
        record[model.size:model.middle] = abs(points).max(axis=0) + record[model.rho:model.size] * 2
        record[model.middle:model.reach] = place
        record[model.reach:model.doubt] = np.where(boxed, 0.0, 9.0)
        records.append(record if nets[k] is None else deforming_record(rng, nets[k], record, boxed, left))
    for name in "ABC":
        cancelled = -sum(np.einsum("lij,jl->li", 0.5 * sum(motion[factor, k]), records[k][at:at + models[k].coordinates])
                         for k in (0, 1) for factor, at, _ in products(models[k], nets[k], name) if (factor, k) in motion)
        free = 0 if name == "A" else rng.normal(size=(8, 3)) * ~boxed[:, None]
        motion[name] = thin(rng, cancelled + free + rng.normal(size=(8, 3)) * rng.choice([1e-16, 1e-15, 0.1], (8, 1)), spread)
        blocks.append(motion[name])
    blocks.append((np.full((8, 3), -99.0), np.full((8, 3), 99.0)))
    return records, motion, block(*(np.concatenate(ends, axis=1) for ends in zip(*blocks, strict=True)))


def deforming_record(rng, net, record, boxed, left):
    """A record of a body that deforms, from that of what it looks like at the beginning of the window."""
    shown, rows = net.shown, net.rows
    longer = np.zeros((net.length, 8))
    longer[:shown.length] = record
    velocity, part = rng.normal(size=(rows, 8)), longer[net.rate:]
    points = velocity + rng.normal(size=(shown.points, rows, 8)) * ~boxed
    part[:shown.rho] = points.reshape(-1, 8)
    part[shown.rho:shown.size] = rng.random((rows, 8)) * rng.choice(left, (1, 8))
    part[shown.size:shown.middle] = abs(points).max(axis=0) + part[shown.rho:shown.size] * 2
    for which in range(4):
        middle, radius = net.ball(which)
        longer[middle:radius] = velocity if which == 0 else rng.normal(size=(rows, 8)) * (1.0 if which < 3 else 0.0)
        longer[radius:radius + rows] = np.where(boxed, 0.0, rng.random((rows, 8)) * 3) if which < 3 else 99.0
    return longer


def products(model, net, name):
    """What adds up to the place, the rate and the second derivative of a body: names of matrices, and where in the record what they are
    multiplied with has its middles and radii.
    """
    box = "A" if name == "A" else name, model.middle, model.reach
    if net is None:
        return [box]
    return {"A": [box], "B": [box, ("A", *net.ball(0))], "C": [("C", *net.ball(3)), ("V", *net.ball(1)), ("W", *net.ball(2))]}[name]


@pytest.mark.parametrize(("models", "carriers", "nets"), CARRIED)
@pytest.mark.parametrize("kind", ["still", "thin", "mixed", "wide"])
def test_no_more_is_used_of_carried_bodies_than_follows(models, carriers, nets, kind):
    kernel, rng = separable_time_bound(models, carriers, nets), np.random.default_rng(11)
    advanced = 0
    for _ in range(12):
        records, motion, m = drawn_pair(rng, models, carriers, nets, kind)
        start = rng.uniform(-1, 1, 8) * rng.choice([1.0, 1e7], 8)
        window = block(np.stack([start, start], axis=1), np.stack([start + 4, start], axis=1))
        normal, out = rng.normal(size=(3, 8)) * rng.choice([1.0, 1.0, 1e-250, 1e250], 8), np.zeros((2, 8))
        call(kernel, *records, m, window, np.ascontiguousarray(normal), out)
        for lane in range(8):
            step = Fraction(out[0, lane]) - Fraction(start[lane]) if math.isfinite(out[0, lane]) else Fraction(10**6)
            if step > 0:
                advanced += 1
                alone = {name: tuple(x[lane] for x in ends) for name, ends in motion.items()}
                assert separably_justified(step, models, carriers, nets, [r[:, lane] for r in records], alone, normal[:, lane])
    assert advanced > 20


@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize(("models", "carriers", "nets"), CARRIED[1:])
def test_what_is_not_bounded_is_not_used(models, carriers, nets, bad):
    kernel, rng = separable_time_bound(models, carriers, nets), np.random.default_rng(12)
    while True:
        records, _, m = drawn_pair(rng, models, carriers, nets, "wide")
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
    for which, (model, net) in enumerate(zip(models, nets, strict=True)):
        rates = [*range(net.rate + model.size, net.ball(0)[0] + 2 * net.rows), *range(net.ball(2)[0], net.length)] if net else []
        if net and carriers[which].kind == TURNING:
            rates += range(*(net.ball(which)[0] for which in (1, 2)))
        for row in [*range(model.size, model.doubt), *rates]:
            damaged = [r.copy() for r in records]
            damaged[which][row] = bad
            assert (bound(*damaged, m) == 1.0).all()
    for normal in (np.nan, np.inf, -np.inf, 1e308, 5e-324):
        assert (bound(*records, m, np.full((3, 8), normal)) >= bound(*records, m, np.zeros((3, 8)))).all()


def product(matrix, box):
    """The exact range of A x, A and x in intervals."""
    result = []
    for low, high in zip(*matrix, strict=True):
        total = [Fraction(0), Fraction(0)]
        for r, s, x in zip(low, high, box, strict=True):
            ends = [Fraction(a) * b for a in (r, s) for b in x]
            total = [total[0] + min(ends), total[1] + max(ends)]
        result.append((total[0], total[1]))
    return result


def seen(n, matrix, x):
    """The exact range of (A^T n) . x, A and x in intervals: the direction is turned, not the point, which has the wider intervals."""
    low = high = Fraction(0)
    for j, interval in enumerate(x):
        m = exact_dot(n, [(Fraction(matrix[0][i][j]), Fraction(matrix[1][i][j])) for i in range(3)])
        ends = [a * b for a in m for b in interval]
        low, high = low + min(ends), high + max(ends)
    return low, high


def separably_justified(step, models, carriers, nets, records, motion, normal):
    """Does one of the directions that the kernel tries allow this step?"""
    whole, rate, push = (rationals(*motion[name]) for name in "ABC")
    fixed = [(np.eye(3) * (1 - 2 * k),) * 2 for k in (0, 1)]
    for k, (m, r) in enumerate(zip(models, records, strict=True)):
        for name, total in (("A", whole), ("B", rate), ("C", push)):
            for factor, middle, radius in products(m, nets[k], name):
                # A matrix that does not move is its own all through the window, and its derivatives are zero.
                kept = "A" if factor == "W" and ("W", k) not in motion else factor
                matrix = motion.get((kept, k), fixed[k] if kept == "A" else None)
                if matrix is not None:
                    box = [(Fraction(c) - Fraction(e), Fraction(c) + Fraction(e))
                           for c, e in zip(r[middle:middle + m.coordinates], r[radius:radius + m.coordinates], strict=True)]
                    total[:] = [(a + c, b + d) for (a, b), (c, d) in zip(total, product(matrix, box), strict=True)]
    for n in followed(models, carriers, records, motion, normal):
        place = in_direction(n, models, records, motion, "A", [("A", k, 0) for k in (0, 1)])
        ends = exact_dot(n, whole)
        speed = None
        if any(nets):
            terms = [("B", k, 0) for k in (0, 1) if ("B", k) in motion] + [("A", k, net.rate) for k, net in enumerate(nets) if net]
            speed = in_direction(n, models, records, motion, "B", terms)
        if may_advance(step, (max(place[0], ends[0]), min(place[1], ends[1])), rate, push, n, speed):
            return True
    return False


def in_direction(n, models, records, motion, shift, terms):
    """The exact range of n . (the shift and the products of matrices and control points that begin at some place)."""
    low, high = exact_dot(n, rationals(*motion[shift]))
    for name, k, start in terms:
        m, r = models[k], records[k][start:]
        rho = [Fraction(x) for x in r[m.rho:m.size]]
        points = [[(Fraction(x) - e, Fraction(x) + e) for x, e in zip(r[m.coordinates * p:m.coordinates * (p + 1)], rho, strict=True)]
                  for p in range(m.points)]
        ranges = [seen(n, motion[name, k], point) for point in points]
        low, high = low + min(a for a, _ in ranges), high + max(b for _, b in ranges)
    return low, high


def followed(models, carriers, records, motion, normal):
    """The directions that the kernel tries."""
    tangents = []
    difference = middles(motion["A"])
    for k, (m, r, (turn, entries, _)) in enumerate(zip(models, records, carriers, strict=True)):
        size, vectors = m.coordinates, net_tangents(m, r)
        if turn == FIXED:
            centre = directed(r[m.middle:m.reach])
            difference = [(-x if k else x) + y for x, y in zip(centre, difference, strict=True)]
        else:
            rows = [{j: x for j, x in enumerate(middles(ends)) if size * i + j in entries}
                    for i, ends in enumerate(zip(*motion["A", k], strict=True))]
            vectors = [turned(rows, vector) for vector in vectors]
            difference = turned(rows, directed(r[m.middle:m.reach]), difference)
        tangents += vectors
    found = [directed(normal), difference] + normals(tangents)
    return [[Fraction(x.x) for x in d] for d in found]


def net_tangents(m, r):
    """The tangents of a control net, in the order of the kernel's operations."""
    (p, q), size = m.both, m.coordinates
    corner = {(a, b): directed(r[size * ((q + 1) * p * a + q * b):][:size]) for a in (0, 1) for b in (0, 1)}
    return [[(corner[1, 1][i] + corner[end][i]) - (corner[0, 0][i] + corner[begin][i]) for i in range(size)]
            for end, begin in [((1, 0), (0, 1)), ((0, 1), (1, 0))][:len(m.degrees)]]


def directed(vector):
    return [Directed(x) for x in vector]


def middles(ends):
    return [Directed(0.5) * (Directed(b) - Directed(-a)) for a, b in zip(*ends, strict=True)]


def turned(rows, vector, start=None):
    """The products of rows {column: entry} and a vector, added up in order."""
    result = []
    for i, row in enumerate(rows):
        total = None if start is None else start[i]
        for j, x in row.items():
            total = x * vector[j] if total is None else x.fma(vector[j], total)
        result.append(Directed(0.0) if total is None else total)
    return result


# -- Bodies that deform through functions ------------------------------------------------------------------------------------


FORMS = [((QUADRATIC, CURVE), (Form(ALL, ((0, 0), (0, 2))), Form((0, 1, 5, 8), ((1, 1), (1, 2))))),
         ((MANY, CURVE), (Form(tuple(range(15)), ((0, 4), (3, 3))), Form(ALL, ())))]


def drawn_forms(rng, models, forms, kind):
    """Records of eight lanes and what is told of F: {name: intervals (8, ...)} of each body, and both blocks."""
    spread = {"thin": 0.0, "mixed": 1e-16}[kind]
    bodies, blocks, records = [], [], []
    opposed = rng.random(8) < 0.7
    for k, (model, form) in enumerate(zip(models, forms, strict=True)):
        m = model.coordinates
        record = np.zeros((model.length, 8))
        place = rng.normal(size=(m, 8))
        record[:model.rho] = (place + rng.normal(size=(model.points, m, 8)) * rng.choice([0.0, 1e-16], (1, 1, 8))).reshape(-1, 8)
        record[model.rho:model.size] = rng.random((m, 8)) * rng.choice([0.0, 1e-16], (1, 8))
        record[model.size:model.middle] = abs(place) + 1e-15
        record[model.middle:model.reach], record[model.reach:model.doubt] = place, rng.choice([1e-9, 1e-3], (1, 8))
        told = {"A": thin(rng, rng.normal(size=(8, len(form.entries))), spread),
                "H": thin(rng, rng.normal(size=(8, 3 * len(form.bends))), 1e-3), "W": (np.full((8, 3), -99.0), np.full((8, 3), 99.0))}
        for name in "FSBC":
            middle = rng.normal(size=(8, 3))
            if k:
                near = -bodies[0][name][0] + rng.normal(size=(8, 3)) * 1e-15
                middle = np.where(opposed[:, None], near, middle)
            told[name] = thin(rng, middle, spread) if name != "S" else (middle - 1.0, middle + 1.0)
        bodies.append(told)
        blocks.append(block(*(np.concatenate([told[name][end] for name in "FAHSBCW"], axis=1) for end in (0, 1))))
        records.append(record)
    return records, bodies, blocks


def composed_justified(step, models, forms, records, bodies, normal):
    total = {name: [(a + c, b + d) for (a, b), (c, d) in zip(*(rationals(*body[name]) for body in bodies), strict=True)] for name in "SBC"}
    shift, rest, nets, matrices, tangents = [(0, 0)] * 3, [Fraction(0)] * 3, [], [], []
    for model, form, r, body in zip(models, forms, records, bodies, strict=True):
        m = model.coordinates
        matrix = [[[Fraction(0)] * m for _ in range(3)] for _ in range(2)]
        for k, e in enumerate(form.entries):
            matrix[0][e // m][e % m], matrix[1][e // m][e % m] = Fraction(body["A"][0][k]), Fraction(body["A"][1][k])
        centre = [(-Fraction(x), -Fraction(x)) for x in r[model.middle:model.reach]]
        moved = [(a + c, b + d) for (a, b), (c, d) in zip(rationals(*body["F"]), product(matrix, centre), strict=True)]
        shift = [(a + c, b + d) for (a, b), (c, d) in zip(shift, moved, strict=True)]
        reach = [Fraction(x) for x in r[model.reach:model.doubt]]
        for k, (i, j) in enumerate(form.bends):
            for c in range(3):
                most = max(abs(Fraction(body["H"][end][3 * k + c])) for end in (0, 1))
                rest[c] += most * reach[i] * reach[j] / (2 if i == j else 1)
        rho = [Fraction(x) for x in r[model.rho:model.size]]
        nets.append([[(Fraction(x) - e, Fraction(x) + e) for x, e in zip(r[m * k:m * (k + 1)], rho, strict=True)]
                     for k in range(model.points)])
        matrices.append(matrix)
        rows = [{e % m: x for e, x in zip(form.entries, middles(body["A"]), strict=True) if e // m == i} for i in range(3)]
        tangents += [turned(rows, vector) for vector in net_tangents(model, r)]
    difference = [a + b for a, b in zip(*(middles(body["S"]) for body in bodies), strict=True)]
    found = [directed(normal), difference] + normals(tangents)
    for n in [[Fraction(x.x) for x in d] for d in found]:
        low, high = exact_dot(n, shift)
        left = sum(abs(x) * e for x, e in zip(n, rest, strict=True))
        for matrix, net in zip(matrices, nets, strict=True):
            ranges = [seen(n, matrix, point) for point in net]
            low, high = low + min(a for a, _ in ranges), high + max(b for _, b in ranges)
        ends = exact_dot(n, total["S"])
        if may_advance(step, (max(low - left, ends[0]), min(high + left, ends[1])), total["B"], total["C"], n):
            return True
    return False


@pytest.mark.parametrize(("models", "forms"), FORMS)
@pytest.mark.parametrize("kind", ["thin", "mixed"])
def test_no_more_is_used_of_deforming_bodies_than_follows(models, forms, kind):
    kernel, rng = composed_time_bound(models, forms), np.random.default_rng(13)
    advanced = 0
    for _ in range(25):
        records, bodies, blocks = drawn_forms(rng, models, forms, kind)
        start = rng.uniform(-1, 1, 8)
        window = block(np.stack([start, start], axis=1), np.stack([start + 4, start], axis=1))
        normal, out = rng.normal(size=(3, 8)), np.zeros((2, 8))
        call(kernel, *records, *blocks, window, np.ascontiguousarray(normal), out)
        for lane in range(8):
            step = Fraction(out[0, lane]) - Fraction(start[lane])
            if step > 0:
                advanced += 1
                alone = [{name: tuple(x[lane] for x in ends) for name, ends in body.items()} for body in bodies]
                assert composed_justified(step, models, forms, [r[:, lane] for r in records], alone, normal[:, lane])
    assert advanced > 40
