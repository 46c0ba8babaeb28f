"""The state of two bodies at the beginning."""

import numpy as np
import pytest
import sympy as sp

from collide import Budget, Start, Status, first_contact
from collide.bodies.parts import faces_of
from collide.bodies.surface_points import surface_point
from collide.moment.start import nested, start_of
from collide.search.clock import Clock
from collide.search.drive import drive
from collide.search.options import Options
from collide.search.search import Search
from collide.situations.contact import at_time, situation
from collide.timeline.scene import Scene
from generative import ImplicitSurface, ParametricSurface, Rigid, Solid, t, u, v, x, y, z
from generative.motion import axis_angle
from tests.collide.contact_scenes import FLOOR, TILT, TURNED, Q, ball, box, cylinder, half_space, move, slab, sphere


def covered(domain):
    """The unit sphere over a domain that covers it twice."""
    return ParametricSurface(ball().body, domain)


ASKEW = ball(Q(1, 4)).moved(TILT).moved(move(Q(1, 5), Q(1, 7), Q(1, 9)))
# Of radius 1/100, between the points of a grid in its bounds.
SPECK = ImplicitSurface(x**2 + y**2 + z**2 - Q(1, 10000), bounds=[(-4, 4), (-3, 4), (-2, 4)])
# One patch, which has a crease where its formulas change.
CONES = ParametricSurface([(1 - sp.Abs(v)) * sp.cos(u), (1 - sp.Abs(v)) * sp.sin(u), v], {u: (0, 2 * sp.pi), v: (-1, 1)}).moved(TILT)
# Whose S_u x S_v points inwards.
MIRRORED = ParametricSurface([-e for e in ball(2).body], ball(2).domain, flipped=True)
SQUARE = ImplicitSurface(z, bounds=[(-Q(1, 8), Q(1, 7))] * 3)
# Two ovals round (1, 0, 0) and (-1, 0, 0), 1/5 high and wide.
TWO = ImplicitSurface((x**2 - 1) ** 2 + 4 * y**2 + 4 * z**2 - Q(1, 25), bounds=[(-2, 2)] * 3)

