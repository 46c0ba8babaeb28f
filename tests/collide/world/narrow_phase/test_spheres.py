"""Balls beside each other and beside walls, without a search: polynomials against rational numbers, hits against roots in forty digits, and
against what a search finds.
"""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp

from collide import Mesh, Outcome, RigidBody, World
from collide.world.motion.ballistic import flight
from collide.world.motion.moving_body import MovingBody
from collide.world.motion.polynomial import Polynomial
from collide.world.motion.state import Inertia
from collide.world.narrow_phase import spheres
from collide.world.narrow_phase.sphere_gaps import Beside, Radius, farther, nearer, polynomial, zeros
from collide.world.narrow_phase.support_planes import walls_of
from generative import ParametricSurface, u, v
from models.shapes.solids import box

from ..scenes import BALL, FLOOR, cube, slope

GRAVITY = (0, 0, -10)
SQUARE = [(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)]
# A quadrilateral round a like one of corners that follow.
FRAME = [t for k in range(4) for n in [(k + 1) % 4] for t in ((k, n, 4 + k), (n, 4 + n, 4 + k))]


def parabola(rng, start=0.0, gravity=GRAVITY):
    return flight(start, rng.uniform(-4, 4, 3), rng.uniform(-3, 3, 3), np.array(gravity, float), np.eye(3), rng.normal(size=3),
                  Inertia(np.eye(3)))


def pushed(rng, start=0.0):
    return Polynomial(start, 9.0, rng.uniform(-4, 4, 3), np.eye(3), rng.normal(size=(12, 3)) / 2.0 ** np.arange(12)[:, None],
                      np.zeros((12, 4)), Inertia(np.eye(3)))


def centre(course, time):
    """In rational numbers, by the sum of powers."""
    tau = Fraction(time) - Fraction(course.start)
    rows = [course.centre, *course.path] if isinstance(course, Polynomial) else [course.centre, course.velocity, course.acceleration / 2]
    return [sum(Fraction(row[k]) * tau**n for n, row in enumerate(np.array(rows).tolist())) for k in range(3)]


@pytest.mark.parametrize("kinds", [(parabola, parabola), (parabola, pushed), (pushed, pushed)])
def test_polynomials_are_exact(kinds):
    rng = np.random.default_rng(1)
    for _ in range(5):
        paths = tuple(kind(rng, start) for kind, start in zip(kinds, rng.uniform(-1, 1, 2).tolist(), strict=True))
        reach, (begin, end) = float(rng.uniform(0.5, 2.0)), np.sort(rng.uniform(1, 3, 2)).tolist()
        row = polynomial(Beside(paths, None, Radius(reach, reach)), reach, begin, end)
        values = []
        for part in (Fraction(0), Fraction(1, 3), Fraction(1)):
            time = Fraction(begin) + part * (Fraction(end) - Fraction(begin))
            one, other = (centre(course, time) for course in paths)
            exact = sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) - Fraction(reach) ** 2
            values.append(sum(e * part**k for k, e in enumerate(row)) / exact)
        assert values[0] == values[1] == values[2] > 0


def test_what_is_proved_to_be_apart_is_so_at_all_samples():
    rng, counts = np.random.default_rng(2), [0, 0]
    for n in range(200):
        paths = parabola(rng), (pushed if n % 2 else parabola)(rng, 0.0)
        times = np.linspace(0.0, 0.7, 101)
        gaps = np.array([np.linalg.norm(paths[0].centre_at(t) - paths[1].centre_at(t)) for t in times.tolist()])
        # Just over, and just under what they come near each other.
        for part, proved in ((0.99, True), (1.0 + 1e-9, False)):
            reach = float(part * gaps.min())
            assert farther(Beside(paths, None, Radius(reach, reach)), reach, 0.0, 0.7) is proved
            counts[proved] += 1
    assert min(counts) == 200


