"""Gaps of convex bodies, against distances of segments and boxes by other formulas, and closed forms of balls."""

import numpy as np
import pytest
import sympy as sp

from collide.bodies.convex_cores import core_of
from collide.culling.core_gaps import apart, common_points, crossing, entries, meeting, nearest, places_of
from generative import solids
from tests.arms import segment_distances, turns
from tests.robot_cell import box_distances

R = sp.Rational
CAPSULE, BOX, BALL = (core_of(b) for b in (solids.capsule(R(1, 4), 2), solids.box((1, 2, 3)), solids.sphere(R(1, 2))))


def _motions(rng, count, size):
    """Bounds (n, 12, 2) of random motions."""
    axes = rng.normal(size=(count, 3))
    turn = np.stack([turns(a / np.linalg.norm(a), np.array([angle]))[0] for a, angle in zip(axes, rng.uniform(-3, 3, count), strict=True)])
    made = np.concatenate([turn.reshape(count, 9), size * rng.normal(size=(count, 3))], axis=1)
    return np.repeat(made[..., None], 2, axis=2)


def _ends(bounds):
    """Both ends (n, 3) of the core of a capsule."""
    return bounds[:, 9:, 0], bounds[:, 9:, 0] + 2 * bounds[:, [2, 5, 8], 0]


def test_nearest_points():
    rng = np.random.default_rng(0)
    first, second = _motions(rng, 200, 2), _motions(rng, 200, 2)
    still = np.repeat(np.append(np.eye(3).ravel(), [0.0, 0, 0])[None, :, None], 2, axis=2).repeat(200, axis=0)
    capsules = nearest((CAPSULE, CAPSULE), [places_of(CAPSULE, entries(m).middle) for m in (first, second)])
    assert np.abs(capsules.distance - segment_distances(*_ends(first), *_ends(second))).max() < 1e-9
    exact = box_distances(*_ends(first), np.zeros(3), np.array([1.0, 2, 3]))
    boxed = nearest((CAPSULE, BOX), [places_of(c, entries(m).middle) for c, m in ((CAPSULE, first), (BOX, still))])
    assert np.abs(boxed.distance - exact)[exact > 1e-6].max() < 1e-6 and (exact > 1e-6).sum() > 100
    turned = nearest((BOX, CAPSULE), [places_of(c, entries(m).middle) for c, m in ((BOX, still), (CAPSULE, first))])
    assert np.abs(turned.distance - boxed.distance).max() < 1e-12


@pytest.mark.parametrize("gap", [1e-9, -1e-9])
def test_apart_by_little(gap):
    """Two balls that pass each other at that distance: (t, 0, 0) and (0, 1 + gap, 0). The direction in between tells it for all times."""
    still = np.repeat(np.append(np.eye(3).ravel(), [0.0, 0, 0])[None, :, None], 2, axis=2)
    other, speed = still.copy(), np.zeros((1, 12, 2))
    other[0, 10], speed[0, 9] = 1.0 + gap, 1.0
    cores, places = (BALL, BALL), [entries(still), entries(other)]
    found = [bool(apart(cores, places, [entries(speed), entries(0 * speed)], np.array([half]))[0]) for half in (1e-12, 1.0)]
    assert found == [gap > 0, gap > 0]
    near = nearest(cores, [places_of(BALL, own.middle) for own in places])
    assert meeting(cores, places, near).tolist() == [gap < 0]


def test_no_bound_is_above_the_least_distance():
    """Capsules on straight ways: where windows are called apart, the distance is above both radii at 9 moments."""
    rng, half = np.random.default_rng(1), 0.25
    first, second, ways = _motions(rng, 150, 1), _motions(rng, 150, 1), rng.normal(size=(150, 3))
    speed = np.zeros((150, 12, 2))
    speed[:, 9:] = ways[..., None]
    found = apart((CAPSULE, CAPSULE), [entries(first), entries(second)], [entries(speed), entries(np.zeros((1, 12, 2)))],
                  np.full(150, half))
    least = np.full(150, np.inf)
    for at in np.linspace(-half, half, 9):
        a, b = (end + at * ways for end in _ends(first))
        least = np.minimum(least, segment_distances(a, b, *_ends(second)))
    assert found.sum() > 30 and (least[found] > 0.5).all()
    assert not found[least < 0.5].any()


def test_surfaces_that_cross():
    """A capsule through the face of a box, one inside of it, one round a ball, and one beside it."""
    at = np.repeat(np.append(np.eye(3).ravel(), [0.0, 0, 0])[None, :, None], 2, axis=2).repeat(3, axis=0)
    at[:, 11] = np.array([1.0, -1.0, 2.0])[:, None]
    places = [entries(at), entries(at[:1] * 0 + np.append(np.eye(3).ravel(), [0.0, 0, 0])[None, :, None])]
    small = core_of(solids.capsule(R(1, 4), 1))
    cores = (small, BOX)
    corners = [places_of(c, own.middle) for c, own in zip(cores, places, strict=True)]
    near = nearest(cores, corners)
    assert crossing(cores, places, near).tolist()[1:] == [False, False]
    inner = core_of(solids.sphere(R(1, 8)))
    pair = (CAPSULE, inner)
    near = nearest(pair, [places_of(c, own.middle) for c, own in zip(pair, places, strict=True)])
    assert not crossing(pair, [entries(at[:1] - at[:1] * 0), places[1]], near).any()


def test_points_on_both_surfaces():
    """Unit balls whose centres are 1 apart: the points of both spheres are at 1/2 of the way, sqrt(3)/2 beside it."""
    ball = core_of(solids.sphere(1))
    centres = [np.zeros((3, 1, 1)), np.array([1.0, 0, 0]).reshape(3, 1, 1)]
    near = nearest((ball, ball), centres)
    motions = [np.append(np.eye(3).ravel(), c.ravel())[:, None] for c in centres]
    found, off = common_points((ball, ball), centres, near.beside((ball, ball), motions))
    assert off[0] < 1e-12 and abs(found[0, 0] - 0.5) < 1e-12 and abs(np.hypot(found[1, 0], found[2, 0]) - 0.75**0.5) < 1e-12


def test_a_body_in_another_one_has_common_points_but_no_common_surface():
    """Of balls of radius 1/2 and 1/8, centres 1/4 apart and 1/2 apart."""
    small = core_of(solids.sphere(R(1, 8)))
    still = np.repeat(np.append(np.eye(3).ravel(), [0.0, 0, 0])[None, :, None], 2, axis=2)
    for way, crosses in ((0.25, False), (0.5, True)):
        other = still.copy()
        other[0, 9] = way
        cores, at = (BALL, small), [entries(still), entries(other)]
        near = nearest(cores, [places_of(core, e.middle) for core, e in zip(cores, at, strict=True)])
        assert meeting(cores, at, near).tolist() == [True] and crossing(cores, at, near).tolist() == [crosses]
