"""Convex hulls: volumes in closed form, and that no point is outside, in exact arithmetic."""

import itertools
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from generative import hull, polyhedron, u, v
from tests.generative.test_solids import volume

CUBE = list(itertools.product((0, 1), repeat=3))


def test_sides_that_are_flat_exactly_are_single_faces():
    solid = hull([*CUBE, (0.5, 0.5, 0.5), (0.5, 0.25, 0.125)], name="cube")
    assert (len(solid.faces), len(solid.edges), len(solid.vertices)) == (6, 12, 8) and solid.name == "cube"
    assert volume(solid) == pytest.approx(1.0)


def test_an_octahedron_has_its_volume():
    assert volume(hull([s * e for s in (-1, 1) for e in np.eye(3)])) == pytest.approx(4 / 3)


@pytest.mark.parametrize("seed", range(3))
def test_no_point_is_outside_but_by_roundings(seed):
    points = np.random.default_rng(seed).normal(size=(30, 3))
    solid = hull(points)
    assert len(solid.vertices) - len(solid.edges) + len(solid.faces) == 2
    for face in solid.faces:
        at = [[Fraction(int(e.p), int(e.q)) for e in (sp.Rational(c.xreplace({u: a, v: b})) for c in face.body)]
              for a, b in ((0, 0), (1, 0), (1, 1))]
        (p, q), a = ([[d - e for d, e in zip(other, at[0], strict=True)] for other in at[1:]]), at[0]
        normal = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
        heights = [sum(n * (Fraction(e) - o) for n, e, o in zip(normal, point.tolist(), a, strict=True)) for point in points]
        assert max(heights) <= Fraction(1e-13)


@pytest.mark.parametrize("points, message", [
    (CUBE[:3], "at least four points, got 3"),
    ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], "lie in one plane"),
    ([*CUBE, (0, 0, float("nan"))], "not a finite real"),
    ([*CUBE, (0, 0)], "must be a vector of 3 expressions, got 2"),
    ([*CUBE, (0, 0, 10**400)], "range of doubles"),
])
def test_points_that_are_refused(points, message):
    with pytest.raises(ValueError, match=message):
        hull(points)


def test_what_is_missing_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(ImportError, match="pip install scipy"):
        hull(CUBE)


def test_a_side_may_begin_with_corners_that_are_nearly_in_a_line():
    """Six points of a robot's torso; three corners of a flat side are off a line by a part in a billion of its size."""
    low = -0.06152497977018356
    points = [(0.012620859779417515, -0.17884980142116547, low), (0.013236580416560173, 0.17841379344463348, low),
              (0.17748470604419708, 0.014165629632771015, low), (0.17789830267429352, 0.013697619549930096, low),
              (0.17884980142116547, 0.012620859779417515, low), (0.19951370358467102, 0.04733169078826904, 0.1821008026599884)]
    solid = hull(points)
    assert len(solid.vertices) == 6 and len(solid.edges) == 10  # a pyramid on five corners
    assert len(solid.faces) == 5 + 2  # whose base is two patches


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, Fraction, sp.Rational])
def test_corners_within_sides_and_edges_are_none(kind):
    """A grid of 4 x 4 x 4, of which eight points are corners, in numbers of any kind."""
    grid = [tuple(kind(e) for e in p) for p in itertools.product((0, 1, 2, 4), repeat=3)]
    solid = hull(np.array(grid) if kind in (np.float32, np.float64, np.int64) else grid)
    assert volume(solid) == pytest.approx(64) and len(solid.faces) == 6 and len(solid.edges) == 12


@pytest.mark.parametrize("seed", range(3))
def test_hulls_of_rounded_points_are_polyhedra(seed):
    """Points of a turned cylinder in single precision, some of them twice, off by roundings: sides are flat nearly, or exactly."""
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(20) / 20
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0] if seed else np.eye(3)
    ring = np.concatenate([np.column_stack([np.cos(angles), np.sin(angles), np.full(20, z)]) for z in (0.0, 0.5, 1.0)]) @ turn
    points = np.concatenate([ring.astype(np.float32), ring + rng.normal(size=ring.shape) * 1e-15])
    solid = hull(points)
    assert volume(solid) == pytest.approx(10 * np.sin(np.pi / 10), rel=1e-6)
    shape = vars(solid)["_shape"]
    polyhedron(shape.points, shape.outlines)  # which refuses faces that cross


@pytest.mark.parametrize("size", [1e300, 1e160, 1e100, 1e-100, 1e-300])
def test_points_of_any_size_have_a_hull(size):
    """Products of three coordinates would overflow, or be taken for nothing."""
    assert len(hull(np.array(CUBE) * size).faces) == 6


def test_large_hulls_are_made_or_refused():
    points = np.random.default_rng(1).normal(size=(30_000, 3))
    inner = np.concatenate([CUBE, 0.5 + 0.1 * points / np.abs(points).max()])
    assert len(hull(inner).vertices) == 8
    with pytest.raises(ValueError, match=r"the hull has [\d,]+ triangles, a solid takes up to 10,000; leave out points"):
        hull(points / np.linalg.norm(points, axis=1)[:, None])
