"""Every provider of times of impact obeys one suite, also of batches of pairs (`pair_batch`); the referees are the distance of centres, and
the axes of boxes, at many times.
"""

import itertools
from typing import Any

import numpy as np
import pytest

from collide import RigidBody, World
from collide.answers.contacts import Contacts
from collide.search.budget import Budget
from collide.search.clock import Clock
from collide.world.motion.moving_body import MovingBody
from collide.world.narrow_phase.pair_batch import PairBatch, Separations
from collide.world.narrow_phase.time_of_impact import CLOSED_FORMS, SEARCH, TimeOfImpact, closed_form_of
from collide.world.simulation import expiry
from models.shapes.solids import box

from ..scenes import BALL, EGG, FLOOR, set_up

CORNERS = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
Body = dict[str, Any]


def boxes(rng: np.random.Generator) -> tuple[Body, Body]:
    one = {"shape": box(), "velocity": (1, 0.1, 0), "spin": rng.normal(size=3)}
    return one, {"shape": box(), "position": (2.5, *rng.uniform(-0.5, 0.5, 2)), "velocity": (-1, 0, 0), "spin": rng.normal(size=3)}


def balls(rng: np.random.Generator) -> tuple[Body, Body]:
    one = {"shape": BALL, "velocity": (1, 0.1, 0), "spin": (0, 1, 0)}
    return one, {"shape": BALL, "position": (3.5, *rng.uniform(-0.9, 0.9, 2)), "velocity": (-1, 0, 0)}


def ball_and_floor(rng: np.random.Generator) -> tuple[Body, Body]:
    return {"shape": FLOOR, "fixed": True}, {"shape": BALL, "position": (*rng.normal(size=2), 2.5), "velocity": (*rng.normal(size=2), -1.2)}


def gap_of_boxes(one: MovingBody, other: MovingBody, t: float) -> float:
    (first, second), turns = ([CORNERS @ a.course.turn_at(t).T + a.course.centre_at(t) for a in (one, other)],
                              [a.course.turn_at(t) for a in (one, other)])
    axes = [*turns[0].T, *turns[1].T, *np.cross(turns[0].T[:, None], turns[1].T[None]).reshape(-1, 3)]
    axes = np.array([e / np.linalg.norm(e) for e in axes if np.linalg.norm(e) > 1e-9])
    low, high = (first @ axes.T, second @ axes.T)
    return float(np.maximum(high.min(axis=0) - low.max(axis=0), low.min(axis=0) - high.max(axis=0)).max())


def gap_of_balls(one: MovingBody, other: MovingBody, t: float) -> float:
    return float(np.linalg.norm(one.course.centre_at(t) - other.course.centre_at(t))) - 2.0


def gap_over_floor(one: MovingBody, other: MovingBody, t: float) -> float:
    return float((other if one.rigid.fixed else one).course.centre_at(t)[2]) - 1.0


SCENES = {"boxes": (boxes, gap_of_boxes), "balls": (balls, gap_of_balls), "ball and floor": (ball_and_floor, gap_over_floor)}
# Each provider, with the scenes that it accepts.
CASES = [("SeparatingPlanes", "boxes"), ("SphereGaps", "balls"), ("SphereGaps", "ball and floor"), ("BoundingSpheres", "boxes"),
         ("BoundingSpheres", "balls"), ("BoundingSpheres", "ball and floor"), ("BoundingTrees", "boxes"), ("IntervalSearch", "boxes"),
         ("IntervalSearch", "balls"), ("IntervalSearch", "ball and floor")]  # fmt: skip
WINDOW, STEPS = (0.0, 2.0), 2001


