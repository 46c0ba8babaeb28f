"""Distances of meshes to bodies of other kinds: rational numbers, closed forms, and the same solids given by formulas."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from collide import DistanceStatus, Mesh, clearance, clearance_batch, distance, first_contact
from generative import Parameter, ParametricSurface, Rigid, Screw, polyhedron, t, u, v
from generative.implicit import ImplicitSurface
from generative.symbols import x, y, z
from models.shapes.quadrics import sphere
from models.shapes.rings import torus

from ..polyhedra.location.test_index import CORNERS, TRIANGLES
from .test_distance_of_meshes import point_and_face, point_and_segment

CUBE = Mesh(CORNERS, TRIANGLES)
MEASURED, MEETING = DistanceStatus.MEASURED, DistanceStatus.MEETING
BALL = ImplicitSurface(x**2 + y**2 + z**2 - Fraction(1, 4), bounds=[(-1, 1)] * 3)


def at(*place):
    return Rigid(translation=list(place))


def hull(seed, count):
    """Random points on a sphere, as doubles, and the triangles of their convex hull, seen from outside."""
    g = np.random.default_rng(seed)
    points = g.normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    found = ConvexHull(points)
    faces = found.simplices.copy()
    inward = np.einsum("ij,ij->i", np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]]),
                       points[faces[:, 0]]) < 0
    faces[inward] = faces[inward][:, ::-1]
    return points, faces


@pytest.mark.parametrize("seed", range(6))
def test_random_hulls_and_balls_against_rational_numbers(seed):
    points, faces = hull(seed, 12)
    g = np.random.default_rng(100 + seed)
    centre = g.normal(size=3)
    centre *= g.uniform(2, 3) / np.linalg.norm(centre)
    place, corners = [Fraction(c) for c in centre.tolist()], [[Fraction(c) for c in row] for row in points.tolist()]
    shapes = [[corners[k] for k in face] for face in faces.tolist()]
    exact = math.sqrt(min(min(point_and_face(place, face), *(point_and_segment(place, *ends) for ends in itertools.combinations(face, 2)))
                          for face in shapes)) - 0.5
    for ball in (sphere(radius=Fraction(1, 2)), BALL):
        found = distance(Mesh(points, faces), ball.moved(at(*centre.tolist())))
        assert found.status is MEASURED and found.bracket.lo - 1e-15 <= exact <= found.bracket.hi + 1e-15
        assert np.linalg.norm(found.points[0, 0] - found.points[0, 1]) == pytest.approx(exact, abs=1e-9)
        assert found.unique.tolist() == [True]


@pytest.mark.parametrize(("centre", "exact", "feature"), [
    ((3, 0.25, 0.5), 1.5, "face"), ((2, 2, 0.5), math.sqrt(2) - 0.5, "edge"), ((2, 2, 2), math.sqrt(3) - 0.5, "vertex")])
def test_features_of_meshes_are_named(centre, exact, feature):
    found = distance(sphere(radius=Fraction(1, 2)).moved(at(*centre)), CUBE)
    assert found.status is MEASURED and found.bracket.lo <= exact <= found.bracket.hi
    assert found.features[0][0].startswith("face") and found.features[0][1].startswith(feature)


def test_the_same_solid_by_formulas():
    ring = torus().moved(Screw(axis=[1, 0, 0], angle=Fraction(1, 2))).moved(at(4, 1, 0.5))
    one, other = distance(CUBE, ring), distance(polyhedron(CORNERS, TRIANGLES), ring)
    assert one.status is other.status is MEASURED
    assert max(one.bracket.lo, other.bracket.lo) <= min(one.bracket.hi, other.bracket.hi)


def test_clearance_in_closed_form_and_verdicts():
    """A ball that passes a cube at a corner, and the cube turning meanwhile round an axis through the ball's path."""
    ball = sphere(radius=Fraction(1, 2)).moved(at(3, 3, 2 - 4 * t))
    exact = 2 * math.sqrt(2) - 0.5
    for bodies in ([CUBE, ball], [ball, CUBE], [CUBE, CUBE.moved(at(0, -9, 0)), ball]):
        found = clearance(bodies, (0, 1))
        assert found.status is MEASURED and found.bracket.lo <= exact <= found.bracket.hi
        assert clearance(bodies, (0, 1), 2.0).verdict is True and clearance(bodies, (0, 1), 2.5).verdict is False
    near = clearance([CUBE, CUBE.moved(at(0, -3, 0)), ball], (0, 1))
    assert near.bracket.lo <= 2 <= near.bracket.hi and near.pairs.tolist() == [[0, 1]]


