"""Queries of bodies in rigid motion: against roots isolated with balls (Arb), against exact straight answers, and closed forms."""

import ctypes
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from codegen.emit.interval_vectors import splat
from codegen.machine.loop_runtime import compiled
from codegen.machine.straight_line import straight_line
from collide import Status
from collide.polyhedra.primitives import loop as linear_loop
from collide.polyhedra.primitives import motion_windows
from collide.polyhedra.primitives import moving_kernel as linear_moving
from collide.polyhedra.primitives.straight_kernel import DEAD, PROVED, UNKNOWN
from generative import Rigid, Screw, t
from generative.keyframed import keyframes

from ..motions import KINDS, NUMBERS, OWN, PAIRS, TURN, check_isolated, check_straight, in_balls, queries


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_against_roots_isolated_with_balls(kind, pair):
    g = np.random.default_rng(pair)
    q = queries(g, 40, kind)
    r = getattr(collide, kind)(q, tolerance=1e-9, motions=PAIRS[pair])
    flint.ctx.prec, balls = 200, [in_balls(m) for m in PAIRS[pair]]
    for k, query in enumerate(q):
        check_isolated(r, k, query, balls, kind)
    assert r.hit.sum() > 2


@pytest.mark.parametrize("kind", KINDS)
def test_translations_against_exact_straight_queries(kind):
    """The answers for bodies that only translate are those of points with straight paths, known exactly."""
    g = np.random.default_rng(11)
    split = 1 if kind == "vertex_face" else 2
    for _ in range(4):
        q = np.round(queries(g, 250, kind) * 64) / 64
        shifts = np.round(g.uniform(-1, 1, (2, 3)) * 64) / 64
        r = getattr(collide, kind)(q, motions=tuple(Rigid(translation=[sp.Rational(x) * t for x in v]) for v in shifts))
        end = q + np.where(np.arange(4)[:, None] < split, *shifts)
        truth = check_straight(r, q, end, kind)
        assert all(exact is None or exact.time[0] <= r.time[k, 1] for k, exact in enumerate(truth))
        assert r.proved.sum() > 5 and (r.hit & ~r.proved).sum() < 25


