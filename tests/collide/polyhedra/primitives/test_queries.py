"""Edge-edge and vertex-face queries: against published exact truth, against distances, and constructed touches and near misses."""

import ctypes
import math
from fractions import Fraction

import numpy as np
import pytest

import collide
from collide import Status
from collide.polyhedra.exact import feature_pairs as linear_exact
from collide.polyhedra.exact import real_roots
from collide.polyhedra.primitives.loop import LANES
from collide.polyhedra.primitives.straight_kernel import DEAD, PROVED, window_kernel
from tests import linear_truth
from tests.shared_data import DATA

PLACE = DATA / "ccd_queries.npz"
KINDS = ["edge_edge", "vertex_face"]


def segment_distance(p, q, r, s):
    """Distance of two segments in doubles: the least over end points and segments, and inner points."""
    best = min(point_distance(p, r, s), point_distance(q, r, s), point_distance(r, p, q), point_distance(s, p, q))
    u, v, w = q - p, s - r, r - p
    matrix = np.array([[u @ u, -(u @ v)], [-(u @ v), v @ v]])
    if np.linalg.det(matrix) > 1e-12:
        x, y = np.linalg.solve(matrix, [u @ w, -(v @ w)])
        if 0 <= x <= 1 and 0 <= y <= 1:
            best = min(best, float(np.linalg.norm(w + y * v - x * u)))
    return best


def point_distance(p, a, b):
    d = b - a
    x = min(max(float((p - a) @ d) / float(d @ d), 0.0), 1.0) if d @ d > 0 else 0.0
    return float(np.linalg.norm(a + x * d - p))


def face_distance(p, a, b, c):
    best = min(point_distance(p, a, b), point_distance(p, b, c), point_distance(p, c, a))
    n = np.cross(b - a, c - a)
    if n @ n > 1e-12:
        x, y = np.cross(p - a, c - a) @ n / (n @ n), np.cross(b - a, p - a) @ n / (n @ n)
        if x >= 0 and y >= 0 and x + y <= 1:
            best = min(best, abs(float((p - a) @ n)) / math.sqrt(n @ n))
    return best


def distance(query, t, kind):
    points = query[:4] + t * (query[4:] - query[:4])
    return segment_distance(*points) if kind == "edge_edge" else face_distance(*points)


