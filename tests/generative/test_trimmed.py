"""Trimmed surfaces (`trimmed`, with `trimming_cells`, `trimming_pieces`, `trimming_proof`, `trimming_cusps`, `triangulation`): what their
patches cover, and where boxes lie.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import collide
from codegen.kernel import compile
from generative import ImplicitSurface, ParametricSurface, Rigid, Solid, curve, t, u, v, x, y, z
from generative.curve import Curve
from generative.triangulation import crossing_sides, triangulation, winding
from generative.trimmed import Where

PLANE = ParametricSurface([u, v, 0], {u: (-9, 9), v: (-9, 9)})


def circle(a: float, b: float, radius: float) -> Curve:
    return Curve([a + radius * sp.cos(u), b + radius * sp.sin(u), 0], (0, 2 * sp.pi))


def polygon(*corners: tuple[float, float]) -> list[Curve]:
    return curve.polygon([(*p, 0) for p in corners])


def area_of(body: Solid) -> float:
    """By Gauss points in each patch, with the sign of its determinant in the plane."""
    places, weights = np.polynomial.legendre.leggauss(40)
    places, weights = 0.5 * (places + 1.0), 0.5 * weights
    grid = np.array([[a, b] for a in places for b in places])
    total = 0.0
    for face in body.faces:
        a, b, _ = face.body
        jacobian = compile([a.diff(u) * b.diff(v) - a.diff(v) * b.diff(u)], [u, v], quick=True).points(grid)[:, 0]
        assert (jacobian > 0).all()
        total += float((jacobian.reshape(40, 40) * np.outer(weights, weights)).sum())
    return total


REGIONS = [
    ([[circle(0, 0, 2)]], math.pi * 4),
    ([[circle(0, 0, 2)], [circle(0, 0, 1)]], math.pi * 3),
    ([[circle(0, 0, 2)], [circle(0.5, 0, 1)]], math.pi * 3),
    ([polygon((0, 0), (4, 0), (4, 3), (2, 1), (0, 3))], 8.0),
    ([polygon((0, 0), (4, 0), (4, 3), (2, 1), (0, 3)), [circle(1, 1, 0.25)], [circle(3, 1, 0.25)]], 8.0 - math.pi / 8),
    ([polygon((0, 0), (0, 2), (2, 2), (2, 0))], 4.0),
    ([[circle(0, 0, 4)], [circle(0, 0, 3)], [circle(0, 0, 2)]], math.pi * (16 - 9 + 4)),
    ([[Curve([u, u**2, 0], (-1, 1)), curve.line([1, 1, 0], [-1, 1, 0])]], 4 / 3),
    # Curves that meet at angles of zero.
    ([[curve.line([0, 0, 0], [2, 0, 0]), Curve([2 - u, (2 - u) ** 2 / 4, 0], (0, 1)), curve.line([1, Fraction(1, 4), 0], [0, 1, 0]),
       curve.line([0, 1, 0], [0, 0, 0])]], None),
]


@pytest.mark.parametrize(("loops", "area"), [r for r in REGIONS if r[1] is not None])
def test_patches_cover_the_region_once(loops: list[list[Curve]], area: float) -> None:
    body = PLANE.trimmed(loops)
    assert area_of(body) == pytest.approx(area, rel=1e-12)
    # Every side of a patch within the region belongs to two patches.
    assert all(len(e.faces) in (1, 2) for e in body.edges)


def test_boxes_are_inside_outside_or_cut() -> None:
    plate = PLANE.trimmed([polygon((-3, -3), (3, -3), (3, 3), (-3, 3)), [circle(0, 0, 1)]])
    random = np.random.default_rng(1)
    for a, b, size in zip(*random.uniform(-4, 4, (2, 60)), random.uniform(0, 0.4, 60), strict=True):
        found = plate.where((a, a + size), (b, b + size))
        corners = [(a + i * size, b + j * size) for i in (0, 1) for j in (0, 1)]
        inner = [max(abs(p), abs(q)) < 3 and math.hypot(p, q) > 1 for p, q in corners]
        nearest = math.hypot(max(a, min(0, a + size)), max(b, min(0, b + size)))
        if found is Where.INSIDE:
            assert all(inner) and nearest > 1
        elif found is Where.OUTSIDE:
            assert not any(inner)
    assert plate.where(0, 0) is Where.OUTSIDE and plate.where(2, 2) is Where.INSIDE and plate.where(3, 0) is Where.CUT


def test_a_ball_drops_through_a_hole_or_onto_its_rim() -> None:
    plate = PLANE.trimmed([polygon((-3, -3), (3, -3), (3, 3), (-3, 3)), [circle(0, 0, 1)]])
    for radius, expected in ((Fraction(1, 2), None), (Fraction(5, 4), 0.75)):
        ball = ImplicitSurface(x**2 + y**2 + z**2 - radius**2, bounds=[(-2, 2)] * 3)
        found = collide.first_contact([ball.moved(Rigid(translation=[0, 0, 2 - t])), plate], time=(0, 4), tolerance=1e-6)
        if expected is None:
            assert found.status is collide.Status.NO_CONTACT
        else:
            # The ball rests on the rim where its centre is sqrt(25/16 - 1) above it.
            assert found.time.lo <= 2 - expected <= found.time.hi and found.time.hi - found.time.lo < 1e-5


def test_a_face_of_a_solid_may_be_trimmed() -> None:
    lid = PLANE.trimmed([[circle(0, 0, 1)]])
    wall = ParametricSurface([sp.cos(u), sp.sin(u), v], {u: (0, 2 * sp.pi), v: (-1, 0)})
    body = Solid([lid, wall])
    assert len(body.faces) == len(lid.faces) + 1 and body.faces[-1] == wall
    assert body.edges == lid.edges


def test_errors_say_which_loop() -> None:
    with pytest.raises(ValueError, match="loop 1 is not closed: its piece 0 ends at"):
        PLANE.trimmed([[circle(0, 0, 2)], [curve.line([0, 0, 0], [1, 0, 0])]])
    with pytest.raises(ValueError, match=r"loop 0 must be made of Curve values \[u, v, 0\]"):
        PLANE.trimmed([[curve.line([0, 0, 0], [1, 0, 1])]])
    with pytest.raises(ValueError, match="do the loops touch or cross"):
        PLANE.trimmed([[circle(0, 0, 1)], [circle(1, 0, 1)]])
    with pytest.raises(ValueError, match="at least one loop"):
        PLANE.trimmed([])
    with pytest.raises(ValueError, match="do the loops touch or cross"):
        PLANE.trimmed([polygon((0, 0), (2, 2), (2, 0), (0, 2))])


def test_triangulation_of_rings() -> None:
    points = np.array([(0, 0), (6, 0), (6, 6), (0, 6), (2, 2), (2, 4), (4, 4), (4, 2)], float)
    rings = [[0, 1, 2, 3], [4, 5, 6, 7]]
    found = triangulation(points, rings)
    corners = points[np.array(found)]
    area = 0.5 * np.linalg.det(corners[:, 1:] - corners[:, :1])
    assert len(found) == 8 and (area > 0).all() and area.sum() == pytest.approx(32)
    assert winding(points[:4].tolist(), 1, 1) == 1 and winding(points[4:].tolist(), 3, 3) == -1 and winding(points[:4].tolist(), 7, 1) == 0
    assert not crossing_sides(points, rings)
    points[4] = (-1, 3)
    assert crossing_sides(points, rings) == {3, 4, 7}


def fillet(a: float, b: float, radius: float, start: Any, end: Any) -> Curve:
    """An arc from one angle to another, backwards where the second is less."""
    s = start + u * (end - start)
    return Curve([a + radius * sp.cos(s), b + radius * sp.sin(s), 0], (0, 1))


def test_cusps_are_cut_out_as_strips_of_their_own() -> None:
    # A square 6 x 6 and a hole in it. Its upper side ends in a point between the left side and an arc that runs out along it.
    outline = [curve.line([0, 0, 0], [6, 0, 0]), curve.line([6, 0, 0], [6, 6, 0]), curve.line([6, 6, 0], [2, 6, 0]),
               fillet(2, 8, 2, -sp.pi / 2, -sp.pi), curve.line([0, 8, 0], [0, 0, 0])]
    body = PLANE.trimmed([outline, [circle(3, 3, 1)]])
    # Under the arc from (2, 6) up to the point (0, 8) there are 4 - pi square units; those above y = 6.
    assert area_of(body) == pytest.approx(36 + 4 - math.pi - math.pi, rel=1e-9)
