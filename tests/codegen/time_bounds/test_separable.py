"""The advance in time of bodies that matrices carry, against exact rationals: no more is used than follows from what the kernel is told."""

import math
from fractions import Fraction

import numpy as np
import pytest

from codegen.time_bounds.moving_nets import Net
from codegen.time_bounds.separable import FIXED, TURNED, TURNING, Carrier, separable_time_bound

from .advance_referee import (
    ALL,
    BENT,
    CURVE,
    MANY,
    NET,
    block,
    call,
    directed,
    exact_dot,
    may_advance,
    middles,
    net_tangents,
    normals,
    product,
    rationals,
    seen,
    thin,
    turned,
)

RIGID = [((BENT, CURVE), tuple(Carrier(kind, ALL, ALL) for kind in kinds))
         for kinds in ((FIXED, FIXED), (TURNED, TURNING), (TURNING, TURNING))]
NONE = None, None
# Nets of any functions: of their own model only the degrees count here.
SHEET, STRIP = Net(BENT, 3, ALL, ALL), Net(CURVE, 2, (0, 1, 2, 3), (0, 2))
CARRIED = [*((*each, NONE) for each in RIGID),
           ((MANY, CURVE), (Carrier(TURNING, tuple(range(15)), (0, 3, 7, 8, 14)), Carrier(FIXED, ALL, ALL)), NONE),
           ((NET, BENT._replace(coordinates=2)),
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
        if not any(nets) and TURNING in [c.kind for c in carriers] and still_apart(step, place, models, records, motion, push, n):
            return True
    return False


def still_apart(step, place, models, records, motion, push, n):
    """Are the hulls of the control points, each of which moves on at its own rate, apart in this direction by what the second derivative
    may take? What is apart at both ends is apart all the while.
    """
    later = {"A": tuple(a + step * b for a, b in zip(rational(motion["A"]), rational(motion["B"]), strict=True))}
    for k in (0, 1):
        turned = rational(motion["A", k])
        later["A", k] = tuple(a + step * b for a, b in zip(turned, rational(motion["B", k]), strict=True)) if ("B", k) in motion else turned
    (low, high), (c_low, c_high) = in_direction(n, models, records, later, "A", [("A", k, 0) for k in (0, 1)]), exact_dot(n, push)
    return ((place[0] > 0 and low + min(c_low, 0) * step**2 / 2 >= 0) or (place[1] < 0 and -high + min(-c_high, 0) * step**2 / 2 >= 0))


def rational(ends):
    """Arrays of rationals."""
    return tuple(np.vectorize(Fraction, otypes=[object])(x) for x in ends)


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
