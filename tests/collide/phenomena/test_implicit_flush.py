"""Implicit bodies that land flat, or along a line, in frames that are tilted, or turn: few boxes, and times known in closed form.

As in `test_flush`, what coincides does so by formulas whose values are rounded. Here functions of points in space have to show that they
hardly vary along the contact.
"""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.bodies.implicit_parts import implicit_parts
from collide.bodies.numbers import NONE
from collide.bodies.surface_points import surface_point
from collide.search.search import Search
from collide.situations.presence import where, without_absent
from generative import ImplicitSurface, ParametricSurface, Rigid, axis_angle, t, u, v, x, y, z
from generative.primitives import ball, block, round_cylinder
from models.shapes.patches import plane_patch
from models.shapes.solids import cylinder

Q = sp.Rational
TILTED = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10)), translation=[Q(1, 7), Q(2, 9), Q(1, 3)])
TURNING = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10) + t / 3))
SPIN = Rigid(rotation=axis_angle([0, 0, 1], t / 2))
FLOOR, PLATE = ImplicitSurface(z, bounds=[(-5, 5), (-5, 5), (-1, 1)]), plane_patch(width=4, depth=4)
DRUM, COIN, CUBE = round_cylinder(Q(1, 2), 1), cylinder(radius=Q(1, 2), height=1), block((Q(3, 5), 1, 1))
LOG = ImplicitSurface(x**2 + z**2 - Q(1, 4), bounds=[(-1, 1)] * 3)
CONE = ImplicitSurface(x**2 + y**2 - z**2 / 3, bounds=[(-1, 1), (-1, 1), (0, Q(3, 2))])
LYING = Rigid(rotation=axis_angle([1, 0, 0], sp.pi / 3))


def fall(height, a=Q(1, 9), b=Q(1, 13)):
    return Rigid(translation=[a, b, height - t])


SCENES = {
    # upper body, lower body, the time they meet; the upper one is down by the time 3, and what it stands on lies at height 0 or 1
    "a parametric coin on an implicit floor": (COIN.moved(fall(3)), FLOOR),
    "one that spins": (COIN.moved(SPIN).moved(fall(3)), FLOOR),
    "an implicit drum on an implicit floor": (DRUM.moved(SPIN).moved(fall(3)), FLOOR),
    "an implicit drum on a parametric plate": (DRUM.moved(fall(3)), PLATE),
    "an implicit drum on another": (DRUM.moved(fall(4)), DRUM),
    "an implicit block on another": (CUBE.moved(fall(4)), CUBE),
    "an implicit log on an implicit floor": (LOG.moved(SPIN).moved(fall(Q(7, 2))), FLOOR),
    "an implicit log on a parametric plate": (LOG.moved(fall(Q(7, 2))), PLATE),
    "an implicit log along another": (LOG.moved(fall(4, 0)), LOG),
    "an implicit cone that lies on a parametric plate": (CONE.moved(LYING).moved(fall(3)), PLATE),
    "an implicit cone that lies on an implicit floor": (CONE.moved(LYING).moved(fall(3)), FLOOR),
}


@pytest.mark.parametrize("frame", [TILTED, TURNING], ids=["tilted", "turning"])
@pytest.mark.parametrize("name", SCENES)
def test_what_lands_on_an_implicit_body_is_found_in_few_boxes(name, frame):
    c = collide.first_contact([body.moved(frame) for body in SCENES[name]], (0, 4), spacing=0.2,
                              budget=collide.Budget(boxes=20_000, seconds=None))
    assert c.status is collide.Status.CONTACT and c.existence.any()
    assert c.clear_until <= 3 <= c.time.hi and c.time.lo <= 3 and c.time.hi - c.time.lo < 2e-6


UNIT, LARGE = block(), block((3, 3, 1))
STACKS = {
    # upper body, lower body, where the upper one stands
    "blocks of one size": (UNIT, UNIT, (0, 0)),
    "blocks along an edge": (UNIT, UNIT, (0, Q(1, 9))),
    "a block at the corner of another": (UNIT, LARGE, (1, 1)),
    "drums of one radius": (DRUM, DRUM, (0, 0)),
}


@pytest.mark.parametrize("name, frame", [
    *((name, Rigid()) for name in STACKS), ("blocks along an edge", TILTED), ("drums of one radius", TILTED)])
def test_sides_that_coincide_do_not_keep_bodies_from_landing(name, frame):
    """Sides in one plane, or on one cylinder, touch as soon as they overlap: inequalities tell that they do not before."""
    upper, lower, at = STACKS[name]
    c = collide.first_contact([upper.moved(fall(4, *at)).moved(frame), lower.moved(frame)], (0, 4), spacing=0.2,
                              budget=collide.Budget(boxes=300_000, seconds=None))
    assert c.status is collide.Status.CONTACT and c.existence.any()
    assert c.clear_until <= 3 <= c.time.hi and c.time.lo <= 3 and c.time.hi - c.time.lo < 2e-6
    assert covered(inside(c.points, frame)[:, :2], upper, lower, at)


def inside(points, frame):
    """The points as the frame sees them."""
    rotation, shift = (np.array(m.evalf(30), float) for m in (frame.rotation, frame.translation))
    return (points - shift.ravel()) @ rotation


