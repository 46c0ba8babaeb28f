"""Certified runs of bodies with rims, and of smooth bodies on edges, against many digits: in closed form, and others."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from mpmath import mpf

from collide import Outcome, RigidBody, World
from models.shapes import solids
from tests.collide.world.certified.referee import DIGITS, Top, cross, dot, first, hit, vec
from tests.collide.world.certified.test_flat import BRICK, HALVES, TILT, agrees, body, top
from tests.collide.world.scenes import EGG, FLOOR

CAN = solids.cylinder(radius=sp.Rational(1, 2), height=1)


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(DIGITS):
        yield


@pytest.mark.parametrize("spin", [(0, 0, 0), (1, 2, 3)])
def test_a_can_hits_the_floor_where_its_rims_are_lowest(spin):
    rigid = RigidBody(CAN, mass=1, centre=(0, 0, 0.5), inertia=np.diag([0.25, 0.25, 0.125]), position=(0, 0, 2), orientation=TILT,
                      spin=spin)
    world = World([RigidBody(FLOOR, fixed=True), rigid], gravity=(0, 0, -9.81), restitution=0.5)
    run, rough = world.run(until=1.25, certified=True), world.run(until=1.25)
    assert run.outcome is Outcome.FINISHED and len(run.events) == len(rough.events) >= 2
    up, tops = vec((0, 0, 1)), [Top.of(rigid, (0, 0, -9.81), [mpf("0.25"), mpf("0.25"), mpf("0.125")])]

    def height(tops):
        axis = tops[0].axes()[2]
        return tops[0].centre[2] - abs(axis[2]) / 2 - mpmath.sqrt(1 - axis[2] ** 2) / 2

    for event, other in zip(run.events, rough.events, strict=True):
        time, (own,) = first(height, tops, 2)
        assert mpf(event.time[0]) <= time <= mpf(event.time[1]) and abs(event.time[0] - other.time[0]) < 1e-9
        axis = own.axes()[2]
        out = axis[2] * axis - up
        point = own.centre - mpmath.sign(axis[2]) * axis / 2 + out / mpmath.norm(out) / 2
        assert abs(point[2]) < mpf(10) ** -20
        size, (_, after) = hit(None, own, point, up, mpf("0.5"))
        np.testing.assert_allclose(event.points[0], np.array(point, float).ravel(), atol=1e-14)
        np.testing.assert_allclose(event.impulses[0], [0, 0, float(size)], atol=1e-13)
        tops = [after]
        agrees(run, tops, event.time[1] + 1e-3, 1, (0, 0, 0.5))


def test_an_egg_hits_an_edge_of_a_box_that_turns():
    inertia = np.diag([0.25, 0.3, 0.35])
    rigid = [RigidBody(EGG, position=(-2.25, 0.2, 0.65), velocity=(2, 0, 0), spin=(1, 2, 0), mass=1, centre=(0, 0, 0), inertia=inertia),
             body(BRICK, spin=(0.1, -0.2, 0.1))]
    run = World(rigid, gravity=(0, 0, 0), restitution=1).run(until=1.0, certified=True)
    axes = mpmath.matrix([1, mpf(4) / 3, 2])

    def reached(bodies, edge):
        """The least of the form of the egg on an edge, less 1, and where that is."""
        egg, box = bodies
        a, b = (mpmath.matrix([x * y for x, y in zip(axes, egg.seen(box.place(p)), strict=True)]) for p in edge)
        s = max(mpf(0), min(mpf(1), -dot(a, b - a) / dot(b - a, b - a)))
        return dot(a + s * (b - a), a + s * (b - a)) - 1, edge[0] + s * (edge[1] - edge[0])

    h = HALVES[BRICK]
    edges = [[vec([s * h[k] if k == n else (i if k == (n + 1) % 3 else j) * h[k] for k in range(3)]) for s in (-1, 1)]
             for n in range(3) for i in (-1, 1) for j in (-1, 1)]
    tops = [Top.of(rigid[0], (0, 0, 0), [mpf(float(e)) for e in np.diag(inertia)]), top(rigid[1])]
    time, tops = first(lambda bodies: min(reached(bodies, e)[0] for e in edges), tops, 1)
    event, later = run.events
    assert mpf(event.time[0]) <= time <= mpf(event.time[1])
    edge = min(edges, key=lambda e: reached(tops, e)[0])
    place, way = tops[1].place(reached(tops, edge)[1]), tops[1].place(edge[1]) - tops[1].place(edge[0])
    seen = tops[0].seen(place)
    normal = sum((2 * e * x * x * y for e, x, y in zip(tops[0].axes(), axes, seen, strict=True)), vec((0, 0, 0)))
    normal /= mpmath.norm(normal)
    assert abs(dot(normal, way)) < mpf(10) ** -12 and mpmath.norm(cross(normal, way)) > 0
    np.testing.assert_allclose(event.points[0], np.array(place, float).ravel(), atol=1e-13)
    size, tops = hit(tops[0], tops[1], place, normal, mpf(1))
    np.testing.assert_allclose(event.impulses[0], np.array(size * normal, float).ravel(), atol=1e-12)
    agrees(run, tops, (event.time[1] + later.time[0]) / 2)


def test_a_can_that_falls_flat_is_not_decided():
    rigid = RigidBody(CAN, position=(0, 0, 5), density=1)
    run = World([RigidBody(FLOOR, fixed=True), rigid], gravity=(0, 0, -10), restitution=0.5).run(until=2.0, certified=True)
    assert run.outcome is Outcome.UNRESOLVED and not run.events and 1 - 1e-7 < run.certified_until <= 1 and ". " not in run.reason
