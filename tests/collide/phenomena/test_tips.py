"""Contacts at tips, where no square system holds: the bracket of the time is as narrow as where faces meet.

That of two cones ends where a crossing beside their tips is proved, which depends on the numbers: 1e-12 to 3e-4 after the contact.
"""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from generative import ImplicitSurface, Rigid, Screw, t, x, y, z
from models.shapes.solids import cone
from tests.collide.contact_scenes import TILT, TURNED, Q, ball, box, half_space, move, slab, sphere

# A cube on one of its vertices: the diagonal is vertical, the lowest vertex sqrt(3)/2 below the middle.
ON_TIP = Screw([1, 1, 0], angle=sp.acos(1 / sp.sqrt(3)))
CUBE = box(1, 1, 1).moved(ON_TIP)
FALLING = CUBE.moved(move(0, 0, 4 - t))
RIDGE = box(1, 4, 1).moved(Screw([0, 1, 0], angle=sp.pi / 4))
UPSIDE_DOWN = Rigid(rotation=[[1, 0, 0], [0, -1, 0], [0, 0, -1]], translation=[0, 0, 4 - t])
POINT = cone(radius=1, height=1)

TIPS = [
    ("vertex on vertex", [FALLING, CUBE], 4 - sp.sqrt(3)),
    ("vertex on vertex, turned", [FALLING, CUBE.moved(Screw([0, 0, 1], angle=Q(1, 3)))], 4 - sp.sqrt(3)),
    ("vertex on edge", [FALLING, RIDGE], 4 - sp.sqrt(3) / 2 - sp.sqrt(2) / 2),
    ("vertex on the border of a patch", [FALLING, slab(1).moved(move(1, Q(1, 3), 0))], 4 - sp.sqrt(3) / 2),
    ("vertex on the corner of a patch", [slab(1).moved(move(1, 1, 0)), FALLING], 4 - sp.sqrt(3) / 2),
    ("cone on cone", [POINT.moved(UPSIDE_DOWN), POINT], sp.Integer(2)),
]


@pytest.mark.parametrize("name, bodies, time", TIPS, ids=[name for name, _, _ in TIPS])
def test_a_tip_meets_a_tip(name, bodies, time):
    c = collide.first_contact(bodies, (0, 4), budget=collide.Budget(seconds=30, boxes=60_000))
    assert c.status is Status.CONTACT and len(c) == 1
    assert Q(c.time.lo) <= time <= Q(c.time.hi) and c.clear_until <= time
    assert c.time.hi - c.time.lo < (1e-3 if name == "cone on cone" else 1e-8)


RIDGES = Screw([0, 1, 0], angle=sp.pi / 4)


@pytest.mark.parametrize("aside", [0, Q(1, 3)])
def test_an_edge_lands_along_an_edge(aside):
    """Two boxes, each on an edge, these parallel: a segment of contacts at which nothing crosses."""
    upper = box(1, 1, 1).moved(RIDGES).moved(move(0, aside, 3 - t))
    c = collide.first_contact([upper, box(1, 1, 1).moved(RIDGES)], (0, 4), budget=collide.Budget(seconds=60, boxes=400_000))
    assert c.status is Status.CONTACT and c.time.hi - c.time.lo < 1e-7
    assert Q(c.time.lo) <= 3 - sp.sqrt(2) <= Q(c.time.hi) and c.clear_until <= 3 - sp.sqrt(2)
    assert np.allclose(c.points[:, [0, 2]], [0, 2**0.5 / 2], atol=1e-6)
    assert c.points[:, 1].min() > float(aside) - 0.5 - 1e-6 and c.points[:, 1].max() < 0.5 + 1e-6


def height(offset):
    """How far above its lowest vertex the surface of the cube is, at a small offset in the horizontal plane: the highest of the planes
    n . x = 0 of the three faces that meet there.
    """
    normals = [ON_TIP.turn(e) for e in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1))]
    return sp.Max(*(-(n[0] * offset[0] + n[1] * offset[1]) / n[2] for n in normals if n[2].evalf() < 0))


