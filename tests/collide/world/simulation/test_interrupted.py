"""Runs that end before their end, wherever they are just then, and go on as if they had not."""

import time
from itertools import count

import numpy as np
import pytest

from codegen.deadline import TimeUp, limited
from collide import Outcome, RigidBody, World
from collide.search.budget import Budget
from collide.world import world as runs
from collide.world.contact.tracked_pair import found_last
from collide.world.contact_solver.gauss_seidel import coulomb
from collide.world.contact_solver.impact import Contact, Impact, newton, poisson
from collide.world.journal import Undoable
from collide.world.motion.moving_body import MovingBody
from collide.world.motion.state import Mass
from collide.world.reason import Reason, Undecided
from collide.world.simulation import holding, loop, response
from collide.world.simulation.event_queue import EventQueue
from collide.world.simulation.state import Simulation

from ..scenes import BALL, EGG, FLOOR


def bouncing():
    return World([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 1.8))], gravity=(0, 0, -10), restitution=0.5)


def rolling():
    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(EGG, position=(0, 0, 0.5), spin=(0.3, 1, 0.2))]
    return World(bodies, gravity=(0, 0, -10), friction=0.9, restitution=0.0)


def same(one, other):
    assert one.outcome is other.outcome is Outcome.FINISHED
    assert [e.time for e in one.events] == [e.time for e in other.events] and [r.time for r in one.rests] == [r.time for r in other.rests]
    for moment in np.linspace(0.0, one.until, 50).tolist():
        a, b = one.state(moment), other.state(moment)
        for name in ("positions", "quaternions", "velocities", "spins"):
            assert getattr(a, name).tobytes() == getattr(b, name).tobytes()


def interrupting(monkeypatch, where, name, number, error=KeyboardInterrupt, before=True):
    """At a call of a method."""
    calls, known = count(1), getattr(where, name)

    def method(*given, **more):
        now = next(calls) == number
        if now and before:
            raise error
        found = known(*given, **more)
        if now:
            raise error
        return found

    monkeypatch.setattr(where, name, method)


@pytest.mark.parametrize(("where", "name"), [(Undoable, "mark"), (Undoable, "__setitem__"), (EventQueue, "mark"), (EventQueue, "pop"),
                                             (Simulation, "snapshot"), (holding, "fly")])
def test_ctrl_c_may_come_at_any_time(monkeypatch, where, name):
    """Also between two steps, as what can be undone is noted."""
    whole = bouncing().run(until=1.15)
    for number, before in ((1, False), (3, True), (4, False)):
        with monkeypatch.context() as patch:
            interrupting(patch, where, name, number, before=before)
            run = bouncing().run(until=1.15)
        assert run.outcome is Outcome.BUDGET_SPENT
        same(run.resumed(until=1.15), whole)


def test_a_second_ctrl_c_does_not_keep_a_step_from_being_undone(monkeypatch):
    with monkeypatch.context() as patch:
        interrupting(patch, holding, "fly", 3)
        interrupting(patch, EventQueue, "undo", 1)
        run = bouncing().run(until=1.15)
    assert run.outcome is Outcome.BUDGET_SPENT and "interrupted" in run.reason
    same(run.resumed(until=1.15), bouncing().run(until=1.15))


def test_contacts_of_curved_surfaces_are_found_again_from_where_they_were():
    simulation = rolling().run(until=0.01).simulation
    saved, contacts = simulation.snapshot(), [k.link.contact for own in simulation.pairs.values() for k in own.constraints]
    known = found_last(contacts)
    for contact in contacts:
        contact.at, contact.known = contact.start, None
    simulation.restore(saved)
    assert len(known) == 1
    assert all(contact.at is at and contact.known is those for contact, at, those in known)


