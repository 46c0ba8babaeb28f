"""Bezier pairs: closed forms, exact contacts that no step may lose, the published cases, degenerate and bad input."""

import ctypes
import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import collide
from collide import Status, bezier, bezier_loop, bezier_memory
from collide.bezier_enclosure import enclose
from collide.bezier_memory import LANES

DATA = Path(__file__).parents[3] / "shared" / "data" / "bezier_pairs.npz"


def bernstein(degree, x):
    return [math.comb(degree, i) * x**i * (1 - x) ** (degree - i) for i in range(degree + 1)]


def point(patch, u, v, t, weights=None):
    """S(u, v, t) in the arithmetic of its arguments; patch (2, N+1, M+1, 3)."""
    N, M = patch.shape[1] - 1, patch.shape[2] - 1
    total, weight = [0, 0, 0], 0
    for (i, a), (j, b) in itertools.product(enumerate(bernstein(N, u)), enumerate(bernstein(M, v))):
        w = a * b * (1 if weights is None else weights[i][j])
        weight += w
        total = [s + w * (p + t * r) for s, p, r in zip(total, patch[0, i, j], patch[1, i, j], strict=True)]
    return [s / weight for s in total]


def exact(a):
    return np.vectorize(Fraction, otypes=[object])(a)


def moving(points, velocity=(0, 0, 0)):
    points = np.asarray(points, float)
    return np.stack([points, np.broadcast_to(np.asarray(velocity, float), points.shape)])


def square(height, size=1.0, degree=2, at=(0.0, 0.0)):
    g = np.linspace(-size, size, degree + 1)
    return np.stack([*np.meshgrid(g + at[0], g + at[1], indexing="ij"), np.full((degree + 1, degree + 1), float(height))], axis=-1)


def bowl(sign=1.0):
    """z = sign (x^2 + y^2) for |x|, |y| <= 1: control values of x^2 are 1, -1, 1."""
    p = square(0.0)
    c = np.array([1.0, -1.0, 1.0])
    p[..., 2] = sign * (c[:, None] + c[None, :])
    return p


def pair(a, b):
    return np.stack([a, b])


def one(q, **options):
    r = collide.bezier_pairs(q[None], **options)
    return r, r.time[0]


# -- whole answers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["q2", "q3"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_published_pairs(name, tolerance):
    if not DATA.exists():
        pytest.skip("../shared/data/bezier_pairs.npz is not here")
    data = np.load(DATA)
    q, truth = data[name], data[f"{name}_time"]
    hit = np.isfinite(truth)
    r = collide.bezier_pairs(q, tolerance=tolerance)
    np.testing.assert_array_equal(r.hit, hit)
    # The given times agree among two programs to 2e-12.
    assert (r.time[hit, 0] <= truth[hit] + 4e-12).all() and (truth[hit] - 4e-12 <= r.time[hit, 1]).all()
    assert (r.time[hit, 1] - r.time[hit, 0] <= tolerance).all() and np.isnan(r.time[~hit]).all()
    assert r.proved[hit & (truth > 0)].mean() >= 0.99
    for k in np.flatnonzero(r.proved)[::7]:
        u1, v1, u2, v2 = r.parameters[k]
        t = r.time[k, 1]
        assert np.abs(np.subtract(point(q[k, 0], u1, v1, t), point(q[k, 1], u2, v2, t))).max() < 1e-9


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
def test_plates(degree):
    """A plate falls on a smaller one, tilted or not; time 1/2."""
    low = moving(square(0.0, 0.5, degree))
    r, time = one(pair(moving(square(1.0, 1.0, degree), (0, 0, -2)), low))
    assert r.hit[0] and time[0] <= 0.5 <= time[1] <= time[0] + 1e-6
    tilted = square(1.0, 1.0, degree)
    tilted[..., 2] += 0.25 * tilted[..., 0] + 0.125 * tilted[..., 1]  # lowest over the corner (-1/2, -1/2) of the other: 13/16
    r, time = one(pair(moving(tilted, (0, 0, -2)), low))
    assert r.proved[0] and time[0] <= 13 / 32 <= time[1]
    np.testing.assert_allclose(r.parameters[0], [0.25, 0.25, 0.0, 0.0], atol=1e-6)