@pytest.mark.parametrize("seed", range(4))
def test_balls_hit_when_roots_say(seed):
    rng = np.random.default_rng(seed)
    place, way = rng.uniform(-1, 1, 3), rng.normal(size=3)
    bodies = [RigidBody(BALL, position=place, velocity=0.1 * rng.normal(size=3)),
              RigidBody(BALL, position=place + 4 * way / np.linalg.norm(way), velocity=-2.0 * way)]
    run = World(bodies, gravity=GRAVITY).run(events=1, until=5.0)
    time = run.events[0].time
    (one, other), begin = ([run.courses(k)[0][0] for k in range(2)]), mpmath.mpf(time[0])

    def gap(s):
        with mpmath.workdps(40):
            p = [[mpmath.mpf(c) + s * mpmath.mpf(w) + s * s * mpmath.mpf(g) / 2 for c, w, g in zip(*f.floats, strict=True)]
                 for f in (one, other)]
            return mpmath.sqrt(sum((a - b) ** 2 for a, b in zip(*p, strict=True))) - 2

    with mpmath.workdps(40):
        exact = mpmath.findroot(gap, begin)
        assert mpmath.mpf(time[0]) <= exact <= mpmath.mpf(time[1]) and time[1] - time[0] < 1e-14
    assert run.events[0].proved.all()


@pytest.mark.parametrize("shape", [FLOOR, slope(0.3), ParametricSurface([u + v, u - v, sp.Rational(1, 3)], {u: (-9, 9), v: (-9, 9)}),
                                   box(sizes=(8, 8, 1)), cube(3.0)])
def test_balls_hit_walls_as_a_search_finds(monkeypatch, shape):
    rng = np.random.default_rng(5)
    bodies = [RigidBody(shape, fixed=True, position=(0.1, 0.2, -3), orientation=(1, 0.1, 0.05, 0.2)),
              RigidBody(BALL, position=(0.3, -0.2, 3), velocity=rng.normal(size=3) / 4)]
    found = World(bodies, gravity=GRAVITY, restitution=0.5).run(until=3.0)
    monkeypatch.setattr(spheres, "accepts", lambda one, other: False)
    searched = World(bodies, gravity=GRAVITY, restitution=0.5).run(until=3.0)
    assert len(found.events) == len(searched.events) >= 2 and found.outcome is searched.outcome is Outcome.FINISHED
    for one, other in zip(found.events, searched.events, strict=True):
        assert abs(one.time[0] - other.time[0]) < 1e-11 and one.time[1] - one.time[0] < 1e-10
        np.testing.assert_allclose(one.points, other.points, atol=1e-9)
        np.testing.assert_allclose(one.normals, other.normals, atol=1e-9)


@pytest.mark.parametrize("aside", [0.6, 0.9])
def test_balls_that_fall_past_a_face_meet_its_edge_or_nothing(aside):
    """The plane of the face tells until when they are apart; then a search does."""
    bodies = [RigidBody(box(sizes=(2, 2, 1)), fixed=True), RigidBody(BALL, position=(1 + aside, 0.1, 3))]
    run = World(bodies, gravity=GRAVITY).run(until=1.0, events=1)
    # The height of the centre over the face, above its edge.
    fallen = 2.5 - np.sqrt(1.0 - aside**2)
    assert len(run.events) == 1 and run.events[0].time[0] == pytest.approx(np.sqrt(fallen / 5), abs=1e-9)
    past = World([bodies[0], RigidBody(BALL, position=(2.1, 0.1, 3))], gravity=GRAVITY).run(until=2.0)
    assert past.outcome is Outcome.FINISHED and not past.events


@pytest.mark.parametrize("place", [(0.0, 0.0), (-0.4, 0.7)])
def test_balls_bounce_on_a_floor_of_two_triangles_as_on_a_plane(place):
    """Also where these meet: times in closed form are 2/5, 4/5, 1, 11/10, ..."""
    bodies = [RigidBody(Mesh(SQUARE, [(0, 1, 2), (0, 2, 3)]), fixed=True), RigidBody(BALL, position=(*place, 1.8))]
    run = World(bodies, gravity=GRAVITY, restitution=0.5).run(until=3.0, events=40)
    exact = [Fraction(6, 5) - Fraction(8, 5) / 2**k for k in range(1, 41)]
    assert len(run.events) == 40
    for event, time in zip(run.events, exact, strict=True):
        assert max(abs(Fraction(end) - time) for end in event.time) < 1e-12


@pytest.mark.parametrize("corners, triangles", [
    ([*SQUARE[:3], (-1, 0, 0), SQUARE[3]], [(0, 1, 3), (1, 2, 3), (2, 4, 3)]),
    ([*SQUARE, *(np.array(SQUARE) / 4)], FRAME),
    ([*SQUARE, *(np.array(SQUARE) / 4)], 2 * FRAME),
    ([*SQUARE, *(np.array(SQUARE) * (1 - 1e-11))], FRAME),
    ([*SQUARE[:3], (-9, 9, 3e-9)], [(0, 1, 2), (0, 2, 3)]),
], ids=["notch", "hole", "hole in two layers", "frame", "bent"])
def test_floors_with_holes_are_no_walls(corners, triangles):
    actor = MovingBody(RigidBody(Mesh(corners, triangles), fixed=True), np.zeros(3))
    actor.begin(0.0)
    assert walls_of(actor) == ()


