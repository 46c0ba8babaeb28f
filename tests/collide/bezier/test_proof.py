"""Foundations of the answers for Bezier pairs: windows that lose nothing, enclosures, the certificate; against exact rationals."""

import ctypes
import itertools
from fractions import Fraction

import numpy as np
import pytest

import collide
from codegen.machine.loop_runtime import compiled
from codegen.machine.loops import native
from collide.bezier import memory
from collide.bezier import pairs as bezier
from collide.bezier.certificate import certificate
from collide.bezier.enclosure import enclose
from collide.bezier.loop import halves, load
from collide.bezier.loop import test as window
from collide.bezier.memory import LANES, PairsMemory, PatchPair, Subpatch
from collide.bezier.part import neighbourhood
from tests.collide.bezier_patches import exact, point


def call(address, *pointers):
    values = [p.ctypes.data if isinstance(p, np.ndarray) else int(p) for p in pointers]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(values))(int(address))(*values)


@native
def loaded(s: PairsMemory, pair: PatchPair) -> int:
    load(s, pair)
    return 0


@native
def halved(s: PairsMemory, node: Subpatch) -> int:
    return halves(s, node, 0.5)


@native
def windowed(s: PairsMemory, kernel: int, e: Subpatch, f: Subpatch, a: Subpatch, b: Subpatch) -> int:
    window(s, kernel, e, f, a, b, s.T[0], s.T[1])
    return 0


def descend_to(arrays, node, at, steps):
    """Nodes that hold the parameters `at`, down the tree."""
    out = [node]
    for _ in range(steps):
        first = compiled(halved)(arrays.address, out[-1])
        inside = [k for k in (first, first + 1) if all(lo <= x <= hi for x, (lo, hi) in zip(at, arrays["rectangle"][k], strict=True))]
        out.append(inside[-1])
    return out


@pytest.mark.parametrize("rational", [False, True])
def test_no_window_loses_an_exact_contact(rational):
    """Control points, parameters and times with few bits: the contact is exact in doubles. Every node that holds it is
    tested, with windows around and ending at its time. (Fails when `radius` is made 0.)
    """
    g = np.random.default_rng(11)
    for trial in range(12):
        q = g.integers(-16, 17, (2, 2, 3, 4, 3)) / 16.0
        at, t = exact(g.integers(0, 9, 4) / 8), Fraction(int(g.integers(1, 8)), 8)
        w = None
        if rational:
            w = np.repeat(np.repeat(2.0 ** g.integers(-1, 2, (2, 1, 1)), 3, 1), 4, 2)  # equal weights keep the contact exact
        gap = [a - b for a, b in zip(point(exact(q[0]), at[0], at[1], t), point(exact(q[1]), at[2], at[3], t), strict=True)]
        q[1, 0] += np.array([float(x) for x in gap])
        assert point(exact(q[0]), at[0], at[1], t) == point(exact(q[1]), at[2], at[3], t)
        weights = None if w is None else np.ascontiguousarray(w[None])
        search = bezier._Search(np.ascontiguousarray(q[None]), weights, 1e-6, bezier._Limit(collide.Budget(boxes=10**6)))
        compiled(loaded)(search.arrays.address, 0)
        search.arrays["normal"][:3] = g.uniform(-1, 1, 3)
        search.arrays.set("proved", 2.0)
        paths = [descend_to(search.arrays, patch, at[2 * patch:2 * patch + 2], 31) for patch in range(2)]
        for steps in range(0, 30, 5):
            for tl, th in ((0.0, 1.0), (float(t), 1.0), (0.0, float(t)), (float(t), float(t)), (float(t) / 2, 1.0)):
                for begin, end in windows_of(search.arrays, *(path[steps:steps + 2] for path in paths), tl, th):
                    assert begin <= t <= end, (trial, steps, tl, th, begin, end)