@pytest.mark.parametrize("past", [Q(1, 10**4), Q(1, 10**7), Q(1, 10**9)])
def test_a_tip_just_past_a_corner(past):
    """The vertex goes down beside the corner of a patch; a face or an edge of the cube comes onto the corner a little later."""
    c = collide.first_contact([FALLING, slab(1).moved(move(1 + past, 1 + 2 * past, 0))], (0, 4))
    time = 4 - sp.sqrt(3) / 2 + height((past, 2 * past))
    assert c.status is Status.CONTACT
    assert sp.Float(c.time.lo, 40) <= time.evalf(40) <= sp.Float(c.time.hi, 40) and c.clear_until <= time.evalf(40)
    assert c.time.hi - c.time.lo < 1e-8 and np.isclose(c.points, [float(past), 2 * float(past), 0], atol=1e-8).all(axis=1).any()


CONE = ImplicitSurface(z + sp.sqrt(x**2 + y**2), bounds=[(-3, 3)] * 3)
BRICK = ImplicitSurface(sp.Max(sp.Abs(x) - 1, sp.Abs(y) - 1, sp.Abs(z) - Q(1, 2)), bounds=[(-2, 2)] * 3)


@pytest.mark.parametrize("body, at, tip", [(CONE, (0, 0), (0, 0, 0)), (CONE, (Q(1, 9), Q(1, 7)), (0, 0, 0)),
                                           (BRICK, (Q(5, 4), Q(3, 2)), (1, 1, Q(1, 2)))])
def test_an_implicit_ball_meets_a_kink_of_an_implicit_body(body, at, tip):
    """Where a gradient jumps, nothing is known of the angle between two: it is not divided there, nor is a box at the axis for ever."""
    c = collide.first_contact([sphere().moved(move(*at, 3 - 2 * t)), body], (0, 2), budget=collide.Budget(boxes=100_000))
    truth = (3 - tip[2] - sp.sqrt(1 - sum((a - b) ** 2 for a, b in zip(at, tip, strict=False)))) / 2
    assert c.status is Status.CONTACT and c.time.hi - c.time.lo < 1e-6
    assert Q(c.time.lo) <= truth <= Q(c.time.hi) and abs(c.points[0] - [float(e) for e in tip]).max() < 1e-3


NAPPE = ImplicitSurface(x**2 + y**2 - z**2, bounds=[(-2, 2), (-2, 2), (0, 2)])
OVAL = ImplicitSurface(x**2 + 3 * y**2 - z**2 + x * z / 3, bounds=[(-2, 2), (-2, 2), (0, 2)])
CUSP = ImplicitSurface(x**2 + y**2 - z**3, bounds=[(-2, 2), (-2, 2), (-1, 2)])
ROUND = ImplicitSurface(sp.sqrt(x**2 + y**2) - z, bounds=[(-2, 2), (-2, 2), (-1, 2)])
CUT = ImplicitSurface(x**2 + y**2 - z**2, bounds=[(-2, 2)] * 3) & half_space().complement()
SPUN = NAPPE.moved(Rigid(rotation=[[sp.cos(3 * t), -sp.sin(3 * t), 0], [sp.sin(3 * t), sp.cos(3 * t), 0], [0, 0, 1]]))
TOPS = {"floor": (half_space(), 0), "patch": (slab(3), 0), "ball": (ball().moved(TURNED), 1), "sphere": (sphere(), 1)}


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize("body", [NAPPE, OVAL, CUSP, ROUND, CUT, SPUN], ids=["cone", "oval", "cusp", "of a root", "cut off", "spinning"])
def test_the_tip_of_an_implicit_cone_meets_first(body, top):
    """At the tip the function and its gradient are zero, so nothing is tangent there; what crosses a little later proves the time."""
    lower, above = TOPS[top]
    aside = (0, 0) if above else (Q(1, 9), Q(1, 13))
    c = collide.first_contact([body.moved(move(*aside, 2 - t)).moved(TILT), lower.moved(TILT)], (0, 3),
                              budget=collide.Budget(seconds=None, boxes=60_000))
    assert c.status is Status.CONTACT and c.clear_until <= 2 - above <= c.time.hi and c.time.lo <= 2 - above
    assert c.time.hi - c.time.lo < 5e-6
    place = np.array(TILT.rotation, float) @ [*map(float, aside), above]
    assert np.linalg.norm(c.points - place, axis=1).max() < 3e-3


@pytest.mark.parametrize("gap", [Q(1, 10**6), Q(1, 10**9)])
def test_a_tip_that_turns_back_just_above(gap):
    c = collide.first_contact([NAPPE.moved(move(Q(1, 9), Q(1, 13), gap + (t - 1) ** 2)).moved(TILT), half_space().moved(TILT)], (0, 2),
                              budget=collide.Budget(seconds=None, boxes=60_000))
    assert c.status is Status.NO_CONTACT
