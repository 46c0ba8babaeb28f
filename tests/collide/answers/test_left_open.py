"""Pairs of bodies that an answer leaves undecided, as data and in words, and where its search stood."""

import copy
import json
import pickle

import pytest
import sympy as sp

import collide
from collide import Budget, DistanceStatus, Start, Status
from collide.answers.left_open import in_the_way
from collide.answers.report import contacts
from collide.moment.pairs import Pairs, Starts
from collide.search.clock import Clock
from generative import ParametricSurface, Rigid, fit, t, u, v
from models.shapes.quadrics import sphere


def ball(name, *place):
    return sphere().moved(Rigid(translation=place)).named(name)


def crossed(name, *place, turn=0):
    """A torus, for which a search takes many boxes."""
    ring = ParametricSurface([(2 + sp.cos(v) / 2) * sp.cos(u), (2 + sp.cos(v) / 2) * sp.sin(u), sp.sin(v) / 2],
                             {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
    return ring.moved(Rigid(rotation=[1, turn, 0, 0], translation=place, normalize=True)).named(name)


@pytest.fixture(scope="module")
def scene():
    """The first two meet, the third is never near another."""
    return [crossed("upper", 0, 0, 4 - 3 * t, turn=t), crossed("lower", 0, 0, 0), crossed("far", 40, 0, 0)]


def test_pairs_of_which_nothing_is_left_are_decided(scene):
    c = collide.first_contact(scene, (0, 1), budget=Budget(None, boxes=8))
    assert c.status is Status.BUDGET_SPENT and c.undecided.tolist() == [[0, 1]] and c.undecided.dtype.kind == "i"
    assert "Not decided, of 3 pairs of bodies: upper and lower." in c.summary()
    assert json.loads(c.to_json())["undecided"] == [[0, 1]]


def test_what_is_decided_leaves_no_pair(scene):
    for bodies in (scene, scene[1:]):
        c = collide.first_contact(bodies, (0, 1))
        assert c.status in (Status.CONTACT, Status.NO_CONTACT) and c.undecided.shape == (0, 2)
        assert "decided" not in c.summary().partition("Not ")[2]


def test_pairs_that_were_not_asked_about_are_not_left(scene):
    few, ignored = Budget(None, boxes=8), [("upper", "lower")]
    assert collide.first_contact([*scene, crossed("beside", 0, 0, 5)], (0, 1), ignore=ignored, budget=few).undecided.tolist() == [[0, 3]]


def test_where_nothing_was_looked_at_all_pairs_that_were_asked_about_are_left(scene):
    asked = Starts(3, Start.UNKNOWN, Pairs(3, [(1, 2)]))
    c = contacts(None, False, scene, (0.0, 1.0), asked, Clock(Budget(1.0)), 0.0)
    assert c.undecided.tolist() == [[0, 1], [0, 2]] and "None of the 2 pairs of bodies is decided." in c.summary()


FEW = Budget(None, boxes=8)
SHEET = ParametricSurface([u, v, u**2 * v**2], {u: (0, 1), v: (0, 1)})
UNDECIDED = {
    "first_contact": lambda bodies: collide.first_contact(bodies, (0, 1), budget=FEW),
    "self_contact": lambda bodies: collide.self_contact(bodies, (0, 1), budget=FEW),
    "clearance": lambda bodies: collide.clearance(bodies, (0, 1), budget=FEW),
    "time-dependent": lambda _: collide.first_contact(
        [SHEET, SHEET.moved(Rigid(translation=[0, 0, 1 - 2 * t]))], (0, 1), method="time-dependent", budget=FEW),
}


@pytest.mark.parametrize("query", UNDECIDED)
def test_an_answer_that_leaves_pairs_open_can_be_copied(scene, query):
    answer = UNDECIDED[query](scene)
    copies = [pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)]
    assert [each.undecided.tolist() for each in copies] == 2 * [answer.undecided.tolist()] and len(answer.undecided)


def test_a_touch_that_is_neither_proved_nor_excluded_is_left():
    """At t = 1/2 the first ball just grazes an egg, at no simple place; the third is hit never."""
    egg = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), 2 * sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    raised = egg.moved(Rigid(translation=[0, 0, sp.sqrt(2) / 2])).named("second")
    bodies = [ball("first", 4 - 8 * t, 2, sp.sqrt(2) / 2), raised, ball("far", 0, 0, 40)]
    c = collide.first_contact(bodies, (0, 1))
    assert c.status is Status.UNRESOLVED and c.undecided.tolist() == [[0, 1]]
    assert "Not decided, of 3 pairs of bodies: first and second." in c.summary()


