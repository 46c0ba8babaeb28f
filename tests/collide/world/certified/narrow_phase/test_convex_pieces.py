"""Certified runs in rooms, and on bodies that are not convex, against many digits."""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from collide import Outcome, RigidBody, World
from collide.world.certified.narrow_phase.convex_pieces import pieces
from collide.world.certified.narrow_phase.polyhedron import polyhedron_of
from generative import ParametricSurface, Solid, polyhedron
from models.shapes import solids
from tests.collide.world.certified.referee import DIGITS, Top, first, hit, vec
from tests.collide.world.certified.test_flat import CUBE, HALVES, TILT, agrees, body, corners, normal_of, point_of, separation, top

OUTLINE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
SIDES = [(k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6) for k in range(6)]
BENT = polyhedron([(x, y, z) for z in (0, 1) for x, y in OUTLINE], [*SIDES, (3, 2, 1, 0), (5, 4, 3, 0), (6, 7, 8, 9), (6, 9, 10, 11)])


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(DIGITS):
        yield


def room():
    walls = solids.box(sizes=(4, 4, 4)).faces
    return Solid([ParametricSurface(face.body, face.domain, flipped=not face.flipped) for face in walls])


def test_a_box_in_a_room_hits_its_walls():
    rigid = body(CUBE, orientation=TILT, velocity=(1, 0.5, 0.25), spin=(0.5, 0, 0.25))
    world = World([RigidBody(room(), fixed=True), rigid], gravity=(0, 0, 0), restitution=0.5)
    run, tops = world.run(events=2, certified=True), [top(rigid)]
    assert run.outcome is Outcome.FINISHED
    for event in run.events:
        time, tops = first(lambda tops: 2 - max(abs(e) for p in corners(rigid) for e in tops[0].place(p)), tops, 4)
        assert mpf(event.time[0]) <= time <= mpf(event.time[1])
        corner = max((tops[0].place(p) for p in corners(rigid)), key=lambda p: max(map(abs, p)))
        np.testing.assert_allclose(event.points[0], np.array(corner, float).ravel(), atol=1e-14)
        normal = vec([-np.sign(float(e)) if abs(abs(e) - 2) < mpf(10) ** -20 else 0 for e in corner])
        _, (_, after) = hit(None, tops[0], corner, normal, mpf("0.5"))
        tops = [after]
        if event is not run.events[-1]:
            agrees(run, tops, event.time[1] + 1e-3, 1)


def test_a_box_hits_a_bent_body_where_it_hits_one_of_its_halves():
    rigid = body(CUBE, position=(1.3, 1.2, 2.5), orientation=TILT)
    down, none = (0, 0, -9.81), vec((0, 0, 0))
    run = World([RigidBody(BENT, fixed=True), rigid], gravity=down, restitution=0.5).run(until=0.75, certified=True)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 3
    halves = [((1, 0.5, 0.5), (1, 0.5, 0.5)), ((0.5, 1, 0.5), (0.5, 1, 0.5))]
    still = [Top(mpf(0), vec(at), none, none, vec((1, 0, 0, 0)), none, mpf(1), (mpf(1),) * 3) for at, _ in halves]
    sizes, tops = [vec(half) for _, half in halves], [top(rigid, down)]

    def gaps(tops):
        return [separation([own, tops[0]], [half, HALVES[CUBE]]) for own, half in zip(still, sizes, strict=True)]

    for event in run.events:
        time, tops = first(lambda tops: min(gaps(tops)), tops, 1)
        assert mpf(event.time[0]) <= time <= mpf(event.time[1])
        k = int(np.argmin([float(e) for e in gaps(tops)]))
        pair = [still[k], tops[0]]
        point, normal = point_of(pair, [sizes[k], HALVES[CUBE]], vec(event.points[0])), normal_of(pair, vec(event.normals[0]))
        np.testing.assert_allclose(event.normals[0], np.array(normal, float).ravel(), atol=1e-14)
        _, (_, after) = hit(None, tops[0], point, normal, mpf("0.5"))
        tops = [after]
        agrees(run, tops, event.time[1] + 1e-4, 1)


def test_two_walls_that_a_box_comes_to_at_once_are_undecided():
    """It goes, and is turned, as its mirror image in x = y."""
    rigid = body(CUBE, orientation=(4, 1, -1, 0), velocity=(1, 1, 0))
    run = World([RigidBody(room(), fixed=True), rigid], gravity=(0, 0, 0), restitution=0.5).run(until=2.0, certified=True)
    when = 2 - max(top(rigid).place(p)[0] for p in corners(rigid))
    assert run.outcome is Outcome.UNRESOLVED and not run.events and run.certified_until == pytest.approx(float(when), abs=1e-6)


def test_a_room_is_as_in_doubles():
    world = World([RigidBody(room(), fixed=True), body(CUBE, orientation=TILT, velocity=(1, 0.5, 0.25))], gravity=(0, 0, 0))
    run, rough = world.run(until=2.0, certified=True), world.run(until=2.0)
    assert [e.time[0] for e in run.events] == pytest.approx([e.time[0] for e in rough.events], abs=1e-9) and run.certified_until == 2.0


def test_pieces_are_all_of_what_is_flat():
    bent = polyhedron_of(BENT)
    assert bent is not None and not bent.whole and len(pieces(bent)) == 10
    inside = polyhedron_of(room())
    assert inside is not None and inside.whole and len(pieces(inside)) == 6
