"""Queries of bodies whose motions have numbers of their own, one a query."""

import math

import flint
import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from generative import Rigid, Screw, t

from .motions import KINDS, NUMBERS, OWN, check_isolated, check_straight, in_balls, queries


@pytest.mark.parametrize("kind", KINDS)
def test_every_query_has_a_screw_of_its_own(kind):
    """Against roots isolated with balls, each query with its numbers put in. (Fails where all take those of the first.)"""
    g = np.random.default_rng(9)
    q, values = queries(g, 300, kind), np.round(g.uniform(-2, 2, (300, 8)) * 8) / 8
    values[::5, 6] = 0  # translations
    still = Rigid(translation=[0, t / 8, 0])
    r = getattr(collide, kind)(q, tolerance=1e-9, motions=(OWN, still), parameters=dict(zip(NUMBERS, values.T, strict=True)))
    flint.ctx.prec = 200
    some = np.concatenate([np.flatnonzero(r.hit)[:6], np.flatnonzero(~r.hit)[:10]])
    for k, query, numbers in zip(some, q[some], values[some], strict=True):
        exact = [sp.Rational(x) for x in numbers]
        screw = Screw(axis=exact[:3], point=exact[3:6], angle=exact[6] * t, advance=exact[7] * t)
        check_isolated(r, k, query, [in_balls(screw), in_balls(still)], kind)
    assert r.hit.sum() > 5


@pytest.mark.parametrize("kind", KINDS)
def test_degenerate_queries_with_translations_of_their_own(kind):
    """On a coarse grid, with points and lines for edges and faces, by motions that turn nothing: against the exact straight answers."""
    g = np.random.default_rng(12)
    n, split = 1000, 1 if kind == "vertex_face" else 2
    q = np.round(queries(g, n, kind) * 2) / 2
    q[::7, 3] = q[::7, 2]
    q[::11, 1] = q[::11, 0] if split == 2 else q[::11, 2]
    push, axis = np.round(g.uniform(-2, 2, n)) / 2, g.integers(0, 3, n)
    values = dict(zip(NUMBERS, [*np.eye(3)[axis].T, *np.zeros((4, n)), push], strict=True))
    r = getattr(collide, kind)(q, motions=(OWN, Rigid()), parameters=values)
    end = q.copy()
    end[:, :split] += (np.eye(3)[axis] * push[:, None])[:, None]
    truth = check_straight(r, q, end, kind)
    assert sum(e is not None for e in truth) > 30 and not r.hit.all()


def test_points_and_lines_for_edges_in_turning_bodies():
    """A point on the circle of radius 1, as an edge of no length, comes to an upright edge after half a second, whatever its speed;
    one 1e-9 farther out it passes by. A triangle without area is met like that edge.
    """
    speed = np.array([0.5, -1.0, 2.0])
    starts = [[math.cos(s / 2), -math.sin(s / 2), 0.25] for s in speed]
    for gap in (0.0, 1e-9):
        edge = [[1 + gap, 0, -1], [1 + gap, 0, 1]]
        motions = Screw(axis=[0, 0, 1], angle=NUMBERS[6] * t), Rigid()
        found = [collide.edge_edge([[p, p, *edge] for p in starts], motions=motions, parameters={NUMBERS[6]: speed}),
                 collide.vertex_face([[p, *edge, edge[0]] for p in starts], motions=motions, parameters={NUMBERS[6]: speed})]
        for r in found:
            if gap:
                assert not r.hit.any()
            else:
                # The points are rounded: the exact ones may miss by a bit, which no bracket can tell.
                assert (r.status == Status.UNRESOLVED).all() and np.abs(r.time - 0.5).max() < 1e-7


def test_bad_parameters():
    good, motions = np.zeros((2, 4, 3)), (Rigid(translation=[NUMBERS[0] * t, 0, 0]), Rigid())
    with pytest.raises(ValueError, match="depend on ax, which has no value here"):
        collide.edge_edge(good, motions=motions)
    with pytest.raises(ValueError, match=r"shape \(2,\), one a query, got \(3,\)"):
        collide.edge_edge(good, motions=motions, parameters={NUMBERS[0]: [1, 2, 3]})
    with pytest.raises(ValueError, match="values of ax must be finite"):
        collide.edge_edge(good, motions=motions, parameters={NUMBERS[0]: math.nan})
    with pytest.raises(ValueError, match="not given"):
        collide.edge_edge(np.zeros((2, 8, 3)), parameters={NUMBERS[0]: 1.0})
    for key in (t, "ax"):
        with pytest.raises(ValueError, match="symbols of the motions other than the time t, got"):
            collide.edge_edge(good, motions=motions, parameters={NUMBERS[0]: 1.0, key: 0.5})
    with pytest.raises(TypeError, match="dictionary from symbols"):
        collide.edge_edge(good, motions=motions, parameters=[1.0])
    with pytest.raises(ValueError, match="has no value here"):
        collide.mesh_mesh((np.zeros((3, 3)), [[0, 1, 2]]), (np.ones((3, 3)), [[0, 1, 2]]), motions=motions)
    with pytest.raises(ValueError, match="budget's seconds must be positive"):
        collide.edge_edge(good, motions=(Rigid(), Rigid()), budget=-1.0)
