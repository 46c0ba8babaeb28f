"""Solids found from their faces, and what is said about faces that do not close."""

import numpy as np
import pytest

from generative import ParametricSurface, Rigid, Solid, cap, curve, polyhedron, sew, sweep, t, u, v
from generative.mesh import approx_function
from generative.solids import capped
from models.shapes.machine import gear_tooth
from models.shapes.quadrics import sphere
from models.shapes.rings import torus
from models.shapes.solids import box, cylinder
from tests.models.test_shapes import quadrature


def features(solid):
    return len(solid.faces), len(solid.edges), len(solid.vertices)


@pytest.mark.parametrize("solid, known", [
    (sew(cylinder().faces), (3, 2, 0)), (sew(box().faces), (6, 12, 8)), (sew([sphere()]), (1, 0, 0)), (sew([torus()]), (1, 0, 0)),
    (gear_tooth(), (6, 12, 8)), (sew(box().moved(Rigid(translation=[0, 0, t])).faces), (6, 12, 8)),
], ids=["cylinder", "box", "sphere", "torus", "tooth", "moving box"])
def test_edges_and_vertices_are_found(solid, known):
    assert features(solid) == known
    assert all(len(vertex.faces) == 3 for vertex in solid.vertices)


def test_found_edges_run_along_both_faces():
    solid = gear_tooth()
    for edge in solid.edges:
        first, second = (approx_function(solid.position(edge, k), [u])(np.linspace(*map(float, edge.domain), 5)) for k in (0, 1))
        np.testing.assert_allclose(first, second, atol=1e-12)


def test_a_cap_closes_a_tube():
    tube = capped(sweep.extrude(curve.circle(2), [0, 0, 3]), (0, 0, 0), (0, 0, 3))
    assert features(tube) == (3, 2, 0) and sum(quadrature(f)[1] for f in tube.faces) == pytest.approx(12 * 3.14159265358979)


FACES = box().faces


@pytest.mark.parametrize("make, message", [
    (lambda: sew([]), "needs faces"),
    (lambda: sew(FACES[:5]), "of face . meets no other side: the solid is open there"),
    (lambda: sew([*FACES, FACES[0]]), "is shared by 3 sides"),
    (lambda: sew([*FACES[:5], ParametricSurface(FACES[5].body, FACES[5].domain, flipped=True)]), "must be flipped"),
    (lambda: sew([cap(cylinder().faces[0], (v, 1), (0, 0, 2))]), "meets no other side"),
])  # fmt: skip
def test_faces_that_do_not_close_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
SIDES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
CUBE = [[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def test_a_tetrahedron():
    solid = polyhedron(TETRAHEDRON, SIDES)
    assert features(solid) == (4, 6, 4) and sum(quadrature(f)[1] for f in solid.faces) == pytest.approx(1 / 6)
    for edge in solid.edges:  # checked by the constructor of Solid, which `polyhedron` leaves out
        assert len(edge.faces) == 2
    Solid(solid.faces, solid.edges, solid.vertices)


@pytest.mark.parametrize("vertices, faces, message", [
    (TETRAHEDRON, SIDES[:3], "at least four faces"),
    (TETRAHEDRON, [*SIDES, (0, 1, 2)], r"3 edges belong to more than two faces; the first joins vertex 0 \(0, 0, 0\) and vertex 1"),
    (TETRAHEDRON, [*SIDES[:3], (1, 3, 2)], r"1 face is flipped, .*; the first is face 3, at vertex 1 \(1, 0, 0\)"),
    (CUBE, [QUADS[0], QUADS[1][::-1], *QUADS[2:5], QUADS[5][::-1]], r"2 faces are flipped, .* face 1, at vertex 5 \(1, 0, 1\)"),
    (CUBE, [QUADS[0][::-1], QUADS[1], *QUADS[3:]], "1 face is flipped"),  # a hole beside it does not hide it
    ([*TETRAHEDRON, [1, 1, 1]], [*SIDES[:3], (1, 2, 4)], "has 1 hole: 4 edges belong to one face only"),
    (CUBE, QUADS[2:], r"has 2 holes: 8 edges .* vertex 0 \(0, 0, 0\) and vertex 1 \(0, 0, 1\)"),
    ([[k, 0, s] for k in range(5) for s in (0, 1)], [(0, 1, 3, 2), (2, 3, 5, 4), (4, 5, 7, 6), (6, 7, 9, 8), (8, 9, 0, 1)], "one-sided"),
    (TETRAHEDRON, [(0, 0, 1), *SIDES[1:]], "three different vertices"),
    (TETRAHEDRON, [(0, 2, 9), *SIDES[1:]], "outside 0 to 3"),
    ([[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 1]], SIDES, "is degenerate"),
    ([[0, 0, 0], [1, 0, 0], [1, 1, 0.2], [0, 1, 0], [0, 0, 1]], [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)], "is not flat"),
])  # fmt: skip
def test_polyhedra_that_are_none(vertices, faces, message):
    with pytest.raises(ValueError, match=message):
        polyhedron(vertices, faces)
