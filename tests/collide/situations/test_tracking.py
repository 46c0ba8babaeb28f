"""Known contacts that roll, slide and separate (Snyder 1993, Eq. 7): only new ones are reported."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status, Tracked
from generative import ImplicitSurface, ParametricSurface, Rigid, Screw, axis_angle, t, u, v, x, z
from models.shapes.solids import box, cone, cylinder

Q = sp.Rational
BOUNDS = [(-6, 6)] * 3
FLOOR = ImplicitSurface(z, bounds=BOUNDS)
# A room: floor z = 0 and a wall at x = 4, solid outside.
ROOM = FLOOR | ImplicitSurface(4 - x, bounds=BOUNDS)
# A ball whose poles are at its sides, rolling along x at unit speed: it turns by t, and touches the floor at u = -pi/2 + t.
WHEEL = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(v), sp.sin(u) * sp.cos(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)},
                          flipped=True)
ROLLING = WHEEL.moved(Screw([0, 1, 0], angle=t)).moved(Rigid(translation=[t, 0, 1]))
SLAB = ParametricSurface([u, v, 0], {u: (-6, 6), v: (-6, 6)})
AT_FLOOR = Tracked((0, 1), t - sp.pi / 2, 0, None, None, Q(1, 10))


def test_rolling_until_the_wall():
    c = collide.first_contact([ROLLING, ROOM], (0, 4), tracked=[AT_FLOOR])
    assert c.start[0, 1] is collide.Start.TOUCHING
    assert c.status is Status.CONTACT and c.time.lo <= 3 <= c.time.hi and c.clear_until <= 3
    assert len(c) == 1 and c.proved.all() and abs(c.points[0] - [4, 0, 1]).max() < 1e-6
    assert "no new incoming tangential contact" in c.summary()


def test_rolling_on_is_no_new_contact():
    c = collide.first_contact([ROLLING, ROOM], (0, Q(5, 2)), tracked=[AT_FLOOR])
    assert c.status is Status.NO_CONTACT and c.clear_until == 2.5


def test_without_tracking_the_old_contact_is_reported():
    c = collide.first_contact([ROLLING, ROOM], (0, 4))
    assert c.status is not Status.NO_CONTACT and c.clear_until <= 1e-6 and (abs(c.points[:, 2]) < 1e-6).any()


def test_two_parametric_surfaces():
    known = Tracked((0, 1), t - sp.pi / 2, 0, t, 0, 0.1)
    c = collide.first_contact([ROLLING, SLAB], (0, 2), tracked=[known])
    assert c.status is Status.NO_CONTACT


def test_sliding_and_lifting_off():
    sliding = WHEEL.moved(Rigid(translation=[t, 0, 1]))
    c = collide.first_contact([sliding, FLOOR], (0, 2), tracked=[Tracked((0, 1), -sp.pi / 2, 0, None, None, 0.1)])
    assert c.status is Status.NO_CONTACT
    lifting = WHEEL.moved(Rigid(translation=[0, 0, 1 + t**2]))
    c = collide.first_contact([lifting, FLOOR], (0, 2), tracked=[Tracked((0, 1), -sp.pi / 2, 0, None, None, 0.5)])
    assert c.status is Status.NO_CONTACT


@pytest.mark.parametrize("radius, seen", [(Q(1, 4), True), (Q(2, 5), False)])
def test_a_new_contact_counts_from_the_radius_on(radius, seen):
    """A sheet that touches the floor at the origin all the time comes down on it 3/10 away at t = 1."""
    sheet = ParametricSurface([u, v, u**2 * ((u - Q(3, 10))**2 + 1 - t) + v**2], {u: (-1, 1), v: (-1, 1)})
    known = Tracked((0, 1), 0, 0, None, None, radius)
    c = collide.first_contact([sheet, FLOOR], (0, Q(9, 8)), tracked=[known], budget=collide.Budget(boxes=200_000))
    assert c.start[0, 1] is collide.Start.TOUCHING
    if seen:
        assert c.status is Status.CONTACT and c.time.lo <= 1 <= c.time.hi and np.allclose(c.points, [[0.3, 0, 0]], atol=1e-6)
    else:
        assert c.clear_until > 1


def test_functions_that_do_not_follow():
    with pytest.raises(ValueError, match="do not follow the contact"):
        collide.first_contact([ROLLING, ROOM], (0, 4), tracked=[Tracked((0, 1), -sp.pi / 2, 0, None, None, 0.1)])
    with pytest.raises(ValueError, match="do not follow the contact"):
        collide.first_contact([ROLLING, SLAB], (0, 4), tracked=[Tracked((0, 1), t - sp.pi / 2, 0, 0, 0, 0.1)])


@pytest.mark.parametrize("item, error, message", [
    ("contact", TypeError, "Tracked values"),
    (Tracked((1, 0), 0, 0, 0, 0, 0.1), ValueError, "i < j"),
    (Tracked(1, 0, 0, 0, 0, 0.1), ValueError, "i < j"),
    (Tracked((0, 1), 0, 0, 0, 0, 0), ValueError, "radius"),
    (Tracked((0, 1), 0, 0, 0, 0, float("nan")), ValueError, "radius"),
    (Tracked((0, 1), None, None, None, None, 0.1), ValueError, "needs u"),
    (Tracked(None, 0, 0, 0, 0, 1), ValueError, "i < j"),
    (Tracked((0.0, 1.0), 0, 0, 0, 0, 1), ValueError, "i < j"),
    (Tracked((0, 1), 0, 0, 0, 0, 1, "face 0"), ValueError, "two names"),
    (Tracked((0, 1), sp.Symbol("q"), 0, None, None, 0.1), ValueError, "the symbol q"),
])
def test_bad_tracking(item, error, message):
    with pytest.raises(error, match=message):
        collide.first_contact([ROLLING, ROOM], (0, 4), tracked=[item])


def test_implicit_pairs_cannot_be_tracked():
    with pytest.raises(ValueError, match="needs parameters"):
        collide.first_contact([ROOM, FLOOR], (0, 1), tracked=[Tracked((0, 1), None, None, None, None, 0.1)])


# -- solids: contacts tracked on faces, edges and vertices --------------------------------------------------------

UPSIDE_DOWN = Rigid(rotation=[[1, 0, 0], [0, -1, 0], [0, 0, -1]])
# On its tip, sliding at unit speed.
TOP = cone(radius=1, height=1).moved(UPSIDE_DOWN).moved(Rigid(translation=[t, 0, 1]))
ON_TIP = Tracked((0, 1), None, None, None, None, 0.1, features=("vertex 0", "face 0"))
# On its lower rim, which is lowest at u = 0, leaning by the angle 1/2.
LEANING = cylinder(radius=Q(1, 2), height=1).moved(Rigid(rotation=axis_angle([0, 1, 0], Q(1, 2)), translation=[t, 0, sp.sin(Q(1, 2)) / 2]))
ON_RIM = Tracked((0, 1), 0, None, None, None, 0.1, features=("edge 1", "face 0"))
# On its side along y, rolling along x at unit speed without slipping; it touches along u = pi/2 - t.
ROLLER = cylinder(radius=1, height=Q(1, 2)).moved(Rigid(rotation=[[1, 0, 0], [0, 0, 1], [0, -1, 0]]))
ROLLER = ROLLER.moved(Screw([0, 1, 0], angle=t)).moved(Rigid(translation=[t, 0, 1]))


def test_a_cone_slides_on_its_tip_until_its_rim_meets_the_wall():
    c = collide.first_contact([TOP, ROOM], (0, 4), tracked=[ON_TIP])
    assert c.start[0, 1] is collide.Start.TOUCHING
    assert c.status is Status.CONTACT and c.time.lo <= 3 <= c.time.hi and c.time.hi - c.time.lo < 1e-9 and c.clear_until <= 3
    assert len(c) == 1 and c.proved.all() and c.features == [("edge 0", "face 1")] and abs(c.points[0] - [4, 0, 1]).max() < 1e-6


def test_a_cylinder_slides_on_its_rim():
    c = collide.first_contact([LEANING, FLOOR], (0, 1), tracked=[ON_RIM])
    assert c.status is Status.NO_CONTACT and c.clear_until == 1
    untracked = collide.first_contact([LEANING, FLOOR], (0, 1), budget=collide.Budget(boxes=20_000))
    assert untracked.status is not Status.NO_CONTACT and untracked.clear_until <= 1e-6
    lifting = LEANING.moved(Rigid(translation=[0, 0, t**2]))
    assert collide.first_contact([lifting, FLOOR], (0, 1), tracked=[ON_RIM]).status is Status.NO_CONTACT


def test_a_cylinder_rolls_on_its_side_along_a_line_of_contact():
    """A few points of the line, closer together than the radius, stand for all of it and for the points of the two rims."""
    line = [Tracked((0, 1), sp.pi / 2 - t, Q(k, 8), None, None, 0.15) for k in range(5)]
    c = collide.first_contact([ROLLER, FLOOR], (0, 1), tracked=line)
    assert c.start[0, 1] is collide.Start.TOUCHING and c.status is Status.NO_CONTACT
    c = collide.first_contact([ROLLER, ROOM], (0, 4), tracked=line)
    assert c.status is Status.CONTACT and c.time.lo <= 3 <= c.time.hi and c.clear_until <= 3 and abs(c.points[:, 0] - 4).max() < 1e-6


# Two long boxes turned by 45 degrees, the upper one along y, the lower one along x: they touch edge on edge.
UPPER = box(sizes=(1, 3, 1)).moved(Rigid(rotation=axis_angle([0, 1, 0], sp.pi / 4)))
LOWER = box(sizes=(3, 1, 1)).moved(Rigid(rotation=axis_angle([1, 0, 0], sp.pi / 4), translation=[0, 0, -sp.sqrt(2) / 2]))


def edge_through(solid, point):
    """The number of the edge of a solid through a point, and its parameter there."""
    for k, edge in enumerate(solid.edges):
        for s in (edge.domain[0] + (edge.domain[1] - edge.domain[0]) * Q(i, 12) for i in range(13)):
            at = [e.xreplace({u: s}) for e in solid.position(edge)]
            if all(abs(float(a - b)) < 1e-12 for a, b in zip(at, point, strict=True)):
                return k, s
    raise AssertionError("no edge goes through the point")


def test_edge_slides_along_edge():
    first, a = edge_through(UPPER, (0, 0, -sp.sqrt(2) / 2))
    second, b = edge_through(LOWER.moved(Rigid(translation=[0, 0, sp.sqrt(2) / 2])), (0, 0, sp.sqrt(2) / 2))
    sliding = UPPER.moved(Rigid(translation=[t / 4, 0, sp.sqrt(2) / 2]))
    ahead = LOWER.position(LOWER.edges[second])[0].xreplace({u: b + 1})
    follow = b + (t / 4 if ahead > 0 else -t / 4)
    known = Tracked((0, 1), a, None, follow, None, 0.1, features=(f"edge {first}", f"edge {second}"))
    c = collide.first_contact([sliding, LOWER], (0, 1), tracked=[known])
    assert c.start[0, 1] is not collide.Start.DISJOINT and c.status is Status.NO_CONTACT
    with pytest.raises(ValueError, match="do not follow the contact"):
        collide.first_contact([sliding, LOWER], (0, 1), tracked=[Tracked((0, 1), a + 1, None, follow, None, 0.1, features=known.features)])


@pytest.mark.parametrize("item, message", [
    (Tracked((0, 1), 0, 0, None, None, 0.1, features=("face 7", "face 0")), "it has face 0, face 1, edge 0, vertex 0"),
    (Tracked((0, 1), None, None, None, None, 0.1, features=("edge 0", "face 0")), r"needs u\(t\) on edge 0 of body 0"),
    (Tracked((0, 1), 0, None, None, None, 0.1), r"needs u\(t\) and v\(t\) on face 0 of body 0"),
])
def test_bad_tracking_of_solids(item, message):
    with pytest.raises(ValueError, match=message):
        collide.first_contact([TOP, ROOM], (0, 4), tracked=[item])


@pytest.mark.parametrize("tracked", [None, 3])
def test_tracked_is_a_list(tracked):
    with pytest.raises(TypeError, match=r"tracked must be a list of collide\.Tracked values, got"):
        collide.first_contact([ROLLING, ROOM], (0, 1), tracked=tracked)
