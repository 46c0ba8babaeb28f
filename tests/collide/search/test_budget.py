"""Budgets of time: that they hold in every phase of a query, and what an answer says of where the time went."""

import itertools
import time

import numpy as np
import pytest
import sympy as sp

import collide
from codegen.deadline import TimeUp, check
from codegen.kernel import Kernel
from collide import Budget, Start, Status
from collide.answers import distinct
from collide.answers import report as answer
from collide.bodies import mesh as mesh_tree
from collide.polyhedra.mesh import first_contact
from collide.search.clock import CONVERTING, GRACE, PREPARING, SEARCHING, Clock
from collide.timeline import scene
from generative import Parameter, ParametricSurface, t, u, v, x
from tests.collide.contact_scenes import Q, ball, box, move

PATCH = ParametricSurface([u, v, u * v / 3], {u: (-1, 1), v: (-1, 1)})
WAVY = ParametricSurface([u, v, sp.sin(3 * u + v) / 5 + t / 7], {u: (-1, 1), v: (-1, 1)})


class Time:
    """A clock that goes on when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(time, "perf_counter", lambda: self.now)

    def pass_by(self, seconds: float) -> None:
        self.now += seconds


def spin(*_: object) -> None:
    while True:
        pass


# -- a clock --------------------------------------------------------------------------------------------------------------


def test_time_is_that_of_one_kind_of_work(monkeypatch):
    """The innermost that is being done."""
    passed = Time(monkeypatch).pass_by
    clock = Clock(Budget(seconds=10))
    passed(1)
    with clock.doing(SEARCHING):
        passed(4)
        with clock.doing(CONVERTING):
            passed(2)
        passed(1)
    passed(0.5)
    assert clock.account() == "Of 8.5 s went 5 s to searching, 2 s to converting and compiling formulas, 1.5 s to looking at the bodies."
    assert clock.went_to == {PREPARING: 1.5, SEARCHING: 5.0, CONVERTING: 2.0}


def test_what_is_set_up_has_a_moment_more_than_the_budget(monkeypatch):
    clock_time = Time(monkeypatch)
    clock, reached = Clock(Budget(seconds=10)), []
    with clock.working():
        for moment in (9.9, 10 + 0.9 * GRACE, 10 + 1.1 * GRACE):
            clock_time.now = moment
            check()
            reached.append(moment)
    assert reached == [9.9, 10 + 0.9 * GRACE] and clock.over and not clock.interrupted


def test_what_is_known_late_is_searched_all_the_same(monkeypatch):
    passed = Time(monkeypatch).pass_by
    clock = Clock(Budget(seconds=10))
    passed(100)
    clock.extend()
    with clock.working():
        passed(0.9 * GRACE)
        check()
        passed(0.2 * GRACE)
        check()
        pytest.fail("the time is up")


def test_after_ctrl_c_nothing_is_set_up():
    clock = Clock(Budget())
    with clock.working():
        raise KeyboardInterrupt
    with clock.working():
        check()
        pytest.fail("the work was interrupted")
    assert clock.reason() == "The work was interrupted."


def test_an_answer_has_what_is_left_and_some_milliseconds(monkeypatch):
    """Also after Ctrl-C, which ends the search, not the answer."""
    for searched, interrupted in ((3, False), (100, False), (3, True)):
        clock_time = Time(monkeypatch)
        clock, made = Clock(Budget(seconds=20)), []
        clock_time.now, clock.interrupted = searched, interrupted
        with clock.reporting():
            for took in (0.05, 1.2, 19):
                clock_time.now = searched + took
                check()
                made.append(took)
        assert made == [0.05] if searched == 100 or interrupted else [0.05, 1.2]


@pytest.mark.parametrize("error, words", [
    (KeyboardInterrupt, "was interrupted"), (MemoryError, "refused memory"), (TimeUp, "limit of 20 s"),
])
def test_the_reason_is_what_ended_the_work(monkeypatch, error, words):
    clock_time = Time(monkeypatch)
    clock = Clock(Budget(seconds=20))
    with clock.working():
        clock_time.now = 21 if error is TimeUp else 1
        raise error
    assert words in clock.reason()


def test_errors_are_not_ended_work():
    with pytest.raises(ValueError, match="wrong"), Clock(Budget()).query():
        raise ValueError("wrong")


def test_the_limit_that_comes_first_is_the_reason(monkeypatch):
    """A search ends by its boxes; the answer is ready only when the time is up, too."""
    clock_time = Time(monkeypatch)
    clock = Clock(Budget(seconds=10, boxes=100))
    clock.boxes = 101
    assert clock.exceeded()
    clock_time.now = 11
    assert clock.reason() == "What ended the work is the limit of boxes, 100."


# -- phases of queries ----------------------------------------------------------------------------------------------------

N = Parameter("n")
QUERIES = {
    "two bodies": lambda: collide.first_contact([PATCH.moved(move(0, 0, 2 - t)), ball()], (0, 1), budget=0.05),
    "a scene": lambda: collide.first_contact([PATCH.moved(move(0, 0, k - t)) for k in (2, 3, 4, 5)] + [ball()], (0, 1), budget=0.05),
    "a method": lambda: collide.first_contact([PATCH.moved(move(0, 0, 2 - t)), PATCH], (0, 1), method="time-dependent", budget=0.05),
    "a sheet": lambda: collide.self_contact(WAVY, (0, 1), budget=0.05),
    "a batch": lambda: collide.contact_batch([PATCH.moved(move(N, 0, 2 - t)), ball()], (0, 1), parameters={N: [0.0, 1.0]}, budget=0.05),
    "zeros": lambda: collide.solve([sp.sin(x) - x / 2], {x: (-3, 3)}, budget=0.05),
    "a minimum": lambda: collide.minimize(sp.sin(x) - x / 2, {x: (-3, 3)}, budget=0.05),
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_formula_that_is_never_converted_ends_the_query(monkeypatch, name):
    """Each kernel takes as long as it is let; no query is told to go on for ever."""
    def endless(*_: object) -> None:
        while True:
            check()

    monkeypatch.setattr(Kernel, "_run", endless)
    monkeypatch.setattr(Kernel, "block_address", endless)
    found = QUERIES[name]()
    statuses = found.status.tolist() if name == "a batch" else [found.status]
    assert {status.name for status in statuses} == {"BUDGET_SPENT"}


@pytest.mark.parametrize("name", ["two bodies", "a sheet"])
def test_an_endless_expansion_by_sympy_ends_the_query(monkeypatch, name):
    """Whether a side is a pole is seen by expanding formulas; those of a surface that was not asked about before."""
    patch = ParametricSurface([u, v, sp.sin(u + Q(len(name), 7919)) * v], {u: (0, 1), v: (0, 1)})
    for module in ("bodies.parts", "sheets.sheet"):
        monkeypatch.setattr(f"collide.{module}.is_pole", spin)
    if name == "a sheet":
        c = collide.self_contact(patch, (0, 1), budget=0.05)
    else:
        c = collide.first_contact([patch.moved(move(0, 0, 2 - t)), ball()], (0, 1), budget=0.05)
    assert c.status is Status.BUDGET_SPENT and c.clear_until == 0.0 and "limit of 50 ms" in c.summary()


@pytest.mark.parametrize("name", QUERIES)
def test_ctrl_c_before_the_search_returns_an_answer(monkeypatch, name):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Kernel, "_run", interrupted)
    monkeypatch.setattr(Kernel, "block_address", interrupted)
    found = QUERIES[name]()
    statuses = found.status.tolist() if name == "a batch" else [found.status]
    assert {status.name for status in statuses} == {"BUDGET_SPENT"}


def test_the_tree_of_a_mesh_that_takes_too_long_ends_the_query(monkeypatch):
    levels, halved = [], mesh_tree._halved

    def slow(*given: object) -> object:
        levels.append(1)
        clock_time.pass_by(1)
        return halved(*given)

    corners = np.random.default_rng(1).normal(size=(3000, 3))
    given = corners, np.arange(3000).reshape(-1, 3)
    clock_time = Time(monkeypatch)
    monkeypatch.setattr(first_contact, "perf_counter", lambda: clock_time.now)
    monkeypatch.setattr(mesh_tree, "_halved", slow)
    r = collide.mesh_mesh(given, given, motions=(move(0, 0, t), move(0, 0, 0)), time=(1, 3), budget=3)
    assert r.status is Status.BUDGET_SPENT and r.time == (1.0, 3.0) and r.clear_until == 1.0 and len(levels) == 4


def test_no_pair_is_looked_at_once_the_time_is_up(monkeypatch):
    """Twenty bodies, of which each may enclose another: pair by pair the clock is looked at."""
    clock_time, asked = Time(monkeypatch), []

    def slow(*bodies: object) -> Start:
        asked.append(bodies)
        clock_time.pass_by(1)
        return Start.DISJOINT

    monkeypatch.setattr(scene.Scene, "_overlapping", lambda self: list(itertools.combinations(range(20), 2)))
    monkeypatch.setattr(scene, "nested", slow)
    c = collide.first_contact([box(1, 1, 1).moved(move(3 * k, 0, t)) for k in range(20)], (0, 1), budget=5)
    assert c.status is Status.BUDGET_SPENT and len(asked) == 6


# -- comparing ------------------------------------------------------------------------------------------------------------


def flat_landing(**options: object) -> collide.Contacts:
    # A shift by a root has no exact form, so it is searched for.
    return collide.first_contact([box(1, 1, 1).moved(move(1 / sp.sqrt(80), 0, 3 - t)), box(3, 3, 1)], (0, 4), **options)


@pytest.mark.parametrize("error", [KeyboardInterrupt, TimeUp, MemoryError])
def test_an_answer_that_is_not_ready_in_time_lists_what_was_found(monkeypatch, error):
    """The time is proved all the same; of what was not compared nothing is called isolated."""
    known = flat_landing()

    def stopped(*_: object) -> None:
        raise error

    monkeypatch.setattr(distinct, "near_pairs", stopped)
    c = flat_landing()
    assert c.status is Status.CONTACT and c.time == known.time and c.clear_until == known.clear_until and len(c) > len(known)
    assert not c.proved.any() and c.existence.any() and np.isnan(c.normals).all() and "listed as it is" in c.summary()


def test_comparing_looks_at_the_clock(monkeypatch):
    pairs, seen = distinct.near_pairs, []
    monkeypatch.setattr(distinct, "check", lambda: seen.append(1))
    monkeypatch.setattr(distinct, "_AT_ONCE", 8)
    monkeypatch.setattr(distinct, "near_pairs", lambda s, order: (seen.append(len(order) / 8), pairs(s, order))[1])
    flat_landing()
    assert len(seen) - 1 >= seen[0] > 4


def test_what_an_answer_takes_after_the_budget_is_bounded(monkeypatch):
    """Normals that are never ready."""
    clock_time = Time(monkeypatch)

    def endless(*_: object) -> None:
        while True:
            clock_time.pass_by(1)
            check()

    monkeypatch.setattr(answer, "unit_normals", endless)
    c = flat_landing(budget=1000)
    assert c.status is Status.CONTACT and "listed as it is" in c.summary() and clock_time.now < 1002