def windows_of(arrays, a, b, tl, th):
    """Of two nodes, of a half of one and the other, and of halves of both; a and b: a node and one of its halves."""
    half = [int(arrays.table(Subpatch)["child"][x[0]]) for x in (a, b)]
    for kernel, e, f, first, second, place in (
            ("test", a[0], b[0], a[0], b[0], 0),
            ("test_halves", a[0], b[0], half[0], b[0], a[1] - half[0]),
            ("test_halves", b[0], a[0], half[1], a[0], b[1] - half[1]),
            ("test_both", a[0], b[0], *half, 2 * (a[1] - half[0]) + b[1] - half[1])):
        arrays["T"][:2] = tl, th
        compiled(windowed)(arrays.address, arrays.number(kernel), e, f, first, second)
        yield arrays["windows"][0, place], -arrays["windows"][1, place]


@pytest.mark.parametrize("rational", [False, True])
def test_enclosures_for_the_proof(rational):
    """S1 - S2 and difference quotients at exact rational points (Fails when a derivative's sign or degree is wrong.)"""
    g = np.random.default_rng(12)
    q = g.uniform(-1, 1, (2, 2, 3, 4, 3))
    w = g.uniform(0.5, 2, (2, 3, 4)) if rational else None
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)(enclose(2, 3, rational))
    lo = g.uniform(0, 0.9, (5, LANES))
    hi = lo + 2.0 ** -np.arange(4.0, 4 + 4 * LANES, 4)
    lo[0, 0], hi[1, 0], hi[4, 0] = 0.0, 1.0, 1.0
    c = lo + (hi - lo) * g.uniform(0, 1, lo.shape)
    box = np.ascontiguousarray(np.stack([-lo, hi], axis=1))
    f, j = np.zeros((3, 2, LANES)), np.zeros((3, 5, 2, LANES))
    weights = np.ones(1) if w is None else w
    call(q.ctypes.data, weights.ctypes.data, c.ctypes.data, box.ctypes.data, f.ctypes.data, j.ctypes.data)
    Q, W = exact(q), None if w is None else exact(w)

    def gap(x):
        a = point(Q[0], x[0], x[1], x[4], None if W is None else W[0])
        b = point(Q[1], x[2], x[3], x[4], None if W is None else W[1])
        return [p - r for p, r in zip(a, b, strict=True)]

    for lane in range(LANES):
        x = [Fraction(v) for v in c[:, lane]]
        here = gap(x)
        for i in range(3):
            assert -Fraction(f[i, 0, lane]) <= here[i] <= Fraction(f[i, 1, lane])
            assert f[i, 0, lane] + f[i, 1, lane] < 1e-14
        for k in range(5):
            # A mean slope between two points of the box is a value of the derivative on the segment.
            a, b = list(x), list(x)
            a[k], b[k] = Fraction(lo[k, lane]), Fraction(hi[k, lane])
            for i in range(3):
                slope = (gap(b)[i] - gap(a)[i]) / (b[k] - a[k])
                assert -Fraction(j[i, k, 0, lane]) <= slope <= Fraction(j[i, k, 1, lane])
    assert (j[:, :, 0, LANES - 1] + j[:, :, 1, LANES - 1] < 1e-6).all()


def test_one_minus_u_is_rounded_outward():
    """A patch with x = 1 - u and nothing else to round."""
    q = np.zeros((2, 2, 2, 2, 3))
    q[0, 0, 0, :, 0] = 1.0
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)(enclose(1, 1, False))
    c = np.zeros((5, LANES))
    c[0] = np.random.default_rng(3).uniform(0, 0.5, LANES)
    f, j, box = np.zeros((3, 2, LANES)), np.zeros((3, 5, 2, LANES)), np.ascontiguousarray(np.stack([-c, c], axis=1))
    call(q.ctypes.data, q.ctypes.data, c.ctypes.data, box.ctypes.data, f.ctypes.data, j.ctypes.data)
    for u, n, h in zip(c[0], f[0, 0], f[0, 1], strict=True):
        assert -Fraction(n) <= 1 - Fraction(u) <= Fraction(h)


