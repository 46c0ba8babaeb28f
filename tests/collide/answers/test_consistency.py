"""Answers that would contradict themselves are raised: nobody gets one."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import collide
from collide import ContradictionError, Interval, MinimumStatus, Status
from collide.answers.batch import Batch, statuses
from collide.answers.consistency import check_time
from collide.search.rows import RowSearch
from collide.timeline import examine, stages
from generative import Parameter, ParametricSurface, Rigid, t, u, v

Q = sp.Rational


@pytest.mark.parametrize(("bracket", "clear_until", "proved_by"), [
    ((0.5, 0.75), 0.5, math.inf), ((0.5, 0.5), 0.5, 0.5), ((0.25, 0.75), 0.5, 0.6), ((0.5, math.inf), 0.5, math.inf), (None, 1.0, math.inf),
])
def test_what_may_be(bracket, clear_until, proved_by):
    check_time(bracket, clear_until, 1.0, proved_by)


@pytest.mark.parametrize(("bracket", "clear_until", "proved_by", "message"), [
    ((1.0, 0.25), 0.25, math.inf, r"the time is reversed: \[1.0, 0.25\]"), ((math.nan, 0.25), 0.25, math.inf, "reversed"),
    ((0.25, 0.5), 0.75, math.inf, "excluded before t = 0.75, and said to be by t = 0.5"),
    ((0.25, 0.75), 0.5, 0.375, "excluded before t = 0.5, and said to be by t = 0.375"),
    (None, 0.75, math.inf, "up to t = 1.0, but contact is excluded only before t = 0.75"), (None, 1.0, 0.5, "said to be by t = 0.5"),
])
def test_what_cannot_be(bracket, clear_until, proved_by, message):
    with pytest.raises(ContradictionError, match=message) as raised:
        check_time(bracket, clear_until, 1.0, proved_by)
    assert "please report it" in str(raised.value)


def test_rows_of_a_batch():
    def batch(time, codes, proved):
        return Batch(statuses(np.array(codes)), np.array(codes) > 0, np.array(time), np.zeros((len(codes), 4)), np.array(proved),
                     np.zeros(len(codes), int))

    nothing = [math.nan, math.nan]
    assert len(batch([[0.5, 0.5], nothing, [0.0, 1.0]], [1, 0, 3], [True, False, False])) == 3
    with pytest.raises(ContradictionError, match=r"row 1 is reversed: \[0.75, 0.5\]"):
        batch([[0.5, 0.5], [0.75, 0.5]], [1, 1], [True, True])
    with pytest.raises(ContradictionError, match="row 0 is reversed"):
        batch([nothing], [2], [False])
    with pytest.raises(ContradictionError, match="both proved and excluded in row 0"):
        batch([nothing], [0], [True])


def test_minima_and_meshes():
    with pytest.raises(ContradictionError, match="the minimum is reversed"):
        collide.Minimum(MinimumStatus.OPTIMAL, Interval(1.0, 0.5), np.zeros((0, 1, 2)), np.zeros(0, bool), None, None, ("x",), 1, 0.0)
    with pytest.raises(ContradictionError, match="the time is reversed"):
        collide.MeshContact(Status.CONTACT, Interval(1.0, 0.5), 0.5, None, None, np.zeros(3), np.zeros((2, 3)), 1, 1, 1, 0.0)


# -- searches that lose what they have proved -----------------------------------------------------------------------------


def corner_on_plate():
    """A tilted square comes down on a large one, a corner of it first; its sides are irrational, so it is searched for."""
    large = ParametricSurface([3 * u, 3 * v, 0], {u: (-1, 1), v: (-1, 1)})
    small = ParametricSurface([u / sp.sqrt(10), v / 3, u / 7 + v / 11], {u: (-1, 1), v: (-1, 1)})
    return [large, small.moved(Rigid(translation=[Q(1, 9), Q(1, 7), 1 - t]))]


def test_a_contact_whose_features_are_forgotten(monkeypatch):
    """Tangency excludes what the faces located at a corner, and another corner is searched instead of it."""
    bodies, features = corner_on_plate(), examine.features
    assert collide.first_contact(bodies, (0, 2)).features == [("face 0", "vertex 0")]

    def others(scene, *rest):
        found, *_ = features(scene, *rest)
        return [replace(found, first=scene.parts(0)[0], second=next(p for p in scene.parts(1) if p.feature == "vertex 3"))]

    monkeypatch.setattr(examine, "features", others)
    with pytest.raises(ContradictionError, match="time is reversed"):
        collide.first_contact(bodies, (0, 2))


def test_a_batch_row_whose_contact_is_lost(monkeypatch):
    """Contact counts as excluded a little too long."""
    square, speed = {u: (-1, 1), v: (-1, 1)}, Parameter("speed")
    bodies = [ParametricSurface([u, v, 0], square), ParametricSurface([u, v, u**2 + v**2 + 1 - speed * t], square)]
    told = RowSearch.told
    monkeypatch.setattr(RowSearch, "told", lambda *given: (e._replace(least=e.least + 0.25) for e in told(*given)))
    with pytest.raises(ContradictionError, match="row 0 is reversed"):
        collide.contact_batch(bodies, (0, 2), parameters={speed: np.array([1.0])})


def test_no_contact_is_not_said_where_something_was_thinned_out(monkeypatch):
    """Of what was located, and then given to other parts, it is still told where it was."""
    bodies, hit = corner_on_plate(), stages.hit

    def forgetful(query, found):
        after = hit(query, found)
        after.search.solution_count, after.search.proved = 0, math.inf
        after.search.clear, after.search.latest_left = 0.5, 0.75
        return after

    monkeypatch.setattr(stages, "hit", forgetful)
    c = collide.first_contact(bodies, (0, 2))
    assert c.status is Status.UNRESOLVED and c.clear_until <= 0.5 and c.time == (c.clear_until, 0.75)