def test_balls_that_touch_and_hardly_part_do_not_meet_anew():
    """One has hit a wall, and leaves another one with a speed that is some roundings; each goes its way. A search could not tell."""
    bodies = [RigidBody(BALL), RigidBody(BALL, position=(2, 0, 0), velocity=(1e-13, 1, 0))]
    run = World(bodies, gravity=GRAVITY).run(until=2.0)
    assert run.outcome is Outcome.FINISHED and not run.events


def test_walls_bound_all_corners():
    """In rational numbers, of a shape that was turned by a pose with roundings."""
    actor = MovingBody(RigidBody(cube(0.7), fixed=True, position=(0.1, 5, -3), orientation=(1, 0.3, -0.2, 0.5)), np.zeros(3))
    actor.begin(0.0)
    w, a, b, c = (Fraction(e) for e in actor.rigid.orientation.tolist())
    turn = [[1 - 2 * (b * b + c * c) / (q := w * w + a * a + b * b + c * c), 2 * (a * b - w * c) / q, 2 * (a * c + w * b) / q],
            [2 * (a * b + w * c) / q, 1 - 2 * (a * a + c * c) / q, 2 * (b * c - w * a) / q],
            [2 * (a * c - w * b) / q, 2 * (b * c + w * a) / q, 1 - 2 * (a * a + b * b) / q]]
    corners = [[sum(t * Fraction(e) for t, e in zip(row, corner, strict=True)) + Fraction(s)
                for row, s in zip(turn, actor.rigid.position.tolist(), strict=True)] for corner in actor.rigid.outline.arrays[0].tolist()]
    found = walls_of(actor)
    assert len(found) == 6
    for wall in found:
        heights = sorted(sum(Fraction(n) * e for n, e in zip(wall.normal.tolist(), corner, strict=True)) for corner in corners)
        assert wall.low <= heights[-4] and heights[-1] <= wall.level and wall.level - wall.low < 1e-14
        assert wall.length**2 <= sum(Fraction(n) ** 2 for n in wall.normal.tolist()) <= 1


def test_nearer_is_proved_by_the_lesser_radius():
    still = flight(0.0, np.zeros(3), np.zeros(3), np.zeros(3), np.eye(3), np.zeros(3), Inertia(np.eye(3)))
    other = flight(0.0, np.array([2.0, 0, 0]), np.zeros(3), np.zeros(3), np.eye(3), np.zeros(3), Inertia(np.eye(3)))
    b = Beside((still, other), None, Radius(2.0, 2.0))
    assert not nearer(b, 2.0, 0.0) and not farther(b, 2.0, 0.0, 1.0)
    assert nearer(b, float(np.nextafter(2.0, 3.0)), 0.0) and farther(b, float(np.nextafter(2.0, 1.0)), 0.0, 1.0)


def test_balls_that_come_into_each_other_by_a_rounding_only_do_not_meet():
    """They touch, and what moves them draws them apart before they would be deeper than some roundings."""
    still = flight(0.0, np.zeros(3), np.zeros(3), np.zeros(3), np.eye(3), np.zeros(3), Inertia(np.eye(3)))
    other = flight(0.0, np.array([2.0, 0, 0]), np.array([-1e-15, 0, 0]), np.array([1e-15, 0, 0]), np.eye(3), np.zeros(3),
                   Inertia(np.eye(3)))
    one, two = (MovingBody(RigidBody(BALL), np.zeros(3)) for _ in range(2))
    one.take(still, 0.0)
    two.take(other, 0.0)
    assert spheres.parted(one, two, (0.0, 4.0)).until == 0.0
    found = spheres.parted(one, two, (0.0, 4.0), 1e-10, 1e-9)
    assert found.until == 4.0 and found.since <= 4.0


