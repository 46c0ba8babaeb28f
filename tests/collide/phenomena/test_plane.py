"""Regions of the plane in every query, against closed forms, and polygons against rational arithmetic."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import collide
from generative import Chain, Parameter, Rigid, Screw, axis_angle, curve, loops, plane, primitives, prismatic, revolute, t

R = sp.Rational


def shifted(body, x=0, y=0, turn=0):
    return body.moved(Rigid(rotation=axis_angle((0, 0, 1), turn), translation=[x, y, 0]))


# -- polygons in straight motion --------------------------------------------------------------------------------------


def touching(a, b, way):
    """The first s in [0, 1] at which polygon a + s way meets polygon b, by exact arithmetic: some corner then lies on a side."""
    found = []
    for corners, sides, sign in ((a, b, 1), (b, a, -1)):
        move = (sign * way[0], sign * way[1])
        for (px, py), (q, r) in itertools.product(corners, zip(sides, sides[1:] + sides[:1], strict=True)):
            ex, ey = r[0] - q[0], r[1] - q[1]
            speed = ex * move[1] - ey * move[0]
            if speed == 0:
                continue
            s = -(ex * (py - q[1]) - ey * (px - q[0])) / speed
            along = (ex * (px + s * move[0] - q[0]) + ey * (py + s * move[1] - q[1])) / (ex * ex + ey * ey)
            if 0 <= s <= 1 and 0 <= along <= 1:
                found.append(s)
    return min(found, default=None)


def star(rng, centre):
    """A polygon that is star-shaped, with rational corners in the order of their directions."""
    directions = [(1, 0), (2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (0, -1), (1, -1)]
    return [(centre[0] + x * w, centre[1] + y * w) for x, y in directions for w in [Fraction(rng.randint(2, 9), 8)]]


def region(corners, way):
    made = plane.polygon([tuple(R(c.numerator, c.denominator) for c in p) for p in corners])
    return shifted(made, *(t * R(w.numerator, w.denominator) for w in way))


@pytest.mark.parametrize("seed", range(6))
def test_polygons_first_meet_when_rational_arithmetic_says_so(seed):
    rng = random.Random(seed)
    a, b = star(rng, (Fraction(0), Fraction(0))), star(rng, (Fraction(6), Fraction(rng.randint(-16, 16), 8)))
    way = Fraction(8), Fraction(rng.randint(-16, 16), 8)
    true, zero = touching(a, b, way), (Fraction(0), Fraction(0))
    found = collide.first_contact([region(a, way), region(b, zero)], (0, 1))
    if true is None:
        assert found.status is collide.Status.NO_CONTACT
    else:
        assert found.status is collide.Status.CONTACT and Fraction(found.time.lo) <= true <= Fraction(found.time.hi)
        assert found.time.hi - found.time.lo < 1e-9 and (found.points[:, 2] == 0).all()


# -- curves -----------------------------------------------------------------------------------------------------------

CAM = plane.disc(1, (R(1, 2), 0))
ROLLER = plane.disc(R(1, 4), (0, R(3, 2)))
LIFT = float(np.arcsin((2.5 - 25 / 16) / 1.5))
"""Centres at (cos, sin) / 2 and (0, 3/2) are 5/4 apart where sin = (5/2 - 25/16) / (3/2)."""


def test_a_cam_lifts_its_roller():
    turned = CAM.moved(Screw([0, 0, 1], angle=t))
    found = collide.first_contact([turned, ROLLER], (0, 3))
    assert found.proved.all() and found.time.lo <= LIFT <= found.time.hi and found.time.hi - found.time.lo < 1e-12
    # Two parameters and the time: no unknown of a third dimension.
    assert list(found.variables) == [("u1", "u2", "t")]
    assert found.normals[0] @ [0, 1, 0] > 0.9 and found.features[0] == ("edge 0", "edge 0")
    spell = collide.contacts_during([turned, ROLLER], (0, 3)).of(0, 1)[1]
    assert spell.begin.lo <= LIFT <= spell.begin.hi and spell.end.lo <= np.pi - LIFT <= spell.end.hi
    near = collide.clearance([turned, ROLLER], (0, R(1, 2)))
    gap = np.hypot(np.cos(0.5) / 2, np.sin(0.5) / 2 - 1.5) - 1.25
    assert near.bracket.lo - 1e-12 <= gap <= near.bracket.hi + 1e-12


def test_speeds_of_a_cam_in_a_batch_and_as_a_range():
    p = Parameter("p")
    turned = CAM.moved(Screw([0, 0, 1], angle=p * t))
    rates = np.array([1.0, 1.5, 2.0])
    batch = collide.contact_batch([turned, ROLLER], (0, 3), parameters={p: rates})
    assert (batch.time[:, 0] <= LIFT / rates + 1e-15).all() and (LIFT / rates - 1e-15 <= batch.time[:, 1]).all()
    worst = collide.first_contact([turned, ROLLER], (0, 3), parameters={p: (1, 2)})
    assert worst.time.lo <= LIFT / 2 <= worst.time.hi


def test_the_largest_disc_that_passes():
    q = Parameter("q")
    post = plane.disc(1, (3, 0)).moved(Rigid(translation=[0, t, 0]))
    found = collide.critical_value([plane.disc(q), post], (-1, 1), {q: (R(1, 10), 5)})
    assert found.bracket.lo <= 2 <= found.bracket.hi and found.bracket.hi - found.bracket.lo < 1e-6


def test_holes_hold_what_is_clear():
    ring = plane.region(curve.circle(2), [curve.circle(1)])
    kinds = [collide.clash([shifted(plane.disc(R(1, 4)), x, t / 8), ring], (0, 1)).spells[0].kind for x in (0, R(3, 2), 3)]
    assert kinds == [collide.ClashKind.NONE, collide.ClashKind.FIRST_INSIDE, collide.ClashKind.NONE]
    places = [[0, 0, 0], [1.5, 0, 0], [0, -3, 0]]
    assert collide.classify(ring, places).tolist() == [collide.Kind.OUT, collide.Kind.IN, collide.Kind.OUT]


SQUARE, RING = plane.rectangle(2, 2), plane.region(curve.circle(2), [curve.circle(1)])
SLID = [plane.rectangle(1, 1), shifted(plane.rectangle(1, 1), 3 - t, 1)]


@pytest.mark.parametrize("a, b, true", [
    (SQUARE, shifted(SQUARE, 2, 1), 0),
    (SQUARE, plane.disc(1, (1, 0)), 0),
    (SQUARE, plane.disc(1, (2, 0)), 0),
    (plane.disc(3), plane.disc(1), 2),
    (plane.disc(1), plane.disc(1), 0),
    (RING, plane.disc(R(1, 2)), R(1, 2)),
    (RING, plane.disc(1), 0),
], ids=["sides on each other", "corners on a disc", "a disc on a side", "concentric discs", "one disc", "within a hole", "filling a hole"])
def test_distances_of_curves_near_each_other_all_along(a, b, true):
    found = collide.distance(a, b)
    assert found.bracket.lo <= true <= found.bracket.hi and found.bracket.hi - found.bracket.lo < 1e-8


def test_clearances_of_a_square_that_slides_along_another_one():
    """They touch for s in [2, 4]; before, the gap is 2 - s."""
    assert collide.clearance(SLID, (0, 3)).bracket.hi < 1e-12
    found = collide.clearance_range(SLID, (0, 3))
    assert found.least.bracket.lo == 0 and found.least.bracket.hi < 1e-12 and found.greatest.lo <= 2 <= found.greatest.hi
    for (lo, hi), true in zip(collide.clearance_profile(SLID, (0, 3), 3).bracket, (1, 0, 0), strict=True):
        assert lo <= true <= hi and hi - lo < 1e-3


def test_a_disc_that_fills_a_hole_touches_it_along_a_curve():
    (spell,) = collide.clash([RING, plane.disc(1)], (0, 1)).spells
    assert spell.kind is collide.ClashKind.TOUCH and spell.region is collide.TouchRegion.CURVE


def test_corners_and_flush_sides():
    square = plane.rectangle(1, 1)
    found = collide.first_contact([shifted(square, 3 - t, R(1, 5), sp.pi / 4), square], (0, 3))
    assert found.proved.all() and found.time.lo <= 2.5 - np.sqrt(0.5) <= found.time.hi and found.features[0][0].startswith("vertex")
    flush = collide.first_contact([shifted(square, 3 - t, R(1, 5)), square], (0, 3))
    assert flush.status is collide.Status.CONTACT and flush.time.lo <= 2 <= flush.time.hi and np.allclose(flush.points[:, 0], 0.5)
    assert flush.points[:, 1].min() < -0.25 and flush.points[:, 1].max() > 0.45


def test_discs_that_touch_at_the_start_and_part():
    found = collide.first_contact([shifted(plane.disc(1), -t), plane.disc(1, (2, 0)), plane.disc(1, (-3, 0))], (0, 3))
    assert found.pairs.tolist() == [[0, 2]] and found.time.lo <= 1 <= found.time.hi and found.start[0, 1] is collide.Start.TOUCHING


def test_a_slider_crank_of_links_in_the_plane():
    """The piston is a plate as wide as 1/2; its front is at cos(s) + sqrt(9 - sin(s)^2) + 1/4, and meets a wall at 4."""
    links = {"crank": plane.slot(1, R(1, 10)), "rod": plane.slot(3, R(1, 10)), "piston": plane.rectangle(R(1, 2), 1)}
    joints = [revolute("turn", "frame", "crank"), revolute("wrist", "crank", "rod", origin=Rigid(translation=[1, 0, 0])),
              prismatic("slide", "frame", "piston", axis=(1, 0, 0))]
    loop = loops.loop(loops.pin("rod", (3, 0, 0), "piston", (0, 0, 0)), driver="turn", near={"turn": 0, "wrist": 0, "slide": 4})
    engine = Chain(links, joints, loops=[loop])
    wall = plane.rectangle(1, 3, (R(9, 2), 0))
    found = collide.first_contact([*engine.at({"turn": 2 + t}), wall], (0, 5), ignore=[*engine.ignore, ("crank", "piston")])
    true = 2 * np.pi - np.arccos((1 + 3.75**2 - 9) / 7.5) - 2
    assert found.status is collide.Status.CONTACT and found.pairs[0].tolist() == [2, 3]
    assert found.time.lo - 1e-12 <= true <= found.time.hi + 1e-12 and found.time.hi - found.time.lo < 1e-7


@pytest.mark.parametrize("ask, message", [
    (lambda: collide.first_contact([plane.disc(), primitives.ball()], (0, 1)), "all in the plane or all in space"),
    (lambda: collide.distance(primitives.ball(), plane.disc()), "all in the plane or all in space"),
    (lambda: collide.self_contact(plane.disc(), (0, 1)), "self_contact takes bodies in space"),
    (lambda: collide.check_solid(plane.disc()), "check_solid takes bodies in space"),
    (lambda: collide.mass_properties(plane.disc()), "takes bodies in space"),
    (lambda: collide.RigidBody(plane.disc(), mass=1), "takes bodies in space"),
])
def test_bodies_in_space_are_asked_for_where_the_plane_is_no_answer(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()
