"""Contacts at the poles of spherical and polar parameters: found quickly, and proved with smooth parameters round them."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from collide.bodies.parts import parts_of
from generative import ImplicitSurface, ParametricSurface, Rigid, axis_angle, t, u, v, z
from models.shapes.quadrics import cone_side, paraboloid_cup, sphere
from models.shapes.solids import cone, cylinder

Q = sp.Rational
FLOOR = ImplicitSurface(z, bounds=[(-5, 5)] * 3)
SLAB = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)})
SHIFT = [Q(1, 7), Q(2, 9), Q(1, 3)]
TILT = Rigid(rotation=[3, 1, 2, 1], translation=SHIFT, normalize=True)


def drop(height, x=0):
    return Rigid(translation=[x, 0, height - t])


# Bodies, the time span, the time and place of the contact.
POLES = {
    "ball in cup": ([sphere(radius=Q(1, 2)).moved(drop(2)), paraboloid_cup(radius=2, height=1)], (0, 2), 1.5, (0, 0, 0)),
    "ball on implicit floor": ([sphere().moved(drop(3)), FLOOR], (0, 4), 2.0, (0, 0, 0)),
    "ball on slab, tilted": ([sphere().moved(drop(3)).moved(TILT), SLAB.moved(TILT)], (0, 4), 2.0, SHIFT),
    "ball on ball, tilted": ([sphere().moved(drop(4)).moved(TILT), sphere().moved(TILT)], (0, 4), 2.0,
                             TILT.apply((0, 0, 1))),
    "ball on cylinder": ([sphere().moved(drop(4)), cylinder()], (0, 4), 1.0, (0, 0, 2)),
    # meets the other ball half a hundredth of a radian from its pole
    "just beside a pole": ([sphere().moved(drop(4, x=Q(1, 100))), sphere()], (0, 4), 4 - float(sp.sqrt(4 - Q(1, 10000))),
                           (0.005, 0, float(sp.sqrt(4 - Q(1, 10000))) / 2)),
    # starts half below the floor, comes up through it, and falls on it again: only the last is incoming
    "up and down again": ([sphere().moved(Rigid(translation=[0, 0, 4 * t - t**2 - Q(5, 2)])), FLOOR], (0, 5),
                          2 + float(sp.sqrt(Q(1, 2))), (0, 0, 0)),
}


@pytest.mark.parametrize("name", POLES)
def test_contact_at_a_pole_is_proved(name):
    bodies, span, time, place = POLES[name]
    c = collide.first_contact(bodies, span, budget=20.0)
    assert c.status is Status.CONTACT and len(c) == 1 and c.proved.all()
    assert c.time.lo <= time + 1e-15 and time - 1e-15 <= c.time.hi and c.time.hi - c.time.lo < 1e-12
    assert c.clear_until <= time + 1e-15
    assert np.abs(c.points[0] - np.array(place, float)).max() < 1e-9
    assert c.iterations < 20_000


@pytest.mark.parametrize("name", ["ball in cup", "ball on ball, tilted", "ball on cylinder"])
@pytest.mark.parametrize("order", ["auto", "upper"])
def test_where_poles_meet_other_parameters_are_asked_for_at_once(name, order):
    """No existence can be proved there, so no bound of the time: all of the time before would be searched for the box at the poles."""
    bodies, span, time, _ = POLES[name]
    c = collide.first_contact(bodies, span, order=order, budget=collide.Budget(seconds=20, boxes=1000))
    assert c.status is Status.CONTACT and c.proved.all() and c.time.lo <= time + 1e-15 and time - 1e-15 <= c.time.hi


def test_the_tip_of_a_cone_stays_a_point():
    """No parameters are smooth there: the apex is a part of its own, and its contact is proved as that of a point."""
    tip = cone_side(radius=1, height=1).moved(Rigid(rotation=[[1, 0, 0], [0, -1, 0], [0, 0, -1]], translation=[0, 0, 3 - t]))
    c = collide.first_contact([tip.moved(TILT), SLAB.moved(TILT)], (0, 4))
    assert c.status is Status.CONTACT and c.proved.all() and c.time.lo <= 2 <= c.time.hi
    assert sum(p.dimension == 0 for p in parts_of(tip)) == 1


def test_a_disc_that_lands_flat_is_sampled_at_its_pole_too():
    disc = ParametricSurface([v * sp.cos(u), v * sp.sin(u), 0], {u: (0, 2 * sp.pi), v: (0, 1)}, flipped=True)
    c = collide.first_contact([disc.moved(drop(1, x=Q(1, 5))), SLAB], (0, 2), simultaneity=1e-3, spacing=0.25)
    assert c.status is Status.CONTACT and c.existence.all() and not c.proved.any()
    local = c.points[:, :2] - [0.2, 0]
    angle, distance = np.meshgrid(np.linspace(0, 2 * np.pi, 50), np.linspace(0, 1, 20))
    grid = np.stack([distance * np.cos(angle), distance * np.sin(angle)], axis=-1).reshape(-1, 2)
    assert np.linalg.norm(grid[:, None] - local[None], axis=2).min(axis=1).max() < 0.251


def test_the_parts_round_a_pole_cover_the_face():
    ball = sphere()
    (whole,) = parts_of(ball)
    face, south = parts_of(ball, frozenset({(0, v, 0)}))
    assert face.whole is whole and face.domain[0] == whole.domain[0] and face.domain[1][1] == whole.domain[1][1]
    # Distances from the axis: the least on the border of the square, that on the border of what is left of the face.
    half = float(south.domain[0][1])
    cut = float(face.domain[1][0])
    assert 2 * half / (1 + half**2) > np.cos(cut)


def test_tips_that_meet_are_located():
    """Vertex on vertex has three equations for the time alone: located, at the right time, without a claim of proof. Every
    longitude of the tips is a zero of the faces' own equations; that neither stalls the search nor fills the answer.
    """
    tip = cone(radius=1, height=1)
    c = collide.first_contact([tip.moved(Rigid(rotation=[[1, 0, 0], [0, -1, 0], [0, 0, -1]], translation=[0, 0, 3 - t])), tip], (0, 4))
    assert c.time.lo <= 1 <= c.time.hi and 1 - 1e-9 < c.clear_until <= 1
    first = [k for k in range(len(c)) if c.boxes[k][-1, 0] < 1.5]
    assert [c.features[k] for k in first] == [("vertex 0", "vertex 0")] and not c.existence[first].any()
    assert "only located" in c.summary() and c.iterations < 200_000


@pytest.mark.parametrize("simultaneity", [0.01, 0.25])
def test_where_a_chart_ends_no_later_crossing_is_a_contact(simultaneity):
    """A ball lands on the middle of a cylinder's lid, a pole of it. A little later it crosses the lid, also where the parameters round the
    pole end: the face goes on there, and nothing touches anew.
    """
    bodies = [sphere().moved(TILT).moved(Rigid(translation=[Q(-1, 7), Q(-2, 9), Q(16, 3) - t])), cylinder(radius=1, height=2)]
    c = collide.first_contact(bodies, (0, 4), simultaneity=simultaneity)
    assert c.status is Status.CONTACT and len(c) == 1 and c.proved.all() and c.time.lo <= Q(8, 3) <= c.time.hi < c.time.lo + 1e-6


# The tip of a cone, at the origin of its frame: no parameters are smooth there, whether it is a pole of a patch or a vertex of a solid.
FUNNEL = ParametricSurface([v * sp.cos(u), v * sp.sin(u), 2 * v], {u: (0, 2 * sp.pi), v: (0, 1)})
SOLID = cone(radius=1, height=2).moved(Rigid(rotation=[0, 1, 0, 0], translation=[0, 0, 2]))


@pytest.mark.parametrize("body", [FUNNEL, SOLID], ids=["patch", "solid"])
@pytest.mark.parametrize("other", [SLAB, ParametricSurface([u, v, sp.sin(3 * u) / 5], {u: (-1, 1), v: (-1, 1)})], ids=["slab", "wave"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_tip_is_not_lost_for_want_of_tangency(body, other, swapped):
    wobble = Rigid(rotation=axis_angle([1, 2, 0], Q(1, 5) + t / 3), translation=[Q(1, 50), Q(1, 5), 1 - t])
    bodies = [body.moved(wobble), other]
    c = collide.first_contact(bodies[::-1] if swapped else bodies, (0, 3))
    time = 1 - float(other.body[2].subs(u, Q(1, 50)))
    assert c.status is Status.CONTACT and len(c) == 1 and c.proved.all()
    assert c.time.lo <= time + 1e-15 and time - 1e-15 <= c.time.hi and c.time.hi - c.time.lo < 1e-6
    assert np.abs(c.points[0] - [Q(1, 50), Q(1, 5), 1 - time]).max() < 1e-5


@pytest.mark.parametrize("factor", [2**40, 10**6, Q(1, 10**6), Q(1, 2**40)], ids=str)
def test_a_tiny_range_of_parameters_makes_no_surface_where_there_is_none(factor):
    """A cap of a paraboloid, of radius 1/2, by a distance from its apex that is `factor` times as small. A ball falls on the apex; another
    one passes beside the cap, where it would be if it went on: 3/10 away at the least.
    """
    rho = factor * v
    cap = ParametricSurface([rho * sp.cos(u), rho * sp.sin(u), -(rho**2)], {u: (0, 2 * sp.pi), v: (0, Q(1, 2) / factor)})
    falling = sphere(radius=Q(1, 10)).moved(drop(Q(9, 10)))
    beside = sphere(radius=Q(1, 10)).moved(Rigid(translation=[Q(9, 10), 0, Q(9, 10) - 2 * t]))
    c = collide.first_contact([cap, falling, beside], (0, 1), budget=20.0)
    assert c.status is Status.CONTACT and c.proved.tolist() == [True] and c.pairs.tolist() == [[0, 1]]
    assert c.time.lo <= 0.8 <= c.time.hi and np.abs(c.points).max() < 1e-9
    c = collide.first_contact([cap, beside], (0, 1), budget=20.0)
    assert c.status is Status.NO_CONTACT