def test_bowl_on_plate_and_bowl():
    plate = moving(square(0.0, 2.0))
    falling = bowl() + [0.125, -0.25, 1.0]
    r, time = one(pair(moving(falling, (0, 0, -4)), plate), tolerance=1e-9)
    assert r.proved[0] and r.status[0] is Status.CONTACT and time[0] <= 0.25 <= time[1] <= time[0] + 1e-9
    np.testing.assert_allclose(r.parameters[0, :2], 0.5, atol=1e-6)
    r, time = one(pair(moving(falling, (0, 0, -4)), moving(bowl(-1.0))), tolerance=1e-9)
    # Nearest where x^2 + y^2 + (x + 1/8)^2 + (y - 1/4)^2 is least: half of 1/64 + 1/16.
    assert r.proved[0] and time[0] <= 0.25 + 5 / 512 <= time[1]
    assert not collide.bezier_pairs(pair(moving(falling, (0, 0, -1 + 2.0**-30)), plate)[None]).hit[0]


def quarter_cylinder(along):
    """The rational quarter of the unit circle times a segment."""
    circle = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    p = np.zeros((3, 3, 3))
    p[:, :, :2] = circle[:, None, :]
    p[:, :, 2] = along
    w = np.outer([1.0, math.sqrt(0.5), 1.0], np.ones(3))
    return p, w


def test_rational_patches():
    """Two cylinders cross at right angles, the axes approach along (1, 1, 0): distance of axes 2 at contact."""
    p, w = quarter_cylinder(np.array([-3.0, 0.0, 3.0]))
    turned = p.copy()
    turned[..., :2] *= -1.0
    d = np.array([1.0, 1.0, 0.0]) / math.sqrt(2.0)
    moved = turned + 3 * d  # axis at distance 3; comes closer by 4 per unit of time
    r, time = one(pair(moving(p), moving(moved, -4 * d)), weights=np.stack([w, w])[None], tolerance=1e-8)
    assert r.proved[0] and time[0] <= 0.25 + 1e-14 and 0.25 - 1e-14 <= time[1] <= time[0] + 1e-8
    flat = collide.bezier_pairs(pair(moving(p), moving(moved, -4 * d))[None])
    assert flat.hit[0] and abs(flat.time[0, 0] - 0.25) > 1e-2  # other surfaces without the weights
    scaled = collide.bezier_pairs(pair(moving(p), moving(moved, -4 * d))[None], weights=8 * np.stack([w, w])[None], tolerance=1e-8)
    np.testing.assert_allclose(scaled.time, r.time, atol=2e-8)


def test_unequal_degrees_and_degree_zero():
    g = np.random.default_rng(1)
    q = g.uniform(-1, 1, (40, 2, 2, 2, 4, 3))
    swapped = np.ascontiguousarray(q.transpose(0, 1, 2, 4, 3, 5))
    a, b = collide.bezier_pairs(q), collide.bezier_pairs(swapped)
    np.testing.assert_array_equal(a.hit, b.hit)
    np.testing.assert_allclose(a.time, b.time, atol=1e-6)
    dots = np.zeros((2, 2, 2, 1, 1, 3))
    dots[:, 0, 1, 0, 0] = [1, 0, 0]
    dots[:, 0, 0, 0, 0] = [-0.5, 0, 0]
    dots[1, 0, 0, 0, 0] = [-0.5, 1e-3, 0]
    r = collide.bezier_pairs(dots)
    assert list(r.hit) == [True, False] and r.time[0, 0] <= 0.5 <= r.time[0, 0] + 1e-6