class Asked:
    """The provider of a run, and the two bodies of that."""

    def __init__(self, name: str, scene: str, seed: int) -> None:
        made, gap = SCENES[scene]
        simulation = set_up(World([RigidBody(**body) for body in made(np.random.default_rng(seed))], gravity=(0, 0, 0)))
        for k in range(2):
            expiry.place(simulation, k)
        self.provider: TimeOfImpact = next(p for p in (*CLOSED_FORMS, *simulation.bounds, SEARCH) if type(p).__name__ == name)
        self.one, self.other = simulation.actors
        self.gap = lambda t: gap(self.one, self.other, t)
        times = np.linspace(*WINDOW, STEPS)
        self.first = next((t for t in times if self.gap(t) < -1e-12), np.inf)

    def batch(self, turned: bool = False, times: int = 1) -> PairBatch:
        pair = (self.other, self.one) if turned else (self.one, self.other)
        ends = [WINDOW[1] * (1.0 - k / 8.0) for k in range(times)]
        return PairBatch.of([pair] * times, [(WINDOW[0], end) for end in ends], [0.5] * times, [(1, 0) if turned else (0, 1)] * times,
                            strides=[0.05] * times)

    def contacts(self, pairs: PairBatch, apart: Separations) -> list[Contacts | None]:
        return self.provider.first_contacts(pairs, apart, Clock(Budget(seconds=60)))


@pytest.fixture(params=[(*case, seed) for case in CASES for seed in range(3)], ids=lambda p: "-".join(map(str, p)))
def asked(request: pytest.FixtureRequest) -> Asked:
    return Asked(*request.param)


def test_the_cases_are_of_all_providers() -> None:
    simulation = set_up(World([RigidBody(BALL)], gravity=(0, 0, 0)))
    assert {name for name, _ in CASES} == {type(p).__name__ for p in (*CLOSED_FORMS, *simulation.bounds, SEARCH)}


def test_no_bound_is_later_than_bodies_meet_and_the_order_does_not_matter(asked: Asked) -> None:
    for turned in (False, True):
        pairs = asked.batch(turned)
        assert asked.provider.accepts(pairs.one[0], pairs.other[0])
        found = asked.provider.separated_until(pairs)
        assert found.since.tolist() == [0.0] and found.until[0] <= min(asked.first, found.horizons[0])
        (hit,) = asked.contacts(pairs, found) if found.until[0] < WINDOW[1] else (None,)
        if hit is None or hit.time is None:
            assert hit is None or asked.first == np.inf
            continue
        # It is the zero of the gap, which falls there.
        assert found.until[0] <= hit.time[0] <= hit.time[1] <= asked.first and asked.first - hit.time[1] <= WINDOW[1] / (STEPS - 1)
        assert asked.gap(hit.time[0] - 1e-6) > 0.0 > asked.gap(hit.time[1] + 1e-6)
        assert hit.existence.all() and np.allclose(np.linalg.norm(hit.normals, axis=1), 1.0)


def test_many_pairs_at_once_are_answered_as_one_by_one(asked: Asked) -> None:
    pairs = asked.batch(times=3)
    together = asked.provider.separated_until(pairs)
    for k in range(3):
        alone = PairBatch(*(e[k:k + 1] for e in pairs))
        one = asked.provider.separated_until(alone)
        for all_, own in zip(together[:6], one[:6], strict=True):
            np.testing.assert_array_equal(all_[k], own[0])
        if together.until[k] < pairs.windows[k, 1]:
            both = asked.contacts(pairs, together)[k], asked.contacts(alone, one)[0]
            assert [None if c is None else c.time for c in both] == [None if both[0] is None else both[0].time] * 2


@pytest.mark.parametrize("scene", SCENES)
def test_closed_forms_agree_with_the_search(scene: str) -> None:
    found = []
    for seed in range(4):
        asked = Asked("IntervalSearch", scene, seed)
        form = closed_form_of(asked.one, asked.other)
        assert form is not None
        apart = form.separated_until(asked.batch())
        (closed,) = form.first_contacts(asked.batch(), apart) if apart.until[0] < WINDOW[1] else (None,)
        (searched,) = asked.contacts(asked.batch(), asked.provider.separated_until(asked.batch()))
        assert searched is not None and (closed is None or (closed.time is not None and searched.time is not None))
        if closed is not None and closed.time is not None and searched.time is not None:
            found.append(closed.time)
            assert closed.time.lo <= searched.time.hi and searched.time.lo <= closed.time.hi
    assert found, "some impacts are proved"


def test_what_has_no_closed_form_is_searched() -> None:
    one, other = set_up(World([RigidBody(EGG), RigidBody(BALL, position=(4, 0, 0))], gravity=(0, 0, 0))).actors
    assert closed_form_of(one, other) is None and SEARCH.accepts(one, other) and len(CLOSED_FORMS) == 2