def test_grazing_and_near_misses():
    """A point on a circle of radius 1 and the plane x = 1 + gap: it touches at t = 0."""
    gaps = [0.0, 1e-12, -1e-12, 1e-6, -1e-6]
    face = [[[1 + gap, -9, -9], [1 + gap, 9, -9], [1 + gap, 0, 9]] for gap in gaps]
    q = np.array([[[1, 0, 0], *f] for f in face], float)
    r = collide.vertex_face(q, motions=(Screw(axis=[0, 0, 1], angle=2 * t), Rigid()), time=(-0.5, 0.25))
    assert list(r.status) == [Status.UNRESOLVED, Status.NO_CONTACT, Status.CONTACT, Status.NO_CONTACT, Status.CONTACT]
    assert r.time[0, 0] <= 0 and r.time[0, 1] - r.time[0, 0] < 1e-12 and abs(r.time[0, 0]) < 1e-7
    for k in (2, 4):
        truth = -mpmath.acos(mpmath.mpf(q[k, 1, 0])) / 2
        assert r.time[k, 0] <= truth <= r.time[k, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_parameters_are_where_they_touch(kind):
    g = np.random.default_rng(3)
    q = queries(g, 200, kind)
    r = getattr(collide, kind)(q, tolerance=1e-9, motions=PAIRS[1])
    values = [sp.lambdify(t, [m.rotation, m.translation]) for m in PAIRS[1]]
    for k in np.flatnonzero(r.hit):
        at = [v(r.time[k].mean()) for v in values]
        a, b, c, d = (at[int(j >= (1 if kind == "vertex_face" else 2))] for j in range(4))
        a, b, c, d = (np.asarray(m[0]) @ p + np.ravel(m[1]) for m, p in zip((a, b, c, d), q[k], strict=True))
        x, y = r.parameters[k]
        gap = a + x * (b - a) - c - y * (d - c) if kind == "edge_edge" else a - b - x * (c - b) - y * (d - b)
        assert np.linalg.norm(gap) < 1e-7
    assert r.hit.sum() >= 10


FACE = [[-4.0, -4, 0], [4, -4, 0], [0, 8, 0]]


def fall(height, z=1.0, **options):
    """A point at height `height` + z - 1 over a face at rest."""
    motion = Rigid(translation=[0, 0, height])
    return collide.vertex_face([[[0, 0, z - 1.0], *FACE]], motions=(motion, Rigid()), **options)


def test_motions_with_kinks_and_jumps():
    r = fall(sp.Abs(t - sp.Rational(1, 3)) - sp.Rational(1, 8))
    assert r.proved[0] and r.time[0, 0] <= 1 / 3 - 1 / 8 <= r.time[0, 1]
    assert fall(sp.Abs(t - sp.Rational(1, 3)) + sp.Rational(1, 10**9)).status[0] is Status.NO_CONTACT
    jump = fall(1 - 2 * sp.floor(2 * t))
    assert jump.status[0] is Status.UNRESOLVED and jump.time[0, 0] <= 0.5 <= jump.time[0, 1]
    bent = keyframes([Rigid(translation=[0, 0, 2]), Rigid(rotation=[1, 0, 0, 1], translation=[0, 0, 1], normalize=True),
                      Rigid(translation=[0, 0, -1])], [0, 0.5, 1])
    r = collide.vertex_face([[[0, 0, 0], *FACE]], motions=(bent, Rigid()))
    assert r.proved[0] and r.time[0, 0] <= 0.75 <= r.time[0, 1]


def test_a_motion_that_is_undefined_excludes_nothing():
    assert fall(sp.log(t - 2)).hit[0] and fall(1 / t, time=(0, 1)).status[0] in (Status.UNRESOLVED, Status.NO_CONTACT)
    assert fall(sp.sqrt(t) + 1).status[0] is Status.NO_CONTACT


def test_time_spans():
    """A thousand turns later, and before the origin of time."""
    for start, turns in ((1000.0, 1), (-7.5, 1), (0.0, 500)):
        angle = 2 * sp.pi * (t - sp.Rational(start)) * turns
        wheel = Screw(axis=[0, 0, 1], angle=angle)
        wall = [[-9, -9, 0.0], [9, -9, 0.0], [0, 9, 0.0]]
        q = np.array([[[1, 0, 0.0], *[[x, 0.5, y] for x, y, _ in wall]]])
        r = collide.vertex_face(q, tolerance=1e-10, motions=(wheel, Rigid()), time=(start, start + 1))
        truth = mpmath.mpf(start) + mpmath.mpf(1) / 12 / turns
        assert r.proved[0] and r.time[0, 0] <= truth <= r.time[0, 1]


def test_the_controls_hold_the_motion():
    """f(t) is an average of numbers in the controls, for windows of all lengths, also where the second derivative is unknown."""
    g = np.random.default_rng(1)
    mpmath.mp.prec, slack = 120, mpmath.mpf(2) ** -100  # of the arithmetic here
    for first, second in (*PAIRS, (Rigid(translation=[sp.Abs(t - 0.5), t**2, 1 / (2 + t)]), Rigid(translation=[sp.floor(3 * t), 0, 0]))):
        windows = motion_windows.motion_windows(first, second)
        a = g.uniform(0, 1, 8)
        b = np.minimum(a + 2.0 ** -np.arange(0, 40, 5), 1.0)
        clock = np.stack([-a, b, -a, a, -b, b])
        raw, table = np.empty((windows.raw, 8)), np.empty((motion_windows.TABLE, 8))
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(windows.kernel.block_address())(
            clock.ctypes.data, windows.numbers.ctypes.data, raw.ctypes.data)
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(windows.control)(clock.ctypes.data, raw.ctypes.data, table.ctypes.data)
        assert (table[motion_windows.SANE] == 1).all()
        entries = table[:motion_windows.SANE].reshape(24, 4, 2, 8) * np.array([-1, 1])[:, None]
        exact = sp.lambdify(t, [e for m in (first, second) for e in (*m.rotation, *m.translation)], "mpmath")
        for lane in range(8):
            lo, hi = mpmath.mpf(a[lane]), mpmath.mpf(b[lane])
            for share in (0, mpmath.mpf(1) / 3, 0.5, 0.875, 1):
                moment = lo + share * (hi - lo)
                for f, (start, end, _, _) in zip(exact(moment), entries[..., lane], strict=True):
                    assert (1 - share) * mpmath.mpf(start[0]) + share * mpmath.mpf(end[0]) <= f + slack
                    assert f - slack <= (1 - share) * mpmath.mpf(start[1]) + share * mpmath.mpf(end[1])
        narrow = entries[:, 0, 1, 7] - entries[:, 0, 0, 7]
        assert (narrow < 1e-15).all()


def test_edges_carried_along_are_enclosed():
    """R (q - p) for doubles p and q whose difference is none, against rationals."""
    def write(module, L):
        p, q = ([splat(L, "%Q", 3 * k + i) for i in range(3)] for k in range(2))
        ends = linear_moving.MotionControls(L, 0, 0).vector([(L.sub(x, y), L.sub(y, x)) for x, y in zip(p, q, strict=True)])
        for k, x in enumerate(ends):
            L.store("%out", 2 * k, x[0])
            L.store("%out", 2 * k + 1, x[1])

    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(straight_line("carried edges", (), "Q table out", write))
    g = np.random.default_rng(4)
    table, out = np.zeros((motion_windows.TABLE, 8)), np.empty((3, 2, 8))
    entries = table[:motion_windows.SANE].reshape(24, 4, 2, 8)
    for _ in range(200):
        matrix = g.choice([-1.0, 0.0, 1.0, 0.75], (3, 3))
        entries[:9, 0, 0], entries[:9, 0, 1] = -matrix.reshape(9, 1), matrix.reshape(9, 1)
        q = g.uniform(-1, 1, (2, 3)) * 2.0 ** g.integers(-60, 60, (2, 3))
        call(q.ctypes.data, table.ctypes.data, out.ctypes.data)
        for row, ends in zip(matrix, out[..., 0], strict=True):
            exact = sum(Fraction(r) * (Fraction(y) - Fraction(x)) for r, x, y in zip(row, *q, strict=True))
            assert -Fraction(ends[0]) <= exact <= Fraction(ends[1])


@pytest.mark.parametrize("face", [False, True])
def test_nothing_is_said_of_a_window_that_may_overflow(face):
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(linear_moving.moving_window_kernel(face))
    g = np.random.default_rng(5)
    out, verdicts = np.empty((3, 8)), set()
    for sane in (0.0, 1.0):
        for _ in range(45):
            table = g.normal(size=(motion_windows.TABLE, 8))
            entries = table[:motion_windows.SANE].reshape(24, 4, 2, 8)
            entries[:, :, 1] = -entries[:, :, 0]
            if sane == 0.0:
                entries[g.integers(0, 24)] = g.choice([np.inf, 1e308])
            table[motion_windows.SANE], table[motion_windows.CONTINUOUS] = sane, 1.0
            call(g.normal(size=(4, 3)).ctypes.data, table.ctypes.data, out.ctypes.data)
            verdicts |= {(sane, v) for v in out[0].tolist()}
    assert verdicts >= {(0.0, UNKNOWN), (1.0, DEAD), (1.0, UNKNOWN)} and not verdicts & {(0.0, DEAD), (0.0, PROVED)}


def test_slices_and_rows_do_not_matter(monkeypatch):
    """Slices of a few calls, a query alone, and two threads give the same bits."""
    q = queries(np.random.default_rng(8), 300, "edge_edge")
    whole = collide.edge_edge(q, motions=PAIRS[1])
    with ThreadPoolExecutor(2) as pool:
        halves = list(pool.map(lambda part: collide.edge_edge(part, motions=PAIRS[1]), (q[:150], q[150:])))
    monkeypatch.setattr(linear_loop, "SLICE", 3)
    compiled.cache_clear()
    sliced = collide.edge_edge(q, motions=PAIRS[1])
    compiled.cache_clear()
    alone = [collide.edge_edge(q[k:k + 1], motions=PAIRS[1]) for k in range(0, 300, 7)]
    for name in ("time", "parameters", "tests", "hit"):
        expected = getattr(whole, name)
        np.testing.assert_array_equal(getattr(sliced, name), expected)
        np.testing.assert_array_equal(np.concatenate([getattr(h, name) for h in halves]), expected)
        np.testing.assert_array_equal(np.concatenate([getattr(a, name) for a in alone]), expected[::7])


def test_what_is_left_of_a_proved_window():
    """Contact 2**-54 after 11/64, where two windows of a proved one meet: neither alone is decided, the bracket holds both."""
    tilt, moment = Screw(axis=[1, 2, 3], angle=1), sp.Rational(11, 64) + sp.Rational(1, 2**54)
    fall = tilt @ Rigid(translation=[0, 0, moment - t])
    r = collide.vertex_face([[[0.1, 0.2, 0], *FACE]], tolerance=0.05, motions=(fall, tilt))
    assert r.proved[0] and Fraction(r.time[0, 0]) <= Fraction(11, 64) + Fraction(1, 2**54) <= Fraction(r.time[0, 1])
    assert r.time[0, 0] < 11 / 64 and r.time[0, 1] - r.time[0, 0] <= 0.05


def test_a_budget_that_is_spent():
    """Edges that turn together: told apart in windows of about the root of their distance. What is given up goes on where it was.
    (Fails where it goes on from the end of the window.)
    """
    q = np.array([[[-1, 0.1, 0], [1, 0.2, 0], [0.1, -1, gap], [0.2, 1, gap]] for gap in (1e-12, 1e-5, 1e-9)])
    r = collide.edge_edge(q, motions=(TURN, TURN), budget=collide.Budget(boxes=10_000))
    assert list(r.status) == [Status.BUDGET_SPENT, Status.NO_CONTACT, Status.BUDGET_SPENT] and list(r.hit) == [True, False, True]
    assert (r.time[::2, 0] > 0).all() and (r.time[::2, 1] == 1).all() and np.isnan(r.time[1]).all() and not r.proved.any()
    assert list(collide.edge_edge(q[1:], motions=(TURN, TURN)).status) == [Status.NO_CONTACT] * 2
    assert collide.edge_edge(q * [1, 1, 1000], motions=(TURN.seen_from(TURN), Rigid())).status[0] is Status.NO_CONTACT
    later = collide.edge_edge(q[2:], motions=(TURN, TURN @ Rigid(translation=[0, 0, -sp.Max(0, t - sp.Rational(3, 4)) * 1e-6])))
    assert later.tests[0] > 24_000 and later.status[0] is Status.CONTACT
    assert later.time[0, 0] <= 0.751 <= later.time[0, 1] <= later.time[0, 0] + 1e-6


@pytest.mark.parametrize("boxes", [1, 8, 1000, 5000])
def test_a_budget_of_boxes_is_kept_exactly(boxes):
    """(Fails where a query may take as many calls as without a budget, and where each of the three batches has all of it.)"""
    g = np.random.default_rng(3)
    r = collide.edge_edge(queries(g, 100, "edge_edge") * [1, 1, 1e-9], motions=(TURN, TURN), budget=collide.Budget(boxes=boxes))
    assert boxes - 8 < r.tests.sum() <= boxes and (r.status == Status.BUDGET_SPENT).any()
    begun = r.tests > 0
    assert (r.time[~begun] == [0, 1]).all() and r.hit[~begun].all() and (r.status[~begun] == Status.BUDGET_SPENT).all()
    q = g.uniform(-1, 1, (50, 6, 3))
    r = collide.triangle_triangle(q * [1, 1, 1e-9], motions=(TURN, TURN), budget=collide.Budget(boxes=boxes))
    assert boxes - 8 < r.tests.sum() <= boxes


def test_two_triangles_are_their_queries():
    g = np.random.default_rng(6)
    q = g.uniform(-1, 1, (40, 6, 3))
    q[:, 3:] += [0, 0, 1]
    r = collide.triangle_triangle(q, tolerance=1e-8, motions=PAIRS[0])
    assert 5 < r.hit.sum() < 40 and r.proved[r.hit].all()
    first, second = PAIRS[0]
    best = np.full(40, np.inf)
    parts = [("vertex_face", [a, 3, 4, 5], (first, second)) for a in range(3)]
    parts += [("vertex_face", [3 + a, 0, 1, 2], (second, first)) for a in range(3)]
    parts += [("edge_edge", [a, (a + 1) % 3, 3 + b, 3 + (b + 1) % 3], (first, second)) for a in range(3) for b in range(3)]
    for kind, points, motions in parts:
        best = np.fmin(best, getattr(collide, kind)(q[:, points], tolerance=1e-8, motions=motions).time[:, 0])
    own = collide.triangle_triangle(q, tolerance=1e-8, motions=(OWN, second), parameters=dict(zip(
        NUMBERS, np.array([1, 2, 3, 0.25, 0, -0.5, 2.5, 0.75])[:, None] * np.ones(40), strict=True)))
    np.testing.assert_array_equal(own.hit, r.hit)
    assert np.nanmax(np.abs(own.time - r.time)) < 1e-8
    np.testing.assert_array_equal(r.hit, np.isfinite(best))
    assert (r.time[r.hit, 0] == best[r.hit]).all() and (np.diff(r.time[r.hit]) <= 1e-8).all()


@pytest.mark.parametrize("kind", [*KINDS, "triangle_triangle"])
def test_bad_input(kind):
    f = getattr(collide, kind)
    points = 6 if kind == "triangle_triangle" else 4
    good, still = np.zeros((1, points, 3)), (Rigid(), Rigid())
    with pytest.raises(ValueError, match=rf"shape \(n, {points}, 3\), got \(1, 7, 3\)"):
        f(np.zeros((1, 7, 3)), motions=still)
    with pytest.raises(TypeError, match="Rigid or Screw, got a int"):
        f(good, motions=(Rigid(), 3))
    with pytest.raises(ValueError, match="pair of motions"):
        f(good, motions=Rigid())
    with pytest.raises(ValueError, match="must go forward"):
        f(good, motions=still, time=(1, 0))
    with pytest.raises(ValueError, match="for the time span 0 to 1000"):
        f(good, tolerance=1e-12, motions=still, time=(0, 1000))
    with pytest.raises(ValueError, match="must not exceed"):
        f(good + 1e40, motions=still)
    with pytest.raises(ValueError, match="query 0 is not"):
        f(good * math.nan, motions=still)
    with pytest.raises(ValueError, match="needs motions"):
        f(np.zeros((1, 2 * points, 3)), time=(0, 2))
    assert len(f(good[:0], motions=still)) == 0