def test_raising_the_degree_changes_nothing():
    g = np.random.default_rng(4)
    q = g.uniform(-1, 1, (60, 2, 2, 3, 3, 3))
    q[:, 0, 0] += [0.8, 0.3, 0.5]
    q[:, 0, 1] -= [0.8, 0.3, 0.5]
    raise_by_one = np.array([[1, 0, 0], [1 / 3, 2 / 3, 0], [0, 2 / 3, 1 / 3], [0, 0, 1]])
    a, b = collide.bezier_pairs(q), collide.bezier_pairs(np.einsum("ai,npkijc,bj->npkabc", raise_by_one, q, raise_by_one))
    np.testing.assert_array_equal(a.hit, b.hit)
    np.testing.assert_allclose(a.time[a.hit], b.time[a.hit], atol=1.1e-6)
    assert a.hit.sum() > 10 and a.proved.sum() >= a.hit.sum() - 1


def test_contact_at_the_start():
    plate, wall = square(0.0), square(0.0)[..., [2, 0, 1]]
    r, time = one(pair(moving(plate), moving(wall, (0, 0, 1))))
    assert r.hit[0] and r.proved[0] and time[0] == 0.0


def test_near_misses_at_rest():
    up = moving(bowl())
    for gap, hit in ((1e-7, False), (1e-12, False), (-1e-7, True)):
        r, _time = one(pair(up, moving(square(-gap, 2.0))))
        assert r.hit[0] == hit
    r, _ = one(pair(up, moving(square(0.0, 2.0))))
    assert r.hit[0] and r.time[0, 0] == 0.0  # touches for all time: not excluded, and there is no proof either


TILT = np.linalg.qr(np.array([[3.0, 1.0, 0.2], [-1.0, 2.0, 0.5], [0.3, -0.4, 1.0]]))[0]


def tilted(points, velocity=(0, 0, 0)):
    """So that no coordinate plane is special."""
    return moving(np.asarray(points) @ TILT.T, TILT @ velocity)


def trough():
    p = bowl()
    p[..., 2] = np.array([1.0, -1.0, 1.0])[:, None]
    return p


def cone():
    """A patch with one side in a point, the lowest."""
    p = square(0.0, 0.5)
    p[0, :] = [0.0, 0.0, -1.0]
    return p + [0.2, 0.1, 1.0]


FALL = (0.0, 0.0, -1.0)
HARD = {
    "parallel plates": (tilted(square(0.5), FALL), tilted(square(0.0, 0.5)), 100),
    "a line": (tilted(trough() + [0, 0, 0.5], FALL), tilted(square(0.0, 2.0)), 1000),
    "a collapsed side": (tilted(cone() + [0, 0, 0.5], FALL), tilted(square(0.0, 2.0)), 200),
    "a point": (tilted(np.zeros((3, 3, 3)) + [0.3, 0.2, 0.63], FALL), tilted(bowl()), 200),
    "a ball in a bowl, curvature ratio 0.9": (tilted(bowl() + [0, 0, 0.5], FALL), tilted(0.9 * bowl() * [1 / 0.9, 1 / 0.9, 1]), 15_000),
    "the same, 0.99": (tilted(bowl() + [0, 0, 0.5], FALL), tilted(0.99 * bowl() * [1 / 0.99, 1 / 0.99, 1]), 100_000),
}  # fmt: skip


@pytest.mark.parametrize("name", HARD)
def test_hard_contacts(name):
    a, b, budget = HARD[name]
    r, time = one(pair(a, b), budget=budget)
    assert r.hit[0] and time[0] <= 0.5 + 1e-15 and 0.5 - 1e-15 <= time[1] <= time[0] + 1e-6


def test_contact_over_a_surface_is_bracketed():
    """Identical curved patches: work grows as one over the tolerance, and the budget ends it."""
    r, time = one(pair(tilted(bowl() + [0, 0, 0.5], FALL), tilted(bowl())), budget=50_000)
    assert r.status[0] is Status.BUDGET_SPENT and r.proved[0]
    assert 0.49 < time[0] <= 0.5 <= time[1] + 1e-15 and time[1] < 0.5 + 1e-12