# -- the certificate ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rational", [False, True])
def test_neighbourhoods(rational):
    """First and second difference quotients at exact rational points. (Fails when a velocity or a weight is left out.)"""
    g = np.random.default_rng(14)
    q, frame = g.uniform(-1, 1, (2, 2, 3, 4, 3)), g.uniform(-1, 1, (3, 3))
    w = g.uniform(0.5, 2, (2, 3, 4)) if rational else None
    lo = g.uniform(0, 0.7, (5, LANES))
    hi = lo + 2.0 ** -np.arange(2.0, 2 + LANES)
    box = np.ascontiguousarray(np.stack([-lo, hi], axis=1))
    j, h = np.zeros((3, 5, 2, LANES)), np.zeros((5, 5, 2, LANES))
    call(neighbourhood(2, 3, rational), q, np.ones(1) if w is None else w, frame, box, j, h)
    Q, W, Y = exact(q), None if w is None else exact(w), exact(frame)

    def turned(x):
        a = point(Q[0], x[0], x[1], x[4], None if W is None else W[0])
        b = point(Q[1], x[2], x[3], x[4], None if W is None else W[1])
        return [sum(y * (p - r) for y, p, r in zip(row, a, b, strict=True)) for row in Y]

    for lane in range(LANES):
        ends = [exact(lo[:, lane]), exact(hi[:, lane])]
        for k, m in itertools.combinations_with_replacement(range(5), 2):
            x = {(a, b): [*ends[0]] for a in range(3) for b in range(3)}
            for (a, b), place in x.items():
                place[m] = ends[0][m] + (ends[1][m] - ends[0][m]) * b / 2
                place[k] = ends[0][k] + (ends[1][k] - ends[0][k]) * (a + b if k == m else a) / (4 if k == m else 2)
            values = {key: turned(place) for key, place in x.items()}
            across, along = x[2, 0][k] - x[0, 0][k], x[0, 2][m] - x[0, 0][m]
            for i in range(3):
                slope = (values[2, 0][i] - values[0, 0][i]) / across
                assert -Fraction(j[i, k, 0, lane]) <= slope <= Fraction(j[i, k, 1, lane])
            # Minus the mean of a second derivative over a part of the box.
            second = (values[2, 2][2] - values[2, 0][2] - values[0, 2][2] + values[0, 0][2]) / across / along
            for place in ((k, m), (m, k)):
                assert -Fraction(h[(*place, 0, lane)]) <= -second <= Fraction(h[(*place, 1, lane)])
    widths = (j[:, :, 0] + j[:, :, 1]).max(axis=(0, 1))
    assert (widths < 40 * (hi - lo)[0]).all()


def test_neighbourhoods_are_rounded_outward():
    """Bilinear patches, whose derivatives are extreme at the corners of the box: nothing but rounding is in excess. (Fails without
    the slack.)
    """
    g = np.random.default_rng(18)
    for _ in range(10):
        q, frame = g.uniform(-1, 1, (2, 2, 2, 2, 3)), g.uniform(-1, 1, (3, 3))
        lo = g.uniform(0, 0.7, (5, LANES))
        hi = lo + g.uniform(0.01, 0.3, (5, LANES))
        j, h = np.zeros((3, 5, 2, LANES)), np.zeros((5, 5, 2, LANES))
        call(neighbourhood(1, 1, False), q, np.ones(1), frame, np.ascontiguousarray(np.stack([-lo, hi], axis=1)), j, h)
        Q, Y, lane = exact(q), exact(frame), int(g.integers(LANES))
        for ends in itertools.product((lo, hi), repeat=2):
            v, t = (Fraction(e[k, lane]) for e, k in zip(ends, (1, 4), strict=True))
            slope = [b - a for a, b in zip(point(Q[0], 0, v, t), point(Q[0], 1, v, t), strict=True)]
            for i in range(3):
                exactly = sum(y * x for y, x in zip(Y[i], slope, strict=True))
                assert -Fraction(j[i, 0, 0, lane]) <= exactly <= Fraction(j[i, 0, 1, lane])