def covered(points, upper, lower, at, apart=0.2):
    """Is a sample within `apart` of each point where the bodies stand on each other, and none elsewhere?"""
    grid = np.stack(np.meshgrid(*[np.linspace(-2, 2, 81)] * 2), axis=-1).reshape(-1, 2)

    def shared(p, margin):
        if upper is DRUM:
            return np.linalg.norm(p, axis=1) <= 0.5 + margin
        half = 1.5 if lower is LARGE else 0.5
        return (np.abs(p).max(axis=1) <= half + margin) & (np.abs(p - np.array(at, float)).max(axis=1) <= 0.5 + margin)

    reach = np.linalg.norm(grid[shared(grid, 0.0)][:, None] - points[None], axis=2).min(axis=1)
    return shared(points, 2e-6).all() and reach.max() <= apart + 1e-6


@pytest.mark.parametrize("lift", [Q(1, 10**6), Q(1, 10**9)])
@pytest.mark.parametrize("body", [COIN, DRUM, LOG.moved(Rigid(translation=[0, 0, Q(1, 2)]))], ids=["coin", "drum", "log"])
def test_what_stays_a_little_above_a_tilted_floor_does_not_touch(body, lift):
    """It comes down to `lift` above the floor, and up again."""
    above = Rigid(translation=[Q(1, 9), Q(1, 13), lift + (t - 1) ** 2])
    c = collide.first_contact([body.moved(above).moved(TILTED), FLOOR.moved(TILTED)], (0, 2),
                              budget=collide.Budget(boxes=200_000, seconds=None))
    assert c.status is collide.Status.NO_CONTACT


def parts(body):
    return without_absent(implicit_parts(body), NONE, (0.0, 1.0))


def test_opposite_faces_have_no_edges():
    """Of the sets of two or three of six planes all but the edges and vertices of a block hold parallel ones."""
    assert [sum(p.dimension == k for p in parts(CUBE)) for k in (2, 1, 0)] == [6, 12, 8]
    assert [sum(p.dimension == k for p in parts(ball(1) - ball(Q(1, 2)))) for k in (2, 1, 0)] == [2, 0, 0]


def test_parts_are_enclosed_closely():
    """A face of a block is a rectangle, an edge a line: to a few thousandths, and held."""
    half = np.array([0.3, 0.5, 0.5])
    for part in parts(CUBE):
        found = where(part, NONE, (0.0, 1.0))
        fixed = {}
        for leaf in part.leaves:
            (s,) = leaf.body.free_symbols
            fixed["xyz".index(s.name)] = np.sign(float(leaf.body.coeff(s))) * half["xyz".index(s.name)]
        truth = np.array([[fixed[k], fixed[k]] if k in fixed else [-half[k], half[k]] for k in range(3)])
        assert (found[:, 0] <= truth[:, 0]).all() and (found[:, 1] >= truth[:, 1]).all() and np.abs(found - truth).max() < 4e-3


def test_a_point_of_a_surface_is_a_point_where_the_sign_is_undecided_half_way():
    """The middle between the two ends of a tilted floor's bounds lies on it but for rounding."""
    for moment in (0.0, 0.25):
        for body, motion in ((FLOOR, TILTED), (FLOOR, TURNING), (ball(1), TILTED)):
            box = surface_point(body.moved(motion), moment)
            assert box is not None and (box[:, 1] - box[:, 0]).max() < 1e-12


@pytest.fixture
def limits_at_once(monkeypatch):
    """Inequalities contract boxes from the first step on, not in long searches only."""
    run = Search.run
    monkeypatch.setattr("collide.search.search._LONG", -1)

    def sooner(self, steps):
        for _ in self.problems:
            self.pause()
            self.run_plainly(1)
        return run(self, steps)

    monkeypatch.setattr(Search, "run_plainly", run, raising=False)
    monkeypatch.setattr(Search, "run", sooner)


def dimpled():
    """A block with dimples in its lower face, whose parts are measured."""
    body = UNIT
    for k in range(3):
        body = body - ball(Q(1, 10)).moved(Rigid(translation=[Q(k - 1, 4), 0, -Q(1, 2)]))
    return body


@pytest.mark.parametrize("below", [UNIT, dimpled()], ids=["block", "dimpled"])
@pytest.mark.parametrize("frame", [Rigid(), TILTED], ids=["straight", "tilted"])
@pytest.mark.parametrize("at", [(0, 0), (Q(7, 10), Q(1, 9)), (Q(7, 10), Q(7, 10))], ids=["face", "edge", "vertex"])
def test_inequalities_keep_every_contact(limits_at_once, frame, at, below):
    """A ball comes down on a block, beside its upper face by 1 / 5 or not."""
    over = [max(Q(e) - Q(1, 2), 0) for e in at]
    truth = sp.N(3 - Q(1, 2) - sp.sqrt(Q(1, 4) - over[0] ** 2 - over[1] ** 2), 30)
    for body in (ball(Q(1, 2)), ParametricSurface([e / 2 for e in (sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v))],
                                                  {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})):
        c = collide.first_contact([body.moved(fall(3, *at)).moved(frame), below.moved(frame)], (0, 3))
        assert c.status is collide.Status.CONTACT and c.time.lo <= truth <= c.time.hi < c.time.lo + 1e-9 and c.clear_until <= truth
