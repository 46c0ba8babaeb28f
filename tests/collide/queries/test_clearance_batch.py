"""Rows of numbers of which clearances are asked. The referee is a closed form of two balls, in forty digits."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from collide import DistanceStatus, clearance_batch, contact_batch
from collide.queries import clearance_batch as module
from generative import Edge, Parameter, ParametricSurface, Rigid, Solid, primitives, t, u, v
from tests.collide.queries.test_distance import ball

RADIUS, ASIDE, HEIGHT, SPEED = (Parameter(name) for name in ("radius", "aside", "height", "speed"))
BODIES = [ball(), ball(RADIUS).moved(Rigid(translation=[ASIDE, 0, HEIGHT - SPEED * t]))]
# The last four meet, as some others do: two cross, one touches at the end, and in one a ball is inside the other at first.
ROWS = np.concatenate([np.random.default_rng(5).uniform([.2, .5, 2.5, .1], [.6, 1.5, 4, 4], (24, 4)),
                       [[.5, 0, 3, 2], [.5, .5, 2, 4], [.5, 0, 2.5, 1], [.25, 0, 0, 1]]])
VALUES = dict(zip((RADIUS, ASIDE, HEIGHT, SPEED), ROWS.T.copy(), strict=True))


def least(row):
    """The distance of the surfaces of the balls, 0 where these meet at some time."""
    with mpmath.workdps(40):
        radius, aside, height, speed = map(mpmath.mpf, row.tolist())
        heights = [height, height - speed] + ([mpmath.mpf(0)] if height - speed < 0 < height else [])
        near, far = (how(mpmath.hypot(aside, h) for h in heights) for how in (min, max))
        return max(near - 1 - radius, 1 - radius - far, mpmath.mpf(0))


def test_brackets_hold_closed_forms(monkeypatch):
    alone, solve = [], module._Answer.solve
    monkeypatch.setattr(module._Answer, "solve", lambda self, k, *rest: (alone.append(k), solve(self, k, *rest)))
    answer = collide.clearance_batch(BODIES, (0, 1), parameters=VALUES)
    for k, row in enumerate(ROWS):
        lo, hi = answer.bracket[k]
        assert lo <= least(row) <= hi
        if least(row) > 0:
            assert hi - lo <= 1.001e-9 * hi and answer.status[k] is DistanceStatus.MEASURED
            assert abs(float(np.linalg.norm(answer.points[k, 0] - answer.points[k, 1])) - hi) < 1e-8
            at = answer.times[k].mean()
            assert abs(np.linalg.norm(answer.points[k, 1] - [row[1], 0, row[2] - row[3] * at]) - row[0]) < 1e-8
    assert [answer.status[k] is DistanceStatus.MEETING for k in (-4, -3, -2, -1)] == [True, True, False, True]
    # Where surfaces do not meet rows are searched together.
    assert alone and all(least(ROWS[k]) == 0 for k in alone)


@pytest.mark.parametrize("reach", [0.25, 1.0])
def test_verdicts(reach):
    answer = collide.clearance_batch(BODIES, (0, 1), reach, parameters=VALUES)
    assert answer.verdict.tolist() == [bool(least(row) >= reach) for row in ROWS]
    for k, row in enumerate(ROWS):
        assert answer.bracket[k, 0] <= least(row) <= answer.bracket[k, 1]


def test_threads_find_the_same_bits():
    whole = collide.clearance_batch(BODIES, (0, 1), parameters=VALUES)
    with ThreadPoolExecutor(2) as executor:
        parts = collide.clearance_batch(BODIES, (0, 1), parameters=VALUES, executor=executor)
    for name in ("bracket", "times", "points", "pairs"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


@pytest.mark.parametrize("how", [{}, {"executor": ThreadPoolExecutor(1)}])
def test_a_row_with_a_body_too_small_for_doubles_is_refused_by_name(how):
    bodies = [primitives.ball(RADIUS), primitives.ball(1).moved(Rigid(translation=[3, 0, 0]))]
    with pytest.raises(ValueError, match="body 0 has a size below 1e-145 in row 1"):
        collide.clearance_batch(bodies, (0, 1), parameters={RADIUS: np.array([0.5, 1e-170])}, **how)


@pytest.mark.parametrize(("ask", "executor"), [(clearance_batch, False), (contact_batch, False), (contact_batch, True)])
def test_notes_say_how_many_rows_are_undecided_and_why(ask, executor):
    height = Parameter("height")
    plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    bowl = ParametricSurface([u, v, u**2 + v**2 + sp.sin(u * v) / 9], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, height - t]))
    rows = {height: np.linspace(0.5, 2.0, 70)}
    with ThreadPoolExecutor(2) if executor else contextlib.nullcontext() as pool:
        spent = ask([plate, bowl], (0, 1), parameters=rows, budget=1e-9, executor=pool)
        assert spent.notes == ("Undecided rows: 70 BUDGET_SPENT. What ended the work is the limit of 1e-06 ms.",)
        assert ask([plate, bowl], (0, 1), parameters=rows, executor=pool).notes == ()


def test_a_row_that_tears_a_solid_apart_is_refused():
    """An edge is on both faces for one value of the height of a plate alone."""
    plate, wall = (ParametricSurface(e, {u: (0, 1), v: (0, 1)}) for e in ([u, v, HEIGHT], [u, 0, v]))
    path = u, sp.Integer(0)
    bodies = [Solid([plate, wall], [Edge((0, 1), (path, path), (0, 1))]), primitives.ball(1).moved(Rigid(translation=[0, 0, 5 - t]))]
    assert clearance_batch(bodies, (0, 1), 1, parameters={HEIGHT: np.array([0.0])}).verdict.tolist() == [True]
    with pytest.raises(ValueError, match=r"row 1: body 0: edge 0 does not lie on both of its faces"):
        clearance_batch(bodies, (0, 1), 1, parameters={HEIGHT: np.array([0.0, 0.25])})