def contacts_near(q, at, time, order, free):
    """Contacts (k, 5) with given offsets `free` (k, 2) of the last two unknowns: Newton's method in the other three."""
    x = np.tile([*at, time], (len(free), 1))
    x[:, order[3:]] += free
    for _ in range(12):
        f, jacobian = gap_and_slopes(q, x)
        x[:, order[:3]] -= np.linalg.solve(jacobian[:, :, order[:3]], f[:, :, None])[:, :, 0]
    return x[np.abs(gap_and_slopes(q, x)[0]).max(axis=1) < 1e-12]


def gap_and_slopes(q, x):
    """F and F' in doubles, degree 2."""
    u, v = x[:, (0, 2)].T, x[:, (1, 3)].T
    bu, bv = (np.stack([(1 - a) ** 2, 2 * a * (1 - a), a**2], axis=-1) for a in (u, v))
    du, dv = (np.stack([-2 * (1 - a), 2 - 4 * a, 2 * a], axis=-1) for a in (u, v))
    moved = q[:, None, 0] + x[:, 4, None, None, None] * q[:, None, 1]
    s, su, sv = (np.einsum("pki,pkj,pkijc->pkc", a, b, moved) for a, b in ((bu, bv), (du, bv), (bu, dv)))
    st = np.einsum("pki,pkj,pijc->pkc", bu, bv, q[:, 1])
    return s[0] - s[1], np.stack([su[0], sv[0], -su[1], -sv[1], st[0] - st[1]], axis=-1)


def test_no_contact_is_earlier_than_certified():
    """Contacts found by Newton's method all over certified regions. (Fails when the conditions of the certificate are skipped, or
    the error of K.)
    """
    g = np.random.default_rng(15)
    q = g.uniform(-1, 1, (150, 2, 2, 3, 3, 3))
    d = g.uniform(-1, 1, (150, 1, 1, 3))
    q[:, 0, 0] += d
    q[:, 1, 0] -= d
    q[:, 0, 1] -= d
    q[:, 1, 1] += d
    search = bezier._Search(q, None, 1e-9, bezier._Limit(collide.Budget(boxes=10**5)))
    a, kinds, tried = search.arrays, np.zeros(3, int), 0
    for k in range(len(q)):
        assert search.advance(k, k + 1) == k + 1
        region = a["region"]
        if search.found["verdict"][k] != memory.CONTACT or region[4, 0] > 1.0:
            continue
        kinds[int((a["side"] == 0).sum())] += 1
        lower = a.number("certified")
        assert search.time[k, 0] <= lower <= a.number("proved")
        order, at, (lo, hi) = a["order"], a["best"], region.T
        free = g.uniform((lo - at)[order[3:]], (hi - at)[order[3:]], (300, 2)) * g.uniform(0, 1, (300, 1)) ** 2
        x = contacts_near(q[k], at[:4], at[4], order, free)
        x = x[(x >= lo - 1e-13).all(axis=1) & (x <= hi + 1e-13).all(axis=1)]
        tried += len(x)
        assert (x[:, 4] >= lower - 1e-12).all(), k
    assert (kinds > 3).all() and tried > 5000


