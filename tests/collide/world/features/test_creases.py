"""Combined implicit bodies in runs: their faces and edges, against closed forms and the same body made of parametric patches."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from collide import Outcome, RigidBody, World
from collide.world.contact.feature_pairs import deeper
from collide.world.features.creases import Crease, Facet
from collide.world.features.features import features
from collide.world.features.straight import CornerPoint
from collide.world.motion.rotation import matrix
from collide.world.motion.state import BodyState
from generative import ImplicitSurface, primitives, x, y, z
from models.shapes.blobs import drilled_ball, lens
from models.shapes.solids import biconvex_lens

from ..scenes import FLOOR

HALF, TENTH = sp.Rational(1, 2), sp.Rational(1, 10)


def ball(a, b, c):
    return ImplicitSurface((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 - 1, bounds=[(-3, 3)] * 3)


def test_the_rim_of_a_lens_is_a_circle_between_two_caps():
    found = features(lens(), (0.0, 0.0, 0.25))
    assert [type(part) for part in found.parts] == [Crease, Facet, Facet] and found.convex
    rim, *caps = found.parts
    at = rim.moved(rim.cells, np.full((len(rim.cells), 1), 0.05))
    jet = rim.jet(at)
    np.testing.assert_allclose(np.linalg.norm(at[:, :2], axis=1), 0.8, atol=1e-14)
    np.testing.assert_allclose(at[:, 2], 0, atol=1e-14)
    np.testing.assert_allclose(jet.point, at - [0, 0, 0.25], atol=1e-15)
    # The tangent goes round the circle, and the curvature, 1 / 0.8, to its middle.
    np.testing.assert_allclose((jet.along[:, 0] * at).sum(axis=1), 0, atol=1e-14)
    np.testing.assert_allclose(jet.bent[:, 0, 0], -at / 0.64, atol=1e-13)
    for point in at[:3]:
        normals = rim.normals(point)
        np.testing.assert_allclose(np.sort(normals[:, 2]), [-0.6, 0.6], atol=1e-14)
        np.testing.assert_allclose(normals[:, :2], np.tile(point[:2], (2, 1)), atol=1e-14)
    for cap in caps:
        assert (np.linalg.norm(cap.points[:, :2], axis=1) <= 0.8 + 1e-12).all() and (cap.beyond(cap.cells) <= 0).all()


def parts_of(shape, kind):
    return [part for part in features(shape, (0.0, 0.0, 0.0)).parts if isinstance(part, kind)]


def test_edges_and_corners_that_stick_out():
    """A block with a bowl: eight corners, twelve straight edges and a circle, whose places are closed forms."""
    body = primitives.block((2, 2, 1)) - primitives.ball(TENTH * 8, (TENTH, 0, HALF))
    found = features(body, (0.0, 0.0, 0.0))
    assert not found.convex and found.followed
    corners = np.array([c.point for c in parts_of(body, CornerPoint)])
    np.testing.assert_allclose(np.abs(corners), [[1, 1, 0.5]] * 8, atol=1e-14)
    assert all(np.abs(np.linalg.det(c.outward)) > 0.99 for c in parts_of(body, CornerPoint))
    edges = parts_of(body, Crease)
    (rim,) = (e for e in edges if not e.straight)
    assert len(edges) == 13 and rim.closed
    for points in (rim.points, rim.spread(24, np.array([1.0, 1.0, 0.0]))):
        np.testing.assert_allclose(np.linalg.norm(points - [0.1, 0, 0.5], axis=1), 0.8, atol=1e-14)
        np.testing.assert_allclose(points[:, 2], 0.5, atol=1e-14)
    first = rim.spread(24, np.array([1.0, 1.0, 0.0]))
    np.testing.assert_allclose(first[0], [0.1 + 0.8 * np.sqrt(0.5), 0.8 * np.sqrt(0.5), 0.5], atol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(np.diff(first, axis=0), axis=1), 2 * 0.8 * np.sin(np.pi / 24), rtol=1e-3)
    # Of a place on the plane of the lid it is told about how far it is outside of what is left of that.
    lid = next(f for f in parts_of(body, Facet) if f.straight and f.points[:, 2].min() > 0.4)
    np.testing.assert_allclose(lid.beyond(np.array([[0.1, 0, 0.5], [0.95, 0, 0.5], [1.1, 0, 0.5]]))[1:], [-0.05, 0.1], atol=2e-3)
    assert lid.beyond(np.array([[0.4, 0, 0.5]]))[0] > 0.1


def test_hollow_edges_touch_nothing():
    """Of a ball on a block the circle between them; of a drilled ball both edges stick out."""
    body = primitives.block((2, 2, 1)) | primitives.ball(HALF, (0, 0, HALF))
    assert all(edge.straight for edge in parts_of(body, Crease)) and len(parts_of(body, CornerPoint)) == 8
    assert [edge.closed for edge in parts_of(drilled_ball(), Crease)] == [True, True]


def test_a_plate_with_a_hole_that_comes_to_lie_is_seen_to_be_in_the_floor():
    """All that is flat is nearly in the plane of the floor by then, and on two corners that are a little too high."""
    plate = features(primitives.block((2, 2, HALF)) - primitives.ball(HALF), (0.0, 0.0, 0.0))
    floor = features(FLOOR, (0.0, 0.0, 0.0))
    still = BodyState(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3)).lane()
    for tilt, count in ((2e-9, 1), (-1e-11, 1), (1e-11, 1)):
        turn = np.array([[1, 0, tilt], [0, 1, 0], [-tilt, 0, 1.0]])
        place = BodyState(np.array([0, 0, 0.25 - abs(tilt)]), turn, np.zeros(3), np.zeros(3)).lane()
        high = BodyState(place.centre + [0, 0, 2 * abs(tilt)], *place[1:])
        assert deeper(plate, floor, place, still, 1.0, 1e-10) == (0 if tilt > 1e-10 else count)
        assert deeper(plate, floor, high, still, 1.0, 1e-10) == count


def test_a_triangle_of_three_balls_has_corners_where_its_edges_end():
    body = ball(0, 0, 0) & ball(HALF, 0, 0) & ball(HALF / 2, HALF, 0)
    corners, edges = parts_of(body, CornerPoint), parts_of(body, Crease)
    assert len(corners) == 2 and len(edges) == 3
    # As far from three points in a plane as from two of these at one height.
    height = np.sqrt(1 - 0.25**2 - 0.1875**2)
    np.testing.assert_allclose(sorted(c.point.tolist() for c in corners), [[0.25, 0.1875, -height], [0.25, 0.1875, height]], atol=1e-13)
    for edge in edges:
        np.testing.assert_allclose(np.sort(edge.points[[0, -1], 2]), [-height, height], atol=1e-12)


def test_a_ball_in_the_bowl_of_a_block_swings_as_a_pendulum():
    """Without friction it slides: the angle of the line of centres, R - r long, obeys phi'' = -g / (R - r) sin(phi)."""
    block = RigidBody(primitives.block((2, 2, 1)) - primitives.ball(TENTH * 8, (0, 0, HALF)), fixed=True)
    begin, length = 0.6, 0.6
    place = (length * np.sin(begin), 0, 0.5 - length * np.cos(begin))
    run = World([block, RigidBody(primitives.ball(TENTH * 2), position=place)], gravity=(0, 0, -10), restitution=0).run(until=1.0)
    times = np.linspace(0, 1, 101)
    state, found = run.state(times), solve_ivp(lambda _, q: [q[1], -10 / length * np.sin(q[0])], (0, 1), [begin, 0], t_eval=times,
                                               rtol=1e-12, atol=1e-12)
    assert run.outcome is Outcome.FINISHED
    np.testing.assert_allclose(np.linalg.norm(state.positions[:, 1] - [0, 0, 0.5], axis=1), length, atol=1e-9)
    np.testing.assert_allclose(state.positions[:, 1, 0], length * np.sin(found.y[0]), atol=1e-7)
    assert np.abs(run.energy(times) - run.energy(0)).max() < 1e-8


def test_a_block_with_a_bowl_that_is_dropped_comes_to_lie():
    """No corner is ever in the floor."""
    body, height = primitives.block((2, 2, 1)) - primitives.ball(TENTH * 8, (TENTH, 0, HALF)), 0.5
    falling = RigidBody(body, position=(0, 0, height + 0.1), orientation=(1, 0.02, 0.01, 0))
    run = World([RigidBody(FLOOR, fixed=True), falling], restitution=0, friction=0.3).run(until=0.5)
    assert run.outcome is Outcome.FINISHED
    times = np.linspace(0, 0.5, 2001)
    state, corners = run.state(times), np.array([[i, j, -height] for i in (-1, 1) for j in (-1, 1)])
    low = [((corners @ matrix(q).T)[:, 2] + p[2]).min() for q, p in zip(state.quaternions[:, 1], state.positions[:, 1], strict=True)]
    assert np.min(low) > -1e-9 and np.diff(run.energy(times)).max() < 1e-9
    assert state.positions[-1, 1, 2] == pytest.approx(height, abs=1e-9) and not state.velocities[-1].any()


@pytest.mark.parametrize("speed", [0, sp.Rational(1, 2)])
def test_an_implicit_lens_rolls_as_one_of_patches(speed):
    """It hits a floor with its rim, and rolls and slips on caps and rim; never deeper than 1e-9, at closed forms of its lowest point."""
    runs, times = [], np.linspace(0, 0.8, 400)
    for shape in (biconvex_lens(), lens()):
        body = RigidBody(shape, position=(0, 0, 0.9), orientation=(1, 0.3, 0.1, 0), velocity=(speed, 0, 0), mass=1, centre=(0, 0, 0),
                         inertia=np.diag([0.12, 0.12, 0.16]))
        run = World([RigidBody(FLOOR, fixed=True), body], gravity=(0, 0, -10), friction=0.3, restitution=0.3).run(until=0.8)
        state = run.state(times)
        down = np.array([-matrix(q)[2] for q in state.quaternions[:, 1]])
        across = np.hypot(down[:, 0], down[:, 1])
        low = np.where(across <= 0.8, 1 - 0.6 * np.abs(down[:, 2]), 0.8 * across)
        assert run.outcome is Outcome.FINISHED and (state.positions[:, 1, 2] - low).min() > -1e-9
        assert np.diff(run.energy(times)).max() < 1e-9
        runs.append(state)
    np.testing.assert_allclose(runs[0].positions, runs[1].positions, atol=1e-8)
    np.testing.assert_allclose(runs[0].spins, runs[1].spins, atol=1e-7)
