"""Contacts where implicit surfaces end at their bounds: on edges and vertices there, against closed forms."""

import numpy as np
import pytest
import sympy as sp

from collide import Budget, Status, first_contact
from collide.bodies.implicit_parts import implicit_parts
from collide.bodies.numbers import NONE
from collide.situations.presence import where, without_absent
from generative import ImplicitSurface, Rigid, t, x, y, z
from generative.primitives import block, round_cylinder
from tests.collide.contact_scenes import TILT, Q, ball, half_space, move, sphere

FLOOR = ImplicitSurface(z, bounds=[(-1, 1)] * 3)
TUBE = ImplicitSurface(x**2 + y**2 - Q(1, 4), bounds=[(-1, 1)] * 3)
SADDLE = ImplicitSurface(x * y - z, bounds=[(-2, 2)] * 3)
BOWL = ImplicitSurface(x**2 + y**2 - z, bounds=[(-2, 2), (-2, 2), (-1, 1)])
TORUS = ImplicitSurface((x**2 + y**2 + z**2 + Q(91, 100)) ** 2 - 4 * (x**2 + y**2), bounds=[(-2, 2)] * 3)
QUICK = Budget(seconds=30, boxes=50_000)


def check(c, truth, at=None, feature=None, proved=True):
    truth = float(sp.N(truth, 30))
    assert c.status is Status.CONTACT
    assert c.time.lo <= truth * (1 + 1e-15) and truth * (1 - 1e-15) <= c.time.hi < c.time.lo + 1e-9
    if proved:
        assert c.proved.tolist() == [True]
    if at is not None:
        assert np.abs(c.points[0] - np.array(at, float)).max() < 1e-8
    if feature is not None:
        assert all(feature in pair for pair in c.features)


def turned(q):
    return [e / sp.sqrt(sum(sp.Integer(f) ** 2 for f in q)) for e in q]


@pytest.mark.parametrize("q", [(1, 0, 0, 0), (3, 1, 0, 0), (5, 1, 2, 1), (5, -1, -1, 2)])
@pytest.mark.parametrize("order", [1, -1])
def test_a_steep_tube_comes_to_the_end_of_a_floor(q, order):
    """From the side: its axis comes as near to the line x = 1, z = 0 as its radius."""
    motion = Rigid(rotation=turned(q), translation=[3 - t, Q(1, 5), Q(1, 7)])
    axis = [e - f for e, f in zip(motion.apply((0, 0, 1)), motion.apply((0, 0, 0)), strict=True)]
    gap = axis[2] * (2 - t) - axis[0] * Q(1, 7)
    (truth,) = sp.solve(gap - sp.sqrt(axis[2] ** 2 + axis[0] ** 2) / 2, t)
    c = first_contact([TUBE.moved(motion), FLOOR][::order], time=(0, 3), budget=QUICK)
    check(c, truth)
    assert any(name.startswith("edge") for name in c.features[0]) and abs(c.points[0, 0] - 1) < 1e-8 > abs(c.points[0, 2])


def test_a_tube_along_the_end_of_a_floor_touches_in_a_line():
    motion = Rigid(rotation=turned((1, 1, 0, 0)), translation=[Q(7, 5), Q(1, 5), 3 - 2 * t])
    c = first_contact([TUBE.moved(motion), FLOOR], time=(0, 3), budget=QUICK)
    check(c, Q(27, 20), proved=False)
    assert c.existence.all() and np.ptp(c.points[:, 1]) > 1.7 and np.abs(c.points[:, 0] - 1).max() < 1e-8


@pytest.mark.parametrize("upper", [ball(2).moved(TILT), sphere(2, 3)], ids=["parametric", "implicit"])
def test_a_ball_on_the_rim_of_a_bowl(upper):
    """The nearest point of the rim, (1, 0, 1), is 2 away from the centre."""
    c = first_contact([upper.moved(move(Q(1, 4), 0, 5 - t)), BOWL], time=(0, 4), budget=QUICK)
    check(c, 4 - sp.sqrt(55) / 4, (1, 0, 1))
    assert c.features[0][0] == "face 0" and c.features[0][1].startswith("edge")