STATES = [
    ("apart", ball(), ball().moved(move(3, 0, 0)), "DISJOINT"),
    ("apart, boxes overlap", ball(), ball().moved(move(Q(3, 2), Q(3, 2), 0)), "DISJOINT"),
    ("apart by 1e-9", ball().moved(TILT), sphere().moved(move(2 + Q(1, 10**9), 0, 0)), "DISJOINT"),
    ("crossing", ball().moved(TILT), ball().moved(TURNED).moved(move(1, 0, 0)), "OVERLAPPING"),
    ("crossing, implicit", sphere(), sphere().moved(move(1, Q(1, 3), 0)), "OVERLAPPING"),
    ("crossing by 1e-6", sphere(), ball().moved(TILT).moved(move(2 - Q(1, 10**6), 0, 0)), "OVERLAPPING"),
    ("touching", ball().moved(TILT).moved(move(0, 0, 1)), FLOOR, "TOUCHING"),
    ("touching, implicit", sphere().moved(move(0, 0, 1)), FLOOR, "TOUCHING"),
    ("box standing", box(1, 1, 1).moved(move(0, 0, Q(1, 2))), FLOOR, "TOUCHING"),
    ("inside", ball(Q(1, 2)).moved(TILT).moved(move(1, 0, 0)), ball(2), "OVERLAPPING"),
    ("inside, the other way", ball(2), ball(Q(1, 2)).moved(TILT).moved(move(1, 0, 0)), "OVERLAPPING"),
    ("inside, implicit", sphere(Q(1, 2)), sphere(2), "OVERLAPPING"),
    ("in a room, whose normals point inwards", ball(Q(1, 2)).moved(TILT), ball(2, flipped=True), "DISJOINT"),
    ("beside a room", ball(Q(1, 2)).moved(move(2, 2, 0)), ball(2, flipped=True).moved(TILT), "DISJOINT"),
    ("a room within a ball", ball(Q(1, 2), flipped=True).moved(TILT), ball(2), "OVERLAPPING"),
    ("inside, flipped outwards", ball(Q(1, 2)).moved(TILT), MIRRORED, "OVERLAPPING"),
    ("inside a box", sphere(Q(1, 4)), box(2, 2, 2).moved(TILT), "OVERLAPPING"),
    ("inside a cylinder", ball(Q(1, 4)).moved(move(Q(1, 3), 0, 1)), cylinder(1, 2), "OVERLAPPING"),
    ("below the floor", ball().moved(move(0, 0, -2)), half_space(), "OVERLAPPING"),
    ("in the cavity", ball(Q(1, 2)).moved(TILT), sphere(2) - sphere(1), "DISJOINT"),
    ("in the hole of a hollow box", sphere(Q(1, 4)), sphere(2) - sphere(Q(1, 2)), "DISJOINT"),
    ("an open patch has no inside", ball(Q(1, 4)).moved(move(0, 0, Q(1, 2))), slab(), "DISJOINT"),
    ("patch through a ball", slab(), ball().moved(TILT), "OVERLAPPING"),
    ("patch inside a ball", slab(Q(1, 4)), ball().moved(TILT), "OVERLAPPING"),
    ("inside a ball covered twice", ASKEW, covered({u: (0, 4 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}), "OVERLAPPING"),
    ("beside a ball covered twice", ASKEW.moved(move(1, 1, Q(1, 2))), covered({u: (0, 4 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}), "DISJOINT"),
    ("inside a ball covered back and forth", ASKEW, covered({u: (0, 2 * sp.pi), v: (-sp.pi / 2, 3 * sp.pi / 2)}), "UNKNOWN"),
    ("a small implicit ball inside", SPECK.moved(move(Q(1, 7), 0, 0)), ball(), "OVERLAPPING"),
    ("a small implicit ball beside", SPECK.moved(move(Q(4, 5), Q(3, 5), Q(1, 5))), ball(), "DISJOINT"),
    ("inside two cones with a crease between them", ASKEW, CONES, "OVERLAPPING"),
    ("beside two cones with a crease between them", ASKEW.moved(move(Q(1, 2), Q(1, 2), Q(3, 5))), CONES, "DISJOINT"),
    ("the second of two balls inside", Solid([ball(Q(1, 4)).moved(move(3, 0, 0)), ball(Q(1, 4))]), ball().moved(TILT), "OVERLAPPING"),
    ("the second of two implicit balls inside", sphere(Q(1, 4)).moved(move(3, 0, 0)) | sphere(Q(1, 4)), ball().moved(TILT), "OVERLAPPING"),
    ("a square that ends at its bounds inside", sphere(Q(1, 4)).moved(move(3, 0, 0)) | SQUARE, ball().moved(TILT), "OVERLAPPING"),
    ("two pieces of one function, one inside", TWO, ball(Q(1, 2)).moved(move(1, 0, 0)), "OVERLAPPING"),
    ("two pieces of one function, one inside an implicit ball", TWO, sphere(Q(1, 2)).moved(move(1, 0, 0)), "OVERLAPPING"),
    ("two pieces of one function, none inside", TWO.moved(move(0, Q(7, 5), 0)), sphere().moved(TILT), "DISJOINT"),
    ("a ball between two pieces", TWO, ball(Q(1, 3)).moved(TILT), "DISJOINT"),
]


RING = 1 + Q(3, 10) * sp.cos(v)
TORUS = ParametricSurface([RING * sp.cos(u), RING * sp.sin(u), Q(3, 10) * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
# Exactly two units from (0, 0, 0), in no special direction.
ASIDE = (Q(2, 3), Q(4, 3), Q(4, 3))
GAPS = [(name, first, second, gap, state) for name, first, second in
        [("parametric", ball().moved(TILT), ball().moved(TURNED)), ("implicit", sphere(), sphere())]
        for gap, state in [(0, "TOUCHING"), (Q(1, 10**8), "DISJOINT"), (-Q(1, 10**7), "OVERLAPPING")]]


@pytest.mark.parametrize("name, first, second, gap, state", GAPS)
def test_faces_that_all_but_touch_in_general_position(name, first, second, gap, state):
    """Decided within some thousand boxes: the equations alone would leave 1e7 of them."""
    clock = Clock(Budget(seconds=20, boxes=20_000))
    away = second.moved(move(*((1 + gap / 2) * e for e in ASIDE)))
    assert start_of(first, away, 0.0, 1e-9, clock).state is Start[state]


def test_boxes_in_flat_contact_from_the_start_take_little():
    """A box slides along another one, in general position; a ball that comes down beside it is found all the same."""
    upper = box(1, 1, 1).moved(move(t, 0, 1)).moved(TILT)
    third = sphere(Q(1, 2)).moved(move(0, Q(5, 4), Q(3, 2) - t)).moved(TILT)
    c = first_contact([upper, box(3, 3, 1).moved(TILT), third], time=(0, Q(3, 4)), budget=Budget(seconds=20, boxes=400_000))
    assert c.start == {(0, 1): Start.TOUCHING, (0, 2): Start.DISJOINT, (1, 2): Start.DISJOINT}
    assert c.status is Status.CONTACT and c.clear_until == c.time.lo == 0 and 0.5 <= c.time.hi < 0.5 + 1e-9
    assert "bodies 0 and 1 begin with" in c.summary() and "tracked" in c.summary()


@pytest.mark.parametrize("name, first, second, state", STATES, ids=[s[0] for s in STATES])
def test_state(name, first, second, state):
    clock = Clock(Budget(seconds=20))
    assert start_of(first, second, 0.0, 1e-9, clock).state is Start[state]


@pytest.mark.parametrize("motion", [move(0, 0, 0), move(0, 0, t)], ids=["at rest", "moving"])
def test_formulas_without_a_bound_are_not_called_a_touch(motion):
    """sin(u) log(u) has no bound at u = 0, where intervals see 0 times infinity; the surface is more than 6/10 above the plate."""
    high = ParametricSurface([u, v, 1 + sp.sin(u) * sp.log(u)], {u: (0, 1), v: (-1, 1)}).moved(motion)
    plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    assert start_of(high, plate, 0.0, 1e-9, Clock(Budget(seconds=20))) == (Start.UNKNOWN, False, True)
    c = first_contact([high, plate], (0, 1), budget=20)
    assert c.start == {(0, 1): Start.UNKNOWN} and "have no bound" in c.summary() and "touching" not in c.summary()


def test_no_time_to_decide():
    clock = Clock(Budget(boxes=1))
    clock.boxes = 2
    assert start_of(ball().moved(TILT), ball(), 0.0, 1e-9, clock).state is Start.UNKNOWN


def test_without_time_only_what_is_culled_is_called_apart():
    clock = Clock(Budget())
    clock.interrupted = True
    scene = Scene([ball().moved(move(place, 0, 0)) for place in (0, Q(3, 2), 9, 12)], (0, 1), (0.0, 1.0), ())
    states = scene.start(1e-9, clock)
    assert [states[pair] for pair in ((0, 1), (0, 2), (2, 3))] == [Start.UNKNOWN, Start.DISJOINT, Start.DISJOINT]


def test_a_point_of_an_implicit_surface_is_on_it():
    body = (sphere(2) - sphere(1).moved(move(0, 0, 2))).moved(move(Q(1, 3), 0, 0))
    point = surface_point(body, 0.5)
    assert point is not None and (point[:, 1] - point[:, 0]).max() < 1e-9
    a, b, c = (sp.Float(float(e), 40) for e in point.mean(axis=1))
    outer = (a - Q(1, 3)) ** 2 + b**2 + c**2 - 4
    inner = 1 - ((a - Q(1, 3)) ** 2 + b**2 + (c - 2) ** 2)
    assert abs(max(outer, inner)) < 1e-12


def test_a_point_of_a_surface_in_the_middle_of_its_bounds_is_narrow():
    """Halfway between both sides rounding hides the sign of a tilted floor."""
    point = surface_point(half_space().moved(TILT), 0.0)
    assert point is not None and (point[:, 1] - point[:, 0]).max() < 1e-9
    down = TILT.turn((0, 0, 1))
    offset = sum(sp.Rational(float(p)) * e for p, e in zip(point.mean(axis=1), down, strict=True))
    assert abs(sp.N(offset, 30)) < 1e-12


@pytest.mark.parametrize("width", [1, Q(1, 2)])
def test_a_ring_above_a_tilted_floor_starts_apart_within_few_boxes(width):
    """Neither is inside the other: by a ray from a point of the floor that is known well. The ring lands flat at 7/10."""
    ring = ParametricSurface([2 * TORUS.body[0], 2 * width * TORUS.body[1], TORUS.body[2]], TORUS.domain)
    budget = Budget(seconds=None, boxes=20_000)
    bodies = [ring.moved(move(0, 0, 1 - t)).moved(TILT), FLOOR.moved(TILT)]
    c = first_contact(bodies, (0, 2), simultaneity=1e-3, spacing=0.2, budget=budget)
    assert c.start == {(0, 1): Start.DISJOINT} and c.status is Status.CONTACT and c.existence.all()
    assert c.time.lo <= 0.7 <= c.time.hi and c.iterations < 5000


def test_a_ray_whose_crossings_cannot_be_counted_is_given_up(monkeypatch):
    """From a point that is hardly known at all."""
    monkeypatch.setattr("collide.moment.inside.surface_point", lambda *known: np.array([[-4.0, 4.0]] * 3))
    clock = Clock(Budget(seconds=60))
    assert nested(ball().moved(TILT), half_space(-4), 0.0, clock) is Start.UNKNOWN and clock.boxes < 200_000


def test_a_crossing_of_overlapping_bodies_is_no_new_contact():
    """A ball drifts out of a ring that it overlaps at the start: they cross all the time, and nothing touches anew.

    At a pole of the ball, where its normal vanishes, a crossing passes for tangential.
    """
    ring = 1 + Q(3, 10) * sp.cos(v)
    torus = ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), Q(3, 10) * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
    drift = [Q(41, 10) + Q(37, 20) * t, Q(196, 25) - Q(233, 100) * t, -Q(109, 25) - Q(209, 100) * t]
    sway = [4 - Q(2, 25) * t, Q(767, 100) + Q(11, 10) * t, -Q(357, 100) - Q(17, 25) * t]
    first = ball().moved(Rigid(axis_angle([1, 2, 2], 3 * sp.exp(-t) / 4), drift))
    c = first_contact([first, torus.moved(Rigid(axis_angle([0, 0, 1], sp.cos(2 * t) / 4), sway))], time=(0, 1))
    assert c.start == {(0, 1): Start.OVERLAPPING}
    assert c.status is Status.NO_CONTACT and c.time is None and "No new contact" in c.summary()


def test_where_it_is_not_decided_whether_a_body_encloses_another_the_surfaces_are_spoken_of():
    """A ball inside one that is covered back and forth, which a ray crosses as often either way, hits it from within."""
    c = first_contact([ASKEW.moved(move(0, 0, t)), covered({u: (0, 2 * sp.pi), v: (-sp.pi / 2, 3 * sp.pi / 2)})], (0, 2))
    height = sp.sqrt(Q(9, 16) - Q(1, 25) - Q(1, 49)) - Q(1, 9)
    assert c.start == {(0, 1): Start.UNKNOWN} and c.nesting == {(0, 1)} and c.status is Status.CONTACT
    assert c.time.lo <= height <= c.time.hi and c.time.hi - c.time.lo < 1e-9
    assert "said of their surfaces" in c.summary() and "incoming" not in c.summary() and "All pairs" not in c.summary()


@pytest.mark.parametrize("inner, outer, state", [
    (ball(Q(1, 4)), box(2, 2, 2).moved(TILT), "OVERLAPPING"), (sphere(Q(1, 4)), box(2, 2, 2).moved(TILT), "OVERLAPPING"),
    (box(1, 1, 1), box(4, 4, 4).moved(TILT), "OVERLAPPING"), (cylinder(Q(1, 4), Q(1, 2)), ball(3).moved(TILT), "OVERLAPPING"),
    (box(1, 1, 1), (sphere(4) - sphere(2)).moved(TILT), "DISJOINT"),
    (box(1, 1, 1).moved(move(2, 2, Q(1, 3))), box(2, 2, 2).moved(TILT), "DISJOINT"),
])  # fmt: skip
@pytest.mark.parametrize("order", [1, -1])
def test_a_body_far_from_all_faces_of_the_one_that_encloses_it(inner, outer, state, order):
    """No face comes near another one, and nothing is searched; yet one is inside the other."""
    c = first_contact([inner.moved(move(t / 10, 0, 0)), outer][::order], (0, 1))
    assert c.start == {(0, 1): Start[state]} and c.status is Status.NO_CONTACT


def test_bodies_of_which_that_is_not_decided_are_searched_as_those_that_start_apart(monkeypatch):
    """A ball hits another one from within, which were no new contact of bodies known to overlap."""
    scene = [ASKEW.moved(move(0, 0, t)), ball()], (0, 2)
    assert first_contact(*scene).status is Status.NO_CONTACT
    monkeypatch.setattr("collide.moment.start.inside", lambda *known: None)
    c = first_contact(*scene)
    assert c.start == {(0, 1): Start.UNKNOWN} and c.status is Status.CONTACT and c.proved.tolist() == [True]


# -- contacts just at the beginning -----------------------------------------------------------------------------------------

UPRIGHT = Rigid(rotation=[[1, 0, 0], [0, 0, -1], [0, 1, 0]])
# Crossed tori touch when their centres are sqrt(39)/5 apart.
BEGINNINGS = [
    ("ball on a plate", ball().moved(move(0, 0, 1 - t)), slab(), 1),
    ("inward normals on a plate", ball(flipped=True).moved(TILT).moved(move(0, 0, 1 - t)), slab(), 1),
    ("tilted ball on an implicit floor", ball().moved(TILT).moved(move(0, 0, 1 - t)), FLOOR, 1),
    ("all tilted", ball().moved(move(0, 0, 1 - t)).moved(TILT), slab().moved(TILT), 1),
    ("implicit balls", sphere().moved(move(*((1 - t) * e for e in ASIDE))), sphere(), 1),
    ("crossed tori", TORUS.moved(UPRIGHT).moved(move(0, 0, sp.sqrt(39) / 5 - t)).moved(TILT), TORUS.moved(TILT), 2),
]


@pytest.mark.parametrize("name, first, second, points", BEGINNINGS, ids=[b[0] for b in BEGINNINGS])
def test_a_contact_just_at_the_beginning_is_proved(name, first, second, points):
    """They touch at t = 0, exactly: no double tells that from a contact a little before, so the bracket holds 0."""
    c = first_contact([first, second], (0, 1), budget=Budget(seconds=None, boxes=200_000))
    assert c.status is Status.CONTACT and c.start == {(0, 1): Start.TOUCHING}
    assert c.time.lo <= 0 <= c.time.hi and c.time.hi - c.time.lo < 1e-12 and c.clear_until == 0.0
    assert len(c) == points and c.proved.all() and "come together as the time span begins" in c.summary()
    if "plate" in name:  # outward is the way in which they come together
        assert np.allclose(c.normals, [[0, 0, -1]], atol=1e-6)


def test_what_touched_before_the_beginning_is_no_contact_of_the_span():
    """One ball comes down on a plate at t = 0. Another one leaves it then, and touched it a quarter of the simultaneity before: that
    pair starts apart, and is searched from the beginning.
    """
    down, up = ball().moved(TILT).moved(move(-1, 0, 1 - t)), ball().moved(TILT).moved(move(Q(3, 2), 0, 1 + t + Q(1, 4 * 10**6)))
    c = first_contact([down, up, slab(3)], (0, Q(1, 8)), budget=Budget(seconds=None, boxes=200_000))
    assert c.start[0, 2] is Start.TOUCHING and c.start[1, 2] is Start.DISJOINT
    assert c.status is Status.CONTACT and c.pairs.tolist() == [[0, 2]] and c.time.lo <= 0 <= c.time.hi


def test_what_overlaps_by_less_than_can_be_told_met_before_the_beginning():
    """1e-14 below the floor at t = 0, still going down: the contact is past, and there is no new one."""
    c = first_contact([sphere().moved(move(0, 0, 1 - Q(1, 10**14) - t)), FLOOR], (0, Q(1, 2)), budget=Budget(seconds=None, boxes=400_000))
    assert c.start == {(0, 1): Start.TOUCHING} and c.status is Status.NO_CONTACT


STEADY = Rigid(rotation=axis_angle([1, 2, 3], t), translation=[t, t**2, 0])


@pytest.mark.parametrize("carrier", [TILT, STEADY], ids=["at rest", "carried along"])
@pytest.mark.parametrize("kind", ["patches", "blocks"])
def test_what_rests_on_each_other_does_not_hide_what_comes(carrier, kind):
    """A ball comes down on a floor that is crossed by a wall, at t = 3/2; all of it may be carried along."""
    floor, wall = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)}), ParametricSurface([2, u, v], {u: (-3, 3), v: (-1, 3)})
    if kind == "blocks":
        floor, wall = box(6, 6, 1).moved(move(0, 0, -Q(1, 2))), box(1, 1, 1).moved(move(2, 0, Q(1, 2)))
    falling = ball(Q(1, 2)).moved(move(0, 0, 2 - t))
    c = first_contact([body.moved(carrier) for body in (falling, floor, wall)], (0, 3))
    assert c.start[1, 2] is not Start.DISJOINT and c.start[0, 1] is c.start[0, 2] is Start.DISJOINT
    assert c.status is Status.CONTACT and c.proved.all() and c.time.lo <= Q(3, 2) <= c.time.hi and c.clear_until == c.time.lo
    assert c.pairs.tolist() == [[0, 1]] and "Bodies 1 and 2 do not move against each other" in c.summary()


def test_bodies_that_overlap_and_part_fast_are_not_called_apart():
    """The sign of the function at a point, and that it grows, tell of first contacts alone. No sample is tried, which would find a crossing
    at once.
    """
    leaving = ball().moved(Rigid(translation=[0, 0, Q(3, 2) + 1000 * t]))
    problem = at_time(situation(*faces_of(leaving), *faces_of(sphere()), (0, 1), tangency=False), (0.0, 0.0))
    search = Search([problem], Options(tolerance=1e-2, sample=False))
    assert drive(search, Clock(Budget(seconds=60))) and len(search.solutions)
