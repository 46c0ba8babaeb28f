"""Tracked contacts from points that a solver gives: rolling, sliding, edges and corners. The rates are those of the laws of rolling."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Mesh, Status, tracked_at
from generative import ParametricSurface, Rigid, Solid, axis_angle, t, u, v

from ..situations.test_tracking import FLOOR, ROLLING, ROOM, SLAB, WHEEL

Q = sp.Rational


def values(item, *names):
    return [[float(e.subs(t, 0)), float(sp.diff(e, t))] for e in (getattr(item, n) for n in names)]


@pytest.mark.parametrize("time", [0.0, 0.5])
def test_a_ball_that_rolls(time):
    """At unit speed, with unit radius: u = 3 pi / 2 + t, and the point on the floor moves along x."""
    item = tracked_at([ROLLING, SLAB], (0, 1), [time, 0, 0], time, 0.1)
    assert np.allclose(values(item, "u1", "v1", "u2", "v2"), [[3 * np.pi / 2, 1], [0, 0], [0, 1], [0, 0]], atol=1e-9)
    c = collide.first_contact([ROLLING, SLAB], (time, 2), tracked=[item])
    assert c.status is Status.NO_CONTACT
    implicit = tracked_at([ROLLING, ROOM], (0, 1), [time, 0, 0], time, 0.1)
    assert np.allclose(values(implicit, "u1", "v1"), [[3 * np.pi / 2, 1], [0, 0]], atol=1e-9) and implicit.u2 is None


def test_a_ball_that_rolls_on_a_ball():
    """Round a ball of radius 3, its centre at angle t: the sum of radii times the rate is that of the surface, so it turns by 4 t."""
    way = [4 * sp.sin(t), 0, 4 * sp.cos(t)]
    roller = WHEEL.moved(Rigid(rotation=axis_angle([0, 1, 0], 4 * t), translation=way))
    ground = ParametricSurface([3 * sp.cos(u) * sp.cos(v), 3 * sp.sin(v), 3 * sp.sin(u) * sp.cos(v)], WHEEL.domain, flipped=True)
    item = tracked_at([roller, ground], (0, 1), [3 * np.sin(0.2), 0, 3 * np.cos(0.2)], 0.2, 0.05)
    # The contact goes along the great ball at -1, seen in its parameter, and along the small one at 3.
    assert np.allclose(values(item, "u1", "u2"), [[3 * np.pi / 2, 3], [np.pi / 2, -1]], atol=1e-9)


def test_the_answer_of_a_query_is_tracked_in_the_next():
    falling = WHEEL.moved(Rigid(translation=[0, 0, 2 - t]))
    first = collide.first_contact([falling, ROOM], (0, 2))
    sliding = WHEEL.moved(Rigid(translation=[2 * t, 0, 1]))
    known = tracked_at([sliding, ROOM], (0, 1), first.points[0], 0, 0.1)
    c = collide.first_contact([sliding, ROOM], (0, 2), tracked=[known])
    assert c.status is Status.CONTACT and c.time.lo <= 1.5 <= c.time.hi and len(c) == 1


def test_edges_and_corners():
    tilted = Rigid(rotation=axis_angle([0, 1, 0], -Q(1, 2)), translation=[t, 2 * t, 0])
    tip = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)}).moved(tilted)
    edge = tracked_at([tip, SLAB], (0, 1), [0, 0.5, 0], 0, 0.1, ("edge 0", "face 0"))
    assert edge.v1 is None and values(edge, "u2") == [[0.0, 1.0]]
    corner = tracked_at([tip, SLAB], (0, 1), [0, 0, 0], 0, 0.1, ("vertex 0", "face 0"))
    assert corner.u1 is None and np.allclose(values(corner, "u2", "v2"), [[0, 1], [0, 2]])
    across = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
    roof = Solid([across, ParametricSurface([0, u, v], {u: (0, 1), v: (-1, 0)})])
    assert tracked_at([roof, SLAB], (0, 1), [0, 0, 0], 0, 0.1).v1 is not None


def test_flat_on_flat_takes_the_least_rates():
    lid = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[2 * t, 0, 0]))
    item = tracked_at([lid, SLAB], (0, 1), [0, 0, 0], 0, 0.1)
    assert np.allclose(values(item, "u1", "u2"), [[0, -1], [0, 1]])


def test_a_mesh_has_no_parameters():
    floor = Mesh([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]])
    item = tracked_at([ROLLING, floor], (0, 1), [0, 0, 0], 0, 0.1)
    assert item.u2 is None and values(item, "u1")[0][1] == 0.0


@pytest.mark.parametrize(("given", "error", "words"), [
    ({"point": [0, 0, 0.5]}, ValueError, "further than the radius"), ({"point": [0, 0]}, ValueError, "three finite numbers"),
    ({"point": [0, np.nan, 0]}, ValueError, "three finite numbers"), ({"time": np.inf}, ValueError, "finite number"),
    ({"pair": (1, 0)}, ValueError, "i < j"), ({"radius": 0}, ValueError, "radius"),
    ({"features": ("edge 9", "face 0")}, ValueError, "has no 'edge 9'"), ({"bodies": [FLOOR, ROOM]}, ValueError, "needs some"),
    ({"bodies": ["ball", ROOM]}, TypeError, "bod"),
])  # fmt: skip
def test_bad_points(given, error, words):
    good = {"bodies": [ROLLING, ROOM], "pair": (0, 1), "point": [0, 0, 0], "time": 0, "radius": 0.1}
    with pytest.raises(error, match=words):
        tracked_at(**good | given)