def model(g, side, reach):
    """F = (a + e1 a^2 / 2 + k1 . r + c1(r), b + e2 b^2 / 2 + k2 . r + c2(r), -t + s . r + Q(r) + (a, b) h r) with r = (p, q) and
    quadratic forms c1, c2 and Q: enclosures of Y F' and m . F'' over eight boxes, F'(c), and a, b, t where F = 0, given r.
    """
    def size(matrix):
        return np.abs(matrix) @ reach[2:4]

    k, h, (c1, c2) = g.uniform(-1, 1, (2, 2)), g.uniform(-1, 1, (2, 2)), symmetric(g, 2) * g.choice([0.0, 2.0])
    e, s = g.uniform(-1, 1, 2) * g.choice([0.1, 1.0, 8.0]), side * g.uniform(0, 0.2, 2)
    form = g.uniform(-0.2, 0.7, 2) * np.eye(2) + symmetric(g, 1)[0] * 0.5 + h.T @ k + k.T @ h
    middle, radius = np.zeros((3, 5)), np.zeros((3, 5, LANES))
    middle[:2, 2:4], middle[2, 2:4] = k, -s
    middle[(0, 1, 2), (0, 1, 4)] = 1.0
    radius[0, 0], radius[1, 1] = np.abs(e)[:, None] * reach[:2]
    radius[0, 2:4], radius[1, 2:4] = size(c1), size(c2)
    radius[2, :2], radius[2, 2:4] = size(h), size(form) + np.abs(h.T) @ reach[:2]
    j = np.stack([radius - middle[..., None], radius + middle[..., None]], axis=2)
    second = np.zeros((5, 5))
    second[2:4, 2:4], second[:2, 2:4], second[2:4, :2] = form, h, h.T
    hessian = np.repeat(np.stack([-second, second], axis=2)[..., None], LANES, axis=3)

    def contact(r):
        y = r @ k.T + 0.5 * np.stack([np.einsum("ni,ij,nj->n", r, c, r) for c in (c1, c2)], axis=1)
        ab = -2 * y / (1 + np.sqrt(np.maximum(1 - 2 * e * y, 0.0)))
        ab[2 * e * y > 1] = np.nan
        return ab, 0.5 + r @ s + 0.5 * np.einsum("ni,ij,nj->n", r, form, r) + np.einsum("ni,ij,nj->n", ab, h, r)

    # Y changes the sign of the last row.
    return np.ascontiguousarray(j), hessian, np.stack([-middle, middle], axis=2) * np.array([1, 1, -1])[:, None, None], contact


def symmetric(g, count):
    a = g.uniform(-1, 1, (count, 2, 2))
    return a + a.transpose(0, 2, 1)


def test_certificate_of_models():
    """(Fails when one of the conditions is skipped, or the error of K.)"""
    g, kernel = np.random.default_rng(16), certificate()
    centre, grid = np.full(5, 0.5), np.stack(np.meshgrid(*[np.linspace(-1, 1, 21)] * 2), axis=-1).reshape(-1, 2)
    frame, order, granted = np.diag([1.0, 1.0, -1.0]), np.array([0, 1, 4, 2, 3]), np.zeros(3, int)
    for _ in range(1000):
        side = np.where(g.random(2) < 0.5, 0.0, g.choice([-1.0, 1.0], 2))
        reach = 0.3 * g.uniform(0.3, 1, (5, 1)) * 0.7 ** np.arange(LANES)
        reach[4] = 0.5
        box = np.stack([reach - 0.5, reach + 0.5], axis=1)
        for i, sign in enumerate(side):
            if sign != 0:
                box[2 + i, 0 if sign > 0 else 1] = -0.5 if sign > 0 else 0.5
        j, h, at, contact = model(g, side, reach)
        out = np.zeros(LANES)
        call(kernel, centre, np.ascontiguousarray(box), np.zeros((3, 2)), j, h, at, frame, frame[2] * -1.0, order, side, out)
        for lane in np.flatnonzero(out > -np.inf):
            r = grid * reach[2:4, lane]
            r = r[(r * side >= 0).all(axis=1)]
            ab, t = contact(r)
            inside = (np.abs(ab) <= reach[:2, lane]).all(axis=1) & (np.abs(t - 0.5) <= 0.5)
            assert (t[inside] >= out[lane] - 1e-14).all()
            granted[int((side == 0).sum())] += 1
    assert (granted > 50).all()