def clear(query, kind, a, b, slack):
    """Is the distance proved, up to rounding, to stay positive in [a, b]? It changes no faster than the two fastest points."""
    speed = 2 * np.linalg.norm(query[4:] - query[:4], axis=1).max()
    while a < b:
        d = distance(query, a, kind)
        if d < slack:
            return False
        a += 0.99 * d / speed if speed else b
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_published_truth(kind):
    if not PLACE.exists():
        pytest.skip("../shared/data/ccd_queries.npz is not here")
    data = np.load(PLACE)
    q, hit = data[kind], data[f"{kind}_hit"]
    r = getattr(collide, kind)(q)
    np.testing.assert_array_equal(r.hit, hit)
    assert (r.time[hit, 1] - r.time[hit, 0] <= 1e-6).all() and np.isnan(r.time[~hit]).all()
    for k, points in enumerate(linear_exact.integers(q)):
        exact = linear_exact.answer(points, kind == "vertex_face", 1e-13)
        assert (exact is None) == (not hit[k])
        if exact is not None:
            assert r.time[k, 0] <= exact.time[1] and exact.time[0] <= r.time[k, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_small_whole_coordinates_against_distances(kind):
    """Coordinates from -2 to 2: parallel, coplanar, degenerate and touching configurations are common."""
    g = np.random.default_rng(5)
    q = g.integers(-2, 3, (400, 8, 3)).astype(float)
    q[::3, :, 2] = 0.0  # everything within a plane
    q[1::9, 5] = q[1::9, 4]
    r = getattr(collide, kind)(q)
    assert 40 < r.hit.sum() < 400
    for k in range(len(q)):
        if r.hit[k]:
            assert distance(q[k], r.time[k].mean(), kind) < 1e-5
            assert clear(q[k], kind, 0.0, r.time[k, 0] - 1e-3, 1e-8), k
        else:
            assert clear(q[k], kind, 0.0, 1.0, 1e-8), k


@pytest.mark.parametrize("kind", KINDS)
def test_the_search_agrees_with_integers(kind):
    g = np.random.default_rng(6)
    q = g.uniform(-1, 1, (600, 8, 3))
    q[300:] = np.round(q[300:] * 4) / 4
    r = getattr(collide, kind)(q, tolerance=1e-9)
    for k, points in enumerate(linear_exact.integers(q)):
        exact = linear_exact.answer(points, kind == "vertex_face", 1e-13)
        assert (exact is not None) == r.hit[k], k
        if exact is not None:
            assert r.time[k, 0] <= exact.time[1] and exact.time[0] <= r.time[k, 1] <= r.time[k, 0] + 1e-9
    one = getattr(collide, kind)(q[17:18], tolerance=1e-9)
    assert np.array_equal(one.time[0], r.time[17], equal_nan=True) and one.hit[0] == r.hit[17]


@pytest.mark.parametrize(("kind", "family"), linear_truth.CASES)
def test_ten_thousand_random_queries(kind, family):
    """Generic, coarse and nearly touching ones; a million of them are asked by ``python -m tests.benchmarks linear_million``."""
    q = linear_truth.FAMILIES[family](np.random.default_rng(12), 1700, linear_truth.KINDS[kind])
    hit, times = linear_truth.truth(q, linear_truth.KINDS[kind])
    r = getattr(collide, kind)(q, tolerance=1e-8)
    np.testing.assert_array_equal(r.hit, hit)
    assert hit.sum() > 80
    for (lo, hi), exact in zip(r.time[hit], times[hit], strict=True):
        assert not exact < lo and not exact > hi and hi - lo <= 1e-8


@pytest.mark.parametrize("kind", KINDS)
def test_the_parameters_are_where_they_touch(kind):
    g = np.random.default_rng(8)
    q = g.uniform(-1, 1, (500, 8, 3))
    r = getattr(collide, kind)(q, tolerance=1e-9)
    points = np.where(r.hit[:, None, None], q[:, :4] + r.time.mean(axis=1)[:, None, None] * (q[:, 4:] - q[:, :4]), 0.0)
    x, y = r.parameters.T[:, :, None]
    a, b, c, d = points.transpose(1, 0, 2)
    gap = a + x * (b - a) - c - y * (d - c) if kind == "edge_edge" else a - b - x * (c - b) - y * (d - b)
    assert r.hit.sum() > 20 and np.linalg.norm(gap[r.hit], axis=1).max() < 1e-7


def crossing(height):
    """Edge a along x falls from z = 1 to z = height upon edge b along y."""
    edge = [[-1, 0, 1], [1, 0, 1], [0, -1, 0], [0, 1, 0]]
    return np.array([*edge, [-1, 0, height], [1, 0, height], *edge[2:]], float)


def test_edges_that_just_touch_and_just_do_not():
    tiny = 2.0**-1074
    r = collide.edge_edge(np.array([crossing(0.0), crossing(tiny), crossing(-tiny)]))
    assert list(r.hit) == [True, False, True] and r.time[0, 1] == 1.0 and list(r.proved) == [True, False, True]
    aside = np.array([crossing(-1.0)] * 3)
    for k, shift in enumerate((0.0, 2.0**-52, -(2.0**-53))):
        aside[k, :, 0] += np.where(np.arange(8) % 4 < 2, 1.0 + shift, 0.0)  # the left end of a is over b, beyond, before
    r = collide.edge_edge(aside)
    assert list(r.hit) == [True, False, True] and np.allclose(r.time[[0, 2]], 0.5)


def test_faces_that_just_touch_and_just_do_not():
    face = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    fall = [np.array([[x, y, 1], *face, [x, y, -1], *face], float) for x, y in
            ((0, 0), (0.5, 0.5), (0.5, 0.5 + 2.0**-53), (0.25, 0), (0.25, -(2.0**-1074)), (1 + 2.0**-52, 0))]
    r = collide.vertex_face(np.array(fall))
    assert list(r.hit) == [True, True, False, True, False, False]
    np.testing.assert_allclose(r.parameters[:2], [[0, 0], [0.5, 0.5]], atol=1e-9)


def test_double_roots():
    """A point on a parabola relative to a rotating line of the plane: it comes near, or touches, and leaves on the same side."""
    # f0 f1 f2 in the plane z = 0 turned about x; the volume is a multiple of (t - 1/2)^2 + gap.
    for gap, hit in ((0.0, True), (2.0**-40, False), (-(2.0**-40), True)):
        # z of the point relative to the plane: z0 (1 - t) + z1 t - y(t) slope(t), with y = t - 1/2 and slope = -(t - 1/2)
        face0, face1 = [[-4, -4, -2.0], [4, -4, -2.0], [0, 8, 4.0]], [[-4, -4, 2.0], [4, -4, 2.0], [0, 8, -4.0]]
        q = np.array([[[0, -0.5, gap], *face0, [0, 0.5, gap], *face1]])
        r = collide.vertex_face(q)
        assert r.hit[0] == hit, gap
        if gap == 0.0:
            assert r.time[0, 0] <= 0.5 <= r.time[0, 1]


def test_contact_at_the_start_and_at_rest():
    g = np.random.default_rng(3)
    a, b, c, d = g.integers(-3, 4, (4, 3)).astype(float)
    d = 2 * a + 2 * b - 3 * c  # (a + b) / 2 = 3/4 c + 1/4 d
    rest = np.array([a, b, c, d])
    r = collide.edge_edge(np.array([[*rest, *rest], [*rest, *(rest + g.integers(-3, 4, (4, 3)))]]))
    assert r.hit.all() and (r.time[:, 0] == 0.0).all()
    np.testing.assert_allclose(r.parameters[0], [0.5, 0.25], atol=1e-12)
    point = np.zeros((1, 8, 3))
    assert collide.vertex_face(point).hit[0] and collide.edge_edge(point).hit[0]


def test_coordinates_of_any_size():
    g = np.random.default_rng(4)
    q = g.uniform(-1, 1, (100, 8, 3))
    for kind in KINDS:
        plain = getattr(collide, kind)(q)
        for scale in (2.0**-900, 2.0**1000):
            scaled = getattr(collide, kind)(q * scale)
            np.testing.assert_array_equal(plain.hit, scaled.hit)


def test_coordinates_of_very_different_sizes():
    """With A = 3 t - 1 and d = 2^-600 the volume is a multiple of A^3 + d^3: it differs from one with a triple zero after 1800 bits. Where
    it vanishes, A = -d, the point is half the sum of f1 and f2.
    """
    d = 2.0**-600
    q = np.array([[[-d, 0, -a], [0, 0, 0], [2 * a, 2 * d, 0], [0, 2 * a, 2 * d]] for a in (-1, 2)], float).reshape(1, 8, 3)
    r = collide.vertex_face(q)
    assert r.hit[0] and r.time[0, 0] <= 1 / 3 <= r.time[0, 1]
    q[0, [0, 4]] *= -1.0
    assert not collide.vertex_face(q).hit[0]


def test_the_kernel_never_excludes_an_exact_contact():
    """Windows around the exact time of a contact, also ones that end there."""
    g = np.random.default_rng(9)
    block, out = np.zeros((2, LANES)), np.zeros((3, LANES))
    for face in (False, True):
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(window_kernel(face))
        seen = 0
        for _ in range(300):
            q = g.integers(-4, 5, (8, 3)) / 4.0
            found = linear_exact.answer(linear_exact.integers(q[None])[0], face, 1e-14)
            if found is None:
                continue
            lo, hi = found.time
            widths = 2.0 ** -np.arange(LANES, dtype=float) ** 2
            block[0], block[1] = np.maximum(lo - widths * g.uniform(0, 1), 0), np.minimum(hi + widths * g.uniform(0, 1), 1)
            block[0, 7], block[1, 6] = lo, hi
            call(np.ascontiguousarray(q).ctypes.data, block[0].ctypes.data, block[1].ctypes.data, out.ctypes.data)
            assert (out[0] != DEAD).all()
            seen += int((out[0] == PROVED).any())
        assert seen > 10


def test_exact_roots():
    """Of products of known factors, multiple ones too."""
    g = np.random.default_rng(2)
    for _ in range(200):
        zeros = [Fraction(int(g.integers(-2, 9)), int(g.integers(1, 9))) for _ in range(g.integers(1, 4))]
        p: tuple[int, ...] = (int(g.integers(1, 5)),)
        for z in zeros:
            p = real_roots.multiply(p, (-z.numerator, z.denominator))
        found = real_roots.roots(p)
        expected = sorted({z for z in zeros if 0 <= z <= 1})
        assert len(found) == len(expected)
        for r, z in zip(found, expected, strict=True):
            assert Fraction(r.a, 1 << r.bits) <= z <= Fraction(r.b, 1 << r.bits)
            assert real_roots.sign_at((-z.numerator, z.denominator), r) == 0
            assert real_roots.sign_at((-z.numerator * 10**30 - 1, z.denominator * 10**30), r) == -1


@pytest.mark.parametrize("kind", KINDS)
def test_bad_input(kind):
    f = getattr(collide, kind)
    for q, message in ((np.zeros((8, 3)), r"\(n, 8, 3\), got \(8, 3\)"), (np.full((2, 8, 3), np.nan), "query 0 is not"),
                       (np.array([np.zeros((8, 3)), np.full((8, 3), np.inf)]), "query 1 is not"), ("edge", "array of numbers"),
                       (np.zeros((1, 8, 3), complex), "array of numbers")):
        with pytest.raises(ValueError, match=message):
            f(q)
    for tolerance in (0.0, -1.0, math.nan, 2.0, "x"):
        with pytest.raises(ValueError, match="tolerance must be a number from"):
            f(np.zeros((1, 8, 3)), tolerance=tolerance)
    for time in (None, 1, (0, 2)):
        with pytest.raises(ValueError, match="needs motions"):
            f(np.zeros((1, 8, 3)), time=time)
    r = f(np.zeros((0, 8, 3)))
    assert len(r) == 0 and r.time.shape == (0, 2) and r.parameters.shape == (0, 2)
    assert f(np.ones((1, 8, 3)) * np.arange(3)).status[0] is Status.CONTACT


def test_two_triangles():
    """A tip on a face, two edges crosswise, and a miss."""
    floor = [[-1, -1, 0], [3, -1, 0], [-1, 3, 0]]
    tip = np.array([[1, 1, 2], [0.25, 0.5, 1], [0, 1, 2]])
    roof = np.array([[-2.0, -0.5, 1], [3, 0, 1], [1, -9, 5]])  # crosses the edge from (-1, 3) to (-1, -1) first
    cases = [[*tip, *floor, *(tip - [0, 0, 4]), *floor], [*roof, *floor, *(roof - [0, 0, 2]), *floor],
             [*tip, *floor, *tip, *floor]]
    r = collide.triangle_triangle(np.array(cases, float), tolerance=1e-9)
    assert list(r.hit) == [True, True, False] and np.isnan(r.time[2]).all()
    np.testing.assert_allclose(r.time[:2].mean(axis=1), [0.25, 0.5], atol=1e-9)
    np.testing.assert_allclose(r.parameters[0], [1, 0, 1.25 / 4, 1.5 / 4], atol=1e-7)
    at = np.array(cases[1]).reshape(2, 2, 3, 3).mean(axis=0)
    ends = [at[k].T @ [1 - r.parameters[1, 2 * k:2 * k + 2].sum(), *r.parameters[1, 2 * k:2 * k + 2]] for k in range(2)]
    np.testing.assert_allclose(*ends, atol=1e-7)
    with pytest.raises(ValueError, match="12, 3"):
        collide.triangle_triangle(np.zeros((2, 8, 3)))


@pytest.mark.parametrize("kind", ["edge_edge", "vertex_face"])
def test_one_query_is_answered_like_many(kind):
    """One at a time uses memory that is kept; small, huge (decided exactly) and wrong ones, other types and orders, in turn."""
    function, g = getattr(collide, kind), np.random.default_rng(12)
    q = np.round(g.uniform(-1, 1, (60, 8, 3)) * 4) / 4 * np.array([1, 1, 2.0**-30, 2.0**120, 1e-3, 1])[np.arange(60) % 6, None, None]
    whole = function(q)
    first = function(q[:1])
    kept = first.time.copy(), first.parameters.copy(), first.tests.copy()
    for k in range(60):
        given = q[k:k + 1] if k % 3 else np.asfortranarray(q[k:k + 1].astype(">f8")) if k % 2 else q[k:k + 1].tolist()
        one = function(given)
        for name in ("status", "hit", "proved", "time", "parameters", "tests"):
            np.testing.assert_array_equal(getattr(one, name)[0], getattr(whole, name)[k])
        with pytest.raises(ValueError, match="q must be finite, query 0 is not"):
            function(np.where(np.arange(24).reshape(1, 8, 3) == k % 24, np.nan, q[k:k + 1]))
    for name, before in zip(("time", "parameters", "tests"), kept, strict=True):
        np.testing.assert_array_equal(getattr(first, name), before)
    with pytest.raises(ValueError, match="q must be finite, query 7 is not"):
        function(np.where(np.arange(60)[:, None, None] == 7, -np.inf, q))
