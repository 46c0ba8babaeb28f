"""Pairs of triangular Bezier patches: closed forms, linear ones against exact queries, the method of Chen et al., bad input."""

import math

import numpy as np
import pytest

import collide
from tests.collide.bezier_patches import moving, pair


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
    spent = collide.bezier_triangle_pairs(pair(tip, floor)[None], tolerance=1e-9, budget=collide.Budget(boxes=1))
    assert spent.status[0] is collide.Status.BUDGET_SPENT and spent.hit[0] and spent.time[0, 0] <= 0.25 and spent.tests[0] < r.tests[0]
    assert not spent.proved[0] or spent.time[0, 1] >= 0.25
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


@pytest.mark.parametrize("method", ["time-dependent", "traditional"])
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_method_of_chen_for_triangles(method, degree):
    """Control nets of triangles, quartered, against ours on degenerate squares."""
    g = np.random.default_rng(23)
    q = g.uniform(-1, 1, (40, 2, 2, (degree + 1) * (degree + 2) // 2, 3))
    q[:, 0, 0] += 0.5
    q[:, 0, 1] -= 0.7
    tolerance = 1e-3 if method == "time-dependent" else 1e-2
    ours, theirs = collide.bezier_triangle_pairs(q), collide.bezier_triangle_pairs(q, tolerance=tolerance, method=method)
    assert theirs.hit[ours.hit].all() and (theirs.hit == ours.hit).mean() > 0.9 and not theirs.proved.any()
    both = ours.hit & theirs.hit
    early = ours.time[both, 1] - theirs.time[both, 0]
    assert early.min() > -1e-6 and np.median(early) < tolerance
    # A corner of the accepted triangle is near the contact.
    apart = np.abs(theirs.parameters[both] - ours.parameters[both]).max(axis=1)
    assert np.median(apart) < 10 * tolerance


def test_bad_input_for_triangles_and_methods():
    with pytest.raises(ValueError, match="N >= 1"):
        collide.bezier_triangle_pairs(np.zeros((1, 2, 2, 5, 3)))
    with pytest.raises(ValueError, match="must be finite"):
        collide.bezier_triangle_pairs(np.full((1, 2, 2, 6, 3), np.inf))
    with pytest.raises(ValueError, match="method must be one of auto"):
        collide.bezier_pairs(np.zeros((1, 2, 2, 2, 2, 3)), method="quick")
    with pytest.raises(ValueError, match="to match q"):
        collide.bezier_triangle_pairs(np.zeros((1, 2, 2, 6, 3)), weights=np.ones((1, 2, 5)), method="traditional")
