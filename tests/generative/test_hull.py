"""Convex hulls: volumes in closed form, and that no point is outside, in exact arithmetic."""

import itertools
import sys
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from generative import hull, u, v
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
