"""Pairs of bodies are seen from the frame that both motions begin with, and points are told in space: `relative_frames`."""

import math

import numpy as np
import pytest
import sympy as sp

from collide import Mesh, clearance, clearance_batch
from collide.bodies.relative_frames import in_world, relative_frames
from generative import Chain, Parameter, ParametricSurface, Rigid, Screw, axis_angle, primitives, revolute, solids, t, u, v

PATCH = ParametricSurface([sp.cos(u) * sp.sin(v), sp.sin(u) * sp.sin(v), sp.cos(v)], {u: (0, 2 * sp.pi), v: (0, sp.pi)})
TABLE = Rigid(rotation=axis_angle([1, 2, 2], 7 * t), translation=[t, sp.sin(9 * t), 1])
E = Parameter("e")


def test_pairs_have_frames_where_their_motions_begin_alike() -> None:
    ball = primitives.ball(1)
    bodies = [ball, ball.moved(TABLE), ball.moved(Rigid(translation=[3, 0, 0])).moved(TABLE), ball.moved(Screw([0, 0, 1], angle=t))]
    found = relative_frames(bodies, np.array([(0, 1), (1, 2), (2, 3)]))
    assert found.pairs.tolist() == [[0, 1], [4, 5], [2, 3]] and found.given((4, 5)) == (1, 2) == found.given(found.label((1, 2)))
    assert found.owners.tolist() == [0, 1, 2, 3, 1, 2] and found.bodies[4] == ball and not found.bodies[5].motion.symbols
    assert list(found.frames) == [(1, 2)] and found.label((0, 1)) == (0, 1)


def test_points_are_told_in_space() -> None:
    points = np.array([[[1.0, 2.0, 3.0], [-1.0, 0.5, 0.0]]])
    at = sp.Rational(2, 5)
    moved = [[float(c) for c in TABLE.at(at).apply(p)] for p in points[0].tolist()]
    assert np.allclose(in_world(TABLE, points, {t: np.array([0.4])}), [moved], atol=1e-14)


@pytest.mark.parametrize("ball", [primitives.ball(1), PATCH], ids=["implicit", "patch"])
def test_bodies_on_one_turntable_rest(ball: object) -> None:
    """Their distance, 1, is told by few boxes, at one moment; the nearest points are where the turntable takes them."""
    bodies = [ball, ball.moved(Rigid(translation=[3, 0, 0]))]
    found = clearance([b.moved(TABLE) for b in bodies], (0, 3))
    assert found.bracket.lo <= 1.0 <= found.bracket.hi <= 1.0 + 1e-8 and found.iterations < 5000
    (lo, hi), want = found.times[0], [[float(c) for c in TABLE.at(0).apply(p)] for p in ((1, 0, 0), (2, 0, 0))]
    assert lo == hi == 0.0 and np.allclose(found.points[0], want, atol=1e-6)


def test_meshes_on_one_turntable_rest() -> None:
    """A tetrahedron whose corner is 1/4 above the plane of another one's face: told by few boxes, with points on the turntable."""
    corners, faces = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.25, 0.25, -1]], [[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]
    lower = Mesh(corners, faces)
    upper = Mesh(-np.array(corners), faces).moved(Rigid(translation=[sp.Rational(1, 4), sp.Rational(1, 4), sp.Rational(1, 4)]))
    found = clearance([lower.moved(TABLE), upper.moved(TABLE)], (0, 3))
    assert found.bracket.lo <= 0.25 <= found.bracket.hi <= 0.25 + 1e-8 and found.iterations < 500
    back = TABLE.at(sp.Rational(float(found.times[0, 0]))).inverse()
    seen = np.array([[float(c) for c in back.apply(p)] for p in found.points[0].tolist()])
    assert np.allclose(seen[0, 2], 0, atol=1e-12) and np.allclose(seen[1] - seen[0], [0, 0, 0.25], atol=1e-12)


def test_links_of_a_chain_are_compared_by_the_joints_between_them() -> None:
    """The whole chain turns fast. Two capsules of radius 1/10 have axes whose ends are sqrt(1 + 9/25 - 6/5 cos(c)) apart: 2/5 for c = 0."""
    bar, up = solids.capsule(sp.Rational(1, 10), 1), Rigid(translation=[0, 0, 1])
    joints = [revolute("a", "base", "first"), revolute("b", "first", "second", axis=(0, 1, 0), origin=up),
              revolute("c", "second", "third", axis=(0, 1, 0), origin=up)]
    arm = Chain({"first": bar, "third": bar.moved(Rigid(translation=[0, 0, -sp.Rational(3, 5)]))}, joints)
    bodies = arm.at({"a": 20 * t, "b": sp.sin(15 * t) / 5, "c": sp.cos(11 * t) / 5})
    for at_least, kept in ((0.19, True), (0.21, False)):
        found = clearance(bodies, (0, 2), at_least=at_least, budget=30)
        assert found.verdict is kept and found.iterations < 50000


def test_parameters_of_a_frame_take_their_values() -> None:
    """A base that is turned by any angle of a range, or of a batch."""
    base = Rigid(rotation=axis_angle([0, 0, 1], E + t))
    bodies = [PATCH.moved(base), PATCH.moved(Rigid(translation=[3 + E, 0, 0])).moved(base)]
    found = clearance(bodies, (0, 1), parameters={E: (0, 1)})
    assert found.bracket.lo <= 1.0 <= found.bracket.hi <= 1.0 + 1e-8
    assert found.parameters[0][E].lo == 0.0 and np.allclose(np.linalg.norm(found.points[0], axis=1), [1, 2], atol=1e-5)
    rows = clearance_batch(bodies, (0, 1), parameters={E: np.array([0.0, 0.5])})
    assert np.allclose(rows.bracket.mean(axis=1), [1.0, 1.5], atol=1e-8)
    assert math.isclose(np.linalg.norm(rows.points[1, 1]), 2.5, abs_tol=1e-6)