@pytest.mark.parametrize("q", [(3, 1, 0, 0), (3, 0, 1, 0), (3, 0, 0, 1), (5, 1, -2, 1)])
def test_a_ball_beside_the_end_of_a_turned_floor(q):
    """Its centre comes at the height 3 / 10 to the line x = 1. On the sphere that line's two functions do not change with the longitude
    where they are first looked at: at the middle of the whole circle, against the direction of the line's side.
    """
    turn = Rigid(rotation=q, normalize=True)
    bodies = [ball(Q(1, 2)).moved(turn @ move(3 - t, Q(1, 9), Q(3, 10))), FLOOR.moved(turn)]
    c = first_contact(bodies, time=(0, 3), budget=QUICK)
    check(c, Q(8, 5), [float(e) for e in turn.apply((1, Q(1, 9), 0))], "edge 1")


@pytest.mark.parametrize("upper", [ball(Q(1, 2)).moved(TILT), sphere(Q(1, 2), 1)], ids=["parametric", "implicit"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_ball_beside_the_corner_of_a_floor(upper, order):
    """It meets the corner (1, 1, 0); a hair farther away it passes by."""
    motion = Rigid(rotation=[1, 0, 0, 2], normalize=True, translation=[0, 0, t / 2])
    for beside, hit in ((Q(1, 5), True), (sp.sqrt(2) / 4 + Q(1, 10**6), False)):
        falling = upper.moved(move(1 + beside, 1 + beside, 3 - 2 * t))
        c = first_contact([body.moved(motion) for body in [falling, FLOOR][::order]], time=(0, 3), budget=QUICK)
        if hit:
            height = sp.sqrt(Q(1, 4) - 2 * beside**2)
            check(c, (3 - height) / 2)
            corner = [e.xreplace({t: (3 - height) / 2}) for e in motion.apply((1, 1, 0))]
            assert np.abs(c.points[0] - np.array(corner, float)).max() < 1e-8 and any(name.startswith("vertex") for name in c.features[0])
        else:
            assert c.status is Status.NO_CONTACT


def test_a_ball_at_the_end_of_a_crease():
    """The crease of z <= 0 and x <= 0 ends at (0, 4, 0)."""
    wedge = half_space() & ImplicitSurface(x, bounds=[(-4, 4)] * 3)
    falling = sphere(1, 2).moved(move(Q(1, 3), 4 + Q(1, 2), 3 - t))
    c = first_contact([falling, wedge], time=(0, 4), budget=QUICK)
    check(c, 3 - sp.sqrt(1 - Q(1, 9) - Q(1, 4)), (0, 4, 0))


@pytest.mark.parametrize("radius, truth", [(Q(1, 2), Q(9, 4)), (2, Q(5, 4))])
def test_balls_on_a_saddle(radius, truth):
    """The small one touches at the middle; the large one, twice, at x = y: 2 x^2 = 4 - (x^2 - h)^2 for h = 5 - 2 t = 5 / 2."""
    for first, second in ((sphere(radius, 3), SADDLE), (ball(radius).moved(TILT), SADDLE)):
        c = first_contact([first.moved(move(0, 0, 5 - 2 * t)), second], time=(0, 3), budget=QUICK)
        check(c, truth, proved=False)
        assert c.proved.all() and len(c.points) == (1 if radius < 1 else 2)


def test_a_ball_on_the_upper_end_of_a_saddle():
    """Where x y = z = 2, at the point (s, 2 / s) nearest to the ball's axis."""
    c = first_contact([sphere(2, 3).moved(move(Q(3, 10), Q(1, 7), 5 - 2 * t)), SADDLE], time=(0, 3), budget=QUICK)
    s = sp.Symbol("s", positive=True)
    square = (s - Q(3, 10)) ** 2 + (2 / s - Q(1, 7)) ** 2
    at = sp.nsolve(sp.diff(square, s), 1.4, prec=40)
    check(c, (3 - sp.sqrt(4 - square.xreplace({s: at}))) / 2, (at, 2 / at, 2))


@pytest.mark.parametrize("floor, height", [(ImplicitSurface(z, bounds=[(-1, 1), (-1, 1), (-1, 0)]), 0),
                                           (ImplicitSurface(z**3 - z, bounds=[(-1, 1)] * 2 + [(Q(1, 2), 1)]), 1)], ids=["plane", "cubic"])
def test_a_surface_that_fills_a_side_of_its_bounds_does_not_end_there(floor, height):
    c = first_contact([sphere(Q(1, 2), 1).moved(move(Q(1, 7), Q(1, 5), 3 - 2 * t)), floor], time=(0, 3), budget=QUICK)
    truth = float((3 - height - Q(1, 2)) / 2)
    # That a point on the bounds is within them can be proved only where nothing is rounded: of the plane, it can a little later.
    assert c.status in (Status.UNRESOLVED, Status.CONTACT) and truth - 1e-8 < c.time.lo <= truth <= c.time.hi
    assert np.abs(c.points - [1 / 7, 1 / 5, height]).max() < 1e-3


@pytest.mark.parametrize("order", [1, -1])
def test_edges_of_two_plates_cross(order):
    """The lower edge of an upright plate slopes down with 3 : 4 and meets that of the floor, x = 1, beside its lowest corner."""
    plate = ImplicitSurface(y, bounds=[(-1, 1)] * 3)
    motion = Rigid(rotation=[3, 0, 1, 0], normalize=True, translation=[Q(6, 5), Q(1, 7), 3 - 2 * t])
    c = first_contact([plate.moved(motion), FLOOR][::order], time=(0, 3), budget=QUICK)
    check(c, Q(19, 20), (1, Q(1, 7), 0))
    assert all(name.startswith("edge") for name in c.features[0]) and np.abs(c.normals[0] + order * np.array([0.6, 0, 0.8])).max() < 1e-9


@pytest.mark.parametrize("body, room, edges", [(sphere(1, 2), [2, 2, 1 + Q(1, 1000)], 0), (sphere(1, 2), [2, 2, 1 - Q(1, 10**9)], 2),
                                               (TORUS, [2, 2, Q(3, 8)], 0), (TORUS, [2, 2, Q(3, 10) - Q(1, 10**6)], 2)])
def test_edges_only_where_a_surface_reaches_its_bounds(body, room, edges):
    """A torus of radii 1 and 3 / 10 and a ball of radius 1, that end a little before their bounds or are cut by these."""
    surface = ImplicitSurface(body.body, bounds=[(-end, end) for end in room])
    left = without_absent(implicit_parts(surface), NONE, (0.0, 1.0))
    assert [part.dimension for part in left] == [2] + edges * [1]


@pytest.mark.parametrize("sizes", [(1, 1, 1), (Q(1, 3), 2, Q(7, 5))])
def test_pieces_of_a_block_have_close_bounds(sizes):
    """A part of the block is where some coordinates are half a size, and the others between: its bounds hold that, and little more."""
    ends = {(s, sign * float(size) / 2) for s, size in enumerate(sizes) for sign in (-1, 1)}
    parts = without_absent(implicit_parts(block(sizes)), NONE, (0.0, 1.0))
    assert [sum(p.dimension == d for p in parts) for d in (2, 1, 0)] == [6, 12, 8]
    for part in parts:
        found = where(part, NONE, (0.0, 1.0))
        fixed = [s for s in range(3) if found[s, 1] - found[s, 0] < 1e-7]
        assert len(fixed) == 3 - part.dimension and all(any(s == k and found[s, 0] <= end <= found[s, 1] for k, end in ends) for s in fixed)
        for s in set(range(3)) - set(fixed):
            half = float(sizes[s]) / 2
            assert found[s, 0] <= -half < found[s, 0] + 1e-7 and found[s, 1] - 1e-7 < half <= found[s, 1]


def test_bounds_of_combined_bodies_hold_their_points():
    """Points of a cylinder's rim and sides, of a bitten ball and of a union, by their closed forms."""
    angle = np.linspace(0, 2 * np.pi, 97)
    rim = np.stack([0.5 * np.cos(angle), 0.5 * np.sin(angle), np.full(97, 1.0)], axis=1)
    drum, bitten = round_cylinder(Q(1, 2), 1), sphere() - sphere(Q(1, 2)).moved(move(0, 0, 1))
    # Two spheres of radii 1 and 1/2, a distance of 1 apart, meet at the height 7/8.
    bite = np.stack([np.cos(angle) * np.sqrt(15) / 8, np.sin(angle) * np.sqrt(15) / 8, np.full(97, 7 / 8)], axis=1)
    for body, points in ((drum, rim), (drum, rim * (1, 1, 0)), (bitten, bite), (bitten, [(0, 0, -1), (1, 0, 0), (0, -1, 0)])):
        boxes = np.array([where(p, NONE, (0.0, 1.0)) for p in without_absent(implicit_parts(body), NONE, (0.0, 1.0))])
        points = np.asarray(points, float)
        inside = (boxes[:, None, :, 0] <= points + 1e-15) & (points - 1e-15 <= boxes[:, None, :, 1])
        assert inside.all(axis=2).any(axis=0).all()