def test_a_verdict_by_two_meshes_bounds_no_pair_that_was_not_searched(monkeypatch):
    """The meshes are known to be nearer than asked, 1.9 to 2; the ball is nearer still, 1.5."""
    def known(*args):
        args[-1].lower, args[-1].upper = 1.9, 2.0

    monkeypatch.setattr("collide.queries.distance.nearest", known)
    found = clearance([CUBE, CUBE.moved(at(0, -3, 0)), sphere(radius=Fraction(1, 2)).moved(at(3, 0.25, 0.5))], (0, 1), 2.2)
    assert found.verdict is False and found.bracket.lo <= 1.5


def test_deforming_bodies_and_ranges_of_parameters():
    h = Parameter("h")
    sheet = ParametricSurface([u, v, 3 + h - t * u**2], {u: (-1, 1), v: (-1, 1)})
    found = clearance([CUBE, sheet], (0, 1), parameters={h: (-0.5, 0.5)})
    assert found.status is MEASURED and found.bracket.lo <= 0.5 <= found.bracket.hi


def test_what_meets_and_what_is_inside():
    assert distance(CUBE, sphere(radius=Fraction(1, 2))).status is MEETING
    inside = distance(CUBE, sphere(radius=4).moved(at(0.25, 0.125, 0)))
    assert inside.status is MEASURED and "a piece of the surface of body 0 is inside body 1" in inside.notes[0]


def test_a_spent_budget_is_a_value():
    assert distance(CUBE, BALL.moved(at(3, 0, 0)), budget=1e-6).status is DistanceStatus.BUDGET_SPENT


def test_each_body_has_its_own_bounds():
    """Problems of meshes share kernels with those of bodies of the same formula, but not their domains."""
    upper = ImplicitSurface(x**2 + y**2 + z**2 - Fraction(1, 4), bounds=[(-1, 1), (-1, 1), (0, 1)])
    assert distance(upper.moved(at(0.5, 0.25, 3)), CUBE).bracket.hi > 2
    for found in (distance(BALL.moved(at(0.5, 0.25, 3)), CUBE), distance(CUBE, BALL.moved(at(0.5, 0.25, 3)))):
        assert found.bracket.lo <= 1.5 <= found.bracket.hi


def test_rows_of_numbers_are_answered_as_single_calls_are():
    """Of a mesh, a ball that moves, and another mesh."""
    side, height = Parameter("side"), Parameter("height")
    bodies = [CUBE, sphere(radius=Fraction(1, 2)).moved(Rigid(translation=[side, 0, height - t])),
              Mesh(CORNERS / 4, TRIANGLES).moved(Rigid(translation=[height, side, t]))]
    given = {side: np.array([0.25, 3.0, 0.5]), height: np.array([4.0, 5.0, 1.5])}
    r = clearance_batch(bodies, (0, 1), parameters=given)
    for k in range(3):
        own = {s: float(array[k]) for s, array in given.items()}
        single = clearance(bodies, (0, 1), parameters=own)
        # A row looks for one pair of nearest points, so its search ends elsewhere.
        assert single.status is r.status[k] and np.allclose(single.bracket, r.bracket[k], rtol=0, atol=1e-12)
        assert max(single.bracket[0], r.bracket[k][0]) <= min(single.bracket[1], r.bracket[k][1])
        assert first_contact(bodies, (0, 1), parameters=own).given == {s: Fraction(value) for s, value in own.items()}
    assert {MEASURED, MEETING} <= set(r.status)