@pytest.mark.parametrize("last", [1e-40, 1e-300, 0.0])
def test_zeros_of_paths_whose_last_terms_are_nearly_nothing(last):
    """A root far outside of the window has powers that no double holds."""
    numbers = np.array([-1.0, *9 * [0.0], -1e-12, last])
    paths = [Polynomial(0.0, 9.0, np.array([a, 0, 0]), np.eye(3), part * numbers[:, None] * [1, 0, 0], np.zeros((12, 4)),
                        Inertia(np.eye(3)))
             for a, part in ((0.0, 0.0), (4.0, 1.0))]
    assert zeros(Beside(tuple(paths), None, Radius(2.0, 2.0)), 2.0, (0.0, 3.0)) == pytest.approx([2.0], abs=1e-7)


def test_balls_that_leave_each_other_late_and_fast_are_told_apart():
    """They are in each other by some roundings. In the least of the steps of time that there are they move more than they are told to."""
    one, two = (MovingBody(RigidBody(BALL), np.zeros(3)) for _ in range(2))
    for actor, *numbers in ((one, 0.0, 0.0, 0.0), (two, 2.0 - 1e-15, 1000.0, 0.0)):
        actor.take(flight(1e5, *(np.array([e, 0, 0]) for e in numbers), np.eye(3), np.zeros(3), Inertia(np.eye(3))), 1e5)
    found = spheres.parted(one, two, (1e5, 1e5 + 1.0), 1e-10, 1e-12)
    assert 1e5 < found.since < 1e5 + 1e-9 and found.until == 1e5 + 1.0


@pytest.mark.parametrize(("height", "speed"), [(2e-16, 1e-14), (1e-13, 1e-13)])
def test_balls_that_come_to_a_table_from_aside_meet_its_edge(height, speed):
    """Long before they are as low as its face."""
    table = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    ball = RigidBody(BALL, position=(-4, 0, 1 + height), velocity=(1, 0, -speed))
    run = World([RigidBody(table, fixed=True), ball], gravity=(0, 0, 0)).run(until=6)
    # Where it is as deep under the plane of a unit ball on the table.
    deep = 1.0 - (ball.position[2] - 3.0 * speed)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 1
    begin, end = run.events[0].time
    assert begin <= 3.0 - np.sqrt(2.0 * deep) <= end < begin + 1e-8


def test_balls_far_from_the_origin_come_back_to_what_they_are_in_by_roundings_of_their_places():
    places, speeds, forces = (1e4, 1e4 + 2 - 1.8e-12), (0.0, 4e-7), (0.0, -10.0)
    one, two = (MovingBody(RigidBody(BALL), np.zeros(3)) for _ in range(2))
    for actor, *numbers in zip((one, two), places, speeds, forces, strict=True):
        actor.take(flight(0.0, *(np.array([e, 0, 0]) for e in numbers), np.eye(3), np.zeros(3), Inertia(np.eye(3))), 0.0)
    found = spheres.parted(one, two, (0.0, 1.0), 1e-10, 1e-9)
    # It falls as deep again by then, and some roundings deeper; so they hit each other.
    assert 8e-8 < found.until < 2e-6 and found.since == np.inf and -1e-11 < found.gap < 0.0
    hit = spheres.met(one, two, found, 1.0, 1.0)
    assert hit is not None and hit.time[0] == found.until


def test_walls_face_nothing_beside_their_borders():
    """Of a sheet far from the origin of its own coordinates: what is over its edge, or so little outside as no double tells, is not told to
    be over it.
    """
    sheet, rng = ParametricSurface([u + 10**8, v, 0], {u: (-1, 1), v: (-1, 1)}), np.random.default_rng(1)
    for _ in range(20):
        actor = MovingBody(RigidBody(sheet, fixed=True, orientation=rng.normal(size=4)), np.zeros(3))
        w, a, b, c = (Fraction(e) for e in actor.rigid.orientation.tolist())
        q = w * w + a * a + b * b + c * c
        along = [1 - 2 * (b * b + c * c) / q, 2 * (a * b + w * c) / q, 2 * (a * c - w * b) / q]
        edge = [(10**8 + 1) * e for e in along]
        place = [-float(e) for e in edge]
        moved = MovingBody(RigidBody(sheet, fixed=True, position=place, orientation=actor.rigid.orientation), np.zeros(3))
        moved.begin(0.0)
        point = np.array([float(e + Fraction(p) + s / 10**9) for e, p, s in zip(edge, place, along, strict=True)])
        middle = np.array([float(e + Fraction(p) - s) for e, p, s in zip(edge, place, along, strict=True)])
        for wall in walls_of(moved):
            assert wall.faces(middle) and not wall.faces(point)