@pytest.mark.parametrize(("height", "status"), [(1e-6, Status.NO_CONTACT), (0.0, Status.UNRESOLVED), (-1e-6, Status.CONTACT)])
def test_grazing(height, status):
    """A bowl passes over a plate at a height; its lowest point is over the plate from t = 1/4 on."""
    r, time = one(pair(tilted(bowl() + [-3, 0, height], (6, 0, 0)), tilted(square(0.0, 1.5))))
    assert r.status[0] is status
    if r.hit[0]:  # its border meets the border of the plate: x^2 = -height before its middle does
        assert time[0] <= 0.25 - math.sqrt(-height) / 6 + 1e-12 <= time[1] + 1e-11


def test_scaling_and_order_of_the_patches():
    g = np.random.default_rng(7)
    q = g.uniform(-1, 1, (50, 2, 2, 4, 4, 3))
    q[:, 0, 0] += 0.5
    q[:, 0, 1] -= 0.5
    a = collide.bezier_pairs(q)
    for other in (q[:, ::-1], q * 2.0**100, q * 2.0**-100):
        b = collide.bezier_pairs(other)
        np.testing.assert_array_equal(a.hit, b.hit)
        np.testing.assert_allclose(a.time[a.hit], b.time[a.hit], atol=1.1e-6)


def test_a_spent_budget_is_told():
    q = pair(moving(bowl() + [0, 0, 0.5], (0, 0, -1)), moving(bowl()))[None]
    r = collide.bezier_pairs(q, budget=50)
    assert r.status[0] is Status.BUDGET_SPENT and r.hit[0] and r.time[0, 0] <= 0.5 <= r.time[0, 1]


# -- what the theorems need ---------------------------------------------------------------------------------------


def run_as_python(monkeypatch, q, weights=None):
    """The memory of a search as the native loops see it, with loops run by Python and kernels called."""
    def call(address, *pointers):
        values = [p.ctypes.data if isinstance(p, np.ndarray) else int(p) for p in pointers]
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(values))(int(address))(*values)

    monkeypatch.setattr(bezier_loop, "call_kernel", call)
    search = bezier._Search(np.ascontiguousarray(q[None]), weights, 1e-6, 10**6)
    state = type("State", (), {})()
    for name, array in search.arrays.items():
        setattr(state, name, np.asarray(array).reshape(-1))
    state.keep = search
    bezier_loop.begin(state, 0)
    return state


def descend_to(s, node, at, t, steps):
    """Nodes that hold the parameters `at`, down the tree."""
    out = [node]
    for _ in range(steps):
        first = bezier_loop.halves(s, out[-1], t)
        inside = [k for k in (first, first + 1) if s.rectangle[4 * k] <= at[0] <= s.rectangle[4 * k + 1]
                  and s.rectangle[4 * k + 2] <= at[1] <= s.rectangle[4 * k + 3]]
        out.append(inside[-1])
    return out


@pytest.mark.parametrize("rational", [False, True])
def test_no_window_loses_an_exact_contact(monkeypatch, rational):
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
        s = run_as_python(monkeypatch, q, None if w is None else np.ascontiguousarray(w[None]))
        s.normal[:] = g.uniform(-1, 1, 3)
        s.real[bezier_memory.UPPER] = 2.0
        for steps in range(0, 30, 5):
            a, b = descend_to(s, 0, at[:2], 0.5, steps)[-1], descend_to(s, 1, at[2:], 0.5, steps)[-1]
            for tl, th in ((0.0, 1.0), (float(t), 1.0), (0.0, float(t)), (float(t), float(t)), (float(t) / 2, 1.0)):
                assert bezier_loop.window(s, a, b, tl, th), (trial, steps, tl, th)
                assert s.out[0] <= t <= s.out[1], (trial, steps, tl, th)


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


