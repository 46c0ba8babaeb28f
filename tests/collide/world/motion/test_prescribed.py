"""Driven bodies that push others, and forces that press."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from codegen.interval import Interval
from collide import Outcome, RigidBody, World
from collide.world.narrow_phase import time_of_impact
from generative import Chain, ParametricSurface, Rigid, revolute, solids, t, u, v

from ..scenes import BALL, EGG, FLOOR

WALL = ParametricSurface([0, u, v], {u: (-9, 9), v: (-9, 9)})


def pushed(along, restitution=0.0):
    """A ball of radius 1 at rest, and a wall at x = `along`."""
    wall = RigidBody(WALL, motion=Rigid(translation=[along, 0, 0]))
    return World([wall, RigidBody(BALL)], gravity=(0, 0, 0), restitution=restitution).run(until=4.0)


@pytest.mark.parametrize(("along", "hit"), [(t**2 / 2 - 2, np.sqrt(2.0)), (t - 2 + (t - 1) ** 3, 1.0)])
def test_a_wall_that_speeds_up_pushes(along, hit):
    """Where they meet they have one velocity; the wall's acceleration presses it on, or the change of that."""
    run = pushed(along)
    assert run.outcome is Outcome.FINISHED and run.events[0].time[0] == pytest.approx(hit, abs=1e-9)
    assert run.state(4.0).positions[1, 0] == pytest.approx(float(along.subs(t, 4)) + 1, abs=1e-9)


def test_a_wall_whose_push_only_shows_later_does_not_pass_into_what_it_meets():
    run = pushed(t - sp.Rational(5, 2) + (t - sp.Rational(3, 2)) ** 5)
    assert run.outcome is Outcome.UNRESOLVED and "stay in contact" in run.reason
    assert len(run.events) == 1 and run.until == pytest.approx(1.5, abs=1e-9)


def test_a_wall_that_slows_down_lets_go():
    run = pushed(2 * sp.sin(t) - 2)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 1
    # It hits at pi / 6, with the speed sqrt(3).
    np.testing.assert_allclose(run.state(4.0).positions[1], [np.sqrt(3) * (4 - np.pi / 6), 0, 0], atol=1e-9)


def test_a_wall_that_moves_evenly_is_followed():
    run = pushed(t - 2)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 1
    np.testing.assert_allclose(run.state(4.0).positions[1], [3, 0, 0], atol=1e-12)


def test_bounces_from_a_wall_that_speeds_up_end():
    """Seen from the wall the ball falls with the acceleration 1, with the speed sqrt(2) when they first meet, half of it after, and so on:
    bounces take 2 sqrt(2), half of that, ... and end at 3 sqrt(2).
    """
    wall = RigidBody(WALL, motion=Rigid(translation=[t**2 / 2 - 2, 0, 0]))
    run = World([wall, RigidBody(BALL)], gravity=(0, 0, 0), restitution=0.5).run(until=9.0)
    times = [e.time[0] for e in run.events]
    np.testing.assert_allclose(times[:12], np.sqrt(2) * (3 - 2 * 0.5 ** np.arange(12)), atol=1e-9)
    assert run.outcome is Outcome.FINISHED and run.rests[0].time == pytest.approx(3 * np.sqrt(2), abs=1e-6)
    # From then on it is pushed.
    assert run.state(9.0).positions[1, 0] == pytest.approx(39.5, abs=1e-9)


def test_forces_press_without_gravity():
    run = World([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 1.5), mass=1)], gravity=(0, 0, 0), restitution=0,
                forces=lambda state: [[0, 0, 0], [0, 0, -4]]).run(until=3.0)
    assert run.outcome is Outcome.FINISHED and run.events[0].time[0] == pytest.approx(0.5, abs=1e-9)
    assert run.state(3.0).positions[1, 2] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("wide", "events"), [(1e-9, 1), (1e-4, 0)])
def test_a_hit_whose_time_is_told_loosely_is_no_event(monkeypatch, wide, events):
    """In that time the egg, whose speed is 1, moves so far: impulses at its points as it begins would act where nothing touches yet."""
    meet = time_of_impact.meet

    def loosely(*arguments):
        found = meet(*arguments)
        return found if found.time is None else replace(found, time=Interval(found.time[0], found.time[0] + wide))

    monkeypatch.setattr(time_of_impact, "meet", loosely)
    run = World([RigidBody(WALL, fixed=True), RigidBody(EGG, position=(3, 0, 0), velocity=(-1, 0, 0))], gravity=(0, 0, 0)).run(until=4.0)
    assert len(run.events) == events and run.until >= 2.0 - 1e-9
    assert (run.outcome is Outcome.UNRESOLVED) == (events == 0) == ("not known more closely" in run.reason)


def test_chains_are_refused_and_their_links_are_driven():
    bar = solids.capsule(0.125, 1)
    arm = Chain({"base": bar, "arm": bar}, [revolute("hinge", "base", "arm", axis=(0, 1, 0), origin=Rigid(translation=[0, 0, 2]))])
    with pytest.raises(TypeError, match=r"body 1 of the world is a Chain, .*chain\.motions\(values\)\[link\]"):
        World([RigidBody(BALL), arm])
    moved = arm.motions({"hinge": t})
    run = World([RigidBody(bar, motion=moved[link]) for link in ("base", "arm")]).run(until=0.5)
    np.testing.assert_allclose(run.state(0.5).positions[1], [0, 0, 2], atol=1e-12)
