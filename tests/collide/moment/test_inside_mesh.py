"""Points that a closed mesh encloses, against the planes of a convex one in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

import collide
from collide.bodies.numbers import NONE
from collide.moment import inside_mesh
from collide.moment.inside_mesh import RAYS, encloses

from ..meshes import icosahedron

VERTICES, TRIANGLES = icosahedron()


def inside(point) -> bool:
    """Is a point below the planes of all triangles?"""
    p = [Fraction(float(e)) for e in point]
    for triangle in TRIANGLES.tolist():
        a, b, c = ([Fraction(float(e)) for e in VERTICES[k]] for k in triangle)
        q, r, s = ([e - f for e, f in zip(corner, a, strict=True)] for corner in (b, c, p))
        if (q[1] * r[2] - q[2] * r[1]) * s[0] + (q[2] * r[0] - q[0] * r[2]) * s[1] + (q[0] * r[1] - q[1] * r[0]) * s[2] >= 0:
            return False
    return True


def test_points_inside_and_outside():
    """(Fails where what a ray would cross behind its point counts, and where triangles that end before it do not.)"""
    mesh, g = collide.Mesh(VERTICES, TRIANGLES), np.random.default_rng(0)
    points = g.uniform(-1, 1, (400, 3))
    found = [encloses(mesh, np.repeat(p[:, None], 2, axis=1), 0.0, NONE) for p in points]
    assert found == [inside(p) for p in points] and 50 < sum(map(bool, found)) < 350


@pytest.mark.parametrize("scale", [1.0, -1.0])
def test_a_ray_through_a_vertex_tells_nothing(monkeypatch, scale):
    """Another one is taken. (Fails where a triangle counts whose edge a ray meets.)"""
    mesh = collide.Mesh(scale * VERTICES, TRIANGLES)
    point = np.repeat((mesh.vertices[5, :3] - 2.0**-3 * np.array(RAYS[0]))[:, None], 2, axis=1)
    point[:, 0] -= 1e-12
    point[:, 1] += 1e-12
    expected = inside(scale * point.mean(axis=1))
    assert encloses(mesh, point, 0.0, NONE) is expected
    monkeypatch.setattr(inside_mesh, "RAYS", RAYS[:1])
    assert encloses(mesh, point, 0.0, NONE) is None


def test_a_shell_within_a_shell_is_hollow():
    vertices, triangles = np.concatenate([VERTICES, VERTICES / 2]), np.concatenate([TRIANGLES, TRIANGLES + 12])
    mesh = collide.Mesh(vertices, triangles)
    assert mesh.closed and len(mesh.topology.pieces) == 2
    for size, expected in ((0.1, False), (0.6, True), (1.2, False)):
        point = np.repeat(size * np.array([[0.3], [0.5], [0.8]]), 2, axis=1)
        assert encloses(mesh, point, 0.0, NONE) is expected