def test_batches_do_not_depend_on_each_other():
    g = np.random.default_rng(13)
    q = g.uniform(-1, 1, (30, 2, 2, 3, 3, 3))
    whole = collide.bezier_pairs(q)
    for k in range(0, 30, 5):
        single = collide.bezier_pairs(q[k:k + 1])
        np.testing.assert_array_equal(single.time[0], whole.time[k])
        assert single.tests[0] == whole.tests[k]


def test_more_memory_when_it_is_needed(monkeypatch):
    monkeypatch.setattr(bezier, "_NODES", 8)
    monkeypatch.setattr(bezier, "_BOXES", 8)
    g = np.random.default_rng(13)
    q = g.uniform(-1, 1, (30, 2, 2, 3, 3, 3))
    small = collide.bezier_pairs(q)
    monkeypatch.undo()
    np.testing.assert_array_equal(small.time, collide.bezier_pairs(q).time)


def test_bad_input():
    q = np.zeros((2, 2, 2, 3, 3, 3))
    bad = q.copy()
    bad[1, 0, 0, 0, 0, 0] = np.nan
    for value, message in ((q[0], r"shape \(n, 2, 2"), (bad, "those of pair 1 are not"), ([[1, 2], [3]], "array of numbers"),
                           (q + 1e60, r"2\*\*150")):
        with pytest.raises(ValueError, match=message):
            collide.bezier_pairs(value)
    for weights, message in ((np.ones((2, 2, 3)), "shape"), (np.zeros((2, 2, 3, 3)), "hull"), (-np.ones((2, 2, 3, 3)), "hull"),
                             (np.full((2, 2, 3, 3), 1e12), r"2\*\*-30 and 2\*\*30")):
        with pytest.raises(ValueError, match=message):
            collide.bezier_pairs(q, weights=weights)
    for tolerance in (0.0, -1.0, math.inf, math.nan, "fine"):
        with pytest.raises(ValueError, match="tolerance must be a number from"):
            collide.bezier_pairs(q, tolerance=tolerance)
    with pytest.raises(ValueError, match="budget"):
        collide.bezier_pairs(q, budget=0)
    r = collide.bezier_pairs(q[:0])
    assert len(r) == 0 and r.time.shape == (0, 2) and r.parameters.shape == (0, 4)
    assert collide.bezier_pairs(q).hit.all()


# -- triangular patches and the method of Chen et al. ---------------------------------------------------------------


def triangle(points, velocity=(0, 0, 0)):
    """A flat triangular patch of degree 2 from its corners u = v = 0, v = 1, u = 1."""
    a, b, c = np.asarray(points, float)
    return moving([a, (a + b) / 2, b, (a + c) / 2, (b + c) / 2, c], velocity)


def test_flat_triangles():
    floor = triangle([[-1, -1, 0], [3, -1, 0], [-1, 3, 0]])
    tip = triangle([[0.25, 0.5, 1], [1, 1, 2], [0, 1, 2]], (0, 0, -4))
    r = collide.bezier_triangle_pairs(pair(tip, floor)[None], tolerance=1e-9)
    assert r.proved[0] and r.time[0, 0] <= 0.25 <= r.time[0, 1] <= r.time[0, 0] + 1e-9
    np.testing.assert_allclose(r.parameters[0], [0, 0, 1.5 / 4, 1.25 / 4], atol=1e-7)
    beside = tip.copy()
    beside[0, :, 0] += 2.26  # the lowest corner falls just beyond the edge x + y = 2 of the floor ...
    r = collide.bezier_triangle_pairs(pair(beside, floor)[None])
    assert not r.hit[0] or r.time[0, 0] > 0.26  # ... so that it is not the first to touch


