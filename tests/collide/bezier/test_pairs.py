"""Bezier pairs: closed forms, the published cases, the method of Chen et al., bad input."""

import math

import numpy as np
import pytest

import collide
from collide import Status
from collide.bezier import pairs as bezier
from tests.collide.bezier_patches import bowl, moving, one, pair, point, square
from tests.shared_data import DATA

PLACE = DATA / "bezier_pairs.npz"


# -- whole answers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["q2", "q3"])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_published_pairs(name, tolerance):
    if not PLACE.exists():
        pytest.skip("../shared/data/bezier_pairs.npz is not here")
    data = np.load(PLACE)
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


@pytest.mark.parametrize("method", ["time-dependent", "time-dependent-initial", "time-dependent-aligned", "traditional",
                                    "traditional-aligned"])
def test_the_method_of_chen(method):
    if not PLACE.exists():
        pytest.skip("../shared/data/bezier_pairs.npz is not here")
    data = np.load(PLACE)
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


def test_the_weights_of_a_patch_as_a_whole_do_not_matter():
    """Times any power of two, each patch its own: the same bits."""
    g = np.random.default_rng(7)
    q, w = g.uniform(-1, 1, (20, 2, 2, 3, 3, 3)), g.uniform(0.5, 2, (20, 2, 3, 3))
    plain, scaled = (collide.bezier_pairs(q, weights=w * 2.0 ** np.array(e)[None, :, None, None]) for e in ((0, 0), (-28, 27)))
    assert plain.proved.sum() > 5 and all(np.array_equal(getattr(plain, f), getattr(scaled, f), equal_nan=f != "status")
                                          for f in ("status", "time", "parameters", "tests"))
    assert len(collide.bezier_pairs(q[:0], weights=w[:0])) == 0


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
    r = collide.bezier_pairs(q, budget=collide.Budget(boxes=50))
    assert r.status[0] is Status.BUDGET_SPENT and r.hit[0] and r.time[0, 0] <= 0.5 <= r.time[0, 1]


def test_what_the_time_does_not_suffice_for_is_told(monkeypatch):
    """The clock stops after two looks: of pairs that were not searched nothing is known."""
    q = np.random.default_rng(13).uniform(-1, 1, (40, 2, 2, 3, 3, 3))
    whole, times = collide.bezier_pairs(q), iter([0.0] * 4 + [1.0] * 100)
    monkeypatch.setattr(bezier, "perf_counter", lambda: next(times))
    r = collide.bezier_pairs(q, budget=0.5)
    done = int((r.tests > 0).sum())
    assert 0 < done < 40 and (r.status[done:] == Status.BUDGET_SPENT).all() and not r.proved[done:].any()
    assert r.time[done:].tolist() == [[0.0, 1.0]] * (40 - done) and (r.status[:done] == whole.status[:done]).all()


def test_batches_do_not_depend_on_each_other():
    g = np.random.default_rng(13)
    q = g.uniform(-1, 1, (30, 2, 2, 3, 3, 3))
    whole = collide.bezier_pairs(q)
    for k in range(0, 30, 5):
        single = collide.bezier_pairs(q[k:k + 1])
        np.testing.assert_array_equal(single.time[0], whole.time[k])
        assert single.tests[0] == whole.tests[k]


@pytest.mark.parametrize("workers", [2, 3, 64])
def test_threads_give_the_same_bits(workers):
    g = np.random.default_rng(17)
    q, weights = g.uniform(-1, 1, (41, 2, 2, 3, 3, 3)), g.uniform(0.5, 2, (41, 2, 3, 3))
    for options in ({}, {"weights": weights}, {"method": "time-dependent", "tolerance": 1e-3}):
        one, many = collide.bezier_pairs(q, **options), collide.bezier_pairs(q, workers=workers, **options)
        for name in ("status", "hit", "time", "parameters", "proved", "tests"):
            np.testing.assert_array_equal(getattr(one, name), getattr(many, name))
    triangles = g.uniform(-1, 1, (9, 2, 2, 6, 3))
    a, b = (collide.bezier_triangle_pairs(triangles, workers=w) for w in (1, workers))
    np.testing.assert_array_equal(a.time, b.time)


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
    with pytest.raises(ValueError, match="workers must be a positive number"):
        collide.bezier_pairs(q, workers=0)
    with pytest.raises(ValueError, match="budget"):
        collide.bezier_pairs(q, budget=0)
    for method in ("fast", ["auto"]):
        with pytest.raises(ValueError, match="method must be one of auto, "):
            collide.bezier_pairs(q, method=method)
    with pytest.raises(ValueError, match="got a list of unequal parts"):
        collide.bezier_pairs([[q[0, 0], np.zeros((2, 4, 4, 3))]])
    r = collide.bezier_pairs(q[:0])
    assert len(r) == 0 and r.time.shape == (0, 2) and r.parameters.shape == (0, 4)
    assert collide.bezier_pairs(q).hit.all()