def test_pairs_that_come_near_later_than_the_search_came_are_left():
    bodies = [crossed("a", 0, 0, 3 - t, turn=t), crossed("b", 0, 0, 0), ball("late", 0, 0, 12 - 9 * t)]
    c = collide.first_contact(bodies, (0, 1), budget=Budget(None, boxes=8))
    assert c.status is Status.BUDGET_SPENT and [0, 1] in c.undecided.tolist() and [0, 2] in c.undecided.tolist()


def test_clearance_leaves_the_pairs_that_may_be_nearest(scene):
    apart = [crossed("upper", 0, 0, 4 - 2 * t, turn=t / 4), *scene[1:]]
    c = collide.clearance(apart, (0, 1), budget=Budget(None, boxes=8))
    assert c.status is DistanceStatus.BUDGET_SPENT and [0, 1] in c.undecided.tolist()
    c = collide.clearance(apart, (0, 1), at_least=0.25, budget=Budget(None, boxes=8))
    assert c.status is DistanceStatus.BUDGET_SPENT and c.undecided.tolist() == [[0, 1]]
    assert "Not decided, of 3 pairs of bodies: upper and lower." in c.summary()
    done = collide.clearance(scene[1:], (0, 1))
    assert done.status is DistanceStatus.MEASURED and not len(done.undecided)


def test_two_bodies_are_not_named(scene):
    c = collide.first_contact(scene[:2], (0, 1), budget=Budget(None, boxes=8))
    assert c.undecided.tolist() == [[0, 1]] and "decided, of" not in c.summary() and "None of" not in c.summary()


def test_bodies_along_splines_leave_those_that_come_near_later():
    path = fit.motion_through([0, 1, 2, 3], [[1, 0, 0, 0]] * 4, [[0, 0, 9], [0, 0, 6], [0, 0, 4], [0, 0, 1]]).value
    bodies = [sphere().moved(path), ball("low", 0, 0, 0), ball("far", 40, 0, 0)]
    c = collide.first_contact(bodies, (0, 3), budget=Budget(None, boxes=1))
    assert c.status is Status.BUDGET_SPENT and c.undecided.tolist() == [[0, 1]]


def test_it_is_said_where_the_work_stood():
    """The pair whose formulas were converted, or that had boxes left, as the time ended."""
    clock = Clock(Budget(1.0))
    bodies = [ball("first", 0, 0, 0), ball("second", 0, 0, 3)]
    assert list(in_the_way(None, clock, bodies)) == []
    clock.converting = (0, 1)
    (said,) = in_the_way(None, clock, bodies)
    assert "formulas of first and second were being converted" in said and "ask" in said


def test_of_meshes_the_pairs_that_were_not_looked_at_are_left():
    """They are searched one after the other."""
    corners = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    meshes = [collide.Mesh(corners, faces).moved(Rigid(rotation=[1, t / (k + 2), 0, 0], translation=[3 * k, 0, 0], normalize=True))
              for k in range(3)]
    left = collide.clearance(meshes, (0, 1), budget=Budget(None, boxes=1))
    assert left.status is DistanceStatus.BUDGET_SPENT and [1, 2] in left.undecided.tolist()
    kept = collide.clearance(meshes, (0, 1), at_least=0.5)
    assert kept.status is DistanceStatus.CLEAR and not len(kept.undecided)