def test_triangles_agree_with_linear_ones():
    """Triangles of degree 1 that start apart: the first of six vertex-face and nine edge-edge contacts."""
    g = np.random.default_rng(21)
    q = g.uniform(-1, 1, (60, 2, 2, 3, 3))
    q[:, 0, 0] += 1.2
    q[:, 0, 1] -= 1.5
    ours = collide.bezier_triangle_pairs(q)
    # Triangles list their corners as 1 - u - v, v, u.
    corners = np.concatenate([q[:, :, 0], q[:, :, 0] + q[:, :, 1]], axis=1).reshape(60, 12, 3)
    linear = collide.triangle_triangle(corners)
    np.testing.assert_array_equal(ours.hit, linear.hit)
    np.testing.assert_allclose(ours.time[ours.hit], linear.time[ours.hit], atol=3e-6)
    np.testing.assert_allclose(ours.parameters[ours.hit][:, [1, 0, 3, 2]], linear.parameters[ours.hit], atol=1e-4)
    assert 15 < ours.hit.sum() < 60 and ours.proved[ours.hit].all()


@pytest.mark.parametrize("degree", [2, 3])
def test_triangles_are_evaluated_as_triangles(degree):
    g = np.random.default_rng(22)
    K = (degree + 1) * (degree + 2) // 2
    q = g.uniform(-1, 1, (100, 2, 2, K, 3))
    q[:, 0, 0] += 0.7
    q[:, 0, 1] -= 0.9
    r = collide.bezier_triangle_pairs(q)
    assert r.proved[r.hit].mean() > 0.95 and r.hit.sum() > 40
    indices = [(i, j) for i in range(degree + 1) for j in range(degree + 1 - i)]
    for k in np.flatnonzero(r.proved):
        ends = []
        for patch in range(2):
            u, v = r.parameters[k, 2 * patch:2 * patch + 2]
            assert min(u, v, 1 - u - v) >= -1e-12
            basis = [math.factorial(degree) / math.factorial(i) / math.factorial(j) / math.factorial(degree - i - j) * u**i * v**j
                     * (1 - u - v) ** (degree - i - j) for i, j in indices]
            ends.append(np.array(basis) @ (q[k, patch, 0] + r.time[k, 1] * q[k, patch, 1]))
        assert np.abs(ends[0] - ends[1]).max() < 1e-8


@pytest.mark.parametrize("method", ["time-dependent", "time-dependent-initial", "time-dependent-aligned", "traditional",
                                    "traditional-aligned"])
def test_the_method_of_chen(method):
    if not DATA.exists():
        pytest.skip("../shared/data/bezier_pairs.npz is not here")
    data = np.load(DATA)
    q, truth = data["q2"][:40], data["q2_time"][:40]
    r = collide.bezier_pairs(q, tolerance=1e-2 if "traditional" in method else 1e-3, method=method)
    hit = np.isfinite(truth)
    np.testing.assert_array_equal(r.hit, hit)
    # The accepted box is early: boxes that do not follow the patch bound it to first order only.
    early = truth[hit] - r.time[hit, 0]
    assert not r.proved.any() and early.min() > -1e-9 and np.median(early) < 2e-2
    assert early.max() < (4e-3 if method in ("time-dependent", "time-dependent-initial") else 0.3)
    if method == "time-dependent":
        # The prototype's figure for this set at 1e-6 is 1406 on average over all pairs.
        assert 0.5 < collide.bezier_pairs(data["q2"], method=method).tests.mean() / 1406 < 1.3


def test_bad_input_for_triangles_and_methods():
    with pytest.raises(ValueError, match="N >= 1"):
        collide.bezier_triangle_pairs(np.zeros((1, 2, 2, 5, 3)))
    with pytest.raises(ValueError, match="must be finite"):
        collide.bezier_triangle_pairs(np.full((1, 2, 2, 6, 3), np.inf))
    with pytest.raises(ValueError, match="method must be one of auto"):
        collide.bezier_pairs(np.zeros((1, 2, 2, 2, 2, 3)), method="quick")
    with pytest.raises(ValueError, match="polynomial"):
        collide.bezier_pairs(np.zeros((1, 2, 2, 2, 2, 3)), weights=np.ones((1, 2, 2, 2)), method="time-dependent")
