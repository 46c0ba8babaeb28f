"""Reasons of runs that end before their end: each is one sentence with the time, the bodies' names, the obstacle and the advice."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from codegen.interval import Interval
from collide import Outcome, RigidBody, World
from collide.answers.contacts import Status
from collide.moment.start import Start
from collide.search.budget import Budget
from collide.search.clock import Clock
from collide.world.features.local_geometry import Lost
from collide.world.reason import Activity, Reason, Undecided, WorkKind, together
from collide.world.simulation import (
    contact_mode,
    contact_motion,
    contact_points,
    contact_sides,
    expiry,
    impact_points,
    loop,
    low_bounces,
    next_contact,
    parting,
)
from collide.world.simulation.event_queue import EventEntry, EventKind, PairKey
from collide.world.simulation.state import Simulation

from .scenes import BALL, EGG, FLOOR, WALL

NAMES = 'body 0 ("floor") and body 1 ("egg")'
PAIR = PairKey(0, 1)


def one_sentence(reason: str, names: str = NAMES) -> bool:
    """Does it begin with the time, then name the bodies, and end with an advice?"""
    return bool(re.fullmatch(rf"(At t = \S+|Between t = \S+ and t = \S+), {re.escape(names)} [^.;]*(\.\d[^.;]*)*; .+[^.]\.", reason))


def standing(**options: Any) -> tuple[Simulation, Clock]:
    """A run that has begun: an egg rolls on a floor."""
    egg = RigidBody(EGG.named("egg"), position=(0, 0, 0.5), spin=(0.3, 1, 0.2))
    run = World([RigidBody(FLOOR.named("floor"), fixed=True), egg], **options).run(until=1e-3)
    assert run.outcome is Outcome.FINISHED, run.reason
    return run.simulation, Clock(Budget())


def found(**more: Any) -> Any:
    given = {"status": Status.CONTACT, "start": {PAIR.bodies: Start.DISJOINT}, "time": Interval(0.5, 0.5), "points": np.zeros((1, 3)),
             "normals": np.full((1, 3), np.nan), "existence": np.array([True]), "time_span": (0.5, 1.0)}
    return SimpleNamespace(**given | more)


def entry(found: Any) -> EventEntry:
    return EventEntry(0.5, 0, EventKind.HIT, PAIR, (0, 0), found)


def asked(s: Simulation, clock: Clock, patch: Any) -> None:
    s.pairs[PAIR] = s.pairs[PAIR].goes_on((-1, -1))
    next_contact.ask(s, [PAIR], clock)


def slipping(s: Simulation, clock: Clock, patch: Any) -> None:
    patch.setattr(parting, "surfaces_apart", lambda *_: False)
    patch.setattr(parting, "surfaces_cross", lambda *_: True)
    parting.check_slips(s, PAIR, 1.0, clock)


def overlapping(s: Simulation, clock: Clock, patch: Any) -> None:
    next_contact.note(s, next_contact.Due([PAIR]), PAIR, found(start={PAIR.bodies: Start.OVERLAPPING}), None, 1.0)


def lost(s: Simulation, clock: Clock, patch: Any) -> None:
    def fails(*_: Any) -> bool:
        contact_points.points_of(s, PAIR, s.touch(PAIR).links)
        raise Lost("a contact")

    patch.setattr(loop, "go_on_to", fails)
    loop.go_on(s, 1.0, 1.0, clock)


def many(s: Simulation, clock: Clock, patch: Any) -> None:
    s.at_once = 10_000
    loop.step(s, EventEntry(s.now, 0, EventKind.HIT, PAIR, (0, 0)), clock)


def again_and_again(s: Simulation, clock: Clock, patch: Any) -> None:
    for _ in range(200):
        contact_motion.check_repeats(s, 1, PAIR)


def along_a_curve(s: Simulation, clock: Clock, patch: Any) -> None:
    kept = s.pairs[PAIR].constraints
    for k in kept:
        patch.setattr(type(k.link.contact), "flattens", lambda *_: True, raising=False)
    contact_motion.check_curves(s, contact_mode.system_of(s, kept, (1,)), [PAIR] * len(kept))


def forces(s: Simulation, clock: Clock, patch: Any) -> None:
    system = contact_mode.system_of(s, s.pairs[PAIR].constraints, (1,))
    patch.setattr(system, "courses", lambda *_: None)
    contact_motion.solve(s, system, [PAIR] * len(system.kept))


def doubtful(s: Simulation, clock: Clock, patch: Any) -> None:
    patch.setattr(contact_points, "grazing", lambda *_: None)
    patch.setattr(low_bounces, "barely_parted", lambda *_: False)
    impact_points.met(s, entry(found(status=Status.UNRESOLVED)))


def wide(s: Simulation, clock: Clock, patch: Any) -> None:
    patch.setattr(contact_points, "grazing", lambda *_: None)
    patch.setattr(low_bounces, "barely_parted", lambda *_: False)
    patch.setattr(expiry, "closing_bound", lambda *_: 1.0)
    impact_points.met(s, entry(found(time=Interval(0.5, 0.75))))


def low(s: Simulation, clock: Clock, patch: Any) -> None:
    patch.setattr(contact_points, "grazing", lambda *_: None)
    patch.setattr(low_bounces, "barely_parted", lambda *_: True)
    impact_points.met(s, entry(found(status=Status.UNRESOLVED)))


def crossing(s: Simulation, clock: Clock, patch: Any) -> None:
    patch.setattr(impact_points, "manifold_of", lambda *_: SimpleNamespace(normals=np.full((1, 3), np.nan)))
    patch.setattr(contact_sides, "separating_normal", lambda *_: None)
    impact_points.met(s, entry(found()))


@pytest.mark.parametrize("maker", [asked, slipping, overlapping, lost, many, again_and_again, along_a_curve, forces, doubtful, wide, low,
                                   crossing])  # fmt: skip
def test_each_reason_is_one_sentence_with_names_and_advice(maker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation, clock = standing(friction=0.3, restitution=0.0)
    with pytest.raises(Undecided) as stop:
        maker(simulation, clock, monkeypatch)
    names = 'body 1 ("egg")' if maker is forces else NAMES
    assert one_sentence(str(stop.value), names), str(stop.value)


def test_a_body_that_is_too_fast_is_named() -> None:
    run = World([RigidBody(WALL, fixed=True), RigidBody(BALL.named("ball"), position=(3, 0, 0), velocity=(1e150, 0, 0))]).run(until=1.0)
    assert run.outcome is Outcome.UNRESOLVED and one_sentence(run.reason, 'body 1 ("ball")'), run.reason


def test_a_reason_is_of_a_moment_or_of_a_bracket() -> None:
    reason = Reason(("a", "b"), 0.25, "meet", "go on")
    assert str(reason) == "At t = 0.25, a and b meet; go on." == str(Undecided(reason)) and not str(Undecided())
    assert str(Reason.of("abc".__getitem__, (0, 1, 2), Interval(0.5, 1.0), "meet", "go on")) == (
        "Between t = 0.5 and t = 1.0, a, b and c meet; go on.")
    assert together(tuple("abcdefg")) == "a, b, c, d, e and 2 more" and together(("a",)) == "a"


def test_a_spent_budget_names_the_pair_the_time_and_the_activity(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(Budget())
    search = Activity.search(PAIR.bodies, 0.25, clock)
    assert search.now(clock).work is WorkKind.SEARCH
    monkeypatch.setitem(clock.went_to, "converting and compiling formulas", 100.0)
    assert search.now(clock).spent("ab".__getitem__) == (
        "At t = 0.25, formulas for the next contact of a and b were being compiled; resume the run with more budget.")
    floor, egg = RigidBody(FLOOR.named("floor"), fixed=True), RigidBody(EGG.named("egg"), position=(0, 0, 1))
    run = World([floor, egg]).run(until=2.0, budget=Budget(seconds=None, boxes=20))
    spent = rf"What ended the work is the limit of boxes, 20\. At t = \S+, .*{re.escape(NAMES)}.*; resume the run with more budget\."
    assert run.outcome is Outcome.BUDGET_SPENT and re.fullmatch(spent, run.reason), run.reason
