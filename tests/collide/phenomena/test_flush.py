"""Bodies that land flat: faces in one plane, edges on faces and on each other, in frames that are tilted, or turn.

What coincides does so by formulas whose values are rounded, so nothing tells an edge that lies in a face from one beside it. The times are
known in closed form, and a search that got lost among edges and vertices would take millions of boxes.
"""

import itertools

import numpy as np
import pytest
import sympy as sp

import collide
from generative import Rigid, axis_angle, t
from models.shapes.patches import plane_patch
from models.shapes.solids import box, cylinder

Q = sp.Rational
IRRATIONAL = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10)), translation=[Q(1, 7), Q(2, 9), Q(1, 3)])
TURNING = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10) + t / 3))
TEN_AND_TWENTY = Rigid(rotation=axis_angle([0, 1, 0], sp.pi / 18)) @ Rigid(rotation=axis_angle([0, 1, 0], sp.pi / 9))
THIRTY = Rigid(rotation=axis_angle([0, 1, 0], sp.pi / 6))
TURNING_ON = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10) + 2 * t), translation=[t, Q(1, 3), t**2 / 5])
SPIN = Rigid(rotation=axis_angle([0, 0, 1], t / 2))
CUBE, COIN = box(sizes=(1, 1, 1)), cylinder(radius=Q(1, 2), height=1)


def fall(a, b):
    """At (a, b), coming down: the cube's lower face is at the height 5/2 - t, the coin's at 3 - t."""
    return Rigid(translation=[a, b, 3 - t])


def landing(upper, lower, frame, under=None, **options):
    return collide.first_contact([upper.moved(frame), lower.moved(under or frame)], (0, 4), spacing=0.2, **options)


ASIDE, PLATE, AWAY = COIN.moved(fall(Q(1, 9), Q(1, 13))), plane_patch(width=4, depth=4), (1 / 9, 1 / 13)
SPUN = COIN.moved(SPIN).moved(fall(Q(1, 9), Q(1, 13)))
SCENES = {
    # upper body, lower body, its frame and that of the lower one if it is written otherwise, time, shape and middle of the patch
    "a coin in a tilted frame": (ASIDE, PLATE, IRRATIONAL, None, 3, "disc", AWAY),
    "30 degrees in two ways": (ASIDE, PLATE, TEN_AND_TWENTY, THIRTY, 3, "disc", AWAY),
    "a coin that spins, on a tilted plate": (SPUN, PLATE, IRRATIONAL, None, 3, "disc", AWAY),
    "in a frame that turns": (ASIDE, PLATE, TURNING, None, 3, "disc", AWAY),
    "cylinders of one radius, tilted": (COIN.moved(fall(0, 0)), COIN, IRRATIONAL, None, 2, "disc", (0, 0)),
    "a spinning cylinder on one of its radius": (COIN.moved(SPIN).moved(fall(0, 0)), COIN, Rigid(), None, 2, "disc", (0, 0)),
    "a cube at the corner of a box": (CUBE.moved(fall(1, 1)), box(sizes=(3, 3, 1)), Rigid(), None, 2, "square", (1, 1)),
    "a cube at the corner of a tilted box": (CUBE.moved(fall(1, 1)), box(sizes=(3, 3, 1)), IRRATIONAL, None, 2, "square", (1, 1)),
    "a cube at the corner of a box that turns": (CUBE.moved(fall(1, 1)), box(sizes=(3, 3, 1)), TURNING, None, 2, "square", (1, 1)),
    "a cube on one of its size, turning": (CUBE.moved(fall(0, 0)), CUBE, TURNING, None, 2, "square", (0, 0)),
    "cylinders of one radius, turning": (COIN.moved(fall(0, 0)), COIN, TURNING_ON, None, 2, "disc", (0, 0)),
}


@pytest.mark.parametrize("name", SCENES)
def test_what_lands_flat_is_found_in_few_boxes(name):
    upper, lower, frame, under, moment, shape, middle = SCENES[name]
    c = landing(upper, lower, frame, under, budget=collide.Budget(boxes=400_000, seconds=None))
    assert c.status is collide.Status.CONTACT and c.existence.any()
    assert c.time.lo <= moment <= c.time.hi and c.time.hi - c.time.lo < 2e-6 and c.clear_until <= moment
    assert_covered(local(c.points, frame, moment)[:, :2] - middle, shape)


def local(points, frame, moment):
    """The points as the frame sees them at that moment."""
    rotation, shift = (np.array(m.xreplace({t: moment}).evalf(30), float) for m in (frame.rotation, frame.translation))
    return (points - shift.ravel()) @ rotation


def assert_covered(points, shape, apart=0.2):
    """Samples lie in the patch, and one is within `apart` of each of its points."""
    assert np.abs(points).max() < 0.5 + 1e-6
    grid = np.array(list(itertools.product(np.linspace(-0.5, 0.5, 41), repeat=2)))
    if shape == "disc":
        grid = grid[np.linalg.norm(grid, axis=1) <= 0.5]
        assert np.linalg.norm(points, axis=1).max() < 0.5 + 1e-6
    reach = np.linalg.norm(grid[:, None] - points[None], axis=2).min(axis=1)
    assert reach.max() <= apart + 1e-6


@pytest.mark.parametrize("lift", [Q(1, 10**6), Q(1, 10**9)])
def test_what_stays_a_little_above_a_tilted_plate_does_not_touch(lift):
    """The coin comes down to `lift` above the plate, and up again."""
    above = Rigid(translation=[Q(1, 9), Q(1, 13), lift + (t - 1) ** 2])
    c = landing(COIN.moved(above), plane_patch(width=4, depth=4), IRRATIONAL, budget=collide.Budget(boxes=400_000, seconds=None))
    assert c.status is collide.Status.NO_CONTACT


def test_faces_in_one_plane_are_parted_within_it():
    """Two square plates slide towards each other in a plane, askew: a corner meets an edge at a known time."""
    turned = Rigid(rotation=axis_angle([0, 0, 1], Q(1, 3)))
    plate = plane_patch(width=2, depth=2)
    reach = sp.cos(Q(1, 3)) + sp.sin(Q(1, 3))
    mover = plate.moved(turned).moved(Rigid(translation=[4 - t, Q(1, 7), 0]))
    c = collide.first_contact([mover.moved(IRRATIONAL), plate.moved(IRRATIONAL)], (0, 4),
                              budget=collide.Budget(boxes=400_000, seconds=None))
    moment = float(4 - 1 - reach)
    assert c.clear_until <= moment + 1e-12 and c.clear_until > moment - 1e-5


def test_what_comes_to_touch_and_never_crosses_is_decided():
    """A cube comes down beside one of its size, so their sides are in one plane and never cross: an edge comes onto an edge."""
    c = landing(CUBE.moved(fall(1, 0)), CUBE, IRRATIONAL, budget=collide.Budget(boxes=400_000, seconds=None))
    assert c.status is collide.Status.CONTACT and c.existence.all() and not c.unique.any()
    assert 2 - 1e-14 < c.clear_until <= 2 <= c.time.hi < 2 + 1e-14
    places = local(c.points, IRRATIONAL, 2) - (0.5, 0, 0.5)
    assert np.abs(places[:, [0, 2]]).max() < 1e-12 and abs(np.ptp(places[:, 1]) - 1) < 1e-12