def test_a_step_that_never_looks_at_the_clock_ends_all_the_same(monkeypatch):
    whole, begun = bouncing().run(until=1.15), []

    def endless(*_):
        begun.append(1)
        while True:
            pass

    monkeypatch.setattr(runs, "_INSISTING", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(response, "respond", endless)
        run = bouncing().run(until=1.15, budget=Budget(seconds=0.5))
    assert begun and run.outcome is Outcome.BUDGET_SPENT and not run.events
    same(run.resumed(until=1.15), whole)


@pytest.mark.parametrize("certified", [False, True])
def test_bodies_are_set_up_within_the_budget(monkeypatch, certified):
    """What takes long is ended, the body is named, and the run holds the state of the start."""
    ball = 'body 1 ("ball")'
    world = World([RigidBody(FLOOR, fixed=True), RigidBody(BALL.named("ball"), position=(0, 0, 1.8))], gravity=(0, 0, -10), restitution=0.5)
    whole, first = world.run(until=0.5, certified=certified), MovingBody.first

    def endless(self, start):
        while self.free:
            pass
        return first(self, start)

    monkeypatch.setattr(runs, "_INSISTING", 0.0)
    with monkeypatch.context() as patch:
        patch.setattr(MovingBody, "first", endless)
        run = world.run(until=0.5, certified=certified, budget=Budget(seconds=0.3))
    assert run.outcome is Outcome.BUDGET_SPENT and f"At t = 0.0, the formulas of {ball} were being set up" in run.reason
    assert run.state(0.0).positions[1, 2] == 1.8 and run.until == 0.0
    same(run.resumed(until=0.5), whole)


def test_what_is_undecided_once_the_time_is_up_is_no_end(monkeypatch):
    now, hits = [0.0], loop.hits

    def late(self, entry, clock):
        now[0] += 100.0
        raise Undecided(Reason(("body 0",), 0.5, "cannot be told", "go on"))

    with monkeypatch.context() as patch:
        patch.setattr(time, "perf_counter", lambda: now[0])
        patch.setattr(loop, "hits", late)
        run = bouncing().run(until=1.15, budget=10)
        again = bouncing().run(until=1.15, budget=1000)
    assert run.outcome is Outcome.BUDGET_SPENT and "limit of 10 s" in run.reason
    assert again.outcome is Outcome.UNRESOLVED and again.reason == "At t = 0.5, body 0 cannot be told; go on." and loop.hits is hits
    same(run.resumed(until=1.15), bouncing().run(until=1.15))


def row(friction):
    """Three balls in a row, of which the first one hits the next."""
    places = [np.array([2.0 * k, 0, 0]) for k in range(3)]
    masses = [Mass(p, 1.0, np.eye(3), np.array([1.0 - k > 0, 0.1, 0]), np.zeros(3)) for k, p in enumerate(places)]
    return Impact(masses, [Contact((k, k + 1), places[k] + (1, 0, 0), np.array([1.0, 0, 0]), 0.5, friction) for k in range(2)])


@pytest.mark.parametrize("law", [newton, poisson])
def test_impacts_look_at_the_clock_in_each_round(law):
    law(row(0.3))
    looks = []
    with limited(lambda: looks.append(1) or 1.0):
        law(row(0.3))
    assert len(looks) > 2
    for most in range(len(looks)):
        left = iter([1.0] * most)
        with limited(lambda left=left: next(left, -1.0)), pytest.raises(TimeUp):
            law(row(0.3))


def test_sweeps_look_at_the_clock_and_are_the_same(monkeypatch):
    from collide.world.contact_solver import gauss_seidel

    root = np.random.default_rng(1).normal(size=(12, 12))
    given = root @ root.T, np.random.default_rng(2).normal(size=12), [0.3] * 4
    whole, looks = coulomb(*given), []
    monkeypatch.setattr(gauss_seidel, "_WORK", 144)
    with limited(lambda: looks.append(1) or 1.0):
        assert coulomb(*given).tobytes() == whole.tobytes()
    assert len(looks) > 2
