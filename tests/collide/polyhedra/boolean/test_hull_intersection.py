"""Volumes in which hulls interpenetrate: boxes, an octahedron in a cube, and a pit that the hull covers."""

from fractions import Fraction

import numpy as np
import pytest

from collide import Mesh, hull_intersection

from ...bodies.test_hull import PIT
from ..solids import CUBE


def at(*shift):
    pose = np.eye(4)
    pose[:3, 3] = shift
    return pose


@pytest.mark.parametrize(("shift", "volume"), [((0, 0, 0), 1), ((0.5, 0.25, 0), Fraction(3, 8)), ((1, 0, 0), 0), ((3, 0, 0), 0)])
def test_cubes(shift, volume):
    found = hull_intersection(CUBE, CUBE, None, at(*shift))
    assert found.volume == volume and (found.mesh is None) == (volume == 0)


def test_a_turned_cube():
    """By 45 degrees about the middle: an octagon, 2 (sqrt 2 - 1) of the square."""
    c = 0.5**0.5
    turn = np.array([[c, -c, 0, 0], [c, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    found = hull_intersection(CUBE, CUBE, None, turn)
    assert abs(float(found.volume) - 2 * (2**0.5 - 1)) < 1e-14


def test_an_octahedron_and_a_pit():
    tips = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    # The cube is one round the origin, of side 1: six tips of 1/12 of 4/3 are outside.
    assert hull_intersection(Mesh(tips, faces), CUBE).volume == Fraction(5, 6)
    assert hull_intersection(PIT, PIT, None, at(0.5, 0, 0)).volume == Fraction(1, 2)


def test_bad_input():
    with pytest.raises(ValueError, match="lie in a plane"):
        hull_intersection(CUBE, ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    with pytest.raises(ValueError, match="pose_b"):
        hull_intersection(CUBE, CUBE, None, np.eye(3))
