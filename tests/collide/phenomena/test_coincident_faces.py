"""Bodies combined of others whose faces coincide: every query sees the closure of the interior, without walls, lids and skins."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import DistanceStatus, Status
from generative import Parameter, ParametricSurface, Rigid, axis_angle, primitives, t, u, v
from tests.sampled.cells import compared

Q = sp.Rational
BALL = primitives.ball(Q(1, 10))
ROUND = ParametricSurface([sp.cos(u) * sp.cos(v) / 10, sp.sin(u) * sp.cos(v) / 10, sp.sin(v) / 10],
                          {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
TILTED = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10)), translation=[Q(1, 7), Q(2, 9), Q(1, 3)])
TURNING = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10) + t / 3))


def box(lo, hi):
    return primitives.block([sp.S(b) - a for a, b in zip(lo, hi, strict=True)]).moved(
        Rigid(translation=[(sp.S(a) + b) / 2 for a, b in zip(lo, hi, strict=True)]))


STEP = box((0, 0, 0), (1, 1, 1)) - box((0, 0, Q(1, 2)), (1, 1, 1))
PLATE = primitives.block((4, 4, 1))
DRILLED = PLATE - primitives.round_cylinder(1, 1).moved(Rigid(translation=[0, 0, -Q(1, 2)]))
EMPTY = STEP - STEP
# A ball above each that falls at speed 1 from the height 2 over (x, y), and when it hits.
FALLS = {"a step": (STEP, (Q(1, 2), Q(1, 2)), 1.4), "beside a step": (STEP, (Q(3, 2), Q(1, 2)), None),
         "through a hole": (DRILLED, (Q(1, 3), Q(1, 5)), None), "beside a hole": (DRILLED, (Q(3, 2), Q(1, 5)), 1.4),
         "on a wall that is none": (box((0, 0, 0), (1, 1, 1)) | box((1, 0, 0), (2, 1, Q(1, 2))), (Q(3, 2), Q(1, 2)), 1.4),
         "a body without itself": (EMPTY, (Q(1, 2), Q(1, 2)), None),
         "boxes that touch, intersected": (box((0, 0, 0), (1, 1, 1)) & box((0, 0, 1), (1, 1, 2)), (Q(1, 2), Q(1, 2)), None),
         "balls without halves": (primitives.ball(1) - (primitives.ball(1) - box((-2, -2, -2), (2, 2, 0))), (0, 0), 1.9)}


def falling(ball, place):
    return ball.moved(Rigid(translation=[*place, 2 - t]))


@pytest.mark.parametrize("frame", [None, TILTED, TURNING], ids=["upright", "tilted", "turning"])
@pytest.mark.parametrize("name", FALLS)
def test_a_ball_falls(name, frame):
    body, place, right = FALLS[name]
    ball = BALL if frame is None else ROUND
    bodies = [falling(ball, place), body]
    c = collide.first_contact(bodies if frame is None else [b.moved(frame) for b in bodies], (0, 4), budget=collide.Budget(boxes=40_000))
    if right is None:
        assert c.status is Status.NO_CONTACT
    else:
        assert c.status is Status.CONTACT and c.time.lo <= right <= c.time.hi and c.time.hi - c.time.lo < 1e-5


@pytest.mark.parametrize("name", ["a step", "through a hole"])
def test_all_queries_agree(name, tmp_path):
    body, place, right = FALLS[name]
    bodies = [falling(BALL, place), body]
    shift = Parameter("shift")
    batch = collide.contact_batch([bodies[0].moved(Rigid(translation=[0, 0, shift])), body], (0, 3), parameters={shift: [0.0, 0.25]})
    assert batch.hit.tolist() == [right is not None] * 2
    run = collide.World([collide.RigidBody(BALL, position=[*map(float, place), 2.0], velocity=[0, 0, -1], mass=1.0),
                         collide.RigidBody(body, fixed=True)], gravity=[0, 0, 0]).run(until=3.0)
    assert [event.time[0] for event in run.events][:1] == pytest.approx([] if right is None else [right])
    log = tmp_path / "fall.proof"
    assert collide.first_contact(bodies, (0, 3), log=log).status is (Status.NO_CONTACT if right is None else Status.CONTACT)
    assert collide.check(log).accepted


def test_distances_are_to_what_is_left():
    d = collide.distance(BALL.moved(Rigid(translation=[-1, Q(1, 2), Q(3, 4)])), STEP)
    assert d.bracket[0] <= np.sqrt(17 / 16) - 0.1 <= d.bracket[1] and d.unique.all()
    assert collide.distance(BALL.moved(Rigid(translation=[Q(1, 3), 0, 0])), DRILLED).bracket == pytest.approx([2 / 3 - 0.1] * 2)
    assert collide.distance(BALL, EMPTY).status is DistanceStatus.NOWHERE


def test_an_empty_body_is_out_everywhere_and_has_no_volume():
    assert {kind.name for kind in collide.classify(EMPTY, [[0, 0, 0], [0.5, 0.5, 0.25], [9, 9, 9]])} == {"OUT"}
    with pytest.raises(ValueError, match="encloses no volume"):
        collide.mass_properties(EMPTY)


def test_a_number_for_a_parameter_may_open_a_hole():
    long = Parameter("long")
    body = PLATE - primitives.round_cylinder(1, long).moved(Rigid(translation=[0, 0, -Q(1, 2)]))
    bodies = [falling(BALL, (Q(1, 3), Q(1, 5))), body]
    assert [collide.first_contact(bodies, (0, 4), parameters={long: k}).status for k in (Q(1, 2), 1)] == [Status.CONTACT, Status.NO_CONTACT]
    assert collide.contact_batch(bodies, (0, 4), parameters={long: [0.5, 1.0, 2.0]}).hit.tolist() == [True, False, False]


@pytest.mark.parametrize("seed", [3, 9])
def test_random_bodies_against_their_cells(seed):
    assert compared("cells", seed, 20.0)[1] == []
