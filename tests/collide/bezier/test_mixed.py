"""Bezier patches of different kinds and degrees, against the same patches of one degree, raised by hand in numbers that stay exact."""

import numpy as np
import pytest

from collide import Status, bezier_mixed_pairs, bezier_pairs, bezier_triangle_pairs


def doubled(p):
    """Degrees 1, 1 as 2, 2: middles of dyadic numbers are exact."""
    p = np.stack([p[..., 0, :, :], (p[..., 0, :, :] + p[..., 1, :, :]) / 2, p[..., 1, :, :]], axis=-3)
    return np.stack([p[..., 0, :], (p[..., 0, :] + p[..., 1, :]) / 2, p[..., 1, :]], axis=-2)


def random(g, *net):
    p = g.integers(-64, 65, (60, 2, *net, 3)) / 64
    p[:, 1, ..., 2] /= 4
    return p


def apart(first, second):
    """The second above the first, coming down."""
    second[:, 0, ..., 2] += 2
    second[:, 1, ..., 2] -= 2.5
    return first, second


def test_degrees_are_those_of_both():
    g = np.random.default_rng(0)
    low, high = apart(random(g, 2, 2), random(g, 3, 3))
    found, known = bezier_mixed_pairs(low, high), bezier_pairs(np.stack([doubled(low), high], axis=1))
    turned = bezier_mixed_pairs(high, low)
    assert (found.hit == known.hit).all() and (turned.hit == known.hit).all() and found.hit.sum() > 10
    hit = found.hit
    assert found.proved[hit].mean() > 0.9
    for other in (known, turned):
        assert (found.time[hit, 0] <= other.time[hit, 1]).all() and (other.time[hit, 0] <= found.time[hit, 1]).all()


def test_a_triangle_against_a_quadrilateral():
    """A flat triangle is a tensor product whose last row is one point."""
    g = np.random.default_rng(1)
    triangle, square = apart(random(g, 3), random(g, 2, 2))
    rows = np.stack([triangle[:, :, [0, 1]], triangle[:, :, [2, 2]]], axis=2)
    found, known = bezier_mixed_pairs(triangle, square), bezier_pairs(np.stack([rows, square], axis=1))
    hit = found.hit
    assert (hit == known.hit).all() and hit.sum() > 5
    assert (found.time[hit, 0] <= known.time[hit, 1]).all() and (known.time[hit, 0] <= found.time[hit, 1]).all()
    u, v = found.parameters[hit & found.proved, :2].T
    assert (u >= -1e-9).all() and (v >= -1e-9).all() and (u + v <= 1 + 1e-9).all()
    # Where its point is on the triangle, at that time.
    k = np.flatnonzero(hit & found.proved)[0]
    t, (u, v, s, r) = found.time[k].mean(), found.parameters[k]
    p, q = triangle[k, 0] + t * triangle[k, 1], square[k, 0] + t * square[k, 1]
    one = (1 - u - v) * p[0] + v * p[1] + u * p[2]
    other = (1 - s) * ((1 - r) * q[0, 0] + r * q[0, 1]) + s * ((1 - r) * q[1, 0] + r * q[1, 1])
    assert np.abs(one - other).max() < 1e-4


def test_triangles_of_two_degrees():
    g = np.random.default_rng(2)
    low, high = apart(random(g, 3), random(g, 6))
    middle = [low[:, :, 0], (low[:, :, 0] + low[:, :, 1]) / 2, low[:, :, 1], (low[:, :, 0] + low[:, :, 2]) / 2,
              (low[:, :, 1] + low[:, :, 2]) / 2, low[:, :, 2]]
    found, known = bezier_mixed_pairs(low, high), bezier_triangle_pairs(np.stack([np.stack(middle, axis=2), high], axis=1))
    hit = found.hit & known.hit
    assert (found.hit == known.hit).all() and hit.any()
    assert (found.time[hit, 0] <= known.time[hit, 1]).all() and (known.time[hit, 0] <= found.time[hit, 1]).all()


def test_bad_patches():
    flat, square = np.zeros((1, 2, 3, 3)), np.zeros((1, 2, 2, 2, 3))
    for first, second, words in ((flat[:, :, :2], square, "first patches must be of the shape"), (flat, square[:, :1], "second patches"),
                                 (flat, np.zeros((2, 2, 2, 2, 3)), "as many"), (flat + np.inf, square, "finite")):
        with pytest.raises(ValueError, match=words):
            bezier_mixed_pairs(first, second)
    assert bezier_mixed_pairs(flat[:0], square[:0]).hit.shape == (0,)
    # A patch of degree 0 is a point that moves.
    point = np.array([[[[[0, 0, 1.0]]], [[[0, 0, -2.0]]]]])
    plate = np.array([[[[i - 0.5, j - 0.5, 0] for j in (0, 1)] for i in (0, 1)]])
    found = bezier_mixed_pairs(point, np.stack([plate, 0 * plate], axis=1))
    assert found.hit[0] and found.status[0] in (Status.CONTACT, Status.UNRESOLVED) and found.time[0, 0] <= 0.5 <= found.time[0, 1]
